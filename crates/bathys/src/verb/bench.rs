//! `bathys bench`: the figures, measured here and now.

use bench::{GateOptions, Options};

use crate::cli::BenchFlags;
use crate::output::Usage;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: BenchFlags) -> anyhow::Result<()> {
    let BenchFlags {
        names,
        quick,
        svg,
        data,
        fill,
        import_pages,
        peers,
        sites,
        gate,
        floors,
        raise,
    } = flags;
    let (json, gate) = (settings.json, gate.then_some(GateOptions { floors, raise }));
    let peers = peers.then_some(sites);
    let options = Options { names, quick, svg, data, fill, import_pages, peers, json, gate };
    match options.unknown_name() {
        Some(unknown) => Err(Usage(unknown).into()),
        None => bench::run(&options).await,
    }
}
