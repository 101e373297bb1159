//! `bathys dom`: the algorithms on files, without a store or a browser.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use serde_json::json;

use crate::cli::{DomFlags, DomVerb};
use crate::output::{Usage, json_line, stdout};
use crate::settings::Settings;

pub fn run(settings: &Settings, flags: &DomFlags) -> anyhow::Result<()> {
    match &flags.verb {
        DomVerb::Similarity { a, b, full, .. } => similarity(settings, a, b, *full),
        DomVerb::Generalise { xpaths } => generalise(settings, xpaths),
    }
}

fn read(path: &Path) -> anyhow::Result<page::tree::Dom> {
    let bytes = std::fs::read(path)
        .with_context(|| format!("cannot read {}; name an HTML file", path.display()))?;
    Ok(page::tree::parse(&bytes, None).dom)
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
