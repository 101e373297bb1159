//! A record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{Field, Kind, Moment};

/// A record of a page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// What it is.
    pub kind: Kind,
    /// What names it within its site: what its permalink ends in, or the identifier of its element.
    pub id: Option<String>,
    /// Where it is on its page; of a record of several elements, all of them: `a | b`.
    pub xpath: String,
    /// Of a thread, its title; of a post, that of its thread.
    pub title: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When.
    pub time: Option<Moment>,
    /// That, as the page says it.
    pub time_text: Option<String>,
    /// Everything that it shows, as text.
    pub text: String,
    /// What its author wrote, without what others did.
    pub content_text: Option<String>,
    /// The same, as HTML.
    pub content_html: Option<String>,
    /// What it quotes, as shown.
    pub quotes: Vec<String>,
    /// What the content links to.
    pub links: Vec<Url>,
    /// The address of the record itself.
    pub permalink: Option<Url>,
    /// Its number in the thread, from 1.
    pub position: Option<u64>,
    /// The posts that it quotes or answers, by `id`.
    pub reply_to: Vec<String>,
    /// Of a thread: how many posts follow the first.
    pub replies: Option<u64>,
    /// Of a thread: who wrote the last post.
    pub last_author: Option<String>,
    /// Of a thread: when that was.
    pub last_time: Option<Moment>,
    /// Everything else that its columns hold, by name.
    pub fields: BTreeMap<String, String>,
    /// Where each field was found.
    pub field_xpaths: BTreeMap<Field, String>,
    /// From 0 to 1.
    pub confidence: f64,
    /// What another page says of it, too.
    pub proofs: Vec<Proof>,
}

/// What two pages agree on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// The title in the list is that of the thread.
    Title,
    /// The author in the list is that of the first post.
    FirstAuthor,
    /// The time in the list is that of the first post.
    FirstTime,
    /// The list counts the posts that there are.
    Count,
    /// The last author in the list is that of the last post.
    LastAuthor,
    /// The last time in the list is that of the last post.
    LastTime,
}
