//! `bathys bench`: the figures, measured here and now.

use bench::{NAMES, Options};

use crate::cli::BenchFlags;
use crate::output::Usage;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: BenchFlags) -> anyhow::Result<()> {
    if let Some(unknown) = flags.names.iter().find(|name| !NAMES.contains(&name.as_str())) {
        return Err(Usage(format!("no benchmark {unknown}; there are {}", NAMES.join(", "))).into());
    }
    let BenchFlags { names, quick, svg, data, fill, import_pages } = flags;
    let json = settings.json;
    bench::run(&Options { names, quick, svg, data, fill, import_pages, json }).await
}
