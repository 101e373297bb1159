//! `bathys mirror`: a static, script-free copy to browse from disk.

use std::io::Write;

use publish::mirror::{MirrorOptions, MirrorReport, mirror};

use crate::cli::MirrorFlags;
use crate::output::{bytes, json_line, stdout};
use crate::progress::{Display, number};
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &MirrorFlags) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let mut options = MirrorOptions::new(&flags.directory);
    if let Some(largest) = flags.max_asset {
        options.largest_asset = largest.saturating_mul(1 << 20);
    }
    let mut display = Display::new();
    let report = mirror(&catalog, &options, |done, all| {
        let line = || format!("{} of {} pages", number(done), number(all));
        display.at(done, all, line, &[]);
    })
    .await?;
    drop(display);
    let mut out = stdout();
    match settings.json {
        true => json_line(&mut out, &report)?,
        false => print(&mut out, flags, &report)?,
    }
    Ok(out.flush()?)
}

fn print(out: &mut impl Write, flags: &MirrorFlags, report: &MirrorReport) -> anyhow::Result<()> {
    writeln!(out, "pages           {}", number(report.pages))?;
    writeln!(out, "frames          {}", number(report.frames))?;
    writeln!(out, "assets          {}", number(report.assets))?;
    writeln!(out, "links           {}", number(report.links))?;
    writeln!(out, "  by scripts    {}", number(report.script_links))?;
    writeln!(out, "broken links    {}", number(report.broken_links))?;
    writeln!(out, "external links  {}", number(report.outside_links))?;
    writeln!(out, "missing assets  {}", number(report.missing_assets))?;
    writeln!(out, "size            {}", bytes(report.bytes as i64))?;
    if let Some(stopped) = &report.stopped {
        writeln!(out, "omitted         {stopped}")?;
    }
    let index = flags.directory.join("index.html");
    writeln!(out, "open            {}", index.display())?;
    Ok(())
}
