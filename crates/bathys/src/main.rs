//! `bathys`: crawls what only scripts and forms can reach, and keeps every version of it.

// The comments on flags are help texts, where brackets are just brackets.
#![allow(rustdoc::broken_intra_doc_links)]
// Everything that is printed goes through `output`.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

mod address;
mod blocks;
mod cli;
mod forms;
mod hint;
mod interrupt;
mod output;
mod progress;
mod records;
mod settings;
mod verb;
mod web;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Verb};
use interrupt::or_leave;
use output::Failure;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // Its message may quote a page.
        say!("{panic}");
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            say!("{trace}");
        }
    }));
    let cli = Cli::parse();
    start_log(cli.shared.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say!("error: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = match runtime.block_on(run(cli)) {
        Ok(code) => code,
        Err(error) => Failure::from(error).report(),
    };
    // Work on other threads that was given up is not waited for.
    runtime.shutdown_background();
    code
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let settings = settings::Settings::resolve(&cli.shared)?;
    match cli.verb {
        Verb::Crawl(flags) => verb::crawl::run(&settings, &flags).await,
        Verb::Worker(flags) => verb::worker::run(&settings, &flags).await,
        Verb::Watch(flags) => verb::watch::run(&settings, &flags).await,
        Verb::Demo(flags) => verb::demo::run(&settings, &flags).await,
        Verb::Train(flags) => verb::train::run(&settings, cli.shared.store.is_some(), &flags).await,
        Verb::Import(flags) => verb::import::run(&settings, &flags).await,
        Verb::Goto(flags) => or_leave(verb::goto::run(&settings, &flags)).await,
        Verb::Types(flags) => or_leave(verb::types::run(&settings, &flags)).await,
        Verb::Forms(flags) => or_leave(verb::forms::run(&settings, &flags)).await,
        Verb::Pages(flags) => or_leave(verb::pages::run(&settings, &flags)).await,
        Verb::Graph(flags) => or_leave(verb::graph::run(&settings, &flags)).await,
        Verb::Log(flags) => or_leave(verb::log::run(&settings, &flags)).await,
        Verb::Diff(flags) => or_leave(verb::diff::run(&settings, &flags)).await,
        Verb::Show(flags) => or_leave(verb::show::run(&settings, &flags)).await,
        Verb::Mirror(flags) => or_leave(verb::mirror::run(&settings, &flags)).await,
        Verb::Export(flags) => or_leave(verb::export::run(&settings, &flags)).await,
        Verb::Records(flags) => or_leave(verb::records::run(&settings, &flags)).await,
        Verb::Search(flags) => or_leave(verb::search::run(&settings, &flags)).await,
        Verb::Ask(flags) => or_leave(verb::ask::run(&settings, &flags)).await,
        Verb::Topics(flags) => or_leave(verb::topics::run(&settings, &flags)).await,
        Verb::Index(flags) => or_leave(verb::index::run(&settings, &flags)).await,
        Verb::Changes(flags) => or_leave(verb::changes::run(&settings, &flags)).await,
        Verb::Serve(flags) => verb::serve::run(&settings, &flags).await.map(done),
        Verb::Stats => or_leave(verb::stats::run(&settings)).await,
        Verb::Seal(flags) => verb::seal::run(&settings, &flags).await,
        Verb::Verify => verb::verify::run(&settings).await,
        Verb::Gc => or_leave(verb::gc::run(&settings)).await,
        Verb::Config(flags) => verb::config::run(&settings, &flags).map(done),
        Verb::Dom(flags) => or_leave(verb::dom::run(&settings, &flags)).await,
        Verb::Testsite(flags) => verb::testsite::run(&settings, &flags).await.map(done),
        Verb::Bench(flags) => or_leave(verb::bench::run(&settings, flags)).await,
        Verb::Completions { shell } => verb::manual::completions(shell).map(done),
        Verb::Man { directory } => verb::manual::pages(&directory).map(done),
    }
}

fn done((): ()) -> ExitCode {
    ExitCode::SUCCESS
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
        .with_writer(output::stderr)
        .with_ansi(false)
        .init();
}
