//! Edges of the state-transition graph: what an event answered, and which answer stays.
//!
//! An answer is a page, or the page itself where nothing changed. Within a round every answer that
//! an event gave is kept; two different ones make it fickle. What was not fired (refused, lost,
//! known, skipped) is no answer: it gives way to one, and never takes the place of one of this round.

use std::collections::HashMap;

use crate::error::StoreError;
use crate::model::{EventTried, Millis, PageNumber};
use crate::tx::{ToValue, Tx, params};
use crate::words::EdgeOutcome;

/// Events that were not fired but read off the page: several of them at one place are no answers.
const READ_OFF: [&str; 2] = ["link", "redirect"];

/// A row of the graph to keep.
#[derive(Clone, Copy)]
pub(crate) struct Edge<'a> {
    pub(crate) page: PageNumber,
    pub(crate) event: &'a str,
    pub(crate) xpath: &'a str,
    pub(crate) element_id: Option<&'a str>,
    pub(crate) text: &'a str,
    pub(crate) instruction: &'a str,
    pub(crate) target: Option<PageNumber>,
    pub(crate) outcome: EdgeOutcome,
    pub(crate) refused: Option<&'a str>,
    pub(crate) note: Option<&'a str>,
    pub(crate) cost_ms: Option<i64>,
    /// Which class of events it is of, where it was fired or deferred.
    pub(crate) class: Option<&'a str>,
    /// What was chosen or typed first.
    pub(crate) values: &'a [(String, String)],
}

impl<'a> Edge<'a> {
    /// A way that was read off a page.
    pub(crate) fn read_off(page: PageNumber, event: &'a str, url: &'a str) -> Self {
        Self {
            page,
            event,
            xpath: "",
            element_id: None,
            text: "",
            instruction: url,
            target: None,
            outcome: EdgeOutcome::Link,
            refused: None,
            note: None,
            cost_ms: None,
            class: None,
            values: &[],
        }
    }

    /// What an event came to.
    pub(crate) fn tried(page: PageNumber, tried: &'a EventTried, outcome: EdgeOutcome) -> Self {
        Self {
            xpath: &tried.xpath,
            element_id: tried.element_id.as_deref(),
            text: &tried.text,
            class: tried.class.as_deref().filter(|_| is_answer(outcome) || is_deferred(outcome)),
            values: &tried.values,
            outcome,
            ..Self::read_off(page, &tried.event, &tried.instruction)
        }
    }

    fn target(&self) -> i64 {
        self.target.map_or(0, |page| page.0)
    }
}

/// When a step happened, and when the round of visits that it belongs to began.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) time: Millis,
    pub(crate) began: Millis,
}

/// What the same event at the same place has in the graph.
struct Sibling {
    target: i64,
    /// Answered in this round.
    answers: bool,
    fickle: bool,
    /// Not in the catalog yet.
    is_new: bool,
}

fn is_answer(outcome: EdgeOutcome) -> bool {
    use EdgeOutcome::{Link, Page, Reveal, Same};
    matches!(outcome, Same | Reveal | Page | Link)
}

/// Whether it may be taken after all, together with its like.
fn is_deferred(outcome: EdgeOutcome) -> bool {
    matches!(outcome, EdgeOutcome::Skipped | EdgeOutcome::Known)
}

/// Keeps edges of one event of one page, at whatever places.
pub(crate) fn keep_edges(
    tx: &mut Tx<'_>,
    site: &str,
    edges: &[Edge<'_>],
    at: Moment,
) -> Result<(), StoreError> {
    let Some(&Edge { page, event, .. }) = edges.first() else { return Ok(()) };
    let mut siblings = siblings(tx, site, edges, at.began)?;
    let mut kept: Vec<(Edge<'_>, bool)> = Vec::with_capacity(edges.len());
    for edge in edges {
        let (target, answers) = (edge.target(), is_answer(edge.outcome));
        let siblings = siblings.entry(edge.xpath.to_owned()).or_default();
        if !answers && siblings.iter().any(|sibling| sibling.answers) {
            continue;
        }
        // To lead to the page itself and to change nothing is one answer.
        let answer = |target: i64| if target == page.0 { 0 } else { target };
        let mut fickle = false;
        let mut gone = Vec::new();
        siblings.retain(|sibling| {
            let differs = answer(sibling.target) != answer(target);
            let stays = differs && (sibling.answers || sibling.fickle);
            fickle |= stays && !READ_OFF.contains(&event);
            if !stays && (sibling.target != target || sibling.is_new) {
                gone.push((sibling.target, sibling.is_new));
            }
            stays
        });
        for (target, is_new) in gone {
            match is_new {
                true => kept.retain(|(old, _)| old.xpath != edge.xpath || old.target() != target),
                false => remove(tx, site, edge, target)?,
            }
        }
        if fickle && siblings.iter().any(|sibling| !sibling.fickle) {
            tx.execute(
                "UPDATE edge SET fickle = 1
                 WHERE site = $1 AND page = $2 AND event = $3 AND xpath = $4",
                params![site, page, event, edge.xpath],
            )?;
            siblings.iter_mut().for_each(|sibling| sibling.fickle = true);
            let new = kept.iter_mut().filter(|(old, _)| old.xpath == edge.xpath);
            new.for_each(|(_, old)| *old = true);
        }
        siblings.push(Sibling { target, answers, fickle, is_new: true });
        kept.push((*edge, fickle));
    }
    let filled: Vec<_> = kept.iter().map(|(edge, _)| write_values(edge.values)).collect();
    let rows: Vec<_> = kept
        .iter()
        .zip(&filled)
        .map(|((edge, fickle), filled)| {
            params![
                site,
                page,
                event,
                edge.xpath,
                edge.target(),
                edge.outcome,
                edge.element_id,
                edge.text,
                edge.instruction,
                edge.refused,
                edge.note,
                edge.cost_ms,
                fickle,
                at.time,
                edge.class,
                filled
            ]
            .to_vec()
        })
        .collect();
    tx.insert(
        "INSERT INTO edge (site, page, event, xpath, target, outcome, element_id, text, instruction,
                           refused_because, note, cost_ms, fickle, time, class, filled)",
        &rows,
        "ON CONFLICT (site, page, event, xpath, target) DO UPDATE SET
           outcome = excluded.outcome, element_id = excluded.element_id, text = excluded.text,
           instruction = excluded.instruction, refused_because = excluded.refused_because,
           note = excluded.note, fickle = excluded.fickle, time = excluded.time,
           class = coalesce(excluded.class, edge.class), filled = excluded.filled,
           cost_ms = coalesce((3 * edge.cost_ms + excluded.cost_ms) / 4,
                              excluded.cost_ms, edge.cost_ms)",
    )?;
    Ok(())
}

fn write_values(values: &[(String, String)]) -> Option<String> {
    if values.is_empty() { None } else { serde_json::to_string(values).ok() }
}

fn siblings(
    tx: &mut Tx<'_>,
    site: &str,
    edges: &[Edge<'_>],
    began: Millis,
) -> Result<HashMap<String, Vec<Sibling>>, StoreError> {
    let mut siblings: HashMap<String, Vec<Sibling>> = HashMap::new();
    let Some(Edge { page, event, .. }) = edges.first() else { return Ok(siblings) };
    let places: Vec<_> = edges.iter().map(|edge| edge.xpath.to_value()).collect();
    let rows = tx.query_in(
        "SELECT xpath, target, time >= $4 AND outcome IN ('same', 'reveal', 'page', 'link'), fickle
         FROM edge WHERE site = $1 AND page = $2 AND event = $3 AND xpath IN ($list)",
        params![site, page, event, began],
        &places,
    )?;
    for row in rows {
        let (target, answers, fickle) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let sibling = Sibling { target, answers, fickle, is_new: false };
        siblings.entry(row.get(0)?).or_default().push(sibling);
    }
    Ok(siblings)
}

fn remove(tx: &mut Tx<'_>, site: &str, edge: &Edge<'_>, target: i64) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM edge
         WHERE site = $1 AND page = $2 AND event = $3 AND xpath = $4 AND target = $5",
        params![site, edge.page, edge.event, edge.xpath, target],
    )?;
    Ok(())
}

/// Lets `kept` take over the edges to and from `gone`. Answers that turn out to be one page are one
/// answer, and an event that only seemed to give several is not fickle any more; one event that
/// answered differently on the two pages, which are one now, is. What led from one to the other
/// leads nowhere.
pub(crate) fn merge_edges(
    tx: &mut Tx<'_>,
    site: &str,
    gone: PageNumber,
    kept: PageNumber,
    began: Millis,
) -> Result<(), StoreError> {
    // What was not fired on the one page was answered on the other.
    tx.execute(
        "DELETE FROM edge WHERE site = $1 AND page = $3
           AND outcome NOT IN ('same', 'reveal', 'page', 'link')
           AND EXISTS (SELECT 1 FROM edge o WHERE o.site = $1 AND o.page = $2
                         AND o.event = edge.event AND o.xpath = edge.xpath AND o.time >= $4
                         AND o.outcome IN ('same', 'reveal', 'page', 'link'))",
        params![site, gone, kept, began],
    )?;
    for change in [
        "UPDATE edge SET target = $3 WHERE site = $1 AND target = $2 AND target <> 0
           AND NOT EXISTS (SELECT 1 FROM edge o WHERE o.site = $1 AND o.page = edge.page
                             AND o.event = edge.event AND o.xpath = edge.xpath AND o.target = $3)",
        "UPDATE edge SET page = $3 WHERE site = $1 AND page = $2
           AND NOT EXISTS (SELECT 1 FROM edge o WHERE o.site = $1 AND o.page = $3
                             AND o.event = edge.event AND o.xpath = edge.xpath
                             AND o.target = edge.target)",
    ] {
        tx.execute(change, params![site, gone, kept])?;
    }
    for change in [
        "DELETE FROM edge WHERE site = $1 AND target = $2 AND target <> 0",
        "DELETE FROM edge WHERE site = $1 AND page = $2",
    ] {
        tx.execute(change, params![site, gone])?;
    }
    for change in [
        "UPDATE edge SET target = 0, outcome = 'same'
         WHERE site = $1 AND page = $2 AND target = $2 AND outcome = 'page'
           AND NOT EXISTS (SELECT 1 FROM edge o WHERE o.site = $1 AND o.page = $2
                             AND o.event = edge.event AND o.xpath = edge.xpath AND o.target = 0)",
        "DELETE FROM edge WHERE site = $1 AND page = $2 AND target = $2 AND outcome = 'page'",
    ] {
        tx.execute(change, params![site, kept])?;
    }
    tx.execute(
        "DELETE FROM edge WHERE site = $1 AND page = $2 AND event NOT IN ('link', 'redirect')
           AND fickle = 0
           AND (time < $3 OR outcome NOT IN ('same', 'reveal', 'page', 'link'))
           AND EXISTS (SELECT 1 FROM edge o WHERE o.site = $1 AND o.page = $2
                         AND o.event = edge.event AND o.xpath = edge.xpath
                         AND o.target <> edge.target AND o.time >= $3
                         AND o.outcome IN ('same', 'reveal', 'page', 'link'))",
        params![site, kept, began],
    )?;
    for change in [
        "UPDATE edge SET fickle = 1
         WHERE site = $1 AND page = $2 AND event NOT IN ('link', 'redirect') AND fickle = 0
           AND outcome IN ('same', 'reveal', 'page', 'link')
           AND EXISTS (SELECT 1 FROM edge o WHERE o.site = $1 AND o.page = $2
                         AND o.event = edge.event AND o.xpath = edge.xpath
                         AND o.target <> edge.target
                         AND o.outcome IN ('same', 'reveal', 'page', 'link'))",
        "UPDATE edge SET fickle = 0
         WHERE site = $1 AND page = $2 AND fickle = 1
           AND NOT EXISTS (SELECT 1 FROM edge o WHERE o.site = $1 AND o.page = $2
                             AND o.event = edge.event AND o.xpath = edge.xpath
                             AND o.target <> edge.target)",
        "UPDATE edge SET fickle = 0
         WHERE site = $1 AND target = $2 AND target <> 0 AND fickle = 1
           AND NOT EXISTS (SELECT 1 FROM edge o WHERE o.site = $1 AND o.page = edge.page
                             AND o.event = edge.event AND o.xpath = edge.xpath
                             AND o.target <> edge.target)",
    ] {
        tx.execute(change, params![site, kept])?;
    }
    Ok(())
}
