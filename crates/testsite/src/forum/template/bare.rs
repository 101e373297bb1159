//! `bare`: no class anywhere. Posts are text with line breaks between rules, and who wrote them and when
//! is one line: "Posted by X on 12.03.2025, 14:05". Lists are lines, too.

use std::fmt::Write;

use jiff::Timestamp;

use crate::forum::at::{At, Entry, Row};
use crate::forum::model::{Board, Thread};
use crate::forum::people::User;
use crate::forum::skin::Skin;
use crate::forum::when::exact;
use crate::html::Text;
use crate::tables::Stamp;

pub(super) struct Bare;

impl Bare {
    fn page(&self, title: &str, main: &str) -> String {
        format!(
            "<html>\n<head><title>{title}</title><meta charset=\"utf-8\"></head>\n<body bgcolor=\"#ffffff\">\n<h2>{title}</h2>\n<a href=\"/\">Front</a> | <a href=\"{login}\">Enter</a>\n<form action=\"{search}\"><input name=\"for\"> <input type=\"submit\" value=\"Search\"></form>\n<hr>\n{main}<address>sysop at quay</address>\n</body>\n</html>\n",
            title = Text(title),
            login = self.login(),
            search = self.search(),
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
                None => write!(links, "{number} "),
            };
        }
        if links.is_empty() { links } else { format!("Page {links}<br>\n") }
    }

    /// Guests and those who have left are plain text: there is no element around their names.
    fn name(&self, user: &User) -> String {
        match user.has_page() {
            true => format!("<a href=\"{}\">{}</a>", self.user(user), Text(&user.name)),
            false => Text(&user.name).to_string(),
        }
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>) -> String {
        let closed = if row.thread.closed { " [closed]" } else { "" };
        format!(
            "<a href=\"{}\">{}</a>{closed} - {} - {} ({} answers)<br>\n",
            row.path,
            Text(&row.thread.title),
            self.name(row.starter),
            self.listed(row.first.time, at.now).text,
            row.replies
        )
    }

    fn post(&self, at: &At<'_>, thread: &Thread, entry: &Entry<'_>) -> String {
        let (post, author) = (entry.post, entry.author);
        let mut text = format!(
            "<a name=\"a{id}\"></a>\nPosted by {name} on {when} (<a href=\"{path}\">{position}</a>)<br>\n",
            id = post.id,
            name = self.name(author),
            when = self.when(post.time, at.now).text,
            path = entry.path,
            position = entry.position,
        );
        if post.subject {
            let re = if entry.position == 1 { "" } else { "Re: " };
            let _ = writeln!(text, "Subject: {re}{}<br>", Text(&thread.title));
        }
        text += "<br>\n";
        text += &at.body(post.parts_at(at.now));
        for (file, size) in &post.files {
            let _ = writeln!(text, "Attached: {file} ({size} KB)<br>");
        }
        if let Some(time) = post.edited_at(at.now) {
            let _ = writeln!(text, "(Changed on {})<br>", self.when(time, at.now).text);
        }
        if let Some(signature) = &author.signature {
            let _ = writeln!(text, "-- <br>\n{}<br>", Text(signature));
        }
        let _ = writeln!(
            text,
            "<form method=\"post\" action=\"/act/report\"><input type=\"hidden\" name=\"a\" value=\"{}\"><input type=\"submit\" value=\"Report\"></form>",
            post.id
        );
        text
    }
}

impl Skin for Bare {
    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "time", "replies"]
    }

    fn board(&self, board: &Board, page: usize) -> String {
        match page {
            1 => format!("/talk/{}/", board.id),
            _ => format!("/talk/{}/{page}.html", board.id),
        }
    }

    fn thread(&self, _board: &Board, thread: &Thread, page: usize) -> String {
        match page {
            1 => format!("/read/{}", thread.id),
            _ => format!("/read/{}/{page}", thread.id),
        }
    }

    fn user(&self, user: &User) -> String {
        format!("/~{}", user.id)
    }

    fn anchor(&self, post: u32) -> String {
        format!("a{post}")
    }

    fn login(&self) -> &'static str {
        "/talk/enter"
    }

    fn search(&self) -> &'static str {
        "/talk/search"
    }

    fn when(&self, time: Timestamp, _now: Timestamp) -> Stamp {
        exact(time, "%d.%m.%Y, %H:%M")
    }

    fn paragraph(&self, text: &str) -> String {
        format!("{text}<br><br>\n")
    }

    fn code(&self, lines: &str) -> String {
        format!("<tt>{}</tt><br><br>\n", lines.replace('\n', "<br>\n"))
    }

    fn list_of(&self, items: &[String]) -> String {
        let items: String = items.iter().map(|item| format!("* {}<br>\n", Text(item))).collect();
        format!("{items}<br>\n")
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header = header.map_or_else(String::new, |(user, when)| {
            format!("{} wrote on {}:<br>\n", Text(&user.name), when.text)
        });
        format!("{header}<i>{inside}</i>\n")
    }

    fn index_page(&self, at: &At<'_>) -> String {
        let mut main = format!("{}<br><br>\n", self.tongue().welcome());
        for board in &at.model.boards {
            let _ = writeln!(
                main,
                "<b><a href=\"{}\">{}</a></b> - {}<br>",
                self.board(board, 1),
                Text(&board.name),
                Text(&board.about)
            );
        }
        self.page("The Quay", &(main + "<hr>\n"))
    }

    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let shown = at.list(board, page);
        let mut main = format!("{}<br><br>\n", Text(&at.range(board, page)));
        for inner in at.inside(board) {
            let _ = writeln!(
                main,
                "Inside: <a href=\"{}\">{}</a><br><br>",
                self.board(inner, 1),
                Text(&inner.name)
            );
        }
        if !shown.sticky.is_empty() {
            main += "<b>Read first</b><br>\n";
            main.extend(shown.sticky.iter().map(|row| self.row(at, row)));
            main += "<b>The rest</b><br>\n";
        }
        main.extend(shown.usual.iter().map(|row| self.row(at, row)));
        for row in &shown.stubs {
            let _ = writeln!(
                main,
                "Moved: <a href=\"{}\">{}</a><br>",
                row.path,
                Text(&row.thread.title)
            );
        }
        main += "<hr>\n";
        main += &self.pager(at, page, at.list_pages(board), |n| self.board(board, n));
        self.page(&board.name, &main)
    }

    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let board = at.board(thread);
        let mut main =
            format!("<a href=\"{}\">{}</a><br>\n", self.board(board, 1), Text(&board.name));
        if let Some(choices) = thread.poll.as_ref().filter(|_| page == 1) {
            main += "<form method=\"post\" action=\"/act/vote\">\n";
            for (text, votes) in choices {
                let _ =
                    writeln!(main, "<input type=\"radio\" name=\"v\"> {}: {votes}<br>", Text(text));
            }
            main += "<input type=\"submit\" value=\"Vote\"></form>\n";
        }
        main += "<hr>\n";
        for (entry, nth) in at.posts(thread, page).iter().zip(1..) {
            main += &self.post(at, thread, entry);
            main += "<hr>\n";
            if nth == 2 {
                let (text, address) = at.advert();
                let _ = writeln!(main, "<a href=\"{address}\">{}</a>\n<hr>", Text(&text));
            }
        }
        main += &self.pager(at, page, at.thread_pages(thread), |n| self.thread(board, thread, n));
        if !thread.closed {
            let _ = writeln!(
                main,
                "<form method=\"post\" action=\"/act/reply\"><textarea name=\"text\"></textarea><input type=\"submit\" value=\"Post\"></form>"
            );
        }
        self.page(&thread.title, &main)
    }

    fn user_page(&self, at: &At<'_>, user: &User) -> String {
        let mut main = format!(
            "{}<br>\nHere since {}, {} posts<br><br>\n",
            Text(&self.tongue().about(user)),
            user.joined.strftime("%d.%m.%Y"),
            user.count
        );
        for row in at.begun(user) {
            let _ = writeln!(main, "<a href=\"{}\">{}</a><br>", row.path, Text(&row.thread.title));
        }
        self.page(&user.name, &(main + "<hr>\n"))
    }

    fn other_page(&self, _at: &At<'_>, title: &str, main: &str) -> String {
        self.page(title, &format!("{main}<hr>\n"))
    }
}
