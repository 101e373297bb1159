//! How the matches of a query are spread.

use page::block::Label;
use serde::Serialize;
use store::Millis;

use crate::collect::Collected;
use crate::page_types::PageTypes;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24;
/// Steps of a histogram at most.
const MOST_STEPS: i64 = 60;

/// How many texts there are of something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FacetCount {
    /// Its name.
    pub value: String,
    /// Texts.
    pub count: u64,
}

/// The step of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Step {
    Hour,
    Day,
    Month,
    Year,
}

/// Texts that were first seen in a step of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TimeCount {
    /// Its beginning.
    pub time: Millis,
    /// Texts.
    pub count: u64,
}

/// How the matches of a query are spread. A text that stands on pages of several types counts for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Facets {
    /// Over sites, most first.
    pub sites: Vec<FacetCount>,
    /// Over page types, most first.
    pub types: Vec<FacetCount>,
    /// Over labels, most first.
    pub labels: Vec<FacetCount>,
    /// The step of `times`.
    pub step: Step,
    /// Over the time at which they were first seen; steps without any are left out.
    pub times: Vec<TimeCount>,
}

impl Facets {
    pub(crate) fn of(collected: &Collected, types: &PageTypes) -> Self {
        let hours = &collected.hours;
        let span = match (hours.keys().next(), hours.keys().next_back()) {
            (Some(first), Some(last)) => last - first,
            _ => 0,
        };
        let step = match span {
            ..=MOST_STEPS => Step::Hour,
            span if span <= MOST_STEPS * DAY => Step::Day,
            span if span <= MOST_STEPS * 31 * DAY => Step::Month,
            _ => Step::Year,
        };
        let mut times: Vec<TimeCount> = Vec::new();
        for (hour, count) in hours {
            let time = begin(step, *hour);
            match times.last_mut() {
                Some(last) if last.time == time => last.count += count,
                _ => times.push(TimeCount { time, count: *count }),
            }
        }
        let labels = Label::ALL.iter().zip(collected.labels);
        Self {
            sites: sorted(collected.sites.iter().map(|(site, count)| (site.clone(), *count))),
            types: sorted(
                collected.types.iter().map(|(number, count)| (types.name(*number).into(), *count)),
            ),
            labels: sorted(labels.map(|(label, count)| (label.to_string(), count))),
            step,
            times,
        }
    }
}

fn sorted(counts: impl Iterator<Item = (String, u64)>) -> Vec<FacetCount> {
    let counts = counts.filter(|(_, count)| *count > 0);
    let mut counts: Vec<_> = counts.map(|(value, count)| FacetCount { value, count }).collect();
    counts.sort_by(|one, other| other.count.cmp(&one.count).then(one.value.cmp(&other.value)));
    counts
}

/// The beginning of the step that an hour is in.
fn begin(step: Step, hour: i64) -> Millis {
    let start = Millis(hour.saturating_mul(HOUR));
    let Ok(time) = jiff::Timestamp::from_millisecond(start.0) else { return start };
    let day = time.to_zoned(jiff::tz::TimeZone::UTC).date();
    let day = match step {
        Step::Hour => return start,
        Step::Day => day,
        Step::Month => day.first_of_month(),
        Step::Year => day.first_of_year(),
    };
    let begun = day.to_zoned(jiff::tz::TimeZone::UTC).map(|begun| begun.timestamp());
    begun.map_or(start, |begun| Millis(begun.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_of_the_histogram_follows_from_the_span() {
        let facets = |hours: &[i64]| {
            let hours = hours.iter().map(|hour| (*hour, 1)).collect();
            Facets::of(&Collected { hours, ..Collected::default() }, &PageTypes::default())
        };
        assert_eq!(facets(&[0, 5]).step, Step::Hour);
        assert_eq!(facets(&[0, 30 * DAY]).step, Step::Day);
        let months = facets(&[0, 5 * DAY, 40 * DAY, 400 * DAY]);
        assert_eq!(months.step, Step::Month);
        let counts: Vec<u64> = months.times.iter().map(|time| time.count).collect();
        assert_eq!(counts, [2, 1, 1]);
        assert_eq!(months.times[1].time.to_string(), "1970-02-01T00:00:00.000Z");
        assert_eq!(facets(&[0, 4000 * DAY]).step, Step::Year);
    }
}
