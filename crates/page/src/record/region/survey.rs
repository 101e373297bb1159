//! What the pages of a type have in common, and what varies: records are made of what varies.

use std::collections::HashMap;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::clue::is_dated;
use super::selector::is_shared;
use crate::tree::names::known;
use crate::tree::text::{is_invisible, is_space};
use crate::tree::{Dom, Kind, Node, NodeId, Step};

/// Letters of one text that count. A post of 20,000 letters is one post, and where its author's name is
/// missing must still be seen.
const MOST_LETTERS: usize = 100;

/// A page, measured. All lists are by the number of the node.
pub(super) struct Survey<'a> {
    pub(super) dom: &'a Dom,
    /// The names of an element and all above it.
    pub(super) path: Vec<u64>,
    /// What a node is among those of a record: its name and first class; of a cell, its column.
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
pub(super) fn survey<'a>(pages: &[&'a Dom]) -> Vec<Survey<'a>> {
    let mut surveys: Vec<Survey<'a>> = pages.iter().map(|dom| Survey::new(dom)).collect();
    // On how many pages a text is at the same place: the last page it was met on, and the number.
    let mut met: HashMap<u64, (usize, usize)> = HashMap::new();
    for (page, survey) in surveys.iter().enumerate() {
        for says in survey.says.iter().filter(|says| **says != 0) {
            let entry = met.entry(*says).or_insert((page, 1));
            if entry.0 != page {
                *entry = (page, entry.1 + 1);
            }
        }
    }
    let boilerplate = pages.len().div_ceil(2).max(2);
    for survey in &mut surveys {
        for says in &mut survey.says {
            if met.get(says).is_some_and(|(_, pages)| *pages >= boilerplate) {
                *says = 0;
            }
        }
        survey.sum();
    }
    surveys
}

impl<'a> Survey<'a> {
    fn new(dom: &'a Dom) -> Self {
        let count = dom.node_count();
        let (mut path, mut sign, mut says) = (vec![0; count], vec![0; count], vec![0; count]);
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
            sign[at] = signature(node);
            if node.kind() == Kind::Text {
                let text = node.text().trim_matches(is_space);
                if !text.is_empty() {
                    says[at] = xxh3_64_with_seed(text.as_bytes(), above).max(1);
                }
            }
        }
        Survey { dom, path, sign, says, weight: Vec::new(), dates: Vec::new() }
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

/// The first class of an element that others may share.
pub(super) fn first_class(node: Node<'_>) -> Option<&str> {
    let classes = node.attribute_by(known::CLASS)?;
    classes.split_ascii_whitespace().find(|word| is_shared(word))
}

fn signature(node: Node<'_>) -> u64 {
    let name = xxh3_64(node.name().as_bytes());
    let class = first_class(node).map_or(0, |class| xxh3_64(class.as_bytes()));
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
