//! The lists of pages of a WACZ file: JSON Lines, the first of which says what the list is.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use serde_json::json;
use store::Millis;

use super::record::{RecordId, WarcDate};

/// A look at a page.
pub(super) struct PageLine<'a> {
    pub(super) id: RecordId,
    /// Where it is replayed.
    pub(super) url: &'a str,
    /// Its key in the store.
    pub(super) key: &'a str,
    pub(super) time: Millis,
    pub(super) title: Option<String>,
    /// What it shows; `None` if it is no page or showed the same before.
    pub(super) text: Option<String>,
    pub(super) is_seed: bool,
}

/// The two lists: versions of pages, and what else was looked at.
pub(super) struct PageList {
    pages: BufWriter<File>,
    extra: BufWriter<File>,
    /// The first of the pages that a crawl began with, and when.
    pub(super) main: Option<(String, Millis)>,
}

impl PageList {
    /// Empty lists, in temporary files.
    pub(super) fn new() -> io::Result<Self> {
        let list = |id: &str, title: &str, has_text: bool| -> io::Result<BufWriter<File>> {
            let mut list = BufWriter::new(tempfile::tempfile()?);
            let format = "json-pages-1.0";
            let head = json!({ "format": format, "id": id, "title": title, "hasText": has_text });
            writeln!(list, "{head}")?;
            Ok(list)
        };
        let pages = list("pages", "Versions of pages", true)?;
        let extra = list("extra-pages", "Unchanged visits and other files", false)?;
        Ok(Self { pages, extra, main: None })
    }

    pub(super) fn add(&mut self, line: &PageLine<'_>) -> io::Result<()> {
        let mut json = json!({
            "id": line.id.to_string(),
            "url": line.url,
            "ts": WarcDate(line.time).to_string(),
            "key": line.key,
        });
        if line.is_seed {
            json["seed"] = true.into();
            self.main.get_or_insert_with(|| (line.url.to_owned(), line.time));
        }
        if let Some(title) = &line.title {
            json["title"] = title.as_str().into();
        }
        let Some(text) = &line.text else { return writeln!(self.extra, "{json}") };
        json["text"] = text.as_str().into();
        writeln!(self.pages, "{json}")
    }

    /// The two files, to be read from their beginnings.
    pub(super) fn finish(self) -> io::Result<[File; 2]> {
        let finish = |list: BufWriter<File>| -> io::Result<File> {
            let mut file = list.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            Ok(file)
        };
        Ok([finish(self.pages)?, finish(self.extra)?])
    }
}
