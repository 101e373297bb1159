//! The front page: seed 003's figures 1 and 2.
//!
//! T1 and T2 at the top, B1 and B2 at the bottom, and C between them: a column of 24 links (CL), six
//! panels that live by the day (CC) and six that do not (CR).

use std::fmt::Write;

use jiff::civil::Date;

use super::Portal;
use super::edition::Column;
use crate::html::Text;
use crate::{Lang, State, truth::Block};

/// A panel: its title and what is in it.
pub(super) struct Panel {
    title: &'static str,
    content: String,
}

impl Portal {
    pub(super) fn front(&self, date: Date) -> String {
        let links = self.topics().map(|(path, name)| link(&path, name));
        let links: String =
            links.map(|link| format!("<div class=\"§topic\">{link}</div>\n")).collect();
        let middle = self.middle(date);
        let right = self.right();
        let columns = match self.has_tables() {
            true => format!(
                "<table class=\"§columns\" cellspacing=\"0\" cellpadding=\"0\" width=\"980\" align=\"center\"><tr valign=\"top\">\n<td class=\"§left\" width=\"150\">\n{links}</td>\n<td class=\"§middle\">\n{}</td>\n<td class=\"§right\" width=\"210\">\n{}</td>\n</tr></table>\n",
                tables(&middle),
                tables(&right)
            ),
            false => format!(
                "<main class=\"§columns\">\n<aside class=\"§left\">\n{links}</aside>\n<div class=\"§middle\">\n{}</div>\n<aside class=\"§right\">\n{}</aside>\n</main>\n",
                sections(&middle),
                sections(&right)
            ),
        };
        self.page(self.words.home, &columns)
    }

    /// CC: the first stays, the other five are of the day.
    fn middle(&self, date: Date) -> [Panel; 6] {
        let words = self.words;
        let welcome = format!(
            r#"<img src="/static/pier.svg" width="120" height="80" align="left" alt="" class="§picture">{} {}"#,
            Text(words.welcome_text),
            link("/pages/way1.html", words.read_on)
        );
        let [news, weblogs] = [Column::News, Column::Weblog].map(|column| {
            let mut content = String::new();
            for day in Self::days(column, date) {
                let story = self.story(column, day, self.lang);
                let _ = writeln!(
                    content,
                    "<p class=\"§item\"><b>{}</b> <span class=\"§date\">{} {}, {}</span><br>{}</p>",
                    link(&story.path, &story.title),
                    Text(words.by),
                    Text(&story.author),
                    self.day(story.date),
                    Text(story.paragraphs.first().map_or("", String::as_str))
                );
            }
            content
        });
        let feature = self.story(Column::Article, date, self.lang);
        let translated = self.story(Column::Article, date, super::other(self.lang));
        let article = format!(
            "<h3 class=\"§lead\">{}</h3>\n<p>{}</p>\n<p class=\"§date\">{} {}, {} · {}</p>\n",
            link(&feature.path, &feature.title),
            Text(feature.paragraphs.first().map_or("", String::as_str)),
            Text(words.by),
            Text(&feature.author),
            self.day(date),
            link(&translated.path, words.translated),
        );
        let (heard, speaker, next) = self.heard(date);
        let heard = format!(
            "<blockquote class=\"§quote\">{}</blockquote>\n<p>{}</p>\n<p class=\"§date\">{}: {}</p>\n",
            Text(&heard),
            Text(&speaker),
            words.meeting,
            self.day(next)
        );
        [
            Panel { title: words.welcome, content: welcome },
            Panel { title: words.news, content: news },
            Panel { title: words.weblogs, content: weblogs },
            Panel { title: words.forums, content: self.thread_list(date) },
            Panel { title: words.article, content: article },
            Panel { title: words.heard, content: heard },
        ]
    }

    /// CC4, and what the page of a day's threads shows.
    pub(super) fn thread_list(&self, date: Date) -> String {
        let mut content = "<ul class=\"§threads\">\n".to_owned();
        for thread in self.threads(date) {
            let (hour, minute) = thread.time;
            let _ = writeln!(
                content,
                r#"<li>{} <span class="§date">{}, {hour:02}:{minute:02}, {} {}</span></li>"#,
                link(&format!("/forums/{date}.html"), &thread.title),
                Text(&thread.starter),
                thread.replies,
                self.words.replies
            );
        }
        content + "</ul>\n"
    }

    /// CR.
    fn right(&self) -> [Panel; 6] {
        let words = self.words;
        let list = |group: &str, names: &[&str]| {
            let items = names.iter().zip(1..).map(|(name, number): (_, u32)| {
                format!("<li>{}</li>\n", link(&format!("/pages/{group}{number}.html"), name))
            });
            format!("<ul>\n{}</ul>\n", items.collect::<String>())
        };
        let form = |action: &str, method: &str, field: &str, text: &str, button: &str| {
            format!(
                r#"<form action="{action}" method="{method}"><p>{text}</p><input type="text" name="{field}" size="16"> <input type="submit" value="{button}"></form>"#
            )
        };
        let sponsors = words.makers.iter().zip(1..).map(|(maker, number): (_, u32)| {
            format!(
                r#"<p><a href="/pages/maker{number}.html"><img src="/static/maker{number}.svg" width="180" height="50" border="0" alt="{}"></a></p>"#,
                Text(maker)
            )
        });
        let numbers =
            words.counted.iter().map(|(name, count)| format!("<b>{count}</b> {name}<br>\n"));
        [
            Panel { title: words.involved, content: list("way", &words.ways) },
            Panel {
                title: words.letter,
                content: form("/subscribe", "post", "mail", words.letter_text, words.subscribe),
            },
            Panel {
                title: words.find,
                content: form("/search", "get", "q", words.find_text, words.search),
            },
            Panel { title: words.jobs, content: list("job", &words.offers) },
            Panel { title: words.sponsors, content: sponsors.collect() },
            Panel { title: words.numbers, content: numbers.collect() },
        ]
    }

    /// The column on the left: where its links lead.
    pub(super) fn topics(&self) -> impl Iterator<Item = (String, &'static str)> {
        self.words
            .topics
            .iter()
            .zip(1..)
            .map(|(name, number): (_, u32)| (format!("/topics/{number}.html"), *name))
    }

    pub(super) fn day(&self, date: Date) -> String {
        match self.lang {
            Lang::English => date.strftime("%B %-d, %Y").to_string(),
            Lang::Chinese => format!("{}年{}月{}日", date.year(), date.month(), date.day()),
        }
    }

    /// The state of the front page.
    pub(super) fn front_state(&self) -> State {
        State::at("front", "/", self.words.welcome_text)
    }

    /// What the paper cuts the front page into at levels 1, 2 and 3.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let words = self.words;
        let block = |name: &str, level, within: &str, marker: &str, changes| Block {
            url: "/".to_owned(),
            name: name.to_owned(),
            level,
            within: within.to_owned(),
            marker: marker.to_owned(),
            changes,
        };
        let mut blocks = vec![
            block("T1", 1, "", words.slogan, false),
            block("T2", 1, "", words.tabs[4], false),
            block("C", 1, "", "", true),
            block("CL", 2, "C", words.topics[0], false),
            block("CC", 2, "C", "", true),
        ];
        let middle =
            [words.welcome, words.news, words.weblogs, words.forums, words.article, words.heard];
        for (title, number) in middle.iter().zip(1..) {
            blocks.push(block(&format!("CC{number}"), 3, "CC", title, number > 1));
        }
        blocks.push(block("CR", 2, "C", "", false));
        let right =
            [words.involved, words.letter, words.find, words.jobs, words.sponsors, words.numbers];
        for (title, number) in right.iter().zip(1..) {
            blocks.push(block(&format!("CR{number}"), 3, "CR", title, false));
        }
        blocks.push(block("B1", 1, "", words.small_print[0], false));
        blocks.push(block("B2", 1, "", words.rights, false));
        blocks
    }
}

/// Panels as pages of 2007 have them: a table each, its title in a row of another colour.
fn tables(panels: &[Panel]) -> String {
    panels
        .iter()
        .map(|panel| {
            format!(
                "<table class=\"§panel\" width=\"100%\" cellspacing=\"0\" cellpadding=\"4\" border=\"0\">\n<tr><td class=\"§title\"><b>{}</b></td></tr>\n<tr><td class=\"§inside\">{}</td></tr>\n</table>\n",
                panel.title, panel.content
            )
        })
        .collect()
}

fn sections(panels: &[Panel]) -> String {
    panels
        .iter()
        .map(|panel| {
            format!(
                "<section class=\"§panel\">\n<h2 class=\"§title\">{}</h2>\n<div class=\"§inside\">{}</div>\n</section>\n",
                panel.title, panel.content
            )
        })
        .collect()
}

pub(super) fn link(path: &str, name: &str) -> String {
    format!("<a href=\"{path}\">{}</a>", Text(name))
}
