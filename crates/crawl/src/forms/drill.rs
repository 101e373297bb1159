//! Splitting what is cut off, until nothing is: ranges at the median of what came back, lists by their values,
//! closed vocabularies by what columns show, and words last (Sheng et al. 2012, from the answers instead of the
//! domains).

use std::collections::{HashSet, VecDeque};

use page::form::{Assignment, Input, InputKind};

use super::coverage::{Asker, Coverage, Halt};
use super::probe::COMMON;
use super::role::{Role, choices, columns_of, spread};
use super::vocabulary::{cell, number};

/// Values of a list that a query is split by.
const MOST_CHOICES: usize = 80;
/// Inputs bound at the same time; both ends of a range are two.
const DEEPEST: usize = 6;
/// Queries that check what was found, at the end.
const AUDITS: usize = 12;

/// What a query was split into.
pub(super) struct Parts {
    queries: Vec<Assignment>,
    /// Whether these make up the whole of it.
    is_all: bool,
}

impl<A: Asker> Coverage<'_, A> {
    /// Splits queries whose answers are cut off, until none is left that can be.
    pub(super) async fn drill(&mut self) -> Result<(), Halt> {
        let mut waiting: VecDeque<Assignment> = VecDeque::from([Assignment::none()]);
        let mut asked: HashSet<Assignment> = HashSet::from([Assignment::none()]);
        // Whether the parts of what was split make up the whole, and all of them were seen whole.
        let mut is_exhaustive = true;
        let mut has_asked_words = false;
        loop {
            match self.split_all(&mut waiting, &mut asked).await {
                Ok(is_all) => is_exhaustive &= is_all,
                // Parts that bring nothing are left for words, once.
                Err(Halt::Dry) if !has_asked_words => {
                    waiting.clear();
                    self.recent.clear();
                    is_exhaustive = false;
                }
                Err(halt) => return Err(halt),
            }
            if std::mem::take(&mut is_exhaustive) {
                let before = self.seen.len();
                self.audit().await?;
                if self.seen.len() == before {
                    return Ok(());
                }
            }
            // Values and words that were learned meanwhile.
            let Some(next) = self.next_keyword(&asked) else { break };
            has_asked_words = true;
            asked.insert(next.clone());
            if self.is_cut(&next).await? {
                waiting.push_back(next);
            }
            self.check_total()?;
        }
        self.audit().await
    }

    /// Splits what waits, and what of its parts is cut off. True if the parts make up all of it.
    async fn split_all(
        &mut self,
        waiting: &mut VecDeque<Assignment>,
        asked: &mut HashSet<Assignment>,
    ) -> Result<bool, Halt> {
        let mut is_exhaustive = true;
        while let Some(bound) = waiting.pop_front() {
            let Some(Parts { queries, is_all }) = self.split(&bound).await? else {
                is_exhaustive = false;
                continue;
            };
            is_exhaustive &= is_all;
            for query in queries {
                if asked.insert(query.clone()) && self.is_cut(&query).await? {
                    waiting.push_back(query);
                }
            }
            self.check_total()?;
        }
        Ok(is_exhaustive)
    }

    /// Asks, and pages through what came: whether rows stay out of sight.
    pub(super) async fn is_cut(&mut self, bound: &Assignment) -> Result<bool, Halt> {
        let answered = self.query(bound).await?;
        if answered.is_cut && self.has_pager && self.plan.pages {
            let mut all = self.base.clone();
            all.0.extend(bound.0.clone());
            return Ok(!self.page_through(&all).await?);
        }
        let is_full = self.cap >= 5 && answered.rows.len() >= self.cap;
        Ok(answered.is_cut || is_full && !self.has_pager)
    }

    /// The queries that together say what a query does, in parts that are cut off less; none if there is no way.
    pub(super) async fn split(&mut self, bound: &Assignment) -> Result<Option<Parts>, Halt> {
        if bound.dimension() >= DEEPEST {
            return Ok(None);
        }
        if let Some(queries) = self.split_range(bound) {
            return Ok(Some(Parts { queries, is_all: true }));
        }
        let form = self.form;
        let mut best: Option<(f64, &Input, Vec<String>)> = None;
        for input in form.open_inputs() {
            let is_used = bound.get(&input.name).is_some() || self.base.get(&input.name).is_some();
            if is_used || self.relations.is_in_condition(&input.name) {
                continue;
            }
            let values = match input.kind {
                InputKind::Select | InputKind::Radio => choices(input),
                InputKind::Text if self.relations.other_end(&input.name).is_none() => {
                    self.learn_column(input).await?;
                    self.vocabulary(input)
                }
                _ => continue,
            };
            let is_end = self.relations.other_end(&input.name).is_some();
            if values.len() < 2 || values.len() > MOST_CHOICES || is_end {
                continue;
            }
            // What could not be judged comes last: it may only order the rows, and show others first.
            let weight = match self.role(input).await? {
                Role::Binding => 1.0,
                Role::NeedsOther if bound.dimension() > 0 => 1.0,
                Role::Unknown if bound.dimension() < 2 => 0.001,
                _ => continue,
            };
            let gain = weight * self.evenness(input, values.len());
            if best.as_ref().is_none_or(|(most, ..)| gain > *most) {
                best = Some((gain, input, values));
            }
        }
        Ok(best.map(|(_, input, values)| Parts {
            queries: values.iter().map(|value| bound.with(&input.name, value)).collect(),
            // A list has all values that there are; a column may show others later.
            is_all: input.kind.is_listed()
                && self.roles.get(&input.name).is_some_and(|role| *role == Role::Binding),
        }))
    }

    /// Splits a range at the median of the values that came back.
    pub(super) fn split_range(&self, bound: &Assignment) -> Option<Vec<Assignment>> {
        for (low, high) in &self.relations.ranges {
            let (Some(lower), Some(upper)) = (self.form.input(low), self.form.input(high)) else {
                continue;
            };
            if !lower.kind.is_typed() || !upper.kind.is_typed() {
                continue;
            }
            let column = columns_of(lower, &self.columns).into_iter().find(|column| {
                let numbers =
                    self.remembered.iter().filter(|row| number(cell(row, column)).is_some());
                numbers.count() * 2 >= self.remembered.len()
            });
            let Some(column) = column else { continue };
            let (from, to) = (number(bound.get(low)), number(bound.get(high)));
            let mut all = self.base.clone();
            all.0.extend(bound.0.clone());
            let rows = &self.answered.get(&all)?.rows;
            let mut values: Vec<i64> = rows
                .iter()
                .filter_map(|row| number(cell(row, &column)))
                .filter(|value| from.is_none_or(|from| *value >= from))
                .filter(|value| to.is_none_or(|to| *value <= to))
                .collect();
            values.sort_unstable();
            let (Some(least), Some(most)) = (values.first().copied(), values.last().copied())
            else {
                continue;
            };
            let part = |from: Option<i64>, to: Option<i64>| {
                let mut part = bound.clone();
                for (name, end) in [(low, from), (high, to)] {
                    if let Some(end) = end {
                        part = part.with(name, &end.to_string());
                    }
                }
                part
            };
            if from.is_some() && from == to {
                continue;
            }
            let median = values[values.len() / 2];
            if least < most {
                let cut = if median == most {
                    values[values.len() / 2 - 1].min(most - 1)
                } else {
                    median
                };
                return Some(vec![part(from, Some(cut)), part(Some(cut + 1), to)]);
            }
            let mut parts = vec![part(Some(least), Some(least))];
            if from.is_none_or(|from| from < least) {
                parts.push(part(from, Some(least - 1)));
            }
            if to.is_none_or(|to| to > least) {
                parts.push(part(Some(least + 1), to));
            }
            return Some(parts);
        }
        None
    }

    /// How evenly the values of an input part the rows, as far as a column says so: parts for each query.
    pub(super) fn evenness(&self, input: &Input, values: usize) -> f64 {
        let known = self.value_columns.get(&input.name).cloned().flatten();
        let Some(column) = known.or_else(|| columns_of(input, &self.columns).into_iter().next())
        else {
            return 1.0 / (values as f64).sqrt() / 2.0;
        };
        let counts = self.counts_of(&column);
        let all: usize = counts.values().sum();
        let squares: f64 =
            counts.values().map(|count| (*count as f64 / all.max(1) as f64).powi(2)).sum();
        if squares > 0.0 { 1.0 / squares / values as f64 } else { 0.0 }
    }

    /// The next value or word to ask for: values of closed vocabularies that were learned meanwhile, then words
    /// of rows, those first that are likely to fill a page.
    pub(super) fn next_keyword(&mut self, asked: &HashSet<Assignment>) -> Option<Assignment> {
        for input in self.form.open_inputs().filter(|input| input.kind == InputKind::Text) {
            let is_end = self.relations.other_end(&input.name).is_some();
            if is_end || self.relations.is_in_condition(&input.name) {
                continue;
            }
            let new = self.vocabulary(input).into_iter().find_map(|value| {
                let bound = Assignment::none().with(&input.name, &value);
                (!asked.contains(&bound)).then_some(bound)
            });
            if new.is_some() {
                return new;
            }
        }
        let input = self.keyword_input()?;
        let cap = self.cap.max(1);
        let words = self.words_by_rows();
        let (often, seldom): (Vec<_>, Vec<_>) =
            words.into_iter().partition(|(_, count)| *count > cap);
        // What is on more rows than a page has shows what the default answer does.
        let candidates = seldom.into_iter().chain(often).map(|(word, _)| word);
        let common = COMMON.iter().map(|word| (*word).to_owned());
        let word = candidates.chain(common).find(|word| !self.tried_words.contains(word))?;
        self.tried_words.insert(word.clone());
        Some(Assignment::none().with(&input.name, &word))
    }

    /// Asks queries that nothing was planned by, and counts how many of their rows were known.
    pub(super) async fn audit(&mut self) -> Result<(), Halt> {
        if self.audited.1 > 0 {
            return Ok(());
        }
        let known: HashSet<u64> = self.seen.keys().copied().collect();
        let Some(input) = self.keyword_input() else { return Ok(()) };
        let words: Vec<String> = self
            .words_by_rows()
            .into_iter()
            // A word of one known row finds that row, and says nothing of others.
            .filter(|(word, rows)| {
                (2..self.cap.max(4)).contains(rows) && !self.tried_words.contains(word)
            })
            .map(|(word, _)| word)
            .collect();
        for word in spread(&words, AUDITS) {
            let answered = self.query(&Assignment::none().with(&input.name, &word)).await?;
            for row in &answered.rows {
                self.audited.0 += usize::from(known.contains(&row.key));
                self.audited.1 += 1;
            }
        }
        Ok(())
    }
}
