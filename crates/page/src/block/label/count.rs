//! What the nodes of a page are and say, counted so that any run of them answers at once.

use super::hint::{Hints, Use};
use super::target::{Targets, is_counted};
use crate::block::line::{Line, Lines};
use crate::tree::names::known;
use crate::tree::{Kind, Node, NodeId, title};
use crate::words::is_dense;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Kinds of elements that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Made {
    Text,
    Password,
    Search,
    Email,
    Area,
    Choice,
    Tick,
    Button,
    Form,
    Item,
    Cell,
    First,
    Heading,
    Paragraph,
    Picture,
    Frame,
    Time,
    Anchor,
    Action,
    Paid,
    Pictured,
    Player,
    Script,
    Away,
    Counted,
    Blank,
    Large,
    Icon,
    Figure,
    Label,
    Any,
}

impl Made {
    pub(super) const ALL: [(Self, &'static str); 31] = [
        (Self::Text, "text"),
        (Self::Password, "password"),
        (Self::Search, "search"),
        (Self::Email, "email"),
        (Self::Area, "area"),
        (Self::Choice, "choice"),
        (Self::Tick, "tick"),
        (Self::Button, "button"),
        (Self::Form, "form"),
        (Self::Item, "item"),
        (Self::Cell, "cell"),
        (Self::First, "first"),
        (Self::Heading, "heading"),
        (Self::Paragraph, "paragraph"),
        (Self::Picture, "picture"),
        (Self::Frame, "frame"),
        (Self::Time, "time"),
        (Self::Anchor, "anchor"),
        (Self::Action, "action"),
        (Self::Paid, "paid"),
        (Self::Pictured, "pictured"),
        (Self::Player, "player"),
        (Self::Script, "script"),
        (Self::Away, "away"),
        (Self::Counted, "counted"),
        (Self::Blank, "blank"),
        (Self::Large, "large"),
        (Self::Icon, "icon"),
        (Self::Figure, "figure"),
        (Self::Label, "label"),
        (Self::Any, "any"),
    ];
}

/// Kinds of words that are counted, as `words.txt` lists them, and two that no list has.
pub(super) const WORDS: [&str; 17] = [
    "rights",
    "legal",
    "advert",
    "share",
    "comments",
    "login",
    "search",
    "newsletter",
    "related",
    "menu",
    "author",
    "date",
    "notice",
    "media",
    "price",
    "number",
    "title",
];
const NUMBER: usize = 15;
pub(super) const TITLE: usize = 16;

const MADE: usize = Made::ALL.len();
const WORD: usize = MADE;
const COVER: usize = MADE + WORDS.len();
const WIDTH: usize = COVER + Use::ALL.len();

/// What a run holds, by kind.
#[derive(Clone, Copy)]
pub(super) struct Count([u32; WIDTH]);

impl Count {
    const NONE: Self = Self([0; WIDTH]);

    pub(super) fn made(&self, what: Made) -> u32 {
        self.0[what as usize]
    }

    /// Words of a kind, by its place in [`WORDS`].
    pub(super) fn words(&self, kind: usize) -> u32 {
        self.0.get(WORD + kind).copied().unwrap_or_default()
    }

    /// Words, and elements, of it that are part of something that says it is for a use.
    pub(super) fn cover(&self, what: Use) -> u32 {
        self.0[COVER + what as usize]
    }
}

/// The counts of a page.
pub(super) struct Counts {
    /// What the nodes before each node hold, and one entry more for all.
    before: Vec<Count>,
}

impl Counts {
    pub(super) fn new(lines: &Lines<'_>, hints: &Hints) -> Self {
        let dom = lines.dom;
        let page = lines.sum_of(dom.root());
        let targets = Targets::of(dom);
        let mut before = Vec::with_capacity(dom.node_count() + 1);
        let mut all = Count::NONE;
        let mut until = [0; Use::ALL.len()];
        for node in dom.nodes() {
            before.push(all);
            let id = node.id().0;
            let mut shows = 0;
            if node.is_element() {
                shows = 1;
                count_element(node, lines, &targets, &mut all);
                let hint = hints.of(node);
                // A class on a wrapper of most of the page names one of the things in it.
                if !hint.is_empty() && lines.sum_of(node).words * 10 <= page.words * 6 {
                    for what in Use::ALL.into_iter().filter(|what| hint.says(*what)) {
                        let slot = &mut until[what as usize];
                        *slot = node.end().0.max(*slot);
                    }
                }
            } else if node.kind() == Kind::Text {
                shows = lines.sum(&(id..id + 1)).words;
            }
            for (slot, until) in all.0.iter_mut().skip(COVER).zip(&until) {
                *slot += if id < *until { shows } else { 0 };
            }
        }
        before.push(all);
        let mut counts = Self { before };
        counts.read(lines);
        counts
    }

    /// Counts the words of short lines.
    fn read(&mut self, lines: &Lines<'_>) {
        let title = title(lines.dom).to_lowercase();
        let mut said = [0; WORDS.len()];
        let mut filled = 0;
        let mut text = String::new();
        for line in lines.of(&(0..lines.dom.node_count() as u32)) {
            for count in self.before.iter_mut().take(line.first.at() + 1).skip(filled) {
                count.0[WORD..COVER].copy_from_slice(&said);
            }
            filled = line.first.at() + 1;
            if line.tally.words > MOST_WORDS {
                continue;
            }
            text.clear();
            lines.write(line, &mut text);
            let lower = text.to_lowercase();
            count_words(&lower, &mut said);
            said[TITLE] += u32::from(is_of_title(line, &lower, &title));
        }
        for count in self.before.iter_mut().skip(filled) {
            count.0[WORD..COVER].copy_from_slice(&said);
        }
    }

    /// What a run holds.
    pub(super) fn of(&self, run: &Range<u32>) -> Count {
        let at = |id: u32| self.before.get(id as usize).or(self.before.last());
        let (Some(from), Some(to)) = (at(run.start), at(run.end.max(run.start))) else {
            return Count::NONE;
        };
        let mut count = *to;
        for (slot, before) in count.0.iter_mut().zip(&from.0) {
            *slot -= before;
        }
        count
    }
}

/// Words of a line at most that are looked at: what names a part is short.
const MOST_WORDS: u32 = 30;

fn is_of_title(line: &Line, lower: &str, title: &str) -> bool {
    line.tally.words >= 2 && lower.len() * 5 >= title.len() * 2 && title.contains(lower)
}

fn count_element(node: Node<'_>, lines: &Lines<'_>, targets: &Targets, all: &mut Count) {
    let mut made = |what: Made| all.0[what as usize] += 1;
    made(Made::Any);
    let Some(name) = node.name_id() else {
        return;
    };
    match name {
        known::INPUT => match node.attribute_by(known::TYPE).unwrap_or_default() {
            "hidden" => {}
            "password" => made(Made::Password),
            "search" => made(Made::Search),
            "email" | "tel" => made(Made::Email),
            "checkbox" | "radio" => made(Made::Tick),
            "submit" | "button" | "image" | "reset" => made(Made::Button),
            _ => match node.attribute_by(known::NAME) {
                Some("q" | "s" | "search" | "query" | "keyword" | "keywords" | "k") => {
                    made(Made::Search);
                }
                _ => made(Made::Text),
            },
        },
        known::TEXTAREA => made(Made::Area),
        known::SELECT => made(Made::Choice),
        known::BUTTON => made(Made::Button),
        known::FORM => made(Made::Form),
        known::LI | known::DD | known::ARTICLE => made(Made::Item),
        known::TD | known::TH => made(Made::Cell),
        known::H1 => made(Made::First),
        known::H2 | known::H3 | known::H4 | known::H5 | known::H6 => made(Made::Heading),
        known::P => made(Made::Paragraph),
        known::IMG | known::SVG => {
            made(Made::Picture);
            let width = node.attribute("width").and_then(|width| width.parse::<u32>().ok());
            match width {
                Some(width) if width >= LARGE => made(Made::Large),
                Some(width) if width <= SMALL => made(Made::Icon),
                None if name == known::SVG => made(Made::Icon),
                _ => {}
            }
        }
        known::IFRAME | known::VIDEO | known::OBJECT | known::EMBED => {
            made(Made::Frame);
            let source = node.attribute_by(known::SRC).unwrap_or_default();
            let plays = name != known::IFRAME
                || ["embed", "player", "video"].iter().any(|word| source.contains(word));
            if plays {
                made(Made::Player);
            }
        }
        known::FIGURE | known::FIGCAPTION => made(Made::Figure),
        known::SCRIPT => made(Made::Script),
        known::A => {
            let href = node.attribute_by(known::HREF).unwrap_or_default();
            if href.starts_with('#') && href.len() > 1 {
                made(Made::Anchor);
            } else if href == "#" || href.starts_with("javascript:") {
                made(Made::Action);
            }
            if targets.is_elsewhere(href) {
                made(Made::Away);
            }
            if is_counted(href) {
                made(Made::Counted);
            }
            if node.attribute("target") == Some("_blank") {
                made(Made::Blank);
            }
            let rel = node.attribute_by(known::REL).unwrap_or_default();
            if rel.contains("nofollow") || rel.contains("sponsored") {
                made(Made::Paid);
            }
            if lines.sum_of(node).pictures > 0 {
                made(Made::Pictured);
            }
        }
        _ => match node.name() {
            "time" => made(Made::Time),
            "audio" => made(Made::Player),
            "label" => made(Made::Label),
            _ => {}
        },
    }
}

/// Widths in pixels from which a picture is one to look at, and up to which it is a sign.
const LARGE: u32 = 200;
const SMALL: u32 = 40;

/// The words of `words.txt` with the place of their kind in [`WORDS`].
static KNOWN: LazyLock<HashMap<&'static str, usize>> = LazyLock::new(|| {
    let lines = include_str!("words.txt").lines().filter_map(|line| line.split_once(": "));
    let kinds = lines
        .filter_map(|(kind, words)| Some((WORDS.iter().position(|known| *known == kind)?, words)));
    kinds.flat_map(|(kind, words)| words.split(' ').map(move |word| (word, kind))).collect()
});

/// Counts the known words of a text in lower case.
fn count_words(text: &str, said: &mut [u32; WORDS.len()]) {
    let mut from = 0;
    let mut before = None;
    let mut look = |word: &str| {
        if word.is_empty() {
            return;
        }
        if let Some(slot) = KNOWN.get(word).and_then(|kind| said.get_mut(*kind)) {
            *slot += 1;
        } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
            said[NUMBER] += 1;
        }
    };
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let dense = is_dense(c);
        if dense || !c.is_alphanumeric() {
            look(text.get(from..at).unwrap_or_default());
            from = end;
        }
        if dense {
            if let Some(start) = before {
                look(text.get(start..end).unwrap_or_default());
            }
        } else if matches!(c, '©' | '$' | '€' | '£' | '¥') {
            look(text.get(at..end).unwrap_or_default());
        }
        before = dense.then_some(at);
    }
    look(text.get(from..).unwrap_or_default());
}

/// The first lines of a run, for what they open with.
pub(super) fn opening(lines: &[Line]) -> Range<u32> {
    match lines {
        [] => 0..0,
        [only] => only.first.0..only.end.0,
        [first, second, ..] if first.tally.words <= 3 => first.first.0..second.end.0,
        [first, ..] => first.first.0..first.end.0,
    }
}

/// Elements around a node that are counted for how deep it is.
pub(super) fn depth(lines: &Lines<'_>, id: u32) -> usize {
    lines.dom.node(NodeId(id)).ancestors().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_str;

    fn kind(name: &str) -> usize {
        WORDS.iter().position(|known| *known == name).unwrap()
    }

    #[test]
    fn words_are_found_whole_and_han_words_anywhere() {
        let mut said = [0; WORDS.len()];
        count_words("share this: shared, 3 comments; 网友评论", &mut said);
        assert_eq!((said[kind("share")], said[kind("comments")]), (1, 3));
        assert_eq!(said[kind("number")], 1);
    }

    #[test]
    fn a_run_holds_what_its_nodes_do() {
        let html = "<title>The late ferry</title><p>Nobody saw the ship that came in at night.</p>\
            <div><input type=password><p>Login</p></div>\
            <div class=footer><p>The late ferry</p></div>";
        let dom = parse_str(html).dom;
        let lines = Lines::new(&dom, None);
        let counts = Counts::new(&lines, &Hints::new(&dom));
        let of = |at: usize| {
            let node = dom.elements().filter(|node| node.is(known::DIV)).nth(at).unwrap();
            counts.of(&(node.id().0..node.end().0))
        };
        let (first, second) = (of(0), of(1));
        assert_eq!((first.made(Made::Password), second.made(Made::Password)), (1, 0));
        assert_eq!((first.words(kind("login")), second.words(kind("login"))), (1, 0));
        assert_eq!((first.words(TITLE), second.words(TITLE)), (0, 1));
        assert!(second.cover(Use::Footer) >= 3 && first.cover(Use::Footer) == 0);
    }
}
