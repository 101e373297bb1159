//! The flags, as they are typed. What they resolve to is in `settings`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use store::{BlobLocation, Location};
use url::Url;

/// Crawls what only scripts and forms can reach, keeps every version of it, and gives it back.
#[derive(Parser, Debug)]
#[command(
    name = "bathys",
    version,
    after_help = "Examples:\n  bathys demo                           see it work on a bundled site\n  bathys crawl https://example.org/     crawl a site into ./bathys-data\n  bathys pages --json | jq .key         what was found\n  bathys graph --format dot | dot -Tsvg -o graph.svg"
)]
pub struct Cli {
    #[command(flatten)]
    pub shared: Shared,
    #[command(subcommand)]
    pub verb: Verb,
}

/// A switch: `--no-learn`, or `--no-learn=false` against what the settings file says.
fn switch() -> clap::builder::BoolishValueParser {
    clap::builder::BoolishValueParser::new()
}

/// Keeps the flags of every command together, below those of the command itself.
const EVERYWHERE: &str = "Options of every command";

fn location() -> impl TypedValueParser<Value = Location> {
    PathBufValueParser::new().try_map(Location::try_from)
}

/// Flags of every command.
#[derive(Args, Debug, Clone)]
pub struct Shared {
    /// Where the store is: a directory, or postgres://… [default: ./bathys-data]
    #[arg(long, global = true, help_heading = EVERYWHERE, env = "BATHYS_STORE", value_name = "LOCATION", value_parser = location())]
    pub store: Option<Location>,
    /// Where the bytes of pages and answers are kept, if not in the store: s3://bucket/prefix. A store remembers it
    #[arg(long, global = true, help_heading = EVERYWHERE, env = "BATHYS_BLOBS", value_name = "LOCATION")]
    pub blobs: Option<BlobLocation>,
    /// Write JSON to stdout: one object, or JSON Lines for a listing
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
    /// Settings file [default: ./bathys.toml if it is there]
    #[arg(long, global = true, help_heading = EVERYWHERE, env = "BATHYS_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Log more to stderr; twice for debug, three times for trace
    #[arg(short, long, global = true, help_heading = EVERYWHERE, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Subcommand, Debug)]
pub enum Verb {
    /// Crawl a site: links and script events. Run it again to resume, then to revisit
    Crawl(CrawlFlags),
    /// Crawl sites as one of many on a store: those that nobody else has, until all are done
    Worker(WorkerFlags),
    /// Import pages that were captured elsewhere
    Import(ImportFlags),
    /// Learn from sample pages which events to fire, and write a model
    Train(TrainFlags),
    /// Crawl a bundled news site whose comments only scripts can reach
    Demo(DemoFlags),
    /// List the known pages
    Pages(PagesFlags),
    /// List the page types and what was learned about them
    Types(TypesFlags),
    /// Write the state-transition graph
    Graph(GraphFlags),
    /// Show a page as it was captured
    Show(ShowFlags),
    /// List the versions of a page, and how each differs from the one before
    Log(LogFlags),
    /// Show what changed from one version of a page to another, block by block
    Diff(DiffFlags),
    /// Export the threads, posts and items found on pages, with their history
    Records(RecordsFlags),
    /// Drive a browser to a known page by the cheapest path, and save it
    Goto(GotoFlags),
    /// Write a static, script-free copy to browse from disk
    Mirror(MirrorFlags),
    /// List what changed in the store since a change that is known
    Changes(ChangesFlags),
    /// Show sizes and counts of the store
    #[command(
        after_help = "Examples:\n  bathys stats\n  bathys stats --json | jq '.bytes_raw / .bytes_stored'"
    )]
    Stats,
    /// Print the settings in effect
    #[command(
        after_help = "Examples:\n  bathys config > bathys.toml       a file to begin with\n  bathys config --max-pages 500     what a crawl with this flag would use"
    )]
    Config(CrawlFlags),
    /// Run the algorithms on files, without a store
    Dom(DomFlags),
    /// Serve one of the bundled sites with known truth
    Testsite(TestsiteFlags),
    /// Run the benchmarks and print the figures
    Bench(BenchFlags),
    /// Write a completion script for a shell
    #[command(hide = true)]
    Completions {
        /// Which one
        shell: clap_complete::Shell,
    },
    /// Write the manual pages
    #[command(hide = true)]
    Man {
        /// Into this directory
        directory: PathBuf,
    },
}

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

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys changes --json | jq -r 'select(.what == \"version\") | .page'\n  bathys changes --after 1200 --json     what came after change 1200\n\nChanges of a site are numbered in the order in which they were committed: who keeps the number of\nthe last one that it has dealt with misses none."
)]
pub struct ChangesFlags {
    /// Which site [default: the only one]
    #[arg(long, value_name = "SITE")]
    pub site: Option<String>,
    /// Begin after the change with this number
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub after: i64,
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
    after_help = "Examples:\n  bathys import --series https://example.org/ snapshots/\n  bathys import saved.html --url https://example.org/a\n  bathys import pages/*.html\n\nFiles of a series are named by their time, as 20260131235959.html is. Without --url, the address\nis what the browser wrote when it saved the page, else its canonical link or og:url, unless several\ndifferent files name the same one: then it is made from the path of the file. The time is that of\nthe file. Press Ctrl-C once to save; the same command continues where it stopped."
)]
pub struct ImportFlags {
    /// HTML files; with --series, directories of versions
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
    after_help = "Examples:\n  bathys types\n  bathys types --json | jq -r '.type as $t | .links_to[] | \"\\($t) -> \\(.)\"'     the site map\n  bathys types --json | jq 'select(.rendered | not) | .type'"
)]
pub struct TypesFlags {
    /// Show all patterns, not only the most productive
    #[arg(long)]
    pub all: bool,
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

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys pages\n  bathys pages --json | jq -r 'select(.via==\"browser\") | .key'"
)]
pub struct PagesFlags {
    /// Include pages that were merged, redirected, failed or not yet visited
    #[arg(long)]
    pub all: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub enum GraphFormat {
    /// Nodes and edges, the refused ones too
    Json,
    /// For Graphviz
    Dot,
    /// For Gephi, yEd and the like
    Graphml,
    /// One picture
    Svg,
    /// One page to explore in a browser, which needs nothing else
    Html,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys graph --format html > graph.html\n  bathys graph --format svg --to 12 > way.svg\n  bathys graph --format dot | dot -Tsvg -o graph.svg\n  bathys graph --json | jq '.edges[] | select(.refused_because)'"
)]
pub struct GraphFlags {
    /// Output format
    #[arg(long, value_enum, default_value = "json")]
    pub format: GraphFormat,
    /// Omit plain links; show only what events do
    #[arg(long)]
    pub events_only: bool,
    /// Highlight the path from the start page to this page (svg and html)
    #[arg(long, value_name = "KEY")]
    pub to: Option<String>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys mirror site               then open site/index.html\n  bathys mirror site --json | jq .broken_links\n\nRun it again to replace the mirror. A directory with anything else in it is left alone."
)]
pub struct MirrorFlags {
    /// Directory to write: new, empty, or an older mirror
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Omit assets that are larger than this [default: 64]
    #[arg(long, value_name = "MB")]
    pub max_asset: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub enum RecordKind {
    /// Rows of lists of threads
    Thread,
    /// Posts of threads
    Post,
    /// Anything else that repeats: products, search results, rows of tables
    Item,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub enum RecordFormat {
    /// A JSON object a line
    Jsonl,
    /// A table, with what is nested as JSON (RFC 4180)
    Csv,
    /// A typed table for data frames and data bases
    Parquet,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys records --kind post\n  bathys records --kind thread --format csv -o threads.csv\n  bathys records --format parquet -o records.parquet\n  bathys records --at 2026-01-31 --json | jq -r .title\n  bathys records --history --json | jq 'select(.edited or .deleted)'"
)]
pub struct RecordsFlags {
    /// Kind of records [default: all]
    #[arg(long, value_enum)]
    pub kind: Option<RecordKind>,
    /// Output format [default: a table to read, or JSON Lines with --json]
    #[arg(long, value_enum)]
    pub format: Option<RecordFormat>,
    /// Only records of this site
    #[arg(long, value_name = "SITE")]
    pub site: Option<String>,
    /// Records as of this time, or as of the end of this day
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// Every edition of every record, one line each
    #[arg(long)]
    pub history: bool,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys log https://example.org/\n  bathys log 12 --visits\n  bathys log 12 --json | jq 'select(.changed > 3) | .version'\n\n~ blocks changed, + blocks added, - blocks removed. Versions that differ only in noise (format,\nscripts, adverts, clocks) are shown with --all."
)]
pub struct LogFlags {
    /// A URL, a page key or a page number
    #[arg(value_name = "KEY")]
    pub key: String,
    /// Include visits that found no change
    #[arg(long)]
    pub visits: bool,
    /// Include versions and changes that are only noise
    #[arg(long)]
    pub all: bool,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys diff 12                          the last change\n  bathys diff 12@2026-01-31               from then until now\n  bathys diff https://example.org/@v3 @v7 --html changes.html\n  bathys diff 12 --json | jq -r '.changed[] | [.kind, .topic] | @tsv'"
)]
pub struct DiffFlags {
    /// A URL, a page key or a page number, with @TIME or @vN for the earlier version
    #[arg(value_name = "KEY[@A]")]
    pub key: String,
    /// Later version [default: the latest]
    #[arg(value_name = "@B")]
    pub to: Option<String>,
    /// Include noise: format, scripts, adverts, clocks
    #[arg(long)]
    pub all: bool,
    /// Write both versions side by side, as one HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub enum ShowAs {
    /// The tree as captured, as HTML
    Html,
    /// Its visible text
    Text,
    /// The bytes of the response
    Raw,
    /// Its blocks
    Blocks,
    /// Its metadata, including exchanges
    Meta,
    /// A picture drawn from the store: nothing is fetched, no script runs
    Png,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys show 12 --as text\n  bathys show 'https://example.org/a#!bathys:click=goPage(2)'\n  bathys show https://example.org/@2026-01-31 --as html > page.html\n  bathys show 12 --as png --blocks > blocks.png\n  bathys show 12@v3 --as png --changes > changes.png"
)]
pub struct ShowFlags {
    /// A URL, a page key or a page number, with @TIME for an earlier version
    #[arg(value_name = "KEY[@TIME]")]
    pub key: String,
    /// Output form
    #[arg(long = "as", value_enum, default_value = "text")]
    pub form: ShowAs,
    /// Draw the blocks on the picture (png)
    #[arg(long)]
    pub blocks: bool,
    /// Draw the blocks that changed since the previous version (png)
    #[arg(long, conflicts_with_all = ["blocks", "level"])]
    pub changes: bool,
    /// Level of the blocks
    #[arg(long, value_name = "N")]
    pub level: Option<u16>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys dom similarity monday.html tuesday.html --full\n  bathys dom generalise '/html/body/div[4]/li[1]/a[1]' '/html/body/div[4]/li[2]/a[1]'\n  bathys dom blocks page.html --level 2"
)]
pub struct DomFlags {
    #[command(subcommand)]
    pub verb: DomVerb,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub enum RecordsMethod {
    /// Wrappers learned over all pages of a kind
    Learned,
    /// Seed 004's own: tag strings of siblings on each page by itself, and its four rules for fields
    Fdre,
    /// The method it is compared with (Liu et al. 2003): each page by itself, without fields
    Mdr,
}

#[derive(Subcommand, Debug)]
pub enum DomVerb {
    /// How far apart two pages are (restricted top-down mapping)
    #[command(
        after_help = "Examples:\n  bathys dom similarity monday.html tuesday.html\n  bathys dom similarity monday.html tuesday.html --full --json | jq .distance"
    )]
    Similarity {
        /// One page
        a: PathBuf,
        /// The other
        b: PathBuf,
        /// Elements only, as for page types [default]
        #[arg(long, conflicts_with = "full")]
        structure: bool,
        /// Text too, as for "has it changed?"
        #[arg(long)]
        full: bool,
    },
    /// Reduce XPaths to patterns: same names, differing indices become *
    #[command(
        after_help = "Examples:\n  bathys dom generalise '/html/body/div[4]/li[1]/a[1]' '/html/body/div[4]/li[2]/a[1]'"
    )]
    Generalise {
        /// Absolute paths, such as /html/body/div[4]/li[1]/a[1]
        #[arg(required = true, value_name = "XPATH")]
        xpaths: Vec<String>,
    },
    /// Cut a page into blocks
    #[command(
        after_help = "Examples:\n  bathys dom blocks page.html\n  bathys dom blocks page.html --level 2 --png blocks.png\n  bathys dom blocks page.html --json | jq -r '.blocks[] | select(.level == 1) | .xpath'\n\nThe picture is drawn by a browser from the file alone: nothing is fetched, no script runs."
    )]
    Blocks {
        /// The page
        file: PathBuf,
        /// Level of the blocks [default: the whole tree]
        #[arg(long, value_name = "N")]
        level: Option<u16>,
        /// Draw the page with its blocks on it
        #[arg(long, value_name = "FILE")]
        png: Option<PathBuf>,
        /// Cut the page as a browser renders it, not by its tags alone
        #[arg(long)]
        rendered: bool,
    },
    /// Extract the records from pages of a site: threads, posts, items
    #[command(
        after_help = "Examples:\n  bathys dom records list.html thread-*.html --base https://example.org/forum/\n  bathys dom records --manifest pages.jsonl --json | jq -r 'select(.kind == \"post\") | .author'\n  bathys dom records thread-*.html --method fdre\n\nAll files of one call are one site and are learned from together: the more pages of a kind, the\nbetter. A line of the manifest names a page, from where the manifest is; all but one of file and\nraw may be left out:\n  {\"file\": \"dom/7.html\", \"raw\": \"raw/7.html\", \"url\": \"https://example.org/t/7\", \"captured\": 1769853600}"
    )]
    Records {
        /// The pages
        #[arg(
            required_unless_present = "manifest",
            conflicts_with = "manifest",
            value_name = "FILE"
        )]
        files: Vec<PathBuf>,
        /// URL that the file names are relative to
        #[arg(long, value_name = "URL")]
        base: Option<Url>,
        /// Pages with their addresses and times, as JSON Lines: file (as a browser drew it), raw (as
        /// the server sent it), url, captured (Unix seconds, from which "3 hours ago" counts)
        #[arg(long, value_name = "FILE")]
        manifest: Option<PathBuf>,
        /// How records are found
        #[arg(long, value_enum, default_value = "learned")]
        method: RecordsMethod,
    },
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys testsite news --build react\n  bathys testsite bbs --size 200 --latency 30\n  bathys testsite bbs --paging plain --chaff 100 --volatile false --clock real"
)]
pub struct TestsiteFlags {
    /// Which site
    pub site: String,
    /// How its scripts are built
    #[arg(long)]
    pub build: Option<String>,
    /// How it is written (forum): table, cards, terms, pairs, tree, chinese, shell, hydrated, bare, stream
    /// or german
    #[arg(long)]
    pub template: Option<String>,
    /// The language of its text
    #[arg(long)]
    pub lang: Option<String>,
    /// How large, in the site's own unit
    #[arg(long, default_value_t = 0)]
    pub size: u32,
    /// Milliseconds before each answer
    #[arg(long, default_value_t = 0)]
    pub latency: u64,
    /// Milliseconds that its scripts wait
    #[arg(long, default_value_t = 100)]
    pub timers: u64,
    /// Seed of all its content
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How pages of a list follow each other: script, links or plain (bbs)
    #[arg(long)]
    pub paging: Option<String>,
    /// Pages of low value in all (bbs); 0 for the site's own number
    #[arg(long, default_value_t = 0)]
    pub chaff: u32,
    /// Whether times, ids and adverts differ with each request
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    pub volatile: bool,
    /// Time on the site's clock: RFC 3339, or real
    #[arg(long, value_name = "TIME")]
    pub clock: Option<String>,
    /// Port on 127.0.0.1
    #[arg(long, default_value_t = 0)]
    pub port: u16,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys bench              all of them, which takes hours\n  bathys bench seed000 --svg figure3.svg\n  bathys bench maze restore --quick\n  bathys bench tree --data ../shared/data\n  bathys bench --gate       the counts that must not get worse, in 15 minutes\n\nThe exit status is 1 if a figure that is asked for was missed."
)]
pub struct BenchFlags {
    /// tree, papers, partition, change, records, browser, crawl, seed000, seed001, filters, restore,
    /// maze, plain, claims, kill or memory; all of them if none is named
    pub names: Vec<String>,
    /// Small sites and few builds: a quick check that everything works
    #[arg(long)]
    pub quick: bool,
    /// Draw seed 000's figure 3 into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Directory with real pages and series to measure on
    #[arg(long, value_name = "DIR", default_value = "../shared/data")]
    pub data: PathBuf,
    /// Write into this table of grades or labels what was judged, where it does not say: see
    /// criteria.md of `bench/partition`
    #[arg(long, value_name = "FILE", hide = true)]
    pub fill: Option<PathBuf>,
    /// Only import this many pages of the data, and say what that took: what `partition` runs in a
    /// process of its own
    #[arg(long, value_name = "COUNT", hide = true)]
    pub import_pages: Option<usize>,
    /// With `plain`: measure Scrapy and wget beside it, on a site of 3,001 plain pages
    #[arg(long)]
    pub peers: bool,
    /// Directory with the sites that peers are measured on
    #[arg(long, value_name = "DIR", default_value = "../shared/sites", requires = "peers")]
    pub sites: PathBuf,
    /// Count what every crawl with a known truth finds, loses and costs, and fail if a count is worse
    /// than its floor; with names, only cases that begin so
    #[arg(long)]
    pub gate: bool,
    /// The floors to compare with, instead of those that are built in
    #[arg(long, value_name = "FILE", requires = "gate")]
    pub floors: Option<PathBuf>,
    /// Write better counts back as the new floors: into that file, or crates/bench/floors.tsv
    #[arg(long, requires = "gate")]
    pub raise: bool,
}
