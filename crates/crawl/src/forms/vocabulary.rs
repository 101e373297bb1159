//! What the columns of answers say: values for inputs, and words.

use std::collections::{BTreeMap, HashMap, HashSet};

use page::form::{Assignment, Input, InputKind};

use super::coverage::{Asker, Coverage, Halt};
use super::role::{columns_of, may_be_page_size, page_words};
use super::rows::Row;

/// Values of a column that are learned for an input.
const MOST_VALUES: usize = 400;
/// Columns that are tried for an input.
const MOST_COLUMNS: usize = 3;

impl<'a, A: Asker> Coverage<'a, A> {
    /// The values that a column shows of what an input asks for, if they come again: a title does not.
    pub(super) fn vocabulary(&self, input: &Input) -> Vec<String> {
        let Some(Some(column)) = self.value_columns.get(&input.name) else { return Vec::new() };
        let counts = self.counts_of(column);
        let all: usize = counts.values().sum();
        // What nearly all rows say ("an hour ago") tells none of them apart.
        let most = counts.values().max().copied().unwrap_or(0);
        let is_one = most * 10 >= all * 9;
        if counts.len() > MOST_VALUES || counts.len() * 3 > all.max(12) || is_one {
            return Vec::new();
        }
        counts.into_keys().map(str::to_owned).collect()
    }

    /// What a column says, and how often.
    pub(super) fn counts_of(&self, column: &str) -> BTreeMap<&str, usize> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &self.remembered {
            if let Some(said) = cell(row, column).filter(|said| !said.is_empty()) {
                *counts.entry(said).or_default() += 1;
            }
        }
        counts
    }

    /// Finds the column that says what a typed input asks for: asked for a value of it, all rows have that value.
    pub(super) async fn learn_column(&mut self, input: &Input) -> Result<(), Halt> {
        if self.value_columns.contains_key(&input.name) {
            return Ok(());
        }
        for column in columns_of(input, &self.columns).into_iter().take(MOST_COLUMNS) {
            let counts = self.counts_of(&column);
            let most = counts.iter().max_by_key(|(_, count)| **count);
            let Some(value) = most.map(|(value, _)| (*value).to_owned()) else { continue };
            let answered = self.query(&Assignment::none().with(&input.name, &value)).await?;
            let fits = |row: &&Row| cell(row, &column) == Some(value.as_str());
            let right = answered.rows.iter().filter(fits).count();
            if right > 0 && right * 5 >= answered.rows.len() * 4 {
                self.value_columns.insert(input.name.clone(), Some(column));
                return Ok(());
            }
        }
        self.value_columns.insert(input.name.clone(), None);
        Ok(())
    }

    /// The field for words: one that no column says the values of, and that is no end of a range.
    pub(super) fn keyword_input(&self) -> Option<&'a Input> {
        let fields = || {
            self.form.open_inputs().filter(|input| {
                input.kind == InputKind::Text
                    && input.options.is_empty()
                    && self.relations.other_end(&input.name).is_none()
                    && !self.relations.is_in_condition(&input.name)
                    && !may_be_page_size(input)
            })
        };
        let is_open = |input: &&Input| columns_of(input, &self.columns).is_empty();
        fields()
            .find(|input| input.is_search)
            .or_else(|| fields().find(is_open))
            .or_else(|| fields().find(|input| self.vocabulary(input).is_empty()))
    }

    /// Words of rows, with how many rows have them: the most frequent first.
    pub(super) fn words_by_rows(&self) -> Vec<(String, usize)> {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for row in &self.remembered {
            let words: HashSet<String> =
                row.cells.iter().flat_map(|(_, said)| page_words(said)).collect();
            for word in words {
                let is_word = word.chars().count() >= 3 && word.chars().all(char::is_alphabetic);
                if is_word {
                    *counts.entry(word).or_default() += 1;
                }
            }
        }
        let mut words: Vec<_> = counts.into_iter().collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words
    }
}

/// What a row says in a column.
pub(super) fn cell<'r>(row: &'r Row, column: &str) -> Option<&'r str> {
    row.cells.iter().find(|(name, _)| name == column).map(|(_, said)| said.as_str())
}

/// A whole number, as it is written in a cell or a field: `1,999`, `$20,500`.
pub(super) fn number(text: Option<&str>) -> Option<i64> {
    parsed(text?)
}

fn parsed(text: &str) -> Option<i64> {
    let text = text.trim().trim_start_matches(['$', '€', '£']).trim();
    let whole = text.split('.').next().unwrap_or_default();
    let digits: String = whole.chars().filter(|c| !matches!(c, ',' | ' ' | '\u{a0}')).collect();
    let bare = digits.strip_prefix('-').unwrap_or(&digits);
    (!bare.is_empty() && bare.len() <= 15 && bare.chars().all(|c| c.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}
