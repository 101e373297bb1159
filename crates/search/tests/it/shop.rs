//! Stores with a history that is known.

use std::path::Path;
use std::sync::Arc;

use derive::{CutSettings, Found, Import};
use search::{Hit, Index, Query, SearchResult, Updated};
use store::{CatalogWriter, Millis};
use tempfile::TempDir;

const DAY: i64 = 86_400_000;

/// The n-th day.
pub fn day(n: i64) -> Millis {
    Millis(1_767_225_600_000 + n * DAY)
}

/// A store and its index.
pub struct Shop {
    pub directory: TempDir,
    pub catalog: Arc<CatalogWriter>,
}

impl Shop {
    pub fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let catalog = Arc::new(CatalogWriter::open(&directory.path().join("store")).unwrap());
        Self { directory, catalog }
    }

    /// Takes in captures: URL, day, page.
    pub async fn import(&self, captures: &[(&str, i64, String)]) {
        let settings = CutSettings { level: Some(4), ..CutSettings::default() };
        let mut import = Import::begin(self.catalog.clone(), settings, "{}").await.unwrap();
        for (url, time, html) in captures {
            let body = html.clone().into_bytes();
            import.add(Found { url: url.parse().unwrap(), time: day(*time), body }).await.unwrap();
        }
        import.finish().await.unwrap();
    }

    pub fn index_path(&self) -> std::path::PathBuf {
        Index::place(self.catalog.location(), None).unwrap()
    }

    /// The index, brought up to date.
    pub async fn index(&self) -> Index {
        self.updated().await.0
    }

    pub async fn updated(&self) -> (Index, Updated) {
        let index = Index::open(Path::new(&self.index_path())).unwrap();
        let updated = index.update(&self.catalog, |_| ()).await.unwrap();
        (index, updated)
    }

    pub async fn search(&self, query: Query) -> SearchResult {
        self.index().await.search(&self.catalog, &query).await.unwrap()
    }

    pub async fn hits(&self, query: &str) -> Vec<Hit> {
        self.search(Query::new(query)).await.hits
    }

    /// How many texts there are.
    pub async fn total(&self, query: &str) -> u64 {
        self.search(Query::new(query)).await.total
    }
}

/// A page of stories, each a block of its own.
pub fn page(title: &str, stories: &[(&str, &str)]) -> String {
    let stories: String = stories
        .iter()
        .map(|(head, text)| format!("<article><h2>{head}</h2><p>{text}</p></article>"))
        .collect();
    format!(
        "<html lang=en><head><title>{title}</title></head><body><nav><a href=/>Home</a> <a href=/s>Sport</a> \
         <a href=/w>Weather</a></nav><main>{stories}</main><footer><p>Imprint of the example company</p></footer>"
    )
}

/// Enough words around a sentence to make a story of it.
pub fn at_length(sentence: &str) -> String {
    format!(
        "{sentence} Nobody had expected it so soon, and those who had said so afterwards were hard to find. \
         The council met at noon and did not part before the evening; what it decided will be read out \
         tomorrow, weather permitting, on the quay."
    )
}
