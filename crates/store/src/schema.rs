//! The schema, and the promise that no program writes to a store of a format it does not know.

use crate::blob::BlobLocation;
use crate::error::StoreError;
use crate::tx::{Driver, Tx, params};

/// The format this program writes.
pub(crate) const FORMAT: i64 = 5;
/// The oldest format that is brought up to it.
const OLDEST: i64 = 3;

const SCHEMA: &str = include_str!("schema.sql");
const RECORDS: &str = include_str!("record.sql");
const PLACES: &str = include_str!("place.sql");

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
        let mut tx = Tx { driver: &mut *driver, outside: None };
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
        let first = format!("INSERT INTO meta VALUES ('format', '{FORMAT}'), ('next_page', '1')");
        return driver.batch(&first);
    }
    let mut tx = Tx { driver: &mut *driver, outside: None };
    let found: String = tx.value("SELECT value FROM meta WHERE name = 'format'", &[])?;
    let found = found
        .parse()
        .map_err(|_| StoreError::Unreadable { what: "format", value: found.clone() })?;
    match found {
        FORMAT => Ok(()),
        found if found > FORMAT => Err(StoreError::Newer { found, known: FORMAT }),
        3 if change => from_3(driver).and_then(|()| from_4(driver)),
        4 if change => from_4(driver),
        found @ OLDEST.. => Err(StoreError::Outdated { found, known: FORMAT }),
        found => Err(StoreError::Older { found, known: FORMAT }),
    }
}

/// Format 4 knows records. What was captured before waits for them.
fn from_3(driver: &mut dyn Driver) -> Result<(), StoreError> {
    const QUEUE: &str = "INSERT INTO unread (site, page, version)
                         SELECT site, page, min(version) FROM version GROUP BY site, page;
                         UPDATE meta SET value = '4' WHERE name = 'format'";
    driver.create(RECORDS)?;
    driver.batch(QUEUE)
}

/// Format 5 keeps links as a value of their version, edges with their class, the facts of exchanges that
/// an archive needs, and knows blobs outside of the catalog. What format 4 kept as edges of links stays
/// as it is, and reads the same.
fn from_4(driver: &mut dyn Driver) -> Result<(), StoreError> {
    driver.create(PLACES)?;
    driver.batch(
        "ALTER TABLE version ADD COLUMN links BYTEA;
         ALTER TABLE version ADD COLUMN truncated TEXT;
         ALTER TABLE exchange ADD COLUMN sent BIGINT;
         ALTER TABLE exchange ADD COLUMN remote_address TEXT;
         ALTER TABLE exchange ADD COLUMN http_version TEXT;
         ALTER TABLE exchange ADD COLUMN failure TEXT;
         ALTER TABLE exchange ADD COLUMN truncated TEXT;
         ALTER TABLE edge ADD COLUMN class TEXT;
         ALTER TABLE blob ADD COLUMN stored BIGINT;
         UPDATE meta SET value = '5' WHERE name = 'format'",
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
