//! `bathys bench change`: what is told of the changes in real series of versions, against a plain diff
//! of their texts; how far the learned cut is better than the same level everywhere; and what it costs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use jiff::civil::DateTime;
use page::block::{
    BlockAt, BlockTree, Comparison, Contents, Context, Cut, DEFAULT_LEVEL, Followed, Kind, Labels,
    Lines, Matching, Past, Reading, Ticks, Topics, compare, follow, partition, recut,
};
use page::tree::{Dom, Kind as NodeKind, Mask, Step, parse, visible_text, visible_text_of};

use crate::sheet::{Experiment, Sheet, rounded};
use crate::tree::{Scratch, unpacked};

/// The levels that the learned cut is compared with.
const LEVELS: [u16; 3] = [1, 2, 3];
/// Asked for: text of the blocks that are told of, against that of the text nodes that differ.
const MOST_TOLD: f64 = 3.0;
/// Asked for: contents, matching and comparison of 800 kB in 8 ms.
const FASTEST: f64 = 100.0;
/// Asked for: all stages together, on one core.
const ALL_STAGES: f64 = 15.0;
/// Versions of a series that a quick run looks at.
const QUICK: usize = 30;

pub fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    let scratch = Scratch::new()?;
    let Some(dir) = data.map(|dir| unpacked(dir, "series", &scratch)).transpose()?.flatten() else {
        eprintln!("  no series found: nothing to compare; name a directory with --data DIR");
        return Ok(());
    };
    let mut measured = Vec::new();
    for (name, mut files) in series_of(&dir)? {
        files.truncate(if quick { QUICK } else { usize::MAX });
        let series = Series::measure(files.iter().map(|file| read(file)))?;
        eprintln!("  {name}: {} versions", series.versions);
        measured.push((name, series));
    }
    for (name, series) in &measured {
        sheet.put(series.told(name))?;
    }
    sheet.table("text told of as changed, over the text that differs, by how the page is cut")?;
    for (name, series) in &measured {
        sheet.put(series.kinds(name))?;
    }
    sheet.table("what became of blocks, with the learned cut")?;
    for (name, series) in &measured {
        sheet.put(series.cost(name))?;
    }
    sheet.table("MB of HTML a second, by stage")
}

/// A series is a directory of `YYYYMMDDhhmmss.html`, in the order of time.
pub fn series_of(dir: &Path) -> anyhow::Result<Vec<(String, Vec<PathBuf>)>> {
    let listed = |dir: &Path| -> anyhow::Result<Vec<PathBuf>> {
        let entries =
            std::fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
        let mut paths =
            entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
        paths.sort();
        Ok(paths)
    };
    let mut series = Vec::new();
    for path in listed(dir)?.into_iter().filter(|path| path.is_dir()) {
        let mut files = listed(&path)?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "html"));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if files.len() > 1 {
            series.push((name, files));
        }
    }
    Ok(series)
}

/// A version by its file, and the time that this is named by.
pub fn read(file: &Path) -> anyhow::Result<(DateTime, Vec<u8>)> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let time = DateTime::strptime("%Y%m%d%H%M%S", &*stem)
        .with_context(|| format!("{} is not named YYYYMMDDhhmmss.html", file.display()))?;
    Ok((time, bytes))
}

/// A version that is compared with the next.
struct Version {
    dom: Dom,
    tree: BlockTree,
    contents: Contents,
    time: DateTime,
}

impl Version {
    fn reading(&self) -> Reading<'_> {
        Reading { dom: &self.dom, tree: &self.tree, contents: &self.contents }
    }

    /// The text of a block without whitespace, which lines and blocks have in different places.
    fn text(&self, at: BlockAt) -> String {
        let block = self.tree.block(at);
        let mut text = String::new();
        let mut next = block.first;
        while next < block.end {
            let node = self.dom.node(next);
            text.extend(visible_text_of(node).split_whitespace());
            next = node.end();
        }
        text
    }

    /// Its visible text nodes as a multiset.
    fn texts(&self) -> HashMap<String, u64> {
        let mut texts = HashMap::new();
        let mut walk = self.dom.walk();
        while let Some(step) = walk.next() {
            let Step::Open(node) = step else { continue };
            let is_hidden = match node.kind() {
                NodeKind::Comment => true,
                NodeKind::Element => {
                    matches!(
                        node.name(),
                        "head" | "script" | "style" | "noscript" | "template" | "iframe"
                    ) || node.attribute("hidden").is_some()
                }
                _ => false,
            };
            if is_hidden {
                walk.skip_inside();
            } else if node.kind() == NodeKind::Text {
                let words: Vec<_> = node.text().split_ascii_whitespace().collect();
                if !words.is_empty() {
                    *texts.entry(words.join(" ")).or_default() += 1;
                }
            }
        }
        texts
    }
}

/// What a plain diff of two versions finds.
struct Plain {
    /// Lines without whitespace that only one of the two has.
    lines: [Vec<String>; 2],
    /// Characters of the new version's text nodes that the old one does not have as often.
    differing: u64,
}

impl Plain {
    fn between(old: &Version, new: &Version) -> Self {
        let [a, b] = [old, new].map(|version| visible_text(&version.dom));
        let held = old.texts();
        let fresh = |(text, count): (String, u64)| {
            let more = count.saturating_sub(held.get(&text).copied().unwrap_or(0));
            more * text.chars().count() as u64
        };
        Self {
            lines: [lines_only_in(&a, &b), lines_only_in(&b, &a)],
            differing: new.texts().into_iter().map(fresh).sum(),
        }
    }

    /// Lines that no block says that a comparison tells of, and that hold none that does.
    fn missed(&self, old: &Version, new: &Version, found: &Comparison) -> u64 {
        let mut told: Vec<String> = found.removed.iter().map(|at| old.text(*at)).collect();
        for fate in &found.fates {
            if fate.is_added() || fate.kind.is_some() || fate.moved {
                told.push(new.text(fate.block));
                told.extend(fate.from.map(|at| old.text(at)));
            }
        }
        told.retain(|text| !text.is_empty());
        let all = told.join("\n");
        let is_told = |line: &&String| {
            all.contains(line.as_str()) || told.iter().any(|text| line.contains(text.as_str()))
        };
        self.lines.iter().flatten().filter(|line| !is_told(line)).count() as u64
    }
}

/// The lines of a text that another does not have as often, without whitespace.
fn lines_only_in(text: &str, other: &str) -> Vec<String> {
    let mut held: HashMap<String, usize> = HashMap::new();
    let tight = |line: &str| line.split_whitespace().collect::<String>();
    other.lines().for_each(|line| *held.entry(tight(line)).or_default() += 1);
    let is_new = |line: &String| match held.get_mut(line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => !line.is_empty(),
    };
    text.lines().map(tight).filter(is_new).collect()
}

/// One way to cut a series, and what it gave.
struct Track {
    /// The same level everywhere, or none to learn.
    level: Option<u16>,
    cut: Cut,
    past: Vec<(Past, Ticks)>,
    missed: u64,
    /// Text of the blocks that are told of as changed or added.
    told: u64,
    blocks: u64,
    rows: u64,
    kinds: HashMap<&'static str, u64>,
    time: Duration,
    named: Vec<BlockAt>,
}

impl Track {
    fn begin(level: Option<u16>, first: &Version) -> Self {
        let cut = match level {
            Some(level) => Cut::at_level(&first.tree, level),
            None => Cut::first_of(&first.tree, DEFAULT_LEVEL),
        };
        Self {
            level,
            past: vec![Default::default(); cut.blocks().len()],
            rows: cut.blocks().len() as u64,
            named: cut.blocks().to_vec(),
            cut,
            missed: 0,
            told: 0,
            blocks: 0,
            kinds: HashMap::new(),
            time: Duration::ZERO,
        }
    }

    fn next(
        &mut self,
        number: u32,
        old: &Version,
        new: &Version,
        matching: &Matching<'_>,
    ) -> Comparison {
        if self.level.is_none() {
            self.learn(old);
        }
        let apart = Duration::try_from(new.time.duration_since(old.time)).unwrap_or_default();
        let place = |at: BlockAt| self.cut.blocks().binary_search(&at).ok();
        let history = |at: BlockAt| place(at).and_then(|at| self.past.get(at));
        let context = Context {
            apart,
            // Nothing is put down to adverts here, so nothing is left out of what is told.
            is_advert: &|_| false,
            is_counter: &|at| history(at).is_some_and(|(_, ticks)| ticks.is_counter()),
        };
        let begun = Instant::now();
        let (old_cut, cut, found) = match self.level {
            Some(level) => {
                let cut = Cut::at_level(&new.tree, level);
                let found =
                    compare((old.reading(), &self.cut), (new.reading(), &cut), matching, &context);
                (self.cut.clone(), cut, found)
            }
            None => {
                let (before, now) = (old.reading(), new.reading());
                let Followed { old_cut, new_cut, comparison } =
                    follow(before, &self.cut, now, DEFAULT_LEVEL, &context);
                (old_cut, new_cut, comparison)
            }
        };
        self.time += begun.elapsed();
        self.cut_as(old_cut);
        let place = |at: BlockAt| self.cut.blocks().binary_search(&at).ok();
        let history = |at: BlockAt| place(at).and_then(|at| self.past.get(at));
        let mut past = Vec::with_capacity(found.fates.len());
        self.named.clear();
        for fate in &found.fates {
            if fate.counts() {
                self.told += u64::from(new.contents.text_len(fate.block));
            }
            if fate.is_added() || fate.kind.is_some() {
                self.rows += 1;
                self.named.push(fate.block);
            }
            let name = match (fate.from, fate.kind, fate.moved) {
                (None, ..) => "added",
                (_, Some(kind), _) => kind.as_str(),
                (.., true) => "moved",
                _ => "same",
            };
            *self.kinds.entry(name).or_default() += 1;
            let (mut known, ticks) = fate.from.and_then(history).cloned().unwrap_or_default();
            if fate.from.is_some() {
                known.add(number, fate);
            }
            past.push((known, ticks.after(fate)));
        }
        *self.kinds.entry("removed").or_default() += found.removed.len() as u64;
        *self.kinds.entry("layout").or_default() += u64::from(found.layout_changed);
        self.blocks += cut.blocks().len() as u64;
        (self.cut, self.past) = (cut, past);
        found
    }

    /// Cuts the last version anew, if its history says so.
    fn learn(&mut self, version: &Version) {
        let past: Vec<_> = self.past.iter().map(|(past, _)| past.clone()).collect();
        if let Some(cut) = recut(&version.tree, &version.contents, &self.cut, &past) {
            self.cut_as(cut);
        }
    }

    /// Cuts the last version as this says; blocks that stay keep their history.
    fn cut_as(&mut self, cut: Cut) {
        let known: HashMap<_, _> = self.cut.blocks().iter().zip(&self.past).collect();
        let kept = |at| known.get(at).map(|past| (*past).clone()).unwrap_or_default();
        self.past = cut.blocks().iter().map(kept).collect();
        self.cut = cut;
    }
}

/// What was measured on one series.
pub struct Series {
    pub versions: usize,
    bytes: usize,
    differing: u64,
    /// Learned, then the fixed levels.
    tracks: Vec<Track>,
    parse: Duration,
    partition: Duration,
    contents: Duration,
    matching: Duration,
    names: Duration,
}

impl Series {
    /// Compares each version with the one before it.
    ///
    /// # Errors
    /// When a version cannot be had.
    pub fn measure(
        versions: impl IntoIterator<Item = anyhow::Result<(DateTime, Vec<u8>)>>,
    ) -> anyhow::Result<Self> {
        let mut series = Self {
            versions: 0,
            bytes: 0,
            differing: 0,
            tracks: Vec::new(),
            parse: Duration::ZERO,
            partition: Duration::ZERO,
            contents: Duration::ZERO,
            matching: Duration::ZERO,
            names: Duration::ZERO,
        };
        let mut last: Option<Version> = None;
        for (number, version) in (0..).zip(versions) {
            let (time, bytes) = version?;
            let new = series.read(time, &bytes);
            let lines = timed(&mut series.names, || Lines::new(&new.dom, None));
            // For its cost alone.
            timed(&mut series.names, || {
                let labels = Labels::new(&lines, &new.tree);
                for at in 0..new.tree.blocks().len() as u32 {
                    std::hint::black_box(labels.of(BlockAt(at)));
                }
            });
            match &last {
                None => {
                    let ways = [None].into_iter().chain(LEVELS.map(Some));
                    series.tracks = ways.map(|level| Track::begin(level, &new)).collect();
                }
                Some(old) => series.compare(number, old, &new),
            }
            series.name(&lines, &new.tree);
            drop(lines);
            last = Some(new);
        }
        Ok(series)
    }

    /// Changed texts that the learned cut does not tell of.
    pub fn missed(&self) -> u64 {
        self.tracks.first().map_or(0, |track| track.missed)
    }

    fn read(&mut self, time: DateTime, bytes: &[u8]) -> Version {
        self.versions += 1;
        self.bytes += bytes.len();
        let dom = timed(&mut self.parse, || parse(bytes, None).dom);
        let tree = timed(&mut self.partition, || partition(&dom, None));
        let contents = timed(&mut self.contents, || Contents::of(&dom, &tree, &Mask::default()));
        Version { dom, tree, contents, time }
    }

    fn compare(&mut self, number: u32, old: &Version, new: &Version) {
        let plain = Plain::between(old, new);
        self.differing += plain.differing;
        let matching =
            timed(&mut self.matching, || Matching::between(old.reading(), new.reading()));
        for track in &mut self.tracks {
            let found = track.next(number, old, new, &matching);
            track.missed += plain.missed(old, new, &found);
        }
    }

    /// Names what the learned cut would store.
    fn name(&mut self, lines: &Lines<'_>, tree: &BlockTree) {
        let Some(learned) = self.tracks.first() else { return };
        let topics = Topics::default();
        let named = learned.named.iter();
        timed(&mut self.names, || {
            named.map(|at| topics.topic(lines, tree, *at)).collect::<Vec<_>>()
        });
    }

    /// How much more is told of than what differs, by how the page is cut.
    fn told(&self, name: &str) -> Experiment {
        const FIGURES: [[&str; 4]; 4] = [
            ["missed", "learned", "blocks", "rows"],
            ["missed_1", "level_1", "blocks_1", "rows_1"],
            ["missed_2", "level_2", "blocks_2", "rows_2"],
            ["missed_3", "level_3", "blocks_3", "rows_3"],
        ];
        let mut experiment = Experiment::new(format!("change/{name}"))
            .ours("versions", self.versions)
            .ours("differing_kB", self.differing / 1000);
        for (track, [missed, told, blocks, rows]) in self.tracks.iter().zip(FIGURES) {
            let ratio = track.told as f64 / self.differing.max(1) as f64;
            let versions = self.versions.saturating_sub(1).max(1) as u64;
            experiment = experiment
                .ours(told, rounded(ratio))
                .ours(missed, track.missed)
                .ours(blocks, track.blocks / versions)
                .ours(rows, track.rows)
                .ask(track.missed == 0, format!("{} texts missed, {missed}", track.missed));
            if track.level.is_none() {
                let what = format!("told of {ratio:.2} times the text that differs");
                experiment = experiment.ask(ratio <= MOST_TOLD, what);
            }
        }
        experiment.seed("judgements", 800).seed("missed", 0)
    }

    fn kinds(&self, name: &str) -> Experiment {
        let mut experiment = Experiment::new(format!("change/{name}/kinds"));
        let others = ["added", "removed", "moved", "same", "layout"];
        for kind in Kind::ALL.map(Kind::as_str).into_iter().chain(others) {
            let count = |track: &Track| track.kinds.get(kind).copied().unwrap_or(0);
            experiment = experiment.ours(kind, self.tracks.first().map_or(0, count));
        }
        experiment
    }

    fn cost(&self, name: &str) -> Experiment {
        let learned = self.tracks.first().map_or(Duration::ZERO, |track| track.time);
        let rate = |time: Duration| rounded(self.bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9));
        let comparing = rate(self.contents + self.matching + learned);
        let all = rate(
            self.parse + self.partition + self.contents + self.matching + learned + self.names,
        );
        Experiment::new(format!("change/{name}/cost"))
            .ours("MB", rounded(self.bytes as f64 / 1e6))
            .ours("parse", rate(self.parse))
            .ours("partition", rate(self.partition))
            .ours("contents", rate(self.contents))
            .ours("match", rate(self.matching))
            .ours("compare", rate(learned))
            .ours("contents_to_compare", comparing)
            .ours("labels_and_topics", rate(self.names))
            .ours("all", all)
            .ask(comparing >= FASTEST, format!("{comparing:.0} MB/s from contents to compare"))
            .ask(all >= ALL_STAGES, format!("{all:.0} MB/s for all stages"))
    }
}

/// Does something and adds the time that it took.
fn timed<T>(sum: &mut Duration, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = std::hint::black_box(work());
    *sum += begun.elapsed();
    done
}
