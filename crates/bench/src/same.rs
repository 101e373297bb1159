//! `bathys bench same`: whether the same site gives the same crawl. Sites are crawled again and again, with one,
//! two and four tabs, with each kind of claim switched off in turn, and beside loops that take the processor
//! from them, and what was kept is compared by what it shows: the lines of text that the states of each document
//! have, whatever their numbers and keys, and in whatever combination. What differs with each request is left
//! out of the pages: it would differ here.
//!
//! `bathys bench same/S1` crawls only sites whose names begin so.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crawl::{Filters, Render, Report, ScopeKind, Settings};
use page::tree::visible_text;
use store::Which;
use testsite::{Build, Options, Running, SiteKind, State, Template, Truth};
use url::{Position, Url};

use crate::sheet::{Experiment, Sheet};
use crate::tally::Tally;
use crate::trial::Trial;

/// How often the first set of seed 001 is crawled in each manner.
const TIMES: usize = 10;
/// Loops beside a crawl that keep the processor busy.
const LOOPS: usize = 4;
/// Differing lines that are named.
const NAMED: usize = 6;

/// A site that is crawled.
pub struct Subject {
    pub name: &'static str,
    kind: SiteKind,
    size: u32,
    build: Build,
    latency: Duration,
    /// Where crawls begin, and what they do not leave if that is not all of the site.
    start: &'static [&'static str],
    times: usize,
}

impl Subject {
    const fn new(name: &'static str, kind: SiteKind, size: u32, build: Build) -> Self {
        Self { name, kind, size, build, latency: Duration::ZERO, start: &["/"], times: 1 }
    }

    /// A set of seed 001's articles, with the latency of its experiments.
    const fn set(name: &'static str, articles: u32, times: usize) -> Self {
        let latency = Duration::from_millis(10);
        Self { latency, times, ..Self::new(name, SiteKind::Blog, articles, Build::Inline) }
    }

    pub async fn serve(&self) -> anyhow::Result<Running> {
        let Self { size, build, latency, .. } = *self;
        let template = Template::Cards;
        let options =
            Options { size, build, latency, template, volatile: false, ..Options::default() };
        Ok(testsite::serve(self.kind, options).await?)
    }

    /// The settings of a crawl without what never ends on the site: how far one goes into that is no matter here.
    pub fn settings(&self, site: &Running) -> anyhow::Result<Settings> {
        let start: Result<_, _> =
            self.start.iter().map(|path| Url::parse(&site.url_of(path))).collect();
        let endless = site.truth().traps.iter().map(|trap| regex::escape(&site.url_of(&trap.path)));
        let (scope, exclude) = (ScopeKind::Prefix, endless.collect());
        Ok(Settings { scope, exclude, ..Settings::new(start?) })
    }

    /// Whether a crawl with these settings should find a state.
    fn asks_for(&self, truth: &Truth, state: &State) -> bool {
        self.start.iter().any(|path| state.url.starts_with(path))
            && !truth.traps.iter().any(|trap| state.url.starts_with(&trap.path))
    }
}

/// Rooms of the maze whose widgets multiply, or mean another thing on each page.
const ROOMS: &[&str] = &["/ledger/", "/panels/", "/windows/", "/folders/", "/ways/", "/twins/"];

pub static SUBJECTS: [Subject; 10] = [
    Subject::set("S1", 50, TIMES),
    Subject::new("news", SiteKind::News, 0, Build::React),
    Subject { start: ROOMS, ..Subject::new("rooms", SiteKind::Maze, 0, Build::Inline) },
    Subject::new("bbs", SiteKind::Bbs, 0, Build::Inline),
    Subject::new("forum", SiteKind::Forum, 0, Build::Inline),
    Subject::new("maze", SiteKind::Maze, 0, Build::Inline),
    Subject::set("S2", 150, 1),
    Subject::set("S3", 300, 1),
    Subject::set("S4", 500, 1),
    Subject::set("S5", 725, 1),
];

/// How a crawl is made.
#[derive(Clone, Copy)]
enum Manner {
    Tabs(usize),
    /// With four tabs, beside busy loops.
    Beside(usize),
    WithoutInstructions,
    WithoutPatterns,
    WithoutRequests,
    /// No page is believed to need no browser.
    Rendered,
    /// Nothing is believed at all.
    Complete,
}

impl Manner {
    const ALL: [Self; 9] = [
        Self::Tabs(1),
        Self::Tabs(2),
        Self::Tabs(4),
        Self::Beside(LOOPS),
        Self::WithoutInstructions,
        Self::WithoutPatterns,
        Self::WithoutRequests,
        Self::Rendered,
        Self::Complete,
    ];

    fn name(self) -> String {
        match self {
            Self::Tabs(tabs) => format!("{tabs}-tabs"),
            Self::Beside(_) => "busy".into(),
            Self::WithoutInstructions => "no-instruction-filter".into(),
            Self::WithoutPatterns => "no-pattern-filter".into(),
            Self::WithoutRequests => "no-request-filter".into(),
            Self::Rendered => "render-always".into(),
            Self::Complete => "completeness-1".into(),
        }
    }

    fn of(self, settings: Settings) -> Settings {
        let all = Filters::default();
        match self {
            Self::Tabs(tabs) => Settings { tabs, ..settings },
            Self::Beside(_) => Settings { tabs: 4, ..settings },
            Self::WithoutInstructions => {
                Settings { filters: Filters { instruction: false, ..all }, ..settings }
            }
            Self::WithoutPatterns => {
                Settings { filters: Filters { pattern: false, ..all }, ..settings }
            }
            Self::WithoutRequests => {
                Settings { filters: Filters { request: false, ..all }, ..settings }
            }
            Self::Rendered => Settings { render: Render::Always, ..settings },
            Self::Complete => Settings { completeness: 1.0, ..settings },
        }
    }
}

/// What a crawl kept.
pub struct Kept {
    pub report: Report,
    pub tally: Tally,
    /// What is shown: a line, after the address of the document that shows it.
    lines: BTreeSet<String>,
}

impl Kept {
    /// What one of two crawls shows and the other does not.
    pub fn differing<'k>(&'k self, other: &'k Self) -> Vec<&'k str> {
        self.lines.symmetric_difference(&other.lines).map(String::as_str).collect()
    }
}

/// Crawls a site that is being served.
pub async fn crawl(subject: &Subject, site: &Running, settings: Settings) -> anyhow::Result<Kept> {
    let trial = Trial::new()?;
    let report = trial.crawl(settings).await?;
    let truth = site.truth();
    let tally = Tally::of(&trial.catalog, truth, |state| subject.asks_for(truth, state)).await?;
    Ok(Kept { report, tally, lines: lines(&trial).await? })
}

/// What the captured pages of a crawl show.
async fn lines(trial: &Trial) -> anyhow::Result<BTreeSet<String>> {
    let mut lines = BTreeSet::new();
    for page in trial.pages().await? {
        let Some(version) = trial.catalog.version(page.page, Which::Latest).await? else {
            continue;
        };
        let Some(dom) = derive::tree_of(&version) else { continue };
        let url = Url::parse(&page.url)?;
        let document = &url[Position::BeforePath..];
        lines.extend(visible_text(&dom).lines().map(|line| format!("{document} {line}")));
    }
    Ok(lines)
}

pub async fn run(sheet: &mut Sheet, quick: bool, prefix: Option<&str>) -> anyhow::Result<()> {
    let is_chosen = |site: &&Subject| prefix.is_none_or(|prefix| site.name.starts_with(prefix));
    for subject in SUBJECTS.iter().filter(is_chosen).take(if quick { 3 } else { SUBJECTS.len() }) {
        let site = subject.serve().await?;
        let mut first: Option<Kept> = None;
        for manner in Manner::ALL {
            let times = if quick { 1 } else { subject.times };
            let experiment = repeat(subject, &site, manner, times, &mut first).await?;
            sheet.put(experiment)?;
        }
        site.stop().await;
    }
    sheet.table("the same site, crawled in other manners; compared by what is shown")
}

/// Crawls a site so many times in one manner, and compares with the first crawl of all.
async fn repeat(
    subject: &Subject,
    site: &Running,
    manner: Manner,
    times: usize,
    first: &mut Option<Kept>,
) -> anyhow::Result<Experiment> {
    let (mut whole, mut same, mut missing) = (0, 0, String::new());
    let (mut different, mut events, mut pages) = (BTreeSet::new(), Vec::new(), Vec::new());
    let (mut asked, name) = (0, subject.name);
    for _ in 0..times {
        let _busy = match manner {
            Manner::Beside(loops) => Some(BusyLoops::start(loops)),
            _ => None,
        };
        let kept = crawl(subject, site, manner.of(subject.settings(site)?)).await?;
        let reference = first.as_ref().unwrap_or(&kept);
        let differing = kept.differing(reference);
        eprintln!(
            "  {name} {}: {} of {} states, {} pages, {} lines differ, {} events, {:.1} s; {}",
            manner.name(),
            kept.tally.found(),
            kept.tally.asked(),
            kept.tally.pages,
            differing.len(),
            kept.report.events_fired,
            kept.report.elapsed_s,
            kept.tally.missing()
        );
        for place in differing.iter().take(NAMED) {
            eprintln!("    {place}");
        }
        same += usize::from(differing.is_empty());
        different.extend(differing.into_iter().map(str::to_owned));
        if kept.tally.is_whole() {
            whole += 1;
        } else {
            missing = kept.tally.missing();
        }
        asked = kept.tally.asked();
        events.push(kept.report.events_fired);
        pages.push(kept.tally.pages);
        first.get_or_insert(kept);
    }
    let named: Vec<_> = different.iter().take(NAMED).map(String::as_str).collect();
    Ok(Experiment::new(format!("same/{name}/{}", manner.name()))
        .ours("states", asked)
        .ours("crawls", times)
        .ours("whole", whole)
        .ours("same", same)
        .ours("pages", pages.iter().copied().max())
        .ours("fewest_events", events.iter().copied().min())
        .ours("most_events", events.iter().copied().max())
        .ask(whole == times, missing)
        .ask(same == times, format!("{} lines differ: {}", different.len(), named.join(", "))))
}

/// Loops that keep the processor busy until they are dropped.
struct BusyLoops {
    is_over: Arc<AtomicBool>,
}

impl BusyLoops {
    fn start(how_many: usize) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        for _ in 0..how_many {
            let is_over = is_over.clone();
            thread::spawn(move || {
                while !is_over.load(Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self { is_over }
    }
}

impl Drop for BusyLoops {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
    }
}
