//! What a perfect crawl of the forum finds, and the tables that it makes of it.

use jiff::{SignedDuration, Timestamp};

use super::Forum;
use super::at::{At, Entry, Place, Row};
use super::model::Thread;
use super::skin::Rest;
use crate::tables::{Later, PostRow, Sheet, SheetKind, Stamp, Tables, ThreadRow, What};
use crate::{Reach, State, Truth};

/// The kinds of changes that controls of the forum stand for.
pub(super) const CHANGES: [&str; 5] = ["like", "report", "reply", "vote", "login"];

impl Forum {
    /// The tables of the forum at a time, so that the later versions of its pages can be measured,
    /// too. Those of the time of its options are in its [`Truth`].
    pub fn tables(&self, now: Timestamp) -> Tables {
        let at = self.at(now);
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let mut tables = Tables {
            template: self.template.name().to_owned(),
            captured: now.as_second(),
            list_fields: texts(at.skin.list_fields()),
            post_fields: texts(at.skin.post_fields()),
            pages: Vec::new(),
            threads: Vec::new(),
            posts: Vec::new(),
            later: later(&at),
        };
        for (url, place) in at.places() {
            tables.pages.push(sheet(&at, url, &place));
        }
        for board in &self.model.boards {
            let rows = at.rows(board);
            tables.threads.extend(rows.iter().map(|row| thread_row(&at, row)));
            for row in &rows {
                let entries = at.entries(row.thread);
                tables.posts.extend(entries.iter().map(|entry| post_row(&at, row.thread, entry)));
            }
        }
        tables
    }

    pub(super) fn known_truth(&self) -> Truth {
        let at = self.at(self.model.born);
        let mut states = Vec::new();
        for (url, place) in at.places() {
            states.extend(states_of(&at, &url, &place));
        }
        Truth {
            changes: CHANGES.map(str::to_owned).to_vec(),
            tables: Some(self.tables(self.model.born)),
            ..Truth::new("forum", states)
        }
    }
}

fn stamp(time: Timestamp, shown: Stamp) -> Stamp {
    Stamp { unix: time.as_second(), ..shown }
}

fn thread_row(at: &At<'_>, row: &Row<'_>) -> ThreadRow {
    let fields = at.skin.list_fields();
    let shown = |field: &str, time: Timestamp| {
        let listed = fields.contains(&field);
        let shown = if listed { at.skin.listed(time, at.now) } else { at.skin.when(time, at.now) };
        stamp(time, shown)
    };
    ThreadRow {
        id: row.thread.id,
        title: row.thread.title.clone(),
        url: row.path.clone(),
        author: row.starter.name.clone(),
        time: shown("time", row.first.time),
        last_author: row.closer.name.clone(),
        last_time: shown("last_time", row.last.time),
        replies: row.replies as u32,
        board: at.board(row.thread).name.clone(),
        sticky: row.thread.sticky,
        closed: row.thread.closed,
    }
}

fn post_row(at: &At<'_>, thread: &Thread, entry: &Entry<'_>) -> PostRow {
    let post = entry.post;
    let mut answered: Vec<usize> = post.quotes(at.now).map(|quote| quote.of).collect();
    answered.extend(post.parent.filter(|_| at.skin.nests()));
    answered.sort_unstable();
    answered.dedup();
    let signed = at.skin.post_fields().contains(&"signature");
    let signature = entry.author.signature.as_ref().filter(|_| signed);
    let there = answered.iter().filter_map(|place| thread.posts.get(*place));
    PostRow {
        id: post.id,
        thread: thread.id,
        author: entry.author.name.clone(),
        linked: entry.author.has_page(),
        time: stamp(post.time, at.skin.when(post.time, at.now)),
        url: entry.path.clone(),
        content: post.content(at.now),
        quotes: post.quotes(at.now).map(super::post::Quote::text).collect(),
        reply_to: there.filter(|post| post.is_there(at.now)).map(|post| post.id).collect(),
        position: entry.position as u32,
        depth: entry.depth as u32,
        signature: signature.cloned().unwrap_or_default(),
    }
}

fn sheet(at: &At<'_>, url: String, place: &Place<'_>) -> Sheet {
    let mut sheet = Sheet {
        url,
        kind: place.kind(),
        board: String::new(),
        thread: None,
        records: Vec::new(),
        stubs: Vec::new(),
    };
    match place {
        Place::List(board, page) => {
            let last =
                if at.skin.list_rest() == Rest::Pages { *page } else { at.list_pages(board) };
            for page in *page..=last {
                let rows = at.list(board, page);
                let shown = rows.sticky.iter().chain(&rows.usual);
                sheet.records.extend(shown.map(|row| row.thread.id));
                sheet.stubs.extend(rows.stubs.iter().map(|row| row.thread.title.clone()));
            }
            sheet.board.clone_from(&board.name);
        }
        Place::Thread(thread, page) => {
            let entries = match at.skin.thread_rest() {
                Rest::Pages => at.posts(thread, *page),
                _ => at.entries(thread),
            };
            sheet.records.extend(entries.iter().map(|entry| entry.post.id));
            sheet.board.clone_from(&at.board(thread).name);
            sheet.thread = Some(thread.id);
        }
        _ => {}
    }
    sheet
}

/// The state of a place, and those that it grows into.
fn states_of(at: &At<'_>, url: &str, place: &Place<'_>) -> Vec<State> {
    let tongue = at.skin.tongue();
    let kind = place.kind().name();
    let (pages, rest, first) = match place {
        Place::List(board, page) => (at.list_pages(board), at.skin.list_rest(), *page),
        Place::Thread(thread, page) => (at.thread_pages(thread), at.skin.thread_rest(), *page),
        _ => (1, Rest::Whole, 1),
    };
    let (event, on) = match rest {
        Rest::Pages | Rest::Whole => ("", ""),
        Rest::Scrolls(on) => ("scroll", on),
        Rest::Clicks(on) => ("click", on),
    };
    let last = if event.is_empty() { first } else { pages };
    let mut states: Vec<State> = Vec::new();
    for page in first..=last {
        let (marker, mut shows) = match place {
            Place::Index => (tongue.welcome().to_owned(), Vec::new()),
            Place::List(board, _) => {
                let rows = at.list(board, page);
                let shown = rows.sticky.iter().chain(&rows.usual);
                (at.range(board, page), shown.map(|row| row.thread.title.clone()).collect())
            }
            Place::Thread(thread, _) => {
                let posts = at.posts(thread, page);
                let texts: Vec<String> =
                    posts.iter().map(|entry| entry.post.opening(at.now).to_owned()).collect();
                (texts.first().cloned().unwrap_or_default(), texts)
            }
            Place::User(user) => (tongue.about(user), Vec::new()),
            Place::Login => (tongue.login().1.to_owned(), Vec::new()),
        };
        let mut state = State::at(kind, url, marker);
        if let Some(before) = states.last() {
            // What was loaded before stays.
            shows.splice(0..0, before.shows.iter().cloned());
            state.id = format!("{url} {page}");
            state.reach = Reach::Event {
                from: before.id.clone(),
                event: event.to_owned(),
                on: on.to_owned(),
            };
        }
        state.shows = shows;
        state.wanted = !matches!(place, Place::User(_) | Place::Login);
        states.push(state);
    }
    states
}

impl Place<'_> {
    fn kind(&self) -> SheetKind {
        match self {
            Place::Index => SheetKind::Index,
            Place::List(..) => SheetKind::List,
            Place::Thread(..) => SheetKind::Thread,
            Place::User(_) => SheetKind::User,
            Place::Login => SheetKind::Other,
        }
    }
}

/// What happens within a day of the time in hand.
fn later(at: &At<'_>) -> Vec<Later> {
    let end = at.now + SignedDuration::from_hours(24);
    let soon = |time: Timestamp| time > at.now && time <= end;
    let mut later = Vec::new();
    for thread in &at.model.threads {
        for post in &thread.posts {
            let mut push = |what, time: Timestamp| {
                let content = if what == What::Delete { String::new() } else { post.content(time) };
                let at = time.as_second();
                later.push(Later { what, at, post: post.id, thread: thread.id, content });
            };
            if soon(post.time) {
                push(What::Reply, post.time);
            }
            for revision in post.revisions.iter().skip(1).filter(|revision| soon(revision.at)) {
                push(What::Edit, revision.at);
            }
            if let Some(time) = post.removed.filter(|time| soon(*time)) {
                push(What::Delete, time);
            }
        }
    }
    later.sort_by_key(|later| later.at);
    later
}
