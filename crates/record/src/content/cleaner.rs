//! What was learned about the posts of a type of pages.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::place::{self, PlaceId};
use super::thread::Thread;
use super::token::Token;
use super::{Content, Post, control, note, quote, reply, signature, subject, write};

/// Posts that are learned from.
const MOST_POSTS: usize = 20_000;
/// Places and texts that are kept, of each sort.
const MOST_KEPT: usize = 20_000;

/// What is at a place of a post, if not its author's words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    /// The same text in every post.
    Control,
    /// What every post has: its words, whatever element they are in.
    Body,
    /// A quote.
    Quote,
    /// A quote that says whose it is: what is there and does not say so is none.
    Headed,
    /// An element that means a quote, but holds what the author wrote.
    Own,
    /// The title of the thread.
    Subject,
    /// A note of the software.
    Note,
    /// A signature.
    Signature,
}

/// What was learned about the posts of a type of pages: where what their authors did not write is.
///
/// ```
/// use record::{Cleaner, Post};
/// use page::tree::parse_str;
///
/// let dom = parse_str(
///     "<article>Has anyone ever seen a heron on this lake?</article>
///      <article><blockquote>Ann wrote: Has anyone ever seen a heron on this lake?</blockquote>Yes!</article>",
/// ).dom;
/// let posts: Vec<Post> = dom
///     .elements()
///     .filter(|node| node.name() == "article")
///     .map(|node| Post::new(&dom, vec![node.id()]))
///     .collect();
/// let cleaner = Cleaner::learn(std::slice::from_ref(&posts));
/// let contents = cleaner.clean(&posts);
/// assert_eq!(contents[1].text, "Yes!");
/// assert_eq!(contents[1].quoted, [0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cleaner {
    /// What is where, by the number of the place: its name, and what is there.
    #[serde(with = "named")]
    roles: BTreeMap<PlaceId, (String, Role)>,
    /// Texts that many posts show.
    pub(super) controls: BTreeSet<u64>,
    /// Whether posts begin with a line that says the title of their thread.
    #[serde(default)]
    pub(super) subject_lines: bool,
    /// Words of the lines above quotes.
    pub(super) headers: BTreeSet<Token>,
    /// Notes that have no place of their own, without dates and names.
    pub(super) notes: BTreeSet<u64>,
    /// What authors end their posts with.
    pub(super) endings: BTreeSet<u64>,
}

impl Cleaner {
    /// Learns from threads: each the posts of all its pages, in order.
    pub fn learn(threads: &[Vec<Post<'_>>]) -> Self {
        let mut room = MOST_POSTS;
        let mut threads: Vec<Thread<'_, '_>> = threads
            .iter()
            .map_while(|posts| {
                let posts = posts.get(..posts.len().min(room)).filter(|posts| !posts.is_empty());
                room -= posts.map_or(0, <[Post<'_>]>::len);
                (room > 0 || posts.is_some()).then(|| Thread::new(posts.unwrap_or_default()))
            })
            .collect();
        let mut cleaner = Cleaner::default();
        // Each step learns from what the one before has left. A signature repeats in a thread as a quote
        // does, so it goes first; one that stands above an edit note is seen when that is gone.
        control::learn(&threads, &mut cleaner);
        threads.iter_mut().for_each(|thread| control::cut(&cleaner, thread));
        subject::learn(&threads, &mut cleaner);
        threads.iter_mut().for_each(|thread| subject::cut(&cleaner, thread));
        signature::learn(&threads, &mut cleaner);
        threads.iter_mut().for_each(|thread| signature::cut(&cleaner, thread));
        note::learn_boxes(&threads, &mut cleaner);
        quote::learn(&threads, &mut cleaner);
        for thread in &mut threads {
            quote::cut(&cleaner, thread);
        }
        note::learn(&threads, &mut cleaner);
        threads.iter_mut().for_each(|thread| note::cut(&cleaner, thread));
        signature::learn(&threads, &mut cleaner);
        cleaner.bound();
        cleaner
    }

    /// The contents of the posts of a thread: all its pages, in order.
    pub fn clean(&self, thread: &[Post<'_>]) -> Vec<Content> {
        let mut thread = Thread::new(thread);
        control::cut(self, &mut thread);
        subject::cut(self, &mut thread);
        signature::cut(self, &mut thread);
        let quotes = quote::cut(self, &mut thread);
        note::cut(self, &mut thread);
        signature::cut(self, &mut thread);
        let replies = reply::find(&thread);
        let sheets = thread.sheets.iter().zip(thread.posts);
        let contents = sheets.zip(quotes.into_iter().zip(replies)).map(
            |((sheet, post), (quotes, replies))| {
                let mut quoted: Vec<usize> = quotes.iter().filter_map(|quote| quote.of).collect();
                quoted.extend(replies);
                quoted.sort_unstable();
                quoted.dedup();
                Content {
                    text: write::text(sheet),
                    html: write::html(sheet, post.base),
                    links: write::links(sheet, post.base),
                    quoted,
                    quotes: quotes.into_iter().map(|quote| quote.text).collect(),
                }
            },
        );
        contents.collect()
    }

    /// Says what is at a place. What was said first stays, but for that it is the author's.
    pub(super) fn give(&mut self, place: String, role: Role) {
        let id = place::id(&place);
        let is_new = self.role(id).is_none_or(|known| matches!(known, Role::Own | Role::Body));
        if is_new && self.roles.len() < MOST_KEPT {
            self.roles.insert(id, (place, role));
        }
    }

    /// What is at a place.
    pub(super) fn role(&self, place: PlaceId) -> Option<Role> {
        self.roles.get(&place).map(|(_, role)| *role)
    }

    fn bound(&mut self) {
        while self.controls.len() > MOST_KEPT {
            self.controls.pop_last();
        }
        while self.notes.len() > MOST_KEPT {
            self.notes.pop_last();
        }
        while self.endings.len() > MOST_KEPT {
            self.endings.pop_last();
        }
    }
}

/// Places are written down by name, so that a person can read what was learned.
mod named {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{PlaceId, Role, place};

    pub(super) fn serialize<S: Serializer>(
        roles: &BTreeMap<PlaceId, (String, Role)>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        let named: BTreeMap<&str, Role> =
            roles.values().map(|(place, role)| (place.as_str(), *role)).collect();
        named.serialize(out)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<PlaceId, (String, Role)>, D::Error> {
        let named = BTreeMap::<String, Role>::deserialize(from)?;
        Ok(named.into_iter().map(|(place, role)| (place::id(&place), (place, role))).collect())
    }
}
