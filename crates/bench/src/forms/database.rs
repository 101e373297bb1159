//! `bathys bench forms`: what a crawl gets out of the database of `jobs`, in how many requests.

use std::collections::BTreeSet;

use crawl::Render;
use crawl::forms::{Outcome, forms_of};
use page::state::url::Site;
use store::Which;
use testsite::{Options, Search, SiteKind};
use url::Url;

use crate::sheet::{Experiment, Sheet};
use crate::trial::{Trial, state_changes, whole};

/// The builds, each with the rows of its pages.
pub const BUILDS: [(Search, usize); 3] =
    [(Search::Links, 25), (Search::Capped, 20), (Search::Post, 25)];
/// Offers in the database, and what its size grows to.
const OFFERS: u32 = 400;
const SIZES: [u32; 3] = [400, 1_600, 6_400];

/// What was asked for: the share of the rows, and requests for each page of them.
const WITH_PAGER: (f64, f64) = (0.98, 1.5);
const WITHOUT: (f64, f64) = (0.95, 5.0);
/// How far the estimate may be from the truth.
const OFF: f64 = 0.1;

/// What came of one search.
#[derive(Debug)]
pub struct FoundRows {
    /// Rows of the database.
    pub records: usize,
    /// Different rows on captured pages, by their own names.
    pub found: usize,
    /// Requests that the site counted, robots.txt and the pages around the form among them.
    pub requests: u64,
    /// What the site's log of changes holds.
    pub state_changes: usize,
    /// Inputs that only order or draw rows, and were taken for others.
    pub misjudged: usize,
    /// What the crawl says itself.
    pub outcome: Outcome,
}

/// Crawls the form of `jobs`, and leaves the pages of single offers out.
pub async fn search(search: Search, size: u32) -> anyhow::Result<FoundRows> {
    let options = Options { search, size, ..Options::default() };
    let site = testsite::serve(SiteKind::Jobs, options).await?;
    let trial = Trial::new()?;
    let mut settings = whole(&site)?;
    settings.render = Render::Never;
    settings.exclude = vec!["/job/".to_owned()];
    settings.limits.depth = Some(1);
    settings.allow_post_search = true;
    settings.form_requests = 4_000;
    trial.crawl(settings).await?;
    let mut shown = BTreeSet::new();
    for page in trial.pages().await? {
        let Some(version) = trial.catalog.version(page.page, Which::Latest).await? else {
            continue;
        };
        let body = version.body.unwrap_or_default();
        let text = String::from_utf8_lossy(&body);
        let names = text.split("/job/J-").skip(1);
        shown.extend(names.filter_map(|rest| rest.get(..5)).map(str::to_owned));
    }
    let name = Url::parse(&site.url()).ok().and_then(|url| Site::of(&url));
    let forms = forms_of(&trial.catalog, name.as_ref().map_or("", Site::as_str)).await?;
    let outcome = forms.into_iter().filter_map(|form| form.outcome).max_by_key(|it| it.records);
    let outcome = outcome.unwrap_or_default();
    let roles = ["sort", "view"].iter().filter_map(|name| outcome.roles.get(*name));
    let misjudged = roles.filter(|role| !["presentation", "unknown"].contains(&role.as_str()));
    let misjudged = misjudged.count();
    let found = FoundRows {
        records: site.truth().states.iter().filter(|state| state.kind == "offer").count(),
        found: shown.len(),
        requests: site.requests().total,
        state_changes: state_changes(&site),
        misjudged,
        outcome,
    };
    site.stop().await;
    Ok(found)
}

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    for (build, page) in BUILDS {
        let sizes = if quick || build == Search::Post { &SIZES[..1] } else { &SIZES[..] };
        for size in sizes {
            let name = match *size {
                OFFERS => format!("forms/{build}"),
                size => format!("forms/{build}/{size}"),
            };
            let found = search(build, *size).await?;
            sheet.put(judged(name, &found, build, page))?;
        }
    }
    sheet.table("the database behind a form")
}

fn judged(name: String, rows: &FoundRows, build: Search, page: usize) -> Experiment {
    let FoundRows { records, found, requests, state_changes, misjudged, outcome } = rows;
    let share = *found as f64 / (*records).max(1) as f64;
    let (wanted, pages) = if build == Search::Capped { WITHOUT } else { WITH_PAGER };
    // The requests that it took until so much was there, the pages around the form among them.
    let enough = (wanted * *records as f64).ceil() as usize;
    let reached = outcome.curve.iter().find(|(_, rows)| *rows >= enough).map(|(at, _)| *at as u64);
    let around = requests.saturating_sub(outcome.requests as u64);
    let reached = reached.map_or(*requests, |at| at + around);
    let floor = records.div_ceil(page) as f64;
    let estimate = outcome.estimate.map_or(0.0, |it| it.likely);
    Experiment::new(name)
        .ours("records", *records)
        .ours("found", *found)
        .ours("requests", *requests)
        .ours("until_enough", reached)
        .ours("state_changes", *state_changes)
        .ours("submissions", outcome.submissions)
        .ours("estimate", (1000.0 * estimate).round() / 1000.0)
        .ours("misjudged", *misjudged)
        .ask(share >= wanted, format!("{found} of {records} records found"))
        .ask(reached as f64 <= pages * floor.max(20.0), format!("{reached} requests"))
        .ask(*state_changes == 0, format!("{state_changes} state changes"))
        .ask(*misjudged == 0, format!("{misjudged} presentation inputs misjudged"))
        .ask((estimate - share).abs() <= OFF, format!("estimated {estimate:.2}, found {share:.2}"))
}
