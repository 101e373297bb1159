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
        counts.at_least(what, listed.iter().filter(|byte| **byte == b'\n').count());
    }
    counts.at_most("errors", errors);
    Ok(counts)
}
