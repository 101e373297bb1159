//! What a person reads first.

use crate::program::Scratch;

fn help(arguments: &[&str]) -> String {
    let arguments = [arguments, &["--help"]].concat();
    Scratch::new().run(&arguments).ok().to_owned()
}

#[test]
fn the_help_of_the_program() {
    insta::assert_snapshot!(help(&[]));
}

#[test]
fn the_help_of_crawl() {
    insta::assert_snapshot!(help(&["crawl"]));
}

#[test]
fn every_command_shows_examples_of_itself() {
    let commands: Vec<String> = help(&[])
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|command| command != "help")
        .collect();
    assert!(commands.len() >= 10, "{commands:?}");
    let own = commands.iter().map(|command| vec![command.as_str()]);
    let nested = [
        vec!["dom", "similarity"],
        vec!["dom", "generalise"],
        vec!["dom", "blocks"],
        vec!["dom", "records"],
    ];
    for command in own.chain(nested) {
        let help = help(&command);
        let examples = help.split_once("Examples:\n").map_or("", |(_, examples)| examples);
        let call = format!("  bathys {}", command.join(" "));
        assert!(examples.lines().any(|line| line.starts_with(&call)), "{command:?}: {help}");
    }
}

#[test]
fn the_version_is_one_line() {
    let ended = Scratch::new().run(&["--version"]);
    assert_eq!(ended.ok(), concat!("bathys ", env!("CARGO_PKG_VERSION"), "\n"));
}
