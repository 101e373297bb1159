//! Pages and their names: numbers, keys, and what a URL makes.

use std::collections::{BTreeSet, HashMap};

use crate::error::StoreError;
use crate::job::{add_visits, raise_ranks};
use crate::lease;
use crate::model::{Millis, PageNumber, PathStep};
use crate::tx::{ToValue, Tx, params};
use crate::words::PageStatus;

/// A URL that was come upon.
#[derive(Clone, Copy)]
pub(crate) struct Discovery<'a> {
    pub(crate) url: &'a str,
    pub(crate) origin: Option<PageNumber>,
    pub(crate) depth: u32,
    pub(crate) found_by: Option<&'a str>,
    pub(crate) rank: i64,
}

/// The page of a URL, made with a visit to do if it is new.
pub(crate) fn page_for_url(
    tx: &mut Tx<'_>,
    site: &str,
    discovery: Discovery<'_>,
    now: Millis,
) -> Result<(PageNumber, bool), StoreError> {
    let pages = pages_for_urls(tx, site, &[discovery], now)?;
    pages.first().copied().ok_or(StoreError::NoCatalog)
}

/// The pages of different URLs, in order, each with whether it is new. One that another site of the same
/// crawl has is a page of that site.
pub(crate) fn pages_for_urls(
    tx: &mut Tx<'_>,
    site: &str,
    discoveries: &[Discovery<'_>],
    now: Millis,
) -> Result<Vec<(PageNumber, bool)>, StoreError> {
    let leases = tx.leases;
    let site_of = |found: &Discovery<'_>| leases?.other_site(site, found.url);
    let sites: Vec<_> = discoveries.iter().map(site_of).collect();
    let different: BTreeSet<_> = sites.iter().collect();
    if different.len() < 2 && different.iter().all(|site| site.is_none()) {
        return pages_of_own_site(tx, site, discoveries, now);
    }
    let mut pages = vec![None; discoveries.len()];
    for other in different {
        let places = (0..sites.len()).filter(|place| sites.get(*place) == Some(other));
        let places: Vec<usize> = places.collect();
        let found: Vec<_> =
            places.iter().filter_map(|place| discoveries.get(*place)).copied().collect();
        let found = match other {
            Some((other, epoch)) => {
                tx.lock(other)?;
                lease::check(tx, other, *epoch)?;
                pages_of_site(tx, other, &found, now)?
            }
            None => pages_of_own_site(tx, site, &found, now)?,
        };
        for (place, page) in places.into_iter().zip(found) {
            pages[place] = Some(page);
        }
    }
    pages.into_iter().map(|page| page.ok_or(StoreError::NoCatalog)).collect()
}

/// The pages of a site that this writer serves: most addresses are on many of its pages.
fn pages_of_own_site(
    tx: &mut Tx<'_>,
    site: &str,
    discoveries: &[Discovery<'_>],
    now: Millis,
) -> Result<Vec<(PageNumber, bool)>, StoreError> {
    let remembered = |found: &Discovery<'_>| {
        let (page, rank) = tx.memory.page(site, found.url)?;
        (found.rank <= rank).then_some(page)
    };
    let known: Vec<_> = discoveries.iter().map(remembered).collect();
    let unknown = discoveries.iter().zip(&known).filter(|(_, known)| known.is_none());
    let unknown: Vec<_> = unknown.map(|(found, _)| *found).collect();
    let looked_up = match unknown.is_empty() {
        true => Vec::new(),
        false => pages_of_site(tx, site, &unknown, now)?,
    };
    for (found, (page, _)) in unknown.iter().zip(&looked_up) {
        tx.memory.remember_page(site, found.url, *page, found.rank);
    }
    let mut looked_up = looked_up.into_iter();
    let page = |known: Option<PageNumber>| match known {
        Some(page) => Ok((page, false)),
        None => looked_up.next().ok_or(StoreError::NoCatalog),
    };
    known.into_iter().map(page).collect()
}

fn pages_of_site(
    tx: &mut Tx<'_>,
    site: &str,
    discoveries: &[Discovery<'_>],
    now: Millis,
) -> Result<Vec<(PageNumber, bool)>, StoreError> {
    let urls: Vec<_> = discoveries.iter().map(|discovery| discovery.url.to_value()).collect();
    let rows = tx.query_in(
        "SELECT key, page FROM page_key WHERE site = $1 AND key IN ($list)",
        params![site],
        &urls,
    )?;
    let known: HashMap<String, PageNumber> =
        rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect::<Result<_, StoreError>>()?;
    let again = discoveries.iter().filter_map(|found| Some((*known.get(found.url)?, found.rank)));
    raise_ranks(tx, site, &again.collect::<Vec<_>>())?;

    let new: Vec<_> = discoveries.iter().filter(|found| !known.contains_key(found.url)).collect();
    let numbers: Vec<_> = page_numbers(tx, new.len())?;
    let pages: Vec<_> = new
        .iter()
        .zip(&numbers)
        .map(|(found, page)| {
            let Discovery { url, origin, depth, found_by, .. } = found;
            let status = PageStatus::Queued;
            params![site, page, url, origin, depth, found_by, status, now, now].to_vec()
        })
        .collect();
    tx.insert(
        "INSERT INTO page (site, page, url, origin, depth, found_by, status, first_seen, last_seen)",
        &pages,
        "",
    )?;
    let keys = new
        .iter()
        .zip(&numbers)
        .map(|(found, page)| params![site, found.url, page, 1_i64].to_vec());
    tx.insert("INSERT INTO page_key (site, key, page, is_main)", &keys.collect::<Vec<_>>(), "")?;
    let visits = new.iter().zip(&numbers);
    add_visits(tx, site, visits.map(|(found, page)| (*page, found.url, found.depth, found.rank)))?;
    let mut numbers = numbers.into_iter();
    let page = |found: &Discovery<'_>| match known.get(found.url) {
        Some(page) => Ok((*page, false)),
        None => numbers.next().map(|page| (page, true)).ok_or(StoreError::NoCatalog),
    };
    discoveries.iter().map(page).collect()
}

pub(crate) fn name(
    tx: &mut Tx<'_>,
    site: &str,
    key: &str,
    page: PageNumber,
    is_main: bool,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO page_key (site, key, page, is_main) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING",
        params![site, key, page, is_main],
    )?;
    Ok(())
}

/// The page that a key names, through aliases and merges.
pub(crate) fn page_of_key(
    tx: &mut Tx<'_>,
    site: &str,
    key: &str,
) -> Result<Option<PageNumber>, StoreError> {
    tx.value_optional("SELECT page FROM page_key WHERE site = $1 AND key = $2", params![site, key])
}

/// Numbers that no page of this store has had, in order.
pub(crate) fn page_numbers(
    tx: &mut Tx<'_>,
    how_many: usize,
) -> Result<Vec<PageNumber>, StoreError> {
    if how_many == 0 {
        return Ok(Vec::new());
    }
    Ok(tx.driver.page_numbers(how_many)?.into_iter().map(PageNumber).collect())
}

/// The class of the link or event that first led to a page.
pub(crate) fn found_by(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
) -> Result<Option<String>, StoreError> {
    tx.value("SELECT found_by FROM page WHERE site = $1 AND page = $2", params![site, page])
}

pub(crate) fn read_path(column: Option<String>) -> Result<Vec<PathStep>, StoreError> {
    column.map_or(Ok(Vec::new()), |json| {
        serde_json::from_str(&json)
            .map_err(|_| StoreError::Unreadable { what: "path", value: json })
    })
}
