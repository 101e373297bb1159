//! Posts: author, time and content of a record, solved together.
//!
//! Rule (4) of the paper: content is the bulk of the free text, and holds neither author nor time. So
//! none of the three can be chosen alone: a date within the content is no candidate for the time, and
//! an element that holds the time is none for the content.

use std::collections::BTreeMap;

use super::author::{Names, is_told_of_people};
use super::column::{Column, Table};
use super::mass::{Held, Mass};
use super::selector::{Part, Place, Selector};
use super::time::{Times, by_author};
use super::{Choice, Evidence, First, permalink};
use crate::{Field, Kind};

/// Assignments that are given.
const MAX_CHOICES: usize = 3;
/// Candidates for the content that are weighed.
const MAX_CONTENTS: usize = 10;
/// Free characters of a post, on the mean, that make it one beyond doubt.
const FREE: f64 = 40.0;

/// Free characters that make a post also of a record without author and time.
const LONG: f64 = 120.0;
/// Names after which one should have come again, or be told to be one, and what is left of the score
/// otherwise.
const ENOUGH_NAMES: usize = 4;
const TITLED: f64 = 0.6;
/// Characters of a date.
const SHORT_DATE: usize = 32;

pub(super) struct Body {
    pub(super) column: usize,
    pub(super) held: Held,
    pub(super) score: f64,
    /// Elements in it that are a date and nothing else, in a record, on the mean: posts, perhaps.
    dates: f64,
    /// Elements that look like it and are about as long, itself counted.
    alike: f64,
}

/// The best ways to read the records as posts.
pub(super) fn posts(evidence: &Evidence<'_, '_>) -> Vec<Choice> {
    let Evidence { table, columns, mass, authors, times, .. } = evidence;
    let bodies = bodies(table, columns, mass);
    let mut found: Vec<(f64, Post<'_>)> = Vec::new();
    for body in bodies.iter().map(Some).chain([None]) {
        for author in authors.iter().map(Some).chain([None]) {
            for time in times.iter().map(Some).chain([None]) {
                let post = Post { body, author, time };
                if post.is_one() {
                    found.push((post.score(evidence), post));
                }
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MAX_CHOICES);
    found.into_iter().map(|(score, post)| post.choice(evidence, score)).collect()
}

/// The elements that hold much of the free text, best first.
pub(super) fn bodies(table: &Table<'_>, columns: &[Column], mass: &Mass) -> Vec<Body> {
    let mut bodies: Vec<Body> = Vec::new();
    for (number, column) in columns.iter().enumerate() {
        let coverage = column.count as f64 / table.rows.len() as f64;
        // A text beside others is a part of the content at most.
        let is_text = table.cells_of(column).any(|(_, _, cell)| !cell.node.is_element());
        let is_whole = column.place == Place::Record;
        if coverage < 0.5 || (is_text && !is_whole) || column.cut.is_some() {
            continue;
        }
        let held = mass.held(table, column);
        // Lists of links are no text, however much of them there is.
        let prose = (1.2 - held.linked).clamp(0.2, 1.0);
        // The whole record is its content only if nothing in it is.
        let whole = is_whole || column.at.iter().flatten().all(|at| *at == 0);
        let part = if whole { 0.75 } else { 1.0 };
        let score = held.recall * (0.7 + 0.3 * held.purity) * prose * part * coverage.sqrt();
        if score > 0.1 {
            bodies.push(Body { column: number, held, score, dates: 0.0, alike: 1.0 });
        }
    }
    bodies.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.column.cmp(&a.column)));
    // The deepest of equal ones comes last in the document; columns are in document order.
    bodies.truncate(MAX_CONTENTS);
    for body in &mut bodies {
        let Some(column) = columns.get(body.column) else { continue };
        body.dates = dates_in(table, column);
        body.alike = table.alike(column, |_, one, other| other.length() * 3 > one.length());
    }
    bodies
}

/// How many elements in a column are dates and nothing else, on the mean.
fn dates_in(table: &Table<'_>, column: &Column) -> f64 {
    let mut dates = 0;
    for (row, at, cell) in table.cells_of(column) {
        let Some(of) = table.rows.get(row) else { continue };
        let mut inner = at + 1;
        while let Some(below) = of.cells.get(inner).filter(|_| inner < cell.end) {
            let short = (1..=SHORT_DATE).contains(&below.length()) && below.node.is_element();
            let is_date = short && table.stamp(row, below).is_some_and(|stamp| stamp.alone);
            dates += usize::from(is_date);
            inner = if is_date { below.end } else { inner + 1 };
        }
    }
    dates as f64 / column.count.max(1) as f64
}

#[derive(Clone, Copy)]
struct Post<'e> {
    body: Option<&'e Body>,
    author: Option<&'e Names>,
    time: Option<&'e Times>,
}

impl Post<'_> {
    /// Whether somebody said it, or said it at some time, or said much.
    fn is_one(&self) -> bool {
        let says =
            |body: &Body| self.author.is_some() || self.time.is_some() || body.held.mean > LONG;
        self.body.is_some_and(says)
    }

    fn score(&self, evidence: &Evidence<'_, '_>) -> f64 {
        let table = evidence.table;
        let mut score = 0.0;
        // Of a run of nodes nothing shows that it is one, but that it says when it was written.
        let is_run = |body: &Body| evidence.is_whole(body.column);
        if self.body.is_some_and(is_run) && self.time.is_none() {
            return 0.0;
        }
        if let Some(body) = self.body {
            let inside = |column: usize| evidence.inside(body.column, column);
            let broken = self
                .author
                .map_or(0.0, |names| inside(names.column))
                .max(self.time.map_or(0.0, |times| inside(times.column)));
            let size = (body.held.mean / FREE).min(1.0);
            // What holds author or time may still be all there is: its other texts are the content then.
            score += 0.4 * body.score * (0.4 + 0.6 * size) * (1.0 - 0.45 * broken);
        }
        if let Some(names) = self.author {
            score += 0.3 * names.score.min(1.0);
        }
        if let Some(times) = self.time {
            let joined = self.author.map_or(0.0, |names| by_author(&names.values.texts, &times.at));
            let filled = times.filled as f64 / table.rows.len() as f64;
            let up = if joined > 0.6 { -0.6 } else { 0.0 };
            score += 0.3 * (times.score + up).min(1.0) * filled;
        }
        score * self.single(evidence) * self.signed(evidence)
    }

    /// Below 1 where the author is rather what the record is called: a link to a place of its own that
    /// comes only once, and nothing says that it names people.
    fn signed(&self, evidence: &Evidence<'_, '_>) -> f64 {
        let is_title = self.author.is_some_and(|names| {
            let (values, column) = (&names.values, evidence.columns.get(names.column));
            let is_told = |column| is_told_of_people(evidence.table, column, values);
            values.filled >= ENOUGH_NAMES
                && values.repeated == 0
                && values.addresses() == values.filled
                && !column.is_some_and(is_told)
        });
        if is_title { TITLED } else { 1.0 }
    }

    /// Below 1 where a record holds several of all that it should hold once: it is several records.
    fn single(&self, evidence: &Evidence<'_, '_>) -> f64 {
        let alike = [self.body.map(|body| body.alike), self.time.map(|times| times.alike)];
        let most = alike.into_iter().flatten().reduce(f64::min).unwrap_or(1.0);
        let dates = self.body.map_or(0.0, |body| {
            let own = self.time.map_or(0.0, |times| evidence.inside(body.column, times.column));
            (body.dates - own).clamp(0.0, 4.0)
        });
        1.0 / (1.0 + 0.5 * (most - 1.0).clamp(0.0, 4.0) + 0.2 * dates)
    }

    fn choice(&self, evidence: &Evidence<'_, '_>, score: f64) -> Choice {
        let mut fields: BTreeMap<Field, First> = BTreeMap::new();
        let mut columns = Vec::new();
        if let Some(names) = self.author {
            let first = names.values.selector.clone();
            fields.insert(Field::Author, First::of_column(names.column, first));
            columns.push(names.column);
        }
        if let Some(times) = self.time {
            let column = &evidence.columns[times.column];
            let first = Selector::new(column.place.clone(), Part::Date).cut(column.cut);
            fields.insert(Field::Time, First::of_column(times.column, first));
            columns.push(times.column);
        }
        let (mut inside, mut is_open) = (None, false);
        if let Some(body) = self.body {
            let broken = columns.iter().any(|column| evidence.inside(body.column, *column) > 0.2);
            is_open = broken;
            let place = evidence.columns[body.column].place.clone();
            let part = if broken || place == Place::Record { Part::Rest } else { Part::Text };
            let first = Selector::new(place, part);
            fields.insert(Field::Content, First::of_column(body.column, first));
            inside = Some(body.column);
        }
        let closed = inside.filter(|_| !is_open);
        if let Some(link) = permalink::of_post(evidence, closed) {
            fields.insert(Field::Permalink, First::alone(link));
        }
        if let Some(position) = permalink::position(evidence, closed) {
            fields.insert(Field::Position, First::alone(position));
        }
        Choice { kind: Kind::Post, fields, used: columns, content: inside, score }
    }
}
