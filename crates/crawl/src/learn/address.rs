//! Links that a handler listens to. Most of them go where their address says all the same, and that
//! is followed without an event; the others are what a script makes of them.

use std::sync::Arc;

use super::claim::Claim;
use super::class::Class;
use super::knowledge::{Aim, Judgement, Knowledge, Learned, evidence};

/// Members that must go where their address says before the others are believed to.
const MEMBERS: u32 = 3;
/// The page type under which this is learned: a site's links act alike on all its pages.
const ANY_TYPE: &str = "*";

/// Where a link went that was clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Went {
    /// Where its address says, and it did nothing else.
    AsAddressed,
    /// A script showed something in its place, under that address.
    ByRoute,
    /// It did something else.
    Astray,
}

impl Knowledge {
    /// Takes note of where a link went that was clicked.
    pub(crate) fn clicked(&mut self, class: &Class, document: &str, went: Went) {
        self.change(&anywhere(class), |learned| match went {
            Went::AsAddressed => {
                learned.addressed = learned.addressed.saturating_add(1);
                learned.claim(Claim::Address).hold(evidence(document));
            }
            Went::ByRoute => learned.routed = learned.routed.saturating_add(1),
            Went::Astray => {
                if !learned.strayed && learned.addressed >= MEMBERS {
                    learned.claim(Claim::Address).withdraw();
                }
                learned.strayed = true;
            }
        });
    }

    /// Whether a link that is followed by its address is worth a click as well. What a script shows
    /// under an address is what the address shows, where `routes_hold`.
    pub(crate) fn judge_link(
        &mut self,
        class: &Class,
        document: &str,
        aim: &Aim,
        routes_hold: bool,
    ) -> Judgement {
        // Who wants certain types asks where each class leads; an address alone does not say.
        let asks = aim.patterns && aim.wanted.is_empty() && !aim.trains;
        let class = anywhere(class);
        if !asks || !self.of(&class).is_some_and(|learned| is_sure(learned, routes_hold)) {
            return Judgement::Fire;
        }
        self.skip(&class, document, aim, Claim::Address.reason())
    }

    /// Whether members of a class are believed to go where their addresses say.
    pub(super) fn opens_its_link(&self, class: &Class) -> bool {
        self.of(&anywhere(class)).is_some_and(|learned| is_sure(learned, false))
    }
}

fn is_sure(learned: &Learned, routes_hold: bool) -> bool {
    let routed = if routes_hold { learned.routed } else { 0 };
    !learned.strayed
        && (routes_hold || learned.routed == 0)
        && learned.addressed.saturating_add(routed) >= MEMBERS
}

/// The class of the same links on pages of all types.
pub(super) fn anywhere(class: &Class) -> Class {
    class.on(&Arc::from(ANY_TYPE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(page_type: &str) -> Class {
        let class = Class::of_link(&page_type.into(), "/html/body/nav/a[2]", "Members");
        Class { event: "click".into(), handler: "~1".into(), ..class }
    }

    fn everything() -> Aim {
        Aim { patterns: true, instructions: true, explores: true, ..Aim::default() }
    }

    #[test]
    fn links_that_go_where_they_say_are_clicked_ever_more_rarely_on_all_types() {
        let (mut knowledge, aim) = (Knowledge::default(), everything());
        for page_type in ["home", "list", "thread"] {
            assert_eq!(knowledge.judge_link(&link(page_type), "/", &aim, false), Judgement::Fire);
            knowledge.clicked(&link(page_type), "/", Went::AsAddressed);
        }
        let clicked = (0..100).filter(|_| {
            let judgement = knowledge.judge_link(&link("user"), "/", &aim, false);
            judgement == Judgement::Audit
        });
        assert_eq!(clicked.count(), 5, "the 4th, 8th, 16th, 32nd and 64th");
    }

    #[test]
    fn one_that_a_script_answers_speaks_for_all_of_its_class() {
        let (mut knowledge, aim) = (Knowledge::default(), everything());
        for _ in 0..9 {
            knowledge.clicked(&link("home"), "/", Went::AsAddressed);
        }
        knowledge.clicked(&link("list"), "/", Went::Astray);
        assert!(
            (0..9).all(|_| knowledge.judge_link(&link("home"), "/", &aim, true) == Judgement::Fire)
        );
    }

    #[test]
    fn who_wants_certain_types_clicks_them_all() {
        let (mut knowledge, mut aim) = (Knowledge::default(), everything());
        for _ in 0..9 {
            knowledge.clicked(&link("home"), "/", Went::AsAddressed);
        }
        aim.wanted.insert("thread".into());
        assert!(
            (0..9)
                .all(|_| knowledge.judge_link(&link("home"), "/", &aim, false) == Judgement::Fire)
        );
    }

    #[test]
    fn what_a_script_shows_under_an_address_is_believed_where_addresses_show_it() {
        let (mut knowledge, aim) = (Knowledge::default(), everything());
        for _ in 0..3 {
            knowledge.clicked(&link("home"), "/", Went::ByRoute);
        }
        assert_eq!(knowledge.judge_link(&link("home"), "/", &aim, false), Judgement::Fire);
        assert_eq!(
            knowledge.judge_link(&link("home"), "/", &aim, true),
            Judgement::Skip(Claim::Address.reason())
        );
    }
}
