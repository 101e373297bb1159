//! Which records are right: the rule that the sets were published with.
//!
//! A record is right when it holds 95 % of the tokens of one record of the truth (of a list its
//! title, of a thread content, quotes and author) and, those taken away, not also another.

use super::bag::Bag;

/// How much of a record of the truth must be in one of ours.
pub const HELD: f64 = 0.95;
/// The same on pages that people labelled: what they copied is not always what the page says.
pub const HELD_OF_LABELS: f64 = 0.9;

/// For each record of the truth, which of ours it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Matching {
    pub truth: Vec<Option<usize>>,
    ours: usize,
}

impl Matching {
    /// Compares the records of a page with its truth.
    pub fn of(truth: &[Bag], ours: &[Bag], share: f64) -> Self {
        let mut taken = vec![None; truth.len()];
        for (at, bag) in ours.iter().enumerate() {
            if let Some(slot) = found(truth, bag, share, &taken).and_then(|i| taken.get_mut(i)) {
                *slot = Some(at);
            }
        }
        Self { truth: taken, ours: ours.len() }
    }

    pub fn tally(&self) -> Tally {
        Tally {
            truth: self.truth.len(),
            ours: self.ours,
            right: self.truth.iter().flatten().count(),
        }
    }
}

/// The record of the truth that a bag is, if it is one.
fn found(truth: &[Bag], bag: &Bag, share: f64, taken: &[Option<usize>]) -> Option<usize> {
    let is_taken = |at: usize| taken.get(at).is_some_and(Option::is_some);
    // A short post may be in a long one by chance: the longest that is held is the one meant. Of
    // equals the first that is still free.
    let held = truth.iter().enumerate().filter(|(_, record)| bag.holds(record, share));
    let (at, record) =
        held.min_by_key(|(at, record)| (usize::MAX - record.len(), is_taken(*at), *at))?;
    let rest = bag.without(record);
    let has_another =
        truth.iter().enumerate().any(|(other, record)| other != at && rest.holds(record, share));
    (!has_another && !is_taken(at)).then_some(at)
}

/// Counts that precision and recall are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub truth: usize,
    pub ours: usize,
    pub right: usize,
}

impl Tally {
    pub fn precision(self) -> f64 {
        share(self.right, self.ours)
    }

    pub fn recall(self) -> f64 {
        share(self.right, self.truth)
    }

    /// None right is 0, also where there was none to find.
    pub fn f1(self) -> f64 {
        share(2 * self.right, self.ours + self.truth)
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.truth += other.truth;
        self.ours += other.ours;
        self.right += other.right;
    }
}

/// A part of a whole; of nothing, 0.
pub fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bags(texts: &[&str]) -> Vec<Bag> {
        texts.iter().map(|text| Bag::of(text)).collect()
    }

    fn matched(truth: &[&str], ours: &[&str]) -> Vec<Option<usize>> {
        Matching::of(&bags(truth), &bags(ours), HELD).truth
    }

    #[test]
    fn a_record_is_right_with_what_is_around_it() {
        let truth = ["the pump leaks mara", "buy another one tom"];
        let ours = ["Mara, 3 posts: The pump leaks. Report", "Tom: buy another one! Report"];
        assert_eq!(matched(&truth, &ours), [Some(0), Some(1)]);
    }

    #[test]
    fn two_records_in_one_or_half_a_record_are_wrong() {
        let truth = ["the pump leaks mara", "buy another one tom"];
        let both = ["mara the pump leaks tom buy another one"];
        assert_eq!(matched(&truth, &both), [None, None]);
        assert_eq!(matched(&truth, &["the pump leaks"]), [None, None]);
        let tally = Matching::of(&bags(&truth), &bags(&both), HELD).tally();
        assert_eq!((tally.precision(), tally.recall(), tally.f1()), (0.0, 0.0, 0.0));
    }

    #[test]
    fn a_quote_of_another_record_is_part_of_the_record() {
        let truth = ["leaks mara", "no leaks mara tom"];
        assert_eq!(matched(&truth, &["mara leaks", "tom: mara: leaks no"]), [Some(0), Some(1)]);
    }

    #[test]
    fn equal_records_are_each_found_once() {
        let truth = ["bump tom", "bump tom"];
        assert_eq!(matched(&truth, &["tom bump", "tom bump"]), [Some(0), Some(1)]);
        assert_eq!(matched(&truth, &["tom bump", "tom bump", "tom bump"]), [Some(0), Some(1)]);
    }

    #[test]
    fn precision_falls_with_every_record_that_is_none() {
        let truth = bags(&["the pump leaks mara"]);
        let ours = bags(&["mara the pump leaks", "powered by", "mara the pump leaks"]);
        let tally = Matching::of(&truth, &ours, HELD).tally();
        assert_eq!((tally.right, tally.ours), (1, 3));
        assert_eq!(tally.f1(), 0.5);
    }
}
