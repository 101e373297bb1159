//! A browser: one Chromium process, started again when it has died.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::sync::Notify;

use crate::cdp::{CdpError, Connection, Events};
use crate::process::{
    Engine, Executable, LaunchError, LaunchOptions, Process, Profile, find, sweep, switches,
};
use crate::tab::{Tab, TabError, TabOptions};

/// How long a browser may take to answer for the first time.
const START: Duration = Duration::from_secs(20);

/// How long it may take to end when asked to.
const END: Duration = Duration::from_secs(2);

/// A Chromium process and its tabs.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use browser::{Browser, LaunchOptions, TabOptions};
///
/// let browser = Browser::launch(LaunchOptions::default()).await?;
/// let mut tab = browser.tab(TabOptions::default()).await?;
/// let visit = tab.navigate(&"http://127.0.0.1:8000/".parse()?).await?;
/// println!("{} settled after {} ms", visit.url, visit.settled.wall_ms);
/// println!("{}", page::tree::visible_text(&tab.walk().await?.dom));
/// browser.close().await;
/// # Ok(())
/// # }
/// ```
pub struct Browser {
    options: LaunchOptions,
    executable: Executable,
    running: tokio::sync::Mutex<Option<Running>>,
    /// The process that runs now, for those who cannot wait.
    pid: AtomicU64,
}

/// Why no tab could be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The browser had died and could not be started again.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The tab could not be set up.
    #[error("cannot open a tab: {0}")]
    Tab(#[from] TabError),
}

struct Running {
    process: Process,
    connection: Connection,
    targets: Arc<Targets>,
}

/// Pages that Chromium has attached us to, and that nobody has claimed yet.
#[derive(Default)]
struct Targets {
    attached: Mutex<HashMap<String, Arc<str>>>,
    bell: Notify,
}

impl Browser {
    /// Finds Chromium, sweeps the profiles of killed runs, and starts it.
    pub async fn launch(options: LaunchOptions) -> Result<Browser, LaunchError> {
        let executable = find(options.executable.as_deref())?;
        let folder = profiles(&options);
        // Old profiles may be large; the start need not wait for them.
        tokio::task::spawn_blocking(move || sweep(&folder));
        let running = start(&executable, &options).await?;
        Ok(Browser {
            options,
            executable,
            pid: AtomicU64::new(running.process.pid().into()),
            running: tokio::sync::Mutex::new(Some(running)),
        })
    }

    /// Which Chromium runs.
    pub fn executable(&self) -> &Executable {
        &self.executable
    }

    /// The number of the browser process.
    pub fn pid(&self) -> u32 {
        u32::try_from(self.pid.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Opens a tab; if the browser has died, starts it again first.
    pub async fn tab(&self, options: TabOptions) -> Result<Tab, OpenError> {
        let (connection, targets) = self.alive().await?;
        let browser = connection.browser();
        let context = match &options.context {
            Some(context) => context.clone(),
            None => crate::tab::Context::create(&browser).await?,
        };
        let shell = self.executable.engine == Engine::HeadlessShell;
        let params = json!({
            "url": "about:blank",
            "browserContextId": context.id(),
            "width": options.viewport.width,
            "height": options.viewport.height,
            "enableBeginFrameControl": shell,
            // Only a window of its own has a size in full Chromium.
            "newWindow": !shell,
        });
        let created: Created =
            browser.call("Target.createTarget", params).await.map_err(TabError::from)?;
        let session = targets.claim(&created.target_id).await.map_err(TabError::from)?;
        Ok(Tab::open(connection, session, created.target_id, context, options, shell).await?)
    }

    /// A context whose tabs share cookies and storage.
    pub async fn context(&self) -> Result<crate::tab::Context, OpenError> {
        let (connection, _) = self.alive().await?;
        Ok(crate::tab::Context::create(&connection.browser()).await?)
    }

    /// Ends the browser and starts another. Tabs of the old one fail from then on.
    pub async fn restart(&self) -> Result<(), LaunchError> {
        let mut running = self.running.lock().await;
        if let Some(old) = running.take() {
            old.end().await;
        }
        let new = start(&self.executable, &self.options).await?;
        self.pid.store(new.process.pid().into(), Ordering::Relaxed);
        *running = Some(new);
        Ok(())
    }

    /// Ends the browser; nothing of it is left when this returns.
    pub async fn close(&self) {
        if let Some(running) = self.running.lock().await.take() {
            running.end().await;
        }
    }

    async fn alive(&self) -> Result<(Connection, Arc<Targets>), LaunchError> {
        let mut running = self.running.lock().await;
        if let Some(alive) = running.as_ref().filter(|running| !running.connection.is_closed()) {
            return Ok((alive.connection.clone(), alive.targets.clone()));
        }
        if let Some(dead) = running.take() {
            dead.end().await;
        }
        let new = start(&self.executable, &self.options).await?;
        self.pid.store(new.process.pid().into(), Ordering::Relaxed);
        let handles = (new.connection.clone(), new.targets.clone());
        *running = Some(new);
        Ok(handles)
    }
}

impl Running {
    async fn end(self) {
        let closing =
            self.connection.browser().send::<serde::de::IgnoredAny>("Browser.close", json!({}));
        let _ = closing.within(Duration::from_millis(500)).wait().await;
        self.connection.close();
        self.process.end(END).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.connection.close();
    }
}

impl Targets {
    /// The session of a page that we have made.
    async fn claim(&self, target: &str) -> Result<Arc<str>, CdpError> {
        let after = Duration::from_secs(10);
        let wait = async {
            loop {
                let bell = self.bell.notified();
                tokio::pin!(bell);
                bell.as_mut().enable();
                let found = self.lock().remove(target);
                match found {
                    Some(session) => return session,
                    None => bell.await,
                }
            }
        };
        tokio::time::timeout(after, wait)
            .await
            .map_err(|_| CdpError::Timeout { method: "Target.attachedToTarget", after })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<str>>> {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_id: String,
}

fn profiles(options: &LaunchOptions) -> PathBuf {
    options.profiles.clone().unwrap_or_else(std::env::temp_dir)
}

async fn start(executable: &Executable, options: &LaunchOptions) -> Result<Running, LaunchError> {
    let profile = Profile::create(&profiles(options))?;
    let switches = switches(options, executable.engine);
    let (process, ends) = Process::spawn(executable, &switches, profile).await?;
    let failed = |source| LaunchError::Spawn { path: executable.path.clone(), source };
    let (connection, events) = Connection::open(ends.read, ends.write).map_err(failed)?;
    let browser = connection.browser();
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
    let attached = browser.send::<serde::de::IgnoredAny>("Target.setAutoAttach", attach);
    let deny = json!({ "behavior": "deny", "eventsEnabled": true });
    browser.tell("Browser.setDownloadBehavior", deny);
    if let Err(reason) = attached.within(START).wait().await {
        return Err(LaunchError::Silent { path: executable.path.clone(), reason });
    }
    let targets = Arc::new(Targets::default());
    tokio::spawn(welcome(events, connection.clone(), targets.clone()));
    Ok(Running { process, connection, targets })
}

/// How long a window without a request of its own is kept before it is closed.
const EMPTY_WINDOW: Duration = Duration::from_millis(500);

/// Takes in the pages that are opened: ours wait to be claimed, those of pages are turned away.
///
/// A window waits for its debugger and holds up the page that opened it, so it is let go at once;
/// its first request is failed, and only then is it closed: closing it earlier would end the
/// interception and let the request out.
async fn welcome(mut events: Events, connection: Connection, targets: Arc<Targets>) {
    let browser = connection.browser();
    let mut windows: HashMap<Arc<str>, String> = HashMap::new();
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            () = connection.closed() => None,
        };
        let Some(event) = event else { return };
        match (event.method.as_str(), &event.session) {
            ("Target.attachedToTarget", None) => {
                let Ok(Attached { session_id, target_info }) = event.read() else {
                    continue;
                };
                let session: Arc<str> = session_id.into();
                if target_info.opener_id.is_none() && target_info.r#type == "page" {
                    targets.lock().insert(target_info.target_id, session);
                    targets.bell.notify_waiters();
                    continue;
                }
                let window = connection.session(session.clone());
                window.tell("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] }));
                window.tell("Runtime.runIfWaitingForDebugger", json!({}));
                let (browser, target) = (browser.clone(), target_info.target_id.clone());
                tokio::spawn(async move {
                    tokio::time::sleep(EMPTY_WINDOW).await;
                    browser.tell("Target.closeTarget", json!({ "targetId": target }));
                });
                windows.insert(session, target_info.target_id);
            }
            ("Target.detachedFromTarget", None) => {
                let detached: Attached = event.read().unwrap_or_default();
                windows.remove(detached.session_id.as_str());
            }
            ("Fetch.requestPaused", Some(session)) => {
                let paused: Paused = event.read().unwrap_or_default();
                let params = json!({ "requestId": paused.request_id, "errorReason": "Aborted" });
                connection.session(session.clone()).tell("Fetch.failRequest", params);
                if let Some(target) = windows.get(session) {
                    browser.tell("Target.closeTarget", json!({ "targetId": target }));
                }
            }
            _ => {}
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Attached {
    session_id: String,
    target_info: Info,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Info {
    target_id: String,
    r#type: String,
    opener_id: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Paused {
    request_id: String,
}
