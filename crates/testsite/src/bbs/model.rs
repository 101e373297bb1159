//! What is on the forum: members, threads and their posts.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use crate::text::Writer;
use crate::{Lang, Options, Random};

/// The board of seed 000's first experiment.
pub(super) const BOARD: &str = "/b-1001024024";
/// Threads on a page of the list.
pub(super) const ROWS: usize = 10;
/// Posts on a page of a thread.
pub(super) const POSTS: usize = 8;

/// The id of the first thread; the others follow.
const FIRST_THREAD: u32 = 30_001;
/// Posts of known threads, and of new ones, that came after the forum was begun have ids above these.
const LATER_POSTS: u32 = 1_000_000_000;
const LATER_THREADS: u32 = 900_000_000;

/// Pages of list and threads that visitors come for, unless told otherwise.
const DESCRIBED: u32 = 200;
const MOST: u32 = 100_000;
/// Pages of low value, unless told otherwise.
const DESCRIBED_CHAFF: u32 = 240;
const MOST_CHAFF: u32 = 50_000;

/// The forum. Of a thread only what is needed to list it is kept; what people wrote is written
/// anew whenever it is asked for, so that a forum of 20,000 pages needs little more memory than
/// one of 200.
pub(super) struct Model {
    seed: u64,
    lang: Lang,
    pub heads: Vec<Head>,
    pub members: Vec<Member>,
    pub tags: Vec<String>,
    /// Days that the calendar has a page for, the latest first.
    pub days: Vec<String>,
    /// So many of the first threads have a print view.
    pub printed: usize,
}

/// What is known of a thread without reading it.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub id: u32,
    pub views: usize,
    /// Indices into [`Model::tags`].
    pub tags: [usize; 3],
    pub posts: usize,
    /// How many of them there were when the forum was begun.
    first_posts: usize,
    /// The id of its first post; the others follow.
    first_post: u32,
    pub begun: Timestamp,
    /// Between the first and the last post.
    span: SignedDuration,
}

/// A thread with all that was written in it.
pub(super) struct Thread {
    pub head: Head,
    pub title: String,
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
        let members = (0..members).map(|index| member(options, index, &mut said)).collect();
        let tags: Vec<String> = (0..tags).map(|index| tag(options, index)).collect();
        let days = (0..days as i64).map(|back| day(now - SignedDuration::from_hours(24 * back)));
        let mut random = Random::of(options.seed, "bbs heads");
        let mut first_post = 4_100_001;
        let mut latest = now - SignedDuration::from_mins(3);
        let mut heads: Vec<Head> = threads
            .into_iter()
            .enumerate()
            .map(|(index, posts)| {
                latest -= SignedDuration::from_mins(random.between(2, 90) as i64);
                let minutes = (posts - 1) * random.between(1, 400);
                let span = SignedDuration::from_mins(minutes as i64);
                let head = Head {
                    id: FIRST_THREAD + index as u32,
                    views: 20 * posts + random.below(4_000),
                    tags: [(); 3].map(|()| random.below(tags.len())),
                    posts,
                    first_posts: posts,
                    first_post,
                    begun: latest - span,
                    span,
                };
                first_post += posts as u32;
                head
            })
            .collect();
        for day in 1..=options.age {
            pass_day(options, day, &mut heads);
        }
        Model {
            seed: options.seed,
            lang: options.lang,
            heads,
            members,
            tags,
            days: days.collect(),
            printed,
        }
    }

    /// The number of pages of the list.
    pub(super) fn list_pages(&self) -> usize {
        self.heads.len().div_ceil(ROWS).max(1)
    }

    /// The head of a thread, and its place in the list.
    pub(super) fn head(&self, id: u32) -> Option<(usize, Head)> {
        let index = id.checked_sub(FIRST_THREAD)? as usize;
        Some((index, *self.heads.get(index)?))
    }

    /// A thread, written out.
    pub(super) fn thread(&self, id: u32) -> Option<Thread> {
        let (_, head) = self.head(id)?;
        let mut writer = self.writer(head);
        let title = writer.write("thread");
        let posts = (0..head.posts).map(|index| self.post(head, index, &mut writer)).collect();
        Some(Thread { head, title, posts })
    }

    /// The title of a thread alone.
    pub(super) fn title(&self, head: Head) -> String {
        self.writer(head).write("thread")
    }

    /// The index into [`Model::members`] of who wrote a post of a thread, counted from 0.
    pub(super) fn author(&self, head: Head, index: usize) -> usize {
        let id = head.post_id(index);
        Random::of(self.seed, &format!("bbs author {id}")).below(self.members.len())
    }

    fn writer(&self, head: Head) -> Writer {
        Writer::new(self.lang, Random::of(self.seed, &format!("bbs thread {}", head.id)))
    }

    fn post(&self, head: Head, index: usize, writer: &mut Writer) -> Post {
        let rule = if index == 0 { "post" } else { "reply" };
        let quotes = (index > 0 && writer.random.chance(20)).then(|| writer.random.below(index));
        Post {
            id: head.post_id(index),
            author: self.author(head, index),
            time: head.time(index),
            text: writer.write(rule),
            quotes,
            likes: writer.random.below(30),
        }
    }
}

impl Head {
    /// The number of pages of the thread.
    pub(super) fn pages(&self) -> usize {
        self.posts.div_ceil(POSTS).max(1)
    }

    /// The id of a post, counted from 0. Those that came later have numbers of their own.
    fn post_id(&self, index: usize) -> u32 {
        let later = index.checked_sub(self.first_posts);
        later.map_or(self.first_post + index as u32, |later| {
            LATER_POSTS + (self.id - FIRST_THREAD) * 1_000 + later as u32
        })
    }

    /// When a post was written, counted from 0.
    pub(super) fn time(&self, index: usize) -> Timestamp {
        if let Some(later) = index.checked_sub(self.first_posts) {
            return self.begun + self.span + SignedDuration::from_hours(1 + later as i64);
        }
        let steps = self.first_posts.saturating_sub(1).max(1) as i64;
        self.begun + SignedDuration::from_secs(self.span.as_secs() * index as i64 / steps)
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

/// What happens on a day after the forum was begun: some threads are answered, one comes, and of some the
/// end is taken away.
fn pass_day(options: &Options, day: u32, heads: &mut Vec<Head>) {
    let mut random = Random::of(options.seed, &format!("bbs day {day}"));
    for head in heads.iter_mut() {
        match random.below(10) {
            0..=2 => head.posts += random.between(1, 5),
            3 if head.pages() > 1 => head.posts = (head.pages() - 1) * POSTS,
            _ => {}
        }
    }
    let Some(last) = heads.last().copied() else { return };
    let posts = random.between(1, 2 * POSTS);
    heads.push(Head {
        id: last.id + 1,
        views: posts,
        posts,
        first_posts: posts,
        first_post: LATER_THREADS + 1_000 * day,
        ..last
    });
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

/// The names that are taken.
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
        for size in (1..400).chain([2_000, 2_345, 20_000]) {
            let options = Options { size, ..Options::default() };
            let model = Model::generate(&options, 0);
            let threads: usize = model.heads.iter().map(Head::pages).sum();
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
