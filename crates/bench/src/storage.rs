//! `bathys bench storage`: what versions of real pages take, hot and cold, beside what others make of them in
//! the same run, and how long it takes to get one back.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use derive::{CutSettings, Found, Import, SealSettings, seal};
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::tz::TimeZone;
use store::{Capture, Catalog, CatalogWriter, ImportStep, Millis, PageNumber, StateId, Via, Which};
use tempfile::TempDir;
use url::Url;
use zstd::zstd_safe::{CCtx, CParameter, compress_bound};

use crate::change;
use crate::partition::corpus::Corpus;
use crate::sheet::{Experiment, Sheet, rounded};
use crate::trial::cpu_time;

/// Asked for, against one solid zstd stream: the geometric mean of the cold tier, the worst series of it, and the
/// geometric mean of the hot tier.
const COLD_OF_SOLID: f64 = 0.85;
const WORST_OF_SOLID: f64 = 1.0;
const HOT_OF_SOLID: f64 = 1.6;
/// Asked for, against git.
const COLD_OF_GIT: f64 = 0.6;
/// Asked for: the 95th percentile of single restores with empty caches.
const HOT_MS: f64 = 50.0;
const COLD_MS: f64 = 300.0;
/// Asked for: page bytes a second of CPU that are hashed, compressed and committed.
const APPEND_MB_S: f64 = 50.0;
/// Versions of a series that a quick run takes, and that are restored one by one.
const VERSIONS_QUICK: usize = 30;
const RESTORED: usize = 60;
/// What a WARC record says beside the body: as warcio writes it for a page.
const WARC_HEADERS: usize = 480;

const SITE: &str = "page.example";
const PAGE: &str = "https://page.example/";

pub async fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    let corpus = Corpus::open(data)?;
    let all = corpus.series()?;
    if all.is_empty() {
        eprintln!("  no series found; name a directory with --data DIR");
        return Ok(());
    }
    let (mut cold, mut hot, mut git) = (Vec::new(), Vec::new(), Vec::new());
    for (name, mut files) in all {
        files.truncate(if quick { VERSIONS_QUICK } else { usize::MAX });
        let versions = files.iter().map(|file| change::read(file));
        let versions = versions.collect::<anyhow::Result<Vec<_>>>()?;
        let versions: Vec<Version> = versions
            .into_iter()
            .map(|(time, body)| {
                let time = time.to_zoned(TimeZone::UTC)?.timestamp().as_millisecond();
                Ok(Version { time: Millis(time), body })
            })
            .collect::<anyhow::Result<_>>()?;
        eprintln!("  {name}");
        let ours = Ours::measure(&versions).await?;
        let peers = Peers::measure(&files, &versions)?;
        let [of_solid, hot_of_solid, of_git] = [
            ours.cold as f64 / peers.solid as f64,
            ours.hot as f64 / peers.solid as f64,
            ours.cold as f64 / peers.git as f64,
        ];
        cold.push(of_solid);
        hot.push(hot_of_solid);
        git.push(of_git);
        let row = Experiment::new(format!("storage/{name}"))
            .ours("versions", versions.len())
            .ours("raw", versions.iter().map(|version| version.body.len()).sum::<usize>())
            .ours("gzip_warc", peers.gzip_warc)
            .ours("git", peers.git)
            .ours("solid", peers.solid)
            .ours("hot", ours.hot)
            .ours("bytes", ours.cold)
            .ours("hot_of_solid", rounded(hot_of_solid))
            .ours("of_solid", rounded(of_solid))
            .ours("of_git", rounded(of_git))
            .ours("hot_ms", rounded(ours.hot_ms.p95))
            .ours("hot_worst_ms", rounded(ours.hot_ms.worst))
            .ours("restore_ms", rounded(ours.cold_ms.p95))
            .ours("worst_ms", rounded(ours.cold_ms.worst))
            .ours("append_mb_s", rounded(ours.append_mb_s))
            .ours("seal_mb_s", rounded(ours.seal_mb_s))
            .ours("directory", ours.directory)
            .better(peers.gzip_warc as f64, ours.cold as f64)
            .ask(of_solid <= WORST_OF_SOLID, format!("{of_solid:.2} of solid zstd"))
            .ask(ours.hot_ms.p95 <= HOT_MS, format!("{:.0} ms hot", ours.hot_ms.p95))
            .ask(ours.cold_ms.p95 <= COLD_MS, format!("{:.0} ms cold", ours.cold_ms.p95))
            .ask(ours.append_mb_s >= APPEND_MB_S, format!("{:.0} MB/s appended", ours.append_mb_s));
        sheet.put(row)?;
    }
    let [cold, hot, git] = [cold, hot, git].map(|all| geometric_mean(&all));
    sheet.put(
        Experiment::new("storage/all")
            .ours("hot_of_solid", rounded(hot))
            .ours("of_solid", rounded(cold))
            .ours("of_git", rounded(git))
            .ask(cold <= COLD_OF_SOLID, format!("cold {cold:.2} of solid zstd"))
            .ask(hot <= HOT_OF_SOLID, format!("hot {hot:.2} of solid zstd"))
            .ask(git <= COLD_OF_GIT, format!("cold {git:.2} of git")),
    )?;
    sheet.table(
        "versions of real pages: bytes in all, and milliseconds of CPU to get one back with empty caches",
    )
}

struct Version {
    time: Millis,
    body: Vec<u8>,
}

fn geometric_mean(all: &[f64]) -> f64 {
    (all.iter().map(|one| one.ln()).sum::<f64>() / all.len() as f64).exp()
}

/// What our store makes of a series.
struct Ours {
    hot: i64,
    cold: i64,
    hot_ms: Restores,
    cold_ms: Restores,
    append_mb_s: f64,
    seal_mb_s: f64,
    /// The bytes of the whole directory once it is sealed, blocks and records of all versions included.
    directory: u64,
}

impl Ours {
    async fn measure(versions: &[Version]) -> anyhow::Result<Self> {
        let dir = TempDir::new().context("cannot make a directory for a store")?;
        let raw: usize = versions.iter().map(|version| version.body.len()).sum();
        let mb = raw as f64 / 1e6;
        let catalog = CatalogWriter::open(dir.path())?;
        // Bodies alone: no blocks and no records, which the others do not have either.
        let steps: Vec<ImportStep> = versions.iter().map(import_step).collect();
        let begun = cpu_time();
        for step in steps {
            catalog.import(step).await?;
        }
        let append_mb_s = mb / (cpu_time() - begun).as_secs_f64();
        let stats = catalog.stats().await?;
        let hot = stats.bytes_hot + stats.bytes_cold;
        drop(catalog);
        let hot_ms = Restores::measure(dir.path(), versions).await?;

        let catalog = CatalogWriter::open(dir.path())?;
        let begun = cpu_time();
        seal(&catalog, SITE, SealSettings::default(), |_, _| true).await?;
        catalog.sweep().await?;
        let seal_mb_s = mb / (cpu_time() - begun).as_secs_f64();
        let stats = catalog.stats().await?;
        let cold = stats.bytes_hot + stats.bytes_cold;
        catalog.compact()?;
        let cold_ms = Restores::measure(dir.path(), versions).await?;
        let directory = whole_directory(versions).await?;
        Ok(Self { hot, cold, hot_ms, cold_ms, append_mb_s, seal_mb_s, directory })
    }
}

fn import_step(version: &Version) -> ImportStep {
    let mut state = [0; 16];
    state.copy_from_slice(&blake3::hash(&version.body).as_bytes()[..16]);
    let capture = Capture {
        state: StateId(state),
        snapshot: None,
        body: Some(version.body.clone()),
        title: String::new(),
        http_status: Some(200),
        via: Via::Http,
        drift_ms: 0,
        page_type: None,
        content_type: None,
        looks: None,
        run: None,
        cut: None,
    };
    let (state, exchanges) = (None, Vec::new());
    ImportStep {
        site: SITE.into(),
        url: PAGE.into(),
        time: version.time,
        capture: Some(capture),
        state,
        exchanges,
    }
}

/// Everything that a user has of a series: kept, cut, read and sealed.
async fn whole_directory(versions: &[Version]) -> anyhow::Result<u64> {
    let dir = TempDir::new().context("cannot make a directory for a store")?;
    let catalog = Arc::new(CatalogWriter::open(dir.path())?);
    let mut import = Import::begin(catalog.clone(), CutSettings::default(), "{}").await?;
    for version in versions {
        let (url, time, body) = (Url::parse(PAGE)?, version.time, version.body.clone());
        import.add(Found { url, time, body }).await?;
    }
    import.finish().await?;
    seal(&catalog, SITE, SealSettings::default(), |_, _| true).await?;
    catalog.sweep().await?;
    Arc::into_inner(catalog).context("the store is still in use")?.compact()?;
    let entries = std::fs::read_dir(dir.path())?;
    entries.map(|entry| Ok(entry?.metadata()?.len())).sum()
}

/// What it takes to get single versions back.
struct Restores {
    p95: f64,
    worst: f64,
}

impl Restores {
    /// Every version is compared byte for byte; some are restored by a store that was just opened.
    async fn measure(store: &Path, versions: &[Version]) -> anyhow::Result<Self> {
        let catalog = Catalog::open(store)?;
        let page = catalog.find(PAGE).await?.context("the page was not kept")?.page;
        for version in versions {
            let kept = restored(&catalog, page, version).await?;
            ensure!(kept == version.body, "a version at {} is another one", version.time);
        }
        drop(catalog);
        let apart = versions.len().div_ceil(RESTORED);
        let mut took = Vec::new();
        for version in versions.iter().step_by(apart) {
            let catalog = Catalog::open(store)?;
            catalog.find(PAGE).await?;
            // Processor time, so that other work on the machine counts less.
            let begun = cpu_time();
            restored(&catalog, page, version).await?;
            took.push((cpu_time() - begun).as_secs_f64() * 1e3);
        }
        took.sort_by(f64::total_cmp);
        let p95 = took[(took.len() * 95 / 100).min(took.len() - 1)];
        Ok(Self { p95, worst: took[took.len() - 1] })
    }
}

async fn restored(
    catalog: &Catalog,
    page: PageNumber,
    version: &Version,
) -> anyhow::Result<Vec<u8>> {
    let kept = catalog.version(page, Which::At(version.time)).await?;
    kept.and_then(|kept| kept.body).context("a version was not kept")
}

/// What others make of a series.
struct Peers {
    gzip_warc: usize,
    solid: usize,
    git: u64,
}

impl Peers {
    fn measure(files: &[PathBuf], versions: &[Version]) -> anyhow::Result<Self> {
        Ok(Self { gzip_warc: gzip_warc(versions)?, solid: solid(versions)?, git: git(files)? })
    }
}

/// One gzip member a version.
fn gzip_warc(versions: &[Version]) -> anyhow::Result<usize> {
    let mut all = 0;
    for version in versions {
        let mut member = GzEncoder::new(Vec::new(), Compression::new(6));
        // Dates, digests and lengths differ; the rest of the headers hardly takes room.
        let digest = blake3::hash(&version.body).to_hex();
        member.write_all(digest.as_bytes())?;
        member.write_all(&[b'-'; WARC_HEADERS])?;
        member.write_all(&version.body)?;
        all += member.finish()?.len();
    }
    Ok(all)
}

/// `zstd -19 --long=27` over all of them.
fn solid(versions: &[Version]) -> anyhow::Result<usize> {
    let all: Vec<u8> = versions.iter().flat_map(|version| &version.body).copied().collect();
    let mut context = CCtx::create();
    for parameter in [
        CParameter::CompressionLevel(19),
        CParameter::EnableLongDistanceMatching(true),
        CParameter::WindowLog(27),
    ] {
        let set = context.set_parameter(parameter);
        set.map_err(|code| anyhow::anyhow!(zstd::zstd_safe::get_error_name(code)))?;
    }
    let mut packed = Vec::with_capacity(compress_bound(all.len()));
    let packed = context.compress2(&mut packed, &all);
    packed.map_err(|code| anyhow::anyhow!(zstd::zstd_safe::get_error_name(code)))
}

/// A commit a version, and `git repack -adf`.
fn git(files: &[PathBuf]) -> anyhow::Result<u64> {
    let dir = TempDir::new().context("cannot make a directory for git")?;
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(dir.path()).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        git
    };
    ensure!(git(&["init", "-q"]).status().context("cannot run git; apt install git")?.success());
    let mut import = git(&["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn()?;
    let mut stream = import.stdin.take().context("git takes no input")?;
    for (at, file) in files.iter().enumerate() {
        let body = std::fs::read(file)?;
        let time = 1_600_000_000 + at;
        write!(
            stream,
            "commit refs/heads/main\ncommitter bench <bench@example.org> {time} +0000\ndata 1\nv\n\
             M 100644 inline index.html\ndata {}\n",
            body.len()
        )?;
        stream.write_all(&body)?;
        stream.write_all(b"\n")?;
    }
    drop(stream);
    ensure!(import.wait()?.success(), "git cannot import a series");
    ensure!(git(&["repack", "-adfq", "--window=50", "--depth=50"]).status()?.success());
    let packs = std::fs::read_dir(dir.path().join(".git/objects/pack"))?;
    let mut bytes = 0;
    for entry in packs {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "pack") {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes)
}
