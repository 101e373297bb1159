//! `bathys bench filters`: what each filter is worth. The same crawl without it must fire, or send,
//! as much more as `events_saved` said that it saved.

use crawl::{Filters, Report, Settings};
use testsite::{Options, Running, SiteKind};

use crate::sheet::{Experiment, Sheet};
use crate::tally::Tally;
use crate::trial::{Trial, whole};

/// How far below what was said it may be.
const ALLOWED: f64 = 0.05;

/// A filter: its name, how it is switched off, what it said, and what it is counted in.
struct Filter {
    name: &'static str,
    off: Filters,
    saved: fn(&Report) -> i64,
    counted: fn(&Report) -> i64,
}

const ALL: Filters = Filters { instruction: true, pattern: true, request: true };

const FILTERS: [Filter; 3] = [
    Filter {
        name: "instruction",
        off: Filters { instruction: false, ..ALL },
        saved: |report| report.events_saved.instruction,
        counted: |report| report.events_fired,
    },
    Filter {
        name: "pattern",
        off: Filters { pattern: false, ..ALL },
        saved: |report| report.events_saved.pattern,
        counted: |report| report.events_fired,
    },
    Filter {
        name: "request",
        off: Filters { request: false, ..ALL },
        saved: |report| report.events_saved.request,
        counted: |report| report.requests.network,
    },
];

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let sites: &[(SiteKind, u32)] = match quick {
        true => &[(SiteKind::News, 1)],
        false => &[(SiteKind::News, 0), (SiteKind::Maze, 0), (SiteKind::Blog, 20)],
    };
    for (kind, size) in sites {
        let site = testsite::serve(*kind, Options { size: *size, ..Options::default() }).await?;
        let (with, found) = crawl(&site, ALL, "with all filters").await?;
        for filter in &FILTERS {
            let what = format!("without the {} filter", filter.name);
            let (without, found_without) = crawl(&site, filter.off, &what).await?;
            let name = format!("filters/{kind}/{}", filter.name);
            sheet.put(
                compared(&name, filter, &with, &without)
                    .ours("found", found)
                    .ours("found_without", found_without)
                    .ask(
                        found == found_without,
                        format!("{found} states found with it, {found_without} without"),
                    ),
            )?;
        }
        site.stop().await;
    }
    sheet.table("what each filter saves, and what the same crawl does without it")
}

fn compared(name: &str, filter: &Filter, with: &Report, without: &Report) -> Experiment {
    let saved = (filter.saved)(with);
    let (on, off) = ((filter.counted)(with), (filter.counted)(without));
    let more = off - on;
    Experiment::new(name)
        .ours("with", on)
        .ours("without", off)
        .ours("saved", saved)
        .ours("more", more)
        .better(more as f64, saved as f64)
        .ask(is_kept(saved, more), format!("said that it saved {saved}, and it is {more}"))
        .ask(with.stopped.is_none() && without.stopped.is_none(), "a crawl was cut off")
}

/// Whether the filter saved at least what it said, give or take a little.
fn is_kept(saved: i64, more: i64) -> bool {
    more as f64 >= saved as f64 * (1.0 - ALLOWED)
}

/// A crawl of the site, without what never ends on it: how far one goes into that is no matter of
/// filters.
async fn crawl(site: &Running, filters: Filters, what: &str) -> anyhow::Result<(Report, usize)> {
    let truth = site.truth();
    let endless = |path: &str| truth.traps.iter().any(|trap| path.starts_with(&trap.path));
    let exclude = truth.traps.iter().map(|trap| regex::escape(&site.url_of(&trap.path)));
    let settings = Settings { filters, exclude: exclude.collect(), ..whole(site)? };
    let trial = Trial::new()?;
    let report = trial.crawl(settings).await?;
    let tally = Tally::of(&trial.catalog, truth, |state| !endless(&state.url)).await?;
    eprintln!(
        "  {} {what}: {} of {} states, {} events, {} requests, {:.1} s; {}",
        truth.site,
        tally.found(),
        tally.asked(),
        report.events_fired,
        report.requests.network,
        report.elapsed_s,
        tally.missing()
    );
    Ok((report, tally.found()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_may_save_more_than_it_said_but_hardly_less() {
        assert!(is_kept(100, 95) && is_kept(100, 3_000) && is_kept(0, 0));
        assert!(!is_kept(100, 94) && !is_kept(0, -1));
    }
}
