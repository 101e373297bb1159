//! Things of a vocabulary, whatever they are written in.

use page::tree::NodeId;

/// The most things of a page.
pub(super) const MOST: usize = 5_000;

/// The most values of a thing.
const VALUES: usize = 500;

/// A thing: what it is, and what is said of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Thing {
    /// Its types, without the address of their vocabulary.
    pub(super) types: Vec<String>,
    /// What names it.
    pub(super) id: Option<String>,
    /// The element that it is written at.
    pub(super) element: Option<NodeId>,
    /// The thing that it is a value of, and the property.
    pub(super) owner: Option<(usize, String)>,
    /// What is said of it, in order.
    pub(super) values: Vec<(String, Value)>,
}

/// What a property says.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(Text),
    /// Another thing, by its place among all.
    Thing(usize),
}

/// A text, where it is, and what it links to.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) link: Option<String>,
    pub(super) element: Option<NodeId>,
}

/// All things of a page; owners before what they own.
#[derive(Debug, Default)]
pub(super) struct Things {
    pub(super) list: Vec<Thing>,
}

impl Things {
    /// One more thing, and its place; none if there are too many.
    pub(super) fn add(&mut self, mut thing: Thing, owner: Option<(usize, &str)>) -> Option<usize> {
        let at = self.list.len();
        if at >= MOST {
            return None;
        }
        if let Some((owner, property)) = owner {
            thing.owner = Some((owner, property.to_owned()));
            self.say(owner, property, Value::Thing(at));
        }
        self.list.push(thing);
        Some(at)
    }

    /// One more value of a thing.
    pub(super) fn say(&mut self, thing: usize, property: &str, value: Value) {
        if let Some(thing) = self.list.get_mut(thing).filter(|thing| thing.values.len() < VALUES) {
            thing.values.push((property.to_owned(), value));
        }
    }

    /// The values of the first of some properties that a thing has.
    pub(super) fn values<'t>(
        &'t self,
        thing: &'t Thing,
        properties: &'t [&str],
    ) -> impl Iterator<Item = &'t Value> {
        properties.iter().flat_map(|property| {
            thing.values.iter().filter(move |(name, _)| name == property).map(|(_, value)| value)
        })
    }

    /// A thing; of one that is only named, the one that is described.
    pub(super) fn get(&self, at: usize) -> Option<&Thing> {
        let thing = self.list.get(at)?;
        let named = thing.id.as_ref().filter(|_| thing.values.is_empty());
        named
            .and_then(|id| {
                self.list
                    .iter()
                    .find(|other| other.id.as_ref() == Some(id) && !other.values.is_empty())
            })
            .or(Some(thing))
    }
}

/// The last part of a name of a vocabulary: "Comment" of "https://schema.org/Comment" and "sioct:Comment".
pub(super) fn local_name(name: &str) -> &str {
    let name = name.trim().trim_end_matches('/');
    name.rsplit(['/', '#', ':']).next().unwrap_or(name)
}
