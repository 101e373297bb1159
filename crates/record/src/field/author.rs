//! Rule (2) of the paper: names are short, come again, and lead to the page of one person.

use std::collections::HashMap;

use super::cell::{Cell, Cells, tokens};
use super::column::{Column, Table};
use super::evidence::Evidence;
use super::neighbours::Neighbours;
use super::selector::{Part, Place};
use super::value::{Values, introduces_a_name};
use crate::date;
use page::state::url::shape;

/// Characters of a name: the mean, and the longest.
const MEAN_NAME: f64 = 32.0;
const LONGEST_NAME: usize = 80;
/// Names after which one should have come again.
const ENOUGH: usize = 12;
/// Names that must have come again before something else can be said to follow from them.
const MANY: usize = 4;
/// Characters that stand for a name where there is no picture of its owner.
const INITIALS: usize = 2;
/// Attributes of a column that are read as names.
const MAX_NAMING: usize = 4;
/// Candidates that are weighed against the other fields.
const MAX_CANDIDATES: usize = 8;
/// Words for people that sites put into the names of classes and addresses.
const PEOPLE: [&str; 10] = [
    "author", "byline", "user", "member", "poster", "profile", "nick", "people", "creator",
    "starter",
];
/// Attributes that name whom a picture shows, or a record belongs to.
const NAMING: [&str; 5] = ["title", "alt", "aria-label", "content", "data-author"];

/// A column that may be of names.
pub(super) struct Names {
    pub(super) column: usize,
    pub(super) values: Values,
    pub(super) score: f64,
}

/// The columns that may be of names, best first.
pub(super) fn authors(evidence: &Evidence<'_, '_>) -> Vec<Names> {
    let (table, around) = (evidence.table, evidence.around);
    let mut found = Vec::new();
    for (number, column) in evidence.columns.iter().enumerate() {
        for part in parts(table, column) {
            // Where a text says the same as an attribute, the text is what readers see.
            let (values, worth) = match part {
                Part::Text => (evidence.text(number).cloned(), 1.0),
                part => (Some(Values::of(table, column, part)), 0.9),
            };
            let Some(values) = values else { continue };
            if let Some(score) = score(table, column, &values, around) {
                found.push(Names { column: number, values, score: worth * score });
            }
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.column.cmp(&b.column)));
    let mut kept = distinct(found);
    let owned: Vec<bool> = kept.iter().map(|one| kept.iter().any(|who| is_of(one, who))).collect();
    for (names, owned) in kept.iter_mut().zip(owned) {
        names.score *= if owned { 0.6 } else { 1.0 };
    }
    kept.sort_by(|a, b| b.score.total_cmp(&a.score));
    kept.truncate(MAX_CANDIDATES);
    kept
}

/// Whether a column tells something of those that another names: their rank, where they live. It says the
/// same wherever the same name is, and of several names as well.
fn is_of(one: &Names, who: &Names) -> bool {
    if one.values.distinct >= who.values.distinct || who.values.repeated < MANY {
        return false;
    }
    let mut said: HashMap<&str, HashMap<Option<&str>, usize>> = HashMap::new();
    for (name, text) in who.values.texts.iter().zip(&one.values.texts) {
        if let Some(name) = name {
            *said.entry(name).or_default().entry(text.as_deref()).or_default() += 1;
        }
    }
    let (mut same, mut all) = (0, 0);
    for texts in said.values() {
        let count: usize = texts.values().sum();
        if count > 1 {
            all += count;
            same += texts.values().copied().max().unwrap_or(0);
        }
    }
    same * 20 >= all * 19
}

/// The text, or what attributes say where there is none, or only the first letter of a name in place of
/// a picture.
fn parts(table: &Table<'_>, column: &Column) -> Vec<Part> {
    let cells = || table.cells_of(column).map(|(_, _, cell)| cell);
    let Some(first) = cells().next().filter(|_| column.place != Place::Record) else {
        return Vec::new();
    };
    let longest = cells().map(Cell::length).max().unwrap_or(0);
    if longest > INITIALS || column.cut.is_some() {
        return vec![Part::Text];
    }
    let names = |name: &str, value: &str| {
        let says_whom = name.starts_with("data-") && is_of_people(name);
        !value.is_empty() && (NAMING.contains(&name) || says_whom)
    };
    let naming = first.node.attributes().filter(|(name, value)| names(name, value));
    let naming = naming.map(|(name, _)| Part::Attribute(name.into())).take(MAX_NAMING);
    naming.chain((longest > 0).then_some(Part::Text)).collect()
}

fn is_of_people(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    PEOPLE.iter().any(|person| word.contains(person))
}

/// The share of values with a number first that makes no names of them.
const COUNTED: f64 = 0.8;

fn score(table: &Table<'_>, column: &Column, of: &Values, around: &Neighbours) -> Option<f64> {
    let rows = table.rows.len();
    let coverage = of.filled as f64 / rows as f64;
    let short = of.length <= MEAN_NAME && of.longest <= LONGEST_NAME;
    let written = of.share(of.letters) >= 0.7 && of.share(of.numbers) < 0.6 && !counts(of);
    let is_label = |text: &&String| text.ends_with([':', '：']);
    let labels = of.texts.iter().flatten().filter(is_label).count();
    if labels * 2 > of.filled {
        return None;
    }
    // The names of a whole forum are not of one letter: initials are.
    if of.length < 1.5 && of.filled > 2 {
        return None;
    }
    if answers(table, of, around) * 2 > of.filled {
        return None;
    }
    let dated = told_as_dates(table, column);
    if coverage < 0.3 || !short || !written || dated > 0.3 {
        return None;
    }
    let linked = of.linked() as f64 / of.filled as f64;
    // "Reply", "Quote": one text for many addresses, or for none at all.
    if of.distinct == 1 && of.filled > 2 && of.addresses() != 1 {
        return None;
    }
    if of.distinct == 1 && of.filled > 2 && table.pages.len() > 3 {
        return None;
    }
    let link = match linked > 0.3 {
        true => {
            let faithful = of.one_to_one();
            // "Reply", "Report": few words for many addresses.
            if faithful < 0.2 && of.filled > 3 {
                return None;
            }
            linked * faithful * people_page(table, of, around)
        }
        false => 0.0,
    };
    // Names come again; titles do not. Few records say little about it.
    let again = (of.share(of.repeated) * of.filled as f64 + 1.0) / (of.filled as f64 + 2.0);
    // Ranks and places are shared by many: of columns that come again the one with more values.
    let variety = (of.distinct as f64).ln_1p() / (of.filled as f64).ln_1p();
    let dominance = 1.0 - of.share(of.commonest);
    let hint = hint(table, column, of);
    let unheard = if of.filled >= ENOUGH && of.share(of.repeated) < 0.05 { 0.5 } else { 1.0 };
    let sum = 0.38 * link + 0.2 * again + 0.14 * variety.min(1.0) + 0.08 * dominance + 0.2 * hint;
    // A name with a rank below it is the name, where that has an element of its own.
    let steady = table.steady(column);
    // What is missing somewhere can be looked for elsewhere; what is another's there is wrong.
    Some(
        coverage
            * steady.powi(2)
            * sum
            * unheard
            * (1.0 - dated)
            * (0.8 + 0.2 * plain(table, column)),
    )
}

/// How many values are the title of their page with something before it ("Re: …").
fn answers(table: &Table<'_>, of: &Values, around: &Neighbours) -> usize {
    let is_answer = |text: &str, title: &String| {
        let before = text.strip_suffix(title.trim()).filter(|before| before.len() < text.len());
        before.is_some_and(|before| before.ends_with(|c: char| !c.is_alphanumeric()))
    };
    let titles = table
        .rows
        .iter()
        .map(|row| table.page_of(row).map_or(&[][..], |page| around.titles(page.url)));
    let texts = of.texts.iter().zip(titles);
    texts
        .filter(|(text, titles)| {
            text.as_ref().is_some_and(|text| titles.iter().any(|title| is_answer(text, title)))
        })
        .count()
}

/// Whether nearly all values begin with a number: "3 readers, 12 answers", "14 hours, 52 minutes".
fn counts(of: &Values) -> bool {
    let begins = |text: &&String| {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < text.len() && rest.starts_with(char::is_whitespace)
    };
    let counted = of.texts.iter().flatten().filter(begins).count();
    counted as f64 > COUNTED * of.filled as f64
}

/// The share of cells with one text in them, or none.
fn plain(table: &Table<'_>, column: &Column) -> f64 {
    let plain = table.cells_of(column).filter(|(row, _, cell)| {
        let runs = table.rows.get(*row).map_or(&[][..], |row| &row.cells.runs);
        let from = runs.partition_point(|run| run.from < cell.text.0);
        let to = runs.partition_point(|run| run.from < cell.text.1);
        to - from <= 1
    });
    plain.count() as f64 / column.count.max(1) as f64
}

/// The share of cells whose text is a date: that of a name may have one in a title beside it.
fn told_as_dates(table: &Table<'_>, column: &Column) -> f64 {
    let is_date = |row: usize, cell: &Cell<'_>| {
        let captured = table.rows.get(row).and_then(|row| table.page_of(row)?.captured);
        let tells =
            |text: &str| date::tells(text) || date::find(text, &table.order, captured).is_some();
        table.date_of(column, row, cell).is_some()
            && cell.value().is_none_or(|text| text.is_empty() || tells(text))
    };
    let dated = table.cells_of(column).filter(|(row, _, cell)| is_date(*row, cell));
    dated.count() as f64 / column.count.max(1) as f64
}

/// The share of cells that tell a date.
pub(super) fn dated(table: &Table<'_>, column: &Column) -> f64 {
    let dated =
        table.cells_of(column).filter(|(row, _, cell)| table.date_of(column, *row, cell).is_some());
    dated.count() as f64 / column.count.max(1) as f64
}

/// How far the links look like those to people: all of one pattern, and not back to pages of this type.
fn people_page(table: &Table<'_>, of: &Values, around: &Neighbours) -> f64 {
    let mut shapes: HashMap<String, usize> = HashMap::new();
    let (mut known, mut own, mut inside) = (0, 0, 0);
    for (row, link) in table.rows.iter().zip(&of.links) {
        let (Some(link), Some(page)) = (link, table.page_of(row)) else { continue };
        *shapes.entry(shape(link)).or_default() += 1;
        let same_page = link.path() == page.url.path() && link.query() == page.url.query();
        inside += usize::from(same_page || !link.scheme().starts_with("http"));
        if let (Some(there), Some(here)) = (around.page_type(link), around.page_type(page.url)) {
            known += 1;
            own += usize::from(there == here);
        }
    }
    let links: usize = shapes.values().sum::<usize>().max(1);
    let mut starts: HashMap<&str, usize> = HashMap::new();
    for (shape, count) in &shapes {
        *starts.entry(start_of(shape)).or_default() += count;
    }
    let alike = starts.values().copied().max().unwrap_or(0) as f64 / links as f64;
    let elsewhere = 1.0 - inside as f64 / links as f64;
    let other_type = if known > 0 { 1.0 - own as f64 / known as f64 } else { 1.0 };
    alike * elsewhere * other_type
}

/// The pattern of an address without its last part: names without a number make patterns of their own.
/// An address with a query is told by what it asks for.
pub(super) fn start_of(shape: &str) -> &str {
    if shape.contains('?') {
        return shape;
    }
    let shape = shape.trim_end_matches('/');
    shape.rsplit_once('/').map_or(shape, |(start, _)| start)
}

/// Whether the site says that a column names people, by a word or by a link to each of them.
pub(super) fn is_told_of_people(table: &Table<'_>, column: &Column, of: &Values) -> bool {
    hint(table, column, of) > 0.0 || of.selector.label().is_some_and(introduces_a_name)
}

/// Whether the site uses a word for people here: in a class of the node or close above it, or in the
/// address.
fn hint(table: &Table<'_>, column: &Column, of: &Values) -> f64 {
    let in_address = of.links.iter().flatten().next().is_some_and(|link| {
        is_of_people(link.path()) || is_of_people(link.query().unwrap_or_default())
    });
    let marked = table
        .cells_of(column)
        .next()
        .is_some_and(|(row, at, _)| table.rows.get(row).is_some_and(|row| marked(&row.cells, at)));
    0.5 * f64::from(in_address) + 0.5 * f64::from(marked)
}

fn marked(cells: &Cells<'_>, at: usize) -> bool {
    let near = std::iter::once(at).chain(cells.above(at).take(2));
    let nodes = near.filter_map(|at| cells.get(at)).filter(|cell| cell.parent.is_some());
    nodes.flat_map(|cell| tokens(cell.node)).any(|(_, token)| is_of_people(token))
}

/// The best of those that say the same: of nested elements, one.
fn distinct(found: Vec<Names>) -> Vec<Names> {
    let mut kept: Vec<Names> = Vec::new();
    for names in found {
        let known = kept.iter().any(|other| {
            other.values.texts == names.values.texts
                && other.values.selector.part() == names.values.selector.part()
        });
        if !known && kept.len() < 2 * MAX_CANDIDATES {
            kept.push(names);
        }
    }
    kept
}
