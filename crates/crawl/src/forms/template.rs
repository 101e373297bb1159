//! Which inputs are worth binding (seed 002's informativeness test), and the addresses that a search engine would
//! index.
//!
//! Bottom-up: every input by itself, then informative templates with one more input each, whichever it is (a
//! colour says nothing without a make). Corrected where measurements showed the paper's test to fail: the
//! default answer counts as one of the different ones, (D - 1) / N, since one box to tick would else always
//! pass; answers are compared by the names of their rows; and what was found to only order or draw rows is
//! never bound.

use std::collections::{BTreeSet, HashSet};

use page::form::{Assignment, Input, InputKind};

use super::coverage::{Answered, Asker, Coverage, Halt};
use super::known::TestedTemplate;
use super::role::{Role, choices, may_be_page_size, spread};

/// The share of submissions that must differ from each other and from the default one (Madhavan et al. 2008).
const DISTINCT: f64 = 0.2;
/// The share that must have rows.
const NOT_EMPTY: f64 = 0.2;
/// Submissions that a template is tested by.
const SAMPLE: usize = 20;
/// Inputs that are bound at most, as the paper says.
const DEEPEST: usize = 3;
/// Templates that are tested.
const MOST_TEMPLATES: usize = 60;
/// Words that a field for words is tested with.
const WORDS: usize = 20;
/// Addresses that are written down.
const MOST_URLS: usize = 10_000;

impl<A: Asker> Coverage<'_, A> {
    /// Tests templates up to three inputs, as far as the budget goes.
    pub(super) async fn test_templates(
        &mut self,
        tested: &mut Vec<TestedTemplate>,
    ) -> Result<(), Halt> {
        let mut inputs: Vec<(&Input, Vec<String>)> = Vec::new();
        for input in self.form.open_inputs().filter(|input| !may_be_page_size(input)) {
            let values = self.values_of(input);
            if values.is_empty() {
                continue;
            }
            let role = self.role(input).await?;
            if !matches!(role, Role::Presentation | Role::PageSize) {
                inputs.push((input, values));
            }
        }
        let mut met: HashSet<BTreeSet<usize>> = HashSet::new();
        let mut level: Vec<BTreeSet<usize>> =
            (0..inputs.len()).map(|at| BTreeSet::from([at])).collect();
        for _ in 0..DEEPEST {
            let mut informative = Vec::new();
            for template in level.drain(..) {
                if tested.len() == MOST_TEMPLATES || !met.insert(template.clone()) {
                    continue;
                }
                let chosen: Vec<&(&Input, Vec<String>)> =
                    template.iter().filter_map(|at| inputs.get(*at)).collect();
                let result = self.test(&chosen).await?;
                if result.informative {
                    informative.push(template);
                }
                tested.push(result);
            }
            level = informative
                .iter()
                .flat_map(|template| {
                    let others = (0..inputs.len()).filter(|at| !template.contains(at));
                    others.map(|at| template.iter().copied().chain([at]).collect())
                })
                .collect();
        }
        Ok(())
    }

    /// Values that an input is tested with: what it lists, what columns say of it, words of rows.
    fn values_of(&self, input: &Input) -> Vec<String> {
        match input.kind {
            InputKind::Select | InputKind::Radio | InputKind::Check => choices(input),
            InputKind::Text | InputKind::Number | InputKind::Date => {
                let vocabulary = self.vocabulary(input);
                if !vocabulary.is_empty() {
                    return vocabulary;
                }
                if self.keyword_input().is_some_and(|known| known.name == input.name) {
                    let words = self.words_by_rows().into_iter().map(|(word, _)| word);
                    return words.take(WORDS).collect();
                }
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    async fn test(&mut self, inputs: &[&(&Input, Vec<String>)]) -> Result<TestedTemplate, Halt> {
        let mut different: HashSet<Vec<u64>> = HashSet::new();
        let default = self.query(&Assignment::none()).await?;
        different.insert(signature(&default));
        let (mut submissions, mut filled) = (0, 0);
        for bound in sample(inputs) {
            let answered = self.query(&bound).await?;
            submissions += 1;
            filled += usize::from(!answered.rows.is_empty());
            different.insert(signature(&answered));
        }
        let distinct = different.len();
        let share = |part: usize| part as f64 / submissions.max(1) as f64;
        Ok(TestedTemplate {
            inputs: inputs.iter().map(|(input, _)| input.name.clone()).collect(),
            submissions,
            distinct,
            all: inputs.iter().map(|(_, values)| values.len() as f64).product(),
            informative: submissions > 0
                && share(distinct - 1) >= DISTINCT
                && share(filled) >= NOT_EMPTY,
        })
    }

    /// The addresses that the informative templates give, those left out that are known to have no rows, or
    /// more than a page.
    pub(super) fn index(&self, tested: &[TestedTemplate]) -> Vec<String> {
        let mut urls = Vec::new();
        let mut met = HashSet::new();
        for template in tested.iter().filter(|template| template.informative) {
            let inputs: Option<Vec<(&Input, Vec<String>)>> = template
                .inputs
                .iter()
                .map(|name| self.form.input(name).map(|input| (input, self.values_of(input))))
                .collect();
            for bound in product(&inputs.unwrap_or_default()) {
                let known = self.known_answer(&bound);
                let is_left_out = known.is_some_and(|it| it.rows.is_empty() || it.is_cut);
                let sent = self.form.submission(&bound).filter(|_| !is_left_out);
                if let Some(sent) = sent.filter(|_| urls.len() < MOST_URLS)
                    && met.insert(sent.url.clone())
                {
                    urls.push(sent.url.to_string());
                }
            }
        }
        urls
    }
}

/// What tells one answer from another: the names of its rows, in whatever order.
fn signature(answered: &Answered) -> Vec<u64> {
    let mut keys: Vec<u64> = answered.rows.iter().map(|row| row.key).collect();
    keys.sort_unstable();
    keys
}

/// Up to twenty combinations from all over the product.
fn sample(inputs: &[&(&Input, Vec<String>)]) -> Vec<Assignment> {
    let all: usize =
        inputs.iter().map(|(_, values)| values.len()).fold(1, |a, b| a.saturating_mul(b));
    if inputs.len() == 1 {
        let (input, values) = inputs[0];
        let values = spread(values, SAMPLE);
        return values.iter().map(|value| Assignment::none().with(&input.name, value)).collect();
    }
    let count = all.min(SAMPLE);
    let at = |number: usize| {
        // A step that has no part in common with the number of combinations meets all of them.
        let mut place = (number as u128 * ((all as u128 * 618 / 1000) | 1) % all as u128) as usize;
        let mut bound = Assignment::none();
        for (input, values) in inputs {
            if let Some(value) = values.get(place % values.len()) {
                bound = bound.with(&input.name, value);
            }
            place /= values.len();
        }
        bound
    };
    let all: BTreeSet<Assignment> = (0..count).map(at).collect();
    all.into_iter().collect()
}

/// All combinations, as far as they are written down.
fn product(inputs: &[(&Input, Vec<String>)]) -> Vec<Assignment> {
    let mut all = vec![Assignment::none()];
    for (input, values) in inputs {
        let longer = all
            .iter()
            .flat_map(|bound| values.iter().map(move |value| bound.with(&input.name, value)));
        all = longer.take(MOST_URLS).collect();
    }
    all
}
