//! What a perfect crawl of the news site finds.

use std::collections::VecDeque;

use super::News;
use super::comments::page_window;
use super::model::Article;
use crate::{Reach, State, Truth};

/// Linked from every page, and forbidden by robots.txt.
pub(super) const OFF_LIMITS: [&str; 3] = ["/search", "/go", "/account/"];

impl News {
    pub(super) fn known_truth(&self) -> Truth {
        let w = self.model.words;
        let mut states = vec![State::at("front", "/", w.today)];
        for section in 0..w.sections.len() {
            for page in 1..=self.list_pages(section) {
                let path = self.list_path(section, page);
                states.push(State::at("section", path, self.list_title(section, page)));
            }
        }
        for article in &self.model.articles {
            let marker = article.paragraphs.first().map_or("", String::as_str);
            states.push(State::at("article", article.path(w), marker));
        }
        for article in self.model.articles.iter().filter(|article| article.pages() > 0) {
            states.extend(comment_states(article));
        }
        for (path, _, text) in &w.statics {
            states.push(State::at("static", *path, *text).unwanted());
        }
        Truth {
            off_limits: OFF_LIMITS.map(str::to_owned).to_vec(),
            changes: ["like", "reply", "report", "comment", "vote", "subscribe", "login"]
                .map(str::to_owned)
                .to_vec(),
            ..Truth::new("news", states)
        }
    }
}

/// A state for each page of comments, in the order of their numbers.
fn comment_states(article: &Article) -> Vec<State> {
    let path = article.comments_path();
    let name = |page: usize| format!("{path} page {page}");
    nearest(article.pages())
        .into_iter()
        .enumerate()
        .map(|(index, from)| {
            let page = index + 1;
            let mut shows = Vec::new();
            for comment in article.page(page) {
                shows.push(comment.text.clone());
                shows.extend(comment.quote.iter().map(|(_, text)| text.clone()));
            }
            State {
                id: name(page),
                marker: shows.first().cloned().unwrap_or_default(),
                shows,
                reach: match from {
                    None => Reach::Url,
                    Some(from) => Reach::Event {
                        from: name(from),
                        event: "click".to_owned(),
                        on: page.to_string(),
                    },
                },
                ..State::at("comments", path.clone(), "")
            }
        })
        .collect()
}

/// For each page, the page from which its number is first seen, starting on page 1.
fn nearest(pages: usize) -> Vec<Option<usize>> {
    let mut from = vec![None; pages];
    let mut seen = vec![false; pages + 1];
    let mut queue = VecDeque::from([1]);
    if let Some(first) = seen.get_mut(1) {
        *first = true;
    }
    while let Some(current) = queue.pop_front() {
        for page in page_window(current, pages).into_iter().flatten() {
            if !std::mem::replace(&mut seen[page], true) {
                from[page - 1] = Some(current);
                queue.push_back(page);
            }
        }
    }
    from
}
