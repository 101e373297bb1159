//! Records as they are told: a line of JSON each, or a row for the eye.

use std::collections::BTreeMap;
use std::io::Write;

use record::{Field, Kind, Moment, Precision, Proof, Record};
use serde::Serialize;
use store::Millis;
use url::Url;

use crate::output::clip;

/// Where a record is shown.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Page {
    /// A page of a store, by its number.
    Number(i64),
    /// A file.
    File(String),
}

/// A record, as scripts read it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Line {
    pub kind: Kind,
    pub site: String,
    pub page: Page,
    pub url: Url,
    pub xpath: String,
    pub title: Option<String>,
    pub author: Option<String>,
    /// As RFC 3339.
    pub time: Option<String>,
    /// The same, as the page says it.
    pub time_text: Option<String>,
    pub content_text: Option<String>,
    pub content_html: Option<String>,
    /// Everything that it shows. Only files tell it: a store shows the page itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What it quotes, which is no part of its content.
    pub quotes: Vec<String>,
    pub links: Vec<Url>,
    pub fields: BTreeMap<String, String>,
    pub confidence: f64,
    pub id: Option<String>,
    pub permalink: Option<Url>,
    pub position: Option<u64>,
    pub reply_to: Vec<String>,
    pub replies: Option<u64>,
    pub last_author: Option<String>,
    /// As RFC 3339.
    pub last_time: Option<String>,
    /// How exact `time` is; where there is none, `last_time`.
    pub time_precision: Option<Precision>,
    /// The offset that the page says, as `+02:00`; the times themselves are in UTC.
    pub zone: Option<String>,
    pub field_xpaths: BTreeMap<Field, String>,
    pub proofs: Vec<Proof>,
    /// How it came and went; nothing of this is known of a file.
    #[serde(flatten)]
    pub history: History,
}

/// When a record of a store was seen.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct History {
    /// The version of its page that this was read from.
    pub version: Option<i64>,
    pub first_seen: Option<Millis>,
    pub last_seen: Option<Millis>,
    /// When it was first seen to say something else than before, if it was.
    pub edited: Option<Millis>,
    /// When it was first seen to be gone, if it is.
    pub deleted: Option<Millis>,
}

impl Line {
    /// A record of a page of a site, of whose history nothing is known.
    pub fn new(record: Record, site: &str, page: Page, url: Url) -> Self {
        let told = record.time.as_ref().or(record.last_time.as_ref());
        Self {
            time_precision: told.map(|moment| moment.precision),
            zone: told.and_then(|moment| moment.zone).map(offset),
            time: record.time.as_ref().and_then(instant),
            last_time: record.last_time.as_ref().and_then(instant),
            kind: record.kind,
            site: site.to_owned(),
            page,
            url,
            xpath: record.xpath,
            title: record.title,
            author: record.author,
            time_text: record.time_text,
            content_text: record.content_text,
            content_html: record.content_html,
            text: record.text,
            quotes: record.quotes,
            links: record.links,
            fields: record.fields,
            confidence: record.confidence,
            id: record.id,
            permalink: record.permalink,
            position: record.position,
            reply_to: record.reply_to,
            replies: record.replies,
            last_author: record.last_author,
            field_xpaths: record.field_xpaths,
            proofs: record.proofs,
            history: History::default(),
        }
    }

    /// The names of the columns that [`row`](Self::row) writes.
    pub fn head(out: &mut impl Write) -> std::io::Result<()> {
        writeln!(
            out,
            "{:<6} {:>4} {:<16} {:<20} {:>7} {:>6} TEXT",
            "KIND", "NO", "TIME", "AUTHOR", "REPLIES", "PROOFS"
        )
    }

    /// A row for the eye.
    pub fn row(&self, out: &mut impl Write) -> std::io::Result<()> {
        let number = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
        let time = self.time.as_deref().or(self.last_time.as_deref());
        // Whole minutes are enough for the eye: `2026-01-31 10:00`.
        let time = time.map_or("-".to_owned(), |time| {
            time.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
        });
        let text = match self.kind {
            Kind::Post => self.content_text.as_ref().or(self.title.as_ref()),
            Kind::Thread | Kind::Item => self.title.as_ref().or(self.content_text.as_ref()),
        };
        writeln!(
            out,
            "{:<6} {:>4} {time:<16} {:<20} {:>7} {:>6} {}",
            self.kind.name(),
            number(self.position),
            clip(self.author.as_deref().unwrap_or("-"), 20),
            number(self.replies),
            self.proofs.len(),
            clip(text.unwrap_or(&self.text), 80),
        )
    }
}

/// As RFC 3339; none of a time so far off that no calendar has it.
fn instant(moment: &Moment) -> Option<String> {
    jiff::Timestamp::from_second(moment.unix).ok().map(|time| time.to_string())
}

/// Minutes east of Greenwich as `+02:00`.
fn offset(minutes: i16) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post() -> Record {
        Record {
            kind: Kind::Post,
            id: Some("p7".into()),
            xpath: "/html[1]/body[1]/div[2]".into(),
            title: Some("Tides".into()),
            author: Some("Mara".into()),
            time: Some(Moment {
                unix: 1_769_853_600,
                precision: Precision::Minute,
                zone: Some(-150),
                relative: false,
            }),
            time_text: Some("Jan 31, 2026 07:30".into()),
            content_text: Some("At noon.\nOr later.".into()),
            content_html: Some("<p>At noon.</p><p>Or later.</p>".into()),
            text: String::new(),
            quotes: vec!["When is high water?".into()],
            links: Vec::new(),
            permalink: None,
            position: Some(2),
            reply_to: vec!["p3".into()],
            replies: None,
            last_author: None,
            last_time: None,
            fields: BTreeMap::new(),
            field_xpaths: BTreeMap::from([(Field::LastAuthor, "/a[1]".into())]),
            confidence: 0.75,
            proofs: vec![Proof::FirstAuthor],
        }
    }

    fn line(record: Record) -> Line {
        let url = "http://example.org/t/1".parse().unwrap();
        Line::new(record, "example.org", Page::File("a.html".into()), url)
    }

    #[test]
    fn a_line_has_the_fields_that_scripts_rely_on_also_where_they_are_empty() {
        let line = serde_json::to_value(line(post())).unwrap();
        let names: Vec<_> = line.as_object().unwrap().keys().map(String::as_str).collect();
        let mut fixed = "kind site page url xpath title author time time_text content_text \
             content_html quotes links fields confidence id permalink position reply_to replies \
             last_author last_time time_precision zone field_xpaths proofs version first_seen \
             last_seen edited deleted"
            .split_whitespace()
            .collect::<Vec<_>>();
        let mut sorted = names.clone();
        fixed.sort_unstable();
        sorted.sort_unstable();
        assert_eq!(sorted, fixed);
        assert_eq!(line["kind"], "post");
        assert_eq!(line["page"], "a.html");
        assert_eq!(line["time"], "2026-01-31T10:00:00Z");
        assert_eq!((&line["time_precision"], &line["zone"]), (&"minute".into(), &"-02:30".into()));
        assert_eq!(line["field_xpaths"]["last_author"], "/a[1]");
        assert_eq!(line["proofs"], serde_json::json!(["first_author"]));
    }

    #[test]
    fn a_time_that_no_calendar_has_is_none() {
        let mut far = post();
        far.time.as_mut().unwrap().unix = i64::MAX;
        assert_eq!(line(far).time, None);
    }

    #[test]
    fn a_row_is_one_line_whatever_the_text_is() {
        let mut out = Vec::new();
        Line::head(&mut out).unwrap();
        line(post()).row(&mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
        KIND     NO TIME             AUTHOR               REPLIES PROOFS TEXT
        post      2 2026-01-31 10:00 Mara                       -      1 At noon. Or later.
        ");
    }
}
