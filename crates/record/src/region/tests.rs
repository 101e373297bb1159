//! What the pages of forums do to those who look for records, one page maker a habit.

use super::{Region, fdre, mdr, regions};
use page::tree::{Dom, parse_str};

/// Words that differ from record to record.
fn words(seed: usize) -> String {
    const WORDS: [&str; 12] = [
        "lathe", "kettle", "harbour", "violet", "engine", "paper", "window", "garden", "copper",
        "ladder", "morning", "signal",
    ];
    (0..9)
        .map(|at| WORDS[(seed * 7 + at * (seed % 5 + 1)) % WORDS.len()])
        .collect::<Vec<_>>()
        .join(" ")
}

fn author(seed: usize) -> String {
    format!(
        "<a class=who href=/user/{0}>{1}</a>",
        seed % 7,
        ["Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus"][seed % 7]
    )
}

fn date(seed: usize) -> String {
    format!("2024-0{}-1{} 1{}:0{}", seed % 9 + 1, seed % 8, seed % 9, seed % 7)
}

/// A page with a frame around what is given.
fn page(seed: usize, records: &str) -> Dom {
    let html = format!(
        "<body class='board state-{seed}'><div id=menu><a href=/>Home</a> <a href=/search>Search</a></div>\
         <h1>About the {}</h1><div id=main>{records}</div><p>Powered by a forum</p>",
        words(seed)
    );
    parse_str(&html).dom
}

/// Pages with these numbers of records, each written from its number on the site and on the page.
fn pages(counts: &[usize], record: impl Fn(usize, usize) -> String) -> Vec<Dom> {
    let make = |(at, count): (usize, &usize)| {
        page(at, &(0..*count).map(|nth| record(at * 31 + nth * 3 + 1, nth)).collect::<String>())
    };
    counts.iter().enumerate().map(make).collect()
}

fn best(pages: &[Dom]) -> Region {
    let pages: Vec<&Dom> = pages.iter().collect();
    regions(&pages).into_iter().next().expect("a region").region
}

/// That the best region has these numbers of records, each with exactly one author, date and text.
fn assert_records(pages: &[Dom], counts: &[usize]) -> Region {
    let region = best(pages);
    for (dom, count) in pages.iter().zip(counts) {
        let spans = region.find(dom);
        assert_eq!(spans.len(), *count, "{region}");
        for text in spans.iter().map(|span| span.text(dom)) {
            assert_eq!(text.matches("2024-").count(), 1, "{region}: {text}");
            assert!(text.split_whitespace().count() >= 11, "{region}: {text}");
        }
    }
    region
}

const COUNTS: [usize; 4] = [5, 1, 3, 8];

#[test]
fn a_thread_with_one_post_is_learned_from_the_others() {
    let made = pages(&COUNTS, |seed, _| {
        format!("<div class=post>{}<i>{}</i><p>{}</p></div>", author(seed), date(seed), words(seed))
    });
    assert_records(&made, &COUNTS);
}

#[test]
fn alternating_and_state_classes_do_not_part_a_region() {
    let made = pages(&COUNTS, |seed, nth| {
        let class = [["odd", "even"][nth % 2], ["", "first"][usize::from(nth == 0)]].join(" ");
        format!(
            "<li class='{class}'>{}<i>{}</i><p>{}</p></li>",
            author(seed),
            date(seed),
            words(seed)
        )
    });
    assert_records(&made, &COUNTS);
}

#[test]
fn the_author_beside_the_text_is_part_of_the_record() {
    let made = pages(&COUNTS, |seed, _| {
        format!(
            "<table><tr><td class=pane>{}<br>{} posts</td><td class=body><i>{}</i><div>{}</div></td></tr></table>",
            author(seed),
            seed * 11,
            date(seed),
            words(seed)
        )
    });
    let region = assert_records(&made, &COUNTS);
    let first = region.find(&made[0])[0].text(&made[0]);
    assert!(first.contains("posts") && first.contains("Bo"), "{region}: {first}");
}

#[test]
fn a_header_row_and_a_body_row_are_one_record() {
    let made = pages(&COUNTS, |seed, _| {
        format!("<dt>{} <i>{}</i></dt><dd>{}</dd>", author(seed), date(seed), words(seed))
    });
    let region = assert_records(&made, &COUNTS);
    assert!(region.find(&made[0]).iter().all(|span| span.nodes.len() >= 2), "{region}");
}

#[test]
fn a_term_belongs_to_the_description_that_has_the_date() {
    let made = pages(&COUNTS, |seed, _| {
        let (title, who, when) = (words(seed), author(seed), date(seed));
        format!("<dt><a href=/t/{seed}>{title}</a></dt><dd>Raised by {who} on {when}.</dd>")
    });
    let region = assert_records(&made, &COUNTS);
    assert!(region.find(&made[0]).iter().all(|span| span.nodes.len() >= 2), "{region}");
}

#[test]
fn rows_without_a_class_are_told_apart_by_their_cells() {
    let made: Vec<Dom> = COUNTS
        .iter()
        .enumerate()
        .map(|(at, count)| {
            let post = |nth: usize| {
                let seed = at * 31 + nth * 3 + 1;
                let row = ["row1", "row2"][nth % 2];
                format!(
                    "<tr><td class={row}><span class=name>{}</span><br>{} posts</td><td class={row}>\
                     <table><tr><td><span class=when>{}</span></td></tr><tr><td>{}</td></tr></table></td></tr>\
                     <tr><td class={row}><a href=#top>Up</a></td><td class={row}>Profile</td></tr>\
                     <tr><td class=gap colspan=2></td></tr>",
                    author(seed), seed * 11, date(seed), words(seed)
                )
            };
            let rows: String = (0..*count).map(post).collect();
            page(at, &format!("<table class=lines><tr><th>Author<th>Text</tr>{rows}</table>"))
        })
        .collect();
    assert_records(&made, &COUNTS);
}

#[test]
fn what_is_between_two_rules_is_a_record() {
    let counts = [5, 1, 3, 8];
    let made: Vec<Dom> = counts
        .iter()
        .enumerate()
        .map(|(at, count)| {
            let post = |nth: usize| {
                let seed = at * 31 + nth * 3 + 1;
                let advert = if nth == 2 { "<a href=/buy>Kettles for all</a><hr>" } else { "" };
                format!(
                    "{advert}<a name=a{seed}></a>Posted by {} on {} (<a href=#a{seed}>{nth}</a>)<br><br>\
                     {}<br><br>{}<br><form><input type=submit></form><hr>",
                    author(seed), date(seed), words(seed), words(seed + 2)
                )
            };
            let posts: String = (0..*count).map(post).collect();
            let html = format!(
                "<h2>{}</h2><a href=/>Front</a> | <a href=/in>Enter</a><hr><a href=/b>Board</a><br><hr>\
                 {posts}Page 1 <a href=/2>2</a> <br><address>The keeper</address>",
                words(at)
            );
            parse_str(&html).dom
        })
        .collect();
    assert_records(&made, &counts);
}

#[test]
fn a_guest_whose_pane_is_empty_has_written_a_post() {
    let made = pages(&COUNTS, |seed, nth| {
        let pane = if nth == 2 {
            "<td class=pane>A guest</td>".to_owned()
        } else {
            let rank = ["Novice", "Regular", "Master"][seed % 3];
            format!(
                "<td class=pane><b class=nick>{}</b><p class=rank>{rank}</p><ul class=sums>\
                 <li class=posts><b>{}</b></li><li class=town><i>{}</i></li><li class=age><u>{}</u></li></ul></td>",
                author(seed),
                seed * 11,
                rank.len() * seed,
                seed % 60
            )
        };
        format!(
            "<table><tr>{pane}<td class=body><div>{}</div><p>{} {}</p></td></tr></table>",
            date(seed),
            words(seed),
            words(seed + 1)
        )
    });
    assert_records(&made, &COUNTS);
}

#[test]
fn separators_and_adverts_between_records_are_left_out() {
    let made: Vec<Dom> = COUNTS
        .iter()
        .enumerate()
        .map(|(at, count)| {
            let row = |nth: usize| {
                let seed = at * 31 + nth * 3 + 1;
                let between = match nth {
                    1 => "<tr><td colspan=3><strong>Important threads</strong></td></tr>",
                    2 => "<tr><td colspan=3><b>Buy our kettles today</b></td></tr>",
                    _ => "",
                };
                format!(
                    "{between}<tr><td><a href=/t/{seed}>{}</a></td><td>{}</td><td><i>{}</i></td></tr>",
                    words(seed), author(seed), date(seed)
                )
            };
            let rows: String = (0..*count).map(row).collect();
            page(at, &format!("<table><tr><th>Thread<th>Author<th>When</tr>{rows}</table>"))
        })
        .collect();
    assert_records(&made, &COUNTS);
}

#[test]
fn answers_inside_answers_are_records_of_their_own_with_their_level() {
    let comment = |seed: usize, inner: &str| {
        format!(
            "<div class=comment><div class=head>{}<i>{}</i></div><p>{}</p>{inner}</div>",
            author(seed),
            date(seed),
            words(seed)
        )
    };
    let made: Vec<Dom> = (0..4)
        .map(|at| {
            let seed = at * 31 + 1;
            let deep = comment(seed + 2, &comment(seed + 5, ""));
            let both = comment(seed, &format!("{deep}{}", comment(seed + 3, "")));
            page(
                at,
                &format!(
                    "{both}{}",
                    (0..=at).map(|nth| comment(seed + 8 + nth, "")).collect::<String>()
                ),
            )
        })
        .collect();
    let region = assert_records(&made, &[5, 6, 7, 8]);
    let depths: Vec<u16> = region.find(&made[0]).iter().map(|span| span.depth).collect();
    assert_eq!(depths, [0, 1, 2, 1, 0]);
}

#[test]
fn a_first_post_unlike_the_answers_is_a_record() {
    let counts = [4, 6, 3, 5];
    let made: Vec<Dom> = counts
        .iter()
        .enumerate()
        .map(|(at, count)| {
            let post = |nth: usize| {
                let seed = at * 31 + nth * 3 + 1;
                let inside = format!(
                    "<span class=by>{}</span><span class=when>{}</span><div class=text>{} {}</div>",
                    author(seed),
                    date(seed),
                    words(seed),
                    words(seed + 1)
                );
                if nth == 0 {
                    format!("<section class=question><header class=q>{inside}</header></section>")
                } else {
                    format!("<li class=answer>{inside}</li>")
                }
            };
            let answers: String = (1..*count).map(post).collect();
            page(at, &format!("{}<ul>{answers}</ul>", post(0)))
        })
        .collect();
    assert_records(&made, &counts);
}

#[test]
fn an_article_above_its_comments_is_a_record() {
    let counts = [4, 6, 3, 5];
    let made = counts.iter().enumerate().map(|(at, count)| {
        let seed = |nth: usize| at * 31 + nth * 3 + 1;
        let comment = |nth: usize| {
            let (who, when, what) = (author(seed(nth)), date(seed(nth)), words(seed(nth)));
            format!("<li id=c{at}{nth}><b>{who}</b> <u>{when}</u><div>{what}</div></li>")
        };
        let comments: String = (1..*count).map(comment).collect();
        let article = format!(
            "<article class=entry><h2 class=name>On the {}</h2><div class=prose><p>{}</p><p>{}</p></div>\
             <footer class=meta><em>{}</em><time>{}</time></footer></article>",
            words(seed(5)),
            words(seed(0)),
            words(seed(7)),
            author(seed(0)),
            date(seed(0))
        );
        page(at, &format!("{article}<ol>{comments}</ol>"))
    });
    assert_records(&made.collect::<Vec<_>>(), &counts);
}

#[test]
fn what_is_sent_to_those_who_run_no_scripts_has_records() {
    let counts = [5, 3, 6];
    let made = pages(&counts, |seed, _| {
        let (who, when) = (author(seed), date(seed));
        let text = [words(seed), words(seed + 1), words(seed + 2)].join(" ");
        format!("<article><h3>{who}</h3><time>{when}</time><div>{text}</div></article>")
    });
    let made = made.iter().map(|dom| {
        let html = page::tree::serialise(dom);
        let held = format!("<div id=app>Loading</div><noscript>{html}</noscript>");
        page::tree::unscripted(&parse_str(&held).dom).expect("much is held")
    });
    assert_records(&made.collect::<Vec<_>>(), &counts);
}

#[test]
fn a_learned_region_survives_being_stored() {
    let made = pages(&COUNTS, |seed, _| {
        format!(
            "<div id=p{seed}1 class=post>{}<i>{}</i><p>{}</p></div>",
            author(seed),
            date(seed),
            words(seed)
        )
    });
    let region = best(&made);
    let stored = serde_json::to_string(&region).expect("a region is plain data");
    assert_eq!(serde_json::from_str::<Region>(&stored).expect("it was just written"), region);
}

#[test]
fn pages_with_nothing_on_them_have_no_regions() {
    let empty = parse_str("").dom;
    assert!(regions(&[]).is_empty());
    assert!(regions(&[&empty, &empty]).is_empty());
    assert!(fdre(&empty).is_empty());
    assert!(mdr(&empty).is_empty());
}

#[test]
fn deep_and_wide_pages_take_no_stack_and_little_time() {
    let deep = parse_str(&"<div class=a>x".repeat(3_000)).dom;
    let wide = parse_str(&"<p class=a>x<b>y</b>".repeat(20_000)).dom;
    regions(&[&deep, &wide]);
    for dom in [&deep, &wide] {
        fdre(dom);
        mdr(dom);
    }
}

#[test]
fn one_page_mining_takes_dated_rows_before_menus() {
    let made = &pages(&[6], |seed, _| {
        format!("<div class=post>{}<i>{}</i><p>{}</p></div>", author(seed), date(seed), words(seed))
    })[0];
    assert_eq!(fdre(made)[0].len(), 6);
    assert_eq!(mdr(made)[0].len(), 6);
    assert_eq!(regions(&[made])[0].region.find(made).len(), 6);
}

#[test]
fn the_head_of_a_table_is_no_record_however_few_rows_it_has() {
    let pages: Vec<String> = (0..6)
        .map(|n| {
            format!(
                "<table class=talk><tr><th>Author</th><th>On the matter of {n}</th></tr>\
                 <tr><td>ann{n}</td><td>2026-01-0{} What was said about {n} is this, and no more.</td></tr></table>",
                n + 1
            )
        })
        .collect();
    let made: Vec<Dom> = pages.iter().map(|html| parse_str(html).dom).collect();
    let trees: Vec<&Dom> = made.iter().collect();
    let found = regions(&trees);
    let rows = found.iter().filter(|candidate| candidate.region.to_string().ends_with("tr"));
    for candidate in rows {
        let texts = trees
            .iter()
            .flat_map(|dom| candidate.region.find(dom).into_iter().map(|span| span.text(dom)));
        assert!(texts.into_iter().all(|text| !text.contains("Author")), "{}", candidate.region);
    }
    assert!(!found.is_empty());
}
