//! `bathys types`: page types, and what was learned about them.

use std::io::Write;

use crawl::{Pattern, Sequence, TypeReport, WrapperReport, types};

use crate::cli::TypesFlags;
use crate::output::deferred::claim;
use crate::output::{clip, json_line, stdout, thousands};
use crate::say;
use crate::settings::Settings;

/// Patterns of a type that a person is shown unless all are asked for, and claims.
const SHOWN: usize = 8;
const SHOWN_CLAIMS: usize = 3;

pub async fn run(settings: &Settings, flags: &TypesFlags) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let mut out = stdout();
    let mut count = 0;
    for site in catalog.stats().await?.sites {
        for known in types(&catalog, &site).await? {
            count += 1;
            match settings.json {
                true => json_line(&mut out, &known)?,
                false => print(&mut out, &known, flags.all)?,
            }
        }
    }
    out.flush()?;
    if !settings.json {
        say!("{count} page types");
    }
    Ok(())
}

fn print(out: &mut impl Write, known: &TypeReport, all: bool) -> anyhow::Result<()> {
    writeln!(out, "{}  ({} pages of {})", known.name, thousands(known.pages), known.site)?;
    for sample in &known.samples {
        writeln!(out, "  sample    {:>6} {}", sample.page, clip(&sample.key, 100))?;
    }
    writeln!(out, "  role      {}", known.role)?;
    writeln!(out, "  rendered  {}", known.rendered_because)?;
    let links: Vec<_> =
        known.links.iter().map(|(to, count)| format!("{to} ({})", thousands(*count))).collect();
    if !links.is_empty() {
        writeln!(out, "  links to  {}", links.join(", "))?;
    }
    if let Some(wrapper) = &known.wrapper {
        print_wrapper(out, wrapper)?;
    }
    let most = if all { known.patterns.len() } else { SHOWN };
    if !known.patterns.is_empty() {
        writeln!(
            out,
            "  {:<9} {:<7} {:>6} {:>6} {:>7} {:<4} {:<8} {:<24} XPATH",
            "EVENT", "LABEL", "FIRED", "NEW", "SKIPPED", "FREE", "SEQUENCE", "LEADS TO"
        )?;
    }
    for Pattern { pattern, skipped, sequence, .. } in known.patterns.iter().take(most) {
        writeln!(
            out,
            "  {:<9} {:<7} {:>6} {:>6} {skipped:>7} {:<4} {:<8} {:<24} {}",
            clip(&pattern.event, 9),
            pattern.label,
            pattern.support,
            pattern.new,
            if pattern.context_free { "yes" } else { "-" },
            match sequence {
                Some(Sequence::Turns) => "turns",
                Some(Sequence::Grows) => "grows",
                None => "-",
            },
            clip(&pattern.leads_to.join(","), 24),
            clip(&pattern.xpath, 100)
        )?;
    }
    if known.patterns.len() > most {
        writeln!(out, "  and {} more; --all shows them", known.patterns.len() - most)?;
    }
    let most = if all { known.claims.len() } else { SHOWN_CLAIMS };
    for known in known.claims.iter().take(most) {
        writeln!(out, "  deferred  {}", claim(known))?;
    }
    if known.claims.len() > most {
        writeln!(out, "  and {} more claims; --all shows them", known.claims.len() - most)?;
    }
    Ok(writeln!(out)?)
}

/// Where the records of a type are, and which part of them is what.
fn print_wrapper(out: &mut impl Write, wrapper: &WrapperReport) -> anyhow::Result<()> {
    writeln!(
        out,
        "  records   {} each {}  ({} on {} pages learned from)",
        wrapper.kind,
        clip(&wrapper.region, 100),
        thousands(wrapper.records as i64),
        thousands(wrapper.pages as i64)
    )?;
    for (field, places) in &wrapper.fields {
        let filled = wrapper.coverage.get(field).copied().unwrap_or_default();
        let places = clip(&places.join(" or "), 100);
        writeln!(out, "    {field:<12} {:>3.0} %  {places}", filled * 100.0)?;
    }
    for drift in &wrapper.drift {
        writeln!(out, "    learned again: {drift}")?;
    }
    Ok(())
}
