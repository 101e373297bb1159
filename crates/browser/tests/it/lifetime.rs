//! Starting, dying, starting again; and nothing left behind.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use browser::{Action, Browser, LaunchError, LaunchOptions, TabOptions};

use crate::site::Site;
use crate::stage::run;

/// Processes for which something holds.
fn processes(is_one: impl Fn(&std::path::Path) -> bool) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("proc").flatten();
    let numbered = entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse::<u32>().ok()?;
        (pid != std::process::id() && is_one(&entry.path())).then_some(pid)
    });
    numbered.collect()
}

/// A browser process and all its children: they stay in its process group.
fn group(leader: u32) -> Vec<u32> {
    processes(|process| {
        let stat = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let mut fields = fields.split_ascii_whitespace();
        let dead = fields.next() == Some("Z");
        !dead && fields.nth(1) == Some(leader.to_string().as_str())
    })
}

/// The browser processes that keep their profiles in this folder.
fn browsers_of(profiles: &std::path::Path) -> Vec<u32> {
    let needle = format!("--user-data-dir={}", profiles.display()).into_bytes();
    processes(|process| {
        let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
        line.windows(needle.len()).any(|part| part == needle)
    })
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("bathys-test-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

async fn gone(leader: u32, within: Duration) -> bool {
    let deadline = Instant::now() + within;
    while Instant::now() < deadline {
        if group(leader).is_empty() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

fn options(profiles: &std::path::Path) -> LaunchOptions {
    LaunchOptions { profiles: Some(profiles.to_owned()), ..LaunchOptions::default() }
}

#[test]
fn a_closed_browser_leaves_neither_process_nor_profile() {
    run(async {
        let profiles = folder("close");
        let browser = Browser::launch(options(&profiles)).await.expect("a browser");
        let site = Site::page("<p>x</p>").await;
        let mut tab = browser.tab(TabOptions::default()).await.expect("a tab");
        tab.navigate(&site.url("/")).await.expect("a page");
        let leader = browser.pid();
        assert!(group(leader).len() > 2, "renderers are children");
        browser.close().await;
        assert_eq!(group(leader), [0u32; 0]);
        assert_eq!(std::fs::read_dir(&profiles).expect("a folder").count(), 0);
        let error = tab.walk().await.expect_err("the browser is gone");
        assert!(matches!(error, browser::TabError::Closed) || error.is_browser_gone(), "{error}");
        std::fs::remove_dir_all(&profiles).expect("swept");
    });
}

#[test]
fn a_dropped_browser_leaves_nothing_either() {
    run(async {
        let profiles = folder("drop");
        let browser = Browser::launch(options(&profiles)).await.expect("a browser");
        let site = Site::page("<button onclick='for (;;) {}'>a</button>").await;
        let mut tab = browser.tab(TabOptions::default()).await.expect("a tab");
        tab.navigate(&site.url("/")).await.expect("a page");
        // Busy for ever: it must end all the same.
        let busy = tokio::spawn(async move {
            let _ = tab.fire(&Action::new("/html/body/button[1]", "click")).await;
        });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let leader = browser.pid();
        drop(browser);
        assert!(gone(leader, Duration::from_secs(3)).await, "{:?}", group(leader));
        busy.await.expect("the task ends with the browser");
        std::fs::remove_dir_all(&profiles).expect("swept");
    });
}

#[test]
fn a_killed_browser_is_noticed_at_once_and_started_again() {
    run(async {
        let profiles = folder("kill");
        let browser = Browser::launch(options(&profiles)).await.expect("a browser");
        let site = Site::page("<p id=p>0</p><button onclick=\"fetch('/never')\">a</button>").await;
        let mut tab = browser.tab(TabOptions::default()).await.expect("a tab");
        tab.navigate(&site.url("/")).await.expect("a page");
        let first = browser.pid();
        let killed = Command::new("kill").args(["-9", &first.to_string()]).status().expect("kill");
        assert!(killed.success());
        let began = Instant::now();
        let error = tab.navigate(&site.url("/")).await.expect_err("dead");
        assert!(matches!(error, browser::TabError::Closed) || error.is_browser_gone(), "{error}");
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        let mut tab = browser.tab(TabOptions::default()).await.expect("a tab of a new browser");
        tab.navigate(&site.url("/")).await.expect("a page");
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
        assert_ne!(browser.pid(), first);
        browser.restart().await.expect("again");
        let mut tab = browser.tab(TabOptions::default()).await.expect("a tab");
        tab.navigate(&site.url("/")).await.expect("a page");
        let leader = browser.pid();
        browser.close().await;
        assert_eq!(group(leader), [0u32; 0]);
        assert_eq!(group(first), [0u32; 0]);
        std::fs::remove_dir_all(&profiles).expect("swept");
    });
}

/// Not a test of its own: the next one runs it in a process that it kills.
#[test]
#[ignore = "run by a_killed_process_takes_its_browser_with_it"]
fn hold_a_browser() {
    let Some(profiles) = std::env::var_os("BATHYS_TEST_PROFILES") else {
        return;
    };
    run(async move {
        let browser = Browser::launch(options(&PathBuf::from(profiles))).await.expect("a browser");
        let site = Site::page("<button onclick='for (;;) {}'>a</button>").await;
        let mut tab = browser.tab(TabOptions::default()).await.expect("a tab");
        tab.navigate(&site.url("/")).await.expect("a page");
        println!("ready");
        let _ = tab.fire(&Action::new("/html/body/button[1]", "click")).await;
        std::future::pending::<()>().await;
    });
}

#[test]
fn a_killed_process_takes_its_browser_with_it_and_the_next_sweeps_its_profile() {
    run(async {
        let profiles = folder("orphan");
        let myself = std::env::current_exe().expect("a path");
        let mut child = Command::new(myself)
            .args(["--ignored", "--exact", "lifetime::hold_a_browser", "--nocapture"])
            .env("BATHYS_TEST_PROFILES", &profiles)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a child");
        let deadline = Instant::now() + Duration::from_secs(20);
        let leader = loop {
            assert!(Instant::now() < deadline, "the child has no browser");
            tokio::time::sleep(Duration::from_millis(50)).await;
            if let Some(leader) = browsers_of(&profiles).first().copied()
                && group(leader).len() > 3
            {
                break leader;
            }
        };
        // By now its page is in an endless loop.
        tokio::time::sleep(Duration::from_millis(700)).await;
        child.kill().expect("killed");
        child.wait().expect("reaped");
        assert!(gone(leader, Duration::from_secs(3)).await, "{:?}", group(leader));
        assert_eq!(
            std::fs::read_dir(&profiles).expect("a folder").count(),
            1,
            "its profile is left"
        );
        let browser = Browser::launch(options(&profiles)).await.expect("a browser");
        browser.close().await;
        assert_eq!(std::fs::read_dir(&profiles).expect("a folder").count(), 0, "swept");
        std::fs::remove_dir_all(&profiles).expect("swept");
    });
}

#[test]
fn an_executable_that_is_no_browser_is_an_error_and_not_a_wait() {
    run(async {
        let wrong =
            LaunchOptions { executable: Some("/bin/true".into()), ..LaunchOptions::default() };
        let began = Instant::now();
        let error = Browser::launch(wrong).await.err().expect("no browser");
        assert!(matches!(error, LaunchError::Silent { .. }), "{error}");
        assert!(began.elapsed() < Duration::from_secs(5));
    });
}

#[test]
fn a_renderer_that_dies_costs_its_tab_and_is_noticed_at_once() {
    run(async {
        let profiles = folder("renderer");
        let browser = Browser::launch(options(&profiles)).await.expect("a browser");
        let site = Site::page("<p id=p>0</p><button onclick='p.textContent++'>a</button>").await;
        let mut tab = browser.tab(TabOptions::default()).await.expect("a tab");
        tab.navigate(&site.url("/")).await.expect("a page");
        for pid in group(browser.pid()) {
            let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            if line.contains("--type=renderer") {
                Command::new("kill").args(["-9", &pid.to_string()]).status().expect("kill");
            }
        }
        let began = Instant::now();
        let error = tab.fire(&Action::new("/html/body/button[1]", "click")).await;
        assert!(matches!(error, Err(browser::TabError::Crashed)), "{error:?}");
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        let pid = browser.pid();
        let mut next = browser.tab(TabOptions::default()).await.expect("a tab");
        next.navigate(&site.url("/")).await.expect("a page");
        assert_eq!(browser.pid(), pid, "the browser itself goes on");
        browser.close().await;
        std::fs::remove_dir_all(&profiles).expect("swept");
    });
}

#[test]
fn the_renderer_of_a_hung_tab_does_not_stay_busy() {
    run(async {
        let profiles = folder("hung");
        let browser = Browser::launch(options(&profiles)).await.expect("a browser");
        let site = Site::page(
            "<button onclick='setInterval(() => { for (;;) {} }, 1); for (;;) {}'>a</button>",
        )
        .await;
        // One that stays, so that the browser has no reason to keep a spare renderer.
        let mut first = browser.tab(TabOptions::default()).await.expect("a tab");
        first.navigate(&site.url("/")).await.expect("a page");
        let caps = browser::Caps { script: Duration::from_millis(500), ..browser::Caps::default() };
        let mut tab =
            browser.tab(TabOptions { caps, ..TabOptions::default() }).await.expect("a tab");
        tab.navigate(&site.url("/")).await.expect("a page");
        let error = tab.fire(&Action::new("/html/body/button[1]", "click")).await;
        assert!(matches!(error, Err(browser::TabError::Hung { .. })), "{error:?}");
        drop(tab);
        tokio::time::sleep(Duration::from_secs(2)).await;
        let before = cpu_ticks(browser.pid());
        tokio::time::sleep(Duration::from_secs(1)).await;
        let spent = cpu_ticks(browser.pid()).saturating_sub(before);
        // A second of one core is a hundred ticks.
        assert!(spent < 50, "{spent} ticks in a second");
        browser.close().await;
        std::fs::remove_dir_all(&profiles).expect("swept");
    });
}

/// Processor time that a browser and its children have used so far, in hundredths of a second.
fn cpu_ticks(leader: u32) -> u64 {
    let used = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let times = fields.split_ascii_whitespace().skip(11).take(2);
        times.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>()
    };
    group(leader).into_iter().map(used).sum()
}
