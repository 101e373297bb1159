//! What is claimed of a class can be wrong: then all that it deferred is taken.

use crate::habits::{PAGES, WORDS, article, crawl, crawl_until, list};

/// So little may be missed that every claim is tried in all of its documents.
const NEARLY_ALL: f64 = 0.999_999_999;

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_was_wrong_lets_go_what_it_deferred_on_pages_that_were_done() {
    const SILENT: usize = 3;
    let crawled = crawl(|path| match path {
        "/" => list("/a/"),
        _ => {
            let (number, word) = article(path);
            // One function on all pages, which has something to show on most of them.
            let note = if number < SILENT { String::new() } else { format!("a note on {word}") };
            format!(
                "<h1>{word}</h1><p data-note='{note}'><button onclick='tell()'>Note</button></p>
                 <script>function tell() {{
                   const shown = document.createElement('div');
                   shown.textContent = document.querySelector('p').dataset.note;
                   document.body.append(shown);
                 }}</script>"
            )
        }
    })
    .await;
    let is_lost = |word: &&&str| crawled.showing(&format!("a note on {word}")) == 0;
    let lost: Vec<_> = WORDS[SILENT..].iter().filter(is_lost).collect();
    assert!(lost.is_empty(), "{lost:?} are lost, of {:?}", crawled.report.beliefs);
    assert!(crawled.report.beliefs.contradicted > 0, "{:?}", crawled.report.beliefs);
    assert_eq!(crawled.report.beliefs.unrendered, 0, "{:?}", crawled.report.beliefs);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_were_fetched_plainly_are_rendered_once_their_like_needs_a_browser() {
    const ARTICLES: usize = 60;
    // From here on, the script that all of them have writes something into them.
    const WRITTEN: usize = 10;
    let crawled = crawl(|path| match path {
        "/" => (0..ARTICLES).map(|n| format!("<p><a href='/a/{n}'>{n}</a></p>")).collect(),
        "/write.js" => {
            "for (const { dataset: { note } } of document.querySelectorAll('[data-note]'))
                          document.body.append(note);"
                .into()
        }
        _ => {
            let (number, word) = article(path);
            let note = match number {
                WRITTEN.. => format!("<i data-note='a note on {word} {number}'></i>"),
                _ => "<i data-note=''></i>".to_owned(),
            };
            format!("<h1>{word} {number}</h1>{note}<script src='/write.js'></script>")
        }
    })
    .await;
    let is_lost = |n: &usize| crawled.showing(&format!("a note on {} {n}", WORDS[n % PAGES])) == 0;
    let lost: Vec<_> = (WRITTEN..ARTICLES).filter(is_lost).collect();
    assert!(lost.is_empty(), "{lost:?} are lost, of {:?}", crawled.report.beliefs);
    assert!(crawled.report.beliefs.contradicted > 0, "{:?}", crawled.report.beliefs);
    let asked = crawled.report.requests.network;
    assert!(asked < 2 * ARTICLES as i64, "{asked} requests");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_can_do_the_same_are_fetched_plainly_whatever_their_type_and_no_others() {
    const ARTICLES: usize = 60;
    const TAGS: [&str; 6] = ["main", "section", "article", "aside", "header", "footer"];
    // From here on, pages have what the script that all of them load looks for.
    const REMARKED: usize = 48;
    let crawled = crawl(|path| match path {
        "/" => (0..ARTICLES).map(|n| format!("<p><a href='/a{n}.html'>{n}</a></p>")).collect(),
        "/frame.js" => "const box = document.getElementById('remarks');
             if (box) box.append('a remark on ' + document.querySelector('h1').textContent);"
            .into(),
        _ => {
            let (number, word) = article(path.trim_end_matches(".html"));
            let tag = TAGS[number % TAGS.len()];
            let remarks = if number < REMARKED { "" } else { "<i id=remarks></i>" };
            format!(
                "<{tag} class={tag}><{tag}><h1>{word} {number}</h1>{remarks}</{tag}></{tag}>
                 <script src='/frame.js'></script>"
            )
        }
    })
    .await;
    let remark = |n: &usize| format!("a remark on {} {n}", WORDS[n % PAGES]);
    let lost: Vec<_> = (REMARKED..ARTICLES).filter(|n| crawled.showing(&remark(n)) == 0).collect();
    assert!(lost.is_empty(), "{lost:?} are lost, of {:?}", crawled.report.beliefs);
    assert_eq!(crawled.report.beliefs.contradicted, 0, "{:?}", crawled.report.beliefs);
    let rendered = crawled.report.rendered;
    assert!(rendered < 12 + 20, "{rendered} rendered of {}", crawled.report.pages);
}

/// An article with four pages of notes. What a note says is told by the page that one comes from and by the
/// one that one goes to.
fn notes(path: &str, says: &str) -> String {
    let (_, word) = article(path);
    let pager: String =
        (1..=4).map(|n| format!("<a href='javascript:turn({n})'>{n}</a> ")).collect();
    format!(
        "<h1>{word}</h1><p id=p>first of {word}</p><div>{pager}</div>
         <script>let at = 1; function turn(to) {{ p.textContent = {says}; at = to; }}</script>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_means_something_else_in_one_place_lets_go_what_was_known() {
    const ALIKE: usize = 4;
    let crawled = crawl_until(NEARLY_ALL, |path| match path {
        "/" => list("/a/"),
        _ => {
            let (number, word) = article(path);
            let usual = format!("(to == 1 ? 'first' : 'note ' + 'xyzw'[to - 1]) + ' of {word}'");
            // From the third page, the second is another one, on all pages but the first few.
            let special = format!("at == 3 && to == 2 ? 'secret of {word}' : {usual}");
            notes(path, if number < ALIKE { &usual } else { &special })
        }
    })
    .await;
    let is_lost = |word: &&&str| crawled.showing(&format!("secret of {word}")) == 0;
    let lost: Vec<_> = WORDS[ALIKE..].iter().filter(is_lost).collect();
    assert!(lost.is_empty(), "{lost:?} are lost, of {:?}", crawled.report.beliefs);
    for word in WORDS {
        assert_eq!(crawled.showing(&format!("note w of {word}")), 1);
    }
    assert!(crawled.report.beliefs.contradicted > 0, "{:?}", crawled.report.beliefs);
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_were_held_as_copies_are_visited_once_one_is_none() {
    const POSTS: usize = 40;
    const OWN: usize = 25;
    let crawled = crawl_until(NEARLY_ALL, |path| match path.strip_prefix("/post/") {
        None if path == "/" => {
            let post = |n: usize| format!("<p><a href='/post/{n}'>post {n}</a></p>");
            list("/a/") + &(0..POSTS).map(post).collect::<String>()
        }
        Some(number) if number.parse::<usize>().is_ok_and(|number| number >= OWN) => {
            format!(
                "<h1>A post of its own, {}</h1>",
                WORDS[number.parse::<usize>().unwrap() % PAGES]
            )
        }
        _ => format!("<h1>All about {}</h1>", article(path).1),
    })
    .await;
    for word in WORDS {
        assert!(crawled.showing(&format!("A post of its own, {word}")) > 0, "{word} is lost");
    }
    assert_eq!(crawled.report.beliefs.unvisited, 0, "{:?}", crawled.report.beliefs);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_series_that_was_ended_goes_on_once_it_says_something_new() {
    const QUIET: usize = 55;
    let crawled = crawl_until(NEARLY_ALL, |path| {
        let (day, _) = article(path);
        let event = match day {
            QUIET.. if day < QUIET + PAGES => format!("<p>{} regatta", WORDS[day - QUIET]),
            _ => "<p>No events.".into(),
        };
        format!("<h1>Day {day}</h1>{event}</p><a href='/day?n={}'>next day</a>", day + 1)
    })
    .await;
    for word in WORDS {
        assert_eq!(crawled.showing(&format!("{word} regatta")), 1, "{word} is lost");
    }
    assert_eq!(crawled.report.traps.len(), 1, "and it is ended again: {:?}", crawled.report.traps);
}

fn pager(path: &str) -> String {
    match path {
        "/" => (0..60).map(|n| format!("<p><a href='/a/{n}'>{n}</a></p>")).collect(),
        _ => {
            let (number, word) = article(path);
            let usual = "(to == 1 ? 'first' : 'note ' + 'xyzw'[to - 1])";
            notes(path, &format!("{usual} + ' of {word}' + (to == 1 ? '' : ' {number}')"))
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_for_half_gets_half_for_half_the_events_and_is_told_what_is_missing() {
    let (half, all) = (crawl_until(0.5, pager).await, crawl(pager).await);
    assert_eq!(all.report.pages, 1 + 60 * 4);
    let missed = (all.report.pages - half.report.pages) as f64;
    let told = &half.report.beliefs;
    assert!(missed > 30.0 && missed <= 121.0, "{missed} missed, told {told:?}");
    let ratio = told.missed_expected / missed;
    assert!((0.5..=2.0).contains(&ratio), "{missed} missed, told {told:?}");
    assert!(missed <= told.missed_at_most as f64, "{missed} missed, told {told:?}");
    let (fired, of) = (half.report.events_fired, all.report.events_fired);
    assert!(fired * 10 < of * 8, "{fired} events of {of}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_for_everything_has_every_step_taken_and_claims_counted() {
    let crawled = crawl_until(1.0, pager).await;
    let told = &crawled.report.beliefs;
    assert_eq!(crawled.report.pages, 1 + 60 * 4);
    assert_eq!((told.deferred, told.unvisited, told.unexplored, told.unrendered), (0, 0, 0, 0));
    assert!(told.audited > 60 && told.contradicted == 0, "{told:?}");
}
