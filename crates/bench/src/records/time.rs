//! How exactly a page says a time, and whether one that was read is that.

use jiff::Timestamp;
use record::Moment;

use super::set::{Given, Page};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Whether a time that was read from a page is the true one: within a minute, or what the page says.
pub fn is_right(page: &Page, given: Given, read: &Moment, truth: i64) -> bool {
    let apart = (read.unix - truth).abs();
    if apart <= MINUTE {
        return true;
    }
    if says_minute(page, given, truth) {
        return false;
    }
    let age = page.captured.map_or(i64::MAX, |captured| captured - truth);
    match age < 2 * DAY {
        // A page that does not say the minute of what is so young tells hours.
        true => apart <= HOUR,
        false => read.unix.div_euclid(DAY) == truth.div_euclid(DAY),
    }
}

/// Whether a page says a time to the minute, in any usual writing.
pub fn says_minute(page: &Page, given: Given, time: i64) -> bool {
    page.says_any(given, &writings(time))
}

/// The clock of a time, as pages write it.
fn writings(time: i64) -> Vec<String> {
    let Ok(instant) = Timestamp::from_second(time) else { return Vec::new() };
    let clock = instant.to_zoned(jiff::tz::TimeZone::UTC);
    let (hour, minute) = (clock.hour(), clock.minute());
    let twelve = match hour % 12 {
        0 => 12,
        hour => hour,
    };
    let halves: [&str; 5] = if hour < 12 {
        ["am", "a.m.", "AM", "A.M.", "上午"]
    } else {
        ["pm", "p.m.", "PM", "P.M.", "下午"]
    };
    let mut texts = vec![
        time.to_string(),
        format!("{hour:02}:{minute:02}"),
        format!("{hour}:{minute:02}"),
        format!("{twelve}:{minute:02}:{:02}", clock.second()),
    ];
    for half in halves {
        texts.push(format!("{twelve}:{minute:02} {half}"));
        texts.push(format!("{twelve:02}:{minute:02} {half}"));
        texts.push(format!("{twelve}:{minute:02}{half}"));
        texts.push(format!("{half} {twelve:02}:{minute:02}"));
        if minute == 0 {
            texts.push(format!("{twelve} {half}"));
        }
    }
    if minute == 0 && hour % 12 == 0 {
        texts.push(if hour == 0 { "midnight" } else { "noon" }.to_owned());
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_known_in_all_its_writings() {
        let texts = writings(1_769_853_600 + 5 * 3600); // 2026-01-31 15:00
        for text in ["15:00", "3:00 PM", "03:00 PM", "3 p.m.", "3:00pm"] {
            assert!(texts.iter().any(|known| known == text), "{text}");
        }
        assert!(!texts.iter().any(|known| known == "3:00 AM"));
        assert!(writings(1_769_817_600).iter().any(|known| known == "midnight"));
    }
}
