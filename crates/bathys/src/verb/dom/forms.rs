//! `bathys dom forms`: the forms of a file, and whether they may be submitted.

use std::io::Write;
use std::path::Path;

use page::form::forms;
use url::Url;

use super::NOWHERE;
use crate::forms::FormLine;
use crate::output::{json_line, stdout};
use crate::settings::Settings;

pub fn run(settings: &Settings, file: &Path, base: Option<&Url>) -> anyhow::Result<()> {
    let url = match base {
        Some(base) => base.clone(),
        None => Url::parse(NOWHERE)?,
    };
    let dom = super::read(file)?;
    let mut out = stdout();
    for form in forms(&dom, &url) {
        let line = FormLine::new(&form, file.display().to_string(), &url, false);
        match settings.json {
            true => json_line(&mut out, &line)?,
            false => line.print(&mut out)?,
        }
    }
    Ok(out.flush()?)
}
