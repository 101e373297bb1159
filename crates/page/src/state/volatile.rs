//! Volatile regions: what differs between two looks at the same state, with no event between them.
//! A timestamp, a generated id or a rotating advert must not make a new state (DESIGN §1).

use std::collections::HashMap;
use std::fmt::Write;

use xxhash_rust::xxh3::xxh3_64;

use crate::tree::canonical::is_dropped;
use crate::tree::{Dom, Kind, Mask, Node, NodeId, XPath};

/// A region may hold this share of the page's nodes at most: if more of it differs, the two looks
/// were at different pages, and masking the difference would make all states equal.
const LARGEST_SHARE: usize = 4;
/// Regions below this size are small on any page.
const ALWAYS_SMALL: usize = 40;
/// Rules that one comparison gives at most.
const MOST_RULES: usize = 256;

/// Learns what is volatile from two looks at one state.
///
/// ```
/// use page::state::{Content, learn_mask};
/// use page::tree::parse_str;
///
/// let at = |time| parse_str(&format!("<h1>News</h1><p>Text</p><div>It is <b>{time}</b></div>")).dom;
/// let mask = learn_mask(&at("10:01"), &at("10:02"));
/// assert_eq!(Content::of(&at("10:01"), &mask).id(), Content::of(&at("10:03"), &mask).id());
/// ```
pub fn learn_mask(first: &Dom, second: &Dom) -> Mask {
    let mut learner =
        Learner { first: Hashes::of(first), second: Hashes::of(second), mask: Mask::default() };
    let mut pairs = vec![(first.root(), second.root())];
    while let Some((a, b)) = pairs.pop() {
        if learner.mask.regions.len() + learner.mask.attributes_at.len() >= MOST_RULES {
            break;
        }
        learner.compare(a, b, &mut pairs);
    }
    learner.mask
}

/// The mask as lines that a store can keep and a person can read.
pub fn mask_to_rules(mask: &Mask) -> Vec<String> {
    let mut rules: Vec<_> = mask.regions.iter().map(|path| format!("region {path}")).collect();
    rules.extend(mask.attributes_at.iter().map(|(path, name)| format!("attribute {name} {path}")));
    rules.extend(mask.attributes.iter().map(|name| format!("attribute {name}")));
    rules
}

/// The mask that the lines describe. A line that this version does not know is left out.
pub fn mask_from_rules<'a>(rules: impl IntoIterator<Item = &'a str>) -> Mask {
    let mut mask = Mask::default();
    for rule in rules {
        match rule.splitn(3, ' ').collect::<Vec<_>>()[..] {
            ["region", path] => mask.regions.extend(path.parse::<XPath>()),
            ["attribute", name] => mask.attributes.push(name.to_owned()),
            ["attribute", name, path] => {
                mask.attributes_at.extend(path.parse().map(|path: XPath| (path, name.to_owned())));
            }
            _ => {}
        }
    }
    mask
}

struct Learner {
    first: Hashes,
    second: Hashes,
    mask: Mask,
}

impl Learner {
    fn compare<'a>(&mut self, a: Node<'a>, b: Node<'a>, pairs: &mut Vec<(Node<'a>, Node<'a>)>) {
        for name in ["href", "src"] {
            if a.attribute(name) != b.attribute(name)
                && let Some(path) = XPath::of(a)
            {
                self.mask.attributes_at.push((path, name.to_owned()));
            }
        }
        let (ours, theirs) = (counting_children(a), counting_children(b));
        let equal = |(x, y): &(&Node<'_>, &Node<'_>)| self.first.get(**x) == self.second.get(**y);
        let head = ours.iter().zip(&theirs).take_while(equal).count();
        let (ours, theirs) = (&ours[head..], &theirs[head..]);
        let tail = ours.iter().rev().zip(theirs.iter().rev()).take_while(equal).count();
        let (ours, theirs) = (&ours[..ours.len() - tail], &theirs[..theirs.len() - tail]);
        if ours.is_empty() && theirs.is_empty() {
            return;
        }
        let alike = |(x, y): (&Node<'_>, &Node<'_>)| {
            x.kind() != Kind::Text && x.kind() == y.kind() && x.name() == y.name()
        };
        if ours.len() == theirs.len() && ours.iter().zip(theirs).all(alike) {
            pairs.extend(ours.iter().copied().zip(theirs.iter().copied()));
        } else {
            self.mask_region(a);
        }
    }

    fn mask_region(&mut self, node: Node<'_>) {
        let most = (self.first.nodes / LARGEST_SHARE).max(ALWAYS_SMALL);
        if node.kind() == Kind::Element
            && !matches!(node.name(), "html" | "body")
            && node.size() <= most
            && let Some(path) = XPath::of(node)
        {
            self.mask.regions.push(path);
        }
    }
}

/// The content hash of every subtree that counts.
struct Hashes {
    of: HashMap<NodeId, u64>,
    nodes: usize,
}

impl Hashes {
    fn of(dom: &Dom) -> Self {
        let mut hashes = Self { of: HashMap::new(), nodes: dom.node_count() };
        // Children have higher numbers than their parents, so backwards is bottom-up.
        for node in dom.nodes().rev() {
            let mut text = String::new();
            match node.kind() {
                Kind::Text => node.text().split_ascii_whitespace().for_each(|word| {
                    text.push_str(word);
                    text.push(' ');
                }),
                _ => {
                    let _ = write!(text, "<{:?} {}", node.kind(), node.name());
                    for name in ["href", "src"] {
                        text.push_str(node.attribute(name).unwrap_or_default());
                        text.push('\u{0}');
                    }
                    for child in counting_children(node) {
                        let _ = write!(text, " {:x}", hashes.get(child));
                    }
                }
            }
            hashes.of.insert(node.id(), xxh3_64(text.as_bytes()));
        }
        hashes
    }

    fn get(&self, node: Node<'_>) -> u64 {
        self.of.get(&node.id()).copied().unwrap_or_default()
    }
}

fn counting_children(node: Node<'_>) -> Vec<Node<'_>> {
    let counts = |child: &Node<'_>| {
        !is_dropped(*child) && (child.kind() != Kind::Text || !child.text().trim().is_empty())
    };
    node.children().filter(counts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Content;
    use crate::tree::parse_str;

    fn same_under_mask(a: &str, b: &str, third: &str) -> bool {
        let (a, b, third) = (parse_str(a).dom, parse_str(b).dom, parse_str(third).dom);
        let mask = learn_mask(&a, &b);
        Content::of(&a, &mask).id() == Content::of(&third, &mask).id()
    }

    #[test]
    fn a_rotating_advert_is_volatile_and_the_text_beside_it_is_not() {
        let page = |advert: &str, text: &str| {
            format!("<div id=ad>{advert}</div><main><p>{text}</p><p>two</p></main>")
        };
        let (a, b) =
            (page("<a href=1><img src=1></a>", "one"), page("<a href=2><img src=2></a>", "one"));
        assert!(same_under_mask(&a, &b, &page("<a href=3><img src=3></a>", "one")));
        assert!(!same_under_mask(&a, &b, &page("<a href=3><img src=3></a>", "other")));
    }

    #[test]
    fn two_different_pages_do_not_mask_each_other() {
        let page = |word: &str| {
            let rows: String = (0..60).map(|i| format!("<p>{word} {i}")).collect();
            format!("<body>{rows}<b>{word}</b>")
        };
        let one = format!("{}<p>more", page("one"));
        let mask = learn_mask(&parse_str(&one).dom, &parse_str(&page("two")).dom);
        let all = Content::of(&parse_str(&page("one")).dom, &mask);
        let other = Content::of(&parse_str(&page("two")).dom, &mask);
        assert_ne!(all.id(), other.id());
    }

    #[test]
    fn rules_are_read_back_as_they_were_written() {
        let mask = learn_mask(
            &parse_str("<p>x</p><a href=1>a</a><i>1</i>").dom,
            &parse_str("<p>x</p><a href=2>a</a><i>2</i>").dom,
        );
        assert_eq!(
            mask_to_rules(&mask),
            ["region /html/body/i[1]", "attribute href /html/body/a[1]"]
        );
        assert_eq!(mask_from_rules(mask_to_rules(&mask).iter().map(String::as_str)), mask);
    }
}
