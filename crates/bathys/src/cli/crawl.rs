//! Flags of commands that visit sites or take in what was captured, and the settings of a crawl.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::switch;

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeFlag {
    /// The host of the start URL
    Host,
    /// The registrable domain of the start URL, with all its hosts
    Domain,
    /// URLs below the folder of the start URL
    Prefix,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RenderFlag {
    /// Use a browser for page types that need scripts
    Auto,
    /// Use a browser for every page
    Always,
    /// Plain requests only: no scripts, no events
    Never,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormsFlag {
    /// Submit those that the gate lets pass
    On,
    /// Submit none
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StrategyFlag {
    /// Nearest to the start first
    Bfs,
    /// Furthest from the start first
    Dfs,
    /// Kinds of links and events that led to the most new pages first
    Yield,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TypesFlag {
    /// By the elements they have in common, apart from the frame of the site
    Places,
    /// By tree distance (restricted top-down mapping), as in seed 000
    Rtdm,
}

#[derive(Args, Debug, Clone, Default)]
#[command(
    after_help = "Examples:\n  bathys crawl https://example.org/ --max-pages 500\n  bathys crawl https://example.org/forum/ --scope prefix --exclude '/profile/'\n  bathys crawl http://localhost:8080/ --no-learn --json\n  bathys crawl https://example.org/ --types rtdm --store by-distance\n\nPress Ctrl-C once to save and print the summary; the same command continues where it stopped.\nEvery option but --fresh can also be set in bathys.toml, under [crawl]: max_pages = 500."
)]
pub struct CrawlFlags {
    /// Where to begin
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    #[command(flatten)]
    pub options: CrawlOptions,
    /// Empty the store first
    #[arg(long)]
    pub fresh: bool,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys worker --store postgres://db.example/crawl --blobs s3://pages/2026 $(cat sites.txt)\n  bathys worker --store postgres://db.example/crawl     go on with the sites of the store\n\nRun the same command on each machine. A site is worked on by one worker at a time; the sites of one\nthat dies are taken over by the others. It ends when nothing is left of any site."
)]
pub struct WorkerFlags {
    /// Where to begin, an address for each site [default: where crawls of the store began]
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    #[command(flatten)]
    pub options: CrawlOptions,
}

/// The settings of a crawl: flags, variables of the environment and `[crawl]` of `bathys.toml` are all
/// read into this, and what nobody set is `None`.
#[derive(Args, Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CrawlOptions {
    /// Which URLs belong to the crawl [default: host]
    #[arg(long, value_enum, env = "BATHYS_SCOPE")]
    pub scope: Option<ScopeFlag>,
    /// Crawl only URLs that match (may be repeated)
    #[arg(long, env = "BATHYS_INCLUDE", value_name = "RE")]
    pub include: Option<Vec<String>>,
    /// Skip URLs that match (may be repeated)
    #[arg(long, env = "BATHYS_EXCLUDE", value_name = "RE")]
    pub exclude: Option<Vec<String>>,
    /// Stop after this many captured pages
    #[arg(long, env = "BATHYS_MAX_PAGES", value_name = "N")]
    pub max_pages: Option<u64>,
    /// Stop after this many events
    #[arg(long, env = "BATHYS_MAX_EVENTS", value_name = "N")]
    pub max_events: Option<u64>,
    /// Go at most this many steps (links and events) from the start page
    #[arg(long, env = "BATHYS_MAX_DEPTH", value_name = "N")]
    pub max_depth: Option<u32>,
    /// Stop after this many seconds
    #[arg(long, env = "BATHYS_MAX_TIME", value_name = "SECONDS")]
    pub max_time: Option<u64>,
    /// Stop after this many requests
    #[arg(long, env = "BATHYS_MAX_REQUESTS", value_name = "N")]
    pub max_requests: Option<u64>,
    /// Visit at most this many pages whose URLs differ only in numbers, dates and titles
    #[arg(long, env = "BATHYS_MAX_PAGES_PER_PATTERN", value_name = "N")]
    pub max_pages_per_pattern: Option<u64>,
    /// When to use a browser [default: auto]
    #[arg(long, value_enum, env = "BATHYS_RENDER")]
    pub render: Option<RenderFlag>,
    /// Let events send POST requests whose URL matches (may be repeated)
    #[arg(long, env = "BATHYS_ALLOW_POST", value_name = "RE")]
    pub allow_post: Option<Vec<String>>,
    /// Whether to submit forms: those that only ask, by GET [default: on]
    #[arg(long, value_enum, env = "BATHYS_FORMS")]
    pub forms: Option<FormsFlag>,
    /// Also submit forms that are sent by POST, if they say that they search
    #[arg(long, env = "BATHYS_ALLOW_POST_SEARCH", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch(), hide_possible_values = true, value_name = "BOOL")]
    pub allow_post_search: Option<bool>,
    /// Requests that one form may cost [default: 500]
    #[arg(long, env = "BATHYS_MAX_FORM_REQUESTS", value_name = "N")]
    pub max_form_requests: Option<usize>,
    /// Ask only for the first page of what a form answers
    #[arg(long, env = "BATHYS_NO_PAGER", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch(), hide_possible_values = true, value_name = "BOOL")]
    pub no_pager: Option<bool>,
    /// Order of the crawl [default: bfs]
    #[arg(long, value_enum, env = "BATHYS_STRATEGY")]
    pub strategy: Option<StrategyFlag>,
    /// How to tell which pages are of one type; a store stays with it [default: places]
    #[arg(long, value_enum, env = "BATHYS_TYPES")]
    pub types: Option<TypesFlag>,
    /// Take only steps that lead to pages of this type, or of the type of the page at this URL (may
    /// be repeated)
    #[arg(long, env = "BATHYS_WANT", value_name = "TYPE|URL")]
    pub want: Option<Vec<String>>,
    /// Fire only the events, and follow only the links, that this model names (`bathys train` writes one)
    #[arg(long, env = "BATHYS_MODEL", value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// The share of all states that must be expected to be found before the crawl ends, from 0 to 1; with
    /// 1 no event is deferred [default: 0.99]
    #[arg(long, env = "BATHYS_COMPLETENESS", value_name = "SHARE", value_parser = share)]
    pub completeness: Option<f64>,
    /// Learn nothing and fire every event on every state of rendered pages: the baseline
    #[arg(long, env = "BATHYS_NO_LEARN", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch(), hide_possible_values = true, value_name = "BOOL")]
    pub no_learn: Option<bool>,
    /// Also fire events whose instruction is known to lead to the same page everywhere
    #[arg(long, env = "BATHYS_NO_INSTRUCTION_FILTER", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch(), hide_possible_values = true, value_name = "BOOL")]
    pub no_instruction_filter: Option<bool>,
    /// Also fire events of kinds that never led anywhere
    #[arg(long, env = "BATHYS_NO_PATTERN_FILTER", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch(), hide_possible_values = true, value_name = "BOOL")]
    pub no_pattern_filter: Option<bool>,
    /// Send every request to the site, even if its response is in the cache
    #[arg(long, env = "BATHYS_NO_REQUEST_FILTER", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch(), hide_possible_values = true, value_name = "BOOL")]
    pub no_request_filter: Option<bool>,
    /// Follow calendars, counters and other endless series, and visit pages that were held back
    #[arg(long, env = "BATHYS_IGNORE_TRAPS", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch(), hide_possible_values = true, value_name = "BOOL")]
    pub ignore_traps: Option<bool>,
    /// Log for every event why the state it led to counts as new or as known
    #[arg(long, env = "BATHYS_EXPLAIN", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch(), hide_possible_values = true, value_name = "BOOL")]
    pub explain: Option<bool>,
    /// Keep at most this many states per URL [default: 2000]
    #[arg(long, env = "BATHYS_MAX_STATES_PER_URL", value_name = "N")]
    pub max_states_per_url: Option<NonZeroUsize>,
    /// Number of browser tabs [default: one per core, at most 4]
    #[arg(long, env = "BATHYS_TABS", value_name = "N")]
    pub tabs: Option<usize>,
    /// Milliseconds between two visits to a host [default: 500, 0 for hosts on this machine]
    #[arg(long, env = "BATHYS_DELAY", value_name = "MS")]
    pub delay: Option<u64>,
    /// Ignore robots.txt (only for your own sites)
    #[arg(long, env = "BATHYS_IGNORE_ROBOTS", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch(), hide_possible_values = true, value_name = "BOOL")]
    pub ignore_robots: Option<bool>,
    /// User-Agent header to send [default: Bathys/VERSION]
    #[arg(long, env = "BATHYS_USER_AGENT", value_name = "TEXT")]
    pub user_agent: Option<String>,
}

/// How a site is treated by commands that visit it and are no crawl.
#[derive(Args, Debug)]
pub struct MannersFlags {
    /// Let events send POST requests whose URL matches (may be repeated)
    #[arg(long, value_name = "RE")]
    pub allow_post: Vec<String>,
    /// Milliseconds between two visits to a host [default: 500, 0 for hosts on this machine]
    #[arg(long, value_name = "MS")]
    pub delay: Option<u64>,
    /// Ignore robots.txt (only for your own sites)
    #[arg(long)]
    pub ignore_robots: bool,
    /// User-Agent header to send [default: Bathys/VERSION]
    #[arg(long, value_name = "TEXT")]
    pub user_agent: Option<String>,
}

impl MannersFlags {
    pub fn options(&self) -> CrawlOptions {
        CrawlOptions {
            allow_post: (!self.allow_post.is_empty()).then(|| self.allow_post.clone()),
            delay: self.delay,
            ignore_robots: self.ignore_robots.then_some(true),
            user_agent: self.user_agent.clone(),
            ..CrawlOptions::default()
        }
    }
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys import --series https://example.org/ snapshots/\n  bathys import saved.html --url https://example.org/a\n  bathys import pages/*.html\n  bathys import crawl.warc.gz site.wacz\n\nPages of an archive become versions of their addresses; pictures, styles and other answers are kept\nwith the page that asked for them. Files of a series are named by their time, as 20260131235959.html is. Without --url, the address\nis what the browser wrote when it saved the page, else its canonical link or og:url, unless several\ndifferent files name the same one: then it is made from the path of the file. The time is that of\nthe file. Press Ctrl-C once to save; the same command continues where it stopped."
)]
pub struct ImportFlags {
    /// HTML, WARC and WACZ files; with --series, directories of versions
    #[arg(required = true, value_name = "FILE|DIR")]
    pub files: Vec<PathBuf>,
    /// Import the files of a directory as versions of this URL
    #[arg(long, value_name = "URL", conflicts_with = "url")]
    pub series: Option<String>,
    /// URL that the file was captured from
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Level at which new pages are cut into blocks [default: that of their page type]
    #[arg(long, value_name = "N")]
    pub level: Option<u16>,
    /// Skip damaged records of archives
    #[arg(long)]
    pub skip_bad: bool,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys train --sample comments=https://example.org/news/1/comments -o model.toml\n  bathys train --sample list=https://example.org/board/ --sample post=https://example.org/t/7 -o model.toml\n  bathys crawl https://example.org/news/2/comments --model model.toml --want comments\n\nEvery event of a sample is fired, and a few links of each kind are followed one step. Several samples\nof a type teach more than one. A crawl with the model follows only what was seen on samples: give\nsamples of every type that it passes through. The model is a text file that you can edit."
)]
pub struct TrainFlags {
    /// Page to learn from, with a name for its type (may be repeated)
    #[arg(long = "sample", required = true, value_name = "TYPE=URL")]
    pub samples: Vec<String>,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL")]
    pub output: PathBuf,
    /// Stop after this many events
    #[arg(long, value_name = "N")]
    pub max_events: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub max_time: Option<u64>,
    /// How to tell which pages are of one type; crawls with the model must say the same [default: places]
    #[arg(long, value_enum)]
    pub types: Option<TypesFlag>,
    #[command(flatten)]
    pub manners: MannersFlags,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys goto 12 --screenshot page.png\n  bathys goto 'https://example.org/a#!bathys:click=goPage(2)' --html page.html\n  bathys goto 12 --json | jq '.path[].instruction'\n\nTries the quickest known path, then the shortest, then the one by which the page was first found. The\nexit status is 1 if none leads there any more. Does not change the store."
)]
pub struct GotoFlags {
    /// A URL, a page key or a page number
    #[arg(value_name = "KEY")]
    pub key: String,
    /// Save the page as it is now, as HTML
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Save a picture of the whole page, as PNG
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,
    #[command(flatten)]
    pub manners: MannersFlags,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys demo\n  bathys demo --keep     and open the address that it prints in a browser"
)]
pub struct DemoFlags {
    /// Keep the site running afterwards, to open it in a browser
    #[arg(long)]
    pub keep: bool,
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("give a number from 0 to 1, such as 0.99".into()),
    }
}
