//! Flags of `watch`.

use std::time::Duration;

use clap::Args;

use super::CrawlOptions;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys watch                                  the sites of the store, until Ctrl-C\n  bathys watch --budget 2000/day --min 30m      at most 2,000 requests a day\n  bathys watch --once --json                    what is due now, a JSON line a visit\n  bathys watch https://example.org/ --max-time 3600\n\nA page is visited again when a change is more likely than not, judged by its own visits and by those of\npages like it; if the budget does not allow that, later. Only text, links and pictures count as change.\nStates that only events reach are found again with their document: new, changed, unchanged, moved (behind\nanother event) or gone. Limits such as --max-requests hold for this run. Press Ctrl-C once to save; the\nsame command continues."
)]
pub struct WatchFlags {
    /// Sites to watch, by any address of each [default: those that crawls of the store began at]
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// Send at most this many requests a day, or an hour [default: as many as it takes]
    #[arg(long, value_name = "N/day|N/hour", value_parser = a_day)]
    pub budget: Option<f64>,
    /// Visit no page again sooner than after this time
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = time)]
    pub min: Duration,
    /// Visit every page again after this time, if the budget allows it
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = time)]
    pub max: Duration,
    /// Visit what is due now, each page once, and end
    #[arg(long)]
    pub once: bool,
    #[command(flatten)]
    pub options: CrawlOptions,
}

/// A time such as `90s`, `10m`, `6h` or `30d`.
fn time(text: &str) -> Result<Duration, String> {
    let wrong = || "give a number with s, m, h or d, such as 10m".to_owned();
    let number = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let seconds = match text.get(number.len()..) {
        Some("s" | "") => 1,
        Some("m") => 60,
        Some("h") => 3_600,
        Some("d") => 86_400,
        _ => return Err(wrong()),
    };
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(seconds));
    seconds.map(Duration::from_secs).ok_or_else(wrong)
}

/// A number of requests a day: `2000`, `2000/day` or `80/hour`.
fn a_day(text: &str) -> Result<f64, String> {
    let (number, times) = match text.split_once('/') {
        None | Some((_, "day" | "d")) => (text.split('/').next().unwrap_or_default(), 1.0),
        Some((number, "hour" | "h")) => (number, 24.0),
        Some(_) => ("", 1.0),
    };
    match number.parse::<u32>() {
        Ok(number) if number > 0 => Ok(f64::from(number) * times),
        _ => Err("give a number of requests, such as 2000/day or 80/hour".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_budgets_are_read_as_people_write_them() {
        assert_eq!(time("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(time("30d"), Ok(Duration::from_secs(2_592_000)));
        assert_eq!(time("45"), Ok(Duration::from_secs(45)));
        for wrong in ["", "m", "1w", "-5m", "99999999999999999999d", "5 m"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
        assert_eq!(a_day("2000/day"), Ok(2000.0));
        assert_eq!(a_day("80/hour"), Ok(1920.0));
        for wrong in ["0", "many", "5/week", "/day", "-3"] {
            assert!(a_day(wrong).is_err(), "{wrong}");
        }
    }
}
