//! `bathys bench`: the figures, measured here and now, beside what was asked for.

mod browser;
mod crawl;
mod tree;

use crate::cli::BenchFlags;
use crate::output::Usage;
use crate::settings::Settings;

const NAMES: [&str; 3] = ["tree", "browser", "crawl"];

pub async fn run(settings: &Settings, flags: &BenchFlags) -> anyhow::Result<()> {
    if let Some(unknown) = flags.names.iter().find(|name| !NAMES.contains(&name.as_str())) {
        return Err(Usage(format!("no benchmark {unknown}; there are {}", NAMES.join(", "))).into());
    }
    let data = flags.data.is_dir().then_some(flags.data.as_path());
    for name in NAMES {
        if !flags.names.is_empty() && !flags.names.iter().any(|wanted| wanted == name) {
            continue;
        }
        match name {
            "tree" => tree::run(data, settings.json)?,
            "browser" => browser::run(settings.json).await?,
            _ => crawl::run(settings.json).await?,
        }
    }
    Ok(())
}
