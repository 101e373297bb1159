//! The schema, and the promise that no program writes to a file of a format it does not know.

use rusqlite::{Connection, OptionalExtension};

use crate::error::StoreError;

/// The format this program writes.
pub(crate) const FORMAT: i64 = 3;

pub(crate) fn prepare(connection: &Connection, create: bool) -> Result<(), StoreError> {
    let known = connection
        .query_row("SELECT 1 FROM sqlite_master WHERE name = 'meta'", [], |_| Ok(()))
        .optional()?
        .is_some();
    if !known && !create {
        return Err(StoreError::NoCatalog);
    }
    if !known {
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {} INSERT INTO meta VALUES ('format', '{FORMAT}'), ('next_page', '1'); COMMIT;",
            include_str!("schema.sql")
        ))?;
        return Ok(());
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
        found => Err(StoreError::Older { found, known: FORMAT }),
    }
}
