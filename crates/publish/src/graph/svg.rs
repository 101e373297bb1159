//! One picture: a page a box, or a group a box where there are too many to look at.

use std::collections::HashSet;
use std::fmt::Write;

use super::drawing::{Arrow, BOX, Drawing, LABEL, fills, fitted};
use super::picture::Picture;
use crate::text::{clip, escape};

/// Pages that are drawn one by one.
const MOST_BOXES: usize = 150;
/// Refused edges that are listed.
const MOST_REFUSED: usize = 40;
const MARGIN: f64 = 24.0;

pub(super) fn draw(picture: &Picture) -> String {
    let is_large = picture.spots.len() > MOST_BOXES;
    let drawing = match is_large {
        true => Drawing::of_groups(picture).0,
        false => Drawing::of_pages(picture),
    };
    let way = picture.to.map(|to| picture.way(to)).unwrap_or_default();
    let mut out = String::new();
    // The way first, on a line of its own: it can be read whatever the graph below looks like.
    let mut y = MARGIN + legend(&mut out, picture);
    y += strip(&mut out, picture, &way, y);
    let lit: HashSet<usize> = if is_large { HashSet::new() } else { way.iter().copied().collect() };
    let _ = writeln!(out, "<g transform=\"translate({MARGIN} {y:.0})\">");
    // Events over links, and the most frequent first: it gives its box the label.
    let mut order: Vec<usize> = (0..drawing.arrows.len()).collect();
    order.sort_by_key(|at| {
        let arrow = &drawing.arrows[*at];
        (arrow.event, std::cmp::Reverse(arrow.count))
    });
    let mut labelled = HashSet::new();
    for at in order {
        let arrow = &drawing.arrows[at];
        draw_arrow(&mut out, &drawing, arrow, lit.contains(&at));
        let (from, to) = (&drawing.items[arrow.from], &drawing.items[arrow.to]);
        let speaks = (arrow.event || is_large) && to.x > from.x;
        if speaks && labelled.insert((arrow.to, arrow.event)) {
            draw_label(&mut out, &drawing, arrow);
        }
    }
    let on_way: HashSet<usize> = match is_large {
        true => HashSet::new(),
        false => {
            lit.iter().flat_map(|at| [picture.lines[*at].from, picture.lines[*at].to]).collect()
        }
    };
    for (at, item) in drawing.items.iter().enumerate() {
        let class = if on_way.contains(&at) { "b way" } else { "b" };
        let key = if is_large { item.small.clone() } else { picture.spots[at].key.clone() };
        draw_box(&mut out, (item.x, item.y), item.kind, class, (&item.label, &item.small), &key);
    }
    out.push_str("</g>\n");
    y += drawing.height + MARGIN;
    y += refused(&mut out, picture, y);
    let width = (drawing.width + 2.0 * MARGIN).max(900.0).max(way.len() as f64 * 250.0 + 250.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{y:.0}\" viewBox=\"0 0 {width:.0} {y:.0}\">\n\
         <title>State-transition graph</title>\n<style>{}</style>\n\
         <defs><marker id=\"e\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{out}</svg>\n",
        style(&picture.kinds)
    )
}

fn style(kinds: &[String]) -> String {
    let mut css = String::from(
        ":root{color-scheme:light dark}.paper{fill:#fff}text{font:12px system-ui,sans-serif;fill:#1b2430}\
         .s{font-size:10px;fill:#5d6b7a}.b rect{stroke:#7c8b9a}.b.way rect{stroke:#d9480f;stroke-width:3}\
         path.a{fill:none;stroke:#9aa7b3;stroke-width:.8;stroke-dasharray:2 3;opacity:.45}\
         path.e{stroke:#1f6fb2;stroke-width:1.3;stroke-dasharray:none;opacity:.9}\
         path.way{stroke:#d9480f;stroke-width:3;stroke-dasharray:none;opacity:1}.tip{fill:#1f6fb2}\
         .l{font-size:9px;fill:#1f5d91}",
    );
    let mut dark = String::from(
        ".paper{fill:#14181d}text{fill:#e4e9ee}.s{fill:#9aa7b3}.b rect{stroke:#5d6b7a}\
         path.a{stroke:#6b7885}path.e{stroke:#6db3ec}.tip{fill:#6db3ec}.l{fill:#9fcdf2}\
         .b.way rect,path.way{stroke:#ff9256}",
    );
    for (kind, name) in kinds.iter().enumerate() {
        let (on_light, on_dark) = fills(kind, name);
        let _ = write!(css, ".k{kind}{{fill:{on_light}}}");
        let _ = write!(dark, ".k{kind}{{fill:{on_dark}}}");
    }
    format!("{css}@media(prefers-color-scheme:dark){{{dark}}}")
}

/// The colours and what they mean; gives its height.
fn legend(out: &mut String, picture: &Picture) -> f64 {
    let counts = picture.kind_counts();
    let mut x = MARGIN;
    let mut y = 16.0;
    for (kind, (name, count)) in picture.kinds.iter().zip(counts).enumerate() {
        let label = format!("{name} ({count})");
        let width = 34.0 + label.chars().count() as f64 * 7.0;
        if x > MARGIN && x + width > 900.0 {
            x = MARGIN;
            y += 20.0;
        }
        let _ = writeln!(
            out,
            "<rect class=\"k{kind}\" x=\"{x:.0}\" y=\"{:.0}\" width=\"14\" height=\"14\" rx=\"3\" stroke=\"#7c8b9a\"/>\
             <text x=\"{:.0}\" y=\"{y:.0}\">{}</text>",
            y - 11.0,
            x + 20.0,
            escape(&label)
        );
        x += width;
    }
    y += 20.0;
    let _ = writeln!(
        out,
        "<path class=\"a e\" d=\"M{MARGIN} {0:.0}h30\" marker-end=\"url(#e)\"/><text class=\"s\" x=\"60\" y=\"{1:.0}\">event</text>\
         <path class=\"a\" d=\"M110 {0:.0}h30\"/><text class=\"s\" x=\"146\" y=\"{1:.0}\">link</text>\
         <text class=\"s\" x=\"190\" y=\"{1:.0}\">{2} pages, {3} lines, {4} refused events{5}</text>",
        y - 4.0,
        y,
        picture.spots.len(),
        picture.lines.len(),
        picture.refused_count(),
        picture.cut.as_ref().map(|cut| format!("; {}", escape(cut))).unwrap_or_default()
    );
    y + 8.0
}

/// The way to a page as a row of boxes; gives its height.
fn strip(out: &mut String, picture: &Picture, way: &[usize], y: f64) -> f64 {
    let Some(to) = picture.to else { return 0.0 };
    let _ = writeln!(
        out,
        "<text x=\"{MARGIN}\" y=\"{:.0}\">The way to page {}: {} steps</text>",
        y,
        picture.spots[to].page,
        way.len()
    );
    let first = way.first().map_or(to, |line| picture.lines[*line].from);
    let stops = std::iter::once(first).chain(way.iter().map(|line| picture.lines[*line].to));
    for (step, spot) in stops.enumerate() {
        let x = MARGIN + step as f64 * 250.0;
        let spot = &picture.spots[spot];
        let small = spot.page.to_string();
        draw_box(
            out,
            (x, y + 18.0),
            spot.kind,
            "b way",
            (&fitted(&spot.title, LABEL), &small),
            &spot.key,
        );
        if let Some(line) = way.get(step).map(|line| &picture.lines[*line]) {
            let (from, label) = (x + BOX.0, escape(&clip(&line.label, 16)));
            let _ = writeln!(
                out,
                "<path class=\"a way\" d=\"M{from:.0} {0:.0}h78\"/><text class=\"l\" x=\"{1:.0}\" y=\"{2:.0}\">{label}</text>",
                y + 35.0,
                from + 3.0,
                y + 30.0
            );
        }
    }
    BOX.1 + 42.0
}

fn draw_box(
    out: &mut String,
    (x, y): (f64, f64),
    kind: usize,
    class: &str,
    (label, small): (&str, &str),
    hint: &str,
) {
    let _ = writeln!(
        out,
        "<g class=\"{class}\"><title>{}</title><rect class=\"k{kind}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{}\" height=\"{}\" rx=\"6\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\">{}</text><text class=\"s\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
        escape(hint),
        BOX.0,
        BOX.1,
        x + 8.0,
        y + 14.0,
        escape(label),
        x + 8.0,
        y + 28.0,
        escape(small)
    );
}

fn draw_arrow(out: &mut String, drawing: &Drawing, arrow: &Arrow, is_way: bool) {
    let (from, to) = (&drawing.items[arrow.from], &drawing.items[arrow.to]);
    let middle = |y: f64| y + BOX.1 / 2.0;
    let class = match (is_way, arrow.event) {
        (true, _) => "a e way",
        (false, true) => "a e",
        (false, false) => "a",
    };
    let (a, b) = (middle(from.y), middle(to.y));
    let forward = to.x > from.x;
    let path = if forward {
        let (x1, x2) = (from.x + BOX.0, to.x);
        let bend = (x2 - x1) / 2.0;
        format!("M{x1:.1} {a:.1}C{:.1} {a:.1} {:.1} {b:.1} {x2:.1} {b:.1}", x1 + bend, x2 - bend)
    } else {
        // Back, or within a layer: around the left side.
        let (x1, x2) = (from.x, to.x);
        let out = x1.min(x2) - 30.0 - (a - b).abs().min(400.0) / 8.0;
        format!("M{x1:.1} {a:.1}C{out:.1} {a:.1} {out:.1} {b:.1} {x2:.1} {b:.1}")
    };
    let hint = escape(&format!("{}{}", arrow.label, times(arrow)));
    let tip = if arrow.event { " marker-end=\"url(#e)\"" } else { "" };
    let _ = writeln!(out, "<path class=\"{class}\" d=\"{path}\"{tip}><title>{hint}</title></path>");
}

fn times(arrow: &Arrow) -> String {
    match arrow.count {
        0 | 1 => String::new(),
        count => format!(" ×{count}"),
    }
}

/// What an arrow does, beside the box that it leads to.
fn draw_label(out: &mut String, drawing: &Drawing, arrow: &Arrow) {
    let to = &drawing.items[arrow.to];
    let _ = writeln!(
        out,
        "<text class=\"l\" text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        to.x - 10.0,
        to.y + BOX.1 / 2.0 + if arrow.event { -4.0 } else { 9.0 },
        escape(&format!("{}{}", clip(&arrow.label, 30), times(arrow)))
    );
}

/// What was refused, as a list; gives its height.
fn refused(out: &mut String, picture: &Picture, y: f64) -> f64 {
    if picture.refused.is_empty() {
        return 0.0;
    }
    let _ = writeln!(
        out,
        "<text x=\"{MARGIN}\" y=\"{y:.0}\">Refused events ({})</text>",
        picture.refused_count()
    );
    let mut below = 18.0;
    for edge in picture.refused.iter().take(MOST_REFUSED) {
        let page = picture.spots[edge.from].page;
        let more = match edge.count {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let (label, because) = (clip(&edge.label, 50), clip(&edge.because, 110));
        let line = format!("page {page}{more}: {label} – {because}");
        let _ = writeln!(
            out,
            "<text class=\"s\" x=\"{MARGIN}\" y=\"{:.0}\">{}</text>",
            y + below,
            escape(&line)
        );
        below += 14.0;
    }
    let left = picture.refused.len().saturating_sub(MOST_REFUSED);
    if left > 0 {
        let _ = writeln!(
            out,
            "<text class=\"s\" x=\"{MARGIN}\" y=\"{:.0}\">and {left} more</text>",
            y + below
        );
        below += 14.0;
    }
    below + MARGIN
}
