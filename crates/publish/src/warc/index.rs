//! The index of an archive (CDXJ): a line for each record that can be shown, sorted by address and time.

use std::fmt::Write as _;
use std::io::Write;

use store::Millis;

use super::digest::PayloadDigest;
use super::line_sorter::LineSorter;
use super::record::RecordPlace;
use super::surt::surt;
use crate::PublishError;

/// A record as the index has it.
pub(super) struct IndexedRecord<'a> {
    pub(super) target: &'a str,
    pub(super) date: Millis,
    pub(super) media_type: Option<&'a str>,
    pub(super) status: Option<String>,
    pub(super) digest: PayloadDigest,
    pub(super) place: RecordPlace,
}

/// An index that is being made.
pub(super) struct Index {
    /// The archive's name, as lines have it.
    filename: String,
    lines: LineSorter,
}

impl Index {
    pub(super) fn of(filename: &str) -> Self {
        Self { filename: filename.to_owned(), lines: LineSorter::default() }
    }

    pub(super) fn add(&mut self, record: &IndexedRecord<'_>) -> Result<(), PublishError> {
        let mut line = format!("{} {} {{\"url\": ", surt(record.target), timestamp(record.date));
        push_json(&mut line, record.target);
        let (digest, place) = (record.digest.to_string(), record.place);
        let (length, offset) = (place.length.to_string(), place.offset.to_string());
        let fields = [
            ("mime", record.media_type),
            ("status", record.status.as_deref()),
            ("digest", Some(digest.as_str())),
            ("length", Some(length.as_str())),
            ("offset", Some(offset.as_str())),
            ("filename", Some(self.filename.as_str())),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                line.push_str(&format!(", \"{name}\": "));
                push_json(&mut line, value);
            }
        }
        line.push_str("}\n");
        Ok(self.lines.add(line)?)
    }

    /// Writes the lines in order.
    pub(super) fn write_to(self, out: &mut impl Write) -> Result<(), PublishError> {
        self.lines.for_each(|line| out.write_all(line.as_bytes()))?;
        Ok(())
    }

    /// Calls `each` with the lines in order.
    pub(super) fn for_each(
        self,
        each: impl FnMut(&str) -> std::io::Result<()>,
    ) -> Result<(), PublishError> {
        Ok(self.lines.for_each(each)?)
    }
}

/// `20260131235959`.
pub fn timestamp(date: Millis) -> String {
    date.to_string().chars().filter(char::is_ascii_digit).take(14).collect()
}

/// A string of JSON in ASCII, as all that read these files expect.
pub(crate) fn push_json(out: &mut String, text: &str) {
    // A string always serialises.
    let json = serde_json::to_string(text).unwrap_or_default();
    let mut units = [0; 2];
    for character in json.chars() {
        match character.is_ascii() {
            true => out.push(character),
            false => {
                for unit in character.encode_utf16(&mut units) {
                    // Writing to a string does not fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
}
