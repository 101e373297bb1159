//! Search over every text that was ever shown: what was found with when it stood, and how it is spread.

use std::ops::Range;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use search::{
    Answer, FacetCount, Hit, Order, Query as SearchQuery, Question, SearchResult, Step, TimeCount,
    moment,
};
use serde::Deserialize;
use store::Millis;

use super::shown;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::searching::told;
use crate::web::tell::{address, clip, thousands};

/// Hits of a page, and answers.
const HITS: usize = 20;
const ANSWERS: usize = 3;
/// Values of a facet that are shown.
const VALUES: usize = 10;

#[derive(Deserialize)]
pub struct SearchForm {
    #[serde(default)]
    q: String,
    #[serde(default)]
    site: String,
    #[serde(default)]
    label: String,
    #[serde(default, rename = "type")]
    page_type: String,
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
    #[serde(default)]
    order: String,
    #[serde(default)]
    offset: usize,
}

#[derive(Template)]
#[template(path = "search.html")]
pub struct Search {
    query: SearchForm,
    sites: Vec<String>,
    labels: Vec<(&'static str, &'static str)>,
    is_behind: bool,
    wrong: String,
    sum: String,
    answers: Vec<Found>,
    hits: Vec<Found>,
    facets: Vec<(&'static str, Vec<Facet>)>,
    bars: Vec<Bar>,
    first_bar: String,
    last_bar: String,
    next: String,
    f: Frame,
}

shown!(Search);

/// A text that was found, in pieces: whether it was searched for, and what it says.
struct Found {
    pieces: Vec<(bool, String)>,
    page: i64,
    version: i64,
    block: i64,
    title: String,
    key: String,
    topic: String,
    label: &'static str,
    label_class: &'static str,
    life: String,
    is_there: bool,
    elsewhere: String,
}

struct Facet {
    value: String,
    count: String,
    link: String,
}

/// A step of the histogram, in a picture 100 wide and 30 high.
struct Bar {
    x: String,
    y: String,
    width: String,
    height: String,
    title: String,
    link: String,
}

impl SearchForm {
    /// The query, and the mistake in it if there is one.
    fn asked(&self) -> Result<SearchQuery, String> {
        let time = |text: &str, end: bool| match text.trim() {
            "" => Ok(None),
            text => moment(text, end).map(Some).ok_or_else(|| format!("'{text}' is no time")),
        };
        let label = match self.label.as_str() {
            "" => None,
            name => Some(name.parse().map_err(|_| format!("no label is '{name}'"))?),
        };
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Ok(SearchQuery {
            from: time(&self.from, false)?,
            to: time(&self.to, true)?,
            site: some(&self.site),
            label,
            page_type: some(&self.page_type),
            order: match self.order.as_str() {
                "newest" => Order::Newest,
                "oldest" => Order::Oldest,
                _ => Order::Best,
            },
            offset: self.offset.min(5_000),
            limit: HITS,
            ..SearchQuery::new(self.q.trim())
        })
    }

    /// The address of this search with other values.
    fn with(&self, changed: &[(&str, &str)]) -> String {
        let offset = String::new();
        let mut pairs = [
            ("q", self.q.as_str()),
            ("site", &self.site),
            ("label", &self.label),
            ("type", &self.page_type),
            ("from", &self.from),
            ("to", &self.to),
            ("order", &self.order),
            ("offset", &offset),
        ];
        for (name, value) in &mut pairs {
            if let Some((_, other)) = changed.iter().find(|(changed, _)| changed == name) {
                *value = other;
            }
        }
        address("/search", &pairs)
    }
}

pub async fn search(
    State(app): State<Arc<App>>,
    Query(query): Query<SearchForm>,
    f: Frame,
) -> Result<Search, Failure> {
    let sites = app.catalog.sites().await?.into_iter().map(|site| site.site).collect();
    let labels = page::block::Label::ALL.map(|label| (label.name(), f.language.term(label.name())));
    let mut page = Search {
        sites,
        labels: labels.into(),
        is_behind: false,
        wrong: String::new(),
        sum: String::new(),
        answers: Vec::new(),
        hits: Vec::new(),
        facets: Vec::new(),
        bars: Vec::new(),
        first_bar: String::new(),
        last_bar: String::new(),
        next: String::new(),
        query,
        f,
    };
    if page.query.q.trim().is_empty() {
        return Ok(page);
    }
    let asked = match page.query.asked() {
        Ok(asked) => asked,
        Err(wrong) => {
            page.wrong = wrong;
            return Ok(page);
        }
    };
    let ready = app.searching.get(&app.catalog).await?;
    page.is_behind = ready.is_behind;
    let found = match ready.index.search(&app.catalog, &asked).await.map_err(told) {
        Ok(found) => found,
        Err(Failure::BadRequest(wrong)) => {
            page.wrong = wrong;
            return Ok(page);
        }
        Err(other) => return Err(other),
    };
    // A question is answered, too, with passages that say when they stood.
    let is_question = page.query.q.trim_end().ends_with(['?', '？']);
    if is_question && page.query.offset == 0 {
        let question = Question {
            text: page.query.q.clone(),
            from: asked.from,
            to: asked.to,
            site: asked.site.clone(),
            limit: ANSWERS,
        };
        let answers = ready.index.ask(&app.catalog, &question).await.map_err(told)?;
        let answers = answers.answers.iter();
        page.answers = answers.map(|answer| Found::answer(answer, &page.f)).collect();
    }
    page.fill(&found, asked.offset);
    Ok(page)
}

impl Search {
    fn fill(&mut self, found: &SearchResult, offset: usize) {
        let w = self.f.w;
        self.sum = w
            .found_texts
            .replace("{count}", &thousands(found.total as i64))
            .replace("{ms}", &format!("{:.0}", found.elapsed_ms));
        self.hits = found.hits.iter().map(|hit| Found::hit(hit, &self.f)).collect();
        if found.total > (offset + HITS) as u64 {
            self.next = self.query.with(&[("offset", &(offset + HITS).to_string())]);
        }
        let facet = |name: &str, values: &[FacetCount]| -> Vec<Facet> {
            let values = values.iter().take(VALUES);
            let facet = |value: &FacetCount| Facet {
                value: clip(&value.value, 40),
                count: thousands(value.count as i64),
                link: self.query.with(&[(name, &value.value)]),
            };
            values.map(facet).collect()
        };
        let facets = &found.facets;
        self.facets = vec![
            (w.site, facet("site", &facets.sites)),
            (w.page_type, facet("type", &facets.types)),
            (w.label, facet("label", &facets.labels)),
        ];
        let most = facets.times.iter().map(|time| time.count).max().unwrap_or(1).max(1) as f64;
        let (Some(first), Some(last)) = (facets.times.first(), facets.times.last()) else { return };
        let whole = (last.time.0 - first.time.0).max(1) as f64;
        let width = (90.0 / facets.times.len().max(8) as f64).min(6.0);
        let bar = |time: &TimeCount| {
            let share = (time.time.0 - first.time.0) as f64 / whole;
            let height = (28.0 * time.count as f64 / most).max(1.0);
            let name = step_name(time.time, facets.step);
            Bar {
                x: format!("{:.2}", share * (100.0 - width)),
                y: format!("{:.2}", 30.0 - height),
                width: format!("{width:.2}"),
                height: format!("{height:.2}"),
                title: format!("{name}: {}", thousands(time.count as i64)),
                link: self.query.with(&[("from", &day(time.time)), ("order", "oldest")]),
            }
        };
        self.bars = facets.times.iter().map(bar).collect();
        self.first_bar = step_name(first.time, facets.step);
        self.last_bar = step_name(last.time, facets.step);
    }
}

fn day(time: Millis) -> String {
    time.to_string().chars().take(10).collect()
}

fn step_name(time: Millis, step: Step) -> String {
    let characters = match step {
        Step::Hour => 13,
        Step::Day => 10,
        Step::Month => 7,
        Step::Year => 4,
    };
    time.to_string().chars().take(characters).collect::<String>().replace('T', " ")
}

impl Found {
    fn hit(hit: &Hit, f: &Frame) -> Self {
        Self {
            pieces: pieces(&hit.snippet.text, &hit.snippet.marks),
            page: hit.page.0,
            version: hit.version,
            block: hit.block,
            title: clip(if hit.title.is_empty() { &hit.key } else { &hit.title }, 160),
            key: clip(&hit.key, 240),
            topic: clip(&hit.topic, 100),
            label: f.language.term(hit.label.name()),
            label_class: hit.label.name(),
            life: life(hit.first_seen, hit.last_seen),
            is_there: hit.is_there,
            elsewhere: match hit.pages {
                0 | 1 => String::new(),
                pages => f.w.on_pages.replace("{count}", &thousands(pages as i64)),
            },
        }
    }

    fn answer(answer: &Answer, f: &Frame) -> Self {
        Self {
            pieces: pieces(&answer.text, &answer.marks),
            page: answer.page.0,
            version: answer.version,
            block: answer.block,
            title: String::new(),
            key: clip(&answer.key, 240),
            topic: clip(&answer.topic, 100),
            label: f.language.term(answer.label.name()),
            label_class: answer.label.name(),
            life: life(answer.first_seen, answer.last_seen),
            is_there: answer.is_there,
            elsewhere: String::new(),
        }
    }
}

fn life(first: Millis, last: Millis) -> String {
    let (first, last) = (day(first), day(last));
    if first == last { first } else { format!("{first} – {last}") }
}

/// A text in pieces, by what is marked in it.
fn pieces(text: &str, marks: &[Range<usize>]) -> Vec<(bool, String)> {
    let clean = |text: &str| crate::output::clean_line(text);
    let (mut pieces, mut from) = (Vec::new(), 0);
    for mark in marks {
        let (Some(before), Some(marked)) = (text.get(from..mark.start), text.get(mark.clone()))
        else {
            continue;
        };
        pieces.push((false, clean(before)));
        pieces.push((true, clean(marked)));
        from = mark.end;
    }
    pieces.push((false, clean(text.get(from..).unwrap_or_default())));
    pieces.retain(|(_, text)| !text.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_marks_and_a_mark_that_is_none_is_left_out() {
        let plain = |is: bool, text: &str| (is, text.to_owned());
        let marked = |mark| [mark];
        let cut = pieces("the harbour wall", &marked(4..11));
        assert_eq!(cut, [plain(false, "the "), plain(true, "harbour"), plain(false, " wall")]);
        assert_eq!(pieces("港口", &marked(1..4)), [plain(false, "港口")]);
    }
}
