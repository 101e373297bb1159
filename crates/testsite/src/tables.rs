//! The tables that the pages of a forum were made from: what records are measured against.

use serde::{Deserialize, Serialize};

/// The data base of a forum at one time, as its pages show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tables {
    /// The name of the template that the pages are written with.
    pub template: String,
    /// The time of the site's clock, in seconds of the Unix clock: relative dates count from here.
    pub captured: i64,
    /// Which fields of a thread the lists of this template show.
    pub list_fields: Vec<String>,
    /// Which fields of a post its threads show.
    pub post_fields: Vec<String>,
    /// Every page that is linked, and what is on it.
    pub pages: Vec<Sheet>,
    /// Every thread, in the order of the lists.
    pub threads: Vec<ThreadRow>,
    /// Every post, in the order of its thread's pages.
    pub posts: Vec<PostRow>,
    /// What happens within the day after.
    pub later: Vec<Later>,
}

impl Tables {
    /// The thread of this number.
    pub fn thread(&self, id: u32) -> Option<&ThreadRow> {
        self.threads.iter().find(|thread| thread.id == id)
    }

    /// The post of this number.
    pub fn post(&self, id: u32) -> Option<&PostRow> {
        self.posts.iter().find(|post| post.id == id)
    }

    /// The page of this address.
    pub fn page(&self, url: &str) -> Option<&Sheet> {
        self.pages.iter().find(|page| page.url == url)
    }
}

/// What sort of page it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SheetKind {
    /// The boards of the forum.
    Index,
    /// Threads of a board.
    List,
    /// Posts of a thread.
    Thread,
    /// A member.
    User,
    /// Anything else.
    Other,
}

impl SheetKind {
    /// Its name, which is the kind of its [`State`](crate::State).
    pub fn name(self) -> &'static str {
        match self {
            SheetKind::Index => "index",
            SheetKind::List => "list",
            SheetKind::Thread => "thread",
            SheetKind::User => "user",
            SheetKind::Other => "other",
        }
    }
}

/// A page, and the records that are on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    /// Path and query.
    pub url: String,
    /// What sort of page it is.
    pub kind: SheetKind,
    /// The name of the board, of a list or of a thread.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub board: String,
    /// The number of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// The numbers of its threads or posts, in document order; where a page grows, of all that it
    /// comes to show.
    pub records: Vec<u32>,
    /// Titles of threads that were moved to another board and have left a row here: neither records
    /// nor mistakes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stubs: Vec<String>,
}

/// When something was, and how exactly the page says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Seconds of the Unix clock.
    pub unix: i64,
    /// The text on the page.
    pub text: String,
    /// By how many seconds a reader of the page may be off.
    pub within: u32,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadRow {
    /// Its number.
    pub id: u32,
    /// Its title.
    pub title: String,
    /// Path and query of its first page.
    pub url: String,
    /// Who wrote its first post.
    pub author: String,
    /// When, as the list says it, or as the thread does where the list does not.
    pub time: Stamp,
    /// Who wrote its last post.
    pub last_author: String,
    /// When, as the list says it, or as the thread does where the list does not.
    pub last_time: Stamp,
    /// How many posts follow the first.
    pub replies: u32,
    /// The name of its board.
    pub board: String,
    /// Whether it stays on top of its list.
    pub sticky: bool,
    /// Whether nobody may answer.
    pub closed: bool,
}

/// A post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostRow {
    /// Its number.
    pub id: u32,
    /// The number of its thread.
    pub thread: u32,
    /// Who wrote it, as the page names them.
    pub author: String,
    /// Whether that name is a link: those of guests and of deleted members are not.
    pub linked: bool,
    /// When.
    pub time: Stamp,
    /// Path, query and fragment of its place.
    pub url: String,
    /// What its author wrote: paragraphs, code and list items by line, without quotes, signature,
    /// edit note and the texts of pictures.
    pub content: String,
    /// The quotes in it, as they are shown.
    pub quotes: Vec<String>,
    /// The numbers of the posts that it answers: those that it quotes, and the one it hangs below.
    pub reply_to: Vec<u32>,
    /// Its number in the thread, from 1.
    pub position: u32,
    /// How deep it hangs in the tree of replies; 0 where posts are a row.
    pub depth: u32,
    /// What stands below what its author writes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

/// What happens to a post within the day after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Later {
    /// What happens.
    pub what: What,
    /// When, in seconds of the Unix clock.
    pub at: i64,
    /// The number of the post.
    pub post: u32,
    /// The number of its thread.
    pub thread: u32,
    /// What it says from then on; nothing if it is gone.
    pub content: String,
}

/// What can happen to a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// Its author writes something else.
    Edit,
    /// It is taken away.
    Delete,
    /// It is written.
    Reply,
}
