//! Letting a page come to rest, by virtual time.
//!
//! Between events the page's clock stands still. To settle, the page is granted virtual time up to
//! the last timer that is worth waiting for; the grant stops by itself while requests are under
//! way, so the network is waited for exactly and timers not at all. What does not follow virtual
//! time is handled apart: frames (drawn when something needs them), animations (ended), and
//! streams (which never end: the clock is let run past them).

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use super::Tab;
use super::error::TabError;
use super::evaluate::{Question, World, done};
use super::protocol::Nothing;
use crate::cdp::CdpError;

/// How a page came to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// Real milliseconds.
    pub wall_ms: f64,
    /// Milliseconds that passed for the page.
    pub virtual_ms: u32,
    /// Why it counts as settled.
    pub by: SettledBy,
}

/// Why a page counts as settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettledBy {
    /// No timer worth waiting for, no request under way.
    Quiet,
    /// Only streams are open: a socket, an event source, a long poll.
    Streams,
    /// The virtual budget is used up and timers still wait.
    Budget,
    /// The wall-clock cap was reached.
    WallClock,
}

/// The least that is granted: enough for tasks without delay and for short debounces.
const LEAST: u32 = 20;

/// Grants of one settle. A chain of timers is given more with each, so it ends in a few.
const ROUNDS: usize = 8;

/// Real time for what other processes and threads answer, and how often it is given. They mostly
/// answer within a millisecond or two; a worker that computes may take longer, or never answer.
const PAUSE: Duration = Duration::from_millis(2);
const PATIENCE: u32 = 50;

/// Frames drawn in one settle.
const FRAMES: u32 = 4;

/// How often a frame is tried until the page has seen it.
const FRAME_TRIES: u32 = 20;

/// How often a grant that does not end is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What the hooks say about timers.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Waiting {
    longest: f64,
    observers: u32,
    /// Things under way that virtual time does not wait for.
    busy: u32,
}

/// Where a page stands, as our world sees it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Look {
    pub hash: String,
    pub url: String,
    pub charset: String,
    clock: f64,
    moving: bool,
}

enum Granted {
    Expired,
    Streams,
    TimeUp,
}

impl Tab {
    /// The question to the hooks, to be sent together with another.
    pub(super) fn waiting_script(&self, left: u32, all: bool) -> String {
        format!("window[{:?}].waiting({left},{all})", &*self.key)
    }

    /// Lets the page come to rest. `first` is what the hooks said just now, if they were asked.
    pub(super) async fn settle(
        &mut self,
        first: Option<Waiting>,
        load: bool,
    ) -> Result<(Settled, Look), TabError> {
        let began = Instant::now();
        let deadline = began + self.options.caps.settle;
        let cap = self.options.caps.virtual_ms;
        let mut spent = 0;
        let mut by = SettledBy::Quiet;
        let mut frames = FRAMES;
        let mut drawn: Option<String> = None;
        let mut waiting = match first {
            Some(waiting) => waiting,
            None => self.timers(cap, load).await?,
        };
        let mut look = Look::default();
        let mut round = 0;
        let mut patience = PATIENCE;
        while round < ROUNDS {
            // For what others answer, tasks must run but the clock need not move.
            let least = if waiting.busy > 0 { 1 } else { LEAST << (2 * round.min(4)) };
            let wish = (waiting.longest.clamp(0.0, 1e6).ceil() as u32).max(least).min(cap - spent);
            let streams = by == SettledBy::Streams;
            match self.grant(wish, streams, deadline).await? {
                Granted::Expired => {}
                Granted::Streams => by = SettledBy::Streams,
                Granted::TimeUp => by = SettledBy::WallClock,
            }
            spent += wish;
            self.announced_navigation().await?;
            if self.shared.lock().happenings.left_document {
                break;
            }
            (waiting, look) = self.look(cap - spent).await?;
            if by == SettledBy::WallClock {
                break;
            }
            // A stream is under way for ever: it is not what is waited for here.
            if waiting.busy > 0 && patience > 0 && by != SettledBy::Streams {
                patience -= 1;
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            // What a frame brings about may need another: an element that an observer watches has
            // to be seen leaving before it can be seen coming back.
            let needs_frame = waiting.observers > 0 || look.moving;
            if needs_frame && frames > 0 && drawn.as_ref() != Some(&look.hash) {
                frames -= 1;
                drawn = Some(look.hash.clone());
                self.draw(look.moving).await?;
                continue;
            }
            round += 1;
            if waiting.longest == 0.0 {
                break;
            }
            if spent >= cap {
                by = SettledBy::Budget;
                break;
            }
        }
        self.mark();
        let wall_ms = began.elapsed().as_secs_f64() * 1000.0;
        Ok((Settled { wall_ms, virtual_ms: spent, by }, look))
    }

    /// What the hooks of all frames say about timers.
    async fn timers(&self, left: u32, all: bool) -> Result<Waiting, TabError> {
        let script = self.waiting_script(left, all);
        let top = self.ask("timers", World::Page, &script)?;
        let others = self.ask_foreign_frames(&script);
        let waiting: Waiting = top.wait(&self.shared).await?;
        self.with_foreign_frames(waiting, others).await
    }

    /// Asks both worlds at once.
    async fn look(&mut self, left: u32) -> Result<(Waiting, Look), TabError> {
        let script = self.waiting_script(left, false);
        let waiting = self.ask("timers", World::Page, &script)?;
        let look = self.ask("look", World::Own, "bathys.look()")?;
        let others = self.ask_foreign_frames(&script);
        let waiting: Waiting = waiting.wait(&self.shared).await?;
        let look: Look = look.wait(&self.shared).await?;
        self.page_clock = Some(look.clock);
        let waiting = self.with_foreign_frames(waiting, others).await?;
        Ok((waiting, look))
    }

    /// Frames of other origins have hooks of their own, which the top frame cannot see.
    fn ask_foreign_frames(&self, script: &str) -> Vec<Question> {
        let (_, others) = self.foreign_frames();
        let ask = |frame: &String| self.ask_frame("timers", frame, World::Page, script).ok();
        others.iter().filter_map(ask).collect()
    }

    async fn with_foreign_frames(
        &self,
        mut waiting: Waiting,
        others: Vec<Question>,
    ) -> Result<Waiting, TabError> {
        for question in others {
            match question.wait::<Waiting>(&self.shared).await {
                Ok(other) => {
                    waiting.longest = waiting.longest.max(other.longest);
                    waiting.observers += other.observers;
                    waiting.busy += other.busy;
                }
                // A frame may go, or not be there yet; one that hangs takes the page with it.
                Err(TabError::Agent { .. } | TabError::Protocol(CdpError::Refused { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(waiting)
    }

    /// What is set from now on belongs to the next event.
    fn mark(&self) {
        let script = format!("window[{:?}].mark()", &*self.key);
        // The next command waits behind it in the pipe: nobody needs the answer.
        drop(self.ask("mark", World::Page, &script));
        drop(self.ask_foreign_frames(&script));
    }

    /// Grants virtual time and waits until it is used up.
    ///
    /// Once only streams are known to be open, time is let run past them from the start.
    async fn grant(
        &mut self,
        budget: u32,
        mut streams: bool,
        deadline: Instant,
    ) -> Result<Granted, TabError> {
        if budget == 0 {
            return Ok(if streams { Granted::Streams } else { Granted::Expired });
        }
        let policy = if streams { "advance" } else { "pauseIfNetworkFetchesPending" };
        let mut before = self.start_grant(policy, budget);
        let mut quiet_since = Instant::now();
        let mut progress = self.shared.lock().recorder.progress;
        let mut probed = false;
        loop {
            let next_look = (Instant::now() + LOOK).min(deadline);
            let used_up = self.shared.until(next_look, |state| {
                let waits = |id: &std::sync::Arc<str>| {
                    let granted = before.iter().find(|(session, _)| session == id);
                    granted.is_some_and(|(_, count)| {
                        state.expired.get(id).copied().unwrap_or(0) <= *count
                    })
                };
                (!state.documents.iter().any(waits)).then_some(())
            });
            if used_up.await?.is_some() {
                return Ok(if streams { Granted::Streams } else { Granted::Expired });
            }
            let now = Instant::now();
            if now >= deadline {
                self.page.tell("Emulation.setVirtualTimePolicy", json!({ "policy": "pause" }));
                self.responds().await?;
                return Ok(Granted::TimeUp);
            }
            let (requests, open_streams, at_gate, seen) = {
                let state = self.shared.lock();
                let (requests, streams) = state.recorder.under_way();
                (requests, streams, state.at_gate.len(), state.recorder.progress)
            };
            if seen != progress || at_gate > 0 {
                (progress, quiet_since) = (seen, now);
                continue;
            }
            let quiet = now - quiet_since;
            // The first message of a stream comes a moment after its headers.
            let only_streams = requests == 0 && open_streams > 0 && quiet >= 2 * LOOK;
            if !streams && (only_streams || (requests > 0 && quiet >= self.options.caps.stall)) {
                streams = true;
                before = self.start_grant("advance", budget);
            } else if !probed && requests == 0 && quiet >= self.options.caps.script / 2 {
                // Nothing under way and no end: busy, or stuck for good.
                probed = true;
                self.responds().await?;
            }
        }
    }

    /// Sends the grant to every document; returns how often each had used one up before.
    fn start_grant(&self, policy: &str, budget: u32) -> Vec<(std::sync::Arc<str>, u64)> {
        let (documents, expired) = {
            let state = self.shared.lock();
            (state.documents.clone(), state.expired.clone())
        };
        let counts = |id: std::sync::Arc<str>| {
            let params = json!({
                "policy": policy,
                "budget": budget,
                // A page that posts messages to itself without end would stop the clock.
                "maxVirtualTimeTaskStarvationCount": 2_000,
            });
            let session = self.connection.session(id.clone());
            session.tell("Emulation.setVirtualTimePolicy", params);
            let count = expired.get(&id).copied().unwrap_or(0);
            (id, count)
        };
        documents.into_iter().map(counts).collect()
    }

    /// Fails if the renderer is stuck in a script.
    async fn responds(&self) -> Result<(), TabError> {
        let alive: u8 = self.answer("a sign of life", World::Own, "1").await?;
        debug_assert_eq!(alive, 1);
        Ok(())
    }

    /// A navigation that the page has begun reaches the guard a little later than the budget ends.
    async fn announced_navigation(&self) -> Result<(), TabError> {
        let soon = Instant::now() + Duration::from_millis(500);
        let reached = self.shared.until(soon, |state| (!state.announced).then_some(()));
        if reached.await?.is_none() {
            self.shared.change(|state| state.announced = false);
        }
        Ok(())
    }

    /// Draws a frame, for what only frames bring about: observers, lazy pictures, the end of
    /// animations.
    pub(super) async fn draw(&self, moving: bool) -> Result<(), TabError> {
        if moving {
            let ended: u32 = self.answer("animations", World::Own, "bathys.finish()").await?;
            tracing::trace!(ended, "animations ended");
        }
        if !self.frames_on_demand {
            // Full Chromium draws by itself, about every 16 ms.
            tokio::time::sleep(Duration::from_millis(50)).await;
            return Ok(());
        }
        let asked: bool = self.answer("a frame", World::Own, "bathys.await()").await?;
        debug_assert!(asked);
        // A frame that overtakes the page's wish for one passes it by, so it is asked again until
        // the page itself has seen one.
        for _ in 0..FRAME_TRIES {
            let frame = self.page.send::<Nothing>("HeadlessExperimental.beginFrame", json!({}));
            done(frame.within(self.options.caps.script)).await?;
            if self.answer::<bool>("a frame", World::Own, "bathys.drawn").await? {
                break;
            }
        }
        Ok(())
    }
}
