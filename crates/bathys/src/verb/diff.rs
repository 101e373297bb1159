//! `bathys diff`: what changed from one version of a page to another.

use std::io::{self, Write};

use anyhow::{Context, bail};
use publish::diff::{Came, Changed, Diff, DiffOptions, Edit, Op, Shown};
use store::{Catalog, VersionRow, Which};

use crate::address::{Address, which};
use crate::cli::DiffFlags;
use crate::output::{CleanWriter, Usage, clean_line, clip, json_line, stdout, stdout_is_terminal};
use crate::say;
use crate::settings::Settings;

/// Characters of a line that a person sees, and how many of them before what changed.
const WIDEST: usize = 200;
const BEFORE: usize = 60;
/// Lines of a block that came or went which a person sees.
const MOST_LINES: usize = 12;

pub async fn run(settings: &Settings, flags: &DiffFlags) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let address = Address::find(&catalog, &flags.key).await?;
    let (from, to) = versions(&catalog, &address, flags).await?;
    let options = DiffOptions { all: flags.all, topics: settings.process().topics };
    let diff = Diff::between(&catalog, &address.page, (&from, &to), options).await?;
    if let Some(file) = &flags.html {
        std::fs::write(file, diff.to_html())
            .with_context(|| format!("cannot write {}; name another file", file.display()))?;
        say!("written to {}", file.display());
    }
    let mut out = stdout();
    match (settings.json, &flags.html) {
        (true, _) => json_line(&mut out, &diff)?,
        (false, Some(_)) => {}
        (false, None) => print(&mut out, &diff)?,
    }
    Ok(out.flush()?)
}

/// The two versions that are meant, the older one first: the last change if none is named.
async fn versions(
    catalog: &Catalog,
    address: &Address,
    flags: &DiffFlags,
) -> anyhow::Result<(VersionRow, VersionRow)> {
    let second = match &flags.to {
        None => None,
        Some(text) => Some(which(text.trim_start_matches('@')).ok_or_else(|| {
            Usage(format!("'{text}' is no time; write @2026-01-31, @2026-01-31T10:00:00Z or @v3"))
        })?),
    };
    let to = address.version_at(catalog, second.unwrap_or_default()).await?;
    let from = match (address.which, second) {
        (Which::Latest, None) => {
            let versions = catalog.versions(address.page.page).await?;
            // The last version with something to tell, and the one before it.
            let told = versions.iter().rev().find(|version| flags.all || version.counts);
            match told.map(|version| version.version) {
                Some(number) if number > 1 => {
                    let from = address.version_at(catalog, Which::Number(number - 1)).await?;
                    let to = address.version_at(catalog, Which::Number(number)).await?;
                    return Ok((from, to));
                }
                _ => bail!(
                    "page {} has one version only; crawl it again when it may have changed",
                    address.page.page
                ),
            }
        }
        // Where to end, and nothing else: what that version changed.
        (Which::Latest, Some(_)) => {
            address.version_at(catalog, Which::Number((to.version - 1).max(1))).await?
        }
        (first, _) => address.version_at(catalog, first).await?,
    };
    if from.version > to.version {
        return Err(Usage(format!(
            "v{} is later than v{}; name the older one first",
            from.version, to.version
        ))
        .into());
    }
    Ok((from, to))
}

fn print(out: &mut CleanWriter<impl Write>, diff: &Diff) -> anyhow::Result<()> {
    let colours = Colours { on: stdout_is_terminal() };
    writeln!(out, "{}", clean_line(&diff.key))?;
    writeln!(
        out,
        "v{} of {} to v{} of {}",
        diff.from.version, diff.from.time, diff.to.version, diff.to.time
    )?;
    for changed in &diff.changed {
        print_changed(out, &colours, changed)?;
    }
    for came in &diff.added {
        print_came(out, &colours, came, true)?;
    }
    for went in &diff.removed {
        print_came(out, &colours, went, false)?;
    }
    for block in &diff.moved {
        writeln!(out, "\n> {} moved", named(block))?;
    }
    if diff.is_empty() {
        writeln!(out, "nothing changed")?;
    }
    if diff.layout_changed {
        writeln!(out, "\nthe layout around the blocks changed")?;
    }
    if diff.noise > 0 {
        writeln!(out, "\n{} changes are noise; --all shows them", diff.noise)?;
    }
    Ok(())
}

fn named(block: &Shown) -> String {
    let topic = if block.topic.is_empty() { "(no words)" } else { &block.topic };
    format!("{} ({} {}, {})", clip(topic, 70), block.label, block.id, block.xpath)
}

fn print_changed(
    out: &mut CleanWriter<impl Write>,
    colours: &Colours,
    changed: &Changed,
) -> anyhow::Result<()> {
    let moved = if changed.moved { ", moved" } else { "" };
    writeln!(out, "\n~ {} {}{moved}", named(&changed.block), changed.kind)?;
    for (at, edit) in changed.edits.iter().enumerate() {
        let text = around_change(&changed.edits, at);
        match edit.op {
            Op::Removed => colours.removed(out, &format!("  - {text}"))?,
            Op::Added => colours.added(out, &format!("  + {text}"))?,
            Op::Kept => writeln!(out, "    {text}")?,
        }
    }
    Ok(())
}

/// A line, of a long one what is around its change: that may stand far behind.
fn around_change(edits: &[Edit], at: usize) -> String {
    let Some(edit) = edits.get(at) else { return String::new() };
    let of = |op: Op| edits.iter().filter(move |edit| edit.op == op).map(|edit| edit.text.as_str());
    let others: Vec<&str> = match edit.op {
        Op::Removed => of(Op::Added).collect(),
        Op::Added => of(Op::Removed).collect(),
        Op::Kept => Vec::new(),
    };
    let shared =
        |other: &&str| edit.text.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let same = others.iter().map(shared).max().unwrap_or(0);
    match same > BEFORE {
        true => {
            let rest: String = edit.text.chars().skip(same - BEFORE).collect();
            clip(&format!("…{rest}"), WIDEST)
        }
        false => clip(&edit.text, WIDEST),
    }
}

fn print_came(
    out: &mut CleanWriter<impl Write>,
    colours: &Colours,
    came: &Came,
    is_new: bool,
) -> anyhow::Result<()> {
    let sign = if is_new { '+' } else { '-' };
    writeln!(out, "\n{sign} {}", named(&came.block))?;
    let mut lines = came.text.lines();
    for line in lines.by_ref().take(MOST_LINES) {
        let line = format!("  {sign} {}", clip(line, 160));
        if is_new { colours.added(out, &line)? } else { colours.removed(out, &line)? }
    }
    match lines.count() {
        0 => {}
        more => writeln!(out, "  … {more} more lines; --json or --html shows them")?,
    }
    Ok(())
}

struct Colours {
    on: bool,
}

impl Colours {
    fn added(&self, out: &mut CleanWriter<impl Write>, text: &str) -> io::Result<()> {
        self.line(out, text, 32)
    }

    fn removed(&self, out: &mut CleanWriter<impl Write>, text: &str) -> io::Result<()> {
        self.line(out, text, 31)
    }

    fn line(&self, out: &mut CleanWriter<impl Write>, text: &str, colour: u8) -> io::Result<()> {
        match self.on {
            true => out.coloured(colour, text)?,
            false => write!(out, "{text}")?,
        }
        writeln!(out)
    }
}
