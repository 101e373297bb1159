//! `types`: what was learned, read from the store alone.

use std::collections::BTreeSet;

use serde_json::Value;

use testsite::SiteKind;

use crate::program::{Scratch, has_fields};
use crate::site::{maze, pages, serve, stop};

fn types() -> Vec<Value> {
    maze().scratch.run(&["types", "--json"]).json_lines()
}

#[test]
fn a_line_a_type_has_every_field_of_the_contract() {
    let listed = types();
    assert!(listed.len() > 1);
    for known in &listed {
        let fields =
            ["type", "pages", "samples", "role", "rendered", "wrapper", "patterns", "links_to"];
        has_fields(known, &fields);
        for pattern in known["patterns"].as_array().unwrap() {
            let fields = [
                "type",
                "event",
                "xpath",
                "support",
                "precision",
                "leads_to",
                "new",
                "context_free",
                "skipped",
            ];
            has_fields(pattern, &fields);
            assert_eq!(pattern["type"], known["type"]);
        }
    }
}

#[test]
fn every_page_with_a_type_is_counted_once() {
    let counted: i64 = types().iter().map(|known| known["pages"].as_i64().unwrap()).sum();
    let listed = pages(&maze().scratch);
    let typed = listed.iter().filter(|page| page["type"].is_string()).count();
    assert_eq!(counted, typed as i64);
}

#[test]
fn the_site_map_leads_from_type_to_type() {
    let listed = types();
    let names: BTreeSet<_> = listed.iter().map(|known| known["type"].as_str().unwrap()).collect();
    let mut links = 0;
    for known in &listed {
        for to in known["links_to"].as_array().unwrap() {
            assert!(names.contains(to.as_str().unwrap()), "{to} is no type");
            links += 1;
        }
    }
    assert!(links >= names.len() - 1, "all but the entry are led to: {links}");
}

#[test]
fn what_events_brought_is_told_with_its_type() {
    let listed = types();
    let patterns = listed.iter().flat_map(|known| known["patterns"].as_array().unwrap());
    let by_events = patterns.filter(|pattern| pattern["event"] != "link");
    let new: i64 = by_events.map(|pattern| pattern["new"].as_i64().unwrap()).sum();
    assert!(new > 0, "{listed:#?}");
}

#[test]
fn a_person_reads_samples_and_reasons() {
    let ended = maze().scratch.run(&["types"]);
    let text = ended.ok();
    assert!(text.contains("sample") && text.contains("rendered  yes"), "{text}");
    assert!(ended.stderr.contains("page types"));
}

#[test]
fn without_a_store_it_says_what_to_do() {
    Scratch::new().run(&["types"]).failed(1, &["bathys-data", "bathys crawl"]);
}

#[test]
fn a_store_stays_with_the_way_in_which_its_page_types_are_told() {
    let (site, scratch) = (serve(SiteKind::Bbs), Scratch::new());
    let url = site.url();
    let crawl = |most: &str, more: &[&str]| {
        let plain = ["crawl", &url, "--render", "never", "--json", "--max-pages", most];
        scratch.run(&[&plain, more].concat())
    };
    crawl("6", &["--types", "rtdm"]).ok();
    let told = ["by rtdm", "cannot go on by places", "--types rtdm", "--fresh"];
    crawl("12", &[]).failed(1, &told);
    let before = pages(&scratch).len();
    crawl("12", &["--types", "rtdm"]).ok();
    assert!(pages(&scratch).len() > before, "the same way it goes on");
    crawl("6", &["--fresh"]).ok();
    crawl("12", &["--types", "rtdm"]).failed(1, &["by places", "--types places"]);
    stop(site);
}

#[test]
fn a_model_is_used_as_its_types_were_told() {
    let scratch = Scratch::new();
    let shape = "03";
    scratch.write(
        "model.toml",
        &format!("version = 1\n[[types]]\nname = 'list'\nshapes = ['{shape}']\n"),
    );
    let crawl = ["crawl", "http://127.0.0.1:9/", "--model", "model.toml", "--types", "rtdm"];
    scratch.run(&crawl).failed(2, &["by places, not by rtdm", "give --types places"]);
}
