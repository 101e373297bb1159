//! Dates as people write them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::tables::Stamp;

/// The time on the site's wall; all its clocks are in UTC.
pub(super) fn civil(time: Timestamp) -> DateTime {
    time.to_zoned(TimeZone::UTC).datetime()
}

/// A time that is told to the minute.
pub(super) fn exact(time: Timestamp, format: &str) -> Stamp {
    told(time, time.strftime(format).to_string(), 60)
}

/// A time, told so exactly.
pub(super) fn told(time: Timestamp, text: String, within: u32) -> Stamp {
    Stamp { unix: time.as_second(), text, within }
}

/// How many midnights lie between.
pub(super) fn days_ago(time: Timestamp, now: Timestamp) -> i64 {
    let (then, today) = (civil(time).date(), civil(now).date());
    then.until(today).map_or(0, |span| i64::from(span.get_days()))
}

/// Whole minutes between.
pub(super) fn minutes_ago(time: Timestamp, now: Timestamp) -> i64 {
    (now.as_second() - time.as_second()).max(0) / 60
}

/// "3 hours ago", as English says it; how exactly depends on how long ago it was.
pub(super) fn ago(time: Timestamp, now: Timestamp) -> Stamp {
    let minutes = minutes_ago(time, now);
    let (count, unit, within) = match minutes {
        0..60 => (minutes.max(1), "minute", 60),
        60..1_440 => (minutes / 60, "hour", 3_600),
        1_440..43_200 => (minutes / 1_440, "day", 86_400),
        43_200..525_600 => (minutes / 43_200, "month", 31 * 86_400),
        _ => (minutes / 525_600, "year", 366 * 86_400),
    };
    let plural = if count == 1 { "" } else { "s" };
    told(time, format!("{count} {unit}{plural} ago"), within)
}

/// A time as attributes have it.
pub(super) fn iso(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
