//! Which pages are one thread or one list, and in which order.
//!
//! A pager is links whose texts are numbers and whose addresses differ from that of their page in
//! one number only, which runs with the text: as the number of a page, or as an offset. So the
//! *place* of that number in addresses of a pattern is learned from the links of all pages, and every
//! address without it names a chain. Links that say "next" teach the same. Nothing is taken from
//! the names of parameters.

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{HashMap, HashSet};

use serde::Serialize;
use url::Url;

use super::address::{Address, Slot};
use super::survey::{Cue, Survey, Targets};

/// Pages of a site that one thread or one list goes over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Chain {
    /// The address of its first page, also if that is no source: what rows of lists lead to.
    pub url: Url,
    /// Its pages in order, by the numbers of their sources; each page once.
    pub pages: Vec<usize>,
    /// Which page of the chain each of these is, from 1.
    pub numbers: Vec<u64>,
    /// Sources that show one of these pages again, under another address.
    pub again: Vec<usize>,
    /// Whether no page is missing.
    pub complete: bool,
}

/// The chains of a site.
#[derive(Clone, Debug, Default)]
pub struct Chains {
    chains: Vec<Chain>,
    /// The chain of each source.
    of_source: Vec<usize>,
    /// The chain that each target leads into.
    of_target: Vec<Option<usize>>,
    by_key: HashMap<String, usize>,
    places: HashMap<u64, Place>,
}

/// A number of addresses of one pattern that counts pages.
#[derive(Clone, Debug, Default)]
struct Place {
    /// Pages whose links say so, and pages whose links lead to something else by this number.
    valid: u32,
    rejected: u32,
    /// How the number runs with the page: 0 if it is its number, else by how much it grows.
    steps: HashMap<u64, u32>,
    /// Which of the forms without the number the first page has.
    forms: [u32; 2],
}

impl Place {
    /// The page that a value stands for.
    fn page(step: u64, value: u64) -> u64 {
        value.checked_div(step).map_or(value.max(1), |pages| pages + 1)
    }

    fn step(&self) -> u64 {
        most(&self.steps)
    }
}

/// What has the most votes; of several, the least.
fn most(votes: &HashMap<u64, u32>) -> u64 {
    let best = votes.iter().max_by_key(|(value, votes)| (**votes, std::cmp::Reverse(**value)));
    best.map_or(0, |(value, _)| *value)
}

/// An address without its page number.
struct Named {
    key: String,
    /// The place of that number, and the number.
    slot: Option<(u64, u64)>,
    /// Whether it is not known which page it is.
    is_again: bool,
}

/// Where an address leads.
struct Lead {
    chain: usize,
    /// The place of its page number, and the number.
    slot: Option<(u64, u64)>,
    /// Whether every part of the address counts.
    is_exact: bool,
}

/// The pages of a chain.
struct Joined {
    /// By their numbers.
    pages: BTreeMap<u64, usize>,
    again: Vec<usize>,
    complete: bool,
}

impl Named {
    fn plain(key: String) -> Self {
        Named { key, slot: None, is_again: false }
    }
}

impl Chains {
    pub(super) fn new(surveys: &[Survey], targets: &Targets) -> Self {
        let mut chains = Chains { places: learn(surveys, targets), ..Chains::default() };
        chains.forget_what_joins_strangers(surveys);
        let names: Vec<Named> = chains.named_sources(surveys, targets);
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (source, named) in names.iter().enumerate() {
            let next = members.len();
            let chain = *chains.by_key.entry(named.key.clone()).or_insert(next);
            match members.get_mut(chain) {
                Some(members) => members.push(source),
                None => members.push(vec![source]),
            }
            chains.of_source.push(chain);
        }
        chains.by_key.extend(chains.aliases(surveys, targets));
        let leads: Vec<Option<Lead>> = targets.iter().map(|to| chains.lead(&to.address)).collect();
        let firsts = chains.firsts(targets, &leads);
        for (chain, members) in members.into_iter().enumerate() {
            let joined = chains.join(chain, &members, &names, surveys, &leads);
            let Joined { pages, again, complete } = joined;
            let first = pages.first_key_value().filter(|(number, _)| **number == 1);
            let first = first.or(pages.first_key_value()).map(|(_, first)| *first);
            let first = first.or(again.first().copied()).and_then(|first| surveys.get(first));
            let url = firsts.get(&chain).copied().or(first.map(|first| &first.url));
            // Every chain has a member, and every member a survey.
            let Some(url) = url.cloned() else { continue };
            let (numbers, pages) = pages.into_iter().unzip();
            chains.chains.push(Chain { url, pages, numbers, again, complete });
        }
        chains.of_target = leads.iter().map(|lead| lead.as_ref().map(|lead| lead.chain)).collect();
        chains
    }

    /// The addresses of first pages, as pages link to them.
    fn firsts<'a>(&self, targets: &'a Targets, leads: &[Option<Lead>]) -> HashMap<usize, &'a Url> {
        let mut firsts: HashMap<usize, &Url> = HashMap::new();
        for (to, lead) in targets.iter().zip(leads) {
            let Some(Lead { chain, slot, is_exact: true }) = lead else { continue };
            let page = slot.map_or(1, |(place, value)| {
                Place::page(self.places.get(&place).map_or(0, Place::step), value)
            });
            if page == 1 {
                firsts.entry(*chain).or_insert(&to.url);
            }
        }
        firsts
    }

    /// The chain that an address leads into.
    fn lead(&self, address: &Address) -> Option<Lead> {
        let known = |address: &Address, is_exact: bool| {
            let named = self.name(address);
            let own = self.by_key.get(&address.to_string());
            let chain = *own.or_else(|| self.by_key.get(&named.key))?;
            Some(Lead { chain, slot: named.slot, is_exact })
        };
        known(address, true)
            .or_else(|| address.plainer().find_map(|plainer| known(&plainer, false)))
    }

    /// Drops the places that join pages with different titles: numbers of articles, not of pages.
    fn forget_what_joins_strangers(&mut self, surveys: &[Survey]) {
        let mut last: HashMap<String, &Survey> = HashMap::new();
        let mut votes: HashMap<u64, (u32, u32)> = HashMap::new();
        for survey in surveys {
            let Named { key, slot: Some((place, _)), .. } = self.name(&survey.address) else {
                continue;
            };
            if let Some(other) = last.insert(key, survey) {
                let (for_it, against) = votes.entry(place).or_default();
                *(if is_one(survey, other) { for_it } else { against }) += 1;
            }
        }
        self.places
            .retain(|place, _| votes.get(place).is_none_or(|(for_it, against)| for_it >= against));
    }

    /// Addresses that lead into a chain according to its own pages. What two chains claim is
    /// neither's.
    fn aliases(&self, surveys: &[Survey], targets: &Targets) -> HashMap<String, usize> {
        let mut found: HashMap<String, Option<usize>> = HashMap::new();
        for (survey, chain) in surveys.iter().zip(&self.of_source) {
            let own = [survey.key.clone(), self.name(&survey.address).key];
            let here = survey.links.iter().filter(|way| way.is_here);
            let here = here.filter_map(|way| Some(targets.get(way.to)?.key.clone()));
            for key in here.chain(own).filter(|key| !self.by_key.contains_key(key)) {
                let claimed = found.entry(key).or_insert(Some(*chain));
                if *claimed != Some(*chain) {
                    *claimed = None;
                }
            }
        }
        found.into_iter().filter_map(|(key, chain)| Some((key, chain?))).collect()
    }

    /// All chains; a page that nothing follows is one by itself.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Chain> {
        self.chains.iter()
    }

    /// The chain of a source.
    pub fn of_source(&self, source: usize) -> Option<&Chain> {
        self.of_source.get(source).and_then(|chain| self.chains.get(*chain))
    }

    /// The number of the chain of a source.
    pub fn number_of(&self, source: usize) -> Option<usize> {
        self.of_source.get(source).copied()
    }

    /// The number of the chain that an address leads into, any of its pages.
    pub fn find(&self, url: &Url) -> Option<usize> {
        self.lead(&Address::of(url)).map(|lead| lead.chain)
    }

    /// The chain that an address leads into, any of its pages.
    pub fn of(&self, url: &Url) -> Option<&Chain> {
        self.chains.get(self.find(url)?)
    }

    /// The number of the chain that a target leads into.
    pub(super) fn of_target(&self, target: usize) -> Option<usize> {
        self.of_target.get(target).copied().flatten()
    }

    /// A chain by its number.
    pub fn get(&self, chain: usize) -> Option<&Chain> {
        self.chains.get(chain)
    }

    /// An address without the number that counts pages, if it has one.
    fn name(&self, address: &Address) -> Named {
        let slots = address.slots().into_iter();
        let known = slots.filter_map(|slot| Some((self.places.get(&slot.place)?, slot)));
        match known.max_by_key(|(place, _)| place.valid) {
            Some((place, slot)) => Named {
                slot: Some((slot.place, slot.value)),
                key: first_page(place, slot).unwrap_or_else(|| address.to_string()),
                is_again: false,
            },
            None => Named::plain(address.to_string()),
        }
    }

    /// What each source is called. What a page says of its address counts, unless pages with
    /// different titles say the same; and where it says nothing, where its pager leads.
    fn named_sources(&self, surveys: &[Survey], targets: &Targets) -> Vec<Named> {
        let mut own: Vec<Named> = surveys.iter().map(|survey| self.name(&survey.address)).collect();
        let mut said: BTreeMap<String, Vec<(usize, Named)>> = BTreeMap::new();
        for (at, survey) in surveys.iter().enumerate() {
            for url in &survey.canonical {
                let named = self.name(&Address::of(url));
                said.entry(named.key.clone()).or_default().push((at, named));
            }
        }
        // By what the first page of a chain says, the others are called, too.
        let mut called: HashMap<String, String> = HashMap::new();
        for (_, sayers) in said {
            let mut titles = sayers.iter().filter_map(|(at, _)| surveys.get(*at));
            let first = titles.next();
            if !titles.all(|other| first.is_some_and(|first| is_one(first, other))) {
                continue;
            }
            for (at, named) in sayers {
                let Some(own) = own.get_mut(at) else { continue };
                called.entry(own.key.clone()).or_insert(named.key);
                own.slot = own.slot.or(named.slot);
            }
        }
        for named in &mut own {
            if let Some(key) = called.get(&named.key) {
                named.key.clone_from(key);
            }
        }
        let heads: HashMap<String, &Survey> =
            own.iter().map(|named| named.key.clone()).zip(surveys).collect();
        for (named, survey) in own.iter_mut().zip(surveys).filter(|(own, _)| own.slot.is_none()) {
            let numbered = survey.links.iter().filter_map(|way| match way.cue {
                Cue::Number(number) => Some((number, self.name(&targets.get(way.to)?.address))),
                _ => None,
            });
            let pages = numbered.filter(|(number, to)| *number == 1 || to.slot.is_some());
            let keys: HashSet<String> = pages.map(|(_, to)| to.key).collect();
            // Rows have pagers, too, but those of a list lead to threads with other titles.
            let Some(key) = keys.iter().next().filter(|_| keys.len() == 1) else { continue };
            let of_chain = heads.get(key).filter(|_| *key != named.key);
            if of_chain.is_some_and(|other| words(survey) == words(other)) {
                *named = Named { key: key.clone(), slot: None, is_again: true };
            }
        }
        own
    }

    fn join(
        &self,
        chain: usize,
        members: &[usize],
        names: &[Named],
        surveys: &[Survey],
        leads: &[Option<Lead>],
    ) -> Joined {
        let mut linked: Vec<(u64, u64)> = Vec::new();
        let mut steps: HashMap<u64, u32> = HashMap::new();
        for way in members.iter().filter_map(|at| surveys.get(*at)).flat_map(|of| &of.links) {
            let lead = leads.get(way.to).and_then(Option::as_ref).filter(|to| to.chain == chain);
            let Some(slot) = lead.and_then(|lead| lead.slot) else { continue };
            linked.push(slot);
            if let Cue::Number(number) = way.cue {
                for step in steps_of(number, slot.1) {
                    *steps.entry(step).or_default() += 1;
                }
            }
        }
        let number = |(place, value): (u64, u64)| {
            let known = || self.places.get(&place).map_or(0, Place::step);
            Place::page(if steps.is_empty() { known() } else { most(&steps) }, value)
        };
        let mut pages: BTreeMap<u64, usize> = BTreeMap::new();
        let mut again = Vec::new();
        for (at, named) in members.iter().filter_map(|at| Some((*at, names.get(*at)?))) {
            if named.is_again {
                again.push(at);
                continue;
            }
            // The address that links lead to stands for the page, else the first that was seen.
            let is_linked = |at: usize| surveys.get(at).is_some_and(|of| of.key == named.key);
            match pages.entry(named.slot.map_or(1, number)) {
                Entry::Vacant(free) => drop(free.insert(at)),
                Entry::Occupied(mut taken) if is_linked(at) && !is_linked(*taken.get()) => {
                    again.push(taken.insert(at));
                }
                Entry::Occupied(_) => again.push(at),
            }
        }
        let last = linked.into_iter().map(number).max().unwrap_or(1);
        let there = pages.len() as u64;
        let complete = pages.keys().copied().eq(1..=there) && last <= there && there > 0;
        Joined { pages, again, complete }
    }
}

fn first_page(place: &Place, slot: Slot) -> Option<String> {
    let mut without = slot.without;
    let form = usize::from(place.forms[1] > place.forms[0]).min(without.len().checked_sub(1)?);
    Some(without.swap_remove(form))
}

/// How numbers may run so that page `number` has this value.
fn steps_of(number: u64, value: u64) -> impl Iterator<Item = u64> {
    let is_number = (value == number).then_some(0);
    let before = number.saturating_sub(1);
    let is_offset =
        (before > 0 && value > 0 && value.is_multiple_of(before)).then(|| value / before);
    is_number.into_iter().chain(is_offset)
}

/// The places of page numbers.
fn learn(surveys: &[Survey], targets: &Targets) -> HashMap<u64, Place> {
    let known: HashMap<&str, &Survey> =
        surveys.iter().map(|survey| (survey.key.as_str(), survey)).collect();
    let mut places: HashMap<u64, Place> = HashMap::new();
    for survey in surveys {
        for (place, pager) in pagers(survey, targets, &known) {
            let steps = pager.steps();
            if !pager.begins_here(most(&steps)) {
                continue;
            }
            let learned = places.entry(place).or_default();
            let leads_elsewhere = pager
                .links
                .iter()
                .any(|link| known.get(link.to).is_some_and(|target| !is_one(survey, target)));
            if leads_elsewhere {
                learned.rejected += 1;
                continue;
            }
            learned.valid += 1;
            for (step, votes) in steps {
                *learned.steps.entry(step).or_default() += votes;
            }
            let forms = pager.links.iter().filter_map(|link| link.form);
            for form in forms.chain(pager.firsts.iter().copied()) {
                if let Some(votes) = learned.forms.get_mut(form) {
                    *votes += 1;
                }
            }
        }
    }
    places.retain(|_, place| place.valid > place.rejected);
    places
}

/// Links of a page that lead to addresses which differ from its own in one number.
#[derive(Default)]
struct Pager<'a> {
    /// That number in its own address; none if that is the address without it.
    own: Option<u64>,
    links: Vec<PagerLink<'a>>,
    /// Which forms of its own address without the number it leads to.
    firsts: Vec<usize>,
}

struct PagerLink<'a> {
    to: &'a str,
    cue: Cue,
    value: u64,
    /// Which form without the number is the address of the page itself.
    form: Option<usize>,
    /// Whether it leads to a source.
    is_known: bool,
}

impl Pager<'_> {
    fn steps(&self) -> HashMap<u64, u32> {
        let mut steps: HashMap<u64, u32> = HashMap::new();
        for link in &self.links {
            let found: Vec<u64> = match (link.cue, self.own) {
                (Cue::Number(number), _) => steps_of(number, link.value).collect(),
                // To the next page, from the first.
                (Cue::Step, None) => steps_of(2, link.value).take(1).collect(),
                (Cue::Step, Some(own)) => {
                    let step = link.value.abs_diff(own);
                    vec![if step == 1 { 0 } else { step }]
                }
                (Cue::None, _) => Vec::new(),
            };
            for step in found {
                *steps.entry(step).or_default() += 1;
            }
        }
        steps
    }

    /// Whether it leads to the page after or before: a number in a text may well be the number of
    /// another article, but seldom the next one.
    fn begins_here(&self, step: u64) -> bool {
        let page = self.own.map_or(1, |own| Place::page(step, own));
        self.links.iter().any(|link| match link.cue {
            Cue::Number(number) => {
                number.abs_diff(page) == 1 && Place::page(step, link.value) == number
            }
            // Articles are numbered, too, and lead from one to the next.
            Cue::Step => self.own.is_none_or(|own| own <= 1) || link.is_known,
            Cue::None => false,
        })
    }
}

fn pagers<'a>(
    survey: &Survey,
    targets: &'a Targets,
    known: &HashMap<&str, &Survey>,
) -> HashMap<u64, Pager<'a>> {
    let slots = survey.address.slots();
    let own: HashMap<&str, u64> =
        slots.iter().map(|slot| (slot.open.as_str(), slot.value)).collect();
    let mut pagers: HashMap<u64, Pager<'a>> = HashMap::new();
    let mut seen = HashSet::new();
    let cued = survey.links.iter().filter(|way| way.cue != Cue::None);
    for way in cued.filter(|way| seen.insert((way.to, way.cue))) {
        let Some(to) = targets.get(way.to).filter(|to| to.key != survey.key) else { continue };
        for slot in &slots {
            let form = slot.without.iter().position(|without| *without == to.key);
            pagers.entry(slot.place).or_default().firsts.extend(form);
        }
        // A pager may add where one came from.
        let plainer = to.address.plainer().flat_map(|plainer| plainer.slots());
        for slot in to.address.slots().into_iter().chain(plainer) {
            let form = slot.without.iter().position(|without| *without == survey.key);
            let own = own.get(slot.open.as_str()).copied();
            // A link to the next thread may name this one, and say in words that it means the next.
            let is_same = own == Some(slot.value);
            if is_same || (form.is_none() && own.is_none()) {
                continue;
            }
            let pager = pagers.entry(slot.place).or_default();
            pager.own = pager.own.or(own);
            let is_known = known.contains_key(to.key.as_str());
            let (cue, value) = (way.cue, slot.value);
            pager.links.push(PagerLink { to: &to.key, cue, value, form, is_known });
        }
    }
    pagers
}

/// Whether two pages may be of one thread or list: they are of one type, and one has all the words of
/// the other's title.
fn is_one(a: &Survey, b: &Survey) -> bool {
    let (x, y) = (words(a), words(b));
    a.page_type == b.page_type && (x.is_subset(&y) || y.is_subset(&x))
}

/// The words of a title, but for numbers: that of the page may be among them.
fn words(survey: &Survey) -> HashSet<String> {
    let words = survey.title.split(|c: char| !c.is_alphanumeric());
    let is_word = |word: &&str| word.contains(char::is_alphabetic);
    words.filter(is_word).map(str::to_lowercase).collect()
}
