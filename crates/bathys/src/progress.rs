//! A bar when stderr is a terminal, a plain line every few seconds when it is not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use derive::{Meter, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use store::Catalog;

use crate::output::{clip, stderr_is_terminal, thousands};
use crate::say;

const EVERY: Duration = Duration::from_millis(200);
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Shows a crawl until it is aborted.
pub async fn show(meter: Arc<Meter>, catalog: Arc<Catalog>) {
    let bar = stderr_is_terminal().then(new_bar);
    let mut said = Instant::now();
    loop {
        tokio::time::sleep(EVERY).await;
        let Ok(waiting) = catalog.waiting().await else {
            return;
        };
        let progress = meter.look(waiting);
        let (rate, left) = pace(&progress, meter.elapsed());
        match &bar {
            Some(bar) => {
                bar.set_length(progress.tasks_done + progress.tasks_waiting);
                bar.set_position(progress.tasks_done);
                bar.set_prefix(headline(&progress, rate, left));
                bar.set_message(clip(&progress.current, 70));
            }
            None if said.elapsed() >= LINE_EVERY => {
                say!("{}", headline(&progress, rate, left));
                said = Instant::now();
            }
            None => {}
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    // The template is a constant of this file and has been seen to parse.
    if let Ok(style) = ProgressStyle::with_template("{bar:30.cyan/blue} {prefix}\n{msg:.dim}") {
        bar.set_style(style);
    }
    bar
}

/// Pages a second, and the time that what is known to wait will take. More may turn up.
fn pace(progress: &Progress, elapsed: Duration) -> (f64, Option<Duration>) {
    let seconds = elapsed.as_secs_f64().max(0.001);
    let tasks_per_s = progress.tasks_done as f64 / seconds;
    let left = (tasks_per_s > 0.0).then(|| progress.tasks_waiting as f64 / tasks_per_s);
    (tasks_per_s, left.and_then(|s| Duration::try_from_secs_f64(s).ok()))
}

fn headline(progress: &Progress, rate: f64, left: Option<Duration>) -> String {
    let left = left.map_or("?".into(), |left| format!("{}s", left.as_secs() + 1));
    format!(
        "{} pages, {} events, {} waiting, {rate:.1} tasks/s, ETA {left} or more",
        thousands(progress.pages as i64),
        thousands(progress.events as i64),
        thousands(progress.tasks_waiting as i64),
    )
}
