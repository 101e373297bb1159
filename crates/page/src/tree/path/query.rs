//! Queries: what a person writes to point at values of a page.
//!
//! A [path](super) that may also search (`//meta[@name='author']`), take any element (`*`), and end
//! in an attribute (`/@content`) or in the text of an element itself (`/text()`).

use super::{MAX_LENGTH, PathError, PathStep, Reader};
use crate::tree::dom::{Dom, Kind, Node, NodeId};
use crate::tree::text::visible_text_of;
use std::fmt;
use std::str::FromStr;

/// A query for values.
///
/// ```
/// use page::tree::{Query, parse_str};
///
/// let dom = parse_str("<meta name=author content='A. Writer'><p class=lead>One <b>two</b>").dom;
/// let author: Query = "//meta[@name='author']/@content".parse().unwrap();
/// assert_eq!(author.values(&dom, 10), ["A. Writer"]);
/// let lead: Query = "//p[@class='lead']".parse().unwrap();
/// assert_eq!(lead.values(&dom, 10), ["One two"]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    text: String,
    steps: Vec<(Axis, PathStep)>,
    end: End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Axis {
    Child,
    Descendant,
}

/// What of the elements is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum End {
    /// All visible text below them.
    Whole,
    /// The text that is directly in them.
    Own,
    Attribute(Box<str>),
}

impl FromStr for Query {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        if text.len() > MAX_LENGTH {
            return Err(PathError::TooLong { length: text.len() });
        }
        if !text.starts_with('/') {
            return Err(PathError::Relative { path: text.to_owned() });
        }
        let mut reader = Reader { rest: text };
        let mut steps = Vec::new();
        let mut end = End::Whole;
        while !reader.rest.is_empty() && end == End::Whole {
            let axis = if reader.eat("//") { Axis::Descendant } else { Axis::Child };
            if axis == Axis::Child && !reader.eat("/") {
                return Err(reader.error(text));
            }
            if reader.eat("text()") {
                end = End::Own;
            } else if reader.eat("@") {
                let Some(name) = reader.word() else {
                    return Err(reader.error(text));
                };
                end = End::Attribute(name.into());
            } else {
                let is_any = reader.rest.starts_with(ANY) && !reader.rest.starts_with("*[name()");
                let step =
                    if is_any && reader.eat(ANY) { reader.narrowed(ANY) } else { reader.step() };
                let Some(step) = step else {
                    return Err(reader.error(text));
                };
                steps.push((axis, step));
            }
        }
        if !reader.rest.is_empty() || steps.is_empty() {
            return Err(reader.error(text));
        }
        Ok(Self { text: text.to_owned(), steps, end })
    }
}

impl fmt::Display for Query {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl Query {
    /// The nodes that it leads to, in document order, before an attribute is taken of them.
    pub fn nodes(&self, dom: &Dom) -> Vec<NodeId> {
        let mut found = vec![dom.root()];
        for (axis, step) in &self.steps {
            let mut next = Vec::new();
            match axis {
                Axis::Child => found.iter().for_each(|node| follow(step, *node, &mut next)),
                Axis::Descendant => {
                    // Nodes inside one that was searched have been searched with it.
                    let mut searched = 0;
                    for node in found.iter().filter(|node| node.is_element() || node.depth() == 0) {
                        for id in node.id().0.max(searched)..node.end().0 {
                            follow(step, dom.node(NodeId(id)), &mut next);
                        }
                        searched = searched.max(node.end().0);
                    }
                }
            }
            next.sort_unstable_by_key(|node| node.id());
            next.dedup();
            found = next;
        }
        found.into_iter().map(Node::id).collect()
    }

    /// The values, white space folded, at most so many; those that are empty left out.
    pub fn values(&self, dom: &Dom, most: usize) -> Vec<String> {
        let nodes = self.nodes(dom).into_iter().map(|id| dom.node(id));
        let values = nodes.filter_map(|node| match &self.end {
            End::Whole => Some(visible_text_of(node)),
            End::Own => {
                let texts = node.children().filter(|child| child.kind() == Kind::Text);
                Some(texts.map(Node::text).collect())
            }
            End::Attribute(name) => node.attribute(name).map(str::to_owned),
        });
        let folded = values.map(|value| value.split_whitespace().collect::<Vec<_>>().join(" "));
        folded.filter(|value| !value.is_empty()).take(most).collect()
    }
}

/// The name that stands for any. No element is called so.
const ANY: &str = "*";

fn follow<'a>(step: &PathStep, from: Node<'a>, into: &mut Vec<Node<'a>>) {
    match step {
        PathStep::Element { name, index, predicates } if &**name == ANY => {
            let numbered = from.children().filter(|child| child.is_element()).zip(1..);
            let admitted = numbered.filter(|(_, number)| index.admits(ANY, *number));
            let elements = admitted.map(|(child, _)| child);
            into.extend(elements.filter(|child| predicates.iter().all(|p| p.holds(*child))));
        }
        step => step.follow(from, into),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_str;

    fn values(html: &str, query: &str) -> Vec<String> {
        query.parse::<Query>().unwrap().values(&parse_str(html).dom, 100)
    }

    #[test]
    fn a_search_finds_elements_wherever_they_are_and_once() {
        let html = "<div><div><p>a</p></div><p>b</p></div><p>c</p>";
        assert_eq!(values(html, "//p"), ["a", "b", "c"]);
        assert_eq!(values(html, "//div//p"), ["a", "b"]);
        assert_eq!(values(html, "/html/body/div/p"), ["b"]);
    }

    #[test]
    fn a_number_counts_among_siblings_also_in_a_search() {
        assert_eq!(values("<ul><li>a<li>b</ul><ul><li>c<li>d</ul>", "//li[2]"), ["b", "d"]);
    }

    #[test]
    fn any_element_with_an_attribute_is_found() {
        let html = "<span itemprop=price>3</span><b itemprop=price content=4></b>";
        assert_eq!(values(html, "//*[@itemprop='price']"), ["3"]);
        assert_eq!(values(html, "//*[@itemprop='price']/@content"), ["4"]);
    }

    #[test]
    fn own_text_leaves_out_what_is_in_elements() {
        assert_eq!(values("<p>one <b>two</b> three", "//p/text()"), ["one three"]);
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        for bad in ["", "p", "/", "//", "//p[", "//p/@", "//p/@a/b", "/p]"] {
            assert!(bad.parse::<Query>().is_err(), "{bad}");
        }
        let error = "//p[@a=x]".parse::<Query>().unwrap_err().to_string();
        assert!(error.contains("cannot read"), "{error}");
    }

    #[test]
    fn deep_nesting_is_searched_once() {
        let html = "<div>".repeat(400) + "<p>x";
        assert_eq!(values(&html, "//div//div//div//p"), ["x"]);
    }
}
