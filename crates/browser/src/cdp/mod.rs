//! A thin client of the Chrome DevTools Protocol over the debugging pipe.
//!
//! Messages are JSON separated by NUL. Only the envelope is parsed here; parameters and results
//! stay raw until someone wants them, so an event that grew a new field, or lost one, costs
//! nothing. There is no open TCP port, and when our end of the pipe closes Chromium ends.

mod connection;
mod message;

pub(crate) use connection::{Connection, Events, Reply, Session};
pub(crate) use message::{Event, decode};

use std::time::Duration;

/// Why a command had no result.
#[derive(Debug, thiserror::Error)]
pub enum CdpError {
    /// The browser answered with an error.
    #[error("{method} refused: {message} (code {code})")]
    Refused {
        /// The command.
        method: &'static str,
        /// The protocol's error code.
        code: i64,
        /// What Chromium said.
        message: String,
    },
    /// The browser did not answer in time.
    #[error("{method} not answered within {} ms", after.as_millis())]
    Timeout {
        /// The command.
        method: &'static str,
        /// How long was waited.
        after: Duration,
    },
    /// The pipe is closed: the browser ended or was killed.
    #[error("the browser's pipe is closed; it ended, crashed or was killed")]
    Closed,
    /// The answer does not have the expected form.
    #[error("{method} answered in an unexpected form: {reason}")]
    Malformed {
        /// The command or event.
        method: String,
        /// What the JSON reader said.
        reason: String,
    },
}
