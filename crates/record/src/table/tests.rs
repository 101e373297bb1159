use std::fmt::Write as _;

use page::tree::parse_str;
use url::Url;

use super::{ColumnType, tables};
use crate::{Kind, Record, Site, Source};

const BIRDS: [&str; 6] = ["heron", "snipe", "dunlin", "redshank", "wigeon", "teal"];

fn row(number: usize) -> String {
    let bird = BIRDS[number % BIRDS.len()];
    format!(
        "<tr><td>{number}</td><td><a href=/bird/{number}>{bird} {number}</a></td>\
         <td>2026-0{}-1{}</td><td>{} g</td></tr>",
        1 + number % 9,
        number % 10,
        40 + 7 * number
    )
}

const HEAD: &str = "<tr><th>Id</th><th>Bird</th><th>First seen</th><th>Mass</th></tr>";

fn rows(numbers: std::ops::Range<usize>) -> String {
    numbers.map(row).collect()
}

fn records(html: &str) -> Vec<Record> {
    let url = Url::parse("http://birds.example/list").unwrap();
    let dom = parse_str(html).dom;
    let source =
        Source { url: &url, page_type: None, captured: None, rendered: Some(&dom), raw: None };
    Site::learn_and_read(&[source]).1.remove(0)
}

#[test]
fn the_rows_of_one_table_on_one_page_are_records() {
    let found = records(&format!("<h1>Birds</h1><table>{HEAD}{}</table>", rows(0..40)));
    assert_eq!(found.len(), 40);
    let third = &found[3];
    assert_eq!(third.kind, Kind::Item);
    assert_eq!(third.fields["id"], "3");
    assert_eq!(third.fields["first_seen"], "2026-04-13");
    assert_eq!(third.fields["mass"], "61 g");
    assert_eq!(third.title.as_deref(), Some("redshank 3"));
    assert_eq!(third.permalink.as_ref().unwrap().as_str(), "http://birds.example/bird/3");
    assert_eq!(third.time.as_ref().unwrap().to_rfc3339(), "2026-04-13T00:00:00Z");
    assert_eq!(third.xpath, "/html/body/table[1]/tbody[1]/tr[5]");
}

#[test]
fn columns_are_named_and_typed() {
    let page = parse_str(&format!("<table><thead>{HEAD}</thead>{}</table>", rows(0..12)));
    let tables = tables(&page.dom);
    let columns: Vec<_> = tables[0].columns.iter().map(|it| (it.name.as_str(), it.kind)).collect();
    let expected = [
        ("id", ColumnType::Number),
        ("bird", ColumnType::Link),
        ("first_seen", ColumnType::Date),
        ("mass", ColumnType::Number),
    ];
    assert_eq!(columns, expected);
}

#[test]
fn a_table_without_a_head_has_numbered_columns() {
    let page = parse_str(&format!("<table>{}</table>", rows(0..12)));
    let tables = tables(&page.dom);
    assert_eq!(tables[0].items().count(), 12);
    assert_eq!(tables[0].columns[3].name, "column_4");
}

#[test]
fn a_head_without_marks_is_told_by_what_stands_below_it() {
    let head = HEAD.replace("th>", "td>");
    let page = parse_str(&format!("<table>{head}{}</table>", rows(0..12)));
    let tables = tables(&page.dom);
    assert_eq!(tables[0].items().count(), 12);
    assert_eq!(tables[0].columns[2].name, "first_seen");
}

#[test]
fn cells_that_span_stand_in_every_row_and_column_that_they_cover() {
    let page = parse_str(
        "<table><tr><th rowspan=2>Site</th><th colspan=2>Count</th></tr>\
         <tr><th>May</th><th>June</th></tr>\
         <tr><td rowspan=2>Reed bed</td><td>12</td><td>17</td></tr><tr><td>9</td><td>4</td></tr>\
         <tr><td colspan=3>The shore</td></tr>\
         <tr><td>Spit</td><td>31</td><td>28</td></tr><tr><td>Bar</td><td>8</td><td>3</td></tr></table>",
    );
    let tables = tables(&page.dom);
    let names: Vec<_> = tables[0].columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["site", "count_may", "count_june"]);
    let sites: Vec<_> = tables[0]
        .items()
        .map(|(_, cells)| page::tree::visible_text_of(cells[0].unwrap()).trim().to_owned())
        .collect();
    assert_eq!(sites, ["Reed bed", "Reed bed", "Spit", "Bar"], "a heading between rows is no row");
}

#[test]
fn a_table_that_places_things_holds_no_rows() {
    let menu: String = BIRDS.iter().fold(String::new(), |mut out, bird| {
        let _ = write!(out, "<tr><td><a href=/{bird}>{bird}</a></td></tr>");
        out
    });
    let text = "The marsh is at its best in the first week of May. ".repeat(12);
    let page = parse_str(&format!(
        "<table><tr><td><table>{menu}</table></td><td><h1>The marsh</h1><p>{text}</p></td></tr></table>\
         <table role=presentation><tr><td><img src=a.png></td><td>A photograph</td></tr></table>"
    ));
    assert_eq!(tables(&page.dom).len(), 0);
}

#[test]
fn spans_that_a_page_makes_up_cost_nothing() {
    let row = "<tr><td colspan=99999 rowspan=99999>1</td><td>2</td></tr>".repeat(500);
    let page = parse_str(&format!("<table>{row}</table>"));
    let _ = tables(&page.dom);
}
