//! Blocks: what a page is made of (seed 003, "Collecting and storing Web archive based on page
//! block", Song et al. 2008, §2.1–2.3).
//!
//! A page is cut into a tree of blocks, each a part that a reader sees as one. The tree goes down as
//! far as the page can be cut; a [`Cut`] says how far a version is cut, and what it leaves over is
//! the *layout*.
//!
//! ```
//! use page::block::{Cut, partition};
//! use page::tree::parse_str;
//!
//! let dom = parse_str("<div><p>one</p><p>two</p></div><div><p>three</p><p>four</p></div>").dom;
//! let tree = partition(&dom, None);
//! let cut = Cut::at_level(&tree, 1);
//! assert_eq!(cut.blocks().len(), 2);
//! ```

mod advert;
mod align;
mod change;
mod compare;
mod content;
mod learn;
mod matching;
mod noise;
mod sketch;

mod follow;
mod kept;
mod label;
mod line;
mod looks;
mod partition;
mod parts;
mod topic;
mod tree;

pub use advert::comes_from_elsewhere;
pub use change::Kind;
pub use compare::{Comparison, Context, Fate, compare};
pub use content::{Contents, Reading};
pub use learn::{Past, Ticks, recut};
pub use matching::Matching;

pub use follow::{Followed, follow};
pub use kept::KeptCut;
pub use label::{Label, Labeller, Labels, UnknownLabel};
pub use line::Lines;
pub use looks::{Display, Look, Looks, Rect};
pub use partition::partition;
pub use parts::Parts;
pub use topic::{How, Topic, TopicSettings, Topics};
pub use tree::{Block, BlockAt, BlockTree, Cut, DEFAULT_LEVEL};
