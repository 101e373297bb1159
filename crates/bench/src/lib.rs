//! `bathys bench`: the figures, measured here and now, beside what was asked for.

mod browser;
mod change;
mod chart;
mod claims;
mod completeness;
mod crawl;
mod curve;
mod estimate;
mod filters;
mod forms;
mod found;
mod gate;
mod kill;
mod kill_archive;
mod list_site;
mod maze;
mod memory;
mod papers;
mod partition;
mod peers;
mod plain;
mod priors;
mod records;
mod restore;
mod revisit;
mod rooms;
mod same;
mod seed000;
mod seed001;
mod serve;
mod sheet;
mod small_site;
mod storage;
mod tables;
mod tally;
mod tree;
mod trial;
mod types;
mod volumes;
mod warc;

pub use found::Found;
pub use gate::GateOptions;

use std::path::PathBuf;

use anyhow::bail;
use sheet::Sheet;

/// What is to be measured, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which benchmarks; all, if none is named.
    pub names: Vec<String>,
    /// Small sites and few builds, to see that everything works.
    pub quick: bool,
    /// Where seed 000's figure 3 is drawn.
    pub svg: Option<PathBuf>,
    /// Real pages and series, where there are any.
    pub data: PathBuf,
    /// The table of grades or labels that is filled in, instead of a benchmark.
    pub fill: Option<PathBuf>,
    /// How many pages of the data are imported, instead of a benchmark.
    pub import_pages: Option<usize>,
    /// Whether `plain` measures other programs beside ours, on the site that is made below here.
    pub peers: Option<PathBuf>,
    /// Whether figures are printed as JSON.
    pub json: bool,
    /// The counts that must not get worse, instead of the benchmarks.
    pub gate: Option<GateOptions>,
}

impl Options {
    /// Says what is wrong with the names, if none is known by one of them.
    pub fn unknown_name(&self) -> Option<String> {
        let is_unknown = |name: &&String| match &self.gate {
            Some(_) => !gate::case_names().iter().any(|case| case.starts_with(name.as_str())),
            None => !NAMES.contains(&split(name).0),
        };
        let unknown = self.names.iter().find(is_unknown)?;
        Some(match &self.gate {
            Some(_) => format!(
                "no case of the gate begins with {unknown}; there are {}",
                gate::case_names().join(", ")
            ),
            None => format!("no benchmark {unknown}; there are {}", NAMES.join(", ")),
        })
    }
}

/// The benchmarks, in the order in which they run.
pub const NAMES: &[&str] = &[
    "tree",
    "papers",
    "partition",
    "change",
    "revisit",
    "records",
    "tables",
    "forms-gate",
    "forms",
    "storage",
    "volumes",
    "browser",
    "crawl",
    "seed000",
    "seed001",
    "filters",
    "restore",
    "maze",
    "rooms",
    "same",
    "plain",
    "priors",
    "completeness",
    "estimate",
    "claims",
    "kill",
    "kill-archive",
    "memory",
    "warc",
    "serve",
];

/// A name as it is typed: the benchmark, and the part of it that is asked for, as in `same/S1`.
fn split(name: &str) -> (&str, Option<&str>) {
    name.split_once('/').map_or((name, None), |(of, part)| (of, Some(part)))
}

/// Measures, and prints what was measured.
///
/// # Errors
/// When a benchmark fails, or a figure that is asked for was missed.
pub async fn run(options: &Options) -> anyhow::Result<()> {
    if let Some(unknown) = options.unknown_name() {
        bail!(unknown);
    }
    let data = options.data.is_dir().then_some(options.data.as_path());
    if let Some(gate) = &options.gate {
        return gate::run(gate, &options.names, data, options.json).await;
    }
    let (quick, svg) = (options.quick, options.svg.as_deref());
    if let Some(file) = &options.fill {
        return partition::fill(data, file);
    }
    if let Some(pages) = options.import_pages {
        return partition::import_pages(data, pages).await;
    }
    let mut sheet = Sheet::new(options.json);
    for name in NAMES.iter().copied() {
        let wanted = options.names.iter().map(|wanted| split(wanted));
        let mut wanted = wanted.filter(|(of, _)| *of == name).peekable();
        if !options.names.is_empty() && wanted.peek().is_none() {
            continue;
        }
        let part = wanted.next().and_then(|(_, part)| part);
        eprintln!("bench {name}");
        match name {
            "tree" => tree::run(data, options.json)?,
            "papers" => papers::run(&mut sheet, data, quick).await?,
            "partition" => partition::run(&mut sheet, data, quick).await?,
            "change" => change::run(&mut sheet, data, quick)?,
            "revisit" => revisit::run(&mut sheet, data, quick).await?,
            "records" => records::run(&mut sheet, data, quick).await?,
            "tables" => tables::run(&mut sheet, data)?,
            "forms-gate" => forms::run_gate(&mut sheet, data)?,
            "forms" => forms::run(&mut sheet, quick).await?,
            "storage" => storage::run(&mut sheet, data, quick).await?,
            "volumes" => volumes::run(&mut sheet, quick).await?,
            "browser" => browser::run(options.json).await?,
            "crawl" => crawl::run(options.json).await?,
            "seed000" => seed000::run(&mut sheet, quick, svg).await?,
            "seed001" => seed001::run(&mut sheet, quick).await?,
            "filters" => filters::run(&mut sheet, quick).await?,
            "restore" => restore::run(&mut sheet, quick).await?,
            "maze" => maze::run(&mut sheet, quick).await?,
            "rooms" => rooms::run(&mut sheet, quick, part).await?,
            "same" => same::run(&mut sheet, quick, part).await?,
            "plain" => match &options.peers {
                Some(sites) => peers::run(&mut sheet, sites, quick)?,
                None => plain::run(&mut sheet, quick).await?,
            },
            "priors" => priors::run(quick).await?,
            "completeness" => completeness::run(&mut sheet, quick).await?,
            "estimate" => estimate::run(&mut sheet, quick, svg).await?,
            "claims" => claims::run(&mut sheet, quick).await?,
            "kill" => kill::run(&mut sheet, quick).await?,
            "kill-archive" => kill_archive::run(&mut sheet, quick).await?,
            "memory" => memory::run(&mut sheet, quick).await?,
            "warc" => warc::run(&mut sheet, data, quick)?,
            _ => serve::run(&mut sheet, quick).await?,
        }
    }
    sheet.finish()
}
