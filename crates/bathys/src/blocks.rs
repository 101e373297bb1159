//! Blocks of a page, as they are told: to a person, as JSON, and on a picture.

use std::io::{self, Write};

use crawl::picture::{Colour, Mark, Places};
use page::block::{
    Block, BlockAt, BlockTree, Contents, Cut, Label, Labeller, Lines, Looks, Topics, partition,
};
use page::tree::{Dom, Kind, Mask, Node, Paths};
use serde::Serialize;

/// The blocks of a page: those of a cut, or all of them.
#[derive(Serialize)]
pub struct Blocks<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u16>,
    blocks: Vec<Told>,
    #[serde(skip)]
    dom: &'a Dom,
    #[serde(skip)]
    tree: BlockTree,
}

/// One of them.
#[derive(Serialize)]
struct Told {
    id: u32,
    xpath: String,
    /// The last node of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    level: u16,
    label: Label,
    topic: String,
    /// Left, top, width and height, on a rendered page.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    area: Option<[i32; 4]>,
    text_len: u32,
    hash: String,
}

impl<'a> Blocks<'a> {
    /// The blocks of a page, of a cut at this level, or the whole tree without one. With looks they
    /// are cut as they are seen, else by tags alone.
    pub fn new(dom: &'a Dom, looks: Option<&Looks>, level: Option<u16>) -> Self {
        let tree = partition(dom, looks);
        let cut = level.map(|level| Cut::at_level(&tree, level));
        Self { level, ..Self::of(dom, looks, tree, cut.as_ref()) }
    }

    /// The blocks of a tree: those of a cut, or all of them.
    pub fn of(dom: &'a Dom, looks: Option<&Looks>, tree: BlockTree, cut: Option<&Cut>) -> Self {
        let wanted: Vec<BlockAt> = match cut {
            Some(cut) => cut.blocks().to_vec(),
            None => (0..tree.blocks().len() as u32).map(BlockAt).collect(),
        };
        let paths = Paths::new(dom);
        let contents = Contents::of(dom, &tree, &Mask::default());
        let lines = Lines::new(dom, looks);
        let (topics, labeller) = (Topics::default(), Labeller::new(&lines));
        let tell = |at: BlockAt| {
            let block = tree.block(at);
            let (first, last) = ends(block, dom);
            let rect = looks.and_then(|looks| looks.box_of(dom, block));
            Told {
                id: at.0,
                xpath: path(first, &paths),
                until: (first != last).then(|| path(last, &paths)),
                level: block.level,
                label: labeller.label(block.nodes()),
                topic: topics.topic(&lines, &tree, at).text,
                area: rect.map(|rect| [rect.x, rect.y, rect.width, rect.height]),
                text_len: contents.text_len(at),
                hash: format!("{:016x}", contents.hash(at)),
            }
        };
        let blocks = wanted.into_iter().map(tell).collect();
        Self { level: None, blocks, dom, tree }
    }

    /// An indented tree.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for block in &self.blocks {
            let indent = 2 * usize::from(block.level);
            let until = block.until.as_ref().map(|path| format!(" to {}", last_step(path)));
            writeln!(
                out,
                "{:>4} {:indent$}{} {}{}  {}  {} letters  {}",
                block.id,
                "",
                block.level,
                block.xpath,
                until.unwrap_or_default(),
                block.label,
                block.text_len,
                block.topic
            )?;
        }
        Ok(())
    }

    /// What to draw: the blocks of the cut, else those that cannot be cut further.
    pub fn marks(&self) -> Vec<Mark> {
        let places = Places::new(self.dom);
        let mark = |told: &Told| {
            let block = self.tree.block(BlockAt(told.id));
            Mark {
                place: places.of(block.nodes()),
                caption: format!("{} {}: {}", told.id, told.label, told.topic),
                class: told.label.to_string(),
                colour: Colour::nth(told.label as usize),
            }
        };
        // In document order a block is followed by its parts, if they are listed.
        let next = self.blocks.iter().skip(1).map(Some).chain([None]);
        let listed = self.blocks.iter().zip(next);
        let smallest = listed.filter(|(told, next)| {
            let end = self.tree.block(BlockAt(told.id)).end_block.0;
            next.is_none_or(|next| next.id >= end)
        });
        smallest.map(|(told, _)| mark(told)).collect()
    }
}

/// The first and the last of the siblings that a block is.
fn ends<'a>(block: &Block, dom: &'a Dom) -> (Node<'a>, Node<'a>) {
    let first = dom.node(block.first);
    let next = |node: &Node<'a>| node.next_sibling().filter(|next| next.id() < block.end);
    (first, std::iter::successors(Some(first), next).last().unwrap_or(first))
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

fn last_step(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
