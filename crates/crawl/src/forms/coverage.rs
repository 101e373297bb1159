//! Getting the rows behind a form with few requests.
//!
//! First the query that nobody filled in, and all of its pages: on half of the real forms that is everything.
//! Only if rows are missing, inputs are told apart by probes ([`super::role`]), and queries whose answers are
//! cut off are split (Sheng et al. 2012: never one whose answer is whole): ranges at the median of what came
//! back, lists by their values, closed vocabularies by the values that result columns show, and keywords last.
//! It ends when nothing new comes any more, when all that the site says it has is there, or at the budget.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::future::Future;

use page::form::{Assignment, Form, Relations, relations};
use page::tree::Dom;
use url::Url;

use super::answer::Answer;
use super::known::Outcome;
use super::pager::NextPage;
use super::role::{Role, choices, may_be_page_size};
use super::rows::{Row, RowReader};
use crate::error::CrawlError;

/// Pages of an answer in a row that may bring little before its pager is left.
const DRY_PAGES: usize = 3;
/// The share of a page's rows that must be new for it to bring something.
const LITTLE: f64 = 0.1;
/// Requests in a row that may bring next to nothing before it ends: less than this share of what is known.
const DRY_REQUESTS: usize = 60;
const NEXT_TO_NOTHING: f64 = 0.005;
/// Rows whose columns are remembered.
const MOST_REMEMBERED: usize = 50_000;

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

/// An answered query.
#[derive(Clone)]
pub(super) struct Answered {
    pub rows: Vec<Row>,
    /// The page after its first one.
    pub next: Option<NextPage>,
    /// Whether there are rows that it does not show, however far it was paged through.
    pub is_cut: bool,
}

/// The rows behind a form.
pub(crate) struct Coverage<'a, A> {
    pub(super) form: &'a Form,
    pub(super) asker: &'a mut A,
    pub(super) plan: Plan,
    pub(super) relations: Relations,
    pub(super) reader: Option<RowReader>,
    /// What every query binds: a larger page size.
    pub(super) base: Assignment,
    pub(super) answered: HashMap<Assignment, Answered>,
    /// Keys of rows, and how often they were seen.
    pub(super) seen: HashMap<u64, u32>,
    pub(super) remembered: Vec<Row>,
    /// Columns of the answers, and how many of their cells are filled.
    pub(super) columns: BTreeMap<String, usize>,
    /// Rows of a page at most.
    pub(super) cap: usize,
    pub(super) has_pager: bool,
    pub(super) roles: BTreeMap<String, Role>,
    pub(super) submissions: usize,
    pub(super) requests: usize,
    pub(super) curve: Vec<(usize, usize)>,
    /// New rows of each of the last requests.
    pub(super) recent: VecDeque<usize>,
    /// The columns that say what typed inputs ask for, tried.
    pub(super) value_columns: HashMap<String, Option<String>>,
    pub(super) tried_words: HashSet<String>,
    pub(super) default_totals: Vec<u64>,
    pub(super) other_totals: HashSet<u64>,
    pub(super) audited: (usize, usize),
    pub(super) is_whole: bool,
    /// Whether it ends when nothing new comes.
    pub(super) looks_for_rows: bool,
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
        if whole && self.nothing_else_turns_up().await? {
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

    pub(super) async fn ask(&mut self, bound: &Assignment) -> Result<Answered, Halt> {
        if let Some(known) = self.answered.get(bound) {
            return Ok(known.clone());
        }
        self.may_go_on()?;
        self.submissions += 1;
        let reply = self.asker.ask(bound, false).await?;
        let Some(answer) = self.read(reply, 1).await? else {
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
        !self.has_pager && self.cap >= 5 && answer.rows.len() >= self.cap
    }

    /// After the first submission that is not the default one, the default answer must still be what it was.
    async fn trip_wire(&mut self) -> Result<(), Halt> {
        let default = Assignment::none();
        let Some(before) = self.answered.get(&default) else { return Ok(()) };
        let before: HashSet<u64> = before.rows.iter().map(|row| row.key).collect();
        let reply = self.asker.ask(&default, true).await?;
        let Some(answer) = self.read(reply, 1).await? else { return Err(Halt::Quarantined) };
        match answer.keys() == before {
            true => Ok(()),
            false => Err(Halt::Quarantined),
        }
    }

    pub(super) fn may_go_on(&self) -> Result<(), Halt> {
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
    async fn read(&mut self, reply: Reply, number: usize) -> Result<Option<Answer>, Halt> {
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
        let names = self.form.inputs.iter().map(|input| input.name.clone()).collect();
        let known = self.reader.take();
        let work = move || {
            let learn = || RowReader::learn(&dom, &url, names);
            let reader = known.or_else(|| if status < 400 { learn() } else { None });
            (Answer::of(&dom, &url, status, reader.as_ref(), (number, post)), reader)
        };
        // Beside the async threads: a page may be large.
        let Ok((answer, reader)) = tokio::task::spawn_blocking(work).await else { return Ok(None) };
        self.reader = reader;
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
    pub(super) async fn page_through(&mut self, bound: &Assignment) -> Result<bool, Halt> {
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
            let Some(page) = self.read(reply, number).await? else { return Ok(false) };
            let new = self.seen.len() - before;
            let is_little = (new as f64) < LITTLE * page.rows.len().max(1) as f64;
            dry = if is_little { dry + 1 } else { 0 };
            if dry == DRY_PAGES {
                return Ok(false);
            }
            next = page.next;
        }
        if let Some(answered) = self.answered.get_mut(bound) {
            answered.is_cut = !self.has_pager && rows >= self.cap && self.cap >= 5;
        }
        // Where answers have pagers, one without is whole; where none has, a full page may be all that is shown.
        Ok(self.has_pager || rows < self.cap || self.cap < 5)
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
}
