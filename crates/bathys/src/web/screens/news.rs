//! Versions that came into the store, newest first, over one site or all of them.

use std::sync::Arc;

use store::{Began, BlockRow, NewVersion};

use crate::web::App;
use crate::web::tell::{When, clip};

/// Versions of a site that are looked through for those that are told.
const LOOKED_AT: u32 = 400;
/// How often: what is further back than that is not news.
const LOOKS: usize = 10;
/// Topics that are told of one version.
const TOPICS: usize = 4;

/// A version, as it is told.
pub struct News {
    pub when: When,
    pub page: i64,
    pub version: i64,
    pub title: String,
    pub key: String,
    /// What changed or is new.
    pub topics: Vec<String>,
}

/// The newest versions of some sites.
pub struct Newest {
    pub versions: Vec<NewVersion>,
    /// Those that were left out.
    pub folded: usize,
}

/// The newest versions of these sites that are to be told; of one site, those before a change.
pub async fn newest(
    app: &App,
    sites: &[String],
    before: Option<i64>,
    most: usize,
    is_told: impl Fn(&NewVersion) -> bool,
) -> anyhow::Result<Newest> {
    let (mut versions, mut folded) = (Vec::new(), 0);
    for site in sites {
        let (mut seq, mut told) = (before.unwrap_or(i64::MAX), 0);
        for _ in 0..LOOKS {
            let some = app.catalog.new_versions(site, seq, LOOKED_AT).await?;
            let Some(last) = some.last() else { break };
            seq = last.seq;
            let is_end = some.len() < LOOKED_AT as usize;
            for version in some {
                match is_told(&version) && told < most {
                    true => {
                        told += 1;
                        versions.push(version);
                    }
                    false => folded += usize::from(told < most),
                }
            }
            if is_end || told >= most {
                break;
            }
        }
    }
    versions.sort_by_key(|version| std::cmp::Reverse((version.captured, version.seq)));
    versions.truncate(most);
    Ok(Newest { versions, folded })
}

/// Versions with what changed in them.
pub async fn news_of(app: &Arc<App>, versions: Vec<NewVersion>) -> anyhow::Result<Vec<News>> {
    let mut news = Vec::with_capacity(versions.len());
    for version in versions {
        let topics = match version.version > 1 {
            true => topics(app.catalog.blocks(version.page, version.version).await?, &version),
            false => Vec::new(),
        };
        news.push(News {
            when: When(version.captured),
            page: version.page.0,
            version: version.version,
            title: clip(if version.title.is_empty() { &version.key } else { &version.title }, 120),
            key: clip(&version.key, 200),
            topics,
        });
    }
    Ok(news)
}

/// What the blocks are about that began with a version, most new text first.
fn topics(rows: Vec<BlockRow>, version: &NewVersion) -> Vec<String> {
    let counts = |began: Began| {
        page::block::Kind::named(began.as_str()).is_none_or(page::block::Kind::counts)
    };
    let is_new = |row: &BlockRow| {
        row.first == version.version
            && row.began != Began::Recut
            && counts(row.began)
            && !row.topic.is_empty()
    };
    let mut new: Vec<BlockRow> = rows.into_iter().filter(is_new).collect();
    new.sort_by_key(|row| std::cmp::Reverse(row.text_len * row.share));
    let mut topics: Vec<String> = Vec::new();
    for topic in new.iter().map(|row| clip(&row.topic, 80)) {
        if topics.len() < TOPICS && !topics.contains(&topic) {
            topics.push(topic);
        }
    }
    topics
}
