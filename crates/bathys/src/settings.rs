//! What the flags, the environment and `bathys.toml` resolve to, in that order.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use store::Location;
use url::Url;

use crate::cli::{CrawlFlags, RenderFlag, ScopeFlag, Shared, StrategyFlag};
use crate::output::Usage;

const FILE: &str = "bathys.toml";
const STORE: &str = "./bathys-data";

/// The settings of a run.
pub struct Settings {
    pub store: Location,
    pub json: bool,
    file: File,
}

/// `bathys.toml`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, deserialize_with = "location")]
    store: Option<Location>,
    #[serde(default)]
    crawl: CrawlFile,
    #[serde(default)]
    topics: page::block::TopicSettings,
    #[serde(default)]
    metadata: page::meta::Rules,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct CrawlFile {
    scope: Option<ScopeFlag>,
    include: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    max_pages: Option<u64>,
    max_events: Option<u64>,
    max_depth: Option<u32>,
    max_time: Option<u64>,
    max_requests: Option<u64>,
    max_pages_per_pattern: Option<u64>,
    render: Option<RenderFlag>,
    allow_post: Option<Vec<String>>,
    strategy: Option<StrategyFlag>,
    want: Option<Vec<String>>,
    model: Option<PathBuf>,
    max_states_per_url: Option<usize>,
    tabs: Option<usize>,
    delay: Option<u64>,
    ignore_robots: Option<bool>,
    user_agent: Option<String>,
}

/// All settings with the values in effect; reads back as `bathys.toml`.
#[derive(Serialize)]
pub struct Effective {
    store: String,
    crawl: EffectiveCrawl,
    topics: page::block::TopicSettings,
}

#[derive(Serialize)]
struct EffectiveCrawl {
    scope: ScopeFlag,
    include: Vec<String>,
    exclude: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_pages: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_events: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_time: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_requests: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_pages_per_pattern: Option<u64>,
    render: RenderFlag,
    allow_post: Vec<String>,
    strategy: StrategyFlag,
    want: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<PathBuf>,
    max_states_per_url: usize,
    tabs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<u64>,
    ignore_robots: bool,
    user_agent: String,
}

fn default_store() -> Location {
    Location::Directory(STORE.into())
}

fn location<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Location>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
}

impl Settings {
    /// Reads `bathys.toml` and lays the flags over it.
    pub fn resolve(shared: &Shared) -> anyhow::Result<Self> {
        let file = match &shared.config {
            Some(path) => read(path)?,
            None if Path::new(FILE).exists() => read(Path::new(FILE))?,
            None => File::default(),
        };
        let store =
            shared.store.clone().or_else(|| file.store.clone()).unwrap_or_else(default_store);
        Ok(Self { store, json: shared.json, file })
    }

    /// The values in effect for a crawl with these flags.
    pub fn effective(&self, flags: &CrawlFlags) -> anyhow::Result<Effective> {
        let file = &self.file.crawl;
        let list = |flag: &Vec<String>, file: &Option<Vec<String>>| match flag.is_empty() {
            true => file.clone().unwrap_or_default(),
            false => flag.clone(),
        };
        let tabs = flags.tabs.or(file.tabs).unwrap_or_else(crawl::default_tabs);
        if tabs == 0 {
            return Err(Usage("--tabs 0 would do nothing; give it at least 1".into()).into());
        }
        Ok(Effective {
            store: self.store.to_string(),
            topics: self.file.topics,
            crawl: EffectiveCrawl {
                scope: flags.scope.or(file.scope).unwrap_or(ScopeFlag::Host),
                include: list(&flags.include, &file.include),
                exclude: list(&flags.exclude, &file.exclude),
                max_pages: flags.max_pages.or(file.max_pages),
                max_events: flags.max_events.or(file.max_events),
                max_depth: flags.max_depth.or(file.max_depth),
                max_time: flags.max_time.or(file.max_time),
                max_requests: flags.max_requests.or(file.max_requests),
                max_pages_per_pattern: flags.max_pages_per_pattern.or(file.max_pages_per_pattern),
                render: flags.render.or(file.render).unwrap_or(RenderFlag::Auto),
                allow_post: list(&flags.allow_post, &file.allow_post),
                strategy: flags.strategy.or(file.strategy).unwrap_or(StrategyFlag::Bfs),
                want: list(&flags.want, &file.want),
                model: flags.model.clone().or_else(|| file.model.clone()),
                max_states_per_url: flags
                    .max_states_per_url
                    .map(usize::from)
                    .or(file.max_states_per_url)
                    .unwrap_or(crawl::DEFAULT_STATES_PER_URL),
                tabs,
                delay: flags.delay.or(file.delay),
                ignore_robots: flags.ignore_robots || file.ignore_robots.unwrap_or(false),
                user_agent: flags
                    .user_agent
                    .clone()
                    .or_else(|| file.user_agent.clone())
                    .unwrap_or_else(crawl::default_user_agent),
            },
        })
    }

    /// How captures are cut into blocks.
    pub fn process(&self) -> crawl::Told {
        crawl::Told {
            topics: page::block::Topics::new(self.file.topics),
            rules: Arc::new(self.file.metadata.clone()),
            level: None,
        }
    }

    /// What the crawl is told.
    pub fn crawl(&self, flags: &CrawlFlags) -> anyhow::Result<crawl::Settings> {
        let start =
            flags.urls.iter().map(|text| start_url(text)).collect::<anyhow::Result<Vec<_>>>()?;
        let effective = self.effective(flags)?.crawl;
        let described = serde_json::to_string(&effective).unwrap_or_default();
        for (flag, patterns) in [
            ("--include", &effective.include),
            ("--exclude", &effective.exclude),
            ("--allow-post", &effective.allow_post),
        ] {
            patterns.iter().try_for_each(|pattern| check_pattern(flag, pattern))?;
        }
        if effective.user_agent.chars().any(char::is_control) {
            return Err(Usage(
                "--user-agent holds a line break or another control character; leave it out".into(),
            )
            .into());
        }
        let scope = match effective.scope {
            ScopeFlag::Host => crawl::ScopeKind::Host,
            ScopeFlag::Domain => crawl::ScopeKind::Domain,
            ScopeFlag::Prefix => crawl::ScopeKind::Prefix,
        };
        // Asked here, before anything is touched: it is a mistake in the call, not a failure.
        crawl::scope::Scope::new(&start, scope, &effective.include, &effective.exclude)
            .map_err(|error| Usage(format!("{error}; give another URL or pattern")))?;
        let model = effective.model.as_deref().map(read_model).transpose()?;
        if let Some(model) = &model {
            check_wanted(model, &effective.want)?;
        }
        Ok(crawl::Settings {
            strategy: match effective.strategy {
                StrategyFlag::Bfs => crawl::Strategy::BreadthFirst,
                StrategyFlag::Dfs => crawl::Strategy::DepthFirst,
                StrategyFlag::Yield => crawl::Strategy::YieldFirst,
            },
            filters: crawl::Filters {
                instruction: !flags.no_learn && !flags.no_instruction_filter,
                pattern: !flags.no_learn && !flags.no_pattern_filter,
                request: !flags.no_learn && !flags.no_request_filter,
            },
            candidates: crawl::Candidates::All,
            want: effective.want,
            model,
            process: self.process(),
            described,
            ignore_traps: flags.ignore_traps,
            explain: flags.explain,
            states_per_url: effective.max_states_per_url,
            record_bytes: crawl::DEFAULT_RECORD_BYTES,
            start,
            scope,
            include: effective.include,
            exclude: effective.exclude,
            limits: crawl::Limits {
                pages: effective.max_pages,
                events: effective.max_events,
                depth: effective.max_depth,
                time: effective.max_time.map(Duration::from_secs),
                requests: effective.max_requests,
                pages_per_pattern: effective.max_pages_per_pattern,
            },
            render: match effective.render {
                RenderFlag::Auto => crawl::Render::Auto,
                RenderFlag::Always => crawl::Render::Always,
                RenderFlag::Never => crawl::Render::Never,
            },
            allow_post: effective.allow_post,
            tabs: effective.tabs,
            delay: effective.delay.map(Duration::from_millis),
            ignore_robots: effective.ignore_robots,
            user_agent: effective.user_agent,
        })
    }
}

/// A URL as a person types it: `example.org/a` means https.
pub fn start_url(text: &str) -> anyhow::Result<Url> {
    let parsed = match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Some(url),
        // `localhost:8080` reads as a scheme and a path, but no scheme is followed by a port.
        Ok(url) if !url.path().starts_with(|first: char| first.is_ascii_digit()) => None,
        _ if text.contains("://") => None,
        _ => Url::parse(&format!("https://{text}")).ok(),
    };
    parsed.ok_or_else(|| {
        Usage(format!("'{text}' is no http or https URL; write it as https://example.org/")).into()
    })
}

fn read_model(path: &Path) -> anyhow::Result<crawl::Model> {
    let text = fs::read_to_string(path).with_context(|| {
        format!("cannot read the model {}; `bathys train` writes one", path.display())
    })?;
    text.parse().map_err(|error| Usage(format!("{}: {error}", path.display())).into())
}

/// A type that the model does not know would be waited for in vain.
fn check_wanted(model: &crawl::Model, want: &[String]) -> anyhow::Result<()> {
    let is_known =
        |name: &String| name.contains("://") || model.types.iter().any(|known| known.name == *name);
    match want.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(unknown) => {
            let names: Vec<_> = model.types.iter().map(|known| known.name.as_str()).collect();
            let names = names.join(", ");
            Err(Usage(format!("--want {unknown}: the model knows {names}; give one of these"))
                .into())
        }
    }
}

fn check_pattern(flag: &str, pattern: &str) -> anyhow::Result<()> {
    regex::Regex::new(pattern).map(drop).map_err(|error| {
        // The reason is the last line, below a drawing of the pattern.
        let drawn = error.to_string();
        let reason = drawn.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Usage(format!(
            "{flag} '{pattern}' is no regular expression: {reason}; put \\ before a character that is meant as it stands"
        ))
        .into()
    })
}

fn read(path: &Path) -> anyhow::Result<File> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("cannot read {}; name another with --config", path.display()))?;
    toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let path = path.display();
        Usage(format!(
            "{path}, line {line}: {}; correct it, or name another file with --config",
            error.message()
        ))
        .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_beats_the_file_and_the_file_beats_the_default() {
        let file: File =
            toml::from_str("[crawl]\nmax_pages = 7\ntabs = 3\ninclude = ['/a']").unwrap();
        let settings = Settings { store: default_store(), json: false, file };
        let flags = CrawlFlags { tabs: Some(1), ..CrawlFlags::default() };
        let crawl = settings.crawl(&flags).unwrap();
        assert_eq!((crawl.limits.pages, crawl.tabs), (Some(7), 1));
        assert_eq!(
            (crawl.include.as_slice(), crawl.ignore_robots),
            (&["/a".to_owned()][..], false)
        );
    }

    #[test]
    fn what_config_prints_is_a_settings_file() {
        let settings = Settings { store: default_store(), json: false, file: File::default() };
        let flags = CrawlFlags { max_pages: Some(9), ..CrawlFlags::default() };
        let printed = toml::to_string_pretty(&settings.effective(&flags).unwrap()).unwrap();
        let read: File = toml::from_str(&printed).unwrap();
        assert_eq!(read.crawl.max_pages, Some(9));
    }

    #[test]
    fn a_start_without_a_scheme_is_https_and_other_schemes_are_refused() {
        assert_eq!(start_url("example.org/a").unwrap().as_str(), "https://example.org/a");
        assert_eq!(start_url("localhost:8080").unwrap().as_str(), "https://localhost:8080/");
        assert!(start_url("ftp://example.org/").unwrap_err().is::<Usage>());
        assert!(start_url("").is_err());
        assert!(start_url("mailto:a@example.org").is_err(), "no host called mailto");
        assert!(start_url("file:/etc/passwd").is_err(), "no host called file");
    }
}
