//! The end of a post that its author puts under every post.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Cleaner;
use super::cleaner::Role;
use super::place::{self, PlaceId};
use super::sheet::{Element, Sheet, is_separator};
use super::thread::Thread;
use super::token::{Token, digest};
use page::tree::NodeId;

/// A signature has no more words than this,
const LONGEST: usize = 200;
/// and no more lines.
const MOST_LINES: usize = 8;
/// How many of the authors with several posts must say the same at a place.
const SHARE: f64 = 0.8;
/// Posts of an author that end alike before that is a signature, where no place says so.
const FEWEST: usize = 3;
/// Of all posts of the author, how many.
const OFTEN: f64 = 0.5;
/// A line of marks that parts a signature from the post has at least so many.
const FEWEST_MARKS: usize = 3;
/// Marks of such a line that are told apart.
const MOST_MARKS: usize = 32;
/// How the place below a line of marks is written: as no element is.
const RULE: &str = "below ";
/// Endings remembered while learning.
const MOST: usize = 400_000;

/// What an author's posts have at a place.
struct Said {
    text: u64,
    posts: usize,
    same: bool,
    /// Whether the rest of the posts differs: a post that is there twice proves nothing.
    rests: HashSet<u64>,
}

/// Learns the places of signatures, and the endings of those authors that have them elsewhere.
pub(super) fn learn(threads: &[Thread<'_, '_>], cleaner: &mut Cleaner) {
    let mut said: HashMap<(u64, &str), Said> = HashMap::new();
    let mut names: HashMap<u64, String> = HashMap::new();
    let mut endings: HashMap<u64, (&str, HashSet<u64>)> = HashMap::new();
    let mut posts: HashMap<&str, usize> = HashMap::new();
    for thread in threads {
        for (sheet, post) in thread.sheets.iter().zip(thread.posts) {
            let Some(author) = post.author else { continue };
            *posts.entry(author).or_default() += 1;
            let elements = tails(sheet).map(|element| {
                names.entry(element.place).or_insert_with(|| sheet.place_of(element));
                (element.place, element.tokens.clone())
            });
            let mut tails: Vec<(PlaceId, Range<usize>)> = elements.collect();
            tails.extend(ruled(sheet).map(|ruled| {
                let place = place::id(&ruled.place);
                names.entry(place).or_insert(ruled.place);
                (place, ruled.tokens)
            }));
            for (place, tokens) in tails {
                let text = sheet.digest(&tokens);
                let rest = sheet.digest(&(0..tokens.start));
                let said = said.entry((place, author)).or_insert_with(|| Said {
                    text,
                    posts: 0,
                    same: true,
                    rests: HashSet::new(),
                });
                said.posts += 1;
                said.same &= said.text == text;
                if said.rests.len() < FEWEST {
                    said.rests.insert(rest);
                }
            }
            for (ending, rest, _) in endings_of(sheet, author) {
                if endings.len() < MOST || endings.contains_key(&ending) {
                    let (_, rests) = endings.entry(ending).or_insert((author, HashSet::new()));
                    rests.insert(rest);
                }
            }
        }
    }
    let mut places: HashMap<u64, (usize, usize, usize)> = HashMap::new();
    for ((place, _), said) in said.iter().filter(|(_, said)| said.posts > 1) {
        let (same, most, other) = places.entry(*place).or_default();
        if said.same && said.rests.len() > 1 {
            *same += 1;
            *most = (*most).max(said.posts);
        } else if !said.same {
            *other += 1;
        }
    }
    for (place, (same, most, other)) in places {
        let proved = same > 1 || most >= FEWEST;
        let holds = proved && same as f64 >= SHARE * (same + other) as f64;
        if let Some(name) = names.remove(&place).filter(|_| holds) {
            cleaner.give(name, Role::Signature);
        }
    }
    for (ending, (author, rests)) in endings {
        let all = posts.get(author).copied().unwrap_or_default();
        if rests.len() >= FEWEST && rests.len() as f64 >= OFTEN * all as f64 {
            cleaner.endings.insert(ending);
        }
    }
}

/// Cuts signatures off.
pub(super) fn cut(cleaner: &Cleaner, thread: &mut Thread<'_, '_>) {
    for (sheet, post) in thread.sheets.iter_mut().zip(thread.posts) {
        while let Some(tail) = placed(cleaner, sheet).cloned() {
            sheet.cut_tail(tail.node, tail.tokens);
            sheet.signed.push(tail.place);
        }
        if let Some(tail) = ruled(sheet).filter(|_| sheet.signed.is_empty()) {
            let place = place::id(&tail.place);
            if cleaner.role(place) == Some(Role::Signature) {
                sheet.cut_tail(tail.from, tail.tokens);
                sheet.signed.push(place);
            }
        }
        if !sheet.signed.is_empty() {
            continue;
        }
        let Some(author) = post.author else { continue };
        let endings = endings_of(sheet, author).into_iter().rev();
        let known = endings.map(|(ending, _, at)| (ending, sheet.lines.get(at)));
        let found = known.into_iter().find(|(ending, _)| cleaner.endings.contains(ending));
        if let Some((ending, Some(line))) = found {
            let (node, tokens) = (NodeId(line.nodes.start), line.tokens.start..sheet.tokens.len());
            sheet.cut_tail(node, tokens);
            sheet.signed.push(ending);
        }
    }
}

/// The element at the end of a post that is where signatures are. It may be all that the post says: there
/// are posts of nothing but a picture.
fn placed<'s>(cleaner: &Cleaner, sheet: &'s Sheet<'_>) -> Option<&'s Element> {
    let extent = sheet.extent()?;
    sheet.elements.iter().find(|element| {
        cleaner.role(element.place) == Some(Role::Signature)
            && !sheet.signed.contains(&element.place)
            && element.tokens.start < extent.end
            && element.tokens.end >= extent.end
            && element.tokens.len() <= LONGEST
            && !sheet.roots.contains(&element.node)
    })
}

/// The elements that the post ends with, the outermost first, but not all of it.
fn tails<'s>(sheet: &'s Sheet<'_>) -> impl Iterator<Item = &'s Element> {
    let extent = sheet.extent().unwrap_or_default();
    sheet.elements.iter().filter(move |element| {
        let tokens = &element.tokens;
        element.is_block
            && tokens.start > extent.start
            && tokens.start < extent.end
            && tokens.end >= extent.end
            && tokens.len() <= LONGEST
    })
}

/// The end of a post below a line of marks.
struct Ruled {
    /// The line of marks, as a place.
    place: String,
    from: NodeId,
    tokens: Range<usize>,
}

/// The end of a post below the last line of marks such as `____`, if not all of the post is there.
fn ruled(sheet: &Sheet<'_>) -> Option<Ruled> {
    let extent = sheet.extent()?;
    let mut below: Option<NodeId> = None;
    let lines = sheet.lines.iter().rev().skip_while(|line| line.tokens.start >= extent.end);
    for line in lines.take(2 * MOST_LINES) {
        if !line.tokens.is_empty() {
            below = Some(NodeId(line.nodes.start));
            continue;
        }
        let marks = sheet.line_text(line);
        if marks.chars().count() < FEWEST_MARKS || !is_separator(&marks) {
            continue;
        }
        let tokens = line.tokens.end..extent.end;
        let fits = tokens.start > extent.start && sheet.left(&tokens) <= LONGEST;
        let place = format!("{RULE}{}", marks.chars().take(MOST_MARKS).collect::<String>());
        return below.filter(|_| fits).map(|from| Ruled { place, from, tokens });
    }
    None
}

/// What an author ends a post with: its digest, that of the rest, and the line that it begins with. The
/// shortest first.
fn endings_of(sheet: &Sheet<'_>, author: &str) -> Vec<(u64, u64, usize)> {
    let mut name = Vec::new();
    super::token::tokens(author, LONGEST, &mut name);
    let lines: Vec<usize> = (0..sheet.lines.len())
        .filter(|at| sheet.lines.get(*at).is_some_and(|line| sheet.left(&line.tokens) > 0))
        .collect();
    let mut found = Vec::new();
    let all = sheet.tokens.len();
    // The first line is never part of it: a post says something.
    for at in lines.iter().skip(1).rev().take(MOST_LINES) {
        let Some(line) = sheet.lines.get(*at) else { break };
        let ending: Vec<Token> = sheet.rest(&(line.tokens.start..all)).take(LONGEST + 1).collect();
        if ending.len() > LONGEST {
            break;
        }
        let words = name.iter().copied().chain(ending);
        found.push((digest(words), sheet.digest(&(0..line.tokens.start)), *at));
    }
    found
}
