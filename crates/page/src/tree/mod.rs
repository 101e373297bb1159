//! Trees of pages: an arena, how to fill it, write it down, name its nodes and compare it.
//!
//! ```
//! use page::tree::{Mask, canonical_hash, parse, serialise, visible_text};
//!
//! let page = parse(b"<title>Hi</title><p>one<p>two", Some("text/html; charset=utf-8"));
//! assert_eq!(visible_text(&page.dom), "one\ntwo");
//!
//! let again = parse(b"<title>Hi</title>\n<p>one</p><!-- x --><p>two</p>", None);
//! let mask = Mask::default();
//! assert_eq!(canonical_hash(&page.dom, &mask), canonical_hash(&again.dom, &mask));
//! assert!(serialise(&page.dom).contains("<p>one</p>"));
//! ```

pub mod canonical;
pub mod charset;
pub mod distance;
pub mod dom;
pub mod names;
pub mod parse;
pub mod path;
pub mod serialise;
pub mod text;

mod builder;
mod restore;
mod sink;
mod tag;
mod unscripted;
mod walk;

pub use builder::{DomBuilder, Limits};
pub use canonical::{Mask, StateHash, canonical_hash};
pub use distance::{Distance, Effort, Mode, Outline, compare, distance};
pub use dom::{Dom, Kind, Node, NodeId};
pub use names::Name;
pub use parse::{Parsed, parse, parse_str};
pub use path::{Index, PathError, PathStep, Paths, Pattern, Predicate, Query, XPath, generalise};
pub use restore::{RestoreError, is_page, reread, restore};
pub use serialise::serialise;
pub use text::{Image, Link, base_url, images, links, title, visible_text, visible_text_of};
pub use unscripted::unscripted;
pub use walk::{Step, Walk};
