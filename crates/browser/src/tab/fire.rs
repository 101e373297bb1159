//! Firing an event, and what came of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::Instant;

use super::Tab;
use super::candidate::Candidate;
use super::error::TabError;
use super::evaluate::{World, done};
use super::gate::Cause;
use super::happening::Happenings;
use super::protocol::Nothing;
use super::settle::{Settled, Waiting};
use crate::cdp::CdpError;

/// An event to fire, and how to find its element again.
///
/// ```
/// use browser::Action;
///
/// let next = Action::new("/html/body/div[2]/a[1]", "click");
/// let choice = Action { value: Some("20".into()), ..Action::new("/html/body/select[1]", "change") };
/// assert_eq!(next.event, "click");
/// assert!(!choice.trusted);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Action {
    /// Where the element is.
    pub path: String,
    /// `click`, `change`, `mouseover`…
    pub event: String,
    /// Send it as input of a user (slower; some pages ask for it) instead of dispatching it.
    #[serde(skip)]
    pub trusted: bool,
    /// The value to choose or type.
    pub value: Option<String>,
    /// The element's `id`: tried before the path.
    pub id: Option<String>,
    /// The element's name: an element with another one is not it.
    pub tag: Option<String>,
    /// What the element said: tried when the path leads to something that says something else.
    pub text: Option<String>,
}

impl Action {
    /// An untrusted event on the element at this path.
    pub fn new(path: impl Into<String>, event: impl Into<String>) -> Action {
        Action { path: path.into(), event: event.into(), ..Action::default() }
    }

    /// The same as input of a user.
    pub fn trusted(mut self) -> Action {
        self.trusted = true;
        self
    }
}

impl From<&Candidate> for Action {
    fn from(candidate: &Candidate) -> Self {
        Action {
            path: candidate.path.clone(),
            event: candidate.event.clone(),
            trusted: false,
            value: candidate.value.clone(),
            id: candidate.element_id.clone(),
            tag: Some(candidate.tag.clone()),
            text: Some(candidate.text.clone()).filter(|text| !text.is_empty()),
        }
    }
}

/// How an element was found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// By its `id`.
    Id,
    /// By its path.
    Path,
    /// By its text, being the only one of its kind that has it.
    Text,
}

/// What came of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Fired {
    /// How the element was found; `None` if it was not, and then nothing was fired.
    pub found: Option<FoundBy>,
    /// How the page came to rest.
    pub settled: Option<Settled>,
    /// Whether the document is another than before.
    pub changed: bool,
    /// The address afterwards.
    pub url_after: String,
    /// Navigations, windows, downloads, dialogs and refused requests.
    pub happenings: Happenings,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Outcome {
    found: bool,
    by: Option<FoundBy>,
    before: String,
    away: Option<String>,
    x: f64,
    y: f64,
    empty: bool,
}

impl Tab {
    /// Fires an event and lets the page come to rest. Navigations are caught: the page stays.
    pub async fn fire(&mut self, action: &Action) -> Result<Fired, TabError> {
        self.shared.change(|state| state.begin_step(Cause::Event));
        match self.fire_and_settle(action).await {
            // The document went away under our questions: that is what came of the event.
            Err(TabError::Agent { .. } | TabError::Protocol(CdpError::Refused { .. }))
                if self.left_document().await? =>
            {
                Ok(Fired {
                    found: Some(FoundBy::Path),
                    settled: None,
                    changed: true,
                    url_after: self.url(),
                    happenings: self.take_happenings(),
                })
            }
            outcome => outcome,
        }
    }

    /// Fires a whole path, one event after the other, each after the page has come to rest. Ends
    /// at the first whose element is not found: the last of what is returned.
    pub async fn replay(&mut self, actions: &[Action]) -> Result<Vec<Fired>, TabError> {
        let mut all = Vec::with_capacity(actions.len());
        for action in actions {
            let fired = self.fire(action).await?;
            let lost = fired.found.is_none();
            all.push(fired);
            if lost {
                break;
            }
        }
        Ok(all)
    }

    /// A number for the document as it is now, good for comparing with an earlier one of the same
    /// document and for nothing else.
    pub async fn fingerprint(&self) -> Result<String, TabError> {
        self.answer("fingerprint", World::Own, "bathys.fingerprint()").await
    }

    /// Whether the document has been replaced; the news of it may come after the first failure.
    async fn left_document(&self) -> Result<bool, TabError> {
        let soon = Instant::now() + Duration::from_secs(1);
        let left = self.shared.until(soon, |state| state.happenings.left_document.then_some(()));
        Ok(left.await?.is_some())
    }

    async fn fire_and_settle(&mut self, action: &Action) -> Result<Fired, TabError> {
        let virtual_ms = self.options.caps.virtual_ms;
        let main = self.shared.lock().main_frame.clone();
        let mut frame = main.clone();
        let mut local = action.clone();
        let mut outer_before = None;
        let (outcome, waiting) = loop {
            let verb = if action.trusted { "aim" } else { "fire" };
            let script = format!("bathys.{verb}({})", json!(local));
            let fire = self.ask_frame("fire", &frame, World::Own, &script)?;
            // Sent together: the answer to the second tells about the timers of the first.
            let timers = self.waiting_script(virtual_ms, false);
            let timers = self.ask_frame("timers", &frame, World::Page, &timers)?;
            let outcome: Outcome = fire.wait(&self.shared).await?;
            let waiting: Waiting = timers.wait(&self.shared).await?;
            match &outcome.away {
                Some(rest) if frame_depth(&local.path) > frame_depth(rest) => {
                    let inner = self.foreign_frame(&frame, "bathys.frame").await?;
                    let Some(inner) = inner else {
                        break (Outcome::default(), waiting);
                    };
                    if outer_before.is_none() {
                        outer_before = Some(self.fingerprint().await?);
                    }
                    local.path.clone_from(rest);
                    // Ids belong to a document: those of the frame are asked for in the frame.
                    frame = inner;
                }
                Some(_) => break (Outcome::default(), waiting),
                None => break (outcome, waiting),
            }
        };
        if !outcome.found {
            return Ok(Fired {
                found: None,
                settled: None,
                changed: false,
                url_after: self.url(),
                happenings: self.take_happenings(),
            });
        }
        let mut first = Some(waiting);
        if action.trusted {
            self.input(&local, &outcome).await?;
            first = None;
        }
        if action.event == "scroll" {
            // Pictures and observers notice a scroll when a frame is drawn.
            self.draw(false).await?;
        }
        let (settled, look) = self.settle(first, false).await?;
        let mut changed = look.hash != outer_before.unwrap_or(outcome.before.clone());
        if frame != main && self.shared.lock().frames.contains_key(&frame) {
            let inner =
                self.ask_frame("fingerprint", &frame, World::Own, "bathys.fingerprint()")?;
            let inner: String = inner.wait(&self.shared).await?;
            changed |= inner != outcome.before;
        }
        Ok(Fired {
            found: outcome.by,
            settled: Some(settled),
            changed,
            url_after: look.url,
            happenings: self.take_happenings(),
        })
    }

    /// Input of a user at the middle of the element.
    async fn input(&self, action: &Action, place: &Outcome) -> Result<(), TabError> {
        if place.empty {
            // Nothing to point at: the event is dispatched instead.
            let script = format!("bathys.fire({}).found", json!(action));
            let _: bool = self.answer("fire", World::Own, &script).await?;
            return Ok(());
        }
        let mouse = |kind: &str, buttons: u8, count: u8| {
            let params = json!({
                "type": kind, "x": place.x, "y": place.y, "button": if kind == "mouseMoved" { "none" } else { "left" },
                "buttons": buttons, "clickCount": count,
            });
            self.page
                .send::<Nothing>("Input.dispatchMouseEvent", params)
                .within(self.options.caps.script)
        };
        match action.event.as_str() {
            event
                if event.starts_with("mouseo")
                    || event.starts_with("mousee")
                    || event.starts_with("pointero")
                    || event.starts_with("pointere") =>
            {
                let moved = mouse("mouseMoved", 0, 0);
                // A move is delivered with the next frame.
                self.draw(false).await?;
                done(moved).await
            }
            event => {
                let count = if event == "dblclick" { 2 } else { 1 };
                for click in 1..=count {
                    let pressed = mouse("mousePressed", 1, click);
                    let released = mouse("mouseReleased", 0, click);
                    done(pressed).await?;
                    done(released).await?;
                }
                Ok(())
            }
        }
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        let state = self.shared.lock();
        state.frames.get(&state.main_frame).map(|frame| frame.url.clone()).unwrap_or_default()
    }
}

fn frame_depth(path: &str) -> usize {
    path.matches("/document()").count()
}
