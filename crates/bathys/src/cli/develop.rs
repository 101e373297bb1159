//! Flags of commands for those who work on the program.

use std::path::PathBuf;

use clap::Args;

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
    /// How the database is asked: links, capped or post (jobs)
    #[arg(long)]
    pub search: Option<String>,
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
    /// tree, papers, partition, change, revisit, records, tables, forms-gate, forms, storage, volumes, browser, crawl,
    /// seed000, seed001, filters, restore, maze, rooms, same, plain, priors, completeness, estimate, claims, kill,
    /// kill-archive, memory, warc or serve; all of them
    /// if none is named. rooms/NAME and same/NAME are a part of one
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
