//! What a page calls itself.
//!
//! The title of the head has the name of the site in it, the first heading may be that name, and the
//! heading of a thread may be no heading at all but a link to itself. So every place where a title may
//! stand is tried on all pages of a type: the best one says on each page what links to that page say,
//! or else what some other place says as well, and never the same on two threads.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::pager::Chains;
use super::survey::{Cue, Survey, folded, weight};
use crate::date;

/// What stands between the parts of a title.
const SEPARATORS: [&str; 12] =
    [" - ", " | ", " / ", " — ", " – ", " · ", " • ", " :: ", " : ", " » ", " › ", " « "];
/// Parts of it that are taken off at most: those of a site are its name, a board and the like.
const MOST_CUT: usize = 3;
/// Links to a page whose texts are kept.
const MOST_TEXTS: usize = 64;
/// What it counts that another place of the page says the same, where links to it count 1.
const SAID_TWICE: f64 = 0.8;
/// What it counts that the title of the head says the same, and more.
const SAID_IN_HEAD: f64 = 0.3;

/// Texts of the links that lead to each chain from outside.
pub(super) struct Anchors {
    texts: Vec<HashMap<String, u32>>,
}

impl Anchors {
    pub(super) fn new(surveys: &[Survey], chains: &Chains) -> Self {
        let mut texts = vec![HashMap::new(); chains.iter().len()];
        for (from, survey) in surveys.iter().enumerate() {
            let own = chains.number_of(from);
            for way in &survey.links {
                if !is_worded(&way.text) {
                    continue;
                }
                let Some(to) = chains.of_target(way.to).filter(|to| Some(*to) != own) else {
                    continue;
                };
                if let Some(texts) = texts.get_mut(to)
                    && (texts.len() < MOST_TEXTS || texts.contains_key(&way.text))
                {
                    *texts.entry(way.text.clone()).or_default() += 1;
                }
            }
        }
        Anchors { texts }
    }

    /// Letters of the longest text that leads to a chain; none if nothing does.
    pub(super) fn letters(&self, chain: usize) -> Option<usize> {
        self.of(Some(chain))?.keys().map(|text| weight(text)).max()
    }

    fn say(&self, chain: Option<usize>, text: &str) -> bool {
        self.of(chain).is_some_and(|texts| texts.contains_key(text))
    }

    fn of(&self, chain: Option<usize>) -> Option<&HashMap<String, u32>> {
        self.texts.get(chain?)
    }

    /// The longest text of a link that is most of another.
    fn within(&self, chain: Option<usize>, text: &str) -> Option<&str> {
        let texts = self.of(chain)?.keys().map(String::as_str);
        texts
            .filter(|anchor| 2 * anchor.len() >= text.len() && text.contains(anchor))
            .max_by_key(|anchor| (anchor.len(), std::cmp::Reverse(*anchor)))
    }
}

/// Whether a text may be a title: it has letters, and is no date, which lists and threads have as links,
/// too.
fn is_worded(text: &str) -> bool {
    let has_figures = || text.bytes().any(|byte| byte.is_ascii_digit());
    let is_date = || {
        let found = date::find(text, &date::Order::default(), None);
        found.is_some_and(|(range, _)| range.len() * 2 > text.len())
    };
    text.contains(char::is_alphabetic) && !date::tells(text) && !(has_figures() && is_date())
}

/// A place where a page may say its title.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Place<'a> {
    /// A heading that looks like this.
    Heading(&'a str),
    /// A link of the page to itself.
    Own(&'a str),
    /// A part of the title of the head, counted from its beginning.
    Head(usize),
    /// A part of the title of the head, counted from its end.
    HeadEnd(usize),
    /// The title of the head without so many parts at its beginning and at its end: what stands between
    /// the parts stands in titles, too.
    HeadWithout(usize, usize),
}

impl Place<'_> {
    /// Places of one kind do not confirm each other.
    fn kind(self) -> u8 {
        match self {
            Place::Heading(_) => 0,
            Place::Own(_) => 1,
            Place::Head(_) | Place::HeadEnd(_) | Place::HeadWithout(..) => 2,
        }
    }
}

/// The titles of the pages of one type, by source; none where a page says none.
pub(super) fn titles(
    pages: &[usize],
    surveys: &[Survey],
    chains: &Chains,
    anchors: &Anchors,
) -> HashMap<usize, String> {
    let pages: Vec<Page<'_>> =
        pages.iter().filter_map(|at| Some(Page::new(*at, surveys.get(*at)?, chains))).collect();
    let mut places: HashMap<Place<'_>, Votes<'_>> = HashMap::new();
    for page in &pages {
        for (place, text) in &page.said {
            let votes = places.entry(*place).or_default();
            votes.pages += 1;
            votes.credit += page.credit(*place, text, anchors);
            votes.texts.insert(text);
            votes.chains.insert(page.chain);
        }
    }
    let mut ranked: Vec<_> = places.into_iter().map(|(at, votes)| (votes.score(), at)).collect();
    ranked.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
    let said_by = |page: &Page<'_>| {
        let best = |(_, place): &(f64, Place<'_>)| page.said.iter().find(|(own, _)| own == place);
        ranked.iter().find_map(best).map(|(_, said)| said.clone())
    };
    let by_source: HashMap<usize, &Page<'_>> =
        pages.iter().map(|page| (page.source, page)).collect();
    let mut titles: HashMap<usize, String> = HashMap::new();
    for page in &pages {
        let Some(said) = said_by(page) else { continue };
        // A heading may have a label before the title, or the number of the page after it; links to
        // it do not, nor does its first page.
        let shorter = anchors.within(page.chain, &said).map(str::to_owned);
        let first = || {
            let first = page.chain.and_then(|chain| chains.get(chain)?.pages.first().copied())?;
            let first = said_by(by_source.get(&first)?)?;
            said.contains(&first).then_some(first)
        };
        titles.insert(page.source, shorter.or_else(first).unwrap_or(said));
    }
    titles
}

struct Page<'a> {
    source: usize,
    chain: Option<usize>,
    survey: &'a Survey,
    /// What stands first at each place.
    said: Vec<(Place<'a>, String)>,
}

impl<'a> Page<'a> {
    fn new(source: usize, survey: &'a Survey, chains: &Chains) -> Self {
        let chain = chains.number_of(source);
        let headings = survey.headings.iter();
        let headings = headings.map(|of| (Place::Heading(of.looks.as_str()), of.text.clone()));
        let own = survey.links.iter().filter(|way| {
            way.cue == Cue::None
                && !way.is_deep
                && is_worded(&way.text)
                && chains.of_target(way.to) == chain
        });
        let own = own.map(|way| (Place::Own(way.looks.as_str()), way.text.clone()));
        let parts = parts(&survey.title);
        let from_start = parts.iter().enumerate().map(|(at, part)| (Place::Head(at), part.clone()));
        let from_end =
            parts.iter().rev().enumerate().map(|(at, part)| (Place::HeadEnd(at), part.clone()));
        let without = all_but(&survey.title);
        let without =
            without.into_iter().map(|(front, back, text)| (Place::HeadWithout(front, back), text));
        let mut seen = HashSet::new();
        let said = headings.chain(own).chain(from_start).chain(from_end).chain(without);
        let said = said.filter(|(place, text)| !text.is_empty() && seen.insert(*place)).collect();
        Page { source, chain, survey, said }
    }

    fn credit(&self, place: Place<'_>, text: &str, anchors: &Anchors) -> f64 {
        let is_said_again = || {
            let others = self.said.iter().filter(|(other, _)| other.kind() != place.kind());
            others.into_iter().any(|(_, other)| other == text)
        };
        if anchors.say(self.chain, text) {
            1.0
        } else if is_said_again() {
            SAID_TWICE
        } else if self.survey.title.contains(text) {
            SAID_IN_HEAD
        } else {
            0.0
        }
    }
}

#[derive(Default)]
struct Votes<'a> {
    pages: usize,
    credit: f64,
    texts: HashSet<&'a str>,
    chains: HashSet<Option<usize>>,
}

impl Votes<'_> {
    fn score(&self) -> f64 {
        self.credit * (self.texts.len() as f64 / self.chains.len().max(1) as f64).min(1.0)
    }
}

/// The parts of the title of a head.
fn parts(title: &str) -> Vec<String> {
    let title = folded(title);
    ranges(&title).into_iter().filter_map(|part| title.get(part)).map(str::to_owned).collect()
}

/// The title of a head without some of its first and last parts, where it has any.
fn all_but(title: &str) -> Vec<(usize, usize, String)> {
    let title = folded(title);
    let parts = ranges(&title);
    let mut found = Vec::new();
    for front in 0..=MOST_CUT {
        for back in (0..=MOST_CUT - front).filter(|back| front + back > 0) {
            let first = parts.get(front);
            let last = parts.len().checked_sub(1 + back).and_then(|last| parts.get(last));
            let text = first.zip(last).and_then(|(first, last)| title.get(first.start..last.end));
            found.extend(text.map(|text| (front, back, text.to_owned())));
        }
    }
    found
}

/// Where the parts of a title are.
fn ranges(title: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in title.char_indices() {
        let rest = title.get(at..).unwrap_or_default();
        let separator = SEPARATORS.iter().find(|separator| rest.starts_with(**separator));
        if let Some(separator) = separator.filter(|_| at >= start) {
            parts.push(start..at);
            start = at + separator.len();
        }
    }
    parts.push(start..title.len());
    parts
}
