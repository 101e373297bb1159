//! `terms`: lists of terms, the author and the date as the term, what was said as its description.
//! Addresses are numbered files; dates are in full.

use std::fmt::Write;

use jiff::Timestamp;

use crate::forum::at::{At, Entry, Row};
use crate::forum::model::{Board, Thread};
use crate::forum::people::{Standing, User};
use crate::forum::skin::Skin;
use crate::forum::when::exact;
use crate::html::Text;
use crate::tables::Stamp;

pub(super) struct Terms;

const STYLE: &str = "body{font:16px Georgia,serif;max-width:820px;margin:auto}dt{background:#eef3e8;padding:4px;margin-top:8px}dd{margin-left:24px}.cited{border:1px solid #ab9;padding:0 6px}.motto{color:#786;font-style:italic}.notice{border:2px dotted #c96}";

impl Terms {
    fn page(&self, title: &str, main: &str) -> String {
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Parish Pump: {title}</title><style>{STYLE}</style></head>\n<body>\n<div class=\"banner\"><a href=\"/\">Parish Pump</a> <form action=\"{search}\" method=\"get\"><input name=\"words\"><input type=\"submit\" value=\"Look up\"></form> <a href=\"{login}\">Members</a></div>\n{main}<div class=\"colophon\">Printed by hand since 1998.</div>\n</body>\n</html>\n",
            title = Text(title),
            search = self.search(),
            login = self.login(),
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
                Some(path) if number + 1 == page => {
                    write!(links, "<a rel=\"prev\" href=\"{path}\">Earlier</a> ")
                }
                Some(path) if number == page + 1 => {
                    write!(links, "<a rel=\"next\" href=\"{path}\">Later</a> ")
                }
                Some(path) => write!(links, "<a href=\"{path}\">{number}</a> "),
                None => write!(links, "<strong>{number}</strong> "),
            };
        }
        if links.is_empty() { links } else { format!("<div class=\"folio\">Sheet {links}</div>\n") }
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>) -> String {
        let closed = if row.thread.closed { " (no more answers)" } else { "" };
        format!(
            "<dt><a href=\"{path}\">{title}</a>{closed}</dt>\n<dd>Raised by {starter} on {first}. {replies} answers, the last on {last}.</dd>\n",
            path = row.path,
            title = Text(&row.thread.title),
            starter = at.named(row.starter, ""),
            first = self.listed(row.first.time, at.now).text,
            replies = row.replies,
            last = self.listed(row.last.time, at.now).text,
        )
    }

    fn post(&self, at: &At<'_>, entry: &Entry<'_>) -> String {
        let (post, author) = (entry.post, entry.author);
        let note = match author.standing {
            Standing::Member => format!(
                " <span class=\"parish\">({}, of {})</span>",
                author.rank,
                Text(&author.place)
            ),
            Standing::Guest => " <span class=\"parish\">(unregistered)</span>".to_owned(),
            Standing::Deleted => String::new(),
        };
        let mut said = at.body(post.parts_at(at.now));
        if let Some(time) = post.edited_at(at.now) {
            let _ = writeln!(
                said,
                "<p class=\"erratum\">Corrected on {}.</p>",
                self.when(time, at.now).text
            );
        }
        if !post.files.is_empty() {
            let files = post.files.iter().map(|(file, size)| format!("{file} ({size} KB)"));
            let _ = writeln!(
                said,
                "<p class=\"enclosed\">Enclosed: {}</p>",
                files.collect::<Vec<_>>().join(", ")
            );
        }
        if let Some(signature) = &author.signature {
            let _ = writeln!(said, "<p class=\"motto\">{}</p>", Text(signature));
        }
        format!(
            "<dt id=\"p{id}\"><a href=\"{path}\">{position}.</a> {name}{note}, <span class=\"dated\">{when}</span></dt>\n<dd>{said}<form method=\"post\" action=\"/act/like\"><button name=\"p\" value=\"{id}\">I agree</button></form><form method=\"post\" action=\"/act/report\"><button name=\"p\" value=\"{id}\">Complain</button></form></dd>\n",
            id = post.id,
            path = entry.path,
            position = entry.position,
            name = at.named(author, " class=\"signed\""),
            when = self.when(post.time, at.now).text,
        )
    }
}

impl Skin for Terms {
    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "time", "replies", "last_time"]
    }

    fn board(&self, board: &Board, page: usize) -> String {
        match page {
            1 => format!("/forum{}.html", board.id),
            _ => format!("/forum{}-{page}.html", board.id),
        }
    }

    fn thread(&self, _board: &Board, thread: &Thread, page: usize) -> String {
        match page {
            1 => format!("/thread{}.html", thread.id),
            _ => format!("/thread{}-{page}.html", thread.id),
        }
    }

    fn user(&self, user: &User) -> String {
        format!("/user{}.html", user.id)
    }

    fn anchor(&self, post: u32) -> String {
        format!("p{post}")
    }

    fn login(&self) -> &'static str {
        "/members.html"
    }

    fn search(&self) -> &'static str {
        "/lookup.html"
    }

    fn when(&self, time: Timestamp, _now: Timestamp) -> Stamp {
        exact(time, "%-d %B %Y, %H:%M")
    }

    fn code(&self, lines: &str) -> String {
        format!("<pre>{lines}</pre>\n")
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header = header.map_or_else(String::new, |(user, when)| {
            format!("<p><b>{}, {}:</b></p>\n", Text(&user.name), when.text)
        });
        format!("<div class=\"cited\">{header}{inside}</div>\n")
    }

    fn index_page(&self, at: &At<'_>) -> String {
        let mut main = format!("<p>{}</p>\n<dl class=\"rolls\">\n", self.tongue().welcome());
        for board in at.model.boards.iter().filter(|board| board.parent.is_none()) {
            let (threads, posts, _) = at.counts(board);
            let _ = writeln!(
                main,
                "<dt><a href=\"{}\">{}</a></dt>\n<dd>{} {threads} matters, {posts} letters.</dd>",
                self.board(board, 1),
                Text(&board.name),
                Text(&board.about)
            );
        }
        self.page("all boards", &(main + "</dl>\n"))
    }

    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let shown = at.list(board, page);
        let mut main =
            format!("<h1>{}</h1>\n<p>{}</p>\n", Text(&board.name), Text(&at.range(board, page)));
        for inner in at.inside(board) {
            let _ = writeln!(
                main,
                "<p>See also: <a href=\"{}\">{}</a></p>",
                self.board(inner, 1),
                Text(&inner.name)
            );
        }
        if !shown.sticky.is_empty() {
            main += "<h2>Standing matters</h2>\n<dl class=\"docket\">\n";
            main.extend(shown.sticky.iter().map(|row| self.row(at, row)));
            main += "</dl>\n<h2>Other matters</h2>\n";
        }
        main += "<dl class=\"docket\">\n";
        main.extend(shown.usual.iter().map(|row| self.row(at, row)));
        for row in &shown.stubs {
            let _ = writeln!(
                main,
                "<dt><a href=\"{}\">{}</a></dt>\n<dd>Moved to {}.</dd>",
                row.path,
                Text(&row.thread.title),
                Text(&at.board(row.thread).name)
            );
        }
        main += "</dl>\n";
        main += &self.pager(at, page, at.list_pages(board), |n| self.board(board, n));
        self.page(&board.name, &main)
    }

    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let board = at.board(thread);
        let mut main = format!(
            "<p class=\"path\"><a href=\"/\">Parish Pump</a>, <a href=\"{}\">{}</a></p>\n<h1>{}</h1>\n",
            self.board(board, 1),
            Text(&board.name),
            Text(&thread.title)
        );
        let pager =
            self.pager(at, page, at.thread_pages(thread), |n| self.thread(board, thread, n));
        main += &pager;
        if let Some(choices) = thread.poll.as_ref().filter(|_| page == 1) {
            main += "<form class=\"show-of-hands\" method=\"post\" action=\"/act/vote\"><ol>\n";
            for (text, votes) in choices {
                let _ = writeln!(main, "<li>{} ({votes} hands)</li>", Text(text));
            }
            main += "</ol><button>Raise hand</button></form>\n";
        }
        main += "<dl class=\"minutes\">\n";
        for (entry, nth) in at.posts(thread, page).iter().zip(1..) {
            main += &self.post(at, entry);
            if nth == 4 {
                let (text, address) = at.advert();
                let _ = writeln!(
                    main,
                    "<dt class=\"notice\">Notice</dt>\n<dd class=\"notice\"><a href=\"{address}\">{}</a></dd>",
                    Text(&text)
                );
            }
        }
        main += "</dl>\n";
        main += &pager;
        if !thread.closed {
            let _ = writeln!(
                main,
                "<form method=\"post\" action=\"/act/reply\"><textarea name=\"letter\"></textarea><button name=\"t\" value=\"{}\">Post the letter</button></form>",
                thread.id
            );
        }
        self.page(&thread.title, &main)
    }

    fn user_page(&self, at: &At<'_>, user: &User) -> String {
        let begun: String = at
            .begun(user)
            .iter()
            .map(|row| {
                format!("<dd><a href=\"{}\">{}</a></dd>\n", row.path, Text(&row.thread.title))
            })
            .collect();
        let main = format!(
            "<h1>{}</h1>\n<p>{}</p>\n<dl class=\"roll\"><dt>Registered</dt><dd>{}</dd><dt>Letters</dt><dd>{}</dd><dt>Matters raised</dt>\n{begun}</dl>\n",
            Text(&user.name),
            Text(&self.tongue().about(user)),
            user.joined.strftime("%-d %B %Y"),
            user.count
        );
        self.page(&user.name, &main)
    }

    fn other_page(&self, _at: &At<'_>, title: &str, main: &str) -> String {
        self.page(title, &format!("<h1>{}</h1>\n{main}", Text(title)))
    }
}
