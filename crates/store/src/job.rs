//! What to do next: jobs are rows, and a claim marks some of them as in hand. Whose hands these are says
//! the lease of their site (`lease`), so that nothing but the site is ever renewed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::catalog::{Catalog, CatalogWriter};
use crate::error::StoreError;
use crate::host::host_of;
use crate::model::{Millis, Order, PageNumber, Task};
use crate::page::{Discovery, pages_for_urls, read_path};
use crate::tx::{Row, ToValue, Tx, params};
use crate::words::{PageStatus, TaskKind};

/// What a claimed job is made of, of `job j` and its `page p`.
const TASK: &str = "j.page, j.kind, p.url, p.path, j.depth, j.attempts, p.state, p.found_by";
/// Hosts of a site that are told apart when work is handed out.
const MOST_HOSTS: usize = 1_000;

/// What is claimed by those who ask hosts.
const KINDS: [TaskKind; 3] = [TaskKind::Fetch, TaskKind::Explore, TaskKind::Submit];

/// Why a claimed job is put back.
#[derive(Clone, Debug)]
pub enum PutBack {
    /// It was not begun, or not ended because the crawl is: that was no attempt.
    Untried,
    /// The attempt failed: there is another one after a while, or, after so many of them, none.
    Failed {
        /// Attempts until it is given up.
        tries: u32,
        /// How long it waits for the next.
        wait_ms: i64,
        /// What went wrong.
        error: String,
    },
}

impl CatalogWriter {
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

    /// Takes all states of a document whose events wait to be tried, nearest to the start first: who
    /// has the document open reaches them cheapest.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn claim_document(&self, site: &str, url: &str) -> Result<Vec<Task>, StoreError> {
        let (site, url, now) = (site.to_owned(), url.to_owned(), Millis::now());
        self.engine
            .write(&site.clone(), move |tx| {
                let rows = tx.query(&waiting_of_document(), params![site, url, now])?;
                let waiting = rows.iter().map(|row| read_task(&site, row));
                take(tx, &site, waiting.collect::<Result<_, _>>()?)
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

    /// Puts claimed jobs of one kind back.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn put_back(
        &self,
        site: &str,
        kind: TaskKind,
        pages: Vec<PageNumber>,
        because: PutBack,
    ) -> Result<(), StoreError> {
        if pages.is_empty() {
            return Ok(());
        }
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| put_back(tx, &site, kind, &pages, &because))
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
    pub async fn put_all_back(&self, site: &str) -> Result<u64, StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                tx.execute(
                    "UPDATE job SET held = 0
                     WHERE site = $1 AND held = 1 AND kind IN ('fetch', 'explore', 'submit')",
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

impl Catalog {
    /// The hosts that work of a site waits to ask, the first thousand by name.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn waiting_hosts(&self, site: &str) -> Result<Vec<String>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let mut hosts = BTreeSet::new();
                for kind in KINDS {
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
    tx.memory.forget(site);
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
    let rows = tx.query(&next_in(order, how_many), params![site, host, now])?;
    let mut next: Vec<((i64, i64, i64), Task)> = Vec::with_capacity(rows.len());
    for row in &rows {
        let task = read_task(site, row)?;
        let (depth, page, rank) = (i64::from(task.depth), task.page.0, row.get::<i64>(8)?);
        let place = match order {
            // What a form gives is asked for once, and tells which of its pages are worth a visit.
            _ if task.kind == TaskKind::Submit => (i64::MIN, depth, page),
            Order::Nearest => (0, depth, page),
            Order::Deepest => (0, -depth, -page),
            Order::Best => (-rank, depth, page),
        };
        next.push((place, task));
    }
    next.sort_by_key(|(place, task)| (*place, task.kind));
    next.truncate(how_many);
    take(tx, site, next.into_iter().map(|(_, task)| task).collect())
}

/// The first jobs of each kind. Each order is that of an index, so that a claim reads no more than what
/// it takes. How many these are is no parameter: PostgreSQL would plan each claim anew. Pages are joined by
/// their numbers alone, which no two sites share: before it has counted a table, PostgreSQL takes a site
/// for two rows, and would read all of it.
fn next_in(order: Order, how_many: usize) -> String {
    let order = match order {
        Order::Nearest => "j.depth, j.page",
        Order::Deepest => "j.depth DESC, j.page DESC",
        Order::Best => "j.rank DESC, j.depth, j.page",
    };
    let of = |kind: &str| {
        format!(
            "SELECT * FROM (SELECT {TASK}, j.rank FROM job j CROSS JOIN page p
             WHERE j.kind = '{kind}' AND j.site = $1 AND j.host = $2 AND j.held = 0
               AND j.ready <= $3 AND p.page = j.page
             ORDER BY {order} LIMIT {how_many}) AS {kind}_first"
        )
    };
    KINDS.map(|kind| of(kind.as_str())).join(" UNION ALL ")
}

/// A cross join, because in that order the document's few pages come before the site's many jobs.
fn waiting_of_document() -> String {
    format!(
        "SELECT {TASK} FROM page p CROSS JOIN job j
         WHERE p.site = $1 AND p.url = $2 AND j.site = p.site AND j.page = p.page
           AND j.kind = 'explore' AND j.held = 0 AND j.ready <= $3
         ORDER BY j.depth, j.page"
    )
}

/// Takes a job of one page, unless there is none or somebody has it in hand.
pub(crate) fn claim_page(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    kind: TaskKind,
) -> Result<Option<Task>, StoreError> {
    let rows = tx.query(
        &format!(
            "SELECT {TASK} FROM job j CROSS JOIN page p
             WHERE j.site = $1 AND j.page = $2 AND j.kind = $3 AND j.held = 0 AND p.page = j.page"
        ),
        params![site, page, kind],
    )?;
    let tasks = rows.iter().map(|row| read_task(site, row)).collect::<Result<_, _>>()?;
    Ok(take(tx, site, tasks)?.pop())
}

/// Marks jobs that were read a moment ago as in hand.
fn take(tx: &mut Tx<'_>, site: &str, mut tasks: Vec<Task>) -> Result<Vec<Task>, StoreError> {
    for kind in KINDS {
        let of_kind = tasks.iter().filter(|task| task.kind == kind);
        tx.execute_in(
            "UPDATE job SET held = 1, attempts = attempts + 1
             WHERE site = $1 AND kind = $2 AND page IN ($list)",
            params![site, kind],
            &of_kind.map(|task| task.page.0.to_value()).collect::<Vec<_>>(),
        )?;
    }
    tasks.iter_mut().for_each(|task| task.attempts += 1);
    Ok(tasks)
}

fn put_back(
    tx: &mut Tx<'_>,
    site: &str,
    kind: TaskKind,
    pages: &[PageNumber],
    because: &PutBack,
) -> Result<(), StoreError> {
    let pages: Vec<_> = pages.iter().map(ToValue::to_value).collect();
    let (tries, wait_ms, error) = match because {
        PutBack::Failed { tries, wait_ms, error } => (tries, *wait_ms, error),
        PutBack::Untried => {
            tx.execute_in(
                "UPDATE job SET held = 0, attempts = attempts - 1
                 WHERE site = $1 AND kind = $2 AND held = 1 AND page IN ($list)",
                params![site, kind],
                &pages,
            )?;
            return Ok(());
        }
    };
    let now = Millis::now();
    let given_up = tx.query_in(
        "DELETE FROM job WHERE site = $1 AND kind = $2 AND attempts >= $3 AND page IN ($list)
         RETURNING page",
        params![site, kind, tries],
        &pages,
    )?;
    let given_up: Vec<PageNumber> =
        given_up.iter().map(|row| row.get(0)).collect::<Result<_, _>>()?;
    // A state that is kept stays so; only its events are unknown.
    tx.execute_in(
        "UPDATE page SET error = $2, last_seen = $3,
                status = CASE WHEN state IS NULL THEN $4 ELSE status END
         WHERE site = $1 AND page IN ($list)",
        params![site, error, now, PageStatus::Failed],
        &given_up.iter().map(ToValue::to_value).collect::<Vec<_>>(),
    )?;
    tx.execute_in(
        "UPDATE job SET held = 0, ready = $3, error = $4
         WHERE site = $1 AND kind = $2 AND page IN ($list)",
        params![site, kind, now.plus(wait_ms), error],
        &pages,
    )?;
    Ok(())
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
    use crate::engine::plan;

    #[test]
    fn a_claim_follows_an_index_in_each_order_and_sorts_nothing() {
        for (order, index) in [
            (Order::Nearest, "job_by_depth"),
            (Order::Deepest, "job_by_depth"),
            (Order::Best, "job_by_rank"),
        ] {
            let plan = plan(&next_in(order, 1), params!["example.org", "example.org", 0_i64]);
            let search = format!("SEARCH j USING INDEX {index} (kind=? AND site=? AND host=?)");
            assert_eq!(plan.matches(&search).count(), 3, "{order:?}: {plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{order:?}: {plan}");
        }
    }

    #[test]
    fn the_states_of_a_document_are_found_by_its_url_and_not_among_all_jobs() {
        let plan = plan(&waiting_of_document(), params!["example.org", "/", 0_i64]);
        assert!(plan.contains("SEARCH p USING INDEX page_by_url (site=? AND url=?)"), "{plan}");
        assert!(plan.contains("SEARCH j USING PRIMARY KEY"), "{plan}");
    }

    #[test]
    fn a_page_is_found_by_its_address_without_a_look_at_all_addresses() {
        let question = crate::lookup::PAGE_OF_KEY.replace("$list", "$2, $3");
        let plan = plan(&question, params!["https://example.org/", "example.org", "org"]);
        assert!(plan.contains("(site=? AND key=?)"), "{plan}");
    }
}
