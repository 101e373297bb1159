//! Driving a browser to a known page: along the quickest way through its document's graph, then
//! along the shortest and the one that it was first found by, as long as none leads there. Arrival is
//! verified; the store is only read.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use page::state::{Content, Difference};
use page::tree::{Dom, Mask, serialise, title};
use serde::Serialize;
use store::{CatalogWriter, EdgeRow, Millis, PageNumber, PageRow, PageStatus, PathStep};
use url::Url;

use crate::error::CrawlError;
use crate::explore::arrive::action;
use crate::machine::{Machine, Trouble, Worker};
use crate::settings::{Forms, Settings};
use crate::site::SiteCrawl;
use crate::visit::capture::state_id;

/// What firing an event costs as long as it was never measured, in milliseconds.
const EVENT_MS: u64 = 100;

/// Where a browser was driven to.
#[derive(Clone, Debug)]
pub struct Destination {
    /// The URL that was loaded.
    pub url: String,
    /// Every way that was tried; the last one led there.
    pub attempts: Vec<Attempt>,
    /// The page as it is now, as HTML.
    pub html: String,
    /// A picture of it, as PNG, if one was asked for.
    pub screenshot: Option<Vec<u8>>,
}

/// One way that was tried.
#[derive(Clone, Debug, Serialize)]
pub struct Attempt {
    /// Its events, after loading the URL.
    pub path: Vec<PathStep>,
    /// What it took.
    pub cost_ms: u64,
    /// What was found instead of the page; `None` if it was the page.
    pub found_instead: Option<String>,
}

/// Why a page cannot be gone to.
#[derive(Debug, thiserror::Error)]
pub enum GotoError {
    /// There is no browser, or the store fails.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The page was never captured.
    #[error("page {page} was never captured ({condition}): there is nothing to arrive at")]
    NotCaptured {
        /// The page.
        page: PageNumber,
        /// What it is instead.
        condition: PageStatus,
        /// Where it should be.
        url: String,
    },
    /// Nothing of what was tried led there.
    #[error("page {page} was not found again at {url}: {}", told(.attempts))]
    Missed {
        /// The page.
        page: PageNumber,
        /// Its document.
        url: String,
        /// What was tried, and what was found.
        attempts: Vec<Attempt>,
    },
}

impl From<store::StoreError> for GotoError {
    fn from(error: store::StoreError) -> Self {
        Self::Crawl(error.into())
    }
}

/// Drives a browser to a page that the catalog knows. Of the settings, the manners and what events
/// may send hold as in a crawl.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use crawl::{Settings, goto};
/// use store::{Catalog, CatalogWriter};
///
/// let catalog = Catalog::open(std::path::Path::new("bathys-data"))?;
/// let catalog = Arc::new(CatalogWriter::refusing(catalog));
/// let page = catalog.find("12").await?.ok_or("no page 12")?;
/// let reached = goto(&page, Settings::new(Vec::new()), catalog, false).await?;
/// std::fs::write("page.html", reached.html)?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// When the page was never captured, no known way leads to it any more, or the browser fails.
pub async fn goto(
    page: &PageRow,
    settings: Settings,
    catalog: Arc<CatalogWriter>,
    with_screenshot: bool,
) -> Result<Destination, GotoError> {
    if page.condition != PageStatus::Captured {
        let (condition, url) = (page.condition, page.url.clone());
        return Err(GotoError::NotCaptured { page: page.page, condition, url });
    }
    let url = Url::parse(&page.url).map_err(|_| CrawlError::Start(page.url.clone()))?;
    let (start, forms) = (vec![url.clone()], Forms::Off);
    let settings = Settings { start, want: Vec::new(), model: None, forms, ..settings };
    let machine = Arc::new(Machine::open(settings, catalog).await?);
    let crawl = SiteCrawl::open(machine, page.site.clone()).await?;
    let mut journey = Journey::plan(crawl.clone(), page, url).await?;
    let destination = journey.make(with_screenshot).await;
    journey.worker.close_tab().await;
    crawl.close().await;
    destination
}

/// The way to one page.
struct Journey<'p> {
    worker: Worker,
    page: &'p PageRow,
    url: Url,
    mask: Mask,
    /// The page as it was kept.
    kept: Option<Dom>,
    /// The ways to try, cheapest first.
    ways: Vec<Vec<PathStep>>,
}

impl<'p> Journey<'p> {
    async fn plan(crawl: Arc<SiteCrawl>, page: &'p PageRow, url: Url) -> Result<Self, CrawlError> {
        let page_type = page.page_type.as_deref().unwrap_or_default();
        let mask = crawl.mask(&page.site, &page.url, page_type).await?;
        let kept = crawl.kept_tree(page.page).await?;
        let edges = crawl.catalog.graph_of_document(&page.site, &page.url).await?;
        let root = crawl.catalog.find(&page.url).await?.map(|root| root.page);
        let by = |cost: fn(&EdgeRow) -> u64| cheapest(&edges, root?, page.page, cost);
        // What was quickest once may be closed now, so the shortest one is tried as well.
        let known = [by(measured), by(|_| 1), Some(page.path.clone())];
        let mut ways: Vec<Vec<PathStep>> = Vec::new();
        for way in known.into_iter().flatten() {
            if !ways.iter().any(|known| same_way(known, &way)) {
                ways.push(way);
            }
        }
        Ok(Self { worker: Worker::new(crawl), page, url, mask, kept, ways })
    }

    async fn make(&mut self, with_screenshot: bool) -> Result<Destination, GotoError> {
        let mut attempts = Vec::new();
        for path in std::mem::take(&mut self.ways) {
            let begun = Instant::now();
            let tried = self.follow(&path).await;
            let cost_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            let found_instead = match tried {
                Ok(dom) => {
                    let screenshot = match with_screenshot {
                        true => Some(self.picture().await?),
                        false => None,
                    };
                    attempts.push(Attempt { path, cost_ms, found_instead: None });
                    let html = serialise(&dom);
                    return Ok(Destination {
                        url: self.url.to_string(),
                        attempts,
                        html,
                        screenshot,
                    });
                }
                Err(Trouble::Crawl(error)) => return Err(error.into()),
                Err(Trouble::Tab(error)) => {
                    self.worker.after_trouble(&error).await;
                    error.to_string()
                }
                Err(trouble) => trouble.to_string(),
            };
            attempts.push(Attempt { path, cost_ms, found_instead: Some(found_instead) });
        }
        Err(GotoError::Missed { page: self.page.page, url: self.url.to_string(), attempts })
    }

    async fn picture(&mut self) -> Result<Vec<u8>, CrawlError> {
        let picture = match self.worker.tab().await {
            Ok(tab) => tab.screenshot(true).await.map_err(Trouble::from),
            Err(trouble) => Err(trouble),
        };
        picture.map_err(|trouble| match trouble {
            Trouble::Crawl(error) => error,
            other => CrawlError::Picture(other.to_string()),
        })
    }

    /// Loads the document, fires a way's events, and looks whether that is the page.
    async fn follow(&mut self, path: &[PathStep]) -> Result<Dom, Trouble> {
        self.worker.crawl.manners.ask(&self.url).await?;
        let tab = self.worker.tab_to_navigate().await?;
        let visit = tab.navigate(&self.url).await?;
        let expects_error = self.page.status.is_some_and(|status| status >= 400);
        if visit.status >= 400 && !expects_error {
            return Err(Trouble::Strayed(format!("the server answered {}", visit.status)));
        }
        let actions: Vec<_> = path.iter().map(action).collect();
        let fired = tab.replay(&actions).await?;
        if let Some((step, fired)) = path.iter().zip(&fired).next_back() {
            if fired.found.is_none() {
                return Err(Trouble::Strayed(format!("nothing to {} any more", called(step))));
            }
            if fired.happenings.left_document {
                return Err(Trouble::Strayed(format!("{} left the page", called(step))));
            }
        }
        let refused = fired.iter().flat_map(|fired| &fired.happenings.refused).next();
        let refused = refused.map(|refused| refused.reason.clone());
        let dom = tab.walk().await?.dom;
        let content = Content::of(&dom, &self.mask);
        if self.page.content_hash == Some(state_id(&content).to_string()) {
            return Ok(dom);
        }
        let difference = self.difference(&dom);
        if difference.as_ref().is_some_and(Difference::is_equal) {
            return Ok(dom);
        }
        if let Some(reason) = refused {
            return Err(Trouble::Strayed(format!("a request was refused: {reason}")));
        }
        let shown = self.describe(&dom, &content, &visit.url).await?;
        Err(Trouble::Strayed(match difference {
            Some(difference) => format!("{shown}, which is {difference}"),
            None => shown,
        }))
    }

    /// How what is shown differs from what was kept: a clock may have gone on since.
    fn difference(&self, dom: &Dom) -> Option<Difference> {
        let age = Millis::now().0.saturating_sub(self.page.first_seen.0);
        let age = Duration::from_millis(age.unsigned_abs());
        self.kept.as_ref().map(|kept| Difference::between(kept, dom, &self.mask, age))
    }

    /// What a place is that is not the page.
    async fn describe(
        &self,
        dom: &Dom,
        content: &Content,
        reached: &str,
    ) -> Result<String, Trouble> {
        let catalog = &self.worker.crawl.catalog;
        let hash = Some(state_id(content).to_string());
        for other in catalog.pages_of_document(&self.page.site, &self.page.url).await? {
            let row = catalog.find(&other.to_string()).await?;
            if row.is_some_and(|row| row.content_hash == hash) {
                return Ok(format!("page {other}"));
            }
        }
        let shown = title(dom);
        Ok(match reached == self.url.as_str() {
            true => format!("'{shown}'"),
            false => format!("'{shown}' at {reached}"),
        })
    }
}

/// The cheapest way through a document's graph, if one is known. An edge that gave several answers
/// is none to rely on.
fn cheapest(
    edges: &[EdgeRow],
    from: PageNumber,
    to: PageNumber,
    cost: impl Fn(&EdgeRow) -> u64,
) -> Option<Vec<PathStep>> {
    let mut out: HashMap<PageNumber, Vec<(usize, PageNumber)>> = HashMap::new();
    for (number, edge) in edges.iter().enumerate().filter(|(_, edge)| !edge.fickle) {
        if let Some(to) = edge.to {
            out.entry(edge.from).or_default().push((number, to));
        }
    }
    let mut reached: HashMap<PageNumber, Option<&EdgeRow>> = HashMap::new();
    // Where costs are equal, fewer events are better, and then the edge that was found first.
    let mut heap = BinaryHeap::from([Reverse((0u64, 0u32, from, usize::MAX))]);
    while let Some(Reverse((spent, events, at, by))) = heap.pop() {
        if reached.contains_key(&at) {
            continue;
        }
        reached.insert(at, edges.get(by));
        for (number, next) in out.get(&at).into_iter().flatten().copied() {
            let spent = spent.saturating_add(edges.get(number).map_or(0, &cost));
            heap.push(Reverse((spent, events + 1, next, number)));
        }
    }
    let mut way = Vec::new();
    let mut at = to;
    while let Some(edge) = reached.get(&at)? {
        way.push(edge.step());
        at = edge.from;
    }
    way.reverse();
    Some(way)
}

/// What firing an event took, in milliseconds.
fn measured(edge: &EdgeRow) -> u64 {
    edge.cost_ms.and_then(|cost| u64::try_from(cost).ok()).unwrap_or(EVENT_MS)
}

fn same_way(a: &[PathStep], b: &[PathStep]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.event == b.event && a.xpath == b.xpath)
}

/// A step as a person reads it.
fn called(step: &PathStep) -> String {
    match step.text.is_empty() {
        true => format!("{} at {}", step.event, step.xpath),
        false => format!("{} '{}' at {}", step.event, step.text, step.xpath),
    }
}

fn told(attempts: &[Attempt]) -> String {
    let tell = |attempt: &Attempt| {
        let way = match attempt.path.len() {
            0 => "loading it".to_owned(),
            1 => "1 event after loading it".to_owned(),
            events => format!("{events} events after loading it"),
        };
        format!("{way}: {}", attempt.found_instead.as_deref().unwrap_or("the page"))
    };
    attempts.iter().map(tell).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: i64, to: i64, xpath: &str, cost_ms: Option<i64>) -> EdgeRow {
        EdgeRow {
            from: PageNumber(from),
            to: Some(PageNumber(to)),
            event: "click".into(),
            xpath: xpath.into(),
            element_id: None,
            text: String::new(),
            instruction: String::new(),
            outcome: store::EdgeOutcome::Page,
            refused_because: None,
            note: None,
            cost_ms,
            fickle: false,
            class: None,
            values: Vec::new(),
        }
    }

    fn way(edges: &[EdgeRow], to: i64) -> Option<Vec<String>> {
        let steps = cheapest(edges, PageNumber(1), PageNumber(to), measured)?;
        Some(steps.into_iter().map(|step| step.xpath).collect())
    }

    #[test]
    fn two_cheap_events_beat_a_dear_one() {
        let edges = [
            edge(1, 3, "/dear", Some(900)),
            edge(1, 2, "/a", Some(10)),
            edge(2, 3, "/b", Some(10)),
        ];
        assert_eq!(way(&edges, 3), Some(vec!["/a".into(), "/b".into()]));
        assert_eq!(way(&edges, 1), Some(Vec::new()));
        assert_eq!(way(&edges, 4), None);
    }

    #[test]
    fn what_gave_several_answers_is_no_way() {
        let fickle = EdgeRow { fickle: true, ..edge(1, 2, "/fickle", Some(1)) };
        assert_eq!(way(std::slice::from_ref(&fickle), 2), None);
        assert_eq!(way(&[fickle, edge(1, 2, "/sure", None)], 2), Some(vec!["/sure".into()]));
    }

    #[test]
    fn a_circle_is_no_way_either() {
        let edges = [edge(2, 2, "/self", Some(0)), edge(2, 1, "/back", Some(0))];
        assert_eq!(way(&edges, 2), None);
    }
}
