//! The columns beyond the known fields, and what they are called.

use std::collections::HashSet;

use super::column::Column;
use super::selector::{Part, Place, Selector};
use super::{Choice, Evidence};
use page::tree::names::known;
use page::tree::{Node, visible_text_of};

/// Columns that are kept beyond the known fields.
const MAX_OTHERS: usize = 24;
/// Characters of a name.
const MAX_NAME: usize = 40;

/// What else is in most records and differs between them, by name.
pub(super) fn others(evidence: &Evidence<'_, '_>, choice: &Choice) -> Vec<(String, Selector)> {
    let table = evidence.table;
    let mut found: Vec<(String, Selector)> = Vec::new();
    let mut texts: Vec<&[Option<String>]> = Vec::new();
    for used in &choice.used {
        texts.extend(evidence.text(*used).map(|values| values.texts.as_slice()));
    }
    for (number, column) in evidence.columns.iter().enumerate() {
        if found.len() >= MAX_OTHERS {
            break;
        }
        let beside = |used: &usize| {
            evidence.inside(*used, number) > 0.2 || evidence.inside(number, *used) > 0.2
        };
        let taken = choice.used.iter().chain(&choice.content).any(beside);
        if taken
            || column.cut.is_some()
            || column.place == Place::Record
            || (column.count as f64) < 0.6 * table.rows.len() as f64
            || !is_leaf(evidence, column)
        {
            continue;
        }
        let Some(values) = evidence.text(number) else { continue };
        let varied = values.distinct > 1 && values.filled * 2 > table.rows.len();
        if !varied || texts.contains(&values.texts.as_slice()) {
            continue;
        }
        // "Posts: 37" has a label; what merely begins alike has none.
        let selector = match values.selector.label() {
            Some(label) if label.trim_end().ends_with([':', '：']) => values.selector.clone(),
            _ => Selector::new(column.place.clone(), Part::Text),
        };
        let name = name(evidence, column, &selector);
        let taken: HashSet<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        let name = match taken.contains(name.as_str()) {
            false => name,
            true => (2..)
                .map(|n| format!("{name}_{n}"))
                .find(|name| !taken.contains(name.as_str()))
                .unwrap_or(name),
        };
        texts.push(&values.texts);
        found.push((name, selector));
    }
    found
}

/// Whether nothing in it is an element with text of its own, in most records.
pub(super) fn is_leaf(evidence: &Evidence<'_, '_>, column: &Column) -> bool {
    let cells = evidence.table.cells_of(column);
    let split = cells.filter(|(row, at, cell)| {
        let Some(of) = evidence.table.rows.get(*row) else { return false };
        let below = of.cells.list.get(at + 1..cell.end).unwrap_or_default();
        below.iter().filter(|inner| inner.length() > 0).count() > 1
    });
    split.count() * 2 < column.count
}

/// What a column is called: by the head of its table column, its label, the word that the site uses for
/// it, or else its number.
fn name(evidence: &Evidence<'_, '_>, column: &Column, selector: &Selector) -> String {
    let first = evidence.table.cells_of(column).next().map(|(_, _, cell)| cell.node);
    let candidates = [
        selector.label().map(str::to_owned),
        first.and_then(header),
        column.place.word().map(str::to_owned),
        first.map(|node| node.name().to_owned()),
    ];
    let plain =
        candidates.into_iter().flatten().map(|name| plain(&name)).find(|name| !name.is_empty());
    plain.unwrap_or_else(|| "column".to_owned())
}

/// Lower case, words joined by `_`.
pub(crate) fn plain(name: &str) -> String {
    let parts: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name = parts.join("_");
    name.chars().take(MAX_NAME).collect()
}

/// The text of the head of the table column that a node is in, or of the term that it describes.
fn header(node: Node<'_>) -> Option<String> {
    let cell = std::iter::once(node)
        .chain(node.ancestors().take(6))
        .find(|node| matches!(node.name_id(), Some(known::TD | known::TH | known::DD)))?;
    let parent = cell.parent()?;
    if cell.is(known::DD) {
        let before = parent.children().take_while(|child| child.id() < cell.id());
        return before.filter(|child| child.is(known::DT)).last().map(visible_text_of);
    }
    let is_cell = |node: &Node<'_>| matches!(node.name_id(), Some(known::TD | known::TH));
    let number =
        parent.children().filter(is_cell).take_while(|child| child.id() < cell.id()).count();
    let table = cell.ancestors().find(|node| node.is(known::TABLE))?;
    let row = table.descendants().take(400).find(|node| node.is(known::TR))?;
    let mut heads = row.children().filter(is_cell);
    let head = heads.nth(number).filter(|head| head.is(known::TH))?;
    Some(visible_text_of(head))
}
