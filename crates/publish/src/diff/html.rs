//! Two versions side by side, as one page. It loads nothing, and nothing of theirs is markup in it.

use std::fmt::Write;

use super::words::{Edit, Op, marked};
use super::{Came, Changed, Diff, Shown};
use crate::text::{clip, escape};

const STYLE: &str = include_str!("diff.css");
/// Lines of a block that came or went which are shown.
const MOST_LINES: usize = 200;

pub(super) fn page(diff: &Diff) -> String {
    let mut out = String::new();
    let title = clip(&diff.key, 100);
    let _ = write!(
        out,
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Changes of {title}</title><style>{STYLE}</style></head><body><header><h1>{title}</h1>",
        title = escape(&title),
    );
    let _ = write!(
        out,
        "<p class=\"versions\"><span>version {} of {}</span><span>version {} of {}</span></p>",
        diff.from.version, diff.from.time, diff.to.version, diff.to.time
    );
    let _ = write!(out, "<p class=\"sum\">{}</p></header><main>", escape(&sum(diff)));
    for changed in &diff.changed {
        change(&mut out, changed);
    }
    for came in &diff.added {
        one_sided(&mut out, came, "added");
    }
    for went in &diff.removed {
        one_sided(&mut out, went, "removed");
    }
    if !diff.moved.is_empty() {
        out.push_str("<section class=\"moved\"><h2>Moved</h2><ul>");
        for block in &diff.moved {
            let _ = write!(out, "<li>{}</li>", headline(block));
        }
        out.push_str("</ul></section>");
    }
    out.push_str("</main></body></html>\n");
    out
}

fn sum(diff: &Diff) -> String {
    let mut parts = Vec::new();
    for (count, what) in [
        (diff.changed.len(), "changed"),
        (diff.added.len(), "added"),
        (diff.removed.len(), "removed"),
        (diff.moved.len(), "moved"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if diff.layout_changed {
        parts.push("another layout".into());
    }
    if diff.noise > 0 {
        parts.push(format!("{} of noise left out", diff.noise));
    }
    match parts.is_empty() {
        true => "nothing changed".into(),
        false => parts.join(", "),
    }
}

fn headline(block: &Shown) -> String {
    let topic = match block.topic.is_empty() {
        true => "(no words)",
        false => &block.topic,
    };
    format!(
        "<b>{}</b> <i>{}</i> <code>{}</code>",
        escape(topic),
        escape(block.label.name()),
        escape(&block.xpath)
    )
}

fn change(out: &mut String, changed: &Changed) {
    let moved = if changed.moved { ", moved" } else { "" };
    let _ = write!(
        out,
        "<section class=\"changed\"><h2>{} <span>{}{moved}</span></h2><table>",
        headline(&changed.block),
        escape(changed.kind)
    );
    let mut edits = changed.edits.as_slice();
    while let Some((first, rest)) = edits.split_first() {
        if first.op == Op::Kept {
            let text = escape(&first.text);
            let _ = write!(out, "<tr><td>{text}</td><td>{text}</td></tr>");
            edits = rest;
            continue;
        }
        let removed = edits.iter().take_while(|edit| edit.op == Op::Removed).count();
        let added = edits[removed..].iter().take_while(|edit| edit.op == Op::Added).count();
        let (old, rest) = edits.split_at(removed);
        let (new, rest) = rest.split_at(added);
        rows(out, old, new);
        edits = rest;
    }
    out.push_str("</table></section>");
}

/// Lines in place of others, beside each other as far as both go.
fn rows(out: &mut String, old: &[Edit], new: &[Edit]) {
    for at in 0..old.len().max(new.len()) {
        let (before, after) = match (old.get(at), new.get(at)) {
            (Some(old), Some(new)) => {
                let (before, after) = marked(&old.text, &new.text);
                (pieces(&before, "del"), pieces(&after, "ins"))
            }
            (Some(old), None) => (format!("<del>{}</del>", escape(&old.text)), String::new()),
            (None, Some(new)) => (String::new(), format!("<ins>{}</ins>", escape(&new.text))),
            (None, None) => continue,
        };
        let _ = write!(out, "<tr><td>{before}</td><td>{after}</td></tr>");
    }
}

fn pieces(pieces: &[(bool, String)], name: &str) -> String {
    let piece = |(same, text): &(bool, String)| match same {
        true => escape(text),
        false => format!("<{name}>{}</{name}>", escape(text)),
    };
    pieces.iter().map(piece).collect()
}

fn one_sided(out: &mut String, came: &Came, what: &str) {
    let (name, is_new) = if what == "added" { ("ins", true) } else { ("del", false) };
    let _ = write!(
        out,
        "<section class=\"{what}\"><h2>{} <span>{what}</span></h2><table>",
        headline(&came.block)
    );
    for line in came.text.lines().take(MOST_LINES) {
        let text = format!("<{name}>{}</{name}>", escape(line));
        let (before, after) = if is_new { ("", text.as_str()) } else { (text.as_str(), "") };
        let _ = write!(out, "<tr><td>{before}</td><td>{after}</td></tr>");
    }
    out.push_str("</table></section>");
}
