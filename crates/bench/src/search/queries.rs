//! What is searched for: words and phrases that stand in real pages.

use anyhow::Context as _;
use page::words::{is_dense, is_stop, segment};
use search::{Index, Query};
use store::Catalog;

/// Queries of a kind.
const MOST: usize = 250;
/// Chinese words and phrases that are looked for, one by one.
const MOST_CHINESE: usize = 1_500;
/// Characters of a phrase that is looked for.
const PHRASES: [usize; 4] = [3, 4, 6, 9];

/// Queries by their kind.
pub struct Queries {
    pub kinds: Vec<(&'static str, Vec<String>)>,
}

impl Queries {
    /// Queries out of these texts, each with its site.
    pub fn of(texts: &[(String, String)]) -> Self {
        let (mut words, mut pairs, mut phrases) = (Vec::new(), Vec::new(), Vec::new());
        let (mut chinese, mut chinese_phrases, mut narrowed) = (Vec::new(), Vec::new(), Vec::new());
        for (site, text) in spread(texts, MOST * 4) {
            let all = segment(text);
            let says = |word: &&page::words::Word<'_>| !is_stop(word.text) && word.text.len() > 3;
            let said: Vec<&str> = all
                .iter()
                .filter(says)
                .map(|word| word.text)
                .filter(|word| word.is_ascii())
                .collect();
            if let [.., before, last] = said.as_slice() {
                words.push((*last).to_owned());
                pairs.push(format!("{before} {}", said[0]));
                narrowed.push(format!("{last} site:{site}"));
            }
            if let Some(run) =
                all.windows(4).find(|run| run.iter().all(|word| word.text.is_ascii()))
            {
                let (first, last) = (&run[0], &run[3]);
                let phrase = &text[first.at.start..last.at.end];
                if !phrase.contains(['"', '\n', ':']) {
                    phrases.push(format!("\"{phrase}\""));
                }
            }
            for run in dense_runs(text).take(1) {
                let characters: Vec<char> = run.chars().collect();
                if let Some(word) = segment(run).iter().find(|word| word.text.chars().count() >= 2)
                {
                    chinese.push(word.text.to_owned());
                }
                let middle = characters.len() / 2;
                if let Some(part) = characters.get(middle..middle + 5) {
                    chinese_phrases.push(format!("\"{}\"", part.iter().collect::<String>()));
                }
            }
        }
        let mut kinds = vec![
            ("word", words),
            ("two_words", pairs),
            ("phrase", phrases),
            ("one_site", narrowed),
            ("chinese", chinese),
            ("chinese_phrase", chinese_phrases),
        ];
        kinds.retain_mut(|(_, queries)| {
            queries.truncate(MOST);
            !queries.is_empty()
        });
        Self { kinds }
    }
}

/// So many of the texts, from all over them.
fn spread(texts: &[(String, String)], most: usize) -> impl Iterator<Item = &(String, String)> {
    texts.iter().step_by((texts.len() / most).max(1))
}

/// The runs of a text that have no spaces.
fn dense_runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_dense(c)).filter(|run| run.chars().nth(1).is_some())
}

/// How much of Chinese texts is found.
#[derive(Debug, Default)]
pub struct Recall {
    pub words: usize,
    pub phrases: usize,
    pub missed: Vec<String>,
}

/// Looks for every word of two characters of these texts, and for phrases all over them, on the site that
/// each text is of.
pub async fn chinese_recall(
    index: &Index,
    catalog: &Catalog,
    texts: &[(String, String)],
) -> anyhow::Result<Recall> {
    let mut recall = Recall::default();
    let mut asked = std::collections::HashSet::new();
    for (site, text) in texts {
        for run in dense_runs(text) {
            let characters: Vec<char> = run.chars().collect();
            let mut queries: Vec<(bool, String)> = Vec::new();
            let words = segment(run).into_iter().map(|word| word.text);
            let of_two = words.filter(|word| word.chars().count() == 2);
            queries.extend(of_two.map(|word| (true, word.to_owned())));
            // One phrase of a run, at a place that depends on the run.
            let length = PHRASES[characters.len() % PHRASES.len()];
            let from = characters.len().saturating_sub(length) / 2;
            if let Some(part) = characters.get(from..from + length) {
                queries.push((false, format!("\"{}\"", part.iter().collect::<String>())));
            }
            for (is_word, text) in queries {
                let count = if is_word { &mut recall.words } else { &mut recall.phrases };
                if *count >= MOST_CHINESE || !asked.insert((site, text.clone())) {
                    continue;
                }
                *count += 1;
                let query = Query { site: Some(site.clone()), limit: 1, ..Query::new(&text) };
                let found = index.search(catalog, &query).await.context("cannot search")?;
                if found.total == 0 {
                    recall.missed.push(format!("{site}: {text}"));
                }
            }
        }
    }
    if let Some(first) = recall.missed.first() {
        eprintln!("  missed {} Chinese words and phrases, such as {first}", recall.missed.len());
    }
    Ok(recall)
}
