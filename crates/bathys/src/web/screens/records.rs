//! Records as tables: what repeats on pages, by kind, site and words, in the order that is asked for.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use serde::Deserialize;
use store::{Catalog, RecordLine, RecordNumber, RecordQuery, Which};

use super::{ROWS, shown};
use crate::records::{Line, Page};
use crate::verb;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::tell::{address, clip};

/// Records that are sorted, or looked through for words: more would keep a reader waiting.
const MOST: usize = 5_000;
/// Fields of a record that are shown.
const FIELDS: usize = 40;

/// What is asked for, as the address has it.
#[derive(Deserialize)]
pub struct RecordsQuery {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    site: String,
    #[serde(default)]
    q: String,
    #[serde(default)]
    sort: String,
    #[serde(default)]
    at: String,
    #[serde(default)]
    history: String,
    /// Where the page before ended: site, record and edition, or a number of rows if it is sorted.
    #[serde(default)]
    after: String,
}

#[derive(Template)]
#[template(path = "records.html")]
pub struct Records {
    kinds: Vec<(String, &'static str, bool)>,
    sites: Vec<String>,
    sorts: Vec<(&'static str, &'static str)>,
    query: RecordsQuery,
    note: String,
    rows: Vec<RecordRow>,
    first: String,
    next: String,
    exports: Vec<(String, &'static str)>,
    f: Frame,
}

shown!(Records);

/// A record, as it is shown.
pub struct RecordRow {
    pub kind: &'static str,
    pub kind_class: &'static str,
    pub position: String,
    pub time: String,
    pub author: String,
    pub title: String,
    pub content: String,
    pub fields: Vec<(String, String)>,
    pub badges: Vec<String>,
    pub replies: String,
    pub page: i64,
    pub version: i64,
    pub is_gone: bool,
}

impl RecordsQuery {
    fn asked(&self) -> Result<RecordQuery, Failure> {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        if !matches!(self.kind.as_str(), "" | "thread" | "post" | "item") {
            return Err(Failure::BadRequest(format!("no kind of records is '{}'", self.kind)));
        }
        let at = match self.at.as_str() {
            "" => None,
            text => match crate::address::which(text) {
                Some(Which::At(time)) => Some(time),
                _ => return Err(Failure::BadRequest(format!("'{text}' is no time"))),
            },
        };
        Ok(RecordQuery {
            kind: some(&self.kind),
            site: some(&self.site),
            at,
            history: self.history == "1",
        })
    }

    fn pairs<'a>(&'a self, kind: &'a str, after: &'a str) -> [(&'a str, &'a str); 7] {
        [
            ("kind", kind),
            ("site", &self.site),
            ("q", &self.q),
            ("sort", &self.sort),
            ("at", &self.at),
            ("history", &self.history),
            ("after", after),
        ]
    }
}

pub async fn records(
    State(app): State<Arc<App>>,
    Query(query): Query<RecordsQuery>,
    f: Frame,
) -> Result<Records, Failure> {
    let sites = app.catalog.sites().await?.into_iter().map(|site| site.site).collect();
    let asked = query.asked()?;
    let w = f.w;
    let (lines, next, note) = match query.sort.is_empty() && query.q.trim().is_empty() {
        true => in_order(&app.catalog, asked, &query).await?,
        false => sorted(&app, asked, &query, &f).await?,
    };
    let kinds = [("", w.all_kinds), ("thread", w.threads), ("post", w.posts), ("item", w.items)];
    let kinds = kinds.map(|(kind, label)| {
        (address("/records", &query.pairs(kind, "")), label, kind == query.kind)
    });
    let next = match next.as_str() {
        "" => String::new(),
        next => address("/records", &query.pairs(&query.kind, next)),
    };
    let first = match query.after.as_str() {
        "" => String::new(),
        _ => address("/records", &query.pairs(&query.kind, "")),
    };
    let rows = lines.iter().map(|line| RecordRow::of(line, &f)).collect();
    let sorts = vec![
        ("", w.as_found),
        ("-time", w.newest_first),
        ("time", w.oldest_first),
        ("author", w.by_author),
        ("title", w.by_title),
        ("-replies", w.most_replies),
        ("-seen", w.last_found),
    ];
    let exports = [("csv", "CSV"), ("jsonl", "JSON Lines"), ("parquet", "Parquet")];
    let exports = exports.map(|(format, label)| {
        let pairs = [
            ("format", format),
            ("kind", &query.kind),
            ("site", &query.site),
            ("at", &query.at),
            ("history", &query.history),
        ];
        (address("/api/v1/records", &pairs), label)
    });
    let (kinds, exports) = (kinds.into(), exports.into());
    Ok(Records { kinds, sites, sorts, note, rows, first, next, exports, query, f })
}

type Found = (Vec<Line>, String, String);

/// Records in the order in which they were found: any number of them.
async fn in_order(
    catalog: &Catalog,
    asked: RecordQuery,
    query: &RecordsQuery,
) -> Result<Found, Failure> {
    let after = match query.after.as_str() {
        "" => None,
        text => Some(place(text).ok_or_else(|| Failure::BadRequest("no such place".into()))?),
    };
    let mut kept: Vec<RecordLine> = Vec::new();
    let mut last = after;
    // Sites end batches.
    while kept.len() <= ROWS {
        let more = (ROWS + 1 - kept.len()) as i64;
        let some = catalog.some_records(asked.clone(), last, more).await?;
        let Some(end) = some.last() else { break };
        last = Some((end.site.clone(), end.record, end.edition));
        kept.extend(some);
    }
    let has_more = kept.len() > ROWS;
    kept.truncate(ROWS);
    let next = match kept.last() {
        Some(last) if has_more => format!("{}~{}~{}", last.record.0, last.edition, last.site),
        _ => String::new(),
    };
    let lines = kept.iter().map(verb::records::line).collect::<anyhow::Result<_>>()?;
    Ok((lines, next, String::new()))
}

/// Where a page ended, as the address has it.
fn place(text: &str) -> Option<(String, RecordNumber, i64)> {
    let mut parts = text.splitn(3, '~');
    let (record, edition) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((parts.next()?.to_owned(), RecordNumber(record), edition))
}

/// Records sorted by what they say, or with these words: of the first few thousand.
async fn sorted(
    app: &Arc<App>,
    asked: RecordQuery,
    query: &RecordsQuery,
    f: &Frame,
) -> Result<Found, Failure> {
    let (mut kept, mut last) = (Vec::new(), None);
    while kept.len() <= MOST {
        let some = app.catalog.records(asked.clone(), last).await?;
        let Some(end) = some.last() else { break };
        last = Some((end.site.clone(), end.record, end.edition));
        kept.extend(some);
    }
    let is_cut = kept.len() > MOST;
    kept.truncate(MOST);
    let (words, sort) = (query.q.trim().to_lowercase(), query.sort.clone());
    let order = move || -> anyhow::Result<Vec<Line>> {
        let mut lines = kept.iter().map(verb::records::line).collect::<anyhow::Result<Vec<_>>>()?;
        lines.retain(|line| words.is_empty() || has_words(line, &words));
        sort_by(&mut lines, &sort);
        Ok(lines)
    };
    let mut lines = app.busy(order).await??;
    let from: usize = query.after.parse().unwrap_or(0);
    let next = if lines.len() > from + ROWS { (from + ROWS).to_string() } else { String::new() };
    let lines = lines.drain(from.min(lines.len())..).take(ROWS).collect();
    let note = if is_cut { f.w.first_only.replace("{most}", "5,000") } else { String::new() };
    Ok((lines, next, note))
}

fn has_words(line: &Line, words: &str) -> bool {
    let texts = [&line.title, &line.author, &line.content_text, &line.last_author];
    let mut texts = texts.into_iter().flatten().chain(line.fields.values());
    texts.any(|text| text.to_lowercase().contains(words))
}

fn sort_by(lines: &mut [Line], sort: &str) {
    let time = |line: &Line| line.time.clone().or_else(|| line.last_time.clone());
    // What has nothing to be sorted by comes last in either direction.
    match sort {
        "time" => lines.sort_by_key(|line| (time(line).is_none(), time(line))),
        "-time" => lines.sort_by_key(|line| std::cmp::Reverse(time(line))),
        "author" => lines.sort_by_key(|line| (line.author.is_none(), line.author.clone())),
        "title" => lines.sort_by_key(|line| (line.title.is_none(), line.title.clone())),
        "-replies" => lines.sort_by_key(|line| std::cmp::Reverse(line.replies)),
        "-seen" => lines.sort_by_key(|line| std::cmp::Reverse(line.history.first_seen)),
        _ => {}
    }
}

impl RecordRow {
    /// A record as it is shown.
    pub fn of(line: &Line, f: &Frame) -> Self {
        let w = f.w;
        let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        let time = line.time.as_deref().or(line.last_time.as_deref());
        let time =
            time.map(|time| time.chars().take(16).collect::<String>().replace('T', "\u{a0}"));
        let mut badges = Vec::new();
        if line.history.deleted.is_some() {
            badges.push(w.gone.to_owned());
        }
        if line.history.edited.is_some() {
            badges.push(w.edited.to_owned());
        }
        if !line.proofs.is_empty() {
            badges.push(format!("{} {}", line.proofs.len(), w.proofs));
        }
        let fields = line.fields.iter().take(FIELDS);
        Self {
            kind: f.language.term(line.kind.name()),
            kind_class: line.kind.name(),
            position: number(line.position),
            time: time.unwrap_or_default(),
            author: clip(line.author.as_deref().unwrap_or_default(), 60),
            title: clip(line.title.as_deref().unwrap_or_default(), 200),
            content: clip(line.content_text.as_deref().unwrap_or_default(), 400),
            fields: fields.map(|(name, value)| (clip(name, 60), clip(value, 400))).collect(),
            badges,
            replies: number(line.replies),
            page: match line.page {
                Page::Number(number) => number,
                Page::File(_) => 0,
            },
            version: line.history.version.unwrap_or_default(),
            is_gone: line.history.deleted.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_table_is_read_as_it_was_written() {
        let found = place("12~3~127.0.0.1:80~a").unwrap();
        assert_eq!(found, ("127.0.0.1:80~a".to_owned(), RecordNumber(12), 3));
        assert_eq!(place("12~x~a"), None);
        assert_eq!(place(""), None);
    }
}
