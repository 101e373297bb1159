//! Finding the surplus attributes of one overlong tag, by the tokenizer states of HTML.

use super::builder::MAX_ATTRIBUTES;

/// A scan over the states that a tag goes through (HTML, "tag open state" and those after it).
///
/// It begins where the tokenizer is about to read a token, and goes on while that token lasts.
pub(super) struct TagScan {
    /// Where the token begins.
    pub(super) from: usize,
    at: usize,
    state: State,
    attributes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the tag, or behind it.
    Outside,
    TagOpen,
    EndTagOpen,
    /// A comment, doctype or the like: no tag until the tokenizer is done with it.
    Declaration,
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
    pub(super) fn new(from: usize) -> Self {
        TagScan { from, at: from, state: State::Outside, attributes: 0 }
    }

    /// Scans up to `to`. Gives the place of the first attribute beyond what an element may have,
    /// if it comes before that.
    pub(super) fn surplus(&mut self, bytes: &[u8], to: usize) -> Option<usize> {
        while self.at < to {
            self.step(bytes[self.at]);
            if self.attributes > MAX_ATTRIBUTES {
                return Some(self.at);
            }
            self.at += 1;
        }
        None
    }

    /// Leaves the tag: scans to its `>`, or to the end.
    pub(super) fn end(&mut self, bytes: &[u8]) -> usize {
        self.attributes = 0;
        while self.at < bytes.len() {
            self.step(bytes[self.at]);
            if self.state == State::Outside {
                break;
            }
            self.at += 1;
        }
        self.at
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
            (TagOpen, b'!' | b'?') => Declaration,
            (TagOpen, _) => Outside,
            (EndTagOpen, b'>') => Outside,
            (EndTagOpen | Declaration, _) => Declaration,
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
