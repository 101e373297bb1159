//! A user's own metadata: rules that take values from a page.
//!
//! In `bathys.toml` each is a table, here with each of the four sources:
//!
//! ```toml
//! [metadata.section]
//! xpath = "//meta[@property='article:section']/@content"
//!
//! [metadata.price]
//! regex = 'Price:\s*([0-9.]+)'
//! site = "shop.example"
//!
//! [metadata.server]
//! header = "server"
//!
//! [metadata.collection]
//! value = "harbours"
//! type = "article"
//! ```

use crate::tree::{Dom, PathError, Query, visible_text};
use regex::{Regex, RegexBuilder};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use url::Url;

/// Rules that are kept: more on every page of a crawl would be a mistake.
const MOST_RULES: usize = 200;

/// Values that a rule takes from one page.
const MOST_VALUES: usize = 100;

/// Memory that a compiled expression may take.
const LARGEST_REGEX: usize = 1 << 20;

/// One rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What the values are kept under.
    pub name: String,
    /// Where they come from.
    pub source: Source,
    /// The site that it is for, subdomains included; all if none.
    pub site: Option<String>,
    /// The page type that it is for; all if none.
    pub page_type: Option<String>,
}

/// Where values come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Elements or attributes of the page.
    XPath(Query),
    /// The first group of each match, or the whole match if there is no group.
    Regex {
        /// The expression.
        regex: Regex,
        /// Over the source of the page instead of its visible text.
        in_html: bool,
    },
    /// A header of the response.
    Header(String),
    /// Always the same.
    Constant(String),
}

/// Why a rule cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// It names no source, or several.
    #[error(
        "[metadata.{name}] has {count} sources; give it exactly one of xpath, regex, header or value"
    )]
    Sources {
        /// The rule.
        name: String,
        /// How many it names.
        count: usize,
    },
    /// Its path cannot be read.
    #[error("[metadata.{name}] xpath: {why}")]
    Path {
        /// The rule.
        name: String,
        /// What is wrong.
        why: PathError,
    },
    /// Its expression cannot be read.
    #[error(
        "[metadata.{name}] regex: {why}; in TOML write it in single quotes, so that \\ stays as it is"
    )]
    Regex {
        /// The rule.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// `in` is neither of the two, or goes with another source.
    #[error(
        "[metadata.{name}] in = {given:?} cannot be used; in = \"text\" or in = \"html\" goes with regex"
    )]
    In {
        /// The rule.
        name: String,
        /// What was given.
        given: String,
    },
    /// A name that could not be written on a command line or in a column.
    #[error("[metadata.{name}]: a name is 1 to 64 letters, digits, '-', '_' or '.'")]
    Name {
        /// The rule.
        name: String,
    },
    /// There are too many.
    #[error("{count} metadata rules are too many: at most {MOST_RULES}")]
    TooMany {
        /// How many there are.
        count: usize,
    },
}

/// A page as rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Its tree.
    pub dom: &'a Dom,
    /// Its address.
    pub url: &'a Url,
    /// The name of its page type, if it is known.
    pub page_type: Option<&'a str>,
    /// The headers of its response.
    pub headers: &'a [(String, String)],
    /// Its source, for expressions that ask for it; its tree is asked if there is none.
    pub html: Option<&'a str>,
}

/// The rules of a user, checked.
///
/// ```
/// use page::meta::{Rules, Subject};
///
/// let rules: Rules = serde_json::from_str(r#"{
///     "price": {"regex": "Price: ([0-9.]+)"},
///     "author": {"xpath": "//meta[@name='author']/@content"}
/// }"#).unwrap();
/// let dom = page::tree::parse_str("<meta name=author content=Ann><p>Price: 3.50</p>").dom;
/// let url = url::Url::parse("http://shop.example/").unwrap();
/// let subject = Subject { dom: &dom, url: &url, page_type: None, headers: &[], html: None };
/// let found = rules.apply(&subject);
/// assert_eq!(found["price"], ["3.50"]);
/// assert_eq!(found["author"], ["Ann"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
}

impl Rules {
    /// The rules, in the order of their names.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What the rules that are for a page take from it, by their names. Those that find nothing are
    /// left out.
    pub fn apply(&self, subject: &Subject<'_>) -> BTreeMap<String, Vec<String>> {
        let text = OnceCell::new();
        let html = OnceCell::new();
        let mut found = BTreeMap::new();
        for rule in self.rules.iter().filter(|rule| rule.is_for(subject)) {
            let values: Vec<String> = match &rule.source {
                Source::XPath(query) => query.values(subject.dom, MOST_VALUES),
                Source::Regex { regex, in_html: false } => {
                    matches(regex, text.get_or_init(|| visible_text(subject.dom)))
                }
                Source::Regex { regex, in_html: true } => match subject.html {
                    Some(html) => matches(regex, html),
                    None => {
                        matches(regex, html.get_or_init(|| crate::tree::serialise(subject.dom)))
                    }
                },
                Source::Header(name) => {
                    let headers = subject.headers.iter();
                    let named = headers.filter(|(own, _)| own.eq_ignore_ascii_case(name));
                    named.map(|(_, value)| value.clone()).take(MOST_VALUES).collect()
                }
                Source::Constant(value) => vec![value.clone()],
            };
            let values: Vec<String> =
                values.iter().filter_map(|value| super::clean(value)).collect();
            if !values.is_empty() {
                found.insert(rule.name.clone(), values);
            }
        }
        found
    }
}

fn matches(regex: &Regex, text: &str) -> Vec<String> {
    let matches = regex.captures_iter(text).take(MOST_VALUES);
    let groups = matches.filter_map(|found| found.get(1).or_else(|| found.get(0)));
    groups.map(|group| group.as_str().to_owned()).collect()
}

impl Rule {
    /// Whether it is for a page.
    fn is_for(&self, subject: &Subject<'_>) -> bool {
        let is_site = |site: &String| {
            let host = subject.url.host_str().unwrap_or_default();
            let rest = host.strip_suffix(site.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        self.site.as_ref().is_none_or(is_site)
            && self.page_type.as_deref().is_none_or(|own| subject.page_type == Some(own))
    }
}

/// A rule as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    xpath: Option<String>,
    regex: Option<String>,
    header: Option<String>,
    value: Option<String>,
    #[serde(rename = "in")]
    within: Option<String>,
    site: Option<String>,
    #[serde(rename = "type")]
    page_type: Option<String>,
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = BTreeMap::<String, Written>::deserialize(from)?;
        if written.len() > MOST_RULES {
            return Err(D::Error::custom(RuleError::TooMany { count: written.len() }));
        }
        let rules =
            written.into_iter().map(|(name, rule)| rule.check(name)).collect::<Result<_, _>>();
        Ok(Self { rules: rules.map_err(D::Error::custom)? })
    }
}

impl Written {
    fn check(self, name: String) -> Result<Rule, RuleError> {
        let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.chars().count() > 64 || !name.chars().all(is_plain) {
            return Err(RuleError::Name { name });
        }
        let in_html = match self.within.as_deref() {
            None | Some("text") => false,
            Some("html") if self.regex.is_some() => true,
            Some(given) => return Err(RuleError::In { name, given: given.to_owned() }),
        };
        let source = match (self.xpath, self.regex, self.header, self.value) {
            (Some(path), None, None, None) => match path.parse() {
                Ok(query) => Source::XPath(query),
                Err(why) => return Err(RuleError::Path { name, why }),
            },
            (None, Some(regex), None, None) => {
                match RegexBuilder::new(&regex).size_limit(LARGEST_REGEX).build() {
                    Ok(regex) => Source::Regex { regex, in_html },
                    Err(why) => return Err(RuleError::Regex { name, why: why.to_string() }),
                }
            }
            (None, None, Some(header), None) => Source::Header(header),
            (None, None, None, Some(value)) => Source::Constant(value),
            (xpath, regex, header, value) => {
                let count = [xpath, regex, header, value].iter().flatten().count();
                return Err(RuleError::Sources { name, count });
            }
        };
        let site = self.site.map(|site| site.trim_start_matches("www.").to_ascii_lowercase());
        Ok(Rule { name, source, site, page_type: self.page_type })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_str;

    fn rules(json: &str) -> Result<Rules, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    fn apply(
        json: &str,
        html: &str,
        url: &str,
        page_type: Option<&str>,
    ) -> BTreeMap<String, Vec<String>> {
        let dom = parse_str(html).dom;
        let url = Url::parse(url).unwrap();
        let headers = [("Server".to_owned(), "nginx".to_owned())];
        let subject =
            Subject { dom: &dom, url: &url, page_type, headers: &headers, html: Some(html) };
        rules(json).unwrap().apply(&subject)
    }

    #[test]
    fn each_source_gives_its_values() {
        let found = apply(
            r#"{"a": {"xpath": "//li"}, "b": {"regex": "n(\\d)"}, "c": {"header": "server"},
                "d": {"value": "always"}, "e": {"regex": "data-x=(\\w+)", "in": "html"}}"#,
            "<ul><li data-x=q>n1<li>n2</ul>",
            "http://site.example/",
            None,
        );
        assert_eq!(found["a"], ["n1", "n2"]);
        assert_eq!(found["b"], ["1", "2"]);
        assert_eq!(found["c"], ["nginx"]);
        assert_eq!(found["d"], ["always"]);
        assert_eq!(found["e"], ["q"]);
    }

    #[test]
    fn a_rule_for_a_site_or_a_type_is_for_no_other() {
        let json = r#"{"s": {"value": "1", "site": "shop.example"}, "t": {"value": "2", "type": "article"}}"#;
        let keys = |url: &str, kind| apply(json, "", url, kind).into_keys().collect::<Vec<_>>();
        assert_eq!(keys("http://shop.example/", None), ["s"]);
        assert_eq!(keys("http://www.shop.example/", Some("article")), ["s", "t"]);
        assert!(keys("http://workshop.example/", Some("list")).is_empty());
    }

    #[test]
    fn a_rule_that_finds_nothing_leaves_no_entry() {
        assert!(apply(r#"{"a": {"xpath": "//q"}}"#, "<p>x", "http://a.example/", None).is_empty());
    }

    #[test]
    fn a_rule_that_cannot_work_says_what_to_do() {
        let error = |json| rules(json).unwrap_err();
        assert!(error(r#"{"a": {}}"#).contains("exactly one of xpath, regex, header or value"));
        assert!(error(r#"{"a": {"xpath": "//p", "value": "1"}}"#).contains("has 2 sources"));
        assert!(error(r#"{"a": {"xpath": "p"}}"#).contains("does not begin with '/'"));
        assert!(error(r#"{"a": {"regex": "("}}"#).contains("single quotes"));
        assert!(error(r#"{"a": {"xpath": "//p", "in": "html"}}"#).contains("goes with regex"));
        assert!(error(r#"{"a b": {"value": "1"}}"#).contains("a name is"));
        assert!(error(r#"{"a": {"path": "//p"}}"#).contains("unknown field"));
    }

    #[test]
    fn a_page_full_of_matches_gives_a_bounded_number() {
        let found =
            apply(r#"{"a": {"regex": "x"}}"#, &"<p>x".repeat(5000), "http://a.example/", None);
        assert_eq!(found["a"].len(), MOST_VALUES);
    }
}
