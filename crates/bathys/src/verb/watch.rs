//! `bathys watch`: revisits what is likely to have changed, a line a visit.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use crawl::revisit::{Bounds, Watch, WatchNews, WatchOutcome, WatchSettings, WatchVisit};
use derive::Stopped;
use store::Millis;

use crate::cli::WatchFlags;
use crate::interrupt::{INTERRUPTED, stop_gently};
use crate::output::{Usage, clean_line, json_line, stdout, thousands};
use crate::progress;
use crate::say;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &WatchFlags) -> anyhow::Result<ExitCode> {
    if flags.min > flags.max {
        return Err(Usage("--min is longer than --max; give a shorter one".into()).into());
    }
    let catalog = Arc::new(settings.open_to_write()?);
    let urls = match flags.urls.is_empty() {
        true => catalog.starts().await?,
        false => flags.urls.clone(),
    };
    if urls.is_empty() {
        let nothing = "nothing to watch: no crawl of this store began anywhere; \
                       run 'bathys crawl URL' first, or name a URL";
        return Err(Usage(nothing.into()).into());
    }
    let told = settings.crawl(&urls, &flags.options)?;
    let watched = WatchSettings {
        budget: flags.budget,
        bounds: Bounds { min: flags.min, max: flags.max },
        once: flags.once,
    };
    let watch = Watch::begin(told, watched, catalog).await?;
    let interrupts = tokio::spawn(stop_gently(watch.meter()));
    let shown = tokio::spawn(progress::show_watch(watch.meter()));
    let mut out = stdout();
    let tell = |news: WatchNews| -> anyhow::Result<()> {
        match news {
            WatchNews::Visited(visit) if settings.json => json_line(&mut out, &visit)?,
            WatchNews::Visited(visit) => print(&mut out, &visit)?,
            WatchNews::Waiting { until, url, documents } => {
                let documents = thousands(i64::try_from(documents).unwrap_or(i64::MAX));
                say!("next: {url} in {}; {documents} documents watched", time_until(until));
                return Ok(());
            }
        }
        // Somebody may be reading along.
        Ok(out.flush()?)
    };
    let report = watch.run(tell).await;
    interrupts.abort();
    shown.abort();
    let report = report?;
    let count = |number: u64| thousands(i64::try_from(number).unwrap_or(i64::MAX));
    say!(
        "{} visits, {} events, {} requests",
        count(report.visits),
        count(report.events),
        count(report.requests)
    );
    Ok(match report.stopped {
        Some(Stopped::Interrupted) => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

fn print(out: &mut impl Write, visit: &WatchVisit) -> anyhow::Result<()> {
    let outcome = match visit.outcome {
        WatchOutcome::New => "new",
        WatchOutcome::Changed => "changed",
        WatchOutcome::Unchanged => "unchanged",
        WatchOutcome::Moved => "moved",
        WatchOutcome::Gone => "gone",
        WatchOutcome::Failed => "failed",
    };
    let version = visit.version.map_or(String::new(), |version| format!("v{version}"));
    writeln!(
        out,
        "{:.19}Z  {outcome:9}  {version:5}  next in {:>6}  {}",
        visit.time.to_string(),
        time_until(visit.next),
        clean_line(&visit.key)
    )?;
    Ok(())
}

/// How long it is until then, in the largest unit of which there are two.
fn time_until(time: Millis) -> String {
    let seconds = (time.0 - Millis::now().0).max(0) / 1000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} m", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}
