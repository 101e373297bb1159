//! Flag, environment, `bathys.toml`, default: in this order.

use serde_json::Value;

use crate::program::{Scratch, Started};

fn config(scratch: &Scratch, arguments: &[&str], environment: &[(&str, &str)]) -> Value {
    let arguments = [&["config", "--json"], arguments].concat();
    let mut command = scratch.bathys(&arguments);
    Started::new(command.envs(environment.iter().copied())).end().json()
}

#[test]
fn a_flag_beats_the_environment_beats_the_file_beats_the_default() {
    let scratch = Scratch::new();
    assert_eq!(config(&scratch, &[], &[])["crawl"]["scope"], "host");
    scratch.write("bathys.toml", "store = 'kept'\n[crawl]\nscope = 'domain'\nmax_pages = 7\n");
    let from_file = config(&scratch, &[], &[]);
    assert_eq!(
        (&from_file["crawl"]["scope"], &from_file["store"]),
        (&"domain".into(), &"kept".into())
    );

    let environment = [("BATHYS_SCOPE", "prefix"), ("BATHYS_STORE", "elsewhere")];
    let from_environment = config(&scratch, &[], &environment);
    assert_eq!(from_environment["crawl"]["scope"], "prefix");
    assert_eq!(from_environment["store"], "elsewhere");
    assert_eq!(from_environment["crawl"]["max_pages"], 7, "what it does not name stays");

    let from_flag = config(&scratch, &["--scope", "host", "--store", "here"], &environment);
    assert_eq!(
        (&from_flag["crawl"]["scope"], &from_flag["store"]),
        (&"host".into(), &"here".into())
    );
}

#[test]
fn every_setting_of_a_crawl_can_come_from_the_environment() {
    let scratch = Scratch::new();
    let numbers = [
        "max_form_requests",
        "max_pages",
        "max_events",
        "max_depth",
        "max_time",
        "max_requests",
        "max_pages_per_pattern",
        "max_states_per_url",
        "tabs",
        "delay",
    ];
    let words = [
        ("scope", "prefix"),
        ("render", "never"),
        ("forms", "off"),
        ("strategy", "yield"),
        ("types", "rtdm"),
        ("model", "learned.toml"),
        ("user_agent", "Tester/1"),
    ];
    let switches = [
        "allow_post_search",
        "no_pager",
        "no_learn",
        "no_instruction_filter",
        "no_pattern_filter",
        "no_request_filter",
        "ignore_traps",
        "explain",
        "ignore_robots",
    ];
    let lists = ["include", "exclude", "allow_post", "want"];
    for name in numbers {
        let found = config(&scratch, &[], &[(&variable(name), "3")]);
        assert_eq!(found["crawl"][name], 3, "{name}");
    }
    for (name, value) in words {
        let found = config(&scratch, &[], &[(&variable(name), value)]);
        assert_eq!(found["crawl"][name], value, "{name}");
    }
    let found = config(&scratch, &[], &[(&variable("completeness"), "0.5")]);
    assert_eq!(found["crawl"]["completeness"], 0.5);
    for name in lists {
        let found = config(&scratch, &[], &[(&variable(name), "/a,b/")]);
        assert_eq!(found["crawl"][name], serde_json::json!(["/a,b/"]), "{name}");
    }
    for name in switches {
        let found = config(&scratch, &[], &[(&variable(name), "true")]);
        assert_eq!(found["crawl"][name], true, "{name}");
        let flag = format!("--{}=false", name.replace('_', "-"));
        let found = config(&scratch, &[&flag], &[(&variable(name), "true")]);
        assert_eq!(found["crawl"][name], false, "{name}");
    }
    // The limits have no default, so they are not printed: each of the others is above.
    for name in config(&scratch, &[], &[])["crawl"].as_object().unwrap().keys() {
        let known = name == "completeness"
            || numbers.contains(&name.as_str())
            || lists.contains(&name.as_str())
            || switches.contains(&name.as_str())
            || words.iter().any(|(word, _)| word == name);
        assert!(known, "{name} is a setting that this test does not set");
    }
}

fn variable(name: &str) -> String {
    format!("BATHYS_{}", name.to_uppercase())
}

#[test]
fn a_variable_that_cannot_be_read_is_wrong_usage() {
    let scratch = Scratch::new();
    let mut command = scratch.bathys(&["config"]);
    let ended = Started::new(command.env("BATHYS_MAX_PAGES", "lots")).end();
    assert_eq!((ended.code, ended.text()), (Some(2), ""));
    assert!(ended.stderr.contains("'lots'") && ended.stderr.contains("--max-pages"));
}

#[test]
fn what_config_prints_reads_back_as_the_same_settings() {
    let scratch = Scratch::new();
    let flags = ["--max-pages", "9", "--include", r"/a\.b'", "--delay", "250", "--ignore-robots"];
    let printed = scratch.run(&[&["config"], &flags[..]].concat()).ok().to_owned();
    let wanted = config(&scratch, &flags, &[]);
    scratch.write("bathys.toml", &printed);
    assert_eq!(config(&scratch, &[], &[]), wanted);
    assert_eq!(wanted["crawl"]["include"], serde_json::json!([r"/a\.b'"]));
}

#[test]
fn rules_for_metadata_are_printed_with_the_settings() {
    let scratch = Scratch::new();
    let rules = "[metadata.price]\nregex = 'Price: ([0-9.]+)'\nsite = 'shop.example'\n";
    scratch.write("bathys.toml", &format!("[crawl]\nignore_traps = true\n{rules}"));
    let wanted = config(&scratch, &[], &[]);
    assert_eq!(wanted["metadata"]["price"]["site"], "shop.example");
    let printed = scratch.run(&["config"]).ok().to_owned();
    scratch.write("bathys.toml", &printed);
    assert_eq!(config(&scratch, &[], &[]), wanted);
}

#[test]
fn the_environment_is_heard_by_every_command_that_visits_a_site() {
    let scratch = Scratch::new();
    let goto = ["train", "--sample", "a=http://127.0.0.1:9/", "-o", "model.toml"];
    let mut command = scratch.bathys(&goto);
    let ended = Started::new(command.env("BATHYS_USER_AGENT", "a\nb")).end();
    ended.failed(2, &["--user-agent"]);
}
