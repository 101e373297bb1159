//! What to do next: the crawl loop, its scope, its manners and its safety. The only crate with
//! policy.
//!
//! One worker owns one tab. It claims the task nearest to the start, visits a URL or returns to a
//! state, fires what may be fired, and commits every step before it begins the next.

mod error;
mod explore;
pub mod forms;
mod goto;
mod learn;
mod machine;
mod manners;
pub mod picture;
mod report;
pub mod revisit;
mod settings;
mod site;
mod visit;

pub use error::CrawlError;
pub use goto::{Attempt, Destination, GotoError, goto};
pub use learn::Priors;
pub use learn::trap::Trap;
pub use machine::{Crawl, Shift};
pub use manners::{politeness, robots};
pub use report::{EventsSaved, Report, Requests, Restores};
pub use settings::{
    Candidates, DEFAULT_COMPLETENESS, DEFAULT_FORM_REQUESTS, DEFAULT_RECORD_BYTES,
    DEFAULT_STATES_PER_URL, Filters, Forms, Render, Settings, Strategy, default_tabs,
    default_user_agent,
};
pub use site::beliefs::{Beliefs, Doubt, Tested, beliefs, tested};
pub use site::model::{Model, ModelError, PatternModel, TypeModel};
pub use site::scope::{self, ScopeKind};
pub use site::train::{Trained, Training, train};
pub use site::types::{Pattern, Sequence, TypeReport, TypeSample, WrapperReport, types};
