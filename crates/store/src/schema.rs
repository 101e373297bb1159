//! The schema, and the promise that no program writes to a file of a format it does not know.

use rusqlite::{Connection, OptionalExtension};

use crate::error::StoreError;

/// The format this program writes.
pub(crate) const FORMAT: i64 = 4;
/// The oldest format that is brought up to it.
pub(crate) const OLDEST: i64 = 3;

const SCHEMA: &str = include_str!("schema.sql");
const RECORDS: &str = include_str!("record.sql");

/// Makes the catalog, or brings it up to date, if `change` allows that.
pub(crate) fn prepare(connection: &Connection, change: bool) -> Result<(), StoreError> {
    let known = connection
        .query_row("SELECT 1 FROM sqlite_master WHERE name = 'meta'", [], |_| Ok(()))
        .optional()?
        .is_some();
    if !known && !change {
        return Err(StoreError::NoCatalog);
    }
    if !known {
        let first = format!("INSERT INTO meta VALUES ('format', '{FORMAT}'), ('next_page', '1');");
        return at_once(connection, &[SCHEMA, RECORDS, &first]);
    }
    let found: String =
        connection
            .query_row("SELECT value FROM meta WHERE name = 'format'", [], |row| row.get(0))?;
    let found = found
        .parse()
        .map_err(|_| StoreError::Unreadable { what: "format", value: found.clone() })?;
    match found {
        FORMAT => Ok(()),
        found if found > FORMAT => Err(StoreError::Newer { found, known: FORMAT }),
        OLDEST if change => from_3(connection),
        found => Err(StoreError::Older { found, known: FORMAT }),
    }
}

/// Format 4 knows records. What was captured before waits for them.
fn from_3(connection: &Connection) -> Result<(), StoreError> {
    const QUEUE: &str = "INSERT INTO unread (site, page, version)
                         SELECT site, page, min(version) FROM version GROUP BY site, page;
                         UPDATE meta SET value = '4' WHERE name = 'format';";
    at_once(connection, &[RECORDS, QUEUE])
}

/// All or nothing: a program that is killed over it leaves the file as it was.
fn at_once(connection: &Connection, parts: &[&str]) -> Result<(), StoreError> {
    let done = connection.execute_batch(&format!("BEGIN IMMEDIATE; {} COMMIT;", parts.concat()));
    if done.is_err() && !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK")?;
    }
    Ok(done?)
}
