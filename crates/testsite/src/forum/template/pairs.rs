//! `pairs`: two rows a record: a row with author and date above a row with the post, and in lists a
//! second row with how the thread begins. Addresses are paths that end in offsets; dates begin with the
//! year.

use std::fmt::Write;

use jiff::Timestamp;

use crate::forum::at::{At, Entry, Row};
use crate::forum::model::{Board, PER_LIST, PER_THREAD, Thread, beginning};
use crate::forum::people::{Standing, User};
use crate::forum::skin::Skin;
use crate::forum::when::exact;
use crate::html::Text;
use crate::tables::Stamp;

pub(super) struct Pairs;

const STYLE: &str = "body{font:14px Tahoma,sans-serif;background:#fffdf4}.grid{width:900px;border-spacing:0;border:1px solid #ca8}.grid td{padding:5px}.brow{background:#f3e3c3}.torso td{padding:10px}.gist td{color:#765;font-size:12px}.q1{background:#f7f2e6;border-left:4px solid #ca8;padding:4px}.pitchrow td{background:#e4f0d8}.fin{border-top:1px dashed #ca8}";

impl Pairs {
    fn page(&self, title: &str, main: &str) -> String {
        format!(
            "<html>\n<head><meta charset=\"utf-8\"><title>{title} @ Breakwater</title><style>{STYLE}</style></head>\n<body>\n<table class=\"lid\" width=\"900\"><tr><td><a href=\"/\">Breakwater</a></td><td><form action=\"{search}\"><input name=\"term\"><button>Go</button></form></td><td><a href=\"{login}\">Login</a></td></tr></table>\n{main}<p class=\"base\">Breakwater, est. 1999</p>\n</body>\n</html>\n",
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
                Some(path) => write!(links, " <a href=\"{path}\">{number}</a>"),
                None => write!(links, " <u>{number}</u>"),
            };
        }
        if links.is_empty() { links } else { format!("<p class=\"turn\">Go to page{links}</p>\n") }
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>) -> String {
        let thread = row.thread;
        let mark = match (thread.sticky, thread.closed) {
            (true, _) => "!",
            (_, true) => "x",
            _ => "",
        };
        format!(
            "<tr class=\"brow\"><td>{mark}</td><td><a href=\"{path}\">{title}</a></td><td>{starter}</td><td>{first}</td><td>{replies}</td><td>{last}, {closer}</td></tr>\n<tr class=\"gist\"><td></td><td colspan=\"5\">{gist}</td></tr>\n",
            path = row.path,
            title = Text(&thread.title),
            starter = at.named(row.starter, ""),
            first = self.listed(row.first.time, at.now).text,
            replies = row.replies,
            last = self.listed(row.last.time, at.now).text,
            closer = at.named(row.closer, ""),
            gist = Text(&beginning(row.first.opening(at.now))),
        )
    }

    fn post(&self, at: &At<'_>, entry: &Entry<'_>) -> String {
        let (post, author) = (entry.post, entry.author);
        let note = match author.standing {
            Standing::Member => {
                format!("since {}, {} posts", author.joined.strftime("%Y/%m"), author.count)
            }
            Standing::Guest => "not registered".to_owned(),
            Standing::Deleted => "account closed".to_owned(),
        };
        let mut said = at.body(post.parts_at(at.now));
        for (file, size) in &post.files {
            let _ = writeln!(said, "<p class=\"clip\">[{file}, {size} KB]</p>");
        }
        if let Some(signature) = &author.signature {
            let _ = writeln!(said, "<p class=\"fin\">{}</p>", Text(signature));
        }
        if let Some(time) = post.edited_at(at.now) {
            let _ = writeln!(
                said,
                "<p class=\"redo\">Edited {} by {}</p>",
                self.when(time, at.now).text,
                Text(&author.name)
            );
        }
        format!(
            "<tr class=\"brow\" id=\"n{id}\"><td><a href=\"{path}\">{position}</a></td><td>{name}</td><td>{note}</td><td>{when}</td></tr>\n<tr class=\"torso\"><td></td><td colspan=\"3\">{said}<form method=\"post\" action=\"/act/like\"><input type=\"hidden\" name=\"n\" value=\"{id}\"><button>+{likes}</button></form><form method=\"post\" action=\"/act/report\"><input type=\"hidden\" name=\"n\" value=\"{id}\"><button>Tell a moderator</button></form></td></tr>\n",
            id = post.id,
            path = entry.path,
            position = entry.position,
            name = at.named(author, ""),
            when = self.when(post.time, at.now).text,
            likes = post.likes,
        )
    }
}

impl Skin for Pairs {
    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "time", "replies", "last_author", "last_time"]
    }

    fn board(&self, board: &Board, page: usize) -> String {
        match page {
            1 => format!("/area/{}", board.id),
            _ => format!("/area/{}/{}", board.id, (page - 1) * PER_LIST),
        }
    }

    fn thread(&self, board: &Board, thread: &Thread, page: usize) -> String {
        match page {
            1 => format!("/area/{}/topic/{}", board.id, thread.id),
            _ => format!("/area/{}/topic/{}/{}", board.id, thread.id, (page - 1) * PER_THREAD),
        }
    }

    fn user(&self, user: &User) -> String {
        format!("/who/{}", user.id)
    }

    fn anchor(&self, post: u32) -> String {
        format!("n{post}")
    }

    fn login(&self) -> &'static str {
        "/who/login"
    }

    fn search(&self) -> &'static str {
        "/area/search"
    }

    fn when(&self, time: Timestamp, _now: Timestamp) -> Stamp {
        exact(time, "%Y/%m/%d %H:%M")
    }

    fn code(&self, lines: &str) -> String {
        format!("<div class=\"mono\"><pre>{lines}</pre></div>\n")
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header = header.map_or_else(String::new, |(user, when)| {
            format!("<i>Quoting {}, {}</i>\n", Text(&user.name), when.text)
        });
        format!("<div class=\"q1\">{header}{inside}</div>\n")
    }

    fn index_page(&self, at: &At<'_>) -> String {
        let mut rows = String::new();
        for board in &at.model.boards {
            let (threads, posts, newest) = at.counts(board);
            let newest =
                newest.map_or_else(String::new, |row| self.when(row.last.time, at.now).text);
            let _ = writeln!(
                rows,
                "<tr class=\"brow\"><td><a href=\"{}\">{}</a></td><td>{threads}</td><td>{posts}</td><td>{newest}</td></tr>\n<tr class=\"gist\"><td colspan=\"4\">{}</td></tr>",
                self.board(board, 1),
                Text(&board.name),
                Text(&board.about)
            );
        }
        self.page(
            "Areas",
            &format!(
                "<p>{}</p>\n<table class=\"grid\">\n{rows}</table>\n",
                self.tongue().welcome()
            ),
        )
    }

    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let shown = at.list(board, page);
        let path = self.board(board, 1);
        let mut rows = format!(
            "<tr class=\"sorter\"><td></td><td><a href=\"{path}\">Topic</a></td><td>By</td><td><a href=\"{path}\">Begun</a></td><td>Answers</td><td><a href=\"{path}\">Latest</a></td></tr>\n"
        );
        if !shown.sticky.is_empty() {
            rows += "<tr class=\"divide\"><td colspan=\"6\">Always on top</td></tr>\n";
            rows.extend(shown.sticky.iter().map(|row| self.row(at, row)));
            rows += "<tr class=\"divide\"><td colspan=\"6\">Topics</td></tr>\n";
        }
        rows.extend(shown.usual.iter().map(|row| self.row(at, row)));
        for row in &shown.stubs {
            let _ = writeln!(
                rows,
                "<tr class=\"brow\"><td>&rarr;</td><td><a href=\"{}\">{}</a></td><td colspan=\"4\">is now in {}</td></tr>",
                row.path,
                Text(&row.thread.title),
                Text(&at.board(row.thread).name)
            );
        }
        let pager = self.pager(at, page, at.list_pages(board), |n| self.board(board, n));
        let inner: String = at
            .inside(board)
            .map(|inner| {
                format!(
                    "<p>Inside: <a href=\"{}\">{}</a></p>\n",
                    self.board(inner, 1),
                    Text(&inner.name)
                )
            })
            .collect();
        let main = format!(
            "<h2>{}</h2>\n{inner}<p>{}</p>\n{pager}<table class=\"grid\">\n{rows}</table>\n{pager}",
            Text(&board.name),
            Text(&at.range(board, page))
        );
        self.page(&board.name, &main)
    }

    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let board = at.board(thread);
        let mut rows = String::new();
        for (entry, nth) in at.posts(thread, page).iter().zip(1..) {
            rows += &self.post(at, entry);
            if nth == 1 || nth == 5 {
                let (text, address) = at.advert();
                let _ = writeln!(
                    rows,
                    "<tr class=\"pitchrow\"><td colspan=\"4\"><a href=\"{address}\">{}</a></td></tr>",
                    Text(&text)
                );
            }
        }
        let pager =
            self.pager(at, page, at.thread_pages(thread), |n| self.thread(board, thread, n));
        let poll = thread.poll.as_ref().filter(|_| page == 1).map_or_else(String::new, |choices| {
            let choices: String = choices
                .iter()
                .map(|(text, votes)| format!("<tr><td>{}</td><td>{votes}</td></tr>\n", Text(text)))
                .collect();
            format!("<form method=\"post\" action=\"/act/vote\"><table class=\"count\">\n{choices}</table><button>Vote</button></form>\n")
        });
        let reply = match thread.closed {
            true => "<p>Closed.</p>\n".to_owned(),
            false => format!(
                "<form method=\"post\" action=\"/act/reply\"><input type=\"hidden\" name=\"topic\" value=\"{}\"><textarea name=\"text\"></textarea><button>Answer</button></form>\n",
                thread.id
            ),
        };
        let main = format!(
            "<p><a href=\"/\">Areas</a> / <a href=\"{}\">{}</a></p>\n<h2>{}</h2>\n{poll}{pager}<table class=\"grid\">\n{rows}</table>\n{pager}{reply}",
            self.board(board, 1),
            Text(&board.name),
            Text(&thread.title)
        );
        self.page(&thread.title, &main)
    }

    fn user_page(&self, at: &At<'_>, user: &User) -> String {
        let begun: String = at
            .begun(user)
            .iter()
            .map(|row| {
                format!(
                    "<tr><td><a href=\"{}\">{}</a></td></tr>\n",
                    row.path,
                    Text(&row.thread.title)
                )
            })
            .collect();
        let main = format!(
            "<h2>{}</h2>\n<p>{}</p>\n<p>Registered {}, {} posts</p>\n<table class=\"past\">\n{begun}</table>\n",
            Text(&user.name),
            Text(&self.tongue().about(user)),
            user.joined.strftime("%Y/%m/%d"),
            user.count
        );
        self.page(&user.name, &main)
    }

    fn other_page(&self, _at: &At<'_>, title: &str, main: &str) -> String {
        self.page(title, &format!("<h2>{}</h2>\n{main}", Text(title)))
    }
}
