//! The pages that a URL alone reaches: lists, archives, articles, and the small print.

use std::fmt::Write;

use super::Blog;
use super::model::{Article, PER_LIST};
use super::shell::{Body, link_to};
use crate::html::Text;
use crate::{Visit, live};

impl Blog {
    /// What only this page of the list says.
    pub(super) fn list_title(&self, page: usize) -> String {
        let all = self.model.articles.len();
        let from = (page - 1) * PER_LIST + 1;
        format!("{} {from}–{} / {all}", self.words.articles, (page * PER_LIST).min(all))
    }

    pub(super) fn list(&self, visit: &Visit, page: usize) -> String {
        let w = self.words;
        let title = self.list_title(page);
        let mut main = format!(r#"<h2 class="§range">{title}</h2>"#);
        for article in self.model.articles.iter().skip((page - 1) * PER_LIST).take(PER_LIST) {
            let lead: String =
                article.paragraphs.first().map_or("", String::as_str).chars().take(160).collect();
            let _ = write!(
                main,
                concat!(
                    r#"<div class="§entry"><h3>{link}</h3><p class="§when">{time} <a href="/category/{slug}/">{name}</a></p>"#,
                    r#"<p>{lead}…</p><p class="§more"><a href="{path}">{read_on}</a> <em>{comments} ({count})</em></p></div>"#
                ),
                link = link_to(article),
                time = article.time.strftime("%Y-%m-%d %H:%M"),
                slug = w.categories[article.category].0,
                name = w.categories[article.category].1,
                lead = Text(&lead),
                path = article.path(),
                read_on = w.read_on,
                comments = w.comments,
                count = article.comments.len(),
            );
        }
        main += r#"<p class="§older">"#;
        if page > 1 {
            let _ = write!(main, r#"<a href="{}">{}</a> "#, list_path(page - 1), w.newer);
        }
        if page < self.model.list_pages() {
            let _ = write!(main, r#"<a href="{}">{}</a>"#, list_path(page + 1), w.older);
        }
        main += "</p>";
        self.shell(visit, &Body { title, main, source: None })
    }

    /// The titles of these articles; `title` is on this page only.
    pub(super) fn titles(&self, visit: &Visit, title: String, articles: &[usize]) -> String {
        let mut main = format!(r#"<h2 class="§range">{}</h2><ul class="§titles">"#, Text(&title));
        for article in articles.iter().filter_map(|index| self.model.articles.get(*index)) {
            let time = article.time.strftime("%Y-%m-%d");
            let _ = write!(main, "<li>{} <em>{time}</em></li>", link_to(article));
        }
        main += "</ul>";
        self.shell(visit, &Body { title, main, source: None })
    }

    pub(super) fn category_title(&self, category: usize) -> String {
        let w = self.words;
        format!(
            "{}: {} ({})",
            w.category,
            w.categories[category].1,
            self.model.categories[category].len()
        )
    }

    pub(super) fn tag_title(&self, tag: usize) -> String {
        let count = self.model.tagged[tag].len();
        format!("{}: {} ({count})", self.words.tagged, self.model.tags[tag])
    }

    pub(super) fn month_title(&self, month: &str, count: usize) -> String {
        format!("{}: {month} ({count})", self.words.archive)
    }

    pub(super) fn article(&self, visit: &Visit, article: &Article) -> String {
        let w = self.words;
        let index = self.model.articles.iter().position(|other| other.code == article.code);
        let beside = |at: Option<usize>| {
            at.and_then(|at| self.model.articles.get(at)).map(link_to).unwrap_or_default()
        };
        let sizes = [("s", "A-"), ("m", "A"), ("l", "A+")].iter().fold(
            String::new(),
            |all, (size, sign)| {
                all + &live::clickable(self.build, "§act", &self.click("font", size), sign) + " "
            },
        );
        let mut main = format!(
            concat!(
                r#"<div class="§post"><h2>{title}</h2><p class="§when">{time} <a href="/category/{slug}/">{name}</a> <em>{seen} {views}</em></p>"#,
                r#"<p class="§tools">{font}: {sizes} {share}</p><div class="§copy" id="§text">"#
            ),
            title = Text(&article.title),
            time = article.time.strftime("%Y-%m-%d %H:%M:%S"),
            slug = w.categories[article.category].0,
            name = w.categories[article.category].1,
            seen = article.comments.len() * 31 + visit.random().below(40),
            views = w.views,
            font = w.font,
            sizes = sizes,
            share = live::clickable(self.build, "§act", &self.click("share", ""), w.share),
        );
        for paragraph in &article.paragraphs {
            let _ = write!(main, "<p>{}</p>", Text(paragraph));
        }
        let tags = article.tags.iter().fold(String::new(), |mut all, tag| {
            let _ =
                write!(all, r#"<a href="/tag/{}/">{}</a> "#, tag + 1, Text(&self.model.tags[*tag]));
            all
        });
        let related = self.model.some(self.seed, &article.code, 6).into_iter().fold(
            String::new(),
            |mut all, other| {
                let _ = write!(all, "<li>{}</li>", link_to(other));
                all
            },
        );
        let _ = write!(
            main,
            concat!(
                r#"</div><p class="§tags">{tags_word}: {tags}</p><p>{like}</p>"#,
                r#"<table class="§beside"><tr><td>{newer}: {previous}</td><td>{older}: {next}</td></tr></table>"#,
                r#"<div class="§related"><h4>{related_title}</h4><ul>{related}</ul></div></div>"#,
                r#"<div class="§comments"><h3>{comments} <em>({count})</em></h3><div data-region="{region}"><div id="§view">{first}</div></div>"#,
                r#"<form class="§write" id="§write" method="post" action="/comments/{code}"><h4>{write}</h4><textarea name="text" rows="4" cols="60"></textarea>"#,
                r#"<p><button>{send}</button></p></form></div>"#
            ),
            tags_word = w.tags,
            tags = tags,
            like = live::clickable(
                self.build,
                "§act",
                &self.click("praise", &article.code),
                w.like_article
            ),
            newer = w.newer,
            previous = beside(index.and_then(|at| at.checked_sub(1))),
            older = w.older,
            next = beside(index.map(|at| at + 1)),
            related_title = w.related,
            related = related,
            comments = w.comments,
            count = article.comments.len(),
            region = self.names.element("comments"),
            first = self.comments(article, 1),
            code = article.code,
            write = w.write,
            send = w.send,
        );
        let source = Some(format!("/comments/{}/", article.code));
        self.shell(visit, &Body { title: article.title.clone(), main, source })
    }

    pub(super) fn small_print(&self, visit: &Visit, name: &str, text: &str) -> String {
        let main = format!(
            r#"<div class="§post"><h2>{name}</h2><div class="§copy"><p>{text}</p></div></div>"#
        );
        self.shell(visit, &Body { title: name.to_owned(), main, source: None })
    }
}

pub(super) fn list_path(page: usize) -> String {
    match page {
        0 | 1 => "/".to_owned(),
        page => format!("/page/{page}"),
    }
}
