//! `cards`: a box for each thread and each post, as sites of the last ten years have it. Addresses
//! have words; the instant is in an attribute, and the text says how long ago it was.

use std::fmt::Write;

use jiff::Timestamp;

use crate::forum::at::{At, Entry, Row};
use crate::forum::model::{Board, Thread};
use crate::forum::people::{Standing, User};
use crate::forum::skin::Skin;
use crate::forum::when::{ago, iso};
use crate::html::Text;
use crate::tables::Stamp;

pub(super) struct Cards;

const STYLE: &str = "body{margin:0;font:15px system-ui;background:#f3f1ec}.deck{max-width:760px;margin:auto}.tile{background:#fff;border-radius:8px;margin:10px 0;padding:12px}.tile-top{display:flex;gap:8px}.tile-face{width:32px;height:32px;border-radius:50%;background:#d9a;text-align:center}.echo{border-left:3px solid #d9a;margin:6px;padding-left:8px}.blurb{color:#777;font-size:12px}.ribbon{background:#ffe9b8;padding:8px}.topbar{background:#422;color:#fff;padding:8px}";

impl Cards {
    fn page(&self, title: &str, main: &str) -> String {
        format!(
            concat!(
                "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>{title} | Slipway</title><style>{style}</style></head>\n<body>\n",
                "<header class=\"topbar\"><a class=\"brand\" href=\"/\">Slipway</a> <form role=\"search\" action=\"{search}\"><input type=\"search\" name=\"q\" aria-label=\"Search\"></form> <a class=\"enter\" href=\"{login}\">Sign in</a></header>\n",
                "<main class=\"deck\">\n{main}</main>\n<footer class=\"bilge\">Slipway, a place to talk</footer>\n</body>\n</html>\n"
            ),
            title = Text(title),
            style = STYLE,
            search = self.search(),
            login = self.login(),
            main = main,
        )
    }

    fn time(&self, time: Timestamp, now: Timestamp, class: &str) -> String {
        let text = self.when(time, now).text;
        format!(r#"<time class="{class}" datetime="{}">{text}</time>"#, iso(time))
    }

    fn pager(
        &self,
        at: &At<'_>,
        page: usize,
        last: usize,
        path: impl Fn(usize) -> String,
    ) -> String {
        let numbers = at.pager(page, last, path).into_iter().map(|(number, path)| match path {
            Some(path) => format!("<a class=\"stop\" href=\"{path}\">{number}</a>"),
            None => format!("<span class=\"stop stop--here\">{number}</span>"),
        });
        match numbers.collect::<Vec<_>>().join("\n") {
            numbers if numbers.is_empty() => numbers,
            numbers => format!("<nav class=\"stops\" aria-label=\"Pages\">{numbers}</nav>\n"),
        }
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>) -> String {
        let thread = row.thread;
        let mut state = String::new();
        let mut badges = String::new();
        for (is, class, label) in
            [(thread.sticky, "tile--top", "Pinned"), (thread.closed, "tile--shut", "Closed")]
        {
            if is {
                let _ = write!(state, " {class}");
                let _ = write!(badges, "<span class=\"badge\">{label}</span> ");
            }
        }
        let answers = match row.replies {
            1 => "1 reply".to_owned(),
            count => format!("{count} replies"),
        };
        format!(
            "<div class=\"tile{state}\">\n<div class=\"tile-face\">{initial}</div>\n<h3 class=\"tile-title\">{badges}<a href=\"{path}\">{title}</a></h3>\n<p class=\"tile-line\">Started by {starter} {time}</p>\n<span class=\"tally\">{answers}</span>\n</div>\n",
            initial = initial(row.starter),
            path = row.path,
            title = Text(&thread.title),
            starter = at.named(row.starter, " class=\"who\""),
            time = self.time(row.first.time, at.now, "ago"),
        )
    }

    fn post(&self, at: &At<'_>, entry: &Entry<'_>) -> String {
        let (post, author) = (entry.post, entry.author);
        let lead = if entry.position == 1 { " tile--lead" } else { "" };
        let note = match author.standing {
            Standing::Member => author.rank,
            Standing::Guest => "visitor",
            Standing::Deleted => "",
        };
        let edited = post.edited_at(at.now).map_or_else(String::new, |time| {
            format!(
                "<span class=\"retouch\">edited {}</span> ",
                self.time(time, at.now, "ago-small")
            )
        });
        let files: String = post
            .files
            .iter()
            .map(|(file, size)| format!("<li>{file} <small>{size} KB</small></li>"))
            .collect();
        let files = match files.is_empty() {
            true => files,
            false => format!("<ul class=\"crate\">{files}</ul>\n"),
        };
        let signature = author.signature.as_ref().map_or_else(String::new, |text| {
            format!("<div class=\"blurb\">{}</div>\n", Text(text))
        });
        format!(
            "<div class=\"tile{lead}\" id=\"reply-{id}\">\n<div class=\"tile-top\"><div class=\"tile-face\">{initial}</div><div>{name} <em class=\"rank\">{note}</em><br><a class=\"perma\" href=\"{path}\">{time}</a></div></div>\n<div class=\"tile-words\">\n{body}</div>\n{files}{signature}<div class=\"tile-foot\">{edited}<form class=\"deed\" method=\"post\" action=\"/act/like\"><button name=\"post\" value=\"{id}\">Like · {likes}</button></form> <form class=\"deed\" method=\"post\" action=\"/act/report\"><button name=\"post\" value=\"{id}\">Flag</button></form> <span class=\"ordinal\">{position}</span></div>\n</div>\n",
            id = post.id,
            initial = initial(author),
            name = at.named(author, " class=\"who\""),
            path = entry.path,
            time = self.time(post.time, at.now, "ago"),
            body = at.body(post.parts_at(at.now)),
            likes = post.likes,
            position = entry.position,
        )
    }
}

/// The letter in the circle of somebody without a picture.
fn initial(user: &User) -> String {
    user.name.chars().take(1).flat_map(char::to_uppercase).collect()
}

impl Skin for Cards {
    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "time", "replies"]
    }

    fn board(&self, board: &Board, page: usize) -> String {
        match page {
            1 => format!("/c/{}/", board.slug),
            _ => format!("/c/{}/page/{page}", board.slug),
        }
    }

    fn thread(&self, _board: &Board, thread: &Thread, page: usize) -> String {
        let name = format!("{}-{}", thread.id, thread.slug);
        let name = name.trim_end_matches('-');
        match page {
            1 => format!("/d/{name}"),
            _ => format!("/d/{name}/page/{page}"),
        }
    }

    fn user(&self, user: &User) -> String {
        format!("/people/{}", user.id)
    }

    fn anchor(&self, post: u32) -> String {
        format!("reply-{post}")
    }

    fn login(&self) -> &'static str {
        "/sign-in"
    }

    fn search(&self) -> &'static str {
        "/search"
    }

    fn when(&self, time: Timestamp, now: Timestamp) -> Stamp {
        // The attribute is exact.
        Stamp { within: 1, ..ago(time, now) }
    }

    fn code(&self, lines: &str) -> String {
        format!("<pre class=\"terminal\"><code>{lines}</code></pre>\n")
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header = header.map_or_else(String::new, |(user, _)| {
            format!("<cite class=\"echo-who\">{} said:</cite>\n", Text(&user.name))
        });
        format!("<blockquote class=\"echo\">{header}{inside}</blockquote>\n")
    }

    fn index_page(&self, at: &At<'_>) -> String {
        let mut main =
            format!("<h1>Slipway</h1>\n<p class=\"hail\">{}</p>\n", self.tongue().welcome());
        for board in &at.model.boards {
            let (threads, _, newest) = at.counts(board);
            let newest = newest.map_or_else(String::new, |row| {
                let time = self.time(row.last.time, at.now, "ago");
                format!("<a href=\"{}\">{}</a> {time}", row.path, Text(&row.thread.title))
            });
            let nested = if board.parent.is_some() { " bay--inner" } else { "" };
            let _ = writeln!(
                main,
                "<section class=\"bay{nested}\"><h2><a href=\"{}\">{}</a></h2><p>{}</p><p>{threads} discussions. Latest: {newest}</p></section>",
                self.board(board, 1),
                Text(&board.name),
                Text(&board.about)
            );
        }
        self.page("Home", &main)
    }

    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let shown = at.list(board, page);
        let mut main = format!(
            "<h1>{}</h1>\n<p class=\"hail\">{}</p>\n",
            Text(&board.name),
            Text(&at.range(board, page))
        );
        for inner in at.inside(board) {
            let _ = writeln!(
                main,
                "<p class=\"bay bay--inner\"><a href=\"{}\">{}</a></p>",
                self.board(inner, 1),
                Text(&inner.name)
            );
        }
        main += "<div class=\"hand\">\n";
        for (row, nth) in shown.sticky.iter().chain(&shown.usual).zip(1..) {
            main += &self.row(at, row);
            if nth == 3 {
                let (text, address) = at.advert();
                let _ = writeln!(
                    main,
                    "<div class=\"ribbon\"><a href=\"{address}\">{}</a></div>",
                    Text(&text)
                );
            }
        }
        for row in &shown.stubs {
            let _ = writeln!(
                main,
                "<div class=\"tile tile--gone\"><h3 class=\"tile-title\">Moved: <a href=\"{}\">{}</a></h3></div>",
                row.path,
                Text(&row.thread.title)
            );
        }
        main += "</div>\n";
        main += &self.pager(at, page, at.list_pages(board), |n| self.board(board, n));
        self.page(&board.name, &main)
    }

    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let board = at.board(thread);
        let mut main = format!(
            "<nav class=\"track\"><a href=\"/\">Home</a> / <a href=\"{}\">{}</a></nav>\n<h1>{}</h1>\n",
            self.board(board, 1),
            Text(&board.name),
            Text(&thread.title)
        );
        if let Some(choices) = thread.poll.as_ref().filter(|_| page == 1) {
            main += "<form class=\"ballot\" method=\"post\" action=\"/act/vote\">\n";
            for (text, votes) in choices {
                let _ = writeln!(
                    main,
                    "<label><input type=\"radio\" name=\"choice\"> {} <b>{votes}</b></label>",
                    Text(text)
                );
            }
            main += "<button>Vote</button></form>\n";
        }
        main += "<div class=\"hand\">\n";
        let entries = at.posts(thread, page);
        for (entry, nth) in entries.iter().zip(1..) {
            main += &self.post(at, entry);
            if nth == 3 || nth == 7 {
                let (text, address) = at.advert();
                let _ = writeln!(
                    main,
                    "<div class=\"ribbon\">Sponsored<br><a href=\"{address}\">{}</a></div>",
                    Text(&text)
                );
            }
        }
        main += "</div>\n";
        main += &self.pager(at, page, at.thread_pages(thread), |n| self.thread(board, thread, n));
        if !thread.closed {
            let _ = writeln!(
                main,
                "<form class=\"quill\" method=\"post\" action=\"/act/reply\"><textarea name=\"text\" placeholder=\"Say something\"></textarea><button name=\"thread\" value=\"{}\">Reply</button></form>",
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
                format!("<li><a href=\"{}\">{}</a></li>\n", row.path, Text(&row.thread.title))
            })
            .collect();
        let main = format!(
            "<h1>{}</h1>\n<div class=\"tile-face\">{}</div>\n<p>{}</p>\n<p>On board since {}, {} posts</p>\n<ul class=\"wake\">{begun}</ul>\n",
            Text(&user.name),
            initial(user),
            Text(&self.tongue().about(user)),
            user.joined.strftime("%B %Y"),
            user.count
        );
        self.page(&user.name, &main)
    }

    fn other_page(&self, _at: &At<'_>, title: &str, main: &str) -> String {
        self.page(title, &format!("<h1>{}</h1>\n{main}", Text(title)))
    }
}
