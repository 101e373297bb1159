//! Extracting a topic from long text (the paper's algorithm 3).

use super::TopicSettings;
use super::phrase::{behind_stops, reach};
use crate::block::line::{Line, Lines};
use crate::words::{Word, ends_sentence, is_stop, language, segment, stem};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Bytes of a block that are read. What it is about is said in its first paragraphs, and a page may
/// be one block.
const READ: usize = 3000;

/// The phrase that holds the most of the frequent words: the beginning of a sentence, as it stands.
/// Of equal ones the first. None if no word is frequent.
pub(super) fn phrase(lines: &Lines<'_>, own: &[Line], settings: &TopicSettings) -> Option<String> {
    let text = read(lines, own);
    let words = segment(&text);
    let language = language(&text);
    let stems: Vec<Cow<'_, str>> = words
        .iter()
        .map(|word| match is_stop(word.text) || is_bare(word.text) {
            true => Cow::Borrowed(""),
            false => stem(word.text, language),
        })
        .collect();
    let mut frequencies: HashMap<&str, usize> = HashMap::new();
    for stem in stems.iter().filter(|stem| !stem.is_empty()) {
        *frequencies.entry(stem).or_default() += 1;
    }
    frequencies.retain(|_, frequency| *frequency > settings.frequency);

    let mut best: Option<(usize, usize, usize)> = None;
    for (number, from) in sentences(&text, &words).into_iter().enumerate() {
        let to = sentence_end(&text, &words, from);
        let to = from + reach(words.get(from..to)?, settings.most_words);
        let held: HashSet<&str> = stems.get(from..to)?.iter().map(|stem| &**stem).collect();
        let held: usize = held.iter().filter_map(|stem| frequencies.get(stem)).sum();
        // Half of it is lost over twenty sentences: what comes first is what the text begins with.
        let score = held * 1000 / (20 + number);
        if to - from >= 3 && score > best.map_or(0, |(best, _, _)| best) {
            best = Some((score, from, to));
        }
    }
    let (_, from, to) = best?;
    let (first, last) = (words.get(from)?, words.get(to.checked_sub(1)?)?);
    let is_whole = sentence_end(&text, &words, from) == to;
    Some(match is_whole {
        true => text.get(first.at.start..last.at.end)?.to_owned(),
        false => {
            let head = text.get(..last.at.end)?;
            format!("{}…", behind_stops(head, &words, to).get(first.at.start..)?)
        }
    })
}

/// The text of the prose in a block, a line each; of all lines if there is none.
fn read(lines: &Lines<'_>, own: &[Line]) -> String {
    let any_prose = own.iter().any(|line| line.prose);
    let mut text = String::new();
    for line in own.iter().filter(|line| line.prose || !any_prose) {
        if text.len() >= READ {
            break;
        }
        lines.write(line, &mut text);
        text.push('\n');
    }
    text.truncate(text.floor_char_boundary(READ));
    text
}

/// Numbers and single letters name nothing.
fn is_bare(word: &str) -> bool {
    !word.chars().any(char::is_alphabetic) || word.len() == 1
}

/// The words that sentences begin with.
fn sentences(text: &str, words: &[Word<'_>]) -> Vec<usize> {
    let begins = |at: usize| at == 0 || is_parted(text, words, at);
    (0..words.len()).filter(|at| begins(*at)).collect()
}

/// One past the last word of the sentence that begins with a word.
fn sentence_end(text: &str, words: &[Word<'_>], from: usize) -> usize {
    (from + 1..words.len()).find(|at| is_parted(text, words, *at)).unwrap_or(words.len())
}

/// Whether a sentence ends before a word.
fn is_parted(text: &str, words: &[Word<'_>], at: usize) -> bool {
    let (Some(before), Some(word)) =
        (at.checked_sub(1).and_then(|at| words.get(at)), words.get(at))
    else {
        return false;
    };
    let between = text.get(before.at.end..word.at.start).unwrap_or_default();
    between.contains(|c| c == '\n' || ends_sentence(c) && !c.is_ascii())
        || between.contains(' ')
            && between.contains(ends_sentence)
            && !word.text.starts_with(char::is_lowercase)
            && !is_abbreviated(before.text, between)
}

/// Whether a point belongs to the word before it, as in "Gov. Smith" and "Nov. 19". A short last word
/// of a sentence is taken for one too: then two sentences are read as one, which does less harm than
/// beginning in the middle of one.
fn is_abbreviated(before: &str, between: &str) -> bool {
    between.starts_with('.')
        && before.is_ascii()
        && before.len() <= 4
        && before.starts_with(|c: char| c.is_ascii_uppercase())
}
