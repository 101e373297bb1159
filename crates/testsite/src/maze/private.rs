//! Links and scripts that point into the network behind the crawler: another port of this machine,
//! the metadata address of clouds, private ranges in several spellings. Nobody may go there.
//!
//! The other port belongs to a trap that only counts who knocks; its number differs with each run.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tokio::task::AbortHandle;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "private",
    title: "The servants' stairs",
    about: "Doors into parts of the house that no visitor was meant to see.",
    states,
    router: Router::new,
    changes: &[],
    trap: None,
};

const FRONT: &str = "The stairs lead behind the walls.";

fn states() -> Vec<State> {
    vec![SECTION.front(FRONT)]
}

/// A port where nobody may knock. Who does is counted and turned away.
#[derive(Clone)]
pub(super) struct Trap(Option<Arc<Port>>);

struct Port {
    number: u16,
    knocks: Arc<AtomicUsize>,
    listener: Mutex<Option<TcpListener>>,
    watching: OnceLock<AbortHandle>,
}

impl Trap {
    /// Takes a free port. Without one, the links lead to the discard port.
    pub(super) fn set() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok();
        let port = listener.and_then(|listener| {
            listener.set_nonblocking(true).ok()?;
            Some(Port {
                number: listener.local_addr().ok()?.port(),
                knocks: Arc::default(),
                listener: Mutex::new(Some(listener)),
                watching: OnceLock::new(),
            })
        });
        Trap(port.map(Arc::new))
    }

    /// Counts from now on, until the last clone of this trap is gone.
    fn watch(&self) -> Option<()> {
        let port = self.0.as_ref()?;
        let listener = port.listener.lock().ok()?.take()?;
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        let knocks = port.knocks.clone();
        let task = runtime.spawn(async move {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
                return;
            };
            while listener.accept().await.is_ok() {
                knocks.fetch_add(1, Ordering::Relaxed);
            }
        });
        port.watching.set(task.abort_handle()).ok()
    }

    fn number(&self) -> u16 {
        self.0.as_ref().map_or(9, |port| port.number)
    }

    /// How many connections were made so far.
    fn knocks(&self) -> usize {
        self.0.as_ref().map_or(0, |port| port.knocks.load(Ordering::Relaxed))
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        if let Some(watching) = self.watching.get() {
            watching.abort();
        }
    }
}

pub(super) fn router(trap: Trap) -> Router {
    // Without a runtime nobody could visit the page that leads there, either.
    let _ = trap.watch();
    let asked = trap.clone();
    Router::new()
        .route("/private/", get(async move |visit: Visit| stairs(&visit, trap.number())))
        .route(
            "/private/knocks.json",
            get(async move || Json(json!({"port": asked.number(), "knocks": asked.knocks()}))),
        )
}

fn stairs(visit: &Visit, port: u16) -> axum::response::Response {
    let doors = [
        ("The boiler", format!("http://127.0.0.1:{port}/")),
        ("The boiler by name", format!("http://localhost:{port}/")),
        ("The boiler in hexadecimal", format!("http://0x7f000001:{port}/")),
        ("The boiler by its sixth sense", format!("http://[::ffff:127.0.0.1]:{port}/")),
        ("The safe", "http://169.254.169.254/latest/meta-data/".to_owned()),
        ("The neighbour", "http://10.0.0.1/".to_owned()),
        ("The router", "http://192.168.0.1/admin".to_owned()),
        ("The library", "file:///etc/passwd".to_owned()),
    ];
    let doors: String = doors
        .iter()
        .map(|(label, url)| format!(r#"<li><a href="{url}">{label}</a></li>"#))
        .collect();
    let creep =
        shell::button(visit, "Creep down", "creep", &format!("http://127.0.0.1:{port}/creep"));
    let jump = shell::button(visit, "Jump down", "go", &format!("http://127.0.0.1:{port}/jump"));
    let main = format!(
        concat!(
            r#"<p class="§lead">{FRONT}</p><ul>{doors}</ul><p>{creep}{jump}</p>"#,
            r#"<img src="http://127.0.0.1:{port}/picture.png" alt="" width="1" height="1">"#
        ),
        FRONT = FRONT,
        doors = doors,
        creep = creep,
        jump = jump,
        port = port,
    );
    shell::room(visit, &SECTION, &main, SCRIPT)
}

const SCRIPT: &str = "
M.creep = function (url) { fetch(url, { mode: 'no-cors' }).catch(function () {}); };
";
