//! What kinds of records there are, and which fields they have.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A row of a list of threads.
    Thread,
    /// A post of a thread.
    Post,
    /// Anything else that is repeated: a product, a search result, the row of a table.
    Item,
}

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Thread => "thread",
            Kind::Post => "post",
            Kind::Item => "item",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Which tree of a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// What a browser made of it.
    Rendered,
    /// What the server sent.
    Raw,
}

/// A part of a record that we know the meaning of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// What a thread or an item is called.
    Title,
    /// Who wrote it: of a thread, its first post.
    Author,
    /// When it was written: of a thread, its first post.
    Time,
    /// What was written.
    Content,
    /// How many posts follow the first.
    Replies,
    /// Who wrote the last post.
    LastAuthor,
    /// When that was.
    LastTime,
    /// The address of the record itself.
    Permalink,
    /// Its number in the thread, as shown.
    Position,
    /// The board that a thread is in.
    Board,
}
