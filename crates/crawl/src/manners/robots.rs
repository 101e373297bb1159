//! robots.txt of each origin, as RFC 9309 wants it, fetched through our own client.
//!
//! Parsing (the first 500 KiB) and matching are robotxt's; what a missing, broken or silent file means, how long it is
//! believed and how it is fetched is decided here.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use browser::http::{Client, Cut, Exchange, FetchError, Request};
use page::state::safety::{Permit, Refusal};
use tokio::time::Instant;
use url::{Origin, Url};

/// RFC 9309 §2.4: not longer than a day.
const LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// How long an unreachable file is not asked for again.
const RETRY_AFTER: Duration = Duration::from_secs(300);
/// RFC 9309 §2.3.1.2: at least five redirects.
const MAX_REDIRECTS: usize = 5;
/// Origins remembered.
const MAX_ORIGINS: usize = 4096;

/// Why there are the rules that there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The file was read.
    Read,
    /// There is none (4xx, or redirects without end): everything is allowed.
    Absent(String),
    /// The server cannot say (5xx, 429, no connection, half a file): nothing is allowed for now.
    Unreachable(String),
}

/// The rules of one origin for our crawler.
#[derive(Debug, Clone)]
pub struct Rules {
    robots: robotxt::Robots,
    standing: Standing,
}

/// A URL that robots.txt keeps us from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disallowed(String);

impl fmt::Display for Disallowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Disallowed {}

impl Rules {
    /// The rules in a file, for the crawler called `agent`.
    ///
    /// ```
    /// use crawl::robots::Rules;
    /// use url::Url;
    ///
    /// let rules = Rules::parse(b"User-agent: *\nDisallow: /private/", "bathys");
    /// let url = Url::parse("https://example.com/private/a").unwrap();
    /// assert_eq!(
    ///     rules.admits(&url).unwrap_err().to_string(),
    ///     "robots.txt says 'Disallow: /private/' (needs permit: robots)"
    /// );
    /// ```
    pub fn parse(file: &[u8], agent: &str) -> Self {
        Self { robots: robotxt::Robots::parse(file, agent), standing: Standing::Read }
    }

    /// May `url`, which is of this origin, be fetched?
    pub fn admits(&self, url: &Url) -> Result<(), Disallowed> {
        if self.robots.is_url_allowed(url) {
            return Ok(());
        }
        let words = match &self.standing {
            Standing::Unreachable(why) => {
                format!("robots.txt cannot be read, and without it nothing is asked for ({why})")
            }
            _ => {
                let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
                let rule = self.robots.rules().iter().find(|rule| rule.is_match(path));
                let pattern = rule.map_or("/", |rule| rule.pattern());
                let reason = format!("robots.txt says 'Disallow: {pattern}'");
                Refusal::unless(reason, Permit::Robots).to_string()
            }
        };
        Err(Disallowed(words))
    }

    /// The pause that the site asks for between two requests.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.robots.crawl_delay()
    }

    /// The sitemaps that the file names, for any crawler.
    pub fn sitemaps(&self) -> &[Url] {
        self.robots.sitemaps()
    }

    /// Why these rules hold.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }
}

/// Fetches and remembers the rules of every origin. Cheap to clone; clones share the memory.
#[derive(Debug, Clone)]
pub struct Robots {
    client: Client,
    agent: Arc<str>,
    origins: Arc<Mutex<HashMap<Origin, Arc<Place>>>>,
}

/// One origin. Its lock is held while the file is fetched, so that it is fetched once.
type Place = tokio::sync::Mutex<Option<Known>>;

#[derive(Debug, Clone)]
struct Known {
    rules: Arc<Rules>,
    until: Instant,
}

impl Known {
    fn is_fresh(&self) -> bool {
        self.until > Instant::now()
    }
}

impl Robots {
    /// For a crawler that sends `user_agent`; its first word (`Bathys/0.1 (...)`: `Bathys`) is the
    /// name that it answers to in robots.txt files.
    pub fn new(client: Client, user_agent: &str) -> Self {
        Self { client, agent: product_token(user_agent).into(), origins: Arc::default() }
    }

    /// May `url` be fetched?
    pub async fn admits(&self, url: &Url) -> Result<(), Disallowed> {
        self.rules(url).await.admits(url)
    }

    /// The rules of the origin of `url`, if nobody has to wait for them.
    pub(crate) fn known(&self, url: &Url) -> Option<Arc<Rules>> {
        let place = self.place(url.origin());
        let known = place.try_lock().ok()?;
        known.as_ref().filter(|known| known.is_fresh()).map(|known| known.rules.clone())
    }

    /// The rules of the origin of `url`, fetched if they are not known or too old.
    pub async fn rules(&self, url: &Url) -> Arc<Rules> {
        let place = self.place(url.origin());
        let mut known = place.lock().await;
        if let Some(known) = known.as_ref()
            && known.is_fresh()
        {
            return known.rules.clone();
        }
        let fresh = self.fetch(url).await;
        let unreachable = matches!(fresh.standing, Standing::Unreachable(_));
        let lifetime = if unreachable { RETRY_AFTER } else { LIFETIME };
        let rules = match known.take() {
            // RFC 9309 §2.4: an older copy may be used while the file is unreachable.
            Some(old) if unreachable && old.rules.standing == Standing::Read => old.rules,
            _ => Arc::new(fresh),
        };
        *known = Some(Known { rules: rules.clone(), until: Instant::now() + lifetime });
        rules
    }

    async fn fetch(&self, url: &Url) -> Rules {
        let Ok(mut target) = url.join("/robots.txt") else {
            return allow_all("the URL has no origin".to_owned());
        };
        target.set_fragment(None);
        let mut request = Request::get(target);
        for _ in 0..=MAX_REDIRECTS {
            let exchange = match self.client.fetch(&request).await {
                Ok(exchange) => exchange,
                Err(error @ FetchError::Url { .. }) => return allow_all(error.to_string()),
                Err(error) => return disallow_all(error.to_string()),
            };
            match exchange.redirect(&request) {
                None => return read(&exchange, &self.agent),
                Some(Ok(next)) => request = next,
                Some(Err(location)) => return allow_all(format!("a redirect to '{location}'")),
            }
        }
        allow_all("redirects without end".to_owned())
    }

    fn place(&self, origin: Origin) -> Arc<Place> {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        if origins.len() >= MAX_ORIGINS && !origins.contains_key(&origin) {
            // Forgetting costs one more fetch of a small file, never a wrong answer.
            origins.retain(|_, place| Arc::strong_count(place) > 1);
        }
        origins.entry(origin).or_default().clone()
    }
}

/// RFC 9309 §2.2.1: letters, `_` and `-` at the beginning of the identification string.
fn product_token(user_agent: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '-');
    let end = user_agent.find(|c| !is_part(c)).unwrap_or(user_agent.len());
    user_agent.get(..end).unwrap_or_default()
}

/// What an answer to the request for robots.txt means.
fn read(exchange: &Exchange, agent: &str) -> Rules {
    let status = exchange.status;
    if status.is_success() {
        return match &exchange.cut {
            None | Some(Cut::Size) => Rules::parse(&exchange.body, agent),
            // Half a file may have lost the line that forbids.
            Some(cut) => disallow_all(format!("the file is not whole: {cut}")),
        };
    }
    match status.as_u16() {
        // The RFC counts 429 among "unavailable"; a site that says "too much" does not mean "all".
        429 | 500.. => disallow_all(format!("status {status}")),
        _ => allow_all(format!("status {status}")),
    }
}

fn allow_all(why: String) -> Rules {
    Rules { robots: robotxt::Robots::allow_all(), standing: Standing::Absent(why) }
}

fn disallow_all(why: String) -> Rules {
    Rules { robots: robotxt::Robots::disallow_all(), standing: Standing::Unreachable(why) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(file: &str, agent: &str, path: &str) -> bool {
        let url = Url::parse("https://example.com").and_then(|url| url.join(path));
        Rules::parse(file.as_bytes(), agent).admits(&url.expect("a URL")).is_ok()
    }

    #[test]
    fn the_name_is_the_first_word_of_the_user_agent() {
        assert_eq!(product_token("Bathys/0.1 (archiving crawler)"), "Bathys");
        assert_eq!(product_token("my_bot-x"), "my_bot-x");
        assert_eq!(product_token("机器人"), "");
    }

    #[test]
    fn groups_are_chosen_by_name_without_case_and_merged() {
        let file = "User-agent: *\nDisallow: /\n\n\
                    User-agent: ExampleBot\nDisallow: /foo\nDisallow: /bar\n\n\
                    User-agent: other\nUser-agent: EXAMPLEBOT\nDisallow: /baz\n";
        assert!(allowed(file, "examplebot", "/"));
        for path in ["/foo", "/bar/x", "/baz"] {
            assert!(!allowed(file, "examplebot", path), "{path}");
        }
        assert!(!allowed(file, "stranger", "/x"));
        assert!(allowed("User-agent: a\nDisallow: /", "stranger", "/x"));
    }

    #[test]
    fn the_longest_match_wins_and_allow_wins_a_tie() {
        let file = "User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
        assert!(allowed(file, "b", "/example/page/a"));
        assert!(!allowed(file, "b", "/example/page/disallowed.gif"));
        let tie = "User-agent: *\nDisallow: /a\nAllow: /a\n";
        assert!(allowed(tie, "b", "/a"));
        let order = "User-agent: *\nDisallow: /\nAllow: /public/\n";
        assert!(allowed(order, "b", "/public/x"));
        assert!(!allowed(order, "b", "/x"));
    }

    #[test]
    fn stars_and_dollars_match_as_the_rfc_says() {
        for (rule, path, wanted) in [
            ("/*.gif$", "/a/b.gif", false),
            ("/*.gif$", "/a/b.gif?x", true),
            ("/this/path/exactly$", "/this/path/exactly", false),
            ("/this/path/exactly$", "/this/path/exactly2", true),
            ("/a*b*c", "/a-b-c-d", false),
            ("/a*b*c", "/a-c-b", true),
            ("/foo/bar?baz=quz", "/foo/bar?baz=quz", false),
            ("/foo/bar/ツ", "/foo/bar/%E3%83%84", false),
            ("/foo/bar/%62%61%7A", "/foo/bar/baz", false),
            ("/Foo", "/foo", true),
            ("", "/anything", true),
        ] {
            let file = format!("User-agent: *\nDisallow: {rule}\n");
            assert_eq!(allowed(&file, "b", path), wanted, "{rule} {path}");
        }
        assert!(allowed("User-agent: *\nDisallow: /", "b", "/robots.txt"));
    }

    #[test]
    fn a_mark_strange_line_ends_and_comments_do_no_harm() {
        let file = "\u{feff}user-agent : * # all\rDISALLOW:/a#b\r\n\0Disallow /c\n<html>\n";
        assert!(!allowed(file, "b", "/a"));
        assert!(!allowed(file, "b", "/c"));
        assert!(allowed(file, "b", "/d"));
    }

    #[test]
    fn delay_and_sitemaps_are_read() {
        let file = "Sitemap: https://example.com/1.xml\nUser-agent: *\nCrawl-delay: 2.5\n\
                    Disallow: /x\nSitemap: https://example.com/2.xml\n";
        let rules = Rules::parse(file.as_bytes(), "b");
        assert_eq!(rules.crawl_delay(), Some(Duration::from_millis(2500)));
        assert_eq!(rules.sitemaps().len(), 2);
        let odd = Rules::parse(b"User-agent: *\nCrawl-delay: -1\nDisallow:\n", "b");
        assert_eq!(odd.crawl_delay(), None);
    }

    #[test]
    fn what_lies_beyond_500_kib_does_not_count_and_a_cut_line_neither() {
        let mut file = b"User-agent: *\nDisallow: /early\n".to_vec();
        file.resize(robotxt::BYTE_LIMIT - 5, b'#');
        file.extend_from_slice(b"\nDisallow: /late\n");
        let rules = Rules::parse(&file, "b");
        let url = |path: &str| Url::parse(&format!("http://a.example{path}")).expect("a URL");
        assert!(rules.admits(&url("/early")).is_err());
        assert!(rules.admits(&url("/late")).is_ok());
    }

    #[test]
    fn hostile_files_cost_little() {
        let file = format!("User-agent: *\n{}", "Disallow: /*a*a*a*a*a*a*b\n".repeat(18_000));
        let path = format!("/{}", "a".repeat(8000));
        let started = std::time::Instant::now();
        assert!(allowed(&file, "b", &path));
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
