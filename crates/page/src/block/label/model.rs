//! Weighing the evidence: a label's score is the sum of the evidence, each times its weight for the
//! label (multinomial logistic regression). The best supported label wins.
//!
//! A block of a tree is weighed twice: by itself, and once more with how likely each label is for the
//! block around it and for those before and after it, which says what it is among.
//!
//! `alone.txt` and `among.txt` are learned from blocks that people labelled; `scripts/labels/train.py`
//! says how.

use super::Label;
use std::sync::LazyLock;

/// Weights in the tables are whole numbers of this part of one.
const UNIT: f32 = 1000.0;

/// A number for each label, in the order of [`Label::ALL`].
pub(super) type Row = [f32; Label::ALL.len()];

/// The blocks whose labels count for that of another: the one around it, the one before, the next.
pub(super) const BESIDE: usize = 3;

static ALONE: LazyLock<Table> = LazyLock::new(|| Table::of(include_str!("alone.txt")));
static AMONG: LazyLock<Table> = LazyLock::new(|| Table::of(include_str!("among.txt")));

/// The weights of each piece of evidence, in its order, and of each label of each block beside.
struct Table {
    evidence: Vec<Row>,
    beside: Vec<Row>,
}

impl Table {
    fn of(text: &str) -> Self {
        let (evidence, beside) = rows(text).partition::<Vec<_>, _>(|(name, _)| !is_beside(name));
        let weights = |rows: Vec<(&str, Row)>| rows.into_iter().map(|(_, row)| row).collect();
        Self { evidence: weights(evidence), beside: weights(beside) }
    }

    /// What the evidence comes to for each label.
    fn weigh(&self, evidence: &[f32]) -> Row {
        let mut scores = Row::default();
        add(&mut scores, evidence, &self.evidence);
        scores
    }
}

/// Adds what numbers come to, each times its weights.
fn add(scores: &mut Row, numbers: &[f32], weights: &[Row]) {
    for (number, row) in numbers.iter().zip(weights) {
        if *number != 0.0 {
            for (score, weight) in scores.iter_mut().zip(row) {
                *score += number * weight;
            }
        }
    }
}

/// The rows of a table, with the names of what they weigh.
fn rows(text: &str) -> impl Iterator<Item = (&str, Row)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).map(|(name, weights)| {
        let mut row = Row::default();
        for (slot, weight) in row.iter_mut().zip(weights.split(' ')) {
            *slot = weight.parse::<f32>().unwrap_or_default() / UNIT;
        }
        (name, row)
    })
}

fn is_beside(name: &str) -> bool {
    ["around.", "before.", "next."].iter().any(|place| name.starts_with(place))
}

/// A block that was weighed by itself.
#[derive(Clone)]
pub(super) struct Weighed {
    /// How likely each label is, by itself.
    likely: Row,
    /// What the evidence comes to if the blocks beside it count, too: still without them.
    among: Row,
    /// The label, if it needs no weighing.
    settled: Option<Label>,
    can_be_main: bool,
}

impl Weighed {
    /// A block whose label is certain.
    pub(super) fn settled(label: Label) -> Self {
        let mut likely = Row::default();
        likely[label as usize] = 1.0;
        Self { likely, among: Row::default(), settled: Some(label), can_be_main: true }
    }

    pub(super) fn of(evidence: &[f32], can_be_main: bool) -> Self {
        let likely = likelihoods(ALONE.weigh(evidence));
        Self { likely, among: AMONG.weigh(evidence), settled: None, can_be_main }
    }

    /// The label that it has by itself.
    pub(super) fn alone(&self) -> Label {
        self.settled.unwrap_or_else(|| self.best(self.likely))
    }

    /// The label that it has among the blocks around, before and after it.
    pub(super) fn among(&self, beside: [Option<&Self>; BESIDE]) -> Label {
        if let Some(label) = self.settled {
            return label;
        }
        let mut scores = self.among;
        for (other, weights) in beside.iter().zip(AMONG.beside.chunks(Label::ALL.len())) {
            if let Some(other) = other {
                add(&mut scores, &other.likely, weights);
            }
        }
        self.best(scores)
    }

    /// The possible label with the highest score; of equal ones the first.
    fn best(&self, scores: Row) -> Label {
        let mut best = (Label::Other, f32::MIN);
        for (label, score) in Label::ALL.into_iter().zip(scores) {
            if score > best.1 && (label != Label::Main || self.can_be_main) {
                best = (label, score);
            }
        }
        best.0
    }
}

/// Scores as shares of one.
fn likelihoods(scores: Row) -> Row {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let shares = scores.map(|score| (score - most).exp());
    let all: f32 = shares.iter().sum();
    shares.map(|share| share / all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Labeller, Lines};
    use crate::tree::parse_str;

    #[test]
    fn the_tables_have_a_weight_for_all_evidence_and_for_nothing_else() {
        let dom = parse_str("<p>The harbour is closed.").dom;
        let lines = Lines::new(&dom, None);
        let evidence = Labeller::new(&lines).evidence(0..dom.node_count() as u32);
        let named: Vec<&str> = evidence.iter().map(|(name, _)| name.as_str()).collect();
        let names = |text: &'static str| rows(text).map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(include_str!("alone.txt")), named);
        let (beside, own): (Vec<_>, Vec<_>) =
            names(include_str!("among.txt")).into_iter().partition(|name| is_beside(name));
        assert_eq!(own, named);
        let places = ["around", "before", "next"];
        let expected: Vec<String> = places
            .iter()
            .flat_map(|place| Label::ALL.map(|label| format!("{place}.{label}")))
            .collect();
        assert_eq!(beside, expected);
    }

    #[test]
    fn a_block_that_says_nothing_is_what_the_blocks_beside_it_are() {
        let block = Weighed::of(&vec![0.0; ALONE.evidence.len()], true);
        for label in [Label::Footer, Label::Comments, Label::List, Label::Advert] {
            let beside = Weighed::settled(label);
            assert_eq!(block.among([Some(&beside); BESIDE]), label);
        }
    }

    #[test]
    fn likelihoods_come_to_one_whatever_the_scores() {
        let mut scores = [-1000.0; Label::ALL.len()];
        scores[2] = 1000.0;
        let likely = likelihoods(scores);
        assert_eq!((likely[2], likely.iter().sum::<f32>()), (1.0, 1.0));
    }
}
