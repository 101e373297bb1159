//! The sets: forums of known truth, each as the server sent it and as a browser drew it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use page::tree::{Dom, parse};
use record::{Kind, Source};
use serde::Deserialize;
use url::Url;

/// Which trees of the pages are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    Rendered,
    Raw,
    Both,
}

impl Given {
    pub const ALL: [Given; 3] = [Given::Rendered, Given::Raw, Given::Both];

    pub fn name(self) -> &'static str {
        match self {
            Given::Rendered => "rendered",
            Given::Raw => "raw",
            Given::Both => "both",
        }
    }
}

/// The pages of one site.
pub struct Set {
    pub name: String,
    pub pages: Vec<Page>,
}

/// A page and what is known of it.
pub struct Page {
    pub file: String,
    pub url: Url,
    pub captured: Option<i64>,
    /// What its records are; none if it is not labelled.
    pub kind: Option<Kind>,
    pub truth: Vec<Truth>,
    /// The title of the thread, of a page of posts.
    pub thread_title: Option<String>,
    /// Which fields of a thread it shows, where that is known.
    pub shows: Option<Vec<String>>,
    pub site: Option<String>,
    pub rendered: Option<Tree>,
    pub raw: Option<Tree>,
}

/// One tree of a page.
pub struct Tree {
    pub html: Vec<u8>,
    pub dom: Dom,
    /// All that its texts and attributes say, but for scripts and styles.
    said: String,
}

/// A record of the truth. Sets do not know every field.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Truth {
    pub title: Option<String>,
    pub author: Option<String>,
    pub time: Option<i64>,
    pub last_author: Option<String>,
    pub last_time: Option<i64>,
    pub replies: Option<u64>,
    pub content: Option<String>,
    #[serde(default)]
    pub quotes: Vec<String>,
    /// Its number in the site's tables, and the numbers of the posts that it answers, where they are known.
    #[serde(skip)]
    pub number: Option<u32>,
    #[serde(skip)]
    pub answers: Option<Vec<u32>>,
    /// By how many seconds a reader of the page may be off, where that is known.
    #[serde(skip)]
    pub within: Option<i64>,
    #[serde(skip)]
    pub last_within: Option<i64>,
    pub author_text: Option<String>,
    pub time_text: Option<String>,
}

#[derive(Deserialize)]
struct TruthFile {
    pages: Vec<TruthPage>,
}

#[derive(Deserialize)]
struct TruthPage {
    file: String,
    kind: String,
    url: Url,
    captured: Option<i64>,
    thread_title: Option<String>,
    site: Option<String>,
    records: Option<Vec<Truth>>,
}

impl Set {
    /// Reads a directory with `truth.json`, `raw` and, if scripts were run, `dom`.
    pub fn read(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join("truth.json");
        let text =
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let truth: TruthFile = serde_json::from_slice(&text)
            .with_context(|| format!("{} is not the truth of a forum", path.display()))?;
        let name = dir.file_name().map(|name| name.to_string_lossy().into_owned());
        let page = |page: TruthPage| -> anyhow::Result<Page> {
            Ok(Page {
                rendered: tree(&dir.join("dom").join(&page.file))?,
                raw: tree(&dir.join("raw").join(&page.file))?,
                kind: match page.kind.as_str() {
                    "list" => Some(Kind::Thread),
                    "post" => Some(Kind::Post),
                    _ => None,
                },
                truth: page.records.unwrap_or_default(),
                file: page.file,
                url: page.url,
                captured: page.captured,
                thread_title: page.thread_title,
                site: page.site,
                shows: None,
            })
        };
        Ok(Self {
            name: name.unwrap_or_default(),
            pages: truth.pages.into_iter().map(page).collect::<anyhow::Result<_>>()?,
        })
    }

    /// All sets below a directory, by name.
    pub fn all(dir: &Path) -> anyhow::Result<Vec<Self>> {
        let entries =
            std::fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
        let mut dirs = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.join("truth.json").is_file() {
                dirs.push(path);
            }
        }
        dirs.sort();
        dirs.iter().map(|dir| Set::read(dir)).collect()
    }

    /// The pages of each site, where they say which they are of.
    pub fn by_site(&self) -> BTreeMap<&str, Vec<&Page>> {
        let mut sites: BTreeMap<&str, Vec<&Page>> = BTreeMap::new();
        for page in &self.pages {
            sites.entry(page.site.as_deref().unwrap_or(&self.name)).or_default().push(page);
        }
        sites
    }

    /// Whether its pages are of several sites, and labelled by people.
    pub fn is_real(&self) -> bool {
        self.pages.iter().any(|page| page.site.is_some())
    }

    pub fn has(&self, given: Given) -> bool {
        self.pages.iter().any(|page| match given {
            Given::Rendered => page.rendered.is_some(),
            Given::Raw => page.raw.is_some(),
            Given::Both => page.rendered.is_some() && page.raw.is_some(),
        })
    }
}

impl Tree {
    pub fn new(html: Vec<u8>) -> Self {
        let dom = parse(&html, None).dom;
        Tree { said: said(&dom), html, dom }
    }
}

impl Page {
    /// What the learner is given of it.
    pub fn source(&self, given: Given) -> Source<'_> {
        Source {
            url: &self.url,
            page_type: None,
            captured: self.captured,
            rendered: self.rendered.as_ref().filter(|_| given != Given::Raw).map(|tree| &tree.dom),
            raw: self.raw.as_ref().filter(|_| given != Given::Rendered).map(|tree| &tree.dom),
        }
    }

    /// The trees that the learner is given.
    pub fn trees(&self, given: Given) -> impl Iterator<Item = &Tree> {
        let rendered = self.rendered.as_ref().filter(|_| given != Given::Raw);
        let raw = self.raw.as_ref().filter(|_| given != Given::Rendered);
        rendered.into_iter().chain(raw)
    }

    /// Whether a tree that is given says one of some texts, where no digit is before it.
    pub fn says_any(&self, given: Given, texts: &[String]) -> bool {
        self.trees(given).any(|tree| texts.iter().any(|text| says(&tree.said, text)))
    }

    /// The thread that it is a page of: what its file is called, without the number of the page.
    pub fn thread(&self) -> &str {
        self.file.rsplit_once('_').map_or(&self.file, |(thread, _)| thread)
    }
}

fn says(said: &str, text: &str) -> bool {
    let is_apart = |at: usize| {
        said.get(..at)
            .and_then(|before| before.chars().next_back())
            .is_none_or(|before| !before.is_ascii_digit() && before != ':')
    };
    !text.is_empty() && said.match_indices(text).any(|(at, _)| is_apart(at))
}

/// The texts and attributes of a tree, a line each.
fn said(dom: &Dom) -> String {
    let mut text = String::new();
    for node in dom.nodes() {
        let parent = node.parent().map(|parent| parent.name());
        if !matches!(parent, Some("script" | "style")) {
            text.push_str(node.text());
            text.push('\n');
        }
        for (_, value) in node.attributes() {
            text.push_str(value);
            text.push('\n');
        }
    }
    text
}

fn tree(path: &Path) -> anyhow::Result<Option<Tree>> {
    if !path.is_file() {
        return Ok(None);
    }
    let html = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Some(Tree::new(html)))
}
