//! How a tab is set up, and how much a page may cost.

use std::sync::Arc;
use std::time::Duration;

use super::gate::Gate;
use crate::proxy::Remotes;

/// The setting of a tab. The default lets every request through.
#[derive(Clone, Default)]
pub struct TabOptions {
    /// Decides about requests; without one all are sent.
    pub gate: Option<Arc<dyn Gate>>,
    /// What a page may cost.
    pub caps: Caps,
    /// The user agent; Chromium's own if not given.
    pub user_agent: Option<String>,
    /// The `Accept-Language` to send, such as `en-GB,en`.
    pub accept_language: Option<String>,
    /// The window, in pixels.
    pub viewport: Viewport,
    /// Share cookies and storage with the tabs of this context instead of having one alone.
    pub context: Option<super::Context>,
    /// Let events open WebSockets. Those cannot be held back at the gate, so by default they are
    /// refused in the page and told as refused; those of a load are opened, as by any visitor.
    pub event_sockets: bool,
    /// Who answers behind the proxy that the browser was started with: Chromium itself sees nobody else.
    pub remotes: Option<Remotes>,
    /// Leave response bodies in the browser. Saves a message a response.
    pub without_bodies: bool,
}

/// The size of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewport {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

impl Default for Viewport {
    fn default() -> Self {
        Viewport { width: 1280, height: 900 }
    }
}

/// What a page may cost before the tab gives it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Wall-clock time of a navigation until the document is there.
    pub load: Duration,
    /// Wall-clock time of settling.
    pub settle: Duration,
    /// Wall-clock time that the page's scripts may keep the renderer busy in one go.
    pub script: Duration,
    /// Wall-clock time without any progress after which open requests count as streams.
    pub stall: Duration,
    /// Virtual milliseconds that one settle may grant.
    pub virtual_ms: u32,
    /// Documents from one address to the next: redirects by the server, by markup and by script.
    pub redirects: u64,
    /// Decoded bytes of one body.
    pub body: u64,
    /// Decoded bytes of all bodies kept between two looks at the exchanges.
    pub bodies: u64,
    /// Requests of one visit or one event.
    pub requests: u64,
    /// Dialogs of one visit or one event.
    pub dialogs: usize,
    /// Windows opened by one visit or one event.
    pub popups: usize,
    /// Changes of the address inside the document by one visit or one event.
    pub history: usize,
    /// Nodes of a walk.
    pub nodes: usize,
    /// Bytes of a walk.
    pub walk_bytes: usize,
    /// Candidates of a document.
    pub candidates: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Caps {
            load: Duration::from_secs(30),
            settle: Duration::from_secs(10),
            script: Duration::from_secs(5),
            stall: Duration::from_millis(3_000),
            virtual_ms: 2_000,
            redirects: 20,
            body: 32 << 20,
            bodies: 128 << 20,
            requests: 2_000,
            dialogs: 20,
            popups: 20,
            history: 200,
            nodes: 300_000,
            walk_bytes: 32 << 20,
            candidates: 20_000,
        }
    }
}
