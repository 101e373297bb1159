//! Small sites in the manner of many engines, mapped.

use url::Url;

use super::{Role, SiteMap};
use crate::{Kind, Source};
use page::tree::{Dom, parse_str};

/// A site of pages: where each is, and what it is.
struct Site(Vec<(Url, Dom)>);

impl Site {
    fn new<P: AsRef<str>, H: AsRef<str>>(pages: impl IntoIterator<Item = (P, H)>) -> Self {
        let base = Url::parse("http://forum.example/").unwrap();
        let read = |(path, html): (P, H)| {
            (base.join(path.as_ref()).unwrap(), parse_str(html.as_ref()).dom)
        };
        Site(pages.into_iter().map(read).collect())
    }

    fn map(&self) -> SiteMap {
        SiteMap::of(&self.sources())
    }

    fn sources(&self) -> Vec<Source<'_>> {
        let pages = self.0.iter();
        pages
            .map(|(url, dom)| Source {
                url,
                page_type: None,
                captured: None,
                rendered: Some(dom),
                raw: None,
            })
            .collect()
    }
}

fn url(path: &str) -> Url {
    Url::parse("http://forum.example/").unwrap().join(path).unwrap()
}

/// A page of a thread, or of anything that has pages: its pager as most engines have it.
fn page(title: &str, number: usize, pages: &[String]) -> String {
    let mut html = format!("<title>{title} - page {number} - A forum</title><h1>{title}</h1><p>");
    for (at, href) in pages.iter().enumerate().filter(|_| pages.len() > 1) {
        match at + 1 == number {
            true => html.push_str(&format!("<b>{number}</b> ")),
            false => html.push_str(&format!("<a href='{href}'>{}</a> ", at + 1)),
        }
    }
    html + "<div class=post>It is the relay, not the lamp, that fails when the kettle is on.</div>"
}

/// How engines number pages: the address of the first, and of the page with a number.
type Family = (&'static str, fn(usize) -> String);

const FAMILIES: [Family; 13] = [
    ("/showthread.php?tid=ID", |n| format!("/showthread.php?tid=ID&page={n}")),
    ("/index.php?topic=ID.0", |n| format!("/index.php?topic=ID.{}", 20 * (n - 1))),
    ("/viewtopic.php?f=2&t=ID", |n| format!("/viewtopic.php?f=2&t=ID&start={}", 15 * (n - 1))),
    ("/viewtopic.php?t=ID", |n| format!("/viewtopic.php?start={}&t=ID", 25 * (n - 1))),
    ("/thread-ID-1-1.html", |n| format!("/thread-ID-{n}-1.html")),
    ("/topic/ID/some-slug", |n| format!("/topic/ID/some-slug?page={n}")),
    ("/d/ID-some-slug", |n| format!("/d/ID-some-slug/{}", 20 * (n - 1))),
    ("/t/some-slug/ID/", |n| format!("/t/some-slug/ID/{n}/")),
    ("/t/some-slug/ID/", |n| format!("/t/some-slug/ID/page/{n}/")),
    ("/threads/some-slug.ID/", |n| format!("/threads/some-slug.ID/page-{n}")),
    ("/some-slug-tID.html", |n| format!("/some-slug-tID-{}.html", 15 * (n - 1))),
    ("/showthread.php?ID-A-title", |n| format!("/showthread.php?ID-A-title/page{n}")),
    ("/t/ID", |n| format!("/t/ID?page={}", n - 1)),
];

/// The addresses of a thread's pages.
fn addresses((first, other): Family, id: usize, pages: usize) -> Vec<String> {
    let path = |n: usize| if n == 1 { first.to_owned() } else { other(n) };
    (1..=pages).map(|n| path(n).replace("ID", &id.to_string())).collect()
}

/// Threads with so many pages each, in every family; the pages of all threads mixed.
fn threads(family: Family, lengths: &[usize]) -> (Site, Vec<Vec<usize>>) {
    let titles = ["Which lamp?", "Kettle trips the fuse", "灯不亮了", "A pump for sale"];
    let mut pages = Vec::new();
    let mut expected = vec![Vec::new(); lengths.len()];
    for number in 1..=lengths.iter().copied().max().unwrap_or_default() {
        for (thread, length) in lengths.iter().enumerate().filter(|(_, length)| number <= **length)
        {
            let paths = addresses(family, 101 + 11 * thread, *length);
            expected[thread].push(pages.len());
            pages.push((paths[number - 1].clone(), page(titles[thread % 4], number, &paths)));
        }
    }
    (Site::new(pages), expected)
}

#[test]
fn pages_of_a_thread_are_joined_in_order_however_they_are_numbered() {
    for family in FAMILIES {
        let (site, expected) = threads(family, &[1, 3, 2, 1]);
        let map = site.map();
        let found: Vec<_> = map.chains().iter().map(|chain| chain.pages.clone()).collect();
        assert_eq!(found, expected, "{}: {:?}", family.0, map.chains());
        assert!(map.chains().iter().all(|chain| chain.complete), "{}", family.0);
        let numbers = map.chains().get(1).map(|chain| chain.numbers.clone());
        assert_eq!(numbers.as_deref(), Some(&[1, 2, 3][..]), "{}", family.0);
    }
}

#[test]
fn rows_of_a_list_lead_to_the_thread_whichever_page_they_name() {
    for family in FAMILIES {
        let (site, _) = threads(family, &[1, 3]);
        let map = site.map();
        for (page, path) in addresses(family, 112, 3).iter().enumerate() {
            assert_eq!(map.chains().find(&url(path)), Some(1), "{}, page {page}", family.0);
        }
        let unknown = addresses(family, 999, 1);
        assert_eq!(map.chains().find(&url(&unknown[0])), None, "{}", family.0);
    }
}

#[test]
fn a_thread_with_a_page_missing_is_not_complete() {
    for family in FAMILIES {
        for missing in [0, 1, 2] {
            let (mut site, _) = threads(family, &[1, 3]);
            // Page n of the longer thread is source n, from 1; the other thread is source 0.
            site.0.remove(missing + 1);
            let map = site.map();
            let long = map.chains().of_source(1).expect("a chain");
            assert_eq!(
                long.pages.len(),
                2,
                "{} without page {missing}: {:?}",
                family.0,
                map.chains()
            );
            assert!(!long.complete, "{} without page {missing}", family.0);
        }
    }
}

#[test]
fn a_page_seen_under_two_addresses_counts_once() {
    let paths = addresses(FAMILIES[0], 7, 2);
    let first = "/showthread.php?tid=7&page=1";
    let html = |n| page("Which lamp?", n, &paths);
    let site = Site::new([(first, html(1)), (&paths[1], html(2)), (&paths[0], html(1))]);
    let map = site.map();
    let chain = map.chains().of_source(0).expect("a chain");
    assert_eq!((&chain.pages[..], &chain.again[..]), (&[2, 1][..], &[0][..]));
    assert!(chain.complete);
}

#[test]
fn addresses_of_posts_lead_to_their_thread() {
    let paths = addresses(FAMILIES[2], 7, 2);
    let post = "<div id=p55><a href='/viewtopic.php?p=55#p55'>Yesterday</a></div>";
    let site = Site::new([
        (paths[0].clone(), page("Which lamp?", 1, &paths)),
        (paths[1].clone(), page("Which lamp?", 2, &paths) + post),
        ("/viewtopic.php?f=2&t=8".to_owned(), page("A pump", 1, &[])),
        // A page that was reached by such an address, and does not say which it is.
        ("/viewtopic.php?p=56".to_owned(), page("Which lamp?", 2, &paths)),
    ]);
    let map = site.map();
    assert_eq!(map.chains().find(&url("/viewtopic.php?p=55#p55")), Some(0));
    assert_eq!(map.chains().find(&url("/viewtopic.php?p=54#p54")), None);
    let chain = map.chains().of_source(3).expect("a chain");
    assert_eq!((&chain.pages[..], &chain.again[..]), (&[0, 1][..], &[3][..]));
}

#[test]
fn articles_that_lead_from_one_to_the_next_are_not_pages_of_one() {
    let article = |n: usize| {
        let title = ["Lamps", "Kettles", "Pumps", "Relays", "Fuses"][n % 5];
        let html = format!(
            "<title>{title}</title><a rel=next href=/a/{}>»</a> see also <a href=/a/{}>{}</a>",
            n + 1,
            n + 3,
            n + 3,
        );
        (format!("/a/{n}"), html)
    };
    for numbers in [vec![11, 12, 13, 14], vec![11, 21, 33]] {
        let site = Site::new(numbers.iter().copied().map(article));
        assert_eq!(site.map().chains().iter().len(), numbers.len());
    }
}

#[test]
fn a_link_to_the_next_thread_is_no_pager() {
    let thread = |n: usize| {
        let title = ["Lamps", "Kettles", "Pumps"][n % 3];
        let next = format!("<a href='/viewtopic.php?t={n}&view=next'>Next topic</a>");
        (format!("/viewtopic.php?t={n}"), format!("<title>{title}</title><h1>{title}</h1>{next}"))
    };
    for numbers in [vec![1], vec![1, 2, 3]] {
        let site = Site::new(numbers.iter().copied().map(thread));
        let map = site.map();
        assert_eq!(map.chains().iter().len(), numbers.len());
        assert_eq!(map.chains().find(&url("/viewtopic.php?t=9")), None);
    }
}

#[test]
fn a_page_may_say_which_thread_it_is_of() {
    let html = |title: &str, said: &str| {
        format!("<title>{title}</title><link rel=canonical href='{said}'><h1>{title}</h1>")
    };
    let site = Site::new([
        ("/t/7", html("A lamp", "/t/7")),
        ("/goto/post/55", html("A lamp", "/t/7")),
        // On this site every page of another kind says that it is the home page.
        ("/u/1", html("alice", "/")),
        ("/u/2", html("bob", "/")),
    ]);
    let map = site.map();
    assert_eq!(map.chains().of_source(1), map.chains().of_source(0));
    assert_ne!(map.chains().of_source(2), map.chains().of_source(3));
}

#[test]
fn pages_that_say_a_shorter_address_than_their_own_stay_together() {
    let paths = addresses(FAMILIES[2], 7, 2);
    let said = ["/viewtopic.php?t=7", "/viewtopic.php?t=7&start=15"];
    for says in [[true, true], [true, false]] {
        let pages =
            paths.iter().zip(said).zip(says).enumerate().map(|(n, ((path, said), says))| {
                let link = format!("<link rel=canonical href='{said}'>");
                let html = page("Which lamp?", n + 1, &paths);
                (path.clone(), if says { html + &link } else { html })
            });
        let site = Site::new(pages);
        let map = site.map();
        assert_eq!(map.chains().iter().len(), 1, "{says:?}: {:?}", map.chains());
        for path in paths.iter().map(String::as_str).chain(said) {
            assert_eq!(map.chains().find(&url(path)), Some(0), "{path}");
        }
    }
}

#[test]
fn a_parameter_that_says_how_a_page_is_shown_names_no_other_page() {
    let first = "/forum.php?mod=viewthread&tid=7";
    let with = |n: usize| match n {
        1 => format!("{first}&extra=from%3Dlist"),
        n => format!("{first}&extra=from%3Dlist&page={n}"),
    };
    let linked: Vec<String> = (1..=3).map(with).collect();
    let html = |n| page("Which lamp?", n, &linked);
    let mut pages = vec![
        (first.to_owned(), html(1)),
        (format!("{first}&page=2"), html(2)),
        ("/forum.php?mod=viewthread&tid=8".to_owned(), page("A pump", 1, &[])),
    ];
    let map = Site::new(pages.clone()).map();
    assert_eq!(map.chains().get(0).map(|chain| &chain.pages[..]), Some(&[0, 1][..]));
    assert_eq!(map.chains().get(0).map(|chain| chain.complete), Some(false), "page 3 is linked");
    assert_eq!(map.chains().find(&url(&linked[0])), Some(0));
    assert_eq!(map.chains().find(&url("/forum.php?mod=viewthread&tid=9&extra=from%3Dlist")), None);
    pages.push((format!("{first}&page=3"), html(3)));
    assert!(Site::new(pages).map().chains().get(0).is_some_and(|chain| chain.complete));
}

#[test]
fn a_chain_is_called_by_what_leads_to_its_first_page() {
    for family in FAMILIES {
        let (mut site, _) = threads(family, &[1, 3]);
        let first = url(&addresses(family, 112, 1)[0]);
        site.0.remove(1);
        let map = site.map();
        assert_eq!(map.chains().of_source(1).map(|chain| &chain.url), Some(&first), "{}", family.0);
    }
}

const PROSE: &str = "<p>It is the relay and not the lamp that fails whenever the kettle is on, \
    and I have no idea why anybody would have built it in this way.</p>";

/// A forum of boards, lists, threads and users.
fn forum() -> Site {
    let frame = "<div id=top><a href=/>A forum</a><a href=/login>Log in</a></div>";
    let user = |n: usize| format!("<a href=/user/{n}>{}</a>", ["alice", "bob", "carol"][n]);
    let mut pages = Vec::new();
    let board = |n: usize| format!("<tr><td><a href=/board/{n}>Board {n}</a></td></tr>");
    let boards: String = (1..4).map(board).collect();
    pages.push((
        "/".to_owned(),
        format!("<title>A forum</title>{frame}<table class=boards>{boards}</table>"),
    ));
    for board in 1..4 {
        let row = |n: usize| {
            let id = 10 * board + n;
            format!("<li class=row><a href=/thread/{id}>Question {id}</a> by {}</li>", user(n % 3))
        };
        let rows: String = (0..6).map(row).collect();
        let html =
            format!("<title>Board {board} | A forum</title>{frame}<ul class=rows>{rows}</ul>");
        pages.push((format!("/board/{board}"), html));
        for n in 0..6 {
            let id = 10 * board + n;
            let post = |p: usize| {
                format!("<div class=post><b>{}</b><div class=text>{PROSE}</div></div>", user(p % 3))
            };
            let posts: String = (n % 3..=2).map(post).collect();
            let html = format!(
                "<title>Question {id} | Board {board} | A forum</title>{frame}<h2>A forum</h2>\
                 <a href=/board/{board}>Board {board}</a><h3>[New] Question {id}</h3>{posts}"
            );
            pages.push((format!("/thread/{id}"), html));
        }
    }
    for n in 0..3 {
        let name = ["alice", "bob", "carol"][n];
        let row = |id: usize| format!("<dd><a href=/thread/{id}>Question {id}</a></dd>");
        let recent: String = [10, 21, 32].into_iter().map(row).collect();
        let html = format!(
            "<title>{name} | A forum</title>{frame}<h1>{name}</h1><dl class=profile>{recent}</dl>"
        );
        pages.push((format!("/user/{n}"), html));
    }
    pages.push(("/login".to_owned(), format!("<title>Log in</title>{frame}<form><input></form>")));
    Site::new(pages)
}

fn roles(site: &Site, map: &SiteMap, beginning: &str) -> Vec<Role> {
    let pages = site.0.iter().enumerate();
    let pages = pages.filter(|(_, (url, _))| url.path().starts_with(beginning));
    let mut roles: Vec<Role> = pages.map(|(at, _)| map.role_of(at)).collect();
    roles.dedup();
    roles
}

#[test]
fn what_pages_are_for_follows_from_where_they_lead() {
    let (site, map) = (forum(), forum().map());
    assert_eq!(map.role_of(0), Role::Boards);
    assert_eq!(roles(&site, &map, "/board/"), [Role::List]);
    assert_eq!(roles(&site, &map, "/thread/"), [Role::Thread]);
    assert_eq!(roles(&site, &map, "/user/"), [Role::User]);
    assert_eq!(roles(&site, &map, "/login"), [Role::Other]);
    assert_eq!(map.threads().count(), 18);
}

#[test]
fn what_records_are_settles_what_pages_are_for() {
    let (site, mut map) = (forum(), forum().map());
    let kinds: Vec<Option<Kind>> = map
        .types()
        .iter()
        .map(|of| match of.name.as_str() {
            // Rows that look like rows of threads: boards have a title and a time, too.
            "board" | "home" => Some(Kind::Thread),
            "thread" => Some(Kind::Post),
            "user" => Some(Kind::Item),
            _ => None,
        })
        .collect();
    map.settle(&kinds);
    assert_eq!(map.role_of(0), Role::Boards);
    assert_eq!(roles(&site, &map, "/board/"), [Role::List]);
    assert_eq!(roles(&site, &map, "/thread/"), [Role::Thread]);
    assert_eq!(roles(&site, &map, "/user/"), [Role::Item]);
}

#[test]
fn the_title_of_a_thread_is_what_its_row_says() {
    let (site, map) = (forum(), forum().map());
    for (at, (url, _)) in site.0.iter().enumerate() {
        if let Some(id) = url.path().strip_prefix("/thread/") {
            assert_eq!(map.title(at), Some(format!("Question {id}").as_str()));
        }
    }
}

#[test]
fn a_date_that_leads_to_a_thread_is_no_title() {
    let titles = ["Which lamp?", "Why not?", "A pump"];
    let row = |n: usize| {
        format!("<li><a href=/t/{n}>{}</a> <a href=/t/{n}>Jun 1{n}, 2026</a></li>", titles[n])
    };
    let mut pages = vec![("/board/1".to_owned(), (0..3).map(row).collect::<String>())];
    for (n, title) in titles.iter().enumerate() {
        let since = format!("<i>since <a href=/t/{n}>Jun 1{n}, 2026</a></i>");
        let html = format!("<title>{title} - A forum</title><h1>A forum</h1>{since}<p>{PROSE}");
        pages.push((format!("/t/{n}"), html));
    }
    let map = Site::new(pages).map();
    let found: Vec<Option<&str>> = (1..4).map(|page| map.title(page)).collect();
    assert_eq!(found, titles.map(Some));
}

#[test]
fn without_a_list_the_title_is_what_head_and_heading_agree_on() {
    let html = |title: &str| {
        format!(
            "<title>{title} - Lamps - A forum</title><h1>A forum</h1><h2>{title}</h2><h2>Log in</h2>"
        )
    };
    let site = Site::new([("/t/1", html("Which lamp?")), ("/t/2", html("Why not?"))]);
    let map = site.map();
    assert_eq!((map.title(0), map.title(1)), (Some("Which lamp?"), Some("Why not?")));
}

#[test]
fn a_dash_within_a_title_is_a_part_of_it() {
    let titles = ["The tunnel — your opinion?", "Which lamp?", "A pump - or two", "Why not?"];
    let row = |n: usize| format!("<li><a href=/t/{n}>{}</a></li>", titles[n]);
    let mut pages = vec![("/board/1".to_owned(), (0..4).map(row).collect::<String>())];
    for (n, title) in titles.iter().enumerate() {
        pages.push((
            format!("/t/{n}"),
            format!("<title>{title} - Lamps - A forum</title><p>{PROSE}"),
        ));
    }
    let map = Site::new(pages).map();
    let found: Vec<Option<&str>> = (1..5).map(|page| map.title(page)).collect();
    assert_eq!(found, titles.map(Some));
}

#[test]
fn neighbours_are_known_by_every_address_that_leads_to_them() {
    let paths = addresses(FAMILIES[0], 7, 2);
    let first = "/showthread.php?tid=7&page=1";
    let list = format!("<a href='{}'>Which lamp?</a>", paths[0]);
    let html = |n| page("Which lamp?", n, &paths);
    let site = Site::new([(first, html(1)), (&paths[1], html(2)), ("/list", list)]);
    let map = site.map();
    let around = map.neighbours(&site.sources());
    let known = around.titles(&url(&paths[0])).first().map(String::as_str);
    assert_eq!(known, Some("Which lamp?"));
    assert_eq!(around.page_type(&url(&paths[0])), u32::try_from(map.type_of(0)).ok());
}

#[test]
fn a_type_that_the_caller_knows_stays() {
    let site = Site::new([("/a", "<p>a"), ("/b", "<p>b")]);
    let named: Vec<Source<'_>> = site
        .sources()
        .into_iter()
        .zip(["one", "two"])
        .map(|(source, name)| Source { page_type: Some(name), ..source })
        .collect();
    let map = SiteMap::of(&named);
    assert_eq!((map.types()[0].name.as_str(), map.types()[1].name.as_str()), ("one", "two"));
    assert_eq!(site.map().types().len(), 1);
}

#[test]
fn nothing_is_mapped_of_nothing() {
    let map = SiteMap::of(&[]);
    assert!(map.types().is_empty() && map.chains().iter().next().is_none());
    let site = Site::new([("/", "")]);
    assert_eq!(site.map().types().len(), 1);
}
