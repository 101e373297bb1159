//! The records of a site: wrappers learned over its pages, and what they find, joined over pages.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::content::{Cleaner, Content, Post};
use super::field::Assignment;
use super::kin::kin;
use super::learn::{Choice, choices};
use super::lesson;
use super::listing::settle;
use super::map::{Chain, SiteMap, SiteType};
use super::proof::{Agreement, Counting, of_post, prove};
use super::stub::without_stubs;
use super::table;
use super::teacher::teach;
use super::wrapper::{Fit, Found, Wrapper};
use super::{Field, Kind, Proof, Record, Source, View};
use page::tree::{Dom, unscripted};

/// The version of what is stored.
const FORMAT: u32 = 1;
/// Assignments that are tried where lists and threads disagree.
const ALTERNATIVES: usize = 6;

/// What was learned of a site: a wrapper for each type of pages that holds records.
///
/// ```
/// use record::{Site, Source};
/// use page::tree::parse_str;
/// use url::Url;
///
/// let post = |author: &str, time: &str, text: &str| {
///     format!("<div class=post><a href=/user/{author}>{author}</a> <i>{time}</i><p>{text}</p></div>")
/// };
/// let threads = [
///     post("ann", "2026-01-05 10:00", "Which lamp would you take for a small desk by the window?")
///         + &post("bob", "2026-01-05 11:30", "A warm one with an arm. Mine has been good for years."),
///     post("cy", "2026-02-01 09:12", "The pump leaks again. I have changed the seal twice by now."),
/// ];
/// let url = |n: usize| Url::parse(&format!("http://forum.example/thread/{n}")).unwrap();
/// let pages: Vec<_> = (1..).zip(&threads).map(|(n, html)| (url(n), parse_str(html).dom)).collect();
/// let sources: Vec<Source<'_>> = pages
///     .iter()
///     .map(|(url, dom)| Source { url, page_type: None, captured: None, rendered: Some(dom), raw: None })
///     .collect();
/// let records = Site::learn(&sources).records(&sources);
/// assert_eq!(records[0].len(), 2);
/// assert_eq!(records[1][0].author.as_deref(), Some("cy"));
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Site {
    format: u32,
    /// What its types are for.
    pub types: Vec<SiteType>,
    /// Types that are part of another one, and of which.
    pub same: BTreeMap<String, String>,
    /// Of each type that holds records, the wrapper that leads, and then what fills its gaps.
    pub wrappers: Vec<Wrapper>,
    /// What its lists count. Records always have the posts after the first.
    pub counting: Counting,
}

impl Site {
    /// Learns from pages of a site.
    pub fn learn(sources: &[Source<'_>]) -> Self {
        Self::learn_with(&Unscripted::of(sources).sources(sources)).0
    }

    /// The records of pages of the site, page by page. Pages of one thread are joined, and lists are
    /// held against threads, as far as they are among these pages.
    pub fn records(&self, sources: &[Source<'_>]) -> Vec<Vec<Record>> {
        self.read(sources).1
    }

    /// The records of pages of the site, and how these pages belong together.
    pub fn read(&self, sources: &[Source<'_>]) -> (SiteMap, Vec<Vec<Record>>) {
        let open = Unscripted::of(sources);
        let sources = open.sources(sources);
        let mut map = SiteMap::of(&sources);
        if !self.same.is_empty() {
            let of = |source: usize| Some(self.whole(type_name(&map, source)).to_owned());
            let names: Vec<Option<String>> = (0..sources.len()).map(of).collect();
            map = SiteMap::of(&named(&sources, &names));
        }
        let records = self.records_with(&sources, &map);
        (map, records)
    }

    /// Learns from pages, and takes their records.
    pub fn learn_and_read(sources: &[Source<'_>]) -> (Self, Vec<Vec<Record>>) {
        let open = Unscripted::of(sources);
        let sources = open.sources(sources);
        let (site, map) = Self::learn_with(&sources);
        let records = site.records_with(&sources, &map);
        (site, records)
    }

    /// The name of the type that a type is a part of, or its own.
    pub fn whole<'n>(&'n self, name: &'n str) -> &'n str {
        self.same.get(name).map_or(name, String::as_str)
    }

    fn learn_with(sources: &[Source<'_>]) -> (Self, SiteMap) {
        let mut map = SiteMap::of(sources);
        let mut found = all_choices(sources, &map);
        let leads = map.types().iter().zip(&found);
        let leads: Vec<_> = leads.map(|(of, found)| found.first()?.lead(&of.name)).collect();
        let same = kin(sources, &map, &leads);
        if !same.is_empty() {
            let of = |source: usize| {
                let name = type_name(&map, source);
                Some(same.get(name).map_or(name, String::as_str).to_owned())
            };
            let names: Vec<Option<String>> = (0..sources.len()).map(of).collect();
            let sources = named(sources, &names);
            let before = std::mem::replace(&mut map, SiteMap::of(&sources));
            found = learn_again(&sources, &map, &before, found);
        }
        settle(sources, &map, &mut found);
        let kinds: Vec<_> =
            found.iter().map(|found| found.first().and_then(Choice::kind)).collect();
        map.settle(&kinds);
        let types = map.types().to_vec();
        let (mut wrappers, mut others) = (Vec::new(), Vec::new());
        for (of, found) in types.iter().zip(found) {
            for choice in found {
                wrappers.extend(choice.lead(&of.name));
                others.push(choice.assignments.into_iter().skip(1).collect());
            }
        }
        let counting = Counting::default();
        let mut site = Site { format: FORMAT, types, same, wrappers, counting };
        site.choose_by_proofs(&others, sources, &map);
        site.learn_content(sources, &map);
        site.measure(sources, &map);
        (site, map)
    }

    /// Where a list says something else than its threads, the next best assignment is tried: the one
    /// that proves most is kept.
    fn choose_by_proofs(
        &mut self,
        others: &[Vec<Assignment>],
        sources: &[Source<'_>],
        map: &SiteMap,
    ) {
        let read = |site: &Site, page_type: Option<&str>, pages: &mut Vec<Vec<Record>>| {
            pages.resize_with(sources.len(), Vec::new);
            for ((source, of), records) in sources.iter().enumerate().zip(pages.iter_mut()) {
                let name = type_name(map, source);
                if page_type.is_none_or(|page_type| page_type == name) {
                    let lead = site.wrappers_of(name).next();
                    let found = lead.map(|wrapper| wrapper.read(of)).unwrap_or_default();
                    *records = found.into_iter().map(|found| found.record).collect();
                }
            }
            for chain in map.threads() {
                let title = chain.pages.first().and_then(|first| map.title(*first));
                for source in &chain.pages {
                    for record in pages.get_mut(*source).into_iter().flatten() {
                        if record.kind == Kind::Post {
                            record.title = title.map(str::to_owned);
                        }
                    }
                }
            }
        };
        let mut pages = Vec::new();
        read(self, None, &mut pages);
        let mut best = agreement(&pages, map);
        for (at, others) in others.iter().enumerate() {
            let Some(wrapper) = self.wrappers.get(at) else { continue };
            let name = wrapper.page_type.clone();
            let leads = self.wrappers.iter().position(|other| other.page_type == name) == Some(at);
            if !leads || wrapper.kind() == Kind::Item || best.rows == 0 || best.is_agreed() {
                continue;
            }
            for other in others.iter().take(ALTERNATIVES) {
                let Some(wrapper) = self.wrappers.get_mut(at) else { continue };
                if !says_as_much(&wrapper.assignment, other) {
                    continue;
                }
                let before = std::mem::replace(&mut wrapper.assignment, other.clone());
                let kept = pages.clone();
                read(self, Some(&name), &mut pages);
                let now = agreement(&pages, map);
                if now.score() > best.score() {
                    best = now;
                } else {
                    pages = kept;
                    if let Some(wrapper) = self.wrappers.get_mut(at) {
                        wrapper.assignment = before;
                    }
                }
            }
        }
        self.counting = best.counting;
    }

    fn wrappers_of<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Wrapper> {
        self.wrappers.iter().filter(move |wrapper| wrapper.page_type == name)
    }

    /// What is no content is learned from whole threads, of each view by itself.
    fn learn_content(&mut self, sources: &[Source<'_>], map: &SiteMap) {
        let cleaners: Vec<Option<Cleaner>> = self
            .wrappers
            .iter()
            .map(|wrapper| {
                let is_own = |source: &usize| type_name(map, *source) == wrapper.page_type;
                let read = |source: usize| sources.get(source).map(|of| (source, wrapper.read(of)));
                let found: Vec<Vec<(usize, Vec<Found>)>> = map
                    .chains()
                    .iter()
                    .map(|chain| {
                        chain.pages.iter().copied().filter(is_own).filter_map(read).collect()
                    })
                    .collect();
                let threads: Vec<Vec<Post<'_>>> = found
                    .iter()
                    .map(|pages| {
                        let posts = pages.iter().flat_map(|(source, found)| {
                            found
                                .iter()
                                .filter_map(|found| post(sources, map, *source, wrapper, found))
                        });
                        posts.collect()
                    })
                    .collect();
                (wrapper.kind() == Kind::Post).then(|| Cleaner::learn(&threads))
            })
            .collect();
        for (wrapper, cleaner) in self.wrappers.iter_mut().zip(cleaners) {
            wrapper.cleaner = cleaner;
        }
    }

    fn measure(&mut self, sources: &[Source<'_>], map: &SiteMap) {
        for wrapper in &mut self.wrappers {
            let mut fit = Fit::default();
            for (source, of) in sources.iter().enumerate() {
                if type_name(map, source) == wrapper.page_type {
                    let found = wrapper.read(of);
                    fit.count(found.iter().map(|found| &found.record));
                }
            }
            wrapper.fit = fit;
        }
    }

    fn records_with(&self, sources: &[Source<'_>], map: &SiteMap) -> Vec<Vec<Record>> {
        let mut pages: Vec<Vec<Found>> = Vec::with_capacity(sources.len());
        let mut leads: Vec<Option<&Wrapper>> = Vec::with_capacity(sources.len());
        for (source, of) in sources.iter().enumerate() {
            let mut found = Vec::new();
            let mut lead = None;
            let is_feed = lesson::is_feed(of);
            for wrapper in self.wrappers_of(type_name(map, source)).filter(|_| !is_feed) {
                let other = wrapper.read(of);
                match lead {
                    None if !other.is_empty() => (found, lead) = (other, Some(wrapper)),
                    None => {}
                    Some(_) => fill(&mut found, other),
                }
            }
            let has_posts = found.iter().any(|found| found.record.kind == Kind::Post);
            if let Some(dom) = lead.filter(|_| has_posts).and_then(|lead| of.view(lead.view)) {
                lesson::fill(dom, &teach(dom, of.url), &mut found);
            }
            if self.counting == Counting::Posts {
                found.iter_mut().for_each(|found| without_first(&mut found.record));
            }
            pages.push(found);
            leads.push(lead);
        }
        without_stubs(&mut pages, &leads);
        let mut tables: Vec<Vec<Record>> = Vec::with_capacity(sources.len());
        for ((of, found), lead) in sources.iter().zip(&mut pages).zip(&leads) {
            tables.push(tabled(of, found, *lead));
        }
        for chain in map.chains().iter() {
            join(sources, map, chain, &leads, &mut pages);
        }
        let mut records: Vec<Vec<Record>> = pages
            .into_iter()
            .map(|found| found.into_iter().map(|found| found.record).collect())
            .collect();
        for (records, rows) in records.iter_mut().zip(tables) {
            records.extend(rows);
        }
        for (records, source) in records.iter_mut().zip(sources).filter(|(own, _)| own.is_empty()) {
            *records = lesson::records(source);
        }
        self.prove(map, &mut records);
        records
    }

    /// Holds lists against threads. Where a row is proved to be that of a thread, what it does not show
    /// of the first and the last post, or shows in a way that was misread, is taken from these.
    fn prove(&self, map: &SiteMap, pages: &mut [Vec<Record>]) {
        let agreement = agreement(pages, map);
        let mut proved: Vec<((usize, usize), Vec<Proof>)> = Vec::new();
        let mut corrected: Vec<((usize, usize), Record)> = Vec::new();
        for (at, row, chain) in rows(pages, map).filter(|(.., chain)| chain.complete) {
            let posts = posts(pages, chain);
            let all: Vec<&Record> = posts.iter().map(|(_, post)| *post).collect();
            let found = prove(row, &all, Counting::Replies);
            for (place, (at, _)) in posts.iter().enumerate() {
                proved.push((*at, of_post(&found, place, posts.len())));
            }
            if found.contains(&Proof::Title) && found.contains(&Proof::Count) {
                corrected.push((at, agreement.corrected(row, &all)));
            }
            proved.push((at, found));
        }
        for ((source, at), record) in corrected {
            if let Some(row) = pages.get_mut(source).and_then(|page| page.get_mut(at)) {
                *row = record;
            }
        }
        for ((source, at), found) in proved {
            if let Some(record) = pages.get_mut(source).and_then(|page| page.get_mut(at)) {
                record.proofs.extend(found);
                record.proofs.sort_unstable();
                record.proofs.dedup();
            }
        }
    }
}

/// The rows of a page's data tables. A table that people talk in is left to the wrapper; of others, the rows
/// stand for what the wrapper found in them.
fn tabled(source: &Source<'_>, found: &mut Vec<Found>, lead: Option<&Wrapper>) -> Vec<Record> {
    let Some(dom) = source.view(lead.map_or(View::Rendered, |lead| lead.view)) else {
        return Vec::new();
    };
    let mut records = Vec::new();
    for rows in table::rows(dom, source) {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { continue };
        let all = first.element..dom.node(last.element).end();
        let is_inside = |found: &Found| found.span.nodes.iter().any(|node| all.contains(node));
        if found.iter().any(|found| found.record.kind != Kind::Item && is_inside(found)) {
            continue;
        }
        found.retain(|found| !is_inside(found));
        records.extend(rows.into_iter().map(|row| row.record));
    }
    records
}

/// Whether records are still what they were, and posts have all that they had: what says nothing
/// contradicts no list.
fn says_as_much(before: &Assignment, other: &Assignment) -> bool {
    let of_posts = [Field::Author, Field::Time, Field::Content];
    let has = |of: &Assignment, field: &Field| of.fields.contains_key(field);
    let keeps = |field: &Field| has(other, field) || !has(before, field);
    before.kind == other.kind && (before.kind != Kind::Post || of_posts.iter().all(keeps))
}

/// Counts the posts after the first where a list counts all.
fn without_first(row: &mut Record) {
    row.replies = row.replies.map(|posts| posts.saturating_sub(1));
}

/// The rows of lists whose threads are known.
fn rows<'r>(
    pages: &'r [Vec<Record>],
    map: &'r SiteMap,
) -> impl Iterator<Item = ((usize, usize), &'r Record, &'r Chain)> {
    let all = pages.iter().enumerate().flat_map(|(source, page)| {
        page.iter().enumerate().map(move |(at, record)| ((source, at), record))
    });
    all.filter_map(|(at, record)| {
        let chain = map.chains().of(record.permalink.as_ref()?)?;
        let own = map.chains().of_source(at.0).is_some_and(|own| std::ptr::eq(own, chain));
        (record.kind == Kind::Thread && !own).then_some((at, record, chain))
    })
}

/// The posts of a thread in order, those that are shown on several pages once.
fn posts<'r>(pages: &'r [Vec<Record>], chain: &Chain) -> Vec<((usize, usize), &'r Record)> {
    let mut seen = HashSet::new();
    let all = chain.pages.iter().flat_map(|source| {
        let page = pages.get(*source).into_iter().flatten().enumerate();
        page.map(move |(at, record)| ((*source, at), record))
    });
    all.filter(|(_, record)| record.kind == Kind::Post)
        .filter(|(_, record)| record.id.as_ref().is_none_or(|id| seen.insert(id)))
        .collect()
}

fn agreement(pages: &[Vec<Record>], map: &SiteMap) -> Agreement {
    let pairs: Vec<(&Record, Vec<&Record>, bool)> = rows(pages, map)
        .map(|(_, row, chain)| {
            let posts = posts(pages, chain).into_iter().map(|(_, post)| post).collect();
            (row, posts, chain.complete)
        })
        .collect();
    Agreement::of(&pairs)
}

/// What the server sent for those who run no scripts, where that is more.
struct Unscripted(Vec<Option<Dom>>);

impl Unscripted {
    fn of(sources: &[Source<'_>]) -> Self {
        Self(sources.iter().map(|source| unscripted(source.raw.or(source.rendered)?)).collect())
    }

    fn sources<'a>(&'a self, sources: &[Source<'a>]) -> Vec<Source<'a>> {
        let with = |(source, open): (&Source<'a>, &'a Option<Dom>)| Source {
            raw: open.as_ref().or(source.raw),
            ..*source
        };
        sources.iter().zip(&self.0).map(with).collect()
    }
}

/// The same pages, with the names of their types.
fn named<'a>(sources: &[Source<'a>], names: &'a [Option<String>]) -> Vec<Source<'a>> {
    let with = |(source, name): (&Source<'a>, &'a Option<String>)| Source {
        page_type: name.as_deref(),
        ..*source
    };
    sources.iter().zip(names).map(with).collect()
}

/// The pages of a type.
pub(super) fn members<'s, 'a>(
    sources: &'s [Source<'a>],
    map: &SiteMap,
    page_type: usize,
) -> Vec<&'s Source<'a>> {
    map.sources_of(page_type).filter_map(|source| sources.get(source)).collect()
}

fn all_choices(sources: &[Source<'_>], map: &SiteMap) -> Vec<Vec<Choice>> {
    let around = map.neighbours(sources);
    let types = 0..map.types().len();
    types.map(|number| choices(&members(sources, map, number), &around)).collect()
}

/// Learns the types anew that have got pages of others; the rest stays as it was.
fn learn_again(
    sources: &[Source<'_>],
    map: &SiteMap,
    before: &SiteMap,
    mut known: Vec<Vec<Choice>>,
) -> Vec<Vec<Choice>> {
    let around = map.neighbours(sources);
    let again = map.types().iter().enumerate().map(|(number, of)| {
        let was =
            before.types().iter().position(|was| was.name == of.name && was.pages == of.pages);
        match was.and_then(|was| known.get_mut(was)) {
            Some(known) => std::mem::take(known),
            None => choices(&members(sources, map, number), &around),
        }
    });
    again.collect()
}

fn type_name(map: &SiteMap, source: usize) -> &str {
    map.types().get(map.type_of(source)).map_or("", |of| &of.name)
}

/// Takes over what the first view of a page lacks and the second one has.
fn fill(found: &mut [Found], other: Vec<Found>) {
    if found.len() != other.len() {
        return;
    }
    for (own, other) in found.iter_mut().zip(other) {
        let (own, other) = (&mut own.record, other.record);
        if own.author.is_none() {
            own.author = other.author;
        }
        if own.title.is_none() {
            own.title = other.title;
        }
        if own.time.as_ref().is_none_or(|time| {
            other.time.as_ref().is_some_and(|other| other.precision < time.precision)
        }) && other.time.is_some()
        {
            own.time = other.time;
            own.time_text = own.time_text.take().or(other.time_text);
        }
        if own.permalink.is_none() {
            own.permalink = other.permalink;
        }
        if own.id.is_none() {
            own.id = other.id;
        }
        if own.last_author.is_none() {
            own.last_author = other.last_author;
        }
        if own.last_time.is_none() {
            own.last_time = other.last_time;
        }
        if own.replies.is_none() {
            own.replies = other.replies;
        }
    }
}

fn post<'a>(
    sources: &[Source<'a>],
    map: &'a SiteMap,
    source: usize,
    wrapper: &Wrapper,
    found: &'a Found,
) -> Option<Post<'a>> {
    let of = sources.get(source)?;
    Some(Post {
        without: found.span.without.clone(),
        author: found.record.author.as_deref(),
        id: found.record.id.as_deref(),
        permalink: found.record.permalink.as_ref(),
        title: map.title(source),
        base: Some(of.url),
        depth: found.span.depth,
        ..Post::new(of.view(wrapper.view)?, found.content.clone())
    })
}

/// Joins the records of the pages of a thread: their content without what others wrote, whom they
/// answer, and their places.
fn join(
    sources: &[Source<'_>],
    map: &SiteMap,
    chain: &Chain,
    leads: &[Option<&Wrapper>],
    pages: &mut [Vec<Found>],
) {
    let lead = |source: usize| leads.get(source).copied().flatten();
    let mut of_posts: Vec<(usize, usize)> = Vec::new();
    let mut contents: Vec<Content> = Vec::new();
    {
        let mut posts = Vec::new();
        let mut cleaner = None;
        for source in chain.pages.iter().chain(&chain.again).copied() {
            let (Some(wrapper), Some(found)) = (lead(source), pages.get(source)) else { continue };
            cleaner = cleaner.or(wrapper.cleaner.as_ref());
            for (at, found) in found.iter().enumerate() {
                if let Some(post) = post(sources, map, source, wrapper, found) {
                    posts.push(post);
                    of_posts.push((source, at));
                }
            }
        }
        contents.extend(cleaner.unwrap_or(&Cleaner::default()).clean(&posts));
    }
    let id_of = |post: usize| {
        let (source, at) = of_posts.get(post)?;
        pages.get(*source)?.get(*at)?.record.id.clone()
    };
    let replies: Vec<Vec<String>> = contents
        .iter()
        .map(|content| content.quoted.iter().copied().filter_map(id_of).collect())
        .collect();
    let title = chain.pages.first().and_then(|first| map.title(*first));
    let is_whole = chain.numbers.first() == Some(&1);
    for (place, (((source, at), content), reply_to)) in
        (1u64..).zip(of_posts.into_iter().zip(contents).zip(replies))
    {
        let Some(found) = pages.get_mut(source).and_then(|found| found.get_mut(at)) else {
            continue;
        };
        let record = &mut found.record;
        if !found.content.is_empty() {
            record.content_text = Some(content.text);
            record.content_html = Some(content.html);
            record.links = content.links;
            record.quotes = content.quotes;
        }
        if record.kind == Kind::Post {
            record.title = title.map(str::to_owned);
            record.reply_to = reply_to;
            if is_whole {
                record.position = record.position.or(Some(place));
            }
        }
    }
}
