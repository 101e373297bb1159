//! Claims: what is believed of a class without trying each of its members, and how likely each is to be
//! wrong in the next document.
//!
//! A step that a claim speaks for is deferred, not dropped. Evidence counts documents, not members: forty
//! buttons of one page that do nothing are one observation. One contradiction withdraws the claim, and
//! all that it deferred is taken.

use serde::{Deserialize, Serialize};

/// Documents that are told apart as having been counted: as many as tabs work at the same time.
const RECENT: usize = 8;
/// 95 of 100 normal variates are less than so many standard deviations above the mean.
const ONE_SIDED_95: f64 = 1.645;

/// What may be claimed of a class of steps, of a page type, or of the addresses of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Claim {
    /// Its steps do nothing.
    Idle,
    /// They come with every click, and their handler acts on clicks.
    Silent,
    /// They add the same to every page.
    Echo,
    /// They are links that only go where their addresses say.
    Address,
    /// Taken again from other states of their document, they show nothing new.
    Repeat,
    /// A step that says what it wants leads to the same wherever it is found.
    Instruction,
    /// They lead on and on, and show nothing new: a series without an end, of states or of addresses.
    Series,
    /// Addresses of a shape show what other addresses show.
    Alias,
    /// Pages of a type show the same without a browser, and nothing more by events.
    Plain,
    /// Documents of a type show by events what others of it do on average. They are left out only where the
    /// user asks for less than everything.
    Sample,
}

impl Claim {
    pub(crate) const ALL: [Self; 10] = [
        Self::Idle,
        Self::Silent,
        Self::Echo,
        Self::Address,
        Self::Repeat,
        Self::Instruction,
        Self::Series,
        Self::Alias,
        Self::Plain,
        Self::Sample,
    ];

    /// Its name, as the table of priors and the output have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Silent => "silent",
            Self::Echo => "echo",
            Self::Address => "address",
            Self::Repeat => "repeat",
            Self::Instruction => "instruction",
            Self::Series => "series",
            Self::Alias => "alias",
            Self::Plain => "plain",
            Self::Sample => "sample",
        }
    }

    /// Why a step of such a class is deferred. Kept with it.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Idle => "steps of this kind never had an effect",
            Self::Silent => "their handler acts on clicks, and does nothing on this event",
            Self::Echo => "steps of this kind add the same to every page",
            Self::Address => {
                "steps of this kind only open their own link, which is followed instead"
            }
            Self::Repeat => {
                "steps of this kind show nothing new from other states of their document"
            }
            Self::Instruction => "this step leads to the same page wherever it is found",
            Self::Series => "its series leads on and brings nothing new",
            Self::Alias => "addresses of this shape show what other addresses show",
            Self::Plain => "pages of this type show the same without a browser",
            Self::Sample => "so many documents are left out as the completeness asked allows",
        }
    }

    /// The claim that a kept reason is of. A step whose target is known has none.
    pub(crate) fn of_reason(reason: &str) -> Option<Self> {
        match reason {
            "" => Some(Self::Instruction),
            _ => Self::ALL.into_iter().find(|claim| claim.reason() == reason),
        }
    }
}

/// What was seen of a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evidence {
    /// Documents in which it held.
    pub(crate) held: u32,
    /// Steps that it spoke for and that were taken all the same.
    pub(crate) audited: u32,
    /// How often it was withdrawn.
    pub(crate) wrong: u32,
    /// It was withdrawn, and what it deferred waits for the end of the crawl to be released.
    pub(crate) is_withdrawn: bool,
    /// The latest documents, as hashes.
    recent: Vec<u64>,
}

impl Evidence {
    /// Takes note that it held in a document.
    pub(crate) fn hold(&mut self, document: u64) {
        if self.recent.contains(&document) {
            return;
        }
        if self.recent.len() >= RECENT {
            self.recent.remove(0);
        }
        self.recent.push(document);
        self.held = self.held.saturating_add(1);
    }

    /// Takes note that it did not.
    pub(crate) fn withdraw(&mut self) {
        self.wrong = self.wrong.saturating_add(1);
        self.is_withdrawn = true;
        self.held = 0;
        self.recent.clear();
    }

    /// Adds what is known of a class that turned out to be the same.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.held = self.held.saturating_add(other.held);
        self.audited = self.audited.saturating_add(other.audited);
        self.wrong = self.wrong.saturating_add(other.wrong);
        self.is_withdrawn |= other.is_withdrawn;
    }
}

/// What may be missed because of claims: of each pair of a class and a document that has steps of it which
/// were deferred, the chance that something lies behind one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Risk {
    pub(crate) expected: f64,
    variance: f64,
}

impl Risk {
    /// The risk of a claim in documents that it was not tried in, after it held in so many. Before anything
    /// was seen of it, it is wrong in a document with this chance, with the weight of one document. The
    /// number of wrong ones is beta-binomial: they are wrong together or not at all.
    pub(crate) fn of(chance: f64, held: u32, documents: i64) -> Self {
        let weight = 1.0 + f64::from(held);
        let (chance, documents) = (chance / weight, documents as f64);
        Self {
            expected: documents * chance,
            variance: documents * chance * (1.0 - chance) * (weight + documents) / (weight + 1.0),
        }
    }

    /// The risk of so many documents that each show `mean` more states by events, with this variance, as told
    /// by a sample of others.
    pub(crate) fn of_sample(mean: f64, variance: f64, sample: u32, documents: i64) -> Self {
        let documents = documents as f64;
        let spread = documents + documents * documents / (f64::from(sample) + 1.0);
        Self { expected: documents * mean, variance: spread * variance }
    }

    /// With another claim's.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { expected: self.expected + other.expected, variance: self.variance + other.variance }
    }

    /// What is missed at most, with 95 % confidence.
    pub(crate) fn at_most(self) -> f64 {
        (self.expected + ONE_SIDED_95 * self.variance.sqrt()).ceil()
    }
}

/// In how many more documents each claim must be tried until no more is expected to be missed than
/// `allowed`, the most doubtful first. `expected` says what is expected to be missed because of a claim
/// after it was tried in so many more; `most` in how many it can be.
pub(crate) fn audits(
    most: &[u32],
    expected: impl Fn(usize, u32) -> f64,
    allowed: impl Fn(f64) -> f64,
) -> Vec<u32> {
    let mut audits = vec![0; most.len()];
    let mut risks: Vec<f64> = (0..most.len()).map(|claim| expected(claim, 0)).collect();
    let mut all: f64 = risks.iter().sum();
    while all > allowed(all) {
        let open = |at: &usize| audits.get(*at) < most.get(*at) && risks.get(*at) > Some(&0.0);
        let risk = |at: &usize| risks.get(*at).copied().unwrap_or_default();
        let worst = (0..most.len()).filter(open).max_by(|a, b| risk(a).total_cmp(&risk(b)));
        let Some(at) = worst else { break };
        let (Some(count), Some(risk)) = (audits.get_mut(at), risks.get_mut(at)) else { break };
        *count += 1;
        let left = expected(at, *count);
        all += left - *risk;
        *risk = left;
    }
    audits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_document_is_one_observation_however_often_it_is_seen() {
        let mut evidence = Evidence::default();
        for document in [1, 2, 1, 2, 3] {
            evidence.hold(document);
        }
        assert_eq!(evidence.held, 3);
        evidence.withdraw();
        assert_eq!((evidence.held, evidence.wrong, evidence.is_withdrawn), (0, 1, true));
    }

    #[test]
    fn a_claim_that_held_for_long_is_doubted_less_and_one_that_covers_more_risks_more() {
        let risk = |held, documents| Risk::of(0.01, held, documents).expected;
        assert!(risk(3, 100) > risk(30, 100));
        assert!(risk(3, 100) > risk(3, 10));
        assert!(Risk::of(0.01, 3, 100).at_most() >= 1.0);
        assert_eq!(Risk::default().at_most(), 0.0);
    }

    #[test]
    fn the_most_doubtful_claim_is_tried_first_and_no_more_than_is_needed() {
        let claims = [(3, 10), (3, 1_000)];
        let expected = |at: usize, audits: u32| {
            let (held, documents) = claims[at];
            Risk::of(0.01, held + audits, documents - i64::from(audits)).expected
        };
        let needed = |allowed: f64| audits(&[10, 1_000], expected, |_| allowed);
        assert_eq!(needed(10.0), [0, 0]);
        assert!(needed(0.5)[1] > 0 && needed(0.5)[0] == 0, "{:?}", needed(0.5));
        assert_eq!(needed(0.0), [10, 1_000], "nothing may be missed: everything is tried");
    }

    #[test]
    fn what_is_missed_in_documents_that_were_left_out_is_told_by_those_that_were_not() {
        let few = Risk::of_sample(6.0, 4.0, 3, 10);
        let many = Risk::of_sample(6.0, 4.0, 30, 10);
        assert_eq!((few.expected, many.expected), (60.0, 60.0));
        assert!(few.at_most() > many.at_most() && many.at_most() > 60.0);
    }

    #[test]
    fn reasons_tell_claims_apart() {
        for claim in Claim::ALL {
            assert_eq!(Claim::of_reason(claim.reason()), Some(claim));
        }
    }
}
