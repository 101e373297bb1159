//! What of a set came back: records by the rule, fields by their values.

use std::collections::BTreeMap;

use record::{Kind, Moment, Proof, Record};
use unicode_normalization::UnicodeNormalization as _;

use super::bag::Bag;
use super::found::Found;
use super::score::{HELD, HELD_OF_LABELS, Matching, Tally, share};
use super::set::{Given, Page, Truth};
use super::time;

/// How alike content must be to what was written.
const SAME_CONTENT: f64 = 0.9;
/// How much of a quote must be in the post that it is of.
const SAME_QUOTE: f64 = 0.9;
/// Among how many records a name or a time must be on the page for the set to show it: names that
/// are there by chance are few, and times told by hours or days are not to be found by their minute.
const SHOWS_NAMES: f64 = 0.9;
const SHOWS_TIMES: f64 = 0.6;

/// The figures of a set.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    pub posts: Tally,
    pub lists: Tally,
    /// Pages with a single post that were found to have just that.
    pub single: Part,
    /// Fields, by name; a field of a record that was not found is wrong.
    pub fields: BTreeMap<&'static str, Part>,
    /// Posts of which all four are right: the thread's title, author, time and content.
    pub four: Tally,
    /// Which post answers which.
    pub replies: Tally,
    /// Threads that another page proves in full, and those of them that are right.
    pub proved: Part,
}

/// Those that are right, of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Part {
    pub right: usize,
    pub of: usize,
}

impl Part {
    pub fn share(self) -> f64 {
        share(self.right, self.of)
    }

    pub fn count(&mut self, is_right: bool) {
        self.right += usize::from(is_right);
        self.of += 1;
    }
}

/// A record of the truth, and what was found of it.
struct Pair<'a> {
    page: &'a Page,
    truth: &'a Truth,
    found: Option<&'a Record>,
}

impl Judgement {
    /// Compares what was found on some pages of a set with their truth.
    pub fn of(pages: &[&Page], given: Given, found: &[Vec<Found>], is_real: bool) -> Self {
        let mut judgement = Judgement::default();
        let held = if is_real { HELD_OF_LABELS } else { HELD };
        let mut pairs = Vec::new();
        for (page, found) in pages.iter().zip(found) {
            let Some(kind) = page.kind else { continue };
            let ours: Vec<&Found> =
                found.iter().filter(|found| found.record.kind == kind).collect();
            let bags: Vec<Bag> = ours.iter().map(|found| found.bag.clone()).collect();
            // What people labelled without words cannot be found by its words.
            let truth: Vec<(&Truth, Bag)> = page
                .truth
                .iter()
                .map(|truth| (truth, Bag::of(&words(truth, kind))))
                .filter(|(_, bag)| !is_real || !bag.is_empty())
                .collect();
            let truth_bags: Vec<Bag> = truth.iter().map(|(_, bag)| bag.clone()).collect();
            let matching = Matching::of(&truth_bags, &bags, held);
            let tally = matching.tally();
            match kind {
                Kind::Post => judgement.posts += tally,
                Kind::Thread | Kind::Item => judgement.lists += tally,
            }
            if kind == Kind::Post && tally.truth == 1 && !is_real {
                judgement.single.count(tally.ours == 1 && tally.right == 1);
            }
            for ((truth, _), at) in truth.iter().zip(&matching.truth) {
                let found = at.and_then(|at| ours.get(at)).map(|found| &found.record);
                pairs.push(Pair { page, truth, found });
            }
        }
        match is_real {
            true => judgement.strings(&pairs),
            false => {
                let shown = Shown::of(pages, given);
                judgement.posts_of(&pairs, given);
                judgement.threads_of(&pairs, given, &shown);
                judgement.answers(&pairs);
            }
        }
        judgement
    }

    /// A field's share; none where no page shows it.
    pub fn field(&self, name: &str) -> Option<f64> {
        self.fields.get(name).map(|part| part.share())
    }

    /// Adds the fields of another.
    pub fn add_fields(&mut self, other: &Judgement) {
        for (name, part) in &other.fields {
            let sum = self.fields.entry(name).or_default();
            sum.right += part.right;
            sum.of += part.of;
        }
    }

    fn count(&mut self, name: &'static str, is_right: bool) {
        self.fields.entry(name).or_default().count(is_right);
    }

    fn posts_of(&mut self, pairs: &[Pair<'_>], given: Given) {
        self.four = Tally { right: 0, ..self.posts };
        for Pair { page, truth, found } in of_kind(pairs, Kind::Post) {
            let text = |get: fn(&Record) -> &Option<String>| {
                found.and_then(|record| get(record).as_deref())
            };
            let time = found.and_then(|record| record.time.as_ref());
            let written = Bag::of(truth.content.as_deref().unwrap_or_default());
            let is_written = |content: &str| Bag::of(content).f1(&written) >= SAME_CONTENT;
            let checks = [
                ("author", same(text(|r| &r.author), &truth.author)),
                ("time", is_when(page, given, time, truth.time, truth.within)),
                ("content", text(|r| &r.content_text).is_some_and(is_written)),
                ("thread_title", same(text(|r| &r.title), &page.thread_title)),
            ];
            for (field, is_right) in checks {
                self.count(field, is_right);
            }
            self.four.right += usize::from(checks.iter().all(|(_, is_right)| *is_right));
        }
    }

    fn threads_of(&mut self, pairs: &[Pair<'_>], given: Given, shown: &Shown) {
        for Pair { page, truth, found } in of_kind(pairs, Kind::Thread) {
            let name = |get: fn(&Record) -> &Option<String>| {
                found.and_then(|record| get(record).as_deref())
            };
            let when =
                |get: fn(&Record) -> &Option<Moment>| found.and_then(|record| get(record).as_ref());
            let checks = [
                ("title", true, same(name(|r| &r.title), &truth.title)),
                ("list_author", shown.author, same(name(|r| &r.author), &truth.author)),
                (
                    "last_author",
                    shown.last_author,
                    same(name(|r| &r.last_author), &truth.last_author),
                ),
                (
                    "list_time",
                    shown.time,
                    is_when(page, given, when(|r| &r.time), truth.time, truth.within),
                ),
                (
                    "last_time",
                    shown.last_time,
                    is_when(
                        page,
                        given,
                        when(|r| &r.last_time),
                        truth.last_time,
                        truth.last_within,
                    ),
                ),
                (
                    "replies",
                    shown.replies,
                    found.is_some_and(|record| record.replies == truth.replies),
                ),
            ];
            for (field, is_shown, is_right) in checks {
                if is_shown {
                    self.count(field, is_right);
                }
            }
            if found.is_some_and(is_proved) {
                let said = |field: &str| match (field, found) {
                    ("list_author", Some(record)) => record.author.is_some(),
                    ("last_author", Some(record)) => record.last_author.is_some(),
                    ("list_time", Some(record)) => record.time.is_some(),
                    ("last_time", Some(record)) => record.last_time.is_some(),
                    _ => true,
                };
                let is_right = checks
                    .iter()
                    .all(|(field, is_shown, is_right)| !is_shown || !said(field) || *is_right);
                self.proved.count(is_right);
            }
        }
    }

    /// Which post answers which: the truth says so, or it is the earlier post of the thread that holds
    /// what is quoted.
    fn answers(&mut self, pairs: &[Pair<'_>]) {
        let mut threads: BTreeMap<&str, Vec<&Pair<'_>>> = BTreeMap::new();
        for pair in of_kind(pairs, Kind::Post) {
            threads.entry(pair.page.thread()).or_default().push(pair);
        }
        for posts in threads.values_mut() {
            posts.sort_by_key(|pair| pair.truth.time);
            let contents: Vec<Bag> = posts
                .iter()
                .map(|pair| Bag::of(pair.truth.content.as_deref().unwrap_or_default()))
                .collect();
            for (at, pair) in posts.iter().enumerate() {
                let earlier = contents.get(..at).unwrap_or_default();
                let mut said: Vec<&str> = pair
                    .found
                    .map(|record| record.reply_to.iter().map(String::as_str).collect())
                    .unwrap_or_default();
                self.replies.ours += said.len();
                let told = pair.truth.answers.iter().flatten().map(|number| {
                    let goals = posts.iter().filter(|goal| goal.truth.number == Some(*number));
                    goals.map(|goal| id_of(goal)).collect()
                });
                let quotes = pair.truth.quotes.iter().filter(|_| pair.truth.answers.is_none());
                let quoted = quotes.map(|quote| {
                    let quote = Bag::of(quote);
                    let goals = earlier.iter().zip(posts.iter());
                    let goals = goals.filter(|(content, _)| content.holds(&quote, SAME_QUOTE));
                    goals.map(|(_, goal)| id_of(goal)).collect()
                });
                let goals: Vec<Vec<&str>> = told.chain(quoted).collect();
                for goals in goals.iter().filter(|goals| !goals.is_empty()) {
                    self.replies.truth += 1;
                    if let Some(hit) = said.iter().position(|id| goals.contains(id)) {
                        said.swap_remove(hit);
                        self.replies.right += 1;
                    }
                }
            }
        }
    }

    /// Authors and times of pages that people labelled, as strings.
    fn strings(&mut self, pairs: &[Pair<'_>]) {
        for Pair { truth, found, .. } in pairs {
            if let Some(text) = truth.author_text.as_deref().and_then(name_in) {
                let name = found.and_then(|record| record.author.as_deref()).map(letters);
                let is_right = name.is_some_and(|name| !name.is_empty() && text.is(&name));
                self.count("author", is_right);
            }
            if let Some(text) = truth.time_text.as_deref().map(folded).filter(|t| !t.is_empty()) {
                let said = found.and_then(|record| record.time_text.as_deref()).map(folded);
                let is_same = |said: String| {
                    !said.is_empty() && (said.contains(&text) || text.contains(&said))
                };
                self.count("time", said.is_some_and(is_same));
            }
        }
    }
}

/// What our record of a post is called; nothing if there is none.
fn id_of<'r>(pair: &Pair<'r>) -> &'r str {
    pair.found.and_then(|record| record.id.as_deref()).unwrap_or_default()
}

fn of_kind<'p, 'a>(pairs: &'p [Pair<'a>], kind: Kind) -> impl Iterator<Item = &'p Pair<'a>> {
    pairs.iter().filter(move |pair| pair.page.kind == Some(kind))
}

/// What a record must hold.
pub fn words(truth: &Truth, kind: Kind) -> String {
    let mut texts: Vec<&str> = Vec::new();
    match kind {
        Kind::Post => {
            texts.extend(truth.content.as_deref());
            texts.extend(truth.quotes.iter().map(String::as_str));
            texts.extend(truth.author.as_deref());
        }
        Kind::Thread | Kind::Item => texts.extend(truth.title.as_deref()),
    }
    texts.join("\n")
}

/// Whether everything that a list can say of a thread, the thread says too: title, posts, somebody
/// who wrote and when.
fn is_proved(record: &Record) -> bool {
    let has = |proof| record.proofs.contains(&proof);
    has(Proof::Title)
        && has(Proof::Count)
        && (has(Proof::FirstAuthor) || has(Proof::LastAuthor))
        && (has(Proof::FirstTime) || has(Proof::LastTime))
}

fn is_when(
    page: &Page,
    given: Given,
    read: Option<&Moment>,
    truth: Option<i64>,
    within: Option<i64>,
) -> bool {
    match (read, truth, within) {
        (Some(read), Some(truth), Some(within)) => (read.unix - truth).abs() <= within,
        (Some(read), Some(truth), None) => time::is_right(page, given, read, truth),
        _ => false,
    }
}

fn same(ours: Option<&str>, truth: &Option<String>) -> bool {
    ours.is_some_and(|ours| truth.as_ref().is_some_and(|truth| folded(ours) == folded(truth)))
}

/// A text with its white space made one.
fn folded(text: &str) -> String {
    let text: String = text.nfkc().collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn letters(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

/// An author as people labelled it.
enum Name {
    Text(String),
    /// The address of a profile, which has the name in it.
    Address(String),
}

impl Name {
    fn is(&self, name: &str) -> bool {
        match self {
            Name::Text(text) => text == name,
            Name::Address(address) => address.contains(name),
        }
    }
}

/// None where it is the address of a profile by number, which says no name.
fn name_in(text: &str) -> Option<Name> {
    if !text.contains(['/', '?', '=']) {
        return Some(Name::Text(letters(text))).filter(|_| !text.trim().is_empty());
    }
    let last = text.trim_end_matches('/').rsplit(['/', '=']).next().unwrap_or_default();
    let has_name = last.chars().any(char::is_alphabetic);
    // Escapes are decoded as those of a query are.
    let plain: String = url::form_urlencoded::parse(text.replace(['=', '&'], " ").as_bytes())
        .flat_map(|(name, value)| [name.into_owned(), value.into_owned()])
        .collect();
    has_name.then(|| Name::Address(letters(&plain)))
}

/// What the lists of a set show of a thread.
struct Shown {
    author: bool,
    last_author: bool,
    time: bool,
    last_time: bool,
    replies: bool,
}

impl Shown {
    fn of(pages: &[&Page], given: Given) -> Self {
        if let Some(fields) = pages.iter().find_map(|page| page.shows.as_ref()) {
            let has = |name: &str| fields.iter().any(|field| field == name);
            return Self {
                author: has("author"),
                last_author: has("last_author"),
                time: has("time"),
                last_time: has("last_time"),
                replies: has("replies"),
            };
        }
        let share_of = |first: bool, is_on: &dyn Fn(&Page, &Truth) -> Option<bool>| {
            let mut part = Part::default();
            for page in pages.iter().filter(|page| page.kind == Some(Kind::Thread)) {
                for truth in &page.truth {
                    // A thread without answers shows its first post in its last.
                    if first && truth.replies == Some(0) {
                        continue;
                    }
                    if let Some(is_on) = is_on(page, truth) {
                        part.count(is_on);
                    }
                }
            }
            part.share()
        };
        let name = |page: &Page, name: &Option<String>| {
            name.clone().map(|name| page.says_any(given, &[name]))
        };
        let time =
            |page: &Page, time: Option<i64>| time.map(|time| time::says_minute(page, given, time));
        Self {
            author: share_of(true, &|page, truth| name(page, &truth.author)) >= SHOWS_NAMES,
            last_author: share_of(false, &|page, truth| name(page, &truth.last_author))
                >= SHOWS_NAMES,
            time: share_of(true, &|page, truth| time(page, truth.time)) >= SHOWS_TIMES,
            last_time: share_of(false, &|page, truth| time(page, truth.last_time)) >= SHOWS_TIMES,
            replies: true,
        }
    }
}
