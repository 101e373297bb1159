//! Which records of a page are known already, what is new about them, and which are gone.

use std::collections::{HashMap, HashSet};

use page::state::url::normalise;
use record::{Kind, Moment, Proof, Record};
use store::{Millis, NewEdition, RecordNumber, RecordRow, Sighting};
use url::Url;

/// What names begin with that are made of what a record says, for want of anything better.
const WORDS: &str = "says:";

/// A record that is known, read again.
#[derive(Clone, Debug)]
pub(super) struct Known {
    number: RecordNumber,
    name: String,
    /// When what it says began.
    time: Millis,
    digest: u64,
    record: Record,
    moment: Option<Moment>,
    proofs: Vec<Proof>,
}

impl Known {
    /// `None` for what no version of this program wrote.
    pub(super) fn of(row: &RecordRow) -> Option<Self> {
        let record: Record = serde_json::from_slice(&row.body).ok()?;
        let moment = row.moment.as_deref().and_then(|moment| serde_json::from_str(moment).ok());
        let RecordRow { record: number, name, time, digest, .. } = row;
        let (number, name, time, digest) = (*number, name.clone(), *time, *digest);
        let proofs = serde_json::from_str(&row.proofs).unwrap_or_default();
        Some(Self { number, name, time, digest, record, moment, proofs })
    }

    pub(super) fn number(&self) -> RecordNumber {
        self.number
    }

    /// What it says, with its time as exactly as is known.
    pub(super) fn into_record(self) -> Record {
        let time = self.moment.or(self.record.time);
        Record { time, proofs: self.proofs, ..self.record }
    }
}

/// A page version that was read.
pub(super) struct Seen {
    pub(super) time: Millis,
    /// The thread or list that the page belongs to.
    pub(super) series: String,
    /// Whether it was read before, in another way: then what differs is no edit.
    pub(super) is_reread: bool,
    /// What it shows, in order, with the names that it is found again by.
    pub(super) records: Vec<(String, Record)>,
}

/// What became of the records of a page.
pub(super) struct Followed {
    pub(super) seen: Vec<Sighting>,
    pub(super) missed: Vec<RecordNumber>,
}

/// Follows the records of a page from when it was last read (`before`, in order) to now. `named` are
/// those that are known by the names that are shown now, wherever they were seen.
pub(super) fn follow(page: &Seen, before: &[Known], named: &[Option<Known>]) -> Followed {
    let mut taken: HashSet<RecordNumber> = HashSet::new();
    let mut known: Vec<Option<&Known>> = named.iter().map(Option::as_ref).collect();
    known.resize(page.records.len(), None);
    taken.extend(known.iter().flatten().map(|known| known.number));
    continue_by_words(&page.records, before, &mut known, &mut taken);
    continue_by_place(&page.records, before, &mut known, &mut taken);
    let missed = missed(before, &taken);
    let seen = page.records.iter().zip(&known);
    let seen = seen.map(|((name, record), known)| sighting(page, name, record, *known));
    Followed { seen: seen.collect(), missed }
}

/// What has another name now and says the same: the way to name it was learned anew.
fn continue_by_words<'k>(
    records: &[(String, Record)],
    before: &'k [Known],
    known: &mut [Option<&'k Known>],
    taken: &mut HashSet<RecordNumber>,
) {
    let mut by_words: HashMap<u64, &Known> = HashMap::new();
    for old in before.iter().rev().filter(|old| !taken.contains(&old.number)) {
        by_words.insert(words(&old.record), old);
    }
    for ((_, record), known) in records.iter().zip(known).filter(|(_, known)| known.is_none()) {
        if let Some(old) = by_words.remove(&words(record))
            && old.record.kind == record.kind
            && old.record.author == record.author
        {
            taken.insert(old.number);
            *known = Some(old);
        }
    }
}

/// What stands between the same neighbours and is by the same author goes on, whatever it says: only
/// what has no name of its own is found by its words, which an edit changes.
fn continue_by_place<'k>(
    records: &[(String, Record)],
    before: &'k [Known],
    known: &mut [Option<&'k Known>],
    taken: &mut HashSet<RecordNumber>,
) {
    let place_of: HashMap<RecordNumber, usize> =
        before.iter().enumerate().map(|(at, old)| (old.number, at)).collect();
    for at in 0..records.len() {
        let (name, record) = &records[at];
        if known[at].is_some() || !is_made_of_words(name) {
            continue;
        }
        let above = at.checked_sub(1).map(|at| known[at].and_then(|k| place_of.get(&k.number)));
        let below = known.get(at + 1).map(|known| known.and_then(|k| place_of.get(&k.number)));
        let place = match (above, below) {
            (Some(Some(above)), Some(Some(below))) if above + 2 == *below => above + 1,
            (None, Some(Some(1))) => 0,
            (Some(Some(above)), None) if above + 2 == before.len() => above + 1,
            _ => continue,
        };
        if let Some(old) = before.get(place)
            && !taken.contains(&old.number)
            && is_made_of_words(&old.name)
            && (old.record.kind, &old.record.author) == (record.kind, &record.author)
        {
            taken.insert(old.number);
            known[at] = Some(old);
        }
    }
}

/// What is gone although its neighbours are there. Threads and items move along their lists, so that
/// the first and the last of a page may be on one that was never seen; posts stay in their thread.
fn missed(before: &[Known], here: &HashSet<RecordNumber>) -> Vec<RecordNumber> {
    let is_here = |known: &Known| here.contains(&known.number);
    let first = before.iter().position(is_here);
    let last = before.iter().rposition(is_here);
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    let missed = before.iter().enumerate().filter(|(at, old)| {
        let is_between = first < *at && *at < last;
        !is_here(old) && (is_between || old.record.kind == Kind::Post)
    });
    missed.map(|(_, old)| old.number).collect()
}

fn sighting(page: &Seen, name: &str, record: &Record, known: Option<&Known>) -> Sighting {
    let digest = digest(record);
    let is_later = known.is_none_or(|known| page.time >= known.time);
    let is_new = is_later && known.is_none_or(|known| known.digest != digest);
    let edition = is_new.then(|| NewEdition {
        digest,
        is_edited: !page.is_reread
            && known.is_some_and(|known| own_words(&known.record) != own_words(record)),
        body: body(record),
    });
    // What was proved of what it says holds as long as it says it.
    let known_proofs = known.filter(|_| edition.is_none()).map(|known| &known.proofs);
    let mut proofs = record.proofs.clone();
    proofs.extend(known_proofs.into_iter().flatten());
    proofs.sort_unstable();
    proofs.dedup();
    let moment = known.and_then(|known| sharper(known, page.time, record));
    let moment = moment.or_else(|| record.time.clone());
    Sighting {
        record: known.map(|known| known.number),
        kind: record.kind.name().to_owned(),
        name: known.map_or(name, |known| &known.name).to_owned(),
        series: page.series.clone(),
        edition,
        confidence: if record.confidence.is_finite() { record.confidence } else { 0.0 },
        proofs: written(&proofs),
        moment: moment.and_then(|moment| serde_json::to_string(&moment).ok()),
    }
}

/// Proofs as they are kept.
pub(super) fn written(proofs: &[Proof]) -> String {
    serde_json::to_string(proofs).unwrap_or_else(|_| "[]".into())
}

/// What a row of a list is found again by, whose thread begins at this address.
pub(super) fn name_of_thread(url: &Url) -> String {
    format!("url:{}", normalise(url.clone()))
}

/// What a record is found again by: its own address, else its identifier within its thread or list
/// (`series`), else what it says.
pub(super) fn name(record: &Record, series: &str) -> String {
    // A post is on one page of its thread today and on another one tomorrow: where its address has a
    // name for the place on the page, that is the part that stays.
    let place = |url: &Url| url.fragment().filter(|part| !part.is_empty()).map(str::to_owned);
    match (record.kind, &record.permalink, &record.id) {
        (Kind::Thread, Some(url), _) => name_of_thread(url),
        (Kind::Post, Some(url), id) if place(url).is_some() => {
            let place = place(url).or_else(|| id.clone()).unwrap_or_default();
            format!("in:{series}#{place}")
        }
        (_, Some(url), _) => format!("url:{url}"),
        (_, None, Some(id)) => format!("in:{series}#{id}"),
        (_, None, None) => format!("{WORDS}{series}#{:016x}", words(record)),
    }
}

/// Tells records apart that would have one name: the first keeps it.
pub(super) fn told_apart(records: Vec<(String, Record)>) -> Vec<(String, Record)> {
    let mut times: HashMap<(Kind, String), u32> = HashMap::new();
    let records = records.into_iter().map(|(name, record)| {
        let times = times.entry((record.kind, name.clone())).or_default();
        *times += 1;
        match *times {
            1 => (name, record),
            nth => (format!("{name}~{nth}"), record),
        }
    });
    records.collect()
}

fn is_made_of_words(name: &str) -> bool {
    name.starts_with(WORDS)
}

/// Of all that makes a record what it is, for one that has no name: who, when and what.
fn words(record: &Record) -> u64 {
    let time = record.time.as_ref().filter(|time| !time.relative).map(|time| time.unix);
    hash(&(record.kind, &record.title, &record.author, time, &record.content_text))
}

/// What its author says. A thread's list of replies grows and its posts have its title: neither makes
/// an edit.
fn own_words(record: &Record) -> u64 {
    match record.kind {
        Kind::Thread => hash(&(&record.title, &record.content_text)),
        Kind::Post => hash(&(&record.content_text, &record.links)),
        Kind::Item => hash(&(&record.title, &record.content_text, &record.links, &record.fields)),
    }
}

/// Of all that makes an edition: what differs between two looks at a record that nobody touched, such
/// as "3 hours ago" and how many posts its author has by now, does not.
fn digest(record: &Record) -> u64 {
    let told = |time: &Option<Moment>| time.as_ref().filter(|time| !time.relative).map(|t| t.unix);
    let fields = (record.kind == Kind::Item).then_some(&record.fields);
    hash(&(
        (record.kind, &record.title, &record.author, &record.content_text, &record.links),
        (told(&record.time), told(&record.last_time), record.replies, &record.last_author),
        (&record.reply_to, fields),
    ))
}

/// The same in every run, since it is written down.
fn hash(value: &impl serde::Serialize) -> u64 {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    let hash = blake3::hash(&bytes);
    hash.as_bytes().iter().take(8).fold(0, |hash, byte| (hash << 8) | u64::from(*byte))
}

/// As it is kept. How sure it is, and what proves it, is kept beside it; all that it shows is on its
/// page.
fn body(record: &Record) -> Vec<u8> {
    let (text, proofs) = (String::new(), Vec::new());
    let record = Record { confidence: 0.0, text, proofs, ..record.clone() };
    serde_json::to_vec(&record).unwrap_or_default()
}

/// When a record was written, as exactly as two looks at it tell together.
fn sharper(known: &Known, time: Millis, record: &Record) -> Option<Moment> {
    let old = known.moment.as_ref().or(known.record.time.as_ref())?;
    let seconds = |time: Millis| Some(time.0.div_euclid(1000));
    Some(match &record.time {
        Some(new) => old.sharpen(seconds(known.time), new, seconds(time)),
        None => old.clone(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use record::Precision;

    use super::*;

    fn post(id: Option<&str>, author: &str, says: &str) -> Record {
        Record {
            kind: Kind::Post,
            id: id.map(str::to_owned),
            xpath: "/html[1]".into(),
            title: Some("Tides".into()),
            author: Some(author.into()),
            time: None,
            time_text: None,
            text: says.into(),
            content_text: Some(says.into()),
            content_html: None,
            quotes: Vec::new(),
            links: Vec::new(),
            permalink: None,
            position: None,
            reply_to: Vec::new(),
            replies: None,
            last_author: None,
            last_time: None,
            fields: BTreeMap::new(),
            field_xpaths: BTreeMap::new(),
            confidence: 1.0,
            proofs: Vec::new(),
        }
    }

    fn seen(day: i64, records: Vec<Record>) -> Seen {
        let named = records.into_iter().map(|record| (name(&record, "t"), record)).collect();
        let (time, series) = (Millis(day * 86_400_000), "t".to_owned());
        Seen { time, series, is_reread: false, records: told_apart(named) }
    }

    /// What the store would know after a page was read: records are numbered as they come.
    fn known(page: &Seen) -> Vec<Known> {
        let rows = follow(page, &[], &[]).seen;
        let rows = (1..).zip(rows).map(|(number, seen)| RecordRow {
            record: RecordNumber(number),
            kind: seen.kind,
            name: seen.name,
            series: seen.series,
            last: 1,
            time: page.time,
            digest: seen.edition.as_ref().unwrap().digest,
            body: seen.edition.unwrap().body,
            moment: seen.moment,
            proofs: seen.proofs,
        });
        rows.filter_map(|row| Known::of(&row)).collect()
    }

    fn again(page: &Seen, before: &[Known]) -> Followed {
        let named = page
            .records
            .iter()
            .map(|(name, _)| before.iter().find(|known| known.name == *name).cloned());
        follow(page, before, &named.collect::<Vec<_>>())
    }

    fn numbers(followed: &Followed) -> Vec<Option<i64>> {
        followed.seen.iter().map(|seen| seen.record.map(|record| record.0)).collect()
    }

    #[test]
    fn an_edit_is_a_new_edition_of_the_same_record() {
        let before =
            known(&seen(1, vec![post(Some("p1"), "ann", "a"), post(Some("p2"), "bob", "b")]));
        let now = seen(2, vec![post(Some("p1"), "ann", "a"), post(Some("p2"), "bob", "b!")]);
        let followed = again(&now, &before);
        assert_eq!(numbers(&followed), [Some(1), Some(2)]);
        assert!(followed.seen[0].edition.is_none());
        assert!(followed.seen[1].edition.as_ref().unwrap().is_edited);
        let renamed = vec![Record { title: Some("Ebb".into()), ..post(Some("p1"), "ann", "a") }];
        let edition = again(&seen(2, renamed), &before).seen.remove(0).edition.unwrap();
        assert!(!edition.is_edited, "a thread that is renamed edits none of its posts");
    }

    #[test]
    fn what_is_gone_between_its_neighbours_is_missed_and_what_is_new_is_new() {
        let ids = |ids: &[&str]| ids.iter().map(|id| post(Some(id), "ann", id)).collect::<Vec<_>>();
        let before = known(&seen(1, ids(&["a", "b", "c", "d"])));
        let followed = again(&seen(2, ids(&["a", "c", "d", "e"])), &before);
        assert_eq!(numbers(&followed), [Some(1), Some(3), Some(4), None]);
        assert_eq!(followed.missed, [RecordNumber(2)]);
        let all_gone = again(&seen(2, ids(&["x", "y"])), &before);
        assert_eq!(all_gone.missed, [], "nothing that was there is: it is another page, or drift");
        assert_eq!(again(&seen(2, Vec::new()), &before).missed, []);
    }

    #[test]
    fn a_row_that_leaves_the_end_of_a_list_has_moved_on() {
        let row = |id: &str| Record { kind: Kind::Thread, ..post(Some(id), "ann", id) };
        let rows = |ids: &[&str]| ids.iter().map(|id| row(id)).collect::<Vec<_>>();
        let before = known(&seen(1, rows(&["a", "b", "c", "d"])));
        let followed = again(&seen(2, rows(&["new", "a", "c"])), &before);
        assert_eq!(followed.missed, [RecordNumber(2)], "d may be on the next page");
    }

    #[test]
    fn a_post_without_a_name_goes_on_by_its_place() {
        let posts = |says: [&str; 3]| {
            let authors = ["ann", "bob", "cy"];
            authors.iter().zip(says).map(|(author, says)| post(None, author, says)).collect()
        };
        let before = known(&seen(1, posts(["one", "two", "three"])));
        let followed = again(&seen(2, posts(["one", "two, and more", "three"])), &before);
        assert_eq!(numbers(&followed), [Some(1), Some(2), Some(3)]);
        assert!(followed.seen[1].edition.as_ref().unwrap().is_edited && followed.missed.is_empty());
        let followed = again(&seen(2, posts(["1", "two", "3"])), &before);
        assert_eq!(numbers(&followed), [Some(1), Some(2), Some(3)], "so do the first and the last");
    }

    #[test]
    fn two_posts_that_say_the_same_are_two_records() {
        let twice = seen(1, vec![post(None, "ann", "thanks"), post(None, "ann", "thanks")]);
        let before = known(&twice);
        assert_ne!(before[0].name, before[1].name);
        assert_eq!(numbers(&again(&twice, &before)), [Some(1), Some(2)]);
    }

    #[test]
    fn a_time_that_is_told_relative_makes_no_edition_and_is_sharpened_later() {
        let at = |unix, precision, relative| Some(Moment { unix, precision, zone: None, relative });
        let with = |time| Record { time, ..post(Some("p1"), "ann", "a") };
        let before = known(&seen(1, vec![with(at(80_000, Precision::Hour, true))]));
        let later = seen(2, vec![with(at(79_000, Precision::Day, true))]);
        assert!(again(&later, &before).seen[0].edition.is_none());
        let told = seen(3, vec![with(at(79_260, Precision::Minute, false))]);
        let moment = again(&told, &before).seen.remove(0).moment.unwrap();
        let moment: Moment = serde_json::from_str(&moment).unwrap();
        assert_eq!((moment.unix, moment.precision), (79_260, Precision::Minute));
    }

    #[test]
    fn what_is_told_of_an_earlier_time_changes_nothing() {
        let before = known(&seen(5, vec![post(Some("p1"), "ann", "new")]));
        let earlier = again(&seen(2, vec![post(Some("p1"), "ann", "old")]), &before);
        assert!(earlier.seen[0].edition.is_none());
    }
}
