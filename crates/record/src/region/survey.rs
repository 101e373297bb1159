//! What the pages of a type have in common, and what varies: records are made of what varies.

use std::collections::HashMap;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::clue::is_dated;
use super::selector::is_shared;
use page::tree::names::known;
use page::tree::text::{is_invisible, is_space};
use page::tree::{Dom, Kind, Node, NodeId, Step};

/// Letters of one text that count. A post of 20,000 letters is one post, and where its author's name is
/// missing must still be seen.
const MOST_LETTERS: usize = 100;

/// Classes of an element that are looked at.
const MOST_CLASSES: usize = 8;

/// A page, measured. All lists are by the number of the node.
pub(super) struct Survey<'a> {
    pub(super) dom: &'a Dom,
    /// The names of an element and all above it.
    pub(super) path: Vec<u64>,
    /// What a node is among those of a record: its name and commonest class; of a cell, its column; of a
    /// text, what it follows.
    pub(super) sign: Vec<u64>,
    /// What a text says, if it is shown and not the same on the other pages; else 0.
    pub(super) says: Vec<u64>,
    /// How much varying text there is before a node; one longer than the page.
    weight: Vec<u32>,
    /// How many dates there are before a node; one longer than the page.
    dates: Vec<u32>,
}

/// Two numbers as one.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// Measures the pages of a type together.
pub(super) fn survey<'a>(pages: &[&'a Dom], classes: &Classes) -> Vec<Survey<'a>> {
    let mut surveys: Vec<Survey<'a>> = pages.iter().map(|dom| Survey::new(dom, classes)).collect();
    let met = Met::count(&surveys);
    for survey in &mut surveys {
        for (at, node) in survey.dom.nodes().enumerate() {
            let says = survey.says[at];
            if says != 0 && met.is_frame(says, survey.column(node), pages.len()) {
                survey.says[at] = 0;
            }
        }
        survey.sum();
    }
    surveys
}

/// How often each class is used, by the name of the element.
#[derive(Default)]
pub(super) struct Classes(HashMap<u64, u32>);

impl Classes {
    pub(super) fn count(pages: &[&Dom]) -> Self {
        let mut counts = HashMap::new();
        for node in pages.iter().flat_map(|dom| dom.elements()) {
            for class in shared_classes(node) {
                *counts.entry(key(node, class)).or_default() += 1;
            }
        }
        Classes(counts)
    }

    /// The class of an element that most others have, too. Those that alternate or mark a state have
    /// fewer elements than the one that says what the element is.
    pub(super) fn of<'a>(&self, node: Node<'a>) -> Option<&'a str> {
        // The first of those that are used alike.
        let count = |class: &str| self.0.get(&key(node, class)).copied().unwrap_or_default();
        shared_classes(node)
            .map(|class| (count(class), class))
            .fold(None, |best, next| match best {
                Some((count, _)) if count >= next.0 => best,
                _ => Some(next),
            })
            .map(|(_, class)| class)
    }
}

fn key(node: Node<'_>, class: &str) -> u64 {
    xxh3_64_with_seed(class.as_bytes(), xxh3_64(node.name().as_bytes()))
}

/// The classes of an element that others may share. Those of the page itself say what the page is, or
/// does.
fn shared_classes(node: Node<'_>) -> impl Iterator<Item = &str> {
    let is_page = matches!(node.name_id(), Some(known::HTML | known::BODY));
    let classes = node.attribute_by(known::CLASS).filter(|_| !is_page).unwrap_or_default();
    classes.split_ascii_whitespace().filter(|word| is_shared(word)).take(MOST_CLASSES)
}

/// How often texts were met.
struct Met {
    /// Of a text at a place: on how many pages; on how many of these as often as on the first; how
    /// often on the first, and on the last so far.
    texts: HashMap<u64, Times>,
    /// How many texts a column has.
    columns: HashMap<u64, u32>,
    /// How often a text is in a column.
    within: HashMap<u64, u32>,
}

#[derive(Default)]
struct Times {
    page: usize,
    pages: usize,
    /// On how many pages so often, for the first few numbers.
    often: [usize; 4],
    /// On this page.
    now: usize,
}

impl Times {
    fn turn(&mut self) {
        if let Some(often) = self.often.get_mut(self.now.wrapping_sub(1)) {
            *often += 1;
        }
        self.now = 0;
    }
}

impl Met {
    fn count(surveys: &[Survey<'_>]) -> Self {
        let mut met =
            Met { texts: HashMap::new(), columns: HashMap::new(), within: HashMap::new() };
        for (page, survey) in surveys.iter().enumerate() {
            for (node, says) in survey.dom.nodes().zip(&survey.says).filter(|(_, says)| **says != 0)
            {
                let times = met.texts.entry(*says).or_default();
                if times.pages == 0 || times.page != page {
                    times.turn();
                    times.page = page;
                    times.pages += 1;
                }
                times.now += 1;
                let column = survey.column(node);
                *met.columns.entry(column).or_default() += 1;
                *met.within.entry(mix(column, *says)).or_default() += 1;
            }
        }
        met.texts.values_mut().for_each(Times::turn);
        met
    }

    /// Whether a text is part of the frame of the pages: there on nearly all, as often on each; or
    /// nearly all that its column ever says, such as the caption of a button in every record.
    ///
    /// A name that is on most pages, once here and thrice there, is an author.
    fn is_frame(&self, says: u64, column: u64, pages: usize) -> bool {
        let Some(times) = self.texts.get(&says) else { return false };
        let alike = times.often.iter().copied().max().unwrap_or_default();
        let everywhere = times.pages >= (pages * 3).div_ceil(4).max(2);
        let within = self.within.get(&mix(column, says)).copied().unwrap_or_default();
        let all = self.columns.get(&column).copied().unwrap_or_default();
        (everywhere && alike * 5 >= times.pages * 4) || (all >= 3 && within * 5 >= all * 4)
    }
}

impl<'a> Survey<'a> {
    fn new(dom: &'a Dom, classes: &Classes) -> Self {
        let count = dom.node_count();
        let (mut path, mut sign, mut says) = (vec![0; count], vec![0; count], vec![0; count]);
        // The last child of each element so far: what follows a name is another text than what precedes it.
        let mut before: Vec<u64> = vec![0; count];
        let mut walk = dom.walk();
        while let Some(step) = walk.next() {
            let Step::Open(node) = step else { continue };
            if is_invisible(node) || node.is(known::SELECT) {
                walk.skip_inside();
                continue;
            }
            let at = node.id().at();
            let above = node.parent().map_or(0, |parent| path[parent.id().at()]);
            path[at] = mix(above, xxh3_64(node.name().as_bytes()));
            sign[at] = signature(node, classes.of(node));
            let parent = node.parent().map_or(0, |parent| parent.id().at());
            if node.is_element() {
                before[parent] = sign[at];
            } else if node.kind() == Kind::Text {
                sign[at] = mix(sign[at], before[parent]);
                let text = node.text().trim_matches(is_space);
                if !text.is_empty() {
                    says[at] = xxh3_64_with_seed(text.as_bytes(), above).max(1);
                }
            }
        }
        Survey { dom, path, sign, says, weight: Vec::new(), dates: Vec::new() }
    }

    /// What a text is by its path, the class of its element and what it follows there.
    fn column(&self, text: Node<'_>) -> u64 {
        let parent = text.parent().map_or(0, |parent| parent.id().at());
        mix(mix(self.path[parent], self.sign[parent]), self.sign[text.id().at()])
    }

    fn sum(&mut self) {
        let (mut weight, mut dates) = (0, 0);
        self.weight.reserve(self.says.len() + 1);
        self.dates.reserve(self.says.len() + 1);
        for (node, says) in self.dom.nodes().zip(&self.says) {
            self.weight.push(weight);
            self.dates.push(dates);
            if *says != 0 {
                weight += weigh(node.text());
                dates += u32::from(is_dated(node));
            }
        }
        self.weight.push(weight);
        self.dates.push(dates);
    }

    /// How much varying text the nodes `from..to` show.
    pub(super) fn weight(&self, from: u32, to: u32) -> u32 {
        between(&self.weight, from, to)
    }

    /// How many dates they show.
    pub(super) fn dates(&self, from: u32, to: u32) -> u32 {
        between(&self.dates, from, to)
    }

    /// How much varying text an element shows.
    pub(super) fn weight_of(&self, node: NodeId) -> u32 {
        self.weight(node.0, self.dom.node(node).end().0)
    }

    /// How much varying text the page shows.
    pub(super) fn total(&self) -> u32 {
        self.weight.last().copied().unwrap_or_default()
    }
}

fn between(sums: &[u32], from: u32, to: u32) -> u32 {
    let at = |at: u32| sums.get(at as usize).or(sums.last()).copied().unwrap_or_default();
    at(to).saturating_sub(at(from))
}

fn weigh(text: &str) -> u32 {
    let letters = text.split(is_space).map(str::len).sum::<usize>();
    letters.min(MOST_LETTERS) as u32
}

fn signature(node: Node<'_>, class: Option<&str>) -> u64 {
    let name = xxh3_64(node.name().as_bytes());
    let class = class.map_or(0, |class| xxh3_64(class.as_bytes()));
    // Cells of a row without classes are told apart by their column.
    let column = match node.name_id() {
        Some(known::TD | known::TH) if class == 0 => {
            let row = node.parent().into_iter().flat_map(|row| row.children());
            row.take_while(|cell| cell.id() < node.id()).filter(|cell| cell.is_element()).count()
        }
        _ => 0,
    };
    mix(mix(name, class), column as u64)
}
