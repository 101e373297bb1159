//! What surrounds every page: head, navigation, side column, foot. Nearly all of it is of low
//! value, as on the real thing.

use axum::response::Response;
use jiff::SignedDuration;
use serde_json::json;

use super::chaff::{self, Chaff};
use super::markup::Markup;
use super::model::{BOARD, Model};
use super::words::Words;
use crate::html::{self, Text};
use crate::text::Writer;
use crate::{Build, Paging, Random, Visit, vendor};

/// Tags that the cloud of a page shows.
const CLOUD: usize = 24;
/// Days that the little calendar shows.
const DAYS: usize = 14;

/// A page to be put into the frame of the site.
pub(super) struct Leaf<'a> {
    pub title: &'a str,
    /// What the site calls this page, in the trail at the top.
    pub trail: &'a str,
    pub main: &'a str,
    /// From where a script loads the other pages of what is shown, up to the number.
    pub source: Option<String>,
    /// What a script draws first, where scripts draw.
    pub drawn: Option<serde_json::Value>,
}

/// The whole page.
pub(super) fn page(model: &Model, markup: Markup, visit: &Visit, leaf: &Leaf<'_>) -> Response {
    let words = markup.words;
    let mut volatile = visit.random();
    let seconds = if visit.options().volatile { visit.nth() } else { 0 };
    let now = visit.now() + SignedDuration::from_secs(seconds.min(86_400) as i64);
    html::page(format!(
        concat!(
            r#"<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>"#,
            r#"<meta name="generator" content="QBoard 2.1"><link rel="stylesheet" href="/static/bbs.css"><link rel="icon" href="data:,">"#,
            r#"{scripts}</head><body id="top"><div id="bar">{channels}</div>"#,
            r#"<div id="wrap"><div id="head"><h2><a href="/">{site}</a></h2>{banner}</div>"#,
            r#"<div id="menu"><ul>{menu}</ul><form action="http://search.quayside.example/" method="get">"#,
            r#"<input name="q" size="14"><button>{search}</button></form></div>"#,
            r#"<div id="nav"><a href="/">{site}</a> » <a href="{board_url}">{board}</a> » {trail}</div>"#,
            r#"<div id="cols"><div id="main">{main}</div><div id="side">{side}</div></div>"#,
            r#"<div id="friends"><b>{friends_label}</b> {friends}</div>"#,
            r#"<div id="foot"><p>{foot}</p><p>{copyright}</p><p class="small">{time} {now}. "#,
            r#"{processed} 0.0{elapsed} s, {queries} queries.</p></div></div></body></html>"#
        ),
        lang = words.lang,
        title = Text(leaf.title),
        scripts = scripts(markup, visit, leaf),
        channels = channels(words),
        site = words.site,
        banner = advert(visit, &mut volatile),
        menu = menu(markup),
        search = words.search,
        board_url = BOARD,
        board = words.board,
        trail = Text(leaf.trail),
        main = leaf.main,
        side = side(model, markup, visit, &mut volatile),
        friends_label = words.friends,
        friends = friends(visit),
        foot = foot(words),
        copyright = words.copyright,
        time = words.time,
        now = now.strftime("%Y-%-m-%-d %H:%M:%S"),
        processed = words.processed,
        elapsed = volatile.between(101, 999),
        queries = volatile.between(5, 14),
    ))
}

fn scripts(markup: Markup, visit: &Visit, leaf: &Leaf<'_>) -> String {
    if markup.paging == Paging::Plain {
        return String::new();
    }
    let words = markup.words;
    let config = html::json_in_script(&json!({
        "timers": visit.options().timers_ms() as u64,
        "source": leaf.source,
        "drawn": leaf.drawn,
        "labels": {
            "threads": words.threads, "author": words.author, "replies": words.replies,
            "lastPost": words.last_post, "quote": words.quote, "report": words.report,
            "reply": words.reply, "like": words.like, "share": words.share,
            "friend": words.friend, "message": words.message, "jump": words.jump, "go": words.go,
        },
    }));
    // Frameworks draw only what scripts page; the rest of the site is as old as the others.
    let build = match markup.build {
        Build::React | Build::Vue | Build::Lit if markup.paging == Paging::Links => Build::Closures,
        build => build,
    };
    let libraries: &[&str] = match build {
        Build::Jquery => &[vendor::JQUERY],
        Build::React => &[vendor::REACT, vendor::REACT_DOM],
        Build::Vue => &[vendor::VUE],
        Build::Inline | Build::Closures | Build::Lit => &[],
    };
    let mut scripts = format!("<script>var FORUM={config};</script>");
    let build = format!("/static/bbs-{build}.js");
    for source in libraries.iter().copied().chain(["/static/bbs.js", &build]) {
        scripts += &vendor::script(source);
    }
    scripts
}

fn channels(words: &Words) -> String {
    let names = ["news", "sport", "money", "tech", "auto", "games", "style", "weather"];
    names
        .iter()
        .zip(words.channels)
        .map(|(host, label)| format!(r#"<a href="http://{host}.quayside.example/">{label}</a>"#))
        .collect()
}

fn menu(markup: Markup) -> String {
    let words = markup.words;
    let mut menu = String::new();
    let plain = [
        (BOARD, words.board),
        ("/members", words.members),
        ("/tags", words.tags),
        ("/calendar", words.calendar),
        ("/help", words.help),
        ("/smilies", words.smilies),
        ("/login", words.login),
        ("/register", words.register),
    ];
    for (url, label) in plain {
        // Counted by a script on the way, as portals do.
        let counted = match markup.build {
            Build::Inline if markup.paging != Paging::Plain => {
                format!(r#" onclick="Forum.count('menu{url}')""#)
            }
            _ => String::new(),
        };
        menu += &format!(r#"<li><a href="{url}"{counted}>{label}</a></li>"#);
    }
    menu
}

fn side(model: &Model, markup: Markup, visit: &Visit, volatile: &mut Random) -> String {
    let words = markup.words;
    let charts: String = words
        .charts
        .iter()
        .map(|(name, label)| format!(r#"<li><a href="/top/{name}">{label}</a></li>"#))
        .collect();
    // Where the cloud begins belongs to the page, not to the request.
    let mut fixed = Random::of(visit.options().seed, &visit.path);
    let from = fixed.below(model.tags.len());
    let tags = (0..model.tags.len()).cycle().skip(from).take(CLOUD.min(model.tags.len()));
    let cloud: String = tags
        .filter_map(|index| Chaff::Tag(index).link(model, words))
        .map(|(url, label)| {
            let size = fixed.between(11, 18);
            format!(r#"<a href="{url}" style="font-size:{size}px">{}</a> "#, Text(&label))
        })
        .collect();
    let days: String = (0..DAYS.min(model.days.len()))
        .filter_map(|index| Chaff::Day(index).link(model, words))
        .map(|(url, label)| format!(r#"<a href="{url}">{}</a> "#, label.get(8..).unwrap_or("")))
        .collect();
    format!(
        concat!(
            r#"<div class="box"><h3>TOP</h3><ul>{charts}</ul></div>"#,
            r#"<div class="box"><h3>{tags}</h3><p class="cloud">{cloud}</p></div>"#,
            r#"<div class="box"><h3>{calendar}</h3><p class="days">{days}</p></div>"#,
            r#"<div class="box"><h3>{online_number} {online}</h3></div>"#,
            r#"<div class="box"><h3>{advert_label}</h3>{first}{second}</div>"#
        ),
        charts = charts,
        tags = words.tags,
        cloud = cloud,
        calendar = words.calendar,
        days = days,
        online_number = volatile.between(800, 4_000),
        online = words.online,
        advert_label = words.advert,
        first = advert(visit, volatile),
        second = advert(visit, volatile),
    )
}

fn advert(visit: &Visit, volatile: &mut Random) -> String {
    let slot = volatile.hex(8);
    let mut writer = Writer::new(visit.options().lang, volatile.clone());
    format!(
        r#"<div class="ad" id="ad_{slot}"><a href="http://ads.example/click?slot={slot}" rel="nofollow">{}</a></div>"#,
        Text(&writer.write("advert"))
    )
}

fn friends(visit: &Visit) -> String {
    let mut writer =
        Writer::new(visit.options().lang, Random::of(visit.options().seed, "bbs friends"));
    (1..=8)
        .map(|number| {
            let name = writer.write("place");
            format!(r#"<a href="http://partner{number}.example/">{}</a> "#, Text(&name))
        })
        .collect()
}

fn foot(words: &Words) -> String {
    let leaflets = words.leaflets.iter().map(|(url, title, _)| (*url, *title));
    leaflets
        .chain([(chaff::FORBIDDEN, "Admin CP")])
        .map(|(url, title)| format!(r#"<a href="{url}">{title}</a> "#))
        .collect()
}
