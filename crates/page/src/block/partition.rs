//! Cutting a page into blocks.

use super::looks::Looks;
use super::tree::{Block, BlockAt, BlockTree};
use crate::tree::{Dom, Node};

/// Cuts a page as far as it can be cut. Without looks, what an element is for is told by its name.
pub fn partition(dom: &Dom, looks: Option<&Looks>) -> BlockTree {
    let _ = looks;
    let root = dom.elements().find(|node| node.name() == "body").unwrap_or(dom.root());
    let mut blocks = Vec::new();
    add(root, 0, BlockAt::PAGE, &mut blocks);
    BlockTree { blocks }
}

fn add(node: Node<'_>, level: u16, parent: BlockAt, blocks: &mut Vec<Block>) {
    let at = blocks.len();
    let block = Block { first: node.id(), end: node.end(), level, parent, end_block: BlockAt(0) };
    blocks.push(block);
    let mut inner = node;
    let children = loop {
        let children: Vec<_> = inner.children().filter(|child| child.is_element()).collect();
        match children.as_slice() {
            [only] => inner = *only,
            _ => break children,
        }
    };
    let is_div = |child: &Node<'_>| {
        matches!(child.name(), "div" | "p" | "table" | "td" | "tr" | "ul" | "section")
    };
    if children.len() > 1 && children.iter().all(is_div) {
        for child in children {
            add(child, level + 1, BlockAt(at as u32), blocks);
        }
    }
    blocks[at].end_block = BlockAt(blocks.len() as u32);
}
