//! Where a text stood, and from when to when.
//!
//! Kept with the text as bytes, format 1: topics and titles once each, then the occurrences by page and
//! block, numbers as the difference from those before.

use std::collections::BTreeMap;

use page::block::Label;
use serde::Serialize;
use store::{Millis, PageNumber};

const FORMAT: u8 = 1;

/// A block that said a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Occurrence {
    /// Its page.
    pub page: PageNumber,
    /// Its number within the page.
    pub block: i64,
    /// What it continues.
    pub lineage: i64,
    /// The version that it began with.
    pub first_version: i64,
    /// The last version that showed it; `None` while the latest does.
    pub last_version: Option<i64>,
    /// When it was first seen.
    pub first_seen: Millis,
    /// When it was last seen; `None` while the latest version shows it: then at the latest visit.
    pub last_seen: Option<Millis>,
    /// When a later version was captured, which does not show it; `None` while the latest does.
    pub gone_seen: Option<Millis>,
    /// What it is for.
    pub label: Label,
    /// What it is about.
    pub topic: String,
    /// The title of its page when it began.
    pub title: String,
}

impl Occurrence {
    /// Whether a version that shows it was current at some moment between two: until a later one was
    /// captured. What the latest version shows counts as still there.
    pub fn stood(&self, from: Option<Millis>, to: Option<Millis>) -> bool {
        from.is_none_or(|from| self.gone_seen.is_none_or(|gone| gone > from))
            && to.is_none_or(|to| self.first_seen <= to)
    }
}

/// The occurrences of a text, by page and block.
pub(crate) type Occurrences = BTreeMap<(i64, i64), Occurrence>;

pub(crate) fn to_bytes(occurrences: &Occurrences) -> Vec<u8> {
    let mut names: Vec<&str> =
        occurrences.values().flat_map(|of| [of.topic.as_str(), of.title.as_str()]).collect();
    names.sort_unstable();
    names.dedup();
    let mut out = vec![FORMAT];
    put(&mut out, names.len() as i64);
    for name in &names {
        put(&mut out, name.len() as i64);
        out.extend(name.as_bytes());
    }
    let place = |name: &str| names.binary_search(&name).unwrap_or_default() as i64;
    put(&mut out, occurrences.len() as i64);
    let (mut page, mut first) = (0, 0);
    for of in occurrences.values() {
        put(&mut out, of.page.0.wrapping_sub(page));
        put(&mut out, of.block);
        put(&mut out, of.block.wrapping_sub(of.lineage));
        put(&mut out, of.first_version);
        put(&mut out, of.last_version.map_or(-1, |last| last.wrapping_sub(of.first_version)));
        put(&mut out, of.first_seen.0.wrapping_sub(first));
        // Moved by one, since a block may end in the moment that it begins.
        put(&mut out, of.last_seen.map_or(0, |last| last.0.wrapping_sub(of.first_seen.0) + 1));
        let last = of.last_seen.unwrap_or(of.first_seen).0;
        put(&mut out, of.gone_seen.map_or(0, |gone| gone.0.wrapping_sub(last) + 1));
        put(&mut out, of.label as i64);
        put(&mut out, place(&of.topic));
        put(&mut out, place(&of.title));
        (page, first) = (of.page.0, of.first_seen.0);
    }
    out
}

/// `None` for bytes that were not written by [`to_bytes`].
pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Occurrences> {
    let (format, mut rest) = bytes.split_first()?;
    if *format != FORMAT {
        return None;
    }
    let count = get(&mut rest)?;
    let mut names = Vec::new();
    for _ in 0..count {
        let length = usize::try_from(get(&mut rest)?).ok()?;
        let (name, after) = rest.split_at_checked(length)?;
        names.push(std::str::from_utf8(name).ok()?);
        rest = after;
    }
    let named = |at: i64| Some((*names.get(usize::try_from(at).ok()?)?).to_owned());
    let count = get(&mut rest)?;
    let (mut page, mut first) = (0_i64, 0_i64);
    let mut occurrences = Occurrences::new();
    for _ in 0..count {
        page = page.wrapping_add(get(&mut rest)?);
        let block = get(&mut rest)?;
        let lineage = block.wrapping_sub(get(&mut rest)?);
        let first_version = get(&mut rest)?;
        let versions = get(&mut rest)?;
        first = first.wrapping_add(get(&mut rest)?);
        let lasted = get(&mut rest)?;
        let last_seen = (lasted > 0).then(|| Millis(first.wrapping_add(lasted - 1)));
        let gone = get(&mut rest)?;
        let last = last_seen.map_or(first, |last| last.0);
        let label = usize::try_from(get(&mut rest)?).ok()?;
        let occurrence = Occurrence {
            page: PageNumber(page),
            block,
            lineage,
            first_version,
            last_version: (versions >= 0).then(|| first_version.wrapping_add(versions)),
            first_seen: Millis(first),
            last_seen,
            gone_seen: (gone > 0).then(|| Millis(last.wrapping_add(gone - 1))),
            label: *Label::ALL.get(label)?,
            topic: named(get(&mut rest)?)?,
            title: named(get(&mut rest)?)?,
        };
        occurrences.insert((page, block), occurrence);
    }
    rest.is_empty().then_some(occurrences)
}

fn put(bytes: &mut Vec<u8>, number: i64) {
    let mut number = ((number << 1) ^ (number >> 63)) as u64;
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn get(bytes: &mut &[u8]) -> Option<i64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((number >> 1) as i64 ^ -((number & 1) as i64));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_occurrence() -> impl Strategy<Value = Occurrence> {
        let times = (0_i64..1 << 50, proptest::option::of(0_i64..1 << 45));
        let numbers = (1_i64..1 << 40, 1_i64..1 << 30, 1_i64..1 << 30, 1_i64..1000);
        (numbers, times, proptest::option::of(0_i64..50), 0_usize..10, "\\PC{0,9}", "\\PC{0,9}")
            .prop_map(
                |((page, block, lineage, first), (seen, lasted), versions, label, topic, title)| {
                    Occurrence {
                        page: PageNumber(page),
                        block,
                        lineage,
                        first_version: first,
                        last_version: versions.map(|versions| first + versions),
                        first_seen: Millis(seen),
                        last_seen: lasted.map(|lasted| Millis(seen + lasted)),
                        gone_seen: lasted.map(|lasted| Millis(seen + lasted + first)),
                        label: Label::ALL[label],
                        topic,
                        title,
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn occurrences_come_back_as_they_were(all in proptest::collection::vec(any_occurrence(), 0..9)) {
            let all: Occurrences = all.into_iter().map(|of| ((of.page.0, of.block), of)).collect();
            prop_assert_eq!(from_bytes(&to_bytes(&all)), Some(all));
        }

        #[test]
        fn other_bytes_are_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = from_bytes(&bytes);
        }
    }

    #[test]
    fn what_still_stands_stood_at_any_later_time() {
        let mut of = Occurrence {
            page: PageNumber(1),
            block: 1,
            lineage: 1,
            first_version: 1,
            last_version: None,
            first_seen: Millis(10),
            last_seen: None,
            gone_seen: None,
            label: Label::Main,
            topic: String::new(),
            title: String::new(),
        };
        assert!(of.stood(Some(Millis(20)), None) && !of.stood(None, Some(Millis(9))));
        (of.last_seen, of.gone_seen) = (Some(Millis(12)), Some(Millis(16)));
        assert!(of.stood(Some(Millis(15)), Some(Millis(30))) && !of.stood(Some(Millis(16)), None));
    }
}
