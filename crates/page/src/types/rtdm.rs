//! Types by tree distance, as seed 000 has them (§2.3): two pages are of one type if the restricted
//! top-down mapping of their trees, texts aside, is cheap.
//!
//! The seed leaves open how cheap, and how samples become types. Both are those of the paper that it
//! takes the distance from (Reis et al. 2004, §4.1): clusters are merged as long as they are 80 %
//! alike. Which two pages of two clusters speak for them is not said there; here the two most alike
//! do, so that the types do not depend on the order of the pages, as long as all are kept as samples.

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
