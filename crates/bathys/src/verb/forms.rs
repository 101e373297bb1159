//! `bathys forms`: the forms of a store, and what a crawl would do with those of a page.

use std::io::Write;

use crawl::forms::{analyse, forms_of, look_at};

use crate::cli::{CrawlOptions, FormsFlags, FormsVerb};
use crate::forms::{FormLine, KeptForm};
use crate::output::{json_line, stdout};
use crate::say;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &FormsFlags) -> anyhow::Result<()> {
    match &flags.verb {
        None => list(settings).await,
        Some(FormsVerb::Plan { url, options }) => plan(settings, url, options).await,
        Some(FormsVerb::Analyse { url, for_index, options }) => {
            try_forms(settings, url, *for_index, options).await
        }
    }
}

async fn list(settings: &Settings) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let mut out = stdout();
    let mut count = 0;
    for site in catalog.stats().await?.sites {
        for form in forms_of(&catalog, &site).await? {
            count += 1;
            let line = KeptForm::new(&site, form);
            match settings.json {
                true => json_line(&mut out, &line)?,
                false => line.print(&mut out)?,
            }
        }
    }
    out.flush()?;
    if !settings.json {
        say!("{count} forms");
    }
    Ok(())
}

async fn plan(settings: &Settings, url: &str, options: &CrawlOptions) -> anyhow::Result<()> {
    let told = settings.crawl(&[url.to_owned()], options)?;
    let post_search = told.allow_post_search;
    let budget = told.form_requests;
    let page = look_at(&told).await?;
    let mut out = stdout();
    for form in &page.forms {
        let line = FormLine::new(form, page.url.to_string(), &page.url, post_search);
        let line = line.planned(budget, told.pagers);
        match settings.json {
            true => json_line(&mut out, &line)?,
            false => line.print(&mut out)?,
        }
    }
    out.flush()?;
    if !settings.json {
        say!("{} forms; nothing was submitted", page.forms.len());
    }
    Ok(())
}

async fn try_forms(
    settings: &Settings,
    url: &str,
    for_index: bool,
    options: &CrawlOptions,
) -> anyhow::Result<()> {
    let told = settings.crawl(&[url.to_owned()], options)?;
    let mut out = stdout();
    let (mut submissions, mut tried) = (0, 0);
    for analysis in analyse(&told).await? {
        let index = analysis.index.len();
        if for_index {
            for url in &analysis.index {
                match settings.json {
                    true => json_line(&mut out, &serde_json::json!({ "url": url }))?,
                    false => writeln!(out, "{url}")?,
                }
            }
            continue;
        }
        tried += usize::from(analysis.outcome.is_some());
        submissions += analysis.outcome.as_ref().map_or(0, |outcome| outcome.submissions);
        let line = KeptForm::analysed(analysis);
        match settings.json {
            true => json_line(&mut out, &line)?,
            false => {
                line.print(&mut out)?;
                writeln!(out, "  {index} addresses to index; --for-index prints them")?;
            }
        }
    }
    out.flush()?;
    if !settings.json && !for_index {
        say!("{submissions} submissions of {tried} forms; nothing was kept");
    }
    Ok(())
}
