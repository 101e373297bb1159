//! What to do next: tasks are rows, a claim is a lease.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{Millis, PageNumber, StateId, Task, TaskKind};

/// How long a claim holds without a step. A step renews it, so this only has to outlast one.
pub(crate) const LEASE_MS: i64 = 10 * 60 * 1000;

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
                    new += usize::from(page_for_url(connection, &site, url, None, 0, now)?.1);
                }
                Ok(new)
            })
            .await
    }

    /// Takes the next piece of work of these sites, nearest to the start first.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn claim(&self, owner: &str, sites: &[String]) -> Result<Option<Task>, StoreError> {
        let (owner, sites, now) = (owner.to_owned(), sites.to_vec(), Millis::now());
        self.engine
            .write(move |connection| {
                for site in &sites {
                    if let Some(task) = claim_of_site(connection, &owner, site, now)? {
                        return Ok(Some(task));
                    }
                }
                Ok(None)
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

    /// Says that a state's events have all been tried.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn explored(&self, site: &str, page: PageNumber) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(move |connection| finish(connection, &site, page, TaskKind::Explore))
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
    /// lead to the others, count as not tried. Returns how many are due.
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
                     WHERE site = ?1 AND path IS NULL AND status <> 'merged'
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
    now: Millis,
) -> Result<Option<Task>, StoreError> {
    let next = connection
        .prepare_cached(
            "SELECT page, kind FROM task WHERE site = ?1 AND lease_until <= ?2
             ORDER BY depth, page, kind LIMIT 1",
        )?
        .query_row(params![site, now.0], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })
        .optional()?;
    let Some((page, kind)) = next else {
        return Ok(None);
    };
    connection
        .prepare_cached(
            "UPDATE task SET owner = ?4, lease_until = ?5, attempts = attempts + 1
             WHERE site = ?1 AND page = ?2 AND kind = ?3",
        )?
        .execute(params![site, page, kind, owner, now.plus(LEASE_MS).0])?;
    let task = connection
        .prepare_cached(
            "SELECT t.page, t.kind, p.url, p.path, t.depth, t.attempts, p.state
             FROM task t JOIN page p ON p.site = t.site AND p.page = t.page
             WHERE t.site = ?1 AND t.page = ?2 AND t.kind = ?3",
        )?
        .query_row(params![site, page, kind], |row| Ok(read_task(site, row)))??;
    Ok(Some(task))
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
    })
}

pub(crate) fn read_path(column: Option<String>) -> Result<Vec<crate::model::PathStep>, StoreError> {
    column.map_or(Ok(Vec::new()), |json| {
        serde_json::from_str(&json)
            .map_err(|_| StoreError::Unreadable { what: "path", value: json })
    })
}

pub(crate) fn read_state(column: Option<Vec<u8>>) -> Result<Option<StateId>, StoreError> {
    column
        .map(|bytes| {
            bytes.try_into().map(StateId).map_err(|bytes: Vec<u8>| StoreError::Unreadable {
                what: "state",
                value: format!("{} bytes", bytes.len()),
            })
        })
        .transpose()
}

pub(crate) fn finish(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    kind: TaskKind,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("DELETE FROM task WHERE site = ?1 AND page = ?2 AND kind = ?3")?
        .execute(params![site, page.0, kind.as_str()])?;
    Ok(())
}

pub(crate) fn add(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    kind: TaskKind,
    depth: u32,
    owner: Option<&str>,
    now: Millis,
) -> Result<(), StoreError> {
    let lease = owner.map_or(0, |_| now.plus(LEASE_MS).0);
    connection
        .prepare_cached(
            "INSERT INTO task (site, page, kind, depth, attempts, owner, lease_until)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            site,
            page.0,
            kind.as_str(),
            depth,
            i64::from(owner.is_some()),
            owner,
            lease
        ])?;
    Ok(())
}

/// The page that a key names, through aliases and merges.
pub(crate) fn page_of_key(
    connection: &Connection,
    site: &str,
    key: &str,
) -> Result<Option<PageNumber>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT page FROM page_key WHERE site = ?1 AND key = ?2")?
        .query_row([site, key], |row| row.get(0).map(PageNumber))
        .optional()?)
}

/// When the present round of visits to a site began.
pub(crate) fn round(connection: &Connection, site: &str) -> Result<Millis, StoreError> {
    let began = connection
        .prepare_cached("SELECT value FROM counter WHERE site = ?1 AND name = 'round'")?
        .query_row([site], |row| row.get(0))
        .optional()?;
    Ok(Millis(began.unwrap_or(0)))
}

/// A number that no page of this store has had.
pub(crate) fn next_number(connection: &Connection) -> Result<PageNumber, StoreError> {
    let after: String = connection
        .prepare_cached(
            "UPDATE meta SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT)
             WHERE name = 'next_page' RETURNING value",
        )?
        .query_row([], |row| row.get(0))?;
    let after: i64 =
        after.parse().map_err(|_| StoreError::Unreadable { what: "next_page", value: after })?;
    Ok(PageNumber(after - 1))
}

/// The page of a URL, made with a visit to do if it is new.
pub(crate) fn page_for_url(
    connection: &Connection,
    site: &str,
    url: &str,
    origin: Option<PageNumber>,
    depth: u32,
    now: Millis,
) -> Result<(PageNumber, bool), StoreError> {
    if let Some(page) = page_of_key(connection, site, url)? {
        return Ok((page, false));
    }
    let page = next_number(connection)?;
    connection
        .prepare_cached(
            "INSERT INTO page (site, page, url, path, origin, depth, status, first_seen, last_seen)
             VALUES (?1, ?2, ?3, NULL, ?4, ?5, 'queued', ?6, ?6)",
        )?
        .execute(params![site, page.0, url, origin.map(|page| page.0), depth, now.0])?;
    name(connection, site, url, page, true)?;
    add(connection, site, page, TaskKind::Fetch, depth, None, now)?;
    Ok((page, true))
}

pub(crate) fn name(
    connection: &Connection,
    site: &str,
    key: &str,
    page: PageNumber,
    is_main: bool,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO page_key (site, key, page, is_main) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![site, key, page.0, i64::from(is_main)])?;
    Ok(())
}
