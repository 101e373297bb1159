//! The title of the thread, said again in its posts.

use std::collections::HashMap;
use std::ops::Range;

use super::Cleaner;
use super::cleaner::Role;
use super::sheet::{Element, Line};
use super::thread::Thread;

/// Words before the title ("Re:", "回复：") or behind it.
const AROUND: usize = 4;
/// Of the elements of a place, how many must say the title.
const SHARE: f64 = 0.6;
/// And how many at least.
const FEWEST: usize = 2;

/// Learns where posts say the title.
pub(super) fn learn(threads: &[Thread<'_, '_>], cleaner: &mut Cleaner) {
    let mut places: HashMap<u64, (usize, usize, String)> = HashMap::new();
    for thread in threads {
        for (at, sheet) in thread.sheets.iter().enumerate() {
            for element in sheet.elements.iter().filter(|element| !element.tokens.is_empty()) {
                let (seen, said, _) =
                    places.entry(element.place).or_insert_with(|| (0, 0, sheet.place_of(element)));
                *seen += 1;
                *said += usize::from(says_title(thread, at, &element.tokens));
            }
        }
    }
    // One post may begin with the title by chance; those of several threads do not.
    let begins = |thread: &Thread<'_, '_>| {
        (0..thread.sheets.len()).any(|at| first_line(thread, at).is_some())
    };
    cleaner.subject_lines = threads.iter().filter(|thread| begins(thread)).count() >= FEWEST;
    for (seen, said, place) in places.into_values() {
        if said >= FEWEST && said as f64 >= SHARE * seen as f64 {
            cleaner.give(place, Role::Subject);
        }
    }
}

/// Cuts the title out where posts say it. An author who says it elsewhere wrote it, and so did one who
/// says nothing else.
pub(super) fn cut(cleaner: &Cleaner, thread: &mut Thread<'_, '_>) {
    for at in 0..thread.sheets.len() {
        let Some(sheet) = thread.sheets.get(at) else { continue };
        let all = sheet.left(&(0..sheet.tokens.len()));
        let found: Vec<Element> = sheet
            .elements
            .iter()
            .filter(|element| cleaner.role(element.place) == Some(Role::Subject))
            .filter(|element| {
                says_title(thread, at, &element.tokens) && sheet.left(&element.tokens) < all
            })
            .cloned()
            .collect();
        let line = first_line(thread, at).filter(|_| cleaner.subject_lines && found.is_empty());
        let line = line.cloned();
        if let Some(sheet) = thread.sheets.get_mut(at) {
            found.iter().for_each(|element| sheet.cut_element(element));
            line.iter().for_each(|line| sheet.cut_line(line));
        }
    }
}

/// The first line of a post, if it says the title and hardly more, and others follow.
fn first_line<'s>(thread: &'s Thread<'_, '_>, at: usize) -> Option<&'s Line> {
    let sheet = thread.sheets.get(at)?;
    let mut lines = sheet.lines_left();
    let first = lines.next().filter(|line| says_title(thread, at, &line.tokens))?;
    lines.next().is_some().then_some(first)
}

/// Whether words say the title and hardly more.
fn says_title(thread: &Thread<'_, '_>, at: usize, tokens: &Range<usize>) -> bool {
    let title = &thread.title;
    let more = tokens.len().checked_sub(title.len());
    if title.is_empty() || more.is_none_or(|more| more > AROUND.min(title.len())) {
        return false;
    }
    let words = thread.sheets.get(at).and_then(|sheet| sheet.tokens.get(tokens.clone()));
    words.is_some_and(|words| words.windows(title.len()).any(|window| window == title))
}
