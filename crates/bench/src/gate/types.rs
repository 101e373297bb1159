//! Page types on the bundled sites, as pairs of pages.

use page::types::TypeMethod;

use super::counts::CaseCounts;
use crate::types::SitePages;

pub async fn count(pages: &SitePages) -> anyhow::Result<CaseCounts> {
    let measured = pages.measure(TypeMethod::default()).await?;
    let pairs = &measured.pairs;
    let mut counts = CaseCounts::default();
    counts.at_least("pairs_right", pairs.both);
    counts.at_most("pairs_apart", pairs.kind - pairs.both);
    counts.at_most("pairs_mixed", pairs.of_type - pairs.both);
    counts.at_most("orders_differ", measured.other_orders);
    counts.at_most("held_equal", measured.held_equal);
    Ok(counts)
}
