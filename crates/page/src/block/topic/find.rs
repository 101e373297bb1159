//! Finding a topic that a block shows.

use crate::block::line::{Line, Lines, Rank, Sum};
use crate::block::looks::Look;
use crate::tree::names::known;
use crate::tree::{Dom, Node, NodeId};
use std::ops::Range;

/// How much larger than the text around it a headline is, in tenths. Below it, the difference is
/// that between two faces of one size.
const LARGER: u32 = 11;

/// The line that stands out as a headline: it has one of the marks of one, is no longer than a
/// headline, and comes early.
pub(super) fn headline<'a>(lines: &Lines<'_>, own: &'a [Line], most: usize) -> Option<&'a Line> {
    let all: u32 = own.iter().map(|line| line.tally.words).sum();
    let body = Body::of(lines, own);
    let mut before = 0;
    let mut best: Option<(Standing, &Line)> = None;
    for line in own {
        let is_early = before <= EARLY.max(all * 2 / 5);
        let words = line.tally.words;
        before += words;
        if !is_early || words as usize > most * 3 || !names_something(line) {
            continue;
        }
        if let Some(standing) = body.standing(lines, line, before - words) {
            if best.is_none_or(|(known, _)| standing > known) {
                best = Some((standing, line));
            }
        }
    }
    best.map(|(_, line)| line)
}

/// Words before a headline: a date, a path, a word above the line.
const EARLY: u32 = 20;

/// A heading has a letter in it; a price or a counter has none.
fn names_something(line: &Line) -> bool {
    line.tally.words > 0 && line.tally.characters > 1
}

/// How far a line stands out: by its size, then by what its element says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    size: u32,
    rank: u8,
}

/// What most of a block's text looks like.
struct Body {
    look: Option<Look>,
    lines: usize,
}

impl Body {
    fn of(lines: &Lines<'_>, own: &[Line]) -> Self {
        let mut sizes: Vec<(u32, Look)> = Vec::new();
        for line in own {
            let Some(look) = look(lines, line) else {
                continue;
            };
            let alike = |other: &Look| {
                (other.font_size, other.colour, other.weight)
                    == (look.font_size, look.colour, look.weight)
            };
            match sizes.iter().position(|(_, other)| alike(other)) {
                Some(at) => sizes[at].0 += line.tally.words,
                None if sizes.len() < 32 => sizes.push((line.tally.words, *look)),
                None => {}
            }
        }
        // Of equal ones the first.
        let most = sizes.iter().rev().max_by_key(|(words, _)| *words).map(|(_, look)| *look);
        Self { look: most, lines: own.len() }
    }

    /// How far a line with so many words before it stands out from the rest; none if it does not.
    fn standing(&self, lines: &Lines<'_>, line: &Line, before: u32) -> Option<Standing> {
        let rank = match line.rank {
            Rank::Heading(level) => 20 - level,
            Rank::Caption if before <= EARLY => 5,
            Rank::Strong if before <= EARLY && !line.prose && self.lines > 1 => 3,
            _ => 0,
        };
        let Some((own, body)) = look(lines, line).zip(self.look.as_ref()) else {
            return (rank > 0).then_some(Standing { size: 0, rank });
        };
        let size = u32::from(own.font_size);
        let is_larger = size * 10 >= u32::from(body.font_size) * LARGER;
        let is_apart = before <= EARLY
            && !line.prose
            && (own.colour != body.colour || own.weight >= body.weight.saturating_add(200))
            && self.lines > 1;
        let rank = if rank == 0 && is_apart { 2 } else { rank };
        (rank > 0 || is_larger).then_some(Standing { size, rank })
    }
}

fn look<'a>(lines: &Lines<'a>, line: &Line) -> Option<&'a Look> {
    lines.looks?.of(line.holder)
}

/// Whether a block is a menu: short links, hardly anything else.
pub(super) fn is_menu(own: &[Line], sum: &Sum) -> bool {
    let lines = own.len().max(1) as u32;
    sum.links >= 2 && sum.linked * 10 >= sum.words * 6 && sum.words <= 4 * lines.max(sum.links)
}

/// The opening of a block that has no mark of a headline: a link that is a line of its own, as a
/// teaser has, or a short line set apart before sentences.
pub(super) fn opening(own: &[Line], most: usize) -> Option<&Line> {
    let fits = |line: &&Line| line.tally.words >= 3 && line.tally.words as usize <= most * 2;
    let is_title = |line: &&Line| fits(line) && line.linked * 10 >= line.tally.words * 8;
    own.iter().find(is_title).or_else(|| {
        let prose = own.iter().position(|line| line.prose)?;
        own.get(..prose)?.iter().find(fits)
    })
}

/// The line with the most words; of equal ones the first.
pub(super) fn longest(own: &[Line]) -> Option<&Line> {
    own.iter().rev().max_by_key(|line| line.tally.words)
}

/// What a block without a headline is called by attributes that exist for that: the `aria-label` of
/// its outermost elements, the button of a form, the `alt` of a picture, the `title` of a frame.
pub(super) fn name<'a>(dom: &'a Dom, run: &Range<u32>, sum: &Sum) -> Option<&'a str> {
    let nodes =
        || run.clone().filter_map(|id| dom.get(NodeId(id))).filter(|node| node.is_element());
    let said =
        |text: &'a str| Some(text.trim()).filter(|text| text.chars().any(char::is_alphanumeric));
    let labelled = |node: Node<'a>| node.attribute("aria-label").and_then(said);
    // A box with one box inside is one thing: its label may be on either.
    let outermost = nodes().take(OUTERMOST).find_map(|node| {
        let holds_most = node.size() * 10 >= run.len() * 8;
        labelled(node).filter(|_| holds_most)
    });
    if outermost.is_some() {
        return outermost;
    }
    if sum.fields > 0 && sum.words < 40 {
        return nodes().find_map(form_name).and_then(said);
    }
    if sum.words == 0 {
        return nodes().find_map(|node| match node.name_id()? {
            known::IMG | known::AREA => node.attribute_by(known::ALT).and_then(said),
            known::IFRAME | known::VIDEO | known::OBJECT | known::EMBED | known::A => {
                node.attribute_by(known::TITLE).and_then(said).or_else(|| labelled(node))
            }
            known::INPUT => form_name(node).and_then(said),
            _ => labelled(node),
        });
    }
    None
}

/// Nodes at the beginning of a block among which its own label is looked for.
const OUTERMOST: usize = 8;

/// What a field or a button of a form says of the form.
fn form_name(node: Node<'_>) -> Option<&str> {
    let value = |name: &str| node.attribute(name).filter(|value| !value.trim().is_empty());
    match node.name_id()? {
        known::INPUT => match value("type") {
            Some("submit" | "button") => value("value"),
            Some("hidden") => None,
            _ => value("placeholder").or_else(|| value("aria-label")).or_else(|| value("title")),
        },
        known::TEXTAREA | known::SELECT => value("placeholder").or_else(|| value("aria-label")),
        known::FORM => value("aria-label"),
        _ => None,
    }
}
