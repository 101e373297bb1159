//! Topics over time: which are new, which rise, which are gone, and which change most.
//!
//! A topic is what blocks are about, on one site, whatever its case and endings. Two spans of equal length
//! are compared, the later one up to now.

use std::collections::{BTreeSet, HashMap};

use page::block::Label;
use serde::Serialize;
use store::{Catalog, Millis, PageNumber};

use crate::batch::Stored;
use crate::error::SearchError;
use crate::index::{Index, Inner};
use crate::occurrence::Occurrence;
use crate::search::on_thread;
use crate::unit::phrase;

/// Topics that are told of at most.
const MOST: usize = 10_000;
/// Topics that are remembered: of more, those that come later are left out.
const REMEMBERED: usize = 1_000_000;
/// Without a span that is named, the last part of history is compared: one of so many.
const PARTS: i64 = 4;

/// What became of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trend {
    /// It came up within the span, and the site was known before.
    New,
    /// More blocks about it began within the span than in the one before.
    Rising,
    /// It went within the span, and no page has it any more.
    Gone,
    /// None of these.
    Steady,
}

/// Which topics are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopicQuery {
    /// Only of this site.
    pub site: Option<String>,
    /// When the span begins.
    pub since: Option<Millis>,
    /// When it ends: the last visit, unless it is named.
    pub until: Option<Millis>,
    /// Only those of which this became.
    pub trend: Option<Trend>,
    /// Topics at most.
    pub limit: usize,
}

/// A topic through time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TopicLine {
    /// As blocks have it.
    pub topic: String,
    /// Its site.
    pub site: String,
    /// What became of it within the span.
    pub trend: Trend,
    /// Pages that had it.
    pub pages: usize,
    /// Contents of blocks about it.
    pub blocks: u64,
    /// How often such a block changed within the span.
    pub changes: u64,
    /// Contents that began within the span.
    pub now: u64,
    /// Contents that began in the span before.
    pub before: u64,
    /// When it was first seen.
    pub first_seen: Millis,
    /// When it was last seen; the end of the span, if it is there.
    pub last_seen: Millis,
    /// Whether a page has it in its latest version.
    pub is_there: bool,
    /// The page that had it last.
    pub page: PageNumber,
    /// The key of that page.
    pub key: String,
    /// The block on it.
    pub block: i64,
}

/// Topics, and the spans that were compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Topics {
    /// When the span begins.
    pub since: Millis,
    /// When it ends.
    pub until: Millis,
    /// Those that changed most within it first.
    pub topics: Vec<TopicLine>,
}

/// All that is known of a topic while the index is read.
struct Tally {
    topic: String,
    site: String,
    pages: BTreeSet<i64>,
    /// Contents, and those that go on with another, by when they began.
    begun: Vec<i64>,
    changed: Vec<i64>,
    last: i64,
    best: (i64, i64, i64, i64),
}

impl Index {
    /// The topics of blocks over time.
    ///
    /// # Errors
    /// When the index or the store fails.
    pub async fn topics(
        &self,
        catalog: &Catalog,
        query: &TopicQuery,
    ) -> Result<Topics, SearchError> {
        let (inner, asked) = (self.inner.clone(), query.clone());
        let (mut topics, pages) = on_thread(move || topics(&inner, &asked)).await?;
        for (line, page) in topics.topics.iter_mut().zip(pages) {
            if let Some(row) = catalog.find(&page.to_string()).await? {
                (line.page, line.key) = (row.page, row.key);
            }
        }
        Ok(topics)
    }
}

fn topics(inner: &Inner, query: &TopicQuery) -> Result<(Topics, Vec<i64>), SearchError> {
    let mut tallies: HashMap<(String, String), Tally> = HashMap::new();
    let (mut earliest, mut latest) = (i64::MAX, i64::MIN);
    inner.each_text(|stored| {
        if query.site.as_ref().is_some_and(|site| *site != stored.site) {
            return Ok(());
        }
        for of in stored.occurrences.values() {
            earliest = earliest.min(of.first_seen.0);
            latest = latest.max(of.last_seen.unwrap_or(of.first_seen).0);
            tell(&mut tallies, &stored, of);
        }
        Ok(())
    })?;
    if tallies.is_empty() {
        let (since, until) = (Millis(0), Millis(0));
        return Ok((Topics { since, until, topics: Vec::new() }, Vec::new()));
    }
    let until = query.until.map_or(latest, |until| until.0);
    let since = query.since.map_or(until - (until - earliest) / PARTS, |since| since.0);
    let mut lines: Vec<TopicLine> = tallies
        .into_values()
        .map(|tally| line(tally, earliest, since, until))
        .filter(|line| line.first_seen.0 <= until)
        .filter(|line| query.trend.is_none_or(|trend| line.trend == trend))
        .collect();
    // What moved first; of those alike, by name, so that the same index says the same.
    lines.sort_by(|one, other| {
        let rank = |line: &TopicLine| {
            let moved = line.changes + line.now + u64::from(line.trend == Trend::Gone);
            (std::cmp::Reverse(moved), std::cmp::Reverse(line.blocks))
        };
        rank(one)
            .cmp(&rank(other))
            .then_with(|| (&one.site, &one.topic).cmp(&(&other.site, &other.topic)))
    });
    lines.truncate(query.limit.min(MOST));
    let pages = lines.iter().map(|line| line.page.0).collect();
    Ok((Topics { since: Millis(since), until: Millis(until), topics: lines }, pages))
}

/// Counts an occurrence for its topic. Ways through the site have none that anybody asks for.
fn tell(tallies: &mut HashMap<(String, String), Tally>, stored: &Stored, of: &Occurrence) {
    let is_text = !matches!(
        of.label,
        Label::Navigation | Label::Footer | Label::Form | Label::Advert | Label::Header
    );
    let name = folded(&of.topic);
    if !is_text || name.is_empty() {
        return;
    }
    let key = (stored.site.clone(), name);
    if tallies.len() >= REMEMBERED && !tallies.contains_key(&key) {
        return;
    }
    let tally = tallies.entry(key).or_insert_with(|| Tally {
        topic: of.topic.clone(),
        site: stored.site.clone(),
        pages: BTreeSet::new(),
        begun: Vec::new(),
        changed: Vec::new(),
        last: i64::MIN,
        best: (i64::MIN, 0, 0, 0),
    });
    tally.pages.insert(of.page.0);
    tally.begun.push(of.first_seen.0);
    if of.block != of.lineage {
        tally.changed.push(of.first_seen.0);
    }
    let last = of.last_seen.map_or(i64::MAX, |last| last.0);
    tally.last = tally.last.max(last);
    let place = (last, of.first_seen.0, of.page.0, of.block);
    if place > tally.best {
        // As it was written last.
        (tally.best, tally.topic) = (place, of.topic.clone());
    }
}

fn line(tally: Tally, earliest: i64, since: i64, until: i64) -> TopicLine {
    let in_span = |times: &[i64], from: i64, to: i64| {
        times.iter().filter(|time| (from..=to).contains(*time)).count() as u64
    };
    let first = tally.begun.iter().copied().min().unwrap_or(until);
    let now = in_span(&tally.begun, since, until);
    let before = in_span(&tally.begun, since - (until - since), since - 1);
    let is_there = tally.last == i64::MAX;
    let trend = match () {
        () if tally.last < until && tally.last >= since => Trend::Gone,
        () if first >= since && earliest < since => Trend::New,
        () if now > before && tally.last > since => Trend::Rising,
        () => Trend::Steady,
    };
    let (_, _, page, block) = tally.best;
    TopicLine {
        topic: tally.topic,
        site: tally.site,
        trend,
        pages: tally.pages.len(),
        blocks: tally.begun.len() as u64,
        changes: in_span(&tally.changed, since, until),
        now,
        before,
        first_seen: Millis(first),
        last_seen: Millis(if is_there { until } else { tally.last }),
        is_there,
        page: PageNumber(page),
        key: String::new(),
        block,
    }
}

/// What a topic is counted as.
fn folded(topic: &str) -> String {
    phrase(topic).into_iter().map(|(_, term)| term).collect::<Vec<_>>().join(" ")
}
