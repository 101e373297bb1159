//! Pages that list what is at home elsewhere: the boards of a forum, what a user wrote, what a search
//! found. Each of their records leads to a place of its own on pages of another type.

use std::collections::HashSet;

use super::Source;
use super::field::Neighbours;
use super::wrapper::Wrapper;
use crate::tree::text::base_url;

/// Pages of a type that are looked at.
const PAGES: usize = 8;
/// The share of records that lead elsewhere where pages only list them.
const SHARE: f64 = 0.8;
/// The share of these that lead to a place of their own: all posts lead to their authors, too, but these
/// come again.
const OWN: f64 = 0.9;

/// Whether the records of a type of pages, at least so many, lead to pages of types that are `meant`.
pub(super) fn is_listing(
    sources: &[&Source<'_>],
    wrapper: &Wrapper,
    least: usize,
    meant: impl Fn(u32) -> bool,
    around: &Neighbours,
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
            let mut away_from_here =
                links.filter(|link| around.page_type(link).is_some_and(&meant));
            if let Some(link) = away_from_here.next() {
                away += 1;
                places.insert(link);
            }
        }
    }
    records >= least
        && away as f64 >= SHARE * records as f64
        && places.len() as f64 >= OWN * away as f64
}
