//! Visiting again what is likely to have changed: how often a page changes (`rate`) and which one is
//! next (`plan`).

mod plan;
mod rate;

pub use plan::{Bounds, Urgency, changes_to_wait_for, interval};
pub use rate::{ChangeRate, Look, VISITS};
