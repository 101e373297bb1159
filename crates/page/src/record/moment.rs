//! A point in time, as exactly as a page says it.

use serde::{Deserialize, Serialize};

/// How exactly a page says when something was.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// To the second.
    Second,
    /// To the minute.
    Minute,
    /// To the hour.
    Hour,
    /// To the day.
    Day,
    /// To the week.
    Week,
    /// To the month.
    Month,
    /// To the year.
    Year,
}

/// When something was, according to a page.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Moment {
    /// Seconds of the Unix clock. Of what is known to the day only, its beginning; of "3 hours ago",
    /// three hours before the capture.
    pub unix: i64,
    /// How exact that is.
    pub precision: Precision,
    /// Minutes east of Greenwich, if the page says them; else UTC is assumed.
    pub zone: Option<i16>,
    /// Whether it was told relative to the time of the capture.
    pub relative: bool,
}
