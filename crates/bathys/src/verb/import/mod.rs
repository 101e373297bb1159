//! `bathys import`: pages that were captured elsewhere, through the same pipeline as a crawl's own.

mod address;
mod archive;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use address::{Claims, Told};
use anyhow::{Context, bail};
use archive::{Leftover, is_archive};
use crawl::Report;
use derive::{CutSettings, Found, Import, ImportEnd, Stopped};
use store::{Catalog, Millis};
use url::Url;

use crate::cli::ImportFlags;
use crate::interrupt::{INTERRUPTED, stop_gently};
use crate::output::{Usage, bytes, json_line, stdout, thousands};
use crate::progress::{Aftermath, Countdown, Display, count, number};
use crate::say;
use crate::settings::{Settings, start_url};

/// Larger files are no pages: what a crawl would not fetch is not imported either.
const LARGEST: u64 = 64 << 20;

/// A file to import, and as what.
struct File {
    path: PathBuf,
    time: Millis,
    url: Url,
}

pub async fn run(settings: &Settings, flags: &ImportFlags) -> anyhow::Result<ExitCode> {
    let (archives, others): (Vec<PathBuf>, Vec<PathBuf>) =
        flags.files.iter().cloned().partition(|path| is_archive(path) && flags.series.is_none());
    if flags.url.is_some() && !archives.is_empty() {
        let said = "an archive says where its pages were; leave --url out";
        return Err(Usage(said.into()).into());
    }
    let mut display = Display::new();
    let mut survey = archive::survey(&archives, flags.skip_bad, &mut display)?;
    let files = match &flags.series {
        Some(url) => series(&start_url(url)?, &flags.files)?,
        None => single(flags.url.as_deref(), &others)?,
    };
    let catalog = Arc::new(settings.open_to_write()?);
    let described = serde_json::json!({ "import": flags.series, "url": flags.url }).to_string();
    let told = CutSettings { level: flags.level, ..settings.process() };
    let mut import = Import::begin(catalog.clone(), told, &described).await?;
    let meter = import.meter();
    let interrupts = tokio::spawn(stop_gently(meter.clone()));
    let (mut countdown, mut leftover) = (Countdown::default(), Leftover::default());
    let mut captures = files.len();
    if let Some(survey) = &mut survey {
        captures += archive::import(survey, &mut import, &mut display, &mut leftover).await?;
    }
    for (done, file) in files.iter().enumerate() {
        if meter.stopped().is_some() {
            break;
        }
        let (done, all, eta) = countdown.at((files.len() - done) as u64);
        let cut = number(import.processed());
        let line =
            || format!("{} of {} files, {cut} cut into blocks, {eta}", number(done), number(all));
        display.at(done, all, line, &[file.path.display().to_string()]);
        let body = read(&file.path)?;
        let found = Found { url: file.url.clone(), time: file.time, body };
        leftover.add(import.add(found).await?);
    }
    let end = finish(import, &mut display, &catalog).await?;
    let report =
        Report::of(&catalog, &end.sites, &meter, (Vec::new(), &crawl::Priors::default())).await?;
    let report = Report { processing_s: end.processing.as_secs_f64(), ..report };
    interrupts.abort();
    drop(display);
    print(settings, &report, captures)?;
    let Leftover { again, too_old } = leftover;
    if again > 0 {
        say!("{} captures are already in the store, byte for byte", thousands(again));
    }
    if too_old > 0 {
        say!(
            "{} captures are older than the latest version of their page and were skipped; import \
             them into another store with --store",
            thousands(too_old)
        );
    }
    Ok(match report.stopped {
        Some(Stopped::Interrupted) => {
            say!("interrupted; the same command continues");
            ExitCode::from(INTERRUPTED)
        }
        _ => ExitCode::SUCCESS,
    })
}

/// What was taken in.
fn print(settings: &Settings, report: &Report, captures: usize) -> anyhow::Result<()> {
    let mut out = stdout();
    match settings.json {
        true => json_line(&mut out, report)?,
        false => writeln!(
            out,
            "{} captures: {} versions of {} pages in {} blocks, {} records, {} kept as {}, {:.1} s",
            thousands(captures as i64),
            thousands(report.versions),
            thousands(report.pages),
            thousands(report.blocks_new),
            thousands(report.records),
            bytes(report.bytes_raw),
            bytes(report.bytes_stored),
            report.elapsed_s
        )?,
    }
    Ok(out.flush()?)
}

/// Waits for what follows from the files, and shows how far it is.
async fn finish(
    import: Import,
    display: &mut Display,
    catalog: &Catalog,
) -> anyhow::Result<ImportEnd> {
    let (meter, mut aftermath) = (import.meter(), Aftermath::default());
    let mut work = pin!(import.finish());
    let mut pause = display.pace();
    loop {
        tokio::select! {
            end = &mut work => return Ok(end?),
            () = tokio::time::sleep(pause) => {
                let waiting;
                (waiting, pause) = count(display, catalog).await?;
                aftermath.show(display, &waiting, &[meter.look(0).current]);
            }
        }
    }
}

/// The versions of one URL, in the order of their times.
fn series(url: &Url, directories: &[PathBuf]) -> anyhow::Result<Vec<File>> {
    let mut files = Vec::new();
    let mut unnamed = 0;
    for directory in directories {
        let entries = std::fs::read_dir(directory)
            .with_context(|| format!("cannot read {}; name a directory", directory.display()))?;
        for entry in entries {
            let path =
                entry.with_context(|| format!("cannot read {}", directory.display()))?.path();
            match time_in_name(&path) {
                Some(time) => files.push(File { path, time, url: url.clone() }),
                None => unnamed += 1,
            }
        }
    }
    if files.is_empty() {
        bail!("no file there is named by its time, as 20260131235959.html is");
    }
    if unnamed > 0 {
        say!(
            "{unnamed} files are skipped: they are not named by a time, as 20260131235959.html is"
        );
    }
    files.sort_by(|a, b| (a.time, &a.path).cmp(&(b.time, &b.path)));
    Ok(files)
}

/// Files of different pages.
fn single(url: Option<&str>, paths: &[PathBuf]) -> anyhow::Result<Vec<File>> {
    if url.is_some() && paths.len() > 1 {
        return Err(Usage(
            "--url names one page; give one file, or use --series for versions of one".into(),
        )
        .into());
    }
    let mut dated = Vec::with_capacity(paths.len());
    for path in paths {
        let about = std::fs::metadata(path)
            .with_context(|| format!("cannot read {}; name an HTML file", path.display()))?;
        if about.is_dir() {
            let why = "is a directory; name HTML files, or --series URL for versions of one page";
            return Err(Usage(format!("{} {why}", path.display())).into());
        }
        let changed = about.modified().unwrap_or(std::time::UNIX_EPOCH);
        let changed = changed.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let changed = Millis(i64::try_from(changed.as_millis()).unwrap_or(0));
        dated.push((time_in_name(path).unwrap_or(changed), path.clone()));
    }
    dated.sort();
    let urls = match url {
        Some(url) => vec![start_url(url)?],
        None => own_addresses(dated.iter().map(|(_, path)| path.as_path()))?,
    };
    let files = dated.into_iter().zip(urls);
    Ok(files.map(|((time, path), url)| File { path, time, url }).collect())
}

/// Where files say that they were. All are asked before the first is kept.
fn own_addresses<'a>(paths: impl Iterator<Item = &'a Path> + Clone) -> anyhow::Result<Vec<Url>> {
    let mut claims = Claims::default();
    for path in paths.clone() {
        claims.read(&read(path)?);
    }
    let (mut urls, mut by_path) = (Vec::new(), 0);
    for (told, path) in claims.judge(paths.clone()).into_iter().zip(paths) {
        urls.push(match told {
            Told::Url(url) => url,
            Told::ByPath(url) => {
                by_path += 1;
                url
            }
            Told::Nothing => {
                bail!("{} does not say where it was; give its address with --url", path.display())
            }
        });
    }
    if by_path > 0 {
        say!(
            "{} files share a canonical address with others and are kept under addresses made from \
             their paths; import one file at a time with --url, or versions of one page with --series",
            thousands(by_path)
        );
    }
    Ok(urls)
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let path = file.display();
    let about = std::fs::metadata(file).with_context(|| format!("cannot read {path}"))?;
    if about.len() > LARGEST {
        bail!("{path} is larger than {} MB, which no page is; leave it out", LARGEST >> 20);
    }
    std::fs::read(file).with_context(|| format!("cannot read {path}"))
}

/// The time that a file is named by: `YYYYMMDDhhmmss.html`, as archives do.
fn time_in_name(path: &Path) -> Option<Millis> {
    let name = path.file_stem()?.to_str()?;
    let time = jiff::civil::DateTime::strptime("%Y%m%d%H%M%S", name.get(..14)?).ok()?;
    let rest_is_no_number = !name[14..].starts_with(|c: char| c.is_ascii_digit());
    let instant = time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    rest_is_no_number.then(|| Millis(instant.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_old_as_its_name_says() {
        let time = time_in_name(Path::new("/a/20180503120000.html")).unwrap();
        assert_eq!(time.to_string(), "2018-05-03T12:00:00.000Z");
        assert_eq!(time_in_name(Path::new("20181503120000.html")), None, "no 15th month");
        assert_eq!(time_in_name(Path::new("201805031200001.html")), None, "one digit more");
        assert_eq!(time_in_name(Path::new("index.html")), None);
    }
}
