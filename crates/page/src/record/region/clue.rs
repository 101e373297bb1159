//! Whether a text looks like a date, quickly: a record has about one.

use crate::tree::Node;

/// The longest text that is a date and little else.
const LONGEST: usize = 64;

/// Whether a text shows a date, or its element tells one.
pub(super) fn is_dated(text: Node<'_>) -> bool {
    let parent = text.parent();
    let told = |name: &str| parent.and_then(|parent| parent.attribute(name));
    parent.is_some_and(|parent| parent.name() == "time")
        || told("datetime").is_some()
        || looks_dated(text.text())
        || told("title").is_some_and(looks_dated)
}

/// Figures in the manner of a date or a time of day: `2026-08-22`, `22.8.26`, `20:22`, `8月22日`,
/// or a year beside another number.
fn looks_dated(text: &str) -> bool {
    let text = text.trim();
    if text.chars().count() > LONGEST {
        return false;
    }
    let mut numbers: Vec<(u32, usize, Option<char>)> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(figure) = c.to_digit(10) else { continue };
        let (mut value, mut figures) = (figure, 1);
        while let Some(next) = chars.peek().and_then(|c| c.to_digit(10)) {
            value = value.saturating_mul(10).saturating_add(next);
            figures += 1;
            chars.next();
        }
        numbers.push((value, figures, chars.peek().copied()));
    }
    let year = |value: u32, figures: usize| figures == 4 && (1970..2100).contains(&value);
    let clock = numbers
        .windows(2)
        .any(|pair| pair[0].2 == Some(':') && pair[0].0 < 24 && pair[1].1 == 2 && pair[1].0 < 60);
    let triple = numbers.windows(3).any(|three| {
        let joined = |c: Option<char>| matches!(c, Some('-' | '/' | '.'));
        joined(three[0].2) && joined(three[1].2) && three.iter().all(|number| number.1 <= 4)
    });
    let marked = numbers.iter().any(|number| matches!(number.2, Some('月' | '日' | '年' | '월')));
    let dated = numbers.iter().any(|number| year(number.0, number.1)) && numbers.len() >= 2;
    clock || triple || marked || dated
}
