//! What Bathys keeps: pages and their keys, states, versions, records, visits, edges, exchanges, and the work
//! still to do, in one catalog of about fifty atomic verbs.
//!
//! ```
//! use store::{CatalogWriter, Order};
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let dir = tempfile::tempdir().unwrap();
//! let catalog = CatalogWriter::open(dir.path()).unwrap();
//! catalog.seed("example.org", &["https://example.org/".into()]).await.unwrap();
//! let tasks = catalog.claim("example.org", "example.org", Order::Nearest, 1).await.unwrap();
//! assert_eq!(tasks[0].url, "https://example.org/");
//! # });
//! ```

mod answer;
mod archive;
mod archived;
mod arrive;
mod blob;
mod block;
mod browse;
mod catalog;
mod change;
mod content;
mod deferred;
mod edge;
mod engine;
mod error;
mod graph;
mod host;
mod identity;
mod import;
mod job;
mod learned;
mod lease;
mod links;
mod location;
mod lookup;
mod memory;
mod model;
mod old;
mod page;
mod reading;
mod record;
mod schema;
mod seal;
mod step;
mod submission;
mod tx;
mod verify;
mod version;
mod watch;
mod words;

pub use answer::{AnswerRow, BodyNumber};
pub use archive::{ArchiveEntry, ArchiveItem, KeptExchange, KeptVisit};
pub use archived::ArchivedUrl;
pub use blob::BlobLocation;
pub use block::{BlockNumber, BlockRow, CutStep, NewBlock, Recut, Uncut};
pub use browse::{NewVersion, PageQuery, RefusedEvents, SiteRow};
pub use catalog::{Catalog, CatalogWriter};
pub use change::Change;
pub use content::{ContentChange, ContentId, ContentLife, Occurrence};
pub use deferred::Deferred;
pub use error::StoreError;
pub use import::{ImportStep, Imported, ImportedExchanges};
pub use job::PutBack;
pub use location::Location;
pub use lookup::{ExchangeRow, Summary};
pub use model::{
    Arrival, Capture, Document, EdgeRow, EventOutcome, EventTried, FirstCut, LinkFound, Millis,
    NewExchange, Order, PageNumber, PageRow, PathStep, RunNumber, StateId, Stats, Task,
    VisitOutcome, Waiting, WireFacts,
};
pub use reading::{NewEdition, Reading, Sighting, Unread};
pub use record::{RecordLine, RecordNumber, RecordQuery, RecordRow};
pub use seal::{NewGroup, Series, Swept, Unsealed};
pub use step::{Counts, EventCommitted, EventStep, VisitCommitted, VisitStep};
pub use submission::NewSubmission;
pub use verify::{Checked, Lost};
pub use version::{Cutting, RunRow, VersionLine, VersionRow, VisitRow, Which};
pub use watch::{HistoriesOf, PageHistory, PastVisit, Validators};
pub use words::{Began, Cause, ChangeKind, EdgeOutcome, Ended, PageStatus, TaskKind, Via};
