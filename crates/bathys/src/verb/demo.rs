//! `bathys demo`: a bundled news site, crawled into a fresh store, and what to look at next.

use std::process::ExitCode;
use std::sync::Arc;

use bench::Found;
use derive::Stopped;
use store::{Catalog, CatalogWriter, Location};
use testsite::{Build, Options, SiteKind};
use url::Url;

use crate::cli::{CrawlOptions, DemoFlags};
use crate::interrupt::INTERRUPTED;
use crate::output::{Usage, command, shell_word, thousands};
use crate::say;
use crate::settings::Settings;
use crate::verb::crawl::{crawl_with_progress, print};

/// Articles with comments: enough to see it all, few enough for a short wait.
const ARTICLES: u32 = 1;

pub async fn run(settings: &Settings, flags: &DemoFlags) -> anyhow::Result<ExitCode> {
    let options = Options { build: Build::React, size: ARTICLES, ..Options::default() };
    let site = testsite::serve(SiteKind::News, options).await?;
    let truth = site.truth();
    let start = Url::parse(&site.url())?;
    let Location::Directory(store) = &settings.store else {
        return Err(
            Usage("the demo makes a store of its own; name a directory for it".into()).into()
        );
    };
    let store = store.join("demo");
    say!("serving a news site made with React at {start}");
    say!(
        "only scripts reach its pages of comments, no URL does. Crawling into {}",
        store.display()
    );
    CatalogWriter::erase(&store)?;
    let catalog = Arc::new(CatalogWriter::open(&store)?);
    let mut told = settings.crawl(&[], &CrawlOptions::default())?;
    told.start = vec![start.clone()];
    let report = crawl_with_progress(told, catalog.clone()).await?;
    print(settings, &report)?;
    let changes = site.log().len();
    let wanted = truth.wanted().count() as i64;
    let found = Found::in_store(&catalog, truth).await?.wanted as i64;
    let example = example_key(&catalog).await?;
    drop(catalog);
    if !settings.json {
        say!("state changes in the site's own log: {changes} (a crawler must leave it empty)");
        say!(
            "found {} of the {} pages that visitors of this site want",
            thousands(found),
            thousands(wanted)
        );
        say!("\nlook at it:");
        let place = Location::Directory(store);
        let look = |words: &str| say!("  {}", command(&place, words));
        look("pages");
        if let Some(key) = example {
            look(&format!("show {}", shell_word(&key)));
        }
        look("types");
        look("graph --format html > graph.html   # open it in a browser");
        look("search harbour");
        look("mirror mirror   # then open mirror/index.html");
        say!("\nor all of it in a browser: {}", command(&place, "serve"));
    }
    if flags.keep && report.stopped != Some(Stopped::Interrupted) {
        say!("\nthe site keeps running at {start}; press Ctrl-C to stop it");
        tokio::signal::ctrl_c().await?;
    }
    site.stop().await;
    Ok(match report.stopped {
        Some(Stopped::Interrupted) => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

/// A state that no URL reaches, to show what the crawl is for.
async fn example_key(catalog: &Catalog) -> anyhow::Result<Option<String>> {
    let pages = catalog.pages(store::PageNumber(0)).await?;
    Ok(pages.into_iter().find(|page| !page.path.is_empty()).map(|page| page.key))
}
