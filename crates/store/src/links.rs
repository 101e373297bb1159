//! The links of a version, as one compact value: which pages they lead to, and at which places.
//!
//! A link says by itself where it leads, so a row of the graph for each says nothing more: on a site of
//! 3,001 plain pages these rows took more room than the pages. Places are XPaths without their numbers;
//! a site has few, and they are kept once. The value is a list of runs of links at one place: the
//! number of the place, how many, and each target as its distance to the one before, all as variable
//! length integers. Its first byte is its format.

use std::collections::{BTreeSet, HashMap};

use crate::edge::{Edge, Moment, keep_edges};
use crate::error::StoreError;
use crate::model::{EdgeRow, LinkFound, PageNumber};
use crate::page::{Discovery, pages_for_urls};
use crate::tx::{ToValue, Tx, params};
use crate::words::EdgeOutcome;

const FORMAT: u8 = 1;

/// Elements whose own address is the link. Everything else that leads somewhere was made to by a
/// script, and is an edge that a copy of the page has to know of.
const LINKS: [&str; 6] = ["a", "area", "link", "meta", "iframe", "frame"];

/// A link of a version: the number of its place, and the page it leads to.
type Link = (u64, PageNumber);

/// Makes pages of URLs, and keeps where they were found: links of the version, edges where a script
/// leads there, and edges with the reason for those that are refused.
pub(crate) fn keep_links(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    depth: u32,
    links: &[LinkFound],
    at: Moment,
) -> Result<(), StoreError> {
    if links.is_empty() {
        return Ok(());
    }
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut different: Vec<(&LinkFound, i64)> = Vec::new();
    for link in links {
        let place = *places.entry(&link.url).or_insert(different.len());
        match different.get_mut(place) {
            Some((_, rank)) => *rank = link.rank.max(*rank),
            None => different.push((link, link.rank)),
        }
    }
    let (refused, followed): (Vec<_>, Vec<_>) =
        different.into_iter().partition(|(link, _)| link.refused_because.is_some());
    let found: Vec<_> = followed
        .iter()
        .map(|(link, rank)| Discovery {
            url: &link.url,
            origin: Some(page),
            depth: depth + 1,
            found_by: link.class.as_deref(),
            rank: *rank,
        })
        .collect();
    let targets = pages_for_urls(tx, site, &found, at.time)?;
    let mut edges: Vec<Edge<'_>> = Vec::new();
    let mut plain: Vec<(&LinkFound, PageNumber)> = Vec::new();
    for ((link, _), (target, _)) in followed.into_iter().zip(targets) {
        let edge = Edge::read_off(page, "link", &link.url);
        match says_where(&link.xpath) {
            true => plain.push((link, target)),
            false => {
                let (xpath, text) = (link.xpath.as_str(), link.text.as_str());
                edges.push(Edge { xpath, text, target: Some(target), ..edge });
            }
        }
    }
    edges.extend(refused.iter().map(|(link, _)| Edge {
        xpath: &link.xpath,
        text: &link.text,
        outcome: EdgeOutcome::Refused,
        refused: link.refused_because.as_deref(),
        ..Edge::read_off(page, "link", &link.url)
    }));
    keep_edges(tx, site, &edges, at)?;
    add(tx, site, page, &plain)
}

/// Adds links to those of the latest version of a page.
fn add(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    links: &[(&LinkFound, PageNumber)],
) -> Result<(), StoreError> {
    if links.is_empty() {
        return Ok(());
    }
    let latest = tx.query_optional(
        "SELECT version, links FROM version WHERE site = $1 AND page = $2
         ORDER BY version DESC LIMIT 1",
        params![site, page],
    )?;
    let Some(latest) = latest else { return Ok(()) };
    let version: i64 = latest.get(0)?;
    let known: Option<Vec<u8>> = latest.get(1)?;
    let mut all: BTreeSet<Link> =
        decode(known.as_deref().unwrap_or_default())?.into_iter().collect();
    let before = all.len();
    let places: Vec<String> = links.iter().map(|(link, _)| place_of(&link.xpath)).collect();
    let numbers = place_numbers(tx, site, &places)?;
    let at = |place: &String| numbers.get(place).copied().unwrap_or_default();
    all.extend(places.iter().zip(links).map(|(place, (_, target))| (at(place), *target)));
    if all.len() > before {
        tx.execute(
            "UPDATE version SET links = $4 WHERE site = $1 AND page = $2 AND version = $3",
            params![site, page, version, encode(&all).as_slice()],
        )?;
    }
    Ok(())
}

/// The numbers of places of a site, given to those that have none.
fn place_numbers(
    tx: &mut Tx<'_>,
    site: &str,
    places: &[String],
) -> Result<HashMap<String, u64>, StoreError> {
    let different: BTreeSet<&String> = places.iter().collect();
    let mut numbers = HashMap::with_capacity(different.len());
    let remembered = |place: &&String| Some(((*place).clone(), tx.memory.place(site, place)?));
    numbers.extend(different.iter().filter_map(remembered));
    let unknown: Vec<&String> =
        different.into_iter().filter(|place| !numbers.contains_key(*place)).collect();
    if unknown.is_empty() {
        return Ok(numbers);
    }
    let rows = tx.query_in(
        "SELECT xpath, place FROM place WHERE site = $1 AND xpath IN ($list)",
        params![site],
        &unknown.iter().map(|place| place.as_str().to_value()).collect::<Vec<_>>(),
    )?;
    for row in rows {
        numbers.insert(row.get::<String>(0)?, row.get::<i64>(1)?.unsigned_abs());
    }
    let new: Vec<&String> =
        unknown.iter().copied().filter(|place| !numbers.contains_key(*place)).collect();
    if !new.is_empty() {
        let last: i64 =
            tx.value("SELECT coalesce(max(place), 0) FROM place WHERE site = $1", params![site])?;
        let given: Vec<(i64, &String)> = (last + 1..).zip(new).collect();
        let rows: Vec<_> =
            given.iter().map(|(number, place)| params![site, number, place].to_vec()).collect();
        tx.insert("INSERT INTO place (site, place, xpath)", &rows, "")?;
        let given = given.into_iter();
        numbers.extend(given.map(|(number, place)| (place.clone(), number.unsigned_abs())));
    }
    for place in unknown {
        if let Some(number) = numbers.get(place) {
            tx.memory.remember_place(site, place, *number);
        }
    }
    Ok(numbers)
}

/// The links of the latest versions of these pages, as edges.
pub(crate) fn links_of(
    tx: &mut Tx<'_>,
    site: &str,
    pages: &BTreeSet<PageNumber>,
) -> Result<Vec<EdgeRow>, StoreError> {
    let list: Vec<_> = pages.iter().map(ToValue::to_value).collect();
    let rows = tx.query_in(
        "SELECT v.page, v.links
         FROM version v JOIN page p ON p.site = v.site AND p.page = v.page
         WHERE v.site = $1 AND v.page IN ($list) AND v.links IS NOT NULL
           AND p.merged_into IS NULL
           AND v.version = (SELECT max(o.version) FROM version o
                            WHERE o.site = v.site AND o.page = v.page)",
        params![site],
        &list,
    )?;
    let mut links: Vec<(PageNumber, Link)> = Vec::new();
    for row in &rows {
        let (page, bytes): (PageNumber, Vec<u8>) = (row.get(0)?, row.get(1)?);
        links.extend(decode(&bytes)?.into_iter().map(|link| (page, link)));
    }
    let targets: BTreeSet<PageNumber> = links.iter().map(|(_, (_, target))| *target).collect();
    let targets = tx.query_in(
        "SELECT page, coalesce(merged_into, page), url FROM page WHERE page IN ($list)",
        &[],
        &targets.iter().map(ToValue::to_value).collect::<Vec<_>>(),
    )?;
    let targets: HashMap<PageNumber, (PageNumber, String)> = targets
        .iter()
        .map(|row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))
        .collect::<Result<_, StoreError>>()?;
    let places = tx.query("SELECT place, xpath FROM place WHERE site = $1", params![site])?;
    let places: HashMap<u64, String> = places
        .iter()
        .map(|row| Ok((row.get::<i64>(0)?.unsigned_abs(), row.get(1)?)))
        .collect::<Result<_, StoreError>>()?;
    let edge = |(from, (place, target)): (PageNumber, Link)| {
        let (to, url) = targets.get(&target)?.clone();
        Some(EdgeRow {
            from,
            to: Some(to),
            event: "link".into(),
            xpath: places.get(&place).cloned().unwrap_or_default(),
            element_id: None,
            text: String::new(),
            instruction: url,
            outcome: EdgeOutcome::Link,
            refused_because: None,
            note: None,
            cost_ms: None,
            fickle: false,
            class: None,
            values: Vec::new(),
        })
    };
    Ok(links.into_iter().filter_map(edge).collect())
}

/// Whether the element at this path says where it leads.
fn says_where(xpath: &str) -> bool {
    let last = xpath.rsplit('/').next().unwrap_or_default();
    let name = last.split('[').next().unwrap_or_default();
    LINKS.contains(&name)
}

/// A path without its numbers.
fn place_of(xpath: &str) -> String {
    let mut place = String::with_capacity(xpath.len());
    for part in xpath.split('[') {
        match part.split_once(']') {
            Some((_, rest)) => place.push_str(rest),
            None => place.push_str(part),
        }
    }
    place
}

fn encode(links: &BTreeSet<Link>) -> Vec<u8> {
    let mut bytes = vec![FORMAT];
    let mut rest: Vec<Link> = links.iter().copied().collect();
    let mut before = 0;
    while let Some(&(place, _)) = rest.first() {
        let count = rest.iter().take_while(|(at, _)| *at == place).count();
        put(&mut bytes, place);
        put(&mut bytes, count as u64);
        for (_, target) in rest.drain(..count) {
            let step = target.0.wrapping_sub(before);
            put(&mut bytes, ((step << 1) ^ (step >> 63)) as u64);
            before = target.0;
        }
    }
    bytes
}

fn decode(bytes: &[u8]) -> Result<Vec<Link>, StoreError> {
    let unreadable = || StoreError::Unreadable { what: "links", value: format!("{bytes:?}") };
    let mut rest = match bytes.split_first() {
        None => return Ok(Vec::new()),
        Some((&FORMAT, rest)) => rest,
        Some(_) => return Err(unreadable()),
    };
    let mut links = Vec::new();
    let mut before: i64 = 0;
    while !rest.is_empty() {
        let place = take(&mut rest).ok_or_else(unreadable)?;
        let count = take(&mut rest).ok_or_else(unreadable)?;
        for _ in 0..count {
            let step = take(&mut rest).ok_or_else(unreadable)?;
            before = before.wrapping_add((step >> 1) as i64 ^ -((step & 1) as i64));
            links.push((place, PageNumber(before)));
        }
    }
    Ok(links)
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_they_were_written_in_a_few_bytes_each() {
        let links: BTreeSet<Link> =
            (0..100).map(|n| (1 + n / 40, PageNumber(5_000 + (n * 7919 % 97) as i64))).collect();
        let bytes = encode(&links);
        assert_eq!(decode(&bytes).unwrap(), links.iter().copied().collect::<Vec<_>>());
        assert!(bytes.len() < 2 * links.len(), "{} bytes for {} links", bytes.len(), links.len());
    }

    #[test]
    fn any_number_survives_and_no_bytes_are_taken_for_links_that_are_none() {
        let links = BTreeSet::from([(u64::MAX, PageNumber(i64::MAX)), (0, PageNumber(i64::MIN))]);
        assert_eq!(decode(&encode(&links)).unwrap(), links.into_iter().collect::<Vec<_>>());
        assert!(decode(&[]).unwrap().is_empty());
        for broken in [&[2][..], &[1, 1], &[1, 1, 5, 2], &[1, 0xff]] {
            assert!(decode(broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn a_place_has_no_numbers_and_a_link_is_told_by_its_element() {
        assert_eq!(place_of("/html[1]/body[1]/ul[2]/li[13]/a[1]"), "/html/body/ul/li/a");
        assert!(says_where("/html/body/a[3]") && says_where("/html/head/link[1]"));
        assert!(!says_where("/html/body/button[1]") && !says_where("/html/body/abbr[1]"));
    }
}
