//! Visiting again what is likely to have changed: how often a page changes (`rate`), which one is next
//! (`plan`), over all documents of a store (`documents`), and the loop that visits them (`watch`).

mod documents;
mod outcome;
mod plan;
mod rate;
mod watch;

pub use outcome::{WatchOutcome, WatchVisit};
pub use plan::{Bounds, Urgency, changes_to_wait_for, interval};
pub use rate::{ChangeRate, Look, VISITS};
pub use watch::{Watch, WatchNews, WatchReport, WatchSettings};
