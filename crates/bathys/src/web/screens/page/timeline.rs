//! The versions of a page on a line of time, and as a list to compare them from.

use store::{Catalog, Millis, PageRow, VersionLine as Kept};

use crate::verb::log::line;
use crate::web::failure::Failure;
use crate::web::tell::{When, address, bytes, clip};

/// Versions that are listed at a time, and marks on the line.
const LISTED: usize = 60;
const MARKS: usize = 400;
/// Where the line begins and how long it is, in percent of its room.
const LEFT: f64 = 1.5;
const LENGTH: f64 = 97.0;

/// When a page was looked at, and what was found.
pub struct Timeline {
    pub lines: Vec<VersionLine>,
    pub version_count: usize,
    pub visit_count: usize,
    /// Versions that differ in nothing but noise.
    pub noise: usize,
    pub ticks: Vec<String>,
    pub dots: Vec<Dot>,
    pub from: String,
    pub to: String,
    pub older: String,
}

/// A version on the line.
pub struct Dot {
    pub at: String,
    pub link: String,
    pub title: String,
    pub class: &'static str,
    pub is_shown: bool,
}

/// A version in the list.
pub struct VersionLine {
    pub version: i64,
    pub link: String,
    pub time: When,
    pub blocks: String,
    pub changed: String,
    pub added: String,
    pub removed: String,
    pub bytes: String,
    pub topics: Vec<String>,
    pub counts: bool,
    pub is_shown: bool,
    /// Whether it is what the shown version is compared with.
    pub is_from: bool,
}

impl Timeline {
    /// The line and list of a page of which one version is shown.
    pub async fn of(
        catalog: &Catalog,
        page: &PageRow,
        shown: i64,
        until: Option<i64>,
    ) -> Result<Self, Failure> {
        let versions = catalog.versions(page.page).await?;
        let visits = catalog.visits(page.page).await?;
        let until = until.unwrap_or(i64::MAX);
        let listed: Vec<&Kept> =
            versions.iter().rev().filter(|version| version.version <= until).take(LISTED).collect();
        let oldest = listed.last().map_or(0, |version| version.version);
        let rows = catalog.blocks(page.page, (oldest - 1).max(0)).await?;
        let count = |count: Option<usize>| match count {
            Some(0) => String::new(),
            Some(count) => count.to_string(),
            None => "?".into(),
        };
        let lines = listed.iter().map(|version| {
            let told = line(version, &rows, false);
            VersionLine {
                version: told.version,
                link: link(page, told.version),
                time: When(told.time),
                blocks: told.blocks.map_or("?".into(), |blocks| blocks.to_string()),
                changed: count(told.changed),
                added: count(told.added),
                removed: count(told.removed),
                bytes: bytes(told.bytes_stored),
                topics: different(&told.topics),
                counts: version.counts,
                is_shown: told.version == shown,
                is_from: told.version == (shown - 1).max(1),
            }
        });
        let lines = lines.collect();
        let all = visits.iter().map(|visit| visit.time).chain(versions.iter().map(|v| v.time));
        let (first, last) = (all.clone().min(), all.max());
        let (first, last) = (first.unwrap_or(page.first_seen), last.unwrap_or(page.last_seen));
        let dots = thinned(versions.iter().collect()).into_iter().map(|version| Dot {
            at: at(version.time, first, last),
            link: link(page, version.version),
            title: format!("v{} {}", version.version, minute(version.time)),
            class: if version.counts { "version" } else { "version noise" },
            is_shown: version.version == shown,
        });
        let ticks: Vec<Millis> = visits.iter().map(|visit| visit.time).collect();
        let ticks = thinned(ticks).into_iter().map(|time| at(time, first, last));
        Ok(Self {
            dots: dots.collect(),
            ticks: ticks.collect(),
            from: minute(first),
            to: if last == first { String::new() } else { minute(last) },
            noise: versions.iter().filter(|version| !version.counts).count(),
            version_count: versions.len(),
            visit_count: visits.len(),
            older: match oldest > 1 {
                true => {
                    let (v, until) = (shown.to_string(), (oldest - 1).to_string());
                    address(&format!("/page/{}", page.page), &[("v", &v), ("until", &until)])
                }
                false => String::new(),
            },
            lines,
        })
    }
}

/// As many as there is room for, evenly, the last one always.
fn thinned<T>(all: Vec<T>) -> Vec<T> {
    let step = all.len().div_ceil(MARKS).max(1);
    let last = all.len().saturating_sub(1);
    all.into_iter()
        .enumerate()
        .filter(|(at, _)| (last - at).is_multiple_of(step))
        .map(|(_, one)| one)
        .collect()
}

/// Each topic once.
fn different(topics: &[String]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for topic in topics.iter().map(|topic| clip(topic, 60)) {
        if !told.contains(&topic) {
            told.push(topic);
        }
    }
    told
}

fn link(page: &PageRow, version: i64) -> String {
    format!("/page/{}?v={version}", page.page)
}

fn at(time: Millis, first: Millis, last: Millis) -> String {
    let whole = (last.0 - first.0).max(1) as f64;
    let share = match last == first {
        true => 0.5,
        false => (time.0 - first.0) as f64 / whole,
    };
    format!("{:.2}", LEFT + LENGTH * share)
}

fn minute(time: Millis) -> String {
    time.to_string().chars().take(16).collect::<String>().replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_are_too_many_are_thinned_and_the_last_stays() {
        let thin = thinned((0..1001).collect::<Vec<_>>());
        assert!(thin.len() <= MARKS && thin.last() == Some(&1000), "{}", thin.len());
        assert_eq!(thinned(vec![1, 2]), [1, 2]);
        assert!(thinned(Vec::<i32>::new()).is_empty());
    }
}
