//! Two versions of a page, block by block: side by side or in line.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use publish::diff::{Came, Changed, Diff as PageDiff, DiffOptions, Edit, Op, Piece, Shown, marked};
use serde::Deserialize;
use store::{PageRow, VersionRow, Which};

use super::{find, shown};
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::tell::{When, clip, in_path};

/// Lines of one block that are shown, and blocks of a page.
const LINES: usize = 200;
const BLOCKS: usize = 300;
/// Characters of a line that are shown.
const WIDEST: usize = 2_000;
/// Versions that can be chosen from, around those that are compared.
const CHOICES: usize = 200;

#[derive(Deserialize)]
pub struct DiffQuery {
    from: Option<i64>,
    to: Option<i64>,
    #[serde(default)]
    look: String,
    #[serde(default)]
    all: String,
}

#[derive(Template)]
#[template(path = "diff.html")]
pub struct Diff {
    number: i64,
    title: String,
    key: String,
    site: String,
    site_in_path: String,
    from: i64,
    to: i64,
    from_time: When,
    to_time: When,
    choices: Vec<(i64, String)>,
    all: bool,
    diff: ChangedBlocks,
    f: Frame,
}

shown!(Diff);

/// The blocks that differ, as they are shown.
pub struct ChangedBlocks {
    pub sum: String,
    pub is_inline: bool,
    pub blocks: Vec<ChangedBlock>,
    /// Label, topic and place of blocks that only moved.
    pub moved: Vec<(String, String, String)>,
}

/// A block that differs.
pub struct ChangedBlock {
    pub class: &'static str,
    pub what: String,
    pub label: &'static str,
    pub label_class: &'static str,
    pub topic: String,
    pub xpath: String,
    pub rows: Vec<Row>,
    /// Lines that are not shown.
    pub more: usize,
}

/// A line before and after, in pieces: whether the other has it, too, and what it says.
pub struct Row {
    pub is_same: bool,
    pub before: Vec<Piece>,
    pub after: Vec<Piece>,
}

pub async fn diff(
    State(app): State<Arc<App>>,
    Path(number): Path<String>,
    Query(query): Query<DiffQuery>,
    f: Frame,
) -> Result<Diff, Failure> {
    let page = find(&app, &number).await?;
    let versions = app.catalog.versions(page.page).await?;
    let Some(last) = versions.last() else {
        return Err(Failure::NotFound(format!("page {number} has no version")));
    };
    let to = query.to.unwrap_or(last.version);
    let from = query.from.unwrap_or((to - 1).max(1));
    // Whoever chose them the other way round means the same.
    let (from, to) = (from.min(to), from.max(to));
    let (old, new) = (version(&app, &page, from).await?, version(&app, &page, to).await?);
    let all = query.all == "1";
    let (from_time, to_time) = (When(old.time), When(new.time));
    let near = |number: i64| (number - from).abs().min((number - to).abs()) <= CHOICES as i64 / 2;
    let choices = versions.iter().rev().filter(|version| near(version.version));
    let choices = choices
        .take(CHOICES)
        .map(|version| {
            let time: String = version.time.to_string().chars().take(16).collect();
            (version.version, format!("v{}  {}", version.version, time.replace('T', " ")))
        })
        .collect();
    let diff = changed_blocks(&app, &page, old, new, all, query.look == "inline", &f).await?;
    Ok(Diff {
        number: page.page.0,
        title: clip(if page.title.is_empty() { &page.key } else { &page.title }, 200),
        key: clip(&page.key, 500),
        site_in_path: in_path(&page.site),
        site: page.site,
        from,
        to,
        from_time,
        to_time,
        choices,
        all,
        diff,
        f,
    })
}

/// A version of a page.
pub async fn version(app: &App, page: &PageRow, number: i64) -> Result<VersionRow, Failure> {
    let none = || Failure::NotFound(format!("page {} has no version {number}", page.page));
    app.catalog.version(page.page, Which::Number(number)).await?.ok_or_else(none)
}

/// Compares two versions, beside what answers other questions.
pub async fn compare(
    app: &Arc<App>,
    page: &PageRow,
    old: VersionRow,
    new: VersionRow,
    all: bool,
) -> Result<PageDiff, Failure> {
    let (catalog, page, topics) = (app.catalog.clone(), page.clone(), app.topics);
    let runtime = tokio::runtime::Handle::current();
    let compare = move || {
        let options = DiffOptions { all, topics };
        runtime.block_on(PageDiff::between(&catalog, &page, (&old, &new), options))
    };
    match app.busy(compare).await? {
        Err(publish::PublishError::NoTree { version, .. }) => {
            Err(Failure::BadRequest(format!("version {version} is no HTML page and has no blocks")))
        }
        other => Ok(other?),
    }
}

/// The blocks that differ between two versions.
pub async fn changed_blocks(
    app: &Arc<App>,
    page: &PageRow,
    old: VersionRow,
    new: VersionRow,
    all: bool,
    is_inline: bool,
    f: &Frame,
) -> Result<ChangedBlocks, Failure> {
    let diff = compare(app, page, old, new, all).await?;
    let w = f.w;
    let mut parts = Vec::new();
    for (count, what) in [
        (diff.changed.len(), w.changed),
        (diff.added.len(), w.added),
        (diff.removed.len(), w.removed),
        (diff.moved.len(), w.moved),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if diff.layout_changed {
        parts.push(w.other_layout.to_owned());
    }
    if diff.noise > 0 {
        parts.push(format!("{} {}", diff.noise, w.noise_left_out));
    }
    let sum = if parts.is_empty() { w.nothing_changed.to_owned() } else { parts.join(" · ") };
    let changed = diff.changed.iter().map(|changed| ChangedBlock::changed(changed, f));
    let added = diff.added.iter().map(|came| ChangedBlock::came(came, true, f));
    let removed = diff.removed.iter().map(|came| ChangedBlock::came(came, false, f));
    let blocks = changed.chain(added).chain(removed).take(BLOCKS).collect();
    let moved = diff.moved.iter().take(BLOCKS).map(|block| {
        let label = f.language.term(block.label.name()).to_owned();
        (label, clip(&block.topic, 120), clip(&block.xpath, 200))
    });
    Ok(ChangedBlocks { sum, is_inline, blocks, moved: moved.collect() })
}

impl ChangedBlock {
    fn changed(changed: &Changed, f: &Frame) -> Self {
        let mut rows = Vec::new();
        let mut edits = changed.edits.as_slice();
        while let Some((first, rest)) = edits.split_first() {
            if first.op == Op::Kept {
                let text = clip(&first.text, WIDEST);
                let side = vec![(true, text)];
                rows.push(Row { is_same: true, before: side.clone(), after: side });
                edits = rest;
                continue;
            }
            let removed = edits.iter().take_while(|edit| edit.op == Op::Removed).count();
            let (old, rest) = edits.split_at(removed);
            let added = rest.iter().take_while(|edit| edit.op == Op::Added).count();
            let (new, rest) = rest.split_at(added);
            pair(&mut rows, old, new);
            edits = rest;
        }
        let moved = if changed.moved { format!(", {}", f.w.moved) } else { String::new() };
        let what = format!("{}: {}{moved}", f.w.changed, f.language.term(changed.kind));
        Self::of(&changed.block, "changed", what, rows, f)
    }

    fn came(came: &Came, is_new: bool, f: &Frame) -> Self {
        let row = |line: &str| {
            let pieces = vec![(false, clip(line, WIDEST))];
            let (before, after) = if is_new { (Vec::new(), pieces) } else { (pieces, Vec::new()) };
            Row { is_same: false, before, after }
        };
        let rows = came.text.lines().map(row).collect();
        let (class, what) = if is_new { ("added", f.w.added) } else { ("removed", f.w.removed) };
        Self::of(&came.block, class, what.to_owned(), rows, f)
    }

    fn of(block: &Shown, class: &'static str, what: String, mut rows: Vec<Row>, f: &Frame) -> Self {
        let more = rows.len().saturating_sub(LINES);
        rows.truncate(LINES);
        Self {
            class,
            what,
            label: f.language.term(block.label.name()),
            label_class: block.label.name(),
            topic: clip(&block.topic, 160),
            xpath: clip(&block.xpath, 200),
            rows,
            more,
        }
    }
}

/// Lines in place of others, beside each other as far as both go.
fn pair(rows: &mut Vec<Row>, old: &[Edit], new: &[Edit]) {
    let text = |edit: &Edit| clip(&edit.text, WIDEST);
    for at in 0..old.len().max(new.len()) {
        let (before, after) = match (old.get(at).map(text), new.get(at).map(text)) {
            (Some(old), Some(new)) => marked(&old, &new),
            (Some(old), None) => (vec![(false, old)], Vec::new()),
            (None, Some(new)) => (Vec::new(), vec![(false, new)]),
            (None, None) => continue,
        };
        rows.push(Row { is_same: false, before, after });
    }
}
