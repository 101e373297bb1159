//! `bathys mirror`: a static, script-free copy to browse from disk.

use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use publish::mirror::{MirrorOptions, MirrorReport, mirror};
use store::{Access, Catalog};

use crate::cli::MirrorFlags;
use crate::output::{bytes, json_line, stderr_is_terminal, stdout, thousands};
use crate::say;
use crate::settings::Settings;

const LINE_EVERY: Duration = Duration::from_secs(5);

pub async fn run(settings: &Settings, flags: &MirrorFlags) -> anyhow::Result<()> {
    let catalog = Catalog::open(&settings.store, Access::Read)?;
    let mut options = MirrorOptions::new(&flags.directory);
    if let Some(largest) = flags.max_asset {
        options.largest_asset = largest.saturating_mul(1 << 20);
    }
    let bar = stderr_is_terminal().then(new_bar);
    let mut said = Instant::now();
    let report = mirror(&catalog, &options, |done, all| match &bar {
        Some(bar) => {
            bar.set_length(all);
            bar.set_position(done);
        }
        None if said.elapsed() >= LINE_EVERY => {
            say!("{} of {} pages", thousands(done as i64), thousands(all as i64));
            said = Instant::now();
        }
        None => {}
    })
    .await?;
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let mut out = stdout();
    match settings.json {
        true => json_line(&mut out, &report)?,
        false => print(&mut out, flags, &report)?,
    }
    Ok(out.flush()?)
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    // The template is a constant of this file and has been seen to parse.
    if let Ok(style) = ProgressStyle::with_template("{bar:30.cyan/blue} {pos} of {len} pages") {
        bar.set_style(style);
    }
    bar
}

fn print(out: &mut impl Write, flags: &MirrorFlags, report: &MirrorReport) -> anyhow::Result<()> {
    let number = |count: u64| thousands(count as i64);
    writeln!(out, "pages           {}", number(report.pages))?;
    writeln!(out, "frames          {}", number(report.frames))?;
    writeln!(out, "assets          {}", number(report.assets))?;
    writeln!(out, "links           {}", number(report.links))?;
    writeln!(out, "  by scripts    {}", number(report.script_links))?;
    writeln!(out, "broken links    {}", number(report.broken_links))?;
    writeln!(out, "leave it        {}", number(report.outside_links))?;
    writeln!(out, "missing assets  {}", number(report.missing_assets))?;
    writeln!(out, "size            {}", bytes(report.bytes as i64))?;
    if let Some(stopped) = &report.stopped {
        writeln!(out, "left out        {stopped}")?;
    }
    let index = flags.directory.join("index.html");
    writeln!(out, "open            {}", index.display())?;
    Ok(())
}
