//! What records reach with other constants: answers lines of settings with lines of figures.
//!
//! `measure.py` builds this beside a copy of `page` whose constants are set while it runs, so that pages
//! are parsed once. A line is `any` or `all`, and `NUMBER=VALUE` of each constant that is not as it was.
//! `any` is answered as soon as a record differs; `all` with the figures of each set that does.

mod bag;
mod found;
mod judge;
mod score;
mod set;
mod time;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, Write};
use std::panic::catch_unwind;
use std::path::Path;

use page::record::{Record, Site, Source};
use serde_json::{Value, json};

use found::Found;
use judge::Judgement;
use score::{Tally, share};
use set::{Given, Page, Set};

/// Pages of one site in one view.
struct Part<'a> {
    name: String,
    pages: Vec<&'a Page>,
    given: Given,
    is_real: bool,
    before: u64,
}

impl Part<'_> {
    /// The records of its pages; none where reading panics.
    fn records(&self) -> Option<Vec<Vec<Record>>> {
        let sources: Vec<Source<'_>> = self.pages.iter().map(|page| page.source(self.given)).collect();
        catch_unwind(|| Site::learn_and_read(&sources).1).ok()
    }

    fn judged(&self, records: Vec<Vec<Record>>) -> Judgement {
        let found: Vec<Vec<Found>> =
            records.into_iter().map(|page| page.into_iter().map(Found::from).collect()).collect();
        Judgement::of(&self.pages, self.given, &found, self.is_real)
    }
}

/// What records say; how sure they are is no figure.
fn digest(records: &[Vec<Record>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for page in records {
        for record in page {
            let record = Record { confidence: 0.0, ..record.clone() };
            serde_json::to_string(&record).unwrap_or_default().hash(&mut hasher);
        }
        u8::MAX.hash(&mut hasher);
    }
    hasher.finish()
}

/// The figures of a forum.
fn figures(judged: &Judgement) -> BTreeMap<&'static str, f64> {
    let mut all: BTreeMap<&'static str, f64> =
        judged.fields.iter().map(|(name, part)| (*name, part.share())).collect();
    all.insert("posts", judged.posts.f1());
    if judged.lists.truth > 0 {
        all.insert("lists", judged.lists.f1());
        all.insert("proved", share(judged.proved.of, judged.lists.truth));
        all.insert("proved_right", if judged.proved.of > 0 { judged.proved.share() } else { 1.0 });
    }
    if judged.single.of > 0 {
        all.insert("single", judged.single.share());
    }
    if judged.replies.truth > 0 {
        all.insert("reply_to", judged.replies.f1());
    }
    all
}

fn main() -> anyhow::Result<()> {
    let mut sets = Vec::new();
    for dir in std::env::args().skip(1) {
        sets.push(Set::read(Path::new(&dir))?);
    }
    let mut parts = Vec::new();
    for set in &sets {
        for given in [Given::Rendered, Given::Raw].into_iter().filter(|given| set.has(*given)) {
            let name = format!("{}/{}", set.name, given.name());
            let sites: Vec<Vec<&Page>> = match set.is_real() {
                true => set.by_site().into_values().collect(),
                false => vec![set.pages.iter().collect()],
            };
            for pages in sites {
                let (name, is_real) = (name.clone(), set.is_real());
                parts.push(Part { name, pages, given, is_real, before: 0 });
            }
        }
    }
    for part in &mut parts {
        part.before = digest(&part.records().unwrap_or_default());
    }
    let mut kept: Vec<Option<Judgement>> = parts.iter().map(|_| None).collect();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let any = words.next() == Some("any");
        page::tuned::reset();
        for word in words {
            let Some((number, value)) = word.split_once('=') else { anyhow::bail!("what is {word}?") };
            page::tuned::set(number.parse()?, value.parse()?);
        }
        let mut differ: Vec<&str> = Vec::new();
        let mut judgements: Vec<(&Part<'_>, Judgement)> = Vec::new();
        for (part, kept) in parts.iter().zip(&mut kept) {
            let records = part.records().unwrap_or_default();
            let is_same = digest(&records) == part.before;
            if !is_same && differ.last() != Some(&part.name.as_str()) {
                differ.push(&part.name);
            }
            if any && !is_same {
                break;
            }
            if !any {
                let judgement = match kept {
                    Some(kept) if is_same => kept.clone(),
                    _ => part.judged(records),
                };
                if is_same {
                    *kept = Some(judgement.clone());
                }
                judgements.push((part, judgement));
            }
        }
        let mut answer: BTreeMap<&str, Value> = BTreeMap::new();
        let mut real: BTreeMap<&str, (Judgement, Vec<f64>)> = BTreeMap::new();
        for (part, judgement) in &judgements {
            if part.is_real {
                let (sum, each) = real.entry(&part.name).or_default();
                sum.posts += judgement.posts;
                sum.add_fields(judgement);
                each.push(judgement.posts.f1());
            } else {
                answer.insert(&part.name, json!(figures(judgement)));
            }
        }
        for (name, (sum, each)) in &real {
            let mut all = figures(sum);
            all.insert("macro", each.iter().sum::<f64>() / each.len().max(1) as f64);
            answer.insert(name, json!(all));
        }
        println!("{}", json!({ "differ": differ, "figures": answer }));
        std::io::stdout().flush()?;
    }
    Ok(())
}
