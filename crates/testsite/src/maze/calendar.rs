//! A calendar of links without an end: three months have something in them, every other month is
//! empty and leads to the next.

use axum::Router;
use axum::extract::{Path, Query};
use axum::routing::get;
use jiff::civil::Date;
use serde::Deserialize;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "calendar",
    title: "The almanac",
    about: "A wall of dates, one month behind the other.",
    states,
    router,
    changes: &[],
    trap: Some("every month links to the one before, the one after, and a year away"),
};

/// The month that the almanac opens at, as months since the year 0.
const OPEN: i64 = 2009 * 12 + 4;
/// Month, day and what is written there, and on the page of the day.
const EVENTS: [(i64, u8, &str, &str); 3] = [
    (OPEN - 1, 14, "In April the hedges are cut.", "The shears are blessed at ten o'clock."),
    (OPEN, 9, "In May the house opens at dawn.", "The porter rings the bell nine times."),
    (OPEN + 1, 21, "In June nobody sleeps.", "The lanterns are lit on the longest day."),
];

#[derive(Deserialize)]
struct Shown {
    #[serde(default)]
    month: String,
}

fn states() -> Vec<State> {
    let mut states = Vec::new();
    for (month, day, text, detail) in EVENTS {
        states.push(match month {
            OPEN => SECTION.front(text),
            _ => SECTION.leaf(&url(month), text),
        });
        states.push(SECTION.leaf(&format!("/calendar/day/{}-{day}", name(month)), detail));
    }
    states
}

fn router() -> Router {
    Router::new()
        .route(
            "/calendar/",
            get(async |visit: Visit, Query(shown): Query<Shown>| wall(&visit, &shown.month)),
        )
        .route(
            "/calendar/day/{day}",
            get(async |visit: Visit, Path(asked): Path<String>| {
                let known = |(month, day, ..): &&(i64, u8, &str, &str)| {
                    format!("{}-{day}", name(*month)) == asked
                };
                match EVENTS.iter().find(known) {
                    Some((.., detail)) => shell::leaf(&visit, &SECTION, detail),
                    None => super::missing::anywhere(visit).await,
                }
            }),
        )
}

fn wall(visit: &Visit, shown: &str) -> axum::response::Response {
    let month = read(shown).unwrap_or(OPEN);
    let event = EVENTS.iter().find(|(known, ..)| *known == month);
    let text = event.map_or("Nothing is planned for this month.", |(_, _, text, _)| text);
    let days: String = (1..=days_in(month))
        .map(|day| match event {
            Some((_, marked, ..)) if *marked == day => {
                format!(r#"<td><a href="/calendar/day/{}-{day}">{day}</a></td>"#, name(month))
            }
            _ => format!("<td>{day}</td>"),
        })
        .collect::<Vec<_>>()
        .chunks(7)
        .map(|week| format!("<tr>{}</tr>", week.concat()))
        .collect();
    let turn = |by: i64, label: &str| format!(r#"<a href="{}">{label}</a> "#, url(month + by));
    let main = format!(
        r#"<p>{}{}<b>{}</b> {}{}</p><table class="§card">{days}</table><p class="§lead">{text}</p>"#,
        turn(-12, "« Year"),
        turn(-1, "‹ Month"),
        name(month),
        turn(1, "Month ›"),
        turn(12, "Year »"),
    );
    shell::room(visit, &SECTION, &main, "")
}

fn days_in(month: i64) -> u8 {
    // Beyond the years that have a calendar, every month is alike.
    let year = i16::try_from(month.div_euclid(12)).ok();
    let date = year.and_then(|year| Date::new(year, month.rem_euclid(12) as i8 + 1, 1).ok());
    date.map_or(30, |date| date.days_in_month() as u8)
}

fn url(month: i64) -> String {
    format!("/calendar/?month={}", name(month))
}

fn name(month: i64) -> String {
    format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1)
}

/// Months so far away that their numbers would no longer fit are not read.
fn read(name: &str) -> Option<i64> {
    let (year, month) = name.rsplit_once('-')?;
    let (year, month): (i32, u8) = (year.parse().ok()?, month.parse().ok()?);
    (1..=12).contains(&month).then(|| i64::from(year) * 12 + i64::from(month) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_read_as_they_are_named_before_and_after_the_year_0() {
        for month in [-30_000, -1, 0, 11, OPEN, 1_000_000] {
            assert_eq!(read(&name(month)), Some(month), "{}", name(month));
        }
        assert_eq!(read("2009-13"), None);
        assert_eq!(read(""), None);
    }
}
