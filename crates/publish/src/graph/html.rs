//! One page to explore the graph in: search, zoom, and the way to every state. It loads nothing.

use serde::Serialize;

use super::drawing::{Drawing, fills};
use super::picture::Picture;
use crate::text::{escape, json_in_script};

/// Pages up to which all are shown at first; beyond, their groups.
const MOST_AT_ONCE: usize = 200;

const STYLE: &str = include_str!("graph.css");
const SCRIPT: &str = include_str!("graph.js");

#[derive(Serialize)]
struct Data<'a> {
    kinds: Vec<Kind<'a>>,
    pages: Vec<Page<'a>>,
    all: Drawing,
    groups: Drawing,
    /// The group of each page.
    group: Vec<usize>,
    /// Where the elements stand that events were fired at, by line.
    xpaths: Vec<(usize, &'a str)>,
    refused: Vec<(usize, usize, &'a str, &'a str)>,
    refused_count: usize,
    to: Option<usize>,
    grouped: bool,
    cut: Option<&'a str>,
}

#[derive(Serialize)]
struct Kind<'a> {
    name: &'a str,
    count: usize,
    /// On light and on dark paper.
    fills: (String, String),
}

#[derive(Serialize)]
struct Page<'a> {
    page: i64,
    key: &'a str,
    title: &'a str,
    events: bool,
    via: Option<usize>,
}

pub(super) fn draw(picture: &Picture) -> String {
    let counts = picture.kind_counts();
    let kinds = picture.kinds.iter().zip(counts).enumerate();
    let (groups, group) = Drawing::of_groups(picture);
    let data = Data {
        kinds: kinds
            .map(|(at, (name, count))| Kind { name, count, fills: fills(at, name) })
            .collect(),
        pages: picture
            .spots
            .iter()
            .map(|spot| Page {
                page: spot.page.0,
                key: &spot.key,
                title: &spot.title,
                events: spot.only_events,
                via: spot.via,
            })
            .collect(),
        all: Drawing::of_pages(picture),
        groups,
        group,
        xpaths: picture
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.is_event)
            .map(|(at, line)| (at, line.xpath.as_str()))
            .collect(),
        refused: picture
            .refused
            .iter()
            .map(|edge| (edge.from, edge.count, edge.label.as_str(), edge.because.as_str()))
            .collect(),
        refused_count: picture.refused_count(),
        to: picture.to,
        grouped: picture.spots.len() > MOST_AT_ONCE,
        cut: picture.cut.as_deref(),
    };
    let title = format!("State-transition graph: {} pages", picture.spots.len());
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style></head>\n<body>\n\
         <header><h1>{title}</h1>\n\
         <input id=\"search\" type=\"search\" placeholder=\"Search titles and keys\" aria-label=\"Search titles and keys\">\n\
         <label><input id=\"grouped\" type=\"checkbox\"> groups</label>\n\
         <label><input id=\"links\" type=\"checkbox\" checked> links</label>\n\
         <button id=\"in\" title=\"zoom in\">+</button><button id=\"out\" title=\"zoom out\">&minus;</button>\
         <button id=\"fit\">Fit</button></header>\n\
         <main><canvas id=\"graph\" tabindex=\"0\" aria-label=\"The graph; search to reach any page by keyboard\"></canvas>\n\
         <aside><div id=\"found\"></div><div id=\"legend\"></div><div id=\"detail\"></div></aside></main>\n\
         <noscript>This page draws its graph by script; the same graph can be had as a picture (SVG).</noscript>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n\
         <script>{SCRIPT}</script>\n</body></html>\n",
        json_in_script(&data),
        title = escape(&title),
    )
}
