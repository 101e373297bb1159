//! Items: a product, a search result, the row of a table, what a page lists of others.
//!
//! Whatever is repeated and is not what people say to each other has a title, perhaps a text, a date
//! and somebody who made it, and columns with names (`other`).

use std::collections::BTreeMap;

use super::author::{dated, is_told_of_people};
use super::other::is_leaf;
use super::post::bodies;
use super::selector::{Part, Selector};
use super::value::Values;
use super::{Choice, Evidence, First};
use crate::{Field, Kind};
use page::tree::Node;
use page::tree::names::known;

/// What a title that is no link is worth: a heading, and the first text that differs.
const HEADING: f64 = 0.6;
const FIRST: f64 = 0.4;
/// The share of records that have a title, and of titles that no other record has.
const NAMED: f64 = 0.8;
/// Free characters of a text about an item, on the mean.
const TEXT: f64 = 40.0;
/// What is left of the score of items: what people say to each other is told by more than that, and who
/// is not told to be said by somebody is an item all the same (`listing`).
const ANYTHING: f64 = 0.8;
/// How well a column reads as dates, and as names, to be taken for them.
const DATES: f64 = 0.3;
const NAMES: f64 = 0.3;

/// The best way to read the records as items.
pub(super) fn items(evidence: &Evidence<'_, '_>) -> Option<Choice> {
    let (title, score) = title(evidence)?;
    let is_beside = |column: usize| {
        evidence.inside(title, column) < 0.2 && evidence.inside(column, title) < 0.2
    };
    let mut fields: BTreeMap<Field, First> = BTreeMap::new();
    let place = evidence.columns.get(title)?.place.clone();
    let called = Selector::new(place.clone(), Part::Text);
    fields.insert(Field::Title, First::of_column(title, called));
    if evidence.text(title).is_some_and(|values| values.linked() * 2 > values.filled) {
        fields.insert(Field::Permalink, First::alone(Selector::new(place, Part::Link)));
    }
    let mut used = vec![title];
    let mut score = 0.45 * score;
    let mut times = evidence.times.iter().filter(|times| times.score >= DATES);
    if let Some(times) = times.find(|times| is_beside(times.column)) {
        let place = evidence.columns.get(times.column)?.place.clone();
        let first = Selector::new(place, Part::Date);
        fields.insert(Field::Time, First::of_column(times.column, first));
        used.push(times.column);
        score += 0.1 * times.score;
    }
    let mut names = evidence.authors.iter().filter(|names| {
        let column = evidence.columns.get(names.column);
        let is_told = |column| is_told_of_people(evidence.table, column, &names.values);
        names.score >= NAMES && column.is_some_and(is_told) && is_beside(names.column)
    });
    if let Some(names) = names.next() {
        let first = names.values.selector.clone();
        fields.insert(Field::Author, First::of_column(names.column, first));
        used.push(names.column);
        score += 0.1 * names.score;
    }
    // A price and a stock level are columns; a text is what nothing else is in.
    let about = bodies(evidence.table, evidence.columns, evidence.mass);
    let about = about.into_iter().find(|body| {
        let is_apart = used.iter().all(|column| evidence.inside(body.column, *column) < 0.2);
        body.held.mean >= TEXT && body.held.linked < 0.5 && is_apart
    });
    if let Some(body) = &about {
        let place = evidence.columns.get(body.column)?.place.clone();
        let first = Selector::new(place, Part::Text);
        fields.insert(Field::Content, First::of_column(body.column, first));
        score += 0.1 * body.score;
    }
    let content = about.map(|body| body.column);
    Some(Choice { kind: Kind::Item, fields, used, content, score: ANYTHING * score })
}

/// What the records are called, and how surely: by a link of their own, by a heading, else by their first
/// text that is other in nearly every one.
fn title(evidence: &Evidence<'_, '_>) -> Option<(usize, f64)> {
    let linked = evidence.titles().first().map(|title| (title.column, title.score));
    let own = || {
        let rows = evidence.table.rows.len() as f64;
        let named = evidence.columns.iter().enumerate().filter(|(number, column)| {
            let is_name = |values: &Values| {
                values.filled as f64 >= NAMED * rows
                    && values.distinct as f64 >= NAMED * values.filled as f64
                    && values.share(values.letters) >= NAMED
            };
            evidence.text(*number).is_some_and(is_name)
                && is_leaf(evidence, column)
                && dated(evidence.table, column) < 0.2
        });
        let placed = named.filter_map(|(number, column)| {
            let (_, at, cell) = evidence.table.cells_of(column).next()?;
            Some((!is_heading(cell.node), at, number))
        });
        let (is_text, _, number) = placed.min()?;
        Some((number, if is_text { FIRST } else { HEADING }))
    };
    match linked {
        Some((column, score)) if score >= FIRST => Some((column, score)),
        linked => own().into_iter().chain(linked).max_by(|a, b| a.1.total_cmp(&b.1)),
    }
}

fn is_heading(node: Node<'_>) -> bool {
    let is_head = |node: Node<'_>| {
        let heads = [
            known::H1,
            known::H2,
            known::H3,
            known::H4,
            known::H5,
            known::H6,
            known::DT,
            known::TH,
        ];
        node.name_id().is_some_and(|name| heads.contains(&name))
    };
    is_head(node) || node.ancestors().take(2).any(is_head)
}
