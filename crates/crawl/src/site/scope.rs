//! Which URLs belong to a crawl.
//!
//! Asked before a URL enters the frontier, before a redirect is followed and before a navigation is
//! let through, so nothing outside is ever requested as a page. Patterns of the user are matched in
//! linear time (no backtracking) against the normalised URL.

use page::state::url::{MAX_LENGTH, Site, normalise};
use regex::{RegexSet, RegexSetBuilder};
use url::Url;

/// Compiled size that the user's patterns may reach together.
const PATTERN_BYTES: usize = 4 * 1024 * 1024;

/// How far from its seeds a crawl goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScopeKind {
    /// The host and port of a seed.
    #[default]
    Host,
    /// The site of a seed: its registrable domain with every subdomain, or host and port for an
    /// address.
    Domain,
    /// The folder of a seed and what is below it.
    Prefix,
}

/// The scope of one crawl.
///
/// ```
/// use crawl::scope::{ScopeKind, Scope};
/// use url::Url;
///
/// let seed = Url::parse("https://example.com/docs/intro").unwrap();
/// let scope = Scope::new(&[seed], ScopeKind::Prefix, &[], &["\\.pdf$".to_owned()]).unwrap();
/// assert!(scope.admits(&Url::parse("https://example.com/docs/a?p=2").unwrap()).is_ok());
/// assert!(scope.admits(&Url::parse("https://example.com/blog/").unwrap()).is_err());
/// assert!(scope.admits(&Url::parse("https://example.com/docs/a.pdf").unwrap()).is_err());
/// ```
#[derive(Debug, Clone)]
pub struct Scope {
    kind: ScopeKind,
    seeds: Vec<Seed>,
    include: RegexSet,
    exclude: RegexSet,
}

#[derive(Debug, Clone)]
struct Seed {
    url: Url,
    site: Site,
    folder: String,
}

/// Why a scope cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ScopeError {
    /// A pattern is no regular expression, or too large a one.
    #[error("cannot use a pattern to {what}: {source}")]
    Pattern {
        /// What it was given for: to include or to exclude.
        what: &'static str,
        /// What is wrong with it.
        source: Box<regex::Error>,
    },
    /// A seed is no URL that can be crawled.
    #[error("cannot start at {url}: {reason}")]
    Seed {
        /// The seed.
        url: Url,
        /// What is wrong with it.
        reason: OutOfScope,
    },
}

/// Why a URL is outside.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutOfScope {
    /// Neither http nor https.
    #[error("scheme '{0}' is not crawled")]
    Scheme(String),
    /// No host in it.
    #[error("it has no host")]
    NoHost,
    /// A user name or a password in it.
    #[error("it carries a user name or a password")]
    Credentials,
    /// Over the cap on length.
    #[error("it is {0} bytes long, more than {MAX_LENGTH}")]
    TooLong(usize),
    /// Another host than the seeds'.
    #[error(
        "host {0} is not a seed's; the scope of the whole domain would hold it if it is a subdomain"
    )]
    OtherHost(String),
    /// Another site than the seeds'.
    #[error("site {0} is not a seed's")]
    OtherSite(String),
    /// Not below a seed's folder.
    #[error("it is not below the folder of a seed; the scope of the whole host would hold it")]
    OtherFolder,
    /// No pattern to include matches.
    #[error("no pattern to include matches it")]
    NotIncluded,
    /// A pattern to exclude matches.
    #[error("the pattern {0} excludes it")]
    Excluded(String),
}

impl Scope {
    /// The scope round `seeds`, narrowed by patterns.
    pub fn new(
        seeds: &[Url],
        kind: ScopeKind,
        include: &[String],
        exclude: &[String],
    ) -> Result<Self, ScopeError> {
        let mut scope = Self {
            kind,
            seeds: Vec::new(),
            include: patterns("include", include)?,
            exclude: patterns("exclude", exclude)?,
        };
        for seed in seeds {
            scope.widen(seed)?;
        }
        Ok(scope)
    }

    /// Adds a seed, such as the URL that a seed redirects to (`example.com` to `www.example.com`).
    pub fn widen(&mut self, seed: &Url) -> Result<(), ScopeError> {
        let url = normalise(seed.clone());
        match (crawlable(&url), Site::of(&url)) {
            (Ok(()), Some(site)) => {
                let path = url.path();
                let folder = path.get(..=path.rfind('/').unwrap_or(0)).unwrap_or("/");
                let folder = folder.to_owned();
                self.seeds.push(Seed { url, site, folder });
                Ok(())
            }
            (checked, _) => {
                Err(ScopeError::Seed { reason: checked.err().unwrap_or(OutOfScope::NoHost), url })
            }
        }
    }

    /// Does `url` belong to this crawl?
    pub fn admits(&self, url: &Url) -> Result<(), OutOfScope> {
        let url = normalise(url.clone());
        crawlable(&url)?;
        self.near(&url)?;
        // The entrance is wanted even if the pages behind it are named by a pattern.
        let is_seed = self.seeds.iter().any(|seed| seed.url == url);
        if !is_seed && !self.include.is_empty() && !self.include.is_match(url.as_str()) {
            return Err(OutOfScope::NotIncluded);
        }
        let excluding = self.exclude.matches(url.as_str()).into_iter().next();
        match excluding.and_then(|index| self.exclude.patterns().get(index)) {
            Some(pattern) => Err(OutOfScope::Excluded(pattern.clone())),
            None => Ok(()),
        }
    }

    fn near(&self, url: &Url) -> Result<(), OutOfScope> {
        let same_host = |seed: &&Seed| seed.url.host() == url.host() && same_port(&seed.url, url);
        match self.kind {
            ScopeKind::Domain => {
                let site = Site::of(url).ok_or(OutOfScope::NoHost)?;
                if self.seeds.iter().any(|seed| seed.site == site) {
                    return Ok(());
                }
                Err(OutOfScope::OtherSite(site.to_string()))
            }
            ScopeKind::Host | ScopeKind::Prefix => {
                let mut here = self.seeds.iter().filter(same_host).peekable();
                if here.peek().is_none() {
                    return Err(OutOfScope::OtherHost(host_and_port(url)));
                }
                if self.kind == ScopeKind::Host
                    || here.any(|seed| url.path().starts_with(&seed.folder))
                {
                    return Ok(());
                }
                Err(OutOfScope::OtherFolder)
            }
        }
    }
}

/// What holds for every URL that is fetched as a page, seeds included.
fn crawlable(url: &Url) -> Result<(), OutOfScope> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(OutOfScope::Scheme(url.scheme().to_owned()));
    }
    if !url.has_host() {
        return Err(OutOfScope::NoHost);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(OutOfScope::Credentials);
    }
    match url.as_str().len() {
        length if length > MAX_LENGTH => Err(OutOfScope::TooLong(length)),
        _ => Ok(()),
    }
}

/// The default ports of http and https are one place: sites move between them.
fn same_port(a: &Url, b: &Url) -> bool {
    a.port() == b.port()
}

fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn patterns(what: &'static str, patterns: &[String]) -> Result<RegexSet, ScopeError> {
    RegexSetBuilder::new(patterns)
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(PATTERN_BYTES)
        .build()
        .map_err(|source| ScopeError::Pattern { what, source: Box::new(source) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    fn scope(seed: &str, kind: ScopeKind, include: &[&str], exclude: &[&str]) -> Scope {
        let owned = |list: &[&str]| list.iter().map(|&p| p.to_owned()).collect::<Vec<_>>();
        Scope::new(&[url(seed)], kind, &owned(include), &owned(exclude)).expect("a scope")
    }

    #[test]
    fn each_kind_draws_its_own_line() {
        let seed = "https://www.example.com/docs/intro.html";
        for (text, host, domain, prefix) in [
            ("https://www.example.com/docs/intro.html", true, true, true),
            ("https://www.example.com/docs/", true, true, true),
            ("https://www.example.com/docs/deep/a?b=1", true, true, true),
            ("https://www.example.com/docs", true, true, false),
            ("https://www.example.com/", true, true, false),
            ("http://www.example.com/docs/x", true, true, true),
            ("https://www.example.com:8443/docs/x", false, true, false),
            ("https://example.com/docs/x", false, true, false),
            ("https://blog.example.com/docs/x", false, true, false),
            ("https://example.org/docs/x", false, false, false),
            ("https://www.example.com.evil.org/docs/x", false, false, false),
        ] {
            for (kind, wanted) in
                [(ScopeKind::Host, host), (ScopeKind::Domain, domain), (ScopeKind::Prefix, prefix)]
            {
                let admitted = scope(seed, kind, &[], &[]).admits(&url(text));
                assert_eq!(admitted.is_ok(), wanted, "{kind:?} {text}: {admitted:?}");
            }
        }
    }

    #[test]
    fn neighbours_under_a_public_suffix_are_strangers() {
        let scope = scope("https://alice.github.io/", ScopeKind::Domain, &[], &[]);
        assert!(scope.admits(&url("https://alice.github.io/x")).is_ok());
        let bob = scope.admits(&url("https://bob.github.io/"));
        assert_eq!(bob, Err(OutOfScope::OtherSite("bob.github.io".to_owned())));
    }

    #[test]
    fn on_an_address_the_port_is_part_of_the_site() {
        let scope = scope("http://127.0.0.1:8080/", ScopeKind::Domain, &[], &[]);
        assert!(scope.admits(&url("http://127.0.0.1:8080/x")).is_ok());
        assert!(scope.admits(&url("http://127.0.0.1:9090/x")).is_err());
        assert!(scope.admits(&url("http://localhost:8080/x")).is_err());
    }

    #[test]
    fn what_is_no_page_address_is_outside_with_its_reason() {
        let scope = scope("http://a.example/", ScopeKind::Host, &[], &[]);
        let long = format!("http://a.example/{}", "x".repeat(MAX_LENGTH));
        for (text, reason) in [
            ("mailto:a@a.example", OutOfScope::Scheme("mailto".into())),
            ("javascript:void(0)", OutOfScope::Scheme("javascript".into())),
            ("ftp://a.example/", OutOfScope::Scheme("ftp".into())),
            ("http://user@a.example/", OutOfScope::Credentials),
            ("http://:pw@a.example/", OutOfScope::Credentials),
            (long.as_str(), OutOfScope::TooLong(MAX_LENGTH + 17)),
        ] {
            assert_eq!(scope.admits(&url(text)), Err(reason));
        }
    }

    #[test]
    fn patterns_narrow_but_the_seed_stays_and_exclusion_wins() {
        let scope = scope(
            "http://a.example/start",
            ScopeKind::Host,
            &["/article/", "[?&]p=\\d+"],
            &["/print$", "sid="],
        );
        assert!(scope.admits(&url("http://a.example/start")).is_ok());
        assert!(scope.admits(&url("http://a.example/article/1")).is_ok());
        assert!(scope.admits(&url("http://a.example/list?p=3")).is_ok());
        assert_eq!(scope.admits(&url("http://a.example/about")), Err(OutOfScope::NotIncluded));
        assert_eq!(
            scope.admits(&url("http://a.example/article/1/print")),
            Err(OutOfScope::Excluded("/print$".to_owned()))
        );
    }

    #[test]
    fn a_pattern_sees_the_url_without_a_fragment_that_names_nothing() {
        let scope = scope("http://a.example/", ScopeKind::Host, &["/a$"], &[]);
        assert!(scope.admits(&url("http://a.example/a#section")).is_ok());
    }

    #[test]
    fn bad_patterns_and_bad_seeds_are_errors_that_name_the_use_or_the_seed() {
        let seeds = [url("http://a.example/")];
        for pattern in ["(", "(a{1000}){1000}"] {
            let error = Scope::new(&seeds, ScopeKind::Host, &[], &[pattern.to_owned()]);
            let error = error.expect_err("a bad pattern").to_string();
            assert!(error.contains("to exclude"), "{error}");
        }
        let error = Scope::new(&[url("file:///etc/passwd")], ScopeKind::Host, &[], &[]);
        let error = error.expect_err("a bad seed").to_string();
        assert!(error.contains("file:///etc/passwd"), "{error}");
    }

    #[test]
    fn a_scope_widens_to_where_its_seed_leads() {
        let mut scope = scope("http://example.com/", ScopeKind::Host, &[], &[]);
        assert!(scope.admits(&url("https://www.example.com/a")).is_err());
        scope.widen(&url("https://www.example.com/")).expect("a good seed");
        assert!(scope.admits(&url("https://www.example.com/a")).is_ok());
    }
}
