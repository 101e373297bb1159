//! Full-text search over history: every distinct text of a block once, with where it stood and from when to
//! when. English and Chinese; derived from the store, and never the only copy of anything.

mod ask;
mod batch;
mod collect;
mod error;
mod facet;
mod follow;
mod index;
mod occurrence;
mod page_life;
mod page_types;
mod plan;
mod query;
mod question;
mod schema;
mod search;
mod snippet;
mod text_line;
mod topics;
mod unit;
mod version;

pub use ask::{Answer, Answers, Question};
pub use error::SearchError;
pub use facet::{FacetCount, Facets, Step, TimeCount};
pub use follow::{Progress, Updated};
pub use index::Index;
pub use occurrence::Occurrence;
pub use query::{Order, Query, moment};
pub use search::{Hit, SearchResult};
pub use snippet::Snippet;
pub use text_line::TextLine;
pub use topics::{TopicLine, TopicQuery, Topics, Trend};
