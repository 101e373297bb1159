//! What to do next: tasks are rows, a claim is a lease.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{Millis, Order, PageNumber, Task, TaskKind};
use crate::page::{Discovery, page_for_url, read_path, read_state};

/// How long a claim holds without a step. A step renews it, so this only has to outlast one.
pub(crate) const LEASE_MS: i64 = 10 * 60 * 1000;

/// A cross join, because in that order the document's few pages come before the site's many tasks.
const WAITING_OF_DOCUMENT: &str = "SELECT t.page FROM page p CROSS JOIN task t
     WHERE p.site = ?1 AND p.url = ?2 AND t.site = p.site AND t.page = p.page
       AND t.kind = 'explore' AND t.lease_until <= ?3
     ORDER BY t.depth, t.page";

impl Catalog {
    /// Makes each URL a page with a visit to do, unless it is known already. Returns how many were new.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn seed(&self, site: &str, urls: &[String]) -> Result<usize, StoreError> {
        let (site, urls, now) = (site.to_owned(), urls.to_vec(), Millis::now());
        self.engine
            .write(move |connection| {
                let mut new = 0;
                for url in &urls {
                    let start = Discovery { url, origin: None, depth: 0, found_by: None, rank: 0 };
                    new += usize::from(page_for_url(connection, &site, &start, now)?.1);
                }
                Ok(new)
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
        self.engine
            .write(move |connection| {
                for site in &sites {
                    if let Some(task) = claim_of_site(connection, &owner, site, order, now)? {
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
            .write(move |connection| {
                let mut question = connection.prepare_cached(WAITING_OF_DOCUMENT)?;
                let pages: Vec<i64> = question
                    .query_map(params![site, url, now.0], |row| row.get(0))?
                    .collect::<Result<_, _>>()?;
                pages
                    .into_iter()
                    .map(|page| take(connection, &owner, &site, page, "explore", now))
                    .collect()
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
            .write(move |connection| {
                Ok(connection.execute(
                    "UPDATE task SET lease_until = ?2 WHERE owner = ?1",
                    params![owner, until.0],
                )?)
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
            .write(move |connection| {
                connection.execute(
                    "INSERT INTO task (site, page, kind, depth, attempts, owner, lease_until)
                     SELECT site, page, 'fetch', depth, 0, NULL, 0 FROM page
                     WHERE site = ?1 AND status = 'held' ON CONFLICT DO NOTHING",
                    [&site],
                )?;
                Ok(connection.execute(
                    "UPDATE page SET status = 'queued' WHERE site = ?1 AND status = 'held'",
                    [&site],
                )?)
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
            .write(move |connection| {
                finish(connection, &site, page, TaskKind::Fetch)?;
                connection.execute(
                    "UPDATE page SET status = 'held' WHERE site = ?1 AND page = ?2 AND status = 'queued'",
                    params![site, page.0],
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
            .write(move |connection| {
                if task.attempts < tries {
                    connection.execute(
                        "UPDATE task SET owner = NULL, lease_until = ?4
                         WHERE site = ?1 AND page = ?2 AND kind = ?3",
                        params![task.site, task.page.0, task.kind.as_str(), now.plus(wait_ms).0],
                    )?;
                    return Ok(());
                }
                finish(connection, &task.site, task.page, task.kind)?;
                let status = match task.kind {
                    TaskKind::Fetch => "failed",
                    // Its state is kept; only its events stay unknown.
                    TaskKind::Explore => "captured",
                };
                connection.execute(
                    "UPDATE page SET error = ?4, last_seen = ?5,
                            status = CASE WHEN state IS NULL THEN ?3 ELSE status END
                     WHERE site = ?1 AND page = ?2",
                    params![task.site, task.page.0, status, error, now.0],
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
            .write(move |connection| {
                for page in &pages {
                    let given_up = connection
                        .prepare_cached(
                            "DELETE FROM task WHERE site = ?1 AND page = ?2 AND kind = 'explore'
                               AND attempts >= ?3",
                        )?
                        .execute(params![site, page.0, tries])?;
                    if given_up > 0 {
                        // Its state is kept; only its events stay unknown.
                        connection
                            .prepare_cached(
                                "UPDATE page SET error = ?3 WHERE site = ?1 AND page = ?2",
                            )?
                            .execute(params![site, page.0, error])?;
                        continue;
                    }
                    connection
                        .prepare_cached(
                            "UPDATE task SET owner = NULL, lease_until = ?3
                             WHERE site = ?1 AND page = ?2 AND kind = 'explore'",
                        )?
                        .execute(params![site, page.0, now.plus(wait_ms).0])?;
                }
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
            .write(move |connection| finish(connection, &site, page, TaskKind::Explore).map(|_| ()))
            .await
    }

    /// Gives back what a process held that is not there any more. Only the one process that has the
    /// store open for crawling may call it.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn release_leases(&self) -> Result<(), StoreError> {
        self.engine
            .write(|connection| {
                // A claim that was cut off is no failed try.
                connection.execute(
                    "UPDATE task SET owner = NULL, lease_until = 0, attempts = attempts - 1
                     WHERE owner IS NOT NULL",
                    [],
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
            .write(move |connection| {
                connection.execute(
                    "INSERT INTO counter (site, name, value) VALUES (?1, 'round', ?2)
                     ON CONFLICT (site, name) DO UPDATE SET value = excluded.value",
                    params![site, now.0],
                )?;
                let due = connection.execute(
                    "INSERT INTO task (site, page, kind, depth, attempts, owner, lease_until)
                     SELECT site, page, 'fetch', depth, 0, NULL, 0 FROM page
                     WHERE site = ?1 AND path IS NULL AND status NOT IN ('merged', 'held')
                     ON CONFLICT DO NOTHING",
                    [site],
                )?;
                Ok(due)
            })
            .await
    }
}

fn claim_of_site(
    connection: &Connection,
    owner: &str,
    site: &str,
    order: Order,
    now: Millis,
) -> Result<Option<Task>, StoreError> {
    let next = connection
        .prepare_cached(next_in(order))?
        .query_row(params![site, now.0], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })
        .optional()?;
    next.map(|(page, kind)| take(connection, owner, site, page, &kind, now)).transpose()
}

/// Each order is that of an index, so that a claim reads no more than the tasks in hand before it.
fn next_in(order: Order) -> &'static str {
    match order {
        Order::Nearest => {
            "SELECT page, kind FROM task WHERE site = ?1 AND lease_until <= ?2
             ORDER BY depth, page, kind LIMIT 1"
        }
        Order::Deepest => {
            "SELECT page, kind FROM task WHERE site = ?1 AND lease_until <= ?2
             ORDER BY depth DESC, page DESC, kind DESC LIMIT 1"
        }
        Order::Best => {
            "SELECT page, kind FROM task WHERE site = ?1 AND lease_until <= ?2
             ORDER BY rank DESC, depth, page, kind LIMIT 1"
        }
    }
}

fn take(
    connection: &Connection,
    owner: &str,
    site: &str,
    page: i64,
    kind: &str,
    now: Millis,
) -> Result<Task, StoreError> {
    connection
        .prepare_cached(
            "UPDATE task SET owner = ?4, lease_until = ?5, attempts = attempts + 1
             WHERE site = ?1 AND page = ?2 AND kind = ?3",
        )?
        .execute(params![site, page, kind, owner, now.plus(LEASE_MS).0])?;
    connection
        .prepare_cached(
            "SELECT t.page, t.kind, p.url, p.path, t.depth, t.attempts, p.state, p.found_by
             FROM task t JOIN page p ON p.site = t.site AND p.page = t.page
             WHERE t.site = ?1 AND t.page = ?2 AND t.kind = ?3",
        )?
        .query_row(params![site, page, kind], |row| Ok(read_task(site, row)))?
}

fn read_task(site: &str, row: &Row<'_>) -> Result<Task, StoreError> {
    let kind: String = row.get(1)?;
    Ok(Task {
        site: site.to_owned(),
        page: PageNumber(row.get(0)?),
        kind: if kind == "fetch" { TaskKind::Fetch } else { TaskKind::Explore },
        url: row.get(2)?,
        path: read_path(row.get(3)?)?,
        depth: row.get(4)?,
        attempts: row.get(5)?,
        state: read_state(row.get(6)?)?,
        found_by: row.get(7)?,
    })
}

/// Takes a task off the list, and returns the rank it had if it was there.
pub(crate) fn finish(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    kind: TaskKind,
) -> Result<Option<i64>, StoreError> {
    Ok(connection
        .prepare_cached(
            "DELETE FROM task WHERE site = ?1 AND page = ?2 AND kind = ?3 RETURNING rank",
        )?
        .query_row(params![site, page.0, kind.as_str()], |row| row.get(0))
        .optional()?)
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
    connection: &Connection,
    site: &str,
    task: &NewTask<'_>,
    now: Millis,
) -> Result<bool, StoreError> {
    let lease = task.owner.map_or(0, |_| now.plus(LEASE_MS).0);
    let added = connection
        .prepare_cached(
            "INSERT INTO task (site, page, kind, depth, rank, attempts, owner, lease_until)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            site,
            task.page.0,
            task.kind.as_str(),
            task.depth,
            task.rank,
            i64::from(task.owner.is_some()),
            task.owner,
            lease
        ])?;
    Ok(added == 1)
}

/// Gives the visit that waits to a page this rank, if it has a lower one.
pub(crate) fn raise_rank(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    rank: i64,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE task SET rank = ?3
             WHERE site = ?1 AND page = ?2 AND kind = 'fetch' AND rank < ?3",
        )?
        .execute(params![site, page.0, rank])?;
    Ok(())
}

/// When the present round of visits to a site began.
pub(crate) fn round(connection: &Connection, site: &str) -> Result<Millis, StoreError> {
    let began = connection
        .prepare_cached("SELECT value FROM counter WHERE site = ?1 AND name = 'round'")?
        .query_row([site], |row| row.get(0))
        .optional()?;
    Ok(Millis(began.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How SQLite goes about a statement on a store as it is made.
    fn plan(statement: &str, parameters: &[i64]) -> String {
        let connection = Connection::open_in_memory().unwrap();
        crate::schema::prepare(&connection, true).unwrap();
        let mut question = connection.prepare(&format!("EXPLAIN QUERY PLAN {statement}")).unwrap();
        let rows = question
            .query_map(rusqlite::params_from_iter(parameters), |row| row.get::<_, String>(3))
            .unwrap();
        rows.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_claim_follows_an_index_in_each_order_and_sorts_nothing() {
        for (order, index) in [
            (Order::Nearest, "task_by_depth"),
            (Order::Deepest, "task_by_depth"),
            (Order::Best, "task_by_rank"),
        ] {
            let plan = plan(next_in(order), &[0, 0]);
            assert_eq!(plan, format!("SEARCH task USING INDEX {index} (site=?)"), "{order:?}");
        }
    }

    #[test]
    fn the_states_of_a_document_are_found_by_its_url_and_not_among_all_tasks() {
        let plan = plan(WAITING_OF_DOCUMENT, &[0, 0, 0]);
        assert!(plan.contains("SEARCH p USING INDEX page_by_url (site=? AND url=?)"), "{plan}");
        assert!(plan.contains("SEARCH t USING INDEX sqlite_autoindex_task_1"), "{plan}");
    }
}
