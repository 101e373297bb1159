//! What is around every page: head, header, sidebar, footer.

use std::fmt::Write;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::Blog;
use super::model::Article;
use crate::html::{Text, json_in_script};
use crate::text::Writer;
use crate::{Random, Visit, live};

/// Articles in each list of the sidebar.
const ASIDE: usize = 10;

/// One page before it is put into the shell.
pub(super) struct Body {
    pub title: String,
    pub main: String,
    /// From where the script loads further comments, up to the number of the page.
    pub source: Option<String>,
}

impl Blog {
    /// The attributes that make a click call a function of the site's script.
    pub(super) fn click(&self, act: &str, argument: &str) -> String {
        live::on(self.build, "Blog", "click", act, argument)
    }

    pub(super) fn shell(&self, visit: &Visit, body: &Body) -> String {
        let w = self.words;
        let mut random = visit.random();
        let config = serde_json::json!({
            "timers": visit.options().timers_ms() as u64,
            "source": body.source,
            "view": self.names.name("view"),
            "text": self.names.name("text"),
            "write": self.names.name("write"),
        });
        let page = format!(
            concat!(
                r#"<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{title} - {owner}{blog_of}</title>"#,
                r#"<meta name="viewport" content="width=1000"><meta name="token" content="{token}">"#,
                r#"<link rel="stylesheet" href="/static/css/blog.css"><link rel="icon" href="data:,">"#,
                r#"<script>var BLOG={config};</script>{scripts}<script src="/static/js/blog.js"></script></head><body>"#,
                r#"<div class="§head"><div class="§wrap"><h1><a href="/">{owner}{blog_of}</a></h1><p>{slogan}</p>"#,
                r#"<ul class="§nav"><li><a href="/">{home}</a></li>{nav}<li><a href="/about.html">{about}</a></li></ul></div></div>"#,
                "\n<div class=\"§wrap §cols\"><div class=\"§side\">{side}</div>\n",
                "<div class=\"§body\">{main}</div></div>\n",
                r#"<div class="§foot"><div class="§wrap"><p>{foot}</p><p class="§srv">{node} / {millis} ms</p></div></div></body></html>"#
            ),
            lang = w.lang,
            title = Text(&body.title),
            owner = Text(&self.model.owner),
            blog_of = w.blog_of,
            token = random.hex(16),
            config = json_in_script(&config),
            scripts = live::scripts(self.build),
            slogan = w.slogan,
            home = w.home,
            nav = self.category_items(),
            about = w.about,
            side = self.side(visit, &mut random),
            main = body.main,
            foot = w.statics.iter().fold(String::new(), |mut all, (path, name, _)| {
                let _ = write!(all, r#"<a href="{path}">{name}</a> "#);
                all
            }),
            node = random.hex(4),
            millis = random.between(8, 240),
        );
        self.names.apply(&page)
    }

    fn category_items(&self) -> String {
        self.words.categories.iter().fold(String::new(), |mut all, (slug, name)| {
            let _ = write!(all, r#"<li><a href="/category/{slug}/">{name}</a></li>"#);
            all
        })
    }

    fn side(&self, visit: &Visit, random: &mut Random) -> String {
        let w = self.words;
        let model = &self.model;
        let item = |article: &&Article| format!("<li>{}</li>", link_to(article));
        let recent: String =
            model.articles.iter().take(ASIDE).map(|article| item(&article)).collect();
        let popular: String =
            model.some(self.seed, "blog popular", ASIDE).iter().map(item).collect();
        let said = model.some(self.seed, "blog said", ASIDE).into_iter().fold(
            String::new(),
            |mut all, article| {
                let nick = article.comments.last().map_or("", |comment| comment.nick.as_str());
                let _ = write!(all, "<li><b>{}</b>: {}</li>", Text(nick), link_to(article));
                all
            },
        );
        let categories = w.categories.iter().zip(&model.categories).fold(
            String::new(),
            |mut all, ((slug, name), articles)| {
                let count = articles.len();
                let _ = write!(
                    all,
                    r#"<li><a href="/category/{slug}/">{name}</a> <em>({count})</em></li>"#
                );
                all
            },
        );
        let months = model.months.iter().fold(String::new(), |mut all, (month, articles)| {
            let count = articles.len();
            let _ = write!(
                all,
                r#"<li><a href="/archive/{month}/">{month}</a> <em>({count})</em></li>"#
            );
            all
        });
        let tags = model.tags.iter().enumerate().filter(|(tag, _)| !model.tagged[*tag].is_empty());
        let tags = tags.fold(String::new(), |mut all, (tag, name)| {
            let size = 11 + model.tagged[tag].len() * 60 / (model.articles.len() * 3 + 1);
            let _ = write!(
                all,
                r#"<a href="/tag/{}/" style="font-size:{size}px">{}</a> "#,
                tag + 1,
                Text(name)
            );
            all
        });
        let mut writer = Writer::new(visit.options().lang, random.clone());
        let advert = writer.write("advert");
        let slot = random.hex(8);
        let visitors = random.between(12, 900);
        format!(
            concat!(
                r#"<div class="§box"><h3>{profile}</h3><p class="§face"></p><p>{owner}</p><p><em>{visitors}</em> {visitors_word}</p>"#,
                r#"<p>{subscribe}</p></div>"#,
                r#"<div class="§box"><h3>{calendar}</h3>{days}</div>"#,
                r#"<div class="§box"><h3>{categories_title}</h3><ul>{categories}</ul></div>"#,
                r#"<div class="§ad" id="ad_{slot}"><small>{advert_word}</small><p>{advert}</p></div>"#,
                r#"<div class="§box"><h3>{recent_title}</h3><ul>{recent}</ul></div>"#,
                r#"<div class="§box"><h3>{said_title}</h3><ul>{said}</ul></div>"#,
                r#"<div class="§box"><h3>{popular_title}</h3><ol>{popular}</ol></div>"#,
                r#"<div class="§box"><h3>{tags_title}</h3><p class="§cloud">{tags}</p></div>"#,
                r#"<div class="§box"><h3>{archive}</h3><ul>{months}</ul></div>"#
            ),
            profile = w.profile,
            owner = Text(&model.owner),
            visitors = visitors,
            visitors_word = w.visitors,
            subscribe =
                live::clickable(self.build, "§act", &self.click("subscribe", ""), w.subscribe),
            calendar = w.calendar,
            days = self.calendar(visit),
            categories_title = w.categories_title,
            categories = categories,
            slot = slot,
            advert_word = w.advert,
            advert = Text(&advert),
            recent_title = w.recent,
            recent = recent,
            said_title = w.recent_comments,
            said = said,
            popular_title = w.popular,
            popular = popular,
            tags_title = w.tags,
            tags = tags,
            archive = w.archive,
            months = months,
        )
    }

    /// The month of the site's clock, as a table.
    fn calendar(&self, visit: &Visit) -> String {
        let today = visit.now().to_zoned(TimeZone::UTC).date();
        let first = Date::new(today.year(), today.month(), 1).unwrap_or(today);
        let before = first.weekday().to_monday_zero_offset();
        let mut table = String::from(r#"<table class="§cal"><thead><tr>"#);
        for day in self.words.days {
            let _ = write!(table, "<th>{day}</th>");
        }
        table += "</tr></thead><tbody><tr>";
        for _ in 0..before {
            table += "<td></td>";
        }
        for day in 1..=first.days_in_month() {
            if (before + day - 1) % 7 == 0 && day > 1 {
                table += "</tr><tr>";
            }
            let class = if day == today.day() { r#" class="§today""# } else { "" };
            let _ = write!(table, "<td{class}>{day}</td>");
        }
        table + "</tr></tbody></table>"
    }
}

pub(super) fn link_to(article: &Article) -> String {
    format!(r#"<a href="{}">{}</a>"#, article.path(), Text(&article.title))
}
