//! The lines of a page: what a reader reads one after another, counted once for everything that is
//! asked of its blocks.
//!
//! A line is a run of text without a break in it: a paragraph, a heading, a link of a menu. Topics
//! are found among them, labels are told from sums over them. Both are asked for every block of a
//! tree, and blocks are nested: so the page is read once, and a run of nodes answers from sums.

use std::ops::{Add, Range, Sub};
use std::sync::{Arc, OnceLock};

use super::looks::{Display, Looks};
use crate::tree::names::known;
use crate::tree::text::{breaks_line, is_invisible, is_space};
use crate::tree::{Dom, Kind, Node, NodeId};
use crate::words::{Tally, tally};

/// Words from which a line can be prose: a headline or the name of a link has fewer.
const FEWEST_OF_PROSE: u32 = 8;

/// Words from which a line with a mark is prose even if none of its words is a known function word,
/// as in languages that we have no list for.
const PROSE_WITHOUT_STOPS: u32 = 25;

/// The lines of a page, read once and asked by [`Topics`](super::Topics) and
/// [`Labels`](super::Labels).
///
/// ```
/// use page::block::Lines;
///
/// let dom = page::tree::parse_str("<h1>Harbour</h1><p>The ship <b>left</b> at dawn.</p>").dom;
/// let lines = Lines::new(&dom, None);
/// assert_eq!(lines.count(), 2);
/// ```
#[derive(Clone)]
pub struct Lines<'a> {
    pub(super) dom: &'a Dom,
    pub(super) looks: Option<&'a Looks>,
    read: Arc<Read>,
    /// Whether what styles hide is read too.
    is_whole: bool,
    /// What is read then, once it was asked for.
    whole: OnceLock<Arc<Read>>,
}

/// What is read of a page.
#[derive(Debug)]
struct Read {
    lines: Vec<Line>,
    /// What the nodes before each node show, and one entry more for all.
    sums: Vec<Sum>,
}

/// One line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Its first text.
    pub(super) first: NodeId,
    /// One past its last text.
    pub(super) end: NodeId,
    pub(super) tally: Tally,
    /// Words of it that are links.
    pub(super) linked: u32,
    /// Words of its longest link.
    pub(super) longest_link: u32,
    pub(super) rank: Rank,
    /// Whether it reads like sentences.
    pub(super) prose: bool,
    /// The element whose text comes first.
    pub(super) holder: NodeId,
}

impl Line {
    /// Whether it is the title of something elsewhere: a link of several words, and little else.
    pub(super) fn is_title_link(&self) -> bool {
        self.longest_link >= 4 && self.linked * 10 >= self.tally.words * 6
    }
}

/// What an element says a line is, the most outstanding first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// `h1` to `h6`, or a `heading` by role.
    Heading(u8),
    /// The name of a table, group of fields, details, picture or term.
    Caption,
    /// All of it stands out in the line's own element: `b`, `strong`, `big`.
    Strong,
    Plain,
}

/// What a run of nodes shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) words: u32,
    /// Words that are links.
    pub(super) linked: u32,
    /// Words of lines that read like sentences.
    pub(super) prose: u32,
    pub(super) stops: u32,
    pub(super) marks: u32,
    pub(super) lines: u32,
    pub(super) links: u32,
    pub(super) pictures: u32,
    /// Videos, players, frames, canvases.
    pub(super) media: u32,
    /// What a person fills in.
    pub(super) fields: u32,
    /// What a person presses.
    pub(super) controls: u32,
    pub(super) headings: u32,
}

impl Sum {
    /// Whether it shows nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.words + self.pictures + self.media + self.fields + self.controls == 0
    }
}

macro_rules! by_field {
    ($trait:ident, $method:ident, $($field:ident)*) => {
        impl $trait for Sum {
            type Output = Sum;
            fn $method(self, other: Sum) -> Sum {
                Sum { $($field: self.$field.$method(other.$field),)* }
            }
        }
    };
}
by_field!(Add, add, words linked prose stops marks lines links pictures media fields controls headings);
by_field!(Sub, sub, words linked prose stops marks lines links pictures media fields controls headings);

impl<'a> Lines<'a> {
    /// Reads a page.
    pub fn new(dom: &'a Dom, looks: Option<&'a Looks>) -> Self {
        let read = Arc::new(Read::of(dom, looks, false));
        Self { dom, looks, read, is_whole: false, whole: OnceLock::new() }
    }

    /// The lines with those that styles hide: menus, dialogs and the like before they are opened.
    /// Read when first asked for.
    pub(super) fn whole(&self) -> Self {
        let read = match self.is_whole {
            true => &self.read,
            false => self.whole.get_or_init(|| Arc::new(Read::of(self.dom, self.looks, true))),
        };
        let read = Arc::clone(read);
        Self { dom: self.dom, looks: self.looks, read, is_whole: true, whole: OnceLock::new() }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.read.lines.len()
    }

    /// What the nodes of a run show.
    pub(super) fn sum(&self, run: &Range<u32>) -> Sum {
        let at = |id: u32| self.read.sums.get(id as usize).or(self.read.sums.last()).copied();
        let before = at(run.start).unwrap_or_default();
        at(run.end.max(run.start)).unwrap_or_default() - before
    }

    /// What an element shows.
    pub(super) fn sum_of(&self, node: Node<'_>) -> Sum {
        self.sum(&(node.id().0..node.end().0))
    }

    /// The lines that begin in a run.
    pub(super) fn of(&self, run: &Range<u32>) -> &[Line] {
        let from = self.read.lines.partition_point(|line| line.first.0 < run.start);
        let to = self.read.lines.partition_point(|line| line.first.0 < run.end);
        self.read.lines.get(from..to).unwrap_or_default()
    }

    /// Appends the text of a line, white space folded.
    pub(super) fn write(&self, line: &Line, into: &mut String) {
        let start = into.len();
        let mut gap = false;
        let mut behind_link = 0;
        let mut id = line.first.0;
        while id < line.end.0 {
            let node = self.dom.node(NodeId(id));
            if node.is_element() && self.is_unread(node) {
                id = node.end().0;
                continue;
            }
            // Links side by side are names of their own, also where only a style parts them.
            if node.is(known::A) {
                gap |= id == behind_link;
                behind_link = node.end().0;
            }
            id += 1;
            if node.kind() != Kind::Text {
                continue;
            }
            for (at, word) in node.text().split(is_space).enumerate() {
                gap |= at > 0;
                if !word.is_empty() {
                    if gap && into.len() > start {
                        into.push(' ');
                    }
                    gap = false;
                    into.push_str(word);
                }
            }
        }
    }

    /// Whether a reader passes over an element: it shows nothing, or what it shows is not text of
    /// the page but choices of a form.
    fn is_unread(&self, node: Node<'_>) -> bool {
        let look = self.looks.and_then(|looks| looks.of(node.id()));
        is_hidden(node, look.map(|look| look.display), self.is_whole)
            || matches!(node.name_id(), Some(known::SELECT | known::TEXTAREA))
    }

    /// The text of a line.
    pub(super) fn text(&self, line: &Line) -> String {
        let mut text = String::new();
        self.write(line, &mut text);
        text
    }
}

impl Read {
    fn of(dom: &Dom, looks: Option<&Looks>, is_whole: bool) -> Self {
        let mut reader = Reader::new(dom, looks, is_whole);
        reader.read();
        let mut before = Sum::default();
        for sum in &mut reader.sums {
            let own = std::mem::replace(sum, before);
            before = before + own;
        }
        Self { lines: reader.lines, sums: reader.sums }
    }
}

/// Whether an element shows nothing; what only a style hides counts if all is read.
fn is_hidden(node: Node<'_>, display: Option<Display>, is_whole: bool) -> bool {
    is_invisible(node)
        || !is_whole
            && (display == Some(Display::None)
                || node.attribute_by(known::STYLE).is_some_and(hides))
}

/// Whether a `style` attribute takes an element off the page.
fn hides(style: &str) -> bool {
    style.split(';').filter_map(|part| part.split_once(':')).any(|(name, value)| {
        name.trim().eq_ignore_ascii_case("display") && value.trim().eq_ignore_ascii_case("none")
    })
}

struct Reader<'a> {
    dom: &'a Dom,
    looks: Option<&'a Looks>,
    is_whole: bool,
    lines: Vec<Line>,
    sums: Vec<Sum>,
    /// Ends of the open elements that are boxes of their own.
    boxes: Vec<u32>,
    line: Option<Line>,
    /// Words of the line that stand out.
    strong: u32,
    /// Words of the link that is being read.
    in_link: u32,
    /// Where the innermost link, heading and emphasis end.
    link_end: u32,
    rank: Rank,
    rank_end: u32,
    strong_end: u32,
}

impl<'a> Reader<'a> {
    fn new(dom: &'a Dom, looks: Option<&'a Looks>, is_whole: bool) -> Self {
        Self {
            dom,
            looks,
            is_whole,
            lines: Vec::new(),
            sums: vec![Sum::default(); dom.node_count() + 1],
            boxes: Vec::new(),
            line: None,
            strong: 0,
            in_link: 0,
            link_end: 0,
            rank: Rank::Plain,
            rank_end: 0,
            strong_end: 0,
        }
    }

    fn read(&mut self) {
        let mut id = 0;
        while (id as usize) < self.dom.node_count() {
            while self.boxes.last().is_some_and(|end| *end <= id) {
                self.boxes.pop();
                self.end_line();
            }
            let node = self.dom.node(NodeId(id));
            id = match node.kind() {
                Kind::Element => self.element(node),
                Kind::Text if !is_invisible(node) => {
                    self.text(node);
                    id + 1
                }
                Kind::Document => {
                    self.open_box(node);
                    id + 1
                }
                _ => id + 1,
            };
        }
        self.end_line();
    }

    fn open_box(&mut self, node: Node<'_>) {
        self.end_line();
        self.boxes.push(node.end().0);
    }

    /// Counts an element; gives the node to go on with.
    fn element(&mut self, node: Node<'_>) -> u32 {
        let end = node.end().0;
        let display = self.looks.and_then(|looks| looks.of(node.id())).map(|look| look.display);
        if is_hidden(node, display, self.is_whole) {
            return end;
        }
        let Some(name) = node.name_id() else {
            return node.id().0 + 1;
        };
        let is_box = match display {
            Some(display) if display != Display::None => {
                !matches!(display, Display::Inline | Display::Contents)
            }
            _ => breaks_line(name) || matches!(name, known::TD | known::TH),
        };
        if is_box || name == known::BR {
            self.open_box(node);
        }
        let Some(sum) = self.sums.get_mut(node.id().at()) else {
            return end;
        };
        match name {
            known::A | known::AREA if node.attribute_by(known::HREF).is_some() => {
                sum.links += 1;
                self.in_link = 0;
                self.link_end = self.link_end.max(end);
            }
            known::IMG => sum.pictures += u32::from(!is_beacon(node)),
            known::VIDEO | known::IFRAME | known::EMBED | known::OBJECT => sum.media += 1,
            known::SELECT | known::TEXTAREA => {
                sum.fields += 1;
                return end;
            }
            known::INPUT => match node.attribute_by(known::TYPE).unwrap_or_default() {
                "hidden" => {}
                "submit" | "button" | "image" | "reset" => sum.controls += 1,
                _ => sum.fields += 1,
            },
            known::BUTTON => sum.controls += 1,
            _ => {
                if matches!(node.name(), "audio" | "canvas") {
                    sum.media += 1;
                }
            }
        }
        if let Some(rank) = rank_of(node) {
            if matches!(rank, Rank::Heading(_)) {
                sum.headings += 1;
            }
            self.rank = rank;
            self.rank_end = end;
        } else if matches!(node.name(), "b" | "strong" | "big") {
            self.strong_end = self.strong_end.max(end);
        }
        node.id().0 + 1
    }

    fn text(&mut self, node: Node<'_>) {
        let tally = tally(node.text());
        if tally.characters == 0 {
            return;
        }
        let id = node.id();
        let linked = if id.0 < self.link_end { tally.words } else { 0 };
        let rank = if id.0 < self.rank_end { self.rank } else { Rank::Plain };
        self.strong += if id.0 < self.strong_end { tally.characters } else { 0 };
        if let Some(sum) = self.sums.get_mut(id.at()) {
            sum.words += tally.words;
            sum.linked += linked;
            sum.stops += tally.stops;
            sum.marks += tally.marks;
        }
        let line = self.line.get_or_insert_with(|| Line {
            first: id,
            end: id,
            tally: Tally::default(),
            linked: 0,
            longest_link: 0,
            rank,
            prose: false,
            holder: node.parent().unwrap_or(node).id(),
        });
        line.end = NodeId(id.0 + 1);
        line.tally += tally;
        line.linked += linked;
        self.in_link += linked;
        line.longest_link = line.longest_link.max(self.in_link.min(line.linked));
        line.rank = line.rank.min(rank);
    }

    fn end_line(&mut self) {
        let strong = std::mem::take(&mut self.strong);
        let Some(mut line) = self.line.take() else {
            return;
        };
        let Tally { words, stops, marks, characters } = line.tally;
        if strong == characters {
            line.rank = line.rank.min(Rank::Strong);
        }
        line.prose = !matches!(line.rank, Rank::Heading(_))
            && words >= FEWEST_OF_PROSE
            && line.linked * 2 < words
            && marks >= 1
            && (stops * 8 >= words || words >= PROSE_WITHOUT_STOPS);
        if let Some(sum) = self.sums.get_mut(line.first.at()) {
            sum.lines += 1;
            sum.prose += if line.prose { words } else { 0 };
        }
        self.lines.push(line);
    }
}

/// What an element says that its text is.
fn rank_of(node: Node<'_>) -> Option<Rank> {
    Some(match node.name_id()? {
        known::H1 => Rank::Heading(1),
        known::H2 => Rank::Heading(2),
        known::H3 => Rank::Heading(3),
        known::H4 => Rank::Heading(4),
        known::H5 => Rank::Heading(5),
        known::H6 => Rank::Heading(6),
        known::CAPTION | known::LEGEND | known::SUMMARY | known::FIGCAPTION | known::DT => {
            Rank::Caption
        }
        _ if node.attribute("role") == Some("heading") => {
            let level = node.attribute("aria-level").and_then(|level| level.parse().ok());
            Rank::Heading(level.unwrap_or(2).clamp(1, 6))
        }
        _ => return None,
    })
}

/// Whether a picture is not there to be seen: a counter of visits, a spacer.
fn is_beacon(node: Node<'_>) -> bool {
    let tiny = |side: &str| {
        let pixels = node.attribute(side).map(|side| side.trim_end_matches("px"));
        pixels.and_then(|pixels| pixels.parse::<u32>().ok()).is_some_and(|pixels| pixels <= 3)
    };
    tiny("width") || tiny("height")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_str;

    fn texts(html: &str) -> Vec<String> {
        let dom = parse_str(html).dom;
        let lines = Lines::new(&dom, None);
        lines.read.lines.iter().map(|line| lines.text(line)).collect()
    }

    #[test]
    fn a_line_ends_where_a_box_begins_or_ends() {
        let html = "<div>a <b>b</b>c<p>d<br>e</p> f</div><table><tr><td>g<td>h</table>";
        assert_eq!(texts(html), ["a bc", "d", "e", "f", "g", "h"]);
    }

    #[test]
    fn links_side_by_side_are_parted() {
        let html = "<p>On <a href=/1>ships</a><a href=/2>tides</a>, and the <a href=/3>port</a>s";
        assert_eq!(texts(html), ["On ships tides, and the ports"]);
    }

    #[test]
    fn what_only_a_style_hides_is_read_when_all_is_asked_for() {
        let dom = parse_str("<p>a<p style='display:none'>b<p hidden>c").dom;
        let lines = Lines::new(&dom, None);
        assert_eq!((lines.count(), lines.whole().count()), (1, 2));
    }

    #[test]
    fn what_is_not_shown_is_not_read() {
        let html = "<p>a<script>b</script><span hidden>c</span><span style='Display: none'>d</span>e<select><option>f</select>";
        assert_eq!(texts(html), ["ae"]);
    }

    #[test]
    fn sentences_are_prose_and_link_lists_are_not() {
        let html = "<p>The ship left the harbour at dawn, and nobody saw it go.</p>\
            <p><a href=/1>Home</a> <a href=/2>News</a> <a href=/3>The Harbour and its ships, a list</a>";
        let dom = parse_str(html).dom;
        let lines = Lines::new(&dom, None);
        let prose: Vec<bool> = lines.read.lines.iter().map(|line| line.prose).collect();
        assert_eq!(prose, [true, false]);
    }

    #[test]
    fn the_sum_of_a_run_is_what_its_nodes_show() {
        let html =
            "<div><a href=/>two words</a><img src=a></div><form><input><button>Go</button></form>";
        let dom = parse_str(html).dom;
        let lines = Lines::new(&dom, None);
        let of =
            |name: &str| lines.sum_of(dom.elements().find(|node| node.name() == name).unwrap());
        let div = of("div");
        assert_eq!((div.words, div.linked, div.links, div.pictures, div.fields), (2, 2, 1, 1, 0));
        let form = of("form");
        assert_eq!((form.words, form.fields, form.controls, form.links), (1, 1, 1, 0));
    }
}
