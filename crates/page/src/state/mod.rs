//! States of pages: how they are named, and what may be done to get from one to the next.

mod content;
mod instruction;
pub mod safety;
pub mod url;
mod volatile;

pub use content::Content;
pub use instruction::{Acts, KEY_MARK, event_key, instruction};
pub use volatile::{learn_mask, mask_from_rules, mask_to_rules};
