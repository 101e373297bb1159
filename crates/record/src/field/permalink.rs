//! The address of a record itself, its number in the thread, and the board of a thread.

use std::collections::HashSet;

use url::Url;

use super::Evidence;
use super::selector::{Part, Place, Selector};
use super::thread::is_position;

/// Words of addresses that do something with a record.
const ACTIONS: [&str; 12] = [
    "reply", "quote", "report", "edit", "delete", "like", "vote", "login", "posting", "newreply",
    "share", "warn",
];

/// The link of a post to itself: another address in every record, that leads to this page or names an
/// element of the record.
pub(super) fn of_post(evidence: &Evidence<'_, '_>, content: Option<usize>) -> Option<Selector> {
    let table = evidence.table;
    let mut best: Option<(f64, usize)> = None;
    for (number, column) in evidence.columns.iter().enumerate() {
        let is_link =
            table.cells_of(column).next().is_some_and(|(_, _, cell)| cell.node.name() == "a");
        let inside = content.is_some_and(|content| evidence.inside(content, number) > 0.2);
        let is_whole = column.place == Place::Record;
        if !is_link || is_whole || inside || (column.count as f64) < 0.7 * table.rows.len() as f64 {
            continue;
        }
        let links: Vec<(usize, Url)> = table
            .cells_of(column)
            .filter_map(|(row, _, cell)| Some((row, table.link(row, cell)?)))
            .collect();
        let distinct = links.iter().map(|(_, link)| link.as_str()).collect::<HashSet<_>>().len();
        if links.is_empty() || distinct * 10 < links.len() * 9 {
            continue;
        }
        let mut score = 0.0;
        for (row, link) in &links {
            score += link_score(evidence, *row, link);
        }
        score = score / links.len() as f64 * column.count as f64 / table.rows.len() as f64;
        if score > best.map_or(0.35, |(best, _)| best) {
            best = Some((score, number));
        }
    }
    let place = evidence.columns.get(best?.1)?.place.clone();
    Some(Selector::new(place, Part::Link))
}

fn link_score(evidence: &Evidence<'_, '_>, row: usize, link: &Url) -> f64 {
    let Some(of) = evidence.table.rows.get(row) else { return 0.0 };
    let Some(page) = evidence.table.page_of(of) else { return 0.0 };
    let address = link.as_str().to_ascii_lowercase();
    if !link.scheme().starts_with("http") || link.host_str() != page.url.host_str() {
        return 0.0;
    }
    let acts = ACTIONS.iter().any(|word| {
        let query = link.query().unwrap_or_default().to_ascii_lowercase();
        let last = link.path().rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
        query.contains(word) || last.to_ascii_lowercase().contains(word)
    });
    if acts {
        return 0.1;
    }
    let names_record = link.fragment().is_some_and(|fragment| {
        let cells = of.cells.list.iter().take(64);
        let mut ids =
            cells.flat_map(|cell| [cell.node.attribute("id"), cell.node.attribute("name")]);
        ids.any(|id| id == Some(fragment))
    });
    let here = is_below(link, page.url);
    let same_type = evidence
        .around
        .page_type(link)
        .is_some_and(|there| evidence.around.page_type(page.url) == Some(there));
    let says_so = ["post", "comment", "msg", "permalink"].iter().any(|word| address.contains(word));
    let parts = [
        (names_record, 0.5),
        (here || same_type, 0.3),
        (link.fragment().is_some(), 0.15),
        (says_so, 0.15),
    ];
    parts.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum()
}

/// Whether an address is under that of a page, the number of the page apart.
fn is_below(link: &Url, page: &Url) -> bool {
    let parts = |url: &Url| {
        let parts = url.path().split('/').filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect::<Vec<_>>()
    };
    let (link, page) = (parts(link), parts(page));
    let shared = link.iter().zip(&page).take_while(|(a, b)| a == b).count();
    shared == page.len() || (shared >= 1 && shared + 1 >= page.len())
}

/// The number of a post in its thread: one more than that of the post before.
pub(super) fn position(evidence: &Evidence<'_, '_>, content: Option<usize>) -> Option<Selector> {
    let table = evidence.table;
    for (number, column) in evidence.columns.iter().enumerate() {
        let inside = content.is_some_and(|content| evidence.inside(content, number) > 0.2);
        if inside || (column.count as f64) < 0.9 * table.rows.len() as f64 {
            continue;
        }
        let Some(values) = evidence.text(number) else { continue };
        if values.longest <= 16
            && values.share(values.numbers) > 0.95
            && is_position(table, &values.texts)
        {
            return Some(values.selector.of_part(Part::Number));
        }
    }
    None
}

/// The board of a thread: a link that comes again, to a page of the type that the list itself is of.
pub(super) fn board(evidence: &Evidence<'_, '_>, used: &[usize]) -> Option<(usize, Selector)> {
    let table = evidence.table;
    let boards = evidence.columns.iter().enumerate().filter_map(|(number, column)| {
        let taken = used.iter().any(|used| evidence.inside(*used, number) > 0.0);
        if taken || (column.count as f64) < 0.7 * table.rows.len() as f64 {
            return None;
        }
        let values = evidence.text(number)?;
        let own = table.rows.iter().zip(&values.links).filter(|(row, link)| {
            let here = table.page_of(row).and_then(|page| evidence.around.page_type(page.url));
            let there = link.as_ref().and_then(|link| evidence.around.page_type(link));
            here.is_some() && here == there
        });
        let leads = own.count() * 10 >= values.filled * 9;
        let comes_again = values.distinct > 1 && values.distinct * 2 < values.filled;
        let named = values.share(values.letters) > 0.9 && values.one_to_one() > 0.9;
        (leads && comes_again && named).then(|| (number, values.selector.clone()))
    });
    boards.into_iter().next()
}
