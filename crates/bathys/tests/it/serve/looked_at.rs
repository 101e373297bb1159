//! Every page for people in a real browser: nothing on the console, nothing to scroll to at the width of a
//! telephone, and nothing that axe objects to.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use browser::{Browser, Caps, LaunchOptions, Tab, TabOptions, Viewport};
use serde_json::Value;

use super::{most_changed, served};
use crate::archive::exported;

/// axe waits for timers, and in a tab of ours time stands still: what it would wait for is done at once.
const AT_ONCE: &str = "globalThis.setTimeout = (work, _, ...with_) => \
    { Promise.resolve().then(() => work(...with_)); return 1; };";
const RUN: &str = "axe.run(document, { preload: false, iframes: false, resultTypes: ['violations'] })\
    .then((found) => { globalThis.found = found.violations.flatMap((rule) => rule.nodes.map((node) => \
        `${rule.id}: ${node.target.join(' ')}: ${node.failureSummary}`)); })\
    .catch((error) => { globalThis.found = [`axe failed: ${error}`]; }); 0";

/// The source of axe, where `make check` has put it.
fn axe() -> String {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let libraries = std::fs::read_dir(checkout.join(".venv/lib")).unwrap().flatten();
    let mut files = libraries
        .map(|python| python.path().join("site-packages/axe_playwright_python/axe.min.js"));
    let file = files.find(|file| file.exists()).expect("axe is not installed: run 'make check'");
    std::fs::read_to_string(file).unwrap()
}

/// All pages, each in every view.
fn addresses() -> Vec<String> {
    let number = most_changed()["page"].as_i64().unwrap();
    let site = exported().pages[0]["site"].as_str().unwrap();
    let mut all: Vec<String> = [
        "/",
        "/pages",
        "/records",
        "/changes?new=1",
        "/live",
        "/search?q=harbour",
        "/api",
        "/login",
        "/nothing",
    ]
    .map(str::to_owned)
    .to_vec();
    all.push(format!("/site/{site}"));
    all.push(format!("/site/{site}/graph"));
    for view in ["", "text", "replay", "changes", "records", "exchanges", "about"] {
        all.push(format!("/page/{number}?view={view}"));
    }
    for look in ["side", "inline"] {
        all.push(format!("/page/{number}/diff?look={look}"));
    }
    all
}

#[test]
fn every_page_fits_a_telephone_and_has_nothing_that_axe_objects_to() {
    // The store is made first: that has a runtime of its own.
    let (addresses, host, axe) = (addresses(), &served().site.host, axe());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
        let mut wrong = Vec::new();
        // Every page at the narrowest; the rest tells what language and room make of them.
        for (width, language, step) in [(360, "en", 1), (360, "zh", 3), (1280, "en", 4)] {
            let viewport = Viewport { width, height: 800 };
            let accept_language = Some(language.to_owned());
            // axe takes its time on a machine that is busy.
            let caps = Caps { script: Duration::from_secs(120), ..Caps::default() };
            let options = TabOptions { viewport, accept_language, caps, ..TabOptions::default() };
            let mut tab = browser.tab(options).await.unwrap();
            for address in addresses.iter().step_by(step) {
                let found = look(&mut tab, host, address, &axe).await;
                wrong.extend(
                    found.iter().map(|what| format!("{address} at {width} {language}: {what}")),
                );
            }
            tab.close().await;
        }
        browser.close().await;
        assert!(wrong.is_empty(), "{} findings:\n{}", wrong.len(), wrong.join("\n"));
    });
}

async fn look(tab: &mut Tab, host: &str, address: &str, axe: &str) -> Vec<String> {
    let url = format!("http://{host}{address}");
    tab.navigate(&url.parse().unwrap()).await.unwrap();
    let mut wrong = Vec::new();
    let widths: (f64, f64) = tab
        .evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        .await
        .unwrap();
    if widths.0 > widths.1 {
        wrong.push(format!("{} pixels wide, {} fit", widths.0, widths.1));
    }
    let _: Value = tab.evaluate(&format!("{AT_ONCE}{axe};{RUN}")).await.unwrap();
    let found: Option<Vec<String>> = tab.evaluate("globalThis.found ?? null").await.unwrap();
    wrong.extend(found.unwrap_or_else(|| vec!["axe did not end".into()]));
    wrong
}

#[test]
fn no_page_writes_to_the_console() {
    let mut wrong = Vec::new();
    for address in addresses() {
        // A page that is not there is an error to the browser, too.
        if address == "/nothing" {
            continue;
        }
        let url = format!("http://{}{address}", served().site.host);
        // What never ends loading would be waited for for ever.
        let is_stream = address == "/live";
        let waits = if is_stream { "--timeout=4000" } else { "--virtual-time-budget=5000" };
        let ended = Command::new("chromium-headless-shell")
            .args(["--no-sandbox", "--enable-logging=stderr", waits])
            .args(["--dump-dom", &url])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        let said = said.lines().filter(|line| line.contains("CONSOLE"));
        wrong.extend(said.map(|line| format!("{address}: {line}")));
        assert!(!ended.stdout.is_empty(), "{address} showed nothing");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
