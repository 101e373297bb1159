//! What a crawl was told.

use std::time::Duration;

use page::types::TypeMethod;
use url::Url;

use crate::learn::Priors;
use crate::site::model::Model;
use crate::site::scope::ScopeKind;
use derive::{CutSettings, Limits};

/// Memory for responses that may be needed again.
pub const DEFAULT_RECORD_BYTES: usize = 64 << 20;
/// The share of all states that must be expected to be found.
pub const DEFAULT_COMPLETENESS: f64 = 0.99;
/// States that one URL may show before it is taken for a trap.
pub const DEFAULT_STATES_PER_URL: usize = 2_000;

/// Requests that one form may cost.
pub const DEFAULT_FORM_REQUESTS: usize = 500;

/// When a browser is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Render {
    /// For page types that scripts have a part in.
    #[default]
    Auto,
    /// For every page that is HTML.
    Always,
    /// For none: links only, no scripts, no events.
    Never,
}

/// Whether forms are submitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forms {
    /// Those that the gate lets pass.
    #[default]
    On,
    /// None.
    Off,
}

/// In which order a crawl goes through what it found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Nearest to the start first.
    #[default]
    BreadthFirst,
    /// Furthest from the start first.
    DepthFirst,
    /// What its like promises most of first.
    YieldFirst,
}

/// The filters that keep events and requests from being made; each can be switched off to measure
/// what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filters {
    /// Seed 001's: an instruction that is known to mean the same everywhere is fired once.
    pub instruction: bool,
    /// Seed 000's: classes of events that lead nowhere are not fired.
    pub pattern: bool,
    /// A response that was had before is served from the record.
    pub request: bool,
}

impl Default for Filters {
    fn default() -> Self {
        Self { instruction: true, pattern: true, request: true }
    }
}

/// Which of the events that a page offers are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Candidates {
    /// Every event on every element.
    #[default]
    All,
    /// Clicks on `<a>` elements, as in the experiments of seed 000.
    AnchorClicks,
}

impl Candidates {
    /// Whether such an event on such an element is looked at.
    pub(crate) fn admits(self, tag: &str, event: &str) -> bool {
        match self {
            Self::All => true,
            Self::AnchorClicks => tag.eq_ignore_ascii_case("a") && event == "click",
        }
    }
}

/// Everything that a crawl can be told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it begins. Their hosts are named by the user and may be private addresses.
    pub start: Vec<Url>,
    /// Which URLs belong to it.
    pub scope: ScopeKind,
    /// URLs must match one of these, if there are any.
    pub include: Vec<String>,
    /// URLs must match none of these.
    pub exclude: Vec<String>,
    /// Where it ends.
    pub limits: Limits,
    /// When a browser is used.
    pub render: Render,
    /// Whether forms are submitted.
    pub forms: Forms,
    /// Whether searches that are sent by POST are forms like others.
    pub allow_post_search: bool,
    /// Requests that one form may cost.
    pub form_requests: usize,
    /// Whether the pages after the first one of an answer are asked for.
    pub pagers: bool,
    /// POST requests of events to these URLs go through.
    pub allow_post: Vec<String>,
    /// Tabs.
    pub tabs: usize,
    /// Time between two visits to a host; `None` for the default of the host.
    pub delay: Option<Duration>,
    /// Whether robots.txt is not asked.
    pub ignore_robots: bool,
    /// Who we say we are.
    pub user_agent: String,
    /// In which order.
    pub strategy: Strategy,
    /// What keeps events and requests from being made.
    pub filters: Filters,
    /// The share of all states that must be expected to be found before the crawl is over, from 0 to 1.
    /// With 1, nothing is deferred.
    pub completeness: f64,
    /// How likely claims are to be wrong before anything was seen of them.
    pub priors: Priors,
    /// Which events are looked at.
    pub candidates: Candidates,
    /// How page types are told.
    pub types: TypeMethod,
    /// Page types, by name or by the URL of an example, that the user wants; everything, if none.
    pub want: Vec<String>,
    /// What was learned before: only what it says is fired on the types that it knows.
    pub model: Option<Model>,
    /// Whether series without an end are followed to the limits, and pages that were held are visited.
    pub ignore_traps: bool,
    /// Whether to say of every event why its state was held equal or different.
    pub explain: bool,
    /// How what is captured is cut into blocks.
    pub blocks: CutSettings,
    /// All this in the user's words, as JSON: kept with what is captured.
    pub described: String,
    /// Memory for responses that may be needed again, in bytes.
    pub record_bytes: usize,
    /// States that one URL may show.
    pub states_per_url: usize,
}

impl Settings {
    /// The defaults, for a start.
    pub fn new(start: Vec<Url>) -> Self {
        Self {
            start,
            scope: ScopeKind::Host,
            include: Vec::new(),
            exclude: Vec::new(),
            limits: Limits::default(),
            render: Render::default(),
            forms: Forms::default(),
            allow_post_search: false,
            form_requests: DEFAULT_FORM_REQUESTS,
            pagers: true,
            allow_post: Vec::new(),
            tabs: default_tabs(),
            delay: None,
            ignore_robots: false,
            user_agent: default_user_agent(),
            strategy: Strategy::default(),
            filters: Filters::default(),
            completeness: DEFAULT_COMPLETENESS,
            priors: Priors::default(),
            candidates: Candidates::default(),
            types: TypeMethod::default(),
            want: Vec::new(),
            model: None,
            ignore_traps: false,
            explain: false,
            blocks: CutSettings::default(),
            described: "{}".into(),
            record_bytes: DEFAULT_RECORD_BYTES,
            states_per_url: DEFAULT_STATES_PER_URL,
        }
    }
}

impl Settings {
    /// Whether steps may be left out because of what is claimed of their like.
    pub(crate) fn defers(&self) -> bool {
        self.completeness < 1.0
    }
}

/// A tab a core: STACK.md measured that more bring nothing for navigations.
pub fn default_tabs() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).clamp(1, 4)
}

/// A name that a site's owner can look up.
pub fn default_user_agent() -> String {
    concat!("Bathys/", env!("CARGO_PKG_VERSION"), " (archiving crawler; honours robots.txt)").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_in_the_paper_only_clicks_on_anchors_are_looked_at() {
        let paper = Candidates::AnchorClicks;
        assert!(paper.admits("a", "click") && paper.admits("A", "click"));
        assert!(!paper.admits("a", "mouseover") && !paper.admits("div", "click"));
        assert!(Candidates::All.admits("div", "mouseover"));
    }
}
