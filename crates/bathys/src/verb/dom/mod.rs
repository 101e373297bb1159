//! `bathys dom`: the algorithms on files, without a store.

mod forms;
mod records;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use crawl::picture::{Kept, Nothing, Studio};
use page::block::Parts;
use page::tree::Mask;
use serde_json::json;

use crate::blocks::Blocks;
use crate::cli::{DomFlags, DomVerb};
use crate::output::{Usage, json_line, stdout};
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &DomFlags) -> anyhow::Result<()> {
    match &flags.verb {
        DomVerb::Similarity { a, b, full, .. } => similarity(settings, a, b, *full),
        DomVerb::Generalise { xpaths } => generalise(settings, xpaths),
        DomVerb::Blocks { file, level, png, rendered } => {
            blocks(settings, file, *level, png.as_deref(), *rendered).await
        }
        DomVerb::Forms { file, base } => forms::run(settings, file, base.as_ref()),
        DomVerb::Records { files, base, manifest, method } => {
            records::run(settings, files, base.as_ref(), manifest.as_deref(), *method)
        }
    }
}

fn read(path: &Path) -> anyhow::Result<page::tree::Dom> {
    Ok(page::tree::parse(&bytes(path)?, None).dom)
}

fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path)
        .with_context(|| format!("cannot read {}; name an HTML file", path.display()))
}

fn similarity(settings: &Settings, a: &Path, b: &Path, full: bool) -> anyhow::Result<()> {
    use page::tree::{Mode, distance::compare};
    let (a, b) = (read(a)?, read(b)?);
    let mode = if full { Mode::Full } else { Mode::Structure };
    let begun = Instant::now();
    let result = compare(&a, &b, mode);
    let elapsed_us = begun.elapsed().as_micros();
    let mut out = stdout();
    if settings.json {
        let answer = json!({
            "distance": result.distance,
            "similarity": result.similarity(),
            "exact": result.exact,
            "nodes": result.nodes,
            "elapsed_us": elapsed_us as u64,
        });
        json_line(&mut out, &answer)?;
    } else {
        writeln!(
            out,
            "similarity {:.4}  distance {}  nodes {} and {}  {elapsed_us} µs{}",
            result.similarity(),
            result.distance,
            result.nodes[0],
            result.nodes[1],
            if result.exact {
                ""
            } else {
                "  (an upper bound: the pages are too large to compare exactly)"
            }
        )?;
    }
    Ok(out.flush()?)
}

fn generalise(settings: &Settings, xpaths: &[String]) -> anyhow::Result<()> {
    let paths = xpaths
        .iter()
        .map(|text| {
            text.parse::<page::tree::path::XPath>().map_err(|error| {
                Usage(format!(
                    "{text} is no absolute XPath: {error}; write it as /html/body/div[2]/a[1]"
                ))
                .into()
            })
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let patterns = page::tree::path::generalise(&paths);
    let mut out = stdout();
    if settings.json {
        let xpaths: Vec<_> = patterns.iter().map(|pattern| pattern.path.to_string()).collect();
        let support: Vec<_> = patterns.iter().map(|pattern| pattern.support).collect();
        json_line(&mut out, &json!({ "patterns": xpaths, "support": support }))?;
    } else {
        for pattern in &patterns {
            writeln!(out, "{:>5}  {}", pattern.support, pattern.path)?;
        }
    }
    Ok(out.flush()?)
}

/// What the links of a file are relative to. Nobody can own this name (RFC 6761).
const NOWHERE: &str = "http://file.invalid/";

async fn blocks(
    settings: &Settings,
    file: &Path,
    level: Option<u16>,
    png: Option<&Path>,
    rendered: bool,
) -> anyhow::Result<()> {
    let html = bytes(file)?;
    if png.is_none() && !rendered {
        let parts = Parts::of(page::tree::parse(&html, None).dom, None, &Mask::default());
        return tell(settings, &Blocks::at_level(&parts, settings.process().topics, level));
    }
    let studio = Studio::open().await?;
    let shown = show(settings, &studio, html, level, png, rendered).await;
    studio.close().await;
    shown
}

/// The blocks of a page that a browser shows.
async fn show(
    settings: &Settings,
    studio: &Studio,
    html: Vec<u8>,
    level: Option<u16>,
    png: Option<&Path>,
    rendered: bool,
) -> anyhow::Result<()> {
    let parsed = page::tree::parse(&html, None).dom;
    let page = Kept::response(NOWHERE.parse()?, html, None);
    let sitting = studio.show(page, Arc::new(Nothing)).await?;
    let walk = if rendered { Some(sitting.walk().await?) } else { None };
    let parts = match walk {
        Some(walk) => Parts::of(walk.dom, walk.looks, &Mask::default()),
        None => Parts::of(parsed, None, &Mask::default()),
    };
    let blocks = Blocks::at_level(&parts, settings.process().topics, level);
    if let Some(png) = png {
        std::fs::write(png, sitting.draw(&blocks.marks()).await?)
            .with_context(|| format!("cannot write {}; name another with --png", png.display()))?;
    }
    tell(settings, &blocks)
}

fn tell(settings: &Settings, blocks: &Blocks<'_>) -> anyhow::Result<()> {
    let mut out = stdout();
    match settings.json {
        true => json_line(&mut out, blocks)?,
        false => blocks.print(&mut out)?,
    }
    Ok(out.flush()?)
}
