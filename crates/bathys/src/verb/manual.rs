//! `bathys completions` and `bathys man`: what `make install` puts beside the program, written from
//! the flags themselves.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::output::exact_stdout;

/// Writes a script to stdout.
pub fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut out = exact_stdout();
    clap_complete::generate(shell, &mut Cli::command(), "bathys", &mut out);
    Ok(out.flush()?)
}

/// Writes a page for the program and one for each command.
pub fn pages(directory: &Path) -> anyhow::Result<()> {
    clap_mangen::generate_to(Cli::command(), directory)
        .with_context(|| format!("cannot write to {}; name a directory", directory.display()))
}
