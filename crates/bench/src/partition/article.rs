//! The main text of pages against the articles that people marked on them.

use std::collections::HashMap;

use anyhow::Context as _;
use page::block::{BlockAt, Cut, DEFAULT_LEVEL, Label, Labels, Lines, Parts};
use page::tree::visible_text_of;

use super::corpus::Corpus;
use super::skip;
use crate::sheet::{Experiment, Sheet, rounded};

/// Asked for: so much of an article is in `main` blocks, on so many of the pages.
const HELD: f64 = 0.90;
const PAGES_HELD: f64 = 0.90;
/// "Little else": the share of the words of `main` blocks that are the article's, on average. Asked of
/// the smallest blocks: the first cut leaves what stands inside an article with it.
const PRECISION: f64 = 0.85;

pub(super) fn run(sheet: &mut Sheet, corpus: &Corpus) -> anyhow::Result<()> {
    let Some(articles) = corpus.articles()? else {
        skip("main", "no articles found; name a directory with --data DIR");
        return Ok(());
    };
    let articles = articles.as_object().context("the articles are no object by page")?;
    let (mut first, mut leaves) = (Tally::default(), Tally::default());
    for (name, article) in articles {
        let Some(parts) = corpus.parts(&format!("scrapinghub/{name}.html"))? else { continue };
        let gold = words(article["articleBody"].as_str().unwrap_or_default());
        let labels = Labels::new(&Lines::new(&parts.dom, None), &parts.tree);
        first.add(&gold, &main_words(&parts, &labels, &parts.first_cut(DEFAULT_LEVEL)));
        leaves.add(&gold, &main_words(&parts, &labels, &Cut::at_level(&parts.tree, u16::MAX)));
    }
    sheet.put(first.experiment("first-cut", 0.0))?;
    sheet.put(leaves.experiment("leaves", PRECISION))?;
    sheet.table("articles that people marked, in blocks that are labelled main")
}

type Words = HashMap<String, usize>;

fn words(text: &str) -> Words {
    let mut words = Words::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *words.entry(word.to_lowercase()).or_default() += 1;
    }
    words
}

/// The words of the `main` blocks of a cut.
fn main_words(parts: &Parts, labels: &Labels<'_>, cut: &Cut) -> Words {
    let mut text = String::new();
    let is_main = |at: &&BlockAt| labels.of(**at) == Label::Main;
    for at in cut.blocks().iter().filter(is_main) {
        let block = parts.tree.block(*at);
        let mut next = parts.dom.get(block.first);
        while let Some(node) = next.filter(|node| node.id() < block.end) {
            text += &visible_text_of(node);
            text.push('\n');
            next = parts.dom.get(node.end());
        }
    }
    words(&text)
}

#[derive(Debug, Default, PartialEq)]
struct Tally {
    pages: usize,
    /// Pages on which enough of the article was found.
    held: usize,
    recall: f64,
    precision: f64,
}

impl Tally {
    fn add(&mut self, gold: &Words, found: &Words) {
        let common =
            gold.iter().map(|(word, n)| n.min(found.get(word).unwrap_or(&0))).sum::<usize>();
        let share = |of: &Words| common as f64 / of.values().sum::<usize>().max(1) as f64;
        self.pages += 1;
        self.held += usize::from(share(gold) >= HELD);
        self.recall += share(gold);
        self.precision += share(found);
    }

    fn experiment(&self, name: &str, asked: f64) -> Experiment {
        let mean = |sum: f64| sum / self.pages.max(1) as f64;
        let (held, precision) = (mean(self.held as f64), mean(self.precision));
        Experiment::new(format!("partition/main/{name}"))
            .ours("pages", self.pages)
            .ours("pages_held", rounded(held))
            .ours("recall", rounded(mean(self.recall)))
            .ours("precision", rounded(precision))
            .ask(held >= PAGES_HELD, format!("articles held on {:.1} % of pages", held * 100.0))
            .ask(precision >= asked, format!("precision {precision:.3}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_article_is_held_if_nine_of_ten_words_are_found_as_often() {
        let gold = words("one two two three four five six seven eight nine");
        let mut tally = Tally::default();
        tally.add(&gold, &words("One, two: three four five six seven eight NINE; more and more"));
        assert_eq!((tally.held, tally.recall, tally.precision), (1, 0.9, 0.75));
        tally.add(&gold, &words("one two three four five six seven eight"));
        assert_eq!((tally.pages, tally.held), (2, 1));
    }
}
