//! What a crawl learns about a site's events, and what that saves (DESIGN §1, the filters).
//!
//! All of it is about classes of candidates on page types: whether they do anything, where they
//! lead, and whether a member means the same wherever it is found.

mod address;
pub(crate) mod alias;
pub(crate) mod claim;
mod class;
mod deferral;
mod echo;
mod knowledge;
mod prior;
pub(crate) mod silence;
pub(crate) mod trap;
mod verdict;

pub(crate) use address::Went;
pub(crate) use claim::Claim;
pub(crate) use class::{Class, Label, call_of, place};
pub(crate) use knowledge::{Aim, Judgement, Knowledge, Learned, REDUNDANT, evidence};
pub use prior::Priors;
pub(crate) use verdict::{Reach, Tally, Verdicts};
