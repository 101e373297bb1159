//! `bathys show --as meta`: what is known about a page and about one of its versions.

use std::io::Write;

use serde::Serialize;
use serde_json::{Map, Value};
use store::{Catalog, ExchangeRow, Millis, PageRow, VersionRow};

use crate::output::{bytes, clean_line, json_line};
use crate::settings::Settings;

/// Milliseconds of a day, the unit of change rates.
const DAY: f64 = 86_400_000.0;
/// A page is looked at no more often than this, and no more rarely, whatever its history says.
const SOONEST: f64 = 3_600_000.0;
const LATEST: f64 = 30.0 * DAY;

/// What is known about a page and about one of its versions.
#[derive(Serialize)]
pub struct Meta<'a> {
    #[serde(flatten)]
    page: &'a PageRow,
    level: Option<i64>,
    visits: usize,
    /// Changes a day that count, estimated; `null` after fewer than two visits.
    pub change_rate: Option<f64>,
    /// When it is most likely worth a look again.
    pub next_visit: Option<Millis>,
    version: i64,
    time: Millis,
    drift_ms: i64,
    pub metadata: Version,
    exchanges: Vec<ExchangeRow>,
}

/// The metadata of a version.
#[derive(Serialize)]
pub struct Version {
    status: Option<u16>,
    via: &'static str,
    level: Option<i64>,
    pub headers: Vec<(String, String)>,
    pub digests: Map<String, Value>,
    /// What the page says about itself, and what the user's rules found.
    #[serde(flatten)]
    pub own: Map<String, Value>,
    /// The program that captured it.
    pub program: Option<String>,
    /// What that was told.
    settings: Option<Value>,
}

pub async fn show(
    catalog: &Catalog,
    settings: &Settings,
    page: &PageRow,
    version: &VersionRow,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let meta = Meta::of(catalog, page, version).await?;
    match settings.json {
        true => json_line(out, &meta),
        false => print(out, &meta),
    }
}

impl<'a> Meta<'a> {
    /// What is known about a page and this version of it.
    pub async fn of(
        catalog: &Catalog,
        page: &'a PageRow,
        version: &VersionRow,
    ) -> anyhow::Result<Self> {
        let visits = catalog.visits(page.page).await?;
        let times: Vec<Millis> =
            visits.iter().filter(|visit| visit.version.is_some()).map(|visit| visit.time).collect();
        let versions = catalog.versions(page.page).await?;
        let changes = versions.iter().skip(1).filter(|version| version.counts).count();
        let rate = change_rate(&times, changes);
        Ok(Self {
            page,
            level: version.cut.as_ref().map(|cut| cut.level),
            visits: visits.len(),
            change_rate: rate,
            next_visit: rate.and_then(|rate| Some(next_visit(*times.last()?, rate))),
            version: version.version,
            time: version.time,
            drift_ms: version.drift_ms,
            metadata: of_version(catalog, page, version).await?,
            exchanges: catalog.exchanges(page.page).await?,
        })
    }
}

async fn of_version(
    catalog: &Catalog,
    page: &PageRow,
    version: &VersionRow,
) -> anyhow::Result<Version> {
    let run = match version.run {
        Some(run) => catalog.run(run).await?,
        None => None,
    };
    let own = version.cut.as_ref().and_then(|cut| serde_json::from_slice(&cut.meta).ok());
    let mut digests = Map::new();
    for (name, bytes) in [("body", &version.body), ("snapshot", &version.snapshot)] {
        if let Some(bytes) = bytes {
            let digest = format!("blake3:{}", blake3::hash(bytes).to_hex());
            digests.insert(name.into(), digest.into());
        }
    }
    Ok(Version {
        status: version.http_status,
        via: version.via.as_str(),
        level: version.cut.as_ref().map(|cut| cut.level),
        headers: catalog.headers(page.page, version.time).await?,
        digests,
        own: own.unwrap_or_default(),
        settings: run.as_ref().and_then(|run| serde_json::from_str(&run.settings).ok()),
        program: run.map(|run| run.program),
    })
}

/// Changes a day, by the estimator of Cho and Garcia-Molina (2003), which allows for changes that no
/// visit could tell apart.
fn change_rate(times: &[Millis], changes: usize) -> Option<f64> {
    let (first, last) = (times.first()?, times.last()?);
    let intervals = times.len().checked_sub(1).filter(|intervals| *intervals > 0)? as f64;
    let mean = (last.0 - first.0) as f64 / intervals / DAY;
    let changes = (changes as f64).min(intervals);
    (mean > 0.0).then(|| -((intervals - changes + 0.5) / (intervals + 0.5)).ln() / mean)
}

/// When one change is to be expected after the last visit.
fn next_visit(last: Millis, rate: f64) -> Millis {
    let wait = if rate > 0.0 { DAY / rate } else { LATEST };
    last.plus(wait.clamp(SOONEST, LATEST) as i64)
}

fn print(out: &mut impl Write, meta: &Meta<'_>) -> anyhow::Result<()> {
    let page = meta.page;
    writeln!(out, "page       {}", page.page)?;
    writeln!(out, "key        {}", clean_line(&page.key))?;
    writeln!(out, "url        {}", clean_line(&page.url))?;
    for step in &page.path {
        writeln!(out, "  {} {}  {}", step.event, step.xpath, clean_line(&step.instruction))?;
    }
    writeln!(out, "site       {}", page.site)?;
    writeln!(out, "type       {}", page.page_type.as_deref().unwrap_or("-"))?;
    writeln!(out, "hash       {}", page.content_hash.as_deref().unwrap_or("-"))?;
    writeln!(out, "seen       {} to {}, {} visits", page.first_seen, page.last_seen, meta.visits)?;
    if let (Some(rate), Some(next)) = (meta.change_rate, meta.next_visit) {
        writeln!(out, "changes    {rate:.2} a day, worth a look on {next}")?;
    }
    let version = &meta.metadata;
    writeln!(out, "\nversion    {} of {}, {}", meta.version, page.versions, meta.time)?;
    let status = version.status.map_or("-".into(), |status| status.to_string());
    writeln!(out, "status     {status}, via {}", version.via)?;
    for (name, value) in &version.own {
        match value {
            Value::String(text) => writeln!(out, "{name:<10} {}", clean_line(text))?,
            Value::Object(fields) => {
                for (field, value) in fields {
                    writeln!(out, "{name:<10} {field} = {}", plain(value))?;
                }
            }
            other => writeln!(out, "{name:<10} {}", plain(other))?,
        }
    }
    if let Some(level) = version.level {
        writeln!(out, "level      {level}")?;
    }
    for (name, value) in &version.digests {
        writeln!(out, "digest     {name} {}", plain(value))?;
    }
    if let Some(program) = &version.program {
        writeln!(out, "program    {program}")?;
    }
    for (name, value) in &version.headers {
        writeln!(out, "  {name}: {}", clean_line(value))?;
    }
    writeln!(out)?;
    for exchange in &meta.exchanges {
        let status = exchange.status.map_or("---".into(), |status| status.to_string());
        let size = exchange.body_bytes.map_or("-".into(), bytes);
        writeln!(
            out,
            "  {status} {:<5} {:<10} {size:>9}  {}",
            exchange.method,
            exchange.resource,
            clean_line(&exchange.url)
        )?;
    }
    Ok(())
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => clean_line(text),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(count: i64) -> Vec<Millis> {
        (0..=count).map(|day| Millis(day * DAY as i64)).collect()
    }

    #[test]
    fn a_page_that_changed_at_every_look_changes_more_often_than_that() {
        let rate = change_rate(&days(10), 10).unwrap();
        assert!((2.5..4.0).contains(&rate), "{rate}");
    }

    #[test]
    fn a_page_that_never_changed_is_looked_at_rarely_but_is() {
        let rate = change_rate(&days(10), 0).unwrap();
        assert_eq!(rate, 0.0);
        assert_eq!(next_visit(Millis(0), rate), Millis(LATEST as i64));
        assert_eq!(change_rate(&days(0), 0), None);
    }
}
