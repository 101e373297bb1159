//! What is known of the columns of a table, and how they lie to each other.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};

use super::author::{Names, authors, start_of};
use super::column::{Column, Row, Table};
use super::mass::Mass;
use super::neighbours::Neighbours;
use super::selector::{Part, Selector};
use super::time::{Times, times};
use super::value::Values;
use crate::record::{Field, Kind};
use crate::state::url::shape;

/// Rows that relations between two columns are read from.
const COMPARED: usize = 24;
/// Selectors of a field beyond the first.
const MAX_LATER: usize = 2;
/// Characters of a name that has no link.
const MAX_PLAIN_NAME: f64 = 40.0;

/// All that the choice of fields goes by.
pub(super) struct Evidence<'t, 'a> {
    pub(super) table: &'t Table<'a>,
    pub(super) columns: &'t [Column],
    pub(super) mass: &'t Mass,
    pub(super) around: &'t Neighbours,
    pub(super) authors: Vec<Names>,
    pub(super) times: Vec<Times>,
    texts: Vec<OnceCell<Values>>,
    relations: RefCell<HashMap<(Relation, usize, usize), f64>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Relation {
    Inside,
    Apart,
    Before,
}

/// One way to read the records.
pub(super) struct Choice {
    pub(super) kind: Kind,
    pub(super) fields: BTreeMap<Field, Vec<Selector>>,
    /// The columns that the fields are.
    pub(super) used: Vec<usize>,
    /// That of the content, if it is an element of its own.
    pub(super) content: Option<usize>,
    pub(super) score: f64,
}

impl<'t, 'a> Evidence<'t, 'a> {
    pub(super) fn of(
        table: &'t Table<'a>,
        columns: &'t [Column],
        mass: &'t Mass,
        around: &'t Neighbours,
    ) -> Self {
        let mut evidence = Evidence {
            table,
            columns,
            mass,
            around,
            authors: Vec::new(),
            times: times(table, columns),
            texts: columns.iter().map(|_| OnceCell::new()).collect(),
            relations: RefCell::default(),
        };
        evidence.authors = authors(&evidence);
        evidence
    }

    /// What the texts of a column say.
    pub(super) fn text(&self, column: usize) -> Option<&Values> {
        let (of, known) = (self.columns.get(column)?, self.texts.get(column)?);
        Some(known.get_or_init(|| Values::of(self.table, of, Part::Text)))
    }

    /// The share of records in which the node of one column is in that of another, or is it.
    pub(super) fn inside(&self, outer: usize, inner: usize) -> f64 {
        self.related(Relation::Inside, outer, inner, |row, outer, inner| {
            f64::from(row.cells.holds(outer, inner))
        })
    }

    /// From 0 where two columns are side by side to 1 where only the whole record holds both.
    pub(super) fn apart(&self, one: usize, other: usize) -> f64 {
        self.related(Relation::Apart, one, other, |row, one, other| {
            let way = |from: usize, to: usize| {
                let depth = row.cells.above(from).count().max(1);
                (row.cells.apart(from, to) as f64 / depth as f64).min(1.0)
            };
            way(one, other).max(way(other, one))
        })
    }

    /// The share of records in which one column comes before another.
    pub(super) fn before(&self, one: usize, other: usize) -> f64 {
        self.related(Relation::Before, one, other, |_, one, other| f64::from(one < other))
    }

    fn related(
        &self,
        relation: Relation,
        one: usize,
        other: usize,
        of: impl Fn(&Row<'a>, usize, usize) -> f64,
    ) -> f64 {
        let key = (relation, one, other);
        if let Some(known) = self.relations.borrow().get(&key) {
            return *known;
        }
        let (Some(a), Some(b)) = (self.columns.get(one), self.columns.get(other)) else {
            return 0.0;
        };
        let rows = self.table.rows.iter().zip(a.at.iter().zip(&b.at));
        let both = rows.filter_map(|(row, (a, b))| Some((row, (*a)? as usize, (*b)? as usize)));
        let (mut sum, mut count) = (0.0, 0.0);
        for (row, a, b) in both.take(COMPARED) {
            sum += of(row, a, b);
            count += 1.0;
        }
        let share = if count > 0.0 { sum / count } else { 0.0 };
        self.relations.borrow_mut().insert(key, share);
        share
    }
}

/// A selector, and those that serve the records that it finds nothing in: a guest's name stands where
/// members have a link.
pub(super) fn later(
    evidence: &Evidence<'_, '_>,
    field: Field,
    column: usize,
    first: &Selector,
) -> Vec<Selector> {
    let mut selectors = vec![first.clone()];
    let Some(primary) = evidence.columns.get(column) else { return selectors };
    let is_name = matches!(field, Field::Author | Field::LastAuthor);
    let mut missing: Vec<bool> = primary.at.iter().map(Option::is_none).collect();
    while missing.contains(&true) && selectors.len() <= MAX_LATER {
        let columns = evidence.table.columns(|row| missing[row], 1);
        let places = places(evidence.table, primary);
        let starts = address_starts(evidence.table, primary);
        let fit = columns.iter().filter(|column| {
            let leads = || leads_there(evidence.table, column, &starts);
            stands_there(evidence.table, column, &places) || (is_name && leads())
        });
        let fit = fit.filter(|column| excludes(evidence.table, &column.place, primary));
        let fit = fit.filter_map(|column| alike(evidence.table, field, column, first));
        let Some((_, selector, at)) = fit.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        for (missing, at) in missing.iter_mut().zip(&at) {
            *missing &= at.is_none();
        }
        selectors.push(selector);
    }
    selectors
}

/// The paths of what a column is in: its parents, and those of its parents.
fn places(table: &Table<'_>, column: &Column) -> Vec<u64> {
    let mut places: Vec<u64> = table
        .cells_of(column)
        .filter_map(|(row, at, _)| Some((&table.rows.get(row)?.cells, at)))
        .flat_map(|(cells, at)| cells.above(at).take(2).filter_map(|at| Some(cells.get(at)?.path)))
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

fn stands_there(table: &Table<'_>, column: &Column, places: &[u64]) -> bool {
    table.cells_of(column).all(|(row, at, _)| {
        let cells = table.rows.get(row).map(|row| &row.cells);
        let parent = cells.and_then(|cells| cells.get(cells.above(at).next()?));
        parent.is_some_and(|parent| places.binary_search(&parent.path).is_ok())
    })
}

/// What the addresses that a column leads to begin with; nothing if it has no links.
fn address_starts(table: &Table<'_>, column: &Column) -> Vec<String> {
    let links = table.cells_of(column).filter_map(|(row, _, cell)| table.link(row, cell));
    let mut starts: Vec<String> = links.map(|link| start_of(&shape(&link)).to_owned()).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// The first post of a thread may be laid out like no other: its author is who has a link of the same
/// kind.
fn leads_there(table: &Table<'_>, column: &Column, starts: &[String]) -> bool {
    table.cells_of(column).all(|(row, _, cell)| {
        let start = table.link(row, cell).map(|link| start_of(&shape(&link)).to_owned());
        start.is_some_and(|start| starts.contains(&start))
    })
}

/// Whether a place names nothing beside what a column has, in the records that have it.
fn excludes(table: &Table<'_>, place: &super::selector::Place, column: &Column) -> bool {
    table.cells_of(column).take(COMPARED).all(|(row, at, _)| {
        let Some(cells) = table.rows.get(row).map(|row| &row.cells) else { return false };
        let other = place.find(cells);
        other.is_none_or(|other| cells.holds(other, at) || cells.holds(at, other))
    })
}

/// How well a column says the same kind of thing as a selector does, with one that reads it.
fn alike(
    table: &Table<'_>,
    field: Field,
    column: &Column,
    first: &Selector,
) -> Option<(f64, Selector, Vec<Option<u32>>)> {
    let place = column.place.clone();
    let (worth, selector) = match first.part() {
        Part::Date => {
            let share = super::author::dated(table, column);
            (share > 0.8).then(|| (share, Selector::new(place, Part::Date)))?
        }
        Part::Text if field == Field::Content => {
            let most = table.cells_of(column).all(|(row, _, cell)| {
                let whole = table.rows.get(row).map_or(0, |row| row.cells.length);
                cell.length() * 2 > whole && cell.node.is_element()
            });
            most.then(|| (1.0, Selector::new(place, Part::Text)))?
        }
        Part::Rest | Part::Link | Part::Number => return None,
        Part::Text | Part::Attribute(_) => {
            let values = Values::of(table, column, Part::Text);
            let plain = values.filled > 0
                && values.length <= MAX_PLAIN_NAME
                && values.share(values.letters) > 0.7
                && super::author::dated(table, column) < 0.3;
            plain.then_some((1.0 / (1.0 + values.length / 40.0), values.selector))?
        }
    };
    Some((worth * column.count as f64, selector, column.at.clone()))
}
