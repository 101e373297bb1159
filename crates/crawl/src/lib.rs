//! What to do next: the crawl loop, its scope, its manners and its safety. The only crate with
//! policy.
//!
//! One worker owns one tab. It claims the task nearest to the start, visits a URL or returns to a
//! state, fires what may be fired, and commits every step before it begins the next.

mod arrive;
mod capture;
mod crawler;
mod error;
mod explore;
mod gate;
mod manners;
pub mod politeness;
mod report;
pub mod robots;
pub mod scope;
mod settings;
mod visit;

pub use crawler::Crawl;
pub use error::CrawlError;
pub use report::{EventsSaved, Meter, Progress, Report, Requests, Stopped};
pub use scope::ScopeKind;
pub use settings::{Limits, Render, Settings, default_tabs, default_user_agent};
