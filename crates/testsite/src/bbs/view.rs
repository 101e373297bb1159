//! What a page of the list or of a thread shows, for markup and for scripts alike.

use jiff::Timestamp;
use serde::Serialize;

use super::model::{Head, Member, Model, POSTS, Post, ROWS, Thread};
use super::pager::{Step, steps};
use super::words::Words;

/// A page of the list.
#[derive(Serialize)]
pub(super) struct ListView {
    pub marker: String,
    pub rows: Vec<Row>,
    pub pager: Vec<Step>,
}

/// A thread in the list.
#[derive(Serialize)]
pub(super) struct Row {
    pub thread: Link,
    pub author: Link,
    pub begun: String,
    pub replies: usize,
    pub views: usize,
    pub last: Link,
    pub last_time: String,
}

/// A name that leads somewhere.
#[derive(Serialize)]
pub(super) struct Link {
    pub id: u32,
    pub text: String,
    pub url: String,
    /// A script goes there; the element has no address.
    pub script: bool,
}

/// A page of a thread.
#[derive(Serialize)]
pub(super) struct ThreadView {
    pub posts: Vec<PostView>,
    pub pager: Vec<Step>,
}

/// A post.
#[derive(Serialize)]
pub(super) struct PostView {
    pub id: u32,
    pub marker: String,
    pub floor: String,
    pub author: Link,
    pub group: &'static str,
    pub group_number: usize,
    pub count: String,
    pub joined: String,
    pub posted: String,
    pub quote: Option<Quote>,
    pub text: String,
    pub likes: usize,
    pub signature: String,
}

/// The beginning of an earlier post.
#[derive(Serialize)]
pub(super) struct Quote {
    pub head: String,
    pub text: String,
}

/// Page `page` of the list, counted from 1. A page beyond the last one is empty.
pub(super) fn list(model: &Model, words: &Words, page: usize) -> ListView {
    let begin = (page - 1) * ROWS;
    let heads = model.heads.iter().skip(begin).take(ROWS);
    let rows: Vec<Row> = heads.map(|head| row(model, *head)).collect();
    ListView {
        marker: list_marker(model, words, page),
        rows,
        pager: steps(page, model.list_pages(), words),
    }
}

/// Text that only this page of the list shows.
pub(super) fn list_marker(model: &Model, words: &Words, page: usize) -> String {
    let total = model.heads.len();
    let begin = (page - 1) * ROWS;
    format!("{} {}–{} {} {total}", words.threads, begin + 1, (begin + ROWS).min(total), words.of)
}

fn row(model: &Model, head: Head) -> Row {
    let by = |index| {
        let author = model.members.get(model.author(head, index));
        author.map(member_link).unwrap_or_else(no_link)
    };
    let last = head.posts.saturating_sub(1);
    Row {
        thread: thread_link(model, head),
        author: by(0),
        begun: shown(head.begun),
        replies: last,
        views: head.views,
        last: by(last),
        last_time: shown(head.time(last)),
    }
}

/// Page `page` of a thread, counted from 1.
pub(super) fn thread(model: &Model, words: &Words, thread: &Thread, page: usize) -> ThreadView {
    let begin = (page - 1) * POSTS;
    let posts = thread.posts.iter().enumerate().skip(begin).take(POSTS);
    ThreadView {
        posts: posts.filter_map(|(index, of)| post(model, words, thread, index, of)).collect(),
        pager: steps(page, thread.head.pages(), words),
    }
}

fn post(
    model: &Model,
    words: &Words,
    thread: &Thread,
    index: usize,
    post: &Post,
) -> Option<PostView> {
    let author = model.members.get(post.author)?;
    let quoted = post.quotes.and_then(|earlier| thread.posts.get(earlier));
    Some(PostView {
        id: post.id,
        marker: post_marker(words, post),
        floor: format!("{} {}", index + 1, words.floor),
        author: member_link(author),
        group: words.groups.get(author.group).copied().unwrap_or_default(),
        group_number: author.group,
        count: format!("{}: {}", words.posts, author.posts),
        joined: format!("{}: {}", words.joined, author.joined),
        posted: format!("{} {}", words.posted, shown(post.time)),
        quote: quoted.and_then(|quoted| {
            Some(Quote {
                head: format!("{} {}", model.members.get(quoted.author)?.nick, words.wrote),
                // A part of it, so that whole posts stay on their own page.
                text: quoted.text.chars().take(24).chain(['…']).collect(),
            })
        }),
        text: post.text.clone(),
        likes: post.likes,
        signature: author.signature.clone(),
    })
}

/// Text that only this post shows.
pub(super) fn post_marker(words: &Words, post: &Post) -> String {
    format!("{} {}", words.post, post.id)
}

pub(super) fn thread_link(model: &Model, head: Head) -> Link {
    Link { id: head.id, text: model.title(head), url: head.url(), script: head.opened_by_script() }
}

fn member_link(member: &Member) -> Link {
    Link { id: member.id, text: member.nick.clone(), url: member.url(), script: false }
}

fn no_link() -> Link {
    Link { id: 0, text: String::new(), url: String::new(), script: false }
}

fn shown(time: Timestamp) -> String {
    time.strftime("%Y-%-m-%-d %H:%M").to_string()
}
