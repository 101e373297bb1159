//! Types by tree distance, as seed 000 has them (§2.3): two pages are of one type if the restricted
//! top-down mapping of their trees, texts aside, is cheap.
//!
//! The seed leaves open how cheap, and how samples become types. The paper that it takes the distance
//! from (Reis et al. 2004) is said to merge clusters that are 80 % alike; we know that from a summary
//! of it (Zhai, "Automatic Web News Extraction Using Tree Edit Distance", 2005), not from the paper, so
//! that what it divides the distance by, and which pages speak for a cluster, may differ. Here
//! likeness is [`Distance::similarity`](crate::tree::Distance::similarity), and the two most alike pages
//! speak for their types, so that types do not depend on the order of the pages, as long as all are
//! kept as samples. The threshold was not tuned.

use std::collections::HashMap;

use super::TypeId;
use super::group::{Forest, Sample};
use crate::tree::{Effort, Outline, distance};

/// How alike pages of one type are, at least.
const ALIKE: f64 = 0.8;
/// What one comparison may cost: about 10 ms.
const MOST_CELLS: usize = 1_000_000;

/// How alike two pages are, and whether that is enough for one type.
pub(super) fn compare(a: &Outline, b: &Outline) -> (f64, bool) {
    let cutoff = ((1.0 - ALIKE) * (a.len() + b.len()) as f64) as usize;
    if a.least_distance(b) > cutoff {
        return (0.0, false);
    }
    let found = distance(a, b, Effort { cutoff, cells: MOST_CELLS });
    (found.similarity(), found.distance <= cutoff)
}

/// The group of each sample, when the last `new` are added to those that were grouped before.
pub(super) fn group(samples: &[Sample<'_>], new: usize) -> Vec<usize> {
    let mut forest = Forest::new(samples);
    let mut first: HashMap<TypeId, usize> = HashMap::new();
    for (at, sample) in samples.iter().enumerate() {
        if let Some(of) = sample.of {
            forest.join(*first.entry(of).or_insert(at), at);
        }
    }
    let mut alike = Vec::new();
    for (at, sample) in samples.iter().enumerate().skip(samples.len().saturating_sub(new)) {
        for (other, known) in samples.iter().enumerate().take(at) {
            let (Some(a), Some(b)) = (sample.outline, known.outline) else { continue };
            let (similarity, is_alike) = compare(a, b);
            if is_alike {
                alike.push((similarity, at, other));
            }
        }
    }
    // A page that two defined types are like is of the one that is more so.
    alike.sort_by(|x, y| y.0.total_cmp(&x.0));
    for (_, a, b) in alike {
        forest.join(a, b);
    }
    forest.numbered()
}
