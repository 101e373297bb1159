//! `bathys bench`: the figures, measured here and now, beside what was asked for.

use crate::cli::BenchFlags;
use crate::settings::Settings;

pub async fn run(_settings: &Settings, _flags: &BenchFlags) -> anyhow::Result<()> {
    Ok(())
}
