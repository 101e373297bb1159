//! A way to read records, and reading them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;

use super::cell::{Cell, Cells};
use super::selector::{Part, Selector};
use super::value::{has_digit, number_in};
use super::{Sample, link_of};
use crate::region::Span;
use crate::{Field, Kind, Moment, Record, date};
use page::tree::text::base_url;
use page::tree::{Dom, NodeId, Paths};

/// Nodes that a content may consist of.
const MAX_CONTENT: usize = 2_000;

/// Which part of a record is which field, for the records of one type.
///
/// A field has one or more selectors: each serves the records that those before it find nothing in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// What the records are.
    pub kind: Kind,
    /// Where the known fields are.
    pub fields: BTreeMap<Field, Vec<Selector>>,
    /// Where other columns are, by name.
    pub others: Vec<(String, Selector)>,
    /// The share of records that have a field.
    pub usual: BTreeMap<Field, f64>,
    /// How the site writes dates.
    pub dates: date::Order,
    /// How well the records of a region are read so, from 0 to 1: comparable between regions of the same
    /// pages.
    pub score: f64,
    /// How records are read that these fields find no content in: the first post of a thread may be laid
    /// out like no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<Box<Assignment>>,
}

impl Assignment {
    /// Reads one record. Its content is left to [`Assignment::content`].
    pub fn read(&self, sample: &Sample<'_>, span: &Span) -> Record {
        self.read_at(sample, &base_url(sample.dom, sample.url), &Paths::new(sample.dom), span)
    }

    /// Reads all records of a page.
    pub fn records(&self, sample: &Sample<'_>) -> Vec<Record> {
        let base = base_url(sample.dom, sample.url);
        let paths = Paths::new(sample.dom);
        sample.spans.iter().map(|span| self.read_at(sample, &base, &paths, span)).collect()
    }

    fn read_at(&self, sample: &Sample<'_>, base: &Url, paths: &Paths<'_>, span: &Span) -> Record {
        let cells = Cells::of(sample.dom, span);
        let of = self.of(&cells);
        let reader = Reader { of, cells: &cells, base: Some(base), captured: sample.captured };
        let xpath = |id: NodeId| paths.of(id).map(|path| path.to_string());
        let place = |field: Field| {
            let (at, _) = reader.find(field)?;
            let cell = cells.get(at)?;
            let node = if cell.node.is_element() { cell.node } else { cell.node.parent()? };
            Some((field, xpath(node.id())?))
        };
        let (time, time_text) = reader.moment(Field::Time).unzip();
        let last_time = reader.moment(Field::LastTime).and_then(|(moment, _)| moment);
        let permalink = reader.link(Field::Permalink);
        let mut record = Record {
            kind: of.kind,
            id: permalink.as_ref().and_then(id_in).or_else(|| id_of(&cells)),
            xpath: span.nodes.iter().filter_map(|id| xpath(*id)).collect::<Vec<_>>().join(" | "),
            title: reader.text(Field::Title),
            author: reader.text(Field::Author),
            time: time.flatten(),
            time_text,
            content_text: None,
            content_html: None,
            links: Vec::new(),
            permalink,
            position: reader.number(Field::Position),
            reply_to: Vec::new(),
            text: String::new(),
            quotes: Vec::new(),
            replies: reader.number(Field::Replies),
            last_author: reader.text(Field::LastAuthor),
            last_time,
            fields: reader.others(),
            field_xpaths: of.fields.keys().filter_map(|field| place(*field)).collect(),
            confidence: 0.0,
            proofs: Vec::new(),
        };
        if let Some(board) = reader.text(Field::Board) {
            record.fields.insert("board".to_owned(), board);
        }
        record.confidence = self.score.clamp(0.0, 1.0) * of.completeness(&record);
        record
    }

    /// Whether a record has a field.
    pub(super) fn finds(&self, field: Field, sample: &Sample<'_>, span: &Span) -> bool {
        let cells = Cells::of(sample.dom, span);
        let base = base_url(sample.dom, sample.url);
        let captured = sample.captured;
        Reader { of: self, cells: &cells, base: Some(&base), captured }.find(field).is_some()
    }

    /// Whether the author of a record leads to where those of a selector do.
    pub(super) fn leads_as(&self, names: &Selector, sample: &Sample<'_>, span: &Span) -> bool {
        let cells = Cells::of(sample.dom, span);
        let base = base_url(sample.dom, sample.url);
        let reader = Reader { of: self, cells: &cells, base: Some(&base), captured: None };
        let link = reader.link(Field::Author);
        link.is_some_and(|link| names.fits(sample.url, Some(&link)))
    }

    /// What reads a record: this, or that for records of the other layout.
    fn of(&self, cells: &Cells<'_>) -> &Assignment {
        let finds = |of: &Assignment| {
            let reader = Reader { of, cells, base: None, captured: None };
            reader.find(Field::Content).is_some()
        };
        let other = self.other.as_deref().filter(|other| !finds(self) && finds(other));
        other.unwrap_or(self)
    }

    /// How much of what records of this type usually have this one has.
    fn completeness(&self, record: &Record) -> f64 {
        let (mut usual, mut found) = (0.0, 0.0);
        for (field, share) in &self.usual {
            let weight = match field {
                Field::Title | Field::Author | Field::Time | Field::Content => 1.0,
                _ => 0.5,
            };
            usual += weight * share;
            found += if record.field_xpaths.contains_key(field) { weight * share } else { 0.0 };
        }
        if usual > 0.0 { (found / usual).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The nodes of a record that its content is in, in document order.
    pub fn content(&self, dom: &Dom, span: &Span) -> Vec<NodeId> {
        let cells = Cells::of(dom, span);
        let reader = Reader { of: self.of(&cells), cells: &cells, base: None, captured: None };
        let Some((at, selector)) = reader.find(Field::Content) else { return Vec::new() };
        match (selector.part(), cells.get(at)) {
            (Part::Rest, Some(_)) if selector.is_whole() => reader.rest(None),
            (Part::Rest, Some(_)) => reader.rest(Some(at)),
            (_, Some(cell)) => vec![cell.node.id()],
            _ => Vec::new(),
        }
    }
}

struct Reader<'r, 'a> {
    of: &'r Assignment,
    cells: &'r Cells<'a>,
    /// What links are relative to; without it none is read.
    base: Option<&'r Url>,
    captured: Option<i64>,
}

impl<'r, 'a> Reader<'r, 'a> {
    fn find(&self, field: Field) -> Option<(usize, &Selector)> {
        let selectors = self.of.fields.get(&field)?;
        selectors.iter().find_map(|selector| {
            let at = selector.find(self.cells)?;
            let cell = self.cells.get(at)?;
            let says = match selector.part() {
                Part::Text | Part::Attribute(_) if field != Field::Content => {
                    let is_name = matches!(field, Field::Author | Field::LastAuthor);
                    let link = || self.base.and_then(|base| link_of(cell.node, base));
                    let fits = !is_name
                        || self.base.is_none_or(|base| selector.fits(base, link().as_ref()));
                    let says = |text: &str| !is_name || !self.is_date(text);
                    fits && self.says(selector, cell).as_deref().is_some_and(says)
                }
                Part::Date => selector.stamp(cell, &self.of.dates, self.captured).is_some(),
                Part::Number | Part::Count => self.count(selector, cell).is_some(),
                Part::Link => self.base.is_some_and(|base| link_of(cell.node, base).is_some()),
                _ => true,
            };
            says.then_some((at, selector))
        })
    }

    fn text(&self, field: Field) -> Option<String> {
        let (at, selector) = self.find(field)?;
        self.says(selector, self.cells.get(at)?)
    }

    fn says(&self, selector: &Selector, cell: &Cell<'_>) -> Option<String> {
        selector.text(cell, &self.of.dates, self.captured)
    }

    /// The number that a cell says; none at all is one, too.
    fn count(&self, selector: &Selector, cell: &Cell<'_>) -> Option<u64> {
        let text = self.says(selector, cell)?;
        let is_silent = *selector.part() == Part::Count && !has_digit(&text);
        if is_silent { Some(0) } else { number_in(&text) }
    }

    fn number(&self, field: Field) -> Option<u64> {
        let (at, selector) = self.find(field)?;
        self.count(selector, self.cells.get(at)?)
    }

    /// When something was, if that can be known, and how the page says it.
    fn moment(&self, field: Field) -> Option<(Option<Moment>, String)> {
        let (at, selector) = self.find(field)?;
        let cell = self.cells.get(at)?;
        let told = selector.stamp(cell, &self.of.dates, self.captured)?;
        // What is there for machines only may be shown elsewhere.
        let shown = match cell.length() {
            0 => self
                .cells
                .list
                .iter()
                .filter(|cell| cell.length() > 0)
                .filter_map(|cell| cell.stamp(&self.of.dates, self.captured))
                .find(|shown| shown.moment == told.moment && self.is_date(&shown.text)),
            _ => None,
        };
        let text = shown.map_or_else(|| told.text.clone(), |shown| shown.text.clone());
        Some((told.is_known.then(|| told.moment.clone()), text))
    }

    /// Whether a text is a date, with little beside it.
    fn is_date(&self, text: &str) -> bool {
        let found = || date::find(text, &self.of.dates, self.captured);
        date::tells(text) || found().is_some_and(|(range, _)| range.len() * 2 > text.len())
    }

    fn link(&self, field: Field) -> Option<Url> {
        let (at, _) = self.find(field)?;
        link_of(self.cells.get(at)?.node, self.base?)
    }

    fn others(&self) -> BTreeMap<String, String> {
        let values = self.of.others.iter().filter_map(|(name, selector)| {
            let cell = self.cells.get(selector.find(self.cells)?)?;
            Some((name.clone(), self.says(selector, cell)?))
        });
        values.collect()
    }

    /// The parts of a cell, or of the whole record, that hold no other field.
    fn rest(&self, within: Option<usize>) -> Vec<NodeId> {
        let fields = self.of.fields.iter().filter(|(field, _)| **field != Field::Content);
        let fields = fields.flat_map(|(_, selectors)| selectors);
        let taken: Vec<usize> = fields.filter_map(|selector| selector.find(self.cells)).collect();
        let mut nodes = Vec::new();
        let mut at = within.unwrap_or(0);
        let whole = self.cells.list.len();
        let end = within.map_or(whole, |within| self.cells.get(within).map_or(0, |of| of.end));
        while at < end && nodes.len() < MAX_CONTENT {
            let Some(cell) = self.cells.get(at) else { break };
            if taken.contains(&at) {
                at = cell.end;
            } else if Some(at) == within || taken.iter().any(|taken| self.cells.holds(at, *taken)) {
                at += 1;
            } else {
                // Of what a field stands in, brackets and commas are left.
                let is_mark = cell
                    .value()
                    .is_some_and(|text| !text.is_empty() && !text.contains(char::is_alphanumeric));
                let beside = taken
                    .iter()
                    .any(|taken| at > 0 && self.cells.holds(*taken, at - 1) || cell.end == *taken);
                if !(is_mark && beside && !cell.node.is_element()) {
                    nodes.push(cell.node.id());
                }
                at = cell.end;
            }
        }
        nodes
    }
}

/// What an address ends in: the number of its fragment, its last number, its last word.
fn id_in(url: &Url) -> Option<String> {
    let number = |text: &str| {
        let mut runs = text.rsplit(|c: char| !c.is_ascii_digit());
        runs.find(|run| !run.is_empty()).map(str::to_owned)
    };
    let whole = || {
        let last = url.path_segments()?.rfind(|part| !part.is_empty())?;
        Some(last.to_owned())
    };
    let fragment = url.fragment().filter(|fragment| !fragment.is_empty());
    fragment
        .and_then(number)
        .or_else(|| url.query().and_then(number))
        .or_else(|| number(url.path()))
        .or_else(|| fragment.map(str::to_owned))
        .or_else(whole)
}

/// The identifier of the element that a record is, or of one of the first in it.
fn id_of(cells: &Cells<'_>) -> Option<String> {
    let id = cells.list.iter().take(8).find_map(|cell| cell.node.attribute("id"))?;
    let digits = id.trim_start_matches(|c: char| !c.is_ascii_digit());
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some(if is_number { digits } else { id }.to_owned())
}
