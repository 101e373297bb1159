//! Weighing the evidence: a label's score is the sum of the evidence, each times its weight for the
//! label (multinomial logistic regression). The best supported label wins.
//!
//! `weights.txt` is learned from blocks that people labelled; `scripts/labels/train.py` says how.

use super::Label;
use std::sync::LazyLock;

/// Weights in the table are whole numbers of this part of one.
const UNIT: f32 = 1000.0;

type Row = [f32; Label::ALL.len()];

/// The weights of each piece of evidence, in its order.
static WEIGHTS: LazyLock<Vec<Row>> = LazyLock::new(|| rows().map(|(_, row)| row).collect());

/// The table, with the names of the evidence.
fn rows() -> impl Iterator<Item = (&'static str, Row)> {
    let lines = include_str!("weights.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).map(|(name, weights)| {
        let mut row = Row::default();
        for (slot, weight) in row.iter_mut().zip(weights.split(' ')) {
            *slot = weight.parse::<f32>().unwrap_or_default() / UNIT;
        }
        (name, row)
    })
}

/// What the evidence comes to for each label, in the order of [`Label::ALL`].
fn weigh(evidence: &[f32]) -> Row {
    let mut scores = Row::default();
    for (value, row) in evidence.iter().zip(&*WEIGHTS) {
        if *value != 0.0 {
            for (score, weight) in scores.iter_mut().zip(row) {
                *score += value * weight;
            }
        }
    }
    scores
}

/// The label that the evidence speaks for, of those that are possible; of equal ones the first.
pub(super) fn best(evidence: &[f32], is_possible: impl Fn(Label) -> bool) -> Label {
    let scores = weigh(evidence);
    let mut best = (Label::Other, f32::MIN);
    for (label, score) in Label::ALL.into_iter().zip(scores) {
        if score > best.1 && is_possible(label) {
            best = (label, score);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Labeller, Lines};
    use crate::tree::parse_str;

    #[test]
    fn the_table_has_a_weight_for_all_evidence_and_for_nothing_else() {
        let dom = parse_str("<p>The harbour is closed.").dom;
        let lines = Lines::new(&dom, None);
        let evidence = Labeller::new(&lines).evidence(0..dom.node_count() as u32);
        let named: Vec<&str> = evidence.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(rows().map(|(name, _)| name).collect::<Vec<_>>(), named);
    }
}
