//! `bathys serve`: what people, programs and other replay tools get of a store.

mod access;
mod api;
mod client;
mod looked_at;
mod memento;
mod pages;
mod whole;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::archive::exported;
pub use client::Client;

/// A server of its own process. Dropping it kills it.
pub struct Server {
    child: Child,
    /// Pages and the interface for programs.
    pub site: Client,
    /// Archived pages.
    pub archive: Client,
}

impl Server {
    /// Serves the store in a directory.
    pub fn of(directory: &Path, arguments: &[&str]) -> Self {
        Self::start(Command::new(env!("CARGO_BIN_EXE_bathys")), directory, arguments)
    }

    /// One for a static, which is never dropped: a shell ends it when this process is gone, and with it the
    /// shell's input.
    fn lasting(directory: &Path) -> Self {
        let mut command = Command::new("sh");
        let program = env!("CARGO_BIN_EXE_bathys");
        command.args(["-c", "\"$0\" \"$@\" </dev/null & read -r _; kill $!", program]);
        Self::start(command, directory, &[])
    }

    fn start(mut command: Command, directory: &Path, arguments: &[&str]) -> Self {
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("BATHYS_") {
                command.env_remove(name);
            }
        }
        let mut child = command
            .args(["serve", "--json"])
            .args(if arguments.contains(&"--listen") {
                &[][..]
            } else {
                &["--listen", "127.0.0.1:0"]
            })
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let places: Value = serde_json::from_str(&line).unwrap();
        let client = |name: &str| Client::of(places[name].as_str().unwrap());
        Self { site: client("url"), archive: client("replay"), child }
    }

    /// Ctrl-C, and how it ended.
    pub fn interrupt(mut self) -> Option<i32> {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One server of the store that the tests of archives export.
pub fn served() -> &'static Server {
    static SERVED: LazyLock<Server> = LazyLock::new(|| Server::lasting(exported().scratch.path()));
    &SERVED
}

/// A value as the query of an address holds it.
pub fn in_query(value: &str) -> String {
    url::form_urlencoded::byte_serialize(value.as_bytes()).collect()
}

/// The page with most versions, as `bathys pages` lists it.
pub fn most_changed() -> &'static Value {
    let pages = exported().pages.iter();
    pages.max_by_key(|page| page["versions"].as_i64()).unwrap()
}
