//! Proofs: what the list says of a thread against what the thread says of itself.
//!
//! Nobody has labelled these pages, but they describe each other: a row has the title, the first
//! author and time, the number of posts, the last author and time; so has the thread, all pages
//! joined. What agrees was found rightly on both, and what does not tells the learner that a column
//! means something else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Moment, Precision, Proof, Record};

const ALL: [Proof; 6] = [
    Proof::Title,
    Proof::FirstAuthor,
    Proof::FirstTime,
    Proof::Count,
    Proof::LastAuthor,
    Proof::LastTime,
];

/// The share of rows that agree with their threads on something, where the others are misread.
const TRUSTED: f64 = 0.8;

/// What the lists of a site count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counting {
    /// The posts after the first.
    #[default]
    Replies,
    /// All posts.
    Posts,
}

impl Counting {
    /// What most rows count; each comes with the number of posts that its thread has.
    ///
    /// ```
    /// use record::Counting;
    ///
    /// assert_eq!(Counting::vote([(4, 5), (0, 1), (7, 7)]), Counting::Replies);
    /// assert_eq!(Counting::vote([(5, 5), (1, 1)]), Counting::Posts);
    /// ```
    pub fn vote(rows: impl IntoIterator<Item = (u64, usize)>) -> Self {
        let (mut replies, mut posts) = (0u64, 0u64);
        for (counted, there) in rows {
            replies += u64::from(Counting::Replies.holds(counted, there));
            posts += u64::from(Counting::Posts.holds(counted, there));
        }
        if posts > replies { Counting::Posts } else { Counting::Replies }
    }

    fn holds(self, counted: u64, there: usize) -> bool {
        let there = there as u64;
        match self {
            Counting::Replies => counted.checked_add(1) == Some(there),
            Counting::Posts => counted == there,
        }
    }
}

/// What a row of a list and the posts of its thread agree on. The posts are those of all pages, in
/// order.
pub fn prove(row: &Record, posts: &[&Record], counting: Counting) -> Vec<Proof> {
    let compared = Compared::new(row, posts, counting);
    ALL.into_iter().filter(|proof| compared.of(*proof) == Some(true)).collect()
}

/// Whether a row and its thread agree on everything that both show, and that is enough: the title,
/// how many posts there are, and who wrote one of them, or when.
fn is_full(row: &Record, posts: &[&Record], counting: Counting) -> bool {
    let compared = Compared::new(row, posts, counting);
    let is_proved = |proof: Proof| compared.of(proof) == Some(true);
    let is_written = [Proof::FirstAuthor, Proof::FirstTime, Proof::LastAuthor, Proof::LastTime];
    ALL.into_iter().all(|proof| compared.of(proof) != Some(false))
        && is_proved(Proof::Title)
        && is_proved(Proof::Count)
        && is_written.into_iter().any(is_proved)
}

/// Those proofs of a thread that say something about its post at a place, from 0.
pub fn of_post(proofs: &[Proof], at: usize, posts: usize) -> Vec<Proof> {
    let (is_first, is_last) = (at == 0, at + 1 == posts);
    let concerns = |proof: &&Proof| match proof {
        Proof::Title | Proof::Count => true,
        Proof::FirstAuthor | Proof::FirstTime => is_first,
        Proof::LastAuthor | Proof::LastTime => is_last,
    };
    proofs.iter().filter(concerns).copied().collect()
}

/// A row beside the posts that it speaks of.
struct Compared<'a> {
    row: &'a Record,
    first: Option<&'a Record>,
    last: Option<&'a Record>,
    posts: usize,
    counting: Counting,
}

impl<'a> Compared<'a> {
    fn new(row: &'a Record, posts: &[&'a Record], counting: Counting) -> Self {
        let (first, last) = ends(posts);
        Compared { row, first, last, posts: posts.len(), counting }
    }

    /// Whether both say the same; none if one of them says nothing.
    fn of(&self, proof: Proof) -> Option<bool> {
        let (row, first, last) = (self.row, self.first?, self.last?);
        let text = |a: &Option<String>, b: &Option<String>| {
            let (a, b) = (a.as_deref()?, b.as_deref()?);
            Some(a.split_whitespace().eq(b.split_whitespace()))
        };
        let time =
            |a: &Option<Moment>, b: &Option<Moment>| Some(may_be_one(a.as_ref()?, b.as_ref()?));
        match proof {
            Proof::Title => text(&row.title, &first.title),
            Proof::FirstAuthor => text(&row.author, &first.author),
            Proof::FirstTime => time(&row.time, &first.time),
            Proof::Count => row.replies.map(|count| self.counting.holds(count, self.posts)),
            Proof::LastAuthor => text(&row.last_author, &last.author),
            Proof::LastTime => time(&row.last_time, &last.time),
        }
    }
}

/// The first post and the last one. Some threads show their newest post first, and where answers
/// stand below what they answer the newest may be anywhere.
fn ends<'a>(posts: &[&'a Record]) -> (Option<&'a Record>, Option<&'a Record>) {
    let (Some(first), Some(last)) = (posts.first().copied(), posts.last().copied()) else {
        return (None, None);
    };
    let times: Option<Vec<i64>> =
        posts.iter().map(|post| post.time.as_ref().map(|time| time.unix)).collect();
    let Some(times) = times else { return (Some(first), Some(last)) };
    let is_reversed = times.is_sorted_by(|a, b| a >= b) && times.first() != times.last();
    if is_reversed {
        return (Some(last), Some(first));
    }
    // Of posts of one time, the one furthest down.
    let newest = posts.iter().zip(&times).max_by_key(|(_, time)| **time);
    (Some(first), newest.map(|(post, _)| *post))
}

/// Whether two moments may be the same, as exactly as they are told.
fn may_be_one(a: &Moment, b: &Moment) -> bool {
    let ((a_from, a_to), (b_from, b_to)) = (span(a), span(b));
    a_from <= b_to && b_from <= a_to
}

/// The first and the last second that a moment may mean. "3 hours ago" may be almost four, and is
/// two and a half where it was rounded.
fn span(moment: &Moment) -> (i64, i64) {
    const HOUR: i64 = 3_600;
    const DAY: i64 = 24 * HOUR;
    let width = match moment.precision {
        Precision::Second => 1,
        Precision::Minute => 60,
        Precision::Hour => HOUR,
        Precision::Day => DAY,
        Precision::Week => 7 * DAY,
        Precision::Month => 31 * DAY,
        Precision::Year => 366 * DAY,
    };
    if moment.relative {
        (moment.unix.saturating_sub(width), moment.unix.saturating_add(width / 2))
    } else {
        (moment.unix, moment.unix.saturating_add(width - 1))
    }
}

/// How far the rows of a site's lists agree with its threads: what the learner chooses among
/// assignments by.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Agreement {
    /// What the lists count.
    pub counting: Counting,
    /// Rows whose threads are known.
    pub rows: usize,
    /// Rows with full proof.
    pub full: usize,
    compared: BTreeMap<Proof, Share>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Share {
    shown: usize,
    proved: usize,
}

impl Agreement {
    /// Compares rows with the posts of their threads. Of a thread whose pages are not all known
    /// (`false`) only the beginning is compared.
    pub fn of<'a>(pairs: &[(&'a Record, Vec<&'a Record>, bool)]) -> Self {
        let complete = pairs.iter().filter(|(.., complete)| *complete);
        let counts = complete.filter_map(|(row, posts, _)| Some((row.replies?, posts.len())));
        let counting = Counting::vote(counts);
        let mut agreement = Agreement { counting, rows: pairs.len(), ..Agreement::default() };
        for (row, posts, complete) in pairs {
            let compared = Compared::new(row, posts, counting);
            agreement.full += usize::from(*complete && is_full(row, posts, counting));
            for proof in ALL {
                let needs_all =
                    !matches!(proof, Proof::Title | Proof::FirstAuthor | Proof::FirstTime);
                let Some(proved) = compared.of(proof).filter(|_| *complete || !needs_all) else {
                    continue;
                };
                let share = agreement.compared.entry(proof).or_default();
                share.shown += 1;
                share.proved += usize::from(proved);
            }
        }
        agreement
    }

    /// The share of the rows that show a field, and agree on it; none if no row shows it.
    pub fn share(&self, proof: Proof) -> Option<f64> {
        let of = self.compared.get(&proof)?;
        Some(of.proved as f64 / of.shown.max(1) as f64)
    }

    /// Whether nearly everything that is shown agrees: the few that do not have changed in between.
    pub fn is_agreed(&self) -> bool {
        self.compared.values().all(|of| of.proved * 10 >= of.shown * 9)
    }

    /// A row as its thread says it: what the row does not tell, or tells less exactly; and, of what
    /// nearly all rows and threads agree on, what differs. To be asked where title and count agree.
    pub fn corrected(&self, row: &Record, posts: &[&Record]) -> Record {
        let mut row = row.clone();
        let (Some(first), Some(last)) = ends(posts) else { return row };
        let is_trusted = |proof: Proof| self.share(proof).is_some_and(|share| share >= TRUSTED);
        let name = |own: &mut Option<String>, post: &Record, proof: Proof| {
            if post.author.is_some() && (own.is_none() || is_trusted(proof)) {
                own.clone_from(&post.author);
            }
        };
        let time = |own: &mut Option<Moment>, post: &Record, proof: Proof| {
            let is_better = |time: &Moment| match own.as_ref() {
                Some(own) if may_be_one(own, time) => time.precision < own.precision,
                Some(_) => is_trusted(proof),
                None => true,
            };
            if post.time.as_ref().is_some_and(is_better) {
                own.clone_from(&post.time);
            }
        };
        name(&mut row.author, first, Proof::FirstAuthor);
        name(&mut row.last_author, last, Proof::LastAuthor);
        time(&mut row.time, first, Proof::FirstTime);
        time(&mut row.last_time, last, Proof::LastTime);
        row
    }

    /// From -1 (everything is shown and wrong) to 1 (everything is shown and right). What is not
    /// shown counts nothing, so that no assignment wins by leaving out what it does not know.
    pub fn score(&self) -> f64 {
        let balance = |of: &Share| 2.0 * of.proved as f64 - of.shown as f64;
        let sum: f64 = self.compared.values().map(balance).sum();
        sum / (self.rows.max(1) * ALL.len()) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn record(kind: Kind, author: &str, unix: i64) -> Record {
        Record {
            kind,
            id: None,
            xpath: String::new(),
            title: Some("Which lamp?".to_owned()),
            author: Some(author.to_owned()),
            time: Some(at(unix, Precision::Second)),
            time_text: None,
            content_text: None,
            content_html: None,
            links: Vec::new(),
            permalink: None,
            position: None,
            reply_to: Vec::new(),
            text: String::new(),
            quotes: Vec::new(),
            replies: None,
            last_author: None,
            last_time: None,
            fields: BTreeMap::new(),
            field_xpaths: BTreeMap::new(),
            confidence: 1.0,
            proofs: Vec::new(),
        }
    }

    fn at(unix: i64, precision: Precision) -> Moment {
        Moment { unix, precision, zone: None, relative: false }
    }

    fn row() -> Record {
        Record {
            replies: Some(2),
            last_author: Some("carol".to_owned()),
            last_time: Some(at(3_000, Precision::Second)),
            ..record(Kind::Thread, "alice", 1_000)
        }
    }

    fn thread() -> [Record; 3] {
        [("alice", 1_000), ("bob", 2_000), ("carol", 3_000)]
            .map(|(author, unix)| record(Kind::Post, author, unix))
    }

    fn refs(posts: &[Record]) -> Vec<&Record> {
        posts.iter().collect()
    }

    #[test]
    fn a_row_that_says_what_its_thread_says_has_full_proof() {
        let posts = thread();
        assert_eq!(prove(&row(), &refs(&posts), Counting::Replies), ALL);
        assert!(is_full(&row(), &refs(&posts), Counting::Replies));
    }

    #[test]
    fn one_field_that_disagrees_takes_the_full_proof_away() {
        let posts = thread();
        let wrong = [
            Record { title: Some("Which pump?".to_owned()), ..row() },
            Record { author: Some("carol".to_owned()), ..row() },
            Record { time: Some(at(1_001, Precision::Second)), ..row() },
            Record { replies: Some(3), ..row() },
            Record { last_author: Some("bob".to_owned()), ..row() },
            Record { last_time: Some(at(2_999, Precision::Second)), ..row() },
        ];
        for row in wrong {
            assert_eq!(prove(&row, &refs(&posts), Counting::Replies).len(), 5, "{row:?}");
            assert!(!is_full(&row, &refs(&posts), Counting::Replies), "{row:?}");
        }
    }

    #[test]
    fn title_and_count_alone_are_not_enough() {
        let posts = thread();
        let row = Record { author: None, time: None, last_author: None, last_time: None, ..row() };
        assert_eq!(prove(&row, &refs(&posts), Counting::Replies), [Proof::Title, Proof::Count]);
        assert!(!is_full(&row, &refs(&posts), Counting::Replies));
        let row = Record { last_author: Some("carol".to_owned()), ..row };
        assert!(is_full(&row, &refs(&posts), Counting::Replies));
    }

    #[test]
    fn a_thread_without_its_last_page_proves_no_count() {
        let posts = thread();
        let begun = refs(&posts[..2]);
        assert!(!prove(&row(), &begun, Counting::Replies).contains(&Proof::Count));
        assert!(!is_full(&row(), &begun, Counting::Replies));
        assert!(prove(&row(), &[], Counting::Replies).is_empty());
    }

    #[test]
    fn times_agree_as_exactly_as_the_coarser_one_is_told() {
        const DAY: i64 = 86_400;
        let exact = at(5 * DAY + 40_000, Precision::Second);
        let relative = |unix, precision| Moment { relative: true, ..at(unix, precision) };
        for (other, agrees) in [
            (at(5 * DAY, Precision::Day), true),
            (at(6 * DAY, Precision::Day), false),
            (at(4 * DAY, Precision::Day), false),
            (at(5 * DAY + 40_000 - 40, Precision::Minute), true),
            (at(5 * DAY + 40_000 - 60, Precision::Minute), false),
            // "3 hours ago", three and a half hours later
            (relative(5 * DAY + 40_000 + 1_800, Precision::Hour), true),
            (relative(5 * DAY + 40_000 + 7_200, Precision::Hour), false),
        ] {
            assert_eq!(may_be_one(&exact, &other), agrees, "{other:?}");
            assert_eq!(may_be_one(&other, &exact), agrees, "{other:?}");
        }
        let end = at(i64::MAX, Precision::Year);
        assert!(may_be_one(&end, &end));
    }

    #[test]
    fn the_newest_post_may_stand_first_or_in_the_middle() {
        let [a, b, c] = thread();
        for posts in [[c.clone(), b.clone(), a.clone()], [a, c, b]] {
            assert_eq!(prove(&row(), &refs(&posts), Counting::Replies), ALL);
        }
    }

    #[test]
    fn agreement_says_which_column_is_wrong() {
        let posts = thread();
        let wrong = Record { last_author: Some("alice".to_owned()), ..row() };
        let (right, silent) = (row(), Record { last_author: None, ..row() });
        let of = |row| Agreement::of(&[(row, refs(&posts), true), (row, refs(&posts[..1]), false)]);
        let found = of(&wrong);
        assert_eq!((found.rows, found.full), (2, 0));
        assert_eq!(found.share(Proof::LastAuthor), Some(0.0));
        assert_eq!(found.share(Proof::FirstAuthor), Some(1.0), "of what is known of a thread, too");
        assert_eq!(of(&right).full, 1);
        assert!(of(&right).score() > of(&silent).score());
        assert!(of(&silent).score() > found.score());
    }

    #[test]
    fn a_post_shares_the_proofs_that_concern_it() {
        assert_eq!(of_post(&ALL, 0, 1), ALL);
        assert_eq!(of_post(&ALL, 1, 3), [Proof::Title, Proof::Count]);
        assert_eq!(
            of_post(&ALL, 2, 3),
            [Proof::Title, Proof::Count, Proof::LastAuthor, Proof::LastTime]
        );
    }
}
