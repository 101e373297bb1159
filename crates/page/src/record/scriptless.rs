//! What a page shows to those without scripts.

use crate::tree::names::known;
use crate::tree::{Dom, Kind, parse_str, visible_text};

/// The page for readers without scripts, if that is most of what the server sent: some sites send their
/// text in a `noscript` element, which our trees hold as plain text, and draw the page by scripts.
///
/// ```
/// use page::record::without_scripts;
/// use page::tree::{parse_str, visible_text};
///
/// let page = parse_str("<p>Loading</p><noscript><article>All of the thread</article></noscript>");
/// let plain = without_scripts(&page.dom).unwrap();
/// assert_eq!(visible_text(&plain), "All of the thread");
/// assert!(without_scripts(&plain).is_none());
/// ```
pub fn without_scripts(dom: &Dom) -> Option<Dom> {
    let texts = dom.nodes().filter(|node| {
        node.kind() == Kind::Text && node.parent().is_some_and(|parent| parent.is(known::NOSCRIPT))
    });
    let longest = texts.max_by_key(|node| node.text().len())?;
    // Markup is longer than what it shows.
    let shown = visible_text(dom).len();
    if longest.text().len() <= shown {
        return None;
    }
    let plain = parse_str(longest.text()).dom;
    (visible_text(&plain).len() > shown).then_some(plain)
}
