//! What others find on one page: MDR, and the paper's own mining, as rows of the same table.

use page::tree::Dom;
use record::{Kind, Span, fdre, mdr};

use super::bag::Bag;
use super::judge::{Part, words};
use super::score::{HELD, HELD_OF_LABELS, Matching, Tally};
use super::set::{Given, Set};
use super::{PAPER_FDRE, PAPER_MDR};
use crate::sheet::{Experiment, Sheet, rounded};

/// One of them: the regions of a page, the best first.
type Miner = fn(&Dom) -> Vec<Vec<Span>>;

pub fn run(sheet: &mut Sheet, set: &Set) -> anyhow::Result<()> {
    let given = if set.has(Given::Rendered) { Given::Rendered } else { Given::Raw };
    let miners: [(&str, Miner, f64); 2] = [("mdr", mdr, PAPER_MDR), ("fdre", fdre, PAPER_FDRE)];
    for (name, miner, paper) in miners {
        let (posts, lists, single) = mined(set, given, miner);
        let mut row = Experiment::new(format!("records/{}/{name}", set.name))
            .ours("posts_f1", rounded(posts.f1()));
        if lists.truth > 0 {
            row = row.ours("lists_f1", rounded(lists.f1())).ours("single", rounded(single.share()));
        }
        sheet.put(row.seed("f1", paper))?;
    }
    Ok(())
}

fn mined(set: &Set, given: Given, miner: Miner) -> (Tally, Tally, Part) {
    let (mut posts, mut lists, mut single) = (Tally::default(), Tally::default(), Part::default());
    for page in &set.pages {
        let (Some(kind), Some(tree)) = (page.kind, page.trees(given).next()) else { continue };
        let truth: Vec<Bag> = page
            .truth
            .iter()
            .map(|truth| Bag::of(&words(truth, kind)))
            .filter(|bag| !bag.is_empty())
            .collect();
        let best = miner(&tree.dom).into_iter().next().unwrap_or_default();
        let ours: Vec<Bag> = best.iter().map(|span| Bag::of(&span.text(&tree.dom))).collect();
        let held = if set.is_real() { HELD_OF_LABELS } else { HELD };
        let tally = Matching::of(&truth, &ours, held).tally();
        match kind {
            Kind::Post => posts += tally,
            Kind::Thread | Kind::Item => lists += tally,
        }
        if kind == Kind::Post && truth.len() == 1 {
            single.count(tally.ours == 1 && tally.right == 1);
        }
    }
    (posts, lists, single)
}
