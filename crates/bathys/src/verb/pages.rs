//! `bathys pages`: what is known.

use std::io::Write;

use store::{PageNumber, PageStatus};

use crate::cli::PagesFlags;
use crate::hint::refusal;
use crate::output::{clip, json_line, stdout, thousands};
use crate::say;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &PagesFlags) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let mut out = stdout();
    let (mut after, mut shown) = (PageNumber(0), 0);
    if !settings.json {
        writeln!(out, "{:>6} {:>6} {:<8} {:<34} KEY", "PAGE", "STATUS", "VIA", "TITLE")?;
    }
    loop {
        let mut rows = catalog.pages(after).await?;
        let Some(last) = rows.last() else { break };
        after = last.page;
        for error in rows.iter_mut().filter_map(|row| row.error.as_mut()) {
            *error = refusal(error);
        }
        for row in rows.iter().filter(|row| flags.all || row.condition == PageStatus::Captured) {
            shown += 1;
            if settings.json {
                json_line(&mut out, row)?;
                continue;
            }
            let status = row.status.map_or(String::new(), |status| status.to_string());
            let via = row.via.map_or(row.condition.as_str(), store::Via::as_str);
            let title = clip(row.error.as_deref().unwrap_or(&row.title), 34);
            writeln!(
                out,
                "{:>6} {status:>6} {via:<8} {title:<34} {}",
                row.page,
                clip(&row.key, 100)
            )?;
        }
    }
    out.flush()?;
    if !settings.json {
        say!("{} pages", thousands(shown));
    }
    Ok(())
}
