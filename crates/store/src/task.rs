//! What to do next: tasks are rows, a claim is a lease.

use std::collections::{BTreeMap, HashSet};

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{Millis, Order, PageNumber, Task};
use crate::page::{Discovery, pages_for_urls, read_path};
use crate::tx::{Row, ToValue, Tx, params};
use crate::words::{PageStatus, TaskKind};

/// How long a claim holds without a step. A step renews it, so this only has to outlast one.
pub(crate) const LEASE_MS: i64 = 10 * 60 * 1000;

/// A cross join, because in that order the document's few pages come before the site's many tasks.
const WAITING_OF_DOCUMENT: &str = "SELECT t.page FROM page p CROSS JOIN task t
     WHERE p.site = $1 AND p.url = $2 AND t.site = p.site AND t.page = p.page
       AND t.kind = 'explore' AND t.lease_until <= $3
     ORDER BY t.depth, t.page";

impl Catalog {
    /// Makes each URL a page with a visit to do, unless it is known already. Returns how many were new.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn seed(&self, site: &str, urls: &[String]) -> Result<usize, StoreError> {
        let (site, now, mut seen) = (site.to_owned(), Millis::now(), HashSet::new());
        let urls: Vec<String> = urls.iter().filter(|url| seen.insert(*url)).cloned().collect();
        self.engine
            .write(&site.clone(), move |tx| {
                let starts: Vec<_> = urls
                    .iter()
                    .map(|url| Discovery { url, origin: None, depth: 0, found_by: None, rank: 0 })
                    .collect();
                let pages = pages_for_urls(tx, &site, &starts, now)?;
                Ok(pages.iter().filter(|(_, is_new)| *is_new).count())
            })
            .await
    }

    /// Takes the next piece of work of these sites: of the first site that has any, the first in
    /// this order.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn claim(
        &self,
        owner: &str,
        sites: &[String],
        order: Order,
    ) -> Result<Option<Task>, StoreError> {
        let (owner, sites, now) = (owner.to_owned(), sites.to_vec(), Millis::now());
        let first = sites.first().cloned().unwrap_or_default();
        self.engine
            .write(&first, move |tx| {
                for site in &sites {
                    if let Some(task) = claim_of_site(tx, &owner, site, order, now)? {
                        return Ok(Some(task));
                    }
                }
                Ok(None)
            })
            .await
    }

    /// Takes all states of a document whose events wait to be tried, nearest to the start first: who
    /// has the document open reaches them cheapest.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn claim_document(
        &self,
        owner: &str,
        site: &str,
        url: &str,
    ) -> Result<Vec<Task>, StoreError> {
        let (owner, site, url, now) =
            (owner.to_owned(), site.to_owned(), url.to_owned(), Millis::now());
        self.engine
            .write(&site.clone(), move |tx| {
                let pages: Vec<PageNumber> =
                    tx.values(WAITING_OF_DOCUMENT, params![site, url, now])?;
                take(tx, &owner, &site, &pages, TaskKind::Explore, now)
            })
            .await
    }

    /// Renews what an owner holds. Needed by one that keeps more than the task whose steps it
    /// commits, which renew that one alone.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn renew(&self, owner: &str) -> Result<usize, StoreError> {
        let (owner, until) = (owner.to_owned(), Millis::now().plus(LEASE_MS));
        self.engine
            .write("", move |tx| {
                let renewed = tx.execute(
                    "UPDATE task SET lease_until = $2 WHERE owner = $1",
                    params![owner, until],
                )?;
                Ok(renewed as usize)
            })
            .await
    }

    /// Makes held pages due for a visit after all. Returns how many there were.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn release_held(&self, site: &str) -> Result<usize, StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                tx.execute(
                    "INSERT INTO task (site, page, kind, depth, attempts, owner, lease_until)
                     SELECT site, page, 'fetch', depth, 0, NULL, 0 FROM page
                     WHERE site = $1 AND status = 'held' ON CONFLICT DO NOTHING",
                    params![site],
                )?;
                let released = tx.execute(
                    "UPDATE page SET status = 'queued' WHERE site = $1 AND status = 'held'",
                    params![site],
                )?;
                Ok(released as usize)
            })
            .await
    }

    /// Leaves the visit to a page undone: it belongs to a series that was ended.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn hold(&self, site: &str, page: PageNumber) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                finish(tx, &site, page, TaskKind::Fetch)?;
                tx.execute(
                    "UPDATE page SET status = 'held'
                     WHERE site = $1 AND page = $2 AND status = 'queued'",
                    params![site, page],
                )?;
                Ok(())
            })
            .await
    }

    /// Puts a task back for later, or gives its page up after `tries` claims.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn requeue(
        &self,
        task: &Task,
        tries: u32,
        wait_ms: i64,
        error: &str,
    ) -> Result<(), StoreError> {
        let (task, error, now) = (task.clone(), error.to_owned(), Millis::now());
        self.engine
            .write(&task.site.clone(), move |tx| {
                let Task { site, page, kind, .. } = &task;
                if task.attempts < tries {
                    tx.execute(
                        "UPDATE task SET owner = NULL, lease_until = $4
                         WHERE site = $1 AND page = $2 AND kind = $3",
                        params![site, page, kind, now.plus(wait_ms)],
                    )?;
                    return Ok(());
                }
                finish(tx, site, *page, *kind)?;
                let status = match kind {
                    TaskKind::Fetch => PageStatus::Failed,
                    // Its state is kept; only its events stay unknown.
                    TaskKind::Explore => PageStatus::Captured,
                };
                tx.execute(
                    "UPDATE page SET error = $4, last_seen = $5,
                            status = CASE WHEN state IS NULL THEN $3 ELSE status END
                     WHERE site = $1 AND page = $2",
                    params![site, page, status, error, now],
                )?;
                Ok(())
            })
            .await
    }

    /// Puts the explorations of these pages back for later, those that were claimed `tries` times
    /// for good.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn postpone(
        &self,
        site: &str,
        pages: Vec<PageNumber>,
        tries: u32,
        wait_ms: i64,
        error: &str,
    ) -> Result<(), StoreError> {
        let (site, error, now) = (site.to_owned(), error.to_owned(), Millis::now());
        self.engine
            .write(&site.clone(), move |tx| {
                let all: Vec<_> = pages.iter().map(ToValue::to_value).collect();
                let given_up = tx.query_in(
                    "DELETE FROM task WHERE site = $1 AND kind = 'explore' AND attempts >= $2
                       AND page IN ($list) RETURNING page",
                    params![site, tries],
                    &all,
                )?;
                let given_up: Vec<PageNumber> =
                    given_up.iter().map(|row| row.get(0)).collect::<Result<_, _>>()?;
                // Their states are kept; only their events stay unknown.
                tx.execute_in(
                    "UPDATE page SET error = $2 WHERE site = $1 AND page IN ($list)",
                    params![site, error],
                    &given_up.iter().map(ToValue::to_value).collect::<Vec<_>>(),
                )?;
                tx.execute_in(
                    "UPDATE task SET owner = NULL, lease_until = $2
                     WHERE site = $1 AND kind = 'explore' AND page IN ($list)",
                    params![site, now.plus(wait_ms)],
                    &all,
                )?;
                Ok(())
            })
            .await
    }

    /// Says that a state's events have all been tried.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn explored(&self, site: &str, page: PageNumber) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| finish(tx, &site, page, TaskKind::Explore).map(drop))
            .await
    }

    /// Gives back what a process held that is not there any more. Only the one process that has the
    /// store open for crawling may call it.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn release_leases(&self) -> Result<(), StoreError> {
        self.engine
            .write("", |tx| {
                // A claim that was cut off is no failed try.
                tx.execute(
                    "UPDATE task SET owner = NULL, lease_until = 0, attempts = attempts - 1
                     WHERE owner IS NOT NULL",
                    &[],
                )?;
                Ok(())
            })
            .await
    }

    /// Begins another round: every page that a URL reaches is due for a visit, and its events, which
    /// lead to the others, count as not tried. Held pages stay held. Returns how many are due.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn revisit(&self, site: &str) -> Result<usize, StoreError> {
        let (site, now) = (site.to_owned(), Millis::now());
        self.engine
            .write(&site.clone(), move |tx| {
                tx.execute(
                    "INSERT INTO counter (site, name, value) VALUES ($1, 'round', $2)
                     ON CONFLICT (site, name) DO UPDATE SET value = excluded.value",
                    params![site, now],
                )?;
                let due = tx.execute(
                    "INSERT INTO task (site, page, kind, depth, attempts, owner, lease_until)
                     SELECT site, page, 'fetch', depth, 0, NULL, 0 FROM page
                     WHERE site = $1 AND path IS NULL AND status NOT IN ('merged', 'held')
                     ON CONFLICT DO NOTHING",
                    params![site],
                )?;
                Ok(due as usize)
            })
            .await
    }
}

fn claim_of_site(
    tx: &mut Tx<'_>,
    owner: &str,
    site: &str,
    order: Order,
    now: Millis,
) -> Result<Option<Task>, StoreError> {
    let next = format!("{} {}", next_in(order), tx.driver.skip_locked());
    let Some(row) = tx.query_optional(&next, params![site, now])? else { return Ok(None) };
    Ok(take(tx, owner, site, &[row.get(0)?], row.get(1)?, now)?.pop())
}

/// Each order is that of an index, so that a claim reads no more than the tasks in hand before it.
fn next_in(order: Order) -> &'static str {
    match order {
        Order::Nearest => {
            "SELECT page, kind FROM task WHERE site = $1 AND lease_until <= $2
             ORDER BY depth, page, kind LIMIT 1"
        }
        Order::Deepest => {
            "SELECT page, kind FROM task WHERE site = $1 AND lease_until <= $2
             ORDER BY depth DESC, page DESC, kind DESC LIMIT 1"
        }
        Order::Best => {
            "SELECT page, kind FROM task WHERE site = $1 AND lease_until <= $2
             ORDER BY rank DESC, depth, page, kind LIMIT 1"
        }
    }
}

/// Takes tasks of one kind, and returns them in the order of these pages.
fn take(
    tx: &mut Tx<'_>,
    owner: &str,
    site: &str,
    pages: &[PageNumber],
    kind: TaskKind,
    now: Millis,
) -> Result<Vec<Task>, StoreError> {
    let list: Vec<_> = pages.iter().map(ToValue::to_value).collect();
    tx.execute_in(
        "UPDATE task SET owner = $3, lease_until = $4, attempts = attempts + 1
         WHERE site = $1 AND kind = $2 AND page IN ($list)",
        params![site, kind, owner, now.plus(LEASE_MS)],
        &list,
    )?;
    let rows = tx.query_in(
        "SELECT t.page, t.kind, p.url, p.path, t.depth, t.attempts, p.state, p.found_by
         FROM task t JOIN page p ON p.site = t.site AND p.page = t.page
         WHERE t.site = $1 AND t.kind = $2 AND t.page IN ($list)",
        params![site, kind],
        &list,
    )?;
    let mut tasks: Vec<Task> =
        rows.iter().map(|row| read_task(site, row)).collect::<Result<_, _>>()?;
    let places: BTreeMap<_, _> = pages.iter().zip(0..).collect();
    tasks.sort_by_key(|task| places.get(&task.page).copied().unwrap_or(usize::MAX));
    Ok(tasks)
}

fn read_task(site: &str, row: &Row) -> Result<Task, StoreError> {
    Ok(Task {
        site: site.to_owned(),
        page: row.get(0)?,
        kind: row.get(1)?,
        url: row.get(2)?,
        path: read_path(row.get(3)?)?,
        depth: row.get(4)?,
        attempts: row.get(5)?,
        state: row.get(6)?,
        found_by: row.get(7)?,
    })
}

/// Takes a task off the list, and returns the rank it had if it was there.
pub(crate) fn finish(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    kind: TaskKind,
) -> Result<Option<i64>, StoreError> {
    tx.value_optional(
        "DELETE FROM task WHERE site = $1 AND page = $2 AND kind = $3 RETURNING rank",
        params![site, page, kind],
    )
}

/// Work to add, in hand already if it has an owner.
pub(crate) struct NewTask<'a> {
    pub(crate) page: PageNumber,
    pub(crate) kind: TaskKind,
    pub(crate) depth: u32,
    pub(crate) rank: i64,
    pub(crate) owner: Option<&'a str>,
}

/// Adds a task unless it is there. Says whether it was not.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    site: &str,
    task: &NewTask<'_>,
    now: Millis,
) -> Result<bool, StoreError> {
    let lease = task.owner.map_or(0, |_| now.plus(LEASE_MS).0);
    let NewTask { page, kind, depth, rank, owner } = task;
    let added = tx.execute(
        "INSERT INTO task (site, page, kind, depth, rank, attempts, owner, lease_until)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
        params![site, page, kind, depth, rank, owner.is_some(), owner, lease],
    )?;
    Ok(added == 1)
}

/// Gives the visits that wait to these pages these ranks, where they have lower ones.
pub(crate) fn raise_ranks(
    tx: &mut Tx<'_>,
    site: &str,
    ranks: &[(PageNumber, i64)],
) -> Result<(), StoreError> {
    let list: Vec<_> = ranks.iter().map(|(page, _)| page.to_value()).collect();
    let rows = tx.query_in(
        "SELECT page, rank FROM task WHERE site = $1 AND kind = 'fetch' AND page IN ($list)",
        params![site],
        &list,
    )?;
    let waiting: BTreeMap<PageNumber, i64> =
        rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect::<Result<_, StoreError>>()?;
    let mut raised: BTreeMap<i64, Vec<PageNumber>> = BTreeMap::new();
    for (page, rank) in ranks {
        if waiting.get(page).is_some_and(|known| known < rank) {
            raised.entry(*rank).or_default().push(*page);
        }
    }
    for (rank, pages) in raised {
        tx.execute_in(
            "UPDATE task SET rank = $2
             WHERE site = $1 AND kind = 'fetch' AND rank < $2 AND page IN ($list)",
            params![site, rank],
            &pages.iter().map(ToValue::to_value).collect::<Vec<_>>(),
        )?;
    }
    Ok(())
}

/// When the present round of visits to a site began.
pub(crate) fn round(tx: &mut Tx<'_>, site: &str) -> Result<Millis, StoreError> {
    let began = tx.value_optional(
        "SELECT value FROM counter WHERE site = $1 AND name = 'round'",
        params![site],
    )?;
    Ok(Millis(began.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tx::Value;

    /// How SQLite goes about a statement on a store as it is made.
    fn plan(statement: &str, parameters: &[Value<'_>]) -> String {
        let directory = tempfile::tempdir().unwrap();
        let mut driver = crate::engine::new_sqlite(directory.path());
        let explain = format!("EXPLAIN QUERY PLAN {statement}");
        let rows = driver.query(&explain, parameters).unwrap();
        let steps = rows.iter().map(|row| row.get::<String>(3).unwrap());
        steps.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_claim_follows_an_index_in_each_order_and_sorts_nothing() {
        for (order, index) in [
            (Order::Nearest, "task_by_depth"),
            (Order::Deepest, "task_by_depth"),
            (Order::Best, "task_by_rank"),
        ] {
            let plan = plan(next_in(order), params!["example.org", 0_i64]);
            assert_eq!(plan, format!("SEARCH task USING INDEX {index} (site=?)"), "{order:?}");
        }
    }

    #[test]
    fn the_states_of_a_document_are_found_by_its_url_and_not_among_all_tasks() {
        let plan = plan(WAITING_OF_DOCUMENT, params!["example.org", "/", 0_i64]);
        assert!(plan.contains("SEARCH p USING INDEX page_by_url (site=? AND url=?)"), "{plan}");
        assert!(plan.contains("SEARCH t USING INDEX sqlite_autoindex_task_1"), "{plan}");
    }
}
