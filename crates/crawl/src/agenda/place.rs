//! A state of a document and what it offers.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use browser::Candidate;
use page::state::Content;
use store::{PageNumber, PathStep};

use crate::capture::Seen;
use crate::judge::Offering;
use crate::learn::Class;

/// A state of the document.
pub(crate) struct Place {
    pub(crate) page: PageNumber,
    pub(crate) page_type: Arc<str>,
    pub(crate) depth: u32,
    pub(crate) path: Vec<PathStep>,
    /// The classes and instructions on the path.
    pub(crate) trail: Vec<(Class, String)>,
    /// What it shows; `None` until the tab was there.
    pub(crate) content: Option<Content>,
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
}

impl Open {
    /// The way to other URLs that it may be.
    pub(crate) fn offering<'a>(&'a self, document: &'a str) -> Offering<'a> {
        Offering { document, xpath: &self.candidate.path, text: &self.candidate.text }
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
    pub(crate) fn new(class: Class, step: PathStep) -> Self {
        Self { signature: format!("{}={}", step.event, step.instruction), class, step }
    }
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
            path,
            trail: Vec::new(),
            content: None,
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
        self.links = seen.links.iter().map(|link| link.url.clone()).collect();
    }
}
