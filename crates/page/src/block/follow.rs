//! A version after the one before it: how it is cut, and what became of each block (seed 003 §2.5).

use super::compare::{Comparison, Context, Fate, compare};
use super::content::Reading;
use super::learn::{Past, recut};
use super::matching::Matching;
use super::tree::Cut;

/// Times that what changed only in part is cut finer. Each makes the parts about three times smaller.
const ROUNDS: usize = 3;

/// Characters beside a change that are told with it at the first time: ten lines, which a reader looks
/// through at a glance. Whether the change comes again, history will tell.
const MOST_BESIDE: u64 = 800;

/// How a version follows the one before.
#[derive(Clone, Debug)]
pub struct Followed {
    /// How the version before is cut now. If that is not how it was cut, it was cut anew, and all else
    /// here is told against this.
    pub old_cut: Cut,
    /// How the version is cut.
    pub new_cut: Cut,
    /// What became of its blocks.
    pub comparison: Comparison,
}

/// Compares a version with the one before it, which is cut as `cut` says. Where a block changed only
/// in part, both are cut finer there, so that what is told as changed holds little beside what did; a
/// re-cut itself is never told as a change.
///
/// ```
/// use std::time::Duration;
/// use page::block::{Context, Cut, Parts, follow};
/// use page::tree::{Mask, parse_str};
///
/// let page = |last: &str| {
///     let items: String = (1..80).map(|n| format!("<li>story number {n}</li>")).collect();
///     let html = format!("<main><ul>{items}<li>{last}</li></ul></main><footer>imprint</footer>");
///     Parts::of(parse_str(&html).dom, None, &Mask::default())
/// };
/// let (old, new) = (page("the last"), page("another"));
/// let cut = Cut::at_level(&old.tree, 1);
/// let context = Context::apart(Duration::from_secs(60));
/// let followed = follow(old.reading(), &cut, new.reading(), 1, &context);
/// let changed = followed.comparison.fates.iter().find(|fate| fate.counts()).unwrap();
/// assert_eq!(new.contents.text_len(changed.block), 7);
/// ```
pub fn follow(
    old: Reading<'_>,
    cut: &Cut,
    new: Reading<'_>,
    level: u16,
    context: &Context<'_>,
) -> Followed {
    let matching = Matching::between(old, new);
    let mut old_cut = cut.clone();
    let mut rounds = ROUNDS;
    loop {
        let new_cut = matching.carry(&old_cut, level);
        let comparison = compare((old, &old_cut), (new, &new_cut), &matching, context);
        let finer = match rounds {
            0 => None,
            _ => recut(old.tree, old.contents, &old_cut, &changes(new, &old_cut, &comparison)),
        };
        match finer {
            Some(finer) => old_cut = finer,
            None => return Followed { old_cut, new_cut, comparison },
        }
        rounds -= 1;
    }
}

/// This change alone as the history of the blocks of a cut. One that tells of little beside itself is
/// left to the history that is to come.
fn changes(new: Reading<'_>, cut: &Cut, comparison: &Comparison) -> Vec<Past> {
    let mut past = vec![Past::default(); cut.blocks().len()];
    let beside = |fate: &&Fate| {
        let text = u64::from(new.contents.text_len(fate.block));
        text * u64::from(1000 - fate.share.min(1000)) / 1000 > MOST_BESIDE
    };
    for fate in comparison.fates.iter().filter(|fate| fate.counts()).filter(beside) {
        let place = fate.from.and_then(|from| cut.blocks().binary_search(&from).ok());
        if let Some(past) = place.and_then(|place| past.get_mut(place)) {
            past.add(1, fate);
        }
    }
    past
}
