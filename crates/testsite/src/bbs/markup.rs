//! Lists, threads and buttons as HTML, in the technique of the build.

use super::model::BOARD;
use super::pager::Step;
use super::view::{Link, ListView, PostView, ThreadView};
use super::words::Words;
use crate::html::Text;
use crate::{Build, Paging};

/// How the HTML of a site is written.
#[derive(Clone, Copy)]
pub(super) struct Markup {
    pub build: Build,
    pub paging: Paging,
    pub words: &'static Words,
}

impl Markup {
    /// Whether lists and threads are drawn by scripts from JSON.
    pub(super) fn drawn_by_script(&self) -> bool {
        self.paging == Paging::Script
            && matches!(self.build, Build::React | Build::Vue | Build::Lit)
    }

    /// The attributes of an element that does something: `turn`, `open`, `like` and so on.
    pub(super) fn act(&self, what: &str, argument: impl std::fmt::Display) -> String {
        let argument = argument.to_string();
        match self.build {
            // Without scripts, everything that needs an account ends at its door.
            _ if self.paging == Paging::Plain => r#"href="/login""#.to_owned(),
            Build::Inline => format!(
                r#"href="javascript:void(0)" onclick="Forum.{what}('{}')""#,
                Text(&argument)
            ),
            _ => format!(r#"href="javascript:;" data-act="{what}" data-arg="{}""#, Text(&argument)),
        }
    }

    /// A thread or a member by name.
    pub(super) fn link(&self, link: &Link, class: &str) -> String {
        let to = match link.script && self.paging != Paging::Plain {
            true => self.act("open", link.id),
            false => format!(r#"href="{}" target="_self""#, Text(&link.url)),
        };
        format!(r#"<a class="{class}" {to}>{}</a>"#, Text(&link.text))
    }

    /// What is inside the region of the list.
    pub(super) fn list(&self, view: &ListView) -> String {
        let words = self.words;
        let mut rows = String::new();
        for row in &view.rows {
            rows += &format!(
                concat!(
                    r#"<tr><td class="icon"><span class="folder{}"></span></td>"#,
                    r#"<th class="subject">{}</th>"#,
                    r#"<td class="by"><cite>{}</cite><em>{}</em></td>"#,
                    r#"<td class="nums"><strong>{}</strong> / <em>{}</em></td>"#,
                    r#"<td class="by"><cite>{}</cite><em>{}</em></td></tr>"#
                ),
                if row.replies > 15 { " hot" } else { "" },
                self.link(&row.thread, "xst"),
                self.link(&row.author, "nick"),
                Text(&row.begun),
                row.replies,
                row.views,
                self.link(&row.last, "nick"),
                Text(&row.last_time),
            );
        }
        let pager = self.pager(&view.pager, BOARD);
        format!(
            concat!(
                r#"<div class="bar">{pager}<span class="range">{marker}</span></div>"#,
                r#"<table class="threads" cellspacing="0"><thead><tr><td></td><th>{threads}</th>"#,
                r#"<td>{author}</td><td>{replies}</td><td>{last}</td></tr></thead>"#,
                r#"<tbody>{rows}</tbody></table><div class="bar">{pager}</div>"#
            ),
            pager = pager,
            marker = Text(&view.marker),
            threads = words.threads,
            author = words.author,
            replies = words.replies,
            last = words.last_post,
            rows = rows,
        )
    }

    /// What is inside the region of a thread at `url`.
    pub(super) fn thread(&self, view: &ThreadView, url: &str) -> String {
        let posts: String = view.posts.iter().map(|post| self.post(post)).collect();
        let pager = self.pager(&view.pager, url);
        format!(r#"<div class="bar">{pager}</div>{posts}<div class="bar">{pager}</div>"#)
    }

    fn post(&self, post: &PostView) -> String {
        let words = self.words;
        let quote = post.quote.as_ref().map(|quote| {
            format!("<blockquote><b>{}</b> {}</blockquote>", Text(&quote.head), Text(&quote.text))
        });
        let buttons = [("quote", words.quote), ("report", words.report), ("answer", words.reply)];
        let buttons: String = buttons
            .iter()
            .map(|(what, label)| format!("<a {}>{label}</a>", self.act(what, post.id)))
            .collect();
        format!(
            concat!(
                r#"<div class="post" id="pid{id}"><div class="who">"#,
                r#"<div class="name">{author}</div><a href="{url}" class="avatar a{group_number}"></a>"#,
                r#"<p class="group">{group}</p><p>{count}</p><p>{joined}</p>"#,
                r#"<p><a {friend}>{friend_label}</a><a {message}>{message_label}</a></p></div>"#,
                r#"<div class="what"><div class="head"><em>{posted}</em><span>{marker}</span>"#,
                r#"<strong>{floor}</strong></div><div class="text">{quote}<p>{text} "#,
                r#"<img src="/static/smiley.svg" alt=":)" width="16" height="16"></p></div>"#,
                r#"<div class="sign">{signature}</div><div class="foot">"#,
                r#"<a {like}>{like_label} (<span id="likes{id}">{likes}</span>)</a>{buttons}"#,
                r#"<a href="http://share.quayside.example/?post={id}">{share}</a>"#,
                r##"<a href="#top">TOP</a></div></div></div>"##
            ),
            id = post.id,
            author = self.link(&post.author, "nick"),
            url = Text(&post.author.url),
            group_number = post.group_number,
            group = post.group,
            count = Text(&post.count),
            joined = Text(&post.joined),
            friend = self.act("friend", post.author.id),
            friend_label = words.friend,
            message = self.act("message", post.author.id),
            message_label = words.message,
            posted = Text(&post.posted),
            marker = Text(&post.marker),
            floor = Text(&post.floor),
            quote = quote.unwrap_or_default(),
            text = Text(&post.text),
            signature = Text(&post.signature),
            like = self.act("like", post.id),
            like_label = words.like,
            likes = post.likes,
            buttons = buttons,
            share = words.share,
        )
    }

    fn pager(&self, steps: &[Step], url: &str) -> String {
        if steps.is_empty() {
            return String::new();
        }
        let mut inner = String::new();
        for step in steps {
            inner += &match (step.here, self.paging) {
                (true, _) => format!("<strong>{}</strong>", Text(&step.label)),
                (false, Paging::Script) => {
                    format!("<a {}>{}</a>", self.act("turn", step.page), Text(&step.label))
                }
                (false, Paging::Links | Paging::Plain) => format!(
                    r#"<a href="{}">{}</a>"#,
                    Text(&page_url(url, step.page)),
                    Text(&step.label)
                ),
            };
        }
        if self.paging == Paging::Script {
            let go = match self.build {
                Build::Inline => r#"onclick="Forum.jump(this)""#,
                _ => r#"data-act="jump""#,
            };
            inner += &format!(
                r#"<label>{} <input size="3" name="page"></label><button type="button" {go}>{}</button>"#,
                self.words.jump, self.words.go
            );
        }
        format!(r#"<div class="pages">{inner}</div>"#)
    }
}

/// The address of a page where pages have addresses.
pub(super) fn page_url(url: &str, page: usize) -> String {
    match page {
        1 => url.to_owned(),
        _ => format!("{url}?page={page}"),
    }
}
