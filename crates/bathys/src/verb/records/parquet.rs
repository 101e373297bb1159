//! Parquet: typed columns in row groups, each of which is all that is held in memory.

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

use super::columns::{Column, Holds};

/// Rows of a group, and the bytes of text that end it earlier.
const MOST_ROWS: usize = 10_000;
const MOST_BYTES: usize = 16 << 20;

/// A file that is being written, group by group.
pub struct Groups {
    columns: &'static [Column],
    file: SerializedFileWriter<Box<dyn Write + Send>>,
    leaves: Vec<Leaf>,
    rows: usize,
    bytes: usize,
}

/// What one physical column of a group holds, and Dremel's levels: for each value whether it is there,
/// and whether it goes on with the list before it.
struct Leaf {
    column: &'static str,
    /// Which part of a map it is.
    part: Part,
    holds: Holds,
    texts: Vec<ByteArray>,
    integers: Vec<i64>,
    numbers: Vec<f64>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Key,
    Value,
}

impl Groups {
    /// Begins a table of this name with these columns.
    pub fn begin(
        name: &str,
        columns: &'static [Column],
        out: Box<dyn Write + Send>,
    ) -> anyhow::Result<Self> {
        let schema = parse_message_type(&schema(name, columns)).context("a schema of no table")?;
        let schema = Arc::new(schema);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
        Ok(Self { columns, file, leaves: leaves(columns), rows: 0, bytes: 0 })
    }

    pub fn add(&mut self, line: &Value) -> anyhow::Result<()> {
        for leaf in &mut self.leaves {
            self.bytes += leaf.add(line.get(leaf.column).unwrap_or(&Value::Null));
        }
        self.rows += 1;
        match self.rows >= MOST_ROWS || self.bytes >= MOST_BYTES {
            true => self.flush(),
            false => Ok(()),
        }
    }

    pub fn end(mut self) -> anyhow::Result<()> {
        self.flush()?;
        let mut out = self.file.into_inner()?;
        Ok(out.flush()?)
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for leaf in std::mem::replace(&mut self.leaves, leaves(self.columns)) {
            let writer = group.next_column()?.context("a column without a place")?;
            leaf.write(writer)?;
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl Leaf {
    /// Takes a value; returns what it takes in memory, about.
    fn add(&mut self, value: &Value) -> usize {
        match (value, self.part) {
            (Value::Array(items), _) => {
                self.repeat(items.iter().filter_map(Value::as_str));
                items.iter().map(|item| size(item.as_str())).sum()
            }
            (Value::Object(items), Part::Key) => {
                self.repeat(items.keys().map(String::as_str));
                items.keys().map(|key| size(Some(key))).sum()
            }
            (Value::Object(items), _) => {
                self.repeat(items.values().map(|value| value.as_str().unwrap_or_default()));
                items.values().map(|value| size(value.as_str())).sum()
            }
            _ => {
                let is_there = self.put(value);
                self.definitions.push(is_there.into());
                size(value.as_str())
            }
        }
    }

    fn repeat<'a>(&mut self, items: impl Iterator<Item = &'a str>) {
        let before = self.texts.len();
        for item in items {
            self.repetitions.push((self.texts.len() > before).into());
            self.definitions.push(1);
            self.texts.push(item.into());
        }
        if self.texts.len() == before {
            self.repetitions.push(0);
            self.definitions.push(0);
        }
    }

    /// Takes what is no list; says whether there is anything.
    fn put(&mut self, value: &Value) -> bool {
        match self.holds {
            Holds::Text => value.as_str().map(|text| self.texts.push(text.into())).is_some(),
            Holds::Integer => value.as_i64().map(|number| self.integers.push(number)).is_some(),
            Holds::Number => value.as_f64().map(|number| self.numbers.push(number)).is_some(),
            Holds::Time => {
                let time = value.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
                time.map(|time| self.integers.push(time.as_millisecond())).is_some()
            }
            Holds::List | Holds::Map => {
                self.repetitions.push(0);
                false
            }
        }
    }

    fn write(self, mut writer: SerializedColumnWriter<'_>) -> anyhow::Result<()> {
        let repeated = matches!(self.holds, Holds::List | Holds::Map);
        let definitions = Some(self.definitions.as_slice());
        let repetitions = repeated.then_some(self.repetitions.as_slice());
        match self.holds {
            Holds::Integer | Holds::Time => {
                let column = writer.typed::<Int64Type>();
                column.write_batch(&self.integers, definitions, repetitions)?;
            }
            Holds::Number => {
                let column = writer.typed::<DoubleType>();
                column.write_batch(&self.numbers, definitions, repetitions)?;
            }
            Holds::Text | Holds::List | Holds::Map => {
                let column = writer.typed::<ByteArrayType>();
                column.write_batch(&self.texts, definitions, repetitions)?;
            }
        }
        Ok(writer.close()?)
    }
}

fn size(text: Option<&str>) -> usize {
    text.map_or(0, str::len) + size_of::<ByteArray>()
}

/// The physical columns: a map has two, its keys and its values.
fn leaves(columns: &'static [Column]) -> Vec<Leaf> {
    let leaf = |column, holds, part| Leaf {
        column,
        part,
        holds,
        texts: Vec::new(),
        integers: Vec::new(),
        numbers: Vec::new(),
        definitions: Vec::new(),
        repetitions: Vec::new(),
    };
    let mut leaves = Vec::new();
    for (column, holds) in columns {
        match holds {
            Holds::Map => {
                leaves.push(leaf(column, *holds, Part::Key));
                leaves.push(leaf(column, *holds, Part::Value));
            }
            _ => leaves.push(leaf(column, *holds, Part::Whole)),
        }
    }
    leaves
}

/// The schema, as the format's own documents write schemas.
fn schema(name: &str, columns: &[Column]) -> String {
    let mut fields = String::new();
    for (name, holds) in columns {
        let field = match holds {
            Holds::Text => format!("optional binary {name} (STRING);"),
            Holds::Integer => format!("optional int64 {name};"),
            Holds::Number => format!("optional double {name};"),
            Holds::Time => format!("optional int64 {name} (TIMESTAMP(MILLIS,true));"),
            Holds::List => format!(
                "required group {name} (LIST) {{ repeated group list {{ required binary element (STRING); }} }}"
            ),
            Holds::Map => format!(
                "required group {name} (MAP) {{ repeated group key_value {{ required binary key (STRING); required binary value (STRING); }} }}"
            ),
        };
        fields.push_str(&field);
    }
    format!("message {name} {{ {fields} }}")
}
