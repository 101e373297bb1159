//! Types of pages that are one: a list with few rows may look unlike a long one, and a thread with a
//! single post unlike the others. What tells is that the wrapper of one reads the other as well.

use std::collections::{BTreeMap, HashMap};

use super::map::SiteMap;
use super::wrapper::{Found, Wrapper};
use super::{Kind, Source};

/// Types whose wrappers are tried on the others: the largest.
const WRAPPERS: usize = 8;
/// Pages of a type that a wrapper is tried on.
const PAGES: usize = 4;
/// How much of what it finds on its own pages a wrapper must find, and how much of the text and of the
/// fields that the type's own wrapper finds: a box of similar threads below a thread makes no list of it,
/// nor do the titles that a profile repeats.
const SHARE: f64 = 0.8;

/// For each type that is a part of another one, the name of that one. `leads` has the wrapper of each
/// type that has one.
pub(super) fn kin(
    sources: &[Source<'_>],
    map: &SiteMap,
    leads: &[Option<Wrapper>],
) -> BTreeMap<String, String> {
    let mut by_size: Vec<usize> = (0..leads.len()).collect();
    let pages = |number: &usize| map.types().get(*number).map_or(0, |of| of.pages);
    by_size.sort_by_key(|number| std::cmp::Reverse(pages(number)));
    let mut same = BTreeMap::new();
    let name = |number: usize| map.types().get(number).map_or("", |of| &of.name).to_owned();
    let lead = |number: usize| leads.get(number).and_then(Option::as_ref);
    for (at, &whole) in by_size.iter().enumerate().take(WRAPPERS) {
        let Some(wrapper) = lead(whole).filter(|wrapper| wrapper.kind() != Kind::Item) else {
            continue;
        };
        if same.contains_key(&name(whole)) {
            continue;
        }
        let usual = confidence(&trial(sources, map, whole, wrapper));
        // Threads without an answer may be more than those with any, and nothing is read of them alone.
        let is_unread = |part: &&usize| lead(**part).is_none_or(|own| own.kind() == Kind::Item);
        let larger = by_size.iter().take(at).filter(is_unread);
        for &part in by_size.iter().skip(at + 1).chain(larger) {
            if !same.contains_key(&name(part))
                && reads(sources, map, part, wrapper, usual, lead(part))
            {
                same.insert(name(part), name(whole));
            }
        }
    }
    same
}

/// Whether a wrapper reads the pages of a type as well as its own.
fn reads(
    sources: &[Source<'_>],
    map: &SiteMap,
    page_type: usize,
    wrapper: &Wrapper,
    usual: f64,
    own: Option<&Wrapper>,
) -> bool {
    let found = trial(sources, map, page_type, wrapper);
    let owned = own.map(|own| trial(sources, map, page_type, own)).unwrap_or_default();
    !found.is_empty()
        && found.iter().all(|page| !page.is_empty())
        && confidence(&found) >= SHARE * usual
        && letters(&found) >= SHARE * letters(&owned)
        && fields(&found) >= SHARE * fields(&owned)
}

/// How much the records of pages say that no other page says: menus and notices are on all of them.
fn letters(pages: &[Vec<Found>]) -> f64 {
    let mut said: HashMap<&str, (usize, bool)> = HashMap::new();
    for (at, page) in pages.iter().enumerate() {
        for text in page.iter().map(|found| found.record.text.as_str()) {
            let (first, again) = said.entry(text).or_insert((at, false));
            *again |= *first != at;
        }
    }
    let own = said.iter().filter(|(_, (_, again))| !again);
    own.map(|(text, _)| text.len()).sum::<usize>() as f64
}

/// How many fields the records of pages have on average.
fn fields(pages: &[Vec<Found>]) -> f64 {
    let all = || pages.iter().flatten();
    let count: usize = all().map(|found| found.record.field_xpaths.len()).sum();
    count as f64 / all().count().max(1) as f64
}

fn trial(
    sources: &[Source<'_>],
    map: &SiteMap,
    page_type: usize,
    wrapper: &Wrapper,
) -> Vec<Vec<Found>> {
    let members: Vec<usize> = map.sources_of(page_type).collect();
    let count = members.len().min(PAGES);
    let some = (0..count).filter_map(|nth| members.get(nth * members.len() / count));
    some.filter_map(|source| sources.get(*source)).map(|source| wrapper.read(source)).collect()
}

/// How sure the records of pages are on average.
fn confidence(pages: &[Vec<Found>]) -> f64 {
    let all = || pages.iter().flatten();
    all().map(|found| found.record.confidence).sum::<f64>() / all().count().max(1) as f64
}
