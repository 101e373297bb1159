//! Where the main text of a page is.
//!
//! Every line has a worth: sentences are worth their words, all else costs some. The main text is in
//! the element whose lines are worth most in all, after "Extracting article text from the web with
//! maximum subsequence segmentation" (Pasternack and Roth 2009), with the elements of the page in
//! the place of any run of tokens.

use super::hint::{Hints, Use};
use crate::block::line::{Line, Lines, Rank};
use crate::tree::Node;
use crate::tree::names::known;
use std::ops::Range;

/// Fewest words of sentences that a main text has: two or three sentences.
const FEWEST_WORDS: u32 = 40;

/// A page is a list and has no main text if there are fewer words of sentences than this to every
/// title that links elsewhere: a teaser has a sentence or two.
const WORDS_PER_TITLE: u32 = 50;

/// The nodes of the main text, its headline included; none if the page has none.
pub(super) fn main(lines: &Lines<'_>, hints: &Hints) -> Option<Range<u32>> {
    let worth = Worth::of(lines, hints);
    let element = worth.best(lines, hints)?;
    let body = element.id().0..element.end().0;
    if worth.prose(&body) < FEWEST_WORDS || is_list(lines, &body) {
        return None;
    }
    Some(with_headline(lines, hints, body))
}

/// Whether a run is of teasers: sentences, but few to each title.
pub(super) fn is_list(lines: &Lines<'_>, run: &Range<u32>) -> bool {
    let own = lines.of(run);
    let titles = own.iter().filter(|line| is_title_link(line)).count() as u32;
    let prose = lines.sum(run).prose;
    titles >= 3 && prose < titles * WORDS_PER_TITLE
}

/// A line that is the title of something elsewhere.
pub(super) fn is_title_link(line: &Line) -> bool {
    line.linked * 10 >= line.tally.words * 8 && line.tally.words >= 4
}

/// Sums of worth before each node.
struct Worth {
    worth: Vec<i64>,
    prose: Vec<u32>,
}

impl Worth {
    fn of(lines: &Lines<'_>, hints: &Hints) -> Self {
        let dom = lines.dom;
        let page = lines.sum_of(dom.root());
        let mut worth = vec![0; dom.node_count() + 1];
        let mut prose = vec![0; dom.node_count() + 1];
        let mut all = lines.of(&(0..dom.node_count() as u32)).iter().peekable();
        let (mut sum, mut words, mut outside) = (0, 0, 0);
        for node in dom.nodes() {
            let id = node.id();
            if node.is_element() && id.0 >= outside && is_outside(node, lines, hints, page.prose) {
                outside = node.end().0;
            }
            if let (Some(worth), Some(prose)) = (worth.get_mut(id.at()), prose.get_mut(id.at())) {
                (*worth, *prose) = (sum, words);
            }
            while let Some(line) = all.next_if(|line| line.first <= id) {
                let is_inside = id.0 >= outside;
                sum += worth_of(line, is_inside);
                words += if line.prose && is_inside { line.tally.words } else { 0 };
            }
        }
        if let (Some(worth), Some(prose)) = (worth.last_mut(), prose.last_mut()) {
            (*worth, *prose) = (sum, words);
        }
        Self { worth, prose }
    }

    fn between(&self, run: &Range<u32>) -> i64 {
        let at = |id: u32| self.worth.get(id as usize).copied().unwrap_or_default();
        at(run.end) - at(run.start)
    }

    fn prose(&self, run: &Range<u32>) -> u32 {
        let at = |id: u32| self.prose.get(id as usize).copied().unwrap_or_default();
        at(run.end).saturating_sub(at(run.start))
    }

    /// The element that is worth most; of equal ones the innermost.
    fn best<'a>(&self, lines: &Lines<'a>, hints: &Hints) -> Option<Node<'a>> {
        let weighed = |node: &Node<'a>| {
            let worth = self.between(&(node.id().0..node.end().0));
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

/// Whether what an element holds is not main text, whatever it reads like.
fn is_outside(node: Node<'_>, lines: &Lines<'_>, hints: &Hints, page: u32) -> bool {
    let hint = hints.of(node);
    if hint.is_empty() || hint.is_strong(Use::Main) {
        return false;
    }
    // A class on a wrapper of everything names one of the things in it.
    let share = lines.sum_of(node).prose * 100 / page.max(1);
    let small = |percent: u32| share <= percent;
    hint.is_strong(Use::Navigation)
        || hint.is_strong(Use::Footer)
        || hint.says(Use::Comments) && small(85)
        || hint.says(Use::Advert) && small(50)
        || hint.says(Use::Aside) && small(50)
        || [Use::Footer, Use::Navigation, Use::Related, Use::Tools, Use::Form, Use::Header]
            .iter()
            .any(|what| hint.says(*what) && small(30))
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

/// Takes in the headline before a text, with what stands between the two.
fn with_headline(lines: &Lines<'_>, hints: &Hints, body: Range<u32>) -> Range<u32> {
    let dom = lines.dom;
    let own = lines.of(&body);
    if own.first().is_some_and(|line| matches!(line.rank, Rank::Heading(1))) {
        return body;
    }
    let before = lines.of(&(0..body.start));
    let mut between = 0;
    for line in before.iter().rev() {
        let mut around = dom.node(line.first).ancestors();
        let is_site = around.any(|node| {
            let hint = hints.of(node);
            hint.is_strong(Use::Header) || hint.is_strong(Use::Navigation)
        });
        if matches!(line.rank, Rank::Heading(1 | 2)) && !is_site && line.tally.words >= 2 {
            let heading = dom.node(line.first).ancestors().find(|node| {
                matches!(node.name_id(), Some(known::H1 | known::H2))
                    || node.attribute("role").is_some()
            });
            return heading.map_or(line.first, Node::id).0..body.end;
        }
        between += line.tally.words;
        if between > MOST_BETWEEN {
            break;
        }
    }
    body
}

/// Whether two runs share a node.
pub(super) fn overlap(a: &Range<u32>, b: &Range<u32>) -> Range<u32> {
    let from = a.start.max(b.start);
    from..a.end.min(b.end).max(from)
}
