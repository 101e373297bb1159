//! Questions to an index of captures, as CDX servers take them, and their answers.

use regex::{Regex, RegexBuilder};
use store::Millis;

use super::capture::Capture;
use super::moment::{parse_moment, timestamp};
use crate::warc::index::push_json;
use crate::warc::surt;

/// Fields that can be asked for.
const FIELDS: [&str; 6] = ["urlkey", "timestamp", "url", "mime", "status", "digest"];
/// Filters of one question.
const FILTERS: usize = 10;
/// Size of a filter that is made from a pattern.
const PATTERN: usize = 1 << 16;

/// Which addresses are like the one that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matches {
    /// The same key.
    #[default]
    Exact,
    /// A key that begins with it.
    Prefix,
    /// The same host.
    Host,
    /// The host, and those below it.
    Domain,
}

/// How lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CdxOutput {
    /// Key, time and a JSON object.
    #[default]
    Cdxj,
    /// A JSON object.
    Json,
    /// Fields with spaces between them.
    Text,
}

/// Why a question cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CdxError {
    /// No address.
    #[error("say which address with url=")]
    NoUrl,
    /// A parameter has a value that it cannot have.
    #[error("{name}={value} cannot be answered; {known}")]
    Unknown {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it can be.
        known: &'static str,
    },
}

/// A question.
#[derive(Clone, Debug)]
pub struct CdxQuery {
    /// The address.
    pub url: String,
    /// Which ones are like it.
    pub matches: Matches,
    /// How many lines.
    pub limit: Option<usize>,
    /// Newest first.
    pub reverse: bool,
    /// Nearest to this time first.
    pub closest: Option<Millis>,
    /// How lines are written.
    pub output: CdxOutput,
    from: Option<String>,
    to: Option<String>,
    filters: Vec<Filter>,
    fields: Option<Vec<&'static str>>,
}

#[derive(Clone, Debug)]
struct Filter {
    field: &'static str,
    is_not: bool,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    Contains(String),
    Equals(String),
    Pattern(Regex),
}

impl CdxQuery {
    /// A question, from the parameters of an address.
    ///
    /// # Errors
    /// Names the parameter that cannot be answered.
    pub fn parse<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, CdxError> {
        let mut query = Self {
            url: String::new(),
            matches: Matches::Exact,
            limit: None,
            reverse: false,
            closest: None,
            output: CdxOutput::Cdxj,
            from: None,
            to: None,
            filters: Vec::new(),
            fields: None,
        };
        let mut matches = None;
        for (name, value) in pairs {
            let unknown = |name, known| CdxError::Unknown { name, value: value.to_owned(), known };
            match name {
                "url" => value.clone_into(&mut query.url),
                "matchType" => {
                    matches = Some(match value {
                        "exact" => Matches::Exact,
                        "prefix" => Matches::Prefix,
                        "host" => Matches::Host,
                        "domain" => Matches::Domain,
                        _ => return Err(unknown("matchType", "exact, prefix, host or domain")),
                    });
                }
                "limit" => {
                    let limit = value.parse().map_err(|_| unknown("limit", "give a number"))?;
                    query.limit = Some(limit);
                }
                "sort" => match value {
                    "reverse" => query.reverse = true,
                    "closest" | "" => {}
                    _ => return Err(unknown("sort", "reverse or closest")),
                },
                "closest" => {
                    let moment = parse_moment(value);
                    query.closest = Some(moment.ok_or_else(|| unknown("closest", "give a time"))?);
                }
                "from" => {
                    query.from = Some(digits(value).ok_or_else(|| unknown("from", "digits"))?);
                }
                "to" => query.to = Some(digits(value).ok_or_else(|| unknown("to", "digits"))?),
                "output" => {
                    query.output = match value {
                        "json" => CdxOutput::Json,
                        "text" => CdxOutput::Text,
                        "cdxj" | "" => CdxOutput::Cdxj,
                        _ => return Err(unknown("output", "json, text or cdxj")),
                    }
                }
                "filter" if query.filters.len() < FILTERS => {
                    let filter = Filter::parse(value);
                    let known =
                        "write FIELD:TEXT, =FIELD:TEXT or ~FIELD:PATTERN, with ! before for not";
                    query.filters.push(filter.ok_or_else(|| unknown("filter", known))?);
                }
                "fl" | "fields" => {
                    let names = value.split(',').filter_map(field);
                    query.fields = Some(names.collect());
                }
                _ => {}
            }
        }
        if query.url.is_empty() {
            return Err(CdxError::NoUrl);
        }
        // `*` at either end says which ones are meant, as other servers take it.
        if let Some(host) = query.url.strip_prefix("*.") {
            (query.url, query.matches) = (host.to_owned(), Matches::Domain);
        } else if let Some(prefix) = query.url.strip_suffix('*') {
            (query.url, query.matches) = (prefix.to_owned(), Matches::Prefix);
        }
        query.matches = matches.unwrap_or(query.matches);
        if !query.url.contains("://") {
            query.url.insert_str(0, "http://");
        }
        Ok(query)
    }

    /// Whether the time of a capture is one that is asked for.
    pub fn has_time(&self, time: Millis) -> bool {
        let time = timestamp(time);
        let begins = |bound: &String| time.get(..bound.len()).unwrap_or(&time).to_owned();
        self.from.as_ref().is_none_or(|from| begins(from) >= *from)
            && self.to.as_ref().is_none_or(|to| begins(to) <= *to)
    }

    /// Whether a capture is one that is asked for.
    pub fn admits(&self, capture: &Capture) -> bool {
        self.has_time(capture.place.time)
            && self.filters.iter().all(|filter| {
                let value = value(capture, filter.field).unwrap_or_default();
                let holds = match &filter.test {
                    Test::Contains(text) => value.contains(text.as_str()),
                    Test::Equals(text) => value == *text,
                    Test::Pattern(pattern) => pattern.is_match(&value),
                };
                holds != filter.is_not
            })
    }

    /// The captures of one key that are asked for, in the order that is asked for.
    pub fn chosen(&self, captures: Vec<Capture>) -> Vec<Capture> {
        let mut chosen: Vec<Capture> =
            captures.into_iter().filter(|capture| self.admits(capture)).collect();
        if let Some(closest) = self.closest {
            let seconds = |time: Millis| time.0.div_euclid(1000);
            chosen.sort_by_key(|capture| {
                (seconds(capture.place.time) - seconds(closest)).unsigned_abs()
            });
        } else if self.reverse {
            chosen.reverse();
        }
        chosen
    }

    /// A capture as a line.
    pub fn line(&self, capture: &Capture) -> String {
        let fields = self.fields.as_deref();
        let is_asked = |name: &str| fields.is_none_or(|fields| fields.contains(&name));
        let names = fields.unwrap_or(&FIELDS).iter();
        let mut line = String::new();
        if self.output == CdxOutput::Text {
            let values = names.map(|name| value(capture, name).unwrap_or("-".into()));
            line =
                values.map(|value| value.replace([' ', '\n'], "+")).collect::<Vec<_>>().join(" ");
            line.push('\n');
            return line;
        }
        let is_cdxj = self.output == CdxOutput::Cdxj;
        if is_cdxj {
            line.push_str(&format!("{} {} ", surt(&capture.url), timestamp(capture.place.time)));
        }
        line.push('{');
        let mut is_first = true;
        for name in FIELDS.iter().filter(|name| is_asked(name)) {
            // They stand before the object.
            if is_cdxj && matches!(*name, "urlkey" | "timestamp") {
                continue;
            }
            let Some(value) = value(capture, name) else { continue };
            line.push_str(if is_first { "" } else { ", " });
            line.push_str(&format!("\"{name}\": "));
            push_json(&mut line, &value);
            is_first = false;
        }
        line.push_str("}\n");
        line
    }
}

impl Filter {
    fn parse(text: &str) -> Option<Self> {
        let (is_not, text) = match text.strip_prefix('!') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (name, wanted) = text.split_once(':')?;
        let (kind, name) = match name.strip_prefix(['=', '~']) {
            Some(rest) => (name.chars().next(), rest),
            None => (None, name),
        };
        let test = match kind {
            Some('=') => Test::Equals(wanted.to_owned()),
            Some(_) => {
                // From the beginning of the value, as other servers take it.
                let pattern = format!("^(?:{wanted})");
                Test::Pattern(RegexBuilder::new(&pattern).size_limit(PATTERN).build().ok()?)
            }
            None => Test::Contains(wanted.to_owned()),
        };
        Some(Self { field: field(name)?, is_not, test })
    }
}

fn field(name: &str) -> Option<&'static str> {
    let name = match name {
        "original" => "url",
        "mimetype" => "mime",
        "statuscode" => "status",
        other => other,
    };
    FIELDS.into_iter().find(|known| *known == name)
}

fn value(capture: &Capture, field: &str) -> Option<String> {
    match field {
        "urlkey" => Some(surt(&capture.url)),
        "timestamp" => Some(timestamp(capture.place.time)),
        "url" => Some(capture.url.clone()),
        "mime" => capture.media_type.clone(),
        "status" => capture.status.map(|status| status.to_string()),
        // Without the name of the method, as other servers write it.
        "digest" => Some(capture.digest.to_string().trim_start_matches("sha1:").to_owned()),
        _ => None,
    }
}

fn digits(value: &str) -> Option<String> {
    let is_time = (1..=14).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit());
    is_time.then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use store::{ArchiveItem, PageNumber};

    use super::super::index::Place;
    use super::*;
    use crate::warc::PayloadDigest;

    fn capture(time: &str, media_type: &str) -> Capture {
        Capture {
            place: Place {
                time: parse_moment(time).unwrap(),
                page: PageNumber(1),
                item: ArchiveItem::Exchange(1),
            },
            url: "http://a.example/x\u{e9}?b".into(),
            media_type: Some(media_type.into()),
            status: Some(200),
            digest: PayloadDigest::of(&[b"abc"]),
        }
    }

    fn query(text: &str) -> CdxQuery {
        let pairs: Vec<_> = text.split('&').filter_map(|pair| pair.split_once('=')).collect();
        CdxQuery::parse(pairs).unwrap()
    }

    #[test]
    fn a_line_is_what_other_servers_write() {
        let capture = capture("20260131102030", "text/html");
        assert_eq!(
            query("url=a").line(&capture),
            "example,a)/x%c3%a9?b 20260131102030 {\"url\": \"http://a.example/x\\u00e9?b\", \"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\"}\n"
        );
        assert_eq!(
            query("url=a&output=json&fl=timestamp,status").line(&capture),
            "{\"timestamp\": \"20260131102030\", \"status\": \"200\"}\n"
        );
        assert_eq!(query("url=a&output=text&fl=mime,nothing").line(&capture), "text/html\n");
    }

    #[test]
    fn captures_are_chosen_by_time_and_filter_and_in_order() {
        let all = || {
            let times = ["20260101000000", "20260201000000", "20270101000000"];
            times
                .map(|time| {
                    capture(time, if time.starts_with("2027") { "image/png" } else { "text/html" })
                })
                .to_vec()
        };
        let times = |text: &str| {
            let chosen = query(text).chosen(all());
            chosen.iter().map(|c| timestamp(c.place.time)[..6].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(times("url=a&from=202602"), ["202602", "202701"]);
        assert_eq!(times("url=a&to=2026"), ["202601", "202602"]);
        assert_eq!(times("url=a&sort=reverse"), ["202701", "202602", "202601"]);
        assert_eq!(times("url=a&closest=20260131"), ["202602", "202601", "202701"]);
        assert_eq!(times("url=a&filter=!mime:html"), ["202701"]);
        assert_eq!(times("url=a&filter=~mime:image/.*&filter==status:200"), ["202701"]);
    }

    #[test]
    fn what_cannot_be_answered_is_named() {
        assert_eq!(CdxQuery::parse([("limit", "1")]).unwrap_err(), CdxError::NoUrl);
        for (name, value) in [("limit", "x"), ("filter", "x"), ("filter", "~url:("), ("from", "x")]
        {
            let error = CdxQuery::parse([("url", "a"), (name, value)]).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
        assert_eq!(query("url=*.a.example").matches, Matches::Domain);
        assert_eq!(query("url=a.example/*").matches, Matches::Prefix);
    }
}
