//! Stop words: those that are in every text and name the topic of none.

use std::sync::LazyLock;

const LISTS: &str = include_str!("stop.txt");

/// Every list, as packed words in a table with open addressing: every word of every page is asked
/// for, and most are not there. One set for all languages: a block may mix them, its language may be
/// unknown, and hardly a function word of one is the topic of a text in another.
static STOPS: LazyLock<Box<[u128; SLOTS]>> = LazyLock::new(|| {
    let lines = LISTS.lines().filter(|line| !line.starts_with('#'));
    let lists = lines.filter_map(|line| line.split_once(": "));
    let words = lists.flat_map(|(_, words)| words.split(' '));
    let mut slots = Box::new([FREE; SLOTS]);
    for packed in words.filter_map(pack) {
        let mut slot = slot_of(packed);
        while slots[slot] != FREE && slots[slot] != packed {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = packed;
    }
    slots
});

/// Several times as many as there are words.
const SLOTS: usize = 1 << 13;
/// The empty word, which is in no list.
const FREE: u128 = 0;

fn slot_of(packed: u128) -> usize {
    let folded = (packed >> 64) as u64 ^ (packed as u64).rotate_left(29);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize
}

/// Whether a word says nothing about what a text is about: a function word, in any case.
///
/// ```
/// assert!(page::words::is_stop("The") && page::words::is_stop("für") && page::words::is_stop("我们"));
/// assert!(!page::words::is_stop("harbour"));
/// ```
pub fn is_stop(word: &str) -> bool {
    let Some(packed) = pack(word).filter(|packed| *packed != FREE) else { return false };
    let from = slot_of(packed);
    let slots = (from..SLOTS).chain(0..from).map(|slot| STOPS[slot]);
    slots.take_while(|held| *held != FREE).any(|held| held == packed)
}

/// A word of at most 16 bytes in lower case, as one number: compared in one step, without allocating.
fn pack(word: &str) -> Option<u128> {
    if word.len() > size_of::<u128>() {
        return None;
    }
    let mut bytes = [0; size_of::<u128>()];
    if word.is_ascii() {
        for (into, byte) in bytes.iter_mut().zip(word.bytes()) {
            *into = byte.to_ascii_lowercase();
        }
        return Some(u128::from_be_bytes(bytes));
    }
    let mut length = 0;
    for c in word.chars() {
        let c = match c {
            '’' => '\'',
            c if c.is_ascii() => c.to_ascii_lowercase(),
            c => c.to_lowercase().next().unwrap_or(c),
        };
        let into = bytes.get_mut(length..length + c.len_utf8())?;
        c.encode_utf8(into);
        length += c.len_utf8();
    }
    Some(u128::from_be_bytes(bytes))
}

/// The Han characters that stand in every Chinese sentence, whatever it is about: the count of
/// function words in text that has not been cut into words.
pub(super) fn is_stop_character(c: char) -> bool {
    "的了在是和有也就不都而及与我他她这那为以于上中个到说要会对你们".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_of_each_list_are_known_in_any_case() {
        for word in ["the", "THE", "Über", "zwischen", "don’t", "che", "的", "因为"] {
            assert!(is_stop(word), "{word}");
        }
    }

    #[test]
    fn words_that_name_things_are_not() {
        for word in ["", "election", "Hafen", "网页", "donaudampfschifffahrt"] {
            assert!(!is_stop(word), "{word}");
        }
    }

    #[test]
    fn every_listed_word_fits_and_is_found() {
        let listed = LISTS.lines().filter(|line| !line.starts_with('#'));
        for word in listed.filter_map(|line| line.split_once(": ")).flat_map(|(_, w)| w.split(' '))
        {
            assert!(is_stop(word), "{word}");
        }
    }
}
