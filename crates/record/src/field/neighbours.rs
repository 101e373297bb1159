//! What is known of the pages that records link to.

use std::collections::HashMap;

use url::Url;

use page::state::url::shape;

/// Pages that are remembered at most.
const MAX_PAGES: usize = 200_000;
/// Titles that are remembered of a page at most.
const MAX_TITLES: usize = 4;

/// What is known of the pages that records link to: the type of each, and what it calls itself.
///
/// Nothing has to be known: [`Neighbours::default`] serves where a page stands alone.
///
/// ```
/// use record::Neighbours;
/// use url::Url;
///
/// let url = |path: &str| Url::parse("http://forum.example").unwrap().join(path).unwrap();
/// let mut around = Neighbours::default();
/// around.add(&url("/thread/7"), 3, vec!["Which lamp?".to_owned()]);
/// assert_eq!(around.page_type(&url("/thread/7#p2")), Some(3));
/// assert_eq!(around.page_type(&url("/thread/8")), Some(3), "by its pattern");
/// assert_eq!(around.titles(&url("/thread/7")), ["Which lamp?"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    pages: HashMap<Box<str>, Neighbour>,
    /// The type that all known pages of a pattern have; none where they differ.
    shapes: HashMap<String, Option<u32>>,
}

#[derive(Clone, Debug)]
struct Neighbour {
    page_type: u32,
    titles: Vec<String>,
}

impl Neighbours {
    /// Notes a page: the number of its type, and its titles (that of its head, its first headings).
    pub fn add(&mut self, url: &Url, page_type: u32, mut titles: Vec<String>) {
        if self.pages.len() >= MAX_PAGES {
            return;
        }
        titles.truncate(MAX_TITLES);
        self.pages.insert(key(url).into(), Neighbour { page_type, titles });
        let known = self.shapes.entry(shape(url)).or_insert(Some(page_type));
        if *known != Some(page_type) {
            *known = None;
        }
    }

    /// The type of the page at an address, also one that was never seen if all pages that are known
    /// under its pattern have one type.
    pub fn page_type(&self, url: &Url) -> Option<u32> {
        match self.pages.get(key(url)) {
            Some(page) => Some(page.page_type),
            None => self.shapes.get(&shape(url)).copied().flatten(),
        }
    }

    /// What the page at an address calls itself; nothing if it is not known.
    pub fn titles(&self, url: &Url) -> &[String] {
        self.pages.get(key(url)).map_or(&[], |page| &page.titles)
    }
}

/// The address of the page, without the place on it.
fn key(url: &Url) -> &str {
    match url.as_str().split_once('#') {
        Some((page, route)) if !route.starts_with(['/', '!']) => page,
        _ => url.as_str(),
    }
}
