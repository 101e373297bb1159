//! The flags, as they are typed. What they resolve to is in `settings`.

mod crawl;
mod develop;
mod dom;
mod keep;
mod read;
mod search;
mod serve;
mod watch;

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use store::{BlobLocation, Location};

pub use crawl::{
    CrawlFlags, CrawlOptions, DemoFlags, FormsFlag, GotoFlags, ImportFlags, RenderFlag, ScopeFlag,
    StrategyFlag, TrainFlags, TypesFlag, WorkerFlags,
};
pub use develop::{BenchFlags, TestsiteFlags};
pub use dom::{DomFlags, DomVerb, RecordsMethod};
pub use keep::{Cold, SealFlags};
pub use read::{
    ChangesFlags, DiffFlags, ExportFlags, FormsFlags, FormsVerb, GraphFlags, GraphFormat, LogFlags,
    MirrorFlags, PagesFlags, RecordFormat, RecordKind, RecordsFlags, ShowAs, ShowFlags, TypesFlags,
};
pub use search::{
    AskFlags, IndexFlags, IndexPlace, OrderFlag, SearchFlags, TopicsFlags, TrendFlag,
};
pub use serve::ServeFlags;
pub use watch::WatchFlags;

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
    /// Revisit pages when they are likely to have changed, within a budget
    Watch(WatchFlags),
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
    /// List the forms that were found, and what came of those that were submitted
    Forms(FormsFlags),
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
    /// Search every version of every block: what pages say, and what they said
    Search(SearchFlags),
    /// Answer a question with dated passages of what was captured, or say that there are none
    Ask(AskFlags),
    /// Show what pages are about over time: new, rising, gone, most changed
    Topics(TopicsFlags),
    /// Bring the search index up to date, or rebuild it
    Index(IndexFlags),
    /// Drive a browser to a known page by the cheapest path, and save it
    Goto(GotoFlags),
    /// Write a static, script-free copy to browse from disk
    Mirror(MirrorFlags),
    /// Write the store as standard files: WARC, CDXJ, WACZ, JSON Lines
    Export(ExportFlags),
    /// List what changed in the store since a change that is known
    Changes(ChangesFlags),
    /// Serve the store to browsers and programs: pages, diffs, records, the archive as it was
    Serve(ServeFlags),
    /// Show sizes and counts of the store
    #[command(
        after_help = "Examples:\n  bathys stats\n  bathys stats --json | jq '.bytes_raw / .bytes_stored'"
    )]
    Stats,
    /// Move old versions to the cold tier: small, and still to be read
    Seal(SealFlags),
    /// Check that everything that was kept is there, and what it was
    #[command(
        after_help = "Examples:\n  bathys verify\n  bathys verify --json | jq -r '.bad[].key'\n\nThe exit status is 1 if something is lost. Everything else can be read as before."
    )]
    Verify,
    /// Drop what nothing refers to, and give its room back
    #[command(after_help = "Examples:\n  bathys gc")]
    Gc,
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
