//! The archive as it was: what was kept under an address, at a time (Memento, RFC 7089), as other replay tools
//! answer it from an exported file.
//!
//! The index is made from the store and is all in memory: the keys of addresses, and thirty bytes for each
//! capture. Digests are worked out when somebody asks for them.

mod answer;
mod capture;
mod cdx;
mod index;
mod moment;
mod rewrite;
mod timemap;

pub use answer::{Answer, Form, Source, answer};
pub use capture::{Capture, Digests, captures_of};
pub use cdx::{CdxError, CdxOutput, CdxQuery, Matches};
pub use index::{Place, ReplayIndex};
pub use moment::{http_date, parse_http_date, parse_moment, timestamp};
pub use rewrite::{Links, rewrite_page, rewrite_sheet};
pub use timemap::{TimeMap, link_header};
