//! Page types: the states of a site clustered by structure (seed 000 §2.3).
//!
//! A [`Shape`] is what a page's structure is, [`Types`] the types met so far. The seed compares
//! pages by tree distance. That part of it which tells types apart is kept (which elements are
//! where), and what misleads it is not: the length of lists, optional parts, and the frame that all
//! pages of a site share. How pages are put together is in `group`; who wants the seed's own way gives
//! shapes that are trees ([`TypeMethod::Rtdm`]), which `rtdm` puts together.
//!
//! **Online and bounded.** Each type keeps some of its pages as samples, and types are made out of
//! samples alone. So types may be corrected later: [`Placed`] says which became one, and which was
//! parted. Of a type with many different shapes those samples stay whose hash is smallest: a choice
//! that depends on which pages there are and not on which came first.
//!
//! **The same types whatever the order.** As long as no type has more than [`MOST_SAMPLES`]
//! different shapes, the result depends on the set of pages alone. Beyond that, which samples are
//! left may depend on what was taken for one type early on; numbers always depend on the order.
//!
//! **Names** are words of URLs (`/thread/*`: `thread`). They stay once given, and no name is given
//! twice: what was merged keeps the name that it had.

mod group;
mod name;
mod rtdm;
mod shape;

pub use shape::{BadShape, Shape, TypeMethod};

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::state::url::shape as url_shape;
use crate::tree::Outline;
use group::{Frame, Parted, Pattern, Sample as Grouped, group};

/// Samples that are kept of a type. 24 instead of 12 changed no type on any site.
pub const MOST_SAMPLES: usize = 12;
/// Samples that are kept in all: about 1 MB at most.
const MOST_IN_ALL: usize = 384;
/// Bytes of a URL that is kept as an example.
const LONGEST_URL: usize = 2048;

/// The number of a type. It stays valid: a type that was merged answers to all its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct TypeId(pub u32);

/// What became of a page that was placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its type.
    pub id: TypeId,
    /// Whether that is a type which was not there before.
    pub is_new: bool,
    /// Types that turned out to be one: the number that is gone, and the one that stays.
    pub merged: Vec<(TypeId, TypeId)>,
    /// Types that turned out to be two: the one that was, and the new one that a part of its pages
    /// belongs to. [`Types::like_at`] says of each page where it belongs now.
    pub split: Vec<(TypeId, TypeId)>,
}

/// The page types of a site.
///
/// ```
/// use page::tree::parse_str;
/// use page::types::{Shape, Types};
/// use url::Url;
///
/// let mut types = Types::new();
/// let mut place = |path: &str, html: &str| {
///     let url = Url::parse("http://forum.example").unwrap().join(path).unwrap();
///     types.place(&Shape::of(&parse_str(html).dom), &url).id
/// };
/// let thread = place("/thread/1", "<div class=post><p>Hello</p></div>");
/// let list = place("/board", "<table><tr><td><a href=/thread/1>Hello</a></table>");
/// assert_eq!(place("/thread/2", "<div class=post><p>A</p></div><div class=post><p>B</p></div>"), thread);
/// assert_ne!(list, thread);
/// assert_eq!(types.name(thread), "thread");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Types {
    types: Vec<Type>,
    samples: Vec<Sample>,
    frame: Frame,
    next: u32,
}

#[derive(Clone, Debug)]
struct Type {
    id: TypeId,
    name: String,
    /// Named by a person or a model: never merged into another.
    defined: bool,
    /// Pages that are no sample.
    pages: u64,
    /// The types that were merged into it.
    was: Vec<Former>,
}

#[derive(Clone, Debug)]
struct Sample {
    /// None until it is grouped.
    of: Option<TypeId>,
    shape: Shape,
    /// Of a shape that is a tree.
    outline: Option<Outline>,
    pattern: Pattern,
    url: String,
    pages: u64,
    /// Given with a defined type: never dropped.
    pinned: bool,
    /// Samples with small keys are kept.
    key: u64,
    parted: Parted,
}

/// A type, to be looked at.
#[derive(Clone, Copy)]
pub struct PageType<'a> {
    of: &'a Type,
    types: &'a Types,
}

/// A type, to be stored: everything that [`Types::from_rows`] needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeRow {
    /// Its number.
    pub id: TypeId,
    /// Its name.
    pub name: String,
    /// Whether a person or a model named it.
    #[serde(default)]
    pub defined: bool,
    /// Its pages that are no sample.
    #[serde(default)]
    pub pages: u64,
    /// The types that were merged into it.
    #[serde(default)]
    pub was: Vec<Former>,
    /// Its samples.
    #[serde(default)]
    pub samples: Vec<SampleRow>,
}

/// A type that was merged into another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Former {
    /// The number that it had.
    pub id: TypeId,
    /// The name that it had.
    pub name: String,
}

/// A sample of a type, to be stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRow {
    /// Where it was seen first; empty if nobody said.
    #[serde(default)]
    pub url: String,
    /// Its structure; [`Shape::to_bytes`] has it as bytes.
    pub shape: Shape,
    /// How many pages have it.
    #[serde(default)]
    pub pages: u64,
    /// Whether it was given with a defined type.
    #[serde(default)]
    pub pinned: bool,
}

impl Sample {
    fn new(shape: Shape, url: &str) -> Self {
        let pattern = Url::parse(url).map(|url| url_shape(&url)).unwrap_or_default();
        let url = if url.len() <= LONGEST_URL { url.to_owned() } else { String::new() };
        let key = xxh3_64_with_seed(pattern.as_bytes(), xxh3_64_with_seed(&shape.to_bytes(), 0));
        Sample {
            of: None,
            outline: shape.outline(),
            shape,
            pattern: Pattern::new(pattern),
            url,
            pages: 1,
            pinned: false,
            key,
            parted: Parted::default(),
        }
    }
}

impl Types {
    /// No types yet.
    pub fn new() -> Self {
        Types::default()
    }

    /// Finds the type of a page, or makes one.
    pub fn place(&mut self, shape: &Shape, url: &Url) -> Placed {
        let mut sample = Sample::new(shape.clone(), url.as_str());
        let same = |known: &&mut Sample| known.key == sample.key && known.shape == *shape;
        if let Some((id, known)) =
            self.samples.iter_mut().find(same).and_then(|known| Some((known.of?, known)))
        {
            known.pages += 1;
            return Placed::in_known(id);
        }
        sample.parted = self.frame.part(shape.places());
        if let Some(id) = self.no_room_for(&sample) {
            self.count(id, 1);
            return Placed::in_known(id);
        }
        self.samples.push(sample);
        self.regroup(1)
    }

    /// The type that a page at a URL belongs to: of pages at URLs of one pattern less is asked.
    pub fn like_at(&self, shape: &Shape, url: &Url) -> Option<TypeId> {
        let sample = Sample::new(shape.clone(), url.as_str());
        self.nearest(&Sample { parted: self.frame.part(shape.places()), ..sample })
    }

    /// The name of a type; of one that was merged, the name that it had; empty if there is no such
    /// type. [`get`](Types::get) finds what a type was merged into.
    pub fn name(&self, id: TypeId) -> &str {
        let current = self.types.iter().map(|of| (of.id, &of.name));
        let former = self.types.iter().flat_map(|of| &of.was).map(|of| (of.id, &of.name));
        current.chain(former).find(|(own, _)| *own == id).map_or("", |(_, name)| name)
    }

    /// The type with a name.
    pub fn named(&self, name: &str) -> Option<TypeId> {
        self.types.iter().find(|of| of.name == name).map(|of| of.id)
    }

    /// A type by its number, or by one that it had before it was merged.
    pub fn get(&self, id: TypeId) -> Option<PageType<'_>> {
        let of = self.types.iter().find(|of| of.id == id || of.was.iter().any(|of| of.id == id))?;
        Some(PageType { of, types: self })
    }

    /// Defines a type by pages of it, each with its URL if that is known. Pages like these belong to
    /// it; it is never merged into another one, and never parted. If a type has the name, it is
    /// that one which gets more samples.
    pub fn define<'a>(
        &mut self,
        name: &str,
        pages: impl IntoIterator<Item = (&'a Shape, Option<&'a Url>)>,
    ) -> TypeId {
        let id = self.named(name).unwrap_or_else(|| self.add(name.to_owned()));
        let known = self.samples.len();
        for (shape, url) in pages.into_iter().take(MOST_SAMPLES) {
            let sample = Sample::new(shape.clone(), url.map_or("", Url::as_str));
            self.samples.push(Sample { of: Some(id), pages: 0, pinned: true, ..sample });
        }
        for sample in self.samples.iter_mut().take(known).filter(|sample| sample.of == Some(id)) {
            sample.pinned = true;
        }
        if let Some(of) = self.types.iter_mut().find(|of| of.id == id) {
            of.defined = true;
        }
        self.regroup(self.samples.len() - known);
        id
    }

    /// How the types are told, once there is a page.
    pub fn method(&self) -> Option<TypeMethod> {
        self.samples.first().map(|sample| sample.shape.method())
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The types, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = PageType<'_>> {
        self.types.iter().map(|of| PageType { of, types: self })
    }

    /// All that is known, to be stored.
    pub fn rows(&self) -> Vec<TypeRow> {
        self.iter().map(PageType::row).collect()
    }

    /// From what was stored; later pages are placed as if there had been no break.
    pub fn from_rows(rows: impl IntoIterator<Item = TypeRow>) -> Self {
        let mut types = Types::new();
        for row in rows {
            let numbers = row.was.iter().map(|former| &former.id).chain([&row.id]);
            types.next = numbers.fold(types.next, |next, id| next.max(id.0.saturating_add(1)));
            let room = MOST_IN_ALL.saturating_sub(types.samples.len()).min(2 * MOST_SAMPLES);
            if room == 0 {
                break;
            }
            for given in row.samples.into_iter().take(room) {
                let sample = Sample::new(given.shape, &given.url);
                types.samples.push(Sample {
                    of: Some(row.id),
                    pages: given.pages,
                    pinned: given.pinned,
                    ..sample
                });
            }
            let TypeRow { id, name, defined, pages, was, .. } = row;
            types.types.push(Type { id, name, defined, pages, was });
        }
        types.regroup(0);
        types
    }

    fn add(&mut self, name: String) -> TypeId {
        let id = TypeId(self.next);
        self.next = self.next.saturating_add(1);
        self.types.push(Type { id, name, defined: false, pages: 0, was: Vec::new() });
        id
    }

    fn count(&mut self, id: TypeId, pages: u64) {
        if let Some(of) = self.types.iter_mut().find(|of| of.id == id) {
            of.pages += pages;
        }
    }

    /// The type with the most similar sample, if that is similar enough.
    fn nearest(&self, page: &Sample) -> Option<TypeId> {
        let compared = self.samples.iter().map(|known| {
            let compared = match (&known.outline, &page.outline) {
                (Some(known), Some(page)) => rtdm::compare(known, page),
                _ => {
                    let patterns = (&known.pattern, &page.pattern);
                    self.frame.compare(&known.parted, &page.parted, patterns)
                }
            };
            (compared, known)
        });
        let alike = compared.filter(|((_, is_alike), _)| *is_alike);
        let best = alike.max_by(|((a, _), x), ((b, _), y)| a.total_cmp(b).then(y.key.cmp(&x.key)));
        best.and_then(|(_, known)| known.of)
    }

    /// The type of a page for which there is no room among the samples. If there is room, or a
    /// sample with a larger key made room, none.
    fn no_room_for(&mut self, page: &Sample) -> Option<TypeId> {
        let is_full = |id: &TypeId| self.samples_of(*id).count() >= MOST_SAMPLES;
        if self.samples.len() < MOST_IN_ALL && !self.types.iter().any(|of| is_full(&of.id)) {
            return None;
        }
        let near = self.nearest(page);
        let full = near.filter(is_full);
        if full.is_none() && self.samples.len() < MOST_IN_ALL {
            return None;
        }
        // The type itself if it is full, else the one with the most samples.
        let from = full.or_else(|| {
            let spare = |id: &TypeId| self.samples_of(*id).filter(|known| !known.pinned).count();
            let largest = self.types.iter().map(|of| of.id).max_by_key(spare);
            largest.filter(|id| spare(id) > 0 && self.samples_of(*id).count() > 1)
        });
        let dropped = from.and_then(|from| {
            let mine = |known: &&Sample| known.of == Some(from) && !known.pinned;
            let last = self.samples.iter().filter(mine).max_by_key(|known| known.key)?;
            (full.is_none() || last.key > page.key).then_some(last.key)
        });
        match dropped.and_then(|key| self.samples.iter().position(|known| known.key == key)) {
            Some(at) => {
                let gone = self.samples.swap_remove(at);
                if let Some(id) = gone.of {
                    self.count(id, gone.pages);
                }
                None
            }
            // With no room at all, the first type takes what is like none.
            None => near.or_else(|| self.types.first().map(|of| of.id)),
        }
    }

    fn samples_of(&self, id: TypeId) -> impl Iterator<Item = &Sample> {
        self.samples.iter().filter(move |sample| sample.of == Some(id))
    }

    /// Groups the samples anew, the last of which were not grouped before, and says what became of the
    /// types, and of the last sample.
    fn regroup(&mut self, new: usize) -> Placed {
        let grouped: Vec<Grouped<'_>> = self
            .samples
            .iter()
            .map(|sample| Grouped {
                places: sample.shape.places(),
                outline: sample.outline.as_ref(),
                of: sample.of,
                pattern: &sample.pattern,
                defined: sample
                    .of
                    .filter(|id| self.get(*id).is_some_and(PageType::is_defined))
                    .map(|id| id.0),
            })
            .collect();
        let (groups, frame) = match self.method() {
            Some(TypeMethod::Rtdm) => (rtdm::group(&grouped, new), Frame::default()),
            _ => group(&grouped),
        };
        for sample in &mut self.samples {
            sample.parted = frame.part(sample.shape.places());
        }
        self.frame = frame;
        let first_new = self.next;
        let mut placed = Placed::in_known(TypeId(0));
        let owners = self.owners(&groups);
        for (number, owner) in owners.into_iter().enumerate() {
            let id = match owner {
                Some(id) => id,
                None => self.add_for(number, &groups),
            };
            let members =
                self.samples.iter_mut().zip(&groups).filter(|(_, group)| **group == number);
            for (sample, _) in members {
                match sample.of.replace(id) {
                    Some(old) if old != id && owner.is_none() => placed.split.push((old, id)),
                    Some(old) if old != id => placed.merged.push((old, id)),
                    _ => {}
                }
            }
        }
        // A type whose samples went to several others is merged only if none was left to it.
        placed.merged.retain(|(old, _)| !self.samples.iter().any(|sample| sample.of == Some(*old)));
        placed.merged.sort_unstable();
        placed.merged.dedup_by_key(|(old, _)| *old);
        placed.split.sort_unstable();
        placed.split.dedup();
        for (old, kept) in &placed.merged {
            self.absorb(*old, *kept);
        }
        if let Some(id) = self.samples.last().and_then(|sample| sample.of) {
            placed.id = id;
            placed.is_new = id.0 >= first_new;
        }
        placed
    }

    /// Which of the known types each group goes on as. A type goes on where most of its pages are;
    /// where several do, the defined or else the oldest one stays.
    fn owners(&self, groups: &[usize]) -> Vec<Option<TypeId>> {
        let mut pages: HashMap<(TypeId, usize), (u64, u64)> = HashMap::new();
        for (sample, group) in self.samples.iter().zip(groups) {
            let Some(id) = sample.of else { continue };
            let (sum, least) = pages.entry((id, *group)).or_insert((0, u64::MAX));
            *sum += sample.pages;
            *least = (*least).min(sample.key);
        }
        let mut owners = vec![None; groups.iter().max().map_or(0, |last| last + 1)];
        for of in &self.types {
            let own = pages.iter().filter(|((id, _), _)| *id == of.id);
            let main = own.max_by_key(|(_, (sum, least))| (*sum, std::cmp::Reverse(*least)));
            let Some(((_, group), _)) = main else { continue };
            if let Some(owner) = owners.get_mut(*group)
                && (owner.is_none() || of.defined)
            {
                *owner = Some(of.id);
            }
        }
        owners
    }

    /// A new type for a group, named after the page of it that most are like.
    fn add_for(&mut self, number: usize, groups: &[usize]) -> TypeId {
        let members = || self.samples.iter().zip(groups).filter(|(_, group)| **group == number);
        let most =
            members().max_by_key(|(sample, _)| (sample.pages, std::cmp::Reverse(sample.key)));
        let others = || self.samples.iter().zip(groups).filter(|(_, group)| **group != number);
        let is_common = |word: &str| {
            let all = others().count();
            let with = others().filter(|(sample, _)| name::has_word(sample.pattern.as_str(), word));
            all > 0 && 2 * with.count() >= all
        };
        let name =
            name::from_url(most.map_or("", |(sample, _)| sample.pattern.as_str()), is_common);
        let name = name::free(&name, |name| self.is_taken(name));
        self.add(name)
    }

    /// Whether a type has or had a name.
    fn is_taken(&self, name: &str) -> bool {
        let has = |of: &Type| of.name == name || of.was.iter().any(|former| former.name == name);
        self.types.iter().any(has)
    }

    fn absorb(&mut self, old: TypeId, kept: TypeId) {
        let Some(at) = self.types.iter().position(|of| of.id == old) else { return };
        let gone = self.types.remove(at);
        if let Some(of) = self.types.iter_mut().find(|of| of.id == kept) {
            of.pages += gone.pages;
            of.was.push(Former { id: old, name: gone.name });
            of.was.extend(gone.was);
        }
    }
}

impl Placed {
    fn in_known(id: TypeId) -> Self {
        Placed { id, is_new: false, merged: Vec::new(), split: Vec::new() }
    }
}

impl<'a> PageType<'a> {
    /// Its number.
    pub fn id(self) -> TypeId {
        self.of.id
    }

    /// Its name.
    pub fn name(self) -> &'a str {
        &self.of.name
    }

    /// Whether a person or a model named it.
    pub fn is_defined(self) -> bool {
        self.of.defined
    }

    /// How many pages were placed in it.
    pub fn pages(self) -> u64 {
        self.of.pages + self.types.samples_of(self.of.id).map(|sample| sample.pages).sum::<u64>()
    }

    /// To be stored.
    pub fn row(self) -> TypeRow {
        let samples = self.types.samples_of(self.of.id).map(|sample| SampleRow {
            url: sample.url.clone(),
            shape: sample.shape.clone(),
            pages: sample.pages,
            pinned: sample.pinned,
        });
        TypeRow {
            id: self.of.id,
            name: self.of.name.clone(),
            defined: self.of.defined,
            pages: self.of.pages,
            was: self.of.was.clone(),
            samples: samples.collect(),
        }
    }
}

impl fmt::Debug for PageType<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "PageType({} {:?}, {} pages)", self.of.id.0, self.of.name, self.pages())
    }
}
