//! `bathys demo`: a bundled news site, crawled into a fresh store, and what to look at next.

use std::process::ExitCode;
use std::sync::Arc;

use bench::Found;
use derive::Stopped;
use store::{Access, Catalog, Location};
use testsite::{Build, Options, SiteKind};
use url::Url;

use crate::cli::{CrawlOptions, DemoFlags};
use crate::interrupt::INTERRUPTED;
use crate::output::{Usage, thousands};
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
    say!("a news site made with React runs at {start}");
    say!(
        "its comments are paged by script: no URL leads to them. Crawling it into {}",
        store.display()
    );
    Catalog::erase(&store)?;
    let catalog = Arc::new(Catalog::open(&store, Access::Crawl)?);
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
            "found {} of the {} pages that the site knows a visitor comes for",
            thousands(found),
            thousands(wanted)
        );
        say!("\nlook at it:");
        let bathys = called_as();
        let at = format!("--store {}", shell_word(&store.display().to_string()));
        say!("  {bathys} pages {at}");
        if let Some(key) = example {
            say!("  {bathys} show {at} {}", shell_word(&key));
        }
        say!("  {bathys} types {at}");
        say!("  {bathys} graph {at} --format html > graph.html   # for a browser");
        say!("  {bathys} mirror {at} mirror   # begins at mirror/index.html");
    }
    if flags.keep && report.stopped != Some(Stopped::Interrupted) {
        say!("\nthe site stays at {start}; Ctrl-C ends it");
        tokio::signal::ctrl_c().await?;
    }
    site.stop().await;
    Ok(match report.stopped {
        Some(Stopped::Interrupted) => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

/// The program as the user called it, so that commands work as they are printed.
fn called_as() -> String {
    let name = std::env::args_os().next();
    shell_word(&name.map_or("bathys".into(), |name| name.to_string_lossy().into_owned()))
}

/// A word that a shell reads as it stands: keys hold brackets and quotes.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
    match text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// A state that no URL reaches, to show what the crawl is for.
async fn example_key(catalog: &Catalog) -> anyhow::Result<Option<String>> {
    let pages = catalog.pages(store::PageNumber(0)).await?;
    Ok(pages.into_iter().find(|page| !page.path.is_empty()).map(|page| page.key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_quotes_stays_one_word_in_a_shell() {
        assert_eq!(shell_word("./bathys-data/demo"), "./bathys-data/demo");
        assert_eq!(shell_word("a#!bathys:click=f('b')"), r"'a#!bathys:click=f('\''b'\'')'");
    }
}
