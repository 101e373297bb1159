//! Data on stdout, words on stderr, and the exit status that a script can rely on.
//!
//! Every verb prints through here, and nothing else in this crate touches stdout or stderr
//! (`clippy.toml` sees to it), so that no byte of the web reaches a terminal as it is.

mod clean;
pub mod deferred;

use std::fmt::Arguments;
use std::io::{self, BufWriter, IsTerminal, Stderr, Stdout, Write};
use std::process::ExitCode;

use serde::Serialize;

pub use clean::{CleanWriter, clean_line};

use store::Location;

use crate::hint::hint;

/// A mistake in how the program was called; exit status 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Usage {}

/// How the program ends when it could not do what was asked.
pub struct Failure {
    error: anyhow::Error,
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self { error }
    }
}

impl Failure {
    /// Says why in one or two lines. A reader that went away (`bathys pages | head`) is no failure.
    pub fn report(self) -> ExitCode {
        let closed = |cause: &(dyn std::error::Error + 'static)| {
            cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
        };
        if self.error.chain().any(closed) {
            return ExitCode::SUCCESS;
        }
        let what_next = hint(&self.error).map(|hint| format!("; {hint}")).unwrap_or_default();
        crate::say!("error: {}{what_next}", one_line(&told_once(&self.error)));
        ExitCode::from(if self.error.is::<Usage>() { 2 } else { 1 })
    }
}

/// The error and its causes; a cause that the message above it has told already is left out.
fn told_once(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// A message of some library, which may be drawn over several lines, as one.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes one JSON value and a newline.
pub fn json_line(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    json(out, value)?;
    out.write_all(b"\n")?;
    Ok(())
}

/// Writes one JSON value.
pub fn json(out: &mut (impl Write + ?Sized), value: &impl Serialize) -> io::Result<()> {
    let mut json = serde_json::Serializer::with_formatter(out, clean::EscapingFormatter);
    // As an I/O error again: serde_json's own hides a closed pipe from `Failure::report`.
    value.serialize(&mut json).map_err(io::Error::from)
}

/// Stdout for words and for JSON, which has a way of its own to write what is not for the eye.
pub fn stdout() -> CleanWriter<BufWriter<Stdout>> {
    CleanWriter::new(BufWriter::new(raw_stdout()))
}

/// Stdout for bytes that a program reads: exact, unless a person looks at them.
pub fn exact_stdout() -> Box<dyn Write + Send> {
    match stdout_is_terminal() {
        true => Box::new(stdout()),
        false => Box::new(BufWriter::new(raw_stdout())),
    }
}

/// Stderr for log lines and progress.
pub fn stderr() -> CleanWriter<Stderr> {
    CleanWriter::new(raw_stderr())
}

/// Whether a person looks at what is written to stdout.
pub fn stdout_is_terminal() -> bool {
    raw_stdout().is_terminal()
}

/// Whether a person looks at what is written to stderr.
pub fn stderr_is_terminal() -> bool {
    raw_stderr().is_terminal()
}

#[expect(clippy::disallowed_methods, reason = "the one place")]
fn raw_stdout() -> Stdout {
    io::stdout()
}

#[expect(clippy::disallowed_methods, reason = "the one place")]
fn raw_stderr() -> Stderr {
    io::stderr()
}

/// Says a line on stderr.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => { $crate::output::say_line(format_args!($($words)*)) };
}

/// What `say!` calls. Nobody is left to be told when stderr is closed.
pub fn say_line(words: Arguments<'_>) {
    let mut line = clean::clean(&words.to_string());
    line.push('\n');
    let _ = raw_stderr().write_all(line.as_bytes());
}

/// A command on a store that works as it is printed: the program as the user called it, and where
/// its data is.
pub fn command(store: &Location, words: &str) -> String {
    let name = std::env::args_os().next();
    let name = name.map_or("bathys".into(), |name| name.to_string_lossy().into_owned());
    let store = shell_word(&store.to_string());
    let (verb, rest) = words.split_once(' ').map_or((words, ""), |(verb, rest)| (verb, rest));
    let rest = if rest.is_empty() { String::new() } else { format!(" {rest}") };
    format!("{} {verb} --store {store}{rest}", shell_word(&name))
}

/// A word that a shell reads as it stands: keys hold brackets and quotes.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
    match text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// `1234567` as `1,234,567`.
pub fn thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A size as a person reads it: `1.4 MB`.
pub fn bytes(size: i64) -> String {
    let size = size as f64;
    match size {
        s if s < 1e3 => format!("{s} B"),
        s if s < 1e6 => format!("{:.1} kB", s / 1e3),
        s if s < 1e9 => format!("{:.1} MB", s / 1e6),
        s => format!("{:.2} GB", s / 1e9),
    }
}

/// The first `width` characters of one line of text, with an ellipsis where it was cut.
pub fn clip(text: &str, width: usize) -> String {
    let mut line = clean_line(text);
    if let Some((at, _)) = line.char_indices().nth(width) {
        line.truncate(at);
        line.pop();
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let full = || io::Error::other("disk full");
        let error = anyhow::Error::new(full()).context("cannot write a.html: disk full");
        assert_eq!(told_once(&error), "cannot write a.html: disk full");
        assert_eq!(
            told_once(&anyhow::Error::new(full()).context("cannot write")),
            "cannot write: disk full"
        );
    }

    #[test]
    fn a_key_with_quotes_stays_one_word_in_a_shell() {
        assert_eq!(shell_word("./bathys-data/demo"), "./bathys-data/demo");
        assert_eq!(shell_word("a#!bathys:click=f('b')"), r"'a#!bathys:click=f('\''b'\'')'");
        let shown = command(&Location::Directory("my data".into()), "show 12");
        assert!(shown.ends_with(" show --store 'my data' 12"), "{shown}");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(["0", "999", "1,000", "-12,345"], [0, 999, 1000, -12345].map(thousands)[..]);
    }

    #[test]
    fn a_drawing_in_an_error_becomes_one_line() {
        assert_eq!(one_line("parse error:\n    (\n    ^\nunclosed"), "parse error: ( ^ unclosed");
    }

    #[test]
    fn a_clipped_line_never_splits_a_character_or_the_terminal() {
        assert_eq!(clip("你好世界", 3), "你好…");
        assert_eq!(clip("a\u{1b}[2Jb", 10), "a\u{fffd}[2Jb");
    }
}
