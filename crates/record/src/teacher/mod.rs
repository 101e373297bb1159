//! What a page says of its own records, for machines: teachers.
//!
//! Some sites mark their records (microdata, RDFa), describe them (JSON-LD), or send them as data for
//! their scripts to show; feeds are nothing else. Where that is so it is exact, and tells which elements
//! are records and which parts of them are which fields. Few sites do, scripts may take the marks away,
//! and not all that is said is shown: so this teaches, and is taken for the records themselves only where
//! nothing else is found.

mod feed;
mod linked;
mod markup;
mod meaning;
mod place;
mod script;
mod state;
mod thing;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use url::Url;

use super::{Field, Kind, Moment};
use page::tree::{Dom, NodeId};
use place::{Letters, letters_of, same};
use thing::Things;

/// The most that a page teaches.
const MOST: usize = 2_000;

/// How a page says it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Teacher {
    /// Elements are marked (microdata, RDFa Lite).
    Markup,
    /// A script describes things of a vocabulary (JSON-LD).
    Linked,
    /// The page is a feed.
    Feed,
    /// A script holds the data that others show.
    State,
}

/// A record that a page itself tells of.
#[derive(Clone, PartialEq, Debug)]
pub struct Taught {
    /// What it is.
    pub kind: Kind,
    /// How the page says it.
    pub teacher: Teacher,
    /// What the page calls it, such as "Comment"; empty if it does not.
    pub name: String,
    /// The element that is marked as the record; else the smallest one that holds its text.
    pub element: Option<NodeId>,
    /// What it is called.
    pub title: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When.
    pub time: Option<Moment>,
    /// What was written, as text.
    pub content: Option<String>,
    /// Its address.
    pub url: Option<Url>,
    /// How many posts follow.
    pub replies: Option<u64>,
    /// The record that it belongs to, such as the post that a comment is on, by its place among all.
    pub parent: Option<usize>,
    /// Where the fields are, as far as elements are marked.
    pub places: BTreeMap<Field, NodeId>,
    /// Everything else that is said of it.
    pub others: BTreeMap<String, String>,
}

/// What a page says of its records, in page order. Addresses are relative to `base`.
///
/// ```
/// use record::{Kind, teach};
///
/// let page = page::tree::parse_str(
///     "<div itemscope itemtype='https://schema.org/Comment'>
///      <b itemprop=author>Ann</b> <p itemprop=text>It works.</p></div>",
/// );
/// let taught = teach(&page.dom, &"https://forum.example/t/1".parse().unwrap());
/// assert_eq!(taught[0].kind, Kind::Post);
/// assert_eq!(taught[0].author.as_deref(), Some("Ann"));
/// assert_eq!(taught[0].content.as_deref(), Some("It works."));
/// ```
pub fn teach(dom: &Dom, base: &Url) -> Vec<Taught> {
    let mut taught = feed::entries(dom, base);
    if taught.is_empty() {
        let (mut marked, mut described) = (Things::default(), Things::default());
        markup::marked(dom, &mut marked);
        linked::described(dom, &mut described);
        taught = meaning::taught(dom, &marked, Teacher::Markup, base);
        join(&mut taught, meaning::taught(dom, &described, Teacher::Linked, base));
        without_people(&mut taught);
        let letters = Letters::of(dom);
        let shown = state::shown(dom, &letters, base);
        if shown.len() > taught.len() {
            join(&mut taught, shown);
        }
        place(&mut taught, &letters);
    }
    taught.truncate(MOST);
    in_page_order(without_repeats(taught))
}

/// Adds what is new; of what is known already, what was not known of it.
fn join(known: &mut Vec<Taught>, more: Vec<Taught>) {
    let text = |item: &Taught| {
        item.content.as_deref().map(letters_of).map(|text| (item.author.clone(), text))
    };
    let mut by_url: HashMap<Url, usize> = HashMap::new();
    let mut by_text: HashMap<_, usize> = HashMap::new();
    for (at, item) in known.iter().enumerate() {
        item.url.iter().for_each(|url| _ = by_url.entry(url.clone()).or_insert(at));
        text(item).into_iter().for_each(|text| _ = by_text.entry(text).or_insert(at));
    }
    // Where each of the new ones went: what they say of one another moves with them.
    let mut at = Vec::with_capacity(more.len());
    for mut item in more.into_iter().take(MOST) {
        item.parent = item.parent.and_then(|parent| at.get(parent).copied());
        let same = item
            .url
            .as_ref()
            .and_then(|url| by_url.get(url))
            .filter(|at| known.get(**at).is_some_and(|known| agree(known, &item)))
            .or_else(|| by_text.get(&text(&item)?))
            .copied();
        at.push(same.unwrap_or(known.len()));
        match same.and_then(|at| known.get_mut(at)) {
            Some(known) => complete(known, item),
            None => known.push(item),
        }
    }
}

/// People are the records of a page that tells of people, and where they are; elsewhere they wrote them.
fn without_people(taught: &mut Vec<Taught>) {
    let person = |item: &Taught| item.name == "Person";
    if taught.iter().all(|item| person(item) && item.url.is_some()) {
        return;
    }
    let stays: Vec<bool> = taught.iter().map(|item| !person(item)).collect();
    *taught = keep(std::mem::take(taught), &stays);
}

/// Whether two descriptions may be of one record.
fn agree(one: &Taught, other: &Taught) -> bool {
    let texts = [(&one.content, &other.content), (&one.title, &other.title)];
    one.kind == other.kind
        && texts.into_iter().all(|(one, other)| match (one, other) {
            (Some(one), Some(other)) => same(one, other),
            _ => true,
        })
}

fn complete(known: &mut Taught, item: Taught) {
    known.element = known.element.or(item.element);
    known.title = known.title.take().or(item.title);
    known.author = known.author.take().or(item.author);
    known.time = known.time.take().or(item.time);
    known.content = known.content.take().or(item.content);
    known.url = known.url.take().or(item.url);
    known.replies = known.replies.or(item.replies);
    for (name, value) in item.others {
        known.others.entry(name).or_insert(value);
    }
}

/// Finds the elements of what is described but not marked.
fn place(taught: &mut [Taught], letters: &Letters<'_>) {
    let mut from = 0;
    for item in taught.iter_mut().filter(|item| item.element.is_none()) {
        let text = item.content.as_deref().or(item.title.as_deref());
        if let Some((element, end)) = text.and_then(|text| letters.element(text, from)) {
            item.element = Some(element);
            from = end;
        }
    }
}

/// Leaves out a record that says only what the first one below it says: a thread that repeats its first
/// post. What is known of its title goes to those below.
fn without_repeats(mut taught: Vec<Taught>) -> Vec<Taught> {
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, item) in taught.iter().enumerate() {
        if let Some(parent) = item.parent {
            first.entry(parent).or_insert(at);
        }
    }
    let mut stays = vec![true; taught.len()];
    for (parent, child) in first {
        let (Some(one), Some(other)) = (taught.get(parent), taught.get(child)) else { continue };
        if repeats(one, other) {
            let title = one.title.clone();
            stays[parent] = false;
            for item in taught.iter_mut().filter(|item| item.parent == Some(parent)) {
                item.title = item.title.take().or_else(|| title.clone());
            }
        }
    }
    keep(taught, &stays)
}

/// Those that stay. What belonged to one that does not belongs to what that belonged to.
fn keep(taught: Vec<Taught>, stays: &[bool]) -> Vec<Taught> {
    // Owners come first, so that the places of theirs are known.
    let mut place: Vec<Option<usize>> = Vec::with_capacity(taught.len());
    let mut kept: Vec<Taught> = Vec::with_capacity(taught.len());
    for (mut item, stays) in taught.into_iter().zip(stays) {
        item.parent = item.parent.and_then(|parent| place.get(parent).copied().flatten());
        place.push(if *stays { Some(kept.len()) } else { item.parent });
        if *stays {
            kept.push(item);
        }
    }
    kept
}

/// Whether the content of two records is the same.
fn repeats(one: &Taught, other: &Taught) -> bool {
    match (&one.content, &other.content) {
        (Some(one), Some(other)) => !one.is_empty() && same(one, other),
        _ => false,
    }
}

/// Puts records in the order of their elements, if all have one.
fn in_page_order(taught: Vec<Taught>) -> Vec<Taught> {
    if taught.iter().any(|item| item.element.is_none())
        || taught.is_sorted_by_key(|item| item.element)
    {
        return taught;
    }
    let mut order: Vec<usize> = (0..taught.len()).collect();
    order.sort_by_key(|at| taught.get(*at).and_then(|item| item.element));
    let mut place = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old] = new;
    }
    let mut sorted: Vec<(usize, Taught)> = place.iter().copied().zip(taught).collect();
    sorted.sort_by_key(|(new, _)| *new);
    sorted
        .into_iter()
        .map(|(_, mut item)| {
            item.parent = item.parent.and_then(|parent| place.get(parent).copied());
            item
        })
        .collect()
}
