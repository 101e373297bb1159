//! Several fields in one text.

use super::{CAPTURED, NAMES, Page, learn, list_pages, page, prose, question};
use crate::field::{Neighbours, Sample, assign};
use crate::region::Span;
use crate::{Kind, Precision};
use page::tree::Kind as NodeKind;

fn begun(n: usize) -> String {
    format!("{} February 2026, 13:{:02}", 1 + n * 7 % 27, 10 + n)
}

fn answered(n: usize) -> String {
    format!("{} April 2026, 07:{:02}", 29 - n, 10 + n)
}

fn unix(record: Option<&crate::Moment>) -> Option<String> {
    let moment = record.filter(|moment| moment.precision == Precision::Minute)?;
    Some(moment.to_rfc3339())
}

#[test]
fn a_sentence_tells_when_a_thread_began_how_often_it_was_answered_and_when_last() {
    let pages = list_pages(|n, first, _| {
        format!(
            "<li class=row><h3><a href=/thread/{n}>{}</a></h3><p>Raised by <a href=/user/{first}>\
             {first}</a> on {}. {} answers, the last on {}.</p></li>",
            question(n),
            begun(n),
            3 * n % 7,
            answered(n)
        )
    });
    let (best, records, _) = learn(&pages, "row");
    assert_eq!(best.kind, Kind::Thread);
    for (n, record) in records.iter().enumerate() {
        assert_eq!(record.replies, Some(3 * n as u64 % 7), "row {n}");
        let day = |of: usize, month: u32, clock: &str| {
            Some(format!("2026-{month:02}-{of:02}T{clock}:{:02}:00Z", 10 + n))
        };
        assert_eq!(unix(record.time.as_ref()), day(1 + n * 7 % 27, 2, "13"), "row {n}");
        assert_eq!(unix(record.last_time.as_ref()), day(29 - n, 4, "07"), "row {n}");
    }
}

#[test]
fn a_name_and_a_date_in_one_text_are_two_fields() {
    let layouts: [fn(&str, &str) -> String; 4] = [
        |who, when| format!("Started by {who}, {when}"),
        |who, when| format!("{who} wrote on {when}:"),
        |who, when| format!("Posted by {who} at {when} #"),
        |who, when| format!("{when} · von {who}"),
    ];
    for layout in layouts {
        let pages = super::post_pages(|n, who| {
            let when = format!("2026-03-{:02} 10:30", n + 1);
            format!("<div class=post><p>{}</p><div>{}</div></div>", layout(who, &when), prose(n))
        });
        let (best, records, contents) = learn(&pages, "post");
        assert_eq!(best.kind, Kind::Post);
        for (n, record) in records.iter().enumerate() {
            assert_eq!(record.author.as_deref(), Some(NAMES[n * 7 % 4]), "{}", layout("X", "DATE"));
            assert_eq!(record.time_text, Some(format!("2026-03-{:02} 10:30", n + 1)));
            assert_eq!(contents[n], prose(n));
        }
    }
}

/// What is between the rules of a page.
fn between_rules(page: &Page) -> Sample<'_> {
    let mut spans: Vec<Span> = Vec::new();
    let body = page.dom.elements().find(|node| node.name() == "body").unwrap();
    let mut open = Vec::new();
    for node in body.children() {
        if node.name() == "hr" {
            spans.push(Span { nodes: std::mem::take(&mut open), without: Vec::new(), depth: 0 });
        } else if node.kind() != NodeKind::Text || !node.text().trim().is_empty() {
            open.push(node.id());
        }
    }
    Sample { url: &page.url, captured: Some(CAPTURED), dom: &page.dom, spans }
}

#[test]
fn a_post_without_any_element_of_its_own_has_an_author_a_time_and_a_content() {
    let post = |n: usize| {
        let who = NAMES[n * 7 % 4];
        let name = match n % 5 {
            3 => "A guest".to_owned(),
            _ => format!("<a href=/~{}>{who}</a>", 10 + n * 7 % 4),
        };
        format!(
            "<a name=a{n}></a>Posted by {name} on {:02}.03.2026, 14:05 (<a href=#a{n}>{n}</a>)<br>\
             <br>{}<br><br>{}<br><hr>",
            n + 1,
            prose(n),
            prose(n + 50)
        )
    };
    let posts = |from: usize, to: usize| (from..to).map(post).collect::<String>();
    let pages = [page("/read/1", &posts(0, 8)), page("/read/2", &posts(8, 9))];
    let samples: Vec<Sample<'_>> = pages.iter().map(between_rules).collect();
    let best = assign(&samples, &Neighbours::default()).remove(0);
    assert_eq!(best.kind, Kind::Post);
    let records: Vec<_> = samples.iter().flat_map(|sample| best.records(sample)).collect();
    for (n, record) in records.iter().enumerate() {
        let who = if n % 5 == 3 { "A guest" } else { NAMES[n * 7 % 4] };
        assert_eq!(record.author.as_deref(), Some(who), "post {n}");
        assert_eq!(record.time_text, Some(format!("{:02}.03.2026, 14:05", n + 1)));
    }
    let nodes = best.content(&pages[0].dom, &samples[0].spans[2]);
    let texts: Vec<&str> = nodes.iter().map(|id| pages[0].dom.node(*id).text().trim()).collect();
    assert!(texts.contains(&prose(2).as_str()) && texts.contains(&prose(52).as_str()), "{texts:?}");
}
