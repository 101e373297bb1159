//! One way to write a character: NFKC, small, without accents.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Writes what a character folds to: compatible forms as the usual one ("８" as "8"), small letters,
/// no accents. Syllables of Hangul and kana stay whole, since their parts are no accents.
pub(super) fn fold(c: char, out: &mut String) {
    match c {
        _ if c.is_ascii() => out.push(c.to_ascii_lowercase()),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => out.push(' '),
        // Marks of direction, joiners and soft hyphens show nothing.
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => {}
        '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
        '\u{2018}' | '\u{2019}' | '\u{2bc}' | '\u{b4}' => out.push('\''),
        '\u{3041}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => out.push(c),
        'ı' => out.push('i'),
        'ł' | 'Ł' => out.push('l'),
        'ø' | 'Ø' => out.push('o'),
        'đ' | 'Đ' => out.push('d'),
        'ي' | 'ى' => out.push('ی'),
        'ك' => out.push('ک'),
        _ => match digit(c) {
            Some(digit) => out.push(char::from(b'0' + digit)),
            None => decompose_compatible(c, |part| {
                if !is_combining_mark(part) {
                    out.extend(part.to_lowercase().filter(|small| !is_combining_mark(*small)));
                }
            }),
        },
    }
}

/// A folded word.
pub(super) fn fold_word(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        fold(c, &mut out);
    }
    out
}

/// The value of a decimal digit of the scripts that dates are written in.
fn digit(c: char) -> Option<u8> {
    const ZEROS: [char; 8] =
        ['\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{e50}', '\u{e66}', '\u{1040}', '\u{ff10}'];
    ZEROS.into_iter().find_map(|zero| {
        let value = u32::from(c).checked_sub(u32::from(zero))?;
        u8::try_from(value).ok().filter(|value| *value < 10)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_case_accents_and_digits_of_other_scripts_do_not_matter() {
        assert_eq!(fold_word("２０２５"), "2025");
        assert_eq!(fold_word("FÉVRIER"), "fevrier");
        assert_eq!(fold_word("fe\u{301}vrier"), "fevrier");
        assert_eq!(fold_word("Kasım"), "kasim");
        assert_eq!(fold_word("KASIM"), "kasim");
        assert_eq!(fold_word("İ"), "i");
        assert_eq!(fold_word("۱۴"), "14");
        assert_eq!(fold_word("오후"), "오후");
        assert_eq!(fold_word("昨\u{200b}天"), "昨天");
    }
}
