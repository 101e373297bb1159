//! What to do next: the crawl loop, its scope, its manners and its safety. The only crate with
//! policy.
//!
//! One worker owns one tab. It claims the task nearest to the start, visits a URL or returns to a
//! state, fires what may be fired, and commits every step before it begins the next.

mod agenda;
mod alias;
mod arrive;
mod capture;
mod choose;
mod crawler;
mod error;
mod explore;
mod fetch;
mod fire;
mod gate;
mod goto;
mod import;
mod judge;
mod kinds;
mod learn;
mod look;
mod manners;
mod memory;
mod model;
pub mod picture;
pub mod politeness;
mod process;
mod reading;
mod record;
mod report;
pub mod robots;
mod route;
pub mod scope;
mod settings;
mod shown;
mod train;
mod trap;
mod types;
mod visit;
mod wait;

/// The program that writes versions, and which one of it.
pub const PROGRAM: &str = concat!("bathys ", env!("CARGO_PKG_VERSION"));

pub use crawler::Crawl;
pub use error::CrawlError;
pub use goto::{Attempt, Destination, GotoError, goto};
pub use import::{Found, Import};
pub use model::{Model, ModelError, PatternModel, TypeModel};
pub use process::{Processing, Told, parts_of, tree_of};
pub use report::{EventsSaved, Meter, Progress, Report, Requests, Restores, Stopped};
pub use scope::ScopeKind;
pub use settings::{
    Candidates, DEFAULT_RECORD_BYTES, DEFAULT_STATES_PER_URL, Filters, Limits, Render, Settings,
    Strategy, default_tabs, default_user_agent,
};
pub use train::{Trained, Training, train};
pub use trap::Trap;
pub use types::{Pattern, Sequence, TypeReport, TypeSample, WrapperReport, types};
pub use wait::{Wait, WaitReason};
