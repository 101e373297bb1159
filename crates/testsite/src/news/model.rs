//! The articles and comments, generated from the seed.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::words::{Words, words};
use crate::text::{Once, Writer};
use crate::{Options, Random};

/// Pages of comments of the first three articles: those of seed 000's experiment, table 1.
const PAGES: [usize; 3] = [7, 8, 11];
/// Comments on a full page.
pub(super) const PER_PAGE: usize = 10;
/// Articles without comments, beside those that `size` asks for.
const BRIEFS: usize = 12;
/// Numbers of comments that were written after the site was begun are above this.
const LATER_COMMENTS: u32 = 900_000_000;
/// At about 60 KB an article, this is as much as a test machine should be asked to hold.
const MOST_ARTICLES: u32 = 5_000;

/// Everything that the site tells.
pub(super) struct Model {
    pub words: &'static Words,
    /// The newest first.
    pub articles: Vec<Article>,
}

pub(super) struct Article {
    /// Its code in URLs, such as `BK4F09A2`.
    pub code: String,
    /// Index into [`Words::sections`].
    pub section: usize,
    pub title: String,
    pub lead: String,
    pub paragraphs: Vec<String>,
    pub author: String,
    pub time: Timestamp,
    pub tags: Vec<String>,
    /// Empty where comments are closed.
    pub comments: Vec<Comment>,
}

pub(super) struct Comment {
    pub id: u32,
    pub nick: String,
    pub place: String,
    pub time: Timestamp,
    pub text: String,
    pub likes: u32,
    /// Nick and text of a comment that this one answers. Such words are on no other page.
    pub quote: Option<(String, String)>,
}

impl Model {
    pub(super) fn generate(options: &Options) -> Self {
        let commented = options.size_or(3, MOST_ARTICLES) as usize;
        let words = words(options.lang);
        let mut once = Once::default();
        let mut articles: Vec<Article> = (0..commented + BRIEFS)
            .map(|index| {
                let random = Random::of(options.seed, &format!("news article {index}"));
                let mut writer = Writer::new(options.lang, random);
                let pages = match PAGES.get(index) {
                    _ if index >= commented => 0,
                    Some(pages) => *pages,
                    None => writer.random.between(2, 12),
                };
                Article::write(words, index, &mut writer, pages, &mut once)
            })
            .collect();

        // Articles of both sorts stand beside each other, the newest first.
        let mut random = Random::of(options.seed, "news order");
        for index in (1..articles.len()).rev() {
            articles.swap(index, random.below(index + 1));
        }
        let now = options.clock.now();
        let mut time = now;
        for article in &mut articles {
            time -= SignedDuration::from_mins(random.between(20, 300) as i64);
            article.published(time, now, &mut random);
        }
        for day in 1..=options.age {
            for article in articles.iter_mut().filter(|article| article.pages() > 0) {
                article.commented_on(options, day, now);
            }
        }
        Model { words, articles }
    }

    /// The articles of a section, the newest first.
    pub(super) fn of_section(&self, section: usize) -> impl Iterator<Item = &Article> {
        self.articles.iter().filter(move |article| article.section == section)
    }

    pub(super) fn article(&self, code: &str) -> Option<&Article> {
        self.articles.iter().find(|article| article.code == code)
    }
}

impl Article {
    fn write(
        words: &Words,
        index: usize,
        writer: &mut Writer,
        pages: usize,
        once: &mut Once,
    ) -> Self {
        let section = index % words.sections.len();
        let headline = format!("headline-{}", words.sections[section].0);
        let comments = match pages {
            0 => 0,
            pages => (pages - 1) * PER_PAGE + writer.random.between(1, PER_PAGE),
        };
        Article {
            code: once.write(|| format!("BK{}", writer.random.hex(6).to_uppercase())),
            section,
            title: once.write(|| writer.write(&headline)),
            lead: once.write(|| writer.paragraph(2)),
            paragraphs: (0..writer.random.between(4, 9))
                .map(|_| {
                    once.write(|| {
                        let n = writer.random.between(2, 4);
                        writer.paragraph(n)
                    })
                })
                .collect(),
            author: writer.write("person"),
            time: Timestamp::UNIX_EPOCH,
            tags: (0..3)
                .map(|_| writer.write("topic"))
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            comments: (0..comments).map(|_| Comment::write(writer, once)).collect(),
        }
    }

    /// Sets the time of the article, and of the comments between then and `now`, of which the
    /// first is the newest.
    fn published(&mut self, time: Timestamp, now: Timestamp, random: &mut Random) {
        self.time = time;
        let seconds = now.duration_since(time).as_secs().max(0) as usize;
        let pause = seconds / (self.comments.len() + 1);
        for (age, comment) in self.comments.iter_mut().rev().enumerate() {
            let after = age * pause + random.below(pause + 1);
            comment.time = time + SignedDuration::from_secs(after as i64);
        }
    }

    /// Adds what readers wrote on a day after the site was begun; on some days nobody does.
    fn commented_on(&mut self, options: &Options, day: u32, begun: Timestamp) {
        let random = Random::of(options.seed, &format!("news day {day} {}", self.code));
        let mut writer = Writer::new(options.lang, random);
        let comments = if writer.random.chance(60) { writer.random.between(1, 4) } else { 0 };
        for hour in 0..comments {
            let mut comment = Comment::write(&mut writer, &mut Once::default());
            comment.id = LATER_COMMENTS + self.comments.len() as u32;
            comment.text = format!("{} ({day}.{hour})", comment.text);
            let hours = 24 * i64::from(day) - 1 - hour as i64;
            comment.time = begun + SignedDuration::from_hours(hours);
            self.comments.insert(0, comment);
        }
    }

    pub(super) fn path(&self, words: &Words) -> String {
        let (section, _) = words.sections[self.section];
        format!("/{section}/{}/{}.html", self.time.strftime("%y/%m%d"), self.code)
    }

    pub(super) fn comments_path(&self) -> String {
        format!("/comment/{}.html", self.code)
    }

    /// The number of pages of comments.
    pub(super) fn pages(&self) -> usize {
        self.comments.len().div_ceil(PER_PAGE)
    }

    /// The comments on a page, from 1; none beyond the last page.
    pub(super) fn page(&self, number: usize) -> &[Comment] {
        let pages = self.comments.chunks(PER_PAGE);
        number.checked_sub(1).and_then(|index| pages.clone().nth(index)).unwrap_or_default()
    }
}

impl Comment {
    fn write(writer: &mut Writer, once: &mut Once) -> Self {
        let quoted = writer.random.chance(15);
        Comment {
            id: once.number(),
            nick: writer.write("nick"),
            place: writer.write("place"),
            time: Timestamp::UNIX_EPOCH,
            // Each part is said once, so that no comment is a part of another.
            text: match writer.random.below(4) {
                0 => {
                    once.write(|| writer.write("comment"))
                        + " "
                        + &once.write(|| writer.write("comment"))
                }
                _ => once.write(|| writer.write("comment")),
            },
            likes: writer.random.below(400) as u32,
            quote: quoted.then(|| (writer.write("nick"), once.write(|| writer.write("reply")))),
        }
    }
}
