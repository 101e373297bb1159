//! `bathys bench plain --peers`: what a plain page costs, beside what a user would take instead: Scrapy,
//! which parses pages and follows links, and wget, which only mirrors.
//!
//! The site is made and served by scripts that are not part of this project (`plain/make.py`, `run.sh`
//! and `peer.py` below `--sites`). All of them fetch the same pages in one run, each as a process of its
//! own, so that the kernel counts what it takes, its own processes included.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use url::Url;

use crate::sheet::{Experiment, Sheet, rounded};

/// Asked for: CPU a page, in milliseconds, with everything kept, cut and read.
const CPU_MS: f64 = 2.5;
/// Asked for: of the time that Scrapy takes.
const OF_SCRAPY: f64 = 0.25;
/// Asked for: of the CPU, what the catalog's threads take.
const OF_CATALOG: f64 = 0.25;
/// Asked for: the store, against the bytes of the pages.
const OF_BYTES: f64 = 0.6;
/// Articles, each an item of one list of 29.
const ARTICLES: usize = 2_900;
const ARTICLES_QUICK: usize = 290;
/// How often a running process is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// What the server has to begin to answer.
const TO_LISTEN: Duration = Duration::from_secs(10);
/// Ticks of a second in `/proc/*/stat`: the same on every Linux.
const TICKS: f64 = 100.0;

pub fn run(sheet: &mut Sheet, sites: &Path, quick: bool) -> anyhow::Result<()> {
    let scripts = sites.join("plain");
    ensure!(
        scripts.join("make.py").is_file(),
        "no {}: name the directory of the sites with --sites DIR",
        scripts.join("make.py").display()
    );
    let site = Site::serve(&scripts, if quick { ARTICLES_QUICK } else { ARTICLES })?;
    let scrapy = site.scrapy(&scripts)?;
    let wget = site.wget()?;
    for render in ["never", "auto", "always"] {
        let ours = site.ours(render)?;
        let found = ours.items.len();
        let mut row = Experiment::new(format!("plain/peers/{render}"))
            .ours("pages", ours.pages)
            .ours("cpu_ms_a_page", rounded(ours.cost.cpu_ms(ours.pages)))
            .ours("seconds", rounded(ours.cost.wall_s))
            .ours("catalog_share", rounded(ours.cost.catalog_s / ours.cost.cpu_s))
            .ours("bytes", site.bytes)
            .ours("stored", ours.stored)
            .ours("stored_share", rounded(ours.stored as f64 / site.bytes as f64))
            .ours("items", found)
            .ask(found == site.articles, format!("{found} of {} items", site.articles));
        // With a browser it is another race.
        if render == "never" {
            row = ours.asked(row, &site, scrapy.as_ref());
        }
        sheet.put(row)?;
    }
    for (name, cost) in [("scrapy", &scrapy), ("wget", &wget)] {
        if let Some(cost) = cost {
            sheet.put(
                Experiment::new(format!("plain/peers/{name}"))
                    .ours("pages", site.pages)
                    .ours("cpu_ms_a_page", rounded(cost.cpu_ms(site.pages)))
                    .ours("seconds", rounded(cost.wall_s)),
            )?;
        }
    }
    sheet.table("plain pages, beside what others take for them")
}

/// A site that is served as long as this is held.
struct Site {
    directory: TempDir,
    server: Child,
    port: u16,
    articles: usize,
    pages: usize,
    bytes: u64,
}

impl Site {
    fn serve(scripts: &Path, articles: usize) -> anyhow::Result<Self> {
        let directory = tempfile::tempdir().context("cannot make a directory for the site")?;
        let files = directory.path().join("site");
        // The server answers as another user.
        std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755))?;
        let mut make = Command::new("python3");
        make.arg(scripts.join("make.py")).arg(&files).arg(articles.to_string());
        ensure!(make.status().context("cannot run python3")?.success(), "make.py failed");
        let (pages, bytes) = size(&files)?;
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut serve = Command::new("sh");
        serve.arg(scripts.join("run.sh")).arg(&files).env("PORT", port.to_string());
        let server = serve.stdin(Stdio::null()).spawn()?;
        let mut site = Self { directory, server, port, articles, pages, bytes };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = site.server.try_wait()?;
            ensure!(
                ended.is_none() && begun.elapsed() < TO_LISTEN,
                "run.sh serves nothing: nginx is needed (Debian: nginx-light)"
            );
            std::thread::sleep(LOOK);
        }
        Ok(site)
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// An empty directory below that of the site.
    fn room(&self, name: &str) -> anyhow::Result<PathBuf> {
        let room = self.directory.path().join(name);
        std::fs::create_dir_all(&room)?;
        Ok(room)
    }

    fn ours(&self, render: &str) -> anyhow::Result<Ours> {
        let store = self.directory.path().join(render);
        let program = std::env::current_exe()?;
        let mut crawl = Command::new(&program);
        crawl.args(["crawl", &self.url(), "--json", "--render", render, "--store"]).arg(&store);
        eprintln!("  bathys crawl --render {render}");
        let (cost, summary) = measure(crawl)?;
        let summary: Value =
            serde_json::from_slice(&summary).context("the crawl gave no summary")?;
        let mut records = Command::new(&program);
        records.args(["records", "--kind", "item", "--format", "jsonl", "--store"]).arg(&store);
        let records = measure(records)?.1;
        let records = String::from_utf8_lossy(&records);
        let (_, stored) = size(&store)?;
        let pages = summary["pages"].as_u64().unwrap_or_default() as usize;
        Ok(Ours { cost, pages, stored, items: records.lines().filter_map(listed).collect() })
    }

    /// `None` where it is not there and cannot be had.
    fn scrapy(&self, scripts: &Path) -> anyhow::Result<Option<Cost>> {
        let room = self.room("scrapy")?;
        let Some(program) = scrapy(&room)? else {
            eprintln!("  no Scrapy: neither installed nor to be had from PyPI");
            return Ok(None);
        };
        let mut crawl = Command::new(program);
        crawl.arg("runspider").arg(std::path::absolute(scripts.join("peer.py"))?);
        crawl.args(["-O", "out.jl"]).env("PORT", self.port.to_string()).current_dir(&room);
        eprintln!("  scrapy");
        Ok(Some(measure(crawl)?.0))
    }

    fn wget(&self) -> anyhow::Result<Option<Cost>> {
        let mut mirror = Command::new("wget");
        mirror.args(["--mirror", "--quiet", &self.url()]).current_dir(self.room("wget")?);
        if !is_there("wget") {
            eprintln!("  no wget");
            return Ok(None);
        }
        eprintln!("  wget");
        Ok(Some(measure(mirror)?.0))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // Not killed: its master has workers to end.
        if let Some(server) = Pid::from_raw(self.server.id().cast_signed()) {
            let _ = kill_process(server, Signal::TERM);
        }
        let _ = self.server.wait();
    }
}

/// Scrapy as it is installed, or from PyPI into a directory.
fn scrapy(room: &Path) -> anyhow::Result<Option<PathBuf>> {
    if is_there("scrapy") {
        return Ok(Some("scrapy".into()));
    }
    let venv = room.join("venv");
    let made = Command::new("python3").args(["-m", "venv"]).arg(&venv).status()?.success();
    let mut install = Command::new(venv.join("bin/pip"));
    install.args(["install", "--quiet", "scrapy"]).stdout(Stdio::null());
    let is_installed = made && install.status()?.success();
    Ok(is_installed.then(|| venv.join("bin/scrapy")))
}

fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|path| path.join(program).is_file())
}

/// The item of a list that a record is: the number of its article.
fn listed(record: &str) -> Option<String> {
    let record: Value = serde_json::from_str(record).ok()?;
    let is_of_list = Url::parse(record["url"].as_str()?).ok()?.path().starts_with("/list/");
    let article = Url::parse(record["permalink"].as_str()?).ok()?;
    (is_of_list && article.path().starts_with("/a/")).then(|| article.path().to_owned())
}

/// What a crawl of ours took and kept.
struct Ours {
    cost: Cost,
    pages: usize,
    stored: u64,
    items: BTreeSet<String>,
}

impl Ours {
    fn asked(&self, row: Experiment, site: &Site, scrapy: Option<&Cost>) -> Experiment {
        let cpu_ms = self.cost.cpu_ms(self.pages);
        let catalog = self.cost.catalog_s / self.cost.cpu_s;
        let stored = self.stored as f64 / site.bytes as f64;
        let row = row
            .ask(self.pages == site.pages, format!("{} of {} pages", self.pages, site.pages))
            .ask(cpu_ms <= CPU_MS, format!("{cpu_ms:.2} ms of CPU a page, asked {CPU_MS}"))
            .ask(catalog <= OF_CATALOG, format!("{:.0} % is the catalog's", catalog * 100.0))
            .ask(stored <= OF_BYTES, format!("{stored:.2} bytes kept for each received"));
        let Some(scrapy) = scrapy else { return row };
        let share = self.cost.wall_s / scrapy.wall_s;
        row.better(scrapy.wall_s, self.cost.wall_s)
            .ask(share <= OF_SCRAPY, format!("{share:.2} of the time of Scrapy"))
    }
}

/// What a process took, with those that it began and waited for.
struct Cost {
    wall_s: f64,
    cpu_s: f64,
    /// Of its CPU, what its threads named `catalog-…` took.
    catalog_s: f64,
}

impl Cost {
    fn cpu_ms(&self, pages: usize) -> f64 {
        self.cpu_s * 1e3 / pages.max(1) as f64
    }
}

/// Runs a program to its end; what it took, and what it wrote.
fn measure(mut command: Command) -> anyhow::Result<(Cost, Vec<u8>)> {
    let name = command.get_program().to_string_lossy().into_owned();
    let before = children_s()?;
    let begun = Instant::now();
    let output = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("cannot run {name}"))?;
    let mut threads = BTreeMap::new();
    let ended = loop {
        catalog_threads(child.id(), &mut threads);
        if let Some(ended) = child.try_wait()? {
            break ended;
        }
        std::thread::sleep(LOOK);
    };
    let wall_s = begun.elapsed().as_secs_f64();
    // wget ends so when a page names an address that is not there.
    ensure!(ended.success() || name == "wget", "{name} failed: {ended}");
    let catalog_s = threads.values().sum::<u64>() as f64 / 1e9;
    Ok((Cost { wall_s, cpu_s: children_s()? - before, catalog_s }, written(output)?))
}

fn written(mut file: std::fs::File) -> anyhow::Result<Vec<u8>> {
    use std::io::{Read as _, Seek as _};
    let mut all = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut all)?;
    Ok(all)
}

/// The CPU of all processes that were begun here and have ended, in seconds.
fn children_s() -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").context("this system has no /proc")?;
    // The name, which may hold anything, is in brackets; cutime and cstime are fields 16 and 17.
    let (_, fields) = stat.rsplit_once(')').context("/proc/self/stat is not as expected")?;
    let ticks =
        fields.split_whitespace().skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() / TICKS)
}

/// Notes the nanoseconds of CPU that the threads of the catalog had so far.
fn catalog_threads(process: u32, threads: &mut BTreeMap<PathBuf, u64>) {
    let Ok(all) = std::fs::read_dir(format!("/proc/{process}/task")) else { return };
    for thread in all.flatten().map(|thread| thread.path()) {
        let is_catalog = |name: String| name.starts_with("catalog-");
        if !std::fs::read_to_string(thread.join("comm")).is_ok_and(is_catalog) {
            continue;
        }
        let ran = std::fs::read_to_string(thread.join("schedstat")).ok();
        let ran = ran.and_then(|ran| ran.split_whitespace().next()?.parse().ok());
        if let Some(ran) = ran {
            threads.insert(thread, ran);
        }
    }
}

/// How many files a directory holds, and their bytes.
fn size(directory: &Path) -> anyhow::Result<(usize, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let (more_files, more_bytes) = match entry.file_type()?.is_dir() {
            true => size(&entry.path())?,
            false => (1, entry.metadata()?.len()),
        };
        files += more_files;
        bytes += more_bytes;
    }
    Ok((files, bytes))
}
