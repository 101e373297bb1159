//! The pages that a URL alone reaches: front, sections, articles, and the small print.

use std::fmt::Write;

use super::News;
use super::model::Article;
use super::shell::Body;
use crate::html::Text;
use crate::{Random, Visit};

/// Articles on one page of a section.
pub(super) const PER_LIST: usize = 20;
/// Articles of each section on the front page.
const ON_FRONT: usize = 6;

impl News {
    pub(super) fn front(&self, visit: &Visit) -> String {
        let w = self.model.words;
        let mut main = format!("<h2 class=\"today\">{}</h2>\n", w.today);
        if let Some(top) = self.model.articles.first() {
            let _ = writeln!(
                main,
                "<div class=\"topstory\">{picture}<h1>{link}</h1><p>{lead}</p></div>",
                picture = picture(&top.code, 320, 180),
                link = self.link_to(top),
                lead = Text(&top.lead),
            );
        }
        main.push_str("<div class=\"blocks\">\n");
        for (index, (path, name)) in w.sections.iter().enumerate() {
            let _ =
                write!(main, "<div class=\"block\"><h3><a href=\"/{path}/\">{name}</a></h3><ul>");
            for article in self.model.of_section(index).take(ON_FRONT) {
                let _ = write!(
                    main,
                    "<li>{} <em>{}</em></li>",
                    self.link_to(article),
                    article.time.strftime("%H:%M")
                );
            }
            main.push_str("</ul></div>\n");
        }
        main.push_str("</div>\n");
        let updated = visit.random().between(1, 58);
        let _ = writeln!(main, "<p class=\"fresh\">{} {updated} s</p>", w.updated);
        self.shell(
            visit,
            &Body {
                title: w.slogan.to_owned(),
                crumbs: vec![(w.home.to_owned(), None)],
                main,
                scripts: Vec::new(),
            },
        )
    }

    /// How many list pages a section has; an empty one has one.
    pub(super) fn list_pages(&self, section: usize) -> usize {
        self.model.of_section(section).count().div_ceil(PER_LIST).max(1)
    }

    /// What only this list page says.
    pub(super) fn list_title(&self, section: usize, page: usize) -> String {
        let w = self.model.words;
        let (_, name) = w.sections[section];
        format!("{}: {name} ({page}/{})", w.all_news, self.list_pages(section))
    }

    pub(super) fn list_path(&self, section: usize, page: usize) -> String {
        let (path, _) = self.model.words.sections[section];
        match page {
            0 | 1 => format!("/{path}/"),
            page => format!("/{path}/list_{page}.html"),
        }
    }

    pub(super) fn list(&self, visit: &Visit, section: usize, page: usize) -> String {
        let w = self.model.words;
        let title = self.list_title(section, page);
        let mut main = format!("<h2>{title}</h2>\n<ul class=\"list\">\n");
        let skip = page.saturating_sub(1) * PER_LIST;
        for article in self.model.of_section(section).skip(skip).take(PER_LIST) {
            let _ = writeln!(
                main,
                "<li><h4>{}</h4><p>{}</p><em>{}</em></li>",
                self.link_to(article),
                Text(&article.lead),
                article.time.strftime("%Y-%m-%d %H:%M"),
            );
        }
        main.push_str("</ul>\n<p class=\"older\">");
        if page > 1 {
            let _ =
                write!(main, "<a href=\"{}\">{}</a> ", self.list_path(section, page - 1), w.newer);
        }
        if page < self.list_pages(section) {
            let _ =
                write!(main, "<a href=\"{}\">{}</a>", self.list_path(section, page + 1), w.older);
        }
        main.push_str("</p>\n");
        let (_, name) = w.sections[section];
        self.shell(
            visit,
            &Body {
                title: name.to_owned(),
                crumbs: self.crumbs(vec![(name.to_owned(), None)]),
                main,
                scripts: Vec::new(),
            },
        )
    }

    pub(super) fn article(&self, visit: &Visit, article: &Article) -> String {
        let w = self.model.words;
        let mut main = format!(
            "<div class=\"article\"><h1>{title}</h1>\n<div class=\"byline\">{by} {author} <em>{time}</em> {count}</div>\n{tools}\
<div class=\"lead\">{lead}</div>\n{picture}\n<div class=\"text\" id=\"text\">\n",
            title = Text(&article.title),
            by = w.by,
            author = Text(&article.author),
            time = article.time.strftime("%Y-%m-%d %H:%M"),
            count = self.comments_link(article),
            tools = self.tools(),
            lead = Text(&article.lead),
            picture = picture(&article.code, 480, 220),
        );
        for paragraph in &article.paragraphs {
            let _ = writeln!(main, "<p>{}</p>", Text(paragraph));
        }
        let _ =
            writeln!(main, "</div>\n<p class=\"tags\">{}: {}</p>", w.tags, article.tags.join(" "));
        let _ = writeln!(main, "<p class=\"cmt\">{}</p>", self.comments_link(article));
        let _ = write!(main, "<div class=\"related\"><h3>{}</h3><ul>", w.related);
        for other in self.some_articles(&article.code, 5) {
            if other.code != article.code {
                let _ = write!(main, "<li>{}</li>", self.link_to(other));
            }
        }
        main.push_str("</ul></div></div>\n");
        let (path, name) = w.sections[article.section];
        self.shell(
            visit,
            &Body {
                title: article.title.clone(),
                crumbs: self.crumbs(vec![
                    (name.to_owned(), Some(format!("/{path}/"))),
                    (article.title.clone(), None),
                ]),
                main,
                scripts: Vec::new(),
            },
        )
    }

    fn comments_link(&self, article: &Article) -> String {
        let w = self.model.words;
        match article.comments.len() {
            0 => format!("<span>{}</span>", w.comments_closed),
            count => {
                format!("<a href=\"{}\">{} ({count})</a>", article.comments_path(), w.read_comments)
            }
        }
    }

    /// Terms, privacy and the like; the site map also lists the sections.
    pub(super) fn small_print(&self, visit: &Visit, name: &str, text: &str) -> String {
        let w = self.model.words;
        let mut main = format!(
            "<div class=\"article\"><h1>{name}</h1><div class=\"text\"><p>{text}</p></div><ul>"
        );
        for (index, (_, section)) in w.sections.iter().enumerate() {
            let _ = write!(main, "<li><a href=\"{}\">{section}</a></li>", self.list_path(index, 1));
        }
        main.push_str("</ul></div>\n");
        self.shell(
            visit,
            &Body {
                title: name.to_owned(),
                crumbs: self.crumbs(vec![(name.to_owned(), None)]),
                main,
                scripts: Vec::new(),
            },
        )
    }

    pub(super) fn results(&self, visit: &Visit, query: &str) -> String {
        let w = self.model.words;
        let query: String = query.chars().take(80).collect();
        let wanted = query.to_lowercase();
        let mut main = format!("<h2>{} “{}”</h2>\n<ul class=\"list\">", w.results, Text(&query));
        let found =
            self.model.articles.iter().filter(|article| {
                !wanted.is_empty() && article.title.to_lowercase().contains(&wanted)
            });
        for article in found.take(PER_LIST) {
            let _ = write!(main, "<li><h4>{}</h4></li>", self.link_to(article));
        }
        main.push_str("</ul>\n");
        self.shell(
            visit,
            &Body {
                title: w.search.to_owned(),
                crumbs: self.crumbs(vec![(w.search.to_owned(), None)]),
                main,
                scripts: Vec::new(),
            },
        )
    }

    pub(super) fn missing(&self, visit: &Visit) -> String {
        let w = self.model.words;
        self.shell(
            visit,
            &Body {
                title: "404".to_owned(),
                crumbs: self.crumbs(vec![("404".to_owned(), None)]),
                main: format!(
                    "<div class=\"article\"><h1>{}</h1><p>{}</p></div>\n",
                    w.missing, w.missing_hint
                ),
                scripts: Vec::new(),
            },
        )
    }

    /// The way from the front page, which is always the first step.
    pub(super) fn crumbs(
        &self,
        rest: Vec<(String, Option<String>)>,
    ) -> Vec<(String, Option<String>)> {
        let mut crumbs = vec![(self.model.words.home.to_owned(), Some("/".to_owned()))];
        crumbs.extend(rest);
        crumbs
    }
}

/// A picture drawn from an article's code: hills under a sky.
fn picture(code: &str, width: u32, height: u32) -> String {
    let mut random = Random::of(0, code);
    let hue = random.below(360);
    let hills = (0..3).fold(String::new(), |mut all, hill| {
        let top = height as usize * (40 + 15 * hill) / 100 + random.below(20);
        let left = random.below(width as usize);
        let _ = write!(
            all,
            "<path d=\"M0 {height} L0 {top} Q{left} {peak} {width} {top} L{width} {height} Z\" fill=\"hsl({hue},30%,{light}%)\"/>",
            peak = top.saturating_sub(50),
            light = 60 - 14 * hill,
        );
        all
    });
    format!(
        "<svg class=\"pic\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\
<rect width=\"{width}\" height=\"{height}\" fill=\"hsl({sky},60%,85%)\"/>{hills}</svg>",
        sky = (hue + 180) % 360,
    )
}
