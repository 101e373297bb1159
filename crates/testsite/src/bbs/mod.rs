//! A forum: the first experiment of seed 000 (§4). The list of threads and the threads themselves
//! are paged by scripts under one URL, and most of the many links lead to pages that nobody comes
//! for. Some threads have an address in the list, some are opened by a script only.

mod chaff;
mod chrome;
mod markup;
mod model;
mod pager;
mod view;
mod words;

use std::sync::Arc;

use axum::extract::{self, Path, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use serde::Deserialize;
use serde_json::to_value;

use self::chaff::Chaff;
use self::chrome::Leaf;
use self::markup::{Markup, page_url};
use self::model::{BOARD, Head, Model, Thread};
use crate::html::{self, Text};
use crate::{Options, Paging, Reach, Site, State, Truth, Visit, vendor};

/// The forum. [`Options::size`] counts the pages of the list and of all threads together (200
/// unless told otherwise), [`Options::chaff`] the pages of low value beside them.
pub struct Bbs {
    model: Model,
    markup: Markup,
}

type Forum = extract::State<Arc<Bbs>>;

#[derive(Deserialize)]
struct Turn {
    page: Option<usize>,
}

#[derive(Deserialize)]
struct Target {
    #[serde(default)]
    id: String,
}

impl Bbs {
    /// Generates the forum.
    pub fn generate(options: &Options) -> Self {
        let words = words::words(options.lang);
        Bbs {
            model: Model::generate(options, chaff::fixed(words).len()),
            markup: Markup { build: options.build, paging: options.paging, words },
        }
    }

    /// The states of something with `last` pages at `url`.
    fn paged(
        &self,
        kind: &str,
        url: &str,
        id: &str,
        last: usize,
        fill: impl Fn(usize, &mut State),
    ) -> Vec<State> {
        let id_of = |page: usize| format!("{id}-{page}");
        let mut ways = pager::ways(last, self.markup.words, id_of).into_iter();
        (1..=last)
            .map(|page| {
                let mut state = State::at(kind, url, "");
                state.id = id_of(page);
                fill(page, &mut state);
                match self.markup.paging {
                    Paging::Links | Paging::Plain => state.url = page_url(url, page),
                    Paging::Script if page > 1 => {
                        state.reach = ways.next().unwrap_or(Reach::Url);
                    }
                    Paging::Script => {}
                }
                state
            })
            .collect()
    }

    fn list_states(&self) -> Vec<State> {
        let (model, words) = (&self.model, self.markup.words);
        self.paged("list", BOARD, "list", model.list_pages(), |page, state| {
            let view = view::list(model, words, page);
            state.marker = view.marker;
            state.shows = view.rows.into_iter().map(|row| row.thread.text).collect();
        })
    }

    fn thread_states(&self, head: &Head) -> Vec<State> {
        let (model, words) = (&self.model, self.markup.words);
        let Some(thread) = model.thread(head.id) else {
            return Vec::new();
        };
        let id = format!("thread-{}", head.id);
        self.paged("thread", &head.url(), &id, head.pages(), |page, state| {
            let view = view::thread(model, words, &thread, page);
            if let Some(first) = view.posts.first() {
                state.marker.clone_from(&first.marker);
            }
            state.shows = view.posts.into_iter().map(|post| post.text).collect();
        })
    }

    /// The page that is asked for, if pages have addresses; the first one otherwise.
    fn addressed(&self, turn: &Turn, last: usize) -> Option<usize> {
        match self.markup.paging {
            Paging::Script => Some(1),
            Paging::Links | Paging::Plain => existing(turn, last),
        }
    }

    fn list_page(&self, visit: &Visit, page: usize) -> Response {
        let words = self.markup.words;
        let view = view::list(&self.model, words, page);
        let drawn = self.markup.drawn_by_script();
        let region = if drawn { String::new() } else { self.markup.list(&view) };
        let main = format!(
            concat!(
                r#"<div class="about"><h1>{}</h1><p>{}</p><a class="new" {}>{}</a></div>"#,
                r#"<div id="region">{}</div>"#
            ),
            words.board,
            words.about,
            self.markup.act("write", "thread"),
            words.new_thread,
            region
        );
        let leaf = Leaf {
            title: &format!("{} - {}", words.board, words.site),
            trail: words.threads,
            main: &main,
            source: self.source("/ajax/list", None),
            drawn: drawn.then(|| to_value(&view).unwrap_or_default()),
        };
        chrome::page(&self.model, self.markup, visit, &leaf)
    }

    fn thread_page(&self, visit: &Visit, thread: &Thread, page: usize) -> Response {
        let (model, markup, words) = (&self.model, self.markup, self.markup.words);
        let head = thread.head;
        let view = view::thread(model, words, thread, page);
        let drawn = markup.drawn_by_script();
        let region = if drawn { String::new() } else { markup.thread(&view, &head.url()) };
        let print = model
            .head(head.id)
            .and_then(|(index, _)| Chaff::Print(index).link(model, words))
            .map(|(url, label)| format!(r#"<a href="{url}">{label}</a>"#))
            .unwrap_or_default();
        let related: String = chaff::related(model, head)
            .iter()
            .map(|link| format!("<li>{}</li>", markup.link(link, "xst")))
            .collect();
        let smilies: String = [":)", ":D", ":(", ";)", ":o", ":p", "8)", ":/"]
            .iter()
            .map(|code| {
                format!(
                    r#"<a {}><img src="/static/smiley.svg" alt="{code}" width="18"></a>"#,
                    markup.act("smile", code)
                )
            })
            .collect();
        let main = format!(
            concat!(
                r#"<div class="about"><h1>{title}</h1><p class="tools">{print} "#,
                r#"<a {report}>{report_label}</a></p></div><div id="region">{region}</div>"#,
                r#"<div class="box"><h3>{related_label}</h3><ul>{related}</ul></div>"#,
                r#"<form class="quick" method="post" action="/reply"><h3>{reply}</h3>"#,
                r#"<input type="hidden" name="formhash" value="{hash}"><input type="hidden" name="id" value="{id}">"#,
                r#"<p>{smilies}</p><textarea name="text" rows="4" cols="70"></textarea><button>{reply}</button></form>"#
            ),
            title = Text(&thread.title),
            print = print,
            report = markup.act("report", head.id),
            report_label = words.report,
            region = region,
            related_label = words.related,
            related = related,
            reply = words.reply,
            hash = visit.random().hex(8),
            id = head.id,
            smilies = smilies,
        );
        let leaf = Leaf {
            title: &format!("{} - {} - {}", thread.title, words.board, words.site),
            trail: &thread.title,
            main: &main,
            source: self.source("/ajax/thread", Some(head.id)),
            drawn: drawn.then(|| to_value(&view).unwrap_or_default()),
        };
        chrome::page(model, markup, visit, &leaf)
    }

    /// From where scripts load further pages, up to the number of the page.
    fn source(&self, path: &str, id: Option<u32>) -> Option<String> {
        if self.markup.paging != Paging::Script {
            return None;
        }
        let json = if self.markup.drawn_by_script() { ".json" } else { "" };
        let id = id.map(|id| format!("/{id}")).unwrap_or_default();
        Some(format!("{path}{json}{id}?page="))
    }

    fn chaff_page(&self, visit: &Visit, page: Chaff) -> Response {
        let (model, words) = (&self.model, self.markup.words);
        let parts = (page.heading(model, words), page.main(model, self.markup));
        let (Some(heading), Some(main)) = parts else {
            return self.missing(visit);
        };
        let leaf =
            Leaf { title: &heading, trail: words.help, main: &main, source: None, drawn: None };
        chrome::page(model, self.markup, visit, &leaf)
    }

    fn missing(&self, visit: &Visit) -> Response {
        let words = self.markup.words;
        let main = format!(r#"<div class="chaff"><h1>404</h1><p>{}</p></div>"#, words.missing);
        let leaf = Leaf { title: "404", trail: "404", main: &main, source: None, drawn: None };
        let page = chrome::page(&self.model, self.markup, visit, &leaf);
        (StatusCode::NOT_FOUND, page).into_response()
    }
}

impl Site for Bbs {
    fn truth(&self) -> Truth {
        let (model, words) = (&self.model, self.markup.words);
        let mut states = self.list_states();
        states.extend(model.heads.iter().flat_map(|head| self.thread_states(head)));
        states.extend(chaff::all(model, words).into_iter().filter_map(|page| {
            let (url, _) = page.link(model, words)?;
            Some(State::at(page.kind(), url, page.heading(model, words)?).unwanted())
        }));
        let mut truth = Truth::new("bbs", states);
        truth.entry = self.entry();
        truth.off_limits = vec![chaff::FORBIDDEN.to_owned()];
        truth.changes = ["like", "login", "register", "reply"].map(str::to_owned).into();
        truth
    }

    fn entry(&self) -> String {
        BOARD.to_owned()
    }

    fn robots(&self) -> String {
        format!("User-agent: *\nDisallow: {}\n", chaff::FORBIDDEN)
    }

    fn router(self: Arc<Self>) -> Router {
        let change = |kind: &'static str| {
            post(async move |visit: Visit, Form(target): Form<Target>| {
                visit.change(kind, target.id);
                "1"
            })
        };
        let mut router = Router::new()
            .route(BOARD, get(board))
            .route("/thread/{id}", get(thread))
            .route("/ajax/list", get(list_markup))
            .route("/ajax/list.json", get(list_json))
            .route("/ajax/thread/{id}", get(thread_markup))
            .route("/ajax/thread.json/{id}", get(thread_json))
            .route("/ajax/like", change("like"))
            .route("/reply", change("reply"))
            .route(chaff::FORBIDDEN, get(async || html::page("Admin CP".to_owned())))
            .merge(files())
            .fallback(async |visit: Visit, forum: Forum| forum.missing(&visit));
        for page in chaff::all(&self.model, self.markup.words) {
            let Some((url, _)) = page.link(&self.model, self.markup.words) else {
                continue;
            };
            let shown = get(async move |visit: Visit, forum: Forum| forum.chaff_page(&visit, page));
            router = router.route(
                &url,
                match page {
                    Chaff::Login => shown.merge(change("login")),
                    Chaff::Register => shown.merge(change("register")),
                    _ => shown,
                },
            );
        }
        router.with_state(self).merge(vendor::router())
    }
}

async fn board(visit: Visit, forum: Forum, Query(turn): Query<Turn>) -> Response {
    match forum.addressed(&turn, forum.model.list_pages()) {
        Some(page) => forum.list_page(&visit, page),
        None => forum.missing(&visit),
    }
}

async fn thread(
    visit: Visit,
    forum: Forum,
    Path(id): Path<u32>,
    Query(turn): Query<Turn>,
) -> Response {
    let found = forum.model.thread(id);
    let page =
        found.and_then(|thread| Some((forum.addressed(&turn, thread.head.pages())?, thread)));
    match page {
        Some((page, thread)) => forum.thread_page(&visit, &thread, page),
        None => forum.missing(&visit),
    }
}

async fn list_markup(forum: Forum, Query(turn): Query<Turn>) -> Response {
    match existing(&turn, forum.model.list_pages()) {
        Some(page) => {
            let view = view::list(&forum.model, forum.markup.words, page);
            html::page(forum.markup.list(&view))
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn list_json(forum: Forum, Query(turn): Query<Turn>) -> Response {
    match existing(&turn, forum.model.list_pages()) {
        Some(page) => Json(view::list(&forum.model, forum.markup.words, page)).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn thread_markup(forum: Forum, Path(id): Path<u32>, Query(turn): Query<Turn>) -> Response {
    match turned(&forum, id, &turn) {
        Some((thread, page)) => {
            let view = view::thread(&forum.model, forum.markup.words, &thread, page);
            html::page(forum.markup.thread(&view, &thread.head.url()))
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn thread_json(forum: Forum, Path(id): Path<u32>, Query(turn): Query<Turn>) -> Response {
    match turned(&forum, id, &turn) {
        Some((thread, page)) => {
            let view = view::thread(&forum.model, forum.markup.words, &thread, page);
            Json(view).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn turned(bbs: &Bbs, id: u32, turn: &Turn) -> Option<(Thread, usize)> {
    let (_, head) = bbs.model.head(id)?;
    let page = existing(turn, head.pages())?;
    Some((bbs.model.thread(id)?, page))
}

fn existing(turn: &Turn, last: usize) -> Option<usize> {
    let page = turn.page.unwrap_or(1);
    (1..=last).contains(&page).then_some(page)
}

fn files() -> Router<Arc<Bbs>> {
    macro_rules! script {
        ($name:literal) => {
            get(async || {
                html::file(
                    "text/javascript; charset=utf-8",
                    include_bytes!(concat!("../../assets/bbs/", $name)),
                )
            })
        };
    }
    Router::new()
        .route(
            "/static/bbs.css",
            get(async || html::file("text/css", include_bytes!("../../assets/bbs/style.css"))),
        )
        .route(
            "/static/smiley.svg",
            get(async || {
                html::file("image/svg+xml", include_bytes!("../../assets/bbs/smiley.svg"))
            }),
        )
        .route("/static/bbs.js", script!("forum.js"))
        .route("/static/bbs-inline.js", script!("inline.js"))
        .route("/static/bbs-closures.js", script!("closures.js"))
        .route("/static/bbs-jquery.js", script!("jquery.js"))
        .route("/static/bbs-react.js", script!("react.js"))
        .route("/static/bbs-vue.js", script!("vue.js"))
        .route("/static/bbs-lit.js", script!("lit.js"))
}
