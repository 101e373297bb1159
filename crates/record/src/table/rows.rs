//! The rows of data tables as records.

use std::collections::BTreeMap;

use page::tree::{Dom, Node, NodeId, Paths, XPath, base_url, visible_text_of};
use url::Url;

use super::column::{ColumnType, link_of, text_of};
use super::{Table, tables};
use crate::{Field, Kind, Record, Source, date};

/// How sure the rows of a table are records.
const TOLD: f64 = 0.9;
/// The share of rows whose title differs from that of all others.
const DISTINCT: f64 = 0.8;

/// A row, and where it is in the tree that it was read from.
pub(crate) struct Row {
    pub record: Record,
    pub element: NodeId,
}

/// The rows of a page's data tables, a list for each table.
pub(crate) fn rows(dom: &Dom, source: &Source<'_>) -> Vec<Vec<Row>> {
    let paths = Paths::new(dom);
    let path = |node: Node<'_>| paths.of(node.id());
    let base = base_url(dom, source.url);
    tables(dom).iter().map(|table| rows_of(table, &path, &base, source.captured)).collect()
}

fn rows_of<'a>(
    table: &Table<'a>,
    path: &impl Fn(Node<'a>) -> Option<XPath>,
    base: &Url,
    captured: Option<i64>,
) -> Vec<Row> {
    let title = title(table);
    let time = table.columns.iter().position(|column| column.kind == ColumnType::Date);
    let row = |(element, cells): (Node<'a>, &[Option<Node<'a>>])| {
        let cell = |at: usize| cells.get(at).copied().flatten();
        let mut fields = BTreeMap::new();
        for (at, column) in table.columns.iter().enumerate() {
            let Some(cell) = cell(at) else { continue };
            let text = text_of(cell);
            if !text.is_empty() {
                fields.insert(column.name.clone(), text);
            }
        }
        let mut places = BTreeMap::new();
        let mut place = |field, cell: Option<Node<'a>>| {
            if let Some(path) = cell.and_then(path) {
                places.insert(field, path.to_string());
            }
        };
        let named = title.and_then(cell);
        place(Field::Title, named);
        let link = named.and_then(link_of);
        place(Field::Permalink, link);
        let link = link.and_then(|link| base.join(link.attribute("href")?.trim()).ok());
        let link = link.filter(|link| matches!(link.scheme(), "http" | "https"));
        let when = time.and_then(cell);
        place(Field::Time, when);
        let time_text = when.map(text_of).filter(|text| !text.is_empty());
        let order = date::Order::default();
        let record = Record {
            kind: Kind::Item,
            id: link.as_ref().map(ToString::to_string),
            xpath: path(element).map(|path| path.to_string()).unwrap_or_default(),
            title: named.map(text_of).filter(|text| !text.is_empty()),
            author: None,
            time: time_text.as_ref().and_then(|text| date::read(text, &order, captured)),
            time_text,
            text: visible_text_of(element).trim().to_owned(),
            content_text: None,
            content_html: None,
            quotes: Vec::new(),
            links: Vec::new(),
            permalink: link,
            position: None,
            reply_to: Vec::new(),
            replies: None,
            last_author: None,
            last_time: None,
            fields,
            field_xpaths: places,
            confidence: TOLD,
            proofs: Vec::new(),
        };
        Row { record, element: element.id() }
    };
    table.items().map(row).collect()
}

/// The column that names the rows: the first that links from each to a page of its own, or else the first whose
/// words differ.
fn title(table: &Table<'_>) -> Option<usize> {
    let rows: Vec<_> = table.items().map(|(_, cells)| cells).collect();
    let is_distinct = |at: usize, said: &dyn Fn(Node<'_>) -> Option<String>| {
        let mut said: Vec<String> =
            rows.iter().filter_map(|cells| said((*cells.get(at)?)?)).collect();
        let filled = said.len();
        said.sort_unstable();
        said.dedup();
        said.len() as f64 >= DISTINCT * rows.len() as f64
            && filled as f64 >= DISTINCT * rows.len() as f64
    };
    let text = |cell: Node<'_>| Some(text_of(cell)).filter(|text| !text.is_empty());
    let target = |cell: Node<'_>| Some(link_of(cell)?.attribute("href")?.to_owned());
    let columns = || 0..table.columns.len();
    let is_text = |at: &usize| {
        table
            .columns
            .get(*at)
            .is_some_and(|it| matches!(it.kind, ColumnType::Text | ColumnType::Link))
    };
    columns()
        .find(|at| is_distinct(*at, &target) && is_distinct(*at, &text))
        .or_else(|| columns().filter(is_text).find(|at| is_distinct(*at, &text)))
}
