//! Training (seed 000, algorithm 1): pages that a person names as samples are learned from, and a
//! model comes of it.
//!
//! Of the seed is that every event of a sample is fired. Added is what the seed left open: the
//! states that these events lead to are learned from too, if they are of a sample's type, so that
//! it is known which events mean the same everywhere ("5") and which lead to nothing that others do
//! not ("next"); a few links of each sort are followed one step, to see where they lead; and if that
//! is a page of a sample's type, it is learned from as well: a sample thread may have one page only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use page::state::url::normalise;
use page::types::Shape;
use store::CatalogWriter;
use tracing::info;
use url::Url;

use crate::error::CrawlError;
use crate::machine::{Crawl, Trouble, Worker};
use crate::report::Report;
use crate::settings::{Filters, Forms, Render, Settings};
use crate::site::SiteCrawl;
use crate::site::model::Model;
use derive::Meter;

/// Shapes that a model keeps of a type that is no sample's: enough to tell it from the others.
const SHAPES_OF_OTHERS: usize = 1;

/// What came of a training.
#[derive(Clone, Debug)]
pub struct Trained {
    /// What was learned, to be written into a file.
    pub model: Model,
    /// Events fired to learn it.
    pub events_fired: u64,
    /// All that was done.
    pub report: Report,
}

/// A training that is set up and can be run.
pub struct Training {
    crawl: Crawl,
    samples: Vec<(String, Url)>,
}

/// Learns from samples, each a name for its page type and a URL.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use crawl::{Settings, train};
/// use store::CatalogWriter;
///
/// let dir = tempfile::tempdir()?;
/// let catalog = Arc::new(CatalogWriter::open(dir.path())?);
/// let samples = vec![("comments".into(), "https://example.org/news/1/comments".parse()?)];
/// let trained = train(samples, Settings::new(Vec::new()), catalog).await?;
/// std::fs::write("model.toml", trained.model.to_string())?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// When a sample cannot be loaded, or the store or the browser fails.
pub async fn train(
    samples: Vec<(String, Url)>,
    settings: Settings,
    catalog: Arc<CatalogWriter>,
) -> Result<Trained, CrawlError> {
    Training::begin(samples, settings, catalog).await?.run().await
}

impl Training {
    /// Sets a training up. Of the settings, where to begin, what is wanted and the filters follow
    /// from the samples; manners and limits hold as in a crawl.
    ///
    /// # Errors
    /// When a sample's URL or a pattern cannot be used, or the store fails.
    pub async fn begin(
        samples: Vec<(String, Url)>,
        settings: Settings,
        catalog: Arc<CatalogWriter>,
    ) -> Result<Self, CrawlError> {
        let samples: Vec<_> =
            samples.into_iter().map(|(name, url)| (name, normalise(url))).collect();
        let names: BTreeSet<_> = samples.iter().map(|(name, _)| name.clone()).collect();
        let settings = Settings {
            start: samples.iter().map(|(_, url)| url.clone()).collect(),
            want: names.into_iter().collect(),
            filters: Filters { instruction: true, pattern: true, ..settings.filters },
            forms: Forms::Off,
            render: Render::Always,
            model: None,
            ..settings
        };
        let crawl = Crawl::begin(settings, catalog).await?;
        if let [_, other, ..] = crawl.sites.as_slice() {
            let reason = "the other samples are of another site".to_owned();
            return Err(CrawlError::Sample { url: other.site.clone(), reason });
        }
        crawl.sites.iter().for_each(|site| site.train());
        Ok(Self { crawl, samples })
    }

    /// The running totals, to look at and to interrupt.
    pub fn meter(&self) -> Arc<Meter> {
        self.crawl.meter()
    }

    /// Learns until everything was fired, a limit is reached, or it is interrupted.
    ///
    /// # Errors
    /// When a sample cannot be loaded, or the store or the browser fails.
    pub async fn run(self) -> Result<Trained, CrawlError> {
        let Some(site) = self.crawl.sites.first().cloned() else {
            return Err(CrawlError::Lost("a training without a site"));
        };
        if let Err(error) = name_types(&site, &self.samples).await {
            site.close().await;
            return Err(error);
        }
        let report = self.crawl.run().await?;
        let names: BTreeSet<_> = self.samples.into_iter().map(|(name, _)| name).collect();
        let model = site.with_knowledge(|knowledge| Model::of(&site.page_types, knowledge, &names));
        Ok(Trained {
            model: essential(model, &names),
            events_fired: report.events_fired.unsigned_abs(),
            report,
        })
    }
}

/// Looks at every sample before anything else: the types have their names from the first event on.
async fn name_types(site: &Arc<SiteCrawl>, samples: &[(String, Url)]) -> Result<(), CrawlError> {
    let mut worker = Worker::new(site.clone());
    let mut shapes: BTreeMap<&str, Vec<Shape>> = BTreeMap::new();
    for (name, url) in samples {
        site.meter.now_at(url.as_str());
        let shape = shape_of(&mut worker, url).await.map_err(|trouble| match trouble {
            Trouble::Crawl(error) => error,
            other => CrawlError::Sample { url: url.to_string(), reason: other.to_string() },
        })?;
        shapes.entry(name).or_default().push(shape);
    }
    for (name, shapes) in shapes {
        site.page_types.define(name, &shapes);
    }
    worker.close_tab().await;
    Ok(())
}

async fn shape_of(worker: &mut Worker, url: &Url) -> Result<Shape, Trouble> {
    worker.crawl.manners.ask(url).await?;
    let tab = worker.tab_to_navigate().await?;
    let visit = tab.navigate(url).await?;
    if visit.status >= 400 {
        return Err(Trouble::Strayed(format!("the server answered {}", visit.status)));
    }
    let walk = tab.walk().await?;
    info!("{url} is a sample");
    Ok(Shape::by(worker.crawl.page_types.method(), &walk.dom))
}

/// A model without more shapes than tell the types apart that are no sample's.
fn essential(mut model: Model, samples: &BTreeSet<String>) -> Model {
    for known in &mut model.types {
        known.shapes.sort_by_key(Shape::len);
        known.shapes.dedup();
        if !samples.contains(&known.name) {
            known.shapes.truncate(SHAPES_OF_OTHERS);
        }
    }
    model
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::model::TypeModel;

    #[test]
    fn a_model_keeps_one_shape_of_types_that_are_no_samples() {
        let shape = |html: &str| Shape::of(&page::tree::parse_str(html).dom);
        let shapes = vec![shape("<ul><li>"), shape("<p>"), shape("<p>")];
        let of = |name: &str| TypeModel { name: name.into(), shapes: shapes.clone() };
        let types = ["article", "comments"].map(of).to_vec();
        let model = essential(
            Model { version: 1, types, patterns: Vec::new() },
            &["comments".to_owned()].into(),
        );
        let kept: Vec<_> =
            model.types.iter().map(|of| (of.name.as_str(), of.shapes.len())).collect();
        assert_eq!(kept, [("article", 1), ("comments", 2)]);
    }
}
