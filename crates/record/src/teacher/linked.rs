//! Things that scripts of the page describe in JSON-LD.

use serde_json::{Map, Value as Json};

use super::script::{MOST_BYTES, parse, scripts};
use super::thing::{Text, Thing, Things, Value, local_name};
use page::tree::Dom;

/// How deep things may be nested.
const DEPTH: usize = 24;

/// What is described on a page.
pub(super) fn described(dom: &Dom, things: &mut Things) {
    let mut left = MOST_BYTES;
    for (kind, source) in scripts(dom) {
        if kind == "application/ld+json" && source.len() <= left {
            left -= source.len();
            if let Some(json) = parse(source) {
                add(&json, None, things, 0);
            }
        }
    }
}

fn add(json: &Json, owner: Option<(usize, &str)>, things: &mut Things, depth: usize) {
    if depth > DEPTH {
        return;
    }
    match json {
        Json::Array(list) => list.iter().for_each(|json| add(json, owner, things, depth + 1)),
        Json::Object(map) => {
            if let Some(graph) = map.get("@graph") {
                add(graph, owner, things, depth + 1);
            }
            if let Some(text) = map.get("@value").and_then(Json::as_str) {
                say(owner, text, things);
            } else if map.keys().any(|key| key != "@graph" && key != "@context") {
                thing(map, owner, things, depth);
            }
        }
        Json::String(text) => say(owner, text, things),
        Json::Number(number) => say(owner, &number.to_string(), things),
        Json::Bool(_) | Json::Null => {}
    }
}

fn thing(map: &Map<String, Json>, owner: Option<(usize, &str)>, things: &mut Things, depth: usize) {
    let types = match map.get("@type") {
        Some(Json::String(name)) => vec![local_name(name).to_owned()],
        Some(Json::Array(names)) => {
            names.iter().filter_map(Json::as_str).map(|name| local_name(name).to_owned()).collect()
        }
        _ => Vec::new(),
    };
    let id = map.get("@id").and_then(Json::as_str).map(str::to_owned);
    let thing = Thing { types, id, ..Thing::default() };
    let Some(at) = things.add(thing, owner) else { return };
    for (key, value) in map.iter().filter(|(key, _)| !key.starts_with('@')) {
        add(value, Some((at, local_name(key))), things, depth + 1);
    }
}

fn say(owner: Option<(usize, &str)>, text: &str, things: &mut Things) {
    if let Some((owner, property)) = owner {
        let link = text.starts_with("http").then(|| text.to_owned());
        let text = Text { text: text.trim().to_owned(), link, element: None };
        things.say(owner, property, Value::Text(text));
    }
}
