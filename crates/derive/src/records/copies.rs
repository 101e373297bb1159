//! Pages that show the same: one of them is read.
//!
//! Forums give every post an address of its own that shows the page of the thread which the post is on.
//! Which of such pages is *the* page is told by their addresses: of those that have one address a post,
//! many show the same; of those that have one a page, hardly any.

use std::collections::{HashMap, HashSet};

use page::state::url::shape;
use store::{Catalog, PageNumber, Unread};
use url::Url;

use crate::DeriveError;

/// Which pages of a site are read for all that show the same.
#[derive(Default)]
pub(super) struct Copies {
    read: HashMap<u64, Best>,
}

struct Best {
    /// Pages a state among those with addresses like this one's, in hundredths, and the length of it.
    rank: (usize, usize),
    page: PageNumber,
}

#[derive(Default)]
struct Counted {
    pages: usize,
    states: HashSet<u64>,
}

impl Copies {
    pub(super) async fn of(catalog: &Catalog, site: &str) -> Result<Self, DeriveError> {
        let mut shapes: HashMap<String, Counted> = HashMap::new();
        each(catalog, site, |page, state| {
            let counted = shapes.entry(pattern(&page.url)).or_default();
            counted.pages += 1;
            counted.states.insert(state);
        })
        .await?;
        let rank = |url: &str| {
            let counted = shapes.get(&pattern(url));
            let copies = counted.map_or(0, |of| 100 * of.pages / of.states.len().max(1));
            (copies, url.len())
        };
        let mut read: HashMap<u64, Best> = HashMap::new();
        each(catalog, site, |page, state| {
            let best = Best { rank: rank(&page.url), page: page.page };
            let known = read.entry(state).or_insert(Best { rank: best.rank, page: page.page });
            if (best.rank, best.page) < (known.rank, known.page) {
                *known = best;
            }
        })
        .await?;
        Ok(Self { read })
    }

    /// Whether another page is read in its place.
    pub(super) fn is_copy(&self, page: &Unread) -> bool {
        let read = page.state.and_then(|state| self.read.get(&state));
        read.is_some_and(|read| read.page != page.page)
    }
}

async fn each(
    catalog: &Catalog,
    site: &str,
    mut take: impl FnMut(&Unread, u64),
) -> Result<(), DeriveError> {
    let mut last = None;
    loop {
        let pages = catalog.to_read(site, last.as_ref()).await?;
        for page in &pages {
            if let Some(state) = page.state {
                take(page, state);
            }
        }
        match pages.into_iter().next_back() {
            Some(page) => last = Some(page),
            None => return Ok(()),
        }
    }
}

fn pattern(url: &str) -> String {
    Url::parse(url).map(|url| shape(&url)).unwrap_or_default()
}
