//! The evidence about the tables of pages, to learn from: `tables PAGES LABELS` prints a line of JSON for each
//! table that is labelled (`scripts/labels/tables.py`).

use std::error::Error;
use std::fs;
use std::path::Path;

use page::tree::parse;
use record::{EVIDENCE, evidence, table_elements};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(pages), Some(labels)) = (arguments.next(), arguments.next()) else {
        return Err("usage: tables PAGES LABELS".into());
    };
    println!("{}", json!({ "names": EVIDENCE }));
    for line in fs::read_to_string(labels)?.lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(page), Some(table), Some(kind)) =
            (columns.next(), columns.next(), columns.next())
        else {
            continue;
        };
        let dom = parse(&fs::read(Path::new(&pages).join(page))?, None).dom;
        let nth: usize = table.parse()?;
        let Some(element) = table_elements(&dom).nth(nth) else {
            eprintln!("{page} has no table {nth}");
            continue;
        };
        let Some(evidence) = evidence(dom.node(element)) else { continue };
        println!("{}", json!({ "page": page, "table": nth, "kind": kind, "evidence": evidence }));
    }
    Ok(())
}
