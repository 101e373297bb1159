//! The pieces that dates are made of, one at a time. A place beyond the last token is as good as any:
//! nothing is there.

use super::grammar::Grammar;
use super::token::{Kind, Number, Token, Word, is_dense};
use super::words::{Meaning, Part};

impl Grammar<'_> {
    /// The first token after what may stand between the parts of a date.
    pub(super) fn skip(self, at: usize, most: usize) -> usize {
        let between = |token: &Token| match token.kind {
            Kind::Mark(mark) => matches!(
                mark,
                ',' | '.'
                    | '-'
                    | '|'
                    | '·'
                    | '•'
                    | '@'
                    | '/'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '«'
                    | '»'
                    | '~'
                    | '、'
            ),
            Kind::Word(word) => word.meanings.contains(&Meaning::At),
            Kind::Number(_) => false,
        };
        let rest = self.tokens.get(at..).unwrap_or_default();
        at + rest.iter().take(most).take_while(|token| between(token)).count()
    }

    pub(super) fn skip_dot(self, at: usize) -> usize {
        let dot =
            matches!(self.tokens.get(at), Some(Token { kind: Kind::Mark('.'), glued: true, .. }));
        let decimal = self
            .tokens
            .get(at + 1)
            .is_some_and(|next| next.glued && matches!(next.kind, Kind::Number(_)));
        at + usize::from(dot && !decimal)
    }

    /// The token after a word that names the number before it, if there is such a word.
    pub(super) fn after(self, at: usize, part: Part) -> usize {
        at + usize::from(self.is(at, Meaning::After(part)))
    }

    /// Whether a date can begin with a token, by what it is and what is before it.
    pub(super) fn may_begin(self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let number = match token.kind {
            Kind::Number(_) => true,
            Kind::Word(word) if !word.meanings.is_empty() => false,
            Kind::Word(_) | Kind::Mark(_) => return false,
        };
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        match before.filter(|_| token.glued).map(|before| before.kind) {
            Some(Kind::Mark(':')) if number => self.is_after_label(at - 1),
            Some(Kind::Mark(mark)) => !number || !"-./:_+#$€£¥%=&\\,".contains(mark),
            Some(Kind::Word(word)) => is_word_of_its_own(word),
            Some(Kind::Number(_)) | None => true,
        }
    }

    /// Whether a colon ends a label, and is no part of an hour or an address.
    fn is_after_label(self, colon: usize) -> bool {
        let glued = self.tokens.get(colon).is_some_and(|colon| colon.glued);
        let before = colon.checked_sub(1).filter(|_| glued).and_then(|at| self.tokens.get(at));
        match before.map(|before| before.kind) {
            Some(Kind::Word(word)) => is_word_of_its_own(word),
            Some(Kind::Mark(_) | Kind::Number(_)) => false,
            None => true,
        }
    }

    /// Whether what is after a date lets it end there: nothing that goes on as an address, a
    /// version or a telephone number does.
    pub(super) fn may_end(self, at: usize) -> bool {
        let Some(next) = self.tokens.get(at).filter(|next| next.glued) else { return true };
        match next.kind {
            Kind::Mark('%' | '$' | '€' | '£' | '_' | '=') => false,
            Kind::Mark('-' | '.' | '/' | ':' | ',') => {
                let digit = |token: &Token| token.glued && matches!(token.kind, Kind::Number(_));
                !self.tokens.get(at + 1).is_some_and(digit)
            }
            Kind::Mark(_) => true,
            Kind::Number(_) => false,
            Kind::Word(word) => word.letter.is_some_and(is_dense) || !word.meanings.is_empty(),
        }
    }

    /// Whether a number that ends before a token is not part of something longer.
    pub(super) fn free(self, at: usize) -> bool {
        match self.tokens.get(at) {
            Some(Token { kind: Kind::Word(word), .. }) => !word.meanings.iter().any(|meaning| {
                matches!(meaning, Meaning::After(_) | Meaning::Unit(_) | Meaning::Am | Meaning::Pm)
            }),
            Some(Token { kind: Kind::Mark(':' | '%'), glued: true, .. }) => false,
            _ => true,
        }
    }

    /// Whether a month between two tokens is a common word that is written small.
    pub(super) fn is_wary(self, from: usize, to: usize) -> bool {
        self.tokens.get(from..to).unwrap_or_default().iter().any(|token| match token.kind {
            Kind::Word(word) => !word.capital && word.meanings.contains(&Meaning::Wary),
            _ => false,
        })
    }

    pub(super) fn number(self, at: usize) -> Option<Number> {
        match self.tokens.get(at)?.kind {
            Kind::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn mark(self, at: usize, mark: char) -> bool {
        matches!(self.tokens.get(at), Some(Token { kind: Kind::Mark(found), .. }) if *found == mark)
    }

    /// A single letter that follows a number at once.
    pub(super) fn letter(self, at: usize, letter: char) -> Option<Word> {
        match self.tokens.get(at)? {
            Token { kind: Kind::Word(word), glued: true, .. } => {
                Some(*word).filter(|word| word.letter == Some(letter))
            }
            _ => None,
        }
    }

    pub(super) fn find<T>(self, at: usize, wanted: impl Fn(Meaning) -> Option<T>) -> Option<T> {
        match self.tokens.get(at)?.kind {
            Kind::Word(word) => word.meanings.iter().copied().find_map(wanted),
            _ => None,
        }
    }

    pub(super) fn is(self, at: usize, meaning: Meaning) -> bool {
        self.is_word(at, |found| found == meaning)
    }

    pub(super) fn is_word(self, at: usize, wanted: impl Fn(Meaning) -> bool) -> bool {
        self.find(at, |meaning| wanted(meaning).then_some(())).is_some()
    }
}

/// Whether a word that something is glued to is a word still.
fn is_word_of_its_own(word: Word) -> bool {
    word.letter.is_some_and(is_dense) || !word.meanings.is_empty()
}

/// A number that is a day, a month, an hour, a minute or a year of two digits.
pub(super) fn small(number: Number) -> Option<u8> {
    u8::try_from(number.value).ok().filter(|value| *value < 100 && number.digits <= 2)
}
