//! Which part of a record: the name of a column.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use super::author::start_of;
use super::cell::{Cell, Cells, Mark, Stamp, extend, extend_numbered, folded, node_text, tokens};
use super::cut::Cut;
use crate::date;
use page::state::url::shape;
use page::tree::Node;

/// Links that a pattern is learned from at least.
const ENOUGH_LINKS: usize = 4;

/// Which part of a record, in every record of a type.
///
/// It names at most one node of a record, and what of it is meant: its text without what all
/// records say, an attribute, the date or the number in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Selector {
    place: Place,
    part: Part,
    /// What stands before the value in all records ("by ").
    #[serde(default, skip_serializing_if = "String::is_empty")]
    before: String,
    /// What stands behind it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    after: String,
    /// The pattern of the addresses that it leads to, if it names people: a link to something else is
    /// none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    leads: Option<Leads>,
    /// Which part of its text, where that has several fields in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut: Option<Cut>,
}

/// A pattern of addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Leads {
    /// What most of them are or, if they differ, what they begin with.
    pattern: Box<str>,
    is_whole: bool,
    /// Whether they are of the site itself.
    is_own: bool,
}

impl Leads {
    /// What nearly all of some addresses have in common, seen from their pages.
    pub(super) fn of<'u>(links: impl Iterator<Item = (&'u Url, &'u Url)>) -> Option<Self> {
        let (mut whole, mut starts) = (HashMap::new(), HashMap::new());
        let mut all = 0;
        for (page, link) in links {
            all += 1;
            let (shape, is_own) = (shape(link), link.host_str() == page.host_str());
            *starts.entry((start_of(&shape).to_owned(), is_own)).or_insert(0) += 1;
            *whole.entry((shape, is_own)).or_insert(0) += 1;
        }
        let most = |of: HashMap<(String, bool), usize>, share: usize| {
            let (pattern, count) = of.into_iter().max_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)))?;
            (count * 10 >= all * share).then_some(pattern)
        };
        let is_enough = |_: &(String, bool)| all >= ENOUGH_LINKS;
        if let Some((pattern, is_own)) = most(whole, 7).filter(is_enough) {
            return Some(Leads { pattern: pattern.into(), is_whole: true, is_own });
        }
        let (pattern, is_own) = most(starts, 8).filter(is_enough)?;
        Some(Leads { pattern: pattern.into(), is_whole: false, is_own })
    }

    /// Whether an address is of the pattern, seen from a page.
    pub(super) fn fits(&self, page: &Url, link: &Url) -> bool {
        let shape = shape(link);
        // Of one place with others: names make patterns of their own where numbers make one.
        let start = start_of(&self.pattern);
        let is_like = match self.is_whole {
            true => self.spans(&shape) || (start.len() > 1 && start == start_of(&shape)),
            false => *self.pattern == *start_of(&shape),
        };
        is_like && self.is_own == (link.host_str() == page.host_str())
    }
}

impl Leads {
    /// Whether a pattern is this one, or what this one is with something in place of its `*`: some names
    /// have a number, others none.
    fn spans(&self, shape: &str) -> bool {
        let ends = self.pattern.split_once('*').zip(self.pattern.rsplit_once('*'));
        let within = |((before, _), (_, after)): ((&str, &str), (&str, &str))| {
            let rest = shape.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            rest.is_some_and(|rest| !rest.contains(['/', '?']))
        };
        *self.pattern == *shape || ends.is_some_and(within)
    }
}

/// Where in a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Place {
    /// All of the record, where it is a run of nodes with no element around it.
    Record,
    /// Down by numbered steps: `tr[1]/td[4]/a[1]`.
    Steps(Vec<(Box<str>, u16)>),
    /// One of the nodes under a path.
    Among {
        /// Names of elements from the top of the record down.
        path: Vec<Box<str>>,
        /// What one of the elements of that path is marked with.
        token: Option<Token>,
        /// Which of them: from the first (0, 1 …) or from the last (-1, -2 …).
        nth: i16,
    },
}

/// What tells an element from others under the same path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Token {
    /// How far above the node the marked element is; 0 is the node itself.
    pub(super) up: u8,
    pub(super) attribute: Attribute,
    pub(super) value: Box<str>,
}

/// The attribute that a token is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Attribute {
    Class,
    Itemprop,
    Rel,
}

impl From<Mark> for Attribute {
    fn from(mark: Mark) -> Self {
        match mark {
            Mark::Class => Attribute::Class,
            Mark::Itemprop => Attribute::Itemprop,
            Mark::Rel => Attribute::Rel,
        }
    }
}

/// What of a node is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Part {
    /// Its text.
    Text,
    /// The value of an attribute.
    Attribute(Box<str>),
    /// The date that it tells.
    Date,
    /// The number in its text.
    Number,
    /// The same, of something that there may be none of: words without a number say so.
    Count,
    /// Where it links to.
    Link,
    /// What is in it and in no other field.
    Rest,
}

impl Selector {
    pub(super) fn new(place: Place, part: Part) -> Self {
        Selector {
            place,
            part,
            before: String::new(),
            after: String::new(),
            leads: None,
            cut: None,
        }
    }

    pub(super) fn cut(mut self, cut: Option<Cut>) -> Self {
        self.cut = cut;
        self
    }

    pub(super) fn between(mut self, before: &str, after: &str) -> Self {
        self.before = before.to_owned();
        self.after = after.to_owned();
        self
    }

    /// The same, also without these words, where nothing else is known to stand around the value.
    pub(super) fn within(mut self, before: &str, after: &str) -> Self {
        if self.before.is_empty() {
            self.before = before.to_owned();
        }
        if self.after.is_empty() {
            self.after = after.to_owned();
        }
        self
    }

    pub(super) fn leading(mut self, leads: Option<Leads>) -> Self {
        self.leads = leads;
        self
    }

    /// Whether a link from a page is one of those that it leads to.
    pub(super) fn fits(&self, page: &Url, link: Option<&Url>) -> bool {
        let leads = self.leads.as_ref().zip(link);
        leads.is_none_or(|(leads, link)| leads.fits(page, link))
    }

    /// Whether it is known where its values lead to.
    pub(super) fn is_leading(&self) -> bool {
        self.leads.is_some()
    }

    /// The same place, for another part of it.
    pub(super) fn of_part(&self, part: Part) -> Self {
        Selector { part, ..self.clone() }
    }

    pub(super) fn part(&self) -> &Part {
        &self.part
    }

    /// What the page puts behind the value, up to the next mark.
    pub(super) fn unit(&self) -> Option<&str> {
        let is_end = |c: char| matches!(c, ',' | ';' | '.' | '·' | '|' | ')');
        self.after.split(is_end).next().filter(|unit| !unit.trim().is_empty())
    }

    /// What the page puts before the value: its label.
    pub(super) fn label(&self) -> Option<&str> {
        (!self.before.is_empty()).then_some(self.before.as_str())
    }

    /// The cell of a record that it names.
    pub(super) fn find(&self, cells: &Cells<'_>) -> Option<usize> {
        self.place.find(cells)
    }

    /// Whether it names the whole record.
    pub(super) fn is_whole(&self) -> bool {
        self.place == Place::Record
    }

    /// The date of a cell that it names.
    pub(super) fn stamp<'c>(
        &self,
        cell: &'c Cell<'_>,
        order: &date::Order,
        captured: Option<i64>,
    ) -> Option<&'c Stamp> {
        match self.cut {
            None => cell.stamp(order, captured),
            Some(Cut::Date(at)) => Some(&cell.dates(order, captured).get(usize::from(at))?.stamp),
            Some(Cut::Piece(_)) => None,
        }
    }

    /// What it says of a cell that it names, if that is a text.
    pub(super) fn text(
        &self,
        cell: &Cell<'_>,
        order: &date::Order,
        captured: Option<i64>,
    ) -> Option<String> {
        if let Some(cut) = self.cut {
            let piece = cut.of(cell.value()?, cell.dates(order, captured))?;
            return unmarked(strip(piece, &self.before, &self.after))
                .and_then(|text| unmarked(strip(&text, &self.before, &self.after)));
        }
        let whole = match &self.part {
            Part::Attribute(name) => folded(cell.node.attribute(name)?),
            _ => match cell.value() {
                Some(value) => value.to_owned(),
                None => folded(&node_text(cell.node)),
            },
        };
        let value = strip(&whole, &self.before, &self.after).trim();
        (!value.is_empty()).then(|| value.to_owned())
    }
}

/// What is left of a piece without the marks that part it from what is beside it; none if that is nothing.
pub(super) fn unmarked(piece: &str) -> Option<String> {
    let is_mark =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '·' | '|' | '•' | '—' | '–');
    let text = piece.trim_matches(is_mark);
    let text = text.strip_prefix("- ").unwrap_or(text);
    let text = text.strip_suffix(" -").unwrap_or(text).trim();
    text.contains(char::is_alphanumeric).then(|| text.to_owned())
}

/// A text without what stands before and behind the value; either may be missing.
pub(super) fn strip<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let text = text.strip_prefix(before).unwrap_or(text);
    text.strip_suffix(after).unwrap_or(text)
}

impl Place {
    pub(super) fn find(&self, cells: &Cells<'_>) -> Option<usize> {
        match self {
            Place::Record => (!cells.list.is_empty()).then_some(0),
            Place::Steps(steps) => {
                let key = steps.iter().fold(0, |key, (name, n)| extend_numbered(key, name, *n));
                cells.list.iter().position(|cell| cell.steps == key)
            }
            Place::Among { path, token, nth } => {
                let key = path.iter().fold(0, |key, name| extend(key, name));
                let is_it = |at: &usize| {
                    cells.get(*at).is_some_and(|cell| {
                        cell.path == key
                            && token.as_ref().is_none_or(|token| token.marks(cells, *at))
                    })
                };
                let all = 0..cells.list.len();
                match usize::try_from(*nth) {
                    Ok(nth) => all.into_iter().filter(is_it).nth(nth),
                    Err(_) => all.rev().filter(is_it).nth(usize::from(nth.unsigned_abs()) - 1),
                }
            }
        }
    }

    /// A word that the page itself uses for the place: the value of its token.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Place::Among { token: Some(token), .. } => Some(&token.value),
            _ => None,
        }
    }
}

impl Token {
    fn marks(&self, cells: &Cells<'_>, at: usize) -> bool {
        let marked = match self.up {
            0 => Some(at),
            up => cells.above(at).nth(usize::from(up) - 1),
        };
        marked.and_then(|at| cells.get(at)).is_some_and(|cell| self.is_on(cell.node))
    }

    fn is_on(&self, node: Node<'_>) -> bool {
        tokens(node)
            .any(|(mark, value)| Attribute::from(mark) == self.attribute && value == &*self.value)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Record => out.write_str("."),
            Place::Steps(steps) => {
                for (name, number) in steps {
                    write!(out, "/{name}[{number}]")?;
                }
                Ok(())
            }
            Place::Among { path, token, nth } => {
                for (at, name) in path.iter().enumerate() {
                    write!(out, "/{name}")?;
                    let up = path.len() - 1 - at;
                    match token {
                        Some(token) if usize::from(token.up) == up => write!(out, "{token}")?,
                        _ => {}
                    }
                }
                match nth {
                    0 => Ok(()),
                    1.. => write!(out, " #{}", nth + 1),
                    _ => write!(out, " #{nth}"),
                }
            }
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.attribute {
            Attribute::Class => write!(out, ".{}", self.value),
            Attribute::Itemprop => write!(out, "[itemprop={}]", self.value),
            Attribute::Rel => write!(out, "[rel={}]", self.value),
        }
    }
}

impl fmt::Display for Selector {
    /// `/tr/td/span.date`, with ` @title` for an attribute and the like.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.place)?;
        match &self.part {
            Part::Text => {}
            Part::Attribute(name) => write!(out, " @{name}")?,
            Part::Date => out.write_str(" date")?,
            Part::Number => out.write_str(" number")?,
            Part::Count => out.write_str(" count")?,
            Part::Link => out.write_str(" link")?,
            Part::Rest => out.write_str(" rest")?,
        }
        match self.cut {
            Some(Cut::Piece(at)) => write!(out, " piece {}", at + 1)?,
            Some(Cut::Date(at)) => write!(out, " {}", at + 1)?,
            None => {}
        }
        if !self.before.is_empty() {
            write!(out, " after {:?}", self.before)?;
        }
        if !self.after.is_empty() {
            write!(out, " before {:?}", self.after)?;
        }
        Ok(())
    }
}
