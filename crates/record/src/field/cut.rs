//! Several fields in one text: "Started by Ann on 3 May 2026. 12 answers, the last on 5 May 2026".
//!
//! Dates are what such a text is cut at. What stands between two of them is a field if it differs from
//! record to record, without the words that do not: those are learned as of any other column.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::cell::{Cell, Stamp};
use super::column::{Column, Table};
use crate::date;

/// Dates of a text that are told apart.
const MAX_DATES: usize = 4;
/// The share of records with a text that must have as many dates in it as most have.
const SHARE: f64 = 0.6;
/// Letters and figures beside the dates of a text that may be a field.
const LEAST: usize = 2;

/// A part of a text that has dates in it, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Cut {
    /// What stands before a date, and after the one before that.
    Piece(u8),
    /// A date.
    Date(u8),
}

/// A date within a text, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Dated {
    pub(super) range: Range<usize>,
    pub(super) stamp: Stamp,
}

impl Cut {
    /// What it is of a text with these dates.
    pub(super) fn of<'t>(self, text: &'t str, dates: &[Dated]) -> Option<&'t str> {
        let end_of = |at: usize| dates.get(at).map(|dated| dated.range.end);
        match self {
            Cut::Date(at) => text.get(dates.get(usize::from(at))?.range.clone()),
            Cut::Piece(0) => text.get(..dates.first()?.range.start),
            Cut::Piece(at) => {
                let at = usize::from(at);
                let end = dates.get(at).map_or(text.len(), |next| next.range.start);
                text.get(end_of(at - 1)?..end)
            }
        }
    }

    /// Where it stands among the others of its text.
    pub(super) fn place(self) -> usize {
        match self {
            Cut::Piece(at) => 2 * usize::from(at),
            Cut::Date(at) => 2 * usize::from(at) + 1,
        }
    }
}

/// The dates within a text, in order.
pub(super) fn dates(text: &str, order: &date::Order, captured: Option<i64>) -> Vec<Dated> {
    let mut found: Vec<Dated> = Vec::new();
    let mut from = 0;
    while let Some(rest) = text.get(from..).filter(|_| found.len() < MAX_DATES) {
        let Some((range, moment)) = date::find(rest, order, captured) else { break };
        let range = from + range.start..from + range.end;
        from = range.end.max(from + 1);
        let Some(shown) = text.get(range.clone()) else { break };
        let stamp = Stamp { moment, is_known: true, text: shown.to_owned(), alone: false };
        found.push(Dated { range, stamp });
    }
    found
}

/// The columns that columns of texts with dates in them are cut into.
pub(super) fn cut(table: &Table<'_>, columns: &[Column]) -> Vec<Column> {
    columns.iter().flat_map(|column| cut_one(table, column)).collect()
}

fn cut_one(table: &Table<'_>, column: &Column) -> Vec<Column> {
    let mut counts = [0usize; MAX_DATES + 1];
    let (mut texts, mut beside) = (0usize, 0usize);
    for (row, at, cell) in table.cells_of(column) {
        if !is_one_text(table, row, at, cell) {
            return Vec::new();
        }
        let dates = table.dates(row, cell);
        texts += 1;
        if let Some(count) = counts.get_mut(dates.len()) {
            *count += 1;
        }
        beside += usize::from(says_more(cell, dates));
    }
    let most = (1..=MAX_DATES).max_by_key(|dates| counts.get(*dates).copied().unwrap_or(0));
    let Some(dates) = most else { return Vec::new() };
    let enough = |count: usize| count as f64 >= SHARE * texts as f64 && count > 1;
    if !enough(counts.get(dates).copied().unwrap_or(0)) || !enough(beside) {
        return Vec::new();
    }
    let last = u8::try_from(dates).unwrap_or(u8::MAX);
    let cuts = (0..=last).map(Cut::Piece).chain((0..last).map(Cut::Date));
    let of = |cut: Cut| {
        let has = |row: usize, at: u32| {
            let cell = table.rows.get(row)?.cells.get(at as usize)?;
            let dates_there = table.dates(row, cell);
            let text = cut.of(cell.value()?, dates_there).filter(|_| dates_there.len() == dates)?;
            text.contains(char::is_alphanumeric).then_some(at)
        };
        let at: Vec<Option<u32>> =
            column.at.iter().enumerate().map(|(row, at)| has(row, (*at)?)).collect();
        let count = at.iter().flatten().count();
        (count > 0).then(|| Column { place: column.place.clone(), at, count, cut: Some(cut) })
    };
    cuts.filter_map(of).collect()
}

/// Whether a cell is one text and nothing else.
fn is_one_text(table: &Table<'_>, row: usize, at: usize, cell: &Cell<'_>) -> bool {
    let below = || table.rows.get(row).and_then(|row| row.cells.list.get(at + 1..cell.end));
    cell.value().is_some() && (!cell.node.is_element() || below().is_some_and(<[_]>::is_empty))
}

/// Whether there is more in a text than dates.
fn says_more(cell: &Cell<'_>, dates: &[Dated]) -> bool {
    let text = cell.value().unwrap_or_default();
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let dated = dates.iter().filter_map(|dated| text.get(dated.range.clone())).map(letters);
    letters(text) >= LEAST + dated.sum::<usize>()
}
