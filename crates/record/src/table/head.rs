//! Which rows of a table are its head.

use page::tree::names::known;
use page::tree::{Node, visible_text_of};

use super::column::{ColumnType, kind_of, text_of};
use super::grid::{Grid, GridRow, holds_something};

/// Rows that a head may have.
const MOST_HEADS: usize = 4;
/// Rows below a head that are looked at, and the share of them that has to differ from it.
const SAMPLE: usize = 40;
const MOST: f64 = 0.8;

/// How many rows at the top say what the columns are.
pub(super) fn heads(grid: &Grid<'_>) -> usize {
    let marked =
        grid.rows.iter().take(MOST_HEADS).take_while(|row| row.is_in_head || row.is_head());
    let marked = marked.count();
    // A title that spans the table stands above the head.
    let titled = grid.rows.iter().take_while(|row| row.own().nth(1).is_none()).count();
    match marked {
        0 => {}
        marked if marked < grid.rows.len() => return marked,
        // Nothing but heads is a table of them.
        _ => return 0,
    }
    let is_titled = grid.width > 1 && titled > 0 && titled < MOST_HEADS;
    let at = if is_titled { titled } else { 0 };
    match grid.rows.get(at) {
        Some(row) if is_titled && row.is_head() => at + 1,
        Some(row) if is_told_apart(row, grid, at) => at + 1,
        _ => at,
    }
}

/// Whether a row without marks is a head: it names most columns, and is emphasised as no other row is, or has no
/// digit where the rows below have one, or a word where they have none.
fn is_told_apart(row: &GridRow<'_>, grid: &Grid<'_>, at: usize) -> bool {
    let names: Vec<Node<'_>> = row.own().filter(|cell| holds_something(*cell)).collect();
    let is_word =
        |cell: &Node<'_>| !matches!(kind_of(*cell), Some(ColumnType::Number | ColumnType::Date));
    let below = grid.rows.get(at + 1..).unwrap_or_default();
    if names.len() < 2
        || 2 * names.len() < grid.width
        || !names.iter().all(is_word)
        || below.len() < 2
    {
        return false;
    }
    let is_emphasised = |row: &GridRow<'_>| {
        let mut filled = row.own().filter(|cell| holds_something(*cell)).peekable();
        filled.peek().is_some() && filled.all(is_emphasised)
    };
    if is_emphasised(row) && !below.iter().take(2).any(is_emphasised) {
        return true;
    }
    let differs = (0..grid.width).filter(|column| {
        let texts = || {
            let cells = below.iter().take(SAMPLE).filter_map(|row| *row.cells.get(*column)?);
            cells.map(text_of)
        };
        let name = row.cells.get(*column).copied().flatten().map(text_of).unwrap_or_default();
        let most = |is: &dyn Fn(&String) -> bool| {
            let (held, all) = (texts().filter(is).count(), texts().count());
            all > 0 && held as f64 >= MOST * all as f64
        };
        let has_digit = |text: &String| text.contains(|c: char| c.is_ascii_digit());
        !name.is_empty()
            && ((!has_digit(&name) && most(&has_digit)) || most(&|text| text.is_empty()))
    });
    3 * differs.count() >= grid.width
}

/// Whether all that a cell says is emphasised.
fn is_emphasised(cell: Node<'_>) -> bool {
    let text = text_of(cell);
    let strong =
        cell.descendants().find(|node| matches!(node.name(), "b" | "strong") || node.is(known::TH));
    !text.is_empty()
        && strong.is_some_and(|strong| visible_text_of(strong).trim().len() >= text.len())
}
