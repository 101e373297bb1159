//! `bathys bench records`: the tables of forums back out of their pages, against the truth.
//!
//! The sets are in `forums` of the data directory: a folder a site, and `real` with pages of many. No
//! constant of the learner is chosen here, and none is chosen by site.

mod bag;
mod cost;
mod curve;
mod found;
pub mod judge;
pub mod live;
pub mod papers;
mod score;
mod set;
mod time;

use std::path::Path;

use super::sheet::{Experiment, Sheet, rounded};
use super::tree::{Scratch, unpacked};
use judge::Judgement;
use score::{Tally, share};
use set::{Given, Page, Set};

/// The paper's figures: F1 of records, and of the four fields.
const PAPER_MDR: f64 = 0.899;
const PAPER_FDRE: f64 = 0.975;
const PAPER_FIELDS: [(&str, f64); 4] =
    [("title", 0.981), ("author", 0.913), ("time", 0.888), ("content", 0.883)];

/// What is asked for, of every engine.
const ASKED: [(&str, f64); 4] =
    [("title", 0.99), ("author", 0.98), ("time", 0.97), ("content", 0.97)];
const ASKED_POSTS: f64 = 0.995;
const ASKED_LISTS: f64 = 0.99;
const ASKED_SINGLE: f64 = 0.99;
const ASKED_PROVED: f64 = 0.7;
/// What is asked for, of pages of real forums.
const ASKED_MICRO: f64 = 0.97;
const ASKED_MACRO: f64 = 0.94;

pub async fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    files(sheet, data, quick)?;
    live::run(sheet, quick).await
}

/// The sets that are files.
fn files(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    let (real, engines): (Vec<Set>, Vec<Set>) = sets(data)?.into_iter().partition(Set::is_real);
    if engines.is_empty() {
        return Ok(());
    }
    for set in &engines {
        for given in Given::ALL.into_iter().filter(|given| set.has(*given)) {
            engine(sheet, set, given)?;
        }
    }
    sheet.table("Forum engines: records, and fields of all records whose page shows them")?;
    for set in &real {
        sites(sheet, set)?;
    }
    sheet.table("Pages of real forums, labelled by people; author and time as strings")?;
    curve::run(sheet, &engines, quick)?;
    sheet.table("Learned from so many pages of each kind, read on all")?;
    cost::run(sheet, &engines, &real)?;
    sheet.table("What it takes on one core, without parsing")
}

/// The forums of the data directory; none if it has none.
fn sets(data: Option<&Path>) -> anyhow::Result<Vec<Set>> {
    let scratch = Scratch::new()?;
    let Some(dir) = data.map(|dir| unpacked(dir, "forums", &scratch)).transpose()?.flatten() else {
        eprintln!("bench: no forums found, they are skipped; see --data");
        return Ok(Vec::new());
    };
    // The archive holds the forums themselves, a directory each.
    Set::all(if dir.is_dir() { &dir } else { dir.parent().unwrap_or(&dir) })
}

/// A figure that may be missing.
fn figure(value: Option<f64>) -> serde_json::Value {
    value.map_or(serde_json::Value::Null, |value| rounded(value).into())
}

fn engine(sheet: &mut Sheet, set: &Set, given: Given) -> anyhow::Result<()> {
    let pages: Vec<&Page> = set.pages.iter().collect();
    let found = found::read(&pages, given);
    let judged = Judgement::of(&pages, given, &found, false);
    let (posts, lists) = (judged.posts.f1(), judged.lists.f1());
    let (single, proved) = (judged.single.share(), judged.proved);
    let proved_share = share(proved.of, judged.lists.truth);
    let mut row = Experiment::new(format!("records/{}/{}", set.name, given.name()))
        .ours("posts_f1", rounded(posts))
        .ours("lists_f1", rounded(lists))
        .ours("single", rounded(single));
    for name in ["title", "author", "time", "content"] {
        row = row.ours(name, figure(judged.field(name)));
    }
    for name in ["thread_title", "list_author", "list_time", "replies", "last_author", "last_time"]
    {
        row = row.ours(name, figure(judged.field(name)));
    }
    row = row
        .ours("reply_to_f1", rounded(judged.replies.f1()))
        .ours("proved", rounded(proved_share))
        .ours("proved_right", figure((proved.of > 0).then(|| proved.share())))
        .seed("f1", PAPER_FDRE);
    for (name, value) in PAPER_FIELDS {
        row = row.seed(name, value);
    }
    row = row
        .ask(posts >= ASKED_POSTS, format!("F1 {posts:.4} on thread pages, asked {ASKED_POSTS}"))
        .ask(lists >= ASKED_LISTS, format!("F1 {lists:.4} on list pages, asked {ASKED_LISTS}"))
        .ask(single >= ASKED_SINGLE, format!("{single:.4} of single posts, asked {ASKED_SINGLE}"))
        .ask(
            proved_share >= ASKED_PROVED,
            format!("{proved_share:.3} of threads proved, asked {ASKED_PROVED}"),
        )
        .ask(
            proved.right == proved.of,
            format!("{} proved threads are wrong", proved.of - proved.right),
        );
    for (name, least) in ASKED {
        let value = judged.field(name).unwrap_or_default();
        row = row.ask(value >= least, format!("{name} {value:.4}, asked {least}"));
    }
    sheet.put(row)
}

/// Pages of many sites, each learned by itself.
fn sites(sheet: &mut Sheet, set: &Set) -> anyhow::Result<()> {
    let mut all = Tally::default();
    let (mut macro_f1, mut fields) = (Vec::new(), Judgement::default());
    for (site, pages) in set.by_site() {
        let found = found::read(&pages, Given::Raw);
        let judged = Judgement::of(&pages, Given::Raw, &found, true);
        if judged.posts.f1() < 0.9 {
            eprintln!("  {site}: F1 {:.3}, {:?}", judged.posts.f1(), judged.posts);
        }
        all += judged.posts;
        macro_f1.push(judged.posts.f1());
        fields.add_fields(&judged);
    }
    let (micro, macro_f1) = (all.f1(), macro_f1.iter().sum::<f64>() / macro_f1.len().max(1) as f64);
    let row = Experiment::new(format!("records/{}", set.name))
        .ours("posts_f1", rounded(micro))
        .ours("macro_f1", rounded(macro_f1))
        .ours("precision", rounded(all.precision()))
        .ours("recall", rounded(all.recall()))
        .ours("author", figure(fields.field("author")))
        .ours("time", figure(fields.field("time")))
        .seed("f1", PAPER_FDRE)
        .ask(micro >= ASKED_MICRO, format!("micro F1 {micro:.4}, asked {ASKED_MICRO}"))
        .ask(macro_f1 >= ASKED_MACRO, format!("macro F1 {macro_f1:.4}, asked {ASKED_MACRO}"));
    sheet.put(row)
}
