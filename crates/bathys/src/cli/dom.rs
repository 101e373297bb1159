//! Flags of `dom`, whose commands need no store.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use url::Url;

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
    /// List the forms of a page, and say which of them may be submitted
    #[command(
        after_help = "Examples:\n  bathys dom forms search.html --base https://example.org/search\n  bathys dom forms search.html --json | jq -r 'select(.safe | not) | .refused_because[]'\n\nNothing is submitted."
    )]
    Forms {
        /// The page
        file: PathBuf,
        /// URL of the page: what its addresses are relative to, and which site is its own
        #[arg(long, value_name = "URL")]
        base: Option<Url>,
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
