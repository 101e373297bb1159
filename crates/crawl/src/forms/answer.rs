//! What a submission answers, as far as the next one depends on it.

use std::collections::{BTreeSet, HashSet};

use page::tree::{Dom, visible_text};
use url::Url;

use super::pager::{NextPage, next_page};
use super::rows::{Row, RowReader};

/// Lines of a page in which it may say how many rows there are in all.
const MOST_LINES: usize = 2_000;
/// Longest such line.
const LONGEST_LINE: usize = 120;

/// One page of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Its rows.
    pub rows: Vec<Row>,
    /// How the page after it is reached.
    pub next: Option<NextPage>,
    /// Numbers that may be that of all rows.
    pub totals: BTreeSet<u64>,
    /// Whether it is an error.
    pub is_error: bool,
}

impl Answer {
    /// Reads a page, the `number`th of its answer.
    pub fn of(
        dom: &Dom,
        url: &Url,
        status: u16,
        reader: Option<&RowReader>,
        (number, post): (usize, bool),
    ) -> Self {
        let rows = reader.map(|reader| reader.rows(dom, url)).unwrap_or_default();
        let text = visible_text(dom);
        let totals = totals(&text, rows.len());
        Self { next: next_page(dom, url, number, post), totals, rows, is_error: status >= 400 }
    }

    /// The names of its rows.
    pub fn keys(&self) -> HashSet<u64> {
        self.rows.iter().map(|row| row.key).collect()
    }
}

/// Numbers beside words, in short lines, that are not less than the rows of the page: "1,400 results",
/// "1 to 50 of 1,400".
fn totals(text: &str, rows: usize) -> BTreeSet<u64> {
    let lines = text.lines().take(MOST_LINES).filter(|line| line.len() <= LONGEST_LINE);
    let mut found = BTreeSet::new();
    for line in lines {
        if !line.chars().any(char::is_alphabetic) {
            continue;
        }
        for word in line.split(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.' | '\u{a0}')))
        {
            let digits: String = word.chars().filter(char::is_ascii_digit).collect();
            let is_grouped = word
                .trim_matches([',', '.'])
                .split([',', '.', '\u{a0}'])
                .skip(1)
                .all(|part| part.len() == 3);
            if let (Ok(number), true) = (digits.parse::<u64>(), is_grouped)
                && number >= rows as u64
                && number > 0
            {
                found.insert(number);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_may_count_all_rows_are_at_least_those_of_the_page() {
        let found = totals("1 to 50 of 1,400\n12.345 Treffer\n3.5 stars\n77\nof 20", 50);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [50, 1_400, 12_345]);
    }
}
