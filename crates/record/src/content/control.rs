//! What every post shows, whoever wrote it: buttons, labels, adverts.

use std::collections::{HashMap, HashSet};

use super::Cleaner;
use super::cleaner::Role;
use super::sheet::{Element, Sheet};
use super::thread::Thread;
use super::token::Token;

/// Of the posts, how many must show the same text (research: a block equal in more than 30 % of the
/// records).
const SHARE: f64 = 0.3;
/// Below this many posts nothing is known to repeat.
const FEWEST: usize = 4;
/// Longer texts are compared by no one.
const LONGEST: usize = 64;
/// Numbers that a counter may be of.
const COUNT: usize = 2;
/// Texts remembered while learning.
const MOST: usize = 400_000;

#[derive(Default)]
struct Seen<'a> {
    posts: usize,
    threads: HashSet<usize>,
    authors: HashSet<&'a str>,
}

impl<'a> Seen<'a> {
    fn add(&mut self, thread: usize, author: Option<&'a str>) {
        self.posts += 1;
        if self.threads.len() < FEWEST {
            self.threads.insert(thread);
        }
        if let Some(author) = author.filter(|_| self.authors.len() < FEWEST) {
            self.authors.insert(author);
        }
    }

    /// Whether it is the site that repeats it, not one author and not one thread.
    fn is_common(&self) -> bool {
        self.posts >= FEWEST && self.threads.len() > 1 && self.authors.len() != 1
    }
}

/// What is known of a place.
#[derive(Default)]
struct Place<'a> {
    name: String,
    seen: Seen<'a>,
    /// What it says, if that is always the same.
    text: Option<u64>,
    /// Whether it never says more than a number, as of those who like the post.
    counts: bool,
}

/// Learns the texts that many posts show, and the places that say the same wherever they are.
pub(super) fn learn(threads: &[Thread<'_, '_>], cleaner: &mut Cleaner) {
    let mut texts: HashMap<u64, Seen<'_>> = HashMap::new();
    let mut places: HashMap<u64, Place<'_>> = HashMap::new();
    let mut posts = 0;
    for (at, thread) in threads.iter().enumerate() {
        for (sheet, post) in thread.sheets.iter().zip(thread.posts) {
            posts += 1;
            let mut here = HashSet::new();
            for line in &sheet.lines {
                let words = line.tokens.len();
                if (1..=LONGEST).contains(&words) && here.insert(sheet.digest(&line.tokens)) {
                    let digest = sheet.digest(&line.tokens);
                    if texts.len() < MOST || texts.contains_key(&digest) {
                        texts.entry(digest).or_default().add(at, post.author);
                    }
                }
            }
            for element in sheet.elements.iter().filter(|element| is_control(sheet, element)) {
                let words = element.tokens.len();
                let place = places.entry(element.place).or_insert_with(|| Place {
                    name: sheet.place_of(element),
                    counts: true,
                    ..Place::default()
                });
                if words == 0 {
                    continue;
                }
                let digest = (words <= LONGEST).then(|| sheet.digest(&element.tokens));
                let first = place.seen.posts == 0;
                place.text = digest.filter(|_| first || place.text == digest);
                place.counts &= words <= COUNT && sheet.rest(&element.tokens).all(Token::is_number);
                place.seen.add(at, post.author);
            }
        }
    }
    let enough = (SHARE * posts as f64).max(FEWEST as f64);
    cleaner.controls.extend(
        texts
            .iter()
            .filter(|(_, seen)| seen.is_common() && seen.posts as f64 > enough)
            .map(|(text, _)| *text),
    );
    for place in places.into_values() {
        let counts = place.counts && place.seen.posts as f64 > enough;
        if (place.text.is_some() || counts) && place.seen.is_common() {
            cleaner.give(place.name, Role::Control);
        }
    }
}

/// Whether an element may be one: not a word of a sentence, and not a word of code.
fn is_control(sheet: &Sheet<'_>, element: &Element) -> bool {
    !element.is_code && sheet.is_lines(element)
}

/// Cuts them out, unless that is all that the post says.
pub(super) fn cut(cleaner: &Cleaner, thread: &mut Thread<'_, '_>) {
    for sheet in &mut thread.sheets {
        let elements: Vec<_> = sheet
            .elements
            .iter()
            .filter(|element| cleaner.role(element.place) == Some(Role::Control))
            .filter(|element| is_control(sheet, element))
            .filter(|element| (1..=LONGEST).contains(&element.tokens.len()))
            .cloned()
            .collect();
        let lines: Vec<_> = sheet
            .lines
            .iter()
            .filter(|line| (1..=LONGEST).contains(&line.tokens.len()))
            .filter(|line| cleaner.controls.contains(&sheet.digest(&line.tokens)))
            .cloned()
            .collect();
        let all = sheet.tokens.len();
        let gone: HashSet<usize> = elements
            .iter()
            .map(|element| &element.tokens)
            .chain(lines.iter().map(|line| &line.tokens))
            .flat_map(Clone::clone)
            .collect();
        if gone.len() == all {
            continue;
        }
        elements.iter().for_each(|element| sheet.cut_element(element));
        lines.iter().for_each(|line| sheet.cut_line(line));
    }
}
