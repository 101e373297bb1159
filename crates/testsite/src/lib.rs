//! Sites with known truth, served over real HTTP on loopback.
//!
//! A crawler can only be measured against a site of which everything is known.
//! Each site here is generated from a seed, served by a real HTTP/1.1 server on
//! 127.0.0.1, and answers four questions beside its pages:
//!
//! | path | answer |
//! |---|---|
//! | `/__truth.json` | what a perfect crawl finds ([`Truth`]) |
//! | `/__log.json` | every state change that visitors caused ([`Change`]) |
//! | `/__requests.json` | how often each path was asked for ([`Requests`]) |
//! | `/__clock` | the time of the site; a POST sets it ([`Running::set_clock`]) |
//!
//! No page links to these paths, and they are not counted as requests.
//!
//! ```
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let site = testsite::serve(testsite::SiteKind::News, testsite::Options::default()).await?;
//! println!("crawl {} and find {} states", site.url(), site.truth().states.len());
//! assert!(site.log().is_empty(), "nobody has clicked anything yet");
//! site.stop().await;
//! # Ok::<_, testsite::Error>(())
//! # }).unwrap();
//! ```

mod bbs;
mod blog;
mod forum;
mod hostile;
pub mod html;
mod jobs;
mod ledger;
mod live;
mod living;
mod maze;
mod names;
mod news;
mod options;
mod portal;
mod postgres;
mod random;
mod s3;
mod serve;
mod site;
mod tables;
pub mod text;
mod truth;
mod vendor;
mod visit;

pub use bbs::Bbs;
pub use blog::Blog;
pub use forum::{Forum, Template};
pub use hostile::Hostile;
pub use jobs::{Jobs, Search};
pub use ledger::{Change, Requests};
pub use maze::Maze;
pub use news::News;
pub use options::{Build, Clock, Lang, Options, Paging, UnknownName};
pub use portal::Portal;
pub use postgres::Postgres;
pub use random::Random;
pub use s3::S3;
pub use serve::{Error, Running, serve, serve_site};
pub use site::{Site, SiteKind};
pub use tables::{Later, PostRow, Sheet, SheetKind, Stamp, Tables, ThreadRow, What};
pub use truth::{Block, Reach, State, Trap, Truth};
pub use visit::Visit;
