//! Blocks of a page, as they are told: to a person, as JSON, and on a picture.

use std::io::{self, Write};

use crawl::picture::{Colour, Mark, Place};
use page::block::{Block, BlockAt, BlockTree, Contents, Cut, Looks, partition};
use page::tree::{Dom, Kind, Mask, Node, Paths, visible_text_of};
use serde::Serialize;

/// Letters of a block's text that a person sees of it.
const MOST_WORDS: usize = 48;

/// The blocks of a page: of one level, or all of them.
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
    /// Left, top, width and height, on a rendered page.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    area: Option<[i32; 4]>,
    text_len: u32,
    hash: String,
    #[serde(skip)]
    words: String,
}

impl<'a> Blocks<'a> {
    /// The blocks of a page, of a cut at this level, or the whole tree without one. With looks they
    /// are cut as they are seen, else by tags alone.
    pub fn new(dom: &'a Dom, looks: Option<&Looks>, level: Option<u16>) -> Self {
        let tree = partition(dom, looks);
        let paths = Paths::new(dom);
        let wanted = match level {
            Some(level) => Cut::at_level(&tree, level).blocks().to_vec(),
            None => (0..tree.blocks().len() as u32).map(BlockAt).collect(),
        };
        let contents = Contents::of(dom, &tree, &Mask::default());
        let tell = |at: BlockAt| {
            let block = tree.block(at);
            let run: Vec<_> = siblings(block, dom).collect();
            let (first, last) = (run.first().copied(), run.last().copied());
            Told {
                id: at.0,
                xpath: first.map(|node| path(node, &paths)).unwrap_or_default(),
                until: last.filter(|last| Some(*last) != first).map(|node| path(node, &paths)),
                level: block.level,
                area: looks.and_then(|looks| area(&run, looks)),
                text_len: contents.text_len(at),
                hash: format!("{:016x}", contents.hash(at)),
                words: words(&run),
            }
        };
        let blocks = wanted.into_iter().map(tell).collect();
        Self { level, blocks, dom, tree }
    }

    /// An indented tree.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for block in &self.blocks {
            let indent = if self.level.is_some() { 0 } else { 2 * usize::from(block.level) };
            let until = block.until.as_ref().map(|path| format!(" to {}", last_step(path)));
            writeln!(
                out,
                "{:indent$}{:<4} {}  {}{}  {} letters  {}",
                "",
                block.id,
                block.level,
                block.xpath,
                until.unwrap_or_default(),
                block.text_len,
                block.words
            )?;
        }
        Ok(())
    }

    /// What to draw: the blocks of the level, else those that cannot be cut further.
    pub fn marks(&self) -> Vec<Mark> {
        let paths = Paths::new(self.dom);
        let drawn = |told: &&Told| self.level.is_some() || self.tree.is_leaf(BlockAt(told.id));
        let mark = |told: &Told| {
            let block = self.tree.block(BlockAt(told.id));
            Mark {
                place: Place::of(block, self.dom, &paths),
                caption: told.id.to_string(),
                class: format!("level {}", block.level),
                colour: Colour::nth(block.level.into()),
            }
        };
        self.blocks.iter().filter(drawn).map(mark).collect()
    }
}

/// What a run of siblings covers.
fn area(run: &[Node<'_>], looks: &Looks) -> Option<[i32; 4]> {
    let seen = run.iter().filter_map(|node| looks.of(node.id()));
    let seen = seen.filter(|look| look.width > 0 && look.height > 0);
    let edges = seen.map(|look| [look.x, look.y, look.x + look.width, look.y + look.height]);
    let around =
        edges.reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]);
    around.map(|[left, top, right, bottom]| [left, top, right - left, bottom - top])
}

fn siblings<'a>(block: &Block, dom: &'a Dom) -> impl Iterator<Item = Node<'a>> {
    let end = block.end;
    let next = move |node: &Node<'a>| node.next_sibling().filter(|next| next.id() < end);
    std::iter::successors(dom.get(block.first), next)
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

/// How a run of siblings begins.
fn words(run: &[Node<'_>]) -> String {
    let mut words = String::new();
    for node in run {
        for word in visible_text_of(*node).split_whitespace() {
            if words.chars().count() > MOST_WORDS {
                words.push('…');
                return words;
            }
            words.extend((!words.is_empty()).then_some(' '));
            words.extend(word.chars().take(MOST_WORDS));
        }
    }
    words
}
