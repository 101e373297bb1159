//! States of pages: how they are named, and what may be done to get from one to the next.

mod content;
mod difference;
mod instruction;
pub mod novelty;
mod reading;
pub mod safety;
pub mod url;
mod volatile;

pub use content::{Content, ContentSet};
pub(crate) use difference::read_at;
pub use difference::{Difference, Shown};
pub use instruction::{Acts, event_key, instruction};
pub use novelty::{Novel, Novelty};
pub(crate) use reading::Reading;
pub use volatile::{learn_mask, mask_from_rules, mask_to_rules};
