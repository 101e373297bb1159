//! A page: its versions over time, and one of them as blocks, text, changes, records, requests or as it was.

mod about;
mod blocks;
mod timeline;

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use record::Record;
use serde::Deserialize;
use store::{ExchangeRow, PageRow, VersionRow, Via, Which};
use url::Url;

use super::diff::{ChangedBlocks, changed_blocks, version};
use super::records::RecordRow;
use super::{find, shown};
use crate::hint::refusal;
use crate::records::{Line, Page as RecordPage};
use crate::verb;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::tell::{When, address, bytes, clip, in_path, thousands};
use about::About;
use blocks::BlockCard;
use timeline::{Timeline, VersionLine};

/// Characters of the text of a page that are shown, and exchanges.
const TEXT: usize = 400_000;
const EXCHANGES: usize = 1_000;

#[derive(Deserialize)]
pub struct PageQuery {
    v: Option<i64>,
    #[serde(default)]
    view: String,
    /// The newest version that is listed.
    until: Option<i64>,
}

#[derive(Template)]
#[template(path = "page.html")]
pub struct Page {
    number: i64,
    title: String,
    key: String,
    url: String,
    is_http: bool,
    site: String,
    site_in_path: String,
    page_type: String,
    type_link: String,
    facts: Vec<String>,
    error: String,
    merged_into: i64,
    versions: Vec<VersionLine>,
    version_count: String,
    visit_count: String,
    noise: usize,
    ticks: Vec<String>,
    dots: Vec<timeline::Dot>,
    axis_from: String,
    axis_to: String,
    older: String,
    tabs: Vec<(String, &'static str, bool)>,
    view: View,
    f: Frame,
}

shown!(Page);

/// What is shown of a version.
enum View {
    Blocks(Vec<BlockCard>),
    Text(String),
    Changes(ChangedBlocks),
    Records(Vec<RecordRow>),
    Exchanges(Vec<Exchange>),
    About(Box<About>),
    Replay(String),
    Nothing(&'static str),
}

struct Exchange {
    time: When,
    status: String,
    method: String,
    resource: String,
    size: String,
    url: String,
    raw: String,
    failure: String,
}

pub async fn page(
    State(app): State<Arc<App>>,
    Path(number): Path<String>,
    Query(query): Query<PageQuery>,
    f: Frame,
) -> Result<Page, Failure> {
    let row = find(&app, &number).await?;
    let w = f.w;
    let shown = match query.v {
        Some(number) => Some(version(&app, &row, number).await?),
        None => app.catalog.version(row.page, Which::Latest).await?,
    };
    let at = shown.as_ref().map_or(0, |version| version.version);
    let timeline = Timeline::of(&app.catalog, &row, at, query.until).await?;
    let link = |view: &str| {
        address(
            &format!("/page/{}", row.page),
            &[("v", query.v.map(|v| v.to_string()).unwrap_or_default().as_str()), ("view", view)],
        )
    };
    let mut views = vec![("", w.blocks), ("text", w.text), ("replay", w.as_it_was)];
    if at > 1 {
        views.push(("changes", w.changes));
    }
    views.extend([("records", w.records), ("exchanges", w.exchanges), ("about", w.about)]);
    let tabs =
        views.iter().map(|(view, label)| (link(view), *label, query.view == *view)).collect();
    let view = match shown {
        None => View::Nothing(w.nothing_kept),
        Some(shown) => view(&app, &row, shown, &query.view, &f).await?,
    };
    let mut facts = Vec::new();
    if !row.path.is_empty() {
        facts.push(w.by_events_only.to_owned());
    }
    facts.extend(row.status.map(|status| format!("HTTP {status}")));
    let via = row.via.map_or(row.condition.as_str(), Via::as_str);
    facts.push(format!("{} {}", w.got_by, f.language.term(via)));
    facts.push(format!("{} {}", w.depth, row.depth));
    let page_type = row.page_type.clone().unwrap_or_default();
    Ok(Page {
        number: row.page.0,
        title: clip(if row.title.is_empty() { &row.key } else { &row.title }, 300),
        key: clip(&row.key, 1_000),
        is_http: Url::parse(&row.url).is_ok_and(|url| matches!(url.scheme(), "http" | "https")),
        url: row.url.clone(),
        site_in_path: in_path(&row.site),
        type_link: address("/pages", &[("site", &row.site), ("type", &page_type)]),
        site: row.site.clone(),
        page_type,
        facts,
        error: clip(&row.error.as_deref().map(refusal).unwrap_or_default(), 400),
        merged_into: row.merged_into.map_or(0, |page| page.0),
        version_count: thousands(timeline.version_count as i64),
        visit_count: thousands(timeline.visit_count as i64),
        noise: timeline.noise,
        versions: timeline.lines,
        ticks: timeline.ticks,
        dots: timeline.dots,
        axis_from: timeline.from,
        axis_to: timeline.to,
        older: timeline.older,
        tabs,
        view,
        f,
    })
}

async fn view(
    app: &Arc<App>,
    row: &PageRow,
    shown: VersionRow,
    view: &str,
    f: &Frame,
) -> Result<View, Failure> {
    Ok(match view {
        "text" => {
            let tree = app
                .busy(move || derive::tree_of(&shown).map(|tree| page::tree::visible_text(&tree)));
            match tree.await? {
                Some(text) => View::Text(plain(&text)),
                None => View::Nothing(f.w.not_html),
            }
        }
        "changes" if shown.version > 1 => {
            let old = version(app, row, shown.version - 1).await?;
            View::Changes(changed_blocks(app, row, old, shown, false, false, f).await?)
        }
        "records" => View::Records(records(app, row, f).await?),
        "exchanges" => View::Exchanges(exchanges(app, row, f).await?),
        "about" => View::About(Box::new(About::of(app, row, &shown, f).await?)),
        "replay" => View::Replay(format!("{}{}", f.replay, app.replay_path(row, shown.time))),
        _ => match verb::show::parts(&app.catalog, row, &shown).await {
            Ok(parts) => View::Blocks(blocks::cards(app, row, shown, parts, f).await?),
            Err(_) => View::Nothing(f.w.not_html),
        },
    })
}

/// The text of a page, harmless to whoever copies it, and not endless.
fn plain(text: &str) -> String {
    let lines = text.lines().map(crate::output::clean_line);
    let mut plain = String::new();
    for line in lines {
        if plain.len() + line.len() > TEXT {
            plain.push('…');
            break;
        }
        plain.push_str(&line);
        plain.push('\n');
    }
    plain
}

/// The records that the page shows in its latest version.
async fn records(app: &App, page: &PageRow, f: &Frame) -> Result<Vec<RecordRow>, Failure> {
    let url: Url = page.url.parse()?;
    let kept = app.catalog.records_on(&page.site, page.page).await?;
    let mut rows = Vec::with_capacity(kept.len());
    for kept in kept {
        let record: Record = serde_json::from_slice(&kept.body)?;
        let place = RecordPage::Number(page.page.0);
        let mut line = Line::new(record, &page.site, place, url.clone());
        line.history.version = Some(kept.last);
        rows.push(RecordRow::of(&line, f));
    }
    Ok(rows)
}

async fn exchanges(app: &App, page: &PageRow, f: &Frame) -> Result<Vec<Exchange>, Failure> {
    let kept = app.catalog.exchanges(page.page).await?;
    let row = |row: ExchangeRow| {
        let time = row.wire.sent.unwrap_or(row.time);
        let is_kept = row.status.is_some() && row.method == "GET";
        Exchange {
            time: When(time),
            status: row.status.map_or("–".into(), |status| status.to_string()),
            size: row.body_bytes.map_or("–".into(), bytes),
            raw: match is_kept {
                true => format!("{}{}", f.replay, crate::web::raw_path(&row.url, time)),
                false => String::new(),
            },
            url: clip(&row.url, 400),
            method: clip(&row.method, 10),
            resource: clip(&row.resource, 20),
            failure: clip(&row.wire.failure.or(row.wire.truncated).unwrap_or_default(), 200),
        }
    };
    // The last are of the visit that is nearest to now.
    Ok(kept.into_iter().rev().take(EXCHANGES).map(row).collect())
}
