//! Page types against the truth, on forums and on the bundled sites: ours, and those of seed 000.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use browser::http::{AddressRule, Client, ClientOptions, Request};
use page::state::Difference;
use page::state::url::shape as url_shape;
use page::tree::{Dom, Mask, parse};
use page::types::{Shape, TypeId, TypeMethod, Types};
use serde::Deserialize;
use testsite::{Lang, Options, Paging, Reach, SiteKind};
use url::Url;

use crate::sheet::{Experiment, Sheet, rounded};
use crate::tree::{Scratch, unpacked};

/// What is asked for, of ours.
const LEAST_F1: f64 = 0.98;
/// Other orders in which the pages of a site are met, for ours.
const ORDERS: u64 = 8;
/// How many pages of its kind each page is compared with, to see whether two are held equal.
const NEIGHBOURS: usize = 8;

/// Sorts the pages of every corpus into types, by each method.
pub async fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    let scratch = Scratch::new()?;
    match data
        .filter(|_| !quick)
        .map(|dir| unpacked(dir, "forums", &scratch))
        .transpose()?
        .flatten()
    {
        // The archive holds the forums themselves, a directory each.
        Some(dir) if !dir.is_dir() => forums(sheet, dir.parent().unwrap_or(&dir))?,
        Some(dir) => forums(sheet, &dir)?,
        None => eprintln!("bench papers: types of forums are skipped; see --data"),
    }
    for SitePages { name, kind, options } in sites().into_iter().take(if quick { 1 } else { 6 }) {
        let pages = fetched(kind, options).await?;
        // A room of the maze is a kind of its own, whatever its pages look like.
        let is_checked = kind != SiteKind::Maze;
        corpus(sheet, name, &pages, |page| Some(page.kind.clone()), is_checked)?;
    }
    Ok(())
}

/// The pages of a bundled site that have a URL.
#[derive(Clone, Debug)]
pub struct SitePages {
    pub name: &'static str,
    pub kind: SiteKind,
    options: Options,
}

impl SitePages {
    /// Sorts them into types.
    pub async fn measure(&self, method: TypeMethod) -> anyhow::Result<Measured> {
        let pages = fetched(self.kind, self.options.clone()).await?;
        let kinds: Vec<_> = pages.iter().map(|page| Some(page.kind.clone())).collect();
        Ok(Measured::of(&pages, &kinds, method))
    }
}

/// The bundled sites whose pages are sorted into types.
pub fn sites() -> [SitePages; 6] {
    let of = |size, lang| Options {
        size,
        lang,
        paging: Paging::Links,
        chaff: 300,
        ..Options::default()
    };
    let site = |name, kind, options| SitePages { name, kind, options };
    [
        site("news", SiteKind::News, of(0, Lang::English)),
        site("news/zh", SiteKind::News, of(0, Lang::Chinese)),
        site("bbs", SiteKind::Bbs, of(120, Lang::English)),
        site("bbs/zh", SiteKind::Bbs, of(120, Lang::Chinese)),
        site("blog", SiteKind::Blog, of(200, Lang::English)),
        site("maze", SiteKind::Maze, of(0, Lang::English)),
    ]
}

/// A page whose kind is known.
struct Page {
    kind: String,
    url: Url,
    dom: Dom,
}

/// The engines, each as the server sent it and as it was drawn, and the real forums.
///
/// The truth names lists and threads; `other` is all else, among it lists and threads at other
/// addresses. So it is taken in three ways: by lists and threads alone (`labelled`), with each
/// other page as the kind that its address says (`by-address`), and, not checked, as it stands,
/// with all others as one kind (`as-it-stands`).
fn forums(sheet: &mut Sheet, dir: &Path) -> anyhow::Result<()> {
    for engine in ["fluxbb", "machina", "misago"] {
        for form in ["raw", "dom"] {
            let pages = labelled(&dir.join(engine), form)?;
            let name = format!("{engine}/{form}");
            let labelled = |page: &Page| (page.kind != "other").then(|| page.kind.clone());
            corpus(sheet, &format!("{name}/labelled"), &pages, labelled, true)?;
            let by_address = addresses(&pages);
            let kind = |page: &Page| by_address.get(page.url.as_str()).cloned();
            corpus(sheet, &format!("{name}/by-address"), &pages, kind, true)?;
            let kind = |page: &Page| Some(page.kind.clone());
            corpus(sheet, &format!("{name}/as-it-stands"), &pages, kind, false)?;
        }
    }
    let real = labelled(&dir.join("real"), "raw")?;
    corpus(sheet, "real", &real, |page| Some(page.kind.clone()), false)
}

/// One set of pages. `kind` is what a page is, or none if it does not count. What ours misses is a
/// figure missed where it `is_checked`.
fn corpus(
    sheet: &mut Sheet,
    name: &str,
    pages: &[Page],
    kind: impl Fn(&Page) -> Option<String>,
    is_checked: bool,
) -> anyhow::Result<()> {
    let kinds: Vec<_> = pages.iter().map(kind).collect();
    let mut different: Vec<_> = kinds.iter().flatten().collect();
    different.sort_unstable();
    different.dedup();
    for method in [TypeMethod::Places, TypeMethod::Rtdm] {
        let Measured { types, pairs, least_f1: least, other_orders: others, held_equal, mut times } =
            Measured::of(pages, &kinds, method);
        times.sort_unstable();
        let p99 = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
        let mean = times.iter().sum::<Duration>() / u32::try_from(times.len().max(1))?;
        let [mean, p99] = [mean, p99].map(|time| rounded(time.as_secs_f64() * 1e3));
        let row = Experiment::new(format!("papers/types/{name}/{method}"))
            .ours("pages", pages.len())
            .ours("types", types)
            .ours("kinds", different.len())
            .ours("f1", rounded(pairs.f1()))
            .ours("precision", rounded(pairs.precision()))
            .ours("recall", rounded(pairs.recall()))
            .ours("ms", mean)
            .ours("p99_ms", p99);
        let is_asked = is_checked && method == TypeMethod::Places;
        sheet.put(
            row.ask(!is_asked || least >= LEAST_F1, format!("F1 {least:.4}, asked {LEAST_F1}"))
                .ask(!is_asked || others == 0, format!("{others} orders led to other types"))
                .ask(!is_asked || held_equal == 0, format!("{held_equal} pages held equal")),
        )?;
    }
    Ok(())
}

/// How well pages were sorted into types.
pub struct Measured {
    types: usize,
    pub pairs: Pairs,
    /// In whatever order they were met.
    least_f1: f64,
    /// Orders that led to other types.
    pub other_orders: u64,
    /// Different pages that would be held one.
    pub held_equal: usize,
    times: Vec<Duration>,
}

impl Measured {
    fn of(pages: &[Page], kinds: &[Option<String>], method: TypeMethod) -> Self {
        let shapes: Vec<_> = pages.iter().map(|page| Shape::by(method, &page.dom)).collect();
        let order: Vec<usize> = (0..pages.len()).collect();
        let (types, ids, times) = placed(pages, &shapes, &order);
        let pairs = Pairs::of(kinds, &ids);
        let (mut other_orders, mut least_f1) = (0, pairs.f1());
        let is_ours = method == TypeMethod::default();
        for seed in 1..=if is_ours { ORDERS } else { 0 } {
            let (_, again, _) = placed(pages, &shapes, &shuffled(order.clone(), seed));
            let same: Vec<_> = ids.iter().map(|id| Some(id.map_or(0, |id| id.0))).collect();
            other_orders += u64::from(Pairs::of(&same, &again).f1() < 1.0);
            least_f1 = least_f1.min(Pairs::of(kinds, &again).f1());
        }
        let held_equal = if is_ours { held_equal(pages, kinds) } else { 0 };
        Self { types: types.len(), pairs, least_f1, other_orders, held_equal, times }
    }
}

/// Places pages in an order. Where each of them belongs is asked when all are known: types are
/// corrected while a site is met. The times are those of making a shape and placing it.
fn placed(
    pages: &[Page],
    shapes: &[Shape],
    order: &[usize],
) -> (Types, Vec<Option<TypeId>>, Vec<Duration>) {
    let mut types = Types::new();
    let mut times = Vec::new();
    for (page, shape) in order.iter().filter_map(|at| Some((pages.get(*at)?, shapes.get(*at)?))) {
        let begun = Instant::now();
        types.place(&Shape::by(shape.method(), &page.dom), &page.url);
        times.push(begun.elapsed());
    }
    let ids = pages.iter().zip(shapes).map(|(page, shape)| types.like_at(shape, &page.url));
    let ids = ids.collect();
    (types, ids, times)
}

/// Pairs of pages that are of one kind, of one type, and both.
#[derive(Default)]
pub struct Pairs {
    pub kind: u64,
    pub of_type: u64,
    pub both: u64,
}

impl Pairs {
    fn of<K: PartialEq>(kinds: &[Option<K>], types: &[Option<TypeId>]) -> Self {
        let mut pairs = Pairs::default();
        let counted =
            || kinds.iter().zip(types).filter_map(|(kind, of)| Some((kind.as_ref()?, of)));
        for (at, (kind, of)) in counted().enumerate() {
            for (other_kind, other) in counted().skip(at + 1) {
                let (one_kind, one_type) = (kind == other_kind, of.is_some() && of == other);
                pairs.kind += u64::from(one_kind);
                pairs.of_type += u64::from(one_type);
                pairs.both += u64::from(one_kind && one_type);
            }
        }
        pairs
    }

    fn precision(&self) -> f64 {
        if self.of_type == 0 { 1.0 } else { self.both as f64 / self.of_type as f64 }
    }

    fn recall(&self) -> f64 {
        if self.kind == 0 { 1.0 } else { self.both as f64 / self.kind as f64 }
    }

    fn f1(&self) -> f64 {
        2.0 * self.both as f64 / ((self.kind + self.of_type) as f64).max(1.0)
    }
}

/// How often two different pages of a kind would be held one because only clocks differ.
fn held_equal(pages: &[Page], kinds: &[Option<String>]) -> usize {
    let mut found = 0;
    for (at, (page, kind)) in pages.iter().zip(kinds).enumerate() {
        let others = pages.iter().zip(kinds).skip(at + 1).filter(|(_, other)| *other == kind);
        for (other, _) in others.take(NEIGHBOURS) {
            let apart = Duration::from_secs(60);
            let difference = Difference::between(&page.dom, &other.dom, &Mask::default(), apart);
            found += usize::from(difference.is_equal() && !difference.is_none());
        }
    }
    found
}

fn shuffled(mut order: Vec<usize>, seed: u64) -> Vec<usize> {
    let mut state = seed;
    for at in (1..order.len()).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, (state >> 33) as usize % (at + 1));
    }
    order
}

/// `truth.json` of a forum.
#[derive(Deserialize)]
struct Forum {
    pages: Vec<ForumPage>,
}

#[derive(Deserialize)]
struct ForumPage {
    file: String,
    url: Url,
    kind: Option<String>,
    site: Option<String>,
}

fn labelled(dir: &Path, form: &str) -> anyhow::Result<Vec<Page>> {
    let truth = dir.join("truth.json");
    let text = std::fs::read(&truth).with_context(|| format!("cannot read {}", truth.display()))?;
    let forum: Forum = serde_json::from_slice(&text)
        .with_context(|| format!("{} is not the truth of a forum", truth.display()))?;
    let mut pages = Vec::new();
    for ForumPage { file, url, kind, site } in forum.pages {
        let path = dir.join(form).join(&file);
        let bytes =
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let kind = site.or(kind).unwrap_or_default();
        pages.push(Page { kind, url, dom: parse(&bytes, None).dom });
    }
    Ok(pages)
}

/// The kind of each page by its address: that of the labelled pages at addresses of its pattern, as
/// far as the path goes; else the pattern itself.
fn addresses(pages: &[Page]) -> HashMap<&str, String> {
    let path = |page: &Page| url_shape(&page.url).split('?').next().unwrap_or_default().to_owned();
    let mut by_path = HashMap::new();
    for page in pages.iter().filter(|page| page.kind != "other") {
        by_path.insert(path(page), page.kind.clone());
    }
    let kind = |page: &Page| {
        let known = by_path.get(&path(page)).filter(|_| page.kind == "other");
        match known {
            Some(kind) => kind.clone(),
            None if page.kind == "other" => url_shape(&page.url),
            None => page.kind.clone(),
        }
    };
    pages.iter().map(|page| (page.url.as_str(), kind(page))).collect()
}

/// The pages of a bundled site that have a URL.
async fn fetched(kind: SiteKind, options: Options) -> anyhow::Result<Vec<Page>> {
    let site = testsite::serve(kind, options).await.context("cannot serve the site")?;
    let port = site.addr().port();
    let rule = AddressRule::public_only().allow_named("127.0.0.1", port);
    let client = Client::new(ClientOptions::new("bathys-bench", rule))?;
    let mut pages = Vec::new();
    let plain =
        |state: &&testsite::State| matches!(state.reach, Reach::Url) && !state.url.contains('#');
    for state in site.truth().states.iter().filter(plain) {
        let url: Url = site.url_of(&state.url).parse()?;
        let answer = client.fetch(&Request::get(url.clone())).await;
        let answer = answer.with_context(|| format!("cannot fetch {url}"))?;
        pages.push(Page { kind: state.kind.clone(), url, dom: parse(&answer.body, None).dom });
    }
    site.stop().await;
    Ok(pages)
}
