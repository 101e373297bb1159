//! Linked data in a page (JSON-LD): the few things that we ask of it.

use super::{MOST, clean};
use serde_json::Value;

/// Bytes of a script that are read.
const LONGEST_SCRIPT: usize = 256 << 10;

/// Objects that are looked at, over all scripts.
const MOST_OBJECTS: usize = 256;

/// What the linked data of a page says, the first of each.
#[derive(Default)]
pub(super) struct Linked {
    pub(super) types: Vec<String>,
    pub(super) author: Option<String>,
    pub(super) published: Option<String>,
    pub(super) modified: Option<String>,
    pub(super) description: Option<String>,
    seen: usize,
}

impl Linked {
    /// Reads one script. What is no JSON says nothing.
    pub(super) fn read(&mut self, script: &str) {
        if script.len() > LONGEST_SCRIPT {
            return;
        }
        if let Ok(value) = serde_json::from_str::<Value>(script.trim()) {
            self.value(&value);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.value(value)),
            Value::Object(object) if self.seen < MOST_OBJECTS => {
                self.seen += 1;
                for kind in texts(object.get("@type")) {
                    if self.types.len() < MOST && !self.types.contains(&kind) {
                        self.types.push(kind);
                    }
                }
                let first = |slot: &mut Option<String>, name: &str| {
                    if slot.is_none() {
                        *slot = texts(object.get(name)).next();
                    }
                };
                first(&mut self.author, "author");
                first(&mut self.published, "datePublished");
                first(&mut self.modified, "dateModified");
                first(&mut self.description, "description");
                for inner in ["@graph", "mainEntity", "mainEntityOfPage"] {
                    if let Some(inner) = object.get(inner) {
                        self.value(inner);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The texts of a property: itself, each of a list, or the names of things.
fn texts(value: Option<&Value>) -> Box<dyn Iterator<Item = String> + '_> {
    match value {
        Some(Value::String(text)) => Box::new(clean(text).into_iter()),
        Some(Value::Array(values)) => {
            Box::new(values.iter().take(MOST).flat_map(|value| texts(Some(value))))
        }
        Some(Value::Object(object)) => {
            Box::new(object.get("name").and_then(Value::as_str).and_then(clean).into_iter())
        }
        _ => Box::new(std::iter::empty()),
    }
}
