//! The forum at one time: what its lists and threads hold, in the order in which they show it.

use jiff::Timestamp;

use super::model::{Board, Model, PER_LIST, PER_THREAD, Thread};
use super::people::User;
use super::post::Post;
use super::skin::{Rest, Skin};
use crate::Random;
use crate::html::Text;

pub(super) struct At<'a> {
    pub model: &'a Model,
    pub skin: &'a dyn Skin,
    pub now: Timestamp,
    /// The source of what differs with each request.
    pub random: Random,
}

/// A thread in a list.
pub(super) struct Row<'a> {
    pub thread: &'a Thread,
    pub first: &'a Post,
    pub last: &'a Post,
    pub starter: &'a User,
    pub closer: &'a User,
    pub replies: usize,
    pub path: String,
}

/// What a page of a list shows.
pub(super) struct Rows<'a> {
    pub sticky: Vec<Row<'a>>,
    pub usual: Vec<Row<'a>>,
    /// Threads that were moved to another board.
    pub stubs: Vec<Row<'a>>,
}

/// A post on a page.
pub(super) struct Entry<'a> {
    pub post: &'a Post,
    pub author: &'a User,
    /// In the thread, from 1.
    pub position: usize,
    pub depth: usize,
    /// Path, query and fragment.
    pub path: String,
}

/// What an address leads to.
pub(super) enum Place<'a> {
    Index,
    List(&'a Board, usize),
    Thread(&'a Thread, usize),
    User(&'a User),
    Login,
}

impl<'a> At<'a> {
    /// All pages that are linked, with their addresses.
    pub(super) fn places(&self) -> Vec<(String, Place<'a>)> {
        let (model, skin) = (self.model, self.skin);
        let mut places = vec![("/".to_owned(), Place::Index)];
        for board in &model.boards {
            let last = if skin.list_rest() == Rest::Pages { self.list_pages(board) } else { 1 };
            places.extend((1..=last).map(|n| (skin.board(board, n), Place::List(board, n))));
        }
        for thread in model.threads.iter().filter(|t| !t.posts_at(self.now).is_empty()) {
            let last =
                if skin.thread_rest() == Rest::Pages { self.thread_pages(thread) } else { 1 };
            let paths = (1..=last).map(|n| (self.thread_path(thread, n), Place::Thread(thread, n)));
            places.extend(paths);
        }
        let members = model.users.iter().filter(|user| user.has_page());
        places.extend(members.map(|user| (skin.user(user), Place::User(user))));
        places.push((skin.login().to_owned(), Place::Login));
        places
    }

    /// What is at an address: path and query.
    pub(super) fn place(&self, url: &str) -> Option<Place<'a>> {
        let mut places = self.places().into_iter();
        places.find(|(known, _)| known == url).map(|(_, place)| place)
    }

    pub(super) fn board(&self, thread: &Thread) -> &'a Board {
        &self.model.boards[thread.board]
    }

    pub(super) fn thread_path(&self, thread: &Thread, page: usize) -> String {
        self.skin.thread(self.board(thread), thread, page)
    }

    fn row(&self, thread: &'a Thread) -> Option<Row<'a>> {
        let posts = thread.posts_at(self.now);
        let (first, last) = (*posts.first()?, *posts.last()?);
        Some(Row {
            thread,
            first,
            last,
            starter: &self.model.users[first.author],
            closer: &self.model.users[last.author],
            replies: posts.len() - 1,
            path: self.thread_path(thread, 1),
        })
    }

    /// All threads of a board, those on top first, then the one with the newest post.
    pub(super) fn rows(&self, board: &Board) -> Vec<Row<'a>> {
        let in_board = |thread: &&Thread| self.board(thread).id == board.id;
        let threads = self.model.threads.iter().filter(in_board);
        let mut rows: Vec<_> = threads.filter_map(|thread| self.row(thread)).collect();
        rows.sort_by_key(|row| std::cmp::Reverse((row.thread.sticky, row.last.time)));
        rows
    }

    pub(super) fn list_pages(&self, board: &Board) -> usize {
        let usual = self.rows(board).iter().filter(|row| !row.thread.sticky).count();
        usual.div_ceil(PER_LIST).max(1)
    }

    /// What a page of a list shows, from 1.
    pub(super) fn list(&self, board: &Board, page: usize) -> Rows<'a> {
        let rows = self.rows(board);
        let (sticky, usual): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.thread.sticky);
        let skipped = page.saturating_sub(1) * PER_LIST;
        let usual = usual.into_iter().skip(skipped).take(PER_LIST).collect();
        if page > 1 {
            return Rows { sticky: Vec::new(), usual, stubs: Vec::new() };
        }
        let place = self.model.boards.iter().position(|known| known.id == board.id);
        let moved = |thread: &&Thread| thread.moved_from == place && thread.moved_from.is_some();
        let stubs = self.model.threads.iter().filter(moved);
        Rows { sticky, usual, stubs: stubs.filter_map(|thread| self.row(thread)).collect() }
    }

    /// What a page of a list says about itself.
    pub(super) fn range(&self, board: &Board, page: usize) -> String {
        let usual = self.rows(board).iter().filter(|row| !row.thread.sticky).count();
        let end = (page * PER_LIST).min(usual);
        let start = match self.skin.list_rest() {
            Rest::Pages => (page.saturating_sub(1) * PER_LIST + 1).min(usual),
            _ => 1.min(usual),
        };
        self.skin.tongue().range(start, end, usual, &board.name)
    }

    /// All posts of a thread, in the order in which it shows them.
    pub(super) fn entries(&self, thread: &'a Thread) -> Vec<Entry<'a>> {
        let there = |place: usize| thread.posts.get(place).is_some_and(|p| p.is_there(self.now));
        let mut order: Vec<(usize, usize)> = Vec::new();
        if self.skin.nests() {
            // The first post is above the tree; what hangs below something gone hangs below that.
            let parent = |place: usize| {
                let mut parent = thread.posts.get(place).and_then(|post| post.parent);
                while let Some(above) = parent.filter(|above| !there(*above)) {
                    parent = thread.posts.get(above).and_then(|post| post.parent);
                }
                parent
            };
            let mut stack = vec![(0, 0)];
            while let Some((place, depth)) = stack.pop() {
                order.push((place, depth));
                let children = (0..thread.posts.len()).rev();
                let children =
                    children.filter(|child| there(*child) && parent(*child) == Some(place));
                stack.extend(children.map(|child| (child, depth + 1)));
            }
        } else {
            order.extend((0..thread.posts.len()).filter(|place| there(*place)).map(|p| (p, 0)));
        }
        let entry = |(index, (place, depth)): (usize, (usize, usize))| {
            let post = &thread.posts[place];
            let page = match self.skin.thread_rest() {
                Rest::Pages => index / PER_THREAD + 1,
                _ => 1,
            };
            let path = self.thread_path(thread, page);
            Entry {
                post,
                author: &self.model.users[post.author],
                position: index + 1,
                depth,
                path: format!("{path}#{}", self.skin.anchor(post.id)),
            }
        };
        order.into_iter().enumerate().map(entry).collect()
    }

    pub(super) fn thread_pages(&self, thread: &Thread) -> usize {
        match self.skin.thread_rest() {
            Rest::Whole => 1,
            _ => thread.posts_at(self.now).len().div_ceil(PER_THREAD).max(1),
        }
    }

    /// The posts on a page of a thread, from 1.
    pub(super) fn posts(&self, thread: &'a Thread, page: usize) -> Vec<Entry<'a>> {
        let all = self.entries(thread).into_iter();
        match self.skin.thread_rest() {
            Rest::Whole => all.collect(),
            _ => all.skip(page.saturating_sub(1) * PER_THREAD).take(PER_THREAD).collect(),
        }
    }

    /// The threads that somebody has begun.
    pub(super) fn begun(&self, user: &User) -> Vec<Row<'a>> {
        let mut rows: Vec<_> =
            self.model.threads.iter().filter_map(|thread| self.row(thread)).collect();
        rows.retain(|row| row.starter.id == user.id);
        rows.truncate(5);
        rows
    }

    /// The boards inside a board.
    pub(super) fn inside(&self, board: &Board) -> impl Iterator<Item = &'a Board> {
        let boards = &self.model.boards;
        let place = boards.iter().position(|known| known.id == board.id);
        boards.iter().filter(move |inner| inner.parent.is_some() && inner.parent == place)
    }

    /// The threads and posts of a board, and its newest post.
    pub(super) fn counts(&self, board: &Board) -> (usize, usize, Option<Row<'a>>) {
        let mut rows = self.rows(board);
        let posts = rows.iter().map(|row| row.replies + 1).sum();
        rows.sort_by_key(|row| row.last.time);
        (rows.len(), posts, rows.pop())
    }

    /// A name, as a link if there is a page about it.
    pub(super) fn named(&self, user: &User, attributes: &str) -> String {
        let name = Text(&user.name);
        match user.has_page() {
            true => format!(r#"<a href="{}"{attributes}>{name}</a>"#, self.skin.user(user)),
            false => format!("<span{attributes}>{name}</span>"),
        }
    }

    /// An advert: its text and where it leads.
    pub(super) fn advert(&self) -> (String, String) {
        let mut random = self.random.clone();
        let address = format!("https://adverts.example/{}", random.hex(8));
        (self.skin.tongue().writer(random).write("advert"), address)
    }

    /// Numbers of pages with their addresses; the present one has none.
    pub(super) fn pager(
        &self,
        page: usize,
        last: usize,
        path: impl Fn(usize) -> String,
    ) -> Vec<(usize, Option<String>)> {
        if last < 2 {
            return Vec::new();
        }
        (1..=last).map(|number| (number, (number != page).then(|| path(number)))).collect()
    }
}
