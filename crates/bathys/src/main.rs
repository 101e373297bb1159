//! `bathys`: crawls what only scripts and forms can reach, and keeps every version of it.

// The comments on flags are help texts, where brackets are just brackets.
#![allow(rustdoc::broken_intra_doc_links)]

mod address;
mod bench;
mod blocks;
mod cli;
mod found;
mod output;
mod progress;
mod records;
mod settings;
mod verb;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Verb};
use output::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    start_log(cli.shared.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(run(cli)) {
        Ok(code) => code,
        Err(error) => Failure::from(error).report(),
    }
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let settings = settings::Settings::resolve(&cli.shared)?;
    match cli.verb {
        Verb::Crawl(flags) => return verb::crawl::run(&settings, &flags).await,
        Verb::Demo(flags) => return verb::demo::run(&settings, &flags).await,
        Verb::Train(flags) => {
            return verb::train::run(&settings, cli.shared.store.as_ref(), &flags).await;
        }
        Verb::Import(flags) => return verb::import::run(&settings, &flags).await,
        Verb::Goto(flags) => return verb::goto::run(&settings, &flags).await,
        Verb::Types(flags) => verb::types::run(&settings, &flags).await?,
        Verb::Pages(flags) => verb::pages::run(&settings, &flags).await?,
        Verb::Graph(flags) => verb::graph::run(&settings, &flags).await?,
        Verb::Log(flags) => verb::log::run(&settings, &flags).await?,
        Verb::Diff(flags) => verb::diff::run(&settings, &flags).await?,
        Verb::Show(flags) => verb::show::run(&settings, &flags).await?,
        Verb::Mirror(flags) => verb::mirror::run(&settings, &flags).await?,
        Verb::Records(flags) => verb::records::run(&settings, &flags).await?,
        Verb::Stats => verb::stats::run(&settings).await?,
        Verb::Config(flags) => verb::config::run(&settings, &flags)?,
        Verb::Dom(flags) => verb::dom::run(&settings, &flags).await?,
        Verb::Testsite(flags) => verb::testsite::run(&settings, &flags).await?,
        Verb::Bench(flags) => bench::run(&settings, &flags).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Warnings always, more with `-v`; `BATHYS_LOG` takes a filter of its own. Never on stdout.
fn start_log(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("BATHYS_LOG")
        // What --explain says is only said when it was asked for.
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(format!("{level},explain=info")));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}
