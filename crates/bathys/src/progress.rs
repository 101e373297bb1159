//! How work goes, on stderr: a bar when that is a terminal, a plain line every few seconds when not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use derive::{Meter, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use store::{Catalog, CatalogWriter, StoreError, Waiting};

use crate::output::{clip, stderr_is_terminal, thousands};
use crate::say;

/// How often a bar is drawn.
const EVERY: Duration = Duration::from_millis(200);
const LINE_EVERY: Duration = Duration::from_secs(5);
/// What is shown is counted in the store, which takes a while where millions wait: so many times longer
/// is the pause after it.
const PAUSE: u32 = 20;
/// Characters of what is being waited for.
const WIDEST: usize = 70;

/// Where progress is shown. Nothing is left of a bar when it is dropped.
pub struct Display {
    bar: Option<ProgressBar>,
    said: Instant,
}

impl Display {
    pub fn new() -> Self {
        let bar = stderr_is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            let template = "{bar:30.cyan/blue} {prefix}\n{msg:.dim}";
            // The template is a constant of this file and has been seen to parse.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, said: Instant::now() }
    }

    /// One without a bar, for a command whose data may go to the same terminal.
    pub fn without_bar() -> Self {
        Self { bar: None, said: Instant::now() }
    }

    /// How often something new can be seen.
    pub fn pace(&self) -> Duration {
        if self.bar.is_some() { EVERY } else { LINE_EVERY }
    }

    /// Shows that `done` of `all` are done, a line about it, and what is being waited for.
    pub fn at(&mut self, done: u64, all: u64, line: impl FnOnce() -> String, waits: &[String]) {
        let waits = || clip(&waits.join(", "), WIDEST);
        match &self.bar {
            Some(bar) => {
                bar.set_length(all);
                bar.set_position(done);
                bar.set_prefix(line());
                bar.set_message(waits());
            }
            None if self.said.elapsed() >= LINE_EVERY => {
                let waits = waits();
                let separator = if waits.is_empty() { "" } else { "; now: " };
                say!("{}{separator}{waits}", line());
                self.said = Instant::now();
            }
            None => {}
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A pile of work that is worked off, and how long that will take.
#[derive(Default)]
pub struct Countdown {
    begun: Option<(Instant, u64)>,
}

impl Countdown {
    /// How much is done and how much there is in all, and the time that the rest will take at the
    /// pace so far.
    pub fn at(&mut self, left: u64) -> (u64, u64, String) {
        let (since, most) = self.begun.unwrap_or((Instant::now(), left));
        let most = most.max(left);
        self.begun = Some((since, most));
        let done = most - left;
        (done, most, eta(left, done as f64 / since.elapsed().as_secs_f64().max(0.001)))
    }
}

fn eta(left: u64, per_second: f64) -> String {
    let seconds = left as f64 / per_second;
    match Duration::try_from_secs_f64(seconds) {
        Ok(left) if per_second > 0.0 => format!("ETA {}s", left.as_secs() + 1),
        _ => "ETA ?".into(),
    }
}

/// What follows after pages were captured: they are cut into blocks, then read for records.
#[derive(Default)]
pub struct Aftermath {
    cutting: Countdown,
    reading: Countdown,
}

impl Aftermath {
    /// Shows how far it is.
    pub fn show(&mut self, display: &mut Display, waiting: &Waiting, waits: &[String]) {
        let (what, (done, all, eta)) = match waiting.uncut.unsigned_abs() {
            0 => ("read for records", self.reading.at(waiting.unread.unsigned_abs())),
            uncut => ("cut into blocks", self.cutting.at(uncut)),
        };
        let line = || format!("{} of {} pages {what}, {eta}", number(done), number(all));
        display.at(done, all, line, waits);
    }
}

/// Counts what waits, and says how long it is until that is worth another look.
pub async fn count(
    display: &Display,
    catalog: &Catalog,
) -> Result<(Waiting, Duration), StoreError> {
    let begun = Instant::now();
    let waiting = catalog.waiting().await?;
    Ok((waiting, display.pace().max(begun.elapsed() * PAUSE)))
}

/// Shows a crawl until it is aborted.
pub async fn show(meter: Arc<Meter>, catalog: Arc<CatalogWriter>) {
    let (mut display, mut aftermath) = (Display::new(), Aftermath::default());
    let mut pause = display.pace();
    loop {
        tokio::time::sleep(pause).await;
        let waiting;
        (waiting, pause) = match count(&display, &catalog).await {
            Ok(counted) => counted,
            Err(_) => return,
        };
        let progress = meter.look(waiting.visits.unsigned_abs());
        let waits = waits(&progress);
        if waiting.visits == 0 || meter.stopped().is_some() {
            aftermath.show(&mut display, &waiting, &waits);
            continue;
        }
        let all = progress.tasks_done + progress.tasks_waiting;
        let line = || headline(&progress, meter.elapsed());
        display.at(progress.tasks_done, all, line, &waits);
    }
}

/// Shows how a watch goes until it is aborted: its visits are data, so there is no bar, and nothing while
/// it sleeps.
pub async fn show_watch(meter: Arc<Meter>) {
    let mut display = Display::without_bar();
    let mut last = (0, 0);
    loop {
        tokio::time::sleep(display.pace()).await;
        let progress = meter.look(0);
        let now = (progress.tasks_done, progress.events);
        if now != last && meter.stopped().is_none() {
            last = now;
            let line = || {
                let (visits, events) = (number(progress.tasks_done), number(progress.events));
                format!("{visits} visits, {events} events, {} requests", number(meter.sent()))
            };
            display.at(progress.tasks_done, progress.tasks_done, line, &waits(&progress));
        }
    }
}

/// What is being waited for.
fn waits(progress: &Progress) -> Vec<String> {
    let current = progress.current.clone();
    if current.is_empty() { Vec::new() } else { vec![current] }
}

/// More may turn up than what is known to wait.
fn headline(progress: &Progress, elapsed: Duration) -> String {
    let rate = progress.tasks_done as f64 / elapsed.as_secs_f64().max(0.001);
    format!(
        "{} pages, {} events, {} waiting, {rate:.1} tasks/s, {} or more",
        number(progress.pages),
        number(progress.events),
        number(progress.tasks_waiting),
        eta(progress.tasks_waiting, rate)
    )
}

/// A count for the eye.
pub fn number(count: u64) -> String {
    thousands(i64::try_from(count).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_countdown_grows_with_its_pile_and_tells_the_time_that_is_left() {
        let mut countdown = Countdown::default();
        assert_eq!(countdown.at(10), (0, 10, "ETA ?".into()));
        assert_eq!((countdown.at(30).0, countdown.at(30).1), (0, 30));
        let (done, all, eta) = countdown.at(15);
        assert_eq!((done, all), (15, 30));
        assert!(eta.starts_with("ETA ") && eta.ends_with('s'), "{eta}");
    }
}
