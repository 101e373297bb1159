//! The columns of a table: what they are called, and what is in them.

use std::collections::HashSet;

use page::tree::names::known;
use page::tree::{Node, visible_text_of};
use serde::{Deserialize, Serialize};

use super::grid::Grid;
use crate::date;
use crate::field::plain;

/// What the cells of a column are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// A number, perhaps with a unit, a currency or a percent sign.
    Number,
    /// A date or a time.
    Date,
    /// A link.
    Link,
    /// Anything else.
    Text,
}

/// A column of a data table.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Its head in lower case, words joined by `_`, or `column_` and its number.
    pub name: String,
    /// What most of its cells are.
    pub kind: ColumnType,
}

/// The share of a column's cells that are of its type.
const MOST: f64 = 0.8;
/// Rows that are enough to know the type of a column.
const SAMPLE: usize = 100;
/// Letters beside the digits of a number: its unit.
const UNIT: usize = 4;
/// Characters of a number with its unit.
const LONGEST_NUMBER: usize = 24;

pub(super) fn columns(grid: &Grid<'_>, heads: usize, items: &[usize]) -> Vec<Column> {
    let mut taken = HashSet::new();
    let column = |at: usize| {
        let head = plain(&head_text(grid, heads, at));
        let head = if head.is_empty() { format!("column_{}", at + 1) } else { head };
        let mut name = head.clone();
        for number in 2.. {
            if taken.insert(name.clone()) {
                break;
            }
            name = format!("{head}_{number}");
        }
        let cells = items.iter().filter_map(|row| *grid.rows.get(*row)?.cells.get(at)?);
        Column { name, kind: type_of(cells) }
    };
    (0..grid.width).map(column).collect()
}

/// What stands above a column: of several heads, those that differ, from the top. A title of the whole table
/// names no column.
fn head_text(grid: &Grid<'_>, heads: usize, at: usize) -> String {
    let mut texts: Vec<String> = Vec::new();
    for row in grid.rows.iter().take(heads).filter(|row| !row.is_joined()) {
        let text = row.cells.get(at).copied().flatten().map(text_of).unwrap_or_default();
        if !text.is_empty() && texts.last() != Some(&text) {
            texts.push(text);
        }
    }
    texts.join(" ")
}

/// What most of these cells are.
pub(super) fn type_of<'a>(cells: impl Iterator<Item = Node<'a>>) -> ColumnType {
    let mut counts = [0usize; 4];
    let mut filled = 0;
    for cell in cells.take(SAMPLE) {
        if let Some(kind) = kind_of(cell) {
            filled += 1;
            if let Some(count) = counts.get_mut(kind as usize) {
                *count += 1;
            }
        }
    }
    let kinds = [ColumnType::Number, ColumnType::Date, ColumnType::Link];
    let most = kinds.into_iter().find(|kind| {
        counts.get(*kind as usize).is_some_and(|count| *count as f64 >= MOST * filled as f64)
    });
    most.filter(|_| filled > 0).unwrap_or(ColumnType::Text)
}

/// What a cell is; none if it is empty.
pub(super) fn kind_of(cell: Node<'_>) -> Option<ColumnType> {
    let text = text_of(cell);
    if text.is_empty() {
        return None;
    }
    Some(if is_number(&text) {
        ColumnType::Number
    } else if date::tells(&text) {
        ColumnType::Date
    } else if link_of(cell).is_some_and(|link| text_of(link) == text) {
        ColumnType::Link
    } else {
        ColumnType::Text
    })
}

/// Whether a text is a number: digits, what parts them, a sign, and perhaps a unit.
fn is_number(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_part = |c: char| c.is_alphanumeric() || " .,'+-−–%‰°$€£¥₹/()\u{a0}\u{202f}".contains(c);
    // A time of day, a date or a version has more than one of what parts its digits.
    let runs = text.split(|c: char| !c.is_ascii_digit() && !".,' \u{a0}\u{202f}".contains(c));
    let numbers = runs.filter(|run| run.contains(|c: char| c.is_ascii_digit())).count();
    digits > 0
        && numbers == 1
        && letters <= UNIT
        && letters <= digits.max(2)
        && text.chars().count() <= LONGEST_NUMBER
        && text.chars().all(is_part)
}

/// The first link in a cell.
pub(super) fn link_of(cell: Node<'_>) -> Option<Node<'_>> {
    let links = cell.descendants().filter(|node| node.is(known::A));
    links.into_iter().find(|link| link.attribute("href").is_some())
}

/// The text of a cell, on one line.
pub(super) fn text_of(cell: Node<'_>) -> String {
    let text = visible_text_of(cell);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::is_number;

    #[test]
    fn numbers_may_have_units_and_parts_and_dates_are_none() {
        for text in ["12", "1,234.50", "-3 %", "€ 12.90", "12 kg", "1 234", "(5)", "+0.3"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "2026-11-02", "12:30", "v1-2", "heron", "3 herons seen", "1/2/3", "a1b2"] {
            assert!(!is_number(text), "{text}");
        }
    }
}
