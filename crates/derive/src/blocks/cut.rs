//! What a version is cut into, and what each block continues.

use std::sync::Arc;
use std::time::Duration;

use page::block::{
    BlockAt, Context, Cut, Followed, KeptCut, Label, Labels, Lines, Looks, Parts, Past, Topics,
    comes_from_elsewhere, follow, recut,
};
use page::meta::{Rules, Subject};
use page::state::mask_from_rules;
use page::tree::{Dom, Mask};
use record::tells_itself;
use store::{
    Began, BlockNumber, CutStep, Ended, FirstCut, Millis, NewBlock, PageRow, Recut, Uncut,
    VersionRow,
};
use url::Url;

use super::lineup::{Life, Lineup};
use super::meta::metadata;
use super::version::parts_of;

/// What processing is told.
#[derive(Clone, Debug, Default)]
pub struct CutSettings {
    /// How topics are made.
    pub topics: Topics,
    /// The user's own metadata.
    pub rules: Arc<Rules>,
    /// The level of first visits, whatever was learned.
    pub level: Option<u16>,
}

/// A page that was just captured for the first time, to be cut before it is kept: from the tree that
/// the capture was made of.
pub struct Captured<'a> {
    /// Its tree, given back afterwards.
    pub dom: Dom,
    /// How its elements look, if it was rendered.
    pub looks: Option<Looks>,
    /// What is volatile in it.
    pub mask: &'a Mask,
    /// Where it is.
    pub url: &'a Url,
    /// Its type.
    pub page_type: Option<&'a str>,
    /// The headers of its answer.
    pub headers: &'a [(String, String)],
    /// Its source, for the user's rules.
    pub html: Option<&'a [u8]>,
    /// How far pages of its type are cut at first.
    pub level: u16,
    /// Whether nothing was learned of the records of its site yet.
    pub is_unlearned: bool,
}

/// Cuts a page that was never kept before. Gives the tree and the looks back.
pub fn first_cut(settings: &CutSettings, of: Captured<'_>) -> (FirstCut, Dom, Option<Looks>) {
    let parts = Parts::of(of.dom, of.looks, of.mask);
    let cut = parts.first_cut(of.level);
    let names = Names::of(settings, &parts);
    let mut births = Births { last: BlockNumber(0), begun: Vec::new() };
    for at in cut.blocks() {
        births.begin(&names, *at, Began::Added, 1);
    }
    drop(names);
    let layout = KeptCut { lineages: births.begun.iter().map(|new| new.lineage.0).collect(), cut };
    let subject = Subject {
        dom: &parts.dom,
        url: of.url,
        page_type: of.page_type,
        headers: of.headers,
        html: None,
    };
    let first = FirstCut {
        level: parts.level_of(&layout.cut).into(),
        layout: layout.to_bytes(&parts.tree),
        meta: metadata(settings, subject, of.html),
        begun: births.begun,
        // Of a rendered page, what the server sent may tell of records, too.
        waits_for_wrapper: of.is_unlearned
            && parts.looks.is_none()
            && !tells_itself(&parts.dom, of.url),
    };
    (first, parts.dom, parts.looks)
}

/// A version to cut, with what is known of it.
pub(super) struct Job {
    pub(super) uncut: Uncut,
    pub(super) page: PageRow,
    pub(super) time: Millis,
    /// Its tree, if whoever captured it handed it over. Only what was not rendered is.
    pub(super) dom: Option<Dom>,
    /// Its bytes, where they are needed.
    pub(super) kept: Option<VersionRow>,
    pub(super) headers: Vec<(String, String)>,
    /// What is volatile in the document.
    pub(super) volatile: Vec<String>,
    /// How far pages of its type are cut at first.
    pub(super) level: u16,
    /// The highest block number of the page, also where no version before it can be read.
    pub(super) last: BlockNumber,
}

/// A version that was cut.
pub(super) struct Done {
    pub(super) step: CutStep,
    /// The version that the next one is to be compared with.
    pub(super) lineup: Option<Lineup>,
    /// The one that this one was compared with, and that is not needed any more.
    pub(super) before: Option<Lineup>,
}

impl Done {
    /// A version that is left uncut.
    pub(super) fn uncuttable(uncut: &Uncut) -> Self {
        Self { step: CutStep::uncuttable(uncut), lineup: None, before: None }
    }
}

/// Cuts a version as the one before it was, or a first one at the level of its type.
pub(super) fn cut(told: &CutSettings, mut job: Job, mut before: Option<Lineup>) -> Done {
    let mut step = CutStep::uncuttable(&job.uncut);
    let mask = mask_from_rules(job.volatile.iter().map(String::as_str));
    let parts = match job.dom.take() {
        Some(dom) => Some(Parts::of(dom, None, &mask)),
        None => job.kept.as_ref().and_then(|version| parts_of(version, &mask)),
    };
    let Some(parts) = parts else { return Done { step, lineup: before, before: None } };
    let lineup = match &mut before {
        Some(before) => next(told, &job, before, parts, &mut step),
        None => first(told, &job, parts, &mut step),
    };
    step.level = Some(lineup.parts.level_of(&lineup.layout.cut).into());
    step.layout = Some(lineup.layout.to_bytes(&lineup.parts.tree));
    let kept = job.kept.as_ref();
    let html = kept.and_then(|kept| kept.snapshot.as_deref().or(kept.body.as_deref()));
    step.meta = Url::parse(&job.page.url).ok().map(|url| {
        let subject = Subject {
            dom: &lineup.parts.dom,
            url: &url,
            page_type: job.page.page_type.as_deref(),
            headers: &job.headers,
            html: None,
        };
        metadata(told, subject, html)
    });
    Done { step, lineup: Some(lineup), before }
}

fn first(told: &CutSettings, job: &Job, parts: Parts, step: &mut CutStep) -> Lineup {
    let cut = parts.first_cut(job.level);
    let names = Names::of(told, &parts);
    let mut births = Births { last: job.last, begun: Vec::new() };
    let lives =
        cut.blocks().iter().map(|at| births.begin(&names, *at, Began::Added, job.uncut.version));
    let lives: Vec<Life> = lives.collect();
    step.begun = births.begun;
    let last = births.last;
    Lineup::new(job, parts, cut, lives, last)
}

fn next(
    told: &CutSettings,
    job: &Job,
    old: &mut Lineup,
    parts: Parts,
    step: &mut CutStep,
) -> Lineup {
    let version = job.uncut.version;
    let names = Names::of(told, &parts);
    let learned = learned(old);
    let apart = job.time.0.saturating_sub(old.time.0).unsigned_abs();
    let url = Url::parse(&job.page.url).ok();
    let is_foreign =
        |at| url.as_ref().is_some_and(|url| comes_from_elsewhere(parts.reading(), at, url));
    let followed = {
        let life_at = |at: BlockAt| old.layout.cut.blocks().binary_search(&at).ok();
        let is_counter = |life: &Life| life.is_counter(old.version);
        let context = Context {
            apart: Duration::from_millis(apart),
            is_advert: &|at| names.labels.of(at) == Label::Advert && is_foreign(at),
            is_counter: &|at| life_at(at).and_then(|at| old.lives.get(at)).is_some_and(is_counter),
        };
        follow(old.parts.reading(), &learned, parts.reading(), job.level, &context)
    };
    let Followed { old_cut, new_cut, comparison } = followed;
    step.recut = cut_anew(told, old, old_cut);
    let life_at = |at: BlockAt| {
        let place = old.layout.cut.blocks().binary_search(&at).ok()?;
        old.lives.get(place)
    };
    let mut births = Births { last: old.last, begun: Vec::new() };
    let mut lives = Vec::with_capacity(comparison.fates.len());
    for fate in &comparison.fates {
        let life = fate.from.and_then(life_at).cloned();
        lives.push(match (life, fate.kind) {
            (Some(life), None) => life,
            (Some(mut life), Some(kind)) => {
                step.ended.push((life.block, Ended::Changed));
                let mut block = names.new_block(births.next(), fate.block, began(kind));
                (block.lineage, block.share) = (life.lineage, fate.share.into());
                block.numbers = fate.numbers_only;
                life.change(block.block, version, fate);
                births.begun.push(block);
                life
            }
            (None, _) => births.begin(&names, fate.block, Began::Added, version),
        });
    }
    let removed = comparison.removed.iter().filter_map(|at| life_at(*at));
    step.ended.extend(removed.map(|life| (life.block, Ended::Removed)));
    step.begun = births.begun;
    step.layout_changed = comparison.layout_changed;
    step.counts = comparison.counts();
    let last = births.last;
    drop(names);
    Lineup::new(job, parts, new_cut, lives, last)
}

/// A change as the store names what it made.
fn began(kind: page::block::Kind) -> Began {
    match kind {
        page::block::Kind::Text => Began::Text,
        page::block::Kind::Link => Began::Link,
        page::block::Kind::Image => Began::Image,
        page::block::Kind::Format => Began::Format,
        page::block::Kind::Script => Began::Script,
        page::block::Kind::Advert => Began::Advert,
        page::block::Kind::Volatile => Began::Volatile,
    }
}

/// How the version before would be cut after its history.
fn learned(old: &Lineup) -> Cut {
    let past: Vec<Past> = old.lives.iter().map(|life| life.past(old.version)).collect();
    let learned = recut(&old.parts.tree, &old.parts.contents, &old.layout.cut, &past);
    learned.unwrap_or_else(|| old.layout.cut.clone())
}

/// Cuts the version before anew, if it is not cut so already, or was cut by other rules.
fn cut_anew(told: &CutSettings, old: &mut Lineup, cut: Cut) -> Option<Recut> {
    let mut ended = std::mem::take(&mut old.stale);
    if ended.is_empty() && cut == old.layout.cut {
        return None;
    }
    let names = Names::of(told, &old.parts);
    let mut births = Births { last: old.last, begun: Vec::new() };
    let mut lives = Vec::with_capacity(cut.blocks().len());
    let mut kept = vec![false; old.lives.len()];
    for at in cut.blocks() {
        match old.layout.cut.blocks().binary_search(at) {
            Ok(place) if place < old.lives.len() => {
                kept[place] = true;
                lives.push(old.lives[place].clone());
            }
            _ => lives.push(births.begin(&names, *at, Began::Recut, old.version)),
        }
    }
    drop(names);
    let gone = old.lives.iter().zip(&kept).filter(|(_, kept)| !**kept);
    ended.extend(gone.map(|(life, _)| life.block));
    let layout = KeptCut { cut, lineages: lives.iter().map(|life| life.lineage.0).collect() };
    let recut = Recut {
        version: old.version,
        level: old.parts.level_of(&layout.cut).into(),
        layout: layout.to_bytes(&old.parts.tree),
        ended,
        begun: births.begun,
    };
    (old.layout, old.lives, old.last) = (layout, lives, births.last);
    Some(recut)
}

/// What blocks are called.
struct Names<'a> {
    parts: &'a Parts,
    topics: Topics,
    lines: Lines<'a>,
    labels: Labels<'a>,
}

impl<'a> Names<'a> {
    fn of(told: &CutSettings, parts: &'a Parts) -> Self {
        let lines = Lines::new(&parts.dom, parts.looks.as_ref());
        Self { parts, topics: told.topics, labels: Labels::new(&lines, &parts.tree), lines }
    }

    fn new_block(&self, block: BlockNumber, at: BlockAt, began: Began) -> NewBlock {
        let Parts { tree, contents, .. } = self.parts;
        NewBlock {
            block,
            lineage: block,
            began,
            share: 1000,
            numbers: false,
            level: tree.block(at).level.into(),
            label: self.labels.of(at).to_string(),
            topic: self.topics.topic(&self.lines, tree, at).text,
            text_len: contents.text_len(at).into(),
            hash: contents.hash(at),
        }
    }
}

/// Gives out block numbers, and remembers for what.
struct Births {
    last: BlockNumber,
    begun: Vec<NewBlock>,
}

impl Births {
    fn next(&mut self) -> BlockNumber {
        self.last = BlockNumber(self.last.0 + 1);
        self.last
    }

    /// Begins a lineage.
    fn begin(&mut self, names: &Names<'_>, at: BlockAt, began: Began, version: i64) -> Life {
        let number = self.next();
        self.begun.push(names.new_block(number, at, began));
        Life::begin(number, version)
    }
}
