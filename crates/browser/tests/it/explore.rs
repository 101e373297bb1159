//! Load, look, list, fire.

use browser::{Action, FoundBy, Handler, SettledBy};

use crate::site::{Response, Site};
use crate::stage::{at, run, text};

#[test]
fn a_page_is_loaded_settled_and_walked() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<!doctype html><title>T</title><p id=p>static</p><script>
                 setTimeout(() => { p.textContent += ' timer' }, 1500);
                 fetch('/data').then(r => r.text()).then(t => { p.textContent += ' ' + t });
                 </script>",
            ),
            "/data" => Response::new(200, "text/plain", "fetched"),
            _ => Response::missing(),
        })
        .await;
        let (tab, visit) = at(&site).await;
        assert_eq!(visit.status, 200);
        assert_eq!(visit.url, site.url("/").as_str());
        assert_eq!(visit.settled.by, SettledBy::Quiet);
        assert!(visit.settled.virtual_ms >= 1500, "{:?}", visit.settled);
        assert!(visit.settled.wall_ms < 1400.0, "{:?}", visit.settled);
        assert!(visit.body.bytes().starts_with(b"<!doctype html><title>T</title>"));
        let walk = tab.walk().await.expect("a walk");
        assert_eq!(walk.title, "T");
        assert_eq!(page::tree::visible_text(&walk.dom), "static fetched timer");
    });
}

#[test]
fn a_click_settles_its_timer_without_waiting_for_it() {
    run(async {
        let site = Site::page(
            "<p id=p>0</p><button onclick=\"setTimeout(() => p.textContent = 'late', 1500)\">go</button>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let candidates = tab.candidates().await.expect("candidates").list;
        assert_eq!(candidates.len(), 1, "{candidates:?}");
        assert_eq!(candidates[0].path, "/html/body/button[1]");
        assert!(matches!(candidates[0].handler, Handler::Inline { .. }));
        let fired = tab.fire(&Action::from(&candidates[0])).await.expect("fired");
        assert_eq!(fired.found, Some(FoundBy::Path));
        assert!(fired.changed);
        let settled = fired.settled.expect("settled");
        assert!(settled.wall_ms < 1400.0 && settled.virtual_ms >= 1500, "{settled:?}");
        assert_eq!(text(&tab).await, "late\ngo");
        let again = tab.fire(&Action::from(&candidates[0])).await.expect("fired");
        assert!(!again.changed, "the same text is no change");
    });
}

#[test]
fn a_link_and_a_form_are_caught_and_nothing_is_sent() {
    run(async {
        let site = Site::page(
            "<a href='/next'>n</a><form method=post action='/save'><input name=a value=1>
             <button>save</button></form><button onclick=\"location='/by-script'\">s</button>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        for (path, method, target) in [
            ("/html/body/a[1]", "GET", "/next"),
            ("/html/body/form[1]/button[1]", "POST", "/save"),
            ("/html/body/button[1]", "GET", "/by-script"),
        ] {
            let fired = tab.fire(&Action::new(path, "click")).await.expect("fired");
            let caught = &fired.happenings.navigations;
            assert_eq!(caught.len(), 1, "{path}: {caught:?}");
            assert_eq!(caught[0].url, site.url(target).as_str());
            assert_eq!(caught[0].method, method);
            assert_eq!(caught[0].body.as_deref(), (method == "POST").then_some("a=1"));
            assert_eq!(fired.url_after, site.url("/").as_str(), "the page stays");
            assert!(!fired.changed);
        }
        assert_eq!(site.lines(), ["GET /"]);
    });
}

#[test]
fn a_tab_goes_from_site_to_site() {
    run(async {
        let site = Site::serve(|request| {
            let host = request.header("host").unwrap_or_default();
            Response::html(format!(
                "<p id=p>{host}</p><script>setTimeout(() => {{ p.textContent += ' settled' }}, 700)</script>"
            ))
        })
        .await;
        let (mut tab, _) = at(&site).await;
        for url in [site.other_name("/"), site.url("/"), site.other_name("/x")] {
            let visit = tab.navigate(&url).await.expect("a page");
            assert_eq!(visit.url, url.as_str());
            let host = url.host_str().expect("a host");
            assert_eq!(text(&tab).await, format!("{host}:{} settled", site.port));
        }
    });
}

#[test]
fn an_address_that_differs_only_in_its_fragment_is_loaded_afresh() {
    run(async {
        let site = Site::page(
            "<p id=p></p><button onclick=\"p.textContent += ' touched'\">a</button>
             <script>p.textContent = 'at ' + location.hash</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        for hash in ["#/one", "#/two", "#/two"] {
            let visit = tab.navigate(&site.url(&format!("/{hash}"))).await.expect("a page");
            assert_eq!(visit.status, 200, "{hash}");
            assert_eq!(text(&tab).await, format!("at {hash}\na"));
            tab.fire(&Action::new("/html/body/button[1]", "click")).await.expect("fired");
            assert!(text(&tab).await.contains("touched"));
        }
    });
}
