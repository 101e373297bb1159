//! Finding the surplus attributes of one overlong tag, by the tokenizer states of HTML.

use super::builder::MAX_ATTRIBUTES;
use std::ops::Range;

/// A scan over the states that a tag goes through (HTML, "tag open state" and those after it).
pub(super) struct TagScan {
    state: State,
    attributes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Text, or anything that is no tag.
    Outside,
    TagOpen,
    EndTagOpen,
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Value,
    Quoted(u8),
    AfterQuoted,
}

impl TagScan {
    /// If the tag that begins at `from` has more attributes than an element may: the bytes from
    /// the first surplus one to before the `>` of the tag, or to the end of the input.
    pub(super) fn surplus(bytes: &[u8], from: usize) -> Option<Range<usize>> {
        let mut scan = TagScan {
            state: State::Outside,
            attributes: 0,
        };
        let mut start = None;
        for (at, &byte) in bytes.iter().enumerate().skip(from) {
            let was = scan.state;
            scan.step(byte);
            if scan.attributes > MAX_ATTRIBUTES && start.is_none() {
                start = Some(at);
            }
            let ended = scan.state == State::Outside && was != State::Outside;
            if ended || (was == State::Outside && at > from) {
                return start.map(|start| start..at);
            }
        }
        start.map(|start| start..bytes.len())
    }

    fn step(&mut self, byte: u8) {
        use State::*;
        let space = matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ');
        self.state = match (self.state, byte) {
            (Outside, b'<') => TagOpen,
            (Outside, _) => Outside,
            (TagOpen, b'/') => EndTagOpen,
            // A `<` that opens nothing is text, and the next may open a tag.
            (TagOpen, b'<') => TagOpen,
            (TagOpen | EndTagOpen, byte) if byte.is_ascii_alphabetic() => TagName,
            (TagOpen | EndTagOpen, _) => Outside,
            (Quoted(quote), byte) if byte == quote => AfterQuoted,
            (Quoted(quote), _) => Quoted(quote),
            (BeforeValue, b'"' | b'\'') => Quoted(byte),
            (BeforeValue, _) if space => BeforeValue,
            (_, b'>') => Outside,
            (BeforeValue, _) => Value,
            (Name | AfterName, b'=') => BeforeValue,
            (TagName, _) if space || byte == b'/' => BeforeName,
            (TagName, _) => TagName,
            (Name, _) if space => AfterName,
            (Value | AfterQuoted, _) if space => BeforeName,
            (Value, _) => Value,
            (Name | AfterQuoted | BeforeName | AfterName, b'/') => BeforeName,
            (Name, _) => Name,
            (AfterName, _) if space => AfterName,
            (BeforeName, _) if space => BeforeName,
            (BeforeName | AfterName | AfterQuoted, _) => {
                self.attributes += 1;
                Name
            }
        };
    }
}
