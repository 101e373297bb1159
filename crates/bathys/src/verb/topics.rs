//! `bathys topics`: what pages are about, over time.

use std::io::Write;

use search::{TopicLine, TopicQuery, Trend};

use super::index;
use super::search::{life, time};
use crate::cli::{TopicsFlags, TrendFlag};
use crate::output::{clip, json_line, stdout, thousands};
use crate::say;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &TopicsFlags) -> anyhow::Result<()> {
    let query = TopicQuery {
        site: flags.site.clone(),
        since: time("--since", flags.since.as_deref(), false)?,
        until: time("--until", flags.until.as_deref(), true)?,
        trend: flags.trend.map(|trend| match trend {
            TrendFlag::New => Trend::New,
            TrendFlag::Rising => Trend::Rising,
            TrendFlag::Gone => Trend::Gone,
            TrendFlag::Steady => Trend::Steady,
        }),
        limit: flags.limit,
    };
    let catalog = settings.open()?;
    let (index, _) = index::open(&catalog, &flags.place).await?;
    let told = index.topics(&catalog, &query).await?;
    let mut out = stdout();
    if !settings.json {
        writeln!(
            out,
            "{:<6} {:>7} {:>5} {:>6} {:>6}  {:<34} TOPIC",
            "TREND", "CHANGES", "NEW", "BEFORE", "PAGES", "SEEN"
        )?;
    }
    for line in &told.topics {
        match settings.json {
            true => json_line(&mut out, line)?,
            false => write_line(&mut out, line)?,
        }
    }
    out.flush()?;
    if !settings.json {
        let count = thousands(told.topics.len() as i64);
        say!("{count} topics, from {} to {}", told.since, told.until);
    }
    Ok(())
}

fn write_line(out: &mut impl Write, line: &TopicLine) -> anyhow::Result<()> {
    let trend = match line.trend {
        Trend::New => "new",
        Trend::Rising => "rising",
        Trend::Gone => "gone",
        Trend::Steady => "",
    };
    Ok(writeln!(
        out,
        "{trend:<6} {:>7} {:>5} {:>6} {:>6}  {:<34} {}",
        line.changes,
        line.now,
        line.before,
        line.pages,
        life(line.first_seen, line.last_seen, line.is_there),
        clip(&line.topic, 80)
    )?)
}
