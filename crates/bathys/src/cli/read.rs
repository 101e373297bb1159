//! Flags of commands that ask a store.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::crawl::CrawlOptions;

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

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  bathys forms\n  bathys forms --json | jq -r 'select(.safe | not) | [.action, .refused_because[]] | @tsv'\n  bathys forms plan https://example.org/search"
)]
pub struct FormsFlags {
    #[command(subcommand)]
    pub verb: Option<FormsVerb>,
}

#[derive(Subcommand, Debug)]
pub enum FormsVerb {
    /// Say what a crawl would do with the forms of a page, and submit nothing
    Plan {
        /// The page
        url: String,
        #[command(flatten)]
        options: CrawlOptions,
    },
    /// Submit the forms of a page to see what their inputs do and which combinations are worth asking for;
    /// nothing is kept
    Analyse {
        /// The page
        url: String,
        /// Print the addresses that a search engine would index, instead: a line each
        #[arg(long)]
        for_index: bool,
        #[command(flatten)]
        options: CrawlOptions,
    },
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
    /// One block only, by its number, and the pages of the site that show the same block now (blocks)
    #[arg(long, value_name = "N", conflicts_with_all = ["blocks", "changes", "level"])]
    pub block: Option<i64>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys export --warc site.warc.gz\n  bathys export --warc site.warc.gz --cdxj site.cdxj     with its index\n  bathys export --wacz site.wacz                         to open in a replay viewer\n  bathys export --ndjson pages.ndjson && jq -r .title pages.ndjson\n  bathys export --blocks blocks.parquet                  what blocks said, and when\n\nA state that only events reach is exported under the address of its document with the parameter\nbathys-state, as it was captured and without scripts; 'pages' in the WACZ file lists it with its key.\nFiles appear under their names once they are whole."
)]
#[command(group = clap::ArgGroup::new("files").required(true).multiple(true).args(["warc", "cdxj", "wacz", "ndjson", "blocks"]))]
pub struct ExportFlags {
    /// Write a WARC 1.1 file: requests, answers, revisits, event-only states. Compressed unless FILE ends in .warc
    #[arg(long, value_name = "FILE")]
    pub warc: Option<PathBuf>,
    /// Write the index of the WARC file. Without --warc, of the one that it would write beside FILE
    #[arg(long, value_name = "FILE")]
    pub cdxj: Option<PathBuf>,
    /// Write a WACZ file: the archive, its index, and its pages with their text
    #[arg(long, value_name = "FILE")]
    pub wacz: Option<PathBuf>,
    /// Write a JSON line for each version of each page, with its text
    #[arg(long, value_name = "FILE")]
    pub ndjson: Option<PathBuf>,
    /// Write every distinct text of a block, with where and when it stood: a JSON line each, or a table if FILE ends in .parquet
    #[arg(long, value_name = "FILE")]
    pub blocks: Option<PathBuf>,
    /// Add a picture of every version of every page, drawn by a browser from what was kept (WARC, WACZ)
    #[arg(long)]
    pub screenshots: bool,
    /// Level of gzip: 1 is fastest, 9 smallest [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=9))]
    pub level: Option<u32>,
    #[command(flatten)]
    pub place: super::search::IndexPlace,
}
