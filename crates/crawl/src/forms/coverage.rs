//! Getting the rows behind a form with few requests.
//!
//! First the query that nobody filled in, and all of its pages: on half of the real forms that is everything.
//! Only if rows are missing, inputs are told apart by probes ([`super::role`]), and queries whose answers are
//! cut off are split (Sheng et al. 2012: never one whose answer is whole): ranges at the median of what came
//! back, lists by their values, closed vocabularies by the values that result columns show, and keywords last.
//! It ends when nothing new comes any more, when all that the site says it has is there, or at the budget.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::future::Future;

use page::form::{Assignment, Form, Input, InputKind, Relations, relations};
use page::tree::Dom;
use url::Url;

use super::answer::Answer;
use super::known::{Estimate, Outcome};
use super::pager::NextPage;
use super::role::{Role, choices, columns_of, largest, may_be_page_size, page_words, spread};
use super::rows::{Row, RowReader};
use crate::error::CrawlError;

/// Pages of an answer in a row that may bring little before its pager is left.
const DRY_PAGES: usize = 3;
/// The share of a page's rows that must be new for it to bring something.
const LITTLE: f64 = 0.1;
/// Requests in a row that may bring next to nothing before it ends: less than this share of what is known.
const DRY_REQUESTS: usize = 60;
const NEXT_TO_NOTHING: f64 = 0.005;
/// Values that an input is probed with.
const PROBES: usize = 3;
/// Values of a list that a query is split by.
const MOST_CHOICES: usize = 80;
/// Values of a column that are learned for an input.
const MOST_VALUES: usize = 400;
/// Rows whose columns are remembered.
const MOST_REMEMBERED: usize = 50_000;
/// Queries that check what was found, at the end.
const AUDITS: usize = 12;
/// Inputs bound at the same time: seed 002 found no use in more.
const DEEPEST: usize = 6;

/// Asks the site.
pub(crate) trait Asker: Send {
    /// Submits the form. With `again`, even if the answer is there already.
    fn ask(
        &mut self,
        bound: &Assignment,
        again: bool,
    ) -> impl Future<Output = Result<Reply, CrawlError>> + Send;

    /// Goes to the next page of an answer.
    fn follow(
        &mut self,
        next: &NextPage,
        bound: &Assignment,
        number: usize,
    ) -> impl Future<Output = Result<Reply, CrawlError>> + Send;
}

/// What the site said.
pub(crate) enum Reply {
    /// A page.
    Page(Box<ReplyPage>),
    /// Nothing that can be read, for this reason.
    Nothing(String),
    /// The crawl is being stopped.
    Stopped,
}

/// A page that was answered.
pub(crate) struct ReplyPage {
    /// Its tree.
    pub dom: Dom,
    /// Its address.
    pub url: Url,
    /// Its status.
    pub status: u16,
    /// Whether a request was sent for it.
    pub was_sent: bool,
}

/// What is to be done with a form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Requests at most.
    pub budget: usize,
    /// Whether pagers are used.
    pub pages: bool,
}

/// Why it ended.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The crawl is being stopped.
    Stopped,
    /// The budget is spent.
    Budget,
    /// Nothing new came for a while.
    Dry,
    /// Everything that the site says it has is there.
    Whole,
    /// The default answer is another one after a submission.
    Quarantined,
    /// The crawl failed.
    Failed(CrawlError),
}

impl From<CrawlError> for Halt {
    fn from(error: CrawlError) -> Self {
        Self::Failed(error)
    }
}

/// What a query was split into.
struct Parts {
    queries: Vec<Assignment>,
    /// Whether these make up the whole of it.
    is_all: bool,
}

/// An answered query.
#[derive(Clone)]
pub(super) struct Answered {
    pub rows: Vec<Row>,
    /// The page after its first one.
    next: Option<NextPage>,
    /// Whether there are rows that it does not show, however far it was paged through.
    pub is_cut: bool,
}

/// The rows behind a form.
pub(crate) struct Coverage<'a, A> {
    pub(super) form: &'a Form,
    asker: &'a mut A,
    plan: Plan,
    relations: Relations,
    reader: Option<RowReader>,
    /// What every query binds: a larger page size.
    base: Assignment,
    answered: HashMap<Assignment, Answered>,
    /// Keys of rows, and how often they were seen.
    seen: HashMap<u64, u32>,
    remembered: Vec<Row>,
    /// Columns of the answers, and how many of their cells are filled.
    columns: BTreeMap<String, usize>,
    /// Rows of a page at most.
    cap: usize,
    has_pager: bool,
    roles: BTreeMap<String, Role>,
    submissions: usize,
    requests: usize,
    curve: Vec<(usize, usize)>,
    /// New rows of each of the last requests.
    recent: VecDeque<usize>,
    /// The columns that say what typed inputs ask for, tried.
    value_columns: HashMap<String, Option<String>>,
    tried_words: HashSet<String>,
    default_keys: HashSet<u64>,
    default_totals: Vec<u64>,
    other_totals: HashSet<u64>,
    audited: (usize, usize),
    is_whole: bool,
    /// Whether it ends when nothing new comes.
    looks_for_rows: bool,
}

impl<'a, A: Asker> Coverage<'a, A> {
    pub fn new(form: &'a Form, asker: &'a mut A, plan: Plan) -> Self {
        Self {
            form,
            asker,
            plan,
            relations: relations(form),
            reader: None,
            base: Assignment::none(),
            answered: HashMap::new(),
            seen: HashMap::new(),
            remembered: Vec::new(),
            columns: BTreeMap::new(),
            cap: 0,
            has_pager: false,
            roles: BTreeMap::new(),
            submissions: 0,
            requests: 0,
            curve: Vec::new(),
            recent: VecDeque::new(),
            value_columns: HashMap::new(),
            tried_words: HashSet::new(),
            default_keys: HashSet::new(),
            default_totals: Vec::new(),
            other_totals: HashSet::new(),
            audited: (0, 0),
            is_whole: false,
            looks_for_rows: true,
        }
    }

    /// Goes through the form.
    ///
    /// # Errors
    /// When the crawl fails.
    pub async fn run(mut self) -> Result<(Outcome, bool), CrawlError> {
        let covered = self.cover().await;
        self.ended(covered)
    }

    /// The same, and which templates are informative, with the addresses that these give.
    ///
    /// # Errors
    /// When the crawl fails.
    pub async fn analyse(mut self) -> Result<(Outcome, Vec<String>), CrawlError> {
        let covered = self.cover().await;
        let (mut outcome, _) = self.ended(covered)?;
        // What is dry for rows may still tell inputs apart.
        self.looks_for_rows = false;
        match self.test_templates(&mut outcome.templates).await {
            Ok(()) => {}
            Err(Halt::Failed(error)) => return Err(error),
            Err(_) => {
                outcome.ended = "the budget was spent before all templates were tested".into();
            }
        }
        outcome.requests = self.requests;
        outcome.submissions = self.submissions;
        outcome.roles =
            self.roles.iter().map(|(name, role)| (name.clone(), role.to_string())).collect();
        let index = self.index(&outcome.templates);
        Ok((outcome, index))
    }

    fn ended(&self, covered: Result<(), Halt>) -> Result<(Outcome, bool), CrawlError> {
        let ended = match covered {
            Ok(()) if self.is_whole => "all that the form answers was paged through",
            Ok(()) if self.seen.is_empty() => "no rows were found in what it answers",
            Ok(()) => "nothing is left to split or to ask",
            Err(Halt::Whole) => "all that the site says it has is there",
            Err(Halt::Dry) => "nothing new came any more",
            Err(Halt::Budget) => "the budget of requests is spent",
            Err(Halt::Quarantined) => {
                "quarantined: its default answer changed after a submission, so it may write"
            }
            Err(Halt::Stopped) => return Ok((self.outcome("the crawl was stopped"), false)),
            Err(Halt::Failed(error)) => return Err(error),
        };
        Ok((self.outcome(ended), true))
    }

    fn outcome(&self, ended: &str) -> Outcome {
        Outcome {
            submissions: self.submissions,
            requests: self.requests,
            records: self.seen.len(),
            page_size: self.cap,
            estimate: self.estimate(),
            roles: self.roles.iter().map(|(name, role)| (name.clone(), role.to_string())).collect(),
            templates: Vec::new(),
            curve: self.curve.clone(),
            ended: ended.to_owned(),
        }
    }

    async fn cover(&mut self) -> Result<(), Halt> {
        let mut first = self.query(&Assignment::none()).await?;
        if first.rows.is_empty() {
            first = self.find_first_rows().await?;
        }
        if first.rows.is_empty() {
            return Ok(());
        }
        self.enlarge_pages().await?;
        let default = self.base.clone();
        let whole = self.page_through(&default).await?;
        self.default_keys = self.seen.keys().copied().collect();
        if whole && self.plan.pages && self.nothing_else_turns_up().await? {
            self.is_whole = true;
            return Ok(());
        }
        match self.drill().await {
            Err(Halt::Dry) => {
                // What is left is checked all the same: it tells how much was missed.
                self.recent.clear();
                self.audit().await?;
                Err(Halt::Dry)
            }
            ended => ended,
        }
    }

    /// Where the form answers nothing unless something is filled in: the values that it lists, then words.
    async fn find_first_rows(&mut self) -> Result<Answered, Halt> {
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
    async fn enlarge_pages(&mut self) -> Result<(), Halt> {
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

    /// Asks with what every query binds.
    pub(super) async fn query(&mut self, bound: &Assignment) -> Result<Answered, Halt> {
        let mut all = self.base.clone();
        all.0.extend(bound.0.iter().map(|(name, values)| (name.clone(), values.clone())));
        self.ask(&all).await
    }

    /// What is known of a query without asking.
    pub(super) fn known_answer(&self, bound: &Assignment) -> Option<&Answered> {
        let mut all = self.base.clone();
        all.0.extend(bound.0.clone());
        self.answered.get(&all)
    }

    async fn ask(&mut self, bound: &Assignment) -> Result<Answered, Halt> {
        if let Some(known) = self.answered.get(bound) {
            return Ok(known.clone());
        }
        self.may_go_on()?;
        self.submissions += 1;
        let reply = self.asker.ask(bound, false).await?;
        let Some(answer) = self.read(reply, 1)? else {
            let none = Answered { rows: Vec::new(), next: None, is_cut: false };
            self.answered.insert(bound.clone(), none.clone());
            return Ok(none);
        };
        let is_cut = answer.next.is_some();
        self.has_pager |= is_cut;
        if bound.0.is_empty() {
            self.default_totals = answer.totals.iter().copied().collect();
        } else if !answer.rows.is_empty() {
            self.other_totals.extend(answer.totals.iter().copied());
        }
        let is_cut = is_cut || self.is_full(&answer);
        let answered = Answered { is_cut, rows: answer.rows, next: answer.next };
        self.answered.insert(bound.clone(), answered.clone());
        if self.submissions == 2 && self.form.method == page::form::FormMethod::Post {
            self.trip_wire().await?;
        }
        Ok(answered)
    }

    /// Whether an answer has as many rows as answers ever have.
    fn is_full(&self, answer: &Answer) -> bool {
        self.cap >= 5 && answer.rows.len() >= self.cap
    }

    /// After the first submission that is not the default one, the default answer must still be what it was.
    async fn trip_wire(&mut self) -> Result<(), Halt> {
        let default = Assignment::none();
        let Some(before) = self.answered.get(&default) else { return Ok(()) };
        let before: HashSet<u64> = before.rows.iter().map(|row| row.key).collect();
        let reply = self.asker.ask(&default, true).await?;
        let Some(answer) = self.read(reply, 1)? else { return Err(Halt::Quarantined) };
        match answer.keys() == before {
            true => Ok(()),
            false => Err(Halt::Quarantined),
        }
    }

    fn may_go_on(&self) -> Result<(), Halt> {
        // What was refused, or answered from the store, is no request, and must come to an end as well.
        if self.requests.max(self.submissions) >= self.plan.budget {
            return Err(Halt::Budget);
        }
        let few = (NEXT_TO_NOTHING * self.seen.len() as f64).max(1.0);
        let is_dry = self.looks_for_rows
            && self.recent.len() == DRY_REQUESTS
            && (self.recent.iter().sum::<usize>() as f64) < few;
        if is_dry { Err(Halt::Dry) } else { Ok(()) }
    }

    /// Takes what a reply says; none if it is no page of results.
    fn read(&mut self, reply: Reply, number: usize) -> Result<Option<Answer>, Halt> {
        let page = match reply {
            Reply::Page(page) => page,
            Reply::Nothing(why) => {
                tracing::debug!("a submission gave nothing: {why}");
                return Ok(None);
            }
            Reply::Stopped => return Err(Halt::Stopped),
        };
        self.requests += usize::from(page.was_sent);
        let ReplyPage { dom, url, status, .. } = *page;
        let post = self.form.method == page::form::FormMethod::Post;
        let names = self.form.inputs.iter().map(|input| input.name.clone());
        if self.reader.is_none() && status < 400 {
            self.reader = RowReader::learn(&dom, &url, names.collect());
        }
        let answer = Answer::of(&dom, &url, status, self.reader.as_ref(), (number, post));
        let mut new = 0;
        if !answer.is_error {
            self.cap = self.cap.max(answer.rows.len());
            for row in &answer.rows {
                let times = self.seen.entry(row.key).or_default();
                *times += 1;
                if *times == 1 {
                    new += 1;
                    for (column, said) in &row.cells {
                        *self.columns.entry(column.clone()).or_default() +=
                            usize::from(!said.is_empty());
                    }
                    if self.remembered.len() < MOST_REMEMBERED {
                        self.remembered.push(row.clone());
                    }
                }
            }
        }
        self.recent.push_back(new);
        if self.recent.len() > DRY_REQUESTS {
            self.recent.pop_front();
        }
        self.curve.push((self.requests, self.seen.len()));
        Ok(Some(answer))
    }

    /// Goes through the pages of an answer. True if there is no page left.
    async fn page_through(&mut self, bound: &Assignment) -> Result<bool, Halt> {
        let Some(first) = self.answered.get(bound) else { return Ok(false) };
        let (rows, mut next) = (first.rows.len(), first.next.clone());
        if !self.plan.pages {
            return Ok(next.is_none() && (rows < self.cap || self.cap < 5));
        }
        let (mut number, mut dry) = (1, 0);
        let mut visited = HashSet::new();
        while let Some(to) = next.take() {
            if let NextPage::Link(url) = &to
                && !visited.insert(url.clone())
            {
                break;
            }
            if self.requests >= self.plan.budget {
                return Err(Halt::Budget);
            }
            let before = self.seen.len();
            number += 1;
            let reply = self.asker.follow(&to, bound, number).await?;
            let Some(page) = self.read(reply, number)? else { return Ok(false) };
            let new = self.seen.len() - before;
            let is_little = (new as f64) < LITTLE * page.rows.len().max(1) as f64;
            dry = if is_little { dry + 1 } else { 0 };
            if dry == DRY_PAGES {
                return Ok(false);
            }
            next = page.next;
        }
        if let Some(answered) = self.answered.get_mut(bound) {
            answered.is_cut = number == 1 && answered.rows.len() >= self.cap && self.cap >= 5;
        }
        // A pager that ended told of more than a page; without one, a full page may be all that is shown.
        Ok(number > 1 || rows < self.cap || self.cap < 5)
    }

    /// Whether a few other queries bring nothing that the default answer did not.
    async fn nothing_else_turns_up(&mut self) -> Result<bool, Halt> {
        let known = self.seen.len();
        for bound in self.check_queries(4) {
            self.query(&bound).await?;
            if self.seen.len() > known {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Queries that may show what the default one does not: a value of some lists, a word.
    fn check_queries(&self, most: usize) -> Vec<Assignment> {
        let lists = self.form.open_inputs().filter(|input| {
            input.kind.is_listed()
                && !may_be_page_size(input)
                && !self.relations.is_in_condition(&input.name)
        });
        let mut queries: Vec<Assignment> = lists
            .filter_map(|input| {
                let value = choices(input).last()?.clone();
                Some(Assignment::none().with(&input.name, &value))
            })
            .take(most.saturating_sub(1))
            .collect();
        let word = self.words_by_rows().into_iter().next();
        if let (Some(input), Some((word, _))) = (self.keyword_input(), word) {
            queries.push(Assignment::none().with(&input.name, &word));
        }
        queries.truncate(most);
        queries
    }

    /// Splits queries whose answers are cut off, until none is left that can be.
    async fn drill(&mut self) -> Result<(), Halt> {
        let mut waiting: VecDeque<Assignment> = VecDeque::from([Assignment::none()]);
        let mut asked: HashSet<Assignment> = HashSet::from([Assignment::none()]);
        // Whether the parts of what was split make up the whole, and all of them were seen whole.
        let mut is_exhaustive = true;
        loop {
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
            if std::mem::take(&mut is_exhaustive) {
                let before = self.seen.len();
                self.audit().await?;
                if self.seen.len() == before {
                    return Ok(());
                }
            }
            // Values and words that were learned meanwhile.
            let Some(next) = self.next_keyword(&asked) else { break };
            asked.insert(next.clone());
            if self.is_cut(&next).await? {
                waiting.push_back(next);
            }
            self.check_total()?;
        }
        self.audit().await
    }

    /// Asks, and pages through what came: whether rows stay out of sight.
    async fn is_cut(&mut self, bound: &Assignment) -> Result<bool, Halt> {
        let answered = self.query(bound).await?;
        if answered.is_cut && self.has_pager && self.plan.pages {
            let mut all = self.base.clone();
            all.0.extend(bound.0.clone());
            return Ok(!self.page_through(&all).await?);
        }
        Ok(answered.is_cut || self.cap >= 5 && answered.rows.len() >= self.cap)
    }

    /// Ends it if the site says how many rows there are, and they are there.
    fn check_total(&self) -> Result<(), Halt> {
        let total = self.reported_total();
        match total.is_some_and(|total| self.seen.len() as u64 >= total) {
            true => Err(Halt::Whole),
            false => Ok(()),
        }
    }

    /// The number of all rows as the default answer says it: one that no other answer says.
    fn reported_total(&self) -> Option<u64> {
        let own = self.default_totals.iter().filter(|total| !self.other_totals.contains(total));
        // A number that less than what was seen is another one.
        own.filter(|total| **total as usize > self.cap && **total as usize >= self.seen.len())
            .min()
            .copied()
            .filter(|_| !self.other_totals.is_empty())
    }

    /// The queries that together say what a query does, in parts that are cut off less; none if there is no way.
    async fn split(&mut self, bound: &Assignment) -> Result<Option<Parts>, Halt> {
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
            match self.role(input).await? {
                Role::Binding => {}
                Role::NeedsOther if bound.dimension() > 0 => {}
                _ => continue,
            }
            let gain = self.evenness(input, values.len());
            if best.as_ref().is_none_or(|(most, ..)| gain > *most) {
                best = Some((gain, input, values));
            }
        }
        Ok(best.map(|(_, input, values)| Parts {
            queries: values.iter().map(|value| bound.with(&input.name, value)).collect(),
            // A list has all values that there are; a column may show others later.
            is_all: input.kind.is_listed(),
        }))
    }

    /// Splits a range at the median of the values that came back.
    fn split_range(&self, bound: &Assignment) -> Option<Vec<Assignment>> {
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
    fn evenness(&self, input: &Input, values: usize) -> f64 {
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

    /// The values that a column shows of what an input asks for, if they come again: a title does not.
    pub(super) fn vocabulary(&self, input: &Input) -> Vec<String> {
        let Some(Some(column)) = self.value_columns.get(&input.name) else { return Vec::new() };
        let counts = self.counts_of(column);
        let all: usize = counts.values().sum();
        if counts.len() > MOST_VALUES || counts.len() * 3 > all.max(12) {
            return Vec::new();
        }
        counts.into_keys().map(str::to_owned).collect()
    }

    /// What a column says, and how often.
    fn counts_of(&self, column: &str) -> BTreeMap<&str, usize> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &self.remembered {
            if let Some(said) = cell(row, column).filter(|said| !said.is_empty()) {
                *counts.entry(said).or_default() += 1;
            }
        }
        counts
    }

    /// Finds the column that says what a typed input asks for: asked for a value of it, all rows have that value.
    async fn learn_column(&mut self, input: &Input) -> Result<(), Halt> {
        if self.value_columns.contains_key(&input.name) {
            return Ok(());
        }
        for column in columns_of(input, &self.columns).into_iter().take(PROBES) {
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

    /// What an input does, tried on an answer that is not cut off.
    pub(super) async fn role(&mut self, input: &Input) -> Result<Role, Halt> {
        if let Some(role) = self.roles.get(&input.name) {
            return Ok(*role);
        }
        if !input.kind.is_listed() {
            return Ok(Role::Binding);
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
    async fn small_answer(&mut self) -> Result<Option<(Assignment, HashSet<u64>)>, Halt> {
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

    /// The next value or word to ask for: values of closed vocabularies that were learned meanwhile, then words
    /// of rows, those first that are likely to fill a page.
    fn next_keyword(&mut self, asked: &HashSet<Assignment>) -> Option<Assignment> {
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
    async fn audit(&mut self) -> Result<(), Halt> {
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

    /// The share of the database that was found.
    fn estimate(&self) -> Option<Estimate> {
        if self.seen.is_empty() {
            return None;
        }
        if self.is_whole {
            return Some(Estimate { low: 0.98, likely: 1.0, high: 1.0 });
        }
        if let Some(total) = self.reported_total() {
            let share = (self.seen.len() as f64 / total as f64).min(1.0);
            return Some(Estimate { low: share, likely: share, high: share });
        }
        let (known, all) = self.audited;
        if all >= 10 {
            return Some(wilson(known as f64, all as f64));
        }
        // Good and Turing: the share of what is still to come is that of rows seen once among all that were seen.
        let once = self.seen.values().filter(|times| **times == 1).count() as f64;
        let all: f64 = self.seen.values().map(|times| f64::from(*times)).sum();
        Some(wilson(all - once, all))
    }
}

/// Words that are frequent wherever they are looked for, where nothing else is known yet.
const COMMON: &[&str] = &[
    "the", "a", "of", "and", "in", "new", "to", "for", "on", "with", "der", "die", "de", "la",
    "el", "le", "man", "day", "time", "world", "life", "city", "home", "house", "water", "night",
    "year", "work", "people", "great",
];

/// The 95 % interval of a share (Wilson 1927).
fn wilson(part: f64, all: f64) -> Estimate {
    let (z, share) = (1.96, part / all.max(1.0));
    let middle = (share + z * z / (2.0 * all)) / (1.0 + z * z / all);
    let half =
        z / (1.0 + z * z / all) * (share * (1.0 - share) / all + z * z / (4.0 * all * all)).sqrt();
    Estimate { low: (middle - half).max(0.0), likely: share, high: (middle + half).min(1.0) }
}

fn cell<'r>(row: &'r Row, column: &str) -> Option<&'r str> {
    row.cells.iter().find(|(name, _)| name == column).map(|(_, said)| said.as_str())
}

/// A whole number, as it is written in a cell or a field: `1,999`, `$20,500`.
fn number(text: Option<&str>) -> Option<i64> {
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
