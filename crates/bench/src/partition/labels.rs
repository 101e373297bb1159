//! Labels and topics of blocks against what people say of them. One half of the pages was looked at
//! while rules were made, the other only to count.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::{Context as _, bail, ensure};
use page::block::{BlockAt, BlockTree, Label, Labeller, Labels, Lines, Topics, partition};
use page::tree::{Dom, parse};

use super::corpus::Corpus;
use super::skip;
use super::table::{Table, digest};
use crate::sheet::{Experiment, Sheet, rounded};

const LABELS: &str = include_str!("labels.tsv");
pub(super) const COLUMNS: [&str; 7] = ["page", "first", "end", "label", "half", "topic", "digest"];
const DIGEST: usize = 6;

/// Asked for: the mean of F1 over the labels, and the share of topics that people accept.
const MACRO_F1: f64 = 0.85;
const ACCEPTED: f64 = 0.90;
/// The half that the count is asked of.
const FINAL: &str = "b";

pub(super) fn run(sheet: &mut Sheet, corpus: &Corpus) -> anyhow::Result<()> {
    let table = Table::parse(LABELS).context("labels.tsv is no table")?;
    if table.rows().is_empty() {
        skip("labels", "nobody has labelled blocks yet");
        return Ok(());
    }
    if !corpus.has_pages() {
        skip("labels", "no pages found; name a directory with --data DIR");
        return Ok(());
    }
    let mut judged = Vec::new();
    let mut gone = 0_usize;
    for rows in table.rows().chunk_by(|a, b| a.first() == b.first()) {
        let rows = rows.iter().map(|row| Judged::of(row)).collect::<anyhow::Result<Vec<_>>>()?;
        let Some(first) = rows.first() else { continue };
        let Some(bytes) = corpus.page(&first.page)? else {
            gone += rows.len();
            continue;
        };
        let dom = parse(&bytes, None).dom;
        let named = Named::of(&dom);
        for row in rows {
            ensure!(named.has(&row.run), "{} has no nodes {:?}", row.page, row.run);
            let found = (named.label(&row.run), digest(named.topic(&row.run).as_bytes()));
            judged.push((row, found));
        }
    }
    if gone > 0 {
        eprintln!("  {gone} labelled blocks are of pages that are not in the data");
    }
    for half in ["a", "b"] {
        let of = || judged.iter().filter(|(row, _)| row.half == half);
        let scores = Scores::of(of().map(|(row, (label, _))| (row.labels.as_slice(), *label)));
        let topics = TopicTally::of(of().map(|(row, (_, topic))| (row, topic.as_str())));
        let pages: BTreeSet<&str> = of().map(|(row, _)| row.page.as_str()).collect();
        let experiment = Experiment::new(format!("partition/labels/{half}"))
            .ours("pages", pages.len())
            .ours("blocks", of().count());
        sheet.put(topics.told(scores.told(experiment, half == FINAL), half == FINAL))?;
    }
    sheet.table(
        "labels and topics as people give and judge them: the half for rules, and the other",
    )?;
    for half in ["a", "b"] {
        let of = judged.iter().filter(|(row, _)| row.half == half);
        let scores = Scores::of(of.map(|(row, (label, _))| (row.labels.as_slice(), *label)));
        for (label, score) in scores.occurring() {
            let name = format!("partition/labels/{half}/{label}");
            sheet.put(
                Experiment::new(name)
                    .ours("blocks", score.right + score.missed)
                    .ours("precision", rounded(score.precision()))
                    .ours("recall", rounded(score.recall()))
                    .ours("f1", rounded(score.f1())),
            )?;
        }
    }
    sheet.table("by label")
}

/// Writes the digests of the topics as they are now.
pub(super) fn fill(table: &mut Table, corpus: &Corpus) -> anyhow::Result<usize> {
    table.fill(DIGEST, |row| {
        let row = Judged::of(row)?;
        let Some(bytes) = corpus.page(&row.page)? else {
            eprintln!("  not in the data: {}", row.page);
            return Ok(None);
        };
        let dom = parse(&bytes, None).dom;
        let named = Named::of(&dom);
        ensure!(named.has(&row.run), "{} has no nodes {:?}", row.page, row.run);
        Ok(Some(digest(named.topic(&row.run).as_bytes())))
    })
}

/// A page whose blocks are named.
struct Named<'a> {
    dom: &'a Dom,
    tree: BlockTree,
    lines: Lines<'a>,
}

impl<'a> Named<'a> {
    fn of(dom: &'a Dom) -> Self {
        Self { dom, tree: partition(dom, None), lines: Lines::new(dom, None) }
    }

    fn has(&self, run: &Range<u32>) -> bool {
        run.start < run.end && run.end as usize <= self.dom.node_count()
    }

    /// As a page's blocks are labelled; what is no block any more, by itself.
    fn label(&self, run: &Range<u32>) -> Label {
        match self.tree.blocks().iter().zip(0..).find(|(block, _)| block.nodes() == *run) {
            Some((_, at)) => Labels::new(&self.lines, &self.tree).of(BlockAt(at)),
            None => Labeller::new(&self.lines).label(run.clone()),
        }
    }

    fn topic(&self, run: &Range<u32>) -> String {
        let topics = Topics::default();
        let topic = match self.tree.block(BlockAt::PAGE).nodes() == *run {
            true => topics.topic(&self.lines, &self.tree, BlockAt::PAGE),
            false => topics.topic_of_run(&self.lines, run.clone()),
        };
        topic.text
    }
}

/// What somebody says of a block.
struct Judged {
    page: String,
    run: Range<u32>,
    /// The best, and what would do, too.
    labels: Vec<Label>,
    half: String,
    topic_is_ok: bool,
    /// Of the topic that was judged.
    digest: String,
}

impl Judged {
    fn of(row: &[String]) -> anyhow::Result<Self> {
        let [page, first, end, labels, half, topic, digest] = row else {
            bail!("a row of labels has {} cells and not {}", row.len(), COLUMNS.len());
        };
        let number = |text: &str| {
            text.parse::<u32>().with_context(|| format!("{page}: {text:?} is no number of a node"))
        };
        let labels = labels.split(',').map(str::parse).collect::<Result<Vec<Label>, _>>();
        ensure!(matches!(half.as_str(), "a" | "b"), "{page}: {half:?} is no half; use a or b");
        let topic_is_ok = match topic.as_str() {
            "ok" => true,
            "bad" => false,
            _ => bail!("{page}: the topic is {topic:?} and not ok or bad"),
        };
        Ok(Self {
            run: number(first)?..number(end)?,
            labels: labels.with_context(|| page.clone())?,
            page: page.clone(),
            half: half.clone(),
            topic_is_ok,
            digest: digest.clone(),
        })
    }
}

/// How one label does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Score {
    right: usize,
    /// Blocks that were given it and should not.
    wrong: usize,
    /// Blocks that should have it and were given another.
    missed: usize,
}

impl Score {
    fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / (self.right + self.missed).max(1) as f64
    }

    fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (2 * self.right + self.wrong + self.missed).max(1) as f64
    }
}

#[derive(Default)]
struct Scores([Score; Label::ALL.len()]);

impl Scores {
    /// Counts labels that were given against those that people gave, the best first: any of them is
    /// right.
    fn of<'a>(given: impl Iterator<Item = (&'a [Label], Label)>) -> Self {
        let mut scores = Self::default();
        for (wanted, label) in given {
            if wanted.contains(&label) {
                scores.at(label).right += 1;
            } else {
                scores.at(label).wrong += 1;
                if let Some(best) = wanted.first() {
                    scores.at(*best).missed += 1;
                }
            }
        }
        scores
    }

    fn at(&mut self, label: Label) -> &mut Score {
        // There is a score for every label.
        &mut self.0[label as usize]
    }

    /// The labels that people gave.
    fn occurring(&self) -> impl Iterator<Item = (Label, &Score)> {
        Label::ALL.into_iter().zip(&self.0).filter(|(_, score)| score.right + score.missed > 0)
    }

    fn macro_f1(&self) -> f64 {
        let f1: Vec<f64> = self.occurring().map(|(_, score)| score.f1()).collect();
        f1.iter().sum::<f64>() / f1.len().max(1) as f64
    }

    fn told(&self, experiment: Experiment, is_asked: bool) -> Experiment {
        let right: usize = self.0.iter().map(|score| score.right).sum();
        let wrong: usize = self.0.iter().map(|score| score.wrong).sum();
        let f1 = self.macro_f1();
        experiment
            .ours("labels", self.occurring().count())
            .ours("right", rounded(right as f64 / (right + wrong).max(1) as f64))
            .ours("macro_f1", rounded(f1))
            .ask(!is_asked || f1 >= MACRO_F1, format!("macro-F1 of labels {f1:.3}"))
    }
}

/// Topics that people accepted, of those that are as they were judged.
#[derive(Debug, Default, PartialEq)]
struct TopicTally {
    accepted: usize,
    judged: usize,
    changed: usize,
}

impl TopicTally {
    fn of<'a>(topics: impl Iterator<Item = (&'a Judged, &'a str)>) -> Self {
        let mut tally = Self::default();
        for (row, now) in topics {
            if row.digest == now {
                tally.judged += 1;
                tally.accepted += usize::from(row.topic_is_ok);
            } else {
                tally.changed += 1;
            }
        }
        tally
    }

    fn told(&self, experiment: Experiment, is_asked: bool) -> Experiment {
        let share = self.accepted as f64 / self.judged.max(1) as f64;
        experiment
            .ours("topics_judged", self.judged)
            .ours("topics_accepted", rounded(share))
            .ours("topics_changed_since", self.changed)
            .ask(!is_asked || share >= ACCEPTED, format!("{:.0} % of topics", share * 100.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_labels_can_be_read_and_a_page_is_in_one_half() {
        let table = Table::parse(LABELS).unwrap();
        assert_eq!(table.columns(), COLUMNS);
        let rows: Vec<Judged> = table.rows().iter().map(|row| Judged::of(row).unwrap()).collect();
        let pages_of = |half: &str| -> BTreeSet<&str> {
            rows.iter().filter(|row| row.half == half).map(|row| row.page.as_str()).collect()
        };
        let both: Vec<_> = pages_of("a").intersection(&pages_of("b")).copied().collect();
        assert_eq!(both, [""; 0], "in both halves");
    }

    #[test]
    fn the_second_choice_is_right_and_a_wrong_label_misses_the_first() {
        use Label::{Footer, Form, List, Main};
        let given: [(&[Label], Label); 4] =
            [(&[Main], Main), (&[List, Main], Main), (&[List, Form], Footer), (&[Footer], Footer)];
        let mut scores = Scores::of(given.into_iter());
        assert_eq!(*scores.at(Main), Score { right: 2, wrong: 0, missed: 0 });
        assert_eq!(*scores.at(List), Score { right: 0, wrong: 0, missed: 1 });
        assert_eq!(*scores.at(Footer), Score { right: 1, wrong: 1, missed: 0 });
        let occurring: Vec<Label> = scores.occurring().map(|(label, _)| label).collect();
        assert_eq!(occurring, [Main, List, Footer]);
        assert!((scores.macro_f1() - (1.0 + 0.0 + 2.0 / 3.0) / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_topic_that_changed_since_is_neither_accepted_nor_refused() {
        let row = |topic: &str, digest: &str| {
            Judged::of(&["p", "1", "2", "main", "a", topic, digest].map(str::to_owned)).unwrap()
        };
        let rows = [row("ok", "1"), row("bad", "1"), row("ok", "2")];
        let tally = TopicTally::of(rows.iter().map(|row| (row, "1")));
        assert_eq!(tally, TopicTally { accepted: 1, judged: 2, changed: 1 });
    }
}
