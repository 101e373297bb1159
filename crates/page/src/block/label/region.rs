//! Where the main text of a page is.
//!
//! Every line has a worth: sentences are worth their words, all else costs some. The main text is in
//! the element whose lines are worth most in all, after "Extracting article text from the web with
//! maximum subsequence segmentation" (Pasternack and Roth 2009), with the elements of the page in
//! the place of any run of tokens.

use super::hint::{Hints, Use};
use crate::block::line::{Line, Lines, Rank, Sum};
use crate::tree::{Node, title};
use std::ops::Range;

/// Fewest words of sentences that a main text has: two or three sentences.
const FEWEST_WORDS: u32 = 40;

/// A page is a list and has no main text if there are fewer words of sentences than this to every
/// title that links elsewhere: a teaser has a sentence or two.
const WORDS_PER_TITLE: u32 = 50;

/// The main text of a page.
pub(super) struct Region {
    /// Its nodes, headline included; empty if the page has none.
    pub(super) nodes: Range<u32>,
    worth: Worth,
}

impl Region {
    pub(super) fn find(lines: &Lines<'_>, hints: &Hints) -> Self {
        let worth = Worth::of(lines, hints);
        let body = worth.best(lines, hints).map_or(0..0, |element| element.id().0..element.end().0);
        let has_text = worth.prose(&body) >= FEWEST_WORDS && !is_list(lines, &body);
        let nodes = if has_text { with_headline(lines, hints, body) } else { 0..0 };
        Self { nodes, worth }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Words of a run that belong to the main text: those of lists and other boxes in it do not.
    pub(super) fn words(&self, run: &Range<u32>) -> u32 {
        self.worth.words(&overlap(&self.nodes, run))
    }

    /// Whether a run holds most of the main text.
    pub(super) fn is_mostly_in(&self, run: &Range<u32>) -> bool {
        let all = self.worth.prose(&self.nodes);
        all > 0 && self.worth.prose(&overlap(&self.nodes, run)) * 2 > all
    }
}

/// Whether a run is of teasers: sentences, but few to each title.
pub(super) fn is_list(lines: &Lines<'_>, run: &Range<u32>) -> bool {
    let own = lines.of(run);
    let titles = own.iter().filter(|line| line.is_title_link()).count() as u32;
    titles >= 3 && lines.sum(run).prose < titles * WORDS_PER_TITLE
}

/// Sums before each node.
struct Worth {
    sums: Vec<Before>,
}

/// What the lines before a node come to.
#[derive(Clone, Copy, Default)]
struct Before {
    worth: i64,
    /// Words that may be main text, and those of them that are sentences.
    words: u32,
    prose: u32,
}

impl Worth {
    fn of(lines: &Lines<'_>, hints: &Hints) -> Self {
        let dom = lines.dom;
        let page = lines.sum_of(dom.root());
        let titles = titles_before(lines);
        let mut sums = Vec::with_capacity(dom.node_count() + 1);
        let mut all = lines.of(&(0..dom.node_count() as u32)).iter().peekable();
        let (mut sum, mut outside) = (Before::default(), 0);
        for node in dom.nodes() {
            let id = node.id();
            if node.is_element()
                && id.0 >= outside
                && (is_outside(node, lines, hints, &page) || is_even_list(node, lines, &titles))
            {
                outside = node.end().0;
            }
            sums.push(sum);
            while let Some(line) = all.next_if(|line| line.first <= id) {
                let is_inside = id.0 >= outside;
                sum.worth += worth_of(line, is_inside);
                sum.words += if is_inside { line.tally.words } else { 0 };
                sum.prose += if is_inside && line.prose { line.tally.words } else { 0 };
            }
        }
        sums.push(sum);
        Self { sums }
    }

    fn at(&self, id: u32) -> Before {
        self.sums.get(id as usize).copied().unwrap_or_default()
    }

    fn worth(&self, run: &Range<u32>) -> i64 {
        self.at(run.end).worth - self.at(run.start).worth
    }

    fn prose(&self, run: &Range<u32>) -> u32 {
        self.at(run.end).prose.saturating_sub(self.at(run.start).prose)
    }

    fn words(&self, run: &Range<u32>) -> u32 {
        self.at(run.end).words.saturating_sub(self.at(run.start).words)
    }

    /// The element that is worth most; of equal ones the innermost.
    fn best<'a>(&self, lines: &Lines<'a>, hints: &Hints) -> Option<Node<'a>> {
        let weighed = |node: &Node<'a>| {
            let worth = self.worth(&(node.id().0..node.end().0));
            let hint = hints.of(*node);
            let percent = match () {
                () if hint.is_strong(Use::Main) => 115,
                () if hint.is_weak(Use::Main) => 108,
                () => 100,
            };
            if worth > 0 { worth * percent / 100 } else { worth }
        };
        // The last of equal ones, which in document order is the innermost.
        lines.dom.elements().max_by_key(weighed)
    }
}

/// How many titles of something elsewhere there are before each node.
fn titles_before(lines: &Lines<'_>) -> Vec<u32> {
    let count = lines.dom.node_count();
    let mut titles = vec![0; count + 1];
    for line in lines.of(&(0..count as u32)).iter().filter(|line| line.is_title_link()) {
        if let Some(slot) = titles.get_mut(line.first.at() + 1) {
            *slot += 1;
        }
    }
    let mut sum = 0;
    for slot in &mut titles {
        sum += *slot;
        *slot = sum;
    }
    titles
}

/// Whether an element is a list of teasers and nothing else: about every other of its children has a
/// title, and none holds most of its sentences, as a text among lists would.
fn is_even_list(node: Node<'_>, lines: &Lines<'_>, titles: &[u32]) -> bool {
    let at = |id: u32| titles.get(id as usize).copied().unwrap_or_default();
    let titles_in = |node: Node<'_>| at(node.end().0) - at(node.id().0);
    let prose = lines.sum_of(node).prose;
    if titles_in(node) < 3 || prose >= titles_in(node) * WORDS_PER_TITLE {
        return false;
    }
    let (mut children, mut titled, mut most) = (0, 0, 0);
    for child in node.children().filter(|child| child.is_element()) {
        let sum = lines.sum_of(child);
        children += u32::from(sum.words >= 3);
        titled += u32::from(titles_in(child) > 0);
        most = most.max(sum.prose);
    }
    titled >= 3 && titled * 100 >= children * 45 && most * 2 <= prose.max(1)
}

/// Whether what an element holds is not main text, whatever it reads like.
fn is_outside(node: Node<'_>, lines: &Lines<'_>, hints: &Hints, page: &Sum) -> bool {
    let hint = hints.of(node);
    if hint.is_empty() || hint.is_strong(Use::Main) {
        return false;
    }
    // A class on a wrapper of everything names one of the things in it.
    let sum = lines.sum_of(node);
    let of_prose = sum.prose * 100 / page.prose.max(1);
    let of_words = sum.words * 100 / page.words.max(1);
    let limits = [
        (Use::Comments, 85),
        (Use::Tools, 70),
        (Use::Advert, 50),
        (Use::Aside, 50),
        (Use::Related, 50),
    ];
    let edges = [(Use::Footer, 50), (Use::Navigation, 30), (Use::Form, 30), (Use::Header, 30)];
    hint.is_strong(Use::Navigation)
        || hint.is_strong(Use::Footer)
        || limits.iter().any(|(what, percent)| hint.says(*what) && of_prose <= *percent)
        || edges.iter().any(|(what, percent)| hint.says(*what) && of_words <= *percent)
}

fn worth_of(line: &Line, is_inside: bool) -> i64 {
    let (words, linked) = (i64::from(line.tally.words), i64::from(line.linked));
    match line.rank {
        _ if line.prose && is_inside => words - linked,
        Rank::Heading(_) if is_inside => 0,
        _ if line.prose => 0,
        _ => -(words + linked) / 2,
    }
}

/// Words between a headline and its text: date, author, a lead, the caption of a picture.
const MOST_BETWEEN: u32 = 120;

/// Takes in the headline before a text, with what stands between the two: a heading, or whatever
/// line most of the title of the page is.
fn with_headline(lines: &Lines<'_>, hints: &Hints, body: Range<u32>) -> Range<u32> {
    let dom = lines.dom;
    if lines.of(&body).first().is_some_and(|line| line.rank == Rank::Heading(1)) {
        return body;
    }
    let title = title(dom);
    let is_title = |line: &Line| {
        let text = lines.text(line);
        text.len() >= 10 && text.len() * 5 >= title.len() * 2 && title.contains(&text)
    };
    let is_of_site = |line: &Line| {
        let mut around = dom.node(line.first).ancestors().map(|node| hints.of(node));
        around.any(|hint| hint.is_strong(Use::Header) || hint.is_strong(Use::Navigation))
    };
    let mut between = 0;
    for line in lines.of(&(0..body.start)).iter().rev() {
        let is_heading = matches!(line.rank, Rank::Heading(1 | 2)) && line.tally.words >= 2;
        if (is_heading || is_title(line)) && !is_of_site(line) {
            return line.holder.0..body.end;
        }
        between += line.tally.words.max(1);
        if between > MOST_BETWEEN {
            break;
        }
    }
    body
}

/// The nodes that two runs share.
fn overlap(a: &Range<u32>, b: &Range<u32>) -> Range<u32> {
    let from = a.start.max(b.start);
    from..a.end.min(b.end).max(from)
}
