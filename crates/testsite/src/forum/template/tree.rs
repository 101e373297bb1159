//! `tree`: replies hang below what they answer, item in item, all of a thread on one page; threads are
//! items of a list. Addresses begin with the board; the text says how long ago it was, a title when.

use std::fmt::Write;

use jiff::Timestamp;

use crate::forum::at::{At, Entry, Row};
use crate::forum::model::{Board, Thread};
use crate::forum::people::{Standing, User};
use crate::forum::skin::{Rest, Skin};
use crate::forum::when::ago;
use crate::html::Text;
use crate::tables::Stamp;

pub(super) struct Tree;

const STYLE: &str = "body{font:14px Arial,sans-serif;margin:0 20px}.twigs{list-style:none;padding-left:18px;border-left:1px solid #cde}.twig-line{color:#567;font-size:12px;margin-top:8px}.piles{list-style:none;padding:0}.pile{display:flex;gap:10px;padding:6px 0}.uttered{border-left:2px solid #9bd;padding-left:6px;color:#456}.hoard{background:#fdf3d0}";

impl Tree {
    fn page(&self, title: &str, main: &str) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title} : mooring</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<ul class=\"rail\"><li><a href=\"/\">mooring</a></li><li><a href=\"{login}\">log in</a></li><li><form action=\"{search}\"><input name=\"q\" placeholder=\"search\"></form></li></ul>\n{main}<p class=\"sill\">mooring: say it once, say it well</p>\n</body>\n</html>\n",
            title = Text(title),
            search = self.search(),
            login = self.login(),
        )
    }

    fn time(&self, time: Timestamp, now: Timestamp) -> String {
        let full = time.strftime("%a, %d %b %Y %H:%M:%S GMT");
        format!("<span class=\"since\" title=\"{full}\">{}</span>", self.when(time, now).text)
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>, class: &str) -> String {
        let replies = match row.replies {
            0 => "discuss".to_owned(),
            1 => "1 comment".to_owned(),
            count => format!("{count} comments"),
        };
        format!(
            "<li class=\"pile{class}\"><span class=\"score\">{likes}</span><div><a class=\"headline\" href=\"{path}\">{title}</a><p class=\"pile-line\">submitted {time} by {starter}</p><a class=\"answers\" href=\"{path}\">{replies}</a></div></li>\n",
            likes = row.first.likes,
            path = row.path,
            title = Text(&row.thread.title),
            time = self.time(row.first.time, at.now),
            starter = at.named(row.starter, " class=\"by\""),
        )
    }

    /// What stands above and in a comment; the first post of a thread has the same parts.
    fn comment(&self, at: &At<'_>, entry: &Entry<'_>) -> String {
        let (post, author) = (entry.post, entry.author);
        let guest = if author.standing == Standing::Guest { " <i>visitor</i>" } else { "" };
        let edited = post.edited_at(at.now).map_or_else(String::new, |time| {
            format!(" <span class=\"star\">edited {}</span>", self.time(time, at.now))
        });
        let files =
            post.files.iter().map(|(file, _)| format!("<span class=\"chest\">{file}</span> "));
        let files: String = files.collect();
        format!(
            "<div class=\"twig-line\">{name}{guest} {likes} points {time}{edited}</div>\n<div class=\"twig-text\">{body}</div>\n{files}<ul class=\"levers\"><li><a href=\"{path}\">permalink</a></li><li><form method=\"post\" action=\"/act/like\"><button name=\"c\" value=\"{id}\">up</button></form></li><li><form method=\"post\" action=\"/act/report\"><button name=\"c\" value=\"{id}\">report</button></form></li></ul>\n",
            name = at.named(author, " class=\"by\""),
            likes = post.likes,
            time = self.time(post.time, at.now),
            body = at.body(post.parts_at(at.now)),
            path = entry.path,
            id = post.id,
        )
    }

    /// The comments below the first post, each list inside the item that it answers.
    fn tree(&self, at: &At<'_>, entries: &[Entry<'_>]) -> String {
        let mut tree = String::new();
        let mut open = 0_usize;
        for (entry, nth) in entries.iter().zip(1..) {
            let depth = entry.depth + 1;
            match open.checked_sub(depth) {
                None => tree += "<ul class=\"twigs\">\n",
                Some(above) => {
                    tree += "</li>\n";
                    tree += &"</ul>\n</li>\n".repeat(above);
                }
            }
            open = depth;
            let _ = write!(
                tree,
                "<li class=\"twig\" id=\"c{}\">\n{}",
                entry.post.id,
                self.comment(at, entry)
            );
            if nth == 3 {
                let (text, address) = at.advert();
                let _ = writeln!(
                    tree,
                    "<div class=\"hoard\"><a href=\"{address}\">{}</a></div>",
                    Text(&text)
                );
            }
        }
        tree + &"</li>\n</ul>\n".repeat(open)
    }
}

impl Skin for Tree {
    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "time", "replies"]
    }

    fn post_fields(&self) -> &'static [&'static str] {
        &["author", "time", "content", "url", "reply_to", "depth"]
    }

    fn thread_rest(&self) -> Rest {
        Rest::Whole
    }

    fn nests(&self) -> bool {
        true
    }

    fn board(&self, board: &Board, page: usize) -> String {
        match page {
            1 => format!("/m/{}", board.slug),
            _ => format!("/m/{}?leaf={page}", board.slug),
        }
    }

    fn thread(&self, board: &Board, thread: &Thread, _page: usize) -> String {
        let slug = if thread.slug.is_empty() { "untitled" } else { &thread.slug };
        format!("/m/{}/{}/{slug}", board.slug, base36(thread.id))
    }

    fn user(&self, user: &User) -> String {
        format!("/@{}", base36(user.id))
    }

    fn anchor(&self, post: u32) -> String {
        format!("c{post}")
    }

    fn login(&self) -> &'static str {
        "/enter"
    }

    fn search(&self) -> &'static str {
        "/s"
    }

    fn when(&self, time: Timestamp, now: Timestamp) -> Stamp {
        // The title is exact.
        Stamp { within: 1, ..ago(time, now) }
    }

    fn code(&self, lines: &str) -> String {
        format!("<pre>{lines}</pre>\n")
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header =
            header.map_or_else(String::new, |(user, _)| format!("<p>@{}</p>\n", Text(&user.name)));
        format!("<blockquote class=\"uttered\">{header}{inside}</blockquote>\n")
    }

    fn index_page(&self, at: &At<'_>) -> String {
        let boards: String = at
            .model
            .boards
            .iter()
            .map(|board| {
                format!(
                    "<li class=\"slip\"><a href=\"{}\">{}</a> {}</li>\n",
                    self.board(board, 1),
                    Text(&board.name),
                    Text(&board.about)
                )
            })
            .collect();
        self.page(
            "all",
            &format!("<p>{}</p>\n<ul class=\"slips\">\n{boards}</ul>\n", self.tongue().welcome()),
        )
    }

    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let shown = at.list(board, page);
        let mut rows = String::new();
        rows.extend(shown.sticky.iter().map(|row| self.row(at, row, " pile-pinned")));
        for (row, nth) in shown.usual.iter().zip(1..) {
            rows += &self.row(at, row, if row.thread.closed { " pile-shut" } else { "" });
            if nth == 4 {
                let (text, address) = at.advert();
                let _ = writeln!(
                    rows,
                    "<li class=\"hoard\"><a href=\"{address}\">{}</a> promoted</li>",
                    Text(&text)
                );
            }
        }
        for row in &shown.stubs {
            let _ = writeln!(
                rows,
                "<li class=\"pile pile-moved\"><a href=\"{}\">{}</a> has moved</li>",
                row.path,
                Text(&row.thread.title)
            );
        }
        let last = at.list_pages(board);
        let mut turn = String::new();
        if page > 1 {
            let _ = write!(
                turn,
                "<a rel=\"prev\" href=\"{}\">&lsaquo; newer</a> ",
                self.board(board, page - 1)
            );
        }
        if page < last {
            let _ = write!(
                turn,
                "<a rel=\"next\" href=\"{}\">older &rsaquo;</a>",
                self.board(board, page + 1)
            );
        }
        let inner: String = at
            .inside(board)
            .map(|inner| {
                format!("<p><a href=\"{}\">{}</a></p>\n", self.board(inner, 1), Text(&inner.name))
            })
            .collect();
        let main = format!(
            "<h1>{}</h1>\n{inner}<p>{}</p>\n<ul class=\"piles\">\n{rows}</ul>\n<p class=\"sheets\">{turn}</p>\n",
            Text(&board.name),
            Text(&at.range(board, page))
        );
        self.page(&board.name, &main)
    }

    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let entries = at.posts(thread, page);
        let poll = thread.poll.as_ref().map_or_else(String::new, |choices| {
            let choices: String = choices
                .iter()
                .map(|(text, votes)| format!("<li>{} {votes}</li>\n", Text(text)))
                .collect();
            format!("<form method=\"post\" action=\"/act/vote\"><ol class=\"tallies\">\n{choices}</ol><button>vote</button></form>\n")
        });
        let reply = match thread.closed {
            true => "<p>archived: no more comments</p>\n".to_owned(),
            false => format!(
                "<form method=\"post\" action=\"/act/reply\"><textarea name=\"text\"></textarea><button name=\"to\" value=\"{}\">save</button></form>\n",
                thread.id
            ),
        };
        let board = at.board(thread);
        let main = format!(
            "<p><a href=\"{}\">{}</a></p>\n<h1>{}</h1>\n{poll}<p>{} comments</p>\n{}{reply}",
            self.board(board, 1),
            Text(&board.name),
            Text(&thread.title),
            entries.len().saturating_sub(1),
            self.tree(at, &entries)
        );
        self.page(&thread.title, &main)
    }

    fn user_page(&self, at: &At<'_>, user: &User) -> String {
        let begun: String = at
            .begun(user)
            .iter()
            .map(|row| {
                format!("<li><a href=\"{}\">{}</a></li>\n", row.path, Text(&row.thread.title))
            })
            .collect();
        let signature = user
            .signature
            .as_ref()
            .map_or_else(String::new, |text| format!("<p>{}</p>\n", Text(text)));
        let main = format!(
            "<h1>{}</h1>\n<p>{}</p>\n{signature}<p>here since {}, {} points</p>\n<ul>\n{begun}</ul>\n",
            Text(&user.name),
            Text(&self.tongue().about(user)),
            user.joined.strftime("%b %Y"),
            user.count
        );
        self.page(&user.name, &main)
    }

    fn other_page(&self, _at: &At<'_>, title: &str, main: &str) -> String {
        self.page(title, &format!("<h1>{}</h1>\n{main}", Text(title)))
    }
}

/// A number in digits and letters, as short as it goes.
fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}
