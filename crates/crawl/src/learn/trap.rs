//! Traps: calendars, session ids, pages and counters without an end. What keeps leading on, step
//! after step, while nothing comes that was not seen before, is ended and reported. One of it that shows
//! something new all the same opens it again.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use page::state::url::shape;
use page::state::{Novel, Novelty};
use page::tree::{Dom, images};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::learn::alias::{Aliases, Habit, Turned};
use crate::learn::claim::Claim;

/// Memory for the lines of text that were seen, in bytes, and for the URLs.
const MEMORY: usize = 4 << 20;
/// Series that are followed.
const MOST_SERIES: usize = 20_000;
/// Pages, and states, in a row without anything new after which a series is a trap.
pub(crate) const DRY_PAGES: f64 = 40.0;
const DRY_STATES: f64 = 20.0;
/// What a page counts that shows a new picture and no new text: pictures may be what one comes for,
/// but their number explodes easily (seed 001, assumption 2).
const ONLY_PICTURES: f64 = 0.5;
/// The share of pages without news that must lead further on.
const LEADING_ON: f64 = 0.5;

/// The series of a crawl.
pub(crate) struct Traps {
    is_on: bool,
    /// Whether addresses that are believed to be aliases are held.
    holds_aliases: bool,
    state: Mutex<State>,
}

struct State {
    lines: Novelty,
    urls: Novelty,
    pictures: Novelty,
    series: HashMap<String, Series>,
    ended: HashMap<String, Trap>,
    /// Series that were ended and go on, since they were last asked for.
    reopened: Vec<String>,
    aliases: Aliases,
    /// Addresses that are visited whatever is claimed of their shapes.
    audits: HashSet<String>,
}

/// Pages or states of which one leads to the next.
#[derive(Default)]
struct Series {
    pages: u64,
    /// How many in a row brought nothing new.
    dry: f64,
    /// How often these led to more of the series that nobody had heard of.
    led_on: f64,
}

/// A series that was ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trap {
    /// Which: the shape of its URLs, or the URL and the class of events.
    pub what: String,
    /// How many pages of it were kept.
    pub pages: u64,
    /// Why it was ended.
    pub because: String,
    /// It was ended by a limit of the user's, not by what is believed of it.
    #[serde(default)]
    pub is_limit: bool,
}

impl std::fmt::Display for Trap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {} pages, {}", self.what, self.pages, self.because)
    }
}

/// What came of a page or state of a series.
pub(crate) struct Met {
    /// Whether it shows a line or a picture that none before it showed.
    pub(crate) is_news: bool,
    /// The trap, if this page ended it.
    pub(crate) trap: Option<Trap>,
    /// Whether the series was ended, and goes on because of this page.
    pub(crate) reopened: bool,
}

/// What a series consists of.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// Pages that links lead to.
    Pages,
    /// States that events lead to.
    States,
}

impl Traps {
    pub(crate) fn new(is_on: bool) -> Self {
        let state = State {
            lines: Novelty::new(MEMORY),
            urls: Novelty::new(MEMORY),
            pictures: Novelty::new(MEMORY / 4),
            series: HashMap::new(),
            ended: HashMap::new(),
            reopened: Vec::new(),
            aliases: Aliases::default(),
            audits: HashSet::new(),
        };
        Self { is_on, holds_aliases: is_on, state: Mutex::new(state) }
    }

    /// The same, where every address is visited: only what never ends is ended.
    pub(crate) fn visiting_aliases(self) -> Self {
        Self { holds_aliases: false, ..self }
    }

    /// Whether a page of this series leads to a page of it that none of them led to before.
    pub(crate) fn leads_on<'a>(&self, series: &str, urls: impl Iterator<Item = &'a str>) -> bool {
        let mut state = self.lock();
        let mut of_series = series.to_owned();
        let mut is_unheard = |url: &str| {
            of_series.truncate(series.len());
            of_series.push_str(url);
            state.urls.meet_exactly(&of_series)
        };
        let is_of_series = |url: &str| Url::parse(url).is_ok_and(|url| shape(&url) == series);
        // All are met, and only what is unheard of is looked at closely: most links of a page are not.
        urls.filter(|url| is_unheard(url) && is_of_series(url)).count() > 0
    }

    /// How many pages of a series were met.
    pub(crate) fn pages(&self, series: &str) -> u64 {
        self.lock().series.get(series).map_or(0, |series| series.pages)
    }

    /// Takes a page or state of a series in, with whether it leads to more of the series that nobody
    /// had heard of.
    pub(crate) fn meet(&self, series: &str, of: Of, leads_on: bool, dom: &Dom, url: &Url) -> Met {
        let text = page::tree::visible_text(dom);
        let pictures = images(dom, url);
        let pictures = pictures.iter().filter_map(|image| image.url.as_ref().map(Url::as_str));
        let mut state = self.lock();
        let Novel { new, .. } = state.lines.meet_text(&text);
        let mut new_picture = false;
        for picture in pictures.chain(canvases(dom)) {
            new_picture |= state.pictures.meet_exactly(picture);
        }
        let is_news = new > 0 || new_picture;
        let met = Met { is_news, trap: None, reopened: false };
        if state.series.len() >= MOST_SERIES && !state.series.contains_key(series) {
            return met;
        }
        if let Some(trap) = state.ended.get(series) {
            // Pictures alone make no series go on for ever.
            if new > 0 && !trap.is_limit {
                state.reopen(series);
                return Met { reopened: true, ..met };
            }
            // What was known of it before an interruption is forgotten, but that it was ended.
            let run = state.series.entry(series.to_owned()).or_default();
            run.dry = run.dry.max(most_dry(of)) + 1.0;
            return met;
        }
        let run = state.series.entry(series.to_owned()).or_default();
        run.pages += 1;
        let weight = match (new, new_picture) {
            (0, false) => 1.0,
            (0, true) => ONLY_PICTURES,
            _ => 0.0,
        };
        match weight > 0.0 {
            true => {
                run.dry += weight;
                run.led_on += if leads_on { weight } else { 0.0 };
            }
            false => (run.dry, run.led_on) = (0.0, 0.0),
        }
        // Many pages without news are an archive; only what leads ever further on is a trap.
        if !self.is_on || run.dry < most_dry(of) || run.led_on < run.dry * LEADING_ON {
            return met;
        }
        let pages = run.pages;
        let because = if new_picture { "only pictures differ" } else { "nothing new" };
        let trap =
            Trap { what: series.to_owned(), pages, because: because.into(), is_limit: false };
        state.ended.insert(series.to_owned(), trap.clone());
        Met { trap: Some(trap), ..met }
    }

    /// Ends a series for another reason.
    pub(crate) fn end(&self, trap: Trap) {
        self.lock().ended.entry(trap.what.clone()).or_insert(trap);
    }

    /// Whether a series was ended.
    pub(crate) fn is_ended(&self, series: &str) -> bool {
        self.lock().ended.contains_key(series)
    }

    /// Takes note of what an address turned out to be.
    pub(crate) fn turned(&self, shape: &str, turned: Turned) {
        self.lock().aliases.turned(shape, turned);
    }

    /// Whether an address is held: its series was ended, or its like shows what others show. Who names an
    /// address to start at wants it, whatever others show.
    pub(crate) fn holds(&self, url: &Url, is_start: bool) -> bool {
        let (shape, mut state) = (shape(url), self.lock());
        if state.audits.contains(url.as_str()) {
            return false;
        }
        state.ended.contains_key(&shape)
            || (self.holds_aliases && !is_start && state.aliases.passes_over(&shape))
    }

    /// From now on these are visited whatever is claimed of their shape.
    pub(crate) fn audit(&self, shape: &str, urls: &[String]) {
        let mut state = self.lock();
        state.audits.extend(urls.iter().cloned());
        if let Some(habit) = state.aliases.habit(shape) {
            habit.audited = habit.audited.saturating_add(urls.len() as u32);
        }
    }

    /// What is claimed of addresses of a shape, if anything is.
    pub(crate) fn believed(&self, shape: &str) -> Held {
        let state = self.lock();
        let dry = state.series.get(shape).map_or(0.0, |run| run.dry).max(DRY_PAGES) as u32;
        match (state.ended.get(shape), state.aliases.believed(shape)) {
            (Some(trap), _) => Held::of_series(trap, dry),
            (None, Some(in_a_row)) => Held::By(Claim::Alias, in_a_row),
            (None, None) => Held::ByNothing,
        }
    }

    /// Series that were ended and go on since the last call.
    pub(crate) fn take_reopened(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().reopened)
    }

    /// Whether addresses of a shape only ever led elsewhere.
    pub(crate) fn redirects(&self, shape: &str) -> bool {
        self.lock().aliases.redirects(shape)
    }

    /// What is known of shapes of addresses, to be written down.
    pub(crate) fn habits(&self) -> Vec<(String, Habit)> {
        self.lock().aliases.rows()
    }

    /// Takes over what was written down of a shape.
    pub(crate) fn remember(&self, shape: String, habit: Habit) {
        self.lock().aliases.remember(shape, habit);
    }

    /// The series that were ended.
    pub(crate) fn series(&self) -> Vec<Trap> {
        self.lock().ended.values().cloned().collect()
    }

    /// What was ended or left out, for the report.
    pub(crate) fn ended(&self) -> Vec<Trap> {
        let mut ended = self.series();
        ended.extend(self.lock().aliases.left_out());
        ended.sort_by(|a, b| a.what.cmp(&b.what));
        ended
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A series that was ended shows something new: it goes on.
    fn reopen(&mut self, series: &str) {
        self.ended.remove(series);
        self.reopened.push(series.to_owned());
        self.series.remove(series);
        if let Some(habit) = self.aliases.habit(series) {
            habit.wrong += 1;
        }
    }
}

/// Why addresses of a shape are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// By what is claimed of them, after so many in a row for which it held.
    By(Claim, u32),
    /// By a limit of the user's.
    ByLimit,
    /// By nothing any more.
    ByNothing,
}

impl Held {
    /// What holds addresses of a series that was ended after so many that said nothing new.
    pub(crate) fn of_series(trap: &Trap, dry: u32) -> Self {
        if trap.is_limit { Self::ByLimit } else { Self::By(Claim::Series, dry) }
    }
}

/// How many pages or states in a row without anything new end a series.
fn most_dry(of: Of) -> f64 {
    match of {
        Of::Pages => DRY_PAGES,
        Of::States => DRY_STATES,
    }
}

/// What the canvases of a page show, by the hash that the rendered walk gives each.
fn canvases(dom: &Dom) -> impl Iterator<Item = &str> {
    let canvases = dom.root().descendants().filter(|node| node.name() == "canvas");
    canvases.filter_map(|node| node.attribute(browser::PIXELS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::parse_str;

    fn meet(traps: &Traps, of: Of, leads_on: bool, html: &str) -> Option<Trap> {
        let url = Url::parse("http://a.example/").expect("a URL");
        traps.meet("/series?n=*", of, leads_on, &parse_str(html).dom, &url).trap
    }

    #[test]
    fn a_calendar_ends_when_the_months_repeat() {
        let traps = Traps::new(true);
        let month = |n: u32| format!("<h1>Month {n}</h1><p>No events.</p>");
        let ended = (0..200).find_map(|n| meet(&traps, Of::Pages, true, &month(n)));
        let ended = ended.expect("it ends");
        assert_eq!((ended.pages, ended.because.as_str()), (41, "nothing new"));
        assert!(traps.is_ended("/series?n=*"));
    }

    #[test]
    fn one_that_shows_something_new_opens_a_series_again() {
        let traps = Traps::new(true);
        let month = |n: u32| format!("<h1>Month {n}</h1><p>No events.</p>");
        assert!((0..200).any(|n| meet(&traps, Of::Pages, true, &month(n)).is_some()));
        assert!(matches!(traps.believed("/series?n=*"), Held::By(Claim::Series, 40..)));
        meet(&traps, Of::Pages, true, &month(300));
        assert!(traps.is_ended("/series?n=*"), "nothing new");
        meet(&traps, Of::Pages, true, "<h1>Month 301</h1><p>Regatta in the harbour.</p>");
        assert_eq!(traps.believed("/series?n=*"), Held::ByNothing);
        assert_eq!(traps.take_reopened(), ["/series?n=*"]);
    }

    #[test]
    fn pages_that_bring_something_go_on() {
        let traps = Traps::new(true);
        let word =
            |n: u32| char::from(b'a' + (n % 26) as u8).to_string().repeat(n as usize / 26 + 1);
        assert_eq!((0..200).find_map(|n| meet(&traps, Of::Pages, true, &word(n))), None);
    }

    #[test]
    fn an_archive_whose_pages_lead_to_no_more_of_it_is_no_trap() {
        let traps = Traps::new(true);
        assert_eq!((0..200).find_map(|_| meet(&traps, Of::Pages, false, "<p>the same")), None);
    }

    #[test]
    fn pictures_alone_go_on_for_longer_but_not_for_ever() {
        let traps = Traps::new(true);
        let slide = |n: u32| format!("<p>Slide</p><img src='/{n}.png'>");
        let ended =
            (0..500).find_map(|n| meet(&traps, Of::States, true, &slide(n))).expect("it ends");
        assert_eq!((ended.pages, ended.because.as_str()), (41, "only pictures differ"));
    }
}
