//! The map of a site: the types of its pages, what they are for, and which pages belong together.
//!
//! Types are made from structure ([`page::types`]); what a type is for follows from where its links
//! lead (iRobot, Cai et al. 2008): rows of a list lead to threads under distinct texts, names lead to
//! users under the same text again and again, and a pager leads to more of the same.

mod address;
mod pager;
mod role;
mod survey;
#[cfg(test)]
mod tests;
mod title;
mod typing;

pub use pager::{Chain, Chains};
pub use role::Role;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{Kind, Neighbours, Source};
use page::state::url::shape;
use role::Flow;
use survey::{Survey, Targets};

/// Addresses of a type that are shown.
const MOST_SAMPLES: usize = 3;

/// The pages of a site, by type and in their order.
///
/// ```
/// use record::{Role, SiteMap, Source};
/// use page::tree::parse_str;
/// use url::Url;
///
/// let prose = "What was written here is much longer than a label would ever be. ".repeat(4);
/// let board = (1..9).map(|n| format!("<li><a href=/t/{n}>Title {n}</a>")).collect::<String>();
/// let mut pages = vec![("/b/1".to_owned(), format!("<ul>{board}</ul>"))];
/// for n in 1..9 {
///     pages.push((format!("/t/{n}"), format!("<h1>Title {n}</h1><div><p>{prose}</p></div>")));
/// }
/// let site = Url::parse("http://forum.example").unwrap();
/// let read = |(path, html): (String, String)| (site.join(&path).unwrap(), parse_str(&html).dom);
/// let pages: Vec<_> = pages.into_iter().map(read).collect();
/// let sources: Vec<Source<'_>> = pages
///     .iter()
///     .map(|(url, dom)| Source { url, page_type: None, captured: None, rendered: Some(dom), raw: None })
///     .collect();
/// let map = SiteMap::of(&sources);
/// assert_eq!(map.types()[map.type_of(0)].role, Role::List);
/// assert_eq!(map.types()[map.type_of(1)].role, Role::Thread);
/// assert_eq!(map.title(1), Some("Title 1"));
/// ```
#[derive(Clone, Debug)]
pub struct SiteMap {
    types: Vec<SiteType>,
    of_source: Vec<usize>,
    titles: Vec<Vec<String>>,
    chains: Chains,
    flows: Vec<Flow>,
    /// Addresses that were linked to, and the chains that they lead into.
    ways: Vec<(Url, usize)>,
}

/// A type of pages.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SiteType {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// How many of the sources are of it.
    pub pages: usize,
    /// Where its links lead, the most first, the frame of the site aside.
    pub links_to: Vec<LinksTo>,
    /// The addresses of some of its pages.
    pub samples: Vec<String>,
}

/// How many links lead to pages of a type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LinksTo {
    /// The name of that type.
    pub name: String,
    /// How many links.
    pub links: u64,
}

impl SiteMap {
    /// The map of the site that the sources are pages of.
    pub fn of(sources: &[Source<'_>]) -> Self {
        let (names, of_source) = typing::types(sources);
        let mut targets = Targets::default();
        let surveys: Vec<Survey> = sources
            .iter()
            .zip(&of_source)
            .map(|(source, page_type)| Survey::of(source, *page_type, &mut targets))
            .collect();
        let chains = Chains::new(&surveys, &targets);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
        for (source, page_type) in of_source.iter().enumerate() {
            if let Some(members) = members.get_mut(*page_type) {
                members.push(source);
            }
        }
        let anchors = title::Anchors::new(&surveys, &chains);
        let mut titles: Vec<Vec<String>> = vec![Vec::new(); sources.len()];
        for members in &members {
            for (source, own) in title::titles(members, &surveys, &chains, &anchors) {
                if let (Some(titles), Some(survey)) = (titles.get_mut(source), surveys.get(source))
                {
                    let first = survey.headings.first().map(|heading| heading.text.clone());
                    titles.extend(
                        [Some(own), Some(survey.title.clone()), first].into_iter().flatten(),
                    );
                    titles.dedup();
                }
            }
        }
        let patterns = patterns(sources, &of_source);
        let type_at = |url: &Url| patterns.get(&shape(url)).copied().flatten();
        let flows = role::flows(&surveys, &targets, &chains, &of_source, type_at);
        let letters = |members: &Vec<usize>| {
            let chains = members.iter().filter_map(|source| chains.number_of(*source));
            let led: Vec<usize> = chains.filter_map(|chain| anchors.letters(chain)).collect();
            let sum: usize = led.iter().sum();
            (!led.is_empty()).then(|| sum as f64 / led.len() as f64)
        };
        let roles = role::guess(&flows, &members.iter().map(letters).collect::<Vec<_>>());
        let ways = targets.iter().enumerate();
        let ways = ways.filter_map(|(at, to)| Some((to.url.clone(), chains.of_target(at)?)));
        let ways = ways.collect();
        let types = names.iter().zip(&members).zip(&flows).zip(roles);
        let types = types
            .map(|(((name, members), flow), role)| SiteType {
                name: name.clone(),
                role,
                pages: members.len(),
                links_to: links_to(flow, &names),
                samples: members
                    .iter()
                    .filter_map(|source| sources.get(*source))
                    .take(MOST_SAMPLES)
                    .map(|source| source.url.to_string())
                    .collect(),
            })
            .collect();
        SiteMap { types, of_source, titles, chains, flows, ways }
    }

    /// Says what the records of each type are, so that roles follow from that, too.
    pub fn settle(&mut self, kinds: &[Option<Kind>]) {
        for (of, role) in self.types.iter_mut().zip(role::settle(&self.flows, kinds)) {
            of.role = role;
        }
    }

    /// The types.
    pub fn types(&self) -> &[SiteType] {
        &self.types
    }

    /// The number of the type of a source.
    pub fn type_of(&self, source: usize) -> usize {
        self.of_source.get(source).copied().unwrap_or_default()
    }

    /// The sources of a type.
    pub fn sources_of(&self, page_type: usize) -> impl Iterator<Item = usize> {
        let of = self.of_source.iter().enumerate();
        of.filter(move |(_, own)| **own == page_type).map(|(source, _)| source)
    }

    /// What a role a source has.
    pub fn role_of(&self, source: usize) -> Role {
        self.types.get(self.type_of(source)).map_or(Role::Other, |of| of.role)
    }

    /// Which pages are one thread, or one list, in order.
    pub fn chains(&self) -> &Chains {
        &self.chains
    }

    /// The threads: the chains whose first page is of posts.
    pub fn threads(&self) -> impl Iterator<Item = &Chain> {
        self.chains.iter().filter(|chain| {
            chain.pages.first().is_some_and(|first| self.role_of(*first) == Role::Thread)
        })
    }

    /// What a page calls itself, without the name of the site: of a thread, its title.
    pub fn title(&self, source: usize) -> Option<&str> {
        self.titles.get(source)?.first().map(String::as_str)
    }

    /// What is known of the pages that records link to.
    pub fn neighbours(&self, sources: &[Source<'_>]) -> Neighbours {
        let mut around = Neighbours::default();
        let titles = |source: usize| self.titles.get(source).cloned().unwrap_or_default();
        let number = |source: usize| u32::try_from(self.type_of(source)).unwrap_or(u32::MAX);
        for (source, page) in sources.iter().enumerate() {
            around.add(page.url, number(source), titles(source));
        }
        for (url, chain) in &self.ways {
            let first = self.chains.get(*chain).and_then(|chain| chain.pages.first().copied());
            if let Some(first) = first {
                around.add(url, number(first), titles(first));
            }
        }
        around
    }
}

fn links_to(flow: &Flow, names: &[String]) -> Vec<LinksTo> {
    let named = |(to, links): (usize, u64)| Some(LinksTo { name: names.get(to)?.clone(), links });
    let mut all: Vec<LinksTo> = flow.links().filter_map(named).collect();
    all.sort_by(|a, b| b.links.cmp(&a.links).then_with(|| a.name.cmp(&b.name)));
    all
}

/// The type that all sources of a pattern have; none where they differ.
fn patterns(sources: &[Source<'_>], of_source: &[usize]) -> HashMap<String, Option<usize>> {
    let mut patterns: HashMap<String, Option<usize>> = HashMap::new();
    for (source, page_type) in sources.iter().zip(of_source) {
        let known = patterns.entry(shape(source.url)).or_insert(Some(*page_type));
        if *known != Some(*page_type) {
            *known = None;
        }
    }
    patterns
}
