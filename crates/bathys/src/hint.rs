//! What to do about errors and refusals of the libraries, which know neither flags nor commands.

use std::error::Error;

use crawl::{CrawlError, GotoError};
use derive::DeriveError;
use derive::warc::{BadWarc, FileError};
use page::state::safety::{Permit, Refusal};
use publish::PublishError;
use search::SearchError;
use store::StoreError;

/// What the user can do about an error, if its kind is known.
pub fn hint(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(of_cause)
}

fn of_cause(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<StoreError>() {
        return of_store(error);
    }
    if let Some(error) = error.downcast_ref::<CrawlError>() {
        return of_crawl(error);
    }
    if let Some(DeriveError::Store(error)) = error.downcast_ref() {
        return of_store(error);
    }
    if let Some(error) = error.downcast_ref::<GotoError>() {
        return match error {
            GotoError::Crawl(error) => of_crawl(error),
            GotoError::NotCaptured { url, .. } => Some(format!("run 'bathys crawl {url}' first")),
            GotoError::Missed { url, .. } => {
                Some(format!("'bathys crawl {url}' finds what is there now"))
            }
        };
    }
    if error.is::<BadWarc>() {
        return Some("run 'bathys import --skip-bad'".into());
    }
    if error.is::<FileError>() {
        return Some("name a WARC or WACZ file".into());
    }
    if let Some(error) = error.downcast_ref::<SearchError>() {
        return of_search(error);
    }
    match error.downcast_ref::<PublishError>()? {
        PublishError::Store(error) => of_store(error),
        PublishError::Nothing => Some("run 'bathys crawl URL' first".into()),
        PublishError::NoTree { page, .. } => {
            Some(format!("'bathys show {page} --as raw' gives its bytes"))
        }
        PublishError::NotInGraph(_) => Some("leave --events-only out".into()),
        _ => None,
    }
}

fn of_search(error: &SearchError) -> Option<String> {
    let words = match error {
        SearchError::Store(error) => return of_store(error),
        SearchError::Directory { .. } | SearchError::NotAnIndex { .. } => {
            "name another directory with --index"
        }
        SearchError::NoDirectory => "name one with --index",
        SearchError::Index(_) => "'bathys index --rebuild' makes it anew",
        SearchError::Query(_) | SearchError::Lost(_) => return None,
    };
    Some(words.into())
}

fn of_crawl(error: &CrawlError) -> Option<String> {
    match error {
        CrawlError::Store(error) => of_store(error),
        CrawlError::OtherTypes { kept, .. } => Some(format!(
            "go on with --types {kept}, or crawl anew with --fresh or another --store"
        )),
        CrawlError::Picture(_) => Some("leave --screenshot out".into()),
        _ => None,
    }
}

fn of_store(error: &StoreError) -> Option<String> {
    let words = match error {
        StoreError::Directory { .. } => "choose another directory with --store",
        StoreError::Missing(_) => "run 'bathys crawl URL' first, or name a store with --store",
        StoreError::InUse(_) => "wait for it, or choose another directory with --store",
        StoreError::Older { .. } => "crawl again into another directory with --store",
        StoreError::Broken { .. } => {
            "restore it from a copy, or choose another directory with --store"
        }
        StoreError::Outdated { .. } => "run 'bathys crawl' or 'bathys import' on it once",
        StoreError::Address { .. } => "--store takes a directory or postgres://…, --blobs s3://…",
        StoreError::Connect { .. } => "is the server up, and the address after --store right?",
        StoreError::Blobs { .. } => "is the server up, and may we use the bucket?",
        StoreError::OtherBlobs { .. } => "leave --blobs out, or name the same",
        StoreError::NoBlobs => "name where they are with --blobs",
        _ => return None,
    };
    Some(words.into())
}

/// Why something was refused, with the flag of `crawl` that would allow it.
pub fn refusal(kept: &str) -> String {
    let Ok(refusal) = kept.parse::<Refusal>();
    let reason = refusal.reason();
    match refusal.permit() {
        Some(Permit::Post(pattern)) => {
            format!("{reason} (--allow-post '{pattern}' would allow it)")
        }
        Some(Permit::Robots) => format!("{reason} (--ignore-robots would allow it)"),
        None => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_error_of_the_store_has_a_hint_wherever_it_comes_up() {
        let missing = || StoreError::Missing(Path::new("data").into());
        for error in [
            anyhow::Error::new(missing()),
            anyhow::Error::new(CrawlError::Store(missing())).context("cannot begin"),
            anyhow::Error::new(GotoError::from(missing())),
            anyhow::Error::new(PublishError::Store(missing())),
        ] {
            assert!(hint(&error).unwrap().contains("--store"), "{error:#}");
        }
        assert_eq!(hint(&anyhow::anyhow!("something else")), None);
    }

    #[test]
    fn a_refusal_names_the_flag_that_would_allow_it() {
        let post = Refusal::unless("POST /a is no read".into(), Permit::Post("/a".into()));
        assert_eq!(
            refusal(&post.to_string()),
            "POST /a is no read (--allow-post '/a' would allow it)"
        );
        assert_eq!(
            refusal("its text 'Send' contains the write verb 'send'"),
            "its text 'Send' contains the write verb 'send'"
        );
    }
}
