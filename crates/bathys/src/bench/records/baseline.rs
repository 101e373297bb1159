//! What others find on one page: MDR, and the paper's own mining, as rows of the same table.

use page::record::{Kind, Span};
use page::tree::{Dom, NodeId};

use super::super::sheet::{Experiment, Sheet, rounded};
use super::PAPER_MDR;
use super::bag::Bag;
use super::judge::{Part, words};
use super::mdr::mdr;
use super::score::{HELD, HELD_OF_LABELS, Matching, Tally};
use super::set::{Given, Set};

/// One of them: the texts of the records of a page.
type Miner = fn(&Dom) -> Vec<String>;

pub fn run(sheet: &mut Sheet, set: &Set) -> anyhow::Result<()> {
    let given = if set.has(Given::Rendered) { Given::Rendered } else { Given::Raw };
    let miners: [(&str, Miner, f64); 1] = [("mdr", by_mdr, PAPER_MDR)];
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
    let (mut posts, mut lists, mut single) = Default::default();
    for page in &set.pages {
        let (Some(kind), Some(tree)) = (page.kind, page.trees(given).next()) else { continue };
        let truth: Vec<Bag> = page
            .truth
            .iter()
            .map(|truth| Bag::of(&words(truth, kind)))
            .filter(|bag| !bag.is_empty())
            .collect();
        let ours: Vec<Bag> = miner(&tree.dom).iter().map(|text| Bag::of(text)).collect();
        let held = if set.is_real() { HELD_OF_LABELS } else { HELD };
        let tally = Matching::of(&truth, &ours, held).tally();
        match kind {
            Kind::Post => posts += tally,
            Kind::Thread | Kind::Item => lists += tally,
        }
        if kind == Kind::Post && truth.len() == 1 {
            Part::count(&mut single, tally.ours == 1 && tally.right == 1);
        }
    }
    (posts, lists, single)
}

fn by_mdr(dom: &Dom) -> Vec<String> {
    let text = |nodes: Vec<NodeId>| Span { nodes, without: Vec::new(), depth: 0 }.text(dom);
    mdr(dom).into_iter().map(text).collect()
}
