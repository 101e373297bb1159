//! A tab: a page that is loaded, looked at, and acted on.

mod agent;
mod candidate;
mod context;
mod debugger;
mod driver;
mod error;
mod evaluate;
mod exchange;
mod fire;
mod frame;
mod gate;
mod happening;
mod navigate;
mod options;
mod protocol;
mod screenshot;
mod settle;
mod setup;
mod state;
mod storage;
mod walk;

pub use candidate::{Candidate, Candidates, Handler};
pub use context::Context;
pub use error::TabError;
pub use exchange::{Body, Exchange, Source};
pub use fire::{Action, Fired, FoundBy};
pub use gate::{BoxFuture, Cause, Gate, Recorded, RequestSeen, Verdict};
pub use happening::{Dialog, Download, Happenings, Navigation, Refused};
pub use navigate::Visit;
pub use options::{Caps, TabOptions, Viewport};
pub use screenshot::HIGHEST_PICTURE;
pub use settle::{Settled, SettledBy};
pub use walk::{Detail, FrameDocument, PIXELS, Walk};

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use crate::cdp::{Connection, Events, Session};
use driver::Driver;
use protocol::Nothing;
use state::Shared;

/// One page of the browser, owned by one task.
///
/// After an error other than [`TabError::Navigation`] and [`TabError::Unfollowed`] the tab is of no
/// more use. Dropping it closes the page, and its context if it had one alone.
pub struct Tab {
    connection: Connection,
    page: Session,
    target: String,
    context: Option<Context>,
    shared: Arc<Shared>,
    options: TabOptions,
    /// The name of the hooks in the page's world.
    key: Arc<str>,
    driver: JoinHandle<()>,
    /// Frames are drawn on demand (the shell), or by themselves (full Chromium).
    frames_on_demand: bool,
    /// The page's clock at the last look, in milliseconds since 1970. It stands still in between.
    page_clock: Option<f64>,
    /// The cookies before the first event since the last load.
    cookies: Option<Vec<storage::Cookie>>,
    /// What the last drawn frame showed.
    scene: Option<settle::Scene>,
    /// How often in a row workers of its pages have not answered.
    mute_workers: u32,
}

/// How long the end of an answer may come after the page is at rest.
const ENDING: Duration = Duration::from_millis(200);
/// A tab whose clock is this far off wants to be replaced.
const DRIFT_LIMIT: i64 = 60_000;

impl Tab {
    pub(crate) async fn open(
        connection: Connection,
        session: Arc<str>,
        target: String,
        context: Context,
        options: TabOptions,
        frames_on_demand: bool,
    ) -> Result<Tab, TabError> {
        let shared = Arc::new(Shared::default());
        let key: Arc<str> = format!("_{:016x}", RandomState::new().build_hasher().finish()).into();
        let events = Events::new();
        connection.route(session.clone(), &events);
        let page = connection.session(session.clone());
        shared.change(|state| {
            // The top frame carries the id of its target.
            state.main_frame.clone_from(&target);
            state.documents.push(session);
            state.guarded = true;
            state.recorder.remotes.clone_from(&options.remotes);
        });
        let driver = Driver {
            connection: connection.clone(),
            page: page.clone(),
            shared: shared.clone(),
            options: options.clone(),
            key: key.clone(),
            tasks: JoinSet::new(),
        };
        let driver = tokio::spawn(driver.run(events));
        let tab = Tab {
            connection,
            page,
            target,
            context: Some(context),
            shared,
            options,
            key,
            driver,
            frames_on_demand,
            page_clock: None,
            cookies: None,
            scene: None,
            mute_workers: 0,
        };
        setup::document(&tab.page, &tab.options, &tab.key);
        if !frames_on_demand {
            // Windows of full Chromium lose some of their height to the browser's own parts.
            let viewport = tab.options.viewport;
            let metrics = json!({
                "width": viewport.width, "height": viewport.height,
                "deviceScaleFactor": 1, "mobile": false,
            });
            tab.page.tell("Emulation.setDeviceMetricsOverride", metrics);
        }
        tab.page.tell("Emulation.setVirtualTimePolicy", json!({ "policy": "pause" }));
        let ready = tab.page.send::<Nothing>("Runtime.runIfWaitingForDebugger", json!({}));
        ready.within(Duration::from_secs(10)).wait().await?;
        tab.worlds(Instant::now() + Duration::from_secs(5)).await?;
        Ok(tab)
    }

    /// The caps that hold here.
    pub fn caps(&self) -> &Caps {
        &self.options.caps
    }

    /// How far the page's clock is ahead of ours, in milliseconds; negative if it lags behind.
    pub fn drift_ms(&self) -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.page_clock.map_or(0, |clock| (clock - now.as_secs_f64() * 1000.0) as i64)
    }

    /// True when the page's clock is so far off that dates on pages would be wrong. Only a new
    /// renderer resets it: open another tab.
    pub fn wants_replacing(&self) -> bool {
        self.drift_ms().abs() >= DRIFT_LIMIT
    }

    /// What the page did since the last look, besides changing its document.
    pub fn take_happenings(&mut self) -> Happenings {
        self.shared.change(|state| std::mem::take(&mut state.happenings))
    }

    /// What went over the network since the last take, what is still under way included. Waits a
    /// moment for bodies that are being asked for.
    pub async fn take_exchanges(&mut self) -> Result<Vec<Exchange>, TabError> {
        self.bodies_arrived().await?;
        Ok(self.shared.change(|state| state.recorder.take()))
    }

    async fn bodies_arrived(&self) -> Result<(), TabError> {
        let soon = Instant::now() + ENDING;
        let ended = self.shared.until(soon, |state| (!state.recorder.is_ending()).then_some(()));
        ended.await?;
        let deadline = Instant::now() + Duration::from_secs(5);
        let arrived =
            self.shared.until(deadline, |state| (state.recorder.awaited == 0).then_some(()));
        arrived.await.map(|_| ())
    }

    /// Waits until both worlds of the top frame are there.
    async fn worlds(&self, deadline: Instant) -> Result<(), TabError> {
        let there = self.shared.until(deadline, |state| {
            let frame = state.frames.get(&state.main_frame)?;
            (frame.page_world.is_some() && frame.own_world.is_some()).then_some(())
        });
        match there.await? {
            Some(()) => Ok(()),
            None => Err(TabError::Hung {
                what: "a document without worlds",
                after: Duration::from_secs(5),
            }),
        }
    }

    /// Closes the tab and waits until it is gone.
    pub async fn close(mut self) {
        self.let_nothing_out();
        let browser = self.connection.browser();
        let closing =
            browser.send::<Nothing>("Target.closeTarget", json!({ "targetId": self.target }));
        let _ = closing.within(Duration::from_secs(2)).wait().await;
        if let Some(context) = self.context.take() {
            context.close().await;
        }
    }
}

impl Tab {
    /// Closing a page ends the interception, and Chromium then sends what was held back: so what
    /// waits for the gate is failed before, and what comes in between meets a dead network.
    fn let_nothing_out(&self) {
        let (documents, waiting) = {
            let state = self.shared.lock();
            (state.documents.clone(), state.at_gate.clone())
        };
        for id in documents {
            let session = self.connection.session(id);
            let offline = json!({
                "offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0,
            });
            session.tell("Network.emulateNetworkConditions", offline);
            session.tell("Page.stopLoading", json!({}));
        }
        for (request, session) in waiting {
            driver::fail(&self.connection.session(session), &request);
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.let_nothing_out();
        self.driver.abort();
        let browser = self.connection.browser();
        browser.tell("Target.closeTarget", json!({ "targetId": self.target }));
    }
}
