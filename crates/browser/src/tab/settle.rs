//! Letting a page come to rest, by virtual time.
//!
//! Between events the page's clock stands still. To settle, the page is granted virtual time up to
//! the last timer that is worth waiting for; the grant stops by itself while requests are under
//! way, so the network is waited for exactly and timers not at all. What does not follow virtual
//! time is handled apart: frames (drawn when something needs them), animations (ended), and
//! streams (which never end: the clock is let run past them).

use std::sync::Arc;
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
/// answer within a millisecond or two.
const PAUSE: Duration = Duration::from_millis(2);
const PATIENCE: u32 = 50;

/// The same for a worker that computes (the index of a search box), after that. What it answers would
/// else be taken for what the next event did.
const WORKER_PAUSE: Duration = Duration::from_millis(20);
const WORKER_PATIENCE: u32 = 75;
/// Times in a row that workers have not answered after which this tab waits for them no longer than for others.
const MUTE_WORKERS: u32 = 3;

/// Frames drawn in one settle.
const FRAMES: u32 = 4;

/// How often a frame is tried until the page has seen it.
const FRAME_TRIES: u32 = 20;

/// How often a grant that does not end is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What the hooks say about timers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Waiting {
    longest: f64,
    observers: u32,
    /// Things under way that virtual time does not wait for.
    busy: u32,
    /// Of these, questions to workers.
    computing: u32,
    /// Questions to workers from before the event that were answered since.
    pub late: u32,
    caught: Vec<Caught>,
    /// Addresses of sockets that the event wanted to open.
    sockets: Vec<String>,
}

/// A navigation that the hooks have caught before it left the renderer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Caught {
    url: String,
    /// The event's or an element's own, and not a refresh of the markup.
    own: bool,
}

/// Where a page stands, as our world sees it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Look {
    hash: f64,
    pub url: String,
    pub charset: String,
    /// Where the markup sends a visitor after a while.
    pub refreshes: Vec<String>,
    clock: f64,
    moving: bool,
    scrolled: i64,
    waiting: Option<Waiting>,
    /// The hash together with those of the frames that the page cannot see into.
    #[serde(skip)]
    pub fingerprint: u64,
    /// Whether a worker has answered what it was asked before the event.
    #[serde(skip)]
    pub late: bool,
}

/// What the observers of a page can notice; a frame is drawn when it has changed.
pub(super) type Scene = (u64, i64, u64);

/// A grant under way: how much, and how often each document had used one up before.
pub(super) struct Grant {
    budget: u32,
    before: Vec<(Arc<str>, u64)>,
}

/// Where a settle begins.
#[derive(Default)]
pub(super) struct Start {
    /// What the hooks have just said.
    pub waiting: Waiting,
    /// A first grant that is under way already.
    pub grant: Option<Grant>,
}

enum Granted {
    Expired,
    Streams,
    TimeUp,
}

impl Tab {
    /// Lets the page come to rest.
    pub(super) async fn settle(
        &mut self,
        start: Start,
        load: bool,
    ) -> Result<(Settled, Look), TabError> {
        let began = Instant::now();
        let deadline = began + self.options.caps.settle;
        let cap = self.options.caps.virtual_ms;
        let Start { mut waiting, mut grant } = start;
        let mut spent = 0;
        let mut by = SettledBy::Quiet;
        let mut frames = FRAMES;
        let mut look = Look::default();
        let mut round = 0;
        let mut patience = PATIENCE;
        let mut worker_patience =
            if self.mute_workers < MUTE_WORKERS { WORKER_PATIENCE } else { 0 };
        let mut has_computed = false;
        while round < ROUNDS {
            // For what others answer, tasks must run but the clock need not move.
            let least = if waiting.busy > 0 { 1 } else { LEAST << (2 * round.min(4)) };
            let mut wish =
                (waiting.longest.clamp(0.0, 1e6).ceil() as u32).max(least).min(cap - spent);
            let mut streams = by == SettledBy::Streams;
            let mut granted = Granted::Expired;
            if let Some(first) = grant.take() {
                spent += first.budget;
                wish = wish.saturating_sub(first.budget).min(cap.saturating_sub(spent));
                granted = self.use_up(first, streams, deadline).await?;
                streams |= matches!(granted, Granted::Streams);
            }
            if wish > 0 && !matches!(granted, Granted::TimeUp) {
                let next = self.start_grant(streams, wish);
                granted = self.use_up(next, streams, deadline).await?;
                spent += wish;
            }
            match granted {
                Granted::Expired => {}
                Granted::Streams => by = SettledBy::Streams,
                Granted::TimeUp => by = SettledBy::WallClock,
            }
            self.announced_navigation().await?;
            if self.shared.lock().happenings.left_document {
                break;
            }
            look = self.look(cap.saturating_sub(spent), load).await?;
            waiting = look.waiting.take().unwrap_or_default();
            look.late = waiting.late > 0;
            has_computed |= waiting.computing > 0;
            if by == SettledBy::WallClock {
                break;
            }
            // A stream is under way for ever: it is not what is waited for here.
            if waiting.busy > 0 && patience > 0 && by != SettledBy::Streams {
                patience -= 1;
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            if waiting.computing > 0 && worker_patience > 0 {
                worker_patience -= 1;
                tokio::time::sleep(WORKER_PAUSE).await;
                continue;
            }
            // What a frame brings about may need another: an element that an observer watches has
            // to be seen leaving before it can be seen coming back.
            let scene = (look.fingerprint, look.scrolled, self.shared.lock().recorder.progress);
            let unseen = waiting.observers > 0 && self.scene != Some(scene);
            if (unseen || look.moving) && frames > 0 {
                frames -= 1;
                self.scene = Some(scene);
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
        if has_computed {
            self.mute_workers = if waiting.computing > 0 { self.mute_workers + 1 } else { 0 };
        }
        let wall_ms = began.elapsed().as_secs_f64() * 1000.0;
        Ok((Settled { wall_ms, virtual_ms: spent, by }, look))
    }

    /// The question to the hooks of a frame.
    fn waiting_script(&self, left: u32) -> String {
        format!("window[{:?}].waiting({left})", &*self.key)
    }

    /// What the hooks of all frames say about timers.
    pub(super) async fn timers(&self) -> Result<Waiting, TabError> {
        let script = self.waiting_script(self.options.caps.virtual_ms);
        let top = self.ask("timers", World::Page, &script)?;
        let others = self.ask_foreign_frames(World::Page, &script);
        let waiting: Waiting = top.wait(&self.shared).await?;
        self.with_foreign_frames(waiting, others).await
    }

    /// Where the page stands, its frames of other origins included.
    async fn look(&mut self, left: u32, load: bool) -> Result<Look, TabError> {
        let look = self.ask("look", World::Own, &format!("bathys.look({left},{load})"))?;
        let script = self.waiting_script(left);
        let others = self.ask_foreign_frames(World::Page, &script);
        let hashes = self.ask_foreign_frames(World::Own, "bathys.fingerprint()");
        let mut look: Look = look.wait(&self.shared).await?;
        self.page_clock = Some(look.clock);
        let waiting = match look.waiting.take() {
            Some(waiting) => waiting,
            // A page that replaced its own document has lost the short way to the hooks.
            None => self.answer("timers", World::Page, &script).await?,
        };
        let waiting = self.with_foreign_frames(waiting, others).await?;
        self.tell_caught(&waiting);
        look.waiting = Some(waiting);
        look.fingerprint = self.whole_fingerprint(look.hash, hashes).await?;
        Ok(look)
    }

    /// A number for the document as it is now, its frames included: good for comparing with an
    /// earlier one of the same document of this tab, and for nothing else. The same that
    /// [`Fired::fingerprint`](super::Fired::fingerprint) gives.
    pub async fn fingerprint(&self) -> Result<u64, TabError> {
        let script = "bathys.fingerprint()";
        let own = self.ask("fingerprint", World::Own, script)?;
        let others = self.ask_foreign_frames(World::Own, script);
        let own = own.wait(&self.shared).await?;
        self.whole_fingerprint(own, others).await
    }

    async fn whole_fingerprint(&self, own: f64, others: Vec<Question>) -> Result<u64, TabError> {
        let mut whole = own as u64;
        for question in others {
            if let Some(inner) = present(question.wait::<f64>(&self.shared).await)? {
                // The order of frames is not known: the sum does not depend on it.
                let mixed =
                    (inner as u64 ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd);
                whole = whole.wrapping_add(mixed ^ (mixed >> 33));
            }
        }
        Ok(whole)
    }

    /// Puts what the hooks have caught to what the network's guard has caught.
    pub(super) fn tell_caught(&self, waiting: &Waiting) {
        if waiting.caught.is_empty() && waiting.sockets.is_empty() {
            return;
        }
        self.shared.change(|state| {
            for caught in &waiting.caught {
                // The markup's own refresh was told when the page was loaded.
                if caught.own || !state.refreshes.contains(&caught.url) {
                    state.happenings.navigation(&caught.url);
                }
            }
            for url in &waiting.sockets {
                state.happenings.socket(url);
            }
        });
    }

    /// Frames of other origins have hooks of their own, which the top frame cannot see.
    fn ask_foreign_frames(&self, world: World, script: &str) -> Vec<Question> {
        let (_, others) = self.foreign_frames();
        let ask = |frame: &String| self.ask_frame("a frame", frame, world, script).ok();
        others.iter().filter_map(ask).collect()
    }

    async fn with_foreign_frames(
        &self,
        mut waiting: Waiting,
        others: Vec<Question>,
    ) -> Result<Waiting, TabError> {
        for question in others {
            if let Some(other) = present(question.wait::<Waiting>(&self.shared).await)? {
                waiting.longest = waiting.longest.max(other.longest);
                waiting.observers += other.observers;
                waiting.busy += other.busy;
                waiting.computing += other.computing;
                waiting.late += other.late;
            }
        }
        Ok(waiting)
    }

    /// What is set from now on belongs to the next event. Our own world says so to the page that it
    /// fires in; the others are told here.
    pub(super) fn mark(&self) {
        let script = format!("window[{:?}].mark()", &*self.key);
        // The next command waits behind it in the pipe: nobody needs the answer.
        drop(self.ask("mark", World::Page, &script));
        drop(self.ask_foreign_frames(World::Page, &script));
    }

    /// A grant of the least that is ever granted, so that it can be sent together with an event.
    pub(super) fn first_grant(&self) -> Grant {
        self.start_grant(false, LEAST.min(self.options.caps.virtual_ms))
    }

    /// Waits until a grant is used up, whatever comes of it.
    pub(super) async fn let_expire(&mut self, grant: Grant) -> Result<(), TabError> {
        let deadline = Instant::now() + self.options.caps.settle;
        self.use_up(grant, false, deadline).await.map(|_| ())
    }

    /// Waits until a grant is used up.
    ///
    /// Once only streams are known to be open, time is let run past them from the start.
    async fn use_up(
        &mut self,
        grant: Grant,
        mut streams: bool,
        deadline: Instant,
    ) -> Result<Granted, TabError> {
        let Grant { budget, mut before } = grant;
        let mut quiet_since = Instant::now();
        let mut progress = self.shared.lock().recorder.progress;
        let mut probed = false;
        loop {
            let next_look = (Instant::now() + LOOK).min(deadline);
            let used_up = self.shared.until(next_look, |state| {
                let waits = |id: &Arc<str>| {
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
                before = self.start_grant(true, budget).before;
            } else if !probed && requests == 0 && quiet >= self.options.caps.script / 2 {
                // Nothing under way and no end: busy, or stuck for good.
                probed = true;
                self.responds().await?;
            }
        }
    }

    /// Sends a grant to every document.
    fn start_grant(&self, streams: bool, budget: u32) -> Grant {
        let policy = if streams { "advance" } else { "pauseIfNetworkFetchesPending" };
        let (documents, expired) = {
            let state = self.shared.lock();
            (state.documents.clone(), state.expired.clone())
        };
        let counts = |id: Arc<str>| {
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
        Grant { budget, before: documents.into_iter().map(counts).collect() }
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
        // Sent together with the first frame.
        drop(self.ask("a frame", World::Own, "bathys.await()")?);
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

/// What a frame answered. It may go, or not be there yet; one that hangs takes the page with it.
fn present<T>(answer: Result<T, TabError>) -> Result<Option<T>, TabError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(TabError::Agent { .. } | TabError::Protocol(CdpError::Refused { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}
