//! A store of known content, served: every page and every record is there, and nothing fails.

use anyhow::Context as _;

use super::counts::CaseCounts;
use crate::serve::{Server, fill};

/// Pages of the store, and records.
const PAGES: usize = 200;
const RECORDS: usize = 1_000;

pub async fn count() -> anyhow::Result<CaseCounts> {
    let room = tempfile::tempdir().context("cannot make a directory for the store")?;
    fill(room.path(), PAGES, RECORDS).await?;
    let server = Server::of(room.path()).await?;
    let mut errors = 0;
    for number in 1..=PAGES {
        for path in [format!("/page/{number}"), format!("/api/v1/show?key={number}")] {
            errors += usize::from(server.get(&path).await.is_err());
        }
    }
    let mut counts = CaseCounts::default();
    for (what, path) in
        [("pages", "/api/v1/pages?format=jsonl"), ("records", "/api/v1/records?format=jsonl")]
    {
        let listed = server.get(path).await?;
        // Between them are the head, and the sizes of what is sent in pieces.
        let lines = listed.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{"));
        counts.at_least(what, lines.count());
    }
    counts.at_most("errors", errors);
    Ok(counts)
}
