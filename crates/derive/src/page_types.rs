//! Page types as a crawl learns them: which type a page is of, what is volatile in pages of a type,
//! and whether a type has to be rendered at all.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use page::state::url::shape;
use page::types::{Shape, TypeMethod, TypeRow, Types};
use serde::{Deserialize, Serialize};
use store::{Catalog, CatalogWriter, StoreError};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::acts::{Acts, words_of};
use crate::hooks::Hooks;

/// Documents of a type that are loaded twice to learn what is volatile in it.
const LEARNING_LOADS: u32 = 2;
/// Documents of a type in which a part must be volatile before it is so in all.
const VOLATILE_IN: usize = 2;
/// Rendered pages of a type that must equal the plain response before a browser is spared.
const PLAIN_AFTER: u32 = 3;
/// The first page fetched plainly that is rendered all the same; then twice as many lie between.
const FIRST_CHECK: u32 = 4;
/// Scripts of a type that are remembered.
const MOST_SCRIPTS: usize = 256;
/// Words of a site's scripts that are remembered. Beyond them nobody knows what scripts look for.
const MOST_WORDS: usize = 200_000;
/// Pages of a folder, or of the site, in a row that must have needed no browser before the next one, of a shape
/// of its own, is expected to need none.
const SPARED_IN_A_ROW: u32 = 3;
/// URL shapes and folders that are remembered.
const MOST_SHAPES: usize = 20_000;

/// The page types of a crawl.
pub struct PageTypes {
    state: Mutex<State>,
    /// How types are told where none is known yet.
    method: TypeMethod,
}

#[derive(Default)]
struct State {
    types: Types,
    about: HashMap<Arc<str>, TypeKnowledge>,
    /// Types of which a part turned out to be another one.
    parted: BTreeSet<String>,
    /// What the pages of a URL shape turned out to be, and those of a folder and of an origin.
    by_url: HashMap<String, Like>,
    /// Addresses that are rendered when they are visited next.
    to_render: HashSet<String>,
    /// All that ever were to be.
    drawn: HashSet<String>,
    /// Words of the scripts that pages load.
    words: HashSet<u64>,
    /// Addresses of these.
    read: HashSet<u64>,
}

/// What a page is expected to be after others.
struct Like {
    page_type: Arc<str>,
    /// What it can do, by [`Acts::name`].
    acts: Arc<str>,
    /// So many before it needed no browser.
    spared_in_a_row: u32,
}

/// What is known of a page type; or of the pages that can do the same, under [`Acts::name`], which no type has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TypeKnowledge {
    learning_loads: u32,
    /// Volatile parts, and the documents that they were seen in.
    volatile: HashMap<String, Vec<String>>,
    /// Rendered pages that equalled the plain response, and did nothing on events.
    alike: u32,
    /// Rendered pages that did not, and why the last one did not.
    different: u32,
    because: String,
    /// Pages that were fetched plainly.
    plain: u32,
    /// Pages that might have been, and were rendered all the same.
    #[serde(default)]
    audited: u32,
    /// Its pages turned out to need a browser after some were fetched plainly; these were visited again.
    #[serde(default)]
    released: bool,
    /// The scripts of pages that were compared: others may do other things.
    #[serde(default)]
    scripts: BTreeSet<u64>,
    /// Documents whose events were all tried, how many pages these found, and the sum of squares of that.
    #[serde(default)]
    explored: u32,
    #[serde(default)]
    found: u64,
    #[serde(default)]
    found_squared: u64,
    /// Of pages that can do the same: on which of them nothing was found.
    #[serde(default)]
    hooks: Hooks,
    /// Of the pages that were fetched plainly, how many were so because of what is known of their type
    /// ([`BY_TYPE`]), and of pages that can do the same.
    #[serde(default)]
    spared: BTreeMap<String, u32>,
}

/// Where a page belongs.
pub struct Placed {
    pub name: Arc<str>,
    /// Types that turned out to be one: the old name and the one that stays.
    pub merged: Vec<(String, String)>,
}

impl TypeKnowledge {
    /// Whether pages of the type need no browser.
    pub fn is_plain(&self) -> bool {
        self.different == 0 && self.alike >= PLAIN_AFTER
    }

    /// Whether pages of the type seemed to need no browser at some time.
    pub fn was_plain(&self) -> bool {
        self.alike >= PLAIN_AFTER
    }

    /// Rendered pages that equalled the plain response.
    pub fn alike(&self) -> u32 {
        self.alike
    }

    /// Pages that might have been fetched plainly, and were rendered all the same.
    pub fn audited(&self) -> u32 {
        self.audited
    }

    /// Whether pages of the type turned out to need a browser after some were fetched plainly.
    pub fn is_released(&self) -> bool {
        self.released
    }

    /// Documents of the type whose events were all tried.
    pub fn explored(&self) -> u32 {
        self.explored
    }

    /// How many more pages the events of a document of this type find, on average, and the variance of that.
    /// One more document is imagined that finds as many as those of all types do: a few that found nothing
    /// do not say that none does.
    pub fn yields(&self, of_all: &Self) -> (f64, f64) {
        let imagined = (of_all.found as f64 + 1.0) / (f64::from(of_all.explored) + 1.0);
        let documents = f64::from(self.explored) + 1.0;
        let mean = (self.found as f64 + imagined) / documents;
        let spread = self.found_squared as f64 + imagined * imagined - documents * mean * mean;
        // A few that happen to be alike vary no less than if each page were found by itself (Poisson).
        (mean, (spread / (documents - 1.0).max(1.0)).max(mean))
    }

    /// What spared pages of the type the browser, and how many.
    pub fn spared(&self) -> impl Iterator<Item = (&str, u32)> {
        self.spared.iter().map(|(by, pages)| (by.as_str(), *pages))
    }

    /// Whether events do nothing on pages that can do the same, and a browser shows nothing more of them.
    pub fn does_nothing(&self, acts: &str) -> bool {
        self.is_plain() && (acts.is_empty() || self.hooks.is_settled())
    }

    /// Why pages of the type are rendered, or are not, for `bathys types`; so many of them were not.
    pub fn rendering(&self, plain: i64) -> String {
        match (plain, self.is_plain()) {
            (0, _) if self.different > 0 => format!("yes: {}", self.because),
            (0, false) => format!("yes: {} of {PLAIN_AFTER} comparisons made", self.alike),
            (0, true) => format!(
                "yes: {} rendered pages equalled the plain response, but events may act on them",
                self.alike
            ),
            (_, true) => format!(
                "no: {} rendered pages equalled the plain response; {plain} were fetched plainly",
                self.alike
            ),
            (_, false) if self.spared.is_empty() => {
                format!("no: {plain} were fetched plainly, and none was compared")
            }
            (_, false) => {
                format!(
                    "no: pages that can do the same showed no more; {plain} were fetched plainly"
                )
            }
        }
    }
}

impl PageTypes {
    /// No types yet.
    pub fn new(method: TypeMethod) -> Self {
        Self { state: Mutex::default(), method }
    }

    /// How types are told: as those that are known, so that all pages of a site are told alike.
    pub fn method(&self) -> TypeMethod {
        self.lock().types.method().unwrap_or(self.method)
    }

    /// The type of a page that was just seen.
    pub fn place(&self, form: &Shape, url: &Url) -> Placed {
        let mut state = self.lock();
        let placed = state.types.place(form, url);
        let name: Arc<str> = state.types.name(placed.id).into();
        for (old, _) in &placed.split {
            let old = state.types.name(*old).to_owned();
            state.parted.insert(old);
        }
        let mut merged = Vec::new();
        for (gone, kept) in placed.merged {
            let (gone, kept) =
                (state.types.name(gone).to_owned(), state.types.name(kept).to_owned());
            if let Some(gone) = state.about.remove(gone.as_str()) {
                state.about.entry(kept.as_str().into()).or_default().absorb(gone);
            }
            let name: Arc<str> = kept.as_str().into();
            for like in state.by_url.values_mut().filter(|like| *like.page_type == *gone) {
                like.page_type = name.clone();
            }
            merged.push((gone, kept));
        }
        Placed { name, merged }
    }

    /// The types of which a part turned out to be another one since the last call.
    pub fn take_parted(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.lock().parted)
    }

    /// The type that a page of this form belongs to by now.
    pub fn type_now(&self, form: &Shape, url: &Url) -> Option<String> {
        let state = self.lock();
        state.types.like_at(form, url).map(|id| state.types.name(id).to_owned())
    }

    /// Whether a document of this type is to be loaded a second time, to learn from.
    pub fn wants_learning_load(&self, page_type: &Arc<str>) -> bool {
        let mut state = self.lock();
        let about = state.about.entry(page_type.clone()).or_default();
        about.learning_loads += 1;
        about.learning_loads <= LEARNING_LOADS
    }

    /// Takes note of what is volatile in a document, and returns what is so in the whole type.
    pub fn volatile_in(&self, page_type: &Arc<str>, url: &str, rules: &[String]) -> Vec<String> {
        let mut state = self.lock();
        let about = state.about.entry(page_type.clone()).or_default();
        for rule in rules {
            let documents = about.volatile.entry(rule.clone()).or_default();
            if documents.len() < VOLATILE_IN && !documents.iter().any(|known| known == url) {
                documents.push(url.to_owned());
            }
        }
        about.volatile_everywhere()
    }

    /// What is volatile in all pages of a type.
    pub fn volatile(&self, page_type: &str) -> Vec<String> {
        self.lock().about.get(page_type).map(TypeKnowledge::volatile_everywhere).unwrap_or_default()
    }

    /// The type that a URL will show and what that can do, as far as others of its shape tell.
    pub fn expected_at(&self, url: &Url) -> Option<(Arc<str>, Arc<str>)> {
        let state = self.lock();
        let like = state.by_url.get(&shape(url))?;
        Some((like.page_type.clone(), like.acts.clone()))
    }

    /// The type of a neighbour of a URL that needed no browser, as others in a row before it did not: of its
    /// folder, or of the site where the last page of its folder says nothing else.
    pub fn spared_beside(&self, url: &Url) -> Option<Arc<str>> {
        let state = self.lock();
        let [folder, origin] = [folder(url), origin(url)].map(|key| state.by_url.get(key));
        let is_needed = folder.is_some_and(|like| like.spared_in_a_row == 0);
        let is_told = |like: &&Like| like.spared_in_a_row >= SPARED_IN_A_ROW;
        let like = folder.filter(is_told).or(origin.filter(is_told)).filter(|_| !is_needed)?;
        Some(like.page_type.clone())
    }

    /// Takes note of what a URL showed, and whether it needed no browser.
    pub fn met(&self, url: &Url, page_type: &Arc<str>, acts: &Arc<str>, is_spared: bool) {
        let mut state = self.lock();
        for key in [shape(url), folder(url).to_owned(), origin(url).to_owned()] {
            let known = state.by_url.get(&key);
            if known.is_none() && state.by_url.len() >= MOST_SHAPES {
                continue;
            }
            let before = known.map_or(0, |like| like.spared_in_a_row);
            let spared_in_a_row = if is_spared { before + 1 } else { 0 };
            let (page_type, acts) = (page_type.clone(), acts.clone());
            state.by_url.insert(key, Like { page_type, acts, spared_in_a_row });
        }
    }

    /// Whether pages of a type look the same without a browser.
    pub fn is_plain(&self, page_type: &str) -> bool {
        self.lock().about.get(page_type).is_some_and(TypeKnowledge::is_plain)
    }

    /// Whether a page of a type that needs no browser is fetched plainly: some are rendered all the same.
    pub fn spares(&self, page_type: &Arc<str>, url: &Url) -> bool {
        let mut state = self.lock();
        let is_drawn = state.to_render.remove(url.as_str());
        let about = state.about.entry(page_type.clone()).or_default();
        about.plain += 1;
        let is_checked = about.plain >= FIRST_CHECK && about.plain.is_power_of_two();
        let is_audit = is_checked || is_drawn;
        about.audited += u32::from(is_audit);
        !is_audit
    }

    /// These are rendered when they are visited next, whatever is known of their type. Leaves those that
    /// were not drawn before: a page that no tab can show is tried once.
    pub fn render_next(&self, urls: &mut Vec<String>) {
        let mut state = self.lock();
        urls.retain(|url| state.drawn.insert(url.clone()));
        state.to_render.extend(urls.iter().cloned());
    }

    /// What is known of a type.
    pub fn knowledge(&self, page_type: &str) -> TypeKnowledge {
        self.lock().about.get(page_type).cloned().unwrap_or_default()
    }

    /// What is known of all types together.
    pub fn knowledge_of_all(&self) -> TypeKnowledge {
        TypeKnowledge::of_all(self.lock().about.values())
    }

    /// Pages of this type need a browser, or those that can do this: none is fetched plainly any more. The types
    /// of those that were, since this was asked last.
    pub fn release(&self, page_type: &str, by: &str, because: &str) -> Vec<String> {
        let mut state = self.lock();
        let claimed = if by == BY_TYPE { page_type } else { by };
        let about = state.about.entry(claimed.into()).or_default();
        if about.different == 0 {
            about.different = 1;
            about.because = because.to_owned();
        }
        about.released = true;
        let is_meant = |name: &str| by != BY_TYPE || name == page_type;
        let types = state.about.iter_mut().filter(|(name, _)| is_meant(name));
        let spared =
            types.filter_map(|(name, about)| about.spared.remove(by).map(|_| name.to_string()));
        spared.collect()
    }

    /// Whether all scripts of a page, and all names that they may look for, were met on pages of its type that
    /// were compared.
    pub fn knows_acts(&self, page_type: &str, acts: &Acts) -> bool {
        let state = self.lock();
        let Some(about) = state.about.get(page_type) else { return false };
        acts.scripts().iter().all(|script| about.scripts.contains(script))
            && state.hooks(acts).is_none_or(|names| about.hooks.has_met(&names))
    }

    /// Takes note of what a page can do that was compared with its plain response.
    pub fn met_acts(&self, page_type: &Arc<str>, acts: &Acts) {
        let mut state = self.lock();
        let names = state.hooks(acts);
        let about = state.about.entry(page_type.clone()).or_default();
        let room = MOST_SCRIPTS.saturating_sub(about.scripts.len());
        about.scripts.extend(acts.scripts().iter().take(room));
        about.hooks.meet(names.unwrap_or_default());
    }

    /// Takes note of what a script speaks of that a page loaded.
    pub fn read_script(&self, url: &str, text: &[u8]) {
        let mut state = self.lock();
        let State { words, read, .. } = &mut *state;
        if words.len() < MOST_WORDS && read.insert(xxh3_64(url.as_bytes())) {
            words.extend(words_of(&String::from_utf8_lossy(text)));
        }
    }

    /// Whether pages that can do this need no browser, as far as it is told before the page is there.
    pub fn does_nothing(&self, acts: &str) -> bool {
        self.lock().about.get(acts).is_some_and(|about| about.does_nothing(acts))
    }

    /// Whether a page needs no browser since those that can do the same did not.
    pub fn does_nothing_on(&self, acts: &Acts) -> bool {
        let state = self.lock();
        let Some(about) = state.about.get(&acts.name) else { return false };
        let is_like_them = || state.hooks(acts).is_some_and(|own| about.hooks.are_quiet(&own));
        about.does_nothing(&acts.name) && is_like_them()
    }

    /// Takes note that a page showed the same without a browser, and that events found nothing there once all were
    /// tried.
    pub fn did_nothing(&self, acts: &Acts) {
        let mut state = self.lock();
        let hooks = state.hooks(acts);
        let about = state.about.entry(acts.name.clone()).or_default();
        if let Some(hooks) = hooks {
            about.hooks.hold(hooks);
        }
    }

    /// Takes note that a page showed something of its own, in a browser or by events that added this to it.
    pub fn did_something(&self, acts: &Acts, added: BTreeSet<u64>, because: &str) {
        let mut state = self.lock();
        let hooks = state.hooks(acts);
        let about = state.about.entry(acts.name.clone()).or_default();
        let was_claimed = hooks.as_ref().is_none_or(|own| about.hooks.are_quiet(own));
        let is_known = hooks.is_some_and(|own| about.hooks.make_a_difference(own, added));
        if (was_claimed && about.plain > 0) || !is_known {
            about.different += 1;
            about.because = because.to_owned();
        }
    }

    /// What an event added to a page was added to another one, too.
    pub fn is_common(&self, added: u64) {
        let mut state = self.lock();
        state.about.values_mut().for_each(|about| about.hooks.is_common(added));
    }

    /// Takes note of what spared a page of this type the browser: what is known of its type, or of what it can do.
    pub fn kept_plainly(&self, page_type: &Arc<str>, by: &str) {
        let mut state = self.lock();
        let about = state.about.entry(page_type.clone()).or_default();
        *about.spared.entry(by.to_owned()).or_default() += 1;
    }

    /// Takes note of how a rendered page compares with the plain response.
    pub fn compared(&self, page_type: &Arc<str>, difference: Option<&str>) {
        let mut state = self.lock();
        let about = state.about.entry(page_type.clone()).or_default();
        match difference {
            None => about.alike += 1,
            Some(because) => {
                about.different += 1;
                about.because = because.to_owned();
            }
        }
    }

    /// Takes note of how many pages the events of a document of this type found.
    pub fn explored(&self, page_type: &Arc<str>, found: u32) {
        let mut state = self.lock();
        let about = state.about.entry(page_type.clone()).or_default();
        about.explored += 1;
        about.found += u64::from(found);
        about.found_squared += u64::from(found).pow(2);
    }

    /// Everything, to be written down.
    pub fn rows(&self) -> (Vec<TypeRow>, Vec<(String, TypeKnowledge)>) {
        let state = self.lock();
        let about = state.about.iter().map(|(name, about)| (name.to_string(), about.clone()));
        (state.types.rows(), about.collect())
    }

    /// Takes over what was written down.
    pub fn remember(&self, rows: Vec<TypeRow>, about: Vec<(String, TypeKnowledge)>) {
        let mut state = self.lock();
        state.types = Types::from_rows(rows);
        state.about = about.into_iter().map(|(name, about)| (name.into(), about)).collect();
    }

    /// Names a type after samples of it.
    pub fn define(&self, name: &str, shapes: &[Shape]) {
        self.lock().types.define(name, shapes.iter().map(|shape| (shape, None)));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The names in a page that its scripts may look for; `None` if that is not known.
    fn hooks(&self, acts: &Acts) -> Option<BTreeSet<u64>> {
        let is_known = self.words.len() < MOST_WORDS && acts.loads_only(&self.read);
        is_known.then(|| acts.hooks(&self.words)).flatten()
    }
}

impl TypeKnowledge {
    /// What is known of several types together.
    pub fn of_all<'a>(types: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        types.into_iter().for_each(|one| all.absorb(one.clone()));
        all
    }

    /// Adds what is known of a type that turned out to be the same.
    fn absorb(&mut self, other: Self) {
        self.alike += other.alike;
        self.plain += other.plain;
        self.audited += other.audited;
        self.different += other.different;
        self.explored += other.explored;
        self.found += other.found;
        self.found_squared += other.found_squared;
        self.hooks.meet(other.hooks.into_known());
        for (by, pages) in other.spared {
            *self.spared.entry(by).or_default() += pages;
        }
        if self.because.is_empty() {
            self.because = other.because;
        }
        let room = MOST_SCRIPTS.saturating_sub(self.scripts.len());
        self.scripts.extend(other.scripts.into_iter().take(room));
    }

    fn volatile_everywhere(&self) -> Vec<String> {
        let is_everywhere =
            |(_, documents): &(&String, &Vec<String>)| documents.len() >= VOLATILE_IN;
        self.volatile.iter().filter(is_everywhere).map(|(rule, _)| rule.clone()).collect()
    }
}

/// A URL up to its path.
fn origin(url: &Url) -> &str {
    &url[..url::Position::BeforePath]
}

/// A URL up to its last slash.
fn folder(url: &Url) -> &str {
    let address = &url[..url::Position::AfterPath];
    address.rfind('/').map_or(address, |slash| &address[..=slash])
}

/// What is known of its own type spared a page the browser.
pub const BY_TYPE: &str = "type";

/// How the page types of a site were told, if any are kept.
pub async fn kept_method(catalog: &Catalog, site: &str) -> Result<Option<TypeMethod>, StoreError> {
    Ok(Types::from_rows(kept_rows(catalog, site).await?).method())
}

async fn kept_rows(catalog: &Catalog, site: &str) -> Result<Vec<TypeRow>, StoreError> {
    let rows = catalog.learned(site, TYPES).await?;
    Ok(rows.iter().filter_map(|(_, value)| serde_json::from_str(value).ok()).collect())
}

const TYPES: &str = "type";
/// Where the store keeps what is known of page types.
pub const TYPE_KNOWLEDGE: &str = "about-type";

/// Takes over the page types of a site.
pub async fn recall_types(
    catalog: &CatalogWriter,
    site: &str,
    page_types: &PageTypes,
) -> Result<(), StoreError> {
    let rows = kept_rows(catalog, site).await?;
    let about = catalog.learned(site, TYPE_KNOWLEDGE).await?.into_iter();
    let about = about.filter_map(|(name, value)| {
        Some((name, serde_json::from_str::<TypeKnowledge>(&value).ok()?))
    });
    page_types.remember(rows, about.collect());
    Ok(())
}

/// Writes the page types of a site down.
pub async fn write_types(
    catalog: &CatalogWriter,
    site: &str,
    page_types: &PageTypes,
) -> Result<(), StoreError> {
    let (rows, about) = page_types.rows();
    let rows: Vec<(String, String)> =
        rows.iter().map(|row| (row.name.clone(), json(row))).collect();
    let known = catalog.learned(site, TYPES).await?;
    let is_gone = |name: &String| !rows.iter().any(|(now, _)| now == name);
    let gone = known.into_iter().map(|(name, _)| name).filter(is_gone).collect();
    catalog.forget(site, TYPES, gone).await?;
    catalog.learn(site, TYPES, rows).await?;
    let about = about.iter().map(|(name, about)| (name.clone(), json(about)));
    catalog.learn(site, TYPE_KNOWLEDGE, about.collect()).await
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
