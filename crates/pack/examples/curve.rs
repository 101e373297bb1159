//! Size against restore time: `curve CAP:ORDER:KEYS,… DIRECTORY…`
//!
//! Every directory is a series: its files in the order of their names are the versions of one page. For every
//! setting (`2:best:4`: at most 2 MB of new bytes a group, or `none`; the order of the model, or `best`; how
//! many keys a group may rest on, 0 for groups without a base) it packs each series, compares every version byte
//! for byte, and restores versions one by one with nothing decoded before. Beside it stand `zstd -19 --long=27`
//! over the whole series and, where git is installed, `git repack -adf` of one commit a version.
//!
//! Times are processor time of the one thread that works, so that other work on the machine counts less.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pack::{Group, Packer, Settings, unpack};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let trials = arguments.next().ok_or("which settings? such as 2:best:4")?;
    let series =
        arguments.map(|path| Series::read(Path::new(&path))).collect::<Result<Vec<_>, _>>()?;
    for series in &series {
        let count = series.versions.len();
        let each = |bytes: usize| bytes / count.max(1);
        let git = series.git.map_or("no git".to_owned(), |git| each(git).to_string());
        println!("{}: {count} versions of {} bytes", series.name, each(series.raw()));
        println!(
            "  bytes a version: zstd -19 --long=27 solid {}, git repack -adf {git}",
            each(series.solid)
        );
    }
    for trial in trials.split(',') {
        let trial = Trial::read(trial)?;
        println!("\n{}", trial.name);
        println!("series       groups  B/version  x solid  x git   p50   p95   max ms  pack MB/s");
        let (mut product, mut git_product) = (1.0, 1.0);
        let mut all_times = Vec::new();
        for series in &series {
            let mut result = trial.run(series)?;
            product *= result.size as f64 / series.solid as f64;
            let git = series.git.map_or(f64::NAN, |git| result.size as f64 / git as f64);
            git_product *= git;
            let solid = result.size as f64 / series.solid as f64;
            let each = result.size / series.versions.len().max(1);
            let (name, groups, speed) = (&series.name, result.groups, result.speed);
            let times = percentiles(&mut result.times);
            println!("{name:12} {groups:6}  {each:9}    {solid:.3}  {git:.3}  {times}  {speed:.1}");
            all_times.append(&mut result.times);
        }
        let root = 1.0 / series.len() as f64;
        let (solid, git) = (f64::powf(product, root), f64::powf(git_product, root));
        println!(
            "geometric mean {solid:.3} of solid, {git:.3} of git; all restores {}",
            percentiles(&mut all_times)
        );
    }
    Ok(())
}

struct Series {
    name: String,
    versions: Vec<Vec<u8>>,
    solid: usize,
    git: Option<usize>,
}

impl Series {
    fn read(directory: &Path) -> Result<Self, Failure> {
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entries = std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
        let mut files = entries.collect::<Result<Vec<PathBuf>, Failure>>()?;
        files.sort();
        let versions = files.iter().map(std::fs::read).collect::<Result<Vec<_>, _>>()?;
        let mut compressor = zstd::bulk::Compressor::new(19)?;
        compressor.long_distance_matching(true)?;
        compressor.window_log(27)?;
        let solid = compressor.compress(&versions.concat())?.len();
        let git = git_size(&name, &versions).ok();
        Ok(Self { name, versions, solid, git })
    }

    fn raw(&self) -> usize {
        self.versions.iter().map(Vec::len).sum()
    }
}

/// The bytes of a pack with one commit a version.
fn git_size(name: &str, versions: &[Vec<u8>]) -> Result<usize, Failure> {
    let directory = std::env::temp_dir().join(format!("curve-{}-{name}.git", std::process::id()));
    let git = |arguments: &[&str], input: &[u8]| -> Result<(), Failure> {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(&directory).args(arguments).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        child.stdin.take().ok_or("no pipe")?.write_all(input)?;
        if child.wait()?.success() { Ok(()) } else { Err("git failed".into()) }
    };
    git(&["init", "-q", "--bare"], b"")?;
    let mut commits = Vec::new();
    for (at, version) in versions.iter().enumerate() {
        let who = format!("committer curve <curve@example.org> {at} +0000\ndata 7\nversion\n");
        write!(
            commits,
            "commit refs/heads/main\n{who}M 100644 inline page\ndata {}\n",
            version.len()
        )?;
        commits.extend_from_slice(version);
        commits.push(b'\n');
    }
    git(&["fast-import", "--quiet"], &commits)?;
    git(&["repack", "-q", "-adf", "--window=50", "--depth=50"], b"")?;
    let mut size = 0;
    for entry in std::fs::read_dir(directory.join("objects/pack"))? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "pack") {
            size += entry.metadata()?.len() as usize;
        }
    }
    std::fs::remove_dir_all(&directory)?;
    Ok(size)
}

struct Trial {
    name: String,
    settings: Settings,
    keys: usize,
}

struct Outcome {
    groups: usize,
    size: usize,
    times: Vec<f64>,
    speed: f64,
}

/// A group, the first version in it, how many, and the group whose last member is its base.
struct Packed {
    bytes: Vec<u8>,
    first: usize,
    count: usize,
    base: Option<usize>,
    /// How many keys it takes to restore its own.
    keys: usize,
}

impl Trial {
    fn read(text: &str) -> Result<Self, Failure> {
        let [cap, order, keys] = text.split(':').collect::<Vec<_>>()[..] else {
            return Err("a setting is CAP:ORDER:KEYS".into());
        };
        let mut settings = Settings::default();
        match cap {
            "none" => settings = Settings::smallest(),
            "default" => {}
            cap => settings.new_bytes = (cap.parse::<f64>()? * f64::from(1 << 20)) as usize,
        }
        if order != "best" {
            settings.orders = vec![order.parse()?].leak();
        }
        Ok(Self { name: text.to_owned(), settings, keys: keys.parse()? })
    }

    fn run(&self, series: &Series) -> Result<Outcome, Failure> {
        let start = processor_time();
        let groups = self.pack(&series.versions)?;
        let speed = series.raw() as f64 / 1e6 / (processor_time() - start);
        let mut times = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let base = restore_base(&groups, at)?;
            let whole = Group::read(&group.bytes)?.unpack_all(base.as_deref())?;
            assert!(
                whole == series.versions[group.first..][..group.count],
                "a version came back otherwise"
            );
            // Neighbours take nearly the same time.
            for index in (0..group.count).step_by(1 + group.count / 16) {
                let start = processor_time();
                let base = restore_base(&groups, at)?;
                let version = unpack(&group.bytes, base.as_deref(), index)?;
                let took = (processor_time() - start) * 1e3;
                assert!(
                    version == series.versions[group.first + index],
                    "a version came back otherwise"
                );
                let stands_for = (group.count - index).min(1 + group.count / 16);
                times.extend(std::iter::repeat_n(took, stands_for));
            }
        }
        let size = groups.iter().map(|group| group.bytes.len()).sum();
        Ok(Outcome { groups: groups.len(), size, times, speed })
    }

    /// A group rests on the key of the one before; when that rests on too many, on the first.
    fn pack(&self, versions: &[Vec<u8>]) -> Result<Vec<Packed>, Failure> {
        let mut groups: Vec<Packed> = Vec::new();
        let mut first = 0;
        while first < versions.len() {
            let base = match groups.len() {
                0 => None,
                _ if self.keys == 0 => None,
                before if groups[before - 1].keys < self.keys => Some(before - 1),
                _ => Some(0),
            };
            let key = base.map(|at| groups[at].first + groups[at].count - 1);
            let mut packer = Packer::new(self.settings, key.map(|key| &versions[key][..]));
            for version in &versions[first..] {
                if !packer.push(version)? {
                    break;
                }
            }
            let count = packer.len();
            let keys = base.map_or(0, |base| groups[base].keys) + 1;
            groups.push(Packed { bytes: packer.finish(), first, count, base, keys });
            first += count;
        }
        Ok(groups)
    }
}

fn restore_base(groups: &[Packed], at: usize) -> Result<Option<Vec<u8>>, Failure> {
    let mut chain = Vec::new();
    let mut base = groups[at].base;
    while let Some(at) = base {
        chain.push(&groups[at]);
        base = groups[at].base;
    }
    let mut bytes: Option<Vec<u8>> = None;
    for group in chain.into_iter().rev() {
        bytes = Some(unpack(&group.bytes, bytes.as_deref(), group.count - 1)?);
    }
    Ok(bytes)
}

fn percentiles(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    let at =
        |share: usize| times.get(((times.len() * share).div_ceil(100)).saturating_sub(1)).copied();
    let [p50, p95, max] = [50, 95, 100].map(|share| at(share).unwrap_or_default());
    format!("{p50:5.0} {p95:5.0} {max:5.0}")
}

fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
