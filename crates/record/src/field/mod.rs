//! Which part of a record is which field.
//!
//! The rules of the paper (seed 004 §3.3), as scores over columns: (1) a title is a link to a thread,
//! other in every row; (2) an author is a short name that comes again and leads to a page about one
//! person; (3) a time reads as a date and is in order; (4) content is the bulk of what only this record
//! says. Our copy of the paper leaves out how columns are found, and who wins where two rules want one.
//! Here every name that selects one node of each record makes a column (`column`), what a column says is
//! weighed by each rule (`thread` for titles, `author`, `time`, `mass` for content), and the fields of a
//! record are chosen together (`thread`, `post`). A text with several fields in it is cut at its dates
//! (`cut`). What records of other layouts have elsewhere is found last (`evidence`): a field has several
//! selectors then. Records that have nothing in common with the others are learned by themselves
//! (`layout`).

mod assignment;
mod author;
mod cell;
mod column;
mod cut;
mod evidence;
mod item;
mod layout;
mod mass;
mod neighbours;
mod other;
mod permalink;
mod post;
mod selector;
mod thread;
mod time;
mod value;

#[cfg(test)]
mod tests;

pub use assignment::Assignment;
pub use neighbours::Neighbours;
pub(crate) use other::plain;
pub use selector::Selector;

use std::collections::BTreeMap;

use url::Url;

use self::cell::Cells;
use self::column::{Page, Row, Table};
use self::evidence::{Choice, Evidence, First};
use self::mass::Mass;
use super::region::Span;
use super::{Field, Kind, date};
use page::tree::names::known;
use page::tree::text::{base_url, is_space};
use page::tree::{Dom, Node};

/// Records that are learned from, and of one page.
const MAX_ROWS: usize = 240;
const MAX_ROWS_OF_PAGE: usize = 40;
/// Nodes of the records that are learned from.
const MAX_NODES: usize = 60_000;
/// Texts that the order of dates is voted by.
const MAX_VOTES: usize = 4_000;
/// Characters of a text with a vote.
const MAX_VOTE: usize = 64;
/// No assignment scores more: what posts and threads are weighed by adds up to 1, and what lies well beside
/// each other to little more.
pub(super) const BEST: f64 = 1.15;
/// How far above a node the link may be that it is in.
const LINK_ABOVE: usize = 4;
/// Nodes of an element that may have a link in it for all of it.
const LINK_BELOW: usize = 12;

/// A page with its records found.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    /// Where it was.
    pub url: &'a Url,
    /// When it was captured, in seconds of the Unix clock.
    pub captured: Option<i64>,
    /// One of its trees.
    pub dom: &'a Dom,
    /// Its records.
    pub spans: Vec<Span>,
}

/// The ways to read the records of some pages of one type and view, best first. Nothing if there are no
/// records.
///
/// ```
/// use record::{Field, Kind, Neighbours, Sample, Span, assign};
/// use page::tree::parse_str;
/// use url::Url;
///
/// let row = |n: u32, who: &str| {
///     format!(
///         "<li><a href=/thread/{n}>A question, number {n}</a> <a href=/user/{who}>{who}</a> \
///          <i>2026-05-0{n}</i></li>"
///     )
/// };
/// let names = ["ann", "bob", "ann", "eve", "bob"];
/// let rows: String = names.iter().zip(1..).map(|(who, n)| row(n, who)).collect();
/// let dom = parse_str(&format!("<ul>{rows}</ul>")).dom;
/// let url = Url::parse("http://forum.example/board/1").unwrap();
/// let nodes = dom.elements().filter(|node| node.name() == "li");
/// let spans = nodes.map(|node| Span { nodes: vec![node.id()], without: vec![], depth: 0 });
/// let sample = Sample { url: &url, captured: None, dom: &dom, spans: spans.collect() };
///
/// let best = &assign(&[sample.clone()], &Neighbours::default())[0];
/// assert_eq!(best.kind, Kind::Thread);
/// let records = best.records(&sample);
/// assert_eq!(records[2].title.as_deref(), Some("A question, number 3"));
/// assert_eq!(records[2].author.as_deref(), Some("ann"));
/// ```
pub fn assign(samples: &[Sample<'_>], around: &Neighbours) -> Vec<Assignment> {
    assign_if(samples, around, |_| true)
}

/// The same, if the score of the best way is worth it; nothing if not.
pub(super) fn assign_if(
    samples: &[Sample<'_>],
    around: &Neighbours,
    is_worth_it: impl Fn(f64) -> bool,
) -> Vec<Assignment> {
    // Posts may be learned once more, in two layouts, and be worth more then.
    let found = learn(samples, around, |best| best.kind == Kind::Post || is_worth_it(best.score));
    let apart = found.first().and_then(|best| layout::apart(samples, around, best));
    apart.unwrap_or(found)
}

/// The ways to read records that are laid out alike.
fn learn(
    samples: &[Sample<'_>],
    around: &Neighbours,
    is_worth_it: impl Fn(&Choice) -> bool,
) -> Vec<Assignment> {
    let table = table(samples);
    if table.rows.is_empty() {
        return Vec::new();
    }
    let mut columns = table.columns(|_| true, (table.rows.len() / 5).max(1));
    columns.extend(cut::cut(&table, &columns));
    columns.extend(table.whole());
    let mass = Mass::of(&table);
    let evidence = Evidence::of(&table, &columns, &mass, around);
    let mut choices = thread::threads(&evidence);
    choices.extend(post::posts(&evidence));
    choices.extend(item::items(&evidence));
    choices.sort_by(|a, b| b.score.total_cmp(&a.score));
    if !choices.first().is_some_and(is_worth_it) {
        return Vec::new();
    }
    choices.iter().map(|choice| assignment(&evidence, choice)).collect()
}

fn assignment(evidence: &Evidence<'_, '_>, choice: &Choice) -> Assignment {
    let rows = &evidence.table.rows;
    let fields = choice.fields.iter();
    let fields = fields.map(|(field, first)| (*field, first.and_later(evidence, *field)));
    let fields: BTreeMap<Field, Vec<Selector>> = fields.collect();
    let usual = fields.iter().map(|(field, selectors)| {
        let has =
            |row: &&Row<'_>| selectors.iter().any(|selector| selector.find(&row.cells).is_some());
        (*field, rows.iter().filter(has).count() as f64 / rows.len().max(1) as f64)
    });
    Assignment {
        kind: choice.kind,
        usual: usual.collect::<BTreeMap<_, _>>(),
        others: other::others(evidence, choice),
        fields,
        dates: evidence.table.order,
        score: choice.score,
        other: None,
    }
}

/// The records to learn from: of every page some, of many pages some pages.
fn table<'a>(samples: &[Sample<'a>]) -> Table<'a> {
    let rows: usize = samples.iter().map(|sample| sample.spans.len().min(MAX_ROWS_OF_PAGE)).sum();
    let size =
        |dom: &Dom, span: &Span| span.nodes.iter().map(|id| dom.node(*id).size()).sum::<usize>();
    let size_of = |sample: &Sample<'a>| {
        let spans = sample.spans.iter().take(MAX_ROWS_OF_PAGE);
        spans.map(|span| size(sample.dom, span)).sum::<usize>()
    };
    let nodes: usize = samples.iter().map(size_of).sum();
    let stride = rows.div_ceil(MAX_ROWS).max(nodes.div_ceil(MAX_NODES)).max(1);
    let mut table = Table { pages: Vec::new(), rows: Vec::new(), order: date::Order::default() };
    for sample in samples.iter().step_by(stride) {
        let page = table.pages.len();
        table.pages.push(Page {
            url: sample.url,
            base: base_url(sample.dom, sample.url),
            captured: sample.captured,
        });
        for span in sample.spans.iter().take(MAX_ROWS_OF_PAGE) {
            table.rows.push(Row { page, cells: Cells::of(sample.dom, span) });
        }
    }
    table.order = order(&table);
    table
}

/// How the dates of the records are written, by vote.
fn order(table: &Table<'_>) -> date::Order {
    let cells = table.rows.iter().flat_map(|row| &row.cells.list);
    let short = cells.filter(|cell| cell.length() > 0 && cell.length() <= MAX_VOTE);
    let texts = short.filter_map(|cell| cell.value());
    let dated = texts.filter(|text| text.bytes().filter(u8::is_ascii_digit).count() >= 3);
    let captured = table.pages.iter().filter_map(|page| page.captured).max();
    date::Order::vote(dated.take(MAX_VOTES), captured)
}

/// Where a node leads: the link that it is or is in, or the only one in it.
fn link_of(node: Node<'_>, base: &Url) -> Option<Url> {
    let near = std::iter::once(node).chain(node.ancestors().take(LINK_ABOVE));
    let inside = || {
        let mut links = node.descendants().take(LINK_BELOW).filter_map(href);
        links.next().filter(|_| node.size() <= LINK_BELOW && links.next().is_none())
    };
    let href = near.into_iter().find_map(href).or_else(inside)?;
    base.join(href.trim_matches(is_space)).ok()
}

fn href(node: Node<'_>) -> Option<&str> {
    node.attribute_by(known::HREF).filter(|_| node.is(known::A))
}
