//! GraphML, for programs that analyse and lay out graphs.

use std::io::Write;

use store::{EdgeRow, PageRow};

use super::Rows;
use crate::PublishError;
use crate::text::escape;

pub(super) struct Graphml;

const DATA: [(&str, &str); 8] = [
    ("node", "key"),
    ("node", "type"),
    ("node", "title"),
    ("edge", "event"),
    ("edge", "xpath"),
    ("edge", "element_id"),
    ("edge", "text"),
    ("edge", "instruction"),
];

impl Rows for Graphml {
    fn begin(&self, out: &mut dyn Write) -> Result<(), PublishError> {
        out.write_all(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
        )?;
        for (domain, name) in DATA {
            writeln!(
                out,
                "  <key id=\"{name}\" for=\"{domain}\" attr.name=\"{name}\" attr.type=\"string\"/>"
            )?;
        }
        Ok(out.write_all(b"  <graph edgedefault=\"directed\">\n")?)
    }

    fn node(&self, out: &mut dyn Write, row: &PageRow, _: bool) -> Result<(), PublishError> {
        writeln!(out, "    <node id=\"p{}\">", row.page)?;
        let page_type = row.page_type.as_deref().unwrap_or_default();
        for (name, value) in [("key", row.key.as_str()), ("type", page_type), ("title", &row.title)]
        {
            writeln!(out, "      <data key=\"{name}\">{}</data>", escape(value))?;
        }
        Ok(writeln!(out, "    </node>")?)
    }

    fn between(&self, _: &mut dyn Write) -> Result<(), PublishError> {
        Ok(())
    }

    fn edge(&self, out: &mut dyn Write, edge: &EdgeRow, _: bool) -> Result<(), PublishError> {
        let Some(to) = edge.to else { return Ok(()) };
        writeln!(out, "    <edge source=\"p{}\" target=\"p{to}\">", edge.from)?;
        for (name, value) in [
            ("event", edge.event.as_str()),
            ("xpath", &edge.xpath),
            ("element_id", edge.element_id.as_deref().unwrap_or_default()),
            ("text", &edge.text),
            ("instruction", &edge.instruction),
        ] {
            writeln!(out, "      <data key=\"{name}\">{}</data>", escape(value))?;
        }
        Ok(writeln!(out, "    </edge>")?)
    }

    fn end(&self, out: &mut dyn Write) -> Result<(), PublishError> {
        Ok(out.write_all(b"  </graph>\n</graphml>\n")?)
    }
}
