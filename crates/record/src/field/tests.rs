//! Forums in miniature: each page has a trap that a rule is there for.

mod cuts;
mod gaps;

use url::Url;

use super::{Assignment, Neighbours, Sample, assign};
use crate::region::Span;
use crate::{Field, Kind, Record};
use page::tree::{Dom, parse_str, visible_text_of};

/// 2026-05-20, noon.
const CAPTURED: i64 = 1_779_278_400;

struct Page {
    url: Url,
    dom: Dom,
}

fn page(path: &str, html: &str) -> Page {
    let url = Url::parse("http://forum.example/").unwrap().join(path).unwrap();
    Page { url, dom: parse_str(html).dom }
}

/// The elements of a class as records.
fn sample<'a>(page: &'a Page, class: &str) -> Sample<'a> {
    let is_record = |classes: &str| classes.split(' ').any(|token| token == class);
    let nodes = page.dom.elements().filter(|node| node.attribute("class").is_some_and(is_record));
    let span = |id| Span { nodes: vec![id], without: Vec::new(), depth: 0 };
    let spans = nodes.map(|node| span(node.id())).collect();
    Sample { url: &page.url, captured: Some(CAPTURED), dom: &page.dom, spans }
}

fn learn(pages: &[Page], class: &str) -> (Assignment, Vec<Record>, Vec<String>) {
    let samples: Vec<_> = pages.iter().map(|page| sample(page, class)).collect();
    let best = assign(&samples, &Neighbours::default()).remove(0);
    let records = samples.iter().flat_map(|sample| best.records(sample)).collect();
    let contents = samples.iter().flat_map(|sample| {
        let best = &best;
        sample.spans.iter().map(move |span| {
            let nodes = best.content(sample.dom, span);
            let texts = nodes.iter().map(|id| match sample.dom.node(*id) {
                node if node.is_element() => visible_text_of(node),
                node => node.text().trim().to_owned(),
            });
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        })
    });
    let contents = contents.collect();
    (best, records, contents)
}

const NAMES: [&str; 4] = ["ann", "bob", "小满", "dora"];

/// Words that differ from post to post.
fn prose(n: usize) -> String {
    let nouns = ["kettle", "lamp", "hinge", "valve", "router", "tent", "drill"];
    let verbs = ["broke", "melted", "stopped", "leaked", "hummed"];
    format!(
        "The {} of my cousin {} after {} days, says {n}.",
        nouns[n % 7],
        verbs[n % 5],
        3 * n + 2
    )
}

fn post_pages(post: impl Fn(usize, &str) -> String) -> Vec<Page> {
    let posts = |from: usize, count: usize| -> String {
        (from..from + count).map(|n| post(n, NAMES[n * 7 % 4])).collect()
    };
    vec![
        page("/thread/1", &format!("<main>{}</main>", posts(0, 6))),
        page("/thread/2", &format!("<main>{}</main>", posts(6, 1))),
        page("/thread/3", &format!("<main>{}</main>", posts(7, 5))),
    ]
}

#[test]
fn a_date_that_somebody_joined_on_is_not_the_time_of_a_post() {
    let joined = |who: &str| 1 + NAMES.iter().position(|name| *name == who).unwrap();
    let pages = post_pages(|n, who| {
        format!(
            "<div class=post id=p{n}><div class=pane><b><a href=/user/{who}>{who}</a></b>\
             <p>Joined: 2019-0{}-11</p><p>Posts: {n}4</p></div>\
             <div><small>2026-03-{:02} 10:30</small><div>{}</div></div></div>",
            joined(who),
            n + 1,
            prose(n)
        )
    });
    let (best, records, contents) = learn(&pages, "post");
    assert_eq!(best.kind, Kind::Post);
    assert_eq!(records[2].time_text.as_deref(), Some("2026-03-03 10:30"));
    assert_eq!(records[2].author.as_deref(), Some(NAMES[14 % 4]));
    assert_eq!(contents[6], prose(6), "the only post of its page");
}

#[test]
fn dates_in_quotes_and_texts_are_not_the_time_of_a_post() {
    let pages = post_pages(|n, who| {
        let quote = match n % 2 {
            0 => String::new(),
            _ => format!(
                "<blockquote>{who} wrote on 2025-12-{:02} 05:43:<br>old words</blockquote>",
                28 - n
            ),
        };
        format!(
            "<div class=post><h4><a href=/u/{who}>{who}</a> <span>on 2026-03-{:02} 10:30</span></h4>\
             <div class=text>{quote}{} It was made in 2011-0{}-03.</div></div>",
            n + 1,
            prose(n),
            1 + n % 9
        )
    });
    let (_, records, contents) = learn(&pages, "post");
    let read: Vec<_> = records.iter().filter_map(|record| record.time_text.as_deref()).collect();
    let shown: Vec<_> = (1..=12).map(|day| format!("2026-03-{day:02} 10:30")).collect();
    assert_eq!(read, shown);
    assert!(contents[3].contains("It was made in"));
}

#[test]
fn a_guest_without_a_link_is_read_where_members_have_one() {
    let pages = post_pages(|n, who| {
        let name = match n % 4 {
            3 => format!("Visitor {n}"),
            _ => format!("<a href=/user/{who}>{who}</a>"),
        };
        format!(
            "<div class=post><div class=who><strong>{name}</strong></div>\
             <i>2026-03-{:02}</i><div class=text>{}</div></div>",
            n + 1,
            prose(n)
        )
    });
    let (best, records, _) = learn(&pages, "post");
    assert_eq!(
        records[3].author.as_deref(),
        Some("Visitor 3"),
        "{:?}",
        best.fields[&Field::Author]
    );
    assert_eq!(records[4].author.as_deref(), Some(NAMES[28 % 4]));
    assert!(records.iter().all(|record| record.author.is_some()));
}

#[test]
fn the_author_of_a_first_post_that_is_laid_out_otherwise_is_found_by_the_kind_of_link() {
    let pages = post_pages(|n, who| match n {
        0 | 6 | 7 => format!(
            "<div class=post><h1>Which one?</h1><a href=/report/{n}>Report</a>\
             <p><em>asked by <a href=/user/{who}>{who}</a></em></p>\
             <i>2026-03-{:02}</i><div class=text>{}</div></div>",
            n + 1,
            prose(n)
        ),
        _ => format!(
            "<div class=post><b><a href=/user/{who}>{who}</a></b>\
             <i>2026-03-{:02}</i><div class=text>{}</div></div>",
            n + 1,
            prose(n)
        ),
    });
    let (_, records, _) = learn(&pages, "post");
    assert_eq!(records[6].author.as_deref(), Some(NAMES[42 % 4]));
    assert_eq!(records[2].author.as_deref(), Some(NAMES[14 % 4]));
}

#[test]
fn an_instant_in_an_attribute_is_taken_before_its_relative_text() {
    let pages = post_pages(|n, who| {
        format!(
            "<div class=post><a href=/user/{who}>{who}</a>\
             <time datetime=2026-03-{:02}T10:30:07Z>{} weeks ago</time><p>{}</p></div>",
            n + 1,
            11 - n / 2,
            prose(n)
        )
    });
    let (_, records, _) = learn(&pages, "post");
    assert_eq!(records[0].time.as_ref().unwrap().to_rfc3339(), "2026-03-01T10:30:07Z");
    assert!(records[0].time_text.as_deref().unwrap().contains("weeks ago"));
}

#[test]
fn loose_text_beside_the_name_is_the_content_where_it_has_no_element() {
    let pages = post_pages(|n, who| {
        format!(
            "<div class=post><b><a href=/user/{who}>{who}</a></b> <i>2026-03-{:02} 10:30</i><br>\
             {}<br>{}<br></div>",
            n + 1,
            prose(n),
            prose(n + 20)
        )
    });
    let (_, records, contents) = learn(&pages, "post");
    assert_eq!(contents[1], format!("{}\n{}", prose(1), prose(21)));
    assert_eq!(records[1].author.as_deref(), Some(NAMES[7 % 4]));
}

#[test]
fn a_post_knows_its_address_its_number_and_its_identifier() {
    let pages = post_pages(|n, who| {
        format!(
            "<div class=post id=p{id}><a href='/thread/1?quote={id}'>Quote</a> <a href='#p{id}'>#{}</a>\
             <a href=/user/{who}>{who}</a> <i>2026-03-{:02}</i><div>{}</div></div>",
            n + 1,
            n + 1,
            prose(n),
            id = 400 + n,
        )
    });
    let (_, records, _) = learn(&pages, "post");
    assert_eq!(
        records[2].permalink.as_ref().unwrap().as_str(),
        "http://forum.example/thread/1#p402"
    );
    assert_eq!((records[2].id.as_deref(), records[2].position), (Some("402"), Some(3)));
}

/// A list of 24 threads on two pages, newest answer first.
fn list_pages(row: impl Fn(usize, &str, &str) -> String) -> Vec<Page> {
    let rows = |from: usize| -> String {
        (from..from + 12).map(|n| row(n, NAMES[n * 5 % 4], NAMES[n * 3 % 4])).collect()
    };
    let table = |rows: String| format!("<table><tbody>{rows}</tbody></table>");
    vec![page("/board/1", &table(rows(0))), page("/board/1?page=2", &table(rows(12)))]
}

/// When thread n was begun: in no order.
fn begun(n: usize) -> String {
    format!("2026-02-{:02} 08:15", 1 + n * 7 % 27)
}

/// When thread n was answered last.
fn answered(n: usize) -> String {
    format!("2026-04-{:02} 20:40", 29 - n)
}

fn question(n: usize) -> String {
    let words = ["old", "heavy", "quiet", "leaky"];
    format!("Is a {} thing number {n} worth it?", words[n % 4])
}

#[test]
fn two_names_and_two_dates_of_a_row_are_told_apart() {
    let pages = list_pages(|n, first, last| {
        format!(
            "<tr class=row><td><a href=/t/{n}>{}</a> <span>[<a href='/t/{n}?page=2'>2</a>]</span>\
             <div>by <a href=/u/{first}>{first}</a> » {}</div></td><td>{}</td><td>{}</td>\
             <td>{}<br><a href=/t/{n}#last>Last post</a> by <a href=/u/{last}>{last}</a></td></tr>",
            question(n),
            begun(n),
            n * 5 % 6,
            100 + n * 3,
            answered(n)
        )
    });
    let (best, records, _) = learn(&pages, "row");
    assert_eq!(best.kind, Kind::Thread);
    let row = &records[5];
    assert_eq!(row.title.as_deref(), Some(question(5).as_str()));
    assert_eq!(row.permalink.as_ref().map(Url::path), Some("/t/5"));
    assert_eq!(row.author.as_deref(), Some(NAMES[25 % 4]));
    assert_eq!(row.last_author.as_deref(), Some(NAMES[15 % 4]));
    assert_eq!(row.time_text.as_deref(), Some(begun(5).as_str()));
    assert_eq!(row.last_time.as_ref().unwrap().to_rfc3339(), "2026-04-24T20:40:00Z");
    assert_eq!(row.replies, Some(25 % 6));
}

#[test]
fn a_date_that_a_row_does_not_show_is_left_empty() {
    let pages = list_pages(|n, first, last| {
        format!(
            "<tr class=row><td><a href=/t/{n}>{}</a> <span class=by>by {first}</span></td>\
             <td><a href=/t/{n}#last>{}</a> <span class=by>by {last}</span></td></tr>",
            question(n),
            answered(n)
        )
    });
    let (best, records, _) = learn(&pages, "row");
    assert_eq!(records[4].author.as_deref(), Some(NAMES[20 % 4]), "without the word before it");
    assert_eq!(records[4].last_author.as_deref(), Some(NAMES[12 % 4]));
    assert!(best.fields.contains_key(&Field::LastTime));
    assert!(!best.fields.contains_key(&Field::Time), "{:?}", best.fields.get(&Field::Time));
}

#[test]
fn names_are_read_from_pictures_that_stand_for_them() {
    let pages = list_pages(|n, first, last| {
        format!(
            "<tr class=row><td><a href=/u/{first} title='{first} - began it'><img src=/a.png></a></td>\
             <td><a href=/t/{n}>{}</a></td><td><a href=/t/{n}/last><time title='{}'>5d</time></a></td>\
             <td><a href=/u/{last} title='{last} - wrote last'><img src=/a.png></a></td></tr>",
            question(n),
            answered(n)
        )
    });
    let (_, records, _) = learn(&pages, "row");
    assert_eq!(records[7].author.as_deref(), Some(NAMES[35 % 4]));
    assert_eq!(records[7].last_author.as_deref(), Some(NAMES[21 % 4]));
    assert_eq!(records[7].last_time.as_ref().unwrap().to_rfc3339(), "2026-04-22T20:40:00Z");
}

#[test]
fn a_link_that_ends_in_the_date_of_the_last_post_is_no_title() {
    let pages = list_pages(|n, first, _| {
        format!(
            "<tr class=row><td><em>[<a href=/topic/{}>Talk</a>]</em> <a href=/t/{n}>{}</a></td>\
             <td><cite><a href=/u/{first}>{first}</a></cite><em>{}</em></td>\
             <td><cite><a href=/u/bob>bob</a></cite><em><a href=/t/{n}?last>{}</a></em></td></tr>",
            n % 2,
            question(n),
            begun(n),
            answered(n)
        )
    });
    let (_, records, _) = learn(&pages, "row");
    assert_eq!(records[3].title.as_deref(), Some(question(3).as_str()));
}

#[test]
fn what_pages_call_themselves_decides_between_links() {
    let pages = list_pages(|n, first, _| {
        format!(
            "<tr class=row><td><a href=/news/{n}>Read all about matter {n} of the day</a></td>\
             <td><a href=/t/{n}>{}</a> {first}</td></tr>",
            question(n)
        )
    });
    let mut around = Neighbours::default();
    for n in 0..24 {
        let url = pages[0].url.join(&format!("/t/{n}")).unwrap();
        around.add(&url, 1, vec![format!("{} - The forum", question(n))]);
        let url = pages[0].url.join(&format!("/news/{n}")).unwrap();
        around.add(&url, 2, vec!["News".to_owned()]);
    }
    let samples: Vec<_> = pages.iter().map(|page| sample(page, "row")).collect();
    let best = assign(&samples, &around).remove(0);
    assert_eq!(best.records(&samples[0])[2].title.as_deref(), Some(question(2).as_str()));
}

#[test]
fn a_region_of_whole_records_scores_above_coarser_and_finer_ones() {
    let pages: Vec<Page> = post_pages(|n, who| {
        format!(
            "<div class=post><div class=head><a href=/user/{who}>{who}</a> \
             <i>2026-03-{:02} 10:30</i></div><div class=text>{}</div></div>",
            n + 1,
            prose(n)
        )
    });
    let score = |samples: &[Sample<'_>]| assign(samples, &Neighbours::default())[0].score;
    let of_class = |class: &str| {
        let samples: Vec<_> = pages.iter().map(|page| sample(page, class)).collect();
        score(&samples)
    };
    let mut pairs: Vec<_> = pages.iter().map(|page| sample(page, "post")).collect();
    for page in &mut pairs {
        let nodes: Vec<_> = page.spans.iter().flat_map(|span| span.nodes.clone()).collect();
        let of_two = |nodes: &[_]| Span { nodes: nodes.to_vec(), without: Vec::new(), depth: 0 };
        page.spans = nodes.chunks(2).map(of_two).collect();
    }
    assert!(of_class("post") > of_class("text"));
    assert!(of_class("post") > of_class("head"));
    assert!(of_class("post") > score(&pairs));
}

#[test]
fn counts_and_names_that_share_a_cell_with_other_words_are_read() {
    let pages = list_pages(|n, first, last| {
        format!(
            "<tr class=row><td><span><a href=/index?topic={n}.0>{}</a></span><p>Started by \
             <a href=/index?profile={first}>{first}</a></p></td>\
             <td><p>Replies: {}<br>Views: {}</p></td>\
             <td><p><a href=/index?topic={n}.msg{n}>{}</a><br>by <a href=/index?profile={last}>{last}</a>\
             </p></td></tr>",
            question(n),
            n * 5 % 6,
            90 + n * 2,
            answered(n)
        )
    });
    let (_, records, _) = learn(&pages, "row");
    let row = &records[9];
    assert_eq!(row.title.as_deref(), Some(question(9).as_str()));
    assert_eq!(row.author.as_deref(), Some(NAMES[45 % 4]));
    assert_eq!((row.replies, row.last_author.as_deref()), (Some(45 % 6), Some(NAMES[27 % 4])));
    assert_eq!(row.last_time.as_ref().unwrap().to_rfc3339(), "2026-04-20T20:40:00Z");
}

#[test]
fn rows_of_a_definition_list_are_read_as_those_of_a_table() {
    let pages = list_pages(|n, first, last| {
        format!(
            "<tr><td><dl class='row bg{}'><dt><div><a href='/view?t={n}' class=topic>{}</a><br>\
             by <a href='/member?u={first}' class=name>{first}</a> » {}</div></dt>\
             <dd class=posts>{} <dfn>Replies</dfn></dd><dd class=views>{} <dfn>Views</dfn></dd>\
             <dd class=last><span><dfn>Last post</dfn> by <a href='/member?u={last}' class=name>{last}</a> \
             <a href='/view?t={n}#p9'><i></i></a><br>{}</span></dd></dl></td></tr>",
            n % 2,
            question(n),
            begun(n),
            n * 5 % 6,
            90 + n * 2,
            answered(n)
        )
    });
    let (_, records, _) = learn(&pages, "row");
    let row = &records[8];
    assert_eq!(row.title.as_deref(), Some(question(8).as_str()));
    assert_eq!(
        (row.author.as_deref(), row.last_author.as_deref()),
        (Some(NAMES[0]), Some(NAMES[0]))
    );
    assert_eq!(records[9].author.as_deref(), Some(NAMES[45 % 4]));
    assert_eq!(records[9].last_author.as_deref(), Some(NAMES[27 % 4]));
    assert_eq!((row.time_text.as_deref(), row.replies), (Some(begun(8).as_str()), Some(40 % 6)));
    assert_eq!(row.last_time.as_ref().unwrap().to_rfc3339(), "2026-04-21T20:40:00Z");
}

#[test]
fn ranks_and_places_are_not_taken_for_names() {
    let rank = |who: &str| if who == "ann" { "Moderator" } else { "Member" };
    let place = |who: &str| if who.is_ascii() { "Ghent" } else { "哈尔滨" };
    let pages = post_pages(|n, who| {
        format!(
            "<div class=post><ul><li>{}</li><li>{}</li><li>{who}</li></ul>\
             <p>2026-03-{:02} 10:30</p><div>{}</div></div>",
            rank(who),
            place(who),
            n + 1,
            prose(n)
        )
    });
    let (_, records, _) = learn(&pages, "post");
    let names: Vec<_> = records.iter().filter_map(|record| record.author.as_deref()).collect();
    let truth: Vec<_> = (0..12).map(|n| NAMES[n * 7 % 4]).collect();
    assert_eq!(names, truth);
}

#[test]
fn a_record_of_two_rows_is_read_across_both() {
    let rows = |from: usize, count: usize| -> String {
        let row = |n: usize| {
            let who = NAMES[n * 7 % 4];
            format!(
                "<tr><td rowspan=2><a href=/user/{who}>{who}</a><br>Member</td>\
                 <td>Posted on 2026-03-{:02} 10:30</td></tr><tr><td>{}</td></tr>",
                n + 1,
                prose(n)
            )
        };
        format!("<table>{}</table>", (from..from + count).map(row).collect::<String>())
    };
    let pages = [page("/thread/1", &rows(0, 6)), page("/thread/2", &rows(6, 1))];
    let samples: Vec<Sample<'_>> = pages
        .iter()
        .map(|page| {
            let rows = page.dom.elements().filter(|node| node.name() == "tr");
            let rows: Vec<_> = rows.map(|node| node.id()).collect();
            let span = |nodes: &[_]| Span { nodes: nodes.to_vec(), without: Vec::new(), depth: 0 };
            let spans = rows.chunks(2).map(span).collect();
            Sample { url: &page.url, captured: Some(CAPTURED), dom: &page.dom, spans }
        })
        .collect();
    let best = assign(&samples, &Neighbours::default()).remove(0);
    let record = best.read(&samples[1], &samples[1].spans[0]);
    assert_eq!(record.author.as_deref(), Some(NAMES[42 % 4]));
    assert_eq!(record.time_text.as_deref(), Some("2026-03-07 10:30"));
    let content = best.content(samples[1].dom, &samples[1].spans[0]);
    assert_eq!(visible_text_of(samples[1].dom.node(content[0])), prose(6));
}

#[test]
fn columns_without_a_known_meaning_are_kept_by_the_name_of_their_head() {
    let rows: String = (0..8)
        .map(|n| {
            format!(
                "<tr class=row><td>{}</td><td>{}.50 €</td><td>{} kg</td></tr>",
                prose(n),
                3 + n * n,
                n * 5 % 7
            )
        })
        .collect();
    let html = format!("<table><tr><th>What</th><th>Price</th><th>Weight</th></tr>{rows}</table>");
    let (best, records, _) = learn(&[page("/goods", &html)], "row");
    assert_ne!(best.kind, Kind::Thread);
    assert_eq!(records[2].fields.get("price").map(String::as_str), Some("7.50 €"));
    assert!(records[2].fields.contains_key("weight"), "{:?}", records[2].fields);
}

#[test]
fn an_assignment_is_saved_and_read_again() {
    let pages = post_pages(|n, who| {
        format!(
            "<div class=post><a href=/user/{who}>{who}</a> <i>2026-03-{:02}</i><p>{}</p></div>",
            n + 1,
            prose(n)
        )
    });
    let (best, ..) = learn(&pages, "post");
    let saved = serde_json::to_string(&best).unwrap();
    assert_eq!(serde_json::from_str::<Assignment>(&saved).unwrap(), best);
    let shown = best.fields[&Field::Time][0].to_string();
    assert!(shown.starts_with("/div") && shown.ends_with(" date"), "{shown}");
}

#[test]
fn no_records_make_no_assignment_and_empty_ones_do_no_harm() {
    let empty = page("/", "<p class=post></p><p class=post></p>");
    assert!(assign(&[sample(&empty, "none")], &Neighbours::default()).is_empty());
    assert!(assign(&[sample(&empty, "post")], &Neighbours::default()).is_empty());
    let deep = format!(
        "<div class=post>{}{}{}</div>",
        "<div>".repeat(200),
        u64::MAX,
        "</div>".repeat(200)
    );
    let deep = page("/", &deep.repeat(3));
    assert!(
        assign(&[sample(&deep, "post")], &Neighbours::default()).is_empty(),
        "all say the same"
    );
}
