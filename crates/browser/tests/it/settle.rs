//! Coming to rest: what virtual time brings about by itself, and what it does not.

use std::time::Duration;

use browser::{Action, Caps, SettledBy, TabOptions};

use crate::site::{Response, Site};
use crate::stage::{at, at_with, run, text};

const BUTTON: &str = "/html/body/button[1]";

/// Clicks the button of a page and gives back the text of its first paragraph.
async fn click(html: &'static str) -> (browser::Settled, String) {
    let site = Site::page(html).await;
    let (mut tab, _) = at(&site).await;
    let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
    let shown = text(&tab).await;
    let first = shown.lines().next().unwrap_or_default().to_owned();
    (fired.settled.expect("settled"), first)
}

#[test]
fn a_chain_of_timers_is_followed_to_its_end() {
    run(async {
        let (settled, shown) = click(
            "<p id=p></p><button onclick='step(0)'>go</button><script>
             function step(n) { p.textContent = n; if (n < 6) setTimeout(step, 200, n + 1); }</script>",
        )
        .await;
        assert_eq!(shown, "6");
        assert_eq!(settled.by, SettledBy::Quiet);
        assert!(settled.wall_ms < 1200.0, "{settled:?}");
    });
}

#[test]
fn animation_frames_follow_virtual_time() {
    run(async {
        let (settled, shown) = click(
            "<p id=p></p><button onclick='step(0)'>go</button><script>
             function step(n) { p.textContent = n; if (n < 30) requestAnimationFrame(() => step(n + 1)); }
             </script>",
        )
        .await;
        assert_eq!(shown, "30");
        assert!(settled.wall_ms < 1200.0, "{settled:?}");
    });
}

#[test]
fn an_endless_ticker_does_not_cost_every_event_its_whole_budget() {
    run(async {
        let site = Site::page(
            "<p id=p></p><i id=i></i><button onclick=\"p.textContent='done'\">go</button><script>
             (function tick() { requestAnimationFrame(tick); i.dataset.t = performance.now(); })();
             setInterval(() => { i.dataset.s = Date.now() }, 1000);</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        for _ in 0..3 {
            let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
            let settled = fired.settled.expect("settled");
            assert!(settled.virtual_ms <= 100, "{settled:?}");
        }
        assert!(text(&tab).await.starts_with("done"));
    });
}

#[test]
fn a_slow_response_is_waited_for_exactly() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<p id=p></p><button onclick=\"fetch('/slow').then(r => r.text()).then(t =>
                 setTimeout(() => { p.textContent = t }, 300))\">go</button>",
            ),
            _ => Response::new(200, "text/plain", "slow").after(Duration::from_millis(400)),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        let settled = fired.settled.expect("settled");
        assert!(text(&tab).await.starts_with("slow"));
        assert!((400.0..5000.0).contains(&settled.wall_ms), "{settled:?}");
    });
}

#[test]
fn what_an_intersection_observer_loads_is_seen() {
    run(async {
        let (_, shown) = click(
            "<p id=p></p><button onclick='o.observe(d)'>go</button><div id=d>x</div><script>
             const o = new IntersectionObserver((seen) => {
               if (seen[0].isIntersecting) setTimeout(() => { p.textContent = 'visible' }, 10) });
             </script>",
        )
        .await;
        assert_eq!(shown, "visible");
    });
}

#[test]
fn scrolling_to_the_end_loads_more_as_often_as_there_is_more() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<div id=list style='height:2000px'>0</div><div id=end>end</div><script>
                 let n = 0;
                 new IntersectionObserver(async (seen) => {
                   if (!seen[0].isIntersecting || n >= 3) return;
                   const text = await (await fetch('/more?' + (++n))).text();
                   const part = document.createElement('div');
                   part.style.height = '2000px'; part.textContent = text;
                   document.body.insertBefore(part, document.getElementById('end'));
                 }).observe(document.getElementById('end'));</script>",
            ),
            path if path.starts_with("/more") => {
                Response::new(200, "text/plain", format!("part {path}"))
            }
            _ => Response::missing(),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        for part in 1..=3 {
            let fired = tab.fire(&Action::new("/html", "scroll")).await.expect("fired");
            assert!(fired.changed, "part {part}");
            assert!(text(&tab).await.contains(&format!("part /more?{part}")));
        }
        let fired = tab.fire(&Action::new("/html", "scroll")).await.expect("fired");
        assert!(!fired.changed, "nothing more");
    });
}

#[test]
fn a_transition_ends_and_its_event_is_heard() {
    run(async {
        let (settled, shown) = click(
            "<style>#d{opacity:0;transition:opacity 3s}#d.on{opacity:1}</style>
             <p id=p></p><button onclick=\"d.className='on'\">go</button><div id=d>x</div><script>
             d.addEventListener('transitionend', () => { p.textContent = 'ended' });</script>",
        )
        .await;
        assert_eq!(shown, "ended");
        assert!(settled.wall_ms < 2900.0, "{settled:?}");
    });
}

#[test]
fn an_event_source_does_not_hold_up_the_page() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<p id=p></p><button onclick=\"new EventSource('/events').onmessage = (e) => {
                   p.textContent = e.data; setTimeout(() => { p.textContent += ' and timer' }, 500) }\">go</button>",
            ),
            "/events" => Response::new(200, "text/event-stream", "data: first\n\n")
                .endless(": still here\n\n", Duration::from_millis(700)),
            _ => Response::missing(),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        let settled = fired.settled.expect("settled");
        assert_eq!(settled.by, SettledBy::Streams);
        assert!(settled.wall_ms < 5000.0, "{settled:?}");
        assert!(text(&tab).await.starts_with("first"));
        // The stream stays open, and other events settle as before.
        let next = tab.fire(&Action::new(BUTTON, "mouseover")).await.expect("fired");
        assert!(next.settled.expect("settled").wall_ms < 5000.0);
    });
}

#[test]
fn a_long_poll_is_given_up_after_a_while() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<p id=p></p><button onclick=\"fetch('/poll'); setTimeout(() => { p.textContent = 'timer' }, 100)\">go</button>",
            ),
            _ => Response::new(200, "text/plain", "x").after(Duration::from_secs(60)),
        })
        .await;
        let caps = Caps { stall: Duration::from_millis(600), ..Caps::default() };
        let (mut tab, _) = at_with(&site, TabOptions { caps, ..TabOptions::default() }).await;
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        let settled = fired.settled.expect("settled");
        assert_eq!(settled.by, SettledBy::Streams);
        assert!((600.0..5000.0).contains(&settled.wall_ms), "{settled:?}");
        assert!(text(&tab).await.starts_with("timer"));
    });
}

#[test]
fn the_clock_of_a_page_runs_ahead_and_the_tab_says_so() {
    run(async {
        let caps = Caps { virtual_ms: 40_000, ..Caps::default() };
        let site = Site::page(
            "<p id=p></p><button onclick=\"setTimeout(() => { p.textContent += 'x' }, 35000)\">go</button>",
        )
        .await;
        let (mut tab, _) = at_with(&site, TabOptions { caps, ..TabOptions::default() }).await;
        assert!(!tab.wants_replacing());
        let before = tab.drift_ms();
        for _ in 0..2 {
            tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        }
        let moved = tab.drift_ms() - before;
        assert!((69_000..72_000).contains(&moved), "{moved}");
        assert!(tab.wants_replacing());
    });
}

#[test]
fn frames_settle_with_the_page_that_holds_them() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html("<iframe src='/inner'></iframe>"),
            _ => Response::html(
                "<p id=p>0</p><script>setTimeout(() => { p.textContent = 'late' }, 800)</script>",
            ),
        })
        .await;
        let (tab, _) = at(&site).await;
        assert!(text(&tab).await.contains("late"));
    });
}

#[test]
fn storage_cryptography_and_workers_are_waited_for() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<p id=p></p><button onclick='go()'>go</button><script>
                 const worker = new Worker('/worker.js');
                 const asked = (text) => new Promise((done) => { worker.onmessage = (e) => done(e.data); worker.postMessage(text) });
                 const request = (r) => new Promise((done) => { r.onsuccess = () => done(r.result) });
                 async function go() {
                   const open = indexedDB.open('d');
                   open.onupgradeneeded = () => open.result.createObjectStore('s');
                   const db = await request(open);
                   await request(db.transaction('s', 'readwrite').objectStore('s').put('stored', 1));
                   const stored = await request(db.transaction('s').objectStore('s').get(1));
                   const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('x'));
                   const reply = await asked('hi');
                   p.textContent = stored + ' ' + hash.byteLength + ' ' + reply;
                 }</script>",
            ),
            _ => Response::new(200, "text/javascript", "onmessage = (e) => postMessage('heard ' + e.data)"),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        let shown = text(&tab).await;
        assert!(shown.starts_with("stored 32 heard hi"), "{shown}");
        let idle = tab.fire(&Action::new(BUTTON, "mouseover")).await.expect("fired");
        assert!(idle.settled.expect("settled").wall_ms < 120.0, "nothing is under way any more");
    });
}

/// A page that has a worker ask for something that takes this long, and shows what it answers.
async fn with_a_worker(takes: Duration) -> Site {
    Site::serve(move |request| match request.path.as_str() {
        "/" => Response::html(
            "<p id=p>preparing</p><button onmouseover='void 0'>go</button><script>
             const worker = new Worker('/worker.js');
             worker.onmessage = () => { p.textContent = 'ready' };
             worker.postMessage('prepare');</script>",
        ),
        "/index" => Response::html("index").after(takes),
        _ => Response::new(
            200,
            "text/javascript",
            "onmessage = () => {
               const request = new XMLHttpRequest();
               request.open('GET', '/index', false);
               request.send();
               postMessage('done');
             }",
        ),
    })
    .await
}

#[test]
fn a_worker_that_computes_while_the_page_loads_is_waited_for() {
    run(async {
        let site = with_a_worker(Duration::from_millis(500)).await;
        let (mut tab, _) = at(&site).await;
        assert!(text(&tab).await.contains("ready"));
        let fired = tab.fire(&Action::new(BUTTON, "mouseover")).await.expect("fired");
        assert!(!fired.changed && !fired.late);
    });
}

#[test]
fn what_a_worker_answers_late_is_told_apart_from_what_an_event_does() {
    run(async {
        let site = with_a_worker(Duration::from_secs(3)).await;
        let (mut tab, _) = at(&site).await;
        assert!(text(&tab).await.contains("preparing"), "nobody waits for ever");
        tokio::time::sleep(Duration::from_secs(3)).await;
        let fired = tab.fire(&Action::new(BUTTON, "mouseover")).await.expect("fired");
        assert!(text(&tab).await.contains("ready"));
        assert!(fired.changed && fired.late);
        let fired = tab.fire(&Action::new(BUTTON, "mouseover")).await.expect("fired");
        assert!(!fired.changed && !fired.late);
    });
}
