//! Events that come with every click, in one document: two elements on which a handler of clicks does nothing at
//! such an event speak for the others that it serves. Of a handler that listens to such events alone, only other
//! documents say that.

use std::collections::HashMap;

use super::{Agenda, Offer, Open};
use crate::learn::{Class, Knowledge, Tally, evidence};

/// What is known of such events, by event and handler.
pub(super) type Silences = HashMap<(String, String), Silence>;

/// What is known of one event of a handler.
#[derive(Default)]
pub(super) struct Silence {
    /// Whether other documents said it all.
    is_believed: bool,
    tally: Tally,
}

fn of(class: &Class) -> (String, String) {
    (class.event.clone(), class.handler.clone())
}

impl Agenda {
    /// Whether an event that comes with a click need not be tried: its handler does nothing on such events.
    pub(crate) fn is_silent(&mut self, knowledge: &mut Knowledge, open: &Open) -> bool {
        let class = &open.offer.class;
        if !open.comes_with_a_click || knowledge.was_heard(class) {
            return false;
        }
        let url = &self.url;
        let silence = self.silences.entry(of(class)).or_insert_with(|| Silence {
            is_believed: knowledge.believes_silence(class, url),
            tally: Tally::default(),
        });
        silence.is_believed || (open.acts_on_clicks && silence.tally.holds())
    }

    /// Takes note of whether such an event did nothing.
    pub(crate) fn listen(&mut self, knowledge: &mut Knowledge, offer: &Offer, did_nothing: bool) {
        let silence = self.silences.entry(of(&offer.class)).or_default();
        if did_nothing {
            let member = (&offer.signature, &offer.step.xpath);
            silence.tally.agree(&offer.signature, evidence(member));
        } else {
            silence.tally.contradict();
            silence.is_believed = false;
        }
        knowledge.was_silent(&offer.class, &self.url, did_nothing);
    }
}
