//! Which things are records, and which of their properties are which fields. Properties and types are those
//! of schema.org; other vocabularies use the same words.

use std::collections::BTreeMap;

use url::Url;

use super::super::date::{self, Order};
use super::super::{Field, Kind, Moment};
use super::thing::{Text, Thing, Things, Value};
use super::{Taught, Teacher, keep};
use page::tree::{Dom, NodeId, parse_str, visible_text};

/// Types of what is written in answer to something, or to be answered.
const POSTS: [&str; 8] = [
    "DiscussionForumPosting",
    "SocialMediaPosting",
    "Comment",
    "UserComments",
    "Answer",
    "Question",
    "Post",
    "Message",
];

/// Types of other records; those that end in one of these, too.
const ITEMS: [&str; 26] = [
    "Article",
    "Posting",
    "Product",
    "ProductGroup",
    "Offer",
    "SearchResult",
    "ListItem",
    "Event",
    "Recipe",
    "Person",
    "Book",
    "Movie",
    "Series",
    "Episode",
    "Recording",
    "VideoObject",
    "Application",
    "Course",
    "Business",
    "Restaurant",
    "Hotel",
    "Place",
    "Review",
    "CreativeWork",
    "Listing",
    "Vehicle",
];

/// Properties whose values are records of their own. A thing that is the value of any other tells of its
/// owner: an author, an offer, a rating.
const HOLDERS: [&str; 13] = [
    "comment",
    "comments",
    "answer",
    "suggestedAnswer",
    "acceptedAnswer",
    "itemListElement",
    "item",
    "mainEntity",
    "hasPart",
    "review",
    "reviews",
    "blogPost",
    "subEvent",
];

const TITLE: [&str; 3] = ["headline", "name", "title"];
const AUTHOR: [&str; 5] =
    ["author", "creator", "accountablePerson", "hiringOrganization", "contributor"];
const TIME: [&str; 8] = [
    "datePublished",
    "dateCreated",
    "created",
    "uploadDate",
    "datePosted",
    "commentTime",
    "startDate",
    "date",
];
const CONTENT: [&str; 7] =
    ["text", "articleBody", "commentText", "reviewBody", "encoded", "content", "description"];
const ADDRESS: [&str; 4] = ["url", "mainEntityOfPage", "discussionUrl", "link"];
const REPLIES: [&str; 3] = ["commentCount", "answerCount", "replyCount"];

/// The most other properties that are kept, and the longest of their values, in bytes.
const OTHERS: usize = 32;
const OTHER: usize = 1_000;

/// The longest name of an author, in bytes.
const NAME: usize = 200;

/// The records among things.
pub(super) fn taught(dom: &Dom, things: &Things, teacher: Teacher, base: &Url) -> Vec<Taught> {
    let reader = Reader { dom, things, teacher, base };
    let mut out: Vec<Taught> = Vec::new();
    // Where each thing went.
    let mut at: Vec<Option<usize>> = vec![None; things.list.len()];
    for (index, thing) in things.list.iter().enumerate() {
        let owner = thing.owner.as_ref();
        let above = owner.and_then(|(owner, _)| at.get(*owner).copied().flatten());
        // What a row of a list holds is the row's.
        let row = owner.and_then(|(owner, _)| things.list.get(*owner));
        let in_row = row.is_some_and(|row| row.types.iter().any(|name| name == "ListItem"));
        at[index] = if in_row {
            if let Some(row) = above.and_then(|above| out.get_mut(above)) {
                reader.fill(row, thing);
                if let Some(post) = post(thing) {
                    row.name.clone_from(post);
                    row.kind = kind_of_post(row);
                }
            }
            above
        } else if let Some(record) = reader.record(thing) {
            out.push(Taught { parent: above, ..record });
            Some(out.len() - 1)
        } else {
            above
        };
    }
    let stays: Vec<bool> =
        out.iter().map(|record| record.title.is_some() || record.content.is_some()).collect();
    keep(out, &stays)
}

struct Reader<'t> {
    dom: &'t Dom,
    things: &'t Things,
    teacher: Teacher,
    base: &'t Url,
}

impl Reader<'_> {
    /// The record that a thing is, if it is one.
    fn record(&self, thing: &Thing) -> Option<Taught> {
        let held =
            thing.owner.as_ref().is_none_or(|(_, property)| HOLDERS.contains(&property.as_str()));
        let ends = |name: &String| ITEMS.iter().any(|item| name.ends_with(item));
        let post = post(thing);
        let name = post.or_else(|| thing.types.iter().find(|name| ends(name)))?;
        if !held || thing.values.is_empty() || self.is_way(thing) {
            return None;
        }
        let mut record = Taught {
            kind: Kind::Item,
            teacher: self.teacher,
            name: name.clone(),
            element: thing.element,
            title: None,
            author: None,
            time: None,
            content: None,
            url: None,
            replies: None,
            parent: None,
            places: BTreeMap::new(),
            others: BTreeMap::new(),
        };
        self.fill(&mut record, thing);
        if post.is_some() {
            record.kind = kind_of_post(&record);
        }
        Some(record)
    }

    /// Whether a thing is a step of the way to the page.
    fn is_way(&self, thing: &Thing) -> bool {
        let owner = thing.owner.as_ref().and_then(|(owner, _)| self.things.list.get(*owner));
        owner.is_some_and(|owner| owner.types.iter().any(|name| name == "BreadcrumbList"))
    }

    /// Says of a record what a thing says, as far as it is not said already.
    fn fill(&self, record: &mut Taught, thing: &Thing) {
        let mut put = |field: Field, place: Option<NodeId>| {
            if let Some(place) = place {
                record.places.entry(field).or_insert(place);
            }
        };
        if record.title.is_none()
            && let Some((title, place)) = self.text(thing, &TITLE)
        {
            record.title = Some(plain(&title, place.is_some()));
            put(Field::Title, place);
        }
        if record.author.is_none()
            && let Some((author, place)) = self.author(thing)
        {
            record.author = Some(author);
            put(Field::Author, place);
        }
        if record.time.is_none()
            && let Some((time, place)) = self.time(thing)
        {
            record.time = Some(time);
            put(Field::Time, place);
        }
        if record.content.is_none()
            && let Some((content, place)) = self.text(thing, &CONTENT)
        {
            record.content = Some(plain(&content, place.is_some()));
            put(Field::Content, place);
        }
        if record.url.is_none()
            && let Some((url, place)) = self.address(thing)
        {
            record.url = Some(url);
            put(Field::Permalink, place);
        }
        record.replies = record.replies.or_else(|| self.replies(thing));
        self.others(thing, &mut record.others);
    }

    /// The first text of some properties.
    fn text(&self, thing: &Thing, properties: &[&str]) -> Option<(String, Option<NodeId>)> {
        self.things.values(thing, properties).find_map(|value| match value {
            Value::Text(Text { text, element, .. }) if !text.is_empty() => {
                Some((text.clone(), *element))
            }
            _ => None,
        })
    }

    fn author(&self, thing: &Thing) -> Option<(String, Option<NodeId>)> {
        self.things.values(thing, &AUTHOR).find_map(|value| {
            let (text, element) = match value {
                Value::Text(text) => (text.text.clone(), text.element),
                Value::Thing(at) => {
                    let person = self.things.get(*at)?;
                    self.text(person, &["name", "alternateName", "givenName"])?
                }
            };
            // An element may show more than the name: what follows is on lines of its own.
            let name = text.lines().map(str::trim).find(|line| !line.is_empty())?;
            let name = plain(name, element.is_some());
            let name = match name.split_once(' ') {
                Some((by, name)) if by.eq_ignore_ascii_case("by") => name.trim().to_owned(),
                _ => name,
            };
            (name.len() <= NAME && !name.starts_with("http")).then_some((name, element))
        })
    }

    fn time(&self, thing: &Thing) -> Option<(Moment, Option<NodeId>)> {
        let order = Order::default();
        self.things.values(thing, &TIME).find_map(|value| {
            let Value::Text(Text { text, element, .. }) = value else { return None };
            let marked = element.and_then(|element| self.dom.get(element));
            let marked = marked.and_then(|element| date::of_element(element, &order, None));
            let time = marked.map(|(time, _)| time).or_else(|| date::read(text, &order, None))?;
            // A program that has no time says 1970.
            if time.unix == 0 {
                return None;
            }
            Some((time, *element))
        })
    }

    fn address(&self, thing: &Thing) -> Option<(Url, Option<NodeId>)> {
        let named = thing.id.as_deref().filter(|id| id.starts_with("http"));
        self.things
            .values(thing, &ADDRESS)
            .find_map(|value| match value {
                Value::Text(text) => {
                    let link = text.link.as_deref().unwrap_or(&text.text);
                    Some((self.base.join(link).ok().filter(|_| !link.is_empty())?, text.element))
                }
                Value::Thing(at) => {
                    let id = self.things.get(*at)?.id.as_deref()?;
                    Some((self.base.join(id).ok()?, None))
                }
            })
            .or_else(|| Some((self.base.join(named?).ok()?, None)))
    }

    fn replies(&self, thing: &Thing) -> Option<u64> {
        if let Some((count, _)) = self.text(thing, &REPLIES) {
            return count.parse().ok();
        }
        self.things.values(thing, &["interactionStatistic"]).find_map(|value| {
            let Value::Thing(at) = value else { return None };
            let counter = self.things.get(*at)?;
            let (count, _) = self.text(counter, &["userInteractionCount"])?;
            let kind =
                self.things.values(counter, &["interactionType"]).find_map(
                    |value| match value {
                        Value::Text(text) => {
                            Some(text.link.clone().unwrap_or_else(|| text.text.clone()))
                        }
                        Value::Thing(at) => self.things.get(*at)?.types.first().cloned(),
                    },
                )?;
            (kind.contains("Comment") || kind.contains("Reply")).then(|| count.parse().ok())?
        })
    }

    /// What is no field of its own; of a thing that is a value, its texts, too.
    fn others(&self, thing: &Thing, out: &mut BTreeMap<String, String>) {
        let fields = [&TITLE[..], &AUTHOR, &TIME, &CONTENT, &ADDRESS, &REPLIES].concat();
        for (property, value) in &thing.values {
            let texts = match value {
                _ if HOLDERS.contains(&property.as_str())
                    || fields.contains(&property.as_str()) =>
                {
                    continue;
                }
                Value::Text(text) => vec![(property, text)],
                Value::Thing(at) => {
                    let values = self.things.get(*at).into_iter().flat_map(|thing| &thing.values);
                    values
                        .filter_map(|(inner, value)| match value {
                            Value::Text(text) if inner == "name" => Some((property, text)),
                            Value::Text(text) => Some((inner, text)),
                            Value::Thing(_) => None,
                        })
                        .collect()
                }
            };
            for (name, text) in texts {
                let value =
                    if text.text.is_empty() { text.link.as_ref() } else { Some(&text.text) };
                if let Some(value) =
                    value.filter(|value| value.len() <= OTHER && out.len() < OTHERS)
                {
                    out.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
        }
    }
}

/// The type of a thing that is written to be answered, or in answer.
fn post(thing: &Thing) -> Option<&String> {
    thing.types.iter().find(|name| POSTS.contains(&name.as_str()))
}

/// A row of a list of threads names the thread, and does not show what it says.
fn kind_of_post(record: &Taught) -> Kind {
    if record.content.is_none() && record.title.is_some() { Kind::Thread } else { Kind::Post }
}

/// A text that may have been written as HTML; what a page shows is text already.
pub(super) fn plain(text: &str, shown: bool) -> String {
    let escaped = || {
        text.split('&').skip(1).any(|rest| rest.find(';').is_some_and(|end| (2..=8).contains(&end)))
    };
    let tagged = || ["</", "<br", "<p>", "<img"].iter().any(|tag| text.contains(tag));
    if shown || !(tagged() || escaped()) {
        return text.to_owned();
    }
    visible_text(&parse_str(text).dom).trim().to_owned()
}
