//! The one seam to the engines: a transaction that takes SQL with `$n` parameters.
//!
//! A verb of the catalog is a plain function over a [`Tx`]. It may be run again from its beginning when
//! the engine could not commit it, so it changes nothing but the transaction. SQL is written in the
//! subset that SQLite and PostgreSQL share. Where one statement can do the work of many, [`Tx::insert`],
//! [`Tx::query_in`] and [`Tx::execute_in`] make it, in a few fixed sizes so that the engines keep them
//! prepared.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::blob::{Groups, Hash, Outside};
use crate::error::StoreError;
use crate::lease::Leases;
use crate::memory::Memory;

/// What a column holds, or a parameter brings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// SQL's NULL.
    Null,
    /// BIGINT; also what is true (1) or false (0).
    Integer(i64),
    /// DOUBLE PRECISION.
    Float(f64),
    /// TEXT.
    Text(Cow<'a, str>),
    /// BYTEA.
    Bytes(Cow<'a, [u8]>),
}

/// What can be a parameter: a reference to something that a column holds.
pub(crate) trait ToValue<'a> {
    fn to_value(self) -> Value<'a>;
}

/// What a column can be read as.
pub(crate) trait FromValue: Sized {
    /// `None` if the value is something else.
    fn from_value(value: &Value<'_>) -> Option<Self>;
}

/// Parameters of a statement, `$1` first.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$($crate::tx::ToValue::to_value(&$value)),*]
    };
}
pub(crate) use params;

macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl<'a> ToValue<'a> for &$kind {
            fn to_value(self) -> Value<'a> {
                Value::Integer(i64::from(*self))
            }
        }
        impl FromValue for $kind {
            fn from_value(value: &Value<'_>) -> Option<Self> {
                match value {
                    Value::Integer(number) => <$kind>::try_from(*number).ok(),
                    _ => None,
                }
            }
        }
    )*};
}
integers!(i64, u32, u16);

/// Names that are numbers are stored as such.
macro_rules! stored_as_number {
    ($($kind:ident),*) => {$(
        impl<'a> $crate::tx::ToValue<'a> for &$kind {
            fn to_value(self) -> $crate::tx::Value<'a> {
                $crate::tx::Value::Integer(self.0)
            }
        }
        impl $crate::tx::FromValue for $kind {
            fn from_value(value: &$crate::tx::Value<'_>) -> Option<Self> {
                i64::from_value(value).map($kind)
            }
        }
    )*};
}
pub(crate) use stored_as_number;

impl<'a> ToValue<'a> for &bool {
    fn to_value(self) -> Value<'a> {
        Value::Integer(i64::from(*self))
    }
}

impl FromValue for bool {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        i64::from_value(value).map(|number| number != 0)
    }
}

impl<'a> ToValue<'a> for &f64 {
    fn to_value(self) -> Value<'a> {
        Value::Float(*self)
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Float(number) => Some(*number),
            Value::Integer(number) => Some(*number as f64),
            _ => None,
        }
    }
}

impl<'a> ToValue<'a> for &'a str {
    fn to_value(self) -> Value<'a> {
        Value::Text(Cow::Borrowed(self))
    }
}

impl<'a> ToValue<'a> for &'a String {
    fn to_value(self) -> Value<'a> {
        self.as_str().to_value()
    }
}

impl FromValue for String {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        }
    }
}

impl<'a> ToValue<'a> for &'a [u8] {
    fn to_value(self) -> Value<'a> {
        Value::Bytes(Cow::Borrowed(self))
    }
}

impl<'a, const N: usize> ToValue<'a> for &'a [u8; N] {
    fn to_value(self) -> Value<'a> {
        self.as_slice().to_value()
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => bytes.as_ref().try_into().ok(),
            _ => None,
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

impl<'a, 'b, T> ToValue<'a> for &'b Option<T>
where
    &'b T: ToValue<'a>,
{
    fn to_value(self) -> Value<'a> {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl<'a, T: ?Sized> ToValue<'a> for &&'a T
where
    &'a T: ToValue<'a>,
{
    fn to_value(self) -> Value<'a> {
        (*self).to_value()
    }
}

/// A row of an answer.
#[derive(Debug)]
pub(crate) struct Row(pub(crate) Vec<Value<'static>>);

impl Row {
    /// How many columns it has.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The column at this place, counted from 0.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] when it holds something else.
    pub(crate) fn get<T: FromValue>(&self, at: usize) -> Result<T, StoreError> {
        let value = self.0.get(at);
        value.and_then(T::from_value).ok_or_else(|| StoreError::Unreadable {
            what: std::any::type_name::<T>(),
            value: format!("column {at}: {value:?}"),
        })
    }
}

/// What an engine does for a transaction.
pub(crate) trait Driver: Send {
    /// Begins a transaction that writes.
    fn begin(&mut self) -> Result<(), StoreError>;
    /// Begins a transaction that sees one state of the store, and cannot write.
    fn begin_reading(&mut self) -> Result<(), StoreError>;
    /// Makes others wait that write to this site, until the end of the transaction.
    fn lock(&mut self, site: &str) -> Result<(), StoreError>;
    /// Runs statements without parameters.
    fn batch(&mut self, sql: &str) -> Result<(), StoreError>;
    fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64, StoreError>;
    fn query(&mut self, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError>;
    /// Whether the catalog has been made.
    fn has_catalog(&mut self) -> Result<bool, StoreError>;
    /// Makes tables of a text in SQLite's words.
    fn create(&mut self, schema: &str) -> Result<(), StoreError>;
    /// Tells whoever plans statements what a store holds, where it does not find out by itself.
    fn expect(&mut self) -> Result<(), StoreError>;
    /// Numbers that no page of the store has had, in order.
    fn page_numbers(&mut self, how_many: usize) -> Result<Vec<i64>, StoreError>;
    /// What the database itself finds wrong with its file.
    fn check(&mut self) -> Result<Vec<String>, StoreError>;
    /// What the whole catalog takes on disk.
    fn bytes_on_disk(&mut self) -> Result<i64, StoreError>;
}

/// A transaction.
pub(crate) struct Tx<'a> {
    pub(crate) driver: &'a mut dyn Driver,
    /// Where blobs lie that are not in the catalog.
    pub(crate) outside: Option<&'a Outside>,
    /// The groups that were decoded last.
    pub(crate) groups: Option<&'a Groups>,
    /// The sites that may be written to.
    pub(crate) leases: Option<&'a Leases>,
    /// The sites that are locked, each with the epoch that was found to be its present one.
    pub(crate) locked: HashMap<String, Option<i64>>,
    /// What is known of its sites without asking.
    pub(crate) memory: Memory,
    /// The numbers of the blobs that it has put.
    pub(crate) blobs: HashMap<Hash, i64>,
}

/// Rows of one statement. A list is cut into these, so that there are few statements to prepare.
const SIZES: [usize; 4] = [64, 16, 4, 1];

impl<'a> Tx<'a> {
    /// A transaction about the store itself.
    pub(crate) fn of(driver: &'a mut dyn Driver) -> Self {
        Self {
            driver,
            outside: None,
            groups: None,
            leases: None,
            locked: HashMap::new(),
            memory: Memory::default(),
            blobs: HashMap::new(),
        }
    }

    /// Keeps others from writing to a site until the transaction ends.
    pub(crate) fn lock(&mut self, site: &str) -> Result<(), StoreError> {
        if !self.locked.contains_key(site) {
            self.driver.lock(site)?;
            self.locked.insert(site.to_owned(), None);
        }
        Ok(())
    }

    /// Runs a statement and says how many rows it changed.
    pub(crate) fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        self.driver.execute(sql, params)
    }

    /// All rows of the answer.
    pub(crate) fn query(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        self.driver.query(sql, params)
    }

    /// The first row of the answer, if there is one.
    pub(crate) fn query_optional(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.query(sql, params)?.into_iter().next())
    }

    /// The first row of an answer that has one.
    pub(crate) fn query_one(&mut self, sql: &str, params: &[Value<'_>]) -> Result<Row, StoreError> {
        self.query_optional(sql, params)?.ok_or_else(|| StoreError::Unreadable {
            what: "answer without a row",
            value: sql.to_owned(),
        })
    }

    /// Column 0 of the first row of an answer that has one.
    pub(crate) fn value<T: FromValue>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
    ) -> Result<T, StoreError> {
        self.query_one(sql, params)?.get(0)
    }

    /// Column 0 of the first row, if there is one.
    pub(crate) fn value_optional<T: FromValue>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
    ) -> Result<Option<T>, StoreError> {
        self.query_optional(sql, params)?.map(|row| row.get(0)).transpose()
    }

    /// Column 0 of all rows.
    pub(crate) fn values<T: FromValue, C: FromIterator<T>>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
    ) -> Result<C, StoreError> {
        self.query(sql, params)?.iter().map(|row| row.get(0)).collect()
    }

    /// Inserts rows of equal length. `into` ends before VALUES, `then` follows the rows. Returns how many
    /// were inserted or updated.
    pub(crate) fn insert(
        &mut self,
        into: &str,
        rows: &[Vec<Value<'_>>],
        then: &str,
    ) -> Result<u64, StoreError> {
        let mut changed = 0;
        for_chunks(rows, |chunk| {
            let params: Vec<Value<'_>> = chunk.iter().flatten().cloned().collect();
            changed += self.execute(&values_text(into, chunk, then), &params)?;
            Ok(())
        })?;
        Ok(changed)
    }

    /// Inserts rows likewise, and gives what `then` returns of them.
    pub(crate) fn insert_returning(
        &mut self,
        into: &str,
        rows: &[Vec<Value<'_>>],
        then: &str,
    ) -> Result<Vec<Row>, StoreError> {
        let mut returned = Vec::new();
        for_chunks(rows, |chunk| {
            let params: Vec<Value<'_>> = chunk.iter().flatten().cloned().collect();
            returned.extend(self.query(&values_text(into, chunk, then), &params)?);
            Ok(())
        })?;
        Ok(returned)
    }

    /// Asks about each of a list: `$list` in the text stands for its members, after `params`.
    pub(crate) fn query_in(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        list: &[Value<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        for chunk in list.chunks(SIZES[0]) {
            let (sql, params) = with_list(sql, params, chunk);
            rows.extend(self.query(&sql, &params)?);
        }
        Ok(rows)
    }

    /// Changes each of a list, likewise.
    pub(crate) fn execute_in(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        list: &[Value<'_>],
    ) -> Result<u64, StoreError> {
        let mut changed = 0;
        for chunk in list.chunks(SIZES[0]) {
            let (sql, params) = with_list(sql, params, chunk);
            changed += self.execute(&sql, &params)?;
        }
        Ok(changed)
    }
}

fn for_chunks<T>(
    mut rows: &[T],
    mut each: impl FnMut(&[T]) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    for size in SIZES {
        while rows.len() >= size {
            let (chunk, rest) = rows.split_at(size);
            each(chunk)?;
            rows = rest;
        }
    }
    Ok(())
}

fn values_text(into: &str, rows: &[Vec<Value<'_>>], then: &str) -> String {
    let mut sql = format!("{into} VALUES ");
    let mut number = 0;
    for (at, row) in rows.iter().enumerate() {
        sql.push_str(if at == 0 { "(" } else { ", (" });
        push_numbers(&mut sql, number, row.len());
        sql.push(')');
        number += row.len();
    }
    sql.push(' ');
    sql.push_str(then);
    sql
}

/// The list in the least size that holds it, its last member repeated.
fn with_list<'a>(sql: &str, params: &[Value<'a>], list: &[Value<'a>]) -> (String, Vec<Value<'a>>) {
    let size = SIZES.into_iter().rev().find(|size| *size >= list.len()).unwrap_or(list.len());
    let mut members = String::new();
    push_numbers(&mut members, params.len(), size);
    let last = list.last().into_iter().cycle().take(size - list.len());
    let params = params.iter().chain(list).chain(last).cloned().collect();
    (sql.replace("$list", &members), params)
}

fn push_numbers(sql: &mut String, after: usize, how_many: usize) {
    use std::fmt::Write;
    for number in after + 1..=after + how_many {
        let comma = if number == after + 1 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(sql, "{comma}${number}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_makes_few_different_texts() {
        let rows: Vec<Vec<Value<'_>>> = (0..100_i64).map(|n| vec![Value::Integer(n)]).collect();
        let mut sizes = Vec::new();
        for_chunks(&rows, |chunk| {
            sizes.push(chunk.len());
            Ok(())
        })
        .unwrap();
        assert_eq!(sizes, [64, 16, 16, 4]);
        assert_eq!(
            values_text("INSERT INTO t (a)", &rows[..2], "ON"),
            "INSERT INTO t (a) VALUES ($1), ($2) ON"
        );
    }

    #[test]
    fn a_short_list_is_filled_up_with_its_last_member() {
        let list: Vec<_> = (1..=3_i64).map(Value::Integer).collect();
        let (sql, params) = with_list("a = $1 AND b IN ($list)", params!["x"], &list);
        assert_eq!(sql, "a = $1 AND b IN ($2, $3, $4, $5)");
        assert_eq!(params.last(), Some(&Value::Integer(3)));
        assert_eq!(params.len(), 5);
    }

    #[test]
    fn a_column_that_holds_something_else_is_unreadable() {
        let row = Row(vec![Value::Text("seven".into()), Value::Null, Value::Integer(-1)]);
        assert!(matches!(row.get::<i64>(0), Err(StoreError::Unreadable { .. })));
        assert!(matches!(row.get::<String>(1), Err(StoreError::Unreadable { .. })));
        assert!(matches!(row.get::<u32>(2), Err(StoreError::Unreadable { .. })));
        assert_eq!(row.get::<Option<i64>>(1).unwrap(), None);
        assert!(row.get::<i64>(3).is_err());
    }
}
