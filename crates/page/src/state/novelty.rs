//! Whether a page says anything that no page before it said, for ending traps.
//!
//! A calendar has a page for every month until the sun burns out, and a site that writes a session
//! number into its links has a copy of itself for each: their URLs are new and their bytes are new,
//! but with digits folded there is no line on them that was not on others. A crawl that keeps an eye
//! on this can stop such a pattern and say why.

use xxhash_rust::xxh3::xxh3_64;

use crate::tree::{Dom, visible_text};

/// Bits of a line in the memory. With 4, a full 4 MiB hold 4.2 million lines at 2.5 % of lines taken
/// for known by mistake.
const PROBES: u32 = 4;
/// Bytes of the smallest memory.
const LEAST: usize = 64;
/// Bytes of the largest one.
const MOST: usize = 1 << 30;

/// A memory of the lines of text that were met, of fixed size (a Bloom filter; Bloom 1970). It may
/// take a new line for a known one, more often the fuller it is, and never a known one for new.
///
/// ```
/// use page::state::{Novel, Novelty};
///
/// let mut seen = Novelty::new(1 << 20);
/// let january = "Calendar\nJanuary 2026\n1 2 3 4 5 6 7\nNo events.";
/// assert_eq!(seen.meet_text(january), Novel { lines: 4, new: 4 });
/// let next_january = "Calendar\nJanuary 2027\n1 2 3 4 5 6 7\nNo events.";
/// assert_eq!(seen.meet_text(next_january), Novel { lines: 4, new: 0 });
/// ```
#[derive(Clone)]
pub struct Novelty {
    words: Vec<u64>,
    /// Lines that were new.
    lines: u64,
}

/// How much of a page was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Novel {
    /// Its different lines, digits folded.
    pub lines: usize,
    /// Those that were not met before.
    pub new: usize,
}

impl Novelty {
    /// A memory of this many bytes, rounded up to a power of two.
    pub fn new(bytes: usize) -> Self {
        let bytes = bytes.clamp(LEAST, MOST).next_power_of_two();
        Novelty { words: vec![0; bytes / size_of::<u64>()], lines: 0 }
    }

    /// Meets a page: the lines of its visible text.
    pub fn meet(&mut self, dom: &Dom) -> Novel {
        self.meet_text(&visible_text(dom))
    }

    /// Meets a text.
    pub fn meet_text(&mut self, text: &str) -> Novel {
        let mut fold = Vec::new();
        let mut lines: Vec<u64> = text.lines().filter_map(|line| folded(line, &mut fold)).collect();
        lines.sort_unstable();
        lines.dedup();
        let new = lines.iter().filter(|line| self.remember(**line)).count();
        self.lines += new as u64;
        Novel { lines: lines.len(), new }
    }

    /// Meets something that is to be taken as it is, such as a URL; whether it was new.
    pub fn meet_exactly(&mut self, item: &str) -> bool {
        let new = self.remember(xxh3_64(item.as_bytes()));
        self.lines += u64::from(new);
        new
    }

    /// How many lines were new in all.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Sets the bits of a line, and says whether any was not set.
    fn remember(&mut self, line: u64) -> bool {
        let bits = self.words.len() as u64 * 64;
        // Two halves of one hash make all probes (Kirsch and Mitzenmacher 2006).
        let step = line.rotate_left(32) | 1;
        let mut new = false;
        for probe in 0..PROBES {
            let bit = line.wrapping_add(step.wrapping_mul(u64::from(probe))) & (bits - 1);
            if let Some(word) = self.words.get_mut((bit / 64) as usize) {
                let mask = 1 << (bit % 64);
                new |= *word & mask == 0;
                *word |= mask;
            }
        }
        new
    }
}

impl std::fmt::Debug for Novelty {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Novelty({} lines in {} bytes)", self.lines, self.words.len() * 8)
    }
}

/// The hash of a line in which every number is the same; none if it says nothing. `out` is room to
/// write it in.
fn folded(line: &str, out: &mut Vec<u8>) -> Option<u64> {
    out.clear();
    let mut says = false;
    let mut only_numbers = true;
    for character in line.trim().chars() {
        let (is_digit, is_space) = match character.is_ascii() {
            true => (character.is_ascii_digit(), character.is_ascii_whitespace()),
            false => {
                (character.is_numeric() || is_hanzi_digit(character), character.is_whitespace())
            }
        };
        says |= is_digit || character.is_alphanumeric();
        let folded = match character {
            _ if is_digit => b'0',
            _ if is_space => b' ',
            other => {
                only_numbers = false;
                let mut bytes = [0; 4];
                out.extend_from_slice(other.encode_utf8(&mut bytes).as_bytes());
                continue;
            }
        };
        if out.last() != Some(&folded) {
            out.push(folded);
        }
    }
    // A run of numbers is one number however long it is: the days of a month are 28 to 31.
    match (says, only_numbers) {
        (false, _) => None,
        (true, true) => Some(xxh3_64(b"0")),
        (true, false) => Some(xxh3_64(out)),
    }
}

fn is_hanzi_digit(character: char) -> bool {
    matches!(character, '〇' | '一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九' | '十')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_str;

    #[test]
    fn a_calendar_brings_nothing_new_after_a_year() {
        let months = ["January", "February", "March", "April", "May", "June", "July", "August"];
        let mut seen = Novelty::new(1 << 16);
        let mut new = Vec::new();
        for month in 0..24 {
            let days: String = (1..=28 + month % 4).map(|day| format!("<td>{day}</td>")).collect();
            let name = months[month % months.len()];
            let html =
                format!("<h1>{name} {}</h1><table><tr>{days}</table><p>No events", 2000 + month);
            new.push(seen.meet(&parse_str(&html).dom).new);
        }
        assert_eq!(&new[..3], [3, 1, 1]);
        assert_eq!(new[months.len()..].iter().sum::<usize>(), 0);
    }

    #[test]
    fn a_copy_under_another_session_number_brings_nothing_new() {
        let mut seen = Novelty::new(1 << 16);
        let page = |session: u32| {
            parse_str(&format!("<p>Welcome, guest {session}</p><a href='?sid={session}'>Shop</a>"))
                .dom
        };
        assert_eq!(seen.meet(&page(17)).new, 2);
        assert_eq!(seen.meet(&page(4711)), Novel { lines: 2, new: 0 });
    }

    #[test]
    fn a_thread_brings_new_lines_also_in_chinese() {
        let mut seen = Novelty::new(1 << 16);
        seen.meet_text("第1楼\n今天天气很好");
        assert_eq!(seen.meet_text("第2楼\n明天有雨"), Novel { lines: 2, new: 1 });
        assert_eq!(seen.meet_text("十二月\n一月"), Novel { lines: 1, new: 1 });
    }

    #[test]
    fn lines_without_words_do_not_count() {
        let mut seen = Novelty::new(0);
        assert_eq!(seen.meet_text("—\n\n»\n · "), Novel::default());
        assert_eq!(seen.meet_text("1 2 3\n4 5"), Novel { lines: 1, new: 1 });
    }

    #[test]
    fn few_lines_are_taken_for_known_by_mistake() {
        let mut seen = Novelty::new(1 << 16);
        let line = |n: u32| -> String {
            n.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect()
        };
        // 64 KiB are 524,288 bits, 8 for each of these lines.
        let all: usize = (0..65_536).map(|n| seen.meet_text(&line(n)).new).sum();
        assert!(all > 65_000, "{all}");
        assert!((0..65_536).all(|n| seen.meet_text(&line(n)).new == 0));
    }
}
