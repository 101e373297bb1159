//! What a template is: its addresses, its dates, and how it writes what is in a post and on a page.

use axum::response::Response;
use jiff::Timestamp;

use super::at::At;
use super::model::{Board, Thread};
use super::people::User;
use super::post::Part;
use super::tongue::Tongue;
use crate::html::Text;
use crate::tables::Stamp;

/// How the rest of something comes that is too long for one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// On further pages with addresses of their own.
    Pages,
    /// It is all there.
    Whole,
    /// Into the same page, as soon as this text is scrolled to.
    Scrolls(&'static str),
    /// Into the same page, when this text is clicked.
    Clicks(&'static str),
}

/// A template. Every method that writes markup writes the words of its language, too.
pub(super) trait Skin: Send + Sync {
    fn tongue(&self) -> Tongue {
        Tongue::English
    }

    /// Which fields its lists show, by the names of [`ThreadRow`](crate::ThreadRow).
    fn list_fields(&self) -> &'static [&'static str];

    /// Which fields its threads show, by the names of [`PostRow`](crate::PostRow).
    fn post_fields(&self) -> &'static [&'static str] {
        &["author", "time", "content", "url", "position", "signature"]
    }

    fn list_rest(&self) -> Rest {
        Rest::Pages
    }

    fn thread_rest(&self) -> Rest {
        Rest::Pages
    }

    /// Whether replies hang below what they answer.
    fn nests(&self) -> bool {
        false
    }

    fn board(&self, board: &Board, page: usize) -> String;
    fn thread(&self, board: &Board, thread: &Thread, page: usize) -> String;
    fn user(&self, user: &User) -> String;
    /// The fragment of a post.
    fn anchor(&self, post: u32) -> String;
    fn login(&self) -> &'static str;
    fn search(&self) -> &'static str;

    /// A time as it stands in posts.
    fn when(&self, time: Timestamp, now: Timestamp) -> Stamp;
    /// A time as it stands in lists.
    fn listed(&self, time: Timestamp, now: Timestamp) -> Stamp {
        self.when(time, now)
    }

    fn paragraph(&self, text: &str) -> String {
        format!("<p>{text}</p>\n")
    }
    fn code(&self, lines: &str) -> String;
    fn list_of(&self, items: &[String]) -> String {
        let items: String = items.iter().map(|item| format!("<li>{}</li>", Text(item))).collect();
        format!("<ul>{items}</ul>\n")
    }
    fn picture(&self, text: &str) -> String {
        let text = Text(text);
        self.paragraph(&format!(
            r#"<img src="/static/view.svg" width="120" height="80" alt="{text}">"#
        ))
    }
    /// A quote around `inside`, with the line that says whose it is.
    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String;

    fn index_page(&self, at: &At<'_>) -> String;
    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String;
    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String;
    fn user_page(&self, at: &At<'_>, user: &User) -> String;
    /// Any other page.
    fn other_page(&self, at: &At<'_>, title: &str, main: &str) -> String;

    /// What its scripts ask for: data and parts of pages.
    fn answer(&self, _at: &At<'_>, _address: &str) -> Option<Response> {
        None
    }
}

impl At<'_> {
    /// What is in a post, in the markup of the template.
    pub(super) fn body(&self, parts: &[Part]) -> String {
        let skin = self.skin;
        parts
            .iter()
            .map(|part| match part {
                Part::Paragraph(text) => skin.paragraph(&Text(text).to_string()),
                Part::Link(text, address) => skin.paragraph(&format!(
                    r#"{} <a href="{address}" rel="nofollow">{address}</a>"#,
                    Text(text)
                )),
                Part::Code(lines) => skin.code(&Text(&lines.join("\n")).to_string()),
                Part::List(items) => skin.list_of(items),
                Part::Picture(text) => skin.picture(text),
                Part::Quote(quote) => self.quote(quote),
            })
            .collect()
    }

    fn quote(&self, quote: &super::post::Quote) -> String {
        // One quote in another is as deep as they go.
        let mut inside = quote.inner.as_ref().map_or_else(String::new, |inner| {
            let said = inner.paragraphs.iter().map(|text| self.line(text)).collect::<String>();
            self.skin.quote(self.said_by(inner), &said)
        });
        inside.extend(quote.paragraphs.iter().map(|text| self.line(text)));
        self.skin.quote(self.said_by(quote), &inside)
    }

    fn line(&self, text: &str) -> String {
        self.skin.paragraph(&Text(text).to_string())
    }

    fn said_by(&self, quote: &super::post::Quote) -> Option<(&User, Stamp)> {
        let (author, time) = quote.header?;
        Some((self.model.users.get(author)?, self.skin.when(time, self.now)))
    }
}
