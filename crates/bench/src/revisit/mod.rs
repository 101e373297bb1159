//! Revisiting, simulated: real series are moved to one clock and visited under one shared budget. How many
//! of their changes are caught, and how old the copies are on average, beside the same interval for all
//! pages and beside the rule of Nutch.
//!
//! Every series begins when the clock does; its times are its own. A page whose series is over stays as it
//! is: pages are given up, and a schedule has to notice. Visits come evenly, one each time the budget
//! allows one, and each schedule says whose turn it is. `possible` is what a schedule would catch that
//! knows all series beforehand.

mod schedule;
mod series;
pub mod states;

use std::collections::BinaryHeap;
use std::path::Path;

use schedule::{Nutch, Ours, SameInterval, VisitSchedule};
use series::PageThroughTime;

use crate::partition::corpus::Corpus;
use crate::sheet::{Experiment, Sheet, rounded};

/// Budgets, in visits of a hundred captures.
const BUDGETS: [usize; 4] = [5, 10, 20, 50];
/// Asked for: changes caught beside those of the same interval, at this budget.
const ASKED: (usize, f64) = (10, 1.25);
const DAY: f64 = 86_400_000.0;

pub async fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    states::run(sheet, quick).await?;
    let pages = series::through_time(&Corpus::open(data)?).await?;
    if pages.is_empty() {
        eprintln!("  skipped: no series found; name a directory with --data DIR");
        return Ok(());
    }
    for budget in BUDGETS {
        sheet.put(compared(&pages, budget, Pages::Stay, "all", budget == ASKED.0))?;
    }
    sheet.table(
        "revisits under a shared budget: changes of text caught, mean age of the copies in days",
    )?;
    for budget in BUDGETS {
        sheet.put(compared(&pages, budget, Pages::Leave, "leaving", false))?;
    }
    sheet.table("the same if a page leaves when its series is over: little is left to choose")?;
    for left_out in &pages {
        let others: Vec<_> =
            pages.iter().filter(|page| page.name != left_out.name).cloned().collect();
        let name = format!("without {}", left_out.name);
        sheet.put(compared(&others, ASKED.0, Pages::Stay, &name, false))?;
    }
    sheet.table("the same without one series each: nothing in the rule was chosen for one of them")
}

/// What becomes of a page when its series is over.
#[derive(Clone, Copy, PartialEq)]
enum Pages {
    Stay,
    Leave,
}

/// The three schedules with one budget.
fn compared(
    pages: &[PageThroughTime],
    budget: usize,
    after: Pages,
    name: &str,
    is_asked: bool,
) -> Experiment {
    let visits = pages.iter().map(PageThroughTime::captures).sum::<usize>() * budget / 100;
    let clock = Clock::new(pages, visits, after);
    let fixed = clock.simulate(&mut SameInterval::new(pages.len()));
    let nutch = clock.simulate(&mut Nutch::new(pages.len()));
    let ours = clock.simulate(&mut Ours::new(pages.len()));
    let gain = ours.changes as f64 / fixed.changes.max(1) as f64;
    let may_be_fewer = after == Pages::Leave || name != "all";
    Experiment::new(format!("revisit/{name}/{budget}%"))
        .ours("visits", visits)
        .ours("changes", ours.changes)
        .ours("same_interval", fixed.changes)
        .ours("nutch", nutch.changes)
        .ours("possible", clock.possible())
        .ours("gain_percent", rounded((gain - 1.0) * 100.0))
        .ours("age", rounded(ours.age_days))
        .ours("age_same_interval", rounded(fixed.age_days))
        .ours("age_nutch", rounded(nutch.age_days))
        .ask(
            may_be_fewer || gain >= 1.0,
            format!("{} changes, {} with the same interval", ours.changes, fixed.changes),
        )
        .ask(!is_asked || gain >= ASKED.1, format!("{gain:.2} times the changes"))
}

/// One clock for all pages, and the moments at which one of them may be visited.
struct Clock<'p> {
    pages: &'p [PageThroughTime],
    moments: Vec<i64>,
    end: i64,
    after: Pages,
}

/// What a schedule achieved.
struct Caught {
    changes: usize,
    age_days: f64,
}

impl<'p> Clock<'p> {
    fn new(pages: &'p [PageThroughTime], visits: usize, after: Pages) -> Self {
        let end = pages.iter().map(PageThroughTime::end).max().unwrap_or(0);
        let moment = |nth: usize| (end as f64 * nth as f64 / visits as f64) as i64;
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
        Caught { changes, age_days }
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
