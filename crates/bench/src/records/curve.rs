//! The learning curve: how many pages of each kind it takes.

use std::collections::HashMap;

use record::Kind;

use super::found;
use super::judge::Judgement;
use super::set::{Given, Page, Set};
use crate::sheet::{Experiment, Sheet, rounded};

/// Pages of each kind that are learned from.
const STEPS: [usize; 5] = [1, 2, 4, 8, usize::MAX];
/// What the probe of the field reached with as many, on threads and on lists.
const PROBE: [(f64, f64); 4] = [(0.494, 0.726), (0.992, 0.871), (0.992, 0.918), (1.0, 0.979)];

pub fn run(sheet: &mut Sheet, engines: &[Set], quick: bool) -> anyhow::Result<()> {
    let givens: &[Given] = if quick { &[Given::Rendered] } else { &[Given::Rendered, Given::Raw] };
    for given in givens {
        for (step, count) in STEPS.into_iter().enumerate() {
            let (mut all, mut single) = (Judgement::default(), 0.0);
            for set in engines {
                let pages: Vec<&Page> = set.pages.iter().collect();
                let found = found::learned(&some(&pages, count), &pages, *given);
                let judged = Judgement::of(&pages, *given, &found, false);
                all.posts += judged.posts;
                all.lists += judged.lists;
                single += judged.single.share() / engines.len() as f64;
                all.add_fields(&judged);
            }
            let name = if count == usize::MAX { "all".to_owned() } else { count.to_string() };
            let mut row = Experiment::new(format!("records/curve/{}/{name}", given.name()))
                .ours("posts_f1", rounded(all.posts.f1()))
                .ours("lists_f1", rounded(all.lists.f1()))
                .ours("single", rounded(single));
            for field in ["title", "author", "time", "content"] {
                row = row.ours(field, super::figure(all.field(field)));
            }
            if let Some((posts, lists)) = PROBE.get(step).filter(|_| *given == Given::Rendered) {
                row = row.seed("posts_f1", *posts).seed("lists_f1", *lists);
            }
            sheet.put(row)?;
        }
    }
    Ok(())
}

/// At most so many pages of each kind, from all over the set.
fn some<'a>(pages: &[&'a Page], most: usize) -> Vec<&'a Page> {
    let mut kinds: HashMap<Option<Kind>, Vec<&'a Page>> = HashMap::new();
    for page in pages {
        kinds.entry(page.kind).or_default().push(page);
    }
    let mut taken: Vec<&Page> = Vec::new();
    for kind in kinds.values() {
        let count = kind.len().min(most);
        taken.extend((0..count).filter_map(|at| kind.get(at * kind.len() / count)));
    }
    // In the order of the set, so that nothing hangs on that of a map.
    taken.sort_by(|a, b| a.file.cmp(&b.file));
    taken
}
