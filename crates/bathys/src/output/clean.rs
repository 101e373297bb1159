//! The one place where bytes of the web are made fit for a terminal and for a person's eye.
//!
//! A page can name itself with escape sequences that retitle a window or move the cursor, with C1
//! controls that some terminals obey, and with format characters that turn text around or hide it
//! (Boucher and Anderson 2021, "Trojan Source"). What stands in place of a control character is
//! U+FFFD, so that a reader sees that something was there; format characters are left out.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::ser::Formatter;

/// What a person gets to see of a character that is not for the eye.
enum Seen {
    AsIs,
    Mark,
    Nothing,
}

/// Joiners and variation selectors stay: Persian, Hindi and emoji are spelled with them, and they
/// neither reorder nor hide anything.
fn seen(c: char) -> Seen {
    match c {
        '\n' | '\t' => Seen::AsIs,
        '\u{2028}' | '\u{2029}' => Seen::Mark,
        c if c.is_control() => Seen::Mark,
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Seen::Nothing,
        _ => Seen::AsIs,
    }
}

/// Whether every byte is a printable ASCII character, a newline or a tab.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
}

/// Text without what could steer a terminal or mislead its reader. A line ends with a newline alone.
pub fn clean(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match seen(c) {
            _ if c == '\r' && rest.peek() == Some(&'\n') => {}
            Seen::AsIs => kept.push(c),
            Seen::Mark => kept.push(char::REPLACEMENT_CHARACTER),
            Seen::Nothing => {}
        }
    }
    kept
}

/// The same on one line: tabs and line breaks become spaces.
pub fn clean_line(text: &str) -> String {
    clean(text).replace(['\n', '\t'], " ")
}

/// A writer of text for people: whatever is written to it arrives [clean](clean()).
pub struct CleanWriter<W> {
    inner: W,
    /// The begin of a character, or a carriage return, whose rest is not written yet.
    held: Vec<u8>,
}

impl<W: Write> CleanWriter<W> {
    pub fn new(inner: W) -> Self {
        Self { inner, held: Vec::new() }
    }

    /// Writes text in a colour of the terminal: escape sequences of our own.
    pub fn coloured(&mut self, colour: u8, text: &str) -> io::Result<()> {
        self.release()?;
        write!(self.inner, "\u{1b}[{colour}m{}\u{1b}[0m", clean(text))
    }

    fn release(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.inner.write_all(clean(&String::from_utf8_lossy(&held)).as_bytes())
    }
}

impl<W: Write> Write for CleanWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.held.is_empty() && is_plain(bytes) {
            self.inner.write_all(bytes)?;
            return Ok(bytes.len());
        }
        self.held.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.held);
        let whole = all.len() - unfinished(&all);
        self.held = all[whole..].to_vec();
        let text = String::from_utf8_lossy(&all[..whole]);
        self.inner.write_all(clean(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.release()?;
        self.inner.flush()
    }
}

/// How many bytes at the end wait for what follows: a character that is cut, or a carriage return.
fn unfinished(bytes: &[u8]) -> usize {
    if bytes.ends_with(b"\r") {
        return 1;
    }
    let from = bytes.len().saturating_sub(3);
    let Some(tail) = bytes.get(from..) else { return 0 };
    let Some(start) = tail.iter().rposition(|byte| *byte >= 0xC0) else { return 0 };
    let length = match tail[start] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    };
    let have = tail.len() - start;
    if have < length { have } else { 0 }
}

/// JSON that is fit for a terminal and exact: what is not for the eye is written as `\u202e`.
pub struct EscapingFormatter;

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W>(&mut self, out: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        if is_plain(fragment.as_bytes()) {
            return out.write_all(fragment.as_bytes());
        }
        let mut text = String::with_capacity(fragment.len());
        for c in fragment.chars() {
            match seen(c) {
                Seen::AsIs => text.push(c),
                Seen::Mark | Seen::Nothing => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let _ = write!(text, "\\u{unit:04x}");
                    }
                }
            }
        }
        out.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_marked_and_what_reorders_or_hides_is_left_out() {
        assert_eq!(clean("a\u{1b}]0;b\u{7}c"), "a\u{fffd}]0;b\u{fffd}c");
        assert_eq!(clean("\u{9b}31m\u{7f}"), "\u{fffd}31m\u{fffd}");
        assert_eq!(clean("1\u{202e}2\u{2066}3\u{200f}4\u{e0041}5\u{200b}6\u{ad}7"), "1234567");
        assert_eq!(clean("a\r\nb\rc\td"), "a\nb\u{fffd}c\td");
        assert_eq!(clean_line("a\nb"), "a b");
    }

    #[test]
    fn text_of_any_language_stays_as_it_is() {
        for text in ["你好, 世界", "می\u{200c}خواهم", "👩\u{200d}🚒 ❤\u{fe0f}", "שלום", "naïve"]
        {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn a_character_that_is_written_in_pieces_is_still_one() {
        let text = "a你\u{202e}b\u{9b}c👩\r\nd";
        for size in 1..=text.len() {
            let mut out = CleanWriter::new(Vec::new());
            text.as_bytes().chunks(size).for_each(|piece| out.write_all(piece).unwrap());
            out.flush().unwrap();
            assert_eq!(String::from_utf8(out.inner).unwrap(), clean(text), "{size}");
        }
        let mut out = CleanWriter::new(Vec::new());
        out.write_all(b"\xff\xe4\xbd").unwrap();
        out.flush().unwrap();
        assert_eq!(out.inner, "\u{fffd}\u{fffd}".as_bytes(), "what is no text is marked");
    }

    #[test]
    fn json_is_exact_and_holds_nothing_that_is_not_for_the_eye() {
        let text = "a\u{1b}\u{7f}\u{9b}\u{202e}\u{e0041}\"你\n";
        let mut out = Vec::new();
        super::super::json(&mut out, &text).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert_eq!(clean(&written), written);
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        assert!(written.contains('你'), "{written}");
    }
}
