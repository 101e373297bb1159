//! The live tree, written down into the same arena that the parser fills.

use std::time::Duration;

use page::tree::{Dom, DomBuilder, Limits, NodeId};
use serde::Deserialize;
use serde_json::json;

use super::Tab;
use super::error::TabError;
use super::evaluate::World;
use super::protocol::RemoteObject;

/// How much a walk tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The tree.
    #[default]
    Tree,
    /// The tree and how its elements are laid out: about eight times slower.
    Boxes,
}

/// A page as it is now.
#[derive(Debug)]
pub struct Walk {
    /// The tree.
    pub dom: Dom,
    /// The address, with what scripts have made of it.
    pub url: String,
    /// The title.
    pub title: String,
    /// The height of the whole page in pixels.
    pub scroll_height: u32,
    /// How elements are laid out, if asked for, in document order.
    pub layout: Vec<Layout>,
    /// The kinds of look that elements have.
    pub looks: Vec<Look>,
    /// The address that links of the page are relative to.
    pub base: String,
    /// The documents of frames, in document order: their links are relative to their own addresses.
    pub frames: Vec<FrameDocument>,
    /// True if a cap left something out.
    pub truncated: bool,
}

/// A document inside a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameDocument {
    /// The document's node.
    pub node: NodeId,
    /// Its address.
    pub url: String,
    /// The address that its links are relative to.
    pub base: String,
}

/// Where an element is, in pixels of its own document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The element.
    pub node: NodeId,
    /// From the left edge of the document.
    pub x: i32,
    /// From its top.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
    /// Its look, an index into [`Walk::looks`].
    pub look: u32,
}

/// How an element looks. Few elements of a page look different, so each look is kept once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// The computed `display`.
    pub display: String,
    /// The font size in pixels.
    pub font_size: f32,
    /// The colour of text, as CSS writes it.
    pub color: String,
    /// The colour behind it.
    pub background: String,
}

/// Frames of other origins that one walk visits.
const FOREIGN_FRAMES: usize = 32;

/// Frames inside frames.
const FRAME_DEPTH: usize = 8;

/// The attribute that a walk gives to a canvas: a hash of what it shows.
pub const PIXELS: &str = "bathys-pixels";

const SEPARATOR: char = '\u{FFFE}';
const COLUMN: char = '\u{FFFF}';

/// A document's walk as the agent sends it, with those of the frames it could not see into.
struct Raw {
    text: String,
    frames: Vec<Option<Raw>>,
}

impl Tab {
    /// The tree as it is now. A canvas that shows something carries a hash of its pixels in the
    /// attribute [`PIXELS`], unless it holds pictures of other sites, which no script may read.
    pub async fn walk(&self) -> Result<Walk, TabError> {
        self.walk_with(Detail::Tree).await
    }

    /// The tree as it is now, with more or less detail.
    pub async fn walk_with(&self, detail: Detail) -> Result<Walk, TabError> {
        let frame = self.shared.lock().main_frame.clone();
        let mut frames_left = FOREIGN_FRAMES;
        let raw = self.raw_walk(frame, detail, &mut frames_left, 0).await?;
        let caps = &self.options.caps;
        let limits = Limits { nodes: caps.nodes, bytes: caps.walk_bytes, ..Limits::default() };
        Ok(build(&raw, limits))
    }

    async fn raw_walk(
        &self,
        frame: String,
        detail: Detail,
        frames_left: &mut usize,
        depth: usize,
    ) -> Result<Raw, TabError> {
        let caps = &self.options.caps;
        let limits = json!({ "nodes": caps.nodes, "bytes": caps.walk_bytes, "depth": 511 });
        let script = format!("bathys.walk({limits},{})", detail == Detail::Boxes);
        let text: String =
            self.ask_frame("walk", &frame, World::Own, &script)?.wait(&self.shared).await?;
        let codes = text.split(COLUMN).next().unwrap_or_default();
        let foreign = codes.bytes().filter(|code| *code == b'f').count();
        let mut frames = Vec::new();
        for index in 0..foreign {
            let inner = if *frames_left == 0 || depth >= FRAME_DEPTH {
                None
            } else {
                *frames_left -= 1;
                self.foreign_frame(&frame, &format!("bathys.foreign[{index}]")).await?
            };
            let walked = match inner {
                Some(id) => Box::pin(self.raw_walk(id, detail, frames_left, depth + 1)).await.ok(),
                None => None,
            };
            frames.push(walked);
        }
        Ok(Raw { text, frames })
    }

    /// The id of the frame whose element this expression of our world gives.
    pub(super) async fn foreign_frame(
        &self,
        frame: &str,
        expression: &str,
    ) -> Result<Option<String>, TabError> {
        #[derive(Deserialize)]
        struct Evaluated {
            result: RemoteObject,
        }
        #[derive(Deserialize, Default)]
        #[serde(rename_all = "camelCase", default)]
        struct Node {
            frame_id: Option<String>,
        }
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Described {
            node: Node,
        }
        let (session, world) = {
            let state = self.shared.lock();
            match state.frames.get(frame) {
                Some(frame) => (frame.session.clone(), frame.own_world.clone()),
                None => (None, None),
            }
        };
        let (Some(session), Some(world)) = (session, world) else {
            return Ok(None);
        };
        let session = self.connection.session(session);
        let params = json!({ "expression": expression, "uniqueContextId": world });
        let reply = session.send::<Evaluated>("Runtime.evaluate", params);
        let Ok(evaluated) = reply.within(Duration::from_secs(2)).wait().await else {
            return Ok(None);
        };
        let Some(object) = evaluated.result.object_id else {
            return Ok(None);
        };
        let described: Result<Described, _> =
            session.call("DOM.describeNode", json!({ "objectId": object })).await;
        session.tell("Runtime.releaseObject", json!({ "objectId": object }));
        Ok(described.ok().and_then(|described| described.node.frame_id))
    }
}

/// Fills the arena. Whatever the page's side has sent, this ends and gives a tree.
fn build(raw: &Raw, limits: Limits) -> Walk {
    let mut filling = Filling {
        builder: DomBuilder::with_limits(limits),
        layout: Vec::new(),
        looks: Vec::new(),
        frames: Vec::new(),
        truncated: false,
    };
    filling.document(raw);
    let columns: Vec<&str> = raw.text.split(COLUMN).collect();
    let column = |index: usize| columns.get(index).copied().unwrap_or_default().to_owned();
    let dom = filling.builder.finish();
    let truncated = filling.truncated || dom.truncated();
    let Filling { layout, looks, frames, .. } = filling;
    Walk {
        dom,
        url: column(1),
        title: column(2),
        scroll_height: column(3).parse().unwrap_or(0),
        layout,
        looks,
        base: column(7),
        frames,
        truncated,
    }
}

struct Filling {
    builder: DomBuilder,
    layout: Vec<Layout>,
    looks: Vec<Look>,
    frames: Vec<FrameDocument>,
    truncated: bool,
}

impl Filling {
    fn document(&mut self, raw: &Raw) {
        let columns: Vec<&str> = raw.text.split(COLUMN).collect();
        let column = |index: usize| columns.get(index).copied().unwrap_or_default();
        self.truncated |= column(4) == "1";
        let mut numbers = column(5).split(',').filter_map(|number| number.parse::<i32>().ok());
        let base = self.looks.len() as u32;
        self.looks.extend(column(6).split(';').filter(|look| !look.is_empty()).map(look));
        let mut strings = column(8).split(SEPARATOR);
        let mut frames = raw.frames.iter();
        for code in column(0).bytes() {
            match code {
                b'e' => {
                    let name = strings.next().unwrap_or_default();
                    let count = strings.next().and_then(|count| count.parse().ok()).unwrap_or(0);
                    let attributes: Vec<(&str, &str)> = (0..count)
                        .map_while(|_: usize| Some((strings.next()?, strings.next()?)))
                        .collect();
                    let node = self.builder.open(name, attributes);
                    if let Some(place) = next_layout(&mut numbers, node, base) {
                        self.layout.push(place);
                    }
                }
                b't' => self.builder.text(strings.next().unwrap_or_default()),
                b'c' => self.builder.comment(strings.next().unwrap_or_default()),
                b'D' => self.builder.doctype(strings.next().unwrap_or_default()),
                b's' => {
                    self.builder.open_shadow_root();
                }
                b'd' => {
                    let (url, base) = (strings.next(), strings.next());
                    self.frame(url.unwrap_or_default(), base.unwrap_or_default());
                }
                b'f' => {
                    if let Some(Some(inner)) = frames.next() {
                        let mut columns = inner.text.split(COLUMN);
                        let (url, base) = (columns.nth(1), columns.nth(5));
                        self.frame(url.unwrap_or_default(), base.unwrap_or_default());
                        self.document(inner);
                        self.builder.close();
                    }
                }
                _ => self.builder.close(),
            }
        }
    }

    fn frame(&mut self, url: &str, base: &str) {
        let node = self.builder.open_document();
        self.frames.push(FrameDocument { node, url: url.to_owned(), base: base.to_owned() });
    }
}

fn next_layout(numbers: &mut impl Iterator<Item = i32>, node: NodeId, base: u32) -> Option<Layout> {
    let (x, y) = (numbers.next()?, numbers.next()?);
    let (width, height) = (numbers.next()?, numbers.next()?);
    let look = base.saturating_add(u32::try_from(numbers.next()?).ok()?);
    Some(Layout { node, x, y, width, height, look })
}

fn look(text: &str) -> Look {
    let mut parts = text.split('|');
    let mut part = || parts.next().unwrap_or_default().to_owned();
    Look {
        display: part(),
        font_size: part().trim_end_matches("px").parse().unwrap_or(0.0),
        color: part(),
        background: part(),
    }
}
