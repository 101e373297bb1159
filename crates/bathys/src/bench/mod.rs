//! `bathys bench`: the figures, measured here and now, beside what was asked for.

mod browser;
mod change;
mod chart;
mod crawl;
mod curve;
mod filters;
mod maze;
mod memory;
mod partition;
mod plain;
mod records;
mod restore;
mod seed000;
mod seed001;
mod sheet;
mod tally;
mod tree;
mod trial;
mod types;

use crate::cli::BenchFlags;
use crate::output::Usage;
use crate::settings::Settings;
use sheet::Sheet;

const NAMES: [&str; 14] = [
    "tree",
    "types",
    "partition",
    "change",
    "records",
    "browser",
    "crawl",
    "seed000",
    "seed001",
    "filters",
    "restore",
    "maze",
    "plain",
    "memory",
];

pub async fn run(settings: &Settings, flags: &BenchFlags) -> anyhow::Result<()> {
    if let Some(unknown) = flags.names.iter().find(|name| !NAMES.contains(&name.as_str())) {
        return Err(Usage(format!("no benchmark {unknown}; there are {}", NAMES.join(", "))).into());
    }
    let data = flags.data.is_dir().then_some(flags.data.as_path());
    let (quick, svg) = (flags.quick, flags.svg.as_deref());
    if let Some(file) = &flags.fill {
        return partition::fill(data, file);
    }
    if let Some(pages) = flags.import_pages {
        return partition::import_pages(data, pages).await;
    }
    let mut sheet = Sheet::new(settings.json);
    for name in NAMES {
        if !flags.names.is_empty() && !flags.names.iter().any(|wanted| wanted == name) {
            continue;
        }
        eprintln!("bench {name}");
        match name {
            "tree" => tree::run(data, settings.json)?,
            "types" => types::run(data, settings.json).await?,
            "partition" => partition::run(&mut sheet, data, quick).await?,
            "change" => change::run(&mut sheet, data, quick)?,
            "records" => records::run(&mut sheet, data, quick).await?,
            "browser" => browser::run(settings.json).await?,
            "crawl" => crawl::run(settings.json).await?,
            "seed000" => seed000::run(&mut sheet, quick, svg).await?,
            "seed001" => seed001::run(&mut sheet, quick).await?,
            "filters" => filters::run(&mut sheet, quick).await?,
            "restore" => restore::run(&mut sheet, quick).await?,
            "maze" => maze::run(&mut sheet, quick).await?,
            "plain" => plain::run(&mut sheet, quick).await?,
            _ => memory::run(&mut sheet, quick).await?,
        }
    }
    sheet.finish()
}
