//! The state-transition graph of seed 000: for programs that draw and count (JSON, DOT, GraphML),
//! and for people who look at it (SVG, HTML).
//!
//! The first three are streamed, so that a graph may be larger than memory. The pictures are laid
//! out in layers, and what is too large to be looked at is drawn as groups.

mod dot;
mod drawing;
mod graphml;
mod html;
mod json;
mod layout;
mod picture;
mod svg;
mod view;

use std::collections::HashSet;
use std::io::Write;

use store::{Catalog, EdgeRow, PageNumber, PageRow, PageStatus};

use crate::PublishError;

pub use view::{GraphView, ViewKind, ViewLine, ViewPage, view};

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `nodes` and `edges`, the refused ones too.
    Json,
    /// For Graphviz.
    Dot,
    /// For Gephi, yEd, NetworkX.
    Graphml,
    /// One picture.
    Svg,
    /// One page with search, zoom and the way to each state; needs nothing else.
    Html,
}

/// What of the graph is written, and how.
#[derive(Clone, Copy, Debug)]
pub struct GraphOptions {
    /// How it is written.
    pub format: Format,
    /// Leave plain links out: only what events do.
    pub events_only: bool,
    /// The page whose way from the entry is highlighted in a picture.
    pub to: Option<PageNumber>,
    /// How the reason of a refusal is put for whoever reads the graph.
    pub explain: fn(&str) -> String,
}

impl GraphOptions {
    /// Everything in this format, with reasons as they are kept.
    pub fn new(format: Format) -> Self {
        Self { format, events_only: false, to: None, explain: str::to_owned }
    }
}

/// Writes the graph of everything in the store.
///
/// ```no_run
/// use publish::graph::{Format, GraphOptions, write};
/// use store::Catalog;
///
/// # async fn example() -> Result<(), publish::PublishError> {
/// let catalog = Catalog::open(std::path::Path::new("bathys-data"))?;
/// let options = GraphOptions::new(Format::Svg);
/// let mut picture = Vec::new();
/// write(&catalog, &options, &mut picture).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When the catalog fails, the output cannot be written, or the page to highlight is not in it.
pub async fn write<W: Write>(
    catalog: &Catalog,
    options: &GraphOptions,
    out: &mut W,
) -> Result<(), PublishError> {
    match options.format {
        Format::Json => stream(catalog, options, &json::Json, out).await,
        Format::Dot => stream(catalog, options, &dot::Dot, out).await,
        Format::Graphml => stream(catalog, options, &graphml::Graphml, out).await,
        Format::Svg | Format::Html => {
            let picture = picture::Picture::read(catalog, options).await?;
            let text = match options.format {
                Format::Svg => svg::draw(&picture),
                _ => html::draw(&picture),
            };
            Ok(out.write_all(text.as_bytes())?)
        }
    }
}

/// A format that needs to see one row at a time.
trait Rows: Sync {
    fn begin(&self, out: &mut dyn Write) -> Result<(), PublishError>;
    fn node(&self, out: &mut dyn Write, row: &PageRow, first: bool) -> Result<(), PublishError>;
    fn between(&self, out: &mut dyn Write) -> Result<(), PublishError>;
    fn edge(&self, out: &mut dyn Write, edge: &EdgeRow, first: bool) -> Result<(), PublishError>;
    fn end(&self, out: &mut dyn Write) -> Result<(), PublishError>;
}

async fn stream<W: Write>(
    catalog: &Catalog,
    options: &GraphOptions,
    format: &dyn Rows,
    out: &mut W,
) -> Result<(), PublishError> {
    let part = Part::of(catalog, options.events_only).await?;
    format.begin(out)?;
    let (mut after, mut first) = (PageNumber(0), true);
    loop {
        let rows = catalog.pages(after).await?;
        let Some(last) = rows.last() else { break };
        after = last.page;
        for row in rows.iter().filter(|row| part.has_page(row)) {
            format.node(out, row, first)?;
            first = false;
        }
    }
    format.between(out)?;
    (after, first) = (PageNumber(0), true);
    loop {
        let rows = edges(catalog, options, after).await?;
        let Some(last) = rows.last() else { break };
        after = last.from;
        for edge in rows.iter().filter(|edge| part.has_edge(edge)) {
            format.edge(out, edge, first)?;
            first = false;
        }
    }
    format.end(out)
}

/// The next edges after a page, with reasons as the reader is told them.
async fn edges(
    catalog: &Catalog,
    options: &GraphOptions,
    after: PageNumber,
) -> Result<Vec<EdgeRow>, PublishError> {
    let mut rows = catalog.edges(after).await?;
    for because in rows.iter_mut().filter_map(|edge| edge.refused_because.as_mut()) {
        *because = (options.explain)(because);
    }
    Ok(rows)
}

/// What of the graph was asked for.
struct Part {
    /// The pages between which events lead, if only these are wanted.
    busy: Option<HashSet<PageNumber>>,
}

impl Part {
    async fn of(catalog: &Catalog, events_only: bool) -> Result<Self, PublishError> {
        if !events_only {
            return Ok(Self { busy: None });
        }
        let (mut pages, mut after) = (HashSet::new(), PageNumber(0));
        loop {
            let rows = catalog.edges(after).await?;
            let Some(last) = rows.last() else { return Ok(Self { busy: Some(pages) }) };
            after = last.from;
            for edge in rows.iter().filter(|edge| is_event(edge) && edge.to.is_some()) {
                pages.extend([Some(edge.from), edge.to].into_iter().flatten());
            }
        }
    }

    fn has_page(&self, row: &PageRow) -> bool {
        row.condition != PageStatus::Merged
            && self.busy.as_ref().is_none_or(|busy| busy.contains(&row.page))
    }

    fn has_edge(&self, edge: &EdgeRow) -> bool {
        let leads = edge.to.is_some() || edge.refused_because.is_some();
        leads && self.busy.as_ref().is_none_or(|busy| is_event(edge) && busy.contains(&edge.from))
    }
}

/// Whether an edge is what a script does, and not the page's own address of another.
fn is_event(edge: &EdgeRow) -> bool {
    edge.event != "link"
}
