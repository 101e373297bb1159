//! What is known about a page and one of its versions: how it was reached, and where its bytes come from.

use store::{Catalog, PageRow, VersionRow};

use crate::verb::meta;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::tell::clip;

/// Values that are shown of what a page says about itself, and headers.
const PAIRS: usize = 80;

/// The way to a page, and what is known of it.
pub struct About {
    /// The pages over which it was come upon.
    pub way: Vec<(i64, String, String)>,
    /// The events from its document to it: event, text of the element, what it does, where it is.
    pub steps: Vec<(String, String, String, String)>,
    pub pairs: Vec<(String, String)>,
    pub headers: Vec<(String, String)>,
}

impl About {
    /// What is known of a version of a page.
    pub async fn of(
        app: &App,
        page: &PageRow,
        version: &VersionRow,
        f: &Frame,
    ) -> Result<Self, Failure> {
        let catalog: &Catalog = &app.catalog;
        let way = catalog.way_to(page.page).await?;
        let way = way.into_iter().map(|row| {
            let title = if row.title.is_empty() { &row.key } else { &row.title };
            (row.page.0, clip(title, 120), clip(&row.key, 200))
        });
        let steps = page.path.iter().map(|step| {
            let (event, text) = (clip(&step.event, 40), clip(&step.text, 80));
            (event, text, clip(&step.instruction, 160), clip(&step.xpath, 200))
        });
        let meta = meta::Meta::of(catalog, page, version).await?;
        let w = f.w;
        let mut pairs = vec![
            (w.key.to_owned(), page.key.clone()),
            ("URL".to_owned(), page.url.clone()),
            (w.captured.to_owned(), version.time.to_string()),
            (w.first_seen.to_owned(), page.first_seen.to_string()),
            (w.last_visit.to_owned(), page.last_seen.to_string()),
        ];
        if let (Some(rate), Some(next)) = (meta.change_rate, meta.next_visit) {
            pairs.push((w.changes_a_day.to_owned(), format!("{rate:.2}")));
            pairs.push((w.worth_a_look.to_owned(), next.to_string()));
        }
        if version.drift_ms != 0 {
            pairs.push((w.clock_ahead.to_owned(), format!("{} ms", version.drift_ms)));
        }
        pairs
            .extend(page.content_hash.iter().map(|hash| (w.content_hash.to_owned(), hash.clone())));
        let of_version = meta.metadata;
        pairs.extend(of_version.digests.iter().map(|(name, value)| (name.clone(), text(value))));
        pairs.extend(of_version.own.iter().map(|(name, value)| (name.clone(), text(value))));
        pairs.extend(of_version.program.iter().map(|name| (w.program.to_owned(), name.clone())));
        let pairs = pairs.into_iter().take(PAIRS);
        let headers = of_version.headers.iter().take(PAIRS);
        Ok(Self {
            way: way.collect(),
            steps: steps.collect(),
            pairs: pairs.map(|(name, value)| (clip(&name, 60), clip(&value, 600))).collect(),
            headers: headers.map(|(name, value)| (clip(name, 60), clip(value, 600))).collect(),
        })
    }
}

fn text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
