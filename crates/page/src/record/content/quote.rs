//! Quotes: what a post shows of earlier ones.
//!
//! An element is a quote when its words are those of an earlier post of the thread. A short one, or one
//! of a post that is not known, proves nothing: it is told by its place, if most elements there proved to
//! be quotes, or by being a `blockquote`, unless authors of the site write in these.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Cleaner;
use super::cleaner::Role;
use super::earlier::Earlier;
use super::reply::Addresses;
use super::sheet::{Element, Line, Sheet};
use super::thread::{Thread, holds};
use super::token::Token;
use crate::tree::NodeId;
use crate::tree::names::known;

/// Of the words of a quote, how many an earlier post must have (research: 90 %).
const CONTAINED: f64 = 0.9;
/// Fewer words are in an earlier post by chance.
const FEWEST_WORDS: usize = 6;
/// Words of the line above a quote.
const LONGEST_HEADER: usize = 24;
/// Of the elements of a place, how many must prove to be quotes.
const SHARE: f64 = 0.5;
/// And how many at least.
const FEWEST: usize = 2;
/// Of the headers, how many share a word that marks them.
const HEADER_SHARE: f64 = 0.3;

/// A quote that was cut out.
#[derive(Clone, Debug)]
pub(super) struct Quote {
    /// The earlier post, if it is known.
    pub(super) of: Option<usize>,
    pub(super) text: String,
    /// Its words.
    body: Range<usize>,
}

#[derive(Default)]
struct Seen {
    name: String,
    /// How often the place is there, with enough words to prove something,
    count: usize,
    /// how often it proved to be a quote,
    proved: usize,
    /// how often it is all that the post says, or is in the first post of a thread,
    own: usize,
    /// and how many first posts have it.
    first: HashSet<usize>,
}

/// Learns where quotes are, and the words above them.
pub(super) fn learn(threads: &[Thread<'_, '_>], cleaner: &mut Cleaner) {
    let mut places: HashMap<u64, Seen> = HashMap::new();
    for (number, thread) in threads.iter().enumerate() {
        let mut earlier = Earlier::default();
        for (at, sheet) in thread.sheets.iter().enumerate() {
            let covered = earlier.cover(&sheet.tokens);
            let extent = sheet.extent().unwrap_or_default();
            for element in sheet.elements.iter().filter(|element| element.is_block) {
                if sheet.left(&element.tokens) < FEWEST_WORDS {
                    continue;
                }
                let seen = places.entry(element.place).or_default();
                if seen.count == 0 {
                    seen.name = sheet.place_of(element);
                }
                let all = element.tokens.start <= extent.start && element.tokens.end >= extent.end;
                let proof = proof(sheet, &earlier, &covered, &element.tokens);
                seen.count += 1;
                seen.proved += usize::from(proof.is_some() && !all);
                seen.own += usize::from(all || at == 0);
                if at == 0 {
                    seen.first.insert(number);
                }
            }
            earlier.add(at as u32, &sheet.tokens);
        }
    }
    for seen in places.into_values() {
        // A first post has nothing to quote: what most of them have is something else that repeats.
        let opens = seen.first.len() >= FEWEST && 2 * seen.first.len() > threads.len();
        if !opens && seen.proved >= FEWEST && seen.proved as f64 >= SHARE * seen.count as f64 {
            cleaner.give(seen.name, Role::Quote);
        } else if seen.own >= FEWEST && seen.own > 2 * seen.proved {
            cleaner.give(seen.name, Role::Own);
        }
    }
    learn_headers(threads, cleaner);
}

fn learn_headers(threads: &[Thread<'_, '_>], cleaner: &mut Cleaner) {
    let mut words: HashMap<Token, usize> = HashMap::new();
    let mut headers = 0;
    for thread in threads {
        for sheet in &thread.sheets {
            let mut past = 0;
            for element in &sheet.elements {
                if element.tokens.start < past || !is_quote(cleaner, sheet, element) {
                    continue;
                }
                past = element.tokens.end;
                let Some(line) = line_before(sheet, element.tokens.start) else { continue };
                if line.tokens.len() > LONGEST_HEADER {
                    continue;
                }
                headers += 1;
                let distinct: HashSet<Token> =
                    sheet.rest(&line.tokens).filter(|word| !thread.varies(*word)).collect();
                for word in distinct {
                    *words.entry(word).or_default() += 1;
                }
            }
        }
    }
    let enough = (HEADER_SHARE * headers as f64).max(FEWEST as f64);
    let common = words.into_iter().filter(|(_, count)| *count as f64 > enough);
    cleaner.headers.extend(common.map(|(word, _)| word).take(LONGEST_HEADER));
}

/// Cuts quotes out of a thread, with the lines above them. Gives those of each post.
pub(super) fn cut(cleaner: &Cleaner, thread: &mut Thread<'_, '_>) -> Vec<Vec<Quote>> {
    let mut earlier = Earlier::default();
    let addresses = Addresses::new(thread);
    let mut found = Vec::with_capacity(thread.sheets.len());
    for at in 0..thread.sheets.len() {
        let (quotes, cuts) = quotes_of(cleaner, thread, &earlier, &addresses, at);
        let bodies: Vec<Range<usize>> = quotes.iter().map(|quote| quote.body.clone()).collect();
        if let Some(sheet) = thread.sheets.get_mut(at) {
            for cut in cuts {
                match cut {
                    Cut::Element(element) => sheet.cut_element(&element),
                    Cut::Line(line) => sheet.cut_line(&line),
                }
            }
            // Without the headers: a post that quotes the same would have more in common with a quote
            // than the one that both quote.
            for run in bodies.iter().filter_map(|body| sheet.tokens.get(body.clone())) {
                earlier.add(at as u32, run);
            }
            for run in sheet.runs() {
                earlier.add(at as u32, run);
            }
        }
        found.push(quotes);
    }
    found
}

enum Cut {
    Element(Element),
    Line(Line),
}

fn quotes_of(
    cleaner: &Cleaner,
    thread: &Thread<'_, '_>,
    earlier: &Earlier,
    addresses: &Addresses<'_>,
    at: usize,
) -> (Vec<Quote>, Vec<Cut>) {
    let (mut quotes, mut cuts) = (Vec::new(), Vec::new());
    let Some((sheet, post)) = thread.sheets.get(at).zip(thread.posts.get(at)) else {
        return (quotes, cuts);
    };
    let covered = earlier.cover(&sheet.tokens);
    let extent = sheet.extent().unwrap_or_default();
    let mut past = NodeId(0);
    for element in &sheet.elements {
        if element.node < past || sheet.left(&element.tokens) == 0 {
            continue;
        }
        let told = is_quote(cleaner, sheet, element);
        let all = element.tokens.start <= extent.start && element.tokens.end >= extent.end;
        if all && (!told || sheet.roots.contains(&element.node)) {
            continue;
        }
        let proof = proof(sheet, earlier, &covered, &element.tokens);
        let before = line_before(sheet, element.tokens.start);
        let attributed = |line: &Line| is_header(cleaner, thread, sheet, line);
        let is_attributed = || {
            before.is_some_and(&attributed)
                || sheet.lines_in(&element.tokens).next().is_some_and(&attributed)
        };
        let quoted = match (told, &proof) {
            (true, _) => !all || proof.is_some(),
            (false, Some(_)) => {
                element.is_block && cleaner.role(element.place).is_none() && is_attributed()
            }
            (false, None) => false,
        };
        if !quoted {
            continue;
        }
        let (widest, header) = with_header(cleaner, thread, sheet, element, before);
        past = sheet.dom.node(widest.node).end();
        let nodes = header.map_or(widest.node.0, |line| line.nodes.start)..past.0;
        let head = header.map_or(widest.tokens.start, |line| line.tokens.start);
        let body = proof.map_or(element.tokens.clone(), |proof| proof.body);
        let linked = addresses.linked(sheet, nodes, post.base, at);
        quotes.push(Quote {
            of: linked
                .or_else(|| origin(thread, sheet, earlier, head..body.start.max(head), &body, at)),
            text: text(sheet, &body),
            body,
        });
        cuts.push(Cut::Element(widest.clone()));
        cuts.extend(header.cloned().map(Cut::Line));
    }
    (quotes, cuts)
}

/// Whether an element is a quote by what and where it is.
fn is_quote(cleaner: &Cleaner, sheet: &Sheet<'_>, element: &Element) -> bool {
    match cleaner.role(element.place) {
        Some(Role::Quote) => true,
        Some(_) => false,
        None => sheet.dom.node(element.node).is(known::BLOCKQUOTE),
    }
}

struct Proof {
    /// The words that were said before: those of the element without a line above them.
    body: Range<usize>,
}

/// Whether the words of an element are those of one earlier post.
fn proof(
    sheet: &Sheet<'_>,
    earlier: &Earlier,
    covered: &[bool],
    range: &Range<usize>,
) -> Option<Proof> {
    let bits = covered.get(range.clone())?;
    let head = bits.iter().position(|covered| *covered)?;
    let rest = bits.get(head..)?;
    let said = rest.iter().filter(|covered| **covered).count();
    if head > LONGEST_HEADER
        || rest.len() < FEWEST_WORDS
        || (said as f64) < CONTAINED * rest.len() as f64
    {
        return None;
    }
    let body = range.start + head..range.end;
    let (_, most) = *earlier.origins(sheet.tokens.get(body.clone())?).first()?;
    (most as f64 >= CONTAINED * rest.len() as f64).then_some(Proof { body })
}

/// The post that a quote is of: the one that said it, of several the one that the header names.
fn origin(
    thread: &Thread<'_, '_>,
    sheet: &Sheet<'_>,
    earlier: &Earlier,
    header: Range<usize>,
    body: &Range<usize>,
    at: usize,
) -> Option<usize> {
    let header = sheet.tokens.get(header).unwrap_or_default();
    let names = |post: &usize| thread.authors.get(*post).is_some_and(|name| holds(header, name));
    let words = sheet.tokens.get(body.clone()).unwrap_or_default();
    let origins = earlier.origins(words);
    if let Some((best, most)) = origins.first().filter(|(_, most)| 2 * most >= words.len()) {
        let alike = origins.iter().take_while(|(_, said)| 20 * said >= 19 * most);
        return Some(alike.map(|(post, _)| *post).find(names).unwrap_or(*best));
    }
    let whole = sheet.lines_in(body).next().and_then(|line| sheet.tokens.get(line.tokens.clone()));
    let first = whole.unwrap_or_default();
    (0..at).rev().take(1_000).find(|post| {
        names(post)
            || thread
                .authors
                .get(*post)
                .is_some_and(|name| first.len() <= LONGEST_HEADER && holds(first, name))
    })
}

/// The quote with what belongs to it: the elements around it that hold nothing else but a header, and
/// else the line before it, if that is one.
fn with_header<'s>(
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
            || words <= LONGEST_HEADER
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
fn line_before<'s>(sheet: &'s Sheet<'_>, start: usize) -> Option<&'s Line> {
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

/// Whether a line is the header of a quote: it says who, when or in what thread, and little else.
fn is_header(cleaner: &Cleaner, thread: &Thread<'_, '_>, sheet: &Sheet<'_>, line: &Line) -> bool {
    let Some(words) = sheet.tokens.get(line.tokens.clone()) else { return false };
    if words.is_empty() || words.len() > LONGEST_HEADER + thread.title.len() {
        return false;
    }
    let told = |word: &Token| {
        thread.varies(*word) || thread.title.contains(word) || cleaner.headers.contains(word)
    };
    let told = words.iter().filter(|word| told(word)).count();
    let text = sheet.line_text(line);
    let names = thread.authors.iter().any(|name| holds(words, name));
    let learned = words.iter().any(|word| cleaner.headers.contains(word));
    2 * told >= words.len() && (names || text.contains('@') || learned && ends_with_colon(&text))
}

fn ends_with_colon(text: &str) -> bool {
    text.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, ':' | '：'))
        .ends_with([':', '：'])
}

fn text(sheet: &Sheet<'_>, body: &Range<usize>) -> String {
    let from = sheet.lines.partition_point(|line| line.tokens.end <= body.start);
    let lines = sheet.lines.iter().skip(from).take_while(|line| line.tokens.start < body.end);
    lines.map(|line| sheet.line_text(line)).collect::<Vec<_>>().join("\n")
}
