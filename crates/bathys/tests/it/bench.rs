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
fn without_real_pages_the_papers_page_is_still_measured_and_the_rest_said_to_be_skipped() {
    let scratch = Scratch::new();
    let ended = scratch.run(&["bench", "partition", "--quick", "--json", "--data", "nowhere"]);
    let lines = ended.json_lines();
    for layout in ["tables", "boxes"] {
        let name = format!("partition/portal/{layout}/plain");
        let line = lines.iter().find(|line| line["name"] == name.as_str()).unwrap();
        assert_eq!(line["ours"], line["seed"], "{layout}");
        assert_eq!(line["missed"], serde_json::json!([]), "{layout}");
    }
    let forum = lines.iter().find(|line| line["name"] == "partition/bbs/plain").unwrap();
    assert!(forum["ours"]["processing_s"].as_f64().unwrap() > 0.0, "{forum}");
    for part in ["main", "cost", "import", "memory"] {
        assert!(ended.stderr.contains(&format!("{part} skipped: no ")), "{}", ended.stderr);
    }
}

#[test]
fn the_papers_own_algorithms_are_measured_beside_ours() {
    let lines = Scratch::new().run(&["bench", "papers", "--quick", "--json"]).json_lines();
    let of = |name: &str| &lines.iter().find(|line| line["name"] == name).unwrap()["ours"];
    let (ours, theirs) = (of("papers/types/news/places"), of("papers/types/news/rtdm"));
    assert_eq!(ours["pages"], theirs["pages"]);
    assert_ne!(ours["types"], theirs["types"]);
    for method in ["ours", "fdre", "mdr"] {
        let found = of(&format!("papers/records/forum-table/{method}"));
        has_fields(found, &["posts_precision", "posts_recall", "posts_f1", "lists_f1", "ms"]);
    }
    assert_eq!(of("papers/records/forum-table/ours")["single"], 1.0);
    assert_eq!(of("papers/records/forum-table/mdr")["single"], 0.0);
}

#[test]
fn what_was_judged_is_filled_in_where_it_is_missing_and_kept_where_it_is_not() {
    let scratch = Scratch::new();
    let pages = scratch.path().join("data/pages/some");
    std::fs::create_dir_all(&pages).unwrap();
    std::fs::write(pages.join("a.html"), "<nav><a href=/>Home</a></nav><main><p>Text.</main>")
        .unwrap();
    let table = scratch.path().join("grades.tsv");
    let head = "what\tname\tgrade\ttext_heavy\tcut\tfault\n";
    let row = |cut: &str| format!("page\tsome/a.html\tgood\tno\t{cut}\t\n");
    std::fs::write(&table, format!("{head}{}{}", row(""), row("judged"))).unwrap();
    let file = table.to_str().unwrap();
    scratch.run(&["bench", "--fill", file, "--data", "data"]).ok();
    let text = std::fs::read_to_string(&table).unwrap();
    let cuts: Vec<&str> = text.lines().skip(1).map(|row| row.split('\t').nth(4).unwrap()).collect();
    assert_eq!(cuts[1], "judged");
    assert!(cuts[0].len() == 16 && cuts[0].bytes().all(|byte| byte.is_ascii_hexdigit()), "{text}");
}

#[test]
fn the_gate_names_what_was_lost_and_only_better_counts_are_written_down() {
    let scratch = Scratch::new();
    let floors = scratch.path().join("floors.tsv");
    let gate = ["bench", "--gate", "types/news/zh", "--floors", "floors.tsv"];
    let raise = [&gate[..], &["--raise"]].concat();
    std::fs::write(&floors, "count\tbound\tlimit\tnote\n").unwrap();
    let fails = |arguments: &[&str], says: &str| {
        let ended = scratch.run(arguments);
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        let error = ended.stderr.lines().last().unwrap_or_default();
        assert!(error.starts_with("error: ") && error.contains(says), "{}", ended.stderr);
    };
    fails(&gate, "and the floors have no limit for it");
    let first = scratch.run(&[&raise[..], &["--json"]].concat());
    first.ok();
    let first = first.json();
    let right = first["ours"]["pairs_right"].as_i64().unwrap();
    assert!(right > 0, "{first}");
    let raised = std::fs::read_to_string(&floors).unwrap();
    assert!(raised.contains(&format!("\ntypes/news/zh pairs_right\tat least\t{right}\t\n")));
    scratch.run(&gate).ok();

    let too_high = format!("pairs_right\tat least\t{}\t", right + 1);
    let lost = raised.replace(&format!("pairs_right\tat least\t{right}\t"), &too_high);
    std::fs::write(&floors, &lost).unwrap();
    let says = format!("types/news/zh pairs_right: {right}, at least {}", right + 1);
    fails(&raise, &says);
    assert_eq!(std::fs::read_to_string(&floors).unwrap(), lost, "a floor is never lowered");

    let known = lost.replace(&too_high, &format!("{too_high}known failure: for a test"));
    std::fs::write(&floors, known).unwrap();
    let ended = scratch.run(&gate);
    ended.ok();
    assert!(ended.stderr.contains(&format!("{says} (known failure: for a test)")));
    let gone = format!("{raised}types/news/zh sharks\tat least\t1\t\n");
    std::fs::write(&floors, gone).unwrap();
    fails(&gate, "types/news/zh sharks: not measured, at least 1");
}

#[test]
fn an_unknown_benchmark_paging_or_clock_is_wrong_usage() {
    let scratch = Scratch::new();
    for (arguments, says) in [
        (&["bench", "sharks"][..], "no benchmark sharks; there are tree, "),
        (
            &["bench", "--gate", "sharks"],
            "no case of the gate begins with sharks; there are types/",
        ),
        (&["testsite", "bbs", "--paging", "sideways"], "choose one of script, links, plain"),
        (&["testsite", "bbs", "--clock", "noon"], "a time such as 2009-05-01T08:30:00Z"),
    ] {
        scratch.run(arguments).failed(2, &[says]);
    }
}
