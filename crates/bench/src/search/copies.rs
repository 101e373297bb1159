//! A store of real pages, each many times with some of its words changed: as large as is asked for, without cutting
//! every copy, since words are changed for others of the same length, so that a page is cut as it was.

use std::collections::{HashMap, HashSet};

use derive::{Captured, CutSettings, first_cut};
use page::block::{KeptCut, partition};
use page::state::mask_from_rules;
use page::tree::{Mask, parse, restore, serialise, title};
use page::words::is_dense;
use store::{Capture, CatalogWriter, FirstCut, ImportStep, Imported, Millis, StateId, Via};
use url::Url;

use crate::partition::corpus::Corpus;

/// One word of so many is changed in a copy.
const CHANGED: u64 = 5;
/// Pages that are repeated: those with most blocks a byte, so that the store stays small.
const PAGES: usize = 120;
/// Pages without blocks to speak of say nothing about an index.
const LEAST_BLOCKS: usize = 8;
/// When the first copy was captured, and how far they are apart.
const BEGUN: i64 = 1_500_000_000_000;
const APART: i64 = 3_600_000;
/// Imports that are under way at once: they share a commit.
const AT_ONCE: usize = 32;

/// What was made.
pub struct Copies {
    /// Bytes of the pages.
    pub bytes: u64,
    /// What the originals say, with their sites.
    pub texts: Vec<(String, String)>,
}

/// A page that is repeated.
struct Original {
    snapshot: String,
    cut: FirstCut,
    title: String,
    texts: Vec<String>,
}

impl Copies {
    /// Fills a store with this many versions of blocks.
    pub async fn make(
        corpus: &Corpus,
        catalog: &std::sync::Arc<CatalogWriter>,
        blocks: u64,
    ) -> anyhow::Result<Self> {
        let originals = originals(corpus)?;
        let words = Words::of(originals.iter().map(|page| page.snapshot.as_str()));
        let mut copies = Self { bytes: 0, texts: Vec::new() };
        let (mut made, mut round) = (0, 0_u64);
        let mut under_way = tokio::task::JoinSet::new();
        while made < blocks {
            for (nth, page) in originals.iter().enumerate() {
                let site = match round {
                    0 => format!("original{nth}.example"),
                    _ => format!("copies{}.example", round % 16),
                };
                let snapshot = match round {
                    0 => page.snapshot.clone(),
                    round => words.changed(&page.snapshot, round * 1000 + nth as u64),
                };
                if round == 0 {
                    copies.texts.extend(page.texts.iter().map(|text| (site.clone(), text.clone())));
                }
                made += page.cut.begun.len() as u64;
                copies.bytes += snapshot.len() as u64;
                let step = step(&site, nth, round, page, snapshot);
                let catalog = catalog.clone();
                while under_way.len() >= AT_ONCE {
                    kept(under_way.join_next().await)?;
                }
                under_way.spawn(async move { catalog.import(step).await });
            }
            round += 1;
        }
        while let Some(ended) = under_way.join_next().await {
            kept(Some(ended))?;
        }
        eprintln!("  {round} rounds of {} pages, {made} versions of blocks", originals.len());
        Ok(copies)
    }
}

type Ended = Result<Result<Imported, store::StoreError>, tokio::task::JoinError>;

fn kept(ended: Option<Ended>) -> anyhow::Result<()> {
    if let Some(ended) = ended {
        ended??;
    }
    Ok(())
}

fn step(site: &str, nth: usize, round: u64, page: &Original, snapshot: String) -> ImportStep {
    let digest = blake3::hash(snapshot.as_bytes());
    let mut state = [0; 16];
    state.copy_from_slice(&digest.as_bytes()[..16]);
    ImportStep {
        site: site.to_owned(),
        url: format!("https://{site}/{nth}/{round}"),
        time: Millis(BEGUN + (round as i64 * 1000 + nth as i64) * APART),
        capture: Some(Capture {
            state: StateId(state),
            snapshot: Some(snapshot.into_bytes()),
            body: None,
            title: page.title.clone(),
            http_status: Some(200),
            via: Via::Browser,
            drift_ms: 0,
            page_type: Some(format!("type{}", nth % 20)),
            content_type: None,
            looks: None,
            run: None,
            cut: Some(page.cut.clone()),
        }),
        state: None,
        exchanges: Vec::new(),
    }
}

/// The pages that are repeated, a third of them Chinese if there are so many.
fn originals(corpus: &Corpus) -> anyhow::Result<Vec<Original>> {
    let (mut chinese, mut others) = (Vec::new(), Vec::new());
    for name in corpus.pages()? {
        let Some(bytes) = corpus.page(&name)? else { continue };
        let Some(page) = original(&bytes) else { continue };
        let dense =
            page.texts.iter().flat_map(|text| text.chars()).filter(|c| is_dense(*c)).count();
        let letters = page.texts.iter().map(|text| text.chars().count()).sum::<usize>();
        if dense * 3 > letters { chinese.push(page) } else { others.push(page) }
    }
    let bytes_a_block = |page: &Original| page.snapshot.len() / page.cut.begun.len().max(1);
    chinese.sort_by_key(bytes_a_block);
    others.sort_by_key(bytes_a_block);
    chinese.truncate(PAGES / 3);
    others.truncate(PAGES - chinese.len());
    chinese.append(&mut others);
    Ok(chinese)
}

fn original(bytes: &[u8]) -> Option<Original> {
    let snapshot = serialise(&parse(bytes, None).dom);
    let dom = restore(&snapshot).ok()?;
    let title = title(&dom);
    let url = Url::parse("https://page.example/").ok()?;
    let mask: Mask = mask_from_rules(std::iter::empty());
    let (cut, dom, _) = first_cut(
        &CutSettings::default(),
        Captured {
            dom,
            looks: None,
            mask: &mask,
            url: &url,
            page_type: None,
            headers: &[],
            html: None,
            level: page::block::DEFAULT_LEVEL,
            is_unlearned: false,
        },
    );
    let tree = partition(&dom, None);
    let kept = KeptCut::from_bytes(&tree, &cut.layout)?;
    let texts = kept.cut.blocks().iter().map(|at| tree.block(*at).text(&dom));
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    (texts.len() >= LEAST_BLOCKS).then_some(Original { snapshot, cut, title, texts })
}

/// Words by their length, to put in each other's place.
struct Words {
    of_length: HashMap<(usize, bool), Vec<String>>,
}

impl Words {
    fn of<'a>(pages: impl Iterator<Item = &'a str>) -> Self {
        let mut known = HashSet::new();
        let mut of_length: HashMap<(usize, bool), Vec<String>> = HashMap::new();
        for page in pages {
            each_text(page, |text| {
                for word in page::words::segment(text) {
                    if let Some(kind) = kind_of(word.text)
                        && known.insert(word.text.to_owned())
                    {
                        of_length.entry(kind).or_default().push(word.text.to_owned());
                    }
                }
            });
        }
        Self { of_length }
    }

    /// A page with some of its words changed, always the same for a number.
    fn changed(&self, page: &str, number: u64) -> String {
        let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let mut changed = String::with_capacity(page.len());
        let mut from = 0;
        each_text(page, |text| {
            let at = text.as_ptr() as usize - page.as_ptr() as usize;
            for word in page::words::segment(text) {
                let Some(others) = kind_of(word.text).and_then(|kind| self.of_length.get(&kind))
                else {
                    continue;
                };
                if !next().is_multiple_of(CHANGED) {
                    continue;
                }
                // A character reference is no word.
                let is_reference = text[..word.at.start].ends_with(['&', '#', ';']);
                if let Some(other) = others.get(next() as usize % others.len())
                    && !is_reference
                {
                    changed.push_str(&page[from..at + word.at.start]);
                    changed.push_str(other);
                    from = at + word.at.end;
                }
            }
        });
        changed + &page[from..]
    }
}

/// What a word can be put in the place of: as many characters of the same sort, and no digits.
fn kind_of(word: &str) -> Option<(usize, bool)> {
    let dense = word.starts_with(is_dense);
    let count = word.chars().count();
    let least = if dense { 2 } else { 4 };
    let is_plain = dense || word.bytes().all(|byte| byte.is_ascii_lowercase());
    (count >= least && is_plain).then_some((count, dense))
}

/// Gives the texts of a serialised page, outside of markup, scripts and styles.
fn each_text<'a>(page: &'a str, mut take: impl FnMut(&'a str)) {
    let mut rest = page;
    while let Some(open) = rest.find('<') {
        let (text, markup) = rest.split_at(open);
        if !text.trim().is_empty() {
            take(text);
        }
        let end = match () {
            () if markup.starts_with("<!--") => end_of(markup, "-->"),
            () if markup.starts_with("<script") => end_of(markup, "</script>"),
            () if markup.starts_with("<style") => end_of(markup, "</style>"),
            () if markup.starts_with("<title") => end_of(markup, "</title>"),
            () => end_of_tag(markup),
        };
        rest = &markup[end..];
    }
}

fn end_of(markup: &str, end: &str) -> usize {
    markup.find(end).map_or(markup.len(), |at| at + end.len())
}

/// Behind the bracket that closes a tag; one inside a quoted value does not.
fn end_of_tag(markup: &str) -> usize {
    let mut quote = None;
    for (at, c) in markup.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return at + 1,
            (None, _) => {}
        }
    }
    markup.len()
}
