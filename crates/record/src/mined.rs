//! Records as the papers take them: from each page by itself, by what is repeated on it.
//!
//! FDRE's records get the fields of seed 004 (§3), by its four rules as they stand there: the title is a
//! link to a thread, the author a link to a user (both by the site map, so that pages of these must be
//! among those that are given), the time is what reads as a date and is in order, and the content is an
//! inner node with text. Where the paper leaves open which, the first that fits is taken, and of contents
//! the element with the most text that holds neither author nor time. MDR knows no fields.

use std::collections::BTreeMap;

use url::Url;

use super::field::{Assignment, Sample};
use super::map::{Role, SiteMap};
use super::region::{Span, Tags, fdre, mdr};
use super::site::Site;
use super::{Field, Kind, Moment, Record, Source, date};
use page::tree::names::known;
use page::tree::text::{base_url, is_invisible, visible_text_of};
use page::tree::{Dom, Node, NodeId, Paths};

/// Dates of a record that are looked at.
const MOST_DATES: usize = 8;

/// How records are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RecordMethod {
    /// By wrappers that are learned over all pages of a type.
    #[default]
    Learned,
    /// As in seed 004: page by page, with the four rules for fields.
    Fdre,
    /// As in Liu, Grossman & Zhai 2003: page by page, without fields.
    Mdr,
}

impl RecordMethod {
    /// The records of pages of one site, page by page. The papers' methods read what a browser made of a
    /// page, or else what the server sent.
    ///
    /// ```
    /// use page::tree::parse_str;
    /// use record::{RecordMethod, Source};
    /// use url::Url;
    ///
    /// let dom = parse_str("<ul><li>The pump leaks, 2026-01-05<li>Buy another, 2026-01-06</ul>").dom;
    /// let url = Url::parse("http://forum.example/thread/1").unwrap();
    /// let page = Source { url: &url, page_type: None, captured: None, rendered: Some(&dom), raw: None };
    /// let records = RecordMethod::Fdre.records(&[page]);
    /// assert_eq!(records[0][1].text, "Buy another, 2026-01-06");
    /// assert_eq!(records[0][1].time_text.as_deref(), Some("2026-01-06"));
    /// ```
    pub fn records(self, sources: &[Source<'_>]) -> Vec<Vec<Record>> {
        match self {
            RecordMethod::Learned => Site::learn_and_read(sources).1,
            RecordMethod::Mdr => {
                sources.iter().map(|source| mined(source, Kind::Item, mdr).1).collect()
            }
            RecordMethod::Fdre => {
                let map = SiteMap::of(sources);
                let around = map.neighbours(sources);
                let role = |url: &Url| {
                    let of = usize::try_from(around.page_type(url)?).ok()?;
                    map.types().get(of).map(|of| of.role)
                };
                let page = |(at, source)| {
                    let kind = match map.role_of(at) {
                        Role::List | Role::Boards => Kind::Thread,
                        Role::Thread => Kind::Post,
                        Role::User | Role::Item | Role::Other => Kind::Item,
                    };
                    let (sample, mut records) = mined(source, kind, fdre);
                    if let Some(sample) = sample {
                        give_fields(&sample, role, &mut records);
                    }
                    records
                };
                sources.iter().enumerate().map(page).collect()
            }
        }
    }
}

/// The records of the likeliest region of a page, without fields.
fn mined<'a>(
    source: &Source<'a>,
    kind: Kind,
    miner: fn(&Dom) -> Vec<Vec<Span>>,
) -> (Option<Sample<'a>>, Vec<Record>) {
    let Some(dom) = source.rendered.or(source.raw) else { return (None, Vec::new()) };
    let spans = miner(dom).into_iter().next().unwrap_or_default();
    let sample = Sample { url: source.url, captured: source.captured, dom, spans };
    let bare = Assignment {
        kind,
        fields: BTreeMap::new(),
        others: Vec::new(),
        usual: BTreeMap::new(),
        dates: date::Order::default(),
        score: 0.0,
        other: None,
    };
    let mut records = bare.records(&sample);
    for (record, span) in records.iter_mut().zip(&sample.spans) {
        record.text = span.text(dom);
    }
    (Some(sample), records)
}

/// A date within a record: its text node, what it says, and when that is.
type Dated<'a> = (Node<'a>, &'a str, Moment);

/// Reads the fields of a page's records by the four rules.
fn give_fields(sample: &Sample<'_>, role: impl Fn(&Url) -> Option<Role>, records: &mut [Record]) {
    let base = base_url(sample.dom, sample.url);
    let (paths, tags) = (Paths::new(sample.dom), Tags::new(sample.dom));
    let dates = in_order(sample);
    for ((record, span), date) in records.iter_mut().zip(&sample.spans).zip(dates) {
        let mut put = |field: Field, node: Node<'_>| {
            let xpath = paths.of(node.id()).map(|path| path.to_string());
            record.field_xpaths.extend(xpath.map(|xpath| (field, xpath)));
        };
        let to = |wanted: Role| {
            span.walk(sample.dom).filter(|node| node.is(known::A)).find_map(|node| {
                let url = base.join(node.attribute_by(known::HREF)?).ok()?;
                let text = visible_text_of(node);
                (role(&url) == Some(wanted) && !text.is_empty()).then_some((node, url, text))
            })
        };
        let author = to(Role::User);
        let author_node = author.as_ref().map(|(node, ..)| node.id());
        if let Some((node, _, text)) = author {
            put(Field::Author, node);
            record.author = Some(text);
        }
        if let Some((node, url, text)) = to(Role::Thread).filter(|_| record.kind == Kind::Thread) {
            put(Field::Title, node);
            record.title = Some(text);
            record.permalink = Some(url);
        }
        let time_node = date.as_ref().map(|(node, ..)| node.id());
        if let Some((node, text, moment)) = date {
            node.parent().into_iter().for_each(|parent| put(Field::Time, parent));
            record.time_text = Some(text.to_owned());
            record.time = Some(moment);
        }
        let content = (record.kind == Kind::Post)
            .then(|| content(sample, span, &tags, [author_node, time_node]))
            .flatten();
        if let Some(node) = content {
            put(Field::Content, node);
            record.content_text = Some(visible_text_of(node));
        }
    }
}

/// The date of each record: the first, second… of all, whichever ascend or descend over the page.
fn in_order<'a>(sample: &Sample<'a>) -> Vec<Option<Dated<'a>>> {
    let texts: Vec<Vec<Node<'a>>> =
        sample.spans.iter().map(|span| texts(sample.dom, span)).collect();
    let order = date::Order::vote(texts.iter().flatten().map(|node| node.text()), sample.captured);
    let dated = |node: Node<'a>| {
        let (range, moment) = date::find(node.text(), &order, sample.captured)?;
        Some((node, node.text().get(range)?, moment))
    };
    let dates_of = |texts: &Vec<Node<'a>>| -> Vec<Dated<'a>> {
        texts.iter().copied().filter_map(dated).take(MOST_DATES).collect()
    };
    let dates: Vec<Vec<Dated<'a>>> = texts.iter().map(dates_of).collect();
    let at = |number: usize| dates.iter().map(move |dates| dates.get(number));
    let is_ordered = |number: &usize| {
        let times = || at(*number).flatten().map(|(.., moment)| moment.unix);
        times().is_sorted() || times().is_sorted_by(|a, b| a >= b)
    };
    let number = (0..MOST_DATES).find(is_ordered).unwrap_or(0);
    at(number).map(|dated| dated.cloned()).collect()
}

/// The texts that a record shows, in document order.
fn texts<'a>(dom: &'a Dom, span: &Span) -> Vec<Node<'a>> {
    let is_shown = |node: &Node<'_>| {
        node.kind() == page::tree::Kind::Text && !node.parent().is_some_and(is_invisible)
    };
    span.walk(dom).filter(is_shown).collect()
}

/// The element of a record with the most text that holds none of these nodes; of equal ones the
/// outermost, which comes first.
fn content<'a>(
    sample: &Sample<'a>,
    span: &Span,
    tags: &Tags<'_>,
    apart: [Option<NodeId>; 2],
) -> Option<Node<'a>> {
    let holds = |node: Node<'_>, id: NodeId| node.id() <= id && id < node.end();
    let is_apart = |node: &Node<'_>| !apart.iter().flatten().any(|id| holds(*node, *id));
    let elements = span.walk(sample.dom).filter(|node| node.is_element() && is_apart(node));
    let shown = elements.map(|node| (tags.letters(node.id(), node.id()), node));
    let best = shown.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(letters, _)| *letters > 0).map(|(_, node)| node)
}
