//! The paper's page: its block tree at each level, and what the second visit stores.

use anyhow::Context as _;
use crawl::{Render, Settings};
use derive::parts_of;
use page::block::{BlockAt, Cut, KeptCut, Parts};
use page::tree::{Mask, visible_text_of};
use store::Which;
use testsite::{Block, Build, Options, SiteKind, Truth};

use crate::sheet::{Experiment, Sheet};
use crate::trial::{Trial, whole};

/// Blocks at levels 1, 2 and 3, and those that a day changes, as the paper has them.
const PAPER: [usize; 3] = [5, 7, 17];
const PAPER_CHANGED: usize = 5;

pub(super) async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let renders: &[Render] =
        if quick { &[Render::Never] } else { &[Render::Never, Render::Always] };
    for (layout, build) in [("tables", Build::Inline), ("boxes", Build::React)] {
        for render in renders {
            let way = if *render == Render::Always { "rendered" } else { "plain" };
            let visited = visit(build, *render).await?;
            sheet.put(visited.experiment(&format!("partition/portal/{layout}/{way}")))?;
        }
    }
    sheet.table("the paper's page: blocks by level, and what the second visit stores")
}

/// What two visits to the page, a day apart, have kept.
pub struct TwoDays {
    /// Blocks at levels 1, 2 and 3, and the names of those that are not cut as the truth says.
    pub levels: [(usize, Vec<String>); 3],
    /// Blocks that the second visit stored.
    pub stored: usize,
    /// Blocks that changed and were not stored.
    pub missed: Vec<String>,
}

/// Visits the page on two days.
pub async fn visit(build: Build, render: Render) -> anyhow::Result<TwoDays> {
    let site = testsite::serve(SiteKind::Portal, Options { build, ..Options::default() }).await?;
    let trial = Trial::new()?;
    let mut settings = Settings { render, ..whole(&site)? };
    settings.limits.depth = Some(0);
    trial.crawl(settings.clone()).await?;
    let page = trial.catalog.find(&site.url()).await?.context("the page was not kept")?.page;
    let before = trial.catalog.blocks(page, 0).await?.len();
    site.set_clock(site.clock().tomorrow());
    trial.crawl(settings).await?;
    let version = |number| trial.catalog.version(page, Which::Number(number));
    let (first, second) = (version(1).await?, version(2).await?);
    let (first, second) = first.zip(second).context("there are no two versions")?;
    let truth = site.truth().clone();
    site.stop().await;

    let parts = parts_of(&first, &Mask::default()).context("the page has no tree")?;
    let levels = [1, 2, 3].map(|level| {
        let cut = Cut::at_level(&parts.tree, level);
        (cut.blocks().len(), differing(&parts, &cut, &truth, level))
    });

    let parts = parts_of(&second, &Mask::default()).context("the second version has no tree")?;
    let layout = second.cut.context("the second version is not cut")?.layout;
    let kept = KeptCut::from_bytes(&parts.tree, &layout).context("its cut is of another tree")?;
    let rows = trial.catalog.blocks(page, 0).await?;
    let is_new = |lineage: i64| rows.iter().any(|row| row.first == 2 && row.lineage.0 == lineage);
    let kept = kept.cut.blocks().iter().zip(&kept.lineages);
    let texts: Vec<String> =
        kept.filter(|(_, lineage)| is_new(**lineage)).map(|(at, _)| text(&parts, *at)).collect();
    let changing = |block: &&Block| block.changes;
    let missed = truth
        .blocks_at(3)
        .filter(changing)
        .filter(|block| !texts.iter().any(|text| text.contains(&folded(&block.marker))))
        .map(|block| block.name.clone())
        .collect();
    Ok(TwoDays { levels, stored: rows.len() - before, missed })
}

impl TwoDays {
    fn experiment(&self, name: &str) -> Experiment {
        const LEVELS: [&str; 3] = ["level_1", "level_2", "level_3"];
        let mut experiment = Experiment::new(name);
        for (((blocks, wrong), figure), paper) in self.levels.iter().zip(LEVELS).zip(PAPER) {
            experiment = experiment
                .ours(figure, *blocks)
                .seed(figure, paper)
                .ask(wrong.is_empty(), format!("{figure}: not cut as {}", wrong.join(", ")));
        }
        experiment
            .ours("stored", self.stored)
            .seed("stored", PAPER_CHANGED)
            .ask(self.stored == PAPER_CHANGED, format!("the second visit stored {}", self.stored))
            .ask(self.missed.is_empty(), format!("not stored: {}", self.missed.join(", ")))
    }
}

/// The blocks of the truth at a level that the cut does not have in their places: each is to hold all
/// markers that are in it, and none of another's.
fn differing(parts: &Parts, cut: &Cut, truth: &Truth, level: u16) -> Vec<String> {
    let wanted: Vec<&Block> = truth.blocks_at(level).collect();
    let markers: Vec<Vec<String>> = wanted.iter().map(|block| markers(truth, block)).collect();
    let texts: Vec<String> = cut.blocks().iter().map(|at| text(parts, *at)).collect();
    let is_cut = |place: usize| {
        texts.get(place).is_some_and(|text| {
            markers.iter().enumerate().all(|(other, markers)| match other == place {
                true => markers.iter().all(|marker| text.contains(marker)),
                false => !markers.iter().any(|marker| text.contains(marker)),
            })
        })
    };
    let mut wrong: Vec<String> = wanted
        .iter()
        .enumerate()
        .filter(|(place, _)| !is_cut(*place))
        .map(|(_, block)| block.name.clone())
        .collect();
    if texts.len() > wanted.len() {
        wrong.push(format!("{} blocks", wanted.len()));
    }
    wrong
}

/// The marker of a block, or those of the blocks that it is made of.
fn markers(truth: &Truth, block: &Block) -> Vec<String> {
    match block.marker.is_empty() {
        false => vec![folded(&block.marker)],
        true => {
            let inside = truth.blocks.iter().filter(|inner| inner.within == block.name);
            inside.flat_map(|inner| markers(truth, inner)).collect()
        }
    }
}

/// What a block shows, whitespace folded.
fn text(parts: &Parts, at: BlockAt) -> String {
    let block = parts.tree.block(at);
    let mut text = String::new();
    let mut next = parts.dom.get(block.first);
    while let Some(node) = next.filter(|node| node.id() < block.end) {
        text += &visible_text_of(node);
        text.push('\n');
        next = parts.dom.get(node.end());
    }
    folded(&text)
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::parse_str;

    #[test]
    fn a_block_that_is_missing_or_holds_what_is_others_is_named() {
        let block = |name: &str, marker: &str| Block {
            url: "/".to_owned(),
            name: name.to_owned(),
            level: 1,
            within: String::new(),
            marker: marker.to_owned(),
            changes: false,
        };
        let mut truth = Truth::new("two", Vec::new());
        truth.blocks = vec![block("T", "Home"), block("C", "News")];
        let wrong = |html: &str| {
            let parts = Parts::of(parse_str(html).dom, None, &Mask::default());
            differing(&parts, &Cut::at_level(&parts.tree, 1), &truth, 1)
        };
        let (nav, main) = ("<nav><a href=/>Home</a></nav>", "<main><h1>News</h1><p>One.</main>");
        assert_eq!(wrong(&format!("{nav}{main}")), [""; 0]);
        assert_eq!(wrong(&format!("{main}{nav}")), ["T", "C"]);
        assert_eq!(wrong(nav), ["C"]);
        assert_eq!(wrong(&format!("{nav}{main}<footer><p>End</footer>")), ["2 blocks"]);
    }
}
