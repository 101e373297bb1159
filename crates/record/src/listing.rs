//! What the records of a type are: threads, posts or items.
//!
//! Fields alone do not tell. Pages list what is at home elsewhere, too: the boards of a forum, what a user
//! wrote, what a search found. Each of their records leads to a place of its own on pages of another type.

use std::collections::HashSet;

use url::Url;

use super::field::Neighbours;
use super::learn::Choice;
use super::map::SiteMap;
use super::site::members;
use super::wrapper::Wrapper;
use super::{Field, Kind, Source};
use page::tree::text::base_url;

/// Pages of a type that are looked at.
const PAGES: usize = 8;
/// The share of records that lead elsewhere where pages only list them.
const SHARE: f64 = 0.8;
/// The share of these that lead to a place of their own: all posts lead to their authors, too, but these
/// come again.
const OWN: f64 = 0.9;

/// How well posts and threads are read, at least: on real forums and engines 0.59 and more, while what a
/// profile or a form repeats reaches 0.46.
const LEAST: f64 = 0.4;
/// How well posts without a time are read at least.
const SURE: f64 = 0.5;
/// Records of a page on average, where what is read badly is still a table of something.
const MANY: usize = 3;
/// Boards and posts that are enough to tell that they are listed.
const BOARDS: usize = 2;
const POSTS: usize = 3;
const ALIKE: f64 = 0.8;

/// Says what the records of each type are, by what their fields say and by where they lead. What only
/// looks like posts or threads are items: what a form, a profile or a front page repeats, boards that lead
/// to lists, and posts that are listed away from their threads, each of which has them already.
pub(super) fn settle(sources: &[Source<'_>], map: &SiteMap, found: &mut [Vec<Choice>]) {
    let around = map.neighbours(sources);
    let leads: Vec<Option<Wrapper>> = found.iter().map(|found| found.first()?.lead("")).collect();
    let lead = |number: u32| leads.get(usize::try_from(number).ok()?)?.as_ref();
    for (number, found) in (0u32..).zip(found.iter_mut()) {
        let Some(own) = lead(number) else { continue };
        let members = members(sources, map, usize::try_from(number).unwrap_or(usize::MAX));
        if own.kind() == Kind::Item {
            keep_items(&members, found);
            continue;
        }
        let of = |other: u32, kind| lead(other).filter(|other| other.kind() == kind);
        // Threads are read about as well as what lists their posts, and better than what only looks
        // like posts.
        let is_thread = |other: u32| {
            let least = ALIKE * own.assignment.score;
            of(other, Kind::Post).is_some_and(|of| of.assignment.score >= least)
        };
        let is_list = |other: u32| {
            of(other, Kind::Thread).is_some_and(|of| of.assignment.score >= own.assignment.score)
        };
        let leads_to = |few, to: &dyn Fn(u32) -> bool| {
            is_listing(&members, own, few, |other| other != number && to(other), &around)
        };
        let is_said = |other: u32| of(other, Kind::Post).is_some_and(tells_of_a_post);
        let is_weak = own.assignment.score < LEAST;
        if is_weak && records(&members, own) < MANY * members.len() {
            found.clear();
            continue;
        }
        let is_headed = || is_headed(&members, own, found.first());
        let is_at_home = match own.kind() {
            _ if is_weak || leads_to(BOARDS, &is_list) => false,
            Kind::Thread => {
                tells_of_a_thread(own) || (tells_of_writing(own) && leads_to(BOARDS, &is_said))
            }
            _ if leads_to(POSTS, &is_thread) => false,
            _ if is_led_to(&leads, sources, map, number, &around) => true,
            _ => tells_of_a_post(own) && !is_headed(),
        };
        // What leads to threads under titles of their own are rows of a list, whatever else they say.
        let are_rows = |row: &Wrapper| tells_of_a_thread(row) && has_own_titles(&members, row);
        let lists = !is_at_home && own.kind() == Kind::Post && leads_to(POSTS, &is_said);
        if lists && found.first_mut().is_some_and(|first| first.read_as(Kind::Thread, are_rows)) {
            found.truncate(1);
        } else if !is_at_home {
            keep_items(&members, found);
        }
    }
}

/// Takes the records of a type for items, if these have more to tell than what they are called: links
/// alone are a menu.
fn keep_items(pages: &[&Source<'_>], found: &mut Vec<Choice>) {
    let tells = |item: &Wrapper| {
        let more = [Field::Time, Field::Content];
        let fields = &item.assignment.fields;
        (more.iter().any(|field| fields.contains_key(field)) || !item.assignment.others.is_empty())
            && records(pages, item) >= MANY * pages.len()
    };
    found.retain_mut(|choice| choice.read_as(Kind::Item, tells));
}

/// Whether somebody began it at some time and others answered.
fn tells_of_a_thread(wrapper: &Wrapper) -> bool {
    let has = |field: Field| has(wrapper, field);
    let is_dated = has(Field::Time) || has(Field::LastTime);
    let is_signed = has(Field::Author) || has(Field::LastAuthor);
    let is_begun = has(Field::Author) || has(Field::Time);
    let is_answered = has(Field::LastAuthor) && has(Field::LastTime) && is_begun;
    is_dated && is_signed && (has(Field::Replies) || is_answered)
}

/// Whether it says about two things who wrote them, or when. A title alone is a link: who lists threads in
/// passing tells less of them than their own list does.
fn tells_of_writing(wrapper: &Wrapper) -> bool {
    let written = [Field::Author, Field::LastAuthor, Field::Time, Field::LastTime];
    written.iter().filter(|field| has(wrapper, **field)).count() > 1
}

/// Whether somebody said something at some time. Some sites do not say when.
fn tells_of_a_post(wrapper: &Wrapper) -> bool {
    let is_said = has(wrapper, Field::Author) && has(wrapper, Field::Content);
    is_said && (has(wrapper, Field::Time) || wrapper.assignment.score >= SURE)
}

/// Whether records have titles of their own that lead to other pages: what is told there, too, is only
/// listed here, as the articles of a front page are.
fn is_headed(pages: &[&Source<'_>], own: &Wrapper, choice: Option<&Choice>) -> bool {
    let Some(item) = choice.and_then(|choice| choice.way(Kind::Item)) else { return false };
    let (mut all, mut titles) = (0, Vec::new());
    for page in pages.iter().take(PAGES) {
        for (post, item) in own.read(page).into_iter().zip(item.read(page)) {
            all += 1;
            let is_away = |to: &Url| to.path() != page.url.path();
            let is_other = |title: &String| post.record.author.as_ref() != Some(title);
            let item = item.record;
            if item.permalink.as_ref().is_some_and(is_away) {
                titles.extend(item.title.filter(is_other).map(|title| without_digits(&title)));
            }
        }
    }
    titles.len() >= POSTS && titles.len() as f64 >= SHARE * all as f64 && are_distinct(&titles)
}

fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_numeric()).collect()
}

/// Whether most records have a field.
fn has(wrapper: &Wrapper, field: Field) -> bool {
    wrapper.assignment.usual.get(&field).is_some_and(|share| *share > 0.5)
}

/// Whether what tells of threads on other pages leads to pages of this type.
fn is_led_to(
    leads: &[Option<Wrapper>],
    sources: &[Source<'_>],
    map: &SiteMap,
    number: u32,
    around: &Neighbours,
) -> bool {
    let lists = leads.iter().enumerate().filter_map(|(list, lead)| {
        let lead = lead.as_ref().filter(|lead| lead.kind() == Kind::Thread);
        Some((list, lead.filter(|lead| tells_of_a_thread(lead))?))
    });
    lists.into_iter().any(|(list, lead)| {
        let members = members(sources, map, list);
        is_listing(&members, lead, BOARDS, |other| other == number, around)
    })
}

/// Whether hardly any two records have the same title.
fn has_own_titles(pages: &[&Source<'_>], wrapper: &Wrapper) -> bool {
    let read = pages.iter().flat_map(|page| wrapper.read(page));
    let titles: Vec<String> = read.filter_map(|found| found.record.title).collect();
    titles.len() >= POSTS && are_distinct(&titles)
}

fn are_distinct(titles: &[String]) -> bool {
    let own: HashSet<&String> = titles.iter().collect();
    own.len() * 20 >= titles.len() * 19
}

fn records(pages: &[&Source<'_>], wrapper: &Wrapper) -> usize {
    pages.iter().map(|page| wrapper.read(page).len()).sum()
}

/// Whether the records of a type of pages, at least so many, lead to pages of types that are `meant`.
fn is_listing(
    sources: &[&Source<'_>],
    wrapper: &Wrapper,
    least: usize,
    meant: impl Fn(u32) -> bool,
    around: &Neighbours,
) -> bool {
    let (mut records, mut away) = (0usize, 0usize);
    let mut places = HashSet::new();
    for source in sources.iter().take(PAGES) {
        let Some(dom) = source.view(wrapper.view) else { continue };
        let base = base_url(dom, source.url);
        for found in wrapper.read(source) {
            records += 1;
            let links = found.span.walk(dom).filter_map(|node| node.attribute("href"));
            let links = links.filter_map(|link| base.join(link).ok());
            let mut away_from_here =
                links.filter(|link| around.page_type(link).is_some_and(&meant));
            if let Some(link) = away_from_here.next() {
                away += 1;
                places.insert(link);
            }
        }
    }
    records >= least
        && away as f64 >= SHARE * records as f64
        && places.len() as f64 >= OWN * away as f64
}

#[cfg(test)]
mod tests {
    use url::Url;

    use crate::{Kind, Record, Site, Source};
    use page::tree::parse_str;

    fn threads(lists: &[String]) -> Vec<Vec<Record>> {
        let url = |n: usize| Url::parse(&format!("http://forum.example/board/{n}")).unwrap();
        let pages: Vec<_> =
            lists.iter().enumerate().map(|(n, html)| (url(n), parse_str(html).dom)).collect();
        let sources: Vec<Source<'_>> = pages
            .iter()
            .map(|(url, dom)| Source {
                url,
                page_type: Some("board"),
                captured: None,
                rendered: Some(dom),
                raw: None,
            })
            .collect();
        Site::learn(&sources).records(&sources)
    }

    fn row(n: usize) -> String {
        let who = ["ann", "bob", "cy"][n % 3];
        format!(
            "<li class=row><a href=/thread/{n}>Is number {n} worth its price?</a> <b><a href=/user/{who}>{who}\
             </a></b> <i>2026-05-{:02} 10:30</i> <u>{} replies</u></li>",
            28 - n % 28,
            n * 7 % 5
        )
    }

    #[test]
    fn what_a_thread_leaves_behind_where_it_was_is_no_thread() {
        let list = |from: usize, more: &str| {
            let rows: String = (from..from + 9).map(row).collect();
            format!("<ul>{rows}{more}</ul>")
        };
        let moved = |n: usize| {
            let whole = row(n);
            format!("{} <i>-</i> <u>-</u></li>", whole.split(" <i>").next().unwrap())
        };
        let found = threads(&[list(0, &moved(12)), list(9, &moved(77))]);
        let titles = |page: usize| -> Vec<&str> {
            let threads = found[page].iter().filter(|record| record.kind == Kind::Thread);
            threads.filter_map(|record| record.title.as_deref()).collect()
        };
        assert_eq!(titles(0).len(), 9, "it is listed where it went: {:?}", titles(0));
        assert_eq!(titles(1).len(), 10, "nobody knows of another: {:?}", titles(1));
    }
}
