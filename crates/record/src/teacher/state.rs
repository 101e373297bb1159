//! Records in the data that scripts show: lists of objects alike, of which the page shows the texts.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use url::Url;

use super::super::date::{self, Order};
use super::super::{Kind, Moment, Precision};
use super::meaning::plain;
use super::place::Letters;
use super::script::{MOST_BYTES, given, parse, scripts};
use super::{Taught, Teacher};
use page::tree::Dom;

/// The most values that are looked at, in all.
const VALUES: usize = 200_000;

/// The most objects of a list.
const OBJECTS: usize = 1_000;

/// How many of the objects of a list must have texts that the page shows.
const SHOWN: f64 = 0.6;

const TITLE: [&str; 4] = ["title", "headline", "subject", "name"];
const AUTHOR: [&str; 11] = [
    "author",
    "authorname",
    "username",
    "user",
    "creator",
    "poster",
    "postername",
    "starter",
    "startername",
    "postedby",
    "owner",
];
const NAME: [&str; 5] = ["displayname", "name", "username", "login", "nickname"];
const TIME: [&str; 16] = [
    "createdat",
    "createdon",
    "created",
    "postedat",
    "postedon",
    "posted",
    "publishedat",
    "publishedon",
    "published",
    "datepublished",
    "startedat",
    "startedon",
    "timestamp",
    "date",
    "datetime",
    "time",
];
const CONTENT: [&str; 8] =
    ["content", "body", "text", "message", "html", "comment", "description", "excerpt"];
const ADDRESS: [&str; 5] = ["permalink", "url", "href", "link", "path"];
const REPLIES: [&str; 6] =
    ["replies", "replycount", "repliescount", "commentcount", "commentscount", "numcomments"];

/// The records of the data that a page holds, if it shows them.
pub(super) fn shown(dom: &Dom, letters: &Letters<'_>, base: &Url) -> Vec<Taught> {
    let mut left = MOST_BYTES;
    let mut data = Vec::new();
    for (kind, source) in scripts(dom) {
        if source.len() > left {
            break;
        }
        left -= source.len();
        match kind.as_str() {
            "application/json" => data.extend(parse(source)),
            "" | "text/javascript" | "application/javascript" | "module" => {
                data.extend(given(source));
            }
            _ => {}
        }
    }
    let mut best: Vec<Taught> = Vec::new();
    let mut open: Vec<&Json> = data.iter().collect();
    let mut looked = 0;
    while let Some(json) = open.pop().filter(|_| looked < VALUES) {
        let inside: Vec<&Json> = match json {
            Json::Array(list) => list.iter().take(OBJECTS).collect(),
            Json::Object(map) => map.values().take(OBJECTS).collect(),
            _ => continue,
        };
        looked += inside.len();
        let found = list(&inside, letters, base);
        if weight(&found) > weight(&best) {
            best = found;
        }
        open.extend(inside);
    }
    best
}

/// How much a list tells.
fn weight(list: &[Taught]) -> usize {
    list.iter().map(known).sum()
}

/// The records that objects are, if they are alike and the page shows them.
fn list(objects: &[&Json], letters: &Letters<'_>, base: &Url) -> Vec<Taught> {
    let maps: Vec<&Map<String, Json>> =
        objects.iter().filter_map(|json| json.as_object()).collect();
    let Some(first) = maps.first().filter(|_| maps.len() == objects.len()) else {
        return Vec::new();
    };
    let alike = |map: &&&Map<String, Json>| {
        let shared = map.keys().filter(|key| first.contains_key(*key)).count();
        2 * shared >= map.len().max(first.len())
    };
    if maps.iter().filter(alike).count() * 10 < maps.len() * 9 {
        return Vec::new();
    }
    let shown: Vec<Taught> = maps
        .iter()
        .filter_map(|map| record(map, base))
        .map(|record| Taught { title: record.title.filter(|title| letters.hold(title)), ..record })
        .filter(|record| {
            record
                .content
                .as_deref()
                .or(record.title.as_deref())
                .is_some_and(|text| letters.hold(text))
        })
        .filter(|record| known(record) >= if maps.len() > 1 { 2 } else { 3 })
        .collect();
    #[allow(clippy::cast_precision_loss)]
    let share = shown.len() as f64 / maps.len() as f64;
    if share >= SHOWN { shown } else { Vec::new() }
}

/// How many fields are known. Menus and settings have one; an object that is alone has to tell more than
/// objects alike do.
fn known(record: &Taught) -> usize {
    [
        record.title.is_some(),
        record.content.is_some(),
        record.author.is_some(),
        record.time.is_some(),
        record.replies.is_some(),
        record.others.contains_key("price"),
    ]
    .into_iter()
    .map(usize::from)
    .sum()
}

fn record(map: &Map<String, Json>, base: &Url) -> Option<Taught> {
    // "created_at", "createdAt" and "created-at" are one name.
    let plain_name = |key: &str| {
        key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    let fields: BTreeMap<String, &Json> =
        map.iter().map(|(key, value)| (plain_name(key), value)).collect();
    let get = |names: &[&str]| names.iter().find_map(|name| fields.get(*name).copied());
    let text = |names: &[&str]| {
        let texts = names.iter().filter_map(|name| fields.get(*name)?.as_str());
        texts.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned)
    };
    let title = text(&TITLE).map(|title| plain(&title, false));
    let content = text(&CONTENT).map(|content| plain(&content, false));
    if title.is_none() && content.is_none() {
        return None;
    }
    let author = AUTHOR.iter().find_map(|name| match fields.get(*name)? {
        Json::String(author) => Some(author.trim().to_owned()),
        Json::Object(user) => NAME.iter().find_map(|name| {
            let (_, value) = user.iter().find(|(key, _)| plain_name(key) == *name)?;
            value.as_str().map(|author| author.trim().to_owned())
        }),
        _ => None,
    });
    let author = author.filter(|author| !author.is_empty());
    let time = get(&TIME).and_then(time_of);
    let replies = get(&REPLIES).and_then(Json::as_u64);
    let price = get(&["price"]).and_then(|price| match price {
        Json::String(price) => Some(price.clone()),
        Json::Number(price) => Some(price.to_string()),
        _ => None,
    });
    let kind = match (&content, &author, replies, &title) {
        (_, _, Some(_), Some(_)) => Kind::Thread,
        (Some(_), Some(_), ..) => Kind::Post,
        _ => Kind::Item,
    };
    Some(Taught {
        kind,
        teacher: Teacher::State,
        name: String::new(),
        element: None,
        title,
        author,
        time,
        content,
        url: text(&ADDRESS).and_then(|url| base.join(&url).ok()),
        replies,
        parent: None,
        places: BTreeMap::new(),
        others: price.map(|price| ("price".to_owned(), price)).into_iter().collect(),
    })
}

/// A time: a text, or seconds or thousandths of the Unix clock.
fn time_of(json: &Json) -> Option<Moment> {
    match json {
        Json::String(text) => date::read(text, &Order::default(), None),
        Json::Number(number) => {
            let value = number.as_i64()?;
            let unix = if value > 99_999_999_999 { value / 1_000 } else { value };
            // From the first page of the web to the end of the century.
            (662_688_000..4_102_444_800).contains(&unix).then_some(Moment {
                unix,
                precision: Precision::Second,
                zone: Some(0),
                relative: false,
            })
        }
        _ => None,
    }
}
