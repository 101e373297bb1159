//! `bathys bench tables`: which tables of real pages are taken for data, and what is read of them, against
//! what people say (criteria.md).

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context as _;
use page::tree::{NodeId, parse, visible_text_of};
use record::{Table, table_elements, tables};

use crate::partition::Corpus;
use crate::sheet::{Experiment, Sheet};

const LABELS: &str = include_str!("labels.tsv");
const CELLS: &str = include_str!("cells.tsv");

/// Asked for.
const FOUND: f64 = 0.97;
const TAKEN: f64 = 0.02;
const RIGHT: f64 = 0.99;

/// What was counted over all pages.
#[derive(Default)]
struct Counts {
    data: usize,
    found: usize,
    layout: usize,
    taken: usize,
    rows: usize,
    columns: usize,
    cells: usize,
    right: usize,
}

pub fn run(sheet: &mut Sheet, data: Option<&Path>) -> anyhow::Result<()> {
    let corpus = Corpus::open(data)?;
    if !corpus.has_pages() {
        eprintln!("  tables: no pages found; name a directory with --data DIR");
        return Ok(());
    }
    let cells = cells()?;
    let mut counts = Counts::default();
    let labels: Vec<Vec<&str>> =
        LABELS.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    for labels in labels.chunk_by(|a, b| a.first() == b.first()) {
        let Some(name) = labels.first().and_then(|label| label.first()) else { continue };
        let Some(bytes) = corpus.page(name)? else { continue };
        let dom = parse(&bytes, None).dom;
        let elements: Vec<NodeId> = table_elements(&dom).collect();
        let found = tables(&dom);
        for label in labels {
            let [_, nth, kind, _, rows, columns, _] = label.as_slice() else { continue };
            let (nth, rows): (usize, usize) = (nth.parse()?, rows.parse()?);
            let element = elements.get(nth);
            let table = found.iter().find(|table| Some(&table.element.id()) == element);
            match *kind {
                "layout" => {
                    counts.layout += 1;
                    counts.taken += usize::from(table.is_some());
                }
                // A head whose rows come later has none to be found by.
                "data" if rows > 0 => {
                    counts.data += 1;
                    let Some(table) = table else { continue };
                    counts.found += 1;
                    counts.rows += usize::from(table.items().count() == rows);
                    counts.columns += usize::from(table.columns.len() == columns.parse::<usize>()?);
                    counts.compare(table, cells.get(&((*name).to_owned(), nth)));
                }
                _ => {}
            }
        }
    }
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let Counts { data, found, layout, taken, rows, columns, cells, right } = counts;
    sheet.put(
        Experiment::new("tables/real")
            .ours("data", data)
            .ours("found", found)
            .ours("layout", layout)
            .ours("taken", taken)
            .ours("rows_right", rows)
            .ours("columns_right", columns)
            .ours("cells", cells)
            .ours("cells_right", right)
            .ask(share(found, data) >= FOUND, format!("{found} of {data} data tables found"))
            .ask(share(taken, layout) <= TAKEN, format!("{taken} of {layout} layout tables taken"))
            .ask(share(right, cells) >= RIGHT, format!("{right} of {cells} cells right")),
    )?;
    sheet.table("tables of real pages")
}

/// The digests of the cells of some rows, by page, table and row.
type Cells = HashMap<(String, usize), Vec<(usize, Vec<&'static str>)>>;

fn cells() -> anyhow::Result<Cells> {
    let mut cells = Cells::new();
    for line in CELLS.lines().skip(1) {
        let mut columns = line.split('\t');
        let mut next = || columns.next().context("cells.tsv lacks a column");
        let (page, table, row) = (next()?.to_owned(), next()?.parse()?, next()?.parse()?);
        let digests = next()?.split(',').collect();
        cells.entry((page, table)).or_default().push((row, digests));
    }
    Ok(cells)
}

impl Counts {
    fn compare(&mut self, table: &Table<'_>, expected: Option<&Vec<(usize, Vec<&str>)>>) {
        let rows: Vec<_> = table.items().map(|(_, cells)| cells).collect();
        for (row, digests) in expected.into_iter().flatten() {
            for (at, digest) in digests.iter().enumerate() {
                let cell = rows.get(*row).and_then(|cells| cells.get(at).copied().flatten());
                let text = cell.map(visible_text_of).unwrap_or_default();
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let ours = blake3::hash(text.as_bytes()).to_hex();
                self.cells += 1;
                self.right += usize::from(ours.as_str().starts_with(digest));
            }
        }
    }
}
