//! Blocks as they are told: where they are, what they are for, what they are about.

use page::block::{Block, BlockAt, Label, Labels, Lines, Parts, Topics};
use page::tree::{Dom, Kind, Node, NodeId, Paths, visible_text_of};
use serde::Serialize;

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// Its number: within the page if it is kept, else within the tree.
    pub id: i64,
    /// Where its first element or text is.
    pub xpath: String,
    /// Where the last one is, if it has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// How deep in the block tree it is.
    pub level: u16,
    /// What it is for.
    pub label: Label,
    /// What it is about.
    pub topic: String,
    /// Left, top, width and height, on a rendered page.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub area: Option<[i32; 4]>,
    /// Characters that it shows.
    pub text_len: u32,
    /// Digest of its content.
    pub hash: String,
    /// On how many pages of its site the same block stands now, if its page still has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<i64>,
}

/// Tells of the blocks of one page.
pub struct Teller<'a> {
    parts: &'a Parts,
    topics: Topics,
    paths: Paths<'a>,
    lines: Lines<'a>,
    labels: Labels<'a>,
}

impl<'a> Teller<'a> {
    /// Reads a page.
    pub fn new(parts: &'a Parts, topics: Topics) -> Self {
        let lines = Lines::new(&parts.dom, parts.looks.as_ref());
        let labels = Labels::new(&lines, &parts.tree);
        Self { parts, topics, paths: Paths::new(&parts.dom), lines, labels }
    }

    /// A block under a number.
    pub fn tell(&self, at: BlockAt, id: i64) -> Shown {
        let Parts { dom, tree, contents, looks } = self.parts;
        let block = tree.block(at);
        let (first, last) = ends(block, dom);
        let rect = looks.as_ref().and_then(|looks| looks.box_of(dom, block));
        Shown {
            id,
            xpath: path(first, &self.paths),
            until: (first != last).then(|| path(last, &self.paths)),
            level: block.level,
            label: self.label(at),
            topic: self.topics.topic(&self.lines, tree, at).text,
            area: rect.map(|rect| [rect.x, rect.y, rect.width, rect.height]),
            text_len: contents.text_len(at),
            hash: format!("{:016x}", contents.hash(at)),
            pages: None,
        }
    }

    /// What a block is for.
    pub fn label(&self, at: BlockAt) -> Label {
        self.labels.of(at)
    }

    /// Where the links and pictures of a block lead, a line each.
    pub fn targets(&self, at: BlockAt) -> String {
        let Parts { dom, tree, .. } = self.parts;
        let nodes = tree.block(at).nodes().filter_map(|id| dom.get(NodeId(id)));
        let target = |node: Node<'_>| {
            let address = node.attribute("href").or_else(|| node.attribute("src"))?;
            let says = visible_text_of(node).split_whitespace().collect::<Vec<_>>().join(" ");
            let says =
                if says.is_empty() { node.attribute("alt").unwrap_or_default() } else { &says };
            Some(format!("{says} <{}>", address.trim()).trim_start().to_owned())
        };
        nodes.filter_map(target).collect::<Vec<_>>().join("\n")
    }

    /// What a block shows, a line a paragraph.
    pub fn text(&self, at: BlockAt) -> String {
        self.parts.tree.block(at).text(&self.parts.dom)
    }
}

/// The first and the last of the siblings that a block is.
fn ends<'a>(block: &Block, dom: &'a Dom) -> (Node<'a>, Node<'a>) {
    let first = dom.node(block.first);
    (first, block.siblings(dom).last().unwrap_or(first))
}

/// The path of any node; texts and comments are numbered as in XPath.
fn path(node: Node<'_>, paths: &Paths<'_>) -> String {
    if let Some(path) = paths.of(node.id()) {
        return path.to_string();
    }
    let parent = node.parent();
    let before = parent.into_iter().flat_map(Node::children).take_while(|other| *other != node);
    let number = before.filter(|other| other.kind() == node.kind()).count() + 1;
    let name = if node.kind() == Kind::Text { "text" } else { "comment" };
    let parent = parent.and_then(|parent| paths.of(parent.id()));
    format!("{}/{name}()[{number}]", parent.map(|path| path.to_string()).unwrap_or_default())
}
