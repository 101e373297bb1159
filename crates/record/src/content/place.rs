//! Where in a post an element is: what it has in common with its like in other posts.

use xxhash_rust::xxh3::xxh3_64;

use page::tree::Node;
use page::tree::names::known;

/// Longer attribute values say nothing that is repeated.
const LONGEST_VALUE: usize = 96;

/// The hash of a place as written: see [`Places`].
pub(super) type PlaceId = u64;

/// Writes places: the element with its classes (or, without any, its identifier up to its number, and how
/// it is styled) behind its parent.
///
/// Class tokens with digits are numbers of posts and states as often as not, so they are left out.
#[derive(Default)]
pub(super) struct Places {
    written: String,
}

impl Places {
    /// The place of an element of a post. `is_root`: it is what the post was given as.
    pub(super) fn of(&mut self, node: Node<'_>, is_root: bool, under_root: bool) -> &str {
        self.written.clear();
        if under_root {
            self.written.push('.');
        } else if let Some(parent) = node.parent().filter(|_| !is_root) {
            write_own(parent, &mut self.written);
        }
        self.written.push('>');
        write_own(node, &mut self.written);
        &self.written
    }
}

/// The number of a place.
pub(super) fn id(place: &str) -> PlaceId {
    xxh3_64(place.as_bytes())
}

/// Whether the last element of a place is told from others of its name by more than that.
pub(super) fn is_marked(place: &str) -> bool {
    let own = place.rsplit('>').next().unwrap_or(place);
    own.contains(['.', '#', '['])
}

fn write_own(node: Node<'_>, out: &mut String) {
    out.push_str(node.name());
    let mut classes: Vec<&str> = node
        .attribute_by(known::CLASS)
        .unwrap_or_default()
        .split_ascii_whitespace()
        .filter(|class| class.len() <= LONGEST_VALUE)
        .filter(|class| !class.contains(|c: char| c.is_ascii_digit() || c == '>'))
        .take(8)
        .collect();
    classes.sort_unstable();
    classes.dedup();
    for class in &classes {
        out.push('.');
        out.push_str(class);
    }
    if classes.is_empty() {
        let id = node.attribute_by(known::ID).unwrap_or_default();
        let stem = id.split(|c: char| c.is_ascii_digit() || c == '>').next().unwrap_or_default();
        if !stem.is_empty() && stem.len() <= LONGEST_VALUE {
            out.push('#');
            out.push_str(stem);
        }
        for name in ["style", "size", "color", "face"] {
            let value = node.attribute(name).unwrap_or_default();
            if !value.is_empty() && value.len() <= LONGEST_VALUE && !value.contains('>') {
                out.push('[');
                out.push_str(name);
                out.push('=');
                out.push_str(value);
                out.push(']');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::parse_str;

    fn place(html: &str, name: &str) -> String {
        let dom = parse_str(html).dom;
        let node = dom.elements().find(|node| node.name() == name).expect("the element is there");
        Places::default().of(node, false, false).to_owned()
    }

    #[test]
    fn classes_are_a_set_and_numbers_in_them_do_not_count() {
        let a = place("<div class='b a post-17'><i class=x>1</i></div>", "i");
        let b = place("<div class='a  b post-18'><i class=x>2</i></div>", "i");
        assert_eq!(a, b);
        assert_eq!(a, "div.a.b>i.x");
    }

    #[test]
    fn without_classes_the_identifier_tells_up_to_its_number() {
        let a = place("<td><div id=message_17>1</div></td>", "div");
        assert_eq!(a, place("<td><div id=message_18>2</div></td>", "div"));
        assert_ne!(a, place("<td><div>a signature</div></td>", "div"));
        assert!(is_marked(&a));
    }

    #[test]
    fn without_classes_the_style_tells() {
        assert_eq!(place("<div><font size=1>n</font></div>", "font"), "div>font[size=1]");
        assert!(is_marked("div>font[size=1]"));
        assert!(!is_marked("div.a>p"));
    }
}
