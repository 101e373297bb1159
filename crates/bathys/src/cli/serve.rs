//! Flags of `bathys serve`.

use std::net::SocketAddr;

use clap::Args;

use super::IndexPlace;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bathys serve                               then open http://127.0.0.1:7272/\n  bathys serve --listen 0.0.0.0:7272 --public-read\n  BATHYS_TOKEN=$(openssl rand -hex 16) bathys serve --listen 0.0.0.0:7272\n  curl -H 'Accept: application/x-ndjson' http://127.0.0.1:7272/api/v1/pages\n\nAnswers this machine only, unless a token is asked for or everybody may read. Nothing can be changed\nthrough it. Archived pages have a port of their own, the next one, where no script runs."
)]
pub struct ServeFlags {
    /// Where to listen: an address of this machine and a port; 0 for a free one
    #[arg(long, env = "BATHYS_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:7272")]
    pub listen: SocketAddr,
    /// Where archived pages are served [default: the next port]
    #[arg(long, env = "BATHYS_REPLAY", value_name = "ADDRESS")]
    pub replay: Option<SocketAddr>,
    /// Where browsers find archived pages, if that is not where they are served: behind a proxy
    #[arg(long, env = "BATHYS_REPLAY_URL", value_name = "URL")]
    pub replay_url: Option<url::Url>,
    /// Ask whoever reads for this, as a bearer token or in a form; at least 16 characters
    #[arg(
        long,
        env = "BATHYS_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true,
        conflicts_with = "public_read"
    )]
    pub token: Option<String>,
    /// Let everybody read who reaches the address
    #[arg(long)]
    pub public_read: bool,
    #[command(flatten)]
    pub place: IndexPlace,
}
