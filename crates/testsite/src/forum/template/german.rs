//! `german`: articles in an ordered list, the author below what they say. Addresses are words of the
//! language; dates are relative, yesterday by name, and in lists have two digits for the year.

use std::fmt::Write;

use jiff::Timestamp;

use crate::forum::at::{At, Entry, Row};
use crate::forum::model::{Board, Thread};
use crate::forum::people::{Standing, User};
use crate::forum::skin::Skin;
use crate::forum::tongue::Tongue;
use crate::forum::when::{civil, days_ago, minutes_ago, told};
use crate::html::Text;
use crate::tables::Stamp;

pub(super) struct German;

const STYLE: &str = "body{font:15px 'Segoe UI',sans-serif;max-width:880px;margin:auto}ol{list-style:none;padding:0}.wortmeldung{border:1px solid #bcb;margin:8px 0;padding:8px}.absender{background:#eef4ee;padding:6px;margin-top:8px;font-size:13px}.zitat{background:#f5f5f0;margin:4px 20px;padding:4px}.spruch{color:#798}.reklame{background:#fde}";

const MONTHS: [&str; 12] = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];

impl German {
    fn page(&self, title: &str, main: &str) -> String {
        format!(
            "<!DOCTYPE html>\n<html lang=\"de\">\n<head><meta charset=\"utf-8\"><title>{title} – Hafenkneipe</title><style>{STYLE}</style></head>\n<body>\n<header class=\"schild\"><a href=\"/\">Hafenkneipe</a> <form action=\"{search}\"><input name=\"wort\"><button>Suchen</button></form> <a href=\"{login}\">Anmelden</a></header>\n{main}<footer class=\"impressum\">Betrieben vom Verein Hafenkneipe</footer>\n</body>\n</html>\n",
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
                Some(path) => write!(links, "<li><a href=\"{path}\">{number}</a></li>"),
                None => write!(links, "<li><b>{number}</b></li>"),
            };
        }
        if links.is_empty() { links } else { format!("<ul class=\"seiten\">{links}</ul>\n") }
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>) -> String {
        let mark = match (row.thread.sticky, row.thread.closed) {
            (true, _) => "Wichtig: ",
            (_, true) => "Geschlossen: ",
            _ => "",
        };
        let replies = match row.replies {
            0 => "keine Antwort".to_owned(),
            1 => "1 Antwort".to_owned(),
            count => format!("{count} Antworten"),
        };
        format!(
            "<li class=\"thema\"><h3>{mark}<a href=\"{path}\">{title}</a></h3><p>von {starter}, {first}</p><p>{replies}, zuletzt {closer} {last}</p></li>\n",
            path = row.path,
            title = Text(&row.thread.title),
            starter = at.named(row.starter, ""),
            first = self.listed(row.first.time, at.now).text,
            closer = at.named(row.closer, ""),
            last = self.listed(row.last.time, at.now).text,
        )
    }

    fn post(&self, at: &At<'_>, entry: &Entry<'_>) -> String {
        let (post, author) = (entry.post, entry.author);
        let note = match author.standing {
            Standing::Member => format!(
                "{}, dabei seit {} {}, {} Beiträge",
                author.rank,
                month(author.joined),
                civil(author.joined).year(),
                author.count
            ),
            Standing::Guest => "Gast".to_owned(),
            Standing::Deleted => String::new(),
        };
        let edited = post.edited_at(at.now).map_or_else(String::new, |time| {
            format!(
                "<p class=\"nachtrag\">Zuletzt bearbeitet von {} {}</p>\n",
                Text(&author.name),
                self.when(time, at.now).text
            )
        });
        let files: String = post
            .files
            .iter()
            .map(|(file, size)| format!("<p class=\"beilage\">Anhang: {file} ({size} KB)</p>\n"))
            .collect();
        let signature = author
            .signature
            .as_ref()
            .map_or_else(String::new, |text| format!("<p class=\"spruch\">{}</p>\n", Text(text)));
        format!(
            "<li class=\"wortmeldung\" id=\"beitrag{id}\"><article><div class=\"rede\">{body}</div>\n{edited}{files}{signature}<div class=\"absender\"><b>{name}</b> <small>{note}</small><br>schrieb <a href=\"{path}\">{when}</a> als Nr. {position}</div></article>\n<form method=\"post\" action=\"/act/like\"><button name=\"nr\" value=\"{id}\">Gefällt mir ({likes})</button></form><form method=\"post\" action=\"/act/report\"><button name=\"nr\" value=\"{id}\">Melden</button></form></li>\n",
            id = post.id,
            body = at.body(post.parts_at(at.now)),
            name = at.named(author, ""),
            path = entry.path,
            when = self.when(post.time, at.now).text,
            position = entry.position,
            likes = post.likes,
        )
    }
}

fn month(time: Timestamp) -> &'static str {
    let month = usize::from(civil(time).month().unsigned_abs());
    MONTHS.get(month.saturating_sub(1)).copied().unwrap_or_default()
}

/// "vor 2 Stunden" and the like, of the last day.
fn lately(time: Timestamp, minutes: i64) -> Stamp {
    match minutes {
        0..=1 => told(time, "vor einer Minute".to_owned(), 60),
        2..60 => told(time, format!("vor {minutes} Minuten"), 60),
        60..120 => told(time, "vor einer Stunde".to_owned(), 3_600),
        _ => told(time, format!("vor {} Stunden", minutes / 60), 3_600),
    }
}

impl Skin for German {
    fn tongue(&self) -> Tongue {
        Tongue::German
    }

    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "time", "replies", "last_author", "last_time"]
    }

    fn board(&self, board: &Board, page: usize) -> String {
        match page {
            1 => format!("/brett/{}-{}", board.id, board.slug),
            _ => format!("/brett/{}-{}/seite-{page}", board.id, board.slug),
        }
    }

    fn thread(&self, _board: &Board, thread: &Thread, page: usize) -> String {
        let slug = if thread.slug.is_empty() { "thema" } else { &thread.slug };
        match page {
            1 => format!("/thema/{slug}.{}", thread.id),
            _ => format!("/thema/{slug}.{}/seite-{page}", thread.id),
        }
    }

    fn user(&self, user: &User) -> String {
        format!("/mitglied/{}", user.id)
    }

    fn anchor(&self, post: u32) -> String {
        format!("beitrag{post}")
    }

    fn login(&self) -> &'static str {
        "/anmelden"
    }

    fn search(&self) -> &'static str {
        "/suche"
    }

    fn when(&self, time: Timestamp, now: Timestamp) -> Stamp {
        let clock = time.strftime("%H:%M");
        match days_ago(time, now) {
            0 => lately(time, minutes_ago(time, now)),
            1 => told(time, format!("gestern um {clock}"), 60),
            2 => told(time, format!("vorgestern um {clock}"), 60),
            _ => {
                let date = civil(time).date();
                let text =
                    format!("am {}. {} {} um {clock} Uhr", date.day(), month(time), date.year());
                told(time, text, 60)
            }
        }
    }

    fn listed(&self, time: Timestamp, now: Timestamp) -> Stamp {
        match days_ago(time, now) {
            0..=2 => self.when(time, now),
            _ => told(time, time.strftime("%d.%m.%y, %H:%M").to_string(), 60),
        }
    }

    fn code(&self, lines: &str) -> String {
        format!("<pre class=\"quelltext\">{lines}</pre>\n")
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header = header.map_or_else(String::new, |(user, when)| {
            format!("<p><b>{} schrieb {}:</b></p>\n", Text(&user.name), when.text)
        });
        format!("<blockquote class=\"zitat\">{header}{inside}</blockquote>\n")
    }

    fn index_page(&self, at: &At<'_>) -> String {
        let mut main = format!("<h1>Hafenkneipe</h1>\n<p>{}</p>\n", self.tongue().welcome());
        for board in &at.model.boards {
            let (threads, posts, newest) = at.counts(board);
            let newest = newest.map_or_else(String::new, |row| {
                format!(
                    "<a href=\"{}\">{}</a> {}",
                    row.path,
                    Text(&row.thread.title),
                    self.listed(row.last.time, at.now).text
                )
            });
            let _ = writeln!(
                main,
                "<section class=\"tisch\"><h2><a href=\"{}\">{}</a></h2><p>{}</p><p>{threads} Themen, {posts} Beiträge, zuletzt: {newest}</p></section>",
                self.board(board, 1),
                Text(&board.name),
                Text(&board.about)
            );
        }
        self.page("Übersicht", &main)
    }

    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let shown = at.list(board, page);
        let mut rows: String =
            shown.sticky.iter().chain(&shown.usual).map(|row| self.row(at, row)).collect();
        for row in &shown.stubs {
            let _ = writeln!(
                rows,
                "<li class=\"thema\"><h3>Verschoben: <a href=\"{}\">{}</a></h3></li>",
                row.path,
                Text(&row.thread.title)
            );
        }
        let inner: String = at
            .inside(board)
            .map(|inner| {
                format!(
                    "<p>Unterforum: <a href=\"{}\">{}</a></p>\n",
                    self.board(inner, 1),
                    Text(&inner.name)
                )
            })
            .collect();
        let pager = self.pager(at, page, at.list_pages(board), |n| self.board(board, n));
        let main = format!(
            "<h1>{}</h1>\n{inner}<p>{}</p>\n<ol class=\"themen\">\n{rows}</ol>\n{pager}",
            Text(&board.name),
            Text(&at.range(board, page))
        );
        self.page(&board.name, &main)
    }

    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let board = at.board(thread);
        let mut posts = String::new();
        for (entry, nth) in at.posts(thread, page).iter().zip(1..) {
            posts += &self.post(at, entry);
            if nth == 2 {
                let (text, address) = at.advert();
                let _ = writeln!(
                    posts,
                    "<li class=\"reklame\">Anzeige: <a href=\"{address}\">{}</a></li>",
                    Text(&text)
                );
            }
        }
        let poll = thread.poll.as_ref().filter(|_| page == 1).map_or_else(String::new, |choices| {
            let choices: String = choices
                .iter()
                .map(|(text, votes)| format!("<li>{}: {votes} Stimmen</li>\n", Text(text)))
                .collect();
            format!("<form class=\"umfrage\" method=\"post\" action=\"/act/vote\"><ul>\n{choices}</ul><button>Abstimmen</button></form>\n")
        });
        let reply = match thread.closed {
            true => "<p>Dieses Thema ist geschlossen.</p>\n".to_owned(),
            false => format!(
                "<form class=\"feder\" method=\"post\" action=\"/act/reply\"><textarea name=\"text\"></textarea><button name=\"thema\" value=\"{}\">Antworten</button></form>\n",
                thread.id
            ),
        };
        let pager =
            self.pager(at, page, at.thread_pages(thread), |n| self.thread(board, thread, n));
        let main = format!(
            "<p class=\"weg\"><a href=\"/\">Übersicht</a> &gt; <a href=\"{}\">{}</a></p>\n<h1>{}</h1>\n{poll}<ol class=\"runde\">\n{posts}</ol>\n{pager}{reply}",
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
                format!("<li><a href=\"{}\">{}</a></li>\n", row.path, Text(&row.thread.title))
            })
            .collect();
        let main = format!(
            "<h1>{}</h1>\n<p>{}</p>\n<p>Dabei seit {} {}, {} Beiträge</p>\n<ul class=\"spuren\">\n{begun}</ul>\n",
            Text(&user.name),
            Text(&self.tongue().about(user)),
            month(user.joined),
            civil(user.joined).year(),
            user.count
        );
        self.page(&user.name, &main)
    }

    fn other_page(&self, _at: &At<'_>, title: &str, main: &str) -> String {
        self.page(title, &format!("<h1>{}</h1>\n{main}", Text(title)))
    }
}
