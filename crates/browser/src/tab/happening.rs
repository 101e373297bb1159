//! What a page did besides changing its document: things a user would notice.

use super::gate::Cause;

/// Where the page wanted to go. The guard caught it; nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Navigation {
    /// The address.
    pub url: String,
    /// `GET`, or `POST` for a form.
    pub method: String,
    /// The body of a form that is posted.
    pub body: Option<String>,
    /// True if the address changed inside the document (a fragment, the history API): the page is
    /// there already.
    pub same_document: bool,
}

/// A file that the page wanted to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// The address.
    pub url: String,
    /// The name that it would have had.
    pub file_name: String,
}

/// A dialog that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// What it said.
    pub message: String,
}

/// A request that the gate failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The address.
    pub url: String,
    /// `GET`, `POST`…
    pub method: String,
    /// The body, if it was text.
    pub body: Option<String>,
    /// What made the page send it.
    pub cause: Cause,
    /// The gate's reason.
    pub reason: String,
}

/// Everything of the kind since the last look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Happenings {
    /// Documents that the page wanted instead of itself.
    pub navigations: Vec<Navigation>,
    /// Addresses of windows that it opened; they were closed before they loaded anything.
    pub popups: Vec<String>,
    /// Files that it wanted to save.
    pub downloads: Vec<Download>,
    /// Dialogs that it showed.
    pub dialogs: Vec<Dialog>,
    /// Requests that the gate failed, and sockets that an event wanted to open.
    pub refused: Vec<Refused>,
    /// Sockets that it opened (the gate cannot hold them back; the proxy can).
    pub sockets: Vec<String>,
    /// The document is no longer there: a navigation that no network request announces.
    pub left_document: bool,
}

/// Entries of each list: it ends somewhere, whatever a page does.
pub(super) const LONGEST_LIST: usize = 1_000;

impl Happenings {
    /// A navigation to this address was caught.
    pub(super) fn navigation(&mut self, url: &str) {
        if self.navigations.len() < LONGEST_LIST {
            let (url, method) = (url.to_owned(), "GET".into());
            self.navigations.push(Navigation { url, method, body: None, same_document: false });
        }
    }
    /// A socket to this address was refused in the page.
    pub(super) fn socket(&mut self, url: &str) {
        if self.refused.len() < LONGEST_LIST {
            self.refused.push(Refused {
                url: url.to_owned(),
                method: "GET".into(),
                body: None,
                cause: Cause::Event,
                reason: "an event wanted to open a socket".into(),
            });
        }
    }
}
