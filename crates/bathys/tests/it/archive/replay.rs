//! pywb replays what we export, in Chromium: the text of every page and state, at every time.

use browser::{Browser, LaunchOptions, TabOptions};
use page::tree::visible_text;

use super::oracle::Pywb;
use super::{Exported, exported};

/// The words that a page shows: pywb's markup may bring other spaces.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn pywb_replays_pages_revisits_and_states_with_their_text() {
    let exported = exported();
    let pywb = Pywb::replay(&exported.path("site.warc.gz"), &exported.path("pywb"));
    tokio::runtime::Runtime::new().unwrap().block_on(replays(exported, &pywb));
}

async fn replays(exported: &Exported, pywb: &Pywb) {
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let mut tab = browser.tab(TabOptions::default()).await.unwrap();
    let (mut states, mut looks) = (0, 0);
    for page in &exported.pages {
        let key = page["key"].as_str().unwrap();
        let address = publish::warc::state_address(key).unwrap_or_else(|| key.to_owned());
        let is_state = address != key;
        // Every look at a page is a memento; what was loaded twice to learn from it has more.
        let visits =
            exported.scratch.run(&["log", key, "--visits", "--all", "--json"]).json_lines();
        let times: Vec<String> = visits
            .iter()
            .filter(|visit| visit["same_as"].is_i64() || visit["version"].is_i64())
            .map(|visit| visit["time"].as_str().unwrap().to_owned())
            .collect();
        let map = String::from_utf8(pywb.ask(&format!("timemap/link/{address}"))).unwrap();
        let mementos = map.lines().filter(|line| line.contains("memento\"")).count();
        assert!(mementos >= times.len(), "{key}: {times:?}\n{map}");
        for time in &times {
            let stamp: String = time.chars().filter(char::is_ascii_digit).take(14).collect();
            let url = pywb.url(&format!("{stamp}/{address}")).parse().unwrap();
            tab.navigate(&url).await.unwrap_or_else(|error| panic!("{key}: {error}"));
            let shown = visible_text(&tab.walk().await.unwrap().dom);
            let at = format!("{key}@{time}");
            let kept = exported.scratch.run(&["show", &at, "--as", "text"]).ok().to_owned();
            assert_eq!(words(&shown), words(&kept), "{at} at {url}");
            looks += 1;
            states += usize::from(is_state);
        }
        if !is_state {
            let at = format!("{key}@{}", times[0]);
            let stamp: String = times[0].chars().filter(char::is_ascii_digit).take(14).collect();
            let raw = exported.scratch.run(&["show", &at, "--as", "raw"]);
            assert!(pywb.ask(&format!("{stamp}id_/{address}")) == raw.stdout, "raw bytes of {at}");
        }
    }
    browser.close().await;
    assert!(states > 2 && looks > exported.pages.len(), "{states} states, {looks} looks");
}
