//! Flags of commands that look after a store.

use clap::{Args, ValueEnum};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys seal                   old versions; what was sealed can be read as before\n  bathys seal --all             everything, for a crawl that is over\n  bathys seal --cold smallest   the fewest bytes; a version then takes seconds to restore"
)]
pub struct SealFlags {
    /// Seal the latest versions of pages, too
    #[arg(long)]
    pub all: bool,
    /// How hard to pack
    #[arg(long, value_enum, default_value = "balanced", value_name = "HOW")]
    pub cold: Cold,
    /// Only this site
    #[arg(long, value_name = "SITE")]
    pub site: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub enum Cold {
    /// Any version is back in a fraction of a second
    Balanced,
    /// The fewest bytes, whatever restoring takes
    Smallest,
}
