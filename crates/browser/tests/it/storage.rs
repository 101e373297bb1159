//! What a visitor sees who has only followed addresses: events leave nothing behind in storage.

use browser::{Action, Tab};

use crate::site::{Response, Site};
use crate::stage::{at, run, text};

fn button(nth: usize) -> Action {
    Action::new(format!("/html/body/button[{nth}]"), "click")
}

/// A page in the language of a cookie, with a theme and a count of loads in storage.
async fn shop() -> Site {
    Site::serve(|request| {
        let cookies = request.header("cookie").unwrap_or_default();
        let greeting = if cookies.contains("lang=de") { "Guten Tag" } else { "Good day" };
        let session = if cookies.contains("session=") { "known" } else { "new" };
        let page = format!(
            "<p>{greeting}, {session} visitor</p><p id=p></p>
             <button onclick=\"document.cookie = 'lang=de; path=/'; location.reload()\">de</button>
             <button onclick=\"localStorage.theme = 'dark'; sessionStorage.open = 1; show()\">dark</button>
             <button onclick='localStorage.clear(); show()'>forget</button>
             <button onclick=\"fetch('/choose').then(() => location = location.href)\">cookie</button>
             <button onclick='location.reload()'>again</button>
             <script>
               function show() {{
                 p.textContent = [localStorage.theme, sessionStorage.open, localStorage.loads].join()
               }}
               localStorage.loads = 1 + Number(localStorage.loads || 0);
               show();
             </script>"
        );
        match request.path.as_str() {
            "/choose" => Response::html("").with("set-cookie", "lang=de; path=/; HttpOnly"),
            _ => Response::html(page).with("set-cookie", "session=1; path=/; HttpOnly"),
        }
    })
    .await
}

async fn visited(tab: &mut Tab, site: &Site) -> String {
    tab.navigate(&site.url("/other")).await.expect("the page");
    first_lines(tab).await
}

async fn first_lines(tab: &Tab) -> String {
    let text = text(tab).await;
    text.lines().take(2).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_an_event_stores_reaches_no_other_page() {
    run(async {
        let site = shop().await;
        let (mut tab, _) = at(&site).await;
        assert_eq!(first_lines(&tab).await, "Good day, new visitor; ,,1");
        tab.fire(&button(2)).await.expect("fired");
        assert_eq!(first_lines(&tab).await, "Good day, new visitor; dark,1,1");
        let next = visited(&mut tab, &site).await;
        assert_eq!(next, "Good day, known visitor; ,,2", "what loads keep stays");
        tab.fire(&button(3)).await.expect("fired");
        assert_eq!(first_lines(&tab).await, "Good day, known visitor; ,,");
        assert_eq!(visited(&mut tab, &site).await, "Good day, known visitor; ,,3");
    });
}

#[test]
fn a_language_that_a_cookie_holds_is_a_state_of_its_page_alone() {
    run(async {
        let site = shop().await;
        // Of a script, and of a server, which scripts cannot see.
        for nth in [1, 4] {
            let (mut tab, _) = at(&site).await;
            let fired = tab.fire(&button(nth)).await.expect("fired");
            assert!(fired.changed && fired.happenings.navigations.is_empty());
            assert_eq!(first_lines(&tab).await, "Guten Tag, known visitor; ,,2");
            assert_eq!(visited(&mut tab, &site).await, "Good day, known visitor; ,,2");
        }
    });
}

#[test]
fn a_reload_that_shows_nothing_else_is_not_made() {
    run(async {
        let site = shop().await;
        let (mut tab, _) = at(&site).await;
        let fired = tab.fire(&button(5)).await.expect("fired");
        assert_eq!(fired.happenings.navigations.len(), 1);
        assert_eq!(site.lines(), ["GET /"]);
    });
}

#[test]
fn a_database_that_an_event_filled_is_empty_for_the_next_page() {
    run(async {
        let site = Site::page(
            "<p id=p>0</p><button onclick=\"keep(true)\">keep</button><script>
               function keep(adds) {
                 const open = indexedDB.open('notes');
                 open.onupgradeneeded = () => open.result.createObjectStore('all', { autoIncrement: true });
                 open.onsuccess = () => {
                   const all = open.result.transaction('all', 'readwrite').objectStore('all');
                   if (adds) all.add('a note');
                   const count = all.count();
                   count.onsuccess = () => { p.textContent = count.result + ' notes'; };
                 };
               }
               keep(false);
             </script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        assert!(text(&tab).await.starts_with("0 notes"));
        tab.fire(&button(1)).await.expect("fired");
        assert!(text(&tab).await.starts_with("1 notes"));
        tab.navigate(&site.url("/")).await.expect("the page");
        assert!(text(&tab).await.starts_with("0 notes"));
    });
}
