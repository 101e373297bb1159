//! Series of versions, imported: two that the bundled sites make, whose changes are known, and two
//! real ones where they are there.

use std::path::Path;

use anyhow::{Context as _, ensure};
use browser::http::{AddressRule, Client, ClientOptions, Request};
use derive::{CutSettings, Found, Import};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use store::{BlockRow, Catalog, Millis, RecordLine, RecordQuery};
use testsite::{Forum, Options, SiteKind, Tables, Template, What};
use url::Url;

use super::counts::CaseCounts;
use crate::change::{self, Series};
use crate::partition::corpus::Corpus;
use crate::trial::Trial;

/// Days of the portal.
const DAYS: usize = 6;
/// The hours at which the forum is seen: a post is edited at 5, one is taken away at 8, and one is
/// written at 11.
const HOURS: [i64; 5] = [0, 3, 6, 9, 12];
/// Versions of a real series.
const VERSIONS: usize = 30;

/// A series that a bundled site makes.
#[derive(Clone, Copy, Debug)]
pub enum Made {
    Portal,
    Forum,
}

impl Made {
    pub fn name(self) -> &'static str {
        match self {
            Made::Portal => "portal",
            Made::Forum => "forum",
        }
    }
}

pub async fn count(made: Made) -> anyhow::Result<CaseCounts> {
    match made {
        Made::Portal => count_portal().await,
        Made::Forum => count_forum().await,
    }
}

/// A front page of known blocks, of which the same five change by the day.
async fn count_portal() -> anyhow::Result<CaseCounts> {
    let site = testsite::serve(SiteKind::Portal, Options::default()).await?;
    let url = Url::parse(&site.url())?;
    let rule = AddressRule::public_only().allow_named("127.0.0.1", site.addr().port());
    let client = Client::new(ClientOptions::new("bathys-bench", rule))?;
    let mut captures = Vec::new();
    for _ in 0..DAYS {
        let answer = client.fetch(&Request::get(url.clone())).await?;
        captures.push(capture(&url, site.clock().now(), answer.body.to_vec()));
        site.set_clock(site.clock().tomorrow());
    }
    site.stop().await;
    let mut counts = missed(&captures)?;
    let trial = import(captures).await?;
    let page = trial.catalog.find(url.as_str()).await?.context("the page was not kept")?.page;
    let blocks = trial.catalog.blocks(page, 0).await?;
    counts.at_least("versions", trial.catalog.versions(page).await?.len());
    counts.at_least("blocks_told", blocks.iter().filter(|block| is_told(block)).count());
    counts.at_most("blocks_kept", blocks.len());
    Ok(counts)
}

/// Whether a block is told of as a change: it is new, and not only cut anew.
fn is_told(block: &BlockRow) -> bool {
    block.first > 1 && block.began != store::Began::Recut
}

/// A forum through a day: three of its threads change once each.
async fn count_forum() -> anyhow::Result<CaseCounts> {
    let options = Options { template: Template::Terms, ..Options::default() };
    let (forum, begun) = (Forum::generate(&options), options.clock.now());
    let base = Url::parse("http://forum.example/")?;
    let tables = forum.tables(begun);
    let mut captures = Vec::new();
    for hours in HOURS {
        let now = begun + SignedDuration::from_hours(hours);
        for page in &tables.pages {
            let html = forum.page(&page.url, now);
            let html = html.with_context(|| format!("the forum has no {}", page.url))?;
            captures.push(capture(&base.join(&page.url)?, now, html.into_bytes()));
        }
    }
    let trial = import(captures).await?;
    let mut counts = CaseCounts::default();
    let (mut versions, mut told) = (0, 0);
    for later in &tables.later {
        let thread = tables.thread(later.thread).context("a thread is gone")?;
        let url = base.join(&thread.url)?;
        let page = trial.catalog.find(url.as_str()).await?.context("a thread was not kept")?.page;
        versions += trial.catalog.versions(page).await?.len();
        told += trial.catalog.blocks(page, 0).await?.iter().filter(|row| is_told(row)).count();
    }
    counts.at_least("threads_changed", versions - tables.later.len());
    counts.at_most("threads_seen_to_change", versions - tables.later.len());
    counts.at_most("blocks_told", told);
    let lines = post_lines(&trial.catalog).await?;
    counts.at_least("posts", lines.iter().filter(|line| line.edition == 1).count());
    for (what, name) in
        [(What::Edit, "edits"), (What::Delete, "deletions"), (What::Reply, "replies")]
    {
        counts.at_least(name, told_of(&lines, &tables, what, begun)?);
    }
    Ok(counts)
}

/// How many records tell of what happened, at the first time at which it could be seen.
fn told_of(
    lines: &[RecordLine],
    tables: &Tables,
    what: What,
    begun: Timestamp,
) -> anyhow::Result<usize> {
    let later = tables.later.iter().find(|later| later.what == what);
    let later = later.with_context(|| format!("the forum has no {what:?}"))?;
    let happened = Timestamp::from_second(later.at)?;
    let seen = HOURS.iter().map(|hours| begun + SignedDuration::from_hours(*hours));
    let seen = seen.into_iter().find(|time| *time >= happened).context("it is never seen")?;
    let seen = Millis(seen.as_millisecond());
    let tells = |line: &&RecordLine| match what {
        What::Edit => line.edition > 1 && line.edited == Some(seen),
        What::Delete => line.deleted == Some(seen),
        What::Reply => line.edition == 1 && line.first_seen == seen,
    };
    Ok(lines.iter().filter(tells).count())
}

/// Everything that posts have said.
async fn post_lines(catalog: &Catalog) -> anyhow::Result<Vec<RecordLine>> {
    let query =
        RecordQuery { kind: Some("post".to_owned()), history: true, ..RecordQuery::default() };
    let (mut lines, mut after) = (Vec::new(), None);
    loop {
        let batch = catalog.records(query.clone(), after).await?;
        let Some(last) = batch.last() else { return Ok(lines) };
        after = Some((last.site.clone(), last.record, last.edition));
        lines.extend(batch);
    }
}

/// Whether there are real series in a directory, packed or not.
pub fn are_in(data: &Path) -> bool {
    data.join("series").is_dir() || data.join("series.tar.zst").is_file()
}

/// A real series.
pub async fn count_real(data: &Path, name: &str) -> anyhow::Result<CaseCounts> {
    let corpus = Corpus::open(Some(data))?;
    let series = corpus.series()?.into_iter().find(|(known, _)| known == name);
    let (_, mut files) = series.with_context(|| format!("there is no series {name}"))?;
    files.truncate(VERSIONS);
    ensure!(files.len() == VERSIONS, "{name} has {} versions only", files.len());
    let url = Url::parse("https://page.example/")?;
    let mut captures = Vec::new();
    for file in &files {
        let (time, body) = change::read(file)?;
        captures.push(capture(&url, time.to_zoned(TimeZone::UTC)?.timestamp(), body));
    }
    let mut counts = missed(&captures)?;
    let trial = import(captures).await?;
    let page = trial.catalog.find(url.as_str()).await?.context("the page was not kept")?.page;
    counts.at_least("versions", trial.catalog.versions(page).await?.len());
    counts.at_most("blocks_kept", trial.catalog.blocks(page, 0).await?.len());
    Ok(counts)
}

fn capture(url: &Url, time: Timestamp, body: Vec<u8>) -> Found {
    Found { url: url.clone(), time: Millis(time.as_millisecond()), body }
}

/// Changed texts of a series that no block tells of.
fn missed(captures: &[Found]) -> anyhow::Result<CaseCounts> {
    let versions = captures.iter().map(|capture| {
        let time = Timestamp::from_millisecond(capture.time.0)?;
        Ok((time.to_zoned(TimeZone::UTC).datetime(), capture.body.clone()))
    });
    let mut counts = CaseCounts::default();
    counts.at_most("missed", Series::measure(versions)?.missed());
    Ok(counts)
}

async fn import(captures: Vec<Found>) -> anyhow::Result<Trial> {
    let trial = Trial::new()?;
    let mut import = Import::begin(trial.catalog.clone(), CutSettings::default(), "{}").await?;
    for capture in captures {
        import.add(capture).await?;
    }
    import.finish().await?;
    Ok(trial)
}
