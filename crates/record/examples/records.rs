//! The records of a set of pages: `records MANIFEST` prints a line of JSON for each.
//!
//! A line of the manifest names a page: `{"file": …, "raw": …, "url": …, "captured": …}`.

use std::error::Error;
use std::fs;
use std::path::Path;

use page::tree::{Dom, parse};
use record::{Site, Source};
use serde_json::{Value, json};
use url::Url;

struct Page {
    file: String,
    url: Url,
    captured: Option<i64>,
    rendered: Option<Dom>,
    raw: Option<Dom>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let manifest = std::env::args().nth(1).ok_or("usage: records MANIFEST")?;
    let folder = Path::new(&manifest).parent().unwrap_or(Path::new("."));
    let mut pages = Vec::new();
    for line in fs::read_to_string(&manifest)?.lines() {
        let line: Value = serde_json::from_str(line)?;
        let tree = |name: &str| -> Result<Option<Dom>, std::io::Error> {
            let Some(file) = line[name].as_str() else { return Ok(None) };
            Ok(Some(parse(&fs::read(folder.join(file))?, None).dom))
        };
        pages.push(Page {
            file: line["file"].as_str().or(line["raw"].as_str()).unwrap_or_default().to_owned(),
            url: Url::parse(line["url"].as_str().unwrap_or("http://localhost/"))?,
            captured: line["captured"].as_i64(),
            rendered: tree("file")?,
            raw: tree("raw")?,
        });
    }
    let sources: Vec<Source<'_>> = pages
        .iter()
        .map(|page| Source {
            url: &page.url,
            page_type: None,
            captured: page.captured,
            rendered: page.rendered.as_ref(),
            raw: page.raw.as_ref(),
        })
        .collect();
    let (site, records) = Site::learn_and_read(&sources);
    if std::env::var_os("SHOW_WRAPPERS").is_some() {
        eprintln!("{:?}", site.same);
        for wrapper in &site.wrappers {
            let assignment = &wrapper.assignment;
            eprintln!("{} {} {:?}", wrapper.page_type, wrapper.region, assignment.kind);
            eprintln!("  {:.3} {:?}", assignment.score, wrapper.fit);
            for (field, selectors) in &assignment.fields {
                let all: Vec<String> = selectors.iter().map(ToString::to_string).collect();
                eprintln!("  {field:?}: {}", all.join("; "));
            }
        }
    }
    for (page, records) in pages.iter().zip(records) {
        for record in records {
            let time = record.time.as_ref().map(|time| time.unix);
            println!(
                "{}",
                json!({
                    "kind": record.kind, "page": page.file, "url": page.url, "xpath": record.xpath,
                    "title": record.title, "author": record.author, "time": time,
                    "text": record.text, "quotes": record.quotes, "time_text": record.time_text, "content_text": record.content_text,
                    "id": record.id, "permalink": record.permalink, "position": record.position,
                    "reply_to": record.reply_to, "replies": record.replies,
                    "last_author": record.last_author,
                    "last_time": record.last_time.as_ref().map(|time| time.unix),
                    "confidence": record.confidence, "proofs": record.proofs,
                    "fields": record.fields,
                })
            );
        }
    }
    Ok(())
}
