//! What is known of the columns of a table, and how they lie to each other.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};

use url::Url;

use super::author::{Names, authors, start_of};
use super::cell::Cell;
use super::column::{Column, Row, Table};
use super::cut::{Cut, cut};
use super::mass::Mass;
use super::neighbours::Neighbours;
use super::selector::{Leads, Part, Place, Selector};
use super::thread::{Title, titles};
use super::time::{Times, exactness, times};
use super::value::Values;
use crate::{Field, Kind, date};
use page::state::url::shape;

/// Rows that relations between two columns are read from.
const COMPARED: usize = 24;
/// Selectors of a field beyond the first.
const MAX_LATER: usize = 2;
/// What a value is worth that stands in another element of the same path.
const LIKEWISE: f64 = 0.6;
/// What a name is worth that stands elsewhere and only has a link of the same kind.
const ELSEWHERE: f64 = 0.3;
/// Characters of a word that introduces a value.
const MAX_LABEL: usize = 16;
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
    titles: OnceCell<Vec<Title>>,
    relations: RefCell<HashMap<(Relation, usize, usize), f64>>,
    /// Selectors that serve where another finds nothing; ways to read records have most of them in common.
    later: RefCell<HashMap<(Field, Selector), Vec<Selector>>>,
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
    pub(super) fields: BTreeMap<Field, First>,
    /// The columns that the fields are.
    pub(super) used: Vec<usize>,
    /// That of the content, if it is an element of its own.
    pub(super) content: Option<usize>,
    pub(super) score: f64,
}

/// The selector of a field.
#[derive(Clone)]
pub(super) struct First {
    selector: Selector,
    /// Its column, if records that it finds nothing in may have the field elsewhere.
    column: Option<usize>,
}

impl First {
    pub(super) fn of_column(column: usize, selector: Selector) -> Self {
        Self { selector, column: Some(column) }
    }

    pub(super) fn alone(selector: Selector) -> Self {
        Self { selector, column: None }
    }

    /// With the selectors that serve where it finds nothing.
    pub(super) fn and_later(&self, evidence: &Evidence<'_, '_>, field: Field) -> Vec<Selector> {
        match self.column {
            Some(column) => later(evidence, field, column, &self.selector),
            None => vec![self.selector.clone()],
        }
    }
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
            titles: OnceCell::new(),
            relations: RefCell::default(),
            later: RefCell::default(),
        };
        evidence.authors = authors(&evidence);
        evidence
    }

    /// What the texts of a column say.
    pub(super) fn text(&self, column: usize) -> Option<&Values> {
        let (of, known) = (self.columns.get(column)?, self.texts.get(column)?);
        let read = || known.get_or_init(|| Values::of(self.table, of, Part::Text));
        (of.place != Place::Record).then(read)
    }

    /// The columns that may be of titles, the likeliest first.
    pub(super) fn titles(&self) -> &[Title] {
        self.titles.get_or_init(|| titles(self))
    }

    /// Whether a column is the records themselves.
    pub(super) fn is_whole(&self, column: usize) -> bool {
        self.columns.get(column).is_some_and(|column| column.place == Place::Record)
    }

    /// The share of records in which the node of one column is in that of another, or is it.
    pub(super) fn inside(&self, outer: usize, inner: usize) -> f64 {
        self.related(Relation::Inside, outer, inner, |row, outer, inner| {
            f64::from(row.cells.holds(outer, inner))
        })
    }

    /// How two columns lie to each other that are of the same texts, or of which one is the whole record;
    /// none where that is for their cells to say.
    fn known(&self, relation: Relation, one: usize, other: usize) -> Option<f64> {
        let (a, b) = (self.columns.get(one)?, self.columns.get(other)?);
        match relation {
            Relation::Inside if a.place == Place::Record => Some(1.0),
            _ if b.place == Place::Record => Some(0.0),
            _ if a.place != b.place || a.cut == b.cut => None,
            Relation::Inside => a.cut.and(b.cut).map(|_| 0.0),
            Relation::Before => Some(f64::from(a.cut.map(Cut::place)? < b.cut.map(Cut::place)?)),
            Relation::Apart => None,
        }
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
        if let Some(known) = self.known(relation, one, other) {
            return known;
        }
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
fn later(
    evidence: &Evidence<'_, '_>,
    field: Field,
    column: usize,
    first: &Selector,
) -> Vec<Selector> {
    let key = (field, first.clone());
    if let Some(known) = evidence.later.borrow().get(&key) {
        return known.clone();
    }
    let selectors = found_later(evidence, field, column, first);
    evidence.later.borrow_mut().insert(key, selectors.clone());
    selectors
}

fn found_later(
    evidence: &Evidence<'_, '_>,
    field: Field,
    column: usize,
    first: &Selector,
) -> Vec<Selector> {
    let mut selectors = vec![first.clone()];
    let Some(primary) = evidence.columns.get(column) else { return selectors };
    let is_name = matches!(field, Field::Author | Field::LastAuthor);
    let mut first = first.clone();
    if is_name {
        first = first.leading(leads(evidence.table, primary));
        selectors = vec![first.clone()];
    }
    let mut missing: Vec<bool> = vec![true; primary.at.len()];
    for (row, _, cell) in evidence.table.cells_of(primary) {
        missing[row] = !says(evidence.table, row, cell, &first);
    }
    let told = Column {
        at: primary.at.iter().zip(&missing).map(|(at, missing)| at.filter(|_| !missing)).collect(),
        ..primary.clone()
    };
    let words = words_around(evidence.table, &told);
    while missing.contains(&true) && selectors.len() <= MAX_LATER {
        let mut columns = evidence.table.columns(|row| missing[row], 1);
        columns.extend(cut(evidence.table, &columns));
        let seats = places(evidence.table, &told, |cell| cell.seat);
        let paths = places(evidence.table, &told, |cell| cell.path);
        let starts = address_starts(evidence.table, &told);
        let fit = columns.iter().filter_map(|column| {
            let table = evidence.table;
            let near = if stands_there(table, column, &seats, |cell| cell.seat) {
                1.0
            } else if stands_there(table, column, &paths, |cell| cell.path) {
                LIKEWISE
            } else {
                (is_name && leads_there(table, column, &starts)).then_some(ELSEWHERE)?
            };
            let fits = !is_name || leads_nowhere_else(table, column, &first);
            (fits && excludes(table, column, &told)).then_some((near, column))
        });
        let fit = fit.filter_map(|(near, column)| {
            let (worth, selector) = alike(evidence.table, field, column, &first)?;
            let selector = match column.cut {
                Some(_) if is_name => selector.within(&words.0, &words.1),
                _ => selector,
            };
            Some((near * worth, selector, column))
        });
        let Some((_, selector, column)) = fit.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        for (row, _, cell) in evidence.table.cells_of(column) {
            missing[row] &= !says(evidence.table, row, cell, &selector);
        }
        selectors.push(selector);
    }
    selectors
}

/// The words that most texts of a column stand between, in the texts beside them.
fn words_around(table: &Table<'_>, column: &Column) -> (String, String) {
    let (mut before, mut after) = (HashMap::new(), HashMap::new());
    let mut all = 0;
    for (row, at, cell) in table.cells_of(column) {
        let Some(cells) = table.rows.get(row).map(|row| &row.cells.list) else { continue };
        let is_beside = |other: &&Cell<'_>| other.parent == cell.parent && !other.node.is_element();
        let text = |other: &Cell<'_>, cut: fn(usize) -> Cut| {
            let (text, dates) = (other.value()?, table.dates(row, other));
            let cut = cut(dates.len()).of(text, dates);
            Some(if dates.is_empty() { text } else { cut? }.trim().to_owned())
        };
        let last = |dates: usize| Cut::Piece(u8::try_from(dates).unwrap_or(u8::MAX));
        let left = cells.get(..at).and_then(|cells| cells.iter().rev().find(is_beside));
        let right = cells.get(cell.end..).and_then(|cells| cells.iter().find(is_beside));
        all += 1;
        *before.entry(left.and_then(|left| text(left, last))).or_insert(0) += 1;
        *after.entry(right.and_then(|right| text(right, |_| Cut::Piece(0)))).or_insert(0) += 1;
    }
    let most = |of: HashMap<Option<String>, usize>| {
        let words = of.into_iter().max_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
        let is_most = |(_, count): &(Option<String>, usize)| count * 10 >= all * 8;
        words.filter(is_most).and_then(|(words, _)| words).unwrap_or_default()
    };
    (most(before), most(after))
}

/// Whether a selector reads something from a cell.
fn says(table: &Table<'_>, row: usize, cell: &Cell<'_>, selector: &Selector) -> bool {
    match selector.part() {
        Part::Date => selector.stamp(cell, &table.order, table.captured(row)).is_some(),
        Part::Text | Part::Attribute(_) => {
            let Some(page) = table.rows.get(row).and_then(|row| table.page_of(row)) else {
                return false;
            };
            let fits = selector.fits(page.url, table.link(row, cell).as_ref());
            let says = |text: &str| !date::tells(text) || table.stamp(row, cell).is_none();
            let text = selector.text(cell, &table.order, page.captured);
            fits && text.as_deref().is_some_and(says)
        }
        _ => true,
    }
}

/// Whether all links of a column are of the kind that a selector leads to.
fn leads_nowhere_else(table: &Table<'_>, column: &Column, selector: &Selector) -> bool {
    table.cells_of(column).all(|(row, _, cell)| {
        let page = table.rows.get(row).and_then(|row| table.page_of(row));
        page.is_some_and(|page| selector.fits(page.url, table.link(row, cell).as_ref()))
    })
}

/// Where the names of a column lead to.
fn leads(table: &Table<'_>, column: &Column) -> Option<Leads> {
    let links: Vec<(&Url, Url)> = table
        .cells_of(column)
        .filter_map(|(row, _, cell)| {
            Some((table.page_of(table.rows.get(row)?)?.url, table.link(row, cell)?))
        })
        .collect();
    Leads::of(links.iter().map(|(page, link)| (*page, link)))
}

/// What a column is in: its parents, and those of its parents, each by one of its names.
fn places(table: &Table<'_>, column: &Column, name: fn(&Cell<'_>) -> u64) -> Vec<u64> {
    let mut places: Vec<u64> = table
        .cells_of(column)
        .filter_map(|(row, at, _)| Some((&table.rows.get(row)?.cells, at)))
        .flat_map(|(cells, at)| {
            let near = cells.above(at).take(2).filter_map(|at| Some(name(cells.get(at)?)));
            // What is in no element of its record is beside all else that is in none.
            near.chain(cells.above(at).next().is_none().then_some(0))
        })
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

fn stands_there(
    table: &Table<'_>,
    column: &Column,
    places: &[u64],
    name: fn(&Cell<'_>) -> u64,
) -> bool {
    table.cells_of(column).all(|(row, at, _)| {
        let cells = table.rows.get(row).map(|row| &row.cells);
        let parent = cells.and_then(|cells| cells.get(cells.above(at).next()?));
        places.binary_search(&parent.map_or(0, name)).is_ok()
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

/// Whether a place names nothing beside what a column has, in the records that have it: at most a word
/// that is the same in all of them.
fn excludes(table: &Table<'_>, other: &Column, column: &Column) -> bool {
    let mut label: Option<&str> = None;
    let is_other = table.cells_of(column).take(COMPARED).all(|(row, at, _)| {
        let Some(cells) = table.rows.get(row).map(|row| &row.cells) else { return false };
        let Some(other) = other.place.find(cells) else { return true };
        if cells.holds(other, at) || cells.holds(at, other) {
            return true;
        }
        let Some(text) = cells.get(other).and_then(Cell::value) else { return false };
        *label.get_or_insert(text) == text && text.chars().count() <= MAX_LABEL
    });
    let is_label = |text: Option<&str>| label.is_some() && text == label;
    is_other && !table.cells_of(other).any(|(_, _, cell)| is_label(cell.value()))
}

/// How well a column says the same kind of thing as a selector does, with one that reads it.
fn alike(
    table: &Table<'_>,
    field: Field,
    column: &Column,
    first: &Selector,
) -> Option<(f64, Selector)> {
    let place = column.place.clone();
    let (worth, selector) = match first.part() {
        Part::Date => {
            let share = super::author::dated(table, column);
            let exact = table.cells_of(column).filter_map(|(row, _, cell)| {
                Some(exactness(table.date_of(column, row, cell)?.moment.precision))
            });
            let exact = exact.sum::<f64>() / column.count.max(1) as f64;
            (share > 0.8)
                .then(|| (share * exact, Selector::new(place, Part::Date).cut(column.cut)))?
        }
        Part::Text if field == Field::Content => {
            let most = table.cells_of(column).all(|(row, _, cell)| {
                let whole = table.rows.get(row).map_or(0, |row| row.cells.length);
                cell.length() * 2 > whole && cell.node.is_element()
            });
            most.then(|| (1.0, Selector::new(place, Part::Text)))?
        }
        Part::Rest | Part::Link | Part::Number | Part::Count => return None,
        part @ (Part::Text | Part::Attribute(_)) => {
            let values = Values::of(table, column, part.clone());
            let plain = values.filled > 0
                && values.length <= MAX_PLAIN_NAME
                && values.share(values.letters) > 0.7
                && super::author::dated(table, column) < 0.3;
            plain.then_some((1.0 / (1.0 + values.length / 40.0), values.selector))?
        }
    };
    Some((worth * column.count as f64, selector))
}
