//! A site: its page types, what may be missing, and what was refused.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use crawl::{Doubt, Pattern, TypeReport};
use store::{EdgeOutcome, Millis};

use super::news::{News, newest, news_of};
use super::shown;
use crate::hint::refusal;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::tell::{When, address, clip, in_path, thousands};

/// Changes that are shown.
const NEWS: usize = 8;
/// Patterns of a type, and claims, that are shown.
const PATTERNS: usize = 40;
const CLAIMS: usize = 60;

#[derive(Template)]
#[template(path = "site.html")]
pub struct Site {
    name: String,
    is_running: bool,
    visited: Option<(When, When)>,
    links: Links,
    figures: Vec<(&'static str, String, String)>,
    types: Vec<TypeCard>,
    bound: String,
    claims: Vec<ClaimRow>,
    refused: Vec<(String, String, i64)>,
    news: Vec<News>,
    f: Frame,
}

shown!(Site);

struct Links {
    pages: String,
    records: String,
    changes: String,
    graph: String,
}

struct TypeCard {
    name: String,
    role: &'static str,
    pages: String,
    pages_link: String,
    records: String,
    rendered: String,
    links: Vec<(String, String)>,
    samples: Vec<(i64, String)>,
    patterns: Vec<PatternRow>,
}

struct PatternRow {
    event: String,
    label: String,
    fired: String,
    new: String,
    skipped: String,
    leads_to: String,
    xpath: String,
}

struct ClaimRow {
    kind: &'static str,
    claim: &'static str,
    page_type: String,
    event: String,
    place: String,
    held: String,
    deferred: String,
    documents: String,
    missed: String,
}

pub async fn site(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    f: Frame,
) -> Result<Site, Failure> {
    let sites = app.catalog.sites().await?;
    let row = sites.into_iter().find(|site| site.site == name);
    let row = row.ok_or_else(|| Failure::NotFound(format!("the store has no site {name}")))?;
    let overview = app.overviews.of(&app.catalog, &row).await?;
    let learned = app.overviews.learned_soon(&app.catalog, &row).await?;
    let is_late = learned.is_none();
    let learned = learned.unwrap_or_default();
    let (summary, beliefs, w) = (&overview.summary, &learned.beliefs, f.w);
    let edges = |outcome| thousands(summary.edges.get(&outcome).copied().unwrap_or_default());
    let plain = String::new;
    let figures = vec![
        (w.pages, thousands(summary.captured()), plain()),
        (w.by_events_only, thousands(summary.event_pages), plain()),
        (w.states, thousands(summary.states), plain()),
        (w.versions, thousands(summary.versions), plain()),
        (w.records, thousands(summary.records), plain()),
        (w.events_refused, edges(EdgeOutcome::Refused), plain()),
        (w.events_skipped, edges(EdgeOutcome::Skipped), plain()),
        (w.waiting_tasks, thousands(summary.waiting), plain()),
    ];
    let bound = if is_late { w.worked_out } else { w.bound };
    let bound = bound
        .replace("{expected}", &format!("{:.1}", beliefs.missed_expected))
        .replace("{most}", &thousands(beliefs.missed_at_most))
        .replace("{deferred}", &thousands(beliefs.deferred))
        .replace("{documents}", &thousands(beliefs.deferred_documents))
        .replace("{audited}", &thousands(beliefs.audited))
        .replace("{wrong}", &thousands(beliefs.contradicted));
    let only = [("site", name.as_str())];
    let links = Links {
        pages: address("/pages", &only),
        records: address("/records", &only),
        changes: address("/changes", &only),
        graph: format!("/site/{}/graph", in_path(&name)),
    };
    let refused = learned.refused.iter();
    let refused = refused
        .map(|why| (thousands(why.count), clip(&refusal(&why.reason), 300), why.page.0))
        .collect();
    let newest =
        newest(&app, std::slice::from_ref(&name), None, NEWS, |new| new.counts && new.version > 1);
    let news = news_of(&app, newest.await?.versions).await?;
    let type_card = |known: &TypeReport| TypeCard::of(known, &name, &f);
    Ok(Site {
        is_running: row.lease_until > Millis::now(),
        visited: overview.visited.map(|(first, last)| (When(first), When(last))),
        links,
        figures,
        types: learned.types.iter().map(type_card).collect(),
        bound,
        claims: beliefs.doubts.iter().take(CLAIMS).map(ClaimRow::of).collect(),
        refused,
        news,
        name,
        f,
    })
}

impl TypeCard {
    fn of(known: &TypeReport, site: &str, f: &Frame) -> Self {
        let records = known.wrapper.as_ref().map(|wrapper| {
            let fields: Vec<&str> = wrapper.fields.keys().map(String::as_str).collect();
            format!("{}: {}", f.language.term(wrapper.kind), clip(&fields.join(", "), 120))
        });
        let links = known.links.iter().take(12);
        Self {
            name: clip(&known.name, 80),
            role: f.language.term(known.role.name()),
            pages: thousands(known.pages),
            pages_link: address("/pages", &[("site", site), ("type", &known.name)]),
            records: records.unwrap_or_default(),
            rendered: clip(&known.rendered_because, 160),
            links: links.map(|(to, count)| (clip(to, 40), thousands(*count))).collect(),
            samples: known
                .samples
                .iter()
                .take(3)
                .map(|sample| (sample.page.0, clip(&sample.key, 120)))
                .collect(),
            patterns: known.patterns.iter().take(PATTERNS).map(PatternRow::of).collect(),
        }
    }
}

impl PatternRow {
    fn of(Pattern { pattern, skipped, .. }: &Pattern) -> Self {
        Self {
            event: clip(&pattern.event, 20),
            label: pattern.label.to_string(),
            fired: thousands(pattern.support.into()),
            new: thousands(pattern.new.into()),
            skipped: thousands((*skipped).into()),
            leads_to: clip(&pattern.leads_to.join(", "), 60),
            xpath: clip(&pattern.xpath.to_string(), 160),
        }
    }
}

impl ClaimRow {
    fn of(doubt: &Doubt) -> Self {
        Self {
            kind: doubt.kind,
            claim: doubt.claim,
            page_type: clip(&doubt.page_type, 40),
            event: clip(&doubt.event, 20),
            place: clip(&doubt.place, 120),
            held: thousands(doubt.held.into()),
            deferred: thousands(doubt.deferred),
            documents: thousands(doubt.documents),
            missed: format!("{:.3}", doubt.missed_expected),
        }
    }
}
