//! What a type of pages is for, by where its links lead.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use super::pager::Chains;
use super::survey::{Survey, Target, Targets};
use crate::Kind;

/// The share of all pages that a link must be on to be part of the frame.
const IN_FRAME: f64 = 0.8;
/// Other pages that the rows of a list lead to, at least, on the mean page.
const FEWEST_ROWS: f64 = 2.0;
/// Letters of prose that a page of posts has, at least, on the mean page.
const LEAST_PROSE: f64 = 120.0;
/// Pages of one type that lead to the same page of another, on average, where these are users.
const OFTEN: f64 = 2.0;
/// Letters of the name of a user or a board, and of a title.
const NAME: f64 = 10.0;
const TITLE: f64 = 40.0;
/// The share of threads that lead to another number of users than most do. Each leads to as many
/// boards as all others.
const VARIES: f64 = 0.3;
/// What it counts that no rows lead to a type, where rows that lead to each page once count 1.
const NO_ROWS: f64 = 0.2;

/// What a type of pages is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A list of threads.
    List,
    /// A list of lists: the boards of a forum.
    Boards,
    /// The posts of a thread.
    Thread,
    /// A user.
    User,
    /// Records of some other kind.
    Item,
    /// Anything else.
    Other,
}

impl Role {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::List => "list",
            Role::Boards => "boards",
            Role::Thread => "thread",
            Role::User => "user",
            Role::Item => "item",
            Role::Other => "other",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Where the pages of one type lead.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    /// By type: the pages that they lead to, and how often.
    to: HashMap<usize, Rows>,
    pages: usize,
    prose: usize,
}

#[derive(Clone, Debug, Default)]
struct Rows {
    /// Each target once a page.
    links: u64,
    pages: HashSet<usize>,
    /// How many pages have how many links; those without any are not counted.
    counts: HashMap<u64, usize>,
}

impl Flow {
    /// Pages of a type that the mean page leads to.
    fn rows(&self, to: usize) -> f64 {
        self.to.get(&to).map_or(0.0, |of| of.links as f64 / self.pages.max(1) as f64)
    }

    /// How often the same page of a type is led to.
    fn often(&self, to: usize) -> f64 {
        self.to.get(&to).map_or(0.0, |of| of.links as f64 / of.pages.len().max(1) as f64)
    }

    /// The share of pages that lead to another number of pages of a type than most do.
    fn varies(&self, to: usize) -> f64 {
        let counts = self.to.get(&to).map(|of| &of.counts);
        let held: usize = counts.map_or(0, |counts| counts.values().sum());
        let without = self.pages.saturating_sub(held);
        let most = counts.and_then(|counts| counts.values().max().copied()).unwrap_or_default();
        1.0 - most.max(without) as f64 / self.pages.max(1) as f64
    }

    fn prose(&self) -> f64 {
        self.prose as f64 / self.pages.max(1) as f64
    }

    pub(super) fn links(&self) -> impl Iterator<Item = (usize, u64)> {
        self.to.iter().map(|(to, rows)| (*to, rows.links))
    }
}

/// Where the pages of each type lead, the frame of the site aside. `type_at` knows the type of pages
/// that are no sources.
pub(super) fn flows<'a>(
    surveys: &[Survey],
    targets: &'a Targets,
    chains: &Chains,
    of_source: &[usize],
    type_at: impl Fn(&Url) -> Option<usize>,
) -> Vec<Flow> {
    // What a target is, if that is known: the page that it leads to, and its type. Pages that are no
    // sources have no chain: they get numbers after all chains.
    let mut unseen: HashMap<&str, usize> = HashMap::new();
    let mut known = |(at, to): (usize, &'a Target)| match chains.of_target(at) {
        Some(chain) => {
            let first = chains.get(chain).and_then(|chain| chain.pages.first().copied())?;
            Some((chain, of_source.get(first).copied()?))
        }
        None => {
            let page_type = type_at(&to.url)?;
            let next = chains.iter().len() + unseen.len();
            Some((*unseen.entry(to.key.as_str()).or_insert(next), page_type))
        }
    };
    let pages: Vec<Option<(usize, usize)>> = targets.iter().enumerate().map(&mut known).collect();
    let leads = |survey: &Survey| -> BTreeSet<(usize, usize)> {
        survey.links.iter().filter_map(|way| pages.get(way.to).copied().flatten()).collect()
    };
    let mut held: HashMap<usize, usize> = HashMap::new();
    for (page, _) in surveys.iter().flat_map(&leads) {
        *held.entry(page).or_default() += 1;
    }
    let is_frame = |page: usize| {
        let on = held.get(&page).copied().unwrap_or_default();
        on > 2 && on as f64 >= IN_FRAME * surveys.len() as f64
    };
    let mut flows = vec![Flow::default(); of_source.iter().max().map_or(0, |last| last + 1)];
    for (at, (survey, own_type)) in surveys.iter().zip(of_source).enumerate() {
        let Some(flow) = flows.get_mut(*own_type) else { continue };
        flow.pages += 1;
        flow.prose += survey.prose;
        let own = chains.number_of(at);
        let mut counts: HashMap<usize, u64> = HashMap::new();
        for (page, page_type) in leads(survey) {
            if Some(page) == own || is_frame(page) {
                continue;
            }
            flow.to.entry(page_type).or_default().pages.insert(page);
            *counts.entry(page_type).or_default() += 1;
        }
        for (page_type, count) in counts {
            let rows = flow.to.entry(page_type).or_default();
            rows.links += count;
            *rows.counts.entry(count).or_default() += 1;
        }
    }
    flows
}

/// What each type is for, by its links alone: the posts are where the prose is, and rows lead to
/// each thread once and by a title, while names lead to each user again and again. `titles` says how
/// many letters lead to the mean page of a type.
pub(super) fn guess(flows: &[Flow], titles: &[Option<f64>]) -> Vec<Role> {
    let mut roles = vec![Role::Other; flows.len()];
    let is_new = |to: usize| {
        let others = flows.iter().enumerate().filter(|(from, _)| *from != to);
        let rows = others.filter(|(_, flow)| flow.rows(to) >= FEWEST_ROWS);
        rows.map(|(_, flow)| 1.0 / flow.often(to).max(1.0)).fold(NO_ROWS, f64::max)
    };
    let weight = |(at, flow): (usize, &Flow)| {
        let letters = titles.get(at).copied().flatten().unwrap_or(NAME).min(TITLE);
        let weight = flow.prose() * (1.0 + flow.pages as f64).ln() * is_new(at) * letters;
        (flow.prose() >= LEAST_PROSE).then_some((weight, at))
    };
    let best = flows.iter().enumerate().filter_map(weight).max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some(role) = best.and_then(|(_, best)| roles.get_mut(best)) {
        *role = Role::Thread;
    }
    around(flows, &mut roles);
    roles
}

/// The roles that follow from what the records of each type are.
pub(super) fn settle(flows: &[Flow], kinds: &[Option<Kind>]) -> Vec<Role> {
    let role = |kind: Option<&Option<Kind>>| match kind.copied().flatten() {
        Some(Kind::Post) => Role::Thread,
        Some(Kind::Thread) => Role::List,
        Some(Kind::Item) => Role::Item,
        None => Role::Other,
    };
    let mut roles: Vec<Role> = (0..flows.len()).map(|at| role(kinds.get(at))).collect();
    around(flows, &mut roles);
    roles
}

/// Roles of the pages around known threads: lists lead to them, boards to lists, and they to users.
fn around(flows: &[Flow], roles: &mut [Role]) {
    let to = |flow: &Flow, role: Role, roles: &[Role]| -> f64 {
        let of = roles.iter().enumerate().filter(|(_, own)| **own == role);
        of.map(|(at, _)| flow.rows(at)).sum()
    };
    let threads = roles.contains(&Role::Thread);
    // Users first: their pages may lead to many threads, too.
    for at in 0..flows.len() {
        let is_user = flows.iter().zip(roles.iter()).any(|(flow, role)| {
            *role == Role::Thread && flow.often(at) >= OFTEN && flow.varies(at) >= VARIES
        });
        if let Some(role) = roles.get_mut(at).filter(|role| **role == Role::Other)
            && is_user
        {
            *role = Role::User;
        }
    }
    let rows: Vec<f64> = flows.iter().map(|flow| to(flow, Role::Thread, roles)).collect();
    for ((role, rows), _) in roles.iter_mut().zip(&rows).zip(flows) {
        match role {
            Role::Other if *rows >= FEWEST_ROWS => *role = Role::List,
            // Rows that lead to no thread are rows of something else.
            Role::List if threads && *rows < 0.5 => *role = Role::Item,
            _ => {}
        }
    }
    let known = roles.to_vec();
    for (at, (flow, role)) in flows.iter().zip(roles.iter_mut()).enumerate() {
        let lists = known.iter().enumerate().filter(|(of, own)| *of != at && **own == Role::List);
        let lists: f64 = lists.map(|(of, _)| flow.rows(of)).sum();
        let threads = rows.get(at).copied().unwrap_or_default();
        let is_row_page = matches!(role, Role::List | Role::Item | Role::Other);
        if is_row_page && lists >= FEWEST_ROWS && lists * 2.0 >= threads {
            *role = Role::Boards;
        }
    }
}
