//! What a site does on every page is done on a few of them, and nothing is lost by that.

use std::sync::Arc;

use crawl::{Crawl, DEFAULT_COMPLETENESS, Report, Settings};
use page::tree::{parse, restore, visible_text};
use store::{CatalogWriter, PageNumber, PageRow, Which};

use crate::own::serve;

pub(crate) const PAGES: usize = 12;
/// Words without numbers, so that no two pages differ in digits alone.
pub(crate) const WORDS: [&str; PAGES] = [
    "amber", "birch", "cedar", "daisy", "ember", "fjord", "grove", "heath", "ivory", "jasper",
    "karst", "lichen",
];

pub(crate) struct Crawled {
    pub(crate) report: Report,
    pages: Vec<PageRow>,
    texts: Vec<String>,
}

impl Crawled {
    pub(crate) fn showing(&self, text: &str) -> usize {
        self.texts.iter().filter(|shown| shown.contains(text)).count()
    }

    fn visited(&self, part: &str) -> usize {
        let is_visited =
            |page: &&PageRow| page.url.contains(part) && page.condition != store::PageStatus::Held;
        self.pages.iter().filter(is_visited).count()
    }
}

pub(crate) async fn crawl(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Crawled {
    crawl_until(DEFAULT_COMPLETENESS, answer).await
}

pub(crate) async fn crawl_until(
    completeness: f64,
    answer: impl Fn(&str) -> String + Send + Sync + 'static,
) -> Crawled {
    let url = serve(answer).await;
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    let start = vec![url.parse().unwrap()];
    let settings = Settings { tabs: 1, completeness, ..Settings::new(start) };
    let report = Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap();
    let pages = catalog.pages(PageNumber(0)).await.unwrap();
    let mut texts = Vec::new();
    for page in &pages {
        if let Some(version) = catalog.version(page.page, Which::Latest).await.unwrap() {
            let dom = match (&version.snapshot, &version.body) {
                (Some(snapshot), _) => restore(std::str::from_utf8(snapshot).unwrap()).unwrap(),
                (None, body) => parse(body.as_deref().unwrap_or_default(), None).dom,
            };
            texts.push(visible_text(&dom));
        }
    }
    Crawled { report, pages, texts }
}

/// A list of all articles.
pub(crate) fn list(prefix: &str) -> String {
    let item = |(n, word): (usize, &&str)| format!("<li><a href='{prefix}{n}'>{word}</a></li>");
    format!("<ul>{}</ul>", WORDS.iter().enumerate().map(item).collect::<String>())
}

/// The number at the end of a path, and its word.
pub(crate) fn article(path: &str) -> (usize, &'static str) {
    let digits = path.trim_start_matches(|c: char| !c.is_ascii_digit());
    let number: usize = digits.parse().unwrap_or(0);
    (number, WORDS[number % PAGES])
}

/// A button that puts a text into the page, by a closure of its own.
fn button(label: &str, shows: &str) -> String {
    format!(
        "<p><button class='{label}'>{label}</button></p><script>
         document.querySelector('.{label}').addEventListener('click', () => {{
           const shown = document.createElement('div');
           shown.innerHTML = `{shows}`;
           document.body.append(shown);
         }})</script>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_go_where_they_say_are_followed_and_seldom_clicked() {
    let crawled = crawl(|path| {
        let (_, word) = article(path);
        let listen = "<script>for (const a of document.querySelectorAll('a')) a.addEventListener('click', () => {})</script>";
        match path {
            "/" => format!("<h1>All</h1>{}{listen}", list("/article/")),
            _ => format!("<h1>About {word}</h1>{}{listen}", list("/article/")),
        }
    })
    .await;
    assert_eq!(crawled.report.pages, PAGES as i64 + 1);
    assert!(crawled.report.events_fired <= 20, "{} clicks", crawled.report.events_fired);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_a_script_answers_are_clicked_on_every_page() {
    let crawled = crawl(|path| {
        let (_, word) = article(path);
        let script = format!(
            "<a href=/about>more</a><p id=p></p><script>document.querySelector('a').addEventListener('click', event => {{
               event.preventDefault();
               p.textContent = 'More about {word}';
             }})</script>"
        );
        match path {
            "/" => list("/article/"),
            "/about" => "<h1>About us</h1>".into(),
            _ => format!("<h1>On {word}</h1>{script}"),
        }
    })
    .await;
    for word in WORDS {
        assert_eq!(crawled.showing(&format!("More about {word}")), 1, "{word}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_of_every_page_is_opened_on_a_few_and_comments_on_all() {
    let crawled = crawl(|path| {
        let (_, word) = article(path);
        let dialog = button("enter", "<h2>Who are you</h2><p>Tell us your name</p>");
        match path {
            "/" => format!("<h1>All</h1>{}", list("/article/")),
            _ => {
                let comments = button("comments", &format!("<p>A comment on {word}</p>"));
                format!("<h1>About {word}</h1>{comments}{dialog}")
            }
        }
    })
    .await;
    for word in WORDS {
        assert!(crawled.showing(&format!("A comment on {word}")) > 0, "{word}");
    }
    let mut shown_on: Vec<_> = WORDS.to_vec();
    shown_on.retain(|word| {
        let is_shown = |text: &&String| text.contains("Who are you") && text.contains(word);
        crawled.texts.iter().any(|text| is_shown(&text))
    });
    assert!((1..=6).contains(&shown_on.len()), "the dialog was opened on {shown_on:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panel_that_is_the_same_everywhere_is_opened_for_what_lies_behind_it() {
    let crawled = crawl(|path| {
        let (_, word) = article(path);
        match path {
            "/" => format!("<h1>All</h1>{}", list("/article/")),
            _ => format!(
                "<h1>About {word}</h1><p><button class=panel>panel</button></p><div id=d></div><script>
                 document.querySelector('.panel').addEventListener('click', () => {{
                   d.innerHTML = '<p>Choose one</p><button class=deeper>deeper</button><p id=p></p>';
                   document.querySelector('.deeper').addEventListener('click', () => {{
                     p.textContent = 'Deep down in {word}';
                   }});
                 }})</script>"
            ),
        }
    })
    .await;
    for word in WORDS {
        assert!(crawled.showing(&format!("Deep down in {word}")) > 0, "{word}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_show_their_thread_again_are_visited_ever_more_rarely() {
    let crawled = crawl(|path| {
        let thread = path.split('?').next().unwrap_or_default();
        let (number, word) = article(thread);
        let post =
            |n: usize| format!("<p><a href='/thread/{number}?post={n}'>Post {n}</a> of {word}</p>");
        match thread {
            "/" => list("/thread/"),
            _ => format!("<h1>On {word}</h1>{}", (0..10).map(post).collect::<String>()),
        }
    })
    .await;
    for word in WORDS {
        assert!(crawled.showing(&format!("On {word}")) > 0, "{word}");
    }
    let visited = crawled.visited("?post=");
    // Eight to know, eight that are on their way by then, and ever rarer samples.
    assert!((8..=8 + 8 + 6).contains(&visited), "{visited} of {}", 10 * PAGES);
    let told = crawled.report.traps.iter().find(|trap| trap.what == "/thread/*?post=*");
    assert!(told.is_some_and(|told| told.because.starts_with("other addresses show the same")));
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_lead_to_their_thread_are_asked_without_a_browser_and_then_left_out() {
    let crawled = crawl(|path| {
        let (number, word) = article(path);
        let post = |n: usize| format!("<p><a href='/post/{}'>Post {n}</a>", number * 10 + n);
        match path {
            "/" => list("/thread/"),
            path if path.starts_with("/post/") => format!("-> /thread/{}", number / 10),
            _ => format!("<h1>On {word}</h1>{}", (0..10).map(post).collect::<String>()),
        }
    })
    .await;
    for word in WORDS {
        assert_eq!(crawled.showing(&format!("On {word}")), 1, "{word}");
    }
    let visited = crawled.visited("/post/");
    assert!((8..=16).contains(&visited), "{visited} of {}", 10 * PAGES);
    assert!(crawled.report.fetched >= 5, "{:?}", crawled.report);
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_show_something_new_after_all_are_all_visited() {
    let crawled = crawl(|path| {
        let view = |n: usize| format!("<li><a href='/view?n={n}'>view</a></li>");
        match path.strip_prefix("/view?n=").and_then(|n| n.parse::<usize>().ok()) {
            None if path == "/start" => "<h1>The same view</h1>".into(),
            None => format!("<a href=/start>start</a>{}", (0..40).map(view).collect::<String>()),
            Some(0..12) => "<h1>The same view</h1>".into(),
            Some(n) => format!("<h1>Another view, {} {n}</h1>", WORDS[n % PAGES]),
        }
    })
    .await;
    for n in 12..40 {
        let view = format!("Another view, {} {n}", WORDS[n % PAGES]);
        assert_eq!(crawled.showing(&view), 1, "{view} of {:?}", crawled.report.traps);
    }
    assert_eq!(
        crawled.pages.iter().filter(|page| page.condition == store::PageStatus::Held).count(),
        0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_an_application_are_visited_by_their_addresses_and_explored_there() {
    let crawled = crawl(|path| {
        // Every link is answered by the script, under the link's address; the server knows them all.
        let pages: Vec<String> = WORDS.iter().map(|word| format!("'{word}'")).collect();
        let (start, is_start) = (article(path).0, path == "/");
        format!(
            "<nav>{}</nav><main></main><script>
             const words = [{}];
             function show(n) {{
               const main = document.querySelector('main');
               main.innerHTML = `<h1>About ${{words[n]}}</h1><button>more</button><p></p>`;
               main.querySelector('button').onclick = () => {{
                 main.querySelector('p').textContent = 'More about ' + words[n];
               }};
             }}
             for (const link of document.querySelectorAll('nav a')) link.addEventListener('click', event => {{
               event.preventDefault();
               history.pushState(null, '', link.href);
               show(Number(link.href.split('/').pop()));
             }});
             if (!{is_start}) show({start});
             </script>",
            list("/article/"),
            pages.join(",")
        )
    })
    .await;
    for word in WORDS {
        assert!(crawled.showing(&format!("More about {word}")) > 0, "{word}");
    }
    // Each page in each document would be PAGES * PAGES, each with a button to press. Six are audits.
    assert!(crawled.report.events_fired <= 10 * PAGES as i64, "{:?}", crawled.report);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_an_application_that_the_server_does_not_know_are_explored_where_they_are() {
    let crawled = crawl(|_| {
        let pages: Vec<String> = WORDS.iter().map(|word| format!("'{word}'")).collect();
        format!(
            "<nav>{}</nav><main><h1>Welcome</h1></main><script>
             const words = [{}];
             for (const link of document.querySelectorAll('nav a')) link.addEventListener('click', event => {{
               event.preventDefault();
               history.pushState(null, '', link.href);
               const word = words[Number(link.href.split('/').pop())];
               const main = document.querySelector('main');
               main.innerHTML = `<h1>About ${{word}}</h1><button>more</button><p></p>`;
               main.querySelector('button').onclick = () => {{
                 main.querySelector('p').textContent = 'More about ' + word;
               }};
             }});
             </script>",
            list("/article/"),
            pages.join(",")
        )
    })
    .await;
    for word in WORDS {
        assert!(crawled.showing(&format!("More about {word}")) > 0, "{word}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_follows_is_found_by_the_head_of_a_page() {
    let crawled = crawl(|path| match path {
        "/" => "<link rel=next href='/?from=2'><h1>First</h1>".into(),
        "/?from=2" => {
            "<link rel='prev' href='/'><link rel=next href='/?from=3'><h1>Second</h1>".into()
        }
        _ => "<h1>Third</h1>".into(),
    })
    .await;
    assert_eq!(crawled.showing("Third"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_says_about_a_refused_request_is_kept_once() {
    let crawled = crawl(|path| {
        let (_, word) = article(path);
        match path {
            "/" => list("/article/"),
            _ => format!(
                "<h1>About {word}</h1><button>more</button><p></p><script>
                 document.querySelector('button').onclick = () =>
                   fetch('/api/rate', {{ method: 'POST' }}).catch(() => {{
                     document.querySelector('p').textContent = 'Could not connect';
                   }});
                 </script>"
            ),
        }
    })
    .await;
    assert_eq!(
        crawled.visited("/article/"),
        PAGES + 1,
        "one page twice: as it is, and with the excuse"
    );
    assert_eq!(crawled.showing("Could not connect"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_leads_to_one_page_from_everywhere_is_pressed_on_a_few() {
    let crawled = crawl(|path| {
        let (_, word) = article(path);
        let search = "<form action=/found><input name=q><button style='cursor: pointer'>Find</button></form>";
        // The other button leads on from page to page, and is the only way.
        let next = |n: usize| format!("<button onclick=\"location='/article/{n}'\">On</button>");
        match path {
            "/" => format!("<h1>Start</h1>{search}{}", next(0)),
            "/found?q=" => "<h1>Nothing found</h1>".into(),
            _ if article(path).0 + 1 < PAGES => {
                format!("<h1>On {word}</h1>{search}{}", next(article(path).0 + 1))
            }
            _ => format!("<h1>On {word}</h1>{search}"),
        }
    })
    .await;
    assert_eq!(crawled.showing("On lichen"), 1, "the last of {:?}", crawled.texts);
    assert_eq!(crawled.showing("Nothing found"), 1);
    let pressed = crawled.report.events_fired - PAGES as i64;
    assert!((1..=8).contains(&pressed), "{:?}", crawled.report);
}
