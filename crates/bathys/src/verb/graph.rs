//! `bathys graph`: the state-transition graph of seed 000, for programs that draw and count.

use std::collections::HashSet;
use std::io::Write;

use anyhow::Context;
use serde::Serialize;
use store::{Access, Catalog, EdgeRow, PageNumber, PageRow};

use crate::cli::{GraphFlags, GraphFormat};
use crate::output::{Usage, clip, json, stdout};
use crate::settings::Settings;

#[derive(Serialize)]
struct Node<'a> {
    page: PageNumber,
    key: &'a str,
    #[serde(rename = "type")]
    page_type: Option<&'a str>,
    title: &'a str,
}

pub async fn run(settings: &Settings, flags: &GraphFlags) -> anyhow::Result<()> {
    if settings.json && !matches!(flags.format, GraphFormat::Json) {
        return Err(
            Usage("--json asks for JSON; leave it out, or leave --format out".into()).into()
        );
    }
    let catalog = Catalog::open(&settings.store, Access::Read)?;
    let mut out = stdout();
    let format: &dyn Format = match flags.format {
        GraphFormat::Json => &Json,
        GraphFormat::Dot => &Dot,
        GraphFormat::Graphml => &Graphml,
    };
    let busy = match flags.events_only {
        true => Some(pages_of_events(&catalog).await?),
        false => None,
    };
    let is_shown = |row: &&PageRow| {
        row.condition != "merged" && busy.as_ref().is_none_or(|busy| busy.contains(&row.page))
    };
    // Pages and edges are streamed, so that a graph may be larger than memory.
    format.begin(&mut out)?;
    let (mut after, mut first) = (PageNumber(0), true);
    loop {
        let rows = catalog.pages(after).await?;
        let Some(last) = rows.last() else { break };
        after = last.page;
        for row in rows.iter().filter(is_shown) {
            format.node(&mut out, row, first)?;
            first = false;
        }
    }
    format.between(&mut out)?;
    (after, first) = (PageNumber(0), true);
    loop {
        let rows = catalog.edges(after).await?;
        let Some(last) = rows.last() else { break };
        after = last.from;
        let leads = |edge: &&EdgeRow| {
            (edge.to.is_some() || edge.refused_because.is_some())
                && !(flags.events_only && edge.event == "link")
                && busy.as_ref().is_none_or(|busy| busy.contains(&edge.from))
        };
        for edge in rows.iter().filter(leads) {
            format.edge(&mut out, edge, first)?;
            first = false;
        }
    }
    format.end(&mut out)?;
    out.flush().context("cannot write the graph")
}

/// The pages between which events lead.
async fn pages_of_events(catalog: &Catalog) -> anyhow::Result<HashSet<PageNumber>> {
    let (mut pages, mut after) = (HashSet::new(), PageNumber(0));
    loop {
        let rows = catalog.edges(after).await?;
        let Some(last) = rows.last() else { return Ok(pages) };
        after = last.from;
        for edge in rows.iter().filter(|edge| edge.event != "link" && edge.to.is_some()) {
            pages.extend([Some(edge.from), edge.to].into_iter().flatten());
        }
    }
}

trait Format {
    fn begin(&self, out: &mut dyn Write) -> anyhow::Result<()>;
    fn node(&self, out: &mut dyn Write, row: &PageRow, first: bool) -> anyhow::Result<()>;
    fn between(&self, out: &mut dyn Write) -> anyhow::Result<()>;
    fn edge(&self, out: &mut dyn Write, edge: &EdgeRow, first: bool) -> anyhow::Result<()>;
    fn end(&self, out: &mut dyn Write) -> anyhow::Result<()>;
}

struct Json;

impl Format for Json {
    fn begin(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        Ok(out.write_all(b"{\"nodes\":[")?)
    }

    fn node(&self, out: &mut dyn Write, row: &PageRow, first: bool) -> anyhow::Result<()> {
        let node = Node {
            page: row.page,
            key: &row.key,
            page_type: row.page_type.as_deref(),
            title: &row.title,
        };
        out.write_all(if first { b"\n" } else { b",\n" })?;
        Ok(json(out, &node)?)
    }

    fn between(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        Ok(out.write_all(b"\n],\"edges\":[")?)
    }

    fn edge(&self, out: &mut dyn Write, edge: &EdgeRow, first: bool) -> anyhow::Result<()> {
        out.write_all(if first { b"\n" } else { b",\n" })?;
        Ok(json(out, edge)?)
    }

    fn end(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        Ok(out.write_all(b"\n]}\n")?)
    }
}

struct Dot;

/// A DOT string: quotes and backslashes are escaped, nothing else is special.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Format for Dot {
    fn begin(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        out.write_all(b"digraph bathys {\n  rankdir=LR; node [shape=box, fontname=\"sans-serif\", fontsize=10];\n")?;
        Ok(out.write_all(b"  edge [fontname=\"sans-serif\", fontsize=8, color=\"#667788\"];\n")?)
    }

    fn node(&self, out: &mut dyn Write, row: &PageRow, _: bool) -> anyhow::Result<()> {
        let name = if row.title.is_empty() { &row.key } else { &row.title };
        let label = quoted(&format!("{} {}", row.page, clip(name, 40)));
        // What only events reach is what a plain crawler misses: shown in colour.
        let style = match row.condition.as_str() {
            "captured" if !row.path.is_empty() => "style=filled, fillcolor=\"#cfe8ff\"",
            "captured" => "style=filled, fillcolor=\"#eef3ea\"",
            _ => "style=dashed",
        };
        let key = quoted(&row.key);
        Ok(writeln!(out, "  p{} [label={label}, tooltip={key}, {style}];", row.page)?)
    }

    fn between(&self, _: &mut dyn Write) -> anyhow::Result<()> {
        Ok(())
    }

    fn edge(&self, out: &mut dyn Write, edge: &EdgeRow, _: bool) -> anyhow::Result<()> {
        let Some(to) = edge.to else { return Ok(()) };
        let label = match edge.event.as_str() {
            "link" => String::new(),
            event => format!("{event} {}", clip(&edge.text, 20)),
        };
        let style = if edge.event == "link" { "style=dotted" } else { "color=\"#1f6fb2\"" };
        let tooltip = quoted(&edge.xpath);
        Ok(writeln!(
            out,
            "  p{} -> p{to} [label={}, tooltip={tooltip}, {style}];",
            edge.from,
            quoted(&label)
        )?)
    }

    fn end(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        Ok(out.write_all(b"}\n")?)
    }
}

struct Graphml;

/// XML text: the five specials escaped, characters that XML 1.0 forbids dropped.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => escaped.push(character),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            other => escaped.push(other),
        }
    }
    escaped
}

impl Format for Graphml {
    fn begin(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        out.write_all(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
        )?;
        for (domain, name) in [
            ("node", "key"),
            ("node", "type"),
            ("node", "title"),
            ("edge", "event"),
            ("edge", "xpath"),
            ("edge", "element_id"),
            ("edge", "text"),
            ("edge", "instruction"),
        ] {
            writeln!(
                out,
                "  <key id=\"{name}\" for=\"{domain}\" attr.name=\"{name}\" attr.type=\"string\"/>"
            )?;
        }
        Ok(out.write_all(b"  <graph edgedefault=\"directed\">\n")?)
    }

    fn node(&self, out: &mut dyn Write, row: &PageRow, _: bool) -> anyhow::Result<()> {
        writeln!(out, "    <node id=\"p{}\">", row.page)?;
        let page_type = row.page_type.as_deref().unwrap_or_default();
        for (name, value) in [("key", row.key.as_str()), ("type", page_type), ("title", &row.title)]
        {
            writeln!(out, "      <data key=\"{name}\">{}</data>", xml(value))?;
        }
        Ok(writeln!(out, "    </node>")?)
    }

    fn between(&self, _: &mut dyn Write) -> anyhow::Result<()> {
        Ok(())
    }

    fn edge(&self, out: &mut dyn Write, edge: &EdgeRow, _: bool) -> anyhow::Result<()> {
        let Some(to) = edge.to else { return Ok(()) };
        writeln!(out, "    <edge source=\"p{}\" target=\"p{to}\">", edge.from)?;
        for (name, value) in [
            ("event", edge.event.as_str()),
            ("xpath", &edge.xpath),
            ("element_id", edge.element_id.as_deref().unwrap_or_default()),
            ("text", &edge.text),
            ("instruction", &edge.instruction),
        ] {
            writeln!(out, "      <data key=\"{name}\">{}</data>", xml(value))?;
        }
        Ok(writeln!(out, "    </edge>")?)
    }

    fn end(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        Ok(out.write_all(b"  </graph>\n</graphml>\n")?)
    }
}
