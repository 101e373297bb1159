//! A post, and how one is written: what its author says, whom they quote, what they change later.

use jiff::{SignedDuration, Timestamp};

use super::model::{PER_THREAD, Thread};
use super::people::User;
use super::tongue::Tongue;
use crate::Random;
use crate::text::Once;

pub(super) struct Post {
    pub id: u32,
    /// Index into the members.
    pub author: usize,
    pub time: Timestamp,
    /// Its texts, the first from the beginning.
    pub revisions: Vec<Revision>,
    pub removed: Option<Timestamp>,
    /// Places in the thread of the posts that it quotes.
    pub answers: Vec<usize>,
    /// The place of the post that it hangs below, where replies are a tree.
    pub parent: Option<usize>,
    pub likes: usize,
    /// Names and kilobytes of files.
    pub files: Vec<(&'static str, usize)>,
    /// Whether its author has left the subject line as it was.
    pub subject: bool,
}

#[derive(Clone)]
pub(super) struct Revision {
    pub at: Timestamp,
    pub parts: Vec<Part>,
}

/// What a post is made of.
#[derive(Clone)]
pub(super) enum Part {
    Paragraph(String),
    /// A paragraph that ends in a link.
    Link(String, String),
    Code(Vec<&'static str>),
    List(Vec<String>),
    /// A picture with its text.
    Picture(String),
    Quote(Quote),
}

#[derive(Clone)]
pub(super) struct Quote {
    /// The place in the thread of what is quoted.
    pub of: usize,
    /// Who said it, and when; a bare quote has no such line.
    pub header: Option<(usize, Timestamp)>,
    pub paragraphs: Vec<String>,
    pub inner: Option<Box<Quote>>,
}

impl Quote {
    /// All its text, without its headers.
    pub(super) fn text(&self) -> String {
        let inner = self.inner.iter().map(|inner| inner.text());
        inner.chain(self.paragraphs.iter().cloned()).collect::<Vec<_>>().join("\n")
    }
}

impl Post {
    pub(super) fn is_there(&self, now: Timestamp) -> bool {
        self.time <= now && self.removed.is_none_or(|removed| removed > now)
    }

    /// What it says at a time.
    pub(super) fn parts_at(&self, now: Timestamp) -> &[Part] {
        let said = self.revisions.iter().rfind(|revision| revision.at <= now);
        said.map_or(&[], |revision| &revision.parts)
    }

    /// When it was last changed, if it was.
    pub(super) fn edited_at(&self, now: Timestamp) -> Option<Timestamp> {
        let changes = self.revisions.iter().skip(1);
        changes.filter(|revision| revision.at <= now).map(|revision| revision.at).next_back()
    }

    /// What its author wrote, by line.
    pub(super) fn content(&self, now: Timestamp) -> String {
        let mut lines: Vec<&str> = Vec::new();
        for part in self.parts_at(now) {
            match part {
                Part::Paragraph(text) => lines.push(text),
                Part::Link(text, address) => lines.extend([text.as_str(), address]),
                Part::Code(code) => lines.extend(code),
                Part::List(items) => lines.extend(items.iter().map(String::as_str)),
                Part::Picture(_) | Part::Quote(_) => {}
            }
        }
        lines.join("\n")
    }

    /// The quotes in it.
    pub(super) fn quotes(&self, now: Timestamp) -> impl Iterator<Item = &Quote> {
        self.parts_at(now).iter().filter_map(|part| match part {
            Part::Quote(quote) => Some(quote),
            _ => None,
        })
    }

    /// Its first paragraph.
    pub(super) fn opening(&self, now: Timestamp) -> &str {
        let texts = self.parts_at(now).iter().filter_map(|part| match part {
            Part::Paragraph(text) => Some(text.as_str()),
            _ => None,
        });
        texts.take(1).next().unwrap_or_default()
    }
}

/// The first so many words of a text, at most half of them; of a text without spaces, letters.
pub(super) fn cut(text: &str, words: usize) -> String {
    let spaces: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).collect();
    let end = if spaces.len() > 5 {
        spaces.get(words.min(spaces.len() / 2)).copied()
    } else {
        let letters = text.chars().count();
        text.char_indices().nth((words * 2).min(letters / 2)).map(|(at, _)| at)
    };
    format!("{} …", text.get(..end.unwrap_or(0)).unwrap_or_default())
}

/// Writes posts.
pub(super) struct Author<'u, 'o> {
    pub tongue: Tongue,
    pub random: Random,
    pub users: &'u [User],
    pub once: &'o mut Once,
}

impl Author<'_, '_> {
    pub(super) fn title(&mut self, index: usize) -> String {
        let mut writer = self.tongue.writer(Random::new(self.random.bits()));
        let title = self.once.write(|| writer.write("thread"));
        match index % 12 {
            2 => format!("[{}] {title}", self.tongue.solved()),
            7 => format!("{title} <{}> & {}", self.tongue.solved(), self.random.between(2, 9)),
            _ => title,
        }
    }

    /// A paragraph that nobody else has written.
    pub(super) fn paragraph(&mut self, sentences: usize) -> String {
        let mut writer = self.tongue.writer(Random::new(self.random.bits()));
        let dated = self.random.chance(35).then(|| self.tongue.dated(&mut self.random));
        let tongue = self.tongue;
        self.once.write(|| {
            let mut said = vec![writer.write(if sentences > 2 { "post" } else { "reply" })];
            said.extend(dated.clone());
            said.extend((0..sentences.saturating_sub(1)).map(|_| writer.write("comment")));
            said.join(tongue.space())
        })
    }

    pub(super) fn poll(&mut self) -> Vec<(String, usize)> {
        let mut writer = self.tongue.writer(Random::new(self.random.bits()));
        (0..3).map(|_| (writer.write("product"), writer.random.between(0, 40))).collect()
    }

    /// The post at this place of a thread.
    pub(super) fn post(&mut self, thread: &Thread, place: usize, time: Timestamp) -> Post {
        let mut parts = Vec::new();
        let mut answers = Vec::new();
        if place > 0 && self.random.chance(38) {
            let quote = self.quote(thread, place);
            answers.push(quote.of);
            parts.push(Part::Quote(quote));
        }
        // What opens a page is long enough that nobody says it by chance.
        let opens = place.is_multiple_of(PER_THREAD);
        let first = if opens { self.random.between(3, 5) } else { self.random.between(1, 4) };
        parts.push(Part::Paragraph(self.paragraph(first)));
        for _ in 0..self.random.below(3) {
            let sentences = self.random.between(1, 3);
            parts.push(Part::Paragraph(self.paragraph(sentences)));
        }
        if self.random.chance(10) {
            parts.push(Part::Code(self.tongue.code(&mut self.random)));
        }
        if self.random.chance(12) {
            let mut writer = self.tongue.writer(Random::new(self.random.bits()));
            parts.push(Part::List((0..3).map(|_| writer.write("thread")).collect()));
        }
        if self.random.chance(14) {
            let address = format!("https://tides.example/{}", self.random.hex(6));
            parts.push(Part::Link(self.tongue.see().to_owned(), address));
        }
        if self.random.chance(12) {
            let mut writer = self.tongue.writer(Random::new(self.random.bits()));
            parts.push(Part::Picture(writer.write("product")));
        }
        if place > 1 && self.random.chance(6) {
            // A second answer in the same post.
            let quote = self.quote(thread, place);
            answers.push(quote.of);
            parts.push(Part::Quote(quote));
            parts.push(Part::Paragraph(self.paragraph(2)));
        }
        let mut revisions = vec![Revision { at: time, parts: parts.clone() }];
        if self.random.chance(15) {
            let at = time + SignedDuration::from_secs(self.random.between(60, 240) as i64);
            revisions.push(Revision { at, parts });
        }
        let files: &[(&str, usize)] = match self.random.below(24) {
            0 => &[("quay-plan.pdf", 412), ("list_2008-11.ods", 37)],
            1 => &[("IMG_2041.jpg", 1_820)],
            _ => &[],
        };
        Post {
            id: 0,
            author: self.writer(thread, place),
            time,
            revisions,
            removed: None,
            parent: answers.first().copied().or_else(|| {
                place.checked_sub(1).map(|last| match self.random.below(5) {
                    0 | 1 => last,
                    2 => self.random.below(place),
                    _ => 0,
                })
            }),
            answers,
            likes: self.random.below(12),
            files: files.to_vec(),
            subject: self.random.chance(60),
        }
    }

    /// Who writes: rarely two posts in a row, and a thread is begun by a member or a guest.
    fn writer(&mut self, thread: &Thread, place: usize) -> usize {
        let chosen = self.random.below(self.users.len());
        match place.checked_sub(1).and_then(|last| thread.posts.get(last)) {
            Some(last) if last.author == chosen => (chosen + 1) % self.users.len(),
            _ => chosen,
        }
    }

    /// A quote of an earlier post. What opens a page is quoted in part only, so that the page can be
    /// told by it.
    fn quote(&mut self, thread: &Thread, place: usize) -> Quote {
        let of = place - 1 - self.random.below(place.min(6));
        let Some(post) = thread.posts.get(of) else {
            return Quote { of, header: None, paragraphs: Vec::new(), inner: None };
        };
        let parts = post.revisions.first().map_or(&[][..], |revision| &revision.parts);
        let mut paragraphs: Vec<String> = parts
            .iter()
            .filter_map(|part| match part {
                Part::Paragraph(text) => Some(text.clone()),
                _ => None,
            })
            .collect();
        if of.is_multiple_of(PER_THREAD) || self.random.chance(35) {
            paragraphs = paragraphs.first().map(|text| cut(text, 18)).into_iter().collect();
        }
        let inner = parts.iter().find_map(|part| match part {
            Part::Quote(inner) if inner.inner.is_none() => Some(Box::new(inner.clone())),
            _ => None,
        });
        let header = self.random.chance(75).then_some((post.author, post.time));
        Quote { of, header, paragraphs, inner: inner.filter(|_| self.random.chance(50)) }
    }
}
