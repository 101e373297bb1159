//! `hydrated`: the server sends pages with complete microdata; a script reads it and puts markup of its
//! own in its place, without any, as frameworks do that render twice. Whoever sees only one of the two
//! sees half.

use std::fmt::Write;

use axum::response::Response;
use jiff::Timestamp;

use crate::forum::at::{At, Entry, Row};
use crate::forum::model::{Board, Thread};
use crate::forum::people::User;
use crate::forum::skin::Skin;
use crate::forum::when::{ago, iso};
use crate::html::{self, Text};
use crate::tables::Stamp;

pub(super) struct Hydrated;

impl Hydrated {
    fn page(&self, title: &str, main: &str) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title} · Tidemark</title><script defer src=\"/static/tidemark.js\"></script></head>\n<body>\n<nav><a href=\"/\">Tidemark</a> <a href=\"{login}\">Join</a> <form action=\"{search}\"><input name=\"q\"></form></nav>\n<main>\n{main}</main>\n</body>\n</html>\n",
            title = Text(title),
            login = self.login(),
            search = self.search(),
        )
    }

    fn author(&self, user: &User) -> String {
        let name = Text(&user.name);
        let link = match user.has_page() {
            true => format!(
                "<a itemprop=\"url\" href=\"{}\"><span itemprop=\"name\">{name}</span></a>",
                self.user(user)
            ),
            false => format!("<span itemprop=\"name\">{name}</span>"),
        };
        format!(
            "<span itemprop=\"author\" itemscope itemtype=\"https://schema.org/Person\">{link}</span>"
        )
    }

    fn time(&self, property: &str, time: Timestamp, now: Timestamp) -> String {
        format!(
            "<time itemprop=\"{property}\" datetime=\"{}\">{}</time>",
            iso(time),
            self.when(time, now).text
        )
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>) -> String {
        let thread = row.thread;
        let mark = match (thread.sticky, thread.closed) {
            (true, _) => " data-mark=\"pinned\"",
            (_, true) => " data-mark=\"closed\"",
            _ => "",
        };
        format!(
            "<div itemscope itemtype=\"https://schema.org/DiscussionForumPosting\"{mark}><a itemprop=\"url\" href=\"{path}\"><span itemprop=\"headline\">{title}</span></a> {author} {first} <span itemprop=\"commentCount\">{replies}</span> {last}</div>\n",
            path = row.path,
            title = Text(&thread.title),
            author = self.author(row.starter),
            first = self.time("dateCreated", row.first.time, at.now),
            replies = row.replies,
            last = self.time("dateModified", row.last.time, at.now),
        )
    }

    fn post(&self, at: &At<'_>, entry: &Entry<'_>) -> String {
        let (post, author) = (entry.post, entry.author);
        let signature = author
            .signature
            .as_ref()
            .map_or_else(String::new, |text| format!("<footer>{}</footer>\n", Text(text)));
        let edited = post.edited_at(at.now).map_or_else(String::new, |time| {
            format!("<small>Edited {}</small>\n", self.time("dateModified", time, at.now))
        });
        format!(
            "<article itemprop=\"comment\" itemscope itemtype=\"https://schema.org/Comment\" id=\"say{id}\" data-likes=\"{likes}\"><a itemprop=\"url\" href=\"{path}\">{position}</a> {name} {when}\n<div itemprop=\"text\">{body}</div>\n{edited}{signature}</article>\n",
            id = post.id,
            likes = post.likes,
            path = entry.path,
            position = entry.position,
            name = self.author(author),
            when = self.time("datePublished", post.time, at.now),
            body = at.body(post.parts_at(at.now)),
        )
    }

    fn pager(
        &self,
        at: &At<'_>,
        page: usize,
        last: usize,
        path: impl Fn(usize) -> String,
    ) -> String {
        let mut links = String::new();
        for (number, path) in at.pager(page, last, path) {
            let _ = match path {
                Some(path) => write!(links, "<a href=\"{path}\">{number}</a> "),
                None => write!(links, "<b>{number}</b> "),
            };
        }
        if links.is_empty() { links } else { format!("<nav data-part=\"pages\">{links}</nav>\n") }
    }
}

impl Skin for Hydrated {
    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "time", "replies", "last_time"]
    }

    fn board(&self, board: &Board, page: usize) -> String {
        match page {
            1 => format!("/space/{}", board.slug),
            _ => format!("/space/{}?page={page}", board.slug),
        }
    }

    fn thread(&self, _board: &Board, thread: &Thread, page: usize) -> String {
        let slug = if thread.slug.is_empty() { "t" } else { &thread.slug };
        match page {
            1 => format!("/q/{slug}/{}", thread.id),
            _ => format!("/q/{slug}/{}?page={page}", thread.id),
        }
    }

    fn user(&self, user: &User) -> String {
        format!("/members/{}", user.id)
    }

    fn anchor(&self, post: u32) -> String {
        format!("say{post}")
    }

    fn login(&self) -> &'static str {
        "/join"
    }

    fn search(&self) -> &'static str {
        "/q/search"
    }

    fn when(&self, time: Timestamp, now: Timestamp) -> Stamp {
        // The attribute is exact.
        Stamp { within: 1, ..ago(time, now) }
    }

    fn code(&self, lines: &str) -> String {
        format!("<pre><code>{lines}</code></pre>\n")
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header =
            header.map_or_else(String::new, |(user, _)| format!("<p>{}:</p>\n", Text(&user.name)));
        format!("<blockquote>{header}{inside}</blockquote>\n")
    }

    fn index_page(&self, at: &At<'_>) -> String {
        let mut main = format!("<h1>Tidemark</h1>\n<p>{}</p>\n", self.tongue().welcome());
        for board in &at.model.boards {
            let _ = writeln!(
                main,
                "<h2><a href=\"{}\">{}</a></h2>\n<p>{}</p>",
                self.board(board, 1),
                Text(&board.name),
                Text(&board.about)
            );
        }
        self.page("Spaces", &main)
    }

    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let shown = at.list(board, page);
        let mut main =
            format!("<h1>{}</h1>\n<p>{}</p>\n", Text(&board.name), Text(&at.range(board, page)));
        for inner in at.inside(board) {
            let _ = writeln!(
                main,
                "<p><a href=\"{}\">{}</a></p>",
                self.board(inner, 1),
                Text(&inner.name)
            );
        }
        main.extend(shown.sticky.iter().chain(&shown.usual).map(|row| self.row(at, row)));
        for row in &shown.stubs {
            let _ = writeln!(
                main,
                "<div>Moved: <a href=\"{}\">{}</a></div>",
                row.path,
                Text(&row.thread.title)
            );
        }
        main += &self.pager(at, page, at.list_pages(board), |n| self.board(board, n));
        self.page(&board.name, &main)
    }

    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let board = at.board(thread);
        let mut posts = String::new();
        for (entry, nth) in at.posts(thread, page).iter().zip(1..) {
            posts += &self.post(at, entry);
            if nth == 2 {
                let (text, address) = at.advert();
                let _ = writeln!(posts, "<aside><a href=\"{address}\">{}</a></aside>", Text(&text));
            }
        }
        let main = format!(
            "<p><a href=\"{}\">{}</a></p>\n<div itemscope itemtype=\"https://schema.org/DiscussionForumPosting\"><h1 itemprop=\"headline\">{}</h1>\n{posts}</div>\n{}",
            self.board(board, 1),
            Text(&board.name),
            Text(&thread.title),
            self.pager(at, page, at.thread_pages(thread), |n| self.thread(board, thread, n))
        );
        self.page(&thread.title, &main)
    }

    fn user_page(&self, at: &At<'_>, user: &User) -> String {
        let mut main = format!(
            "<h1>{}</h1>\n<p>{}</p>\n<p>{} posts since {}</p>\n",
            Text(&user.name),
            Text(&self.tongue().about(user)),
            user.count,
            user.joined.strftime("%B %-d, %Y")
        );
        for row in at.begun(user) {
            let _ =
                writeln!(main, "<p><a href=\"{}\">{}</a></p>", row.path, Text(&row.thread.title));
        }
        self.page(&user.name, &main)
    }

    fn other_page(&self, _at: &At<'_>, title: &str, main: &str) -> String {
        self.page(title, &format!("<h1>{}</h1>\n{main}", Text(title)))
    }

    fn answer(&self, _at: &At<'_>, address: &str) -> Option<Response> {
        let script = include_bytes!("../../../assets/forum/tidemark.js");
        (address == "/static/tidemark.js").then(|| html::file("text/javascript", script))
    }
}
