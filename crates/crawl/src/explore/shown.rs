//! What a state shows beyond another: told by content alone, so that it can be compared from
//! document to document.

use std::collections::HashSet;

use page::tree::{Dom, visible_text};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The lines of text, addresses and pictures of a tree, by their hashes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown(HashSet<u64>);

impl Shown {
    /// What a tree shows.
    pub(crate) fn of(dom: &Dom) -> Self {
        let mut items: HashSet<u64> = visible_text(dom)
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(|line| hash("text", line))
            .collect();
        for node in dom.elements() {
            let name = match node.name() {
                "a" | "area" => "href",
                "img" => "src",
                "canvas" => browser::PIXELS,
                _ => continue,
            };
            items.extend(node.attribute(name).map(|value| hash(name, value)));
        }
        Self(items)
    }

    /// Whether it shows nothing, or nobody looked.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All that it shows and another does not.
    pub(crate) fn beyond(&self, origin: &Self) -> Vec<u64> {
        self.0.difference(&origin.0).copied().collect()
    }

    /// The share of these that it shows, from 0 to 1.
    pub(crate) fn share_of(&self, items: &[u64]) -> f64 {
        let shown = items.iter().filter(|item| self.0.contains(item)).count();
        shown as f64 / items.len().max(1) as f64
    }
}

/// One number for a set of items. It is kept with what was learned, so it must be the same in every
/// build.
pub(crate) fn sum(items: &[u64]) -> u64 {
    // It does not depend on the order, and hashes do not add up by chance.
    items.iter().fold(0, |sum, item| sum.wrapping_add(*item))
}

fn hash(kind: &str, value: &str) -> u64 {
    xxh3_64_with_seed(value.as_bytes(), xxh3_64(kind.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::parse_str;

    fn shown(html: &str) -> Shown {
        Shown::of(&parse_str(html).dom)
    }

    #[test]
    fn a_dialog_adds_the_same_to_two_pages() {
        let dialog = "<div><h2>Sign in</h2><a href=/forgot>Forgot?</a></div>";
        let added = |page: &str| sum(&shown(&format!("{page}{dialog}")).beyond(&shown(page)));
        assert_eq!(added("<p>One</p><a href=/1>1</a>"), added("<p>Two</p><img src=2.png>"));
    }

    #[test]
    fn what_is_stored_of_an_addition_is_the_same_in_every_build() {
        let added = shown("<p>One</p><a href=/1>Two</a>").beyond(&Shown::default());
        assert_eq!(sum(&added), 1_319_999_831_894_766_239);
    }

    #[test]
    fn another_text_address_or_picture_is_another_addition() {
        let page = shown("<p>One");
        let added = |more: &str| sum(&shown(&format!("<p>One</p>{more}")).beyond(&page));
        let all =
            ["<p>7", "<p>8", "<a href=/7>x</a>", "<a href=/8>x</a>", "<img src=7>", "<img src=8>"];
        let different: HashSet<u64> = all.iter().map(|more| added(more)).collect();
        assert_eq!(different.len(), all.len());
        assert!(!different.contains(&0));
    }
}
