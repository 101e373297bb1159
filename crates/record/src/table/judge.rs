//! Whether a table holds data or places things: a linear model over general evidence, learned from tables that
//! people labelled (`scripts/labels/tables.py` says how).

use std::collections::HashSet;

use page::tree::Node;
use page::tree::names::known;

use super::column::{ColumnType, kind_of, text_of, type_of};
use super::grid::Grid;
use super::head;

/// Rows that are looked at to judge a table.
const SAMPLE: usize = 60;
/// Characters of a cell that is more than a value.
const LONG: usize = 120;

/// What is asked of a table, in the order of the weights.
pub const EVIDENCE: [&str; 24] = [
    "one",
    "rows",
    "columns",
    "one_column",
    "one_row",
    "even",
    "head",
    "marked_head",
    "caption",
    "placing_role",
    "data_role",
    "holds_tables",
    "inside_table",
    "empty",
    "long",
    "spread",
    "numbers",
    "typed_columns",
    "links",
    "pictures",
    "controls",
    "blocks",
    "distinct",
    "largest",
];

/// The weights, in thousandths, a line each in the order of [`EVIDENCE`].
const WEIGHTS: &str = include_str!("weights.txt");

/// Whether a table holds data.
pub(super) fn holds_data(table: Node<'_>, grid: &Grid<'_>) -> bool {
    let weights = WEIGHTS.lines().filter_map(|line| line.split(' ').next()?.parse::<f64>().ok());
    weigh(table, grid).iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>() > 0.0
}

/// The evidence about a table, by [`EVIDENCE`], for whoever learns the weights. None if it has no cells.
pub fn evidence(table: Node<'_>) -> Option<[f64; EVIDENCE.len()]> {
    Some(weigh(table, &Grid::of(table)?))
}

fn weigh(table: Node<'_>, grid: &Grid<'_>) -> [f64; EVIDENCE.len()] {
    let heads = head::heads(grid);
    let sample: Vec<_> = grid.rows.iter().take(heads + SAMPLE).collect();
    let below = sample.get(heads..).unwrap_or_default();
    let cells: Vec<Node<'_>> = below.iter().flat_map(|row| row.own()).collect();
    let texts: Vec<String> = cells.iter().map(|cell| text_of(*cell)).collect();
    let lengths: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
    let all: usize = lengths.iter().sum();
    let share = |count: usize| count as f64 / cells.len().max(1) as f64;
    let having = |is: &dyn Fn(Node<'_>) -> bool| {
        share(cells.iter().filter(|cell| cell.descendants().any(is)).count())
    };
    let columns = || {
        (0..grid.width.min(SAMPLE))
            .map(|at| type_of(below.iter().filter_map(|row| *row.cells.get(at)?)))
    };
    let is_typed = |kind: &ColumnType| matches!(kind, ColumnType::Number | ColumnType::Date);
    let typed = columns().filter(is_typed).count() as f64 / grid.width.clamp(1, SAMPLE) as f64;
    let widths: Vec<usize> = below.iter().map(|row| row.own().count()).collect();
    let usual = widths.iter().max_by_key(|width| widths.iter().filter(|it| it == width).count());
    let even = widths.iter().filter(|width| Some(*width) == usual).count();
    let kinds: Vec<_> = cells.iter().filter_map(|cell| kind_of(*cell)).collect();
    let of = |kind| kinds.iter().filter(|it| **it == kind).count();
    let role = table.attribute("role").unwrap_or_default().to_ascii_lowercase();
    let filled = || texts.iter().filter(|text| !text.is_empty());
    let distinct: HashSet<&String> = filled().collect();
    let is = |is: bool| f64::from(u8::from(is));
    [
        1.0,
        (1.0 + below.len() as f64).ln(),
        (1.0 + grid.width as f64).ln(),
        is(grid.width <= 1),
        is(below.len() <= 1),
        even as f64 / widths.len().max(1) as f64,
        is(heads > 0),
        is(grid.rows.iter().take(heads).any(|row| row.is_in_head || row.is_head())),
        is(table.children().any(|node| node.is(known::CAPTION))),
        is(matches!(role.as_str(), "presentation" | "none")),
        is(matches!(role.as_str(), "table" | "grid" | "treegrid")),
        having(&|node| node.is(known::TABLE)),
        is(table.ancestors().any(|node| node.is(known::TABLE))),
        share(lengths.iter().filter(|length| **length == 0).count()),
        share(lengths.iter().filter(|length| **length > LONG).count()),
        (1.0 + all as f64 / cells.len().max(1) as f64).ln(),
        share(of(ColumnType::Number) + of(ColumnType::Date)),
        typed,
        share(of(ColumnType::Link)),
        having(&|node| node.name() == "img"),
        having(&|node| {
            matches!(
                node.name_id(),
                Some(known::INPUT | known::SELECT | known::BUTTON | known::TEXTAREA)
            )
        }),
        having(&|node| {
            matches!(node.name(), "div" | "p" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4")
        }),
        distinct.len() as f64 / filled().count().max(1) as f64,
        lengths.iter().max().copied().unwrap_or_default() as f64 / all.max(1) as f64,
    ]
}
