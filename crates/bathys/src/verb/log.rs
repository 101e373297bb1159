//! `bathys log`: the versions of a page, and how each differs from the one before.

use std::io::Write;

use serde::Serialize;
use store::{
    Began, BlockRow, Catalog, Ended, Millis, PageNumber, StoreError, VersionLine, VisitRow,
};

use crate::address::Address;
use crate::cli::LogFlags;
use crate::output::{bytes, clean_line, json_line, stdout};
use crate::say;
use crate::settings::Settings;

/// A version as it is told.
#[derive(Serialize)]
pub struct Line {
    pub version: i64,
    pub time: Millis,
    /// `null` until it is cut into blocks, as are the next four.
    pub blocks: Option<usize>,
    pub changed: Option<usize>,
    pub added: Option<usize>,
    pub removed: Option<usize>,
    pub layout_changed: Option<bool>,
    pub bytes_stored: i64,
    /// What its changes are, and how many of each, noise included.
    pub kinds: std::collections::BTreeMap<Began, usize>,
    /// The topics of what changed or is new, most text first.
    pub topics: Vec<String>,
}

/// A look that found what was known.
#[derive(Serialize)]
pub struct Visit {
    pub time: Millis,
    pub status: Option<u16>,
    pub same_as: Option<i64>,
}

/// Topics that are told of one version.
const MOST_TOPICS: usize = 5;

pub async fn run(settings: &Settings, flags: &LogFlags) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let Address { page, .. } = Address::find(&catalog, &flags.key).await?;
    let History { entries, all, noise, uncut } =
        entries(&catalog, page.page, flags.visits, flags.all).await?;
    let mut out = stdout();
    for entry in &entries {
        match (entry, settings.json) {
            (entry, true) => json_line(&mut out, entry)?,
            (Entry::Version(line), false) => print(&mut out, line)?,
            (Entry::Visit(visit), false) => print_visit(&mut out, visit)?,
        }
    }
    out.flush()?;
    if noise > 0 && !flags.all {
        say!("{noise} of {all} versions differ only in noise; --all lists them");
    }
    if uncut > 0 {
        say!(
            "{uncut} versions are not cut into blocks yet; the next 'bathys crawl' or 'bathys import' continues"
        );
    }
    Ok(())
}

/// What happened to a page, in order.
pub struct History {
    pub entries: Vec<Entry>,
    /// How many versions there are, those that differ only in noise, and those that are not cut yet.
    pub all: usize,
    pub noise: usize,
    pub uncut: usize,
}

/// A version, or a look that found none.
pub enum Entry {
    Version(Line),
    Visit(Visit),
}

impl Serialize for Entry {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Version(line) => line.serialize(serializer),
            Self::Visit(visit) => visit.serialize(serializer),
        }
    }
}

/// The versions of a page, noise too if `with_noise`, and with `with_visits` the looks that found none.
pub async fn entries(
    catalog: &Catalog,
    page: PageNumber,
    with_visits: bool,
    with_noise: bool,
) -> Result<History, StoreError> {
    let versions = catalog.versions(page).await?;
    let rows = catalog.blocks(page, 0).await?;
    let shown = versions.iter().filter(|version| with_noise || version.counts);
    let mut entries: Vec<(Millis, Entry)> = shown
        .map(|version| (version.time, Entry::Version(line(version, &rows, with_noise))))
        .collect();
    if with_visits {
        let again = visits_again(&versions, catalog.visits(page).await?);
        entries.extend(again.into_iter().map(|visit| (visit.time, Entry::Visit(visit))));
        entries.sort_by_key(|(time, _)| *time);
    }
    Ok(History {
        entries: entries.into_iter().map(|(_, entry)| entry).collect(),
        all: versions.len(),
        noise: versions.iter().filter(|version| !version.counts).count(),
        uncut: versions.iter().filter(|version| version.layout_changed.is_none()).count(),
    })
}

/// The looks that found what was known, or nothing.
fn visits_again(versions: &[VersionLine], visits: Vec<VisitRow>) -> Vec<Visit> {
    let found = |visit: &VisitRow| {
        let is_it =
            |known: &VersionLine| Some(known.version) == visit.version && known.time == visit.time;
        versions.iter().any(is_it)
    };
    let again = visits.into_iter().filter(|visit| !found(visit));
    again
        .map(|visit| Visit { time: visit.time, status: visit.status, same_as: visit.version })
        .collect()
}

/// A version, by the blocks of its page.
pub fn line(version: &VersionLine, rows: &[BlockRow], all: bool) -> Line {
    let number = version.version;
    let is_cut = version.layout_changed.is_some();
    let told = |count: usize| is_cut.then_some(count);
    let began = |row: &&BlockRow| row.first == number && row.began != Began::Recut;
    let is_change = |row: &&BlockRow| row.began != Began::Added;
    let counts = |row: &&BlockRow| {
        all || page::block::Kind::named(row.began.as_str()).is_none_or(page::block::Kind::counts)
    };
    let is_first = number == 1;
    let mut kinds = std::collections::BTreeMap::new();
    for row in rows.iter().filter(began).filter(is_change) {
        *kinds.entry(row.began).or_default() += 1;
    }
    let mut new: Vec<&BlockRow> =
        rows.iter().filter(began).filter(counts).filter(|row| !row.topic.is_empty()).collect();
    new.sort_by_key(|row| std::cmp::Reverse(row.text_len * row.share));
    let removed =
        |row: &&BlockRow| row.last == Some(number - 1) && row.ended == Some(Ended::Removed);
    Line {
        version: number,
        time: version.time,
        blocks: told(rows.iter().filter(|row| row.is_in(number)).count()),
        changed: told(rows.iter().filter(began).filter(is_change).filter(counts).count()),
        added: told(rows.iter().filter(began).filter(|row| row.began == Began::Added).count()),
        removed: told(rows.iter().filter(removed).count()),
        layout_changed: version.layout_changed,
        bytes_stored: version.bytes_stored,
        kinds,
        topics: match is_first {
            true => Vec::new(),
            false => new.iter().take(MOST_TOPICS).map(|row| row.topic.clone()).collect(),
        },
    }
}

fn print(out: &mut impl Write, line: &Line) -> anyhow::Result<()> {
    let count = |sign: char, count: Option<usize>| match count {
        Some(0) => String::new(),
        Some(count) => format!("{sign}{count}"),
        None => "?".into(),
    };
    writeln!(
        out,
        "v{:<4} {:.19}Z  {:>4} blocks  {:>5} {:>5} {:>5}  {}{:>9}  {}",
        line.version,
        line.time.to_string(),
        line.blocks.map_or("?".into(), |blocks| blocks.to_string()),
        count('~', line.changed),
        count('+', line.added),
        count('-', line.removed),
        if line.layout_changed == Some(true) { "layout " } else { "       " },
        bytes(line.bytes_stored),
        clean_line(&line.topics.join(" | "))
    )?;
    Ok(())
}

fn print_visit(out: &mut impl Write, visit: &Visit) -> anyhow::Result<()> {
    let found = match visit.same_as {
        Some(version) => format!("as v{version}"),
        None => "nothing".into(),
    };
    let status = visit.status.map_or(String::new(), |status| format!("  {status}"));
    writeln!(out, "      {:.19}Z  {found}{status}", visit.time.to_string())?;
    Ok(())
}
