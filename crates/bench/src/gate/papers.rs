//! The papers' own ways to find records, on the bundled forum: what a user gets who chooses them.

use record::RecordMethod;
use testsite::Template;

use super::counts::CaseCounts;
use crate::records::papers::{Mined, bundled};

pub fn count() -> anyhow::Result<CaseCounts> {
    let mut counts = CaseCounts::default();
    for template in [Template::Table, Template::Cards] {
        let set = bundled(template)?;
        for (name, method) in [("fdre", RecordMethod::Fdre), ("mdr", RecordMethod::Mdr)] {
            let Mined { posts, lists, .. } = Mined::of(&set, method);
            for (what, tally) in [("posts", posts), ("lists", lists)] {
                let what = format!("{}_{name}_{what}", template.name());
                counts.at_least(what.clone(), tally.right);
                counts.at_most(format!("{what}_wrong"), tally.ours - tally.right);
            }
        }
    }
    Ok(counts)
}
