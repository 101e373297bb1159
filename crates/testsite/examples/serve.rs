//! Serves a site until Ctrl-C, to look at it in a browser:
//! `cargo run -p bathys-testsite --example serve -- news build=react lang=zh port=8080`

use std::error::Error;
use std::time::Duration;

use testsite::{Options, SiteKind, serve};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let kind: SiteKind = arguments.next().as_deref().unwrap_or("news").parse()?;
    let mut options = Options::default();
    for argument in arguments {
        let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
        match name {
            "port" => options.port = value.parse()?,
            "latency" => options.latency = Duration::from_millis(value.parse()?),
            "timers" => options.timers = Duration::from_millis(value.parse()?),
            "size" => options.size = value.parse()?,
            "seed" => options.seed = value.parse()?,
            "clock" => options.clock = value.parse()?,
            "build" => options.build = value.parse()?,
            "lang" => options.lang = value.parse()?,
            "volatile" => options.volatile = value.parse()?,
            "chaff" => options.chaff = value.parse()?,
            "template" => options.template = value.parse()?,
            "paging" => options.paging = value.parse()?,
            _ => return Err(format!("no option is called '{name}'; see README.md").into()),
        }
    }
    let site = serve(kind, options).await?;
    println!("{}", site.url());
    tokio::signal::ctrl_c().await?;
    for change in site.log() {
        println!("{} {} by {} {}", change.kind, change.target, change.method, change.path);
    }
    site.stop().await;
    Ok(())
}
