//! Revisiting, simulated: real series are moved to one clock and visited under one shared budget. How many
//! of their changes are caught, and how old the copies are on average, beside the same interval for all
//! pages and beside the rule of Nutch.
//!
//! Every series begins when the clock does; its times are its own. A page whose series is over stays as it
//! is: pages are given up, and a schedule has to notice. Visits come evenly, one each time the budget
//! allows one, and each schedule says whose turn it is. When the first of them comes is chance, so every
//! figure is a mean over clocks whose visits lie between those of the others. `possible` is what a schedule
//! would catch that knows all series beforehand.

mod schedule;
pub mod series;
pub mod states;

use std::collections::BinaryHeap;
use std::path::Path;

use schedule::{Nutch, Ours, SameInterval, VisitSchedule};
use series::PageThroughTime;

use crate::partition::corpus::Corpus;
use crate::sheet::{Experiment, Sheet, rounded};

/// Budgets, in visits of a hundred captures.
pub const BUDGETS: [usize; 4] = [5, 10, 20, 50];
/// Asked for: at this budget, so many percent more changes than with the same interval.
const ASKED: (usize, f64) = (10, 25.0);
/// Clocks that every figure is a mean over.
const CLOCKS: u32 = 8;
const DAY: f64 = 86_400_000.0;

pub async fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    let pages = series::through_time(&Corpus::open(data)?, &[]).await?;
    if pages.is_empty() {
        eprintln!("  skipped: no series found; name a directory with --data DIR");
    } else {
        simulate(sheet, &pages)?;
    }
    states::run(sheet, quick).await
}

/// Puts down what schedules catch of these pages.
fn simulate(sheet: &mut Sheet, pages: &[PageThroughTime]) -> anyhow::Result<()> {
    for budget in BUDGETS {
        let compared = Compared::of(pages, budget, Pages::Stay);
        let (gain, least) = (compared.gain(), compared.least_gain);
        let asked = if budget == ASKED.0 { ASKED.1 } else { 0.0 };
        sheet.put(
            compared
                .experiment("all")
                .ask(gain >= asked, format!("{gain:.1} % more changes, asked {asked} %"))
                .ask(
                    least >= 0.0,
                    format!("{least:.1} % more changes by the clock that suits least"),
                ),
        )?;
    }
    sheet.table(
        "revisits under a shared budget: changes of text caught, mean age of the copies in days",
    )?;
    for budget in BUDGETS {
        sheet.put(Compared::of(pages, budget, Pages::Leave).experiment("leaving"))?;
    }
    sheet.table("the same if a page leaves when its series is over: little is left to choose")?;
    for left_out in pages {
        let others: Vec<_> =
            pages.iter().filter(|page| page.name != left_out.name).cloned().collect();
        let name = format!("without {}", left_out.name);
        sheet.put(Compared::of(&others, ASKED.0, Pages::Stay).experiment(&name))?;
    }
    sheet.table("the same without one series each: nothing in the rule was chosen for one of them")
}

/// What becomes of a page when its series is over.
#[derive(Clone, Copy, PartialEq)]
pub enum Pages {
    Stay,
    Leave,
}

/// What three schedules caught with one budget, on average over all clocks.
pub struct Compared {
    budget: usize,
    visits: usize,
    pub ours: Caught,
    pub fixed: Caught,
    nutch: Caught,
    possible: f64,
    /// How many more changes than with the same interval, in percent, by the clock that suits us least.
    pub least_gain: f64,
}

impl Compared {
    pub fn of(pages: &[PageThroughTime], budget: usize, after: Pages) -> Self {
        let visits = pages.iter().map(PageThroughTime::captures).sum::<usize>() * budget / 100;
        let [mut ours, mut fixed, mut nutch] = [(); 3].map(|()| Caught::default());
        let (mut possible, mut least_gain) = (0.0, f64::INFINITY);
        for nth in 0..CLOCKS {
            let clock = Clock::new(pages, visits, f64::from(nth) / f64::from(CLOCKS), after);
            let caught = clock.simulate(&mut Ours::new(pages.len()));
            let others = clock.simulate(&mut SameInterval::new(pages.len()));
            least_gain = f64::min(least_gain, gain(caught.changes, others.changes));
            ours.add(caught);
            fixed.add(others);
            nutch.add(clock.simulate(&mut Nutch::new(pages.len())));
            possible += clock.possible() as f64 / f64::from(CLOCKS);
        }
        Self { budget, visits, ours, fixed, nutch, possible, least_gain }
    }

    /// How many more changes than with the same interval, in percent.
    pub fn gain(&self) -> f64 {
        gain(self.ours.changes, self.fixed.changes)
    }

    fn experiment(&self, name: &str) -> Experiment {
        Experiment::new(format!("revisit/{name}/{}%", self.budget))
            .ours("visits", self.visits)
            .ours("changes", rounded(self.ours.changes))
            .ours("same_interval", rounded(self.fixed.changes))
            .ours("nutch", rounded(self.nutch.changes))
            .ours("possible", rounded(self.possible))
            .ours("gain_percent", rounded(self.gain()))
            .ours("least_gain", rounded(self.least_gain))
            .ours("age", rounded(self.ours.age_days))
            .ours("age_same_interval", rounded(self.fixed.age_days))
            .ours("age_nutch", rounded(self.nutch.age_days))
    }
}

fn gain(ours: f64, theirs: f64) -> f64 {
    (ours / theirs.max(1.0) - 1.0) * 100.0
}

/// One clock for all pages, and the moments at which one of them may be visited.
struct Clock<'p> {
    pages: &'p [PageThroughTime],
    moments: Vec<i64>,
    end: i64,
    after: Pages,
}

/// What a schedule achieved.
#[derive(Clone, Copy, Default)]
pub struct Caught {
    pub changes: f64,
    pub age_days: f64,
}

impl Caught {
    /// Adds what was achieved by one of all clocks.
    fn add(&mut self, other: Self) {
        self.changes += other.changes / f64::from(CLOCKS);
        self.age_days += other.age_days / f64::from(CLOCKS);
    }
}

impl<'p> Clock<'p> {
    /// `sooner` is by how much of the time between two visits all of them come sooner.
    fn new(pages: &'p [PageThroughTime], visits: usize, sooner: f64, after: Pages) -> Self {
        let end = pages.iter().map(PageThroughTime::end).max().unwrap_or(0);
        let moment = |nth: usize| (end as f64 * (nth as f64 - sooner) / visits as f64) as i64;
        Self { pages, moments: (1..=visits).map(moment).collect(), end, after }
    }

    /// When a page is not there any more.
    fn end_of(&self, page: &PageThroughTime) -> i64 {
        if self.after == Pages::Leave { page.end() } else { self.end }
    }

    fn simulate(&self, schedule: &mut impl VisitSchedule) -> Caught {
        let mut copies: Vec<Copy> = vec![Copy::default(); self.pages.len()];
        let mut changes = 0;
        for now in self.moments.iter().copied() {
            let there: Vec<usize> = (0..self.pages.len())
                .filter(|page| now <= self.end_of(&self.pages[*page]))
                .collect();
            let Some(page) = schedule.next(now, &there) else { continue };
            let (truth, copy) = (&self.pages[page], &mut copies[page]);
            copy.grow_old(truth, now);
            let text = truth.text_at(now);
            let is_change = text != copy.text;
            changes += usize::from(is_change);
            (copy.text, copy.taken) = (text, now);
            schedule.visited(page, now, is_change);
        }
        let mut age_days = 0.0;
        for (page, copy) in self.pages.iter().zip(&mut copies) {
            let end = self.end_of(page);
            copy.grow_old(page, end);
            age_days += copy.age / end.max(1) as f64 / DAY / self.pages.len() as f64;
        }
        Caught { changes: changes as f64, age_days }
    }

    /// The most changes that any schedule could catch: at each moment, the text that is gone soonest of
    /// those that nobody has caught.
    fn possible(&self) -> usize {
        let mut texts: Vec<(i64, i64)> = Vec::new();
        for page in self.pages {
            let end = self.end_of(page);
            texts
                .extend(page.texts().map(|(from, until)| (from, until.min(end.saturating_add(1)))));
        }
        texts.sort_unstable();
        let (mut coming, mut there) = (texts.into_iter().peekable(), BinaryHeap::new());
        let mut caught = 0;
        for now in &self.moments {
            while let Some((_, until)) = coming.next_if(|(from, _)| from <= now) {
                there.push(std::cmp::Reverse(until));
            }
            while there.peek().is_some_and(|until| until.0 <= *now) {
                there.pop();
            }
            caught += usize::from(there.pop().is_some());
        }
        caught
    }
}

/// The copy of a page that was taken last.
#[derive(Clone, Default)]
struct Copy {
    text: usize,
    taken: i64,
    /// How old it was, summed over time. A copy is as old as the first change that it lacks.
    age: f64,
}

impl Copy {
    fn grow_old(&mut self, page: &PageThroughTime, now: i64) {
        if let Some(changed) = page.changes_from(self.text).filter(|changed| *changed < now) {
            // It may have lacked that change when it was taken: a page can go back to an old text.
            let stale = (now - changed.max(self.taken)) as f64;
            self.age += stale * stale / 2.0;
        }
    }
}
