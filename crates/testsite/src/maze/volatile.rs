//! Times, generated ids, tokens and adverts that differ with each visit, and clocks that tick
//! while a page is shown: none of them makes a new state.

use axum::Router;
use axum::routing::get;
use jiff::SignedDuration;

use super::{Section, shell};
use crate::html::Text;
use crate::text::Writer;
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "volatile",
    title: "The hall of clocks",
    about: "Times, generated ids, tokens and adverts that are never the same twice.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "No two clocks in this hall agree, and none is right.";
const SECOND: &str = "Behind the hall lies a cellar with sundials.";

fn states() -> Vec<State> {
    vec![SECTION.front(FRONT), SECTION.leaf("/volatile/cellar", SECOND)]
}

fn router() -> Router {
    Router::new()
        .route(
            "/volatile/",
            get(async |visit: Visit| hall(&visit, FRONT, "/volatile/cellar", "Down to the cellar")),
        )
        .route(
            "/volatile/cellar",
            get(async |visit: Visit| hall(&visit, SECOND, "/volatile/", "Up to the hall")),
        )
}

fn hall(visit: &Visit, text: &str, url: &str, label: &str) -> axum::response::Response {
    let mut random = visit.random();
    let ahead = if visit.options().volatile { visit.nth().min(86_400) } else { 0 };
    let now = visit.now() + SignedDuration::from_secs(ahead as i64);
    let mut writer = Writer::new(visit.options().lang, random.clone());
    let main = format!(
        concat!(
            r#"<p class="§lead">{text}</p><p class="§clock" id="§tick">00:00:00</p><p class="§clock">Served at <time datetime="{now}">{now}</time> by node {node}</p>"#,
            r#"<div class="§card" id="{id}" data-nonce="{nonce}"><p>You are visitor number {visitor}. The lift comes in <b id="§lift">90</b> seconds.</p></div>"#,
            r#"<div class="§ad" id="ad-{ad_id}"><a href="http://ads.example/?c={ad_id}">{advert}</a></div>"#,
            r#"<form method="get" action="/volatile/"><input type="hidden" name="token" value="{token}"></form>"#,
            r#"<p><a href="{url}">{label}</a></p><img src="/static/hedge.svg?r={picture}" alt="" width="120" height="60">"#
        ),
        text = text,
        now = now,
        node = random.between(1, 40),
        id = random.hex(12),
        nonce = random.hex(16),
        visitor = random.between(10_000, 99_999),
        ad_id = random.hex(6),
        advert = Text(&writer.write("advert")),
        token = random.hex(16),
        url = url,
        label = label,
        picture = random.hex(8),
    );
    shell::room(visit, &SECTION, &main, SCRIPT)
}

const SCRIPT: &str = "
setInterval(function () {
  document.getElementById('§tick').textContent = new Date().toTimeString().slice(0, 8);
}, 250);
setInterval(function () {
  var lift = document.getElementById('§lift');
  lift.textContent = Math.max(0, lift.textContent - 1);
  lift.id = '§lift';
  lift.className = 'r' + Math.random().toString(36).slice(2);
}, 1000);
";
