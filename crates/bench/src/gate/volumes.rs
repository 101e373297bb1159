//! What blocks hold, once for all pages of a site.

use testsite::SiteKind;

use super::counts::CaseCounts;
use crate::volumes::measure;

pub async fn count(kind: SiteKind) -> anyhow::Result<CaseCounts> {
    let volumes = measure(kind).await?;
    let mut counts = CaseCounts::default();
    counts.at_least("pages", volumes.pages);
    counts.at_most("contents_per_thousand_blocks", 1000 * volumes.contents / volumes.blocks.max(1));
    counts.at_least("widest", volumes.widest);
    counts.at_most("wrong", volumes.wrong);
    Ok(counts)
}
