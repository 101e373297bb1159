//! `train`: a model from samples, for a crawl to use.

use testsite::SiteKind;

use crate::program::{Scratch, has_fields};
use crate::site::{changes, pages, serve, stop};

/// The comment URLs of the news site, fewest pages first, each with how many it has.
fn articles(site: &testsite::Running) -> Vec<(String, usize)> {
    let mut urls: Vec<(String, usize)> = Vec::new();
    for state in site.truth().states.iter().filter(|state| state.kind == "comments") {
        let url = format!("{}{}", site.url().trim_end_matches('/'), state.url);
        match urls.iter_mut().find(|(known, _)| *known == url) {
            Some((_, pages)) => *pages += 1,
            None => urls.push((url, 1)),
        }
    }
    urls.sort_by_key(|(_, pages)| *pages);
    urls
}

#[test]
fn a_model_of_one_article_leads_a_crawl_to_the_comments_of_another_alone() {
    let (site, scratch) = (serve(SiteKind::News), Scratch::new());
    let articles = articles(&site);
    let sample = format!("comments={}", articles[0].0);
    let told = scratch.run(&["train", "--sample", &sample, "-o", "model.toml", "--json"]).json();
    has_fields(&told, &["types", "patterns", "events_fired"]);
    let fields = ["type", "event", "xpath", "support", "precision", "leads_to", "context_free"];
    for pattern in told["patterns"].as_array().unwrap() {
        has_fields(pattern, &fields);
        assert_eq!(pattern["leads_to"], serde_json::json!(["comments"]));
    }
    assert!(told["events_fired"].as_i64().unwrap() > 20, "every event of the sample: {told:#}");
    assert!(!scratch.path().join("bathys-data").exists(), "nothing is kept unless asked for");
    let model = std::fs::read_to_string(scratch.path().join("model.toml")).unwrap();
    assert!(model.starts_with("# A model of a site"), "{model}");
    let (other, comment_pages) = articles.last().unwrap();
    let crawled = scratch
        .run(&["crawl", other, "--model", "model.toml", "--want", "comments", "--json"])
        .json();
    let found = pages(&scratch);
    let of_type = found.iter().filter(|page| page["type"] == "comments").count();
    assert_eq!(of_type, *comment_pages, "{crawled:#}");
    assert_eq!(found.len(), of_type, "and nothing else");
    let front = scratch.run(&["crawl", &site.url(), "--store", "front", "--model", "model.toml"]);
    front.ok();
    let why = "the model has no patterns for pages of these types";
    assert!(front.stderr.contains(why), "why it found one page only: {}", front.stderr);
    assert!(front.stderr.contains("start at a page of type comments"), "{}", front.stderr);
    assert_eq!(changes(&site), Vec::<String>::new(), "a training changes nothing");
    stop(site);
}

#[test]
fn a_sample_that_cannot_be_loaded_is_named() {
    let (site, scratch) = (serve(SiteKind::News), Scratch::new());
    let sample = format!("comments={}no-such-page", site.url());
    let ended = scratch.run(&["train", "--sample", &sample, "-o", "model.toml"]);
    ended.failed(1, &["no-such-page", "404", "give another URL"]);
    assert!(!scratch.path().join("model.toml").exists());
    stop(site);
}

#[test]
fn a_sample_without_a_type_is_a_wrong_call() {
    let ended = Scratch::new().run(&["train", "--sample", "https://example.org/", "-o", "m.toml"]);
    ended.failed(2, &["https://example.org/", "TYPE=URL"]);
}
