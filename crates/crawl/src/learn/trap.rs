//! Traps: calendars, session ids, pages and counters without an end. What keeps leading on, step
//! after step, while nothing comes that was not seen before, is ended and reported.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use page::state::url::shape;
use page::state::{Novel, Novelty};
use page::tree::{Dom, images};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::learn::alias::{Aliases, Habit, Turned};

/// Memory for the lines of text that were seen, in bytes, and for the URLs.
const MEMORY: usize = 4 << 20;
/// Series that are followed.
const MOST_SERIES: usize = 20_000;
/// Pages, and states, in a row without anything new after which a series is a trap.
const DRY_PAGES: f64 = 40.0;
const DRY_STATES: f64 = 20.0;
/// What a page counts that shows a new picture and no new text: pictures may be what one comes for,
/// but their number explodes easily (seed 001, assumption 2).
const ONLY_PICTURES: f64 = 0.5;
/// The share of pages without news that must lead further on.
const LEADING_ON: f64 = 0.5;

/// The series of a crawl.
pub(crate) struct Traps {
    is_on: bool,
    state: Mutex<State>,
}

struct State {
    lines: Novelty,
    urls: Novelty,
    pictures: Novelty,
    series: HashMap<String, Series>,
    ended: HashMap<String, Trap>,
    aliases: Aliases,
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
            aliases: Aliases::default(),
        };
        Self { is_on, state: Mutex::new(state) }
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
        if state.ended.contains_key(series)
            || (state.series.len() >= MOST_SERIES && !state.series.contains_key(series))
        {
            return Met { is_news, trap: None };
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
        let most = match of {
            Of::Pages => DRY_PAGES,
            Of::States => DRY_STATES,
        };
        // Many pages without news are an archive; only what leads ever further on is a trap.
        if !self.is_on || run.dry < most || run.led_on < run.dry * LEADING_ON {
            return Met { is_news, trap: None };
        }
        let pages = run.pages;
        let because = if new_picture { "only pictures differ" } else { "nothing new" };
        let trap = Trap { what: series.to_owned(), pages, because: because.into() };
        state.ended.insert(series.to_owned(), trap.clone());
        Met { is_news, trap: Some(trap) }
    }

    /// Ends a series for another reason.
    pub(crate) fn end(&self, trap: Trap) {
        self.lock().ended.entry(trap.what.clone()).or_insert(trap);
    }

    /// Whether a series was ended.
    pub(crate) fn is_ended(&self, series: &str) -> bool {
        self.lock().ended.contains_key(series)
    }

    /// Whether the series that an address is of was ended.
    pub(crate) fn is_ended_at(&self, url: &Url) -> bool {
        let state = self.lock();
        !state.ended.is_empty() && state.ended.contains_key(&shape(url))
    }

    /// Takes note of what an address turned out to be. True if addresses of its shape were left out
    /// that are of interest after all.
    pub(crate) fn turned(&self, shape: &str, turned: Turned) -> bool {
        self.lock().aliases.turned(shape, turned)
    }

    /// Whether the next address of a shape is left out, since its like shows what others show.
    pub(crate) fn passes_over(&self, shape: &str) -> bool {
        self.is_on && self.lock().aliases.passes_over(shape)
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
