//! `stream`: a thread goes on when its end is scrolled to, a list when its button is clicked; the rest
//! comes as a part of a page, and the address stays.

use std::fmt::Write;

use axum::Json;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde_json::json;

use crate::forum::at::{At, Entry, Place, Row};
use crate::forum::model::{Board, Thread};
use crate::forum::people::{Standing, User};
use crate::forum::skin::{Rest, Skin};
use crate::forum::when::{days_ago, exact, told};
use crate::html::{self, Text};
use crate::tables::Stamp;

pub(super) struct Stream;

/// What stands at the end of a thread that goes on, and on the button of a list that does.
const BELOW: &str = "More words below";
const MORE: &str = "Haul in more";

/// Posts are tall enough that the end of a batch is below the fold.
const STYLE: &str = "body{font:15px Helvetica,sans-serif;max-width:700px;margin:auto}.scale{min-height:220px;border-bottom:1px solid #dde;padding:12px 0}.scale-who{font-weight:bold}.scale-when{color:#889;float:right}.said-before{background:#f1f4f8;padding:4px 10px}.barnacle{background:#fff4e0;padding:8px}.fish{padding:10px 0;border-bottom:1px solid #eee}.undersigned{color:#99a}";

impl Stream {
    fn page(&self, title: &str, main: &str) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title} ~ Shoal</title><style>{STYLE}</style><script defer src=\"/static/shoal.js\"></script></head>\n<body>\n<div class=\"surface\"><a href=\"/\">Shoal</a> <form action=\"{search}\"><input name=\"catch\"></form> <a href=\"{login}\">Come in</a></div>\n{main}</body>\n</html>\n",
            title = Text(title),
            search = self.search(),
            login = self.login(),
        )
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>) -> String {
        let mark = match (row.thread.sticky, row.thread.closed) {
            (true, _) => "<span class=\"anchor\">Anchored</span> ",
            (_, true) => "<span class=\"anchor\">Sunk</span> ",
            _ => "",
        };
        format!(
            "<div class=\"fish\">{mark}<a class=\"fish-name\" href=\"{path}\">{title}</a><div class=\"fish-line\"><span>{starter}</span> <span>{replies} answers</span> <span>last word {last}</span></div></div>\n",
            path = row.path,
            title = Text(&row.thread.title),
            starter = at.named(row.starter, ""),
            replies = row.replies,
            last = self.listed(row.last.time, at.now).text,
        )
    }

    fn rows(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let shown = at.list(board, page);
        let mut rows: String =
            shown.sticky.iter().chain(&shown.usual).map(|row| self.row(at, row)).collect();
        for row in &shown.stubs {
            let _ = writeln!(
                rows,
                "<div class=\"fish fish-gone\">Swam away: <a href=\"{}\">{}</a></div>",
                row.path,
                Text(&row.thread.title)
            );
        }
        rows
    }

    fn post(&self, at: &At<'_>, entry: &Entry<'_>) -> String {
        let (post, author) = (entry.post, entry.author);
        let guest =
            if author.standing == Standing::Guest { " <small>just passing</small>" } else { "" };
        let edited = post.edited_at(at.now).map_or_else(String::new, |time| {
            format!("<p class=\"polished\">Polished {}</p>\n", self.when(time, at.now).text)
        });
        let signature = author.signature.as_ref().map_or_else(String::new, |text| {
            format!("<p class=\"undersigned\">{}</p>\n", Text(text))
        });
        let files: String = post
            .files
            .iter()
            .map(|(file, size)| format!("<p class=\"cargo\">{file}, {size} KB</p>\n"))
            .collect();
        format!(
            "<div class=\"scale\" id=\"w{id}\"><span class=\"scale-when\"><a href=\"{path}\">{when}</a></span><span class=\"scale-who\">{name}</span>{guest}\n<div class=\"scale-what\">{body}</div>\n{files}{edited}{signature}<button class=\"pull\" data-act=\"like\" data-of=\"{id}\">Hear, hear ({likes})</button> <button class=\"pull\" data-act=\"report\" data-of=\"{id}\">Throw back</button></div>\n",
            id = post.id,
            path = entry.path,
            when = self.when(post.time, at.now).text,
            name = at.named(author, ""),
            body = at.body(post.parts_at(at.now)),
            likes = post.likes,
        )
    }

    fn posts(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let mut posts = String::new();
        for (entry, nth) in at.posts(thread, page).iter().zip(1..) {
            posts += &self.post(at, entry);
            if nth == 5 {
                let (text, address) = at.advert();
                let _ = writeln!(
                    posts,
                    "<div class=\"barnacle\"><a href=\"{address}\">{}</a></div>",
                    Text(&text)
                );
            }
        }
        posts
    }
}

impl Skin for Stream {
    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "replies", "last_time"]
    }

    fn post_fields(&self) -> &'static [&'static str] {
        &["author", "time", "content", "url", "signature"]
    }

    fn list_rest(&self) -> Rest {
        Rest::Clicks(MORE)
    }

    fn thread_rest(&self) -> Rest {
        Rest::Scrolls(BELOW)
    }

    fn board(&self, board: &Board, _page: usize) -> String {
        format!("/shoal/{}", board.slug)
    }

    fn thread(&self, board: &Board, thread: &Thread, _page: usize) -> String {
        format!("/shoal/{}/t{}", board.slug, thread.id)
    }

    fn user(&self, user: &User) -> String {
        format!("/swimmer/{}", user.id)
    }

    fn anchor(&self, post: u32) -> String {
        format!("w{post}")
    }

    fn login(&self) -> &'static str {
        "/come-in"
    }

    fn search(&self) -> &'static str {
        "/catch"
    }

    fn when(&self, time: Timestamp, now: Timestamp) -> Stamp {
        match days_ago(time, now) {
            0 => told(time, time.strftime("%H:%M today").to_string(), 60),
            1 => told(time, time.strftime("%H:%M yesterday").to_string(), 60),
            _ => exact(time, "%H:%M, %A %-d %b %Y"),
        }
    }

    fn code(&self, lines: &str) -> String {
        format!("<pre class=\"ink\">{lines}</pre>\n")
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header = header.map_or_else(String::new, |(user, when)| {
            format!("<p>{} at {}</p>\n", Text(&user.name), when.text)
        });
        format!("<div class=\"said-before\">{header}{inside}</div>\n")
    }

    fn index_page(&self, at: &At<'_>) -> String {
        let mut main = format!("<p>{}</p>\n", self.tongue().welcome());
        for board in &at.model.boards {
            let (threads, posts, _) = at.counts(board);
            let _ = writeln!(
                main,
                "<div class=\"pool\"><a href=\"{}\">{}</a> {} <span>{threads} / {posts}</span></div>",
                self.board(board, 1),
                Text(&board.name),
                Text(&board.about)
            );
        }
        self.page("Pools", &main)
    }

    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let button = match at.list_pages(board) > 1 {
            true => format!(
                "<button id=\"haul\" data-more=\"{}/more?from=2\">{MORE}</button>\n",
                self.board(board, 1)
            ),
            false => String::new(),
        };
        let inner: String = at
            .inside(board)
            .map(|inner| {
                format!(
                    "<p>Inlet: <a href=\"{}\">{}</a></p>\n",
                    self.board(inner, 1),
                    Text(&inner.name)
                )
            })
            .collect();
        let main = format!(
            "<h1>{}</h1>\n{inner}<p id=\"depth\">{}</p>\n<div id=\"net\">\n{}</div>\n{button}",
            Text(&board.name),
            Text(&at.range(board, page)),
            self.rows(at, board, page)
        );
        self.page(&board.name, &main)
    }

    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let board = at.board(thread);
        let end = match at.thread_pages(thread) > 1 {
            true => format!(
                "<p id=\"reef\" data-more=\"{}/more?from=2\">{BELOW}</p>\n",
                self.thread(board, thread, 1)
            ),
            false => String::new(),
        };
        let poll = thread.poll.as_ref().map_or_else(String::new, |choices| {
            let choices: String = choices
                .iter()
                .map(|(text, votes)| format!("<p>{} <b>{votes}</b></p>\n", Text(text)))
                .collect();
            format!("<form class=\"float\" method=\"post\" action=\"/act/vote\">\n{choices}<button>Vote</button></form>\n")
        });
        let main = format!(
            "<p><a href=\"{}\">{}</a></p>\n<h1>{}</h1>\n{poll}<div id=\"net\">\n{}</div>\n{end}",
            self.board(board, 1),
            Text(&board.name),
            Text(&thread.title),
            self.posts(at, thread, page)
        );
        self.page(&thread.title, &main)
    }

    fn user_page(&self, at: &At<'_>, user: &User) -> String {
        let mut main = format!(
            "<h1>{}</h1>\n<p>{}</p>\n<p>{} words of wisdom since {}</p>\n",
            Text(&user.name),
            Text(&self.tongue().about(user)),
            user.count,
            user.joined.strftime("%b %Y")
        );
        for row in at.begun(user) {
            let _ = writeln!(
                main,
                "<div class=\"fish\"><a href=\"{}\">{}</a></div>",
                row.path,
                Text(&row.thread.title)
            );
        }
        self.page(&user.name, &main)
    }

    fn other_page(&self, _at: &At<'_>, title: &str, main: &str) -> String {
        self.page(title, &format!("<h1>{}</h1>\n{main}", Text(title)))
    }

    fn answer(&self, at: &At<'_>, address: &str) -> Option<Response> {
        if address == "/static/shoal.js" {
            let script = include_bytes!("../../../assets/forum/shoal.js");
            return Some(html::file("text/javascript", script));
        }
        let (path, from) = address.split_once("/more?from=")?;
        let page: usize = from.parse().ok()?;
        let place = at.place(path)?;
        let last = match place {
            Place::List(board, _) => at.list_pages(board),
            Place::Thread(thread, _) => at.thread_pages(thread),
            _ => return None,
        };
        if !(2..=last).contains(&page) {
            return None;
        }
        let (markup, range) = match place {
            Place::List(board, _) => (self.rows(at, board, page), at.range(board, page)),
            Place::Thread(thread, _) => (self.posts(at, thread, page), String::new()),
            _ => return None,
        };
        let next = (page < last).then(|| format!("{path}/more?from={}", page + 1));
        Some(Json(json!({ "html": markup, "range": range, "next": next })).into_response())
    }
}
