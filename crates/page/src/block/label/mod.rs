//! Labels: what a block is for. The paper leaves them open; a person can tell these apart.
//!
//! Evidence is weighed and the best supported label wins: what elements and roles say, what words
//! of `class` and `id` say, what readers read there, how much of the text is links or sentences,
//! what the rest is, where it stands, what it is part of, and what the blocks beside it are. The
//! weights are learned from blocks that people labelled. The definitions are with [`Label`].

mod count;
mod evidence;
mod hint;
mod model;
mod region;
mod score;
mod target;

use super::line::{Line, Lines, Rank};
use super::tree::{BlockAt, BlockTree};
use crate::tree::NodeId;
use count::Counts;
use hint::Hints;
use model::Weighed;
use region::Region;
use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// What a block is for.
///
/// A block that holds several kinds has the label of the part that shows the most; one that holds
/// the main text of the page is `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// The top of the site, the same on its pages: its name or logo, with what stands beside it.
    Header,
    /// Ways through the site: menus, paths ("you are here"), page numbers, tables of contents, tags.
    Navigation,
    /// What the page is there to say: its text with headline, author, date and lead; a product and
    /// its description; the first post of a thread.
    Main,
    /// Several things alike that each have their own page or place: stories, results, products,
    /// threads, what is most read or recommended; also one of them, or the title of the list.
    List,
    /// What readers say about the page, and where they say it.
    Comments,
    /// Something to fill in: search, login, newsletter, filters.
    Form,
    /// What somebody pays for to be shown.
    Advert,
    /// Pictures, videos, players or maps with at most a caption.
    Media,
    /// The end of the site, the same on its pages: owner, rights, contact, its last links.
    Footer,
    /// Anything else: buttons to share or print, notices, counters, what shows nothing.
    Other,
}

impl Label {
    /// All labels.
    pub const ALL: [Self; 10] = [
        Self::Header,
        Self::Navigation,
        Self::Main,
        Self::List,
        Self::Comments,
        Self::Form,
        Self::Advert,
        Self::Media,
        Self::Footer,
        Self::Other,
    ];

    /// Its name, as it is written and read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Navigation => "navigation",
            Self::Main => "main",
            Self::List => "list",
            Self::Comments => "comments",
            Self::Form => "form",
            Self::Advert => "advert",
            Self::Media => "media",
            Self::Footer => "footer",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

/// A text that is no label.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no label; use header, navigation, main, list, comments, form, advert, media, footer or other"
)]
pub struct UnknownLabel(String);

impl FromStr for Label {
    type Err = UnknownLabel;

    fn from_str(text: &str) -> Result<Self, UnknownLabel> {
        let named = Self::ALL.into_iter().find(|label| label.name() == text);
        named.ok_or_else(|| UnknownLabel(text.to_owned()))
    }
}

/// The labels of the blocks of a tree. A block is weighed when it is first asked for: a cut is made of
/// few of them.
///
/// ```
/// use page::block::{Label, Labels, Lines, partition};
///
/// let html = "<div><nav><a href=/>Home</a> <a href=/n>News</a> <a href=/s>Ships</a></nav></div>\
///     <div><p>The harbour is closed, and every ship has left it for the north.</p></div>";
/// let dom = page::tree::parse_str(html).dom;
/// let tree = partition(&dom, None);
/// let labels = Labels::new(&Lines::new(&dom, None), &tree);
/// let first = tree.children(page::block::BlockAt::PAGE).next().unwrap();
/// assert_eq!(labels.of(first), Label::Navigation);
/// ```
pub struct Labels<'a> {
    labeller: Labeller<'a>,
    tree: &'a BlockTree,
    weighed: Vec<OnceCell<Weighed>>,
}

impl<'a> Labels<'a> {
    /// Labels blocks of a tree.
    pub fn new(lines: &Lines<'a>, tree: &'a BlockTree) -> Self {
        let weighed = vec![OnceCell::new(); tree.blocks().len()];
        Self { labeller: Labeller::new(lines), tree, weighed }
    }

    /// The label of a block; `other` for one of another tree.
    pub fn of(&self, at: BlockAt) -> Label {
        let Some(own) = self.weigh(at) else { return Label::Other };
        if at == BlockAt::PAGE {
            return own.alone();
        }
        let around = self.tree.block(at).parent;
        own.among(
            [Some(around), self.tree.before(at), self.tree.next(at)].map(|at| self.weigh(at?)),
        )
    }

    fn weigh(&self, at: BlockAt) -> Option<&Weighed> {
        let nodes = self.tree.blocks().get(at.0 as usize)?.nodes();
        let slot = self.weighed.get(at.0 as usize)?;
        Some(slot.get_or_init(|| self.labeller.weigh_block(nodes)))
    }
}

/// Labels runs of nodes, whether they are blocks or not.
///
/// ```
/// use page::block::{Label, Labeller, Lines};
///
/// let dom = page::tree::parse_str("<footer><p>© 2024 The Harbour</p></footer>").dom;
/// let footer = dom.elements().find(|node| node.name() == "footer").unwrap();
/// let lines = Lines::new(&dom, None);
/// let label = Labeller::new(&lines).label(footer.id().0..footer.end().0);
/// assert_eq!(label, Label::Footer);
/// ```
pub struct Labeller<'a> {
    lines: Lines<'a>,
    hints: Hints,
    main: Region,
    counts: Counts,
    /// What is hidden too, and its counts, if a run is.
    whole: OnceCell<Lines<'a>>,
    whole_counts: OnceCell<Counts>,
    /// How many children of an element are alike, for those that were asked about.
    alike: RefCell<HashMap<u32, u32>>,
}

impl<'a> Labeller<'a> {
    /// Finds what the labels of a page depend on: what its elements say, and its main text.
    pub fn new(lines: &Lines<'a>) -> Self {
        let hints = Hints::new(lines.dom);
        let main = Region::find(lines, &hints);
        let counts = Counts::new(lines, &hints);
        Self {
            lines: lines.clone(),
            hints,
            main,
            counts,
            whole: OnceCell::new(),
            whole_counts: OnceCell::new(),
            alike: RefCell::default(),
        }
    }

    /// The label of a run of nodes by itself. A heading has that of what it heads.
    pub fn label(&self, run: Range<u32>) -> Label {
        self.weigh_block(run).alone()
    }

    fn weigh_block(&self, run: Range<u32>) -> Weighed {
        self.weigh(self.headed_by(&run).unwrap_or(run))
    }

    /// The label of a run that is certain without weighing any evidence.
    ///
    /// ```
    /// use page::block::{Label, Labeller, Lines};
    ///
    /// let dom = page::tree::parse_str("<div></div><p>The harbour is closed.</p>").dom;
    /// let lines = Lines::new(&dom, None);
    /// let empty = dom.elements().find(|node| node.name() == "div").unwrap();
    /// let certain = Labeller::new(&lines).certain(empty.id().0..empty.end().0);
    /// assert_eq!(certain, Some(Label::Other));
    /// ```
    pub fn certain(&self, run: Range<u32>) -> Option<Label> {
        let facts = self.facts(self.headed_by(&run).unwrap_or(run));
        self.settled(&facts, &self.scores(&facts))
    }

    /// The evidence for the label of a run: numbers of about one, by name. The weights of labels
    /// are learned from it.
    ///
    /// ```
    /// use page::block::{Labeller, Lines};
    ///
    /// let dom = page::tree::parse_str("<p>The harbour is closed.</p>").dom;
    /// let lines = Lines::new(&dom, None);
    /// let evidence = Labeller::new(&lines).evidence(0..dom.node_count() as u32);
    /// assert!(evidence.iter().any(|(name, value)| name == "share.links" && *value == 0.0));
    /// ```
    pub fn evidence(&self, run: Range<u32>) -> Vec<(String, f32)> {
        let run = self.headed_by(&run).unwrap_or(run);
        let facts = self.facts(run);
        self.gather(&facts, &self.scores(&facts), true).named()
    }

    /// What follows a run that is a heading and nothing else.
    fn headed_by(&self, run: &Range<u32>) -> Option<Range<u32>> {
        let own = self.lines.of(run);
        let sum = self.lines.sum(run);
        // With a link to more of the same beside it, at most.
        let is_heading = sum.fields + sum.media + sum.prose == 0
            && sum.words <= 12
            && own.len() <= 3
            && own.first().is_some_and(|line| matches!(line.rank, Rank::Heading(_)))
            && !own.iter().any(Line::is_title_link);
        if !is_heading {
            return None;
        }
        let dom = self.lines.dom;
        let mut last = dom.get(NodeId(run.start))?;
        while last.end().0 < run.end {
            last = last.next_sibling()?;
        }
        // Up to the box that it is the first thing in.
        for _ in 0..4 {
            let mut next = last.next_sibling();
            while let Some(node) = next {
                if !self.lines.sum_of(node).is_empty() {
                    return Some(node.id().0..node.end().0);
                }
                next = node.next_sibling();
            }
            last = last.parent()?;
        }
        None
    }
}
