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

/// What may be claimed of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Claim {
    /// Its steps do nothing.
    Idle,
    /// They add the same to every page.
    Echo,
    /// They are links that only go where their addresses say.
    Address,
    /// Taken again from other states of their document, they show nothing new.
    Repeat,
    /// Pages of its type show the same without a browser, and nothing more by events.
    Plain,
}

impl Claim {
    pub(crate) const ALL: [Self; 5] =
        [Self::Idle, Self::Echo, Self::Address, Self::Repeat, Self::Plain];

    /// Why a step of such a class is deferred. Kept with it.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Idle => "steps of this kind never had an effect",
            Self::Echo => "steps of this kind add the same to every page",
            Self::Address => {
                "steps of this kind only open their own link, which is followed instead"
            }
            Self::Repeat => {
                "steps of this kind show nothing new from other states of their document"
            }
            Self::Plain => "pages of this type show the same without a browser",
        }
    }

    /// The claim that a kept reason is of.
    pub(crate) fn of_reason(reason: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|claim| claim.reason() == reason)
    }

    /// How likely claims of this sort are to be wrong in a document, and to hold, before this site is seen,
    /// with the weight of one document. These are guesses: nobody has measured them.
    fn prior(self) -> (f64, f64) {
        match self {
            Self::Idle => (0.004, 0.996),
            Self::Echo => (0.01, 0.99),
            Self::Address => (0.002, 0.998),
            Self::Repeat => (0.01, 0.99),
            Self::Plain => (0.01, 0.99),
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
    /// The risk of a claim in documents that it was not tried in, after it held in so many. The number of
    /// wrong ones is beta-binomial: they are wrong together or not at all.
    pub(crate) fn of(claim: Claim, held: u32, documents: i64) -> Self {
        let (wrong, right) = claim.prior();
        let weight = wrong + right + f64::from(held);
        let (chance, documents) = (wrong / weight, documents as f64);
        Self {
            expected: documents * chance,
            variance: documents * chance * (1.0 - chance) * (weight + documents) / (weight + 1.0),
        }
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

/// How many more documents each of these claims must be tried in until no more is expected to be missed
/// than `allowed`, the most doubtful first. Each is given with the documents in which it held, and those
/// that it deferred.
pub(crate) fn audits(claims: &[(Claim, u32, i64)], allowed: f64) -> Vec<u32> {
    let mut audits = vec![0; claims.len()];
    let risk = |(claim, held, documents): (Claim, u32, i64), audits: u32| {
        Risk::of(claim, held.saturating_add(audits), documents - i64::from(audits)).expected
    };
    let mut risks: Vec<f64> = claims.iter().map(|claim| risk(*claim, 0)).collect();
    let mut expected: f64 = risks.iter().sum();
    while expected > allowed {
        let worst = risks.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let Some((at, _)) = worst.filter(|(_, risk)| **risk > 0.0) else { break };
        let (Some(count), Some(claim)) = (audits.get_mut(at), claims.get(at)) else { break };
        *count += 1;
        let left = risk(*claim, *count);
        if let Some(risk) = risks.get_mut(at) {
            expected += left - *risk;
            *risk = left;
        }
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
        let risk = |held, documents| Risk::of(Claim::Idle, held, documents).expected;
        assert!(risk(3, 100) > risk(30, 100));
        assert!(risk(3, 100) > risk(3, 10));
        assert!(Risk::of(Claim::Idle, 3, 100).at_most() >= 1.0);
        assert_eq!(Risk::default().at_most(), 0.0);
    }

    #[test]
    fn the_most_doubtful_claim_is_tried_first_and_no_more_than_is_needed() {
        let claims = [(Claim::Idle, 3, 10), (Claim::Idle, 3, 1_000)];
        assert_eq!(audits(&claims, 10.0), [0, 0]);
        let needed = audits(&claims, 0.5);
        assert!(needed[1] > 0 && needed[0] == 0, "{needed:?}");
        let all = audits(&claims, 0.0);
        assert_eq!(all, [10, 1_000], "nothing may be missed: everything is tried");
    }

    #[test]
    fn reasons_tell_claims_apart() {
        for claim in Claim::ALL {
            assert_eq!(Claim::of_reason(claim.reason()), Some(claim));
        }
    }
}
