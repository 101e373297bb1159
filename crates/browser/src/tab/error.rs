//! Why a tab could not do what it was asked for.

use std::time::Duration;

use crate::cdp::CdpError;

/// An error of a tab. After any but [`TabError::Navigation`] and [`TabError::Unfollowed`] the tab is
/// of no more use: drop it and open another.
#[derive(Debug, thiserror::Error)]
pub enum TabError {
    /// The renderer crashed.
    #[error("the page crashed its renderer; open another tab")]
    Crashed,
    /// The renderer did not answer: an endless loop, or work beyond the cap.
    #[error("the page did not answer within {} ms ({what}); open another tab", after.as_millis())]
    Hung {
        /// What was asked of it.
        what: &'static str,
        /// How long was waited.
        after: Duration,
    },
    /// The page passed one of the caps.
    #[error("the page passed the cap of {cap} ({limit}); open another tab")]
    OverCap {
        /// Which.
        cap: &'static str,
        /// Its value.
        limit: u64,
    },
    /// The tab is closed: the page or the user closed it.
    #[error("the tab is closed; open another")]
    Closed,
    /// The document was not reached.
    #[error("{url} not reached: {reason}")]
    Navigation {
        /// The address.
        url: String,
        /// Chromium's name for the reason, such as `net::ERR_CONNECTION_REFUSED`.
        reason: String,
    },
    /// The server redirects to an address that the gate refused; nothing was sent there.
    #[error("{url} leads to {to}, which was refused: {reason}")]
    Unfollowed {
        /// The address that answered with the redirect.
        url: String,
        /// The status of that answer.
        status: u16,
        /// Where it leads.
        to: String,
        /// The gate's reason.
        reason: String,
    },
    /// A script of ours failed in the page.
    #[error("the agent failed in the page ({what}): {reason}")]
    Agent {
        /// What was asked of it.
        what: &'static str,
        /// The exception.
        reason: String,
    },
    /// The protocol failed, or the browser is gone.
    #[error(transparent)]
    Protocol(#[from] CdpError),
}

impl TabError {
    /// True if the whole browser is gone, not only this tab.
    pub fn is_browser_gone(&self) -> bool {
        matches!(self, TabError::Protocol(CdpError::Closed))
    }
}
