//! Flags of commands that search.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Where the index is.
#[derive(Args, Debug)]
pub struct IndexPlace {
    /// Directory of the search index [default: search, in the directory of the store]
    #[arg(long = "index", env = "BATHYS_INDEX", value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys index               after a long crawl, so that the first search need not wait\n  bathys index --rebuild     from nothing: it holds nothing that the store does not have"
)]
pub struct IndexFlags {
    #[command(flatten)]
    pub place: IndexPlace,
    /// Remove the index and build it anew
    #[arg(long)]
    pub rebuild: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub enum OrderFlag {
    /// The best match
    Best,
    /// What appeared last
    Newest,
    /// What appeared first
    Oldest,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys search harbour fire                      both words, in any form\n  bathys search '\"harbour fire\" OR flood -film'    a phrase, alternatives, not this\n  bathys search '网页布局' --label main\n  bathys search prices --from 2024-01-01 --to 2024-03-31\n  bathys search 'elect*' --site example.org --json | jq -r '.hits[] | [.first_seen, .key] | @tsv'\n\nEvery distinct text is found once, with when it was first and last seen. topic: and title: look there\nonly. What stands on the latest version of a page counts as still there."
)]
pub struct SearchFlags {
    /// Words that must all be there, "phrases", OR, -not, (groups), beginnings*
    #[arg(value_name = "QUERY", required = true)]
    pub query: Vec<String>,
    /// Only what was there at this time or later
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// Only what was there at this time or before
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Only on this site
    #[arg(long, value_name = "SITE")]
    pub site: Option<String>,
    /// Only in blocks for this: main, list, comments, navigation, header, footer, form, media, advert, other
    #[arg(long, value_name = "LABEL")]
    pub label: Option<String>,
    /// Only on pages of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub page_type: Option<String>,
    /// What comes first
    #[arg(long, value_enum, default_value = "best")]
    pub order: OrderFlag,
    /// Hits at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Hits to pass over
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: usize,
    #[command(flatten)]
    pub place: IndexPlace,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys ask 'What did Ann Miller say about the harbour bridge?'\n  bathys ask 'What did the bridge cost in March 2024?'     what stood on pages then\n  bathys ask '港口大桥什么时候开放？' --json | jq -r '.answers[0].text'\n\nAnswers are passages as they were captured, with when they stood. Where nothing holds enough of what the\nquestion names, the answer is 'not found'."
)]
pub struct AskFlags {
    /// A question, in English or Chinese
    #[arg(value_name = "QUESTION", required = true)]
    pub question: Vec<String>,
    /// Only what was there at this time or later
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// Only what was there at this time or before
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Only on this site
    #[arg(long, value_name = "SITE")]
    pub site: Option<String>,
    /// Answers at most
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub limit: usize,
    #[command(flatten)]
    pub place: IndexPlace,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub enum TrendFlag {
    /// Came up within the span
    New,
    /// More of it than in the span before
    Rising,
    /// Went within the span, and is nowhere any more
    Gone,
    /// None of these
    Steady,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys topics                           what changed most of late\n  bathys topics --trend new --since 2026-01-01\n  bathys topics --json | jq 'select(.trend == \"gone\") | .topic'\n\nTwo spans of equal length are compared, the later from --since to --until: without them, the last quarter of\nwhat is known."
)]
pub struct TopicsFlags {
    /// Only of this site
    #[arg(long, value_name = "SITE")]
    pub site: Option<String>,
    /// Beginning of the span
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// End of the span [default: the last visit]
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only topics of which this became
    #[arg(long, value_enum)]
    pub trend: Option<TrendFlag>,
    /// Topics at most
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
    #[command(flatten)]
    pub place: IndexPlace,
}
