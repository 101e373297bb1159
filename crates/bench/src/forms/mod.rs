//! Forms: the gate against labels of real forms, and the database of `jobs` behind its search.

mod database;
mod labelled;

pub use database::{BUILDS, run, search};
pub use labelled::{count_gate, run_gate};
