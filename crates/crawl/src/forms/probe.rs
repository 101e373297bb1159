//! Trying inputs: where rows are to be had at all, larger pages, and what a list does to an answer.

use std::collections::HashSet;

use page::form::{Assignment, Input, InputKind};

use super::coverage::{Answered, Asker, Coverage, Halt};
use super::role::{Role, choices, largest, may_be_page_size, spread};

/// Values that an input is probed with.
const PROBES: usize = 3;

/// Words that are frequent wherever they are looked for, where nothing else is known yet.
pub(super) const COMMON: &[&str] = &[
    "the", "a", "of", "and", "in", "new", "to", "for", "on", "with", "der", "die", "de", "la",
    "el", "le", "man", "day", "time", "world", "life", "city", "home", "house", "water", "night",
    "year", "work", "people", "great",
];

impl<A: Asker> Coverage<'_, A> {
    /// What an input does, tried on an answer that is not cut off.
    pub(super) async fn role(&mut self, input: &Input) -> Result<Role, Halt> {
        if let Some(role) = self.roles.get(&input.name) {
            return Ok(*role);
        }
        if !input.kind.is_listed() {
            return Ok(Role::Binding);
        }
        let default = self.query(&Assignment::none()).await?;
        if default.rows.is_empty() {
            // Nothing is shown unless something is chosen.
            for value in spread(&choices(input), 2) {
                let chosen = self.query(&Assignment::none().with(&input.name, &value)).await?;
                if !chosen.rows.is_empty() {
                    self.roles.insert(input.name.clone(), Role::Binding);
                    return Ok(Role::Binding);
                }
            }
        }
        let Some((base, rows)) = self.small_answer().await? else {
            // Whoever cannot be judged is believed if other rows come.
            let keys: HashSet<u64> = self.seen.keys().copied().collect();
            for value in spread(&choices(input), PROBES) {
                let answered = self.query(&Assignment::none().with(&input.name, &value)).await?;
                if answered.rows.iter().any(|row| !keys.contains(&row.key)) {
                    return Ok(Role::Unknown);
                }
            }
            return Ok(Role::Presentation);
        };
        let (mut tried, mut empty, mut other) = (0, 0, 0);
        for value in spread(&choices(input), PROBES) {
            let answered = self.query(&base.with(&input.name, &value)).await?;
            let keys: HashSet<u64> = answered.rows.iter().map(|row| row.key).collect();
            tried += 1;
            empty += usize::from(keys.is_empty());
            other += usize::from(!keys.is_empty() && keys != rows);
        }
        let mut role = match (other, empty) {
            (0, 0) => Role::Presentation,
            (0, empty) if empty == tried => Role::NeedsOther,
            _ => Role::Binding,
        };
        if role == Role::NeedsOther {
            // An empty answer to each may be chance where few rows are asked: once more, of all.
            for value in spread(&choices(input), 2) {
                let answered = self.query(&Assignment::none().with(&input.name, &value)).await?;
                if !answered.rows.is_empty() {
                    role = Role::Binding;
                }
            }
        }
        self.roles.insert(input.name.clone(), role);
        Ok(role)
    }

    /// A query whose answer is whole and not empty, and the rows of it.
    pub(super) async fn small_answer(
        &mut self,
    ) -> Result<Option<(Assignment, HashSet<u64>)>, Halt> {
        let is_small = |answered: &Answered| {
            !answered.is_cut && (2..self.cap.max(3)).contains(&answered.rows.len())
        };
        let mut known: Vec<_> = self
            .answered
            .iter()
            .filter(|(bound, answered)| bound.dimension() <= 3 && is_small(answered))
            .map(|(bound, answered)| (bound.clone(), answered))
            .collect();
        known.sort_by_key(|(bound, answered)| (usize::MAX - answered.rows.len(), bound.clone()));
        if let Some((bound, answered)) = known.first() {
            let rows = answered.rows.iter().map(|row| row.key).collect();
            return Ok(Some((bound.clone(), rows)));
        }
        let Some(input) = self.keyword_input() else { return Ok(None) };
        let mut words = self.words_by_rows();
        words.reverse();
        let rare: Vec<String> = words.into_iter().map(|(word, _)| word).take(40).collect();
        for word in spread(&rare, 3) {
            let bound = Assignment::none().with(&input.name, &word);
            let answered = self.query(&bound).await?;
            if !answered.is_cut && !answered.rows.is_empty() && answered.rows.len() < self.cap {
                let rows = answered.rows.iter().map(|row| row.key).collect();
                return Ok(Some((bound, rows)));
            }
        }
        Ok(None)
    }

    /// Where the form answers nothing unless something is filled in: the values that it lists, then words.
    pub(super) async fn find_first_rows(&mut self) -> Result<Answered, Halt> {
        let none = Answered { rows: Vec::new(), next: None, is_cut: false };
        let listed = self.form.open_inputs().filter(|input| input.kind.is_listed());
        let mut tries: Vec<Assignment> = listed
            .flat_map(|input| {
                let values = spread(&choices(input), PROBES);
                values.into_iter().map(|value| Assignment::none().with(&input.name, &value))
            })
            .collect();
        for input in self.form.open_inputs().filter(|input| input.kind == InputKind::Text) {
            tries.extend(
                COMMON.iter().take(4).map(|word| Assignment::none().with(&input.name, word)),
            );
        }
        for bound in tries.into_iter().take(12) {
            let answered = self.query(&bound).await?;
            if !answered.rows.is_empty() {
                return Ok(answered);
            }
        }
        Ok(none)
    }

    /// Takes larger pages where an input gives them.
    pub(super) async fn enlarge_pages(&mut self) -> Result<(), Halt> {
        let form = self.form;
        for input in form.open_inputs().filter(|input| may_be_page_size(input)) {
            let before = self.answered.get(&self.base).map_or(0, |answered| answered.rows.len());
            let value = match input.kind.is_listed() {
                true => largest(input),
                false => Some("100".to_owned()),
            };
            let Some(value) = value.filter(|value| input.default.first() != Some(value)) else {
                continue;
            };
            let larger = self.base.with(&input.name, &value);
            let after = self.ask(&larger).await?;
            if after.rows.len() > before {
                self.roles.insert(input.name.clone(), Role::PageSize);
                self.cap = after.rows.len();
                self.base = larger;
            }
        }
        Ok(())
    }
}
