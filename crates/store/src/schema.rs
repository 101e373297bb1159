//! The schema, and the promise that no program writes to a store of a format it does not know.

use crate::blob::BlobLocation;
use crate::content::contents_from_6;
use crate::error::StoreError;
use crate::host::host_of;
use crate::record::names_from_6;
use crate::tx::{Driver, Tx, params};

/// The format this program writes.
pub(crate) const FORMAT: i64 = 7;
/// The oldest format that is brought up to it.
const OLDEST: i64 = 3;

/// What makes each format the next one, from the oldest on.
const STEPS: [Step; (FORMAT - OLDEST) as usize] = [from_3, from_4, from_5, from_6];

type Step = fn(&mut dyn Driver) -> Result<(), StoreError>;

const SCHEMA: &str = include_str!("schema.sql");
const RECORDS: &str = include_str!("record.sql");
const PLACES: &str = include_str!("place.sql");
const JOBS: &str = include_str!("job.sql");
const OLD_BLOCKS: &str = include_str!("old/blocks.sql");
const OLD_VALUES: &str = include_str!("old/values.sql");
const CONTENTS: &str = include_str!("content.sql");

/// Makes the catalog, or brings it up to date, if `change` allows that: all or nothing, and one at a time.
/// Says where blobs lie that are not in it: where it was told first, and in `blobs` now.
pub(crate) fn prepare(
    driver: &mut dyn Driver,
    change: bool,
    blobs: Option<BlobLocation>,
) -> Result<Option<BlobLocation>, StoreError> {
    match change {
        true => driver.begin().and_then(|()| driver.lock(""))?,
        false => driver.begin_reading()?,
    }
    let prepared = bring_up_to_date(driver, change).and_then(|()| {
        let mut tx = Tx::of(&mut *driver);
        place_of_blobs(&mut tx, change, blobs)
    });
    driver.batch(if prepared.is_ok() { "COMMIT" } else { "ROLLBACK" }).and(prepared)
}

fn bring_up_to_date(driver: &mut dyn Driver, change: bool) -> Result<(), StoreError> {
    if !driver.has_catalog()? {
        if !change {
            return Err(StoreError::NoCatalog);
        }
        driver.create(SCHEMA)?;
        driver.create(RECORDS)?;
        driver.create(PLACES)?;
        driver.create(JOBS)?;
        driver.create(OLD_BLOCKS)?;
        driver.create(OLD_VALUES)?;
        driver.create(CONTENTS)?;
        driver.expect()?;
        let first = format!("INSERT INTO meta VALUES ('format', '{FORMAT}'), ('next_page', '1')");
        return driver.batch(&first);
    }
    let mut tx = Tx::of(&mut *driver);
    let found: String = tx.value("SELECT value FROM meta WHERE name = 'format'", &[])?;
    let found = found
        .parse()
        .map_err(|_| StoreError::Unreadable { what: "format", value: found.clone() })?;
    match found {
        FORMAT => Ok(()),
        found if found > FORMAT => Err(StoreError::Newer { found, known: FORMAT }),
        found @ OLDEST.. if change => {
            STEPS[(found - OLDEST) as usize..].iter().try_for_each(|step| step(driver))
        }
        found @ OLDEST.. => Err(StoreError::Outdated { found, known: FORMAT }),
        found => Err(StoreError::Older { found, known: FORMAT }),
    }
}

/// Format 4 knows records. What was captured before waits for them.
fn from_3(driver: &mut dyn Driver) -> Result<(), StoreError> {
    driver.create(RECORDS)?;
    // As format 6 has them.
    driver.batch(
        "DROP INDEX record_by_name;
         ALTER TABLE record DROP COLUMN named;
         CREATE UNIQUE INDEX record_by_name ON record (site, kind, name);
         CREATE TABLE unread AS
             SELECT site, page, min(version) AS version, 0 AS attempts FROM version
             GROUP BY site, page",
    )
}

/// Format 5 has one queue, leases of sites and a sequence of changes; it keeps links as a value of their
/// version, edges with their class, the facts of exchanges that an archive needs, and knows blobs outside
/// of the catalog. What format 4 kept as edges of links stays as it is, and reads the same.
fn from_4(driver: &mut dyn Driver) -> Result<(), StoreError> {
    driver.create(PLACES)?;
    driver.create(JOBS)?;
    queue_from_4(&mut Tx::of(&mut *driver))?;
    driver.batch(
        "ALTER TABLE version ADD COLUMN links BYTEA;
         ALTER TABLE version ADD COLUMN truncated TEXT;
         ALTER TABLE exchange ADD COLUMN sent BIGINT;
         ALTER TABLE exchange ADD COLUMN remote_address TEXT;
         ALTER TABLE exchange ADD COLUMN http_version TEXT;
         ALTER TABLE exchange ADD COLUMN failure TEXT;
         ALTER TABLE exchange ADD COLUMN truncated TEXT;
         ALTER TABLE edge ADD COLUMN class TEXT;
         ALTER TABLE edge ADD COLUMN filled TEXT;
         ALTER TABLE blob ADD COLUMN stored BIGINT;
         UPDATE meta SET value = '5' WHERE name = 'format'",
    )
}

/// Format 6 keeps bytes as patches of others, and as members of groups, and old blocks as values.
fn from_5(driver: &mut dyn Driver) -> Result<(), StoreError> {
    driver.create(OLD_BLOCKS)?;
    driver.batch(
        "CREATE INDEX blob_moved ON blob (blob) WHERE codec = 3;
         UPDATE meta SET value = '6' WHERE name = 'format'",
    )
}

/// Format 7 has what blocks hold once for all pages of a site, old changes and editions as values, and
/// finds records by digests of their names.
fn from_6(driver: &mut dyn Driver) -> Result<(), StoreError> {
    driver.batch("ALTER TABLE block ADD COLUMN content BIGINT NOT NULL DEFAULT 0")?;
    driver.create(OLD_VALUES)?;
    driver.create(CONTENTS)?;
    contents_from_6(&mut Tx::of(&mut *driver))?;
    names_from_6(&mut Tx::of(&mut *driver))?;
    driver.batch("UPDATE meta SET value = '7' WHERE name = 'format'")?;
    driver.expect()
}

/// What waited in the three queues of format 4 waits in the one of format 5.
fn queue_from_4(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let rows = tx.query(
        "SELECT t.site, t.page, t.kind, p.url, t.depth, t.rank FROM task t
         JOIN page p ON p.site = t.site AND p.page = t.page",
        &[],
    )?;
    for row in rows {
        let (site, page, kind, url): (String, i64, String, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let (depth, rank): (i64, i64) = (row.get(4)?, row.get(5)?);
        tx.execute(
            "INSERT INTO job (site, page, kind, host, depth, rank) VALUES ($1, $2, $3, $4, $5, $6)",
            params![site, page, kind, host_of(&url), depth, rank],
        )?;
    }
    tx.driver.batch(
        "INSERT INTO job (site, page, kind, version, attempts)
             SELECT site, page, 'cut', version, attempts FROM uncut;
         INSERT INTO job (site, page, kind, version, attempts)
             SELECT site, page, 'read', version, attempts FROM unread;
         INSERT INTO site (site, owner, lease_until, epoch, changes)
             SELECT DISTINCT site, '', 0, 0, 0 FROM page;
         DROP TABLE task; DROP TABLE uncut; DROP TABLE unread",
    )
}

fn place_of_blobs(
    tx: &mut Tx<'_>,
    change: bool,
    blobs: Option<BlobLocation>,
) -> Result<Option<BlobLocation>, StoreError> {
    let known: Option<String> =
        tx.value_optional("SELECT value FROM meta WHERE name = 'blobs'", &[])?;
    match (known, blobs) {
        (Some(known), Some(blobs)) if known != blobs.to_string() => {
            Err(StoreError::OtherBlobs { known, given: blobs.to_string() })
        }
        (Some(known), None) => known.parse().map(Some),
        (None, Some(blobs)) if change => {
            let place = blobs.to_string();
            tx.execute("INSERT INTO meta (name, value) VALUES ('blobs', $1)", params![place])?;
            Ok(Some(blobs))
        }
        (_, blobs) => Ok(blobs),
    }
}
