//! The comments: a page whose script fetches them, and what it fetches.
//!
//! As on the comment pages of NetEase (seed 000, section 2.1), the document holds no comment when
//! it arrives, and paging leaves the URL as it is.

use std::fmt::Write;

use serde::Serialize;
use serde_json::json;

use super::News;
use super::model::{Article, Comment};
use super::shell::Body;
use crate::html::{Text, json_in_script};
use crate::vendor::{REACT, REACT_DOM, VUE};
use crate::{Build, Visit};

/// What `/api/comments/CODE?page=N` answers.
#[derive(Serialize)]
pub(super) struct Listing<'a> {
    page: usize,
    pages: usize,
    total: usize,
    items: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Item<'a> {
    id: u32,
    nick: &'a str,
    place: &'a str,
    time: String,
    text: &'a str,
    likes: u32,
    quote: Option<Quote<'a>>,
}

#[derive(Serialize)]
struct Quote<'a> {
    nick: &'a str,
    text: &'a str,
}

/// An entry of the row of page numbers: a page, or a gap.
pub(super) type Step = Option<usize>;

/// The page numbers that are shown on page `current`: the first, the last, and those around
/// `current`, with gaps between.
pub(super) fn page_window(current: usize, pages: usize) -> Vec<Step> {
    let low = current.saturating_sub(1).min(pages.saturating_sub(2)).max(1);
    let high = (current + 1).max(3).min(pages);
    let mut steps = Vec::new();
    let mut last = 0;
    for page in
        (1..=pages).filter(|page| *page == 1 || *page == pages || (low..=high).contains(page))
    {
        if page > last + 1 {
            steps.push(None);
        }
        steps.push(Some(page));
        last = page;
    }
    steps
}

impl News {
    pub(super) fn comments(&self, visit: &Visit, article: &Article) -> String {
        let w = self.model.words;
        let config = json!({
            "code": article.code,
            "delay": visit.options().timers_ms() as u64,
            "labels": w.labels,
        });
        let main = format!(
            "<div class=\"tie\"><h1>{comments_of}: {link}</h1>\n\
<p class=\"rules\"><a href=\"{path}\">&laquo; {back}</a> {guidelines}</p>\n{tools}<div id=\"text\">{app}</div>\n\
<noscript><p>{no_script}</p></noscript>\n\
<form class=\"write\" action=\"/api/comments\" method=\"post\"><h3>{write}</h3><input type=\"hidden\" name=\"code\" value=\"{code}\">\
<textarea name=\"text\" rows=\"4\" cols=\"60\"></textarea><p><button type=\"submit\">{send}</button></p></form></div>\n\
<script>var TIE = {config};</script>\n",
            comments_of = w.comments_of,
            link = self.link_to(article),
            path = article.path(w),
            back = w.back_to_article,
            guidelines = w.guidelines,
            tools = self.tools(),
            app = self.comments_root(visit, article),
            no_script = w.no_script,
            write = w.labels.write,
            code = article.code,
            send = w.labels.send,
            config = json_in_script(&config),
        );
        let (section, name) = w.sections[article.section];
        self.shell(
            visit,
            &Body {
                title: format!("{}: {}", w.comments_of, article.title),
                crumbs: self.crumbs(vec![
                    (name.to_owned(), Some(format!("/{section}/"))),
                    (article.title.clone(), Some(article.path(w))),
                    (w.comments_of.to_owned(), None),
                ]),
                main,
                scripts: self.comment_scripts(),
            },
        )
    }

    fn comment_scripts(&self) -> Vec<&'static str> {
        const SHARED: &str = "/static/js/tie.js";
        match self.build {
            Build::Inline => vec![SHARED, "/static/js/tie-inline.js"],
            Build::Closures => vec![SHARED, "/static/js/tie-closures.js"],
            Build::Jquery => vec!["/static/js/tie-jquery.js"],
            Build::React => vec![REACT, REACT_DOM, SHARED, "/static/js/tie-react.js"],
            Build::Vue => vec![VUE, SHARED, "/static/js/tie-vue.js"],
            Build::Lit => vec![SHARED, "/static/js/tie-lit.js"],
        }
    }

    /// Where the script puts the comments: a frame of markup, or the root of an application.
    fn comments_root(&self, visit: &Visit, article: &Article) -> String {
        let labels = &self.model.words.labels;
        if matches!(self.build, Build::React | Build::Vue | Build::Lit) {
            let id = visit.random().hex(6);
            return format!(
                "<div class=\"tie-app\" id=\"m_{id}\"><p class=\"loading\">{}</p></div>",
                labels.loading
            );
        }
        let newest = self.on("click", "sortBy('new')");
        let oldest = self.on("click", "sortBy('old')");
        format!(
            "<div class=\"tie-bar\"><b>{count}</b> {total} <span class=\"sort\"><a href=\"javascript:;\" class=\"on\" data-order=\"new\"{newest}>{new}</a> \
<a href=\"javascript:;\" data-order=\"old\"{oldest}>{old}</a></span></div>\n\
<div class=\"tie-list\" id=\"tie-list\"><p class=\"loading\">{loading}</p></div>\n<div class=\"pager\" id=\"pager\"></div>",
            count = article.comments.len(),
            total = labels.total,
            new = labels.newest,
            old = labels.oldest,
            loading = labels.loading,
        )
    }

    /// A page of comments as JSON; a number outside the pages gives the nearest one.
    pub(super) fn listing<'a>(&self, article: &'a Article, page: usize) -> Listing<'a> {
        let page = page.clamp(1, article.pages().max(1));
        Listing {
            page,
            pages: article.pages(),
            total: article.comments.len(),
            items: article
                .page(page)
                .iter()
                .map(|comment| Item {
                    id: comment.id,
                    nick: &comment.nick,
                    place: &comment.place,
                    time: shown_time(comment),
                    text: &comment.text,
                    likes: comment.likes + self.likes_given(comment.id),
                    quote: comment.quote.as_ref().map(|(nick, text)| Quote { nick, text }),
                })
                .collect(),
        }
    }

    /// The same page as a piece of HTML with its row of page numbers, for the jQuery build.
    pub(super) fn fragment(&self, article: &Article, page: usize) -> String {
        let l = &self.model.words.labels;
        let page = page.clamp(1, article.pages().max(1));
        let mut html = String::from("<div class=\"tie-items\">\n");
        for comment in article.page(page) {
            let quote = comment.quote.as_ref().map_or(String::new(), |(nick, text)| {
                format!(
                    "<blockquote class=\"quote\"><div class=\"qh\">{} {} <a href=\"#\" class=\"fold\">{}</a></div><p>{}</p></blockquote>",
                    Text(nick), l.quote, l.fold, Text(text)
                )
            });
            let _ = writeln!(
                html,
                "<div class=\"reply\" id=\"c{id}\" data-id=\"{id}\"><div class=\"who\"><b>{nick}</b> <span>{from} {place}</span> <em>{time}</em></div>\
{quote}<p class=\"say\">{text}</p><div class=\"ops\"><a href=\"#\" class=\"ding\">{like} (<i>{likes}</i>)</a> <a href=\"#\" class=\"re\">{reply}</a> \
<a href=\"#\" class=\"cp\">{copy}</a> <a href=\"#\" class=\"jb\">{report}</a></div>\
<div class=\"rebox\"><textarea rows=\"3\" cols=\"50\"></textarea><p><button class=\"ok\">{send}</button> <button class=\"no\">{cancel}</button></p></div></div>",
                id = comment.id,
                nick = Text(&comment.nick),
                from = l.from,
                place = Text(&comment.place),
                time = shown_time(comment),
                text = Text(&comment.text),
                like = l.like,
                likes = comment.likes + self.likes_given(comment.id),
                reply = l.reply,
                copy = l.copy,
                report = l.report,
                send = l.send,
                cancel = l.cancel,
            );
        }
        html.push_str("</div>\n<div class=\"pages\">");
        let link = |html: &mut String, page: usize, text: &str| {
            let _ = write!(html, "<a class=\"page\" href=\"#\" data-page=\"{page}\">{text}</a> ");
        };
        if page > 1 {
            link(&mut html, page - 1, l.prev);
        }
        for step in page_window(page, article.pages()) {
            match step {
                Some(number) if number == page => {
                    let _ = write!(html, "<b>{number}</b> ");
                }
                Some(number) => link(&mut html, number, &number.to_string()),
                None => html.push_str("<span>…</span> "),
            }
        }
        if page < article.pages() {
            link(&mut html, page + 1, l.next);
        }
        let _ = writeln!(
            html,
            "<span class=\"jump\">{} <input type=\"text\" size=\"3\"> {} <button>{}</button></span></div>",
            l.goto, l.page, l.go
        );
        html
    }
}

fn shown_time(comment: &Comment) -> String {
    comment.time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(current: usize, pages: usize) -> String {
        let steps: Vec<String> = page_window(current, pages)
            .into_iter()
            .map(|step| step.map_or("…".to_owned(), |page| page.to_string()))
            .collect();
        steps.join(" ")
    }

    #[test]
    fn page_numbers_are_shown_around_the_current_page() {
        assert_eq!(shown(1, 11), "1 2 3 … 11");
        assert_eq!(shown(5, 11), "1 … 4 5 6 … 11");
        assert_eq!(shown(11, 11), "1 … 9 10 11");
        assert_eq!(shown(2, 3), "1 2 3");
        assert_eq!(shown(1, 1), "1");
    }
}
