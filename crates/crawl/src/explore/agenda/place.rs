//! A state of a document and what it offers.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use browser::Candidate;
use page::state::Content;
use store::{PageNumber, PathStep};

use crate::explore::judge::Offering;
use crate::explore::shown::Shown;
use crate::learn::{Class, Label, evidence};
use crate::visit::capture::Seen;

/// A state of the document.
pub(crate) struct Place {
    pub(crate) page: PageNumber,
    pub(crate) page_type: Arc<str>,
    pub(crate) depth: u32,
    pub(crate) path: Vec<PathStep>,
    /// What was fired on the path.
    pub(crate) trail: Vec<Turn>,
    /// What it shows; `None` until the tab was there.
    pub(crate) content: Option<Content>,
    /// What it shows, to compare with states of other documents.
    pub(crate) shown: Shown,
    /// What it added to the state before it, as one number.
    pub(crate) added: u64,
    /// URLs that it shows.
    pub(crate) links: HashSet<String>,
    pub(super) open: VecDeque<Open>,
    /// Whether its candidates were looked at.
    pub(crate) is_known: bool,
    /// Whether the catalog knows that nothing is left to do in it.
    pub(crate) is_closed: bool,
    pub(super) missed: u32,
    /// The how manieth state of the document it is.
    pub(super) nth: usize,
}

/// A candidate that is still to be fired.
#[derive(Clone)]
pub(crate) struct Open {
    pub(crate) candidate: Candidate,
    pub(crate) offer: Offer,
    /// Where it leads by its address, if that is followed as a link.
    pub(crate) address: Option<String>,
    /// Whether it is fired whatever is known of its class.
    pub(crate) is_audit: bool,
    /// How often it was fired while the site did not answer.
    pub(crate) unanswered: u32,
    /// Whether it is an event that no click on its element comes without, and its element is clicked.
    pub(crate) comes_with_a_click: bool,
    /// Whether its handler listens to clicks on that element as well.
    pub(crate) acts_on_clicks: bool,
}

impl Open {
    /// The way to other URLs that it may be.
    pub(crate) fn offering<'a>(&'a self, document: &'a str) -> Offering<'a> {
        Offering { document, xpath: &self.candidate.path, text: &self.candidate.text }
    }
}

/// What was fired on the way to a state, whatever the type of the page that offered it: the next page
/// of a pager may be of another one. It follows from the path alone, so that a state which an earlier
/// run found means the same as one that this run did.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Turn {
    class: Class,
    signature: String,
}

impl Turn {
    pub(super) fn of(step: &PathStep) -> Self {
        let Offer { class, signature, .. } = Offer::new(&Arc::default(), step.clone());
        Self { class, signature }
    }

    /// Whether it is of the same class but for the type of its page.
    pub(crate) fn is_of(&self, class: &Class) -> bool {
        self.class == class.on(&self.class.page_type)
    }

    /// What sort of step it is, as a hash.
    pub(super) fn kind(&self) -> u64 {
        evidence(&self.class)
    }

    /// Whether it is of the same handler at the same place, whatever the label says: "next" and "3"
    /// turn the same pages.
    pub(crate) fn is_sibling(&self, offer: &Offer) -> bool {
        let (ours, theirs) = (&self.class, &offer.class);
        (&ours.event, &ours.place, &ours.handler) == (&theirs.event, &theirs.place, &theirs.handler)
            && container_of(&self.signature) == container_of(&offer.signature)
    }
}

/// What a state offers, as edges and classes know it.
#[derive(Clone)]
pub(crate) struct Offer {
    pub(crate) class: Class,
    /// The event with its value and what it does: seed 001's page instruction.
    pub(crate) signature: String,
    pub(crate) step: PathStep,
}

impl Offer {
    /// What a page of this type offers.
    pub(crate) fn new(page_type: &Arc<str>, step: PathStep) -> Self {
        let class = Class::of(page_type, &step);
        let mut signature = format!("{}={}", step.event, step.instruction);
        if !is_call(&step.instruction) {
            // "2" in one list of a page is not "2" in the other, though one handler serves both.
            signature.push(AT);
            signature.push_str(container(&step.xpath));
        }
        Self { signature, class, step }
    }

    /// Whether it says what it wants: a number, a call with arguments, data of its own. A word says
    /// it only together with where one stands: ">>" leads to 6 from all of 1 to 5, and not from 6.
    pub(crate) fn has_argument(&self) -> bool {
        let instruction = &self.step.instruction;
        let has_literal = |call: &str| {
            call.split_once('(').is_some_and(|(_, arguments)| {
                arguments.contains(['\'', '"']) || arguments.contains(|c: char| c.is_ascii_digit())
            })
        };
        self.class.label == Label::Number
            || instruction.contains("[data-")
            || (is_call(instruction) && has_literal(instruction))
            || self.step.event.contains('=')
    }
}

/// Before the container in a signature. No instruction holds it.
const AT: char = '\u{1f}';

/// The container that a signature was found in; none for a call, which means the same anywhere.
fn container_of(signature: &str) -> &str {
    signature.rsplit_once(AT).map_or("", |(_, container)| container)
}

/// Whether an instruction is a call in the markup, and not named after its element.
fn is_call(instruction: &str) -> bool {
    !["text(", "[", "id(", "/"].iter().any(|start| instruction.starts_with(start))
}

/// Where the element's parent stands: a list's items and a pager's numbers have it in common.
fn container(xpath: &str) -> &str {
    xpath.rsplit_once('/').map_or("", |(parent, _)| parent)
}

impl Place {
    pub(crate) fn new(
        page: PageNumber,
        page_type: Arc<str>,
        depth: u32,
        path: Vec<PathStep>,
    ) -> Self {
        Self {
            page,
            page_type,
            depth,
            trail: path.iter().map(Turn::of).collect(),
            path,
            content: None,
            shown: Shown::default(),
            added: 0,
            links: HashSet::new(),
            open: VecDeque::new(),
            is_known: false,
            is_closed: false,
            missed: 0,
            nth: 0,
        }
    }

    /// What it shows, as it was just seen.
    pub(crate) fn show(&mut self, seen: &Seen) {
        self.page_type = seen.page_type.clone();
        self.content = Some(seen.content.clone());
        self.shown = Shown::of(&seen.dom);
        self.links = seen.links.iter().map(|link| link.url.clone()).collect();
    }
}
