//! Comma-separated values as RFC 4180 has them: CRLF behind every row, quotes where they are needed.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::Value;

use super::columns::COLUMNS;

/// The names of the columns.
pub fn head(out: &mut impl Write) -> io::Result<()> {
    cells(out, COLUMNS.iter().map(|(name, _)| Cow::Borrowed(*name)))
}

/// A line of JSON as a row: what is nested stays JSON, what is not there is empty.
pub fn row(out: &mut impl Write, line: &Value) -> io::Result<()> {
    cells(out, COLUMNS.iter().map(|(name, _)| cell(line.get(name))))
}

fn cell(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        None | Some(Value::Null) => Cow::Borrowed(""),
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(other) => Cow::Owned(other.to_string()),
    }
}

fn cells<'a>(out: &mut impl Write, cells: impl Iterator<Item = Cow<'a, str>>) -> io::Result<()> {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        match cell.contains([',', '"', '\r', '\n']) {
            true => write!(out, "\"{}\"", cell.replace('"', "\"\""))?,
            false => out.write_all(cell.as_bytes())?,
        }
    }
    out.write_all(b"\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_cell_is_quoted_and_what_is_nested_stays_json() {
        let line = serde_json::json!({
            "kind": "post", "title": "He said \"no\", twice", "content_text": "one\ntwo",
            "links": ["http://a/?x=1,2"], "replies": 3, "author": null,
        });
        let mut out = Vec::new();
        row(&mut out, &line).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("post,,,,,\"He said \"\"no\"\", twice\",,,,\"one\ntwo\",,"));
        assert!(text.contains(",\"[\"\"http://a/?x=1,2\"\"]\","), "{text}");
        assert!(text.ends_with("\r\n"));
    }
}
