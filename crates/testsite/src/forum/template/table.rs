//! `table`: rows of a table, odd and even by turns, the author's pane in a cell beside the post.
//! Addresses have queries and offsets; dates are American, of today and yesterday by name.

use std::fmt::Write;

use jiff::Timestamp;

use crate::forum::at::{At, Entry, Row};
use crate::forum::model::{Board, PER_LIST, PER_THREAD, Thread};
use crate::forum::people::{Standing, User};
use crate::forum::skin::Skin;
use crate::forum::when::{days_ago, exact, told};
use crate::html::Text;
use crate::tables::Stamp;

pub(super) struct Table;

const STYLE: &str = "body{font:13px Verdana,sans-serif;background:#e8eef2}table{border-collapse:collapse;width:960px;margin:8px auto}td,th{border:1px solid #9ab;padding:5px;vertical-align:top}.cap{background:#347;color:#fff}.dusk{background:#dde6ec}.dawn{background:#f6f9fb}.pane{width:150px}.said blockquote{border:1px dashed #789;margin:6px;padding:4px}.tail{color:#678;border-top:1px solid #ccc}.pitch td{background:#fe9}";

impl Table {
    fn page(&self, at: &At<'_>, title: &str, trail: &str, main: &str) -> String {
        format!(
            concat!(
                "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\" \"http://www.w3.org/TR/html4/loose.dtd\">\n",
                "<html>\n<head>\n<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\">\n<title>{title} - The Mole Head</title>\n<style>{style}</style>\n</head>\n<body>\n",
                "<table class=\"mast\"><tr><td><a href=\"/\"><b>The Mole Head</b></a></td><td align=\"right\"><form action=\"{search}\" method=\"get\"><input name=\"find\" size=\"14\"> <input type=\"submit\" value=\"Find\"></form> <a href=\"{login}\">Log in</a></td></tr></table>\n",
                "<table class=\"crumbs\"><tr><td><a href=\"/\">The Mole Head</a>{trail}</td></tr></table>\n{main}",
                "<table class=\"keel\"><tr><td align=\"center\">All times are UTC. It is now {now}.</td></tr></table>\n</body>\n</html>\n"
            ),
            title = Text(title),
            style = STYLE,
            search = self.search(),
            login = self.login(),
            trail = trail,
            main = main,
            now = at.now.strftime("%I:%M %p"),
        )
    }

    fn pager(
        &self,
        at: &At<'_>,
        page: usize,
        last: usize,
        path: impl Fn(usize) -> String,
    ) -> String {
        let numbers = at.pager(page, last, path).into_iter().map(|(number, path)| match path {
            Some(path) => format!("<a href=\"{path}\">{number}</a>"),
            None => format!("[{number}]"),
        });
        let numbers: Vec<_> = numbers.collect();
        if numbers.is_empty() {
            return String::new();
        }
        format!("<table class=\"leaves\"><tr><td>Pages: {}</td></tr></table>\n", numbers.join(" "))
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>, even: bool) -> String {
        let thread = row.thread;
        let shade = if even { "dusk" } else { "dawn" };
        let mark = match (thread.sticky, thread.closed) {
            (true, _) => "<img src=\"/static/view.svg\" width=\"16\" alt=\"Pinned\"> ",
            (_, true) => "<img src=\"/static/view.svg\" width=\"16\" alt=\"Locked\"> ",
            _ => "",
        };
        format!(
            "<tr class=\"{shade}\">\n<td>{mark}</td>\n<td><a href=\"{path}\">{title}</a></td>\n<td align=\"center\">{starter}</td>\n<td align=\"center\">{replies}</td>\n<td align=\"center\">{views}</td>\n<td>{last}<br>by {closer}</td>\n</tr>\n",
            path = Text(&row.path),
            title = Text(&thread.title),
            starter = at.named(row.starter, ""),
            replies = row.replies,
            views = thread.views,
            last = self.when(row.last.time, at.now).text,
            closer = at.named(row.closer, ""),
        )
    }

    fn post(&self, at: &At<'_>, thread: &Thread, entry: &Entry<'_>) -> String {
        let (post, author) = (entry.post, entry.author);
        let shade = if entry.position.is_multiple_of(2) { "dusk" } else { "dawn" };
        let pane = match author.standing {
            Standing::Member => format!(
                "<br><small>{}<br>Joined: {}<br>Posts: {}<br>From: {}</small>",
                author.rank,
                author.joined.strftime("%b %d, %Y"),
                author.count,
                Text(&author.place)
            ),
            Standing::Guest => "<br><small>Guest</small>".to_owned(),
            Standing::Deleted => String::new(),
        };
        let mut said = at.body(post.parts_at(at.now));
        if let Some(time) = post.edited_at(at.now) {
            let time = self.when(time, at.now).text;
            let _ = writeln!(said, "<p><i>Last edited by {}; {time}.</i></p>", Text(&author.name));
        }
        for (file, size) in &post.files {
            let _ = writeln!(said, "<div class=\"hold\">File: <u>{file}</u> ({size} KB)</div>");
        }
        if let Some(signature) = &author.signature {
            let _ = writeln!(said, "<div class=\"tail\">{}</div>", Text(signature));
        }
        let subject = if entry.position == 1 { "" } else { "Re: " };
        let subject = match post.subject {
            true => format!("<b>{subject}{}</b><br>", Text(&thread.title)),
            false => String::new(),
        };
        let id = post.id;
        format!(
            "<tr class=\"{shade}\">\n<td class=\"pane\"><a name=\"m{id}\"></a>{name}{pane}</td>\n<td class=\"said\"><small>{subject}<a href=\"{path}\">#{position}</a> Posted: {when}</small><hr>\n<div>{said}</div>\n<form method=\"post\" action=\"/act/like\"><input type=\"hidden\" name=\"m\" value=\"{id}\"><input type=\"submit\" value=\"Thank ({likes})\"></form> <form method=\"post\" action=\"/act/report\"><input type=\"hidden\" name=\"m\" value=\"{id}\"><input type=\"submit\" value=\"Report\"></form></td>\n</tr>\n",
            name = at.named(author, ""),
            path = Text(&entry.path),
            position = entry.position,
            when = self.when(post.time, at.now).text,
            likes = post.likes,
        )
    }
}

impl Skin for Table {
    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "replies", "last_author", "last_time"]
    }

    fn board(&self, board: &Board, page: usize) -> String {
        match page {
            1 => format!("/board.cgi?b={}", board.id),
            _ => format!("/board.cgi?b={}&from={}", board.id, (page - 1) * PER_LIST),
        }
    }

    fn thread(&self, _board: &Board, thread: &Thread, page: usize) -> String {
        match page {
            1 => format!("/topic.cgi?t={}", thread.id),
            _ => format!("/topic.cgi?t={}&from={}", thread.id, (page - 1) * PER_THREAD),
        }
    }

    fn user(&self, user: &User) -> String {
        format!("/member.cgi?u={}", user.id)
    }

    fn anchor(&self, post: u32) -> String {
        format!("m{post}")
    }

    fn login(&self) -> &'static str {
        "/login.cgi"
    }

    fn search(&self) -> &'static str {
        "/find.cgi"
    }

    fn when(&self, time: Timestamp, now: Timestamp) -> Stamp {
        let clock = time.strftime("%I:%M %p");
        match days_ago(time, now) {
            0 => told(time, format!("Today, {clock}"), 60),
            1 => told(time, format!("Yesterday, {clock}"), 60),
            _ => exact(time, "%m-%d-%Y, %I:%M %p"),
        }
    }

    fn code(&self, lines: &str) -> String {
        format!(
            "<table class=\"type\"><tr><td><small>Code:</small><pre>{lines}</pre></td></tr></table>\n"
        )
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header = header.map_or_else(
            || "<b>Quote:</b>".to_owned(),
            |(user, when)| format!("<b>{} wrote ({}):</b>", Text(&user.name), when.text),
        );
        format!("<blockquote>{header}<br>\n{inside}</blockquote>\n")
    }

    fn index_page(&self, at: &At<'_>) -> String {
        let mut rows = String::new();
        for board in &at.model.boards {
            let (threads, posts, newest) = at.counts(board);
            let newest = newest.map_or_else(String::new, |row| {
                let when = self.when(row.last.time, at.now).text;
                let title = Text(&row.thread.title);
                format!(
                    "<a href=\"{}\">{title}</a><br>{when}<br>by {}",
                    Text(&row.path),
                    at.named(row.closer, "")
                )
            });
            let indent = if board.parent.is_some() { "&nbsp;&nbsp;&raquo; " } else { "" };
            let _ = writeln!(
                rows,
                "<tr class=\"dawn\"><td>{indent}<a href=\"{}\"><b>{}</b></a><br>{}</td><td>{threads}</td><td>{posts}</td><td>{newest}</td></tr>",
                self.board(board, 1),
                Text(&board.name),
                Text(&board.about)
            );
        }
        let main = format!(
            "<table class=\"crumbs\"><tr><td>{}</td></tr></table>\n<table class=\"berths\"><tr class=\"cap\"><th>Board</th><th>Threads</th><th>Posts</th><th>Last post</th></tr>\n{rows}</table>\n",
            self.tongue().welcome()
        );
        self.page(at, "Boards", "", &main)
    }

    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let shown = at.list(board, page);
        let mut rows = String::new();
        let inside = at.model.boards.iter().filter(|inner| {
            page == 1
                && inner
                    .parent
                    .and_then(|p| at.model.boards.get(p))
                    .is_some_and(|p| p.id == board.id)
        });
        let inside: String = inside
            .map(|inner| format!("<table class=\"berths\"><tr class=\"cap\"><th>Boards inside</th></tr><tr class=\"dawn\"><td><a href=\"{}\">{}</a></td></tr></table>\n", self.board(inner, 1), Text(&inner.name)))
            .collect();
        if !shown.sticky.is_empty() {
            rows += "<tr class=\"seam\"><td colspan=\"6\">Important threads</td></tr>\n";
        }
        let mut even = false;
        for row in &shown.sticky {
            rows += &self.row(at, row, even);
            even = !even;
        }
        if !shown.sticky.is_empty() {
            rows += "<tr class=\"seam\"><td colspan=\"6\">Threads</td></tr>\n";
        }
        for row in &shown.usual {
            rows += &self.row(at, row, even);
            even = !even;
        }
        for row in &shown.stubs {
            let _ = writeln!(
                rows,
                "<tr class=\"dusk\">\n<td></td>\n<td>Moved: <a href=\"{}\">{}</a></td>\n<td align=\"center\">{}</td>\n<td align=\"center\">-</td>\n<td align=\"center\">-</td>\n<td>-</td>\n</tr>",
                Text(&row.path),
                Text(&row.thread.title),
                at.named(row.starter, "")
            );
        }
        let path = Text(&self.board(board, 1)).to_string();
        let pager =
            self.pager(at, page, at.list_pages(board), |n| Text(&self.board(board, n)).to_string());
        let main = format!(
            "{inside}<table class=\"crumbs\"><tr><td>{range}</td></tr></table>\n{pager}<table class=\"log\">\n<tr class=\"cap\"><th></th><th><a href=\"{path}\">Thread</a></th><th>Author</th><th>Replies</th><th>Views</th><th><a href=\"{path}\">Last post</a></th></tr>\n{rows}</table>\n{pager}",
            range = Text(&at.range(board, page)),
        );
        let trail = format!(" &raquo; <a href=\"{path}\">{}</a>", Text(&board.name));
        self.page(at, &board.name, &trail, &main)
    }

    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let mut rows = String::new();
        let entries = at.posts(thread, page);
        for (entry, nth) in entries.iter().zip(1..) {
            rows += &self.post(at, thread, entry);
            if nth == 2 {
                let (text, address) = at.advert();
                let _ = writeln!(
                    rows,
                    "<tr class=\"pitch\"><td>Advertisement</td><td><a href=\"{address}\" rel=\"nofollow\">{}</a></td></tr>",
                    Text(&text)
                );
            }
        }
        let poll = thread.poll.as_ref().filter(|_| page == 1).map_or_else(String::new, |choices| {
            let choices: String = choices
                .iter()
                .map(|(text, votes)| format!("<tr><td>{}</td><td>{votes} votes</td></tr>\n", Text(text)))
                .collect();
            format!("<form method=\"post\" action=\"/act/vote\"><table class=\"show\">\n<tr class=\"cap\"><th colspan=\"2\">Poll</th></tr>\n{choices}<tr><td colspan=\"2\"><input type=\"submit\" value=\"Vote\"></td></tr></table></form>\n")
        });
        let board = at.board(thread);
        let path = |n| Text(&self.thread(board, thread, n)).to_string();
        let pager = self.pager(at, page, at.thread_pages(thread), path);
        let reply = match thread.closed {
            true => "<table class=\"crumbs\"><tr><td>This thread is closed.</td></tr></table>\n"
                .to_owned(),
            false => format!(
                "<form method=\"post\" action=\"/act/reply\"><table class=\"pen\"><tr class=\"cap\"><th>Answer</th></tr><tr><td><input type=\"hidden\" name=\"t\" value=\"{}\"><textarea name=\"text\" rows=\"4\" cols=\"70\"></textarea> <input type=\"submit\" value=\"Send\"></td></tr></table></form>\n",
                thread.id
            ),
        };
        let main = format!(
            "{poll}{pager}<table class=\"talk\">\n<tr class=\"cap\"><th>Author</th><th>{}</th></tr>\n{rows}</table>\n{pager}{reply}",
            Text(&thread.title)
        );
        let trail = format!(
            " &raquo; <a href=\"{}\">{}</a> &raquo; {}",
            self.board(board, 1),
            Text(&board.name),
            Text(&thread.title)
        );
        self.page(at, &thread.title, &trail, &main)
    }

    fn user_page(&self, at: &At<'_>, user: &User) -> String {
        let begun: String = at
            .begun(user)
            .iter()
            .map(|row| {
                format!(
                    "<tr class=\"dawn\"><td><a href=\"{}\">{}</a></td></tr>\n",
                    Text(&row.path),
                    Text(&row.thread.title)
                )
            })
            .collect();
        let main = format!(
            "<table class=\"card\"><tr class=\"cap\"><th>{}</th></tr>\n<tr><td>{}</td></tr>\n<tr><td>Joined: {}</td></tr>\n<tr><td>Posts: {}</td></tr></table>\n<table class=\"card\"><tr class=\"cap\"><th>Threads</th></tr>\n{begun}</table>\n",
            Text(&user.name),
            Text(&self.tongue().about(user)),
            user.joined.strftime("%b %d, %Y"),
            user.count
        );
        self.page(at, &user.name, "", &main)
    }

    fn other_page(&self, at: &At<'_>, title: &str, main: &str) -> String {
        let main = format!("<table class=\"card\"><tr><td>{main}</td></tr></table>\n");
        self.page(at, title, "", &main)
    }
}
