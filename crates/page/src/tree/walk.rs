//! Walking a tree with both ends of every node, and skipping what is of no interest.

use super::dom::{Dom, Node, NodeId};

/// One step of a [`Walk`].
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// A node begins.
    Open(Node<'a>),
    /// A node that was opened (and not skipped) ends.
    Close(Node<'a>),
}

/// A walk in document order. It needs no recursion, so depth costs no stack.
pub struct Walk<'a> {
    dom: &'a Dom,
    next: u32,
    end: u32,
    open: Vec<NodeId>,
}

impl Dom {
    /// Walks the whole tree.
    pub fn walk(&self) -> Walk<'_> {
        self.root().walk()
    }
}

impl<'a> Node<'a> {
    /// Walks this node and what is below it.
    pub fn walk(self) -> Walk<'a> {
        Walk { dom: self.dom(), next: self.id().0, end: self.end().0, open: Vec::new() }
    }
}

impl Walk<'_> {
    /// Leaves out the inside and the end of the node that was opened last.
    pub fn skip_inside(&mut self) {
        if let Some(id) = self.open.pop() {
            self.next = self.dom.node(id).end().0;
        }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        if let Some(last) = self.open.last() {
            let node = self.dom.node(*last);
            if node.end().0 <= self.next {
                self.open.pop();
                return Some(Step::Close(node));
            }
        }
        if self.next >= self.end {
            return None;
        }
        let node = self.dom.node(NodeId(self.next));
        self.open.push(node.id());
        self.next += 1;
        Some(Step::Open(node))
    }
}
