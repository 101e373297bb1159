//! `bathys bench search`: a large index of real pages, how long it takes to build and to ask, what it takes on
//! disk; whether every Chinese word is found; and questions about the bundled sites, with dates.

mod copies;
pub mod queries;
pub mod questions;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use search::{Index, Query};

use crate::partition::corpus::Corpus;
use crate::sheet::{Experiment, Sheet, rounded};
use crate::trial::{Trial, cpu_time};
use copies::Copies;
use queries::Queries;
use questions::Tally;

/// Asked for: versions of blocks, and of a quick run.
const BLOCKS: u64 = 500_000;
const BLOCKS_QUICK: u64 = 20_000;
/// Asked for: the median of queries, and the 99th percentile.
const MEDIAN_MS: f64 = 20.0;
const P99_MS: f64 = 100.0;
/// Asked for: bytes of the index for each byte of distinct text.
const OF_TEXT: f64 = 1.5;
/// Asked for: megabytes of text a second.
const INDEX_MB_S: f64 = 5.0;
/// Asked for: of a hundred questions, those with the right passage among the first three.
const RIGHT: f64 = 0.9;
/// Queries that are timed, and those that warm the caches before.
const TIMED: usize = 1_000;
const WARMING: usize = 50;

pub async fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    let corpus = Corpus::open(data)?;
    match corpus.has_pages() {
        true => large(sheet, &corpus, if quick { BLOCKS_QUICK } else { BLOCKS }).await?,
        false => eprintln!("  no pages found; name a directory with --data DIR"),
    }
    sheet.table("An index of real pages, repeated with changes")?;
    let mut all = Tally::default();
    for (name, tally) in questions::all().await? {
        sheet.put(told(&format!("search/ask/{name}"), &tally))?;
        all.add(&tally);
    }
    let share = all.right as f64 / all.asked.max(1) as f64;
    let asked = format!("{:.0} % of the questions right among the first three", RIGHT * 100.0);
    sheet.put(told("search/ask", &all).ask(share >= RIGHT, asked))?;
    sheet.table("Questions about the bundled sites, answered out of history")
}

fn told(name: &str, tally: &Tally) -> Experiment {
    Experiment::new(name)
        .ours("asked", tally.asked)
        .ours("right_in_three", tally.right)
        .ours("first", tally.first)
        .ours("about_nothing", tally.about_nothing)
        .ours("answered_all_the_same", tally.wrongly_answered)
        .ours("median_ms", rounded(tally.median_ms))
}

async fn large(sheet: &mut Sheet, corpus: &Corpus, blocks: u64) -> anyhow::Result<()> {
    let trial = Trial::new()?;
    let copies = Copies::make(corpus, &trial.catalog, blocks).await?;
    let place = Index::place(trial.catalog.location(), None)?;
    let index = Index::open(&place)?;
    let (begun, cpu_begun) = (Instant::now(), cpu_time());
    let updated = index.update(&trial.catalog, |_| ()).await?;
    let (elapsed, cpu) = (begun.elapsed(), cpu_time() - cpu_begun);
    let on_disk = size_of(&place)?;
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let per_second = |bytes: u64, time: Duration| megabytes(bytes) / time.as_secs_f64().max(0.001);
    let speed = per_second(updated.bytes, elapsed);
    let of_text = on_disk as f64 / updated.new_bytes.max(1) as f64;
    sheet.put(
        Experiment::new("search/index")
            .ours("block_versions", updated.blocks)
            .ours("texts", updated.texts)
            .ours("text_mb", rounded(megabytes(updated.bytes)))
            .ours("distinct_mb", rounded(megabytes(updated.new_bytes)))
            .ours("page_mb", rounded(megabytes(copies.bytes)))
            .ours("index_mb", rounded(megabytes(on_disk)))
            .ours("index_of_text", rounded(of_text))
            .ours("seconds", rounded(elapsed.as_secs_f64()))
            .ours("cpu_seconds", rounded(cpu.as_secs_f64()))
            .ours("text_mb_s", rounded(speed))
            .ours("page_mb_s", rounded(per_second(copies.bytes, elapsed)))
            .ask(updated.blocks >= blocks, format!("{blocks} versions of blocks"))
            .ask(of_text <= OF_TEXT, format!("{OF_TEXT} bytes a byte of distinct text"))
            .ask(speed >= INDEX_MB_S, format!("{INDEX_MB_S} MB of text a second")),
    )?;
    let queries = Queries::of(&copies.texts);
    time_queries(sheet, &index, &trial, &queries).await?;
    let recall = queries::chinese_recall(&index, &trial.catalog, &copies.texts).await?;
    sheet.put(
        Experiment::new("search/chinese")
            .ours("words", recall.words)
            .ours("phrases", recall.phrases)
            .ours("missed", recall.missed.len())
            .ask(recall.missed.is_empty(), "every two-character word and every phrase found"),
    )
}

async fn time_queries(
    sheet: &mut Sheet,
    index: &Index,
    trial: &Trial,
    queries: &Queries,
) -> anyhow::Result<()> {
    let mut all = Vec::new();
    for (kind, texts) in &queries.kinds {
        let mut times = Vec::new();
        let mut empty = 0;
        let each = TIMED / queries.kinds.len();
        for (nth, text) in texts.iter().cycle().take(each + WARMING).enumerate() {
            let query = Query::new(text.as_str());
            let begun = Instant::now();
            let found = index.search(&trial.catalog, &query).await?;
            if nth >= WARMING {
                times.push(begun.elapsed().as_secs_f64() * 1000.0);
                empty += usize::from(found.total == 0);
            }
        }
        let (median, p99) = (percentile(&mut times, 0.5), percentile(&mut times, 0.99));
        sheet.put(
            Experiment::new(format!("search/query/{kind}"))
                .ours("queries", times.len())
                .ours("empty", empty)
                .ours("median_ms", rounded(median))
                .ours("p99_ms", rounded(p99)),
        )?;
        all.extend(times);
    }
    let (median, p99) = (percentile(&mut all, 0.5), percentile(&mut all, 0.99));
    sheet.put(
        Experiment::new("search/query")
            .ours("queries", all.len())
            .ours("median_ms", rounded(median))
            .ours("p99_ms", rounded(p99))
            .ask(median <= MEDIAN_MS, format!("{MEDIAN_MS} ms at the median"))
            .ask(p99 <= P99_MS, format!("{P99_MS} ms at the 99th percentile")),
    )
}

/// The value below which this share of the others lies.
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

fn size_of(directory: &Path) -> anyhow::Result<u64> {
    let said = || format!("cannot read {}", directory.display());
    let mut size = 0;
    for entry in std::fs::read_dir(directory).with_context(said)? {
        size += entry.with_context(said)?.metadata()?.len();
    }
    Ok(size)
}
