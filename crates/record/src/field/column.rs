//! The columns of a table of records: sets of nodes, at most one of each record, that one name holds for.
//!
//! A record is not cut into columns once and for all. Every name that selects a node (its path, a token
//! of it or of an element above it, its number from the start or from the end) is tried over all
//! records; names that select the same nodes are one column, called by the name that is likeliest to
//! hold on pages that were not seen.

use std::collections::HashMap;

use url::Url;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::cell::{Cell, Cells, Mark, Stamp, step_name, tokens};
use super::cut::{Cut, Dated};
use super::selector::{Place, Token};
use crate::date;

/// Columns at most; a record has some ten that matter.
const MAX_COLUMNS: usize = 3_000;
/// Like nodes of a record that are told apart from the start, and from the end.
const FROM_START: usize = 6;
const FROM_END: usize = 2;
/// How far above a node an element may be that it is named by, and how many of those are tried.
const MAX_UP: usize = 6;
const MARKED_ABOVE: usize = 2;

/// Steps of a name: fields are not deeper than that in their record, and names are many.
const MAX_STEPS: usize = 48;

/// A record among others.
pub(super) struct Row<'a> {
    /// Which page it is on.
    pub(super) page: usize,
    pub(super) cells: Cells<'a>,
}

/// The page of some rows.
pub(super) struct Page<'a> {
    pub(super) url: &'a Url,
    /// What its links are relative to.
    pub(super) base: Url,
    pub(super) captured: Option<i64>,
}

/// All records that are learned from.
pub(super) struct Table<'a> {
    pub(super) pages: Vec<Page<'a>>,
    pub(super) rows: Vec<Row<'a>>,
    pub(super) order: date::Order,
}

/// One node of each of some records.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) place: Place,
    /// Its cell in each row.
    pub(super) at: Vec<Option<u32>>,
    /// Rows that have it.
    pub(super) count: usize,
    /// Which part of the texts is meant, where they have several fields in them.
    pub(super) cut: Option<Cut>,
}

impl<'a> Table<'a> {
    pub(super) fn page_of(&self, row: &Row<'_>) -> Option<&Page<'a>> {
        self.pages.get(row.page)
    }

    /// The rows that a column is in, each with its number and the cell.
    pub(super) fn cells_of<'t>(
        &'t self,
        column: &'t Column,
    ) -> impl Iterator<Item = (usize, usize, &'t Cell<'a>)> {
        let cells = self.rows.iter().zip(&column.at).enumerate();
        cells.filter_map(|(row, (of, at))| {
            let at = (*at)? as usize;
            Some((row, at, of.cells.get(at)?))
        })
    }

    /// When the page of a row was captured.
    pub(super) fn captured(&self, row: usize) -> Option<i64> {
        self.rows.get(row).and_then(|row| self.page_of(row))?.captured
    }

    /// The date in a cell.
    pub(super) fn stamp<'t>(&'t self, row: usize, cell: &'t Cell<'a>) -> Option<&'t Stamp> {
        let captured = self.rows.get(row).and_then(|row| self.page_of(row))?.captured;
        cell.stamp(&self.order, captured)
    }

    /// All dates in the text of a cell.
    pub(super) fn dates<'t>(&'t self, row: usize, cell: &'t Cell<'a>) -> &'t [Dated] {
        let page = self.rows.get(row).and_then(|row| self.page_of(row));
        cell.dates(&self.order, page.and_then(|page| page.captured))
    }

    /// The date that a column has in a cell of it.
    pub(super) fn date_of<'t>(
        &'t self,
        column: &Column,
        row: usize,
        cell: &'t Cell<'a>,
    ) -> Option<&'t Stamp> {
        match column.cut {
            None => self.stamp(row, cell),
            Some(Cut::Date(at)) => Some(&self.dates(row, cell).get(usize::from(at))?.stamp),
            Some(Cut::Piece(_)) => None,
        }
    }

    /// The records themselves, where they are runs of nodes with no element around each.
    pub(super) fn whole(&self) -> Option<Column> {
        let tops = |row: &Row<'_>| row.cells.list.iter().filter(|of| of.parent.is_none()).count();
        let runs = self.rows.iter().filter(|row| tops(row) > 1).count();
        let at = self.rows.iter().map(|row| (!row.cells.list.is_empty()).then_some(0)).collect();
        let place = Place::Record;
        (runs * 2 > self.rows.len()).then_some(Column {
            place,
            at,
            count: self.rows.len(),
            cut: None,
        })
    }

    /// The address that a cell links to.
    pub(super) fn link(&self, row: usize, cell: &Cell<'_>) -> Option<Url> {
        let base = &self.rows.get(row).and_then(|row| self.page_of(row))?.base;
        super::link_of(cell.node, base)
    }

    /// All columns that at least so many rows have, those of all rows first.
    pub(super) fn columns(&self, within: impl Fn(usize) -> bool, least: usize) -> Vec<Column> {
        let rows: Vec<usize> = (0..self.rows.len()).filter(|row| within(*row)).collect();
        let mut names = Names::default();
        let mut scratch = Vec::new();
        for row in &rows {
            keys(&self.rows[*row].cells, &mut scratch);
            names.count(&mut scratch, *row);
        }
        let mut found: HashMap<(u64, i16), Found> = HashMap::new();
        for row in &rows {
            keys(&self.rows[*row].cells, &mut scratch);
            scratch.retain(|key| names.rows(key.name) >= least);
            scratch.sort_unstable_by_key(|key| (key.name, key.cell));
            for alike in scratch.chunk_by(|a, b| a.name == b.name) {
                let first = alike.iter().take(FROM_START).zip(0_i16..);
                let last = alike.iter().rev().take(FROM_END).zip(1_i16..).map(|(key, n)| (key, -n));
                for (key, nth) in first.chain(last) {
                    let known = found.len() < MAX_COLUMNS * 8;
                    match found.get_mut(&(key.name, nth)) {
                        Some(column) => column.add(*row, key, alike.len()),
                        None if known => {
                            let mut column = Found::new(key, nth);
                            column.add(*row, key, alike.len());
                            found.insert((key.name, nth), column);
                        }
                        None => {}
                    }
                }
            }
        }
        self.named(found, least)
    }

    /// One column for each set of nodes, by its best name.
    fn named(&self, found: HashMap<(u64, i16), Found>, least: usize) -> Vec<Column> {
        let mut sets: HashMap<(u64, usize), ((u64, i16), Found)> = HashMap::new();
        for (name, column) in found {
            if column.at.len() < least {
                continue;
            }
            let rank = |name: (u64, i16), of: &Found| (of.rank, of.alike / of.at.len(), name);
            match sets.entry((column.sum, column.at.len())) {
                std::collections::hash_map::Entry::Vacant(free) => {
                    free.insert((name, column));
                }
                std::collections::hash_map::Entry::Occupied(mut taken) => {
                    if rank(name, &column) < rank(taken.get().0, &taken.get().1) {
                        taken.insert((name, column));
                    }
                }
            }
        }
        let mut columns: Vec<_> = sets.into_values().collect();
        // By what they select, so that the order does not depend on the hashing.
        columns.sort_by(|(one, a), (other, b)| {
            b.at.len().cmp(&a.at.len()).then_with(|| a.at.cmp(&b.at)).then(one.cmp(other))
        });
        columns.truncate(MAX_COLUMNS);
        columns.into_iter().filter_map(|(_, found)| self.column(&found)).collect()
    }

    fn column(&self, found: &Found) -> Option<Column> {
        let mut at = vec![None; self.rows.len()];
        for (row, cell) in &found.at {
            *at.get_mut(*row as usize)? = Some(*cell);
        }
        Some(Column { place: self.place(found)?, at, count: found.at.len(), cut: None })
    }

    /// How many nodes of a record look like that of a column and are like it in another way, too, itself
    /// counted, on the mean.
    pub(super) fn alike(
        &self,
        column: &Column,
        is_like: impl Fn(usize, &Cell<'_>, &Cell<'_>) -> bool,
    ) -> f64 {
        let mut all = 0;
        for (row, at, cell) in self.cells_of(column) {
            let others = self.rows[row].cells.list.iter().enumerate().filter(|(other, of)| {
                of.look == cell.look
                    && *other != at
                    && of.node.is_element() == cell.node.is_element()
            });
            // Texts of one element look alike whatever they say.
            let others = others.filter(|(_, of)| of.node.is_element() || of.parent != cell.parent);
            all += 1 + others.filter(|(_, of)| is_like(row, cell, of)).count();
        }
        all as f64 / column.count.max(1) as f64
    }

    /// The share of the cells of a column that are in like elements: counted from the end, the last link
    /// of a record is sometimes that of another field.
    pub(super) fn steady(&self, column: &Column) -> f64 {
        let mut seats: HashMap<u64, usize> = HashMap::new();
        let mut steps: HashMap<u64, usize> = HashMap::new();
        for (row, _, cell) in self.cells_of(column) {
            let cells = self.rows.get(row).map(|row| &row.cells);
            let above = cell.parent.and_then(|parent| cells?.get(parent));
            *seats.entry(above.map_or(0, |above| above.seat)).or_default() += 1;
            *steps.entry(above.map_or(0, |above| above.steps)).or_default() += 1;
        }
        let most = seats.values().chain(steps.values()).copied().max().unwrap_or(0);
        most as f64 / column.count.max(1) as f64
    }

    fn place(&self, found: &Found) -> Option<Place> {
        let (row, at) = found.at.first()?;
        let (cells, at) = (&self.rows.get(*row as usize)?.cells, *at as usize);
        let mut chain: Vec<usize> = std::iter::once(at).chain(cells.above(at)).collect();
        chain.reverse();
        let nodes = chain.iter().filter_map(|at| Some(cells.get(*at)?.node));
        if found.how == How::Steps {
            let steps = chain.iter().map(|at| number_of(cells, *at));
            return Some(Place::Steps(
                nodes.map(|node| step_name(node).into()).zip(steps).collect(),
            ));
        }
        let token = match found.how {
            How::Token { up, mark, number } => {
                let marked = chain.get(chain.len().checked_sub(1 + usize::from(up))?)?;
                let (_, value) = tokens(cells.get(*marked)?.node).nth(usize::from(number))?;
                Some(Token { up, attribute: mark.into(), value: value.into() })
            }
            _ => None,
        };
        let path = nodes.map(|node| step_name(node).into()).collect();
        Some(Place::Among { path, token, nth: found.nth })
    }
}

/// The number of a cell among its like siblings, from 1.
fn number_of(cells: &Cells<'_>, at: usize) -> u16 {
    let Some(cell) = cells.get(at) else { return 1 };
    let from = cell.parent.map_or(0, |parent| parent + 1);
    let like = cells.list.get(from..=at).unwrap_or_default().iter();
    let like = like.filter(|other| other.parent == cell.parent && other.path == cell.path);
    u16::try_from(like.count()).unwrap_or(u16::MAX)
}

/// A name that holds for a cell.
#[derive(Clone, Copy)]
struct Key {
    name: u64,
    cell: u32,
    how: How,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Path,
    Steps,
    Token { up: u8, mark: Mark, number: u8 },
}

impl How {
    /// The better names come first: what the site calls a thing itself outlives its place.
    fn rank(self, nth: i16) -> u8 {
        let rank = match self {
            How::Token { up: 0, mark: Mark::Itemprop, .. } => 0,
            How::Token { up: 0, mark: Mark::Class, .. } => 1,
            How::Token { up: 0, mark: Mark::Rel, .. } => 2,
            How::Token { up, .. } => 2 + up,
            How::Steps => 7,
            How::Path => 8,
        };
        let number = match nth {
            0 => 0,
            1.. => 4,
            _ => 3,
        };
        rank + number
    }
}

struct Found {
    how: How,
    nth: i16,
    rank: u8,
    at: Vec<(u32, u32)>,
    /// Of all its nodes, in any order: equal sets have equal sums.
    sum: u64,
    alike: usize,
}

impl Found {
    fn new(key: &Key, nth: i16) -> Self {
        Found { how: key.how, nth, rank: key.how.rank(nth), at: Vec::new(), sum: 0, alike: 0 }
    }

    fn add(&mut self, row: usize, key: &Key, alike: usize) {
        let row = row as u32;
        let place = (u64::from(row) << 32) | u64::from(key.cell);
        self.sum = self.sum.wrapping_add(xxh3_64(&place.to_le_bytes()));
        self.at.push((row, key.cell));
        self.alike += alike;
    }
}

/// In how many rows each name occurs.
#[derive(Default)]
struct Names(HashMap<u64, (usize, usize)>);

impl Names {
    fn count(&mut self, keys: &mut [Key], row: usize) {
        for key in keys {
            let (rows, last) = self.0.entry(key.name).or_insert((0, usize::MAX));
            if *last != row {
                (*rows, *last) = (*rows + 1, row);
            }
        }
    }

    fn rows(&self, name: u64) -> usize {
        self.0.get(&name).map_or(0, |(rows, _)| *rows)
    }
}

/// All names of all cells of a record.
fn keys(cells: &Cells<'_>, keys: &mut Vec<Key>) {
    keys.clear();
    let named = cells.list.iter().enumerate().filter(|(_, cell)| cell.depth < MAX_STEPS);
    for (at, cell) in named {
        let (id, steps) = (at as u32, cell.steps.rotate_left(32));
        keys.push(Key { name: cell.path, cell: id, how: How::Path });
        keys.push(Key { name: steps, cell: id, how: How::Steps });
        let own = cell.node.is_element().then_some((at, 0));
        let above = cells.above(at).zip(1_u8..).take(MAX_UP);
        let marked = above.filter(|(at, _)| {
            cells
                .get(*at)
                .is_some_and(|cell| cell.parent.is_some() && tokens(cell.node).next().is_some())
        });
        for (at, up) in own.into_iter().chain(marked.take(MARKED_ABOVE)) {
            let Some(of) = cells.get(at) else { continue };
            for ((mark, value), number) in tokens(of.node).zip(0_u8..) {
                let seed = cell.path ^ (u64::from(up) << 8 | mark as u64);
                let name = xxh3_64_with_seed(value.as_bytes(), seed);
                keys.push(Key { name, cell: id, how: How::Token { up, mark, number } });
            }
        }
    }
}
