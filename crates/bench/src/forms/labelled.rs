//! `bathys bench forms-gate`: which forms of real pages the gate lets pass, against what people say of them
//! (criteria.md).

use std::path::Path;

use anyhow::Context as _;
use page::form::{FormRefusal, forms, judge};
use page::tree::parse;
use url::Url;

use crate::partition::Corpus;
use crate::sheet::{Experiment, Sheet};

const LABELS: &str = include_str!("labels.tsv");
/// Where the pages are taken to be: their own addresses are not known.
const PAGE: &str = "http://page.invalid/folder/page";

/// The share of safe searches by GET that may be refused.
const REFUSED: f64 = 0.05;

/// What was counted over all labelled forms.
#[derive(Debug, Default)]
pub struct GateCounts {
    /// Forms that are labelled and were found.
    pub forms: usize,
    /// Forms that are labelled and were not found.
    pub lost: usize,
    /// Forms that change something.
    pub not_safe: usize,
    /// Those among them that would be submitted, even if searches by POST may be.
    pub not_safe_allowed: usize,
    /// Searches by GET.
    pub searches: usize,
    /// Those among them that would not be submitted.
    pub searches_refused: usize,
    /// Searches by POST.
    pub post_searches: usize,
    /// Those among them that would not be submitted even if they may be.
    pub post_searches_refused: usize,
}

/// Holds the gate against the labels; none if there are no pages.
pub fn count_gate(data: Option<&Path>) -> anyhow::Result<Option<GateCounts>> {
    let corpus = Corpus::open(data)?;
    if !corpus.has_pages() {
        return Ok(None);
    }
    let page: Url = PAGE.parse()?;
    let mut counts = GateCounts::default();
    let labels: Vec<Vec<&str>> =
        LABELS.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    for labels in labels.chunk_by(|a, b| a.first() == b.first()) {
        let Some(name) = labels.first().and_then(|label| label.first()) else { continue };
        let Some(bytes) = corpus.page(name)? else { continue };
        let found = forms(&parse(&bytes, None).dom, &page);
        for label in labels {
            let [_, number, method, safe, ..] = label.as_slice() else { continue };
            let number: usize = number.parse().context("labels.tsv: the number of a form")?;
            let Some(form) = found.get(number) else {
                counts.lost += 1;
                continue;
            };
            counts.forms += 1;
            let is_refused = judge(form, &page).iter().any(FormRefusal::is_unsafe);
            match (*safe, *method) {
                ("no", _) => {
                    counts.not_safe += 1;
                    counts.not_safe_allowed += usize::from(!is_refused);
                }
                (_, "get") => {
                    counts.searches += 1;
                    counts.searches_refused += usize::from(is_refused);
                }
                _ => {
                    counts.post_searches += 1;
                    counts.post_searches_refused += usize::from(is_refused);
                }
            }
        }
    }
    Ok(Some(counts))
}

pub fn run_gate(sheet: &mut Sheet, data: Option<&Path>) -> anyhow::Result<()> {
    let Some(counts) = count_gate(data)? else {
        eprintln!("  forms-gate: no pages found; name a directory with --data DIR");
        return Ok(());
    };
    let GateCounts { searches, searches_refused: refused, not_safe_allowed: allowed, .. } = counts;
    sheet.put(
        Experiment::new("forms-gate/real")
            .ours("forms", counts.forms)
            .ours("not_safe", counts.not_safe)
            .ours("not_safe_allowed", allowed)
            .ours("searches", searches)
            .ours("searches_refused", refused)
            .ours("post_searches", counts.post_searches)
            .ours("post_searches_refused", counts.post_searches_refused)
            .ask(counts.lost == 0, format!("{} labelled forms not found", counts.lost))
            .ask(allowed == 0, format!("{allowed} of {} unsafe forms allowed", counts.not_safe))
            .ask(
                refused as f64 <= REFUSED * searches as f64,
                format!("{refused} of {searches} safe searches by GET refused"),
            ),
    )?;
    sheet.table("the gate for forms on real pages")
}
