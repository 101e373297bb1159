//! Quotes: what a post shows of earlier ones.
//!
//! An element is a quote when its words are those of an earlier post of the thread. A short one, or one
//! of a post that is not known, proves nothing: it is told by its place, if most elements there proved to
//! be quotes, or by being a `blockquote`, unless authors of the site write in these. Sites use the same
//! box for code and more: where their quotes say whose they are, what does not say so is no quote.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Cleaner;
use super::cleaner::Role;
use super::earlier::Earlier;
use super::header::{self, Heads, LONGEST as LONGEST_HEADER};
use super::reply::Addresses;
use super::sheet::{Element, Line, Sheet};
use super::thread::{Thread, holds};
use page::tree::NodeId;
use page::tree::names::known;

/// Of the words of a quote, how many an earlier post must have (research: 90 %).
const CONTAINED: f64 = 0.9;
/// Fewer words are in an earlier post by chance.
const FEWEST_WORDS: usize = 6;
/// Words of a quote that are looked up: enough to know whose it is, and a bound for quotes within quotes.
const SAMPLE: usize = 2_000;
/// Of the elements of a place, how many must prove to be quotes.
const SHARE: f64 = 0.5;
/// And how many at least.
const FEWEST: usize = 2;
/// Of the posts, how many have the element that holds what they say.
const EVERY: f64 = 0.9;
/// Fewer posts tell nothing about all.
const FEWEST_POSTS: usize = 4;
/// Of the quotes of a place, how many must say whose they are.
const HEADED: f64 = 0.8;

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
    /// How many posts have it,
    posts: usize,
    /// the latest of these,
    latest: Option<(usize, usize)>,
    /// how often the place is there, with enough words to prove something,
    count: usize,
    /// how often it proved to be a quote,
    proved: usize,
    /// how often that with a word about whose it is,
    headed: usize,
    /// how often it is all that the post says, or is in the first post of a thread,
    own: usize,
    /// and how many first posts have it.
    first: HashSet<usize>,
}

/// Learns where quotes are, and the words above them.
pub(super) fn learn(threads: &[Thread<'_, '_>], cleaner: &mut Cleaner) {
    let mut places: HashMap<u64, Seen> = HashMap::new();
    let mut heads = Heads::default();
    let mut posts = 0;
    for (number, thread) in threads.iter().enumerate() {
        let mut earlier = Earlier::default();
        for (at, sheet) in thread.sheets.iter().enumerate() {
            let covered = earlier.cover(&sheet.tokens);
            let Some(extent) = sheet.extent() else { continue };
            posts += 1;
            for element in sheet.elements.iter().filter(|element| element.is_block) {
                if sheet.left(&element.tokens) == 0 {
                    continue;
                }
                let seen = places.entry(element.place).or_default();
                if seen.posts == 0 {
                    seen.name = sheet.place_of(element);
                }
                seen.posts += usize::from(seen.latest != Some((number, at)));
                seen.latest = Some((number, at));
                if sheet.left(&element.tokens) < FEWEST_WORDS {
                    continue;
                }
                let all = element.tokens.start <= extent.start && element.tokens.end >= extent.end;
                let proof = proof(sheet, &earlier, &covered, &element.tokens);
                // What authors repeat of their own may be a signature.
                if proof
                    .as_ref()
                    .is_some_and(|proof| proof.of.iter().any(|of| thread.is_same_author(*of, at)))
                {
                    continue;
                }
                seen.count += 1;
                if let Some(proof) = proof.filter(|_| !all) {
                    let said = element.tokens.start..proof.body.start;
                    let before = || header::line_before(sheet, element.tokens.start);
                    seen.proved += 1;
                    heads.add(thread, sheet, &said);
                    seen.headed += usize::from(
                        sheet.left(&said) > 0
                            || before().is_some_and(|line| header::names(thread, sheet, line)),
                    );
                }
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
        let every = posts >= FEWEST_POSTS && seen.posts as f64 >= EVERY * posts as f64;
        if !opens && seen.proved >= FEWEST && seen.proved as f64 >= SHARE * seen.count as f64 {
            let headed = seen.headed as f64 >= HEADED * seen.proved as f64;
            cleaner.give(seen.name, if headed { Role::Headed } else { Role::Quote });
        } else if every {
            cleaner.give(seen.name, Role::Body);
        } else if seen.own >= FEWEST && seen.own > 2 * seen.proved {
            cleaner.give(seen.name, Role::Own);
        }
    }
    heads.give(cleaner);
    header::learn(threads, cleaner);
}

/// Cuts quotes out of a thread, with the lines above them. Gives those of each post.
pub(super) fn cut(cleaner: &Cleaner, thread: &mut Thread<'_, '_>) -> Vec<Vec<Quote>> {
    let mut earlier = Said::default();
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
                earlier.shown.add(at as u32, run);
            }
            for run in sheet.runs() {
                earlier.shown.add(at as u32, run);
                earlier.own.add(at as u32, run);
            }
        }
        found.push(quotes);
    }
    found
}

/// What the earlier posts of a thread said.
#[derive(Default)]
struct Said {
    /// With what they quote.
    shown: Earlier,
    /// Of their own.
    own: Earlier,
}

enum Cut {
    Element(Element),
    Line(Line),
}

fn quotes_of(
    cleaner: &Cleaner,
    thread: &Thread<'_, '_>,
    earlier: &Said,
    addresses: &Addresses<'_>,
    at: usize,
) -> (Vec<Quote>, Vec<Cut>) {
    let (mut quotes, mut cuts) = (Vec::new(), Vec::new());
    let Some((sheet, post)) = thread.sheets.get(at).zip(thread.posts.get(at)) else {
        return (quotes, cuts);
    };
    let covered = earlier.shown.cover(&sheet.tokens);
    let extent = sheet.extent().unwrap_or_default();
    let mut past = NodeId(0);
    for element in &sheet.elements {
        if element.node < past || sheet.left(&element.tokens) == 0 {
            continue;
        }
        let role = cleaner.role(element.place);
        if matches!(role, Some(Role::Body | Role::Note)) {
            continue;
        }
        let told = is_quote(cleaner, sheet, element);
        let all = element.tokens.start <= extent.start && element.tokens.end >= extent.end;
        if all && (!told || sheet.roots.contains(&element.node)) {
            continue;
        }
        let proof = proof(sheet, &earlier.shown, &covered, &element.tokens);
        let before = header::line_before(sheet, element.tokens.start);
        let attributed = |line: &Line| header::is_header(cleaner, thread, sheet, line);
        let is_attributed = || {
            before.is_some_and(&attributed)
                || sheet.lines_in(&element.tokens).next().is_some_and(&attributed)
        };
        let says_whose = || {
            is_attributed()
                || header::opens(cleaner, thread, sheet, element)
                || addresses.linked(sheet, head_of(sheet, element), post.base, at).is_some()
        };
        let quoted = match (told, &proof) {
            (true, Some(_)) => true,
            (true, None) => {
                !all && (role != Some(Role::Headed) && !element.is_code || says_whose())
            }
            (false, Some(_)) => element.is_block && role.is_none() && is_attributed(),
            (false, None) => {
                !all && sheet.dom.node(element.node).is(known::BLOCKQUOTE) && is_attributed()
            }
        };
        if !quoted {
            continue;
        }
        let (widest, header) = header::with_quote(cleaner, thread, sheet, element, before);
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
    for lines in sheet.lines.chunk_by(|a, b| is_mail(sheet, a) && is_mail(sheet, b)) {
        let Some((first, last)) = lines.first().zip(lines.last()) else { continue };
        let body = first.tokens.start..last.tokens.end;
        if !is_mail(sheet, first) || is_cut(&cuts, &body) {
            continue;
        }
        let before = header::line_before(sheet, body.start)
            .filter(|line| header::is_header(cleaner, thread, sheet, line));
        if before.is_none() && proof(sheet, &earlier.shown, &covered, &body).is_none() {
            continue;
        }
        let head = before.map_or(body.start, |line| line.tokens.start);
        quotes.push(Quote {
            of: origin(thread, sheet, earlier, head..body.start, &body, at),
            text: text(sheet, &body),
            body,
        });
        cuts.extend(lines.iter().chain(before).cloned().map(Cut::Line));
    }
    (quotes, cuts)
}

/// Whether an element is a quote by what and where it is.
pub(super) fn is_quote(cleaner: &Cleaner, sheet: &Sheet<'_>, element: &Element) -> bool {
    match cleaner.role(element.place) {
        Some(Role::Quote | Role::Headed) => true,
        Some(_) => false,
        None => sheet.dom.node(element.node).is(known::BLOCKQUOTE),
    }
}

/// The nodes of an element up to its first line: a link that leads to the quoted post may have no text.
fn head_of(sheet: &Sheet<'_>, element: &Element) -> Range<u32> {
    let node = sheet.dom.node(element.node);
    let second = sheet.lines_in(&element.tokens).filter(|line| !line.tokens.is_empty()).nth(1);
    node.id().0..second.map_or(node.end().0, |line| line.nodes.start)
}

/// Whether an element that is to be cut out holds a range.
fn is_cut(cuts: &[Cut], range: &Range<usize>) -> bool {
    cuts.iter().any(|cut| match cut {
        Cut::Element(Element { tokens, .. }) | Cut::Line(Line { tokens, .. }) => {
            tokens.start <= range.start && range.end <= tokens.end
        }
    })
}

/// Whether a line is quoted as in mail.
fn is_mail(sheet: &Sheet<'_>, line: &Line) -> bool {
    let text = sheet.dom.node(NodeId(line.nodes.start)).text().trim_start();
    text.starts_with('>') && sheet.left(&line.tokens) > 0
}

struct Proof {
    /// The earlier posts that have the words.
    of: Vec<usize>,
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
    let sample = body.start..body.end.min(body.start + SAMPLE);
    let origins = earlier.origins(sheet.tokens.get(sample.clone())?).into_iter();
    let enough = CONTAINED * sample.len() as f64;
    let of: Vec<usize> =
        origins.filter(|(_, said)| *said as f64 >= enough).map(|(post, _)| post).collect();
    (!of.is_empty()).then_some(Proof { of, body })
}

/// The post that a quote is of: the one that shows its words, of several the one that the header names,
/// and of those the one that said more of it than it quotes itself.
fn origin(
    thread: &Thread<'_, '_>,
    sheet: &Sheet<'_>,
    earlier: &Said,
    header: Range<usize>,
    body: &Range<usize>,
    at: usize,
) -> Option<usize> {
    let header = sheet.tokens.get(header).unwrap_or_default();
    let names = |post: &usize| thread.authors.get(*post).is_some_and(|name| holds(header, name));
    let words = sheet.tokens.get(body.start..body.end.min(body.start + SAMPLE)).unwrap_or_default();
    let origins = earlier.shown.origins(words);
    if let Some((_, most)) = origins.first().filter(|(_, most)| 2 * most >= words.len()) {
        let own: HashMap<usize, usize> = earlier.own.origins(words).into_iter().collect();
        let alike = origins.iter().take_while(|(_, said)| 20 * said >= 19 * most);
        let said = |post: usize| own.get(&post).copied().unwrap_or_default();
        let best = alike.max_by_key(|(post, _)| (names(post), said(*post), Reverse(*post)));
        return best.map(|(post, _)| *post);
    }
    let whole = sheet.lines_in(body).next().and_then(|line| sheet.tokens.get(line.tokens.clone()));
    // A name alone is no quote.
    let first = whole.filter(|first| first.len() < body.len()).unwrap_or_default();
    (0..at).rev().take(1_000).find(|post| {
        names(post)
            || thread
                .authors
                .get(*post)
                .is_some_and(|name| first.len() <= LONGEST_HEADER && holds(first, name))
    })
}

fn text(sheet: &Sheet<'_>, body: &Range<usize>) -> String {
    let from = sheet.lines.partition_point(|line| line.tokens.end <= body.start);
    let lines = sheet.lines.iter().skip(from).take_while(|line| line.tokens.start < body.end);
    lines.map(|line| sheet.line_text(line)).collect::<Vec<_>>().join("\n")
}
