//! When the pages of real series changed, as the store tells it: the signal that a live revisit learns
//! from, and no other.

use anyhow::Context as _;
use derive::{CutSettings, Found, Import};
use jiff::tz::TimeZone;
use store::{HistoriesOf, Millis};
use url::Url;

use crate::change;
use crate::partition::corpus::Corpus;
use crate::trial::Trial;

/// More visits than a series has captures.
const EVERY_VISIT: usize = 1_000_000;

/// A page through time. Its clock begins at its first capture.
#[derive(Clone, Debug)]
pub struct PageThroughTime {
    pub name: String,
    /// The captures: when, in milliseconds, and the how manieth text the page had by then.
    captures: Vec<(i64, usize)>,
}

impl PageThroughTime {
    /// What a visitor would have found.
    pub fn text_at(&self, time: i64) -> usize {
        let after = self.captures.partition_point(|(at, _)| *at <= time);
        self.captures.get(after.saturating_sub(1)).map_or(0, |(_, text)| *text)
    }

    /// When a text was first there that comes after this one.
    pub fn changes_from(&self, text: usize) -> Option<i64> {
        self.captures.iter().find(|(_, later)| *later > text).map(|(at, _)| *at)
    }

    /// From when until when each text but the first was there; the last one stays.
    pub fn texts(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        let begins =
            |text: usize| self.captures.iter().find(|(_, at)| *at == text).map(|(at, _)| *at);
        let last = self.captures.last().map_or(0, |(_, text)| *text);
        (1..=last)
            .filter_map(move |text| Some((begins(text)?, begins(text + 1).unwrap_or(i64::MAX))))
    }

    pub fn captures(&self) -> usize {
        self.captures.len()
    }

    pub fn end(&self) -> i64 {
        self.captures.last().map_or(0, |(at, _)| *at)
    }
}

/// The series of a corpus with these names, all if there are none, each imported into a store, where its
/// versions are cut into blocks and compared. That is done once: a simulation only asks what a page said when.
pub async fn through_time(corpus: &Corpus, names: &[&str]) -> anyhow::Result<Vec<PageThroughTime>> {
    let trial = Trial::new()?;
    let mut series = corpus.series()?;
    series.retain(|(name, _)| names.is_empty() || names.contains(&name.as_str()));
    let mut import = Import::begin(trial.catalog.clone(), CutSettings::default(), "{}").await?;
    for (number, (_, files)) in series.iter().enumerate() {
        let url = Url::parse(&format!("https://{}/", site(number)))?;
        for file in files {
            let (time, body) = change::read(file)?;
            let time = Millis(time.to_zoned(TimeZone::UTC)?.timestamp().as_millisecond());
            import.add(Found { url: url.clone(), time, body }).await?;
        }
    }
    import.finish().await?;
    let mut pages = Vec::new();
    for (number, (name, _)) in series.into_iter().enumerate() {
        let kept = trial.catalog.histories(&site(number), HistoriesOf::Site, EVERY_VISIT).await?;
        let visits = kept.into_iter().next().context("a series was not kept")?.visits;
        let begun = visits.first().map_or(0, |visit| visit.time.0);
        let (mut text, mut version) = (0, visits.first().and_then(|visit| visit.version));
        let mut captures = Vec::with_capacity(visits.len());
        for visit in visits {
            if visit.version != version && visit.counts {
                text += 1;
            }
            version = visit.version;
            captures.push((visit.time.0 - begun, text));
        }
        pages.push(PageThroughTime { name, captures });
    }
    Ok(pages)
}

fn site(number: usize) -> String {
    format!("series{number}.example")
}
