//! The benchmarks, as far as a test can wait for them.

use crate::program::{Scratch, has_fields};

#[test]
fn a_line_of_a_benchmark_has_its_name_our_figures_and_those_of_the_seed() {
    let scratch = Scratch::new();
    let ended = scratch.run(&["bench", "restore", "--quick", "--json"]);
    let line = ended.json();
    has_fields(&line, &["name", "ours", "seed", "ratio", "missed"]);
    assert_eq!(line["name"], "restore/news/inline");
    has_fields(
        &line["ours"],
        &["new_states", "edge", "again", "back", "load", "reloads_per_state"],
    );
    assert_eq!(line["ours"]["new_states"], 6, "the comment pages after the first");
    // What is asked for and missed decides how it ends.
    let missed = line["missed"].as_array().unwrap();
    assert_eq!(ended.code, Some(i32::from(!missed.is_empty())), "{}", ended.stderr);
    assert!(missed.iter().all(|figure| ended.stderr.contains(figure.as_str().unwrap())));
    let left = std::fs::read_dir(scratch.path().join("tmp")).unwrap().count();
    assert_eq!(left, 0, "stores of trials are gone");
}

#[test]
fn an_unknown_benchmark_paging_or_clock_is_wrong_usage() {
    let scratch = Scratch::new();
    for (arguments, says) in [
        (&["bench", "sharks"][..], "no benchmark sharks; there are tree, "),
        (&["testsite", "bbs", "--paging", "sideways"], "choose one of script, links, plain"),
        (&["testsite", "bbs", "--clock", "noon"], "a time such as 2009-05-01T08:30:00Z"),
    ] {
        scratch.run(arguments).failed(2, &[says]);
    }
}
