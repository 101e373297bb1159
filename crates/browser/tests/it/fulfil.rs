//! A whole visit and its events, served from their record: the site sees nothing.

use std::sync::{Arc, Mutex};

use browser::{
    Action, BoxFuture, Exchange, Gate, Recorded, RequestSeen, Source, TabOptions, Verdict,
};
use flate2::{Compression, write::GzEncoder};

use crate::site::{Response, Site};
use crate::stage::{at, at_with, run, tab, text};

/// Answers from a record, once there is one; before that it lets everything through.
#[derive(Default)]
struct Recorder {
    record: Mutex<Vec<(String, Arc<Recorded>)>>,
    asked: Mutex<Vec<String>>,
}

impl Recorder {
    fn learn(&self, exchanges: &[Exchange]) {
        let kept =
            exchanges.iter().filter_map(|one| Some((one.url.clone(), one.recorded()?.into())));
        self.record.lock().expect("the record").extend(kept);
    }
}

impl Gate for Recorder {
    fn decide<'a>(&'a self, request: &'a RequestSeen) -> BoxFuture<'a, Verdict> {
        self.asked.lock().expect("the list").push(request.resource_type.clone());
        let record = self.record.lock().expect("the record");
        let known = record.iter().find(|(url, _)| *url == request.url);
        let verdict = match known {
            Some((_, recorded)) => Verdict::Fulfil(recorded.clone()),
            None if record.is_empty() => Verdict::Continue,
            None => Verdict::Fail { reason: format!("{} is not in the record", request.url) },
        };
        Box::pin(async move { verdict })
    }
}

fn gzipped(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    std::io::Write::write_all(&mut packed, text.as_bytes()).expect("memory");
    packed.finish().expect("memory")
}

const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\0\x05\0\x01\xff\x89\x99=\x1d\0\0\0\0IEND\xaeB`\x82";

#[test]
fn a_load_with_everything_in_it_and_its_events_are_served_from_the_record() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::redirect("/page").with("set-cookie", "visit=first"),
            "/page" => Response::new(200, "text/html", gzipped(
                "<meta charset=utf-8><link rel=stylesheet href=/style.css><script src=/script.js></script>
                 <img id=i src=/dot.png><iframe src=/frame></iframe><p id=p></p>
                 <button onclick=\"fetch('/more').then(r => r.text()).then(t => { p.textContent = t + i.naturalWidth + getComputedStyle(p).color })\">größer</button>
                 <script>x = new XMLHttpRequest; x.onload = () => { p.textContent = x.responseText }; x.open('GET', '/xhr'); x.send()</script>",
            )).with("content-encoding", "gzip").with("set-cookie", "session=secret"),
            "/style.css" => Response::new(200, "text/css", "p{color:rgb(1, 2, 3)}"),
            "/script.js" => Response::new(200, "text/javascript", "window.loaded = true"),
            "/dot.png" => Response::new(200, "image/png", DOT),
            "/frame" => Response::new(200, "text/html; charset=gbk", b"<b>\xd6\xd0\xb9\xfa</b>".to_vec()),
            "/xhr" => Response::new(200, "text/plain", "from xhr"),
            "/more" => Response::new(200, "text/plain", "more "),
            _ => Response::missing(),
        })
        .await;
        let gate = Arc::new(Recorder::default());
        let options = || TabOptions { gate: Some(gate.clone()), ..TabOptions::default() };
        let (mut live, visit) = at_with(&site, options()).await;
        let button = Action::new("/html/body/button[1]", "click");
        let mut shown = vec![text(&live).await];
        live.fire(&button).await.expect("fired");
        shown.push(text(&live).await);
        assert!(shown[0].contains("from xhr") && shown[0].contains("中国"), "{shown:?}");
        assert!(shown[1].contains("more 1rgb(1, 2, 3)"), "{shown:?}");
        let exchanges = live.take_exchanges().await.expect("exchanges");
        assert!(exchanges.iter().all(|one| one.source == Source::Network), "{exchanges:?}");
        for kind in ["Document", "Stylesheet", "Script", "Image", "XHR"] {
            assert!(gate.asked.lock().expect("the list").iter().any(|one| one == kind), "{kind}");
        }
        let dot = exchanges.iter().find(|one| one.url.ends_with("/dot.png")).expect("a picture");
        assert_eq!(dot.recorded().expect("a record").body, DOT);
        let before = site.lines().len();

        gate.learn(&exchanges);
        for mut again in [live, tab(options()).await] {
            let second = again.navigate(&site.url("/")).await.expect("the page");
            assert_eq!(
                (second.status, &second.url, &second.redirects),
                (200, &visit.url, &visit.redirects)
            );
            assert_eq!(second.body, visit.body);
            assert_eq!(text(&again).await, shown[0]);
            again.fire(&button).await.expect("fired");
            assert_eq!(text(&again).await, shown[1]);
            let served = again.take_exchanges().await.expect("exchanges");
            let sent: Vec<_> = served.iter().filter(|one| one.source == Source::Network).collect();
            assert!(sent.iter().all(|one| one.url.ends_with("/favicon.ico")), "{sent:#?}");
            assert_eq!(served.iter().filter(|one| one.source == Source::Record).count(), 8);
        }
        assert_eq!(site.lines().len(), before, "the site saw nothing");
    });
}

#[test]
fn what_the_cache_of_the_browser_holds_is_told_apart_and_whole() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html("<script src=/kept.js></script><script src=/asked.js></script>"),
            "/kept.js" => {
                Response::new(200, "text/javascript", "1").with("cache-control", "max-age=900")
            }
            "/asked.js" if request.header("if-none-match").is_some() => {
                Response::new(304, "text/plain", "").with("etag", "\"a\"")
            }
            "/asked.js" => Response::new(200, "text/javascript", "2")
                .with("cache-control", "no-cache")
                .with("etag", "\"a\""),
            _ => Response::missing(),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        tab.take_exchanges().await.expect("exchanges");
        tab.navigate(&site.url("/")).await.expect("again");
        let exchanges = tab.take_exchanges().await.expect("exchanges");
        let of = |path: &str| exchanges.iter().find(|one| one.url.ends_with(path)).expect(path);
        assert_eq!((of("/kept.js").source, of("/kept.js").status), (Source::Cache, 200));
        assert_eq!(of("/kept.js").recorded().expect("a record").body, b"1");
        assert_eq!((of("/asked.js").source, of("/asked.js").status), (Source::Network, 304));
        assert_eq!(of("/asked.js").recorded(), None, "what was recorded first still holds");
        let kept = site.lines().iter().filter(|line| line.ends_with("/kept.js")).count();
        assert_eq!(kept, 1);
    });
}

#[test]
fn sockets_and_streams_that_events_open_are_refused() {
    run(async {
        let site = Site::page(
            "<p id=p></p><button onclick=\"new WebSocket('ws://' + location.host + '/socket').onerror = () => { p.textContent = 'refused' }\">a</button>
             <button onclick=\"new EventSource('/stream').onerror = () => { p.textContent = 'no stream' }\">b</button>",
        )
        .await;
        struct NoStreams;
        impl Gate for NoStreams {
            fn decide<'a>(&'a self, request: &'a RequestSeen) -> BoxFuture<'a, Verdict> {
                let stream = request.resource_type == "EventSource";
                let refused = Verdict::Fail { reason: "streams".into() };
                Box::pin(async move { if stream { refused } else { Verdict::Continue } })
            }
        }
        let options = TabOptions { gate: Some(Arc::new(NoStreams)), ..TabOptions::default() };
        let (mut tab, _) = at_with(&site, options).await;
        for (button, path, shown) in [(1, "/socket", "refused"), (2, "/stream", "no stream")] {
            let action = Action::new(format!("/html/body/button[{button}]"), "click");
            let fired = tab.fire(&action).await.expect("fired");
            let refused = &fired.happenings.refused;
            assert!(refused.len() == 1 && refused[0].url.ends_with(path), "{path}: {refused:?}");
            assert!(fired.happenings.sockets.is_empty());
            assert!(text(&tab).await.starts_with(shown), "{}", text(&tab).await);
        }
        assert_eq!(site.lines(), ["GET /"]);
    });
}
