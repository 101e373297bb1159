//! What is on the forum: members, threads and their posts.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use crate::text::Writer;
use crate::{Options, Random};

/// The board of seed 000's first experiment.
pub(super) const BOARD: &str = "/b-1001024024";
/// Threads on a page of the list.
pub(super) const ROWS: usize = 10;
/// Posts on a page of a thread.
pub(super) const POSTS: usize = 8;

/// Pages of list and threads that visitors come for, unless told otherwise.
const DESCRIBED: u32 = 200;
const MOST: u32 = 20_000;
/// Pages of low value, unless told otherwise.
const DESCRIBED_CHAFF: u32 = 240;
const MOST_CHAFF: u32 = 50_000;

/// Everything on the forum.
pub(super) struct Model {
    pub threads: Vec<Thread>,
    pub members: Vec<Member>,
    pub tags: Vec<String>,
    /// Days that the calendar has a page for, the latest first.
    pub days: Vec<String>,
    /// So many of the first threads have a print view.
    pub printed: usize,
}

pub(super) struct Thread {
    pub id: u32,
    pub title: String,
    pub views: usize,
    /// Indices into [`Model::tags`].
    pub tags: Vec<usize>,
    pub posts: Vec<Post>,
}

pub(super) struct Post {
    pub id: u32,
    /// Index into [`Model::members`].
    pub author: usize,
    pub time: Timestamp,
    pub text: String,
    /// Index of an earlier post of the thread that it quotes.
    pub quotes: Option<usize>,
    pub likes: usize,
}

pub(super) struct Member {
    pub id: u32,
    pub nick: String,
    pub group: usize,
    pub posts: usize,
    pub joined: String,
    pub signature: String,
}

impl Model {
    pub(super) fn generate(options: &Options, fixed_chaff: usize) -> Self {
        let chaff = match options.chaff {
            0 => DESCRIBED_CHAFF,
            chaff => chaff.min(MOST_CHAFF),
        };
        // Each family has at least one page, since the others link to it.
        let pool = (chaff as usize).saturating_sub(fixed_chaff).max(4);
        let members = (pool * 45 / 100).max(1);
        let tags = (pool * 20 / 100).max(1);
        let days = (pool * 20 / 100).max(1);
        // A list without a thread is no forum.
        let pages = options.size_or(DESCRIBED, MOST).max(2) as usize;
        let threads = thread_lengths(pages, &mut Random::of(options.seed, "bbs lengths"));
        let printed = (pool - members - tags - days).min(threads.len());

        let now = options.clock.now();
        let mut said = Said::default();
        let members = (0..members).map(|index| member(options, index, &mut said));
        let members: Vec<Member> = members.collect();
        let tags: Vec<String> = (0..tags).map(|index| tag(options, index)).collect();
        let days = (0..days as i64).map(|back| day(now - SignedDuration::from_hours(24 * back)));
        let mut next_post = 4_100_001;
        let mut latest = now - SignedDuration::from_mins(3);
        let threads = threads
            .into_iter()
            .enumerate()
            .map(|(index, length)| {
                let random = Random::of(options.seed, &format!("bbs thread {index}"));
                let mut writer = Writer::new(options.lang, random);
                latest -= SignedDuration::from_mins(writer.random.between(2, 90) as i64);
                let thread = Thread {
                    id: 30_001 + index as u32,
                    title: said.new_text(|| writer.write("thread")),
                    views: 20 * length + writer.random.below(4_000),
                    tags: (0..3).map(|_| writer.random.below(tags.len())).collect(),
                    posts: posts(length, next_post, latest, members.len(), &mut writer, &mut said),
                };
                next_post += thread.posts.len() as u32;
                thread
            })
            .collect();
        Model { threads, members, tags, days: days.collect(), printed }
    }

    /// The number of pages of the list.
    pub(super) fn list_pages(&self) -> usize {
        self.threads.len().div_ceil(ROWS).max(1)
    }

    pub(super) fn thread(&self, id: u32) -> Option<&Thread> {
        let index = id.checked_sub(30_001)?;
        self.threads.get(index as usize)
    }
}

impl Thread {
    /// The number of pages of the thread.
    pub(super) fn pages(&self) -> usize {
        self.posts.len().div_ceil(POSTS).max(1)
    }

    pub(super) fn url(&self) -> String {
        format!("/thread/{}", self.id)
    }

    /// Whether it is opened by a script from wherever it is named, rather than by a link.
    pub(super) fn opened_by_script(&self) -> bool {
        self.id.is_multiple_of(3)
    }
}

impl Member {
    pub(super) fn url(&self) -> String {
        format!("/u/{}", self.id)
    }
}

/// The numbers of posts of threads such that their pages and the pages of the list are `pages` in
/// all.
fn thread_lengths(pages: usize, random: &mut Random) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut total = 0;
    while total < pages {
        // A thread that begins a new page of the list costs that page, too.
        let row = usize::from(lengths.len() % ROWS == 0);
        let left = pages - total - row;
        if left == 0 {
            // One page is over, and a list page without a thread does not exist.
            if let Some(last) = lengths.last_mut() {
                *last += POSTS;
            }
            break;
        }
        // Most threads fit on a page, few are long.
        let length = match random.below(10) {
            0..=5 => 1,
            6..=7 => 2,
            8 => random.between(3, 4),
            _ => random.between(4, 7),
        };
        let length = length.min(left);
        lengths.push(length * POSTS - random.below(POSTS));
        total += row + length;
    }
    lengths
}

fn posts(
    length: usize,
    first_id: u32,
    latest: Timestamp,
    members: usize,
    writer: &mut Writer,
    said: &mut Said,
) -> Vec<Post> {
    let mut time = latest;
    let mut times: Vec<Timestamp> = (0..length)
        .map(|_| {
            time -= SignedDuration::from_mins(writer.random.between(1, 400) as i64);
            time
        })
        .collect();
    times.reverse();
    let mut posts = Vec::with_capacity(length);
    for (index, time) in times.into_iter().enumerate() {
        let rule = if index == 0 { "post" } else { "reply" };
        let quotes = (index > 0 && writer.random.chance(20)).then(|| writer.random.below(index));
        posts.push(Post {
            id: first_id + index as u32,
            author: writer.random.below(members),
            time,
            text: said.new_text(|| writer.write(rule)),
            quotes,
            likes: writer.random.below(30),
        });
    }
    posts
}

fn member(options: &Options, index: usize, said: &mut Said) -> Member {
    let random = Random::of(options.seed, &format!("bbs member {index}"));
    let mut writer = Writer::new(options.lang, random);
    let joined = SignedDuration::from_hours(24 * writer.random.between(10, 1500) as i64);
    Member {
        id: 100_001 + index as u32,
        nick: said.new_text(|| writer.write("nick")),
        group: writer.random.below(4),
        posts: writer.random.between(3, 5_000),
        joined: day(options.clock.now() - joined),
        signature: writer.write("closing"),
    }
}

fn tag(options: &Options, index: usize) -> String {
    let random = Random::of(options.seed, &format!("bbs tag {index}"));
    let topic = Writer::new(options.lang, random).write("topic");
    format!("{topic} {}", index + 1)
}

fn day(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d").to_string()
}

/// What was said already. People repeat themselves; the truth must tell their words apart.
#[derive(Default)]
struct Said(HashSet<String>);

impl Said {
    fn new_text(&mut self, mut write: impl FnMut() -> String) -> String {
        let mut text = write();
        for _ in 0..8 {
            if !self.0.contains(&text) {
                break;
            }
            text = write();
        }
        if self.0.contains(&text) {
            text = format!("{text} ({})", self.0.len());
        }
        self.0.insert(text.clone());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_and_thread_pages_are_as_many_as_the_size_says() {
        for size in (1..400).chain([2_000, 2_345]) {
            let options = Options { size, ..Options::default() };
            let model = Model::generate(&options, 0);
            let threads: usize = model.threads.iter().map(Thread::pages).sum();
            let pages = model.list_pages() + threads;
            // A list without a thread is no forum: 2 is the least.
            assert_eq!(pages, size.max(2) as usize, "size {size}");
        }
    }

    #[test]
    fn low_value_pages_of_all_families_together_fill_the_pool() {
        let options = Options { chaff: 120, ..Options::default() };
        let model = Model::generate(&options, 20);
        let families = model.members.len() + model.tags.len() + model.days.len() + model.printed;
        assert_eq!(families, 100);
    }
}
