//! What is known of pages that can do the same: on which of them events found nothing, told by the names that
//! their scripts look for.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Documents whose events found nothing before a browser is spared those like them.
const QUIET_AFTER: u32 = 3;
/// Names that scripts look for which are remembered, and sets of them that made a difference.
const MOST_HOOKS: usize = 4_096;
const MOST_LOUD: usize = 32;

/// What was seen of pages with the same scripts, by the names in their markup that these look for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Hooks {
    /// Documents that showed the same without a browser, and whose events found nothing.
    quiet: u32,
    /// Names on these.
    known: BTreeSet<u64>,
    /// Names on pages of which a browser, or an event, showed something of their own.
    loud: Vec<Loud>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Loud {
    names: BTreeSet<u64>,
    /// What events added there, as hashes, as long as it is not known from elsewhere; empty if a browser
    /// showed more without an event.
    added: BTreeSet<u64>,
}

impl Hooks {
    /// Whether there is any page of which this speaks.
    pub(crate) fn is_settled(&self) -> bool {
        self.quiet >= QUIET_AFTER
    }

    /// Whether a page with these names is like those on which nothing was found: each of its names is on one of
    /// them, and not all of a page on which something was.
    pub(crate) fn are_quiet(&self, names: &BTreeSet<u64>) -> bool {
        self.has_met(names) && !self.loud.iter().any(|loud| loud.names.is_subset(names))
    }

    /// Nothing was found on a page with these names.
    pub(crate) fn hold(&mut self, names: BTreeSet<u64>) {
        if self.known.len() < MOST_HOOKS {
            self.quiet += 1;
            self.meet(names);
        }
    }

    /// A page has these names.
    pub(crate) fn meet(&mut self, names: BTreeSet<u64>) {
        if self.known.len() < MOST_HOOKS {
            self.known.extend(names);
        }
    }

    /// Whether pages had all of these.
    pub(crate) fn has_met(&self, names: &BTreeSet<u64>) -> bool {
        names.is_subset(&self.known)
    }

    /// All names that pages had.
    pub(crate) fn into_known(self) -> BTreeSet<u64> {
        self.known
    }

    /// Something was found on a page with these names. False if there were too many of these.
    pub(crate) fn make_a_difference(&mut self, names: BTreeSet<u64>, added: BTreeSet<u64>) -> bool {
        let has_room = self.loud.len() < MOST_LOUD;
        if has_room && !self.loud.iter().any(|it| it.added.is_empty() && it.names.is_subset(&names))
        {
            self.loud.push(Loud { names, added });
        }
        has_room
    }

    /// What an event added to a page was added to another one, too: it tells them apart no more.
    pub(crate) fn is_common(&mut self, added: u64) {
        self.loud.retain_mut(|loud| !(loud.added.remove(&added) && loud.added.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[u64]) -> BTreeSet<u64> {
        of.iter().copied().collect()
    }

    #[test]
    fn a_page_is_quiet_if_all_its_names_are_on_quiet_ones() {
        let mut hooks = Hooks::default();
        [&[1, 2][..], &[1, 3], &[1]].into_iter().for_each(|of| hooks.hold(names(of)));
        assert!(hooks.is_settled());
        assert!(hooks.are_quiet(&names(&[1, 2, 3])) && !hooks.are_quiet(&names(&[1, 4])));
    }

    #[test]
    fn a_page_with_all_that_made_a_difference_is_not_until_that_turns_out_to_be_everywhere() {
        let mut hooks = Hooks::default();
        hooks.hold(names(&[1, 2, 3]));
        assert!(hooks.make_a_difference(names(&[1, 2]), names(&[7, 8])));
        assert!(hooks.are_quiet(&names(&[1, 3])) && !hooks.are_quiet(&names(&[1, 2, 3])));
        hooks.is_common(7);
        assert!(!hooks.are_quiet(&names(&[1, 2])));
        hooks.is_common(8);
        assert!(hooks.are_quiet(&names(&[1, 2])));
        assert!(hooks.make_a_difference(names(&[1]), BTreeSet::new()));
        hooks.is_common(0);
        assert!(!hooks.are_quiet(&names(&[1, 2])), "no event did it");
    }
}
