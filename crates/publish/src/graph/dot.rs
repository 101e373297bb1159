//! DOT, for Graphviz.

use std::io::Write;

use store::{EdgeRow, PageRow, PageStatus};

use super::{Rows, is_event};
use crate::PublishError;
use crate::text::clip;

pub(super) struct Dot;

/// A DOT string: quotes and backslashes are escaped, nothing else is special.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Rows for Dot {
    fn begin(&self, out: &mut dyn Write) -> Result<(), PublishError> {
        out.write_all(b"digraph bathys {\n  rankdir=LR; node [shape=box, fontname=\"sans-serif\", fontsize=10];\n")?;
        Ok(out.write_all(b"  edge [fontname=\"sans-serif\", fontsize=8, color=\"#667788\"];\n")?)
    }

    fn node(&self, out: &mut dyn Write, row: &PageRow, _: bool) -> Result<(), PublishError> {
        let name = if row.title.is_empty() { &row.key } else { &row.title };
        let label = quoted(&format!("{} {}", row.page, clip(name, 40)));
        // What only events reach is what a plain crawler misses: shown in colour.
        let style = match row.condition {
            PageStatus::Captured if !row.path.is_empty() => "style=filled, fillcolor=\"#cfe8ff\"",
            PageStatus::Captured => "style=filled, fillcolor=\"#eef3ea\"",
            _ => "style=dashed",
        };
        let key = quoted(&row.key);
        Ok(writeln!(out, "  p{} [label={label}, tooltip={key}, {style}];", row.page)?)
    }

    fn between(&self, _: &mut dyn Write) -> Result<(), PublishError> {
        Ok(())
    }

    fn edge(&self, out: &mut dyn Write, edge: &EdgeRow, _: bool) -> Result<(), PublishError> {
        let Some(to) = edge.to else { return Ok(()) };
        let label = match is_event(edge) {
            false => String::new(),
            true => format!("{} {}", edge.event, clip(&edge.text, 20)),
        };
        let style = if is_event(edge) { "color=\"#1f6fb2\"" } else { "style=dotted" };
        let tooltip = quoted(&edge.xpath);
        Ok(writeln!(
            out,
            "  p{} -> p{to} [label={}, tooltip={tooltip}, {style}];",
            edge.from,
            quoted(&label)
        )?)
    }

    fn end(&self, out: &mut dyn Write) -> Result<(), PublishError> {
        Ok(out.write_all(b"}\n")?)
    }
}
