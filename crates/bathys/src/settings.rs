//! What the flags, the environment and `bathys.toml` resolve to, in that order.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use page::types::TypeMethod;
use serde::{Deserialize, Serialize, Serializer};
use store::{BlobLocation, Catalog, CatalogWriter, Location, StoreError};
use url::Url;

use crate::cli::{
    Cli, CrawlOptions, FormsFlag, RenderFlag, ScopeFlag, Shared, StrategyFlag, TypesFlag, Verb,
};
use crate::output::Usage;

const FILE: &str = "bathys.toml";
const STORE: &str = "./bathys-data";

/// The settings of a run.
pub struct Settings {
    pub store: Location,
    blobs: Option<BlobLocation>,
    pub json: bool,
    file: File,
    /// `[metadata]` of the file as it stands there.
    metadata: Option<toml::Value>,
}

/// `bathys.toml`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, deserialize_with = "parsed")]
    store: Option<Location>,
    #[serde(default, deserialize_with = "parsed")]
    blobs: Option<BlobLocation>,
    #[serde(default)]
    crawl: CrawlOptions,
    #[serde(default)]
    topics: page::block::TopicSettings,
    #[serde(default)]
    metadata: page::meta::Rules,
}

/// All settings with the values in effect; reads back as `bathys.toml`.
#[derive(Serialize)]
pub struct Effective<'a> {
    store: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    blobs: Option<String>,
    #[serde(serialize_with = "without_nulls")]
    crawl: CrawlOptions,
    topics: page::block::TopicSettings,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a toml::Value>,
}

/// JSON has a null for what nobody said, TOML leaves it out: the same in both.
fn without_nulls<S: Serializer>(options: &CrawlOptions, out: S) -> Result<S::Ok, S::Error> {
    options.said().map_err(serde::ser::Error::custom)?.serialize(out)
}

impl CrawlOptions {
    /// What holds when nobody says anything. What has no value here has no default: limits, and the
    /// delay, which depends on the host.
    fn defaults() -> Self {
        Self {
            scope: Some(ScopeFlag::Host),
            include: Some(Vec::new()),
            exclude: Some(Vec::new()),
            render: Some(RenderFlag::Auto),
            allow_post: Some(Vec::new()),
            forms: Some(FormsFlag::On),
            allow_post_search: Some(false),
            max_form_requests: Some(crawl::DEFAULT_FORM_REQUESTS),
            no_pager: Some(false),
            strategy: Some(StrategyFlag::Bfs),
            types: Some(TypesFlag::Places),
            want: Some(Vec::new()),
            completeness: Some(crawl::DEFAULT_COMPLETENESS),
            no_learn: Some(false),
            no_instruction_filter: Some(false),
            no_pattern_filter: Some(false),
            no_request_filter: Some(false),
            ignore_traps: Some(false),
            explain: Some(false),
            max_states_per_url: NonZeroUsize::new(crawl::DEFAULT_STATES_PER_URL),
            tabs: Some(crawl::default_tabs()),
            ignore_robots: Some(false),
            user_agent: Some(crawl::default_user_agent()),
            ..Self::default()
        }
    }

    /// What was said, by name.
    fn said(&self) -> serde_json::Result<serde_json::Map<String, serde_json::Value>> {
        let mut fields = match serde_json::to_value(self)? {
            serde_json::Value::Object(fields) => fields,
            _ => serde_json::Map::new(),
        };
        fields.retain(|_, value| !value.is_null());
        Ok(fields)
    }

    /// These, and where they say nothing, `others`.
    fn or(&self, others: &Self) -> anyhow::Result<Self> {
        // By their serialised form, so that no field can be forgotten.
        let mut merged = others.said()?;
        merged.extend(self.said()?);
        Ok(serde_json::from_value(merged.into())?)
    }

    /// What the environment says, read as the flags of `crawl` are.
    fn from_environment() -> anyhow::Result<Self> {
        match Cli::try_parse_from(["bathys", "crawl"]) {
            Ok(Cli { verb: Verb::Crawl(flags), .. }) => Ok(flags.options),
            Ok(_) => Ok(Self::default()),
            Err(error) => Err(Usage(error.to_string()).into()),
        }
    }
}

fn default_store() -> Location {
    Location::Directory(STORE.into())
}

fn parsed<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: std::str::FromStr<Err = StoreError>,
{
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
}

impl Settings {
    /// Reads `bathys.toml` and lays the flags over it.
    pub fn resolve(shared: &Shared) -> anyhow::Result<Self> {
        let (file, metadata) = match &shared.config {
            Some(path) => read(path)?,
            None if Path::new(FILE).exists() => read(Path::new(FILE))?,
            None => (File::default(), None),
        };
        let store =
            shared.store.clone().or_else(|| file.store.clone()).unwrap_or_else(default_store);
        let blobs = shared.blobs.clone().or_else(|| file.blobs.clone());
        Ok(Self { store, blobs, json: shared.json, file, metadata })
    }

    /// Opens the store for questions.
    pub fn open(&self) -> Result<Catalog, StoreError> {
        Catalog::open_with_blobs(&self.store, self.blobs.as_ref())
    }

    /// Opens the store to add to it.
    pub fn open_to_write(&self) -> Result<CatalogWriter, StoreError> {
        CatalogWriter::open_with_blobs(&self.store, self.blobs.as_ref())
    }

    /// The values in effect for a crawl with these flags.
    pub fn effective(&self, flags: &CrawlOptions) -> anyhow::Result<Effective<'_>> {
        Ok(Effective {
            store: self.store.to_string(),
            blobs: self.blobs.as_ref().map(ToString::to_string),
            crawl: flags
                .or(&CrawlOptions::from_environment()?)?
                .or(&self.file.crawl)?
                .or(&CrawlOptions::defaults())?,
            topics: self.file.topics,
            metadata: self.metadata.as_ref(),
        })
    }

    /// How captures are cut into blocks.
    pub fn process(&self) -> derive::CutSettings {
        derive::CutSettings {
            topics: page::block::Topics::new(self.file.topics),
            rules: Arc::new(self.file.metadata.clone()),
            level: None,
        }
    }

    /// The settings of a crawl that begins at these URLs, as a person typed them.
    pub fn crawl(
        &self,
        urls: &[String],
        options: &CrawlOptions,
    ) -> anyhow::Result<crawl::Settings> {
        let start = urls.iter().map(|text| start_url(text)).collect::<anyhow::Result<Vec<_>>>()?;
        let said = self.effective(options)?.crawl;
        let described = serde_json::to_string(&said.said()?)?;
        let include = said.include.unwrap_or_default();
        let exclude = said.exclude.unwrap_or_default();
        let allow_post = said.allow_post.unwrap_or_default();
        for (flag, patterns) in
            [("--include", &include), ("--exclude", &exclude), ("--allow-post", &allow_post)]
        {
            patterns.iter().try_for_each(|pattern| check_pattern(flag, pattern))?;
        }
        let tabs = said.tabs.unwrap_or_else(crawl::default_tabs);
        if tabs == 0 {
            return Err(Usage("--tabs 0 would do nothing; give it at least 1".into()).into());
        }
        let user_agent = said.user_agent.unwrap_or_else(crawl::default_user_agent);
        if user_agent.chars().any(char::is_control) {
            return Err(Usage(
                "--user-agent holds a line break or another control character; leave it out".into(),
            )
            .into());
        }
        let scope = match said.scope {
            None | Some(ScopeFlag::Host) => crawl::ScopeKind::Host,
            Some(ScopeFlag::Domain) => crawl::ScopeKind::Domain,
            Some(ScopeFlag::Prefix) => crawl::ScopeKind::Prefix,
        };
        // Asked here, before anything is touched: it is a mistake in the call, not a failure.
        crawl::scope::Scope::new(&start, scope, &include, &exclude)
            .map_err(|error| Usage(format!("{error}; give another URL or pattern")))?;
        let is_on = |switch: Option<bool>| switch.unwrap_or(false);
        let learns = !is_on(said.no_learn);
        if !learns && said.model.is_some() {
            let why =
                "--no-learn and --model exclude each other; leave one out, also of bathys.toml";
            return Err(Usage(why.into()).into());
        }
        let completeness = said.completeness.unwrap_or(crawl::DEFAULT_COMPLETENESS);
        if !(0.0..=1.0).contains(&completeness) {
            let why = format!("completeness = {completeness}: give a number from 0 to 1");
            return Err(Usage(why).into());
        }
        let model = said.model.as_deref().map(read_model).transpose()?;
        let want = said.want.unwrap_or_default();
        let types = match said.types {
            None | Some(TypesFlag::Places) => TypeMethod::Places,
            Some(TypesFlag::Rtdm) => TypeMethod::Rtdm,
        };
        if let Some(model) = &model {
            check_wanted(model, &want)?;
            check_types(model, types)?;
        }
        Ok(crawl::Settings {
            strategy: match said.strategy {
                None | Some(StrategyFlag::Bfs) => crawl::Strategy::BreadthFirst,
                Some(StrategyFlag::Dfs) => crawl::Strategy::DepthFirst,
                Some(StrategyFlag::Yield) => crawl::Strategy::YieldFirst,
            },
            filters: crawl::Filters {
                instruction: learns && !is_on(said.no_instruction_filter),
                pattern: learns && !is_on(said.no_pattern_filter),
                request: learns && !is_on(said.no_request_filter),
            },
            priors: crawl::Priors::default(),
            completeness,
            candidates: crawl::Candidates::All,
            types,
            want,
            model,
            blocks: self.process(),
            described,
            ignore_traps: is_on(said.ignore_traps),
            explain: is_on(said.explain),
            states_per_url: said
                .max_states_per_url
                .map_or(crawl::DEFAULT_STATES_PER_URL, NonZeroUsize::get),
            record_bytes: crawl::DEFAULT_RECORD_BYTES,
            start,
            scope,
            include,
            exclude,
            limits: derive::Limits {
                pages: said.max_pages,
                events: said.max_events,
                depth: said.max_depth,
                time: said.max_time.map(Duration::from_secs),
                requests: said.max_requests,
                pages_per_pattern: said.max_pages_per_pattern,
            },
            render: match said.render {
                None | Some(RenderFlag::Auto) => crawl::Render::Auto,
                Some(RenderFlag::Always) => crawl::Render::Always,
                Some(RenderFlag::Never) => crawl::Render::Never,
            },
            allow_post,
            forms: match said.forms {
                None | Some(FormsFlag::On) => crawl::Forms::On,
                Some(FormsFlag::Off) => crawl::Forms::Off,
            },
            allow_post_search: is_on(said.allow_post_search),
            form_requests: said.max_form_requests.unwrap_or(crawl::DEFAULT_FORM_REQUESTS),
            pagers: !is_on(said.no_pager),
            tabs,
            delay: said.delay.map(Duration::from_millis),
            ignore_robots: is_on(said.ignore_robots),
            user_agent,
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
        Usage(format!("'{text}' is not an http or https URL; write it as https://example.org/"))
            .into()
    })
}

fn read_model(path: &Path) -> anyhow::Result<crawl::Model> {
    let text = fs::read_to_string(path).with_context(|| {
        format!("cannot read the model {}; create one with `bathys train`", path.display())
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

/// No page would be of a type whose samples are described in another way.
fn check_types(model: &crawl::Model, asked: TypeMethod) -> anyhow::Result<()> {
    let mut told = model.types.iter().flat_map(|known| &known.shapes).map(|shape| shape.method());
    match told.find(|told| *told != asked) {
        None => Ok(()),
        Some(told) => Err(Usage(format!(
            "the model tells page types by {told}, not by {asked}; give --types {told}"
        ))
        .into()),
    }
}

fn check_pattern(flag: &str, pattern: &str) -> anyhow::Result<()> {
    regex::Regex::new(pattern).map(drop).map_err(|error| {
        // The reason is the last line, below a drawing of the pattern.
        let drawn = error.to_string();
        let reason = drawn.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Usage(format!(
            "{flag} '{pattern}' is not a regular expression: {reason}; put \\ before a character that is meant literally"
        ))
        .into()
    })
}

/// A settings file, and its `[metadata]` as it stands there.
fn read(path: &Path) -> anyhow::Result<(File, Option<toml::Value>)> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("cannot read {}; name another with --config", path.display()))?;
    let wrong = |error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let path = path.display();
        Usage(format!(
            "{path}, line {line}: {}; correct it, or name another file with --config",
            error.message()
        ))
    };
    let file = toml::from_str(&text).map_err(wrong)?;
    let mut whole: toml::Table = toml::from_str(&text).map_err(wrong)?;
    Ok((file, whole.remove("metadata")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn settings(file: &str) -> Settings {
        let file = toml::from_str(file).unwrap();
        Settings { store: default_store(), blobs: None, json: false, file, metadata: None }
    }

    #[test]
    fn a_flag_beats_the_file_and_the_file_beats_the_default() {
        let settings =
            settings("[crawl]\nmax_pages = 7\ntabs = 3\ninclude = ['/a']\nno_learn = true");
        let flags = CrawlOptions { tabs: Some(1), ..CrawlOptions::default() };
        let crawl = settings.crawl(&[], &flags).unwrap();
        assert_eq!((crawl.limits.pages, crawl.tabs), (Some(7), 1));
        assert_eq!(
            (crawl.include.as_slice(), crawl.ignore_robots),
            (&["/a".to_owned()][..], false)
        );
        assert!(!crawl.filters.pattern, "a switch that the file turned on");
        let flags = CrawlOptions { no_learn: Some(false), ..CrawlOptions::default() };
        assert!(settings.crawl(&[], &flags).unwrap().filters.pattern, "and a flag off again");
    }

    /// An example of what a flag takes, as it is typed and as the file has it.
    fn example(flag: &clap::Arg) -> (String, String) {
        let one_of = flag.get_possible_values();
        let is_switch = flag.get_num_args().is_some_and(|count| count.min_values() == 0);
        let is_list = matches!(flag.get_action(), clap::ArgAction::Append);
        let name = flag.get_value_names().and_then(|names| names.first()).map(|name| name.as_str());
        match (is_switch, is_list, name) {
            (true, ..) => ("true".into(), "true".into()),
            (_, true, _) => ("x".into(), "['x']".into()),
            (_, _, Some("N" | "MS" | "SECONDS")) => ("3".into(), "3".into()),
            (_, _, Some("SHARE")) => ("0.5".into(), "0.5".into()),
            _ => {
                let word = one_of.first().map_or("x", |value| value.get_name()).to_owned();
                let quoted = format!("'{word}'");
                (word, quoted)
            }
        }
    }

    #[test]
    fn every_flag_of_crawl_can_be_set_in_the_file_and_by_the_environment_and_is_printed() {
        // Where to begin, what would empty the store at every run, and what is no setting.
        let elsewhere = ["urls", "fresh", "help"];
        let shared = ["store", "blobs", "json", "config", "verbose"];
        let mut cli = Cli::command();
        cli.build();
        let crawl = cli.find_subcommand("crawl").unwrap();
        let mut count = 0;
        for flag in crawl.get_arguments() {
            let name = flag.get_id().as_str();
            if elsewhere.contains(&name) || shared.contains(&name) {
                continue;
            }
            count += 1;
            let (typed, written) = example(flag);
            let long = format!("--{}={typed}", flag.get_long().unwrap());
            let typed = Cli::try_parse_from(["bathys", "crawl", &long]).unwrap();
            let Verb::Crawl(typed) = typed.verb else { unreachable!() };
            let file = format!("[crawl]\n{name} = {written}");
            let file: File = toml::from_str(&file)
                .unwrap_or_else(|error| panic!("--{name} is not taken in bathys.toml: {error}"));
            assert_eq!(file.crawl, typed.options, "{name}");
            assert_ne!(file.crawl, CrawlOptions::default(), "{name} was dropped");
            let variable = format!("BATHYS_{}", name.to_uppercase());
            assert_eq!(flag.get_env().and_then(|name| name.to_str()), Some(variable.as_str()));
            let settings = settings("");
            let printed = toml::to_string_pretty(&settings.effective(&typed.options).unwrap());
            let read: File = toml::from_str(&printed.unwrap()).unwrap();
            assert_eq!(read.crawl, typed.options.or(&CrawlOptions::defaults()).unwrap(), "{name}");
        }
        assert!(count > 20, "{count} flags were looked at");
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
