//! A text as numbers, words and marks.

use super::fold::fold;
use super::words::{Entry, Lexicon, Meaning};

/// The longest text that is looked at, in bytes: nothing that tells a date is longer.
const TEXT: usize = 16_384;

/// A piece of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Where it is in the text, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether nothing is between the token before and this one.
    pub(super) glued: bool,
}

/// What a piece of a text is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Number(Number),
    Word(Word),
    Mark(char),
}

/// A number without a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub(super) value: u64,
    /// How many digits it was written with; 0 if with numerals that are no digits.
    pub(super) digits: u8,
}

/// A word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) meanings: &'static [Meaning],
    /// If it is a single letter, that letter.
    pub(super) letter: Option<char>,
    /// Whether it begins with a capital.
    pub(super) capital: bool,
}

/// Whether words of a character's script are written without spaces between them.
pub(super) fn is_dense(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Takes a text to pieces.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut scanner = Scanner::default();
    let mut folded = String::new();
    for (start, c) in text.char_indices() {
        if start >= TEXT {
            break;
        }
        if c.is_ascii() {
            scanner.push(c.to_ascii_lowercase(), start, start + 1, c.is_ascii_uppercase());
            continue;
        }
        folded.clear();
        fold(c, &mut folded);
        for part in folded.chars() {
            scanner.push(part, start, start + c.len_utf8(), c.is_uppercase());
        }
    }
    scanner.finish()
}

/// A word that is not looked up yet, and the token that it is.
struct Spelled {
    token: usize,
    from: usize,
    to: usize,
}

#[derive(Default)]
struct Scanner {
    out: Vec<Token>,
    /// All words, folded, one after the other.
    letters: String,
    spelled: Vec<Spelled>,
    /// Characters of a script without spaces that are not looked up yet.
    dense: Vec<(char, usize, usize)>,
    space: bool,
}

impl Scanner {
    fn push(&mut self, c: char, start: usize, end: usize, capital: bool) {
        if is_dense(c) {
            self.dense.push((c, start, end));
            return;
        }
        if !self.dense.is_empty() {
            self.split_dense();
        }
        if c.is_whitespace() {
            self.space = true;
            return;
        }
        let count = self.out.len();
        let open = if self.space { None } else { self.out.last_mut() };
        if let Some(digit) = c.to_digit(10) {
            if let Some(Token { kind: Kind::Number(number), end: last, .. }) = open {
                number.value = number.value.saturating_mul(10).saturating_add(u64::from(digit));
                number.digits = number.digits.saturating_add(1);
                *last = end;
                return;
            }
            self.token(Kind::Number(Number { value: u64::from(digit), digits: 1 }), start, end);
        } else if c.is_alphabetic() {
            if let (Some(Token { kind: Kind::Word(word), end: last, .. }), Some(spelled)) =
                (open, self.spelled.last_mut())
                && spelled.token + 1 == count
            {
                word.letter = None;
                *last = end;
                self.letters.push(c);
                spelled.to = self.letters.len();
                return;
            }
            let from = self.letters.len();
            self.letters.push(c);
            self.spelled.push(Spelled { token: self.out.len(), from, to: self.letters.len() });
            self.token(Kind::Word(Word { meanings: &[], letter: Some(c), capital }), start, end);
        } else {
            self.token(Kind::Mark(c), start, end);
        }
    }

    fn token(&mut self, kind: Kind, start: usize, end: usize) {
        let glued = !self.space && !self.out.is_empty();
        self.out.push(Token { kind, start, end, glued });
        self.space = false;
    }

    /// Splits what was written without spaces: the longest known word first, numerals, else a
    /// character at a time.
    fn split_dense(&mut self) {
        let run = std::mem::take(&mut self.dense);
        let lexicon = Lexicon::get();
        let mut word = String::new();
        let mut at = 0;
        while let Some((c, start, end)) = run.get(at).copied() {
            let longest = run.len().min(at + lexicon.longest());
            let known = (at + 1..=longest).rev().find_map(|to| {
                word.clear();
                word.extend(run.get(at..to)?.iter().map(|(c, ..)| c));
                lexicon
                    .entry(&word)
                    .filter(|entry| !entry.alone.is_empty())
                    .map(|entry| (to, entry))
            });
            let numeral = numeral(&run[at..]);
            let known = known.filter(|(to, _)| numeral.is_none_or(|(length, _)| *to > at + length));
            let (kind, to) = match (known, numeral) {
                (Some((to, entry)), _) => {
                    let word = Word { meanings: &entry.alone, letter: None, capital: false };
                    (Kind::Word(word), to)
                }
                (None, Some((length, value))) => {
                    (Kind::Number(Number { value, digits: 0 }), at + length)
                }
                (None, None) => {
                    let word = Word { meanings: &[], letter: Some(c), capital: false };
                    (Kind::Word(word), at + 1)
                }
            };
            let end = run.get(to - 1).map_or(end, |(_, _, end)| *end);
            self.token(kind, start, end);
            at = to;
        }
    }

    fn finish(mut self) -> Vec<Token> {
        self.split_dense();
        let lexicon = Lexicon::get();
        let mut dropped = Vec::new();
        let mut skip_to = 0;
        for (at, spelled) in self.spelled.iter().enumerate() {
            if spelled.token < skip_to {
                continue;
            }
            let Some(entry) =
                self.letters.get(spelled.from..spelled.to).and_then(|word| lexicon.entry(word))
            else {
                continue;
            };
            let (last, meanings) =
                self.phrase(at, entry).unwrap_or((spelled.token, entry.alone.as_slice()));
            let end = self.out.get(last).map_or(0, |token| token.end);
            if let Some(Token { kind: Kind::Word(word), end: to, .. }) =
                self.out.get_mut(spelled.token)
            {
                word.meanings = meanings;
                *to = end;
            }
            if last > spelled.token {
                dropped.push(spelled.token + 1..last + 1);
                skip_to = last + 1;
            }
        }
        let mut dropped = dropped.into_iter().flatten().peekable();
        let mut at = 0;
        self.out.retain(|_| {
            let drop = dropped.next_if_eq(&at).is_some();
            at += 1;
            !drop
        });
        self.out
    }

    /// The longest phrase that begins with a word, and the token that it ends with.
    fn phrase(&self, at: usize, entry: &'static Entry) -> Option<(usize, &'static [Meaning])> {
        entry.phrases.iter().find_map(|(rest, meanings)| {
            let mut last = self.spelled.get(at)?.token;
            for (word, spelled) in rest.iter().zip(self.spelled.get(at + 1..)?) {
                let between = self.out.get(last + 1..spelled.token)?;
                let joined =
                    between.iter().all(|token| matches!(token.kind, Kind::Mark('.' | '\'' | '-')));
                if !joined
                    || between.len() > 2
                    || self.letters.get(spelled.from..spelled.to)? != word
                {
                    return None;
                }
                last = spelled.token;
            }
            (self.spelled.len() > at + rest.len()).then_some((last, meanings.as_slice()))
        })
    }
}

/// The number that a text of Han characters begins with, and how many characters it has: below a
/// hundred, or digit by digit ("二〇二五").
fn numeral(run: &[(char, usize, usize)]) -> Option<(usize, u64)> {
    let digit = |c: char| "〇一二三四五六七八九".chars().position(|digit| digit == c);
    let value = |c: char| match c {
        '零' => Some(0),
        '两' | '兩' => Some(2),
        _ => digit(c).and_then(|value| u64::try_from(value).ok()),
    };
    let length = run.iter().take(8).take_while(|(c, ..)| *c == '十' || value(*c).is_some()).count();
    let run = run.get(..length).filter(|run| !run.is_empty())?;
    let number = match run.iter().position(|(c, ..)| *c == '十') {
        None => run.iter().try_fold(0, |sum, (c, ..)| Some(sum * 10 + value(*c)?))?,
        Some(ten) => {
            let tens = match run.get(..ten)? {
                [] => 1,
                [(c, ..)] => value(*c)?,
                _ => return None,
            };
            let ones = match run.get(ten + 1..)? {
                [] => 0,
                [(c, ..)] => value(*c)?,
                _ => return None,
            };
            tens * 10 + ones
        }
    };
    Some((length, number))
}
