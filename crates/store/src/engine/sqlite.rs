//! The embedded engine: a file of SQLite in the store's directory.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, OpenFlags};

use crate::catalog::Access;
use crate::error::StoreError;
use crate::tx::{Driver, Row, Value};

/// The file within the directory.
pub(crate) const FILE: &str = "catalog.sqlite3";
/// Statements that a connection keeps prepared: more than a step uses, or each would push out the next.
const STATEMENTS: usize = 256;

/// What the schema says of tables whose rows are small and lie in the order of their key: else the key is
/// kept twice. PostgreSQL has no such tables.
const CLUSTERED: &str = "/* clustered */";

/// Bytes of a page of the file. Most tables of most stores are small, and each takes a page at least: of six
/// sealed series, files of 2 KB pages were 2 to 16 % smaller than with SQLite's own 4 KB, and so was that of a crawl.
/// With 1 KB, rows of edges do not fit into pages any more.
const PAGE_SIZE: i64 = 2048;
/// Pages of the log after which it is folded into the file: 4 MB of them.
const LOG_PAGES: i64 = (4 << 20) / PAGE_SIZE;

/// What plans of statements go by.
const STATISTICS: &str = include_str!("statistics.sql");

/// Where the file is.
#[derive(Clone)]
pub(super) struct File(PathBuf);

/// A connection.
pub(super) struct Sqlite {
    connection: Connection,
    writes: bool,
}

impl File {
    pub(super) fn in_directory(directory: &Path) -> Self {
        Self(directory.join(FILE))
    }

    pub(super) fn connect(&self, access: Access) -> Result<Sqlite, StoreError> {
        let writes = access == Access::Write;
        let flags = match writes {
            true => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
            false => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        let connection =
            Connection::open_with_flags(&self.0, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        // Else a statement is planned anew whenever a limit or the like is bound to another value.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        if writes {
            // Of a file that is there already, it changes nothing.
            connection.pragma_update(None, "page_size", PAGE_SIZE)?;
            // WAL so that readers never wait; FULL so that a commit survives a power cut too.
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
            // In KiB. What does not fit is read from the cache of the operating system.
            connection.pragma_update(None, "cache_size", -8_000)?;
        }
        Ok(Sqlite { connection, writes })
    }

    /// Gives back to the system what the file does not need any more.
    pub(super) fn compact(&self) -> Result<(), StoreError> {
        let mut file = self.connect(Access::Write)?;
        let rows = file.query("SELECT page_size FROM pragma_page_size", &[])?;
        let page_size: i64 = rows.first().ok_or(StoreError::NoCatalog)?.get(0)?;
        // The size of pages can be changed without a log only, and so not while somebody reads.
        if page_size != PAGE_SIZE
            && file.batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE").is_ok()
        {
            file.batch(&format!("PRAGMA page_size = {PAGE_SIZE}; VACUUM"))?;
            return file.batch("PRAGMA journal_mode = WAL");
        }
        file.batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    pub(super) fn erase(&self) -> Result<(), StoreError> {
        for suffix in ["", "-wal", "-shm"] {
            let mut path = self.0.clone().into_os_string();
            path.push(suffix);
            match fs::remove_file(&path) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StoreError::Directory { path: path.into(), source });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Sqlite {
    fn prepare(&self, sql: &str, params: &[Value<'_>]) -> Result<CachedStatement<'_>, StoreError> {
        // SQLite counts `$1` as a name, `?1` as a number. No statement has a dollar for another reason.
        let mut statement = self.connection.prepare_cached(&sql.replace('$', "?"))?;
        for (at, value) in params.iter().enumerate() {
            statement.raw_bind_parameter(at + 1, value)?;
        }
        Ok(statement)
    }
}

impl Driver for Sqlite {
    fn begin(&mut self) -> Result<(), StoreError> {
        self.batch("BEGIN IMMEDIATE")
    }

    fn begin_reading(&mut self) -> Result<(), StoreError> {
        self.batch("BEGIN")
    }

    fn lock(&mut self, _site: &str) -> Result<(), StoreError> {
        // There is one writer.
        Ok(())
    }

    fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch(sql)?)
    }

    fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        Ok(self.prepare(sql, params)?.raw_execute()? as u64)
    }

    fn query(&mut self, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        let mut statement = self.prepare(sql, params)?;
        let columns = statement.column_count();
        let mut answer = statement.raw_query();
        let mut rows = Vec::new();
        while let Some(row) = answer.next()? {
            let values = (0..columns).map(|at| Ok(read(row.get_ref(at)?)?));
            rows.push(Row(values.collect::<Result<_, StoreError>>()?));
        }
        Ok(rows)
    }

    fn has_catalog(&mut self) -> Result<bool, StoreError> {
        Ok(!self.query("SELECT 1 FROM sqlite_master WHERE name = 'meta'", &[])?.is_empty())
    }

    fn create(&mut self, schema: &str) -> Result<(), StoreError> {
        self.batch(&without_comments(&schema.replace(CLUSTERED, "WITHOUT ROWID")))
    }

    fn expect(&mut self) -> Result<(), StoreError> {
        self.batch(STATISTICS)
    }

    fn page_numbers(&mut self, how_many: usize) -> Result<Vec<i64>, StoreError> {
        let how_many = how_many as i64;
        let rows = self.query(
            "UPDATE meta SET value = CAST(CAST(value AS BIGINT) + $1 AS TEXT)
             WHERE name = 'next_page' RETURNING CAST(value AS BIGINT)",
            &[Value::Integer(how_many)],
        )?;
        let after: i64 = rows.first().ok_or(StoreError::NoCatalog)?.get(0)?;
        Ok((after - how_many..after).collect())
    }

    fn check(&mut self) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare("PRAGMA integrity_check")?;
        let found = statement.query_map([], |row| row.get::<_, String>(0))?;
        let found: Vec<String> = found.collect::<Result<_, _>>()?;
        Ok(found.into_iter().filter(|line| line != "ok").collect())
    }

    fn bytes_on_disk(&mut self) -> Result<i64, StoreError> {
        const BYTES: &str = "SELECT (page_count - freelist_count) * page_size
             FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
        self.query(BYTES, &[])?.first().ok_or(StoreError::NoCatalog)?.get(0)
    }
}

/// A schema in few bytes: SQLite keeps its text in every store.
fn without_comments(schema: &str) -> String {
    let lines = schema.lines().map(|line| line.split("--").next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        if self.writes {
            // The log is folded into the file, so that a closed store is one file to copy.
            let _ = self.connection.pragma_update(None, "wal_checkpoint", "TRUNCATE");
        }
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Float(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn read(value: ValueRef<'_>) -> Result<Value<'static>, rusqlite::types::FromSqlError> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Float(number),
        ValueRef::Text(_) => Value::Text(Cow::Owned(value.as_str()?.to_owned())),
        ValueRef::Blob(bytes) => Value::Bytes(Cow::Owned(bytes.to_owned())),
    })
}

impl From<rusqlite::Error> for StoreError {
    fn from(source: rusqlite::Error) -> Self {
        Self::Database { source: Box::new(source), passes: false, lost: false }
    }
}

impl From<rusqlite::types::FromSqlError> for StoreError {
    fn from(source: rusqlite::types::FromSqlError) -> Self {
        rusqlite::Error::from(source).into()
    }
}
