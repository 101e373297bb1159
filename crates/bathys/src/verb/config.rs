//! `bathys config`: the settings in effect, as a `bathys.toml` that would bring them about.

use std::io::Write;

use crate::cli::CrawlFlags;
use crate::output::{exact_stdout, json_line};
use crate::settings::Settings;

pub fn run(settings: &Settings, flags: &CrawlFlags) -> anyhow::Result<()> {
    let effective = settings.effective(&flags.options)?;
    let mut out = exact_stdout();
    if settings.json {
        json_line(&mut out, &effective)?;
    } else {
        write!(out, "{}", toml::to_string_pretty(&effective)?)?;
    }
    Ok(out.flush()?)
}
