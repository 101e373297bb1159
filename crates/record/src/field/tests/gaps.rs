//! What some records have elsewhere, in other words, or not at all.

use super::{NAMES, Page, answered, learn, list_pages, page, post_pages, prose, question, sample};
use crate::field::{Neighbours, Sample, assign};
use crate::{Kind, Record};

fn authors(records: &[Record]) -> Vec<Option<&str>> {
    records.iter().map(|record| record.author.as_deref()).collect()
}

const GUESTS: [&str; 3] = ["passer-by", "Former member", "Tom (no account)"];

/// A member with a link, or a guest without: every fifth.
fn writer(n: usize, who: &str) -> (String, String) {
    let guest = GUESTS[n % 3];
    match n % 5 {
        3 => (guest.to_owned(), format!("<span>{guest}</span>")),
        _ => (who.to_owned(), format!("<a href=/user/{who}>{who}</a>")),
    }
}

#[test]
fn an_anchor_without_a_text_is_not_the_name_of_a_guest() {
    let pages = post_pages(|n, who| {
        format!(
            "<div class=post><div class=pane><a name=p{n}></a>{}<br><small>Posts: {n}</small></div>\
             <div class=said><i>2026-03-{:02} 10:30</i><div>{}</div></div></div>",
            writer(n, who).1,
            n + 1,
            prose(n)
        )
    });
    let (best, records, _) = learn(&pages, "post");
    assert_eq!(best.kind, Kind::Post);
    for (n, author) in authors(&records).into_iter().enumerate() {
        assert_eq!(author, Some(writer(n, NAMES[n * 7 % 4]).0.as_str()), "post {n}");
    }
}

#[test]
fn the_next_link_of_a_row_is_not_the_name_of_a_guest() {
    let pages = list_pages(|n, first, last| {
        format!(
            "<li class=row><h3><a href=/thread/{n}>{}</a></h3><p>by {}</p><p>{n} replies, last {} \
             {}</p></li>",
            question(n),
            writer(n, first).1,
            writer(n + 2, last).1,
            answered(n)
        )
    });
    let (best, records, _) = learn(&pages, "row");
    assert_eq!(best.kind, Kind::Thread);
    let is_guest =
        |name: &Option<String>| name.as_deref().is_some_and(|name| GUESTS.contains(&name));
    for (n, record) in records.iter().enumerate() {
        assert_eq!(is_guest(&record.author), n % 5 == 3, "{:?}", record.author);
        assert_eq!(is_guest(&record.last_author), n % 5 == 1, "{:?}", record.last_author);
    }
}

#[test]
fn an_advert_is_not_the_author_of_a_guests_post() {
    let pages = post_pages(|n, who| {
        let advert = match n % 5 {
            3 => "<div class=ad><a href=http://shop.example/lamps>Lamps</a></div>",
            _ => "",
        };
        format!(
            "<div class=post><div class=line>{} <i>2026-03-{:02} 10:30</i></div>{advert}\
             <div class=text>{}</div></div>",
            writer(n, who).1,
            n + 1,
            prose(n)
        )
    });
    let (_, records, _) = learn(&pages, "post");
    let guests = authors(&records).into_iter().skip(3).step_by(5).collect::<Vec<_>>();
    assert_eq!(guests, [Some(GUESTS[0]), Some(GUESTS[2])]);
}

#[test]
fn a_link_to_the_post_itself_is_not_the_name_of_a_guest() {
    let pages = post_pages(|n, who| {
        let member = NAMES.iter().position(|name| *name == who).unwrap();
        let name = match n % 5 {
            3 => format!("<span class=signed>{}</span>", GUESTS[n % 3]),
            _ => format!("<a class=signed href=/user{member}.html>{who}</a>"),
        };
        format!(
            "<div class=post><a href=/thread{n}.html>No. {n}</a> {name} <i>2026-03-{:02} 10:30</i>\
             <div>{}</div></div>",
            n + 1,
            prose(n)
        )
    });
    let (_, records, _) = learn(&pages, "post");
    assert_eq!(authors(&records)[3], Some(GUESTS[0]));
    assert_eq!(authors(&records)[4], Some(NAMES[28 % 4]));
}

#[test]
fn members_are_linked_to_with_a_number_and_without() {
    let keys = ["2g", "3f", "i", "4k"];
    let pages = list_pages(|n, first, _| {
        let key = keys[NAMES.iter().position(|name| *name == first).unwrap()];
        format!(
            "<div class=row><h3><a href=/t/{n}>{}</a></h3><a href=/@{key}>{first}</a> <i>{}</i></div>",
            question(n),
            answered(n)
        )
    });
    let (_, records, _) = learn(&pages, "row");
    assert_eq!(authors(&records)[..4], NAMES.map(Some));
}

#[test]
fn the_first_letter_in_place_of_a_picture_is_not_a_name() {
    let pages = list_pages(|n, first, _| {
        let letter = first.chars().next().unwrap();
        let face = match n % 5 {
            3 => "<span class=face title='Former member'>F</span>".to_owned(),
            _ => {
                format!("<a class=face href=/user/{first} title={first}><span>{letter}</span></a>")
            }
        };
        format!(
            "<div class=row>{face}<h3><a href=/thread/{n}>{}</a></h3><i>{}</i></div>",
            question(n),
            answered(n)
        )
    });
    let (_, records, _) = learn(&pages, "row");
    assert_eq!(authors(&records)[2..4], [Some(NAMES[10 % 4]), Some("Former member")]);
}

#[test]
fn answers_are_counted_by_what_says_so_and_words_without_a_number_say_none() {
    let pages = list_pages(|n, first, _| {
        let answers = match n % 4 {
            0 => "discuss".to_owned(),
            left => format!("{} comments", 10 * left + n),
        };
        format!(
            "<div class=row><b class=score>{}</b><h3><a href=/thread/{n}>{}</a></h3>\
             <a href=/user/{first}>{first}</a> <i>{}</i> <a href=/thread/{n}>{answers}</a></div>",
            n % 3,
            question(n),
            answered(n)
        )
    });
    let (_, records, _) = learn(&pages, "row");
    let counts: Vec<Option<u64>> = records.iter().map(|record| record.replies).collect();
    assert_eq!(counts[..5], [Some(0), Some(11), Some(22), Some(33), Some(0)]);
}

#[test]
fn counts_that_nothing_speaks_for_are_left_to_the_proofs() {
    let pages = list_pages(|n, first, _| {
        format!(
            "<tr class=row><td><a href=/thread/{n}>{}</a></td><td><a href=/user/{first}>{first}</a></td>\
             <td>{}</td><td>{}</td><td>{}</td></tr>",
            question(n),
            5 * n % 7,
            5 * n % 7 + 30 + n,
            answered(n)
        )
        .replace("<tr", "<table><tr")
        .replace("</tr>", "</tr></table>")
    });
    let samples: Vec<_> = pages.iter().map(|page| sample(page, "row")).collect();
    let ways = assign(&samples, &Neighbours::default());
    let counted = |at: usize| ways[at].records(&samples[0])[1].replies;
    assert_eq!((counted(0), counted(1)), (Some(5), Some(36)));
}

#[test]
fn a_title_that_tells_a_date_does_not_make_one_of_a_name() {
    let pages = list_pages(|n, first, _| {
        format!(
            "<li class=row><h3><a href=/thread/{n}>{}</a></h3><a class=who href=/user/{first} \
             title='Started by {first} on 2026-03-{:02} 03:55'>{first}</a> <i>{}</i></li>",
            question(n),
            n + 1,
            answered(n)
        )
    });
    let (_, records, _) = learn(&pages, "row");
    assert!(records.iter().all(|record| NAMES.contains(&record.author.as_deref().unwrap())));
}

#[test]
fn a_date_is_shown_where_nobody_knows_when_the_page_was_captured() {
    let post = |n: usize| {
        format!(
            "<div class=post><b><a href=/user/{0}>{0}</a></b> <i>Sunday {1}th March</i><div>{2}</div></div>",
            NAMES[n * 7 % 4],
            n + 10,
            prose(n)
        )
    };
    let pages: Vec<Page> = vec![page("/thread/1", &(0..6).map(post).collect::<String>())];
    let sample = Sample { captured: None, ..sample(&pages[0], "post") };
    let best = assign(std::slice::from_ref(&sample), &Neighbours::default()).remove(0);
    let record = &best.records(&sample)[2];
    assert_eq!(record.time, None);
    assert!(record.time_text.as_deref().unwrap().contains("12th March"), "{:?}", record.time_text);
}

#[test]
fn a_subject_that_answers_the_title_of_its_page_is_no_name() {
    let titles = ["Leaking pumps", "Lost hinges", "Bright lamps"];
    // One person writes nearly everything, so that the subject varies as much as the name.
    let posts = |title: &str, count: usize| -> String {
        let post = |n: usize| {
            let who = if n == 4 { "bob" } else { "ann" };
            // The first post has the title as it is: what is before it is no label of a column.
            let answer = if n == 0 { "" } else { "Re : " };
            format!(
                "<div class=post><span>{who}</span><i>2026-03-{:02} 10:30</i>\
                 <h2 class=title>{answer}{title}</h2><div class=text>{}</div></div>",
                n + 1,
                prose(n)
            )
        };
        (0..count).map(post).collect()
    };
    let pages: Vec<Page> = (1..)
        .zip(titles)
        .map(|(n, title)| page(&format!("/thread/{n}"), &posts(title, 5)))
        .collect();
    let mut around = Neighbours::default();
    for (page, title) in pages.iter().zip(titles) {
        around.add(&page.url, 0, vec![title.to_owned()]);
    }
    let samples: Vec<_> = pages.iter().map(|page| sample(page, "post")).collect();
    let best = assign(&samples, &around).remove(0);
    let records = best.records(&samples[0]);
    assert_eq!(records[0].author.as_deref(), Some("ann"));
    assert_eq!(records[4].author.as_deref(), Some("bob"));
}

#[test]
fn a_time_for_machines_is_told_as_the_page_shows_it() {
    let pages = post_pages(|n, who| {
        // Some posts show no time of their own, so that only the hidden one is in all of them.
        let shown = match n % 4 {
            3 => String::new(),
            _ => format!("<time datetime='2026-03-{:02}T10:30:00Z'>{} March</time>", n + 1, n + 1),
        };
        format!(
            "<div class=post><meta itemprop=dateCreated content='2026-03-{:02}T10:30:00Z'>\
             <a href=/u/{who}>{who}</a> {shown}<div class=text>{}</div></div>",
            n + 1,
            prose(n)
        )
    });
    let (_, records, _) = learn(&pages, "post");
    assert_eq!(records[2].time_text.as_deref(), Some("3 March"));
    let unix = records[3].time.as_ref().map(|time| time.to_rfc3339());
    assert_eq!(unix.as_deref(), Some("2026-03-04T10:30:00Z"));
}
