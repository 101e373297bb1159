//! `shell`: the server sends an empty page and a script, which asks for the data of the address and
//! builds everything. Times are short, and exact to the millisecond in an attribute.

use axum::Json;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::forum::at::{At, Entry, Place, Row};
use crate::forum::model::{Board, Thread};
use crate::forum::people::{Standing, User};
use crate::forum::skin::Skin;
use crate::forum::when::{minutes_ago, told};
use crate::html::{self, Text};
use crate::tables::Stamp;

pub(super) struct Shell;

/// What all pages are until the script has run.
const EMPTY: &str = "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Bollard</title><link rel=\"stylesheet\" href=\"/static/bollard.css\"></head>\n<body><div id=\"bollard\"></div><noscript>Bollard needs scripts.</noscript><script src=\"/static/bollard.js\"></script></body>\n</html>\n";

impl Shell {
    fn person(&self, user: &User) -> Value {
        let url = user.has_page().then(|| self.user(user));
        let note = match user.standing {
            Standing::Member => user.rank,
            Standing::Guest => "guest",
            Standing::Deleted => "gone",
        };
        json!({ "name": user.name, "url": url, "note": note })
    }

    fn time(&self, time: Timestamp, now: Timestamp) -> Value {
        json!({ "at": time.as_millisecond(), "text": self.when(time, now).text })
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>) -> Value {
        json!({
            "title": row.thread.title,
            "url": row.path,
            "by": self.person(row.starter),
            "begun": self.time(row.first.time, at.now),
            "replies": row.replies,
            "last_by": self.person(row.closer),
            "last": self.time(row.last.time, at.now),
            "pinned": row.thread.sticky,
            "closed": row.thread.closed,
        })
    }

    fn post(&self, at: &At<'_>, entry: &Entry<'_>) -> Value {
        let (post, author) = (entry.post, entry.author);
        json!({
            "id": post.id,
            "url": entry.path,
            "number": entry.position,
            "by": self.person(author),
            "time": self.time(post.time, at.now),
            "html": at.body(post.parts_at(at.now)),
            "edited": post.edited_at(at.now).map(|time| self.time(time, at.now)),
            "signature": author.signature,
            "likes": post.likes,
            "files": post.files.iter().map(|(file, _)| file).collect::<Vec<_>>(),
        })
    }

    fn pages(
        &self,
        at: &At<'_>,
        page: usize,
        last: usize,
        path: impl Fn(usize) -> String,
    ) -> Value {
        let pages = at.pager(page, last, path).into_iter();
        pages.map(|(number, url)| json!({ "number": number, "url": url })).collect()
    }

    /// The data of a page.
    fn data(&self, at: &At<'_>, place: &Place<'_>) -> Value {
        let links = |boards: &mut dyn Iterator<Item = &Board>| -> Value {
            boards
                .map(|board| json!({ "name": board.name, "url": self.board(board, 1), "about": board.about }))
                .collect()
        };
        match place {
            Place::Index => json!({
                "view": "index",
                "title": "Bollard",
                "text": self.tongue().welcome(),
                "boards": links(&mut at.model.boards.iter()),
            }),
            Place::List(board, page) => {
                let shown = at.list(board, *page);
                let rows = shown.sticky.iter().chain(&shown.usual).map(|row| self.row(at, row));
                let stubs = shown.stubs.iter();
                let stubs = stubs.map(|row| json!({ "title": row.thread.title, "url": row.path }));
                json!({
                    "view": "list",
                    "title": board.name,
                    "text": at.range(board, *page),
                    "boards": links(&mut at.inside(board)),
                    "rows": rows.collect::<Vec<_>>(),
                    "stubs": stubs.collect::<Vec<_>>(),
                    "pages": self.pages(at, *page, at.list_pages(board), |n| self.board(board, n)),
                })
            }
            Place::Thread(thread, page) => {
                let board = at.board(thread);
                let posts = at.posts(thread, *page);
                let (text, address) = at.advert();
                let pages = at.thread_pages(thread);
                json!({
                    "view": "thread",
                    "title": thread.title,
                    "boards": links(&mut std::iter::once(board)),
                    "closed": thread.closed,
                    "poll": thread.poll.as_ref().filter(|_| *page == 1),
                    "advert": { "text": text, "url": address },
                    "posts": posts.iter().map(|entry| self.post(at, entry)).collect::<Vec<_>>(),
                    "pages": self.pages(at, *page, pages, |n| self.thread(board, thread, n)),
                })
            }
            Place::User(user) => {
                let begun = at.begun(user);
                let begun =
                    begun.iter().map(|row| json!({ "title": row.thread.title, "url": row.path }));
                json!({
                    "view": "user",
                    "title": user.name,
                    "text": self.tongue().about(user),
                    "count": user.count,
                    "stubs": begun.collect::<Vec<_>>(),
                })
            }
            Place::Login => {
                let (title, text, button) = self.tongue().login();
                json!({ "view": "login", "title": title, "text": text, "button": button })
            }
        }
    }
}

impl Skin for Shell {
    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "time", "replies", "last_author", "last_time"]
    }

    fn board(&self, board: &Board, page: usize) -> String {
        match page {
            1 => format!("/b/{}", board.id),
            _ => format!("/b/{}?p={page}", board.id),
        }
    }

    fn thread(&self, _board: &Board, thread: &Thread, page: usize) -> String {
        match page {
            1 => format!("/t/{}", thread.id),
            _ => format!("/t/{}?p={page}", thread.id),
        }
    }

    fn user(&self, user: &User) -> String {
        format!("/u/{}", user.id)
    }

    fn anchor(&self, post: u32) -> String {
        format!("knot-{post}")
    }

    fn login(&self) -> &'static str {
        "/gangway"
    }

    fn search(&self) -> &'static str {
        "/lookout"
    }

    fn when(&self, time: Timestamp, now: Timestamp) -> Stamp {
        // The attribute is exact.
        let text = match minutes_ago(time, now) {
            minutes @ 0..60 => format!("{minutes}m"),
            minutes @ 60..1_440 => format!("{}h", minutes / 60),
            minutes @ 1_440..10_080 => format!("{}d", minutes / 1_440),
            minutes if minutes < 300 * 1_440 => time.strftime("%b %-d").to_string(),
            _ => time.strftime("%b '%y").to_string(),
        };
        told(time, text, 1)
    }

    fn code(&self, lines: &str) -> String {
        format!("<pre class=\"splice\">{lines}</pre>\n")
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header = header.map_or_else(String::new, |(user, _)| {
            format!("<div class=\"rehitch-who\">{}</div>\n", Text(&user.name))
        });
        format!("<div class=\"rehitch\">{header}{inside}</div>\n")
    }

    fn index_page(&self, _at: &At<'_>) -> String {
        EMPTY.to_owned()
    }

    fn list_page(&self, _at: &At<'_>, _board: &Board, _page: usize) -> String {
        EMPTY.to_owned()
    }

    fn thread_page(&self, _at: &At<'_>, _thread: &Thread, _page: usize) -> String {
        EMPTY.to_owned()
    }

    fn user_page(&self, _at: &At<'_>, _user: &User) -> String {
        EMPTY.to_owned()
    }

    fn other_page(&self, _at: &At<'_>, _title: &str, _main: &str) -> String {
        EMPTY.to_owned()
    }

    fn answer(&self, at: &At<'_>, address: &str) -> Option<Response> {
        match address {
            "/static/bollard.js" => {
                let script = include_bytes!("../../../assets/forum/bollard.js");
                Some(html::file("text/javascript", script))
            }
            "/static/bollard.css" => {
                Some(html::file("text/css", include_bytes!("../../../assets/forum/bollard.css")))
            }
            _ => {
                let place = at.place(address.strip_prefix("/api")?)?;
                Some(Json(self.data(at, &place)).into_response())
            }
        }
    }
}
