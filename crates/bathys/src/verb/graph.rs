//! `bathys graph`: the state-transition graph of seed 000, for programs and for people.

use std::io::Write;

use anyhow::Context;
use publish::graph::{Format, GraphOptions, write};
use store::{Catalog, PageNumber};

use crate::cli::{GraphFlags, GraphFormat};
use crate::hint::refusal;
use crate::output::{Usage, exact_stdout};
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &GraphFlags) -> anyhow::Result<()> {
    if settings.json && flags.format != GraphFormat::Json {
        return Err(
            Usage("--json asks for JSON; leave it out, or leave --format out".into()).into()
        );
    }
    let format = match flags.format {
        GraphFormat::Json => Format::Json,
        GraphFormat::Dot => Format::Dot,
        GraphFormat::Graphml => Format::Graphml,
        GraphFormat::Svg => Format::Svg,
        GraphFormat::Html => Format::Html,
    };
    let catalog = settings.open()?;
    let to = match &flags.to {
        Some(_) if !matches!(format, Format::Svg | Format::Html) => {
            let said = "--to highlights a way in a picture; add --format svg or --format html";
            return Err(Usage(said.into()).into());
        }
        Some(key) => Some(page(&catalog, key).await?),
        None => None,
    };
    let options = GraphOptions { format, events_only: flags.events_only, to, explain: refusal };
    let mut out = exact_stdout();
    write(&catalog, &options, &mut out).await?;
    out.flush().context("cannot write the graph")
}

async fn page(catalog: &Catalog, key: &str) -> anyhow::Result<PageNumber> {
    let row = catalog.find(key).await?;
    let row =
        row.with_context(|| format!("no page {key}; 'bathys pages' lists those that are known"))?;
    Ok(row.page)
}
