//! What to do next: jobs are rows, and a claim marks some of them as in hand. Whose hands these are says
//! the lease of their site (`lease`), so that nothing but the site is ever renewed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::host::host_of;
use crate::model::{Millis, Order, PageNumber, Task};
use crate::page::{Discovery, pages_for_urls, read_path};
use crate::tx::{Row, ToValue, Tx, params};
use crate::words::{PageStatus, TaskKind};

/// A cross join, because in that order the document's few pages come before the site's many jobs.
const WAITING_OF_DOCUMENT: &str = "SELECT j.page FROM page p CROSS JOIN job j
     WHERE p.site = $1 AND p.url = $2 AND j.site = p.site AND j.page = p.page
       AND j.kind = 'explore' AND j.held = 0 AND j.ready <= $3
     ORDER BY j.depth, j.page";
/// Hosts of a site that are told apart when work is handed out.
const MOST_HOSTS: usize = 1_000;

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

    /// Takes the next pieces of work of a site that ask this host, the first in this order.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn claim(
        &self,
        site: &str,
        host: &str,
        order: Order,
        how_many: usize,
    ) -> Result<Vec<Task>, StoreError> {
        let (site, host, now) = (site.to_owned(), host.to_owned(), Millis::now());
        self.engine
            .write(&site.clone(), move |tx| claim(tx, &site, &host, order, how_many, now))
            .await
    }

    /// The hosts that work of a site waits to ask, the first thousand by name.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn waiting_hosts(&self, site: &str) -> Result<Vec<String>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let mut hosts = BTreeSet::new();
                for kind in [TaskKind::Fetch, TaskKind::Explore] {
                    // From host to host: how much waits for each makes no difference.
                    let mut last = String::new();
                    while let Some(host) = tx.value::<Option<String>>(
                        "SELECT min(host) FROM job
                         WHERE kind = $1 AND site = $2 AND held = 0 AND host > $3",
                        params![kind, site, last],
                    )? {
                        hosts.insert(host.clone());
                        last = host;
                        if hosts.len() >= MOST_HOSTS {
                            break;
                        }
                    }
                }
                Ok(hosts.into_iter().collect())
            })
            .await
    }

    /// Takes all states of a document whose events wait to be tried, nearest to the start first: who
    /// has the document open reaches them cheapest.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn claim_document(&self, site: &str, url: &str) -> Result<Vec<Task>, StoreError> {
        let (site, url, now) = (site.to_owned(), url.to_owned(), Millis::now());
        self.engine
            .write(&site.clone(), move |tx| {
                let pages: Vec<PageNumber> =
                    tx.values(WAITING_OF_DOCUMENT, params![site, url, now])?;
                take(tx, &site, &pages, TaskKind::Explore)
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
                queue_visits(tx, &site, "status = 'held'")?;
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
                        "UPDATE job SET held = 0, ready = $4, error = $5
                         WHERE site = $1 AND page = $2 AND kind = $3",
                        params![site, page, kind, now.plus(wait_ms), error],
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

    /// Puts explorations back that were claimed and not begun, or not ended because the crawl is: that was
    /// no attempt.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn put_down(&self, site: &str, pages: Vec<PageNumber>) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                tx.execute_in(
                    "UPDATE job SET held = 0, attempts = attempts - 1
                     WHERE site = $1 AND kind = 'explore' AND held = 1 AND page IN ($list)",
                    params![site],
                    &pages.iter().map(ToValue::to_value).collect::<Vec<_>>(),
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
                    "DELETE FROM job WHERE site = $1 AND kind = 'explore' AND attempts >= $2
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
                    "UPDATE job SET held = 0, ready = $2, error = $3
                     WHERE site = $1 AND kind = 'explore' AND page IN ($list)",
                    params![site, now.plus(wait_ms), error],
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

    /// Puts back what is in hand of a site and nobody works on: whoever did ended early. Returns how much.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn put_back(&self, site: &str) -> Result<u64, StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                tx.execute(
                    "UPDATE job SET held = 0
                     WHERE site = $1 AND held = 1 AND kind IN ('fetch', 'explore')",
                    params![site],
                )
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
                queue_visits(tx, &site, "path IS NULL AND status NOT IN ('merged', 'held')")
            })
            .await
    }
}

/// Makes the pages of a site that `which` chooses due for a visit, and returns how many were not.
fn queue_visits(tx: &mut Tx<'_>, site: &str, which: &str) -> Result<usize, StoreError> {
    let rows = tx.query(
        &format!("SELECT page, url, depth FROM page WHERE site = $1 AND {which}"),
        params![site],
    )?;
    let mut visits = Vec::with_capacity(rows.len());
    for row in rows {
        let (page, url, depth): (PageNumber, String, u32) = (row.get(0)?, row.get(1)?, row.get(2)?);
        visits.push((page, url, depth, 0));
    }
    let visits = visits.iter().map(|(page, url, depth, rank)| (*page, url.as_str(), *depth, *rank));
    add_visits(tx, site, visits)
}

/// Makes pages due for a visit, each given with its URL, its depth and its rank. Returns how many were
/// not.
pub(crate) fn add_visits<'a>(
    tx: &mut Tx<'_>,
    site: &str,
    visits: impl Iterator<Item = (PageNumber, &'a str, u32, i64)>,
) -> Result<usize, StoreError> {
    let rows: Vec<_> = visits
        .map(|(page, url, depth, rank)| {
            params![site, page, TaskKind::Fetch, host_of(url), depth, rank].to_vec()
        })
        .collect();
    let into = "INSERT INTO job (site, page, kind, host, depth, rank)";
    Ok(tx.insert(into, &rows, "ON CONFLICT DO NOTHING")? as usize)
}

fn claim(
    tx: &mut Tx<'_>,
    site: &str,
    host: &str,
    order: Order,
    how_many: usize,
    now: Millis,
) -> Result<Vec<Task>, StoreError> {
    let mut next: Vec<(i64, i64, PageNumber, TaskKind)> = Vec::new();
    for kind in [TaskKind::Fetch, TaskKind::Explore] {
        let rows = tx.query(next_in(order), params![kind, site, host, now, how_many as i64])?;
        for row in rows {
            let (page, depth, rank): (PageNumber, i64, i64) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            next.push(match order {
                Order::Nearest => (0, depth, page, kind),
                Order::Deepest => (0, -depth, PageNumber(-page.0), kind),
                Order::Best => (-rank, depth, page, kind),
            });
        }
    }
    next.sort_unstable();
    next.truncate(how_many);
    let mut tasks = Vec::with_capacity(next.len());
    for kind in [TaskKind::Fetch, TaskKind::Explore] {
        let of_kind = next.iter().filter(|(.., of)| *of == kind);
        let pages: Vec<_> = of_kind.map(|(_, _, page, _)| PageNumber(page.0.abs())).collect();
        tasks.extend(take(tx, site, &pages, kind)?);
    }
    let places: BTreeMap<_, _> =
        next.iter().map(|(_, _, page, kind)| (page.0.abs(), *kind)).zip(0..).collect();
    tasks.sort_by_key(|task| places.get(&(task.page.0, task.kind)).copied().unwrap_or(usize::MAX));
    Ok(tasks)
}

/// Each order is that of an index, so that a claim reads no more than what it takes.
fn next_in(order: Order) -> &'static str {
    match order {
        Order::Nearest => {
            "SELECT page, depth, rank FROM job
             WHERE kind = $1 AND site = $2 AND host = $3 AND held = 0 AND ready <= $4
             ORDER BY depth, page LIMIT $5"
        }
        Order::Deepest => {
            "SELECT page, depth, rank FROM job
             WHERE kind = $1 AND site = $2 AND host = $3 AND held = 0 AND ready <= $4
             ORDER BY depth DESC, page DESC LIMIT $5"
        }
        Order::Best => {
            "SELECT page, depth, rank FROM job
             WHERE kind = $1 AND site = $2 AND host = $3 AND held = 0 AND ready <= $4
             ORDER BY rank DESC, depth, page LIMIT $5"
        }
    }
}

/// Takes jobs of one kind, and returns them in the order of these pages.
fn take(
    tx: &mut Tx<'_>,
    site: &str,
    pages: &[PageNumber],
    kind: TaskKind,
) -> Result<Vec<Task>, StoreError> {
    let list: Vec<_> = pages.iter().map(ToValue::to_value).collect();
    tx.execute_in(
        "UPDATE job SET held = 1, attempts = attempts + 1
         WHERE site = $1 AND kind = $2 AND page IN ($list)",
        params![site, kind],
        &list,
    )?;
    let rows = tx.query_in(
        "SELECT j.page, j.kind, p.url, p.path, j.depth, j.attempts, p.state, p.found_by
         FROM job j JOIN page p ON p.site = j.site AND p.page = j.page
         WHERE j.site = $1 AND j.kind = $2 AND j.page IN ($list)",
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

/// Takes a job off the list, and returns the rank it had if it was there.
pub(crate) fn finish(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    kind: TaskKind,
) -> Result<Option<i64>, StoreError> {
    tx.value_optional(
        "DELETE FROM job WHERE site = $1 AND page = $2 AND kind = $3 RETURNING rank",
        params![site, page, kind],
    )
}

/// Makes the events of a state due, in hand already if whoever found it goes on with them. Says whether
/// they were not.
pub(crate) fn add_exploration(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    (depth, rank): (u32, i64),
    is_held: bool,
) -> Result<bool, StoreError> {
    let url: String =
        tx.value("SELECT url FROM page WHERE site = $1 AND page = $2", params![site, page])?;
    let added = tx.execute(
        "INSERT INTO job (site, page, kind, host, depth, rank, attempts, held)
         VALUES ($1, $2, 'explore', $3, $4, $5, $6, $6) ON CONFLICT DO NOTHING",
        params![site, page, host_of(&url), depth, rank, is_held],
    )?;
    Ok(added == 1)
}

/// Puts a version behind those of its page that wait to be cut or read already.
pub(crate) fn add_version(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    kind: &str,
    version: i64,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO job (site, page, kind, version) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        params![site, page, kind, version],
    )?;
    Ok(())
}

/// A version of a page was cut or read: its job is the next one, or done. Returns that version.
pub(crate) fn next_version(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    kind: &str,
    version: i64,
) -> Result<Option<i64>, StoreError> {
    let next: Option<i64> = tx.value(
        "SELECT min(version) FROM version WHERE site = $1 AND page = $2 AND version > $3",
        params![site, page, version],
    )?;
    match next {
        // One that waits for a later version already, waits for that.
        Some(next) => tx.execute(
            "UPDATE job SET version = $4, attempts = 0
             WHERE site = $1 AND page = $2 AND kind = $3 AND version <= $5",
            params![site, page, kind, next, version],
        )?,
        None => tx.execute(
            "DELETE FROM job WHERE site = $1 AND page = $2 AND kind = $3",
            params![site, page, kind],
        )?,
    };
    Ok(next)
}

/// The sites with jobs of a kind that are not in hand.
pub(crate) fn sites_with(tx: &mut Tx<'_>, kind: &str) -> Result<Vec<String>, StoreError> {
    let (mut sites, mut last) = (Vec::new(), String::new());
    while let Some(site) = tx.value::<Option<String>>(
        "SELECT min(site) FROM job WHERE kind = $1 AND held = 0 AND site > $2",
        params![kind, last],
    )? {
        last.clone_from(&site);
        sites.push(site);
    }
    Ok(sites)
}

/// Gives the visits that wait to these pages these ranks, where they have lower ones.
pub(crate) fn raise_ranks(
    tx: &mut Tx<'_>,
    site: &str,
    ranks: &[(PageNumber, i64)],
) -> Result<(), StoreError> {
    let list: Vec<_> = ranks.iter().map(|(page, _)| page.to_value()).collect();
    let rows = tx.query_in(
        "SELECT page, rank FROM job WHERE site = $1 AND kind = 'fetch' AND page IN ($list)",
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
            "UPDATE job SET rank = $2
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
            (Order::Nearest, "job_by_depth"),
            (Order::Deepest, "job_by_depth"),
            (Order::Best, "job_by_rank"),
        ] {
            let plan =
                plan(next_in(order), params!["fetch", "example.org", "example.org", 0_i64, 1_i64]);
            let search = format!("SEARCH job USING INDEX {index} (kind=? AND site=? AND host=?)");
            assert_eq!(plan, search, "{order:?}");
        }
    }

    #[test]
    fn the_states_of_a_document_are_found_by_its_url_and_not_among_all_jobs() {
        let plan = plan(WAITING_OF_DOCUMENT, params!["example.org", "/", 0_i64]);
        assert!(plan.contains("SEARCH p USING INDEX page_by_url (site=? AND url=?)"), "{plan}");
        assert!(plan.contains("SEARCH j USING INDEX sqlite_autoindex_job_1"), "{plan}");
    }

    #[test]
    fn a_page_is_found_by_its_address_without_a_look_at_all_addresses() {
        let question = crate::lookup::PAGE_OF_KEY.replace("$list", "$2, $3");
        let plan = plan(&question, params!["https://example.org/", "example.org", "org"]);
        assert!(plan.contains("(site=? AND key=?)"), "{plan}");
    }
}
