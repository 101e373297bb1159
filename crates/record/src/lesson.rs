//! What teachers are good for: they say which region is right, fill in what no column says, and stand in
//! where no wrapper was learned.

use std::collections::BTreeMap;

use super::date;
use super::region::Span;
use super::table::tables;
use super::teacher::{Taught, Teacher, teach};
use super::wrapper::Found;
use super::{Field, Kind, Record, Source, View};
use page::tree::{Dom, Node, NodeId, Paths, unscripted, visible_text_of};
use url::Url;

/// The outermost elements of feeds.
const FEEDS: [&str; 3] = ["rss", "feed", "rdf:rdf"];
/// How sure a record is that only a teacher tells of: it may describe what the page does not show.
const TOLD: f64 = 0.5;
/// Bytes of a time as shown.
const MAX_TIME: usize = 120;

/// How far records and what teachers mark as posts are the same, from 0 to 1; none without teachers.
///
/// A record holds one marked element and each marked element is in a record, or something is wrong.
pub(super) fn agreement(pages: &[(&Dom, &[Taught], &[Span])]) -> Option<f64> {
    let (mut marked, mut spans, mut agreed) = (0usize, 0usize, 0usize);
    for (dom, taught, records) in pages {
        let marks: Vec<NodeId> = posts(taught).filter_map(|taught| taught.element).collect();
        if marks.is_empty() {
            continue;
        }
        marked += marks.len();
        spans += records.len();
        let holds_one =
            |span: &&Span| marks.iter().filter(|mark| holds(dom, span, **mark)).count() == 1;
        agreed += records.iter().filter(holds_one).count();
    }
    (marked > 0).then(|| 2.0 * agreed as f64 / (marked + spans) as f64)
}

/// Fills in what teachers say of records and no column does. Where elements of a record are marked as
/// its author and its time, these are.
pub(super) fn fill(dom: &Dom, taught: &[Taught], found: &mut [Found]) {
    for found in found.iter_mut().filter(|found| found.record.kind == Kind::Post) {
        let mut own = posts(taught)
            .filter(|taught| taught.element.is_some_and(|mark| holds(dom, &found.span, mark)));
        let (Some(taught), None) = (own.next(), own.next()) else { continue };
        let record = &mut found.record;
        let is_marked = taught.teacher == Teacher::Markup;
        if taught.author.is_some() && (is_marked || record.author.is_none()) {
            record.author.clone_from(&taught.author);
        }
        if taught.time.is_some() && (is_marked || record.time.is_none()) {
            record.time.clone_from(&taught.time);
        }
        if record.time_text.is_none() {
            record.time_text = shown_time(dom, taught);
        }
        if record.permalink.is_none() {
            record.permalink.clone_from(&taught.url);
        }
    }
}

/// Whether a page is a feed, which is nothing but what it says of its records.
pub(super) fn is_feed(source: &Source<'_>) -> bool {
    let Some(dom) = source.raw.or(source.rendered) else { return false };
    let named: Vec<_> = FEEDS.iter().filter_map(|name| dom.name(name)).collect();
    let has_feed = || dom.elements().any(|node| named.iter().any(|name| node.is(*name)));
    !named.is_empty() && has_feed() && {
        let taught = teach(dom, source.url);
        taught.first().is_some_and(|taught| taught.teacher == Teacher::Feed)
    }
}

/// The records that teachers tell of, where nothing else is found on a page.
pub(super) fn records(source: &Source<'_>) -> Vec<Record> {
    let told = |view: View| {
        let dom = source.own_view(view)?;
        let taught = teach(dom, source.url);
        let paths = Paths::new(dom);
        (!taught.is_empty())
            .then(|| taught.iter().map(|taught| record(dom, &paths, taught)).collect())
    };
    told(View::Rendered).or_else(|| told(View::Raw)).unwrap_or_default()
}

/// Whether a page tells of records itself, in its markup, in its data or in tables. On one that does not, only a
/// wrapper of its type can find any.
///
/// ```
/// let url = "https://forum.example/t/1".parse().unwrap();
/// let tells = |html: &str| record::tells_itself(&page::tree::parse_str(html).dom, &url);
/// assert!(tells("<div itemscope itemtype='https://schema.org/Comment'><p itemprop=text>It works.</div>"));
/// assert!(!tells("<div class=comment><p>It works.</div>"));
/// ```
pub fn tells_itself(dom: &Dom, url: &Url) -> bool {
    !tables(dom).is_empty()
        || !teach(dom, url).is_empty()
        || unscripted(dom).is_some_and(|dom| !teach(&dom, url).is_empty())
}

fn record(dom: &Dom, paths: &Paths<'_>, taught: &Taught) -> Record {
    let xpath = |id: NodeId| paths.of(id).map(|path| path.to_string());
    let places: BTreeMap<Field, String> =
        taught.places.iter().filter_map(|(field, place)| Some((*field, xpath(*place)?))).collect();
    Record {
        kind: taught.kind,
        id: taught.url.as_ref().map(ToString::to_string),
        xpath: taught.element.and_then(xpath).unwrap_or_default(),
        title: taught.title.clone(),
        author: taught.author.clone(),
        time: taught.time.clone(),
        time_text: shown_time(dom, taught),
        content_text: taught.content.clone(),
        content_html: None,
        text: taught.content.clone().unwrap_or_default(),
        quotes: Vec::new(),
        links: Vec::new(),
        permalink: taught.url.clone(),
        position: None,
        reply_to: Vec::new(),
        replies: taught.replies,
        last_author: None,
        last_time: None,
        fields: taught.others.clone(),
        field_xpaths: places,
        confidence: TOLD,
        proofs: Vec::new(),
    }
}

/// How a page shows the time that a teacher tells.
fn shown_time(dom: &Dom, taught: &Taught) -> Option<String> {
    let place = dom.node(*taught.places.get(&Field::Time)?);
    let text = |node: Node<'_>| {
        let text = visible_text_of(node);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (1..=MAX_TIME).contains(&text.len()).then_some(text)
    };
    // What is there for machines only has what is shown beside it.
    let beside = || {
        let text = text(place.parent()?)?;
        let (range, _) = date::find(&text, &date::Order::default(), None)?;
        text.get(range).map(str::to_owned)
    };
    text(place).or_else(beside)
}

fn posts(taught: &[Taught]) -> impl Iterator<Item = &Taught> {
    taught.iter().filter(|taught| taught.kind == Kind::Post)
}

fn holds(dom: &Dom, span: &Span, mark: NodeId) -> bool {
    let within = |ids: &[NodeId]| ids.iter().any(|id| *id <= mark && mark < dom.node(*id).end());
    within(&span.nodes) && !within(&span.without)
}
