//! Deferring what claims speak for: which steps are taken all the same to see whether a claim holds, and
//! what was seen of it.

use std::collections::{BTreeMap, HashSet};

use super::address::anywhere;
use super::claim::{Claim, Evidence};
use super::class::Class;
use super::knowledge::{Aim, Judgement, Knowledge, Learned, evidence};
use super::silence;

/// The first member of a class that is tried although a claim speaks for it; then twice as many lie between.
const FIRST: u32 = 4;
/// The same of members whose target is known: two others agreed on theirs before that was believed.
const FIRST_KNOWN: u32 = 256;

impl Knowledge {
    /// Skips a member, unless it is one of the ever rarer ones that are tried all the same.
    pub(crate) fn skip(
        &mut self,
        class: &Class,
        document: &str,
        aim: &Aim,
        why: &'static str,
    ) -> Judgement {
        let first = if why == Claim::Instruction.reason() { FIRST_KNOWN } else { FIRST };
        let is_due = |learned: &Learned| {
            let next = learned.skipped + 1;
            next >= first && next.is_power_of_two()
        };
        // Counted where the claim is kept: who believes it of all types tries it as often as of one.
        let claim = Claim::of_reason(why);
        let kept = claim.map_or_else(|| class.clone(), |claim| self.about(class, claim));
        let is_due = aim.takes_all || (aim.explores && self.of(&kept).is_some_and(is_due));
        self.change(&kept, |learned| learned.skipped = learned.skipped.saturating_add(1));
        if !is_due && !self.is_audited(class, document) && !self.is_first_check(class, document) {
            return Judgement::Skip(why);
        }
        if let Some(claim) = claim {
            self.audited(&kept, claim);
        }
        Judgement::Audit
    }

    /// Takes note that a step is taken although a claim speaks for it.
    pub(crate) fn audited(&mut self, class: &Class, claim: Claim) {
        self.change(class, |learned| {
            let evidence = learned.claim(claim);
            evidence.audited = evidence.audited.saturating_add(1);
        });
    }

    /// From now on steps of a class are taken in a document whatever is claimed of them.
    pub(crate) fn audit(&mut self, class: &Class, claim: Claim, document: &str) {
        // Whether it is asked of the class itself or of its like on pages of all types.
        for class in [class.clone(), self.about(class, claim)] {
            self.audits.insert((class, evidence(document)));
        }
    }

    /// From now on one step of each class is taken in a document, whatever is claimed of it.
    pub(crate) fn check_all(&mut self, document: &str) {
        self.checked.insert(evidence(document), HashSet::new());
    }

    /// Whether a step is the first of its class in a document where one of each is taken.
    fn is_first_check(&mut self, class: &Class, document: &str) -> bool {
        let checked = self.checked.get_mut(&evidence(document));
        checked.is_some_and(|classes| classes.insert(class.clone()))
    }

    /// Whether steps of a class are taken in a document whatever is claimed of them.
    pub(crate) fn is_audited(&self, class: &Class, document: &str) -> bool {
        self.audits.contains(&(class.clone(), evidence(document)))
    }

    /// Takes note of whether what is claimed of a class held once more; `of` tells this time from others.
    pub(crate) fn tested(&mut self, class: &Class, claim: Claim, of: u64, held: bool) {
        self.change(class, |learned| match held {
            true => learned.claim(claim).hold(of),
            false => learned.claim(claim).withdraw(),
        });
    }

    /// In how many documents claims of each kind were tested, and in how many they were wrong.
    pub(crate) fn tested_by_kind(&self) -> BTreeMap<Claim, (u32, u32)> {
        let mut tested: BTreeMap<Claim, (u32, u32)> = BTreeMap::new();
        for (claim, seen) in self.classes().flat_map(|(_, learned)| &learned.claims) {
            let (documents, wrong) = tested.entry(*claim).or_default();
            *documents = documents.saturating_add(seen.held).saturating_add(seen.wrong);
            *wrong = wrong.saturating_add(seen.wrong);
        }
        tested
    }

    /// What was seen of a claim about a class.
    pub(crate) fn evidence(&self, class: &Class, claim: Claim) -> Evidence {
        let learned = self.of(&self.about(class, claim));
        learned.and_then(|learned| learned.claims.get(&claim)).cloned().unwrap_or_default()
    }

    /// The class that a claim about a class is kept under: where it is idle since its like is on pages of other
    /// types, it falls with theirs.
    fn about(&self, class: &Class, claim: Claim) -> Class {
        let is_own = |claims: &Learned| {
            claims.is_idle() || claims.claims.get(&claim).is_some_and(|own| own.is_withdrawn)
        };
        match claim {
            Claim::Address => anywhere(class),
            Claim::Silent => silence::anywhere(class),
            Claim::Idle if !self.of(class).is_some_and(is_own) => anywhere(class),
            _ => class.clone(),
        }
    }

    /// What a withdrawn claim deferred was released.
    pub(crate) fn released(&mut self, class: &Class, claim: Claim) {
        let class = self.about(class, claim);
        if self.evidence(&class, claim).is_withdrawn {
            self.change(&class, |learned| learned.claim(claim).is_withdrawn = false);
        }
    }
}
