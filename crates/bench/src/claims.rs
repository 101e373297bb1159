//! `bathys bench claims`: how fast work is handed out, on each engine, and whether it matters how much
//! waits.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use store::{CatalogWriter, Location, Order};

use crate::sheet::{Experiment, Sheet, rounded};

/// What is asked for, in jobs a second, and how much fewer there may be when a hundred times as much waits.
const RATE: f64 = 2_000.0;
const FLAT: f64 = 0.5;
/// Jobs that wait.
const WAITING: [usize; 2] = [10_000, 1_000_000];
const WAITING_QUICK: [usize; 2] = [1_000, 10_000];
/// Jobs that are claimed, by so many at once, each one by one.
const CLAIMED: usize = 8_000;
const CLAIMED_QUICK: usize = 400;
const CLAIMANTS: usize = 16;
/// Addresses that are queued in one commit.
const BATCH: usize = 5_000;

const SITE: &str = "example.org";

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let directory = tempfile::tempdir().context("cannot make a directory for the store")?;
    let server = testsite::Postgres::start().context("the benchmark needs PostgreSQL")?;
    let places: [(&str, Location); 2] =
        [("sqlite", directory.path().into()), ("postgres", server.database()?.parse()?)];
    for (engine, location) in places {
        let catalog = Arc::new(CatalogWriter::open(location)?);
        let (mut queued, mut rates) = (0, Vec::new());
        for waiting in if quick { WAITING_QUICK } else { WAITING } {
            while queued < waiting {
                let next = (queued + BATCH).min(waiting);
                let urls: Vec<_> = (queued..next).map(|n| format!("https://{SITE}/{n}")).collect();
                catalog.seed(SITE, &urls).await?;
                queued = next;
            }
            let claimed = if quick { CLAIMED_QUICK } else { CLAIMED };
            let rate = rate(&catalog, claimed).await?;
            eprintln!("  {engine}: {waiting} waiting, {rate:.0} claims a second");
            rates.push(rate);
        }
        let (few, many) = (rates[0], rates[1]);
        sheet.put(
            Experiment::new(format!("claims/{engine}"))
                .ours("waiting", queued)
                .ours("claims_per_s_at_first", rounded(few))
                .ours("claims_per_s", rounded(many))
                .ask(few.min(many) >= RATE, format!("{:.0} claims a second", few.min(many)))
                .ask(many >= few * FLAT, format!("{:.2} times as fast with all", many / few)),
        )?;
    }
    sheet.table("work handed out, job by job")
}

async fn rate(catalog: &Arc<CatalogWriter>, jobs: usize) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let claimants: Vec<_> = (0..CLAIMANTS)
        .map(|_| {
            let catalog = catalog.clone();
            tokio::spawn(async move {
                let mut claimed = 0;
                for _ in 0..jobs / CLAIMANTS {
                    claimed += catalog.claim(SITE, SITE, Order::Nearest, 1).await?.len();
                }
                Ok::<usize, store::StoreError>(claimed)
            })
        })
        .collect();
    let mut claimed = 0;
    for claimant in claimants {
        claimed += claimant.await??;
    }
    Ok(claimed as f64 / begun.elapsed().as_secs_f64())
}
