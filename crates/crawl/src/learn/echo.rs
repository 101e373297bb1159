//! What a class adds to pages, and whether that is the same on every page: the dialog, the menu, the
//! hint that a site's frame offers everywhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Documents in which a class must add what it added before, and nothing else, until it is an echo.
const ECHO_DOCUMENTS: usize = 2;
/// States with the same addition that are explored before the next ones are deferred.
const EXPLORED: u32 = 3;
/// Additions that are remembered of a class. What adds more than this is no echo.
const MOST_ADDITIONS: usize = 16;

/// Labels of a class that are told apart, and characters of one. What more there are count as one.
const MOST_LABELS: usize = 32;
const LONGEST_LABEL: usize = 24;
/// Labels that must be echoes, and none that is not, until the others of their class are taken for some.
const ECHO_LABELS: usize = 2;

/// What members of a class added, by what they say: "Menu" adds the same everywhere, "Français" beside it
/// does not, though one handler without a name serves both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EchoesByLabel(BTreeMap<String, Echoes>);

impl EchoesByLabel {
    /// Takes note of what a member that says this added in a document. True if its like added the same
    /// before.
    pub(crate) fn hear(&mut self, says: &str, added: u64, document: &str) -> bool {
        let mut label = clipped(says);
        if self.0.len() >= MOST_LABELS && !self.0.contains_key(&label) {
            label = String::new();
        }
        self.0.entry(label).or_default().hear(added, document)
    }

    /// Something lies behind what they add that differs from page to page. True if some were taken for
    /// echoes.
    pub(crate) fn refute(&mut self) -> bool {
        let had_one = self.0.values().any(Echoes::is_one);
        self.0.values_mut().for_each(Echoes::refute);
        had_one
    }

    /// Whether a member that says this adds the same to every page: its like did, or all of its class that
    /// were tried on several pages.
    pub(crate) fn is_one(&self, says: &str) -> bool {
        let rest = self.0.get("").filter(|_| self.0.len() >= MOST_LABELS);
        let own = self.0.get(&clipped(says)).or(rest);
        let (echoes, others): (Vec<_>, Vec<_>) =
            self.0.values().filter(|of| of.is_of_several()).partition(|of| of.is_one());
        own.is_some_and(Echoes::is_one) || (echoes.len() >= ECHO_LABELS && others.is_empty())
    }

    /// Whether every member adds the same to every page, whatever it says.
    pub(crate) fn are_all(&self) -> bool {
        !self.0.is_empty() && self.0.values().all(Echoes::is_one)
    }

    /// Adds what is known of a class that turned out to be this one.
    pub(crate) fn absorb(&mut self, other: Self) {
        for (label, echoes) in other.0 {
            self.0.entry(label).or_default().absorb(echoes);
        }
        while self.0.len() > MOST_LABELS + 1 {
            self.0.pop_last();
        }
    }
}

fn clipped(says: &str) -> String {
    says.chars().take(LONGEST_LABEL).collect()
}

/// What members of a class added to the states that they were fired in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Echoes {
    /// What was added, by its hash, and the document that it was first added in; the latest few.
    added: Vec<(u64, String)>,
    /// Further documents in which the same was added, and nothing else since.
    again: Vec<String>,
}

impl Echoes {
    /// Takes note of what a member added in a document. True if its like added the same before.
    fn hear(&mut self, added: u64, document: &str) -> bool {
        let first = self.added.iter().find(|(known, _)| *known == added).map(|(_, first)| first);
        match first {
            // A pager adds what it added before, too, and never in another document.
            Some(first) if first == document => {}
            Some(_) => {
                let is_new = !self.again.iter().any(|at| at == document);
                if is_new && self.again.len() < ECHO_DOCUMENTS {
                    self.again.push(document.to_owned());
                }
            }
            None => {
                self.again.clear();
                if self.added.len() >= MOST_ADDITIONS {
                    self.added.remove(0);
                }
                self.added.push((added, document.to_owned()));
                return false;
            }
        }
        true
    }

    /// Something lies behind what it adds that differs from page to page.
    fn refute(&mut self) {
        self.again.clear();
    }

    /// Whether anything was added in more than one document.
    fn is_of_several(&self) -> bool {
        let first = self.added.first().map(|(_, document)| document);
        !self.again.is_empty() || self.added.iter().any(|(_, document)| Some(document) != first)
    }

    /// Whether it adds the same to every page.
    fn is_one(&self) -> bool {
        self.again.len() >= ECHO_DOCUMENTS
    }

    /// Adds what is known of a class that turned out to be this one.
    fn absorb(&mut self, other: Self) {
        self.added.extend(other.added);
        self.added.sort_unstable();
        self.added.dedup_by_key(|(added, _)| *added);
        self.added.truncate(MOST_ADDITIONS);
        self.again.clear();
    }
}

/// What is known of one addition, whichever event made it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Addition {
    /// States that it made since something was found behind it.
    states: u32,
}

impl Addition {
    /// Takes note of a state that it made. True if the state is worth exploring: what it offers
    /// besides what its origin does was tried in those before it, and ever rarer ones are all the same.
    pub(crate) fn is_worth_exploring(&mut self) -> bool {
        self.states = self.states.saturating_add(1);
        self.states <= EXPLORED || self.states.is_power_of_two()
    }

    /// Something was found behind it. True if that was not believed of some of its states.
    pub(crate) fn opened(&mut self) -> bool {
        std::mem::take(&mut self.states) > EXPLORED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_that_two_more_documents_show_alike_is_an_echo() {
        let mut echoes = Echoes::default();
        for (document, is_known) in [("/1", false), ("/2", true), ("/2", true)] {
            assert_eq!(echoes.hear(7, document), is_known, "{document}");
            assert!(!echoes.is_one(), "{document}");
        }
        echoes.hear(7, "/3");
        assert!(echoes.is_one());
    }

    #[test]
    fn two_dialogs_of_one_class_are_an_echo_too() {
        let mut echoes = Echoes::default();
        for document in ["/1", "/2", "/3", "/4"] {
            echoes.hear(7, document);
            echoes.hear(8, document);
        }
        assert!(echoes.is_one());
    }

    #[test]
    fn a_dialog_is_explored_three_times_and_then_ever_more_rarely() {
        let mut addition = Addition::default();
        let explored = (0..100).filter(|_| addition.is_worth_exploring()).count();
        assert_eq!(explored, 3 + 5, "the 4th, 8th, 16th, 32nd and 64th");
        assert!(addition.opened());
        assert!((0..3).all(|_| addition.is_worth_exploring()));
        assert!(!addition.opened(), "all of these were explored");
    }

    #[test]
    fn what_adds_something_else_each_time_is_none() {
        let mut echoes = Echoes::default();
        for page in 0..100 {
            assert!(!echoes.hear(page, &page.to_string()));
        }
        assert!(!echoes.is_one());
    }

    #[test]
    fn what_two_documents_each_add_again_is_none() {
        let mut echoes = Echoes::default();
        echoes.hear(1, "/1");
        echoes.hear(2, "/2");
        for (added, document) in [(1, "/1"), (2, "/2")].repeat(9) {
            assert!(echoes.hear(added, document), "it is known");
        }
        assert!(!echoes.is_one(), "but nothing was added to both");
    }

    #[test]
    fn two_labels_that_are_echoes_speak_for_a_class_without_others() {
        let mut echoes = EchoesByLabel::default();
        for document in ["/1", "/2", "/3"] {
            echoes.hear("Home", 7, document);
            assert!(!echoes.is_one("News"));
            echoes.hear("Shop", 8, document);
        }
        assert!(echoes.is_one("News"), "it was never tried");
        for (added, document) in [(1, "/1"), (2, "/2")] {
            echoes.hear("More", added, document);
        }
        assert!(!echoes.is_one("News"), "one of them adds something else each time");
    }

    #[test]
    fn what_one_label_adds_says_nothing_of_another() {
        let mut echoes = EchoesByLabel::default();
        for document in ["/1", "/2", "/3", "/4"] {
            echoes.hear("Menu", 7, document);
        }
        assert!(echoes.is_one("Menu"));
        assert!(!echoes.is_one("Français"));
    }

    #[test]
    fn one_addition_of_another_kind_ends_it() {
        let mut echoes = Echoes::default();
        for document in ["/1", "/2", "/3", "/4"] {
            echoes.hear(7, document);
        }
        echoes.hear(8, "/5");
        assert!(!echoes.is_one());
    }
}
