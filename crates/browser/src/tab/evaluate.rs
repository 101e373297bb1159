//! Asking a world of a document something.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::json;

use super::error::TabError;
use super::protocol::{Evaluated, Nothing};
use super::{Shared, Tab};
use crate::cdp::{CdpError, Reply, Session, decode};

/// Which world of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum World {
    /// The page's own, where hooks are.
    Page,
    /// Ours.
    Own,
}

/// A question under way.
pub(super) struct Question {
    what: &'static str,
    reply: Reply<Evaluated>,
    session: Session,
    patience: Duration,
}

impl Tab {
    /// Runs an expression in a world of the top frame that the page's scripts cannot see, where
    /// `bathys.find(path)` gives the element of a path; its value must be plain data.
    ///
    /// ```no_run
    /// # async fn example(tab: browser::Tab) -> Result<(), browser::TabError> {
    /// let links: u32 = tab.evaluate("document.links.length").await?;
    /// # Ok(()) }
    /// ```
    pub async fn evaluate<T: DeserializeOwned>(&self, script: &str) -> Result<T, TabError> {
        self.answer("evaluate", World::Own, script).await
    }

    /// Asks the top frame; the answer can be waited for later.
    pub(super) fn ask(
        &self,
        what: &'static str,
        world: World,
        script: &str,
    ) -> Result<Question, TabError> {
        let frame = self.shared.lock().main_frame.clone();
        self.ask_frame(what, &frame, world, script)
    }

    /// Asks a frame.
    pub(super) fn ask_frame(
        &self,
        what: &'static str,
        frame: &str,
        world: World,
        script: &str,
    ) -> Result<Question, TabError> {
        let (session, context) = {
            let state = self.shared.lock();
            if let Some(end) = state.end {
                return Err(end.into());
            }
            let gone = || TabError::Agent { what, reason: "the document is gone".into() };
            let frame = state.frames.get(frame).ok_or_else(gone)?;
            let context = match world {
                World::Page => frame.page_world.clone(),
                World::Own => frame.own_world.clone(),
            };
            (frame.session.clone().ok_or_else(gone)?, context.ok_or_else(gone)?)
        };
        let session = self.connection.session(session);
        let params = json!({
            "expression": script,
            "uniqueContextId": context,
            "returnByValue": true,
            "userGesture": true,
        });
        let patience = self.options.caps.script;
        let reply = session.send::<Evaluated>("Runtime.evaluate", params).within(patience);
        Ok(Question { what, reply, session, patience })
    }

    /// Asks the top frame and waits for the answer.
    pub(super) async fn answer<T: DeserializeOwned>(
        &self,
        what: &'static str,
        world: World,
        script: &str,
    ) -> Result<T, TabError> {
        self.ask(what, world, script)?.wait(&self.shared).await
    }
}

impl Question {
    /// Waits for the answer. A page that does not give it in time is stopped, and the tab is lost.
    pub async fn wait<T: DeserializeOwned>(self, shared: &Shared) -> Result<T, TabError> {
        let Question { what, reply, session, patience } = self;
        let evaluated = tokio::select! {
            biased;
            answer = reply.wait() => match answer {
                Ok(evaluated) => evaluated,
                Err(CdpError::Timeout { .. }) => {
                    session.tell("Runtime.terminateExecution", json!({}));
                    return Err(TabError::Hung { what, after: patience });
                }
                Err(error) => return Err(error.into()),
            },
            end = shared.ended() => return Err(end),
        };
        if let Some(details) = evaluated.exception_details {
            let thrown = details.exception.and_then(|exception| exception.description);
            let mut reason = thrown.unwrap_or(details.text);
            reason.truncate(reason.floor_char_boundary(300));
            return Err(TabError::Agent { what, reason });
        }
        let value = evaluated.result.value.as_ref().map_or("null", |value| value.get());
        decode(value).map_err(|error| TabError::Agent { what, reason: error.to_string() })
    }
}

/// Waits for an answer that has no content.
pub(super) async fn done(reply: Reply<Nothing>) -> Result<(), TabError> {
    reply.wait().await?;
    Ok(())
}
