//! Search: Chinese words and phrases of a bundled forum that are found, and questions about bundled sites that
//! are answered rightly.

use derive::{CutSettings, Found, Import};
use search::Index;
use store::Millis;
use testsite::{Forum, Lang, Options, Template};
use url::Url;

use super::counts::CaseCounts;
use crate::search::queries::chinese_recall;
use crate::search::questions::{Tally, forum, portal};
use crate::trial::Trial;

/// Threads of the forum that Chinese is looked for in.
const THREADS: u32 = 8;

pub async fn count_questions() -> anyhow::Result<CaseCounts> {
    let mut counts = CaseCounts::default();
    let mut put = |name: &str, tally: &Tally| {
        counts.at_least(format!("{name}_right"), tally.right);
        counts.at_most(format!("{name}_missed"), tally.asked - tally.right);
        counts.at_most(format!("{name}_answered_all_the_same"), tally.wrongly_answered);
    };
    put("portal", &portal(Lang::English).await?);
    put("portal_chinese", &portal(Lang::Chinese).await?);
    put("forum", &forum(Template::Terms).await?);
    put("forum_chinese", &forum(Template::Chinese).await?);
    Ok(counts)
}

pub async fn count_chinese() -> anyhow::Result<CaseCounts> {
    let options = Options { template: Template::Chinese, size: THREADS, ..Options::default() };
    let (site, now) = (Forum::generate(&options), options.clock.now());
    let base = Url::parse("http://forum.example/")?;
    let tables = site.tables(now);
    let trial = Trial::new()?;
    let mut import = Import::begin(trial.catalog.clone(), CutSettings::default(), "{}").await?;
    for page in &tables.pages {
        let Some(html) = site.page(&page.url, now) else { continue };
        let (url, time) = (base.join(&page.url)?, Millis(now.as_millisecond()));
        import.add(Found { url, time, body: html.into_bytes() }).await?;
    }
    import.finish().await?;
    let index = Index::open(&Index::place(trial.catalog.location(), None)?)?;
    let updated = index.update(&trial.catalog, |_| ()).await?;
    let name = trial.catalog.stats().await?.sites.into_iter().next().unwrap_or_default();
    let texts: Vec<(String, String)> =
        tables.posts.iter().map(|post| (name.clone(), post.content.clone())).collect();
    let recall = chinese_recall(&index, &trial.catalog, &texts).await?;
    let mut counts = CaseCounts::default();
    counts.at_least("words", recall.words - recall.missed.len().min(recall.words));
    counts.at_least("phrases", recall.phrases);
    counts.at_most("missed", recall.missed.len());
    counts.at_most("texts", updated.texts);
    Ok(counts)
}
