//! Whether a text looks like a date: a record has about one.

use crate::date::{Order, find, tells};
use page::tree::Node;

/// The longest text that is a date with a few words around it, in bytes.
const LONGEST: usize = 96;

/// Whether a text shows a date, or its element tells one.
pub(super) fn is_dated(text: Node<'_>) -> bool {
    let parent = text.parent();
    let told = |name: &str| parent.and_then(|parent| parent.attribute(name));
    parent.is_some_and(|parent| parent.name() == "time")
        || told("datetime").is_some()
        || shows_date(text.text())
        || told("title").is_some_and(shows_date)
}

fn shows_date(text: &str) -> bool {
    let within = |text: &str| find(text, &Order::default(), None).is_some();
    let has_figures = text.bytes().any(|byte| byte.is_ascii_digit());
    tells(text) || (text.len() <= LONGEST && has_figures && within(text))
}
