//! A site of plain pages, as many of the web are: a home page, lists of articles, articles, and the
//! same menu, sidebar and footer around all of them. No scripts, nothing volatile.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::extract::State as Shared;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use testsite::{Random, Site, State, Truth, html};

/// Items of a list.
const PER_LIST: usize = 29;
/// Lists that the menu of every page leads to, and links of its sidebar.
const IN_MENU: usize = 20;
const IN_SIDEBAR: usize = 25;
/// Paragraphs of an article, which make a page about 16 kB.
const PARAGRAPHS: usize = 18;
const VOCABULARY: usize = 6_000;

/// The site.
pub struct ListSite {
    /// By path.
    pages: BTreeMap<String, String>,
    truth: Truth,
    item_titles: Vec<String>,
}

impl ListSite {
    /// A site of so many articles, the same every time.
    pub fn generate(articles: usize) -> Self {
        let mut author = Author::new(articles);
        let (mut pages, mut states) = (BTreeMap::new(), Vec::new());
        let mut item_titles = Vec::new();
        let mut put = |kind: &str, path: String, marker: &str, html: String| {
            states.push(State::at(kind, path.clone(), marker));
            pages.insert(path, html);
        };
        let mut home = String::new();
        for list in 0..author.lists {
            let about = author.words(10);
            let _ =
                write!(home, "<li><a href=\"/list/{list}.html\">Section {list}</a> {about}</li>");
        }
        let marker = author.words(9);
        let body = format!("<p>{marker}</p><ul>{home}</ul>");
        put("home", "/".to_owned(), &marker, author.page("Home", &body));
        for list in 0..author.lists {
            let mut rows = String::new();
            for article in (list * PER_LIST..articles).take(PER_LIST) {
                let (title, about) = (author.words(7), author.words(60));
                let _ = write!(
                    rows,
                    "<li><h2><a href=\"/a/{article}.html\">{title}</a></h2><p>{about}</p></li>"
                );
                item_titles.push(title);
            }
            let marker = author.words(9);
            let body = format!("<p>{marker}</p><ol class=\"items\">{rows}</ol>");
            let html = author.page(&format!("Section {list}"), &body);
            put("list", format!("/list/{list}.html"), &marker, html);
        }
        for article in 0..articles {
            let title = author.words(7);
            let body = author.article(article, &title);
            put("article", format!("/a/{article}.html"), &title, author.page(&title, &body));
        }
        Self { pages, truth: Truth::new("list", states), item_titles }
    }

    /// The titles of all items, in the order of the lists.
    pub fn item_titles(&self) -> impl Iterator<Item = &str> {
        self.item_titles.iter().map(String::as_str)
    }
}

impl From<ListSite> for Arc<dyn Site> {
    fn from(site: ListSite) -> Self {
        Arc::new(site)
    }
}

impl Site for ListSite {
    fn truth(&self) -> Truth {
        self.truth.clone()
    }

    fn router(self: Arc<Self>) -> Router {
        async fn page(Shared(site): Shared<Arc<ListSite>>, uri: Uri) -> Response {
            match site.pages.get(uri.path()) {
                Some(page) => html::page(page.clone()),
                None => (StatusCode::NOT_FOUND, html::page("<p>404".to_owned())).into_response(),
            }
        }
        Router::new().fallback(page).with_state(self)
    }
}

/// Who writes the pages.
struct Author {
    random: Random,
    vocabulary: Vec<String>,
    articles: usize,
    lists: usize,
}

impl Author {
    fn new(articles: usize) -> Self {
        let mut random = Random::of(7, "list site");
        let mut word = || {
            let syllable = |_| {
                let consonant = random.pick(&["b", "d", "k", "l", "m", "n", "r", "s", "t"]);
                format!("{consonant}{}", random.pick(&["a", "e", "i", "o", "u"]))
            };
            (0..2).map(syllable).collect::<String>()
        };
        let vocabulary = (0..VOCABULARY).map(|_| format!("{}{}", word(), word())).collect();
        let lists = articles.div_ceil(PER_LIST);
        Self { random: Random::of(8, "list site"), vocabulary, articles, lists }
    }

    fn word(&mut self) -> &str {
        let at = self.random.below(self.vocabulary.len());
        self.vocabulary.get(at).map(String::as_str).unwrap_or_default()
    }

    /// A sentence.
    fn words(&mut self, count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            if !text.is_empty() {
                text.push(' ');
            }
            text += self.word();
        }
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        text + "."
    }

    fn article(&mut self, number: usize, title: &str) -> String {
        let (list, digit, month) = (number % self.lists, number % 10, 1 + number % 9);
        let by = self.word().to_owned();
        let mut body = format!(
            "<article><h1>{title}</h1><p class=\"by\">By <a href=\"/list/{list}.html\">{by}</a> on \
             <time datetime=\"2026-0{month}-1{digit}T10:0{digit}:00Z\">1{digit} May 2026</time></p>"
        );
        for _ in 0..PARAGRAPHS {
            let words = self.random.between(60, 140);
            let _ = write!(body, "<p>{}</p>", self.words(words));
        }
        body + "</article>"
    }

    fn page(&mut self, title: &str, body: &str) -> String {
        let mut sections = String::new();
        for list in 0..self.lists.min(IN_MENU) {
            let _ = write!(sections, "<li><a href=\"/list/{list}.html\">Section {list}</a></li>");
        }
        let mut recent = String::new();
        for _ in 0..IN_SIDEBAR {
            let (article, words) = (self.random.below(self.articles), self.words(6));
            let _ = write!(recent, "<li><a href=\"/a/{article}.html\">{words}</a></li>");
        }
        let (about, small) = (self.words(12), self.words(8));
        format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <meta name=\"description\" content=\"{about}\"></head><body><header class=\"top\"><h1>\
             <a href=\"/\">Site</a></h1><nav><ul>{sections}</ul></nav></header><main>{body}</main>\
             <aside class=\"side\"><h2>Recent</h2><ul>{recent}</ul></aside><footer><p>© 2026 {small}\
             </p></footer></body></html>"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_and_item_is_on_one_page_and_every_link_leads_to_one() {
        let site = ListSite::generate(60);
        assert_eq!(site.truth.counts["list"], 3);
        assert_eq!((site.pages.len(), site.item_titles.len()), (64, 60));
        let markers = site.truth.states.iter().map(|state| state.marker.as_str());
        for text in markers.chain(site.item_titles()) {
            let holds = |page: &&String| page.contains(text);
            assert_eq!(site.pages.values().filter(holds).count(), 1, "{text}");
        }
        for page in site.pages.values() {
            for link in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(site.pages.contains_key(link), "{link}");
            }
        }
    }
}
