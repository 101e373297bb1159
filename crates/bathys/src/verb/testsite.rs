//! `bathys testsite`: one of the bundled sites, to crawl or to look at.

use std::io::Write;
use std::time::Duration;

use testsite::{Options, SiteKind};

use crate::cli::TestsiteFlags;
use crate::output::{Usage, json_line, stdout};
use crate::say;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &TestsiteFlags) -> anyhow::Result<()> {
    let kind: SiteKind = flags.site.parse().map_err(|error| Usage(format!("{error}")))?;
    let mut options = Options {
        port: flags.port,
        latency: Duration::from_millis(flags.latency),
        timers: Duration::from_millis(flags.timers),
        size: flags.size,
        seed: flags.seed,
        chaff: flags.chaff,
        volatile: flags.volatile,
        ..Options::default()
    };
    if let Some(build) = &flags.build {
        options.build = build.parse().map_err(|error| Usage(format!("{error}")))?;
    }
    if let Some(template) = &flags.template {
        options.template = template.parse().map_err(|error| Usage(format!("{error}")))?;
    }
    if let Some(lang) = &flags.lang {
        options.lang = lang.parse().map_err(|error| Usage(format!("{error}")))?;
    }
    if let Some(paging) = &flags.paging {
        options.paging = paging.parse().map_err(|error| Usage(format!("{error}")))?;
    }
    if let Some(search) = &flags.search {
        options.search = search.parse().map_err(|error| Usage(format!("{error}")))?;
    }
    if let Some(clock) = &flags.clock {
        options.clock = clock.parse().map_err(|error| Usage(format!("{error}")))?;
    }
    let site = testsite::serve(kind, options).await?;
    if settings.json {
        json_line(&mut stdout(), &serde_json::json!({ "url": site.url() }))?;
    } else {
        writeln!(stdout(), "{}", site.url())?;
    }
    say!("serving {} on {}; press Ctrl-C to stop it", flags.site, site.url());
    tokio::signal::ctrl_c().await?;
    site.stop().await;
    Ok(())
}
