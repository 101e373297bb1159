//! What a perfect crawl of a site finds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::tables::{PostRow, Tables, ThreadRow};

/// Everything there is to find on a site. It depends on the seed, the size and the language,
/// never on the build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// The version of this format.
    pub version: u32,
    /// The name of the site.
    pub site: String,
    /// Where a crawl begins.
    pub entry: String,
    /// The number of states of each kind.
    pub counts: BTreeMap<String, usize>,
    /// Every state, each once.
    pub states: Vec<State>,
    /// Path prefixes that are linked, and that robots.txt forbids.
    pub off_limits: Vec<String>,
    /// The kinds of [`Change`](crate::Change) that a careless visitor would cause.
    pub changes: Vec<String>,
    /// What never ends on this site. A crawl has what the states say, stops, and says that it did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traps: Vec<Trap>,
    /// What a page is made of, where that is known: seed 003's block tree, in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// The tables that the pages were made from, where that is known (`forum`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<Tables>,
}

impl Truth {
    /// The truth of a site that begins at `/`, with the counts taken from `states`.
    pub fn new(site: &str, states: Vec<State>) -> Self {
        let mut counts = BTreeMap::new();
        for state in &states {
            *counts.entry(state.kind.clone()).or_insert(0) += 1;
        }
        Truth {
            version: 1,
            site: site.to_owned(),
            entry: "/".to_owned(),
            counts,
            states,
            off_limits: Vec::new(),
            changes: Vec::new(),
            traps: Vec::new(),
            blocks: Vec::new(),
            tables: None,
        }
    }

    /// The blocks of a page cut at a level, as the paper cuts it: those of that level, and those
    /// above it that have none inside.
    pub fn blocks_at(&self, level: u16) -> impl Iterator<Item = &Block> {
        let is_whole = |block: &Block| !self.blocks.iter().any(|inner| inner.within == block.name);
        self.blocks
            .iter()
            .filter(move |block| block.level == level || (block.level < level && is_whole(block)))
    }

    /// The threads of a forum, as records are compared with them; none where there are no tables.
    ///
    /// ```
    /// use testsite::{Options, SiteKind};
    /// let truth = SiteKind::Forum.generate(&Options::default()).truth();
    /// let first = &truth.threads()[0];
    /// assert!(truth.posts().iter().any(|post| post.thread == first.id && post.position == 1));
    /// ```
    pub fn threads(&self) -> &[ThreadRow] {
        self.tables.as_ref().map_or(&[], |tables| &tables.threads)
    }

    /// The posts of a forum, as records are compared with them; none where there are no tables.
    pub fn posts(&self) -> &[PostRow] {
        self.tables.as_ref().map_or(&[], |tables| &tables.posts)
    }

    /// The states that a visitor comes for.
    pub fn wanted(&self) -> impl Iterator<Item = &State> {
        self.states.iter().filter(|state| state.wanted)
    }
}

/// A part of a site that gives new URLs or states for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trap {
    /// The [`behaviour`](State::behaviour) of the states in it that are worth having.
    pub behaviour: String,
    /// What all its paths begin with.
    pub path: String,
    /// What of it never ends.
    pub endless: String,
}

/// A part of a page that a reader sees as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The page that it is on.
    pub url: String,
    /// Its name in the paper.
    pub name: String,
    /// How deep it is in the block tree; the page is 0.
    pub level: u16,
    /// The block that it is cut from; empty for the page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub within: String,
    /// A text that is in it and in no block beside it; empty if it is made of blocks that have one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub marker: String,
    /// Whether it says something else at the next value of the clock: a day later.
    pub changes: bool,
}

/// One page as a visitor sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Its name in this truth.
    pub id: String,
    /// What sort of page it is; states of a kind look alike.
    pub kind: String,
    /// The behaviour of the site that it stands for, where a site has several: the room of `maze`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub behaviour: String,
    /// Path, query and fragment of the address bar while it is shown.
    pub url: String,
    /// Text that this state shows and no other state of the site does.
    pub marker: String,
    /// Further texts that this state shows, such as each comment on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<String>,
    /// The status of the answer that brought the page; 200 is left out.
    #[serde(default = "ok", skip_serializing_if = "is_ok")]
    pub status: u16,
    /// Whether a visitor comes for it (an article, a page of comments), or it is only there
    /// (terms of use).
    pub wanted: bool,
    /// One shortest way to it.
    pub reach: Reach,
}

impl State {
    /// A wanted state that its URL alone reaches.
    pub fn at(kind: &str, url: impl Into<String>, marker: impl Into<String>) -> Self {
        let url = url.into();
        State {
            id: url.clone(),
            kind: kind.to_owned(),
            behaviour: String::new(),
            url,
            marker: marker.into(),
            shows: Vec::new(),
            status: ok(),
            wanted: true,
            reach: Reach::Url,
        }
    }

    /// A wanted state at the URL of `from` that an event there leads to. Its id is its marker.
    pub fn after(from: &State, event: &str, on: &str, marker: &str) -> Self {
        State {
            id: marker.to_owned(),
            reach: Reach::Event {
                from: from.id.clone(),
                event: event.to_owned(),
                on: on.to_owned(),
            },
            behaviour: from.behaviour.clone(),
            ..State::at(&from.kind, from.url.clone(), marker)
        }
    }

    /// The same state, with further texts that it shows.
    pub fn showing(mut self, shows: &[&str]) -> Self {
        self.shows = shows.iter().map(|text| (*text).to_owned()).collect();
        self
    }

    /// The same state, brought by an answer of this status.
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The same state, not wanted.
    pub fn unwanted(mut self) -> Self {
        self.wanted = false;
        self
    }
}

fn ok() -> u16 {
    200
}

// The signature that serde wants.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_ok(status: &u16) -> bool {
    *status == ok()
}

/// How a state is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum Reach {
    /// By asking for its URL.
    Url,
    /// Only by an event in another state.
    Event {
        /// The [`id`](State::id) of the state in which it is fired, or the address of a page that
        /// looks like a listed state and is none of its own.
        from: String,
        /// The type of the event, such as `click`.
        event: String,
        /// The text or label of the element.
        on: String,
    },
}
