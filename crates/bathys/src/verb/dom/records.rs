//! `bathys dom records`: the records of files that are the pages of one site.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use page::tree::Dom;
use record::{RecordMethod, Source};
use serde::Deserialize;
use url::Url;

use super::NOWHERE;
use crate::cli::RecordsMethod;
use crate::output::{Usage, json_line, stdout};
use crate::records::{Line, Page};
use crate::say;
use crate::settings::Settings;

/// Pages that one call takes: all are held in memory together.
const MOST_PAGES: usize = 20_000;

/// A file, read.
struct Input {
    /// As it was named.
    name: String,
    url: Url,
    captured: Option<i64>,
    rendered: Option<Dom>,
    raw: Option<Dom>,
}

/// A line of a manifest.
#[derive(Deserialize)]
struct Entry {
    file: Option<PathBuf>,
    raw: Option<PathBuf>,
    url: Option<Url>,
    captured: Option<i64>,
}

pub fn run(
    settings: &Settings,
    files: &[PathBuf],
    base: Option<&Url>,
    manifest: Option<&Path>,
    method: RecordsMethod,
) -> anyhow::Result<()> {
    let inputs = match manifest {
        Some(manifest) => listed(manifest, base)?,
        None => named(files, base)?,
    };
    let sources: Vec<Source<'_>> = inputs
        .iter()
        .map(|input| Source {
            url: &input.url,
            page_type: None,
            captured: input.captured,
            rendered: input.rendered.as_ref(),
            raw: input.raw.as_ref(),
        })
        .collect();
    let method = match method {
        RecordsMethod::Learned => RecordMethod::Learned,
        RecordsMethod::Fdre => RecordMethod::Fdre,
        RecordsMethod::Mdr => RecordMethod::Mdr,
    };
    let records = method.records(&sources);
    let mut out = stdout();
    let (mut count, mut with_records) = (0, 0);
    for (input, records) in inputs.iter().zip(records) {
        with_records += usize::from(!records.is_empty());
        if !settings.json && !records.is_empty() {
            writeln!(out, "{}", input.name)?;
            Line::head(&mut out)?;
        }
        for record in records {
            count += 1;
            let site = input.url.host_str().unwrap_or_default();
            let line = Line::new(record, site, Page::File(input.name.clone()), input.url.clone());
            match settings.json {
                true => json_line(&mut out, &line)?,
                false => line.row(&mut out)?,
            }
        }
    }
    out.flush()?;
    if !settings.json {
        say!("{count} records on {with_records} of {} pages", inputs.len());
    }
    Ok(())
}

/// Files that are named one by one. Their addresses are their names, seen from the base.
fn named(files: &[PathBuf], base: Option<&Url>) -> anyhow::Result<Vec<Input>> {
    few_enough(files.len())?;
    files
        .iter()
        .map(|file| {
            Ok(Input {
                name: file.display().to_string(),
                url: address(file, base)?,
                captured: None,
                rendered: Some(super::read(file)?),
                raw: None,
            })
        })
        .collect()
}

fn address(file: &Path, base: Option<&Url>) -> anyhow::Result<Url> {
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let mut url = match base {
        Some(base) => base.clone(),
        None => Url::parse(NOWHERE)?,
    };
    // What the base ends in is a page; the file is beside it.
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop().push(&name);
    }
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

/// Files that a manifest names; those that are not absolute, from where it is.
fn listed(manifest: &Path, base: Option<&Url>) -> anyhow::Result<Vec<Input>> {
    let text = std::fs::read_to_string(manifest).with_context(|| {
        format!("cannot read {}; name a file of JSON Lines with --manifest", manifest.display())
    })?;
    let folder = manifest.parent().unwrap_or(Path::new(""));
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    few_enough(lines.clone().count())?;
    let mut inputs = Vec::new();
    for (at, line) in lines {
        let place = || format!("{}:{}", manifest.display(), at + 1);
        let entry: Entry = serde_json::from_str(line).map_err(|error| {
            Usage(format!(
                "{} is no page: {error}; write it as {{\"file\": \"a.html\", \"url\": \
                 \"https://example.org/a\", \"captured\": 1769853600}}",
                place()
            ))
        })?;
        let Some(shown) = entry.file.as_ref().or(entry.raw.as_ref()) else {
            let why = "names neither file nor raw; name the rendered page as file, the server's \
                       own answer as raw";
            return Err(Usage(format!("{} {why}", place())).into());
        };
        let tree = |path: &Option<PathBuf>| {
            let path = path.as_ref().map(|path| folder.join(path));
            path.map(|path| super::read(&path)).transpose().with_context(place)
        };
        inputs.push(Input {
            name: shown.display().to_string(),
            url: match entry.url {
                Some(url) => url,
                None => address(shown, base)?,
            },
            captured: entry.captured,
            rendered: tree(&entry.file)?,
            raw: tree(&entry.raw)?,
        });
    }
    Ok(inputs)
}

fn few_enough(count: usize) -> anyhow::Result<()> {
    if count > MOST_PAGES {
        bail!("{count} pages are too many at once; name at most {MOST_PAGES}, or import them");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_beside_the_page_that_is_the_base() {
        let base: Url = "https://example.org/forum/list?page=2".parse().unwrap();
        let url = |file: &str, base: Option<&Url>| address(Path::new(file), base).unwrap();
        assert_eq!(
            url("a/thread 1.html", Some(&base)).as_str(),
            "https://example.org/forum/thread%201.html"
        );
        assert_eq!(url("a.html", None).as_str(), "http://file.invalid/a.html");
    }
}
