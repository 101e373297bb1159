//! Lines that the software adds to a post, such as who edited it and when.
//!
//! They are told by the words that stay around a date and a name that vary. Authors write such lines,
//! too; but theirs are not all in one place of their own, nor do many name the author.

use std::collections::{HashMap, HashSet};

use super::Cleaner;
use super::cleaner::Role;
use super::place;
use super::sheet::{Element, Line, Sheet};
use super::thread::{Thread, holds};
use super::token::{Token, digest, tokens_of};
use crate::date;
use page::tree::names::known;

/// Notes are no longer than this.
const LONGEST: usize = 24;
/// A note is in at least so many posts.
const FEWEST: usize = 3;
/// How many of the lines of a place share a word that counts as constant.
const SAME: f64 = 0.8;
/// How much of a note is constant, or a date or name.
const EXPLAINED: f64 = 0.6;
/// Where a date is does not depend on what relative ones count from.
const ANY_TIME: i64 = 4_000_000_000;
/// Words remembered for a place while learning.
const MOST_WORDS: usize = 256;

#[derive(Default)]
struct Lines {
    count: usize,
    dated: usize,
    words: HashMap<Token, usize>,
    varying: usize,
    total: usize,
    place: String,
}

impl Lines {
    fn is_note(&self) -> bool {
        let same = SAME * self.count as f64;
        let constant: usize =
            self.words.values().filter(|count| **count as f64 >= same).copied().sum();
        self.count >= FEWEST
            && self.dated as f64 >= same
            && (constant + self.varying) as f64 >= EXPLAINED * self.total as f64
    }
}

/// Learns the places of notes that are in elements that mean quotes: what is there is none.
pub(super) fn learn_boxes(threads: &[Thread<'_, '_>], cleaner: &mut Cleaner) {
    let is_box =
        |sheet: &Sheet<'_>, element: &Element| sheet.dom.node(element.node).is(known::BLOCKQUOTE);
    for lines in places(threads, is_box) {
        cleaner.give(lines.place, Role::Note);
    }
}

/// Learns the places of notes, and the notes that have no place of their own.
pub(super) fn learn(threads: &[Thread<'_, '_>], cleaner: &mut Cleaner) {
    for lines in places(threads, |_, _| true) {
        cleaner.give(lines.place, Role::Note);
    }
    let mut bare: HashMap<u64, (usize, HashSet<&str>)> = HashMap::new();
    for thread in threads {
        for (at, sheet) in thread.sheets.iter().enumerate() {
            let author = thread.posts.get(at).and_then(|post| post.author);
            for line in sheet.lines_left() {
                if let Some((skeleton, author)) = skeleton(thread, at, line).zip(author) {
                    let (count, authors) = bare.entry(skeleton).or_default();
                    *count += 1;
                    authors.insert(author);
                }
            }
        }
    }
    cleaner.notes.extend(
        bare.iter()
            .filter(|(_, (count, authors))| *count >= FEWEST && authors.len() > 1)
            .map(|(skeleton, _)| *skeleton),
    );
}

/// The places of their own that hold notes, among the elements that may.
fn places(
    threads: &[Thread<'_, '_>],
    may: impl Fn(&Sheet<'_>, &Element) -> bool,
) -> impl Iterator<Item = Lines> {
    let mut places: HashMap<u64, Lines> = HashMap::new();
    for thread in threads {
        for sheet in &thread.sheets {
            for element in whole_lines(sheet).filter(|element| may(sheet, element)) {
                let lines = places.entry(element.place).or_default();
                if lines.count == 0 {
                    lines.place = sheet.place_of(element);
                }
                let total = sheet.left(&element.tokens);
                lines.count += 1;
                lines.total += total;
                if total > LONGEST {
                    continue;
                }
                let Some(words) = around_date(&sheet.text_in(&element.tokens)) else { continue };
                let constant: Vec<Token> =
                    words.into_iter().filter(|word| !thread.varies(*word)).collect();
                lines.dated += 1;
                lines.varying += total.saturating_sub(constant.len());
                for word in constant.into_iter().collect::<HashSet<_>>() {
                    if lines.words.len() < MOST_WORDS || lines.words.contains_key(&word) {
                        *lines.words.entry(word).or_default() += 1;
                    }
                }
            }
        }
    }
    places.into_values().filter(|lines| place::is_marked(&lines.place) && lines.is_note())
}

/// Cuts notes out.
pub(super) fn cut(cleaner: &Cleaner, thread: &mut Thread<'_, '_>) {
    for at in 0..thread.sheets.len() {
        let Some(sheet) = thread.sheets.get(at) else { continue };
        let elements: Vec<Element> = whole_lines(sheet)
            .filter(|element| cleaner.role(element.place) == Some(Role::Note))
            .filter(|element| sheet.left(&element.tokens) <= LONGEST)
            .cloned()
            .collect();
        let lines: Vec<Line> = sheet
            .lines_left()
            .filter(|line| {
                skeleton(thread, at, line).is_some_and(|found| cleaner.notes.contains(&found))
            })
            .cloned()
            .collect();
        let Some(sheet) = thread.sheets.get_mut(at) else { continue };
        elements.iter().for_each(|element| sheet.cut_element(element));
        lines.iter().for_each(|line| sheet.cut_line(line));
    }
}

/// The elements that are lines of their own, and not the whole of the post.
fn whole_lines<'s>(sheet: &'s Sheet<'_>) -> impl Iterator<Item = &'s Element> {
    let extent = sheet.extent().unwrap_or_default();
    sheet.elements.iter().filter(move |element| {
        let tokens = &element.tokens;
        !tokens.is_empty()
            && (tokens.start > extent.start || tokens.end < extent.end)
            && sheet.left(tokens) > 0
            && !element.is_code
            && sheet.is_lines(element)
    })
}

/// What stays of a line when its date and its author's name are taken away. None if it has not both.
fn skeleton(thread: &Thread<'_, '_>, at: usize, line: &Line) -> Option<u64> {
    if line.tokens.len() > LONGEST {
        return None;
    }
    let (sheet, author) = (thread.sheets.get(at)?, thread.authors.get(at)?);
    let words = sheet.tokens.get(line.tokens.clone())?;
    if !words.iter().any(|word| word.is_number()) || !holds(words, author) {
        return None;
    }
    let words = around_date(&sheet.line_text(line))?;
    let constant = words.into_iter().filter(|word| !word.is_number() && !author.contains(word));
    Some(digest(constant))
}

/// The words before and after the date in a text. None if there is no date.
fn around_date(text: &str) -> Option<Vec<Token>> {
    let (date, _) = date::find(text, &date::Order::default(), Some(ANY_TIME))?;
    let mut words = tokens_of(text.get(..date.start)?);
    words.extend(tokens_of(text.get(date.end..)?));
    Some(words)
}
