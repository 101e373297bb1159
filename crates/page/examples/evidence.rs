//! Prints the evidence for the labels of the blocks of pages, for `scripts/labels/train.py`.
//!
//! `evidence PAGES BLOCKS`: a folder of pages, and a file of JSON lines with `page` (a file in the
//! folder), `nodes` (`[first, end)` in the tree of the parsed page) and `label`: what people say of
//! some blocks of these pages. Printed are the names of the evidence; then all blocks of each page with
//! the numbers of those around, before and after them, the label if it is certain, and the label that
//! people gave.

use page::block::{BlockAt, Label, Labeller, Lines, partition};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::ops::Range;
use std::path::Path;

/// The labels of blocks, by their first node and the one past their last.
type Given = BTreeMap<(u32, u32), Value>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(pages), Some(blocks)) = (arguments.next(), arguments.next()) else {
        return Err("use: evidence PAGES BLOCKS".into());
    };
    let mut by_page: BTreeMap<String, Given> = BTreeMap::new();
    for line in std::fs::read_to_string(blocks)?.lines() {
        let block: Value = serde_json::from_str(line)?;
        let page = block["page"].as_str().ok_or("a block without a page")?.to_owned();
        let node = |at: usize| block["nodes"][at].as_u64().and_then(|id| u32::try_from(id).ok());
        let (Some(first), Some(end)) = (node(0), node(1)) else {
            return Err(format!("a block of {page} without nodes").into());
        };
        by_page.entry(page).or_default().insert((first, end), block["label"].clone());
    }
    let mut names = None;
    for (page, mut given) in by_page {
        let bytes = std::fs::read(Path::new(&pages).join(&page))?;
        let dom = page::tree::parse(&bytes, None).dom;
        let lines = Lines::new(&dom, None);
        let labeller = Labeller::new(&lines);
        let tree = partition(&dom, None);
        let mut put = |run: Range<u32>, beside: [Option<u32>; 3], label: Option<Value>| {
            let evidence = labeller.evidence(run.clone());
            if names.is_none() {
                let all: Vec<&String> = evidence.iter().map(|(name, _)| name).collect();
                println!("{}", names.insert(json!({ "names": all })));
            }
            let values: Vec<f32> = evidence.iter().map(|(_, value)| *value).collect();
            let certain = labeller.certain(run.clone()).map(Label::name);
            println!(
                "{}",
                json!({
                    "page": page, "nodes": [run.start, run.end], "beside": beside,
                    "certain": certain, "label": label, "evidence": values,
                })
            );
        };
        let mut beside = vec![[None; 3]; tree.blocks().len()];
        for parent in (0..tree.blocks().len() as u32).map(BlockAt) {
            let inside: Vec<u32> = tree.children(parent).map(|at| at.0).collect();
            for (place, at) in inside.iter().enumerate() {
                let before = place.checked_sub(1).and_then(|before| inside.get(before).copied());
                let next = inside.get(place + 1).copied();
                beside[*at as usize] = [Some(parent.0), before, next];
            }
        }
        for (block, beside) in tree.blocks().iter().zip(beside) {
            let nodes = block.nodes();
            let label = given.remove(&(nodes.start, nodes.end));
            put(nodes, beside, label);
        }
        // What was a block when it was labelled, and is none now: around it is the smallest that is.
        for ((first, end), label) in given {
            let around = tree.blocks().iter().rposition(|block| {
                let nodes = block.nodes();
                nodes.start <= first && nodes.end >= end
            });
            let around = around.and_then(|at| u32::try_from(at).ok());
            put(first..end, [around, None, None], Some(label));
        }
    }
    Ok(())
}
