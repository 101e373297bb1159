//! A page of comments: what is in the document when it arrives, and what scripts put in its place.

use std::fmt::Write;

use super::Blog;
use super::model::{Article, Comment, PER_PAGE};
use super::pager::steps;
use crate::html::Text;
use crate::live;

impl Blog {
    /// Text that only this comment shows.
    pub(super) fn comment_marker(&self, comment: &Comment) -> String {
        format!("{} {}", self.words.number, comment.number)
    }

    /// A page of comments between two pagers, with names still to be applied.
    pub(super) fn comments(&self, article: &Article, page: usize) -> String {
        let w = self.words;
        let pager = self.pager(page, article.pages());
        let mut html = pager.clone();
        html += r#"<ul class="§list">"#;
        for (index, comment) in article.page(page).iter().enumerate() {
            let number = comment.number.to_string();
            let act = |name: &str, label: &str| {
                live::clickable(self.build, "§act", &self.click(name, &number), label)
            };
            let _ = write!(
                html,
                concat!(
                    r#"<li class="§comment"><div class="§face"></div><div class="§said"><p class="§who"><b>{nick}</b> <span>{from} {place}</span> "#,
                    r#"<em>{time}</em> <i>{marker}</i> <i>#{floor}</i></p><p class="§words">{text}</p>"#,
                    r#"<p class="§ops">{like} <small>{likes}</small> {reply} {report}</p></div></li>"#
                ),
                nick = Text(&comment.nick),
                from = w.from,
                place = Text(&comment.place),
                time = comment.time.strftime("%Y-%m-%d %H:%M:%S"),
                marker = self.comment_marker(comment),
                floor = (page - 1) * PER_PAGE + index + 1,
                text = Text(&comment.text),
                like = act("like", w.like),
                likes = comment.likes,
                reply = act("reply", w.reply),
                report = act("report", w.report),
            );
        }
        html + "</ul>" + &pager
    }

    fn pager(&self, now: usize, last: usize) -> String {
        let steps = steps(now, last, self.window, self.words);
        if steps.is_empty() {
            return String::new();
        }
        let mut html = String::from(r#"<div class="§pager">"#);
        for step in steps {
            if step.here {
                let _ = write!(html, r#"<b class="§here">{}</b> "#, step.label);
                continue;
            }
            let ties = self.click("turn", &step.page.to_string());
            html += &live::clickable(self.build, "§step", &ties, &step.label);
            html.push(' ');
        }
        html + "</div>"
    }
}
