//! Edges of the state-transition graph: what an event answered, and which answer stays.
//!
//! An answer is a page, or the page itself where nothing changed. Within a round every answer that
//! an event gave is kept; two different ones make it fickle. What was not fired (refused, lost,
//! known, skipped) is no answer: it gives way to one, and never takes the place of one of this round.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::model::{EventTried, LinkFound, Millis, PageNumber};
use crate::page::{Discovery, page_for_url};
use crate::task::raise_rank;

/// Events that were not fired but read off the page: several of them at one place are no answers.
const READ_OFF: [&str; 2] = ["link", "redirect"];
const ANSWERS: [&str; 4] = ["same", "reveal", "page", "link"];

/// A row of the graph to keep.
pub(crate) struct Edge<'a> {
    pub(crate) page: PageNumber,
    pub(crate) tried: &'a EventTried,
    pub(crate) target: Option<PageNumber>,
    pub(crate) outcome: &'static str,
    pub(crate) refused: Option<&'a str>,
    pub(crate) note: Option<&'a str>,
    pub(crate) cost_ms: Option<i64>,
}

/// When a step happened, and when the round of visits that it belongs to began.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) time: Millis,
    pub(crate) began: Millis,
}

/// What the same event of the same page has in the graph.
struct Sibling {
    target: i64,
    /// Answered in this round.
    answers: bool,
    fickle: bool,
}

pub(crate) fn keep_edge(
    connection: &Connection,
    site: &str,
    edge: &Edge<'_>,
    at: Moment,
) -> Result<(), StoreError> {
    let target = edge.target.map_or(0, |page| page.0);
    let answers = ANSWERS.contains(&edge.outcome);
    let siblings = siblings(connection, site, edge, at.began)?;
    if !answers && siblings.iter().any(|sibling| sibling.answers) {
        return Ok(());
    }
    // To lead to the page itself and to change nothing is one answer.
    let answer = |target: i64| if target == edge.page.0 { 0 } else { target };
    let mut fickle = false;
    for sibling in siblings.iter().filter(|sibling| sibling.target != target) {
        let differs = answer(sibling.target) != answer(target);
        if differs && (sibling.answers || sibling.fickle) {
            fickle |= !READ_OFF.contains(&edge.tried.event.as_str());
        } else {
            remove(connection, site, edge, sibling.target)?;
        }
    }
    if fickle && siblings.iter().any(|sibling| !sibling.fickle) {
        connection
            .prepare_cached(
                "UPDATE edge SET fickle = 1
                 WHERE site = ?1 AND page = ?2 AND event = ?3 AND xpath = ?4",
            )?
            .execute(params![site, edge.page.0, edge.tried.event, edge.tried.xpath])?;
    }
    connection
        .prepare_cached(
            "INSERT INTO edge (site, page, event, xpath, target, outcome, element_id, text,
                               instruction, refused_because, note, cost_ms, fickle, time)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
             ON CONFLICT (site, page, event, xpath, target) DO UPDATE SET
               outcome = excluded.outcome, element_id = excluded.element_id, text = excluded.text,
               instruction = excluded.instruction, refused_because = excluded.refused_because,
               note = excluded.note, fickle = excluded.fickle, time = excluded.time,
               cost_ms = coalesce((3 * edge.cost_ms + excluded.cost_ms) / 4,
                                  excluded.cost_ms, edge.cost_ms)",
        )?
        .execute(params![
            site,
            edge.page.0,
            edge.tried.event,
            edge.tried.xpath,
            target,
            edge.outcome,
            edge.tried.element_id,
            edge.tried.text,
            edge.tried.instruction,
            edge.refused,
            edge.note,
            edge.cost_ms,
            fickle,
            at.time.0
        ])?;
    Ok(())
}

fn siblings(
    connection: &Connection,
    site: &str,
    edge: &Edge<'_>,
    began: Millis,
) -> Result<Vec<Sibling>, StoreError> {
    let mut question = connection.prepare_cached(
        "SELECT target, time >= ?5 AND outcome IN ('same', 'reveal', 'page', 'link'), fickle
         FROM edge WHERE site = ?1 AND page = ?2 AND event = ?3 AND xpath = ?4",
    )?;
    let of = params![site, edge.page.0, edge.tried.event, edge.tried.xpath, began.0];
    let rows = question.query_map(of, |row| {
        Ok(Sibling { target: row.get(0)?, answers: row.get(1)?, fickle: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn remove(
    connection: &Connection,
    site: &str,
    edge: &Edge<'_>,
    target: i64,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "DELETE FROM edge
             WHERE site = ?1 AND page = ?2 AND event = ?3 AND xpath = ?4 AND target = ?5",
        )?
        .execute(params![site, edge.page.0, edge.tried.event, edge.tried.xpath, target])?;
    Ok(())
}

/// Makes pages of URLs, and one edge to each: a second link to the same page only raises its rank.
pub(crate) fn keep_links(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    depth: u32,
    links: &[LinkFound],
    at: Moment,
) -> Result<(), StoreError> {
    let mut seen: HashMap<&str, (Option<PageNumber>, i64)> = HashMap::new();
    for link in links {
        if let Some((target, rank)) = seen.get_mut(link.url.as_str()) {
            if let Some(target) = target.filter(|_| link.rank > *rank) {
                raise_rank(connection, site, target, link.rank)?;
                *rank = link.rank;
            }
            continue;
        }
        let target = match link.refused_because {
            Some(_) => None,
            None => {
                let discovery = Discovery {
                    url: &link.url,
                    origin: Some(page),
                    depth: depth + 1,
                    found_by: link.class.as_deref(),
                    rank: link.rank,
                };
                Some(page_for_url(connection, site, &discovery, at.time)?.0)
            }
        };
        seen.insert(&link.url, (target, link.rank));
        let tried = EventTried {
            event: "link".into(),
            xpath: link.xpath.clone(),
            element_id: None,
            text: link.text.clone(),
            instruction: link.url.clone(),
            class: None,
        };
        let edge = Edge {
            page,
            tried: &tried,
            target,
            outcome: if target.is_some() { "link" } else { "refused" },
            refused: link.refused_because.as_deref(),
            note: None,
            cost_ms: None,
        };
        keep_edge(connection, site, &edge, at)?;
    }
    Ok(())
}

/// Lets `kept` take over the edges to and from `gone`. Answers that turn out to be one page are one
/// answer, and an event that only seemed to give several is not fickle any more; one event that
/// answered differently on the two pages, which are one now, is. What led from one to the other
/// leads nowhere.
pub(crate) fn merge_edges(
    connection: &Connection,
    site: &str,
    gone: PageNumber,
    kept: PageNumber,
    began: Millis,
) -> Result<(), StoreError> {
    // What was not fired on the one page was answered on the other.
    connection
        .prepare_cached(
            "DELETE FROM edge WHERE site = ?1 AND page = ?3
               AND outcome NOT IN ('same', 'reveal', 'page', 'link')
               AND EXISTS (SELECT 1 FROM edge o WHERE o.site = ?1 AND o.page = ?2
                             AND o.event = edge.event AND o.xpath = edge.xpath AND o.time >= ?4
                             AND o.outcome IN ('same', 'reveal', 'page', 'link'))",
        )?
        .execute(params![site, gone.0, kept.0, began.0])?;
    for change in [
        "UPDATE OR IGNORE edge SET target = ?3 WHERE site = ?1 AND target = ?2 AND target <> 0",
        "UPDATE OR IGNORE edge SET page = ?3 WHERE site = ?1 AND page = ?2",
    ] {
        connection.prepare_cached(change)?.execute(params![site, gone.0, kept.0])?;
    }
    for change in [
        "DELETE FROM edge WHERE site = ?1 AND target = ?2 AND target <> 0",
        "DELETE FROM edge WHERE site = ?1 AND page = ?2",
    ] {
        connection.prepare_cached(change)?.execute(params![site, gone.0])?;
    }
    for change in [
        "UPDATE OR IGNORE edge SET target = 0, outcome = 'same'
         WHERE site = ?1 AND page = ?2 AND target = ?2 AND outcome = 'page'",
        "DELETE FROM edge WHERE site = ?1 AND page = ?2 AND target = ?2 AND outcome = 'page'",
    ] {
        connection.prepare_cached(change)?.execute(params![site, kept.0])?;
    }
    connection
        .prepare_cached(
            "DELETE FROM edge WHERE site = ?1 AND page = ?2 AND event NOT IN ('link', 'redirect')
               AND fickle = 0
               AND (time < ?3 OR outcome NOT IN ('same', 'reveal', 'page', 'link'))
               AND EXISTS (SELECT 1 FROM edge o WHERE o.site = ?1 AND o.page = ?2
                             AND o.event = edge.event AND o.xpath = edge.xpath
                             AND o.target <> edge.target AND o.time >= ?3
                             AND o.outcome IN ('same', 'reveal', 'page', 'link'))",
        )?
        .execute(params![site, kept.0, began.0])?;
    for change in [
        "UPDATE edge SET fickle = 1
         WHERE site = ?1 AND page = ?2 AND event NOT IN ('link', 'redirect') AND fickle = 0
           AND outcome IN ('same', 'reveal', 'page', 'link')
           AND EXISTS (SELECT 1 FROM edge o WHERE o.site = ?1 AND o.page = ?2
                         AND o.event = edge.event AND o.xpath = edge.xpath
                         AND o.target <> edge.target
                         AND o.outcome IN ('same', 'reveal', 'page', 'link'))",
        "UPDATE edge SET fickle = 0
         WHERE site = ?1 AND page = ?2 AND fickle = 1
           AND NOT EXISTS (SELECT 1 FROM edge o WHERE o.site = ?1 AND o.page = ?2
                             AND o.event = edge.event AND o.xpath = edge.xpath
                             AND o.target <> edge.target)",
        "UPDATE edge SET fickle = 0
         WHERE site = ?1 AND target = ?2 AND target <> 0 AND fickle = 1
           AND NOT EXISTS (SELECT 1 FROM edge o WHERE o.site = ?1 AND o.page = edge.page
                             AND o.event = edge.event AND o.xpath = edge.xpath
                             AND o.target <> edge.target)",
    ] {
        connection.prepare_cached(change)?.execute(params![site, kept.0])?;
    }
    Ok(())
}
