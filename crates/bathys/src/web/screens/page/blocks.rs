//! The blocks of a version, in the order of the page: what each says, what it is for, since when.

use std::collections::HashMap;
use std::sync::Arc;

use page::block::{Kind, Parts};
use publish::block::Teller;
use publish::diff::Numbers;
use store::{Began, BlockRow, Millis, PageRow, VersionRow};

use crate::output::clean_line;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::tell::clip;

/// Blocks of a page that are shown, and characters of each.
const BLOCKS: usize = 400;
const TEXT: usize = 3_000;
/// Lines below this length stand beside each other.
const SHORT: usize = 28;

/// A block, as it is shown.
pub struct BlockCard {
    pub id: i64,
    pub label: &'static str,
    pub label_class: &'static str,
    pub topic: String,
    pub text: String,
    /// Whether the text goes on.
    pub is_cut: bool,
    pub xpath: String,
    /// Changed or new in this version, or empty.
    pub status: String,
    pub class: &'static str,
    /// Since when it says this.
    pub since: String,
}

/// The blocks of a version.
pub async fn cards(
    app: &Arc<App>,
    page: &PageRow,
    version: VersionRow,
    parts: Parts,
    f: &Frame,
) -> Result<Vec<BlockCard>, Failure> {
    let rows = app.catalog.blocks(page.page, version.version).await?;
    let versions = app.catalog.versions(page.page).await?;
    let times: HashMap<i64, Millis> = versions.iter().map(|v| (v.version, v.time)).collect();
    let (topics, w, language) = (app.topics, f.w, f.language);
    let tell = move || {
        let numbers = Numbers::of(&parts, &version, &rows);
        let teller = Teller::new(&parts, topics);
        let blocks = numbers.cut.blocks().iter().take(BLOCKS);
        let card = |at: &page::block::BlockAt| {
            let shown = teller.tell(*at, numbers.of_block(*at));
            let row = rows.iter().find(|row| row.block.0 == shown.id && version.cut.is_some());
            let (text, is_cut) = words(&teller.text(*at));
            let (status, class) = row.map_or((String::new(), ""), |row| {
                let (status, class) = status(row, version.version);
                let status = match class {
                    "added" => w.new_block.to_owned(),
                    "" => String::new(),
                    _ => format!("{}: {}", w.changed, language.term(status)),
                };
                (status, class)
            });
            let since = row.and_then(|row| Some((row.first, times.get(&row.first)?)));
            BlockCard {
                id: shown.id,
                label: language.term(shown.label.name()),
                label_class: shown.label.name(),
                topic: clip(&shown.topic, 160),
                text,
                is_cut,
                xpath: clip(&shown.xpath, 300),
                status,
                class,
                since: since.map_or(String::new(), |(first, time)| {
                    let day: String = time.to_string().chars().take(10).collect();
                    format!("{} v{first}, {day}", w.since)
                }),
            }
        };
        blocks.map(card).collect()
    };
    Ok(app.busy(tell).await?)
}

/// What became of a block with a version, and how it is drawn.
fn status(row: &BlockRow, version: i64) -> (&'static str, &'static str) {
    if row.first != version || version == 1 || row.began == Began::Recut {
        return ("", "");
    }
    match row.began {
        Began::Added => ("added", "added"),
        began => {
            let counts = Kind::named(began.as_str()).is_some_and(Kind::counts);
            (began.as_str(), if counts { "changed" } else { "volatile" })
        }
    }
}

/// The lines of a block, and whether some were left out.
fn words(text: &str) -> (String, bool) {
    let mut words = String::new();
    let mut was_short = false;
    for line in text.lines().map(clean_line).filter(|line| !line.trim().is_empty()) {
        // Menus and the like are many short lines.
        let is_short = line.chars().count() < SHORT;
        if !words.is_empty() {
            words.push_str(if was_short && is_short { " · " } else { "\n" });
        }
        was_short = is_short;
        if words.len() + line.len() > TEXT {
            words.push_str(&clip(&line, TEXT.saturating_sub(words.len()) / 4 + 1));
            return (words, true);
        }
        words.push_str(line.trim());
    }
    (words, false)
}
