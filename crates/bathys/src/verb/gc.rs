//! `bathys gc`: drops what nothing refers to.

use std::io::Write;

use crate::output::{bytes, json_line, stdout, thousands};
use crate::settings::Settings;

pub async fn run(settings: &Settings) -> anyhow::Result<()> {
    // What is not there is not made.
    drop(settings.open()?);
    let catalog = settings.open_to_write()?;
    let swept = catalog.sweep().await?;
    catalog.compact()?;
    let mut out = stdout();
    match settings.json {
        true => json_line(&mut out, &swept)?,
        false => {
            writeln!(out, "removed {} blobs of {}", thousands(swept.removed), bytes(swept.bytes))?;
        }
    }
    Ok(out.flush()?)
}
