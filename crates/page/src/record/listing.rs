//! Pages that show posts of threads again: what a user wrote, what a search found, what is new.
//!
//! Their records look like posts, but each leads to the page of a thread, which has it as well. Posts of
//! a thread lead to their own page.

use std::collections::HashSet;

use super::Source;
use super::field::Neighbours;
use super::wrapper::Wrapper;
use crate::tree::text::base_url;

/// Pages of a type that are looked at.
const PAGES: usize = 8;
/// Records that are enough to tell.
const ENOUGH: usize = 8;
/// The share of records that lead elsewhere where pages only list them.
const SHARE: f64 = 0.8;
/// The share of these that lead to a place of their own: all posts lead to their authors, too, but these
/// come again.
const OWN: f64 = 0.9;

/// Whether the posts of a type of pages are listed there, and are at home on pages of other types.
pub(super) fn is_listing(
    sources: &[&Source<'_>],
    wrapper: &Wrapper,
    own: u32,
    around: &Neighbours,
    is_better: impl Fn(u32) -> bool,
) -> bool {
    let (mut records, mut away) = (0usize, 0usize);
    let mut places = HashSet::new();
    for source in sources.iter().take(PAGES) {
        let Some(dom) = source.view(wrapper.view) else { continue };
        let base = base_url(dom, source.url);
        for found in wrapper.read(source) {
            records += 1;
            let links = found.span.walk(dom).filter_map(|node| node.attribute("href"));
            let links = links.filter_map(|link| base.join(link).ok());
            let leads_to = |page_type: u32| page_type != own && is_better(page_type);
            let mut threads = links.filter(|link| around.page_type(link).is_some_and(leads_to));
            if let Some(link) = threads.next() {
                away += 1;
                places.insert(link);
            }
        }
    }
    records >= ENOUGH
        && away as f64 >= SHARE * records as f64
        && places.len() as f64 >= OWN * away as f64
}
