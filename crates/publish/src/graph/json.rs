//! JSON: the fields of the contract.

use std::io::{self, Write};

use serde::Serialize;
use store::{EdgeRow, PageNumber, PageRow};

use super::Rows;
use crate::PublishError;

pub(super) struct Json;

#[derive(Serialize)]
struct Node<'a> {
    page: PageNumber,
    key: &'a str,
    #[serde(rename = "type")]
    page_type: Option<&'a str>,
    title: &'a str,
}

impl Rows for Json {
    fn begin(&self, out: &mut dyn Write) -> Result<(), PublishError> {
        Ok(out.write_all(b"{\"nodes\":[")?)
    }

    fn node(&self, out: &mut dyn Write, row: &PageRow, first: bool) -> Result<(), PublishError> {
        let node = Node {
            page: row.page,
            key: &row.key,
            page_type: row.page_type.as_deref(),
            title: &row.title,
        };
        item(out, &node, first)
    }

    fn between(&self, out: &mut dyn Write) -> Result<(), PublishError> {
        Ok(out.write_all(b"\n],\"edges\":[")?)
    }

    fn edge(&self, out: &mut dyn Write, edge: &EdgeRow, first: bool) -> Result<(), PublishError> {
        item(out, edge, first)
    }

    fn end(&self, out: &mut dyn Write) -> Result<(), PublishError> {
        Ok(out.write_all(b"\n]}\n")?)
    }
}

fn item(out: &mut dyn Write, value: &impl Serialize, first: bool) -> Result<(), PublishError> {
    out.write_all(if first { b"\n" } else { b",\n" })?;
    // As an I/O error again: serde_json's own hides a closed pipe.
    Ok(serde_json::to_writer(out, value).map_err(io::Error::from)?)
}
