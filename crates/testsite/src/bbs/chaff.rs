//! The pages of low value: members, tags, calendar days, charts, print views, leaflets. They are
//! real pages and there is a known number of them.

use super::markup::Markup;
use super::model::{Head, Model};
use super::view::{Link, thread_link};
use super::words::Words;
use crate::html::Text;

/// What robots.txt forbids, and every page links.
pub(super) const FORBIDDEN: &str = "/admin/";

/// A page of low value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chaff {
    Home,
    Login,
    Register,
    Members,
    Tags,
    Calendar,
    Help,
    Smilies,
    Chart(usize),
    Leaflet(usize),
    Member(usize),
    Tag(usize),
    Day(usize),
    Print(usize),
}

/// Those that are there whatever the options say.
pub(super) fn fixed(words: &Words) -> Vec<Chaff> {
    let single = [
        Chaff::Home,
        Chaff::Login,
        Chaff::Register,
        Chaff::Members,
        Chaff::Tags,
        Chaff::Calendar,
        Chaff::Help,
        Chaff::Smilies,
    ];
    let charts = (0..words.charts.len()).map(Chaff::Chart);
    let leaflets = (0..words.leaflets.len()).map(Chaff::Leaflet);
    single.into_iter().chain(charts).chain(leaflets).collect()
}

/// All of them.
pub(super) fn all(model: &Model, words: &Words) -> Vec<Chaff> {
    let mut all = fixed(words);
    all.extend((0..model.members.len()).map(Chaff::Member));
    all.extend((0..model.tags.len()).map(Chaff::Tag));
    all.extend((0..model.days.len()).map(Chaff::Day));
    all.extend((0..model.printed).map(Chaff::Print));
    all
}

impl Chaff {
    /// Its kind in the truth.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Chaff::Home => "home",
            Chaff::Login | Chaff::Register => "account",
            Chaff::Members | Chaff::Tags | Chaff::Calendar | Chaff::Help => "index",
            Chaff::Smilies => "smilies",
            Chaff::Chart(_) => "chart",
            Chaff::Leaflet(_) => "leaflet",
            Chaff::Member(_) => "member",
            Chaff::Tag(_) => "tag",
            Chaff::Day(_) => "day",
            Chaff::Print(_) => "print",
        }
    }

    /// Its address and the text of links to it; `None` if there is no such page.
    pub(super) fn link(self, model: &Model, words: &Words) -> Option<(String, String)> {
        let fixed = |url: &str, label: &str| Some((url.to_owned(), label.to_owned()));
        match self {
            Chaff::Home => fixed("/", words.site),
            Chaff::Login => fixed("/login", words.login),
            Chaff::Register => fixed("/register", words.register),
            Chaff::Members => fixed("/members", words.members),
            Chaff::Tags => fixed("/tags", words.tags),
            Chaff::Calendar => fixed("/calendar", words.calendar),
            Chaff::Help => fixed("/help", words.help),
            Chaff::Smilies => fixed("/smilies", words.smilies),
            Chaff::Chart(index) => {
                let (name, title) = words.charts.get(index)?;
                Some((format!("/top/{name}"), (*title).to_owned()))
            }
            Chaff::Leaflet(index) => {
                let (url, title, _) = words.leaflets.get(index)?;
                fixed(url, title)
            }
            Chaff::Member(index) => {
                let member = model.members.get(index)?;
                Some((member.url(), member.nick.clone()))
            }
            Chaff::Tag(index) => {
                let tag = model.tags.get(index)?;
                Some((format!("/tag/{}", index + 1), tag.clone()))
            }
            Chaff::Day(index) => {
                let day = model.days.get(index)?;
                Some((format!("/calendar/{day}"), day.clone()))
            }
            Chaff::Print(index) => {
                let head = model.heads.get(index).filter(|_| index < model.printed)?;
                Some((format!("/print/{}", head.id), words.print.to_owned()))
            }
        }
    }

    /// Its heading, which no other page of the site has.
    pub(super) fn heading(self, model: &Model, words: &Words) -> Option<String> {
        let (_, label) = self.link(model, words)?;
        let what = match self {
            Chaff::Member(index) => format!("{} {}", words.profile, model.members.get(index)?.id),
            Chaff::Tag(_) => format!("{} {label}", words.tagged),
            Chaff::Day(_) => format!("{} {label}", words.on_day),
            Chaff::Print(index) => format!("{} {}", words.printed, model.heads.get(index)?.id),
            _ => label,
        };
        Some(format!("{what} — {}", words.site))
    }

    /// What it shows.
    pub(super) fn main(self, model: &Model, markup: Markup) -> Option<String> {
        let words = markup.words;
        let heading = self.heading(model, words)?;
        let body = match self {
            Chaff::Home => format!(
                r#"<p>{}</p><p><a class="big" href="{}">{}</a></p>"#,
                words.about,
                super::model::BOARD,
                words.board
            ),
            Chaff::Login => account(words, "login", words.login),
            Chaff::Register => account(words, "register", words.register),
            Chaff::Members => index(model, words, (0..model.members.len()).map(Chaff::Member)),
            Chaff::Tags => index(model, words, (0..model.tags.len()).map(Chaff::Tag)),
            Chaff::Calendar => index(model, words, (0..model.days.len()).map(Chaff::Day)),
            Chaff::Help => index(model, words, (0..words.leaflets.len()).map(Chaff::Leaflet)),
            Chaff::Smilies => r#"<img src="/static/smiley.svg" alt=":)" width="32">"#.repeat(12),
            Chaff::Chart(index) => chart(model, markup, index),
            Chaff::Leaflet(index) => format!("<p>{}</p>", words.leaflets.get(index)?.2),
            Chaff::Member(index) => member(model, markup, index)?,
            Chaff::Tag(tag) => {
                let under = |head: &&Head| head.tags.contains(&tag);
                threads(model, markup, model.heads.iter().filter(under).take(15))
            }
            Chaff::Day(index) => day(model, markup, index),
            Chaff::Print(index) => print(model, *model.heads.get(index)?, markup)?,
        };
        Some(format!(r#"<div class="chaff"><h1>{}</h1>{body}</div>"#, Text(&heading)))
    }
}

fn account(words: &Words, name: &str, label: &str) -> String {
    format!(
        concat!(
            r#"<p>{}</p><form class="account" method="post" action="/{name}">"#,
            r#"<label>{} <input name="user"></label><label>{} <input name="password" type="password"></label>"#,
            r#"<button>{label}</button></form>"#
        ),
        words.must_login,
        words.user,
        words.password,
        name = name,
        label = label
    )
}

fn index(model: &Model, words: &Words, pages: impl Iterator<Item = Chaff>) -> String {
    let items: String = pages
        .filter_map(|page| page.link(model, words))
        .map(|(url, label)| format!(r#"<li><a href="{url}">{}</a></li>"#, Text(&label)))
        .collect();
    format!(r#"<ul class="index">{items}</ul>"#)
}

fn threads<'a>(model: &Model, markup: Markup, heads: impl Iterator<Item = &'a Head>) -> String {
    let items: String = heads
        .map(|head| format!("<li>{}</li>", markup.link(&thread_link(model, *head), "xst")))
        .collect();
    format!("<ol>{items}</ol>")
}

fn chart(model: &Model, markup: Markup, index: usize) -> String {
    let mut order: Vec<&Head> = model.heads.iter().collect();
    match index {
        0 => order.sort_by_key(|head| std::cmp::Reverse(head.views)),
        1 => order.sort_by_key(|head| std::cmp::Reverse(head.posts)),
        2 => order.sort_by_key(|head| std::cmp::Reverse(head.begun)),
        _ => order.retain(|head| head.id % 7 == 0),
    }
    threads(model, markup, order.into_iter().take(15))
}

fn member(model: &Model, markup: Markup, index: usize) -> Option<String> {
    let words = markup.words;
    let member = model.members.get(index)?;
    let begun = model.heads.iter().filter(|head| model.author(**head, 0) == index);
    Some(format!(
        concat!(
            r#"<table class="profile"><tr><th>{}</th><td>{}</td></tr><tr><th>{}</th><td>{}</td></tr>"#,
            r#"<tr><th>{}</th><td>{}</td></tr></table><p><a {}>{}</a> <a {}>{}</a></p><h3>{}</h3>{}"#
        ),
        words.user,
        Text(&member.nick),
        words.posts,
        member.posts,
        words.joined,
        member.joined,
        markup.act("friend", member.id),
        words.friend,
        markup.act("message", member.id),
        words.message,
        words.recent,
        threads(model, markup, begun.take(10)),
    ))
}

fn day(model: &Model, markup: Markup, index: usize) -> String {
    let words = markup.words;
    let begun = model.days.get(index).map_or("", String::as_str);
    let of_day = |head: &&Head| head.begun.to_string().starts_with(begun);
    let other = |day: Option<usize>, label: &str| {
        let (url, _) = Chaff::Day(day?).link(model, words)?;
        Some(format!(r#"<a href="{url}">{label}</a> "#))
    };
    let earlier = other(index.checked_add(1), words.earlier).unwrap_or_default();
    let later = other(index.checked_sub(1), words.later).unwrap_or_default();
    let list = threads(model, markup, model.heads.iter().filter(of_day).take(15));
    format!("<p>{earlier}{later}</p>{list}")
}

/// The beginning of the first post. Whole posts stay on their own page, so that the truth can tell
/// where a text was found.
fn print(model: &Model, head: Head, markup: Markup) -> Option<String> {
    let thread = model.thread(head.id)?;
    let first = thread.posts.first().map_or("", |post| &post.text);
    let beginning: String = first.chars().take(24).chain(['…']).collect();
    let link = markup.link(&thread_link(model, head), "xst");
    Some(format!("<h2>{link}</h2><p>{}</p>", Text(&beginning)))
}

/// Threads that share a tag with this one.
pub(super) fn related(model: &Model, thread: Head) -> Vec<Link> {
    let akin = |other: &&Head| {
        other.id != thread.id && other.tags.iter().any(|tag| thread.tags.contains(tag))
    };
    model.heads.iter().filter(akin).take(8).map(|head| thread_link(model, *head)).collect()
}
