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
use super::settle::{Settled, Start, Waiting};
use crate::cdp::CdpError;

/// An event to fire, and how to find its element again.
///
/// ```
/// use browser::Action;
///
/// let next = Action::new("/html/body/div[2]/a[1]", "click");
/// let field = ("/html/body/form[1]/input[1]".to_owned(), "deep web".to_owned());
/// let search = Action { values: vec![field], ..Action::new("/html/body/form[1]", "submit") };
/// assert_eq!(next.event, "click");
/// assert!(!search.trusted);
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
    /// What is chosen or typed first: paths of controls, and their values.
    pub values: Vec<(String, String)>,
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
            values: candidate.values(),
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
    /// Whether a worker answered meanwhile what the page had asked it before: what changed may not be the
    /// event's doing.
    pub late: bool,
    /// A number for the document afterwards, its frames included: a state of this document that this
    /// tab has been in before has the same. It means nothing after another load or in another tab;
    /// 0 if the document was left.
    pub fingerprint: u64,
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
    before: f64,
    waiting: Option<Waiting>,
    away: Option<String>,
    x: f64,
    y: f64,
    empty: bool,
}

impl Tab {
    /// Fires an event and lets the page come to rest. Navigations are caught: the page stays.
    ///
    /// One exception: an event that changed what the page keeps on the visitor's machine and wants the page
    /// to be loaded again, as a choice of language does. Then it is loaded again.
    pub async fn fire(&mut self, action: &Action) -> Result<Fired, TabError> {
        self.remember_storage().await?;
        self.shared.change(|state| state.begin_step(Cause::Event));
        match self.fire_and_settle(action).await {
            Ok(fired) => self.shown_again(fired).await,
            // The document went away under our questions: that is what came of the event.
            Err(TabError::Agent { .. } | TabError::Protocol(CdpError::Refused { .. }))
                if self.left_document().await? =>
            {
                Ok(Fired {
                    found: Some(FoundBy::Path),
                    settled: None,
                    changed: true,
                    late: false,
                    fingerprint: 0,
                    url_after: self.url(),
                    happenings: self.take_happenings(),
                })
            }
            Err(error) => Err(error),
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

    /// Goes one step back in the history of the document, as a user's button does after scripts have
    /// changed the address, and lets the page come to rest. It never leaves the document: where that
    /// would, nothing is done and nothing is found.
    ///
    /// ```no_run
    /// # async fn show(mut tab: browser::Tab) -> Result<(), browser::TabError> {
    /// let there = tab.fingerprint().await?;
    /// tab.fire(&browser::Action::new("/html/body/a[1]", "click")).await?;
    /// if tab.back().await?.fingerprint == there {
    ///     println!("the page's own router knows the way back");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn back(&mut self) -> Result<Fired, TabError> {
        let moves = self.shared.change(|state| {
            state.begin_step(Cause::Event);
            state.moves
        });
        let before = self.before_foreign_frames().await?;
        let outcome: Outcome = self.answer("back", World::Own, "bathys.back()").await?;
        if !outcome.found {
            return self.nothing_fired().await;
        }
        // The browser makes the step, not the page: it comes a moment later.
        let soon = Instant::now() + Duration::from_millis(500);
        self.shared.until(soon, |state| (state.moves > moves).then_some(())).await?;
        self.come_to_rest(&outcome, before, Start::default()).await
    }

    /// Whether the document has been replaced; the news of it may come after the first failure.
    async fn left_document(&self) -> Result<bool, TabError> {
        let soon = Instant::now() + Duration::from_secs(1);
        let left = self.shared.until(soon, |state| state.happenings.left_document.then_some(()));
        Ok(left.await?.is_some())
    }

    async fn fire_and_settle(&mut self, action: &Action) -> Result<Fired, TabError> {
        let before = self.before_foreign_frames().await?;
        let mut frame = self.shared.lock().main_frame.clone();
        let mut local = action.clone();
        let verb = if action.trusted { "aim" } else { "fire" };
        // An event of the top document needs no answer before time may go on.
        let at_once = !action.trusted && frame_depth(&action.path) == 0;
        let (outcome, grant) = loop {
            let script =
                format!("bathys.{verb}({},{})", json!(local), self.options.caps.virtual_ms);
            let fire = self.ask_frame("fire", &frame, World::Own, &script)?;
            let grant = at_once.then(|| self.first_grant());
            let outcome: Outcome = fire.wait(&self.shared).await?;
            let Some(rest) = &outcome.away else {
                break (outcome, grant);
            };
            let inner = self.foreign_frame(&frame, "bathys.frame").await?;
            match inner.filter(|_| frame_depth(&local.path) > frame_depth(rest)) {
                // Ids belong to a document: those of the frame are asked for in the frame.
                Some(inner) => (frame, local.path) = (inner, rest.clone()),
                None => break (Outcome::default(), grant),
            }
        };
        if !outcome.found {
            if let Some(grant) = grant {
                self.let_expire(grant).await?;
            }
            return self.nothing_fired().await;
        }
        if action.trusted {
            self.input(&local, &outcome).await?;
        }
        if action.event == "scroll" {
            // Pictures and observers notice a scroll when a frame is drawn.
            self.draw(false).await?;
        }
        let waiting = match &outcome.waiting {
            Some(waiting) if !action.trusted => waiting.clone(),
            _ => self.timers().await?,
        };
        self.tell_caught(&waiting);
        self.come_to_rest(&outcome, before, Start { waiting, grant }).await
    }

    async fn nothing_fired(&mut self) -> Result<Fired, TabError> {
        Ok(Fired {
            found: None,
            settled: None,
            changed: false,
            late: false,
            fingerprint: self.fingerprint().await?,
            url_after: self.url(),
            happenings: self.take_happenings(),
        })
    }

    async fn come_to_rest(
        &mut self,
        outcome: &Outcome,
        before: Option<u64>,
        start: Start,
    ) -> Result<Fired, TabError> {
        let (settled, look) = self.settle(start, false).await?;
        Ok(Fired {
            found: outcome.by.or(Some(FoundBy::Path)),
            settled: Some(settled),
            changed: look.fingerprint != before.unwrap_or(outcome.before as u64),
            late: look.late,
            fingerprint: look.fingerprint,
            url_after: look.url,
            happenings: self.take_happenings(),
        })
    }

    /// The fingerprint before an event, if the page has frames of other origins: those are not part
    /// of the one that the event itself brings along.
    async fn before_foreign_frames(&self) -> Result<Option<u64>, TabError> {
        if self.foreign_frames().1.is_empty() {
            return Ok(None);
        }
        self.mark();
        self.fingerprint().await.map(Some)
    }

    /// Input of a user at the middle of the element.
    async fn input(&self, action: &Action, place: &Outcome) -> Result<(), TabError> {
        if place.empty {
            // Nothing to point at: the event is dispatched instead.
            let script = format!("bathys.fire({},0).found", json!(action));
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
