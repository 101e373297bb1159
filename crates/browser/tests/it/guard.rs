//! What a page may not do to the crawl: leave, open, save, ask.

use std::time::Duration;

use browser::{Action, Navigation, TabOptions};

use crate::site::{Response, Site};
use crate::stage::{at, run, tab, text};

const BUTTON: &str = "/html/body/button[1]";

#[test]
fn changes_of_the_address_inside_the_document_pass_and_are_told() {
    run(async {
        let site = Site::page(
            "<p id=p>0</p><button onclick=\"history.pushState({}, '', '/pushed'); p.textContent = 'pushed'\">a</button>
             <button onclick=\"location.hash = '#!/there'\">b</button>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let pushed = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        let expected = |path: &str| Navigation {
            url: site.url(path).to_string(),
            method: "GET".into(),
            body: None,
            same_document: true,
        };
        assert_eq!(pushed.happenings.navigations, [expected("/pushed")]);
        assert_eq!(pushed.url_after, site.url("/pushed").as_str());
        let hashed = tab.fire(&Action::new("/html/body/button[2]", "click")).await.expect("fired");
        assert_eq!(hashed.happenings.navigations, [expected("/pushed#!/there")]);
        assert_eq!(site.lines(), ["GET /"]);
    });
}

#[test]
fn a_reload_and_a_way_back_are_caught() {
    run(async {
        let site = Site::page(
            "<p id=p>0</p><button onclick=\"p.textContent = 1; location.reload()\">a</button>
             <button onclick='history.back()'>b</button>",
        )
        .await;
        let mut tab = tab(TabOptions::default()).await;
        tab.navigate(&site.url("/nowhere")).await.expect("a page");
        tab.navigate(&site.url("/")).await.expect("a page");
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        assert_eq!(fired.happenings.navigations.len(), 1);
        assert!(text(&tab).await.starts_with('1'), "the state is still there");
        let fired = tab.fire(&Action::new("/html/body/button[2]", "click")).await.expect("fired");
        assert_eq!(fired.url_after, site.url("/").as_str());
        assert!(!fired.happenings.left_document);
    });
}

#[test]
fn windows_are_closed_before_they_load_anything() {
    run(async {
        let site = Site::page(
            "<p id=p>0</p><button onclick=\"window.open('/popup'); p.textContent = 1\">a</button>
             <a href='/blank' target=_blank>b</a><a href='/opener' target=x rel=opener>c</a>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        for (path, target) in
            [(BUTTON, "/popup"), ("/html/body/a[1]", "/blank"), ("/html/body/a[2]", "/opener")]
        {
            let fired = tab.fire(&Action::new(path, "click")).await.expect("fired");
            assert_eq!(fired.happenings.popups, [site.url(target).to_string()], "{path}");
            assert!(fired.happenings.navigations.is_empty());
        }
        assert!(text(&tab).await.starts_with('1'));
        assert_eq!(site.lines(), ["GET /"]);
    });
}

#[test]
fn dialogs_are_answered_and_told() {
    run(async {
        let site = Site::page(
            "<p id=p></p><button onclick=\"alert('hello'); p.textContent = confirm('sure?') + ',' + prompt('name?')\">a</button>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        let dialogs: Vec<_> = fired
            .happenings
            .dialogs
            .iter()
            .map(|dialog| (dialog.kind.as_str(), dialog.message.as_str()))
            .collect();
        assert_eq!(dialogs, [("alert", "hello"), ("confirm", "sure?"), ("prompt", "name?")]);
        assert!(text(&tab).await.starts_with("false,null"));
    });
}

#[test]
fn a_page_that_asks_to_stay_is_left_all_the_same() {
    run(async {
        let site = Site::page(
            "<button onclick='0'>a</button><script>
             addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = 'x' })</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        tab.fire(&Action::new(BUTTON, "click").trusted()).await.expect("fired");
        let visit = tab.navigate(&site.url("/gone")).await.expect("left");
        assert_eq!(visit.status, 404);
    });
}

#[test]
fn downloads_are_told_and_not_saved() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<a href='/file' download='report.txt'>a</a><button onclick=\"
                 const a = document.createElement('a'); a.download = 'made.txt';
                 a.href = window.URL.createObjectURL(new Blob(['x'])); a.click()\">b</button>",
            ),
            "/file" => Response::new(200, "application/octet-stream", "data"),
            "/attached" => Response::new(200, "application/zip", "data")
                .with("content-disposition", "attachment; filename=a.zip"),
            _ => Response::missing(),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        let fired = tab.fire(&Action::new("/html/body/a[1]", "click")).await.expect("fired");
        let mut downloads = fired.happenings.downloads;
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        downloads.extend(fired.happenings.downloads);
        // The browser process tells about downloads when it gets round to it.
        tokio::time::sleep(Duration::from_millis(300)).await;
        downloads.extend(tab.take_happenings().downloads);
        let names: Vec<_> = downloads.iter().map(|download| download.file_name.as_str()).collect();
        assert_eq!(names, ["report.txt", "made.txt"]);
        let error = tab.navigate(&site.url("/attached")).await.expect_err("no page");
        assert!(error.to_string().contains("download"), "{error}");
        assert_eq!(tab.take_happenings().downloads.len(), 1);
        assert_eq!(
            site.lines(),
            ["GET /", "GET /attached"],
            "what an event would save is not even asked for"
        );
    });
}

#[test]
fn permissions_are_denied_without_a_prompt() {
    run(async {
        let site = Site::page(
            "<p id=p></p><button onclick=\"(async () => {
               const states = [];
               for (const name of ['geolocation', 'notifications', 'camera', 'clipboard-read'])
                 states.push((await navigator.permissions.query({ name })).state);
               p.textContent = states.join(' ') + ' ' + await Notification.requestPermission();
             })()\">a</button>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        let shown = text(&tab).await;
        assert!(shown.starts_with("denied denied denied denied denied"), "{shown}");
    });
}

#[test]
fn printing_does_nothing_and_holds_nothing_up() {
    run(async {
        let site =
            Site::page("<p id=p></p><button onclick=\"print(); p.textContent = 'on'\">a</button>")
                .await;
        let (mut tab, _) = at(&site).await;
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        assert!(fired.settled.expect("settled").wall_ms < 1000.0);
        assert!(text(&tab).await.starts_with("on"));
    });
}

#[test]
fn a_document_that_no_request_announces_is_reported_as_left() {
    run(async {
        let site = Site::page("<button onclick=\"location = 'about:blank'\">a</button>").await;
        let (mut tab, _) = at(&site).await;
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        assert!(fired.happenings.left_document, "{fired:?}");
        let visit = tab.navigate(&site.url("/")).await.expect("back");
        assert_eq!(visit.status, 200);
    });
}
