//! `bathys worker`: one of many crawlers on a shared store.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use crawl::{Report, Shift};
use derive::{Limits, Meter, Stopped};
use page::state::url::Site;

use crate::cli::WorkerFlags;
use crate::interrupt::{INTERRUPTED, asked_to_stop};
use crate::output::Usage;
use crate::settings::Settings;
use crate::verb::crawl::{print, with_progress};

/// How often it is asked whether others left something.
const LOOK: Duration = Duration::from_secs(1);

pub async fn run(settings: &Settings, flags: &WorkerFlags) -> anyhow::Result<ExitCode> {
    let catalog = Arc::new(settings.open_to_write()?);
    let urls = match flags.urls.is_empty() {
        true => catalog.starts().await?,
        false => flags.urls.clone(),
    };
    if urls.is_empty() {
        let nothing = "nothing to crawl: the store is empty, and no URL was given; \
                       such as 'bathys worker https://example.org/ https://example.com/'";
        return Err(Usage(nothing.into()).into());
    }
    let told = settings.crawl(&urls, &flags.options)?;
    let whole = Meter::new(Limits::default());
    let (mut stopped, mut tasks_done) = (None, 0);
    while stopped.is_none() {
        match Shift::begin(&told, &catalog).await? {
            Shift::Crawl(crawl) => {
                let report = with_progress(crawl.meter(), catalog.clone(), crawl.run()).await?;
                (stopped, tasks_done) = (report.stopped, tasks_done + report.tasks_done);
            }
            Shift::Others => tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = asked_to_stop() => stopped = Some(Stopped::Interrupted),
            },
            Shift::Done => break,
        }
    }
    let sites = told.start.iter().filter_map(|url| Some(Site::of(url)?.as_str().to_owned()));
    let mut sites: Vec<String> = sites.collect();
    sites.sort_unstable();
    sites.dedup();
    let report =
        Report::of(&catalog, &sites, &whole, (Vec::new(), &crawl::Priors::default())).await?;
    print(settings, &Report { stopped, tasks_done, ..report })?;
    Ok(match stopped {
        Some(Stopped::Interrupted) => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}
