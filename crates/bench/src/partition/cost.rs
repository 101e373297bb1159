//! What taking a page apart costs, stage by stage, on one core.

use std::hint::black_box;
use std::time::{Duration, Instant};

use page::block::{Contents, Cut, DEFAULT_LEVEL, Labels, Lines, Topics, partition};
use page::tree::{Mask, parse};

use super::corpus::Corpus;
use super::skip;
use crate::sheet::{Experiment, Sheet, rounded};

const STAGES: [&str; 4] = ["parse", "partition", "names", "contents"];
/// Pages that a quick run looks at.
const QUICK: usize = 60;

pub(super) fn run(sheet: &mut Sheet, corpus: &Corpus, quick: bool) -> anyhow::Result<()> {
    if !corpus.has_pages() {
        skip("cost", "no pages found; name a directory with --data DIR");
        return Ok(());
    }
    let (mut bytes, mut nodes, mut pages) = (0, 0, 0);
    let mut spent = [Duration::ZERO; STAGES.len()];
    for name in corpus.pages()?.iter().take(if quick { QUICK } else { usize::MAX }) {
        let Some(page) = corpus.page(name)? else { continue };
        // The best of three for each page: other work on the machine only ever adds time.
        let mut best = [Duration::MAX; STAGES.len()];
        let mut count = 0;
        for _ in 0..3 {
            let times;
            (times, count) = stages(&page);
            best = std::array::from_fn(|stage| best[stage].min(times[stage]));
        }
        spent = std::array::from_fn(|stage| spent[stage] + best[stage]);
        (bytes, nodes, pages) = (bytes + page.len(), nodes + count, pages + 1);
    }
    let all: Duration = spent.iter().sum();
    for (stage, time) in STAGES.into_iter().zip(spent).chain([("all", all)]) {
        let seconds = time.as_secs_f64().max(1e-9);
        sheet.put(
            Experiment::new(format!("partition/cost/{stage}"))
                .ours("pages", pages)
                .ours("MB", rounded(bytes as f64 / 1e6))
                .ours("ns_per_node", rounded(seconds * 1e9 / f64::max(nodes as f64, 1.0)))
                .ours("MB_per_s", rounded(bytes as f64 / 1e6 / seconds))
                .ours("share", rounded(seconds / all.as_secs_f64().max(1e-9))),
        )?;
    }
    sheet.table("what taking pages apart costs; names are lines, labels and topics")
}

/// Takes a page apart and names the blocks of its first cut. Returns what each stage took, and the
/// nodes of the page.
fn stages(page: &[u8]) -> ([Duration; STAGES.len()], usize) {
    let begun = Instant::now();
    let dom = black_box(parse(page, None).dom);
    let parsed = Instant::now();
    let tree = black_box(partition(&dom, None));
    let cut = black_box(Cut::first_of(&tree, DEFAULT_LEVEL));
    let partitioned = Instant::now();
    let lines = Lines::new(&dom, None);
    let labels = Labels::new(&lines, &tree);
    let topics = Topics::default();
    for at in cut.blocks() {
        black_box((labels.of(*at), topics.topic(&lines, &tree, *at)));
    }
    let named = Instant::now();
    black_box(Contents::of(&dom, &tree, &Mask::default()));
    let read = Instant::now();
    let times = [parsed - begun, partitioned - parsed, named - partitioned, read - named];
    (times, dom.node_count())
}
