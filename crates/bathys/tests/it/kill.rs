//! `kill -9` loses at most the step in hand, and leaves no browser behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use testsite::{Running, SiteKind};

use crate::program::{Scratch, Started};
use crate::site::{changes, identities, maze, missing, pages, serve};

/// How long a browser may outlive the crawl that started it.
const GRACE: Duration = Duration::from_secs(2);

/// Waits until a crawl has made this many requests since `before`.
pub fn until_asked(site: &Running, before: u64, requests: u64, crawl: &mut Started) {
    while site.requests().total < before + requests {
        assert!(!crawl.has_ended(), "it ended before it had made {requests} requests");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_crawl_that_is_killed_again_and_again_finds_everything_and_nothing_twice() {
    let whole = maze();
    let _alone = whole.alone();
    let scratch = Scratch::new();
    let url = whole.site.url();
    let crawl = ["crawl", &url, "--json"];
    // Counted in requests, so that the moments are spread over the crawl on any machine; the
    // milliseconds after the request find it waiting, reading, firing and writing.
    for (requests, more) in [(1, 0), (15, 5), (30, 0), (45, 40), (60, 15), (80, 90)] {
        let before = whole.site.requests().total;
        let mut killed = Started::new(&mut scratch.bathys(&crawl));
        until_asked(&whole.site, before, requests, &mut killed);
        std::thread::sleep(Duration::from_millis(more));
        killed.kill();
    }
    let ended = scratch.run(&crawl);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let summary = ended.json();
    assert_eq!((&summary["stopped"], &summary["waiting"]), (&serde_json::Value::Null, &0.into()));
    // None is there twice, and nothing is missing. What else a state shows, such as the headline of the moment or
    // what was opened before, depends on when and how it was come to.
    identities(&pages(&scratch));
    assert_eq!(missing(&whole.site, &scratch), Vec::<String>::new());
    assert_eq!(changes(&whole.site), Vec::<String>::new());
    let left: Vec<_> = fs::read_dir(scratch.path().join("tmp")).unwrap().flatten().collect();
    assert!(left.is_empty(), "profiles of killed runs are swept: {left:?}");
}

#[test]
fn no_browser_outlives_a_killed_crawl() {
    let site = &serve(SiteKind::Maze);
    for (requests, more) in [(0, 120), (1, 0), (20, 0)] {
        let scratch = Scratch::new();
        let before = site.requests().total;
        let mut crawl = Started::new(&mut scratch.bathys(&["crawl", &site.url(), "--tabs", "2"]));
        until_asked(site, before, requests, &mut crawl);
        std::thread::sleep(Duration::from_millis(more));
        let mut family = descendants(crawl.id());
        if requests > 1 {
            assert!(family.len() > 2, "a browser with its children: {family:?}");
        }
        crawl.kill();
        let killed = Instant::now();
        loop {
            family.extend(mentioning(scratch.path()));
            family.retain(|pid, started| process(*pid).is_some_and(|p| p.started == *started));
            if family.is_empty() {
                break;
            }
            assert!(killed.elapsed() < GRACE, "still there after {requests} requests: {family:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

struct Process {
    parent: u32,
    started: u64,
}

/// A process that runs. A zombie does not: where nobody reaps orphans it stays for ever.
fn process(pid: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<_> = fields.split_whitespace().collect();
    let (state, parent, started) = (fields.first()?, fields.get(1)?, fields.get(19)?);
    (*state != "Z").then_some(())?;
    Some(Process { parent: parent.parse().ok()?, started: started.parse().ok()? })
}

fn processes() -> Vec<(u32, Process)> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| Some((pid, process(pid)?))).collect()
}

/// All that a process started, and what those started, by number and start time.
fn descendants(of: u32) -> BTreeMap<u32, u64> {
    let all = processes();
    let mut found = BTreeMap::new();
    let mut parents = vec![of];
    while let Some(parent) = parents.pop() {
        for (pid, process) in all.iter().filter(|(_, process)| process.parent == parent) {
            found.insert(*pid, process.started);
            parents.push(*pid);
        }
    }
    found
}

/// The processes whose arguments or environment name a directory: those that were started in it,
/// with a profile below it.
pub fn mentioning(directory: &Path) -> Vec<(u32, u64)> {
    let name = directory.to_str().unwrap().as_bytes();
    let names = |pid: u32, file: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        bytes.windows(name.len()).any(|window| window == name)
    };
    let all = processes().into_iter();
    let ours = all.filter(|(pid, _)| names(*pid, "cmdline") || names(*pid, "environ"));
    ours.map(|(pid, process)| (pid, process.started)).collect()
}
