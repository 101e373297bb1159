//! Ctrl-C: once to stop gently, twice to leave at once. A command that has nothing to save leaves at
//! the first.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use derive::Meter;
use tokio::signal::unix::{SignalKind, signal};

use crate::say;

/// The exit status of a program that was interrupted.
pub const INTERRUPTED: u8 = 130;
/// What may be tidied up before the program leaves.
const TIDYING: Duration = Duration::from_millis(500);

/// Waits for Ctrl-C, or for what `timeout`, systemd and containers send.
pub async fn asked_to_stop() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

/// Tells a meter at the first Ctrl-C, and leaves at the second.
pub async fn stop_gently(meter: Arc<Meter>) {
    asked_to_stop().await;
    say!("stopping after the step in hand; Ctrl-C again to leave at once");
    meter.interrupt();
    asked_to_stop().await;
    std::process::exit(INTERRUPTED.into());
}

/// Does work that has nothing to save: at Ctrl-C it is dropped, which removes what it had half
/// written.
pub async fn or_leave(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<ExitCode> {
    // Work that never waits cannot be dropped.
    let watch = tokio::spawn(async {
        asked_to_stop().await;
        tokio::time::sleep(TIDYING).await;
        std::process::exit(INTERRUPTED.into());
    });
    let ended = tokio::select! {
        done = work => done.map(|()| ExitCode::SUCCESS),
        () = asked_to_stop() => Ok(ExitCode::from(INTERRUPTED)),
    };
    watch.abort();
    ended
}
