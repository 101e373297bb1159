//! `bathys bench restore`: how a crawl returns to states, how often in which way and at what cost.

use crawl::Restores;
use testsite::{Build, Options, SiteKind};

use crate::sheet::{Experiment, Sheet, rounded};
use crate::trial::{Trial, whole};

/// What is asked for: documents loaded again for each state that only events reach.
const RELOADS: f64 = 0.3;

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let builds: &[Build] = if quick { &[Build::Inline] } else { Build::ALL };
    let kinds: &[SiteKind] =
        if quick { &[SiteKind::News] } else { &[SiteKind::News, SiteKind::Maze] };
    for kind in kinds {
        for build in builds {
            let name = format!("restore/{kind}/{build}");
            let size = if quick { 1 } else { 0 };
            let site =
                testsite::serve(*kind, Options { build: *build, size, ..Options::default() })
                    .await?;
            let trial = Trial::new()?;
            let report = trial.crawl(whole(&site)?).await?;
            eprintln!("  {name}: {} states, {:.1} s", report.event_pages, report.elapsed_s);
            let rung = |name: &str| report.restores_by.get(name).cloned().unwrap_or_default();
            let reloads = rung("load").times as f64 / report.event_pages.max(1) as f64;
            let mut experiment = Experiment::new(name).ours("new_states", report.event_pages);
            for (rung, times, mean) in [
                (rung("edge"), "edge", "edge_ms"),
                (rung("again"), "again", "again_ms"),
                (rung("back"), "back", "back_ms"),
                (rung("load"), "load", "load_ms"),
            ] {
                experiment = experiment.ours(times, rung.times).ours(mean, mean_ms(&rung));
            }
            sheet.put(
                experiment
                    .ours("events_fired", report.events_fired)
                    .ours("events_replayed", report.events_replayed)
                    .ours("reloads_per_state", rounded(reloads))
                    .ask(reloads <= RELOADS, format!("{reloads:.2} reloads for each new state")),
            )?;
            site.stop().await;
        }
    }
    sheet.table("returns to a state: how many of each rung, and their mean cost")
}

fn mean_ms(restores: &Restores) -> Option<f64> {
    (restores.times > 0).then(|| rounded(restores.total_ms / restores.times as f64))
}
