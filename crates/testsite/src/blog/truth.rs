//! What a perfect crawl of the blog finds.

use super::Blog;
use super::model::Article;
use super::pager::nearest;
use super::pages::list_path;
use crate::{Reach, State, Truth};

impl Blog {
    pub(super) fn known_truth(&self) -> Truth {
        let model = &self.model;
        let mut states: Vec<State> = (1..=model.list_pages())
            .map(|page| State::at("list", list_path(page), self.list_title(page)))
            .collect();
        states.extend(model.articles.iter().flat_map(|article| self.article_states(article)));
        let archive = |url: String, title| State::at("archive", url, title).unwanted();
        for (category, (slug, _)) in self.words.categories.iter().enumerate() {
            states.push(archive(format!("/category/{slug}/"), self.category_title(category)));
        }
        for tag in (0..model.tags.len()).filter(|tag| !model.tagged[*tag].is_empty()) {
            states.push(archive(format!("/tag/{}/", tag + 1), self.tag_title(tag)));
        }
        for (month, articles) in &model.months {
            let title = self.month_title(month, articles.len());
            states.push(archive(format!("/archive/{month}/"), title));
        }
        for (path, _, text) in &self.words.statics {
            states.push(State::at("static", *path, *text).unwanted());
        }
        Truth {
            changes: ["like", "praise", "report", "subscribe", "comment"]
                .map(str::to_owned)
                .to_vec(),
            ..Truth::new("blog", states)
        }
    }

    /// A state for each page of an article, all at its URL.
    fn article_states(&self, article: &Article) -> Vec<State> {
        let path = article.path();
        let name = |page: usize| format!("{path} page {page}");
        let mut ways = nearest(article.pages(), self.window, self.words).into_iter();
        (1..=article.pages())
            .map(|page| {
                let comments = article.page(page);
                let marker = comments.first().map(|comment| self.comment_marker(comment));
                let way = if page > 1 { ways.next() } else { None };
                State {
                    id: name(page),
                    shows: comments.iter().map(|comment| comment.text.clone()).collect(),
                    reach: way.map_or(Reach::Url, |(from, on)| Reach::Event {
                        from: name(from),
                        event: "click".to_owned(),
                        on,
                    }),
                    ..State::at("article", path.clone(), marker.unwrap_or_default())
                }
            })
            .collect()
    }
}
