//! The Chromium process: found, started, watched, ended.
//!
//! Invariant: no process of ours outlives us, whatever ends us. Chromium ends when its debugging
//! pipe closes, which the kernel does for a killed process too; the death signal of the parent and
//! a process group of its own cover a browser that no longer reads its pipe.

mod find;
mod profile;
mod spawn;

pub use find::{Engine, Executable, find};
pub(crate) use profile::{Profile, sweep};
pub(crate) use spawn::Process;

use std::net::SocketAddr;
use std::path::PathBuf;

/// Why no browser could be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// Neither the headless shell nor Chromium is installed.
    #[error(
        "no chromium-headless-shell and no chromium found in PATH; \
         run 'apt-get install chromium-headless-shell', or name an executable"
    )]
    NotFound,
    /// The executable that the user named does not exist.
    #[error("no executable at {}; check the path", path.display())]
    NoSuchExecutable {
        /// The path.
        path: PathBuf,
    },
    /// The profile directory could not be made.
    #[error("cannot make the browser profile {}: {source}; check space and rights of the temporary directory", path.display())]
    Profile {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The process could not be started.
    #[error("cannot start {}: {source}", path.display())]
    Spawn {
        /// The executable.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The process started and did not answer, or ended at once.
    #[error("{} started but did not answer: {reason}; run it by hand with --headless to see why", path.display())]
    Silent {
        /// The executable.
        path: PathBuf,
        /// What the protocol said.
        reason: crate::cdp::CdpError,
    },
}

/// How to start a browser. The default suits a crawl on this machine.
#[derive(Clone, Debug, Default)]
pub struct LaunchOptions {
    /// The executable; found in `PATH` if not given.
    pub executable: Option<PathBuf>,
    /// Send everything, loopback included, through this proxy.
    pub proxy: Option<SocketAddr>,
    /// Where profiles live; the system's temporary directory if not given.
    pub profiles: Option<PathBuf>,
    /// Further command-line switches.
    pub switches: Vec<String>,
}

/// The switches that every browser gets.
pub(crate) fn switches(options: &LaunchOptions, engine: Engine) -> Vec<String> {
    let mut switches: Vec<String> = [
        "--remote-debugging-pipe",
        "--disable-quic",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-default-apps",
        "--disable-extensions",
        "--disable-breakpad",
        "--disable-crash-reporter",
        "--disable-domain-reliability",
        "--disable-client-side-phishing-detection",
        "--no-pings",
        "--metrics-recording-only",
        "--password-store=basic",
        "--use-mock-keychain",
        "--mute-audio",
        "--hide-scrollbars",
        "--deny-permission-prompts",
        // Without these three, hidden tabs of full Chromium settle only now and then.
        "--disable-renderer-backgrounding",
        "--disable-backgrounding-occluded-windows",
        "--disable-background-timer-throttling",
    ]
    .map(String::from)
    .to_vec();
    match engine {
        // Frames are drawn when we ask for one, and at no other time.
        Engine::HeadlessShell => switches.extend([
            "--enable-begin-frame-control".into(),
            "--run-all-compositor-stages-before-draw".into(),
        ]),
        Engine::Chromium => switches.push("--headless=new".into()),
    }
    if rustix::process::geteuid().is_root() {
        // Chromium's sandbox refuses to run as root.
        switches.push("--no-sandbox".into());
    }
    if let Some(proxy) = options.proxy {
        switches.push(format!("--proxy-server={proxy}"));
        // Chromium leaves loopback out unless told: a page must not reach it past the proxy.
        switches.push("--proxy-bypass-list=<-loopback>".into());
    }
    switches.extend(options.switches.iter().cloned());
    switches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_gets_loopback_traffic_too() {
        let proxy = Some(SocketAddr::from(([127, 0, 0, 1], 8118)));
        let options = LaunchOptions { proxy, ..LaunchOptions::default() };
        let switches = switches(&options, Engine::HeadlessShell);
        assert!(switches.contains(&"--proxy-server=127.0.0.1:8118".to_owned()));
        assert!(switches.contains(&"--proxy-bypass-list=<-loopback>".to_owned()));
    }
}
