//! The data base: boards, members, threads and posts, generated from the seed. It holds what will be
//! within a day, too; what is there at a time is a question of [`Thread::posts_at`].

use jiff::{SignedDuration, Timestamp};

use super::people::{User, users};
use super::post::{Author, Part, Post, Revision, cut};
use super::tongue::{Tongue, slug};
use crate::text::Once;
use crate::{Options, Random};

/// Threads unless told otherwise.
const DESCRIBED: u32 = 44;
/// At about 10 KB a thread, this is as much as a test machine should be asked to hold.
const MOST: u32 = 2_000;
/// Posts on a page of a thread.
pub(super) const PER_THREAD: usize = 10;
/// Threads on a page of a list, without those that stay on top.
pub(super) const PER_LIST: usize = 6;
/// Which board the threads are in, by turns: a large one, smaller ones, and one inside another.
const SPREAD: [usize; 11] = [0, 1, 0, 2, 0, 1, 3, 0, 2, 1, 4];

/// Everything on the forum.
pub(super) struct Model {
    pub users: Vec<User>,
    pub boards: Vec<Board>,
    pub threads: Vec<Thread>,
    /// The time of the options.
    pub born: Timestamp,
}

pub(super) struct Board {
    pub id: u32,
    pub name: String,
    pub about: String,
    pub slug: String,
    /// The board that it is inside of.
    pub parent: Option<usize>,
}

pub(super) struct Thread {
    pub id: u32,
    pub title: String,
    pub slug: String,
    pub board: usize,
    /// The board in which it has left a row.
    pub moved_from: Option<usize>,
    pub sticky: bool,
    pub closed: bool,
    pub views: usize,
    /// What its members may vote on, above the posts.
    pub poll: Option<Vec<(String, usize)>>,
    /// In the order of time.
    pub posts: Vec<Post>,
}

impl Thread {
    /// Its posts at a time: what is written by then and not taken away.
    pub(super) fn posts_at(&self, now: Timestamp) -> Vec<&Post> {
        self.posts.iter().filter(|post| post.is_there(now)).collect()
    }

    fn last_time(&self) -> Timestamp {
        self.posts.last().map_or(Timestamp::UNIX_EPOCH, |post| post.time)
    }
}

impl Model {
    pub(super) fn generate(options: &Options, tongue: Tongue) -> Self {
        let seed = options.seed;
        let born = options.clock.now();
        let mut once = Once::default();
        let users = users(tongue, seed, born);
        let boards = boards(tongue);
        let count = options.size_or(DESCRIBED, MOST) as usize;
        let mut threads: Vec<Thread> = (0..count)
            .map(|index| {
                let random = Random::of(seed, &format!("forum thread {index}"));
                Author { tongue, random, users: &users, once: &mut once }.thread(index, born)
            })
            .collect();
        tomorrow(&mut threads, &users, tongue, seed, born, &mut once);
        number(&mut threads);
        Model { users, boards, threads, born }
    }
}

fn boards(tongue: Tongue) -> Vec<Board> {
    tongue
        .boards()
        .iter()
        .zip(1..)
        .map(|((name, about), id)| Board {
            id,
            name: (*name).to_owned(),
            about: (*about).to_owned(),
            slug: match slug(name) {
                slug if slug.is_empty() => format!("b{id}"),
                slug => slug,
            },
            parent: (id == 5).then_some(1),
        })
        .collect()
}

impl Author<'_, '_> {
    /// A thread: a third of them has one post, the others up to thirty.
    fn thread(mut self, index: usize, born: Timestamp) -> Thread {
        let posts = match index % 3 {
            1 => 1,
            _ if index.is_multiple_of(8) => self.random.between(18, 30),
            _ => self.random.between(2, 14),
        };
        let minutes = match index % 7 {
            0 => self.random.between(120, 2_400),
            2 | 5 => self.random.between(2_880, 28_800),
            _ => self.random.between(28_800, 1_000_000),
        };
        let times = self.times(born, minutes, posts);
        // Some write in another language than the forum is in.
        if index % 9 == 5 {
            self.tongue = self.tongue.guest();
        }
        let title = self.title(index);
        let mut thread = Thread {
            id: 0,
            slug: slug(&title),
            title,
            board: SPREAD[index % SPREAD.len()],
            moved_from: None,
            sticky: matches!(index % 22, 0 | 5),
            closed: index % 13 == 4,
            views: self.random.between(40, 9_000),
            poll: None,
            posts: Vec::with_capacity(posts),
        };
        if index % 17 == 8 {
            thread.moved_from = Some((thread.board + 1) % 4);
        }
        if index % 20 == 3 {
            thread.poll = Some(self.poll());
        }
        for (place, time) in times.into_iter().enumerate() {
            let post = self.post(&thread, place, time);
            thread.posts.push(post);
        }
        thread
    }

    /// The times of so many posts, the first of them so many minutes ago, the last before now.
    fn times(&mut self, born: Timestamp, minutes: usize, posts: usize) -> Vec<Timestamp> {
        let seconds = minutes * 60;
        // Most threads are busy for some days only.
        let busy = (seconds - 2_400).min(self.random.between(2, 30) * 86_400);
        let mut after: Vec<usize> =
            (1..posts).map(|_| self.random.between(90, busy.max(91))).collect();
        after.push(0);
        after.sort_unstable();
        let start = born - SignedDuration::from_secs(seconds as i64);
        // Nobody posts twice in the same minute: the order of posts is that of their times.
        let mut last = -61;
        after
            .into_iter()
            .map(|seconds| {
                last = (last + 61).max(seconds as i64);
                start + SignedDuration::from_secs(last)
            })
            .collect()
    }
}

/// What happens within the day: a post is edited, another is taken away, and one is written.
fn tomorrow(
    threads: &mut [Thread],
    users: &[User],
    tongue: Tongue,
    seed: u64,
    born: Timestamp,
    once: &mut Once,
) {
    let random = Random::of(seed, "forum tomorrow");
    let mut author = Author { tongue, random, users, once };
    let hours = |hours| born + SignedDuration::from_hours(hours);
    let long = |thread: &&mut Thread| (4..PER_THREAD).contains(&thread.posts.len());
    let mut chosen: Vec<&mut Thread> = threads.iter_mut().filter(long).collect();
    chosen.sort_by_key(|thread| std::cmp::Reverse(thread.last_time()));
    let mut chosen = chosen.into_iter();
    if let Some(post) = chosen.next().and_then(|thread| thread.posts.get_mut(1)) {
        let mut parts = post.parts_at(born).to_vec();
        parts.push(Part::Paragraph(author.paragraph(2)));
        post.revisions.push(Revision { at: hours(5), parts });
    }
    let quoted = |thread: &Thread, id: usize| {
        thread.posts.iter().any(|post| post.answers.contains(&id) || post.parent == Some(id))
    };
    let free = chosen.find_map(|thread| {
        let place = (1..thread.posts.len()).find(|place| !quoted(thread, *place))?;
        thread.posts.get_mut(place)
    });
    if let Some(post) = free {
        post.removed = Some(hours(8));
    }
    if let Some(thread) = chosen.find(|thread| !thread.closed) {
        let mut post = author.post(thread, thread.posts.len(), hours(11));
        post.revisions.truncate(1);
        thread.posts.push(post);
    }
}

/// Numbers posts and threads in the order in which they were written, with gaps, as data bases do.
fn number(threads: &mut [Thread]) {
    let mut posts: Vec<&mut Post> =
        threads.iter_mut().flat_map(|thread| thread.posts.iter_mut()).collect();
    posts.sort_by_key(|post| post.time);
    for (post, order) in posts.into_iter().zip(1..) {
        let order: u32 = order;
        post.id = 1_200 + order * 3;
    }
    let mut order: Vec<&mut Thread> = threads.iter_mut().collect();
    order.sort_by_key(|thread| thread.posts.first().map(|post| post.time));
    for (thread, order) in order.into_iter().zip(1..) {
        let order: u32 = order;
        thread.id = 100 + order * 2;
    }
}

/// The beginning of a text, as lists and short quotes show it; always less than the whole.
pub(super) fn beginning(text: &str) -> String {
    cut(text, 14)
}
