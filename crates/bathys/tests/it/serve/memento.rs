//! Replay: the same as pywb answers of an exported file, and nothing in it that acts.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{in_query, served};
use crate::archive::exported;
use crate::archive::oracle::Pywb;

/// What both say of a capture. Ours lies in no file, so there is no place in one.
fn told(lines: &[Value]) -> Vec<Vec<Value>> {
    let names = ["urlkey", "timestamp", "url", "mime", "status", "digest"];
    let mut told: Vec<Vec<Value>> =
        lines.iter().map(|line| names.map(|name| line[name].clone()).to_vec()).collect();
    // Several of one second stand in the order of their places there.
    told.sort_by_key(|line| format!("{line:?}"));
    told
}

fn json_lines(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn captures_times_and_bytes_are_those_of_pywb() {
    let exported = exported();
    let pywb = Pywb::replay(&exported.path("site.warc.gz"), &exported.path("pywb-serve"));
    let ours = &served().archive;
    let host = url::Url::parse(&exported.start).unwrap();
    let host = format!("{}:{}", host.host_str().unwrap(), host.port().unwrap());
    let question = format!("cdx?url={host}&matchType=host&output=json");
    let theirs = json_lines(&pywb.ask(&question));
    let own = ours.ok(&format!("/web/{question}")).json_lines();
    assert!(own.len() > 100, "{}", own.len());
    assert_eq!(told(&own), told(&theirs));

    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let urls: BTreeSet<String> = theirs.iter().map(|line| text(line, "url")).collect();
    for url in &urls {
        let map = format!("timemap/link/{url}");
        let times = |map: &str| -> Vec<String> {
            let mementos = map.lines().filter(|line| line.contains("rel=\"memento\""));
            let time =
                |line: &str| line.split("datetime=\"").nth(1)?.split('"').next().map(str::to_owned);
            mementos.filter_map(time).collect()
        };
        let theirs = String::from_utf8_lossy(&pywb.ask(&map)).into_owned();
        assert_eq!(times(&ours.ok(&format!("/web/{map}")).text()), times(&theirs), "{url}");
    }
    let mut seconds = BTreeSet::new();
    let mut compared = 0;
    for line in &theirs {
        let (time, url) = (text(line, "timestamp"), text(line, "url"));
        let is_only = theirs
            .iter()
            .filter(|l| text(l, "timestamp") == time && text(l, "urlkey") == text(line, "urlkey"))
            .count()
            == 1;
        if !seconds.insert((time.clone(), url.clone())) || !is_only || text(line, "status") == "302"
        {
            continue;
        }
        let raw = format!("{time}id_/{url}");
        let answer = ours.get(&format!("/web/{raw}"));
        let status = line["status"].as_str().unwrap_or("200");
        if status == "200" {
            assert_eq!(answer.body, pywb.ask(&raw), "{raw}");
            compared += 1;
        }
        assert_eq!(answer.status.to_string(), status, "{raw}");
    }
    assert!(compared > 50, "{compared} bodies were compared");
}

#[test]
fn the_gate_chooses_by_time_and_says_where_the_others_are() {
    let archive = &served().archive;
    let url = &exported().start;
    let map = archive.ok(&format!("/web/timemap/link/{url}")).text();
    let dates: Vec<&str> =
        map.split("datetime=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
    assert!(dates.len() > 1, "{map}");
    for date in &dates {
        let answer = archive.ask("GET", &format!("/web/{url}"), &[("accept-datetime", date)], "");
        assert_eq!(answer.header("memento-datetime"), Some(*date));
        assert_eq!(answer.header("vary"), Some("accept-datetime"));
        let link = answer.header("link").unwrap();
        for rel in ["original", "timegate", "timemap", "memento"] {
            assert!(link.contains(&format!("rel=\"{rel}\"")), "{link}");
        }
    }
    let latest = archive.ok(&format!("/web/{url}"));
    assert_eq!(latest.header("memento-datetime"), dates.last().copied());
    let bad = archive.ask("GET", &format!("/web/{url}"), &[("accept-datetime", "soon")], "");
    assert_eq!(bad.status, 400);
    let none = archive.get("/web/2026/http://nowhere.example/%3Cscript%3E");
    assert_eq!(none.status, 404);
    assert!(!none.text().contains("<script>"), "{}", none.text());
}

#[test]
fn a_state_is_found_by_its_key_and_shows_its_text_without_scripts() {
    let archive = &served().archive;
    for state in exported().states() {
        let key = state["key"].as_str().unwrap();
        let led = archive.get(&format!("/web/key?key={}", in_query(key)));
        assert_eq!(led.status, 303, "{key}");
        let page = archive.ok(led.header("location").unwrap());
        let html = page.text();
        let policy = page.header("content-security-policy").unwrap();
        for part in
            ["default-src 'none'", "script-src 'none'", "form-action 'none'", "img-src 'self'"]
        {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!html.contains("<script") && !html.contains(" onclick="), "{html}");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown = page::tree::visible_text(&page::tree::parse_str(&html).dom);
        let text = exported().scratch.run(&["show", key, "--as", "text"]).ok().to_owned();
        assert_eq!(words(&shown), words(&text), "{key}");
    }
}

#[test]
fn links_and_styles_of_a_page_lead_into_the_archive() {
    let archive = &served().archive;
    let html = archive.ok(&format!("/web/{}", exported().start)).text();
    let marks: Vec<&str> = html.match_indices("=\"/web/").map(|(at, _)| &html[at + 2..]).collect();
    let addresses: BTreeSet<&str> =
        marks.iter().map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(addresses.iter().any(|address| address.contains("cs_/")), "{addresses:?}");
    let found = addresses.iter().filter(|address| archive.get(address).status == 200).count();
    assert!(found * 2 > addresses.len(), "{found} of {}: {addresses:?}", addresses.len());
    assert!(!html.contains("href=\"http"), "nothing leads out");
}
