//! The cells of a table by row and column, as HTML's table model places them.

use page::tree::names::known;
use page::tree::{Node, visible_text_of};

/// Rows and columns of a table that are looked at, as browsers cap spans.
const MOST_ROWS: usize = 20_000;
const MOST_COLUMNS: usize = 1_000;
/// Cells of all rows together: spans make many of few.
const MOST_CELLS: usize = 400_000;

/// A table's rows, each with a cell for each column.
pub struct Grid<'a> {
    pub(super) rows: Vec<GridRow<'a>>,
    pub(super) width: usize,
}

/// A row, and the cell that stands in each of its columns; at its end some may be missing.
pub(super) struct GridRow<'a> {
    pub(super) element: Node<'a>,
    pub(super) cells: Vec<Option<Node<'a>>>,
    pub(super) is_in_head: bool,
    pub(super) is_in_foot: bool,
}

impl<'a> Grid<'a> {
    pub(super) fn of(table: Node<'a>) -> Option<Self> {
        let mut rows: Vec<GridRow<'a>> = Vec::new();
        // How many more rows the cell above reaches into, by column.
        let mut hanging: Vec<(usize, Option<Node<'a>>)> = Vec::new();
        let mut placed = 0;
        let mut last_section = table.id();
        for (section, element) in rows_of(table).take(MOST_ROWS) {
            if section.id() != last_section {
                // A cell does not reach out of its section.
                last_section = section.id();
                hanging.clear();
            }
            let mut cells: Vec<Option<Node<'a>>> = Vec::new();
            let mut own = element.children().filter(|node| is_cell(*node));
            loop {
                if let Some((left, above)) = hanging.get_mut(cells.len()).filter(|it| it.0 > 0) {
                    *left -= 1;
                    cells.push(*above);
                    continue;
                }
                let Some(cell) = own.next() else { break };
                let (across, down) = (span(cell, "colspan", 1), span(cell, "rowspan", MOST_ROWS));
                for _ in 0..across {
                    let at = cells.len();
                    if at >= MOST_COLUMNS {
                        break;
                    }
                    if hanging.len() <= at {
                        hanging.resize(at + 1, (0, None));
                    }
                    if let Some(slot) = hanging.get_mut(at) {
                        *slot = (down - 1, Some(cell));
                    }
                    cells.push(Some(cell));
                }
                if cells.len() >= MOST_COLUMNS {
                    break;
                }
            }
            for (left, _) in hanging.iter_mut().skip(cells.len()) {
                *left = left.saturating_sub(1);
            }
            placed += cells.len();
            if placed > MOST_CELLS {
                break;
            }
            let (is_in_head, is_in_foot) = (section.is(known::THEAD), section.is(known::TFOOT));
            rows.push(GridRow { element, cells, is_in_head, is_in_foot });
        }
        let width = rows.iter().map(|row| row.cells.len()).max()?;
        Some(Self { rows, width })
    }

    /// The rows below this many heads that are items.
    pub(super) fn items(&self, heads: usize) -> impl Iterator<Item = usize> {
        self.rows.iter().enumerate().skip(heads).filter_map(|(at, row)| {
            let is_item = !row.is_in_head && !row.is_in_foot && !row.is_head() && !row.is_joined();
            is_item.then_some(at)
        })
    }
}

impl<'a> GridRow<'a> {
    /// The different cells of the row, from the left.
    pub(super) fn own(&self) -> impl Iterator<Item = Node<'a>> {
        let mut last = None;
        self.cells.iter().flatten().copied().filter(move |cell| {
            let is_next = last != Some(cell.id());
            last = Some(cell.id());
            is_next
        })
    }

    /// Whether it has heads only.
    pub(super) fn is_head(&self) -> bool {
        self.own().next().is_some() && self.own().all(|cell| cell.is(known::TH))
    }

    /// Whether one cell is all that it has, or all of several that holds something: a heading between rows, or
    /// what fills a gap.
    pub(super) fn is_joined(&self) -> bool {
        let held = self.own().filter(|cell| holds_something(*cell)).count();
        held == 0
            || (held == 1
                && (self.cells.len() > 2 || self.own().nth(1).is_none() && self.cells.len() > 1))
    }
}

/// Whether a cell shows a text or a picture.
pub(super) fn holds_something(cell: Node<'_>) -> bool {
    let is_picture = |node: Node<'_>| matches!(node.name(), "img" | "svg" | "canvas" | "input");
    cell.descendants().any(is_picture) || !visible_text_of(cell).trim().is_empty()
}

/// The rows of a table, with the sections that they are in; rows of tables inside it are not its own.
fn rows_of<'a>(table: Node<'a>) -> impl Iterator<Item = (Node<'a>, Node<'a>)> {
    table.children().flat_map(move |child| {
        let is_section =
            matches!(child.name_id(), Some(known::THEAD | known::TBODY | known::TFOOT));
        let own = child.is(known::TR).then_some((table, child));
        let inside = is_section.then(|| child.children().map(move |row| (child, row)));
        let rows = inside.into_iter().flatten().filter(|(_, row)| row.is(known::TR));
        own.into_iter().chain(rows)
    })
}

pub(super) fn is_cell(node: Node<'_>) -> bool {
    matches!(node.name_id(), Some(known::TD | known::TH))
}

/// How far a cell reaches; `zero` is what 0 means.
fn span(cell: Node<'_>, name: &str, zero: usize) -> usize {
    let told = cell.attribute(name).and_then(|value| value.trim().parse::<usize>().ok());
    match told {
        Some(0) => zero,
        told => told.unwrap_or(1).min(MOST_COLUMNS),
    }
}
