//! Times as archives write them: fourteen digits, or fewer from the left, and the dates of HTTP.

use std::time::{Duration, UNIX_EPOCH};

use store::Millis;

pub use crate::warc::index::timestamp;

/// The last moment that digits from the left stand for: `2026` is the end of that year.
///
/// ```
/// use publish::replay::{parse_moment, timestamp};
///
/// assert_eq!(timestamp(parse_moment("202602").unwrap()), "20260228235959");
/// assert_eq!(parse_moment("2026x"), None);
/// ```
pub fn parse_moment(digits: &str) -> Option<Millis> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || !(4..=17).contains(&digits.len()) {
        return None;
    }
    let part = |from: usize, to: usize| digits.get(from..to)?.parse::<i8>().ok();
    let year: i16 = digits.get(..4)?.parse().ok()?;
    let month = part(4, 6).unwrap_or(12).clamp(1, 12);
    let last = jiff::civil::date(year.max(1), month, 1).days_in_month();
    let day = part(6, 8).unwrap_or(last).clamp(1, last);
    let (hour, minute) = (part(8, 10).unwrap_or(23), part(10, 12).unwrap_or(59));
    let second = part(12, 14).unwrap_or(59).clamp(0, 59);
    let civil = jiff::civil::date(year.max(1), month, day).at(
        hour.clamp(0, 23),
        minute.clamp(0, 59),
        second,
        0,
    );
    let moment = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    Some(Millis(moment.as_millisecond()))
}

/// A moment as HTTP writes dates.
pub fn http_date(time: Millis) -> String {
    let since = Duration::from_secs(u64::try_from(time.0.div_euclid(1000)).unwrap_or(0));
    // Beyond the year 9999 HTTP has no dates.
    let latest = Duration::from_secs(253_402_300_799);
    httpdate::fmt_http_date(UNIX_EPOCH + since.min(latest))
}

/// A date as HTTP writes it.
pub fn parse_http_date(text: &str) -> Option<Millis> {
    let since = httpdate::parse_http_date(text.trim()).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Millis(i64::try_from(since.as_millis()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_from_the_left_stand_for_their_end() {
        for (digits, end) in [
            ("2026", "20261231235959"),
            ("20240228", "20240228235959"),
            ("202402", "20240229235959"),
            ("20260131", "20260131235959"),
            ("20260131102030", "20260131102030"),
            ("20269999999999", "20261231235959"),
            ("2026013110203099", "20260131102030"),
        ] {
            assert_eq!(timestamp(parse_moment(digits).unwrap()), end, "{digits}");
        }
        for none in ["", "202", "2026-01", "99999999999999999999"] {
            assert_eq!(parse_moment(none), None, "{none}");
        }
    }

    #[test]
    fn dates_are_those_of_http() {
        let time = parse_moment("20261119175836").unwrap();
        assert_eq!(http_date(time), "Thu, 19 Nov 2026 17:58:36 GMT");
        assert_eq!(parse_http_date(" Thu, 19 Nov 2026 17:58:36 GMT"), Some(time));
        assert_eq!(parse_http_date("yesterday"), None);
    }
}
