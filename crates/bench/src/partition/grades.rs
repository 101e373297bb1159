//! What people say of how real pages are cut: grades by written criteria, each with what was graded, so
//! that none counts for a page that is cut otherwise now.

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, bail};
use page::block::{Context, Cut, DEFAULT_LEVEL, Label, Labels, Lines, Parts, follow};

use super::corpus::{Corpus, time_of};
use super::skip;
use super::table::{Table, digest};
use crate::sheet::{Experiment, Sheet, rounded};

const GRADES: &str = include_str!("grades.tsv");
pub(super) const COLUMNS: [&str; 6] = ["what", "name", "grade", "text_heavy", "cut", "fault"];
const CUT: usize = 4;

/// Asked for, and what the paper has: the shares of Perfect or Good, and of Bad.
const WELL: f64 = 0.90;
const BADLY: f64 = 0.01;
const PAPER_WELL: f64 = 0.86;
const PAPER_BADLY: f64 = 0.01;

pub(super) fn run(sheet: &mut Sheet, corpus: &Corpus) -> anyhow::Result<()> {
    let table = Table::parse(GRADES).context("grades.tsv is no table")?;
    if table.rows().is_empty() {
        skip("grades", "nobody has graded pages yet");
        return Ok(());
    }
    let mut graded = Vec::new();
    for row in table.rows() {
        let row = Graded::of(row)?;
        let state = row.state(corpus)?;
        if state == State::Stale {
            eprintln!("  regrading needed, cut otherwise now: {}", row.name);
        }
        graded.push((row, state));
    }
    for (name, what, text_heavy) in [
        ("pages", Some(What::Page), None),
        ("pairs", Some(What::Pair), None),
        ("text-heavy", None, Some(true)),
        ("others", None, Some(false)),
        ("all", None, None),
    ] {
        let of = graded.iter().filter(|(row, _)| {
            what.is_none_or(|what| what == row.what)
                && text_heavy.is_none_or(|heavy| heavy == row.text_heavy)
        });
        let tally = Tally::of(of.map(|(row, state)| (row.grade, *state)));
        sheet.put(tally.experiment(name, matches!(name, "pages" | "pairs")))?;
    }
    sheet.table("how well pages are cut, as people grade it; those cut otherwise now not counted")
}

/// Writes the digests of the cuts as they are now.
pub(super) fn fill(table: &mut Table, corpus: &Corpus) -> anyhow::Result<usize> {
    table.fill(CUT, |row| {
        let found = Graded::of(row)?.digest_now(corpus)?;
        if found.is_none() {
            eprintln!("  not in the data: {}", row.join(" "));
        }
        Ok(found)
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Page,
    /// Two versions, the later cut as the earlier was, with what is told of as changed.
    Pair,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grade {
    Perfect,
    Good,
    Normal,
    Bad,
}

impl FromStr for Grade {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "perfect" => Self::Perfect,
            "good" => Self::Good,
            "normal" => Self::Normal,
            "bad" => Self::Bad,
            _ => bail!("{text:?} is no grade; use perfect, good, normal or bad"),
        })
    }
}

/// Whether what was graded is what there is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    AsGraded,
    Stale,
    /// The page is not there, or it is not known what was graded.
    Unknown,
}

struct Graded {
    what: What,
    name: String,
    grade: Grade,
    text_heavy: bool,
    cut: String,
}

impl Graded {
    fn of(row: &[String]) -> anyhow::Result<Self> {
        let [what, name, grade, text_heavy, cut, _] = row else {
            bail!("a row of grades has {} cells and not {}", row.len(), COLUMNS.len());
        };
        let what = match what.as_str() {
            "page" => What::Page,
            "pair" => What::Pair,
            _ => bail!("{name}: {what:?} is neither page nor pair"),
        };
        let text_heavy = match text_heavy.as_str() {
            "yes" => true,
            "no" => false,
            _ => bail!("{name}: text_heavy is {text_heavy:?} and not yes or no"),
        };
        let grade = grade.parse().with_context(|| name.clone())?;
        Ok(Self { what, name: name.clone(), grade, text_heavy, cut: cut.clone() })
    }

    fn state(&self, corpus: &Corpus) -> anyhow::Result<State> {
        Ok(match self.digest_now(corpus)? {
            Some(now) if now == self.cut => State::AsGraded,
            Some(_) if !self.cut.is_empty() => State::Stale,
            _ => State::Unknown,
        })
    }

    /// The digest of how it is cut now; `None` if it is not in the data.
    fn digest_now(&self, corpus: &Corpus) -> anyhow::Result<Option<String>> {
        match self.what {
            What::Page => {
                let page = corpus.parts(&self.name)?;
                Ok(page.map(|parts| cut_digest(&parts, &parts.first_cut(DEFAULT_LEVEL))))
            }
            What::Pair => {
                let mut names = self.name.split('/');
                let (Some(series), Some(older), Some(newer), None) =
                    (names.next(), names.next(), names.next(), names.next())
                else {
                    bail!("{} is no pair; write SERIES/OLDER/NEWER", self.name);
                };
                let apart = time_of(newer)?.duration_since(time_of(older)?);
                let apart = Duration::try_from(apart).unwrap_or_default();
                let older = corpus.version(series, older)?;
                let newer = corpus.version(series, newer)?;
                Ok(older.zip(newer).map(|(older, newer)| pair_digest(&older, &newer, apart)))
            }
        }
    }
}

/// A digest of a cut: of the nodes that its blocks are.
fn cut_digest(parts: &Parts, cut: &Cut) -> String {
    digest(&nodes_of(parts, cut))
}

fn nodes_of(parts: &Parts, cut: &Cut) -> Vec<u8> {
    let blocks = cut.blocks().iter().map(|at| parts.tree.block(*at).nodes());
    blocks.flat_map(|nodes| [nodes.start.to_le_bytes(), nodes.end.to_le_bytes()].concat()).collect()
}

/// A digest of what is drawn of two versions: how the newer is cut, and what is told of its blocks.
fn pair_digest(older: &Parts, newer: &Parts, apart: Duration) -> String {
    let labels = Labels::new(&Lines::new(&newer.dom, None), &newer.tree);
    let context =
        Context { apart, is_advert: &|at| labels.of(at) == Label::Advert, is_counter: &|_| false };
    let before = older.first_cut(DEFAULT_LEVEL);
    let followed = follow(older.reading(), &before, newer.reading(), DEFAULT_LEVEL, &context);
    let mut bytes = nodes_of(newer, &followed.new_cut);
    bytes.extend(followed.comparison.fates.iter().map(|fate| u8::from(fate.counts())));
    digest(&bytes)
}

/// Grades that count, and those that do not.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    /// By grade, the best first.
    grades: [usize; 4],
    as_graded: usize,
    stale: usize,
}

impl Tally {
    fn of(graded: impl Iterator<Item = (Grade, State)>) -> Self {
        let mut tally = Self::default();
        for (grade, state) in graded {
            match state {
                State::Stale => {
                    tally.stale += 1;
                    continue;
                }
                State::AsGraded => tally.as_graded += 1,
                State::Unknown => {}
            }
            if let Some(count) = tally.grades.get_mut(grade as usize) {
                *count += 1;
            }
        }
        tally
    }

    fn experiment(&self, name: &str, is_asked: bool) -> Experiment {
        let [perfect, good, normal, bad] = self.grades;
        let counted = perfect + good + normal + bad;
        let share = |count: usize| count as f64 / counted.max(1) as f64;
        let (well, badly) = (share(perfect + good), share(bad));
        let experiment = Experiment::new(format!("partition/grades/{name}"))
            .ours("graded", counted)
            .ours("perfect", perfect)
            .ours("good", good)
            .ours("normal", normal)
            .ours("bad", bad)
            .ours("perfect_or_good", rounded(well))
            .ours("bad_share", rounded(badly))
            .ours("cut_as_graded", self.as_graded)
            .ours("regrading_needed", self.stale);
        if !is_asked {
            return experiment;
        }
        experiment
            .seed("perfect_or_good", PAPER_WELL)
            .seed("bad_share", PAPER_BADLY)
            .better(well, PAPER_WELL)
            .ask(well >= WELL, format!("{:.0} % Perfect or Good", well * 100.0))
            .ask(badly <= BADLY, format!("{:.0} % Bad", badly * 100.0))
            .ask(self.stale == 0, format!("{} are cut otherwise than graded", self.stale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::{Mask, parse_str};

    fn parts(html: &str) -> Parts {
        Parts::of(parse_str(html).dom, None, &Mask::default())
    }

    #[test]
    fn the_committed_grades_can_be_read() {
        let table = Table::parse(GRADES).unwrap();
        assert_eq!(table.columns(), COLUMNS);
        for row in table.rows() {
            Graded::of(row).unwrap();
        }
    }

    #[test]
    fn a_grade_of_another_cut_does_not_count() {
        let tally = Tally::of(
            [
                (Grade::Perfect, State::AsGraded),
                (Grade::Bad, State::Stale),
                (Grade::Good, State::Unknown),
            ]
            .into_iter(),
        );
        assert_eq!(tally, Tally { grades: [1, 1, 0, 0], as_graded: 1, stale: 1 });
    }

    #[test]
    fn another_cut_or_another_change_is_another_digest() {
        let html = "<nav><a href=/>Home</a></nav><main><h1>News</h1><p>One.</main>";
        let page = parts(html);
        let [whole, first] =
            [0, 1].map(|level| cut_digest(&page, &Cut::at_level(&page.tree, level)));
        assert_ne!(whole, first);
        assert_eq!(first, cut_digest(&page, &page.first_cut(DEFAULT_LEVEL)));
        let changed = parts(&html.replace("One", "Two"));
        let day = Duration::from_secs(86_400);
        assert_ne!(pair_digest(&page, &page, day), pair_digest(&page, &changed, day));
    }
}
