//! `bathys serve`: the store, for browsers and programs.

use std::io::Write;
use std::sync::Arc;

use crate::cli::ServeFlags;
use crate::interrupt::{INTERRUPTED, asked_to_stop};
use crate::output::{Usage, json_line, stdout};
use crate::say;
use crate::settings::Settings;
use crate::web::{self, Access, Places, Reads};

/// A shorter token could be guessed.
const SHORTEST_TOKEN: usize = 16;

pub async fn run(settings: &Settings, flags: &ServeFlags) -> anyhow::Result<()> {
    let access = Access::new(reads(flags)?);
    let catalog = Arc::new(settings.open()?);
    let topics = settings.process().topics;
    let places = Places {
        listen: flags.listen,
        replay: flags.replay,
        replay_url: flags.replay_url.clone(),
        index: flags.place.directory.clone(),
    };
    let running = web::start(catalog, topics, access, places).await?;
    let (site, archive) = (running.address, running.replay);
    let mut out = stdout();
    match settings.json {
        true => {
            let places = serde_json::json!({
                "url": format!("http://{site}/"),
                "replay": format!("http://{archive}/"),
            });
            json_line(&mut out, &places)?;
        }
        false => writeln!(out, "http://{site}/")?,
    }
    out.flush()?;
    say!("serving {} on http://{site}/, archived pages on port {}", settings.store, archive.port());
    say!("press Ctrl-C to stop it");
    asked_to_stop().await;
    tokio::spawn(async {
        asked_to_stop().await;
        std::process::exit(INTERRUPTED.into());
    });
    running.stop().await;
    Ok(())
}

/// Who may read. Elsewhere than on loopback it has to be said.
fn reads(flags: &ServeFlags) -> anyhow::Result<Reads> {
    let is_local = |address: &std::net::SocketAddr| address.ip().is_loopback();
    let all_local = is_local(&flags.listen) && flags.replay.as_ref().is_none_or(is_local);
    match (&flags.token, flags.public_read) {
        (Some(token), _) if token.chars().count() < SHORTEST_TOKEN => Err(Usage(format!(
            "the token is shorter than {SHORTEST_TOKEN} characters; make one with 'openssl rand -hex 16'"
        ))
        .into()),
        (Some(token), _) => Ok(Reads::Token(token.clone())),
        (None, true) => Ok(Reads::Public),
        (None, false) if all_local => Ok(Reads::Local),
        (None, false) => Err(Usage(
            "others than this machine reach that address; add --token TOKEN, or --public-read to let everybody read"
                .into(),
        )
        .into()),
    }
}
