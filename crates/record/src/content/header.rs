//! The line above a quote that says whose it is.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Cleaner;
use super::quote;
use super::sheet::{Element, Line, Sheet};
use super::thread::Thread;
use super::token::Token;

/// Words of such a line.
pub(super) const LONGEST: usize = 24;
/// Of the headers, how many share a word that marks them.
const SHARE: f64 = 0.3;
/// And how many at least.
const FEWEST: usize = 2;

/// Words of headers while learning.
#[derive(Default)]
pub(super) struct Heads {
    words: HashMap<Token, usize>,
    count: usize,
}

impl Heads {
    /// Adds a header: a range of tokens.
    pub(super) fn add(&mut self, thread: &Thread<'_, '_>, sheet: &Sheet<'_>, range: &Range<usize>) {
        if range.len() > LONGEST || sheet.left(range) == 0 {
            return;
        }
        self.count += 1;
        let distinct: HashSet<Token> =
            sheet.rest(range).filter(|word| !thread.varies(*word)).collect();
        for word in distinct {
            *self.words.entry(word).or_default() += 1;
        }
    }

    /// Says which words mark headers.
    pub(super) fn give(self, cleaner: &mut Cleaner) {
        let enough = (SHARE * self.count as f64).max(FEWEST as f64);
        let common = self.words.into_iter().filter(|(_, count)| *count as f64 > enough);
        cleaner.headers.extend(common.map(|(word, _)| word).take(LONGEST));
    }
}

/// Learns the words of the lines above quotes.
pub(super) fn learn(threads: &[Thread<'_, '_>], cleaner: &mut Cleaner) {
    let mut heads = Heads::default();
    for thread in threads {
        for sheet in &thread.sheets {
            let mut past = 0;
            for element in &sheet.elements {
                if element.tokens.start < past || !quote::is_quote(cleaner, sheet, element) {
                    continue;
                }
                past = element.tokens.end;
                if let Some(line) = line_before(sheet, element.tokens.start) {
                    heads.add(thread, sheet, &line.tokens);
                }
            }
        }
    }
    heads.give(cleaner);
}

/// The quote with what belongs to it: the elements around it that hold nothing else but a header, and
/// else the line before it, if that is one.
pub(super) fn with_quote<'s>(
    cleaner: &Cleaner,
    thread: &Thread<'_, '_>,
    sheet: &'s Sheet<'_>,
    element: &'s Element,
    before: Option<&'s Line>,
) -> (&'s Element, Option<&'s Line>) {
    let mut widest = element;
    for around in sheet.dom.node(element.node).ancestors() {
        let Some(around) = sheet.element(around.id()) else { break };
        if sheet.roots.contains(&around.node)
            || sheet.left(&(widest.tokens.end..around.tokens.end)) > 0
        {
            break;
        }
        let header = around.tokens.start..widest.tokens.start;
        let words = sheet.left(&header);
        let fits = words == 0
            || words <= LONGEST
                && sheet.lines_in(&header).all(|line| names_or_ends(cleaner, thread, sheet, line));
        if !fits {
            break;
        }
        widest = around;
    }
    let before = if widest.tokens.start == element.tokens.start { before } else { None };
    (widest, before.filter(|line| is_header(cleaner, thread, sheet, line)))
}

/// The line that ends where a quote begins.
pub(super) fn line_before<'s>(sheet: &'s Sheet<'_>, start: usize) -> Option<&'s Line> {
    let past = sheet.lines.partition_point(|line| line.tokens.start < start);
    let line = past.checked_sub(1).and_then(|at| sheet.lines.get(at))?;
    (line.tokens.end <= start && sheet.left(&line.tokens) > 0).then_some(line)
}

/// Whether a line that stands apart with a quote is about it.
fn names_or_ends(
    cleaner: &Cleaner,
    thread: &Thread<'_, '_>,
    sheet: &Sheet<'_>,
    line: &Line,
) -> bool {
    let text = sheet.line_text(line);
    ends_with_colon(&text)
        || text.contains('@')
        || sheet.rest(&line.tokens).any(|word| {
            thread.names.contains(&word) || cleaner.headers.contains(&word) || word.is_number()
        })
}

/// Whether a line is short and names an author of the thread.
pub(super) fn names(thread: &Thread<'_, '_>, sheet: &Sheet<'_>, line: &Line) -> bool {
    line.tokens.len() <= LONGEST
        && sheet.tokens.get(line.tokens.clone()).is_some_and(|words| thread.is_named(words))
}

/// Whether the first line of an element, and not all of it, says whose words follow.
pub(super) fn opens(
    cleaner: &Cleaner,
    thread: &Thread<'_, '_>,
    sheet: &Sheet<'_>,
    element: &Element,
) -> bool {
    let mut lines = sheet.lines_in(&element.tokens).filter(|line| !line.tokens.is_empty());
    let Some(first) = lines.next().filter(|first| first.tokens.len() <= LONGEST) else {
        return false;
    };
    lines.next().is_some()
        && (names(thread, sheet, first)
            || sheet.rest(&first.tokens).any(|word| cleaner.headers.contains(&word)))
}

/// Whether a line is the header of a quote: it says who, when or in what thread, and little else.
pub(super) fn is_header(
    cleaner: &Cleaner,
    thread: &Thread<'_, '_>,
    sheet: &Sheet<'_>,
    line: &Line,
) -> bool {
    let Some(words) = sheet.tokens.get(line.tokens.clone()) else { return false };
    if words.is_empty() || words.len() > LONGEST + thread.title.len() {
        return false;
    }
    let told = |word: &Token| {
        thread.varies(*word) || thread.title.contains(word) || cleaner.headers.contains(word)
    };
    let told = words.iter().filter(|word| told(word)).count();
    let text = sheet.line_text(line);
    let names = thread.is_named(words);
    let learned = words.iter().any(|word| cleaner.headers.contains(word));
    2 * told >= words.len() && (names || text.contains('@') || learned && ends_with_colon(&text))
}

fn ends_with_colon(text: &str) -> bool {
    text.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, ':' | '：'))
        .ends_with([':', '：'])
}
