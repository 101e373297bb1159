//! The live tree, written down into the same arena that the parser fills.

use std::time::Duration;

use page::block::{Display, Look, Looks};
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
    /// The tree and how its elements look: about four times slower (31 ms instead of 7 for 3,700
    /// elements).
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
    /// How its elements look, if asked for: all but those inside pictures and controls, which the
    /// browser draws by itself. Places are those of the top document, in frames too.
    pub looks: Option<Looks>,
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
        Ok(build(&raw, limits, detail))
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
fn build(raw: &Raw, limits: Limits, detail: Detail) -> Walk {
    let mut filling = Filling {
        builder: DomBuilder::with_limits(limits),
        looks: (detail == Detail::Boxes).then(Vec::new),
        frames: Vec::new(),
        truncated: false,
    };
    filling.document(raw, (0, 0));
    let columns: Vec<&str> = raw.text.split(COLUMN).collect();
    let column = |index: usize| columns.get(index).copied().unwrap_or_default().to_owned();
    let dom = filling.builder.finish();
    let truncated = filling.truncated || dom.truncated();
    let Filling { looks, frames, .. } = filling;
    Walk {
        dom,
        url: column(1),
        title: column(2),
        scroll_height: column(3).parse().unwrap_or(0),
        looks: looks.map(Looks::new),
        base: column(7),
        frames,
        truncated,
    }
}

struct Filling {
    builder: DomBuilder,
    looks: Option<Vec<(NodeId, Look)>>,
    frames: Vec<FrameDocument>,
    truncated: bool,
}

impl Filling {
    /// A document that begins at this place of the top one.
    fn document(&mut self, raw: &Raw, origin: (i32, i32)) {
        let columns: Vec<&str> = raw.text.split(COLUMN).collect();
        let column = |index: usize| columns.get(index).copied().unwrap_or_default();
        self.truncated |= column(4) == "1";
        let mut numbers = column(5).split(',').filter_map(|number| number.parse::<i32>().ok());
        let styles: Vec<Look> = column(6).split(';').map(look).collect();
        let mut strings = column(8).split(SEPARATOR);
        let mut frames = raw.frames.iter();
        for code in column(0).bytes() {
            match code {
                b'e' | b'h' | b'i' => {
                    let name = strings.next().unwrap_or_default();
                    let count = strings.next().and_then(|count| count.parse().ok()).unwrap_or(0);
                    let attributes: Vec<(&str, &str)> = (0..count)
                        .map_while(|_: usize| Some((strings.next()?, strings.next()?)))
                        .collect();
                    let node = self.builder.open(name, attributes);
                    if let Some(looks) = &mut self.looks {
                        let look = match code {
                            b'e' => next_look(&mut numbers, &styles, origin),
                            b'h' => Some(Look { display: Display::None, ..Look::default() }),
                            _ => None,
                        };
                        // Beyond the caps the builder gives numbers that it gave before.
                        let is_new = looks.last().is_none_or(|(last, _)| *last < node);
                        looks.extend(look.filter(|_| is_new).map(|look| (node, look)));
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
                    let origin = match self.looks.is_some() {
                        true => next_place(&mut numbers, origin).unwrap_or(origin),
                        false => origin,
                    };
                    if let Some(Some(inner)) = frames.next() {
                        let mut columns = inner.text.split(COLUMN);
                        let (url, base) = (columns.nth(1), columns.nth(5));
                        self.frame(url.unwrap_or_default(), base.unwrap_or_default());
                        self.document(inner, origin);
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

fn next_place(numbers: &mut impl Iterator<Item = i32>, origin: (i32, i32)) -> Option<(i32, i32)> {
    let (x, y) = (numbers.next()?, numbers.next()?);
    Some((x.saturating_add(origin.0), y.saturating_add(origin.1)))
}

fn next_look(
    numbers: &mut impl Iterator<Item = i32>,
    styles: &[Look],
    origin: (i32, i32),
) -> Option<Look> {
    let (x, y) = next_place(numbers, origin)?;
    let (width, height) = (numbers.next()?, numbers.next()?);
    let style = styles.get(usize::try_from(numbers.next()?).ok()?)?;
    Some(Look { x, y, width, height, ..*style })
}

/// A style as the agent writes it: `block|16|400|000000ff|00000000`.
fn look(text: &str) -> Look {
    let mut parts = text.split('|');
    let mut part = || parts.next().unwrap_or_default();
    Look {
        display: display(part()),
        font_size: (part().parse::<f32>().unwrap_or_default() * 10.0).round() as u16,
        weight: part().parse::<f32>().unwrap_or_default() as u16,
        colour: colour(part()),
        background: colour(part()),
        ..Look::default()
    }
}

fn colour(hex: &str) -> u32 {
    let colour = u32::from_str_radix(hex, 16).unwrap_or_default();
    // Nothing is painted by what is transparent, whatever its colour.
    if colour.to_be_bytes()[3] == 0 { 0 } else { colour }
}

fn display(text: &str) -> Display {
    match text {
        "none" | "table-column" | "table-column-group" => Display::None,
        "inline" | "ruby" | "ruby-text" => Display::Inline,
        "contents" => Display::Contents,
        "flex" | "grid" => Display::Flex,
        "table" => Display::Table,
        "table-row" | "table-row-group" | "table-header-group" | "table-footer-group" => {
            Display::Row
        }
        "table-cell" => Display::Cell,
        text if text.starts_with("inline-") => Display::InlineBlock,
        _ => Display::Block,
    }
}
