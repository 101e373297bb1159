//! Prints the evidence for the labels of blocks that people labelled, for `scripts/labels/train.py`.
//!
//! `evidence PAGES BLOCKS`: a folder of pages, and a file of JSON lines with `page` (a file in the
//! folder), `nodes` (`[first, end)` in the tree of the parsed page) and `label`.

use page::block::{Labeller, Lines};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(pages), Some(blocks)) = (arguments.next(), arguments.next()) else {
        return Err("use: evidence PAGES BLOCKS".into());
    };
    let mut by_page: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in std::fs::read_to_string(blocks)?.lines() {
        let block: Value = serde_json::from_str(line)?;
        let page = block["page"].as_str().ok_or("a block without a page")?.to_owned();
        by_page.entry(page).or_default().push(block);
    }
    for (page, blocks) in by_page {
        let bytes = std::fs::read(Path::new(&pages).join(&page))?;
        let dom = page::tree::parse(&bytes, None).dom;
        let lines = Lines::new(&dom, None);
        let labeller = Labeller::new(&lines);
        for block in blocks {
            let node =
                |at: usize| block["nodes"][at].as_u64().and_then(|id| u32::try_from(id).ok());
            let (Some(first), Some(end)) = (node(0), node(1)) else {
                return Err(format!("a block of {page} without nodes").into());
            };
            let evidence = labeller.evidence(first..end);
            println!(
                "{}",
                json!({"page": page, "nodes": block["nodes"], "label": block["label"], "evidence": evidence})
            );
        }
    }
    Ok(())
}
