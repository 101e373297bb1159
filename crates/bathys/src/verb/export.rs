//! `bathys export`: the store as standard files.

use std::future::Future;
use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;

use crawl::picture::{Kept, Stored, Studio};
use publish::warc::{
    ArchiveOptions, DEFAULT_LEVEL, ExportReport, Pictures, WarcFiles, write_wacz, write_warc,
};
use publish::write_ndjson;
use store::{Catalog, VersionRow};

use crate::cli::ExportFlags;
use crate::output::{bytes, json_line, stdout};
use crate::progress::{Countdown, Display, number};
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &ExportFlags) -> anyhow::Result<()> {
    let catalog = Arc::new(settings.open()?);
    let easel = match flags.screenshots {
        true => Some(Easel { studio: Studio::open().await?, catalog: catalog.clone() }),
        false => None,
    };
    let options = ArchiveOptions {
        level: flags.level.unwrap_or(DEFAULT_LEVEL),
        pictures: easel.as_ref().map(|easel| easel as &dyn Pictures),
    };
    let mut display = Display::new();
    let mut all = ExportReport::default();
    let mut add = |report: ExportReport| {
        all.records += report.records;
        all.bytes += report.bytes;
    };
    if flags.warc.is_some() || flags.cdxj.is_some() {
        let files = WarcFiles { warc: flags.warc.clone(), cdxj: flags.cdxj.clone() };
        add(write_warc(&catalog, &files, options, shown(&mut display, "captures")).await?);
    }
    if let Some(path) = &flags.wacz {
        add(write_wacz(&catalog, path, options, shown(&mut display, "captures")).await?);
    }
    if let Some(path) = &flags.ndjson {
        add(write_ndjson(&catalog, path, shown(&mut display, "pages")).await?);
    }
    drop(display);
    if let Some(path) = &flags.blocks {
        add(super::blocks::write(&catalog, path, &flags.place).await?);
    }
    if let Some(easel) = easel {
        easel.studio.close().await;
    }
    let mut out = stdout();
    match settings.json {
        true => json_line(&mut out, &all)?,
        false => {
            writeln!(out, "{} records, {}", number(all.records), bytes(all.bytes as i64))?;
        }
    }
    Ok(out.flush()?)
}

/// A browser that draws what was kept, and is given nothing else.
struct Easel {
    studio: Studio,
    catalog: Arc<Catalog>,
}

impl Pictures for Easel {
    fn draw<'a>(
        &'a self,
        url: &'a str,
        version: &'a VersionRow,
    ) -> Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send + 'a>> {
        Box::pin(async move {
            let url = url::Url::parse(url).ok()?;
            let page = match (&version.snapshot, &version.body) {
                (Some(snapshot), _) => Kept::snapshot(url, snapshot.clone()),
                (None, Some(body)) => {
                    Kept::response(url, body.clone(), version.content_type.as_deref())
                }
                (None, None) => return None,
            };
            let answers = Stored::at(self.catalog.clone(), version.time).await.ok()?;
            let sitting = self.studio.show(page, Arc::new(answers)).await.ok()?;
            sitting.draw(&[]).await.ok()
        })
    }
}

/// Shows how far an export is, and how long the rest will take.
fn shown<'a>(display: &'a mut Display, what: &'a str) -> impl FnMut(u64, u64) + 'a {
    let mut countdown = Countdown::default();
    move |done, all| {
        // The clock is asked often enough.
        if done % 16 == 0 || done == all {
            let (_, _, eta) = countdown.at(all - done);
            let line = || format!("{} of {} {what}, {eta}", number(done), number(all));
            display.at(done, all, line, &[]);
        }
    }
}
