//! The columns of records as a table, for formats that have columns.

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Text,
    Integer,
    Number,
    /// A time as RFC 3339.
    Time,
    /// A list of texts.
    List,
    /// Texts by name.
    Map,
}

/// A column: its name, and what it holds.
pub type Column = (&'static str, Holds);

/// All columns, in order: the fields of a line of JSON.
pub const COLUMNS: &[Column] = &[
    ("kind", Holds::Text),
    ("site", Holds::Text),
    ("page", Holds::Integer),
    ("url", Holds::Text),
    ("xpath", Holds::Text),
    ("title", Holds::Text),
    ("author", Holds::Text),
    ("time", Holds::Time),
    ("time_text", Holds::Text),
    ("content_text", Holds::Text),
    ("content_html", Holds::Text),
    ("quotes", Holds::List),
    ("links", Holds::List),
    ("fields", Holds::Map),
    ("confidence", Holds::Number),
    ("id", Holds::Text),
    ("permalink", Holds::Text),
    ("position", Holds::Integer),
    ("reply_to", Holds::List),
    ("replies", Holds::Integer),
    ("last_author", Holds::Text),
    ("last_time", Holds::Time),
    ("time_precision", Holds::Text),
    ("zone", Holds::Text),
    ("field_xpaths", Holds::Map),
    ("proofs", Holds::List),
    ("version", Holds::Integer),
    ("first_seen", Holds::Time),
    ("last_seen", Holds::Time),
    ("edited", Holds::Time),
    ("deleted", Holds::Time),
];
