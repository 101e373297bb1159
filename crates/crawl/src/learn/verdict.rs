//! Whether an instruction means the same wherever it is given (seed 001 assumes it; here it is
//! tested). `goPage(5)` leads to page 5 from page 1 and from page 2; "next" does not.

use serde::{Deserialize, Serialize};

/// Members of a class that must agree before members that were never fired are believed.
const MEMBERS: usize = 2;
/// Agreements that one member alone must show, where a class has no other.
const ALONE: usize = 3;

/// How far an instruction reaches, from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// States of one document that differ only by events of the class itself: pages under one tab.
    Context,
    /// All states of one document.
    Document,
    /// All documents of the site.
    Site,
}

/// What was seen of a class where it was tried more than once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Members that led to one target from two different states.
    agreed: Vec<String>,
    /// The different pairs of states that agreed, as hashes: what is read from kept edges again after
    /// an interruption counts once.
    #[serde(default)]
    evidence: Vec<u64>,
    /// A member led to two targets. It is never forgiven.
    contradicted: bool,
}

impl Tally {
    /// Whether members that were never tried are believed to do as those that were.
    pub(crate) fn holds(&self) -> bool {
        !self.contradicted && (self.agreed.len() >= MEMBERS || self.evidence.len() >= ALONE)
    }

    /// Takes note that a member did what is expected. `evidence` tells this time from others.
    pub(crate) fn agree(&mut self, member: &str, evidence: u64) {
        if self.evidence.len() < ALONE && !self.evidence.contains(&evidence) {
            self.evidence.push(evidence);
        }
        if self.agreed.len() < MEMBERS && !self.agreed.iter().any(|known| known == member) {
            self.agreed.push(member.to_owned());
        }
    }

    /// Takes note that a member did not.
    pub(crate) fn contradict(&mut self) {
        self.contradicted = true;
    }
}

/// The verdicts on a class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Verdicts {
    crawl: Tally,
    document: Tally,
    site: Tally,
}

impl Verdicts {
    /// Whether an answer known at this reach may stand for firing the event again.
    pub(crate) fn holds(&self, reach: Reach) -> bool {
        self.at(reach).holds()
    }

    /// Whether an answer known at this reach, or at a wider one, may.
    pub(crate) fn holds_at_or_beyond(&self, reach: Reach) -> bool {
        [Reach::Context, Reach::Document, Reach::Site]
            .into_iter()
            .any(|wider| wider >= reach && self.holds(wider))
    }

    /// Whether members lead to the same from every state that differs by members only: what a class
    /// is called in the model.
    pub(crate) fn context_free(&self) -> bool {
        self.holds(Reach::Context)
    }

    /// Takes note that a member led from two different states, this far apart, to one target.
    /// `evidence` names the member, the states and the target.
    pub(crate) fn agree(&mut self, reach: Reach, member: &str, evidence: u64) {
        self.tally(reach).agree(member, evidence);
    }

    /// Takes note that a member led to two targets: whoever stands further apart cannot agree either.
    pub(crate) fn contradict(&mut self, reach: Reach) {
        for wider in [Reach::Context, Reach::Document, Reach::Site] {
            if wider >= reach {
                self.tally(wider).contradict();
            }
        }
    }

    /// Adds what was seen of a class that turned out to be this one.
    pub(crate) fn absorb(&mut self, other: &Self) {
        for reach in [Reach::Context, Reach::Document, Reach::Site] {
            let theirs = other.at(reach);
            let tally = self.tally(reach);
            tally.contradicted |= theirs.contradicted;
            tally.evidence.extend(theirs.evidence.iter().copied());
            tally.evidence.sort_unstable();
            tally.evidence.dedup();
            tally.evidence.truncate(ALONE);
            tally.agreed.extend(theirs.agreed.iter().cloned());
            tally.agreed.sort();
            tally.agreed.dedup();
        }
    }

    /// The verdict that a model states, believed until the first contradiction.
    pub(crate) fn believed() -> Self {
        let mut verdicts = Self::default();
        verdicts.crawl.evidence = (0..).take(ALONE).collect();
        verdicts
    }

    fn tally(&mut self, reach: Reach) -> &mut Tally {
        match reach {
            Reach::Context => &mut self.crawl,
            Reach::Document => &mut self.document,
            Reach::Site => &mut self.site,
        }
    }

    fn at(&self, reach: Reach) -> &Tally {
        match reach {
            Reach::Context => &self.crawl,
            Reach::Document => &self.document,
            Reach::Site => &self.site,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_members_that_agree_speak_for_the_class() {
        let mut verdicts = Verdicts::default();
        verdicts.agree(Reach::Context, "goPage(1)", 1);
        verdicts.agree(Reach::Context, "goPage(1)", 2);
        assert!(!verdicts.holds(Reach::Context));
        verdicts.agree(Reach::Context, "goPage(3)", 3);
        assert!(verdicts.holds(Reach::Context));
        assert!(!verdicts.holds(Reach::Document), "another tab may have another page 3");
    }

    #[test]
    fn one_contradiction_ends_it_here_and_further_out() {
        let mut verdicts = Verdicts::default();
        for (member, evidence) in [("a", 1), ("b", 2)] {
            verdicts.agree(Reach::Context, member, evidence);
            verdicts.agree(Reach::Document, member, evidence);
        }
        verdicts.contradict(Reach::Document);
        assert!(verdicts.holds(Reach::Context));
        assert!(!verdicts.holds(Reach::Document));
        verdicts.agree(Reach::Site, "a", 3);
        verdicts.agree(Reach::Site, "b", 4);
        assert!(!verdicts.holds(Reach::Site));
    }

    #[test]
    fn a_single_member_needs_more_evidence() {
        let mut verdicts = Verdicts::default();
        verdicts.agree(Reach::Context, "home()", 1);
        verdicts.agree(Reach::Context, "home()", 2);
        verdicts.agree(Reach::Context, "home()", 2);
        assert!(!verdicts.holds(Reach::Context), "the same two states again say nothing more");
        verdicts.agree(Reach::Context, "home()", 3);
        assert!(verdicts.holds(Reach::Context));
    }
}
