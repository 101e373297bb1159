//! Blocks of a page, as they are told: to a person, as JSON, and on a picture.

use std::io::{self, Write};

use crawl::picture::{Colour, Mark, Places};
use page::block::{BlockAt, Cut, DEFAULT_LEVEL, Kind, Parts, Topics};
use publish::block::{Shown, Teller};
use publish::diff::Numbers;
use serde::Serialize;
use store::BlockRow;

use crate::output::{clean_line, thousands};

/// The colour of what did not change.
const GREY: usize = 10;

/// The blocks of a page: those of a cut, or all of them.
#[derive(Serialize)]
pub struct Blocks<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u16>,
    blocks: Vec<Shown>,
    #[serde(skip)]
    at: Vec<BlockAt>,
    #[serde(skip)]
    parts: &'a Parts,
}

impl<'a> Blocks<'a> {
    /// The blocks of a page, of a cut at this level, or the whole tree without one, under the numbers
    /// of the tree.
    pub fn at_level(parts: &'a Parts, topics: Topics, level: Option<u16>) -> Self {
        let at: Vec<BlockAt> = match level {
            Some(level) => Cut::at_level(&parts.tree, level).blocks().to_vec(),
            None => (0..parts.tree.blocks().len() as u32).map(BlockAt).collect(),
        };
        Self::told(parts, topics, at, level, |at| at.0.into())
    }

    /// The blocks that a version is kept as.
    pub fn kept(parts: &'a Parts, topics: Topics, numbers: &Numbers) -> Self {
        let level = parts.level_of(&numbers.cut);
        let number = |at| numbers.of_block(at);
        Self::told(parts, topics, numbers.cut.blocks().to_vec(), Some(level), number)
    }

    fn told(
        parts: &'a Parts,
        topics: Topics,
        at: Vec<BlockAt>,
        level: Option<u16>,
        number: impl Fn(BlockAt) -> i64,
    ) -> Self {
        let teller = Teller::new(parts, topics);
        let blocks = at.iter().map(|at| teller.tell(*at, number(*at))).collect();
        Self { level, blocks, at, parts }
    }

    /// Adds on how many pages each block stands that its page still has, and leaves out all but `only`, if one is
    /// named.
    pub fn tell_pages(&mut self, pages: impl Fn(i64) -> Option<i64>, only: Option<i64>) {
        for block in &mut self.blocks {
            block.pages = pages(block.id);
        }
        if let Some(only) = only {
            self.blocks.retain(|block| block.id == only);
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// An indented tree.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for block in &self.blocks {
            let shared = match block.pages {
                Some(pages) if pages > 1 => format!("  on {} pages", thousands(pages)),
                _ => String::new(),
            };
            let indent = 2 * usize::from(block.level);
            let until = block.until.as_ref().map(|path| format!(" to {}", last_step(path)));
            writeln!(
                out,
                "{:>4} {:indent$}{} {}{}  {}  {} letters{shared}  {}",
                block.id,
                "",
                block.level,
                block.xpath,
                until.unwrap_or_default(),
                block.label,
                block.text_len,
                clean_line(&block.topic)
            )?;
        }
        Ok(())
    }

    /// What to draw of a version beside the one before: what changed in colours of its kind, all else
    /// in grey.
    pub fn changes(&self, rows: &[BlockRow], version: i64) -> Vec<Mark> {
        let mut marks = self.marks();
        let began = |id: i64| {
            let row = rows.iter().find(|row| row.block.0 == id && row.first == version);
            row.filter(|row| version > 1 && row.began != store::Began::Recut)
                .map(|row| row.began.as_str())
        };
        for (mark, told) in marks.iter_mut().zip(&self.blocks) {
            let (class, colour) = match began(told.id) {
                None => ("unchanged", GREY),
                Some("added") => ("added", 2),
                Some(kind) => {
                    (kind, if Kind::named(kind).is_some_and(Kind::counts) { 0 } else { 4 })
                }
            };
            class.clone_into(&mut mark.class);
            mark.colour = Colour::nth(colour);
        }
        marks
    }

    /// What to draw: the blocks of the cut, or of the first cut if all were asked for.
    pub fn marks(&self) -> Vec<Mark> {
        let Parts { dom, tree, .. } = self.parts;
        let places = Places::new(dom);
        let first = self.level.is_none().then(|| self.parts.first_cut(DEFAULT_LEVEL));
        let is_drawn = |at: &BlockAt| {
            first.as_ref().is_none_or(|first| first.blocks().binary_search(at).is_ok())
        };
        let mark = |(told, at): (&Shown, &BlockAt)| Mark {
            place: places.of(tree.block(*at).nodes()),
            caption: format!("{} {}: {}", told.id, told.label, told.topic),
            class: told.label.to_string(),
            colour: Colour::nth(told.label as usize),
        };
        let told = self.blocks.iter().zip(&self.at);
        told.filter(|(_, at)| is_drawn(at)).map(mark).collect()
    }
}

fn last_step(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
