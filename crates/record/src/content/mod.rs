//! What the author of a post wrote, without what others did.
//!
//! The content of a post on its page holds more than that: quotes of earlier posts, the author's
//! signature, notes such as "last edited by", the subject once more, and controls. None is told by
//! its class or its words, which every forum has of its own; each repeats in a way of its own instead:
//!
//! | what | how it is told |
//! |---|---|
//! | quote | its words are those of an earlier post of the thread |
//! | signature | the end of a post that is the same in other posts of its author |
//! | edit note | a line with a date, and with the same words around it in other posts |
//! | subject | a first line that is the title of the thread |
//! | controls | the same text in many posts of many authors |
//!
//! Where these were found tells where they are in posts that prove nothing by themselves: a place
//! under which most elements proved to be quotes holds a quote, too, where the quoted post is unknown.

mod cleaner;
mod control;
mod earlier;
mod header;
mod note;
mod place;
mod quote;
mod reply;
mod sheet;
mod signature;
mod subject;
#[cfg(test)]
mod tests;
mod thread;
mod token;
mod write;

pub use cleaner::Cleaner;

use url::Url;

use page::tree::{Dom, NodeId};

/// A post of a thread, as its page shows it.
#[derive(Clone, Debug)]
pub struct Post<'a> {
    /// Its page.
    pub dom: &'a Dom,
    /// The nodes that hold its content.
    pub content: Vec<NodeId>,
    /// Nodes below these that are no part of it: records nested in it.
    pub without: Vec<NodeId>,
    /// Who wrote it.
    pub author: Option<&'a str>,
    /// What names it within its site.
    pub id: Option<&'a str>,
    /// Its own address.
    pub permalink: Option<&'a Url>,
    /// The title of its thread.
    pub title: Option<&'a str>,
    /// What relative addresses are relative to.
    pub base: Option<&'a Url>,
    /// Its level in a tree of replies; 0 where there is no tree.
    pub depth: u16,
}

impl<'a> Post<'a> {
    /// A post of which nothing is known but where its content is.
    pub fn new(dom: &'a Dom, content: Vec<NodeId>) -> Self {
        Post {
            dom,
            content,
            without: Vec::new(),
            author: None,
            id: None,
            permalink: None,
            title: None,
            base: None,
            depth: 0,
        }
    }
}

/// What the author of a post wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// As text: paragraphs, lines of code and items of lists are lines.
    pub text: String,
    /// As HTML that is safe to show.
    pub html: String,
    /// What it links to.
    pub links: Vec<Url>,
    /// The earlier posts of the thread that it quotes or answers, by their place in the thread.
    pub quoted: Vec<usize>,
    /// The quotes that it showed.
    pub quotes: Vec<String>,
}
