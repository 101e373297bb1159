//! Events that come with every click. One handler often listens to several events of the elements that it
//! serves, and acts on one of them: a list with forty buttons has forty clicks that show something, and forty
//! times a pointer that comes over a button and shows nothing. That is learned for a handler, on whatever page
//! it serves whatever elements.

use std::sync::Arc;

use super::claim::Claim;
use super::class::{Class, Label};
use super::knowledge::{Knowledge, evidence};

/// Documents in which such events did nothing after which they are not tried in further ones.
const DOCUMENTS: u32 = 3;
/// The first of the documents after these in which they are tried all the same; then twice as many lie between.
const FIRST: u32 = 4;
/// The page type under which this is learned.
const ANY_TYPE: &str = "*";

/// Whether nobody clicks on an element without causing this event.
pub(crate) fn comes_with_a_click(event: &str) -> bool {
    let of_pointer = ["mouse", "pointer", "touch", "focus"];
    event != "click" && of_pointer.iter().any(|kind| event.starts_with(kind))
}

impl Knowledge {
    /// Whether such events of a handler are not tried in a document that has them: they did nothing in others.
    /// To be asked once in each document.
    pub(crate) fn believes_silence(&mut self, class: &Class, document: &str) -> bool {
        let class = anywhere(class);
        if self.evidence(&class, Claim::Silent).held < DOCUMENTS || self.was_heard(&class) {
            return false;
        }
        let mut nth = 0;
        self.change(&class, |learned| {
            learned.skipped = learned.skipped.saturating_add(1);
            nth = learned.skipped;
        });
        let is_due = nth >= FIRST && nth.is_power_of_two();
        if is_due || self.is_audited(&class, document) {
            self.audited(&class, Claim::Silent);
            return false;
        }
        true
    }

    /// Whether such an event of a handler did something once. It is never forgiven.
    pub(crate) fn was_heard(&self, class: &Class) -> bool {
        self.evidence(class, Claim::Silent).wrong > 0
    }

    /// Whether such events of a handler did nothing, on as many pages as it takes to say so.
    pub(super) fn is_silent(&self, class: &Class) -> bool {
        comes_with_a_click(&class.event)
            && self.evidence(class, Claim::Silent).held >= DOCUMENTS
            && !self.was_heard(class)
    }

    /// Takes note of whether such events of a handler did nothing in a document.
    pub(crate) fn was_silent(&mut self, class: &Class, document: &str, held: bool) {
        self.tested(&anywhere(class), Claim::Silent, evidence(document), held);
    }
}

/// The class of the same events of a handler on pages of all types, wherever the elements stand.
pub(super) fn anywhere(class: &Class) -> Class {
    Class {
        page_type: Arc::from(ANY_TYPE),
        place: String::new(),
        label: Label::Words,
        ..class.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(place: &str) -> Class {
        Class {
            event: "mouseover".into(),
            handler: "[data-on] ~1 for click".into(),
            ..Class::of_link(&"type".into(), place, "Sage")
        }
    }

    #[test]
    fn only_what_no_click_is_made_without_comes_with_one() {
        for (event, comes) in [("mouseover", true), ("focusin", true), ("pointerdown", true)] {
            assert_eq!(comes_with_a_click(event), comes, "{event}");
        }
        for event in ["click", "change", "input", "keydown", "scroll", "dblclick"] {
            assert!(!comes_with_a_click(event), "{event}");
        }
    }

    #[test]
    fn what_did_nothing_in_three_documents_is_tried_ever_more_rarely_wherever_it_stands() {
        let mut known = Knowledge::default();
        for document in ["/1", "/2", "/3"] {
            assert!(!known.believes_silence(&over("/html/body/p/button"), document));
            known.was_silent(&over("/html/body/p/button"), document, true);
        }
        let tried = (0..100)
            .filter(|nth| !known.believes_silence(&over("/html/body/ul/li"), &nth.to_string()))
            .count();
        assert_eq!(tried, 5, "in the 4th, 8th, 16th, 32nd and 64th");
    }

    #[test]
    fn one_that_did_something_is_heard_for_ever() {
        let mut known = Knowledge::default();
        for document in ["/1", "/2", "/3", "/4"] {
            known.was_silent(&over("/html/body/p/button"), document, true);
        }
        known.was_silent(&over("/html/body/ul/li"), "/5", false);
        for document in ["/6", "/7", "/8", "/9"] {
            known.was_silent(&over("/html/body/p/button"), document, true);
        }
        assert!(!known.believes_silence(&over("/html/body/p/button"), "/10"));
        assert!(known.evidence(&over("/html/body/p/button"), Claim::Silent).is_withdrawn);
    }
}
