//! Where on a page a text stands.

use std::cell::OnceCell;

use page::tree::text::is_invisible;
use page::tree::{Dom, Kind, Node, NodeId, Step};

/// How much of a text is looked for, in bytes of letters: its beginning and its end.
const ENOUGH: usize = 120;

/// The fewest letters that tell a text from others.
const TELLING: usize = 3;

/// The letters and digits that a page shows, small, one after the other. Read when a text is first
/// looked for: most pages say nothing that would have to be found.
pub(super) struct Letters<'d> {
    dom: &'d Dom,
    read: OnceCell<Read>,
}

struct Read {
    all: String,
    /// Where the letters of each text begin.
    starts: Vec<(usize, NodeId)>,
}

impl<'d> Letters<'d> {
    /// What a page shows.
    pub(super) fn of(dom: &'d Dom) -> Self {
        Letters { dom, read: OnceCell::new() }
    }

    fn read(&self) -> &Read {
        self.read.get_or_init(|| {
            let (mut all, mut starts) = (String::new(), Vec::new());
            let mut walk = self.dom.root().walk();
            while let Some(step) = walk.next() {
                match step {
                    Step::Open(node) if is_invisible(node) => walk.skip_inside(),
                    Step::Open(node) if node.kind() == Kind::Text => {
                        starts.push((all.len(), node.id()));
                        letters(node.text(), &mut all);
                    }
                    Step::Open(_) | Step::Close(_) => {}
                }
            }
            Read { all, starts }
        })
    }

    /// Whether the page shows a text.
    pub(super) fn hold(&self, text: &str) -> bool {
        let wanted = head(text);
        wanted.chars().count() >= TELLING
            && memchr::memmem::find(self.read().all.as_bytes(), wanted.as_bytes()).is_some()
    }

    /// The smallest element that holds a text, and where its letters end: the first such from some
    /// letters on, or else of all.
    pub(super) fn element(&self, text: &str, from: usize) -> Option<(NodeId, usize)> {
        let (head, tail) = (head(text), tail(text));
        if head.chars().count() < TELLING {
            return None;
        }
        let all = &self.read().all;
        let find = |wanted: &str, from: usize, to: usize| {
            let rest = all.as_bytes().get(from..to.min(all.len()))?;
            memchr::memmem::find(rest, wanted.as_bytes()).map(|at| from + at)
        };
        let start = find(&head, from, usize::MAX).or_else(|| find(&head, 0, usize::MAX))?;
        // The end is near: a page may show a little more between, such as the name of a quoted author.
        let near = start.saturating_add(2 * text.len() + ENOUGH);
        let end = find(&tail, start, near).map_or(start + head.len(), |at| at + tail.len());
        let (first, last) = (self.node(start)?, self.node(end.saturating_sub(1).max(start))?);
        let element =
            first.ancestors().find(|above| above.is_element() && above.end() > last.id())?;
        Some((element.id(), end))
    }

    /// The text node of a letter.
    fn node(&self, at: usize) -> Option<Node<'d>> {
        let starts = &self.read().starts;
        let after = starts.partition_point(|(start, _)| *start <= at);
        self.dom.get(starts.get(after.checked_sub(1)?)?.1)
    }
}

/// Writes the letters and digits of a text, small.
fn letters(text: &str, out: &mut String) {
    out.extend(text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
}

/// The letters and digits of a text, small.
pub(super) fn letters_of(text: &str) -> String {
    let mut out = String::new();
    letters(text, &mut out);
    out
}

/// Whether two texts have the same letters.
pub(super) fn same(one: &str, other: &str) -> bool {
    letters_of(one) == letters_of(other)
}

fn head(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        letters(word, &mut out);
        if out.len() >= ENOUGH {
            break;
        }
    }
    out
}

fn tail(text: &str) -> String {
    let from = text.ceil_char_boundary(text.len().saturating_sub(ENOUGH));
    let mut out = String::new();
    letters(text.get(from..).unwrap_or_default(), &mut out);
    out
}
