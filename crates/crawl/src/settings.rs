//! What a crawl was told.

use std::time::Duration;

use url::Url;

use crate::scope::ScopeKind;

/// When a browser is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Render {
    /// For every page that is HTML.
    #[default]
    Always,
    /// For none: links only, no scripts, no events.
    Never,
}

/// Where a crawl ends before everything was seen. `None` is no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Captured pages.
    pub pages: Option<u64>,
    /// Fired events.
    pub events: Option<u64>,
    /// Steps from the start.
    pub depth: Option<u32>,
    /// Time of this run.
    pub time: Option<Duration>,
    /// Requests on the network.
    pub requests: Option<u64>,
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
            allow_post: Vec::new(),
            tabs: default_tabs(),
            delay: None,
            ignore_robots: false,
            user_agent: default_user_agent(),
        }
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
