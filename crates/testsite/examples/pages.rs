//! Writes the pages of `forum` and the truth about them into a folder, to measure on plain files:
//! `cargo run -p bathys-testsite --example pages -- FOLDER template=cards seed=2`
//!
//! The format is that of the forum sets: `raw/NAME.html` as the server sends it, and `truth.json` with a
//! line for each page and its records. Templates whose pages grow have what is there at first.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

use serde_json::{Value, json};
use testsite::{Forum, Options, Sheet, SheetKind, Tables};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder to write into")?;
    let mut options = Options::default();
    for argument in arguments {
        match argument.split_once('=') {
            Some(("template", value)) => options.template = value.parse()?,
            Some(("seed", value)) => options.seed = value.parse()?,
            Some(("size", value)) => options.size = value.parse()?,
            Some(("clock", value)) => options.clock = value.parse()?,
            _ => return Err(format!("'{argument}' is none of template, seed, size, clock").into()),
        }
    }
    let now = options.clock.now();
    let forum = Forum::generate(&options);
    let tables = forum.tables(now);
    let raw = Path::new(&folder).join("raw");
    std::fs::create_dir_all(&raw)?;
    let mut pages = Vec::new();
    for (page, number) in tables.pages.iter().zip(1..) {
        let name = format!("{}_{number}.html", page.kind.name());
        let html = forum.page(&page.url, now).unwrap_or_default();
        std::fs::write(raw.join(&name), &html)?;
        pages.push(described(&tables, page, &name, &html));
    }
    let truth = json!({
        "engine": tables.template,
        "base": "http://127.0.0.1/",
        "timezone": "UTC",
        "pages": pages,
    });
    std::fs::write(Path::new(&folder).join("truth.json"), truth.to_string())?;
    println!("{} pages of {} in {folder}", tables.pages.len(), tables.template);
    Ok(())
}

/// What the truth says of a page, with those of its records that its first answer holds.
fn described(tables: &Tables, page: &Sheet, file: &str, html: &str) -> Value {
    let url = format!("http://127.0.0.1{}", page.url);
    let relative = |url: &str| url.trim_start_matches('/').to_owned();
    let (kind, records): (_, Value) = match page.kind {
        SheetKind::List => {
            let shown: HashSet<&str> = tables.list_fields.iter().map(String::as_str).collect();
            let rows = page.records.iter().filter_map(|id| tables.thread(*id));
            let rows =
                rows.filter(|row| html.contains(&format!("\"{}\"", row.url.replace('&', "&amp;"))));
            let row = |row: &testsite::ThreadRow| {
                let mut record =
                    json!({ "id": row.id, "title": row.title, "url": relative(&row.url) });
                let fields = [
                    ("author", json!(row.author)),
                    ("time", json!(row.time.unix)),
                    ("last_author", json!(row.last_author)),
                    ("last_time", json!(row.last_time.unix)),
                    ("replies", json!(row.replies)),
                ];
                for (name, value) in fields.into_iter().filter(|(name, _)| shown.contains(name)) {
                    record[name] = value;
                }
                record
            };
            ("list", rows.map(row).collect())
        }
        SheetKind::Thread => {
            let posts = page.records.iter().filter_map(|id| tables.post(*id));
            let anchor = |url: &str| url.split('#').nth(1).unwrap_or_default().to_owned();
            let posts = posts.filter(|post| html.contains(&format!("=\"{}\"", anchor(&post.url))));
            let post = |post: &testsite::PostRow| {
                json!({
                    "id": post.id,
                    "author": post.author,
                    "time": post.time.unix,
                    "within": post.time.within,
                    "url": relative(&post.url),
                    "content": post.content,
                    "quotes": post.quotes,
                    "reply_to": post.reply_to,
                })
            };
            ("post", posts.map(post).collect())
        }
        _ => ("other", Value::Null),
    };
    let title = page.thread.and_then(|id| tables.thread(id)).map(|thread| &thread.title);
    json!({
        "file": file,
        "kind": kind,
        "url": url,
        "captured": tables.captured,
        "board": page.board,
        "thread_title": title,
        "records": records,
    })
}
