//! What differs between two versions without anything having changed: readings of a clock, ages that
//! grew with the time that passed, and values that a server makes anew for each answer.
//!
//! A price, a score, a date, a number of comments is none of these. Readings are told as for
//! [states](crate::state::Difference), but versions lie days apart, and so an age may have gone from
//! minutes to hours, and a clock round midnight.

use std::time::Duration;

use crate::state::{Reading, read_at};
use crate::tree::Node;

/// Seconds that an answer may have waited in a cache on its way, beside a tenth of the time between.
const SLACK: i64 = 120;
const DAY: i64 = 86_400;

/// Whether two texts differ in readings alone, and these by the time that passed.
pub(super) fn only_time_passed(
    old: (&str, Node<'_>),
    new: (&str, Node<'_>),
    apart: Duration,
) -> bool {
    let (Some(before), Some(after)) = (read_at(old.0, old.1), read_at(new.0, new.1)) else {
        return false;
    };
    let apart = i64::try_from(apart.as_secs()).unwrap_or(i64::MAX / 4);
    before.rest == after.rest
        && before.readings.len() == after.readings.len()
        && before.readings.iter().zip(&after.readings).all(|(a, b)| agrees(*a, *b, apart))
}

/// Whether one reading becomes the other in the time between.
fn agrees(old: Reading, new: Reading, apart: i64) -> bool {
    let slack = SLACK + apart / 10;
    match (old, new) {
        (Reading::Ago { number: a, unit }, Reading::Ago { number: b, unit: other }) => {
            // Rounded down or to the nearest: up to half a unit less, and one and a half more.
            let (a, b) = (a.saturating_mul(unit), b.saturating_mul(other));
            let (early, late) = (a - unit / 2 + apart - slack, a + unit * 3 / 2 + apart + slack);
            b - other / 2 <= late && early <= b + other * 3 / 2
        }
        (
            Reading::Clock { seconds: a, to_the_second },
            Reading::Clock { seconds: b, to_the_second: same },
        ) => {
            let late = (b - a - apart).rem_euclid(DAY);
            to_the_second == same && late.min(DAY - late) <= slack.min(DAY / 4)
        }
        (Reading::Took, Reading::Took) => true,
        _ => false,
    }
}

/// Parameters of an address that are made anew for each answer, by the names that servers and
/// frameworks give them: sessions, tokens, and what keeps a cache from answering.
const FRESH: [&str; 27] = [
    "_",
    "v",
    "ver",
    "version",
    "rev",
    "t",
    "ts",
    "time",
    "timestamp",
    "cb",
    "cachebuster",
    "cache",
    "rand",
    "random",
    "rnd",
    "nonce",
    "token",
    "csrf",
    "csrf_token",
    "_wpnonce",
    "auth",
    "sid",
    "sessid",
    "session",
    "sessionid",
    "phpsessid",
    "jsessionid",
];

/// Whether two addresses differ in nothing but such parameters. The picture or style that is named by
/// its version counts as one and the same if `is_file` says that a file is named.
pub(super) fn same_address(old: &str, new: &str, is_file: bool) -> bool {
    let (old_path, old_query) = split_query(old);
    let (new_path, new_query) = split_query(new);
    let path = |text: &str| text.split_once(';').map_or(text.len(), |(path, _)| path.len());
    let is_session = |text: &str| {
        let tail = text.get(path(text)..).unwrap_or_default().to_ascii_lowercase();
        tail.is_empty() || tail.starts_with(";jsessionid=")
    };
    let same_path = old_path == new_path
        || (is_session(old_path)
            && is_session(new_path)
            && old_path.get(..path(old_path)) == new_path.get(..path(new_path)));
    let (old, new): (Vec<_>, Vec<_>) =
        (old_query.split('&').collect(), new_query.split('&').collect());
    let is_fresh = |parameter: &str| match parameter.split_once('=') {
        Some((name, _)) => FRESH.contains(&name.to_ascii_lowercase().as_str()),
        // `style.css?8f3a21`
        None => is_file && old.len() == 1,
    };
    let name = |parameter: &str| parameter.split_once('=').map(|(name, _)| name.to_owned());
    same_path
        && old.len() == new.len()
        && old
            .iter()
            .zip(&new)
            .all(|(a, b)| a == b || (name(a) == name(b) && is_fresh(a) && is_fresh(b)))
}

fn split_query(address: &str) -> (&str, &str) {
    let address = address.split_once('#').map_or(address, |(address, _)| address);
    address.split_once('?').unwrap_or((address, ""))
}

/// Whether two values of an attribute differ in generated parts alone: the same words between, and
/// where they differ a token on both sides.
pub(super) fn same_but_tokens(old: &str, new: &str) -> bool {
    let is_break = |c: char| !c.is_ascii_alphanumeric();
    let breaks = |text: &str| text.chars().filter(|c| is_break(*c)).collect::<String>();
    let parts = |text: &str| text.split(is_break).map(str::to_owned).collect::<Vec<_>>();
    breaks(old) == breaks(new)
        && parts(old).iter().zip(&parts(new)).all(|(a, b)| a == b || (is_token(a) && is_token(b)))
}

/// Whether nobody wrote this: long, with digits among its letters, or a long number.
pub(super) fn is_token(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    text.len() >= 8 && digits >= 2 && (digits < text.len() || text.len() >= 10)
}

/// Whether two texts are the same but for their numbers, and have some.
pub(super) fn same_but_numbers(old: &str, new: &str) -> bool {
    let is_number = |c: &char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'');
    let words = |text: &str| {
        let mut words = String::new();
        let mut in_number = false;
        for c in text.chars() {
            if c.is_ascii_digit() {
                if !in_number {
                    words.push('0');
                }
                in_number = true;
            } else if !(in_number && is_number(&c)) {
                in_number = false;
                words.push(c);
            }
        }
        words
    };
    old.bytes().any(|byte| byte.is_ascii_digit()) && words(old) == words(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Kind, parse_str};

    fn passes(old: &str, new: &str, seconds: u64) -> bool {
        let dom = |text: &str| parse_str(&format!("<p>{text}")).dom;
        let (a, b) = (dom(old), dom(new));
        let text = |dom: &crate::tree::Dom| {
            dom.nodes().find(|node| node.kind() == Kind::Text).map(|node| node.id())
        };
        let (Some(x), Some(y)) = (text(&a), text(&b)) else { return false };
        only_time_passed((old, a.node(x)), (new, b.node(y)), Duration::from_secs(seconds))
    }

    #[test]
    fn ages_and_clocks_move_with_the_time() {
        for (old, new, seconds) in [
            ("3 hours ago", "5 hours ago", 7_200),
            ("59 minutes ago", "1 hour ago", 600),
            ("23 hours ago", "1 day ago", 7_200),
            ("vor 5 Minuten", "vor 20 Minuten", 900),
            ("5分钟前", "35分钟前", 1_800),
            ("by Ann, 3 hours ago", "by Ann, 4 hours ago", 3_600),
            ("12:03:55", "12:33:55", 1_800),
            ("It is now 23:50", "It is now 00:20", 1_800),
            ("12:03:55", "12:03:58", 86_400),
        ] {
            assert!(passes(old, new, seconds), "{old} | {new}");
        }
    }

    #[test]
    fn what_the_time_does_not_explain_is_no_noise() {
        for (old, new, seconds) in [
            ("3 hours ago", "3 minutes ago", 7_200),
            ("1 hour ago", "9 hours ago", 3_600),
            ("3 days ago", "2 days ago", 3_600 * 30),
            ("by Ann, 3 hours ago", "by Bob, 4 hours ago", 3_600),
            ("12:03:55", "18:33:55", 1_800),
            ("€ 12.03", "€ 12.04", 3_600),
            ("3 comments", "4 comments", 3_600),
            ("1 May 2009", "2 May 2009", 86_400),
            ("Score 3:2", "Score 3:3", 600),
        ] {
            assert!(!passes(old, new, seconds), "{old} | {new}");
        }
    }

    #[test]
    fn addresses_are_the_same_but_for_sessions_and_cache_busters() {
        assert!(same_address("/a.png?v=1", "/a.png?v=2", true));
        assert!(same_address("/a.css?8f3a21", "/a.css?99aa00", true));
        assert!(same_address("/x;jsessionid=A?q=1", "/x;jsessionid=B?q=1", false));
        assert!(same_address("/x?q=1&PHPSESSID=a", "/x?q=1&PHPSESSID=b", false));
        assert!(!same_address("/topic?8f3a21", "/topic?99aa00", false));
        assert!(!same_address("/x?q=1&sid=a", "/x?q=2&sid=b", false));
        assert!(!same_address("/article-12345678", "/article-12345679", false));
        assert!(!same_address("/a.png?id=1", "/a.png?id=2", true));
    }

    #[test]
    fn tokens_are_told_from_words() {
        assert!(same_but_tokens("ad-8f3a21b0c4", "ad-77ab21b0c9"));
        assert!(same_but_tokens("id_1700000000123", "id_1700000009999"));
        assert!(!same_but_tokens("big red", "big blue"));
        assert!(!same_but_tokens("item-3", "item-4"));
    }

    #[test]
    fn counters_differ_in_their_numbers_alone() {
        assert!(same_but_numbers("1,204 visitors", "1,311 visitors"));
        assert!(same_but_numbers("9 visitors", "10 visitors"));
        assert!(!same_but_numbers("1 visitor", "2 visitors"));
        assert!(!same_but_numbers("visitors", "visitors"));
    }
}
