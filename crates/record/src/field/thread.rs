//! Rows of a list of threads: title, who began it and when, who wrote last and when, how many replies.
//!
//! Rule (1) of the paper finds the title. Two names and two dates in a row are then told apart by what
//! must hold: what belongs together is in one cell, nothing is answered before it is begun, and lists
//! are sorted by the last answer.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::author::Names;
use super::cell::{Cell, tokens};
use super::selector::{Part, Place, Selector};
use super::time::Times;
use super::value::{Values, has_digit, number_in};
use super::{Choice, Evidence, First, permalink};
use crate::{Field, Kind};
use page::state::url::shape;
use page::tree::Node;
use page::tree::names::known;

/// Candidates that are weighed.
const MAX_TITLES: usize = 4;
const MAX_EACH: usize = 5;
/// Assignments that are given.
const MAX_CHOICES: usize = 4;
/// Counts beyond the likeliest that are given, and what is left of the score with one.
const MAX_COUNTS: usize = 2;
const SECOND: f64 = 0.999;
/// Characters of a count with the words around it.
const LONGEST_COUNT: usize = 32;
/// The share of counts that must be in like elements.
const STEADY: f64 = 0.95;
/// What the larger languages of the Web call answers, in texts and in the names of classes.
const ANSWERS: [&str; 16] = [
    "repl",
    "answer",
    "comment",
    "antwort",
    "kommentar",
    "répons",
    "commentaire",
    "respuesta",
    "resposta",
    "rispost",
    "ответ",
    "回复",
    "回覆",
    "返信",
    "답글",
    "댓글",
];

/// A column that may be of titles.
pub(super) struct Title {
    pub(super) column: usize,
    pub(super) values: Values,
    pub(super) score: f64,
    /// Links of a record that look like it and lead elsewhere, itself counted, on the mean.
    pub(super) alike: f64,
}

/// The best ways to read the records as rows of a list.
pub(super) fn threads(evidence: &Evidence<'_, '_>) -> Vec<Choice> {
    let titles = evidence.titles();
    let mut found: Vec<(f64, Row<'_>)> = Vec::new();
    let authors = &evidence.authors[..evidence.authors.len().min(MAX_EACH)];
    let times = &evidence.times[..evidence.times.len().min(MAX_EACH)];
    for title in titles {
        let rows = Pairs { evidence, title };
        let has_links = authors.iter().any(|names| names.values.linked() * 2 > names.values.filled);
        let is_other = |names: &&Names| {
            let is_no_name = has_links && is_label(&names.values);
            !is_no_name && !same_links(&names.values, &title.values)
        };
        let authors: Vec<&Names> = authors.iter().filter(is_other).collect();
        let names = || authors.iter().copied().map(Some).chain([None]);
        let dates = || times.iter().map(Some).chain([None]);
        for author in names() {
            for last_author in names() {
                for time in dates() {
                    for last_time in dates() {
                        let row = Row { title, author, time, last_author, last_time };
                        if let Some(score) = rows.score(&row) {
                            found.push((score, row));
                        }
                    }
                }
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MAX_CHOICES);
    let mut choices: Vec<Choice> = Vec::new();
    for (at, (score, row)) in found.into_iter().enumerate() {
        let counts = if at == 0 { usize::MAX } else { 1 };
        choices.extend(row.choices(evidence, score).into_iter().take(counts));
    }
    choices
}

/// Whether values are nearly all one word that leads nowhere: beside names that lead to people it is none.
fn is_label(of: &Values) -> bool {
    of.linked() == 0 && of.filled > 2 && of.commonest * 10 > of.filled * 8
}

/// Whether two columns mostly lead to the same places, or say the same.
fn same_links(one: &Values, other: &Values) -> bool {
    let says = one.texts.iter().zip(&other.texts).filter(|(a, b)| a.is_some() && a == b).count();
    let leads = one.links.iter().zip(&other.links).filter(|(a, b)| a.is_some() && a == b).count();
    says.max(leads) * 3 > one.filled
}

/// Links with distinct addresses and texts to pages of another type.
pub(super) fn titles(evidence: &Evidence<'_, '_>) -> Vec<Title> {
    let mut found: Vec<Title> = Vec::new();
    for (number, column) in evidence.columns.iter().enumerate() {
        let is_whole = column.cut.is_none() && column.place != Place::Record;
        if !is_whole || (column.count as f64) < 0.6 * evidence.table.rows.len() as f64 {
            continue;
        }
        let values = Values::whole(evidence.table, column);
        if let Some(score) = title_score(evidence, number, &values) {
            found.push(Title { column: number, values, score, alike: 1.0 });
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.column.cmp(&b.column)));
    let mut kept: Vec<Title> = Vec::new();
    for title in found {
        if kept.len() < MAX_TITLES
            && !kept.iter().any(|other| other.values.texts == title.values.texts)
        {
            kept.push(title);
        }
    }
    for title in &mut kept {
        let leads = |row: usize, cell: &Cell<'_>| evidence.table.link(row, cell);
        let is_other = |row: usize, one: &Cell<'_>, other: &Cell<'_>| {
            other.length() > 0
                && leads(row, other).is_some()
                && leads(row, one) != leads(row, other)
        };
        title.alike = evidence.table.alike(&evidence.columns[title.column], is_other);
    }
    kept
}

fn title_score(evidence: &Evidence<'_, '_>, number: usize, of: &Values) -> Option<f64> {
    let table = evidence.table;
    let column = evidence.columns.get(number)?;
    let rows = table.rows.len() as f64;
    let linked = of.linked() as f64 / rows;
    let in_link = |node: Node<'_>| {
        node.is(known::A) || node.ancestors().take(3).any(|above| above.is(known::A))
    };
    if table.cells_of(column).any(|(_, _, cell)| !in_link(cell.node)) {
        return None;
    }
    if linked < 0.5 || of.share(of.letters) < 0.6 || of.share(of.numbers) > 0.5 {
        return None;
    }
    let mut pages: HashMap<usize, (usize, HashSet<&str>, HashSet<&str>)> = HashMap::new();
    let mut patterns: HashMap<_, usize> = HashMap::new();
    let (mut known, mut told, mut back) = (0, 0, 0);
    for ((row, text), link) in table.rows.iter().zip(&of.texts).zip(&of.links) {
        let (Some(text), Some(link), Some(page)) = (text, link, table.page_of(row)) else {
            continue;
        };
        let (count, texts, addresses) = pages.entry(row.page).or_default();
        *count += 1;
        texts.insert(text);
        addresses.insert(link.as_str());
        let query = link.query().map(|_| shape(link).rsplit('?').next().map(str::to_owned));
        *patterns.entry((link.path().split('/').count(), query)).or_default() += 1;
        let titles = evidence.around.titles(link);
        known += usize::from(!titles.is_empty());
        told += usize::from(titles.iter().any(|title| tells(title, text)));
        let here = link.path() == page.url.path() && link.query() == page.url.query();
        let alike = evidence.around.page_type(link).zip(evidence.around.page_type(page.url));
        back += usize::from(here || alike.is_some_and(|(there, here)| there == here));
    }
    let all: usize = pages.values().map(|(count, ..)| count).sum();
    let texts: usize = pages.values().map(|(_, texts, _)| texts.len()).sum();
    let addresses: usize = pages.values().map(|(.., addresses)| addresses.len()).sum();
    let share = |count: usize| count as f64 / all.max(1) as f64;
    let one_pattern = share(patterns.values().copied().max().unwrap_or(0));
    if share(addresses) < 0.7 || share(back) > 0.5 {
        return None;
    }
    let distinct = share(texts) * share(addresses) * (0.4 + 0.6 * one_pattern);
    let undated = 1.0 - super::author::dated(table, column);
    let long = (of.length / 12.0).min(1.0);
    let held = evidence.mass.held(table, column);
    let mut score =
        linked * distinct * undated * (0.4 + 0.3 * long + 0.3 * (held.recall / 0.35).min(1.0));
    if known >= 2 {
        score *= 0.4 + 0.6 * told as f64 / known as f64;
    }
    // A title comes once on a site. A name comes again, on this page or another.
    score *= 1.0 - 0.6 * of.share(of.filled - of.distinct);
    Some(score)
}

/// Whether what a page calls itself holds a text, case and spacing apart.
fn tells(title: &str, text: &str) -> bool {
    let plain = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    let text = plain(text);
    !text.is_empty() && plain(title).contains(&text)
}

#[derive(Clone, Copy)]
struct Row<'e> {
    title: &'e Title,
    author: Option<&'e Names>,
    time: Option<&'e Times>,
    last_author: Option<&'e Names>,
    last_time: Option<&'e Times>,
}

/// What must hold between the fields of a row.
struct Pairs<'e, 't, 'a> {
    evidence: &'e Evidence<'t, 'a>,
    title: &'e Title,
}

impl Pairs<'_, '_, '_> {
    fn score(&self, row: &Row<'_>) -> Option<f64> {
        let same = |a: Option<usize>, b: Option<usize>| a.is_some() && a == b;
        let (author, last_author) =
            (row.author.map(|of| of.column), row.last_author.map(|of| of.column));
        let (time, last_time) = (row.time.map(|of| of.column), row.last_time.map(|of| of.column));
        if same(author, last_author) || same(time, last_time) || self.repeats(row) {
            return None;
        }
        // Not every thread has an answer, and nothing is answered that nobody began.
        let filled = |names: &Names| names.values.filled;
        let is_rarer = |first: Option<usize>, last: Option<usize>| {
            first.zip(last).is_some_and(|(first, last)| first * 10 < last * 8)
        };
        if is_rarer(row.author.map(filled), row.last_author.map(filled))
            || is_rarer(row.time.map(|of| of.filled), row.last_time.map(|of| of.filled))
        {
            return None;
        }
        let mut score = 0.45 * row.title.score;
        score += 0.13 * row.author.map_or(0.0, |of| of.score)
            + 0.11 * row.last_author.map_or(0.0, |of| of.score);
        score += 0.1 * row.time.map_or(0.0, |of| of.score)
            + 0.12 * row.last_time.map_or(0.0, |of| of.score);
        // Sorted by the last answer; what is sorted is hardly the beginning.
        score += 0.06 * row.last_time.map_or(0.0, |of| of.down.max(of.up) - 0.75);
        if let (Some(first), Some(last)) = (row.time, row.last_time) {
            score += 0.15 * (order(&first.at, &last.at) - 0.75);
            score -= 0.03 * (first.down.max(first.up) - last.down.max(last.up)).max(0.0);
        }
        let near = |a: Option<usize>, b: Option<usize>| self.near(a, b);
        score += 0.04 * near(author, time) + 0.04 * near(last_author, last_time);
        score -= 0.04 * near(author, last_time) + 0.04 * near(last_author, time);
        let title = Some(self.title.column);
        score += 0.03 * near(author, title) + 0.015 * near(time, title);
        score -= 0.03 * near(last_author, title) + 0.015 * near(last_time, title);
        score += 0.02 * self.before(author, last_author) + 0.02 * self.before(time, last_time);
        // A record that holds several of all that it should hold once is several records.
        let times = [row.time, row.last_time].into_iter().flatten().map(|of| of.alike);
        let once = times.fold(row.title.alike, f64::min);
        Some(score / (1.0 + 0.5 * (once - 1.0).clamp(0.0, 4.0)))
    }

    /// Whether two columns are one: the one in the other, or both saying the same in all rows.
    fn repeats(&self, row: &Row<'_>) -> bool {
        let nested = |a: usize, b: usize| {
            self.evidence.inside(a, b) > 0.2 || self.evidence.inside(b, a) > 0.2
        };
        let times = row.time.zip(row.last_time).is_some_and(|(first, last)| {
            nested(first.column, last.column) || same_times(&first.at, &last.at)
        });
        let names = row.author.zip(row.last_author).is_some_and(|(first, last)| {
            nested(first.column, last.column) || first.values.texts == last.values.texts
        });
        times || names
    }

    /// From 1 where two fields are side by side to 0 where only the whole record holds both.
    fn near(&self, a: Option<usize>, b: Option<usize>) -> f64 {
        let (Some(a), Some(b)) = (a, b) else { return 0.0 };
        1.0 - self.evidence.apart(a, b)
    }

    fn before(&self, a: Option<usize>, b: Option<usize>) -> f64 {
        let (Some(a), Some(b)) = (a, b) else { return 0.0 };
        2.0 * self.evidence.before(a, b) - 1.0
    }
}

/// Whether two columns tell the same time wherever both tell one.
fn same_times(one: &[Option<i64>], other: &[Option<i64>]) -> bool {
    let mut both = one.iter().zip(other).filter(|(a, b)| a.is_some() && b.is_some()).peekable();
    both.peek().is_some() && both.all(|(a, b)| a == b)
}

/// The share of rows whose second time is not before the first.
fn order(first: &[Option<i64>], last: &[Option<i64>]) -> f64 {
    let both = first.iter().zip(last).filter_map(|(first, last)| Some((((*first)?), (*last)?)));
    let (mut all, mut right) = (0.0, 0.0);
    for (first, last) in both {
        all += 1.0;
        right += f64::from(first <= last);
    }
    if all > 0.0 { right / all } else { 0.0 }
}

impl Row<'_> {
    /// The row as it is read best, and with other counts of answers, which only the threads can tell from
    /// it.
    fn choices(&self, evidence: &Evidence<'_, '_>, score: f64) -> Vec<Choice> {
        let mut fields: BTreeMap<Field, First> = BTreeMap::new();
        let mut used = vec![self.title.column];
        let first = self.title.values.selector.clone();
        fields.insert(Field::Title, First::of_column(self.title.column, first));
        let names = [(Field::Author, self.author), (Field::LastAuthor, self.last_author)];
        for (field, names) in names.into_iter().filter_map(|(field, of)| Some((field, of?))) {
            fields.insert(field, First::of_column(names.column, names.values.selector.clone()));
            used.push(names.column);
        }
        let times = [(Field::Time, self.time), (Field::LastTime, self.last_time)];
        for (field, times) in times.into_iter().filter_map(|(field, of)| Some((field, of?))) {
            let column = &evidence.columns[times.column];
            let first = Selector::new(column.place.clone(), Part::Date).cut(column.cut);
            fields.insert(field, First::of_column(times.column, first));
            used.push(times.column);
        }
        let place = evidence.columns[self.title.column].place.clone();
        fields.insert(Field::Permalink, First::alone(Selector::new(place, Part::Link)));
        let mut counts = replies(evidence, self.title, &used).into_iter();
        let first = counts.next();
        used.extend(first.as_ref().map(|(column, _)| *column));
        if let Some((column, board)) = permalink::board(evidence, &used) {
            fields.insert(Field::Board, First::alone(board));
            used.push(column);
        }
        let with = |count: Option<(usize, Selector)>, score: f64| {
            let (mut fields, mut used) = (fields.clone(), used.clone());
            if let Some((column, selector)) = count {
                fields.insert(Field::Replies, First::alone(selector));
                used.push(column);
            }
            Choice { kind: Kind::Thread, fields, used, content: None, score }
        };
        let mut choices = vec![with(first, score)];
        choices.extend(counts.take(MAX_COUNTS).map(|count| with(Some(count), score * SECOND)));
        choices
    }
}

/// The columns that may count answers, the likeliest first: what says so, what leads to the thread, and
/// of the others the one that no other is below, since whoever answers has looked at the thread.
fn replies(evidence: &Evidence<'_, '_>, title: &Title, used: &[usize]) -> Vec<(usize, Selector)> {
    let table = evidence.table;
    let mut counts: Vec<Count> = Vec::new();
    for (number, column) in evidence.columns.iter().enumerate() {
        let taken = used.iter().any(|used| evidence.inside(*used, number) > 0.0);
        if taken || (column.count as f64) < 0.7 * table.rows.len() as f64 {
            continue;
        }
        let Some(values) = evidence.text(number) else { continue };
        let Some(part) = part_of_count(values) else { continue };
        let is_link_to_pages = values.linked() * 2 > values.filled && values.distinct < 3;
        let dated = super::author::dated(table, column) > 0.5;
        let unsteady = table.steady(column) < STEADY;
        if dated
            || is_link_to_pages
            || unsteady
            || values.distinct < 2
            || is_position(table, &values.texts)
        {
            continue;
        }
        let read = |text: &Option<String>| match text.as_deref() {
            Some(text) if part == Part::Count && !has_digit(text) => Some(0),
            text => number_in(text?),
        };
        let numbers: Vec<Option<u64>> = values.texts.iter().map(read).collect();
        let leads = values.links.iter().zip(&title.values.links);
        let leads = leads.filter(|(link, title)| link.is_some() && link == title).count();
        let clues = usize::from(says_answers(evidence, number, values))
            + usize::from(leads * 2 > values.filled);
        match counts.iter_mut().find(|other| other.numbers == numbers) {
            Some(same) => same.clues = same.clues.max(clues),
            None => {
                let selector = values.selector.of_part(part);
                counts.push(Count { column: number, selector, numbers, clues });
            }
        }
    }
    let below = |one: &[Option<u64>], other: &[Option<u64>]| {
        let pairs: Vec<_> =
            one.iter().zip(other).filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
        pairs.iter().filter(|(a, b)| a <= b).count() * 10 >= pairs.len() * 9
    };
    let wins: Vec<usize> = counts
        .iter()
        .map(|one| {
            let others = counts.iter().filter(|other| other.column != one.column);
            others.filter(|other| below(&one.numbers, &other.numbers)).count()
        })
        .collect();
    let mut ranked: Vec<(Count, usize)> = counts.into_iter().zip(wins).collect();
    ranked.sort_by_key(|(count, wins)| Reverse((count.clues, *wins, Reverse(count.column))));
    ranked.into_iter().map(|(count, _)| (count.column, count.selector)).collect()
}

/// A column of numbers.
struct Count {
    column: usize,
    selector: Selector,
    numbers: Vec<Option<u64>>,
    /// What speaks for answers.
    clues: usize,
}

/// Whether values are counts: numbers, or numbers with words and one text for none ("12 replies", "be the
/// first").
fn part_of_count(values: &Values) -> Option<Part> {
    if values.longest > LONGEST_COUNT {
        return None;
    }
    let numbers = values.share(values.numbers);
    if numbers > 0.9 {
        return Some(Part::Number);
    }
    let texts = values.texts.iter().flatten();
    let (counted, silent): (Vec<&String>, Vec<&String>) = texts.partition(|text| has_digit(text));
    let worded = counted.iter().filter(|text| text.chars().any(char::is_alphabetic)).count();
    let one = silent.iter().collect::<HashSet<_>>().len() == 1;
    let read = counted.len() == values.numbers && worded == counted.len();
    match one && read && numbers > 0.3 {
        true => Some(Part::Count),
        // Some of the lists have something else there.
        false => (numbers > 0.7).then_some(Part::Number),
    }
}

/// Whether a column is called answers: in its texts or those of its element, or by its class.
fn says_answers(evidence: &Evidence<'_, '_>, number: usize, values: &Values) -> bool {
    let says = |text: &str| {
        let text = text.to_lowercase();
        ANSWERS.iter().any(|word| text.contains(word))
    };
    let Some(column) = evidence.columns.get(number) else { return false };
    let first = evidence.table.cells_of(column).next();
    let marked = first.is_some_and(|(row, at, _)| {
        let Some(cells) = evidence.table.rows.get(row).map(|row| &row.cells) else { return false };
        let near = std::iter::once(at).chain(cells.above(at).take(1));
        let near = near.filter_map(|at| cells.get(at)).filter(|cell| cell.parent.is_some());
        near.into_iter().any(|cell| {
            let titled = cell.node.attribute("title").is_some_and(says);
            let short = cell.value().is_some_and(|text| text.len() <= LONGEST_COUNT && says(text));
            titled || short || tokens(cell.node).any(|(_, token)| says(token))
        })
    });
    marked || values.selector.label().is_some_and(says) || values.selector.unit().is_some_and(says)
}

/// Whether numbers count the records themselves.
pub(super) fn is_position(table: &super::column::Table<'_>, texts: &[Option<String>]) -> bool {
    let (mut pairs, mut next) = (0, 0);
    let rows = table.rows.iter().zip(texts);
    let numbers: Vec<(usize, u64)> =
        rows.filter_map(|(row, text)| Some((row.page, number_in(text.as_deref()?)?))).collect();
    for pair in numbers.windows(2) {
        if let &[(page, before), (same, after)] = pair
            && page == same
        {
            pairs += 1;
            next += usize::from(before.checked_add(1) == Some(after));
        }
    }
    pairs > 1 && next * 10 >= pairs * 8
}
