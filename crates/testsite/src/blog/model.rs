//! The articles and what their readers say, generated from the seed.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::length::lengths;
use crate::text::{Once, Writer};
use crate::{Options, Random};

/// Articles of seed 001's blog.
const DESCRIBED: u32 = 725;
/// At about 12 KB an article, this is as much as a test machine should be asked to hold.
const MOST: u32 = 5_000;
/// Comments on a full page.
pub(super) const PER_PAGE: usize = 10;
/// Articles on a page of the list.
pub(super) const PER_LIST: usize = 25;
/// Tags that articles have, each three at most.
const TAGS: usize = 16;

/// Everything on the blog.
pub(super) struct Model {
    /// The newest first.
    pub articles: Vec<Article>,
    pub owner: String,
    pub tags: Vec<String>,
    /// Months and the indices of their articles, the latest first.
    pub months: Vec<(String, Vec<usize>)>,
    /// Indices of articles by category.
    pub categories: Vec<Vec<usize>>,
    /// Indices of articles by tag.
    pub tagged: Vec<Vec<usize>>,
}

pub(super) struct Article {
    /// Its code in URLs.
    pub code: String,
    pub title: String,
    pub paragraphs: Vec<String>,
    pub time: Timestamp,
    pub category: usize,
    /// Indices into [`Model::tags`].
    pub tags: Vec<usize>,
    pub comments: Vec<Comment>,
}

pub(super) struct Comment {
    /// Shown with the comment, and with no other.
    pub number: u32,
    pub nick: String,
    pub place: String,
    pub time: Timestamp,
    pub text: String,
    pub likes: usize,
}

impl Model {
    pub(super) fn generate(options: &Options, categories: usize) -> Self {
        let articles = options.size_or(DESCRIBED, MOST) as usize;
        let mut once = Once::default();
        let mut pace = Random::of(options.seed, "blog pace");
        let mut time = options.clock.now();
        let articles: Vec<Article> = lengths(articles, options.seed)
            .into_iter()
            .enumerate()
            .map(|(index, pages)| {
                time -= SignedDuration::from_mins(pace.between(600, 4_600) as i64);
                let random = Random::of(options.seed, &format!("blog article {index}"));
                let mut writer = Writer::new(options.lang, random);
                Article::write(&mut writer, pages, time, categories, &mut once)
            })
            .collect();
        let mut writer = Writer::new(options.lang, Random::of(options.seed, "blog owner"));
        let mut months: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut by_category = vec![Vec::new(); categories];
        let mut tagged = vec![Vec::new(); TAGS];
        for (index, article) in articles.iter().enumerate() {
            months.entry(article.time.strftime("%Y-%m").to_string()).or_default().push(index);
            by_category[article.category].push(index);
            for tag in &article.tags {
                tagged[*tag].push(index);
            }
        }
        Model {
            articles,
            owner: writer.write("person"),
            tags: (0..TAGS).map(|_| once.write(|| writer.write("topic"))).collect(),
            months: months.into_iter().rev().collect(),
            categories: by_category,
            tagged,
        }
    }

    pub(super) fn article(&self, code: &str) -> Option<&Article> {
        self.articles.iter().find(|article| article.code == code)
    }

    /// The number of pages of the list.
    pub(super) fn list_pages(&self) -> usize {
        self.articles.len().div_ceil(PER_LIST).max(1)
    }

    /// Up to `count` articles, each once; `place` names where they stand.
    pub(super) fn some(&self, seed: u64, place: &str, count: usize) -> Vec<&Article> {
        let mut random = Random::of(seed, place);
        let stride = random.between(1, (self.articles.len() / count.max(1)).max(1));
        let start = random.below(self.articles.len());
        let all = self.articles.iter().cycle().skip(start).step_by(stride);
        all.take(count.min(self.articles.len() / stride)).collect()
    }
}

impl Article {
    fn write(
        writer: &mut Writer,
        pages: usize,
        time: Timestamp,
        categories: usize,
        once: &mut Once,
    ) -> Self {
        let code = once.write(|| writer.random.hex(10));
        let title = once.write(|| writer.write("headline"));
        let paragraphs = (0..writer.random.between(5, 14))
            .map(|_| {
                let sentences = writer.random.between(2, 6);
                writer.paragraph(sentences)
            })
            .collect();
        let mut tags: Vec<usize> = (0..3).map(|_| writer.random.below(TAGS)).collect();
        tags.sort_unstable();
        tags.dedup();
        let comments = (pages - 1) * PER_PAGE + writer.random.between(1, PER_PAGE);
        let mut said = time;
        let comments = (0..comments)
            .map(|_| {
                said += SignedDuration::from_secs(writer.random.between(40, 4_000) as i64);
                Comment {
                    number: once.number(),
                    nick: writer.write("nick"),
                    place: writer.write("place"),
                    time: said,
                    text: writer.write("comment"),
                    likes: writer.random.below(60),
                }
            })
            .collect();
        let category = writer.random.below(categories);
        Article { code, title, paragraphs, time, category, tags, comments }
    }

    pub(super) fn path(&self) -> String {
        format!("/s/blog_{}.html", self.code)
    }

    /// The number of its pages.
    pub(super) fn pages(&self) -> usize {
        self.comments.len().div_ceil(PER_PAGE)
    }

    /// The comments on a page, from 1; none beyond the last page.
    pub(super) fn page(&self, number: usize) -> &[Comment] {
        let pages = self.comments.chunks(PER_PAGE);
        number.checked_sub(1).and_then(|index| pages.clone().nth(index)).unwrap_or_default()
    }
}
