//! Data tables: each row is an item, under the names that the head gives its columns.
//!
//! A table says by itself what its rows and columns are, so nothing has to be learned from other pages, and a
//! single page is enough. What has to be told is whether a table holds data or merely places things (`judge`).

mod column;
mod grid;
mod head;
mod judge;
mod rows;

pub use column::{Column, ColumnType};
pub use judge::{EVIDENCE, evidence};
pub(crate) use rows::rows;

use page::tree::names::known;
use page::tree::{Dom, Node, NodeId};

use grid::Grid;

/// Tables of a page that are looked at.
const MOST_TABLES: usize = 2_000;

/// A table that holds data.
pub struct Table<'a> {
    /// The element.
    pub element: Node<'a>,
    /// Its columns, from the left.
    pub columns: Vec<Column>,
    grid: Grid<'a>,
    /// The rows of the grid that are items.
    items: Vec<usize>,
}

impl<'a> Table<'a> {
    /// The rows that are items, each with its cell for each column.
    pub fn items(&self) -> impl Iterator<Item = (Node<'a>, &[Option<Node<'a>>])> {
        let rows = self.items.iter().filter_map(|at| self.grid.rows.get(*at));
        rows.map(|row| (row.element, row.cells.as_slice()))
    }

    fn of(element: Node<'a>) -> Option<Self> {
        let grid = Grid::of(element)?;
        if !judge::holds_data(element, &grid) {
            return None;
        }
        let heads = head::heads(&grid);
        let items: Vec<usize> = grid.items(heads).collect();
        let columns = column::columns(&grid, heads, &items);
        (!items.is_empty()).then_some(Self { element, columns, grid, items })
    }
}

/// The tables of a page that hold data, in document order.
///
/// ```
/// use page::tree::parse_str;
///
/// let page = parse_str(
///     "<table><tr><th>Bird</th><th>Seen</th></tr><tr><td>heron</td><td>12</td></tr>
///      <tr><td>snipe</td><td>3</td></tr></table>",
/// );
/// let tables = record::tables(&page.dom);
/// assert_eq!(tables[0].columns[1].name, "seen");
/// assert_eq!(tables[0].items().count(), 2);
/// ```
pub fn tables(dom: &Dom) -> Vec<Table<'_>> {
    elements(dom).filter_map(|id| Table::of(dom.node(id))).collect()
}

/// All elements that are tables, in document order.
pub fn elements(dom: &Dom) -> impl Iterator<Item = NodeId> {
    dom.elements().filter(|node| node.is(known::TABLE)).map(Node::id).take(MOST_TABLES)
}

#[cfg(test)]
mod tests;
