//! `jobs`: a database behind a form (seed 002, example 9-1). No page lists all offers: they are reached by the
//! form alone.
//!
//! The form is the paper's (`kw`, `st`, `sort`, hidden `src`, submit `s`), with a category, a range of salaries,
//! two inputs that change nothing but the looks (`sort`, `view`), a page size, and one that is useless
//! without another (`shift` without `contract`). Beside it stand forms that sign in, send a message, subscribe,
//! save an offer, delete one, export all and vote; each writes into the log of changes.

mod page;
mod query;
mod words;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Form, Path, Query, State as Shared};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};

use crate::options::named;
use crate::{Options, Random, Site, State, Truth, Visit, html};

named! {
    /// How the database of `jobs` is asked.
    #[derive(Default)]
    Search, "search", {
        /// By GET, page after page by links.
        #[default]
        Links = "links",
        /// By GET, the first twenty and no more.
        Capped = "capped",
        /// By POST, with a token that is good once; page after page by a button.
        Post = "post",
    }
}

/// Offers, if nothing else is chosen.
const DESCRIBED: u32 = 400;
const MOST: u32 = 50_000;

/// The site `jobs`. [`Options::size`] is the number of offers.
pub struct Jobs {
    seed: u64,
    search: Search,
    offers: Vec<Offer>,
}

/// A row of the database.
#[derive(Debug, Clone)]
struct Offer {
    id: String,
    title: String,
    company: String,
    state: &'static str,
    category: &'static str,
    contract: &'static str,
    shift: &'static str,
    salary: u32,
    posted: u32,
}

impl Jobs {
    /// Fills the database of this seed and size.
    pub fn generate(options: &Options) -> Self {
        let count = options.size_or(DESCRIBED, MOST);
        let mut random = Random::of(options.seed, "jobs");
        // Some states have many more offers than others, as in life.
        let skewed = |random: &mut Random, of: usize| random.below(of).min(random.below(of));
        let offers = (0..count).map(|number| {
            let category = skewed(&mut random, words::CATEGORIES.len());
            let (category, titles) = words::CATEGORIES[category];
            let level = random.pick(words::LEVELS);
            let title = format!("{level} {}", random.pick(titles));
            let company =
                format!("{} {}", random.pick(words::NAMES), random.pick(words::COMPANIES));
            Offer {
                id: format!("J-{:05}", number + 1),
                title,
                company,
                state: words::STATES[skewed(&mut random, words::STATES.len())],
                category,
                contract: random.pick(words::CONTRACTS),
                shift: random.pick(words::SHIFTS),
                salary: 20_000 + 100 * random.below(900) as u32,
                posted: random.below(3_650) as u32,
            }
        });
        Jobs { seed: options.seed, search: options.search, offers: offers.collect() }
    }

    /// The token that a search by POST needs: that of the visit before it.
    fn token(&self, nth: u64) -> String {
        Random::of(self.seed.wrapping_add(nth), "token").hex(16)
    }
}

impl Site for Jobs {
    fn truth(&self) -> Truth {
        let mut states = vec![State::at("home", "/", "Find work near the water")];
        states.extend(self.offers.iter().map(|offer| {
            State::at("offer", format!("/job/{}", offer.id), format!("Reference {}", offer.id))
        }));
        Truth {
            changes: words::WRITES.iter().map(|(kind, _)| (*kind).to_owned()).collect(),
            ..Truth::new("jobs", states)
        }
    }

    fn router(self: Arc<Self>) -> Router {
        let mut router = Router::new()
            .route("/", get(async |jobs: Owned, visit: Visit| html::page(jobs.home(&visit))))
            .route("/job/{id}", get(offer))
            .route("/find", get(by_get).post(by_post));
        for (kind, path) in words::WRITES {
            let write = async move |visit: Visit| {
                visit.change(kind, visit.path());
                html::page(page::shell("Thank you", "<p>Done.</p>"))
            };
            router = router.route(path, any(write));
        }
        router.route("/about", get(about)).route("/poll", post(poll)).with_state(self)
    }
}

type Owned = Shared<Arc<Jobs>>;
type Fields = HashMap<String, String>;

async fn by_get(jobs: Owned, visit: Visit, Query(fields): Query<Fields>) -> Response {
    match jobs.search {
        Search::Post => (StatusCode::METHOD_NOT_ALLOWED, "use the form").into_response(),
        Search::Links | Search::Capped => html::page(jobs.results(&visit, &fields)),
    }
}

async fn by_post(jobs: Owned, visit: Visit, Form(fields): Form<Fields>) -> Response {
    let given = fields.get("token").map(String::as_str).unwrap_or_default();
    // A token is good for the visitors of the last pages, and only once for each of these.
    let is_good = (0..visit.shown()).rev().take(64).any(|nth| jobs.token(nth) == given);
    match jobs.search {
        Search::Post if is_good => html::page(jobs.results(&visit, &fields)),
        Search::Post => {
            let page =
                page::shell("Expired", "<p>This form has expired. Go back and reload it.</p>");
            (StatusCode::FORBIDDEN, html::page(page)).into_response()
        }
        Search::Links | Search::Capped => {
            (StatusCode::METHOD_NOT_ALLOWED, "use the form").into_response()
        }
    }
}

async fn offer(jobs: Owned, Path(id): Path<String>) -> Response {
    match jobs.offers.iter().find(|offer| offer.id == id) {
        Some(offer) => html::page(page::offer(offer)),
        None => {
            let page = page::shell("Gone", "<p>There is no such offer.</p>");
            (StatusCode::NOT_FOUND, html::page(page)).into_response()
        }
    }
}

async fn about() -> Response {
    html::page(page::shell("About", "<p>We have found work for people since 1998.</p>"))
}

async fn poll(visit: Visit) -> Response {
    visit.change("vote", visit.path());
    html::page(page::shell("Thank you", "<p>Your vote was counted.</p>"))
}
