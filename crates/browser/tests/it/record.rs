//! The gate, and the record of what went over the network.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use browser::{Action, Body, BoxFuture, Cause, Exchange, Gate, RequestSeen, TabOptions, Verdict};

use crate::site::{Response, Site};
use crate::stage::{at, at_with, run, tab, text};

/// A transparent GIF of one pixel.
const PIXEL: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x01D\0;";

const BUTTON: &str = "/html/body/button[1]";

fn find<'e>(exchanges: &'e [Exchange], path: &str) -> &'e Exchange {
    let found = exchanges.iter().find(|exchange| exchange.url.ends_with(path));
    found.unwrap_or_else(|| panic!("{path} not recorded: {exchanges:#?}"))
}

fn header<'e>(headers: &'e [(String, String)], name: &str) -> Option<&'e str> {
    let found = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

#[test]
fn every_exchange_is_recorded_with_headers_as_sent_and_bodies_decoded() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<p id=p></p><script src=/s.js></script><img src=/i.gif><button onclick=\"fetch('/api', {
                   method: 'POST', body: 'q=1', headers: { 'x-mine': 'yes' } }).then(r => r.text()).then(t => { p.textContent = t })\">a</button>",
            )
            .with("set-cookie", "a=1")
            .with("set-cookie", "b=2"),
            "/s.js" => {
                use std::io::Write;
                let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                zip.write_all(b"window.loaded = 1").expect("zipped");
                Response::new(200, "text/javascript", zip.finish().expect("zipped")).with("content-encoding", "gzip")
            }
            "/i.gif" => Response::new(200, "image/gif", PIXEL.to_vec()),
            "/api" => Response::new(200, "text/plain", "answer"),
            _ => Response::missing(),
        })
        .await;
        let options =
            TabOptions { user_agent: Some("Bathys-Test/1".into()), ..TabOptions::default() };
        let (mut tab, _) = at_with(&site, options).await;
        let loaded = tab.take_exchanges().await.expect("exchanges");
        let document = find(&loaded, "/");
        assert_eq!((document.status, document.resource_type.as_str()), (200, "Document"));
        assert_eq!(document.cause, Cause::Load);
        assert!(document.top_frame_document);
        let cookies: Vec<_> = document
            .response_headers
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"))
            .map(|(_, value)| value.as_str())
            .collect();
        assert_eq!(cookies, ["a=1", "b=2"]);
        assert_eq!(header(&document.request_headers, "user-agent"), Some("Bathys-Test/1"));
        let script = find(&loaded, "/s.js");
        assert_eq!(script.body.bytes(), b"window.loaded = 1");
        assert_eq!(script.response_header("content-encoding"), Some("gzip"));
        assert_eq!(header(&script.request_headers, "cookie"), Some("a=1; b=2"), "as really sent");
        assert_eq!(find(&loaded, "/i.gif").body.bytes(), PIXEL);

        tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        let mut fired = tab.take_exchanges().await.expect("exchanges");
        fired.retain(|exchange| !exchange.url.ends_with("/favicon.ico"));
        assert_eq!(fired.len(), 1, "{fired:#?}");
        let api = find(&fired, "/api");
        assert_eq!((api.method.as_str(), api.cause), ("POST", Cause::Event));
        assert_eq!(api.post_data.as_deref(), Some("q=1"));
        assert_eq!(header(&api.request_headers, "x-mine"), Some("yes"));
        assert_eq!(api.body.bytes(), b"answer");
        assert!(api.took_ms > 0.0);
        assert_eq!(tab.take_exchanges().await.expect("exchanges"), []);
    });
}

#[test]
fn redirects_by_server_markup_and_script_are_followed_while_loading() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/start" => Response::redirect("/second"),
            "/second" => Response::html("<meta http-equiv=refresh content='0;url=/third'>"),
            "/third" => Response::html("<script>location.replace('/end')</script>"),
            "/end" => Response::html("<p>arrived</p>"),
            _ => Response::missing(),
        })
        .await;
        let mut tab = tab(TabOptions::default()).await;
        let visit = tab.navigate(&site.url("/start")).await.expect("arrived");
        assert_eq!(visit.url, site.url("/end").as_str());
        assert_eq!(visit.status, 200);
        assert_eq!(visit.body.bytes(), b"<p>arrived</p>");
        let passed: Vec<_> =
            ["/start", "/second", "/third"].map(|path| site.url(path).to_string()).into();
        assert_eq!(visit.redirects, passed);
        assert_eq!(text(&tab).await, "arrived");
        let exchanges = tab.take_exchanges().await.expect("exchanges");
        assert_eq!(find(&exchanges, "/start").status, 302);
        assert_eq!(find(&exchanges, "/start").response_header("location"), Some("/second"));
    });
}

#[test]
fn a_page_that_is_not_there_has_its_status_and_a_host_that_is_not_there_an_error() {
    run(async {
        let site = Site::page("x").await;
        let mut tab = tab(TabOptions::default()).await;
        let visit = tab.navigate(&site.url("/missing")).await.expect("a page all the same");
        assert_eq!(visit.status, 404);
        let error =
            tab.navigate(&"http://127.0.0.1:1/".parse().expect("url")).await.expect_err("no host");
        assert!(error.to_string().contains("ERR_"), "{error}");
        let visit = tab.navigate(&site.url("/")).await.expect("the tab goes on");
        assert_eq!(visit.status, 200);
    });
}

/// Lets everything through but what an event posts; keeps what it saw.
#[derive(Default)]
struct Careful {
    seen: Mutex<Vec<RequestSeen>>,
}

impl Gate for Careful {
    fn decide<'a>(&'a self, request: &'a RequestSeen) -> BoxFuture<'a, Verdict> {
        self.seen.lock().expect("the list").push(request.clone());
        Box::pin(async move {
            // A gate may take its time.
            tokio::time::sleep(Duration::from_millis(20)).await;
            match (request.cause, request.method.as_str()) {
                (Cause::Event, "POST") => Verdict::Fail { reason: "posts".into() },
                _ => Verdict::Continue,
            }
        })
    }
}

#[test]
fn the_gate_is_asked_about_every_request_and_its_refusals_are_told() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<p id=p></p><iframe src=/frame></iframe><button onclick=\"fetch('/like', { method: 'POST', body: 'id=7' })
                   .then(() => { p.textContent = 'liked' }, () => { p.textContent = 'refused' })\">a</button>
                 <script>fetch('/beacon', { method: 'POST', body: 'load' }); new Worker('/worker.js')</script>",
            ),
            "/frame" => Response::html("<script>fetch('/from-frame')</script>"),
            "/worker.js" => Response::new(200, "text/javascript", "fetch('/from-worker')"),
            _ => Response::new(200, "text/plain", "ok"),
        })
        .await;
        let gate = Arc::new(Careful::default());
        let options = TabOptions { gate: Some(gate.clone()), ..TabOptions::default() };
        let (mut tab, _) = at_with(&site, options).await;
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        assert!(text(&tab).await.contains("refused"));
        let refused = &fired.happenings.refused;
        assert_eq!(refused.len(), 1);
        assert_eq!((refused[0].method.as_str(), refused[0].reason.as_str()), ("POST", "posts"));
        assert_eq!(refused[0].body.as_deref(), Some("id=7"));
        let seen = gate.seen.lock().expect("the list").clone();
        for path in ["/", "/frame", "/from-frame", "/beacon", "/worker.js", "/from-worker", "/like"]
        {
            let asked =
                seen.iter().filter(|request| request.url == site.url(path).as_str()).count();
            assert_eq!(asked, 1, "{path} in {seen:#?}");
        }
        let top: Vec<_> = seen.iter().filter(|request| request.top_frame_document).collect();
        assert_eq!(top.len(), 1, "a frame is not the page");
        assert!(!site.lines().contains(&"POST /like".to_owned()));
        assert!(
            site.lines().contains(&"POST /beacon".to_owned()),
            "what a load sends goes through"
        );
    });
}

/// Answers from a record.
struct Replay(Vec<(String, Arc<browser::Recorded>)>);

impl Gate for Replay {
    fn decide<'a>(&'a self, request: &'a RequestSeen) -> BoxFuture<'a, Verdict> {
        let found = self.0.iter().find(|(url, _)| *url == request.url);
        let verdict = match found {
            Some((_, recorded)) => Verdict::Fulfil(recorded.clone()),
            None => Verdict::Fail { reason: "not in the record".into() },
        };
        Box::pin(async move { verdict })
    }
}

#[test]
fn a_visit_is_replayed_from_its_record_without_the_server() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<meta charset=utf-8><p id=p></p><script>fetch('/data').then(r => r.json()).then(d => { p.textContent = d.text })</script>",
            ),
            "/data" => Response::new(200, "application/json", "{\"text\":\"größer\"}"),
            _ => Response::missing(),
        })
        .await;
        let (mut live, _) = at(&site).await;
        let shown = text(&live).await;
        let record: Vec<_> = live
            .take_exchanges()
            .await
            .expect("exchanges")
            .into_iter()
            .filter_map(|exchange| Some((exchange.url.clone(), Arc::new(exchange.recorded()?))))
            .collect();
        let before = site.lines().len();
        let options = TabOptions { gate: Some(Arc::new(Replay(record))), ..TabOptions::default() };
        let (tab, visit) = at_with(&site, options).await;
        assert_eq!(visit.status, 200);
        assert_eq!(text(&tab).await, shown);
        assert_eq!(shown, "größer");
        assert_eq!(site.lines().len(), before);
    });
}

#[test]
fn tabs_share_cookies_only_where_they_share_a_context() {
    run(async {
        let site = Site::serve(|request| {
            let cookie = request.header("cookie").unwrap_or_else(|| "none".into());
            Response::html(format!("<p>{cookie}</p>")).with("set-cookie", "id=7")
        })
        .await;
        let context = crate::stage::browser().await.context().await.expect("a context");
        let shared = TabOptions { context: Some(context), ..TabOptions::default() };
        let (first, _) = at_with(&site, shared.clone()).await;
        assert_eq!(text(&first).await, "none");
        let (second, _) = at_with(&site, shared).await;
        assert_eq!(text(&second).await, "id=7");
        let (alone, _) = at(&site).await;
        assert_eq!(text(&alone).await, "none");
    });
}

#[test]
fn a_service_worker_does_not_come_between() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<p id=p></p><button onclick=\"fetch('/api').then(r => r.text()).then(t => { p.textContent = t })\">a</button>
                 <script>navigator.serviceWorker.register('/sw.js')</script>",
            ),
            "/sw.js" => Response::new(
                200,
                "text/javascript",
                "self.addEventListener('install', () => self.skipWaiting());
                 self.addEventListener('activate', (e) => e.waitUntil(clients.claim()));
                 self.addEventListener('fetch', (e) => e.respondWith(new Response('from the worker')));",
            ),
            "/api" => Response::new(200, "text/plain", "from the server"),
            _ => Response::missing(),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        for _ in 0..2 {
            tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
            assert!(text(&tab).await.starts_with("from the server"));
            tab.navigate(&site.url("/")).await.expect("again");
        }
    });
}

#[test]
fn sockets_are_told() {
    run(async {
        let site = Site::page(
            "<button onclick=\"new WebSocket('ws://' + location.host + '/socket')\">a</button>",
        )
        .await;
        let options = TabOptions { event_sockets: true, ..TabOptions::default() };
        let (mut tab, _) = at_with(&site, options).await;
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        assert_eq!(fired.happenings.sockets.len(), 1);
        assert!(fired.happenings.sockets[0].ends_with("/socket"));
    });
}

#[test]
fn a_body_over_the_cap_is_left_and_says_so() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html("<script src=/big.js></script><p>page</p>"),
            _ => Response::new(200, "text/javascript", vec![b' '; 300_000]),
        })
        .await;
        let caps = browser::Caps { body: 200_000, ..browser::Caps::default() };
        let (mut tab, visit) = at_with(&site, TabOptions { caps, ..TabOptions::default() }).await;
        let exchanges = tab.take_exchanges().await.expect("exchanges");
        let big = find(&exchanges, "/big.js");
        assert!(
            big.failure.is_some() || matches!(big.body, Body::Left { .. }),
            "{:?}",
            big.failure
        );
        assert_eq!(visit.cut, Some("body"));
    });
}

/// Never answers for posts.
struct Stubborn;

impl Gate for Stubborn {
    fn decide<'a>(&'a self, request: &'a RequestSeen) -> BoxFuture<'a, Verdict> {
        let post = request.method == "POST";
        Box::pin(async move {
            if post {
                std::future::pending::<()>().await;
            }
            Verdict::Continue
        })
    }
}

#[test]
fn what_waits_at_the_gate_when_a_tab_is_closed_is_never_sent() {
    run(async {
        let site = Site::page(
            "<button onclick=\"fetch('/delete', { method: 'POST', keepalive: true }); navigator.sendBeacon('/beacon', 'x')\">a</button>",
        )
        .await;
        for close in [true, false] {
            let caps =
                browser::Caps { settle: Duration::from_millis(500), ..browser::Caps::default() };
            let gate: Arc<dyn Gate> = Arc::new(Stubborn);
            let options = TabOptions { gate: Some(gate), caps, ..TabOptions::default() };
            let (mut tab, _) = at_with(&site, options).await;
            tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
            if close {
                tab.close().await;
            } else {
                drop(tab);
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
            assert!(site.lines().iter().all(|line| line.starts_with("GET")), "{:?}", site.lines());
        }
    });
}

#[test]
fn a_document_in_another_charset_is_kept_as_its_bytes() {
    run(async {
        let (chinese, _, _) = encoding_rs::GBK.encode("<meta charset=gbk><p>深海</p>");
        let chinese = chinese.into_owned();
        let (served, declared) = (chinese.clone(), chinese.clone());
        let site = Site::serve(move |request| match request.path.as_str() {
            "/by-meta" => Response::new(200, "text/html", served.clone()),
            "/by-header" => Response::new(200, "text/html; charset=gbk", declared.clone()),
            _ => Response::missing(),
        })
        .await;
        let mut tab = tab(TabOptions::default()).await;
        for path in ["/by-meta", "/by-header"] {
            let visit = tab.navigate(&site.url(path)).await.expect("a page");
            assert_eq!(visit.body.bytes(), chinese, "{path}");
            assert_eq!(text(&tab).await, "深海");
        }
    });
}

/// Refuses everything.
struct Closed;

impl Gate for Closed {
    fn decide<'a>(&'a self, _request: &'a RequestSeen) -> BoxFuture<'a, Verdict> {
        Box::pin(async { Verdict::Fail { reason: "out of scope".into() } })
    }
}

#[test]
fn a_document_that_the_gate_refuses_says_why_it_was_not_reached() {
    run(async {
        let site = Site::page("<p>x</p>").await;
        let mut tab =
            tab(TabOptions { gate: Some(Arc::new(Closed)), ..TabOptions::default() }).await;
        let error = tab.navigate(&site.url("/")).await.expect_err("refused");
        assert!(error.to_string().ends_with("refused: out of scope"), "{error}");
        assert_eq!(site.lines(), [""; 0]);
    });
}

#[test]
fn what_a_page_never_read_is_taken_with_it_and_what_came_before_is_told_as_late() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<script>fetch('/unread'); addEventListener('pagehide', () => navigator.sendBeacon('/bye', 'x'))</script>
                 <button onclick=\"fetch('/more').then(r => r.text())\">a</button>",
            ),
            "/next" => Response::html("<p>next</p>"),
            "/unread" => Response::new(200, "text/plain", vec![b'x'; 1 << 20]),
            _ => Response::new(200, "text/plain", "more"),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        let loaded = tab.take_exchanges().await.expect("exchanges");
        let unread = find(&loaded, "/unread");
        assert_eq!((unread.status, unread.late), (200, false));
        assert!(matches!(unread.body, Body::Left { .. }), "{:?}", unread.body);
        assert_eq!(unread.recorded(), None, "nothing to answer with");

        tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        tab.navigate(&site.url("/next")).await.expect("the next page");
        let taken = tab.take_exchanges().await.expect("exchanges");
        assert!(find(&taken, "/more").late, "the event was over");
        assert!(!find(&taken, "/next").late);
        let own = |exchange: &&Exchange| !exchange.late && !exchange.url.ends_with("/favicon.ico");
        let own: Vec<_> = taken.iter().filter(own).map(|exchange| &exchange.url).collect();
        assert_eq!(own, [site.url("/next").as_str()]);
    });
}

#[test]
fn a_document_whose_connection_breaks_is_told_as_truncated() {
    run(async {
        let half = |_: &_| Response::html("<p>only this").with("content-length", "500");
        let site = Site::serve(half).await;
        let mut tab = tab(TabOptions::default()).await;
        let visit = tab.navigate(&site.url("/")).await.expect("what has come");
        assert_eq!(visit.truncated.as_deref(), Some("net::ERR_CONTENT_LENGTH_MISMATCH"));
        assert!(text(&tab).await.contains("only this"));
        let exchanges = tab.take_exchanges().await.expect("exchanges");
        assert_eq!(find(&exchanges, "/").recorded(), None, "half an answer is none");
    });
}
