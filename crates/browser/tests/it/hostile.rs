//! Hostile pages end by their caps and cost one tab.

use std::time::{Duration, Instant};

use browser::{Action, Caps, Tab, TabError, TabOptions, Visit};

use crate::site::{Response, Site};
use crate::stage::{at, at_with, run, tab, text};

const BUTTON: &str = "/html/body/button[1]";

/// Caps small enough for a test.
fn small() -> TabOptions {
    let caps = Caps {
        load: Duration::from_secs(6),
        settle: Duration::from_secs(2),
        script: Duration::from_secs(2),
        stall: Duration::from_millis(500),
        body: 4 << 20,
        nodes: 20_000,
        walk_bytes: 2 << 20,
        redirects: 8,
        ..Caps::default()
    };
    TabOptions { caps, ..TabOptions::default() }
}

/// Goes to a page that may do anything, and proves afterwards that the browser is as good as new.
async fn survive(site: &Site, path: &str) -> Result<(Tab, Visit), TabError> {
    let began = Instant::now();
    let mut hostile = tab(small()).await;
    let outcome = hostile.navigate(&site.url(path)).await;
    let took = began.elapsed();
    assert!(took < Duration::from_secs(15), "{path} held the tab for {took:?}");
    fine_still().await;
    outcome.map(|visit| (hostile, visit))
}

/// A plain page in a new tab works.
async fn fine_still() {
    let plain = Site::page("<p id=p>0</p><button onclick='p.textContent=1'>a</button>").await;
    let (mut tab, _) = at(&plain).await;
    assert!(tab.fire(&Action::new(BUTTON, "click")).await.expect("fired").changed);
    tab.close().await;
}

#[test]
fn an_endless_loop_while_loading_is_given_up() {
    run(async {
        let site = Site::page("<p>before</p><script>while (true) {}</script>").await;
        let error = survive(&site, "/").await.err().expect("hung");
        assert!(matches!(error, TabError::Hung { .. }), "{error}");
    });
}

#[test]
fn an_endless_loop_in_a_handler_costs_the_tab_and_nothing_else() {
    run(async {
        let site = Site::page("<button onclick='while (true) {}'>a</button>").await;
        let (mut tab, _) = at_with(&site, small()).await;
        let (mut neighbour, _) = at(&site).await;
        let error = tab.fire(&Action::new(BUTTON, "click")).await.expect_err("hung");
        assert!(matches!(error, TabError::Hung { .. }), "{error}");
        drop(tab);
        neighbour.navigate(&site.url("/")).await.expect("the neighbour goes on");
        fine_still().await;
    });
}

#[test]
fn endless_dialogs_end() {
    run(async {
        let site = Site::page("<button onclick=\"for (;;) alert('again')\">a</button>").await;
        let (mut tab, _) = at_with(&site, small()).await;
        let error = tab.fire(&Action::new(BUTTON, "click")).await.expect_err("too many");
        assert!(matches!(error, TabError::OverCap { cap: "dialogs", .. }), "{error}");
        drop(tab);
        let loading = Site::page("<script>for (;;) confirm('again')</script>").await;
        let error = survive(&loading, "/").await.err().expect("too many");
        assert!(matches!(error, TabError::OverCap { cap: "dialogs", .. }), "{error}");
    });
}

#[test]
fn endless_redirects_end_whoever_makes_them() {
    run(async {
        let site = Site::serve(|request| {
            let number: u32 =
                request.path.rsplit('/').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            let next = number + 1;
            match request.path.split('/').nth(1).unwrap_or_default() {
                "http" => Response::redirect(&format!("/http/{next}")),
                "meta" => Response::html(format!(
                    "<meta http-equiv=refresh content='0;url=/meta/{next}'>"
                )),
                "script" => Response::html(format!("<script>location = '/script/{next}'</script>")),
                _ => Response::missing(),
            }
        })
        .await;
        for kind in ["http", "meta", "script"] {
            let outcome = survive(&site, &format!("/{kind}/0")).await;
            match outcome {
                Err(TabError::OverCap { cap: "redirects", .. }) => {}
                Ok((_, visit)) => assert_eq!(visit.cut, Some("redirects"), "{kind}"),
                Err(error) => panic!("{kind}: {error}"),
            }
            let asked = site.lines().iter().filter(|line| line.contains(kind)).count();
            assert!(asked <= 10, "{kind}: {asked} requests");
        }
    });
}

#[test]
fn a_huge_document_is_cut_at_the_cap() {
    run(async {
        let site = Site::serve(|_| {
            Response::html("<p>begin</p>").endless(vec![b'x'; 1 << 20], Duration::from_millis(1))
        })
        .await;
        match survive(&site, "/").await {
            Ok((_, visit)) => assert_eq!(visit.cut, Some("body")),
            // A renderer that is busy with the text does not tell how much has come.
            Err(error) => assert!(
                matches!(error, TabError::OverCap { .. } | TabError::Hung { .. }),
                "{error}"
            ),
        }
    });
}

#[test]
fn a_small_response_that_unpacks_into_a_huge_one_is_cut_at_the_cap() {
    run(async {
        use std::io::Write;
        let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        for _ in 0..200 {
            zip.write_all(&vec![b' '; 1 << 20]).expect("zipped");
        }
        let bomb = zip.finish().expect("zipped");
        assert!(bomb.len() < 1 << 20);
        let site = Site::serve(move |request| match request.path.as_str() {
            "/" => Response::html(bomb.clone()).with("content-encoding", "gzip"),
            "/page" => Response::html(
                "<p id=p></p><button onclick=\"fetch('/').then(r => r.text()).then(t => { p.textContent = t.length }, () => { p.textContent = 'cut' })\">a</button>",
            ),
            _ => Response::missing(),
        })
        .await;
        match survive(&site, "/").await {
            Ok((_, visit)) => assert_eq!(visit.cut, Some("body")),
            Err(error) => assert!(matches!(error, TabError::OverCap { .. }), "{error}"),
        }
        let mut tab = tab(small()).await;
        tab.navigate(&site.url("/page")).await.expect("a page");
        let outcome = match tab.fire(&Action::new(BUTTON, "click")).await {
            Ok(_) => tab.walk().await,
            Err(error) => Err(error),
        };
        match outcome {
            Ok(walk) => assert!(page::tree::visible_text(&walk.dom).starts_with("cut")),
            Err(error) => assert!(matches!(error, TabError::OverCap { .. }), "{error}"),
        }
        fine_still().await;
    });
}

#[test]
fn a_million_nodes_give_a_truncated_walk() {
    run(async {
        let site = Site::page(
            "<div id=d hidden></div><script>const part = '<i></i>'.repeat(10000); let all = '';
             for (let n = 0; n < 100; n++) all += part; d.innerHTML = all;</script>",
        )
        .await;
        let mut options = small();
        options.caps.script = Duration::from_secs(10);
        options.caps.settle = Duration::from_secs(10);
        options.caps.load = Duration::from_secs(20);
        let (tab, _) = at_with(&site, options).await;
        let walk = tab.walk().await.expect("a walk");
        assert!(walk.truncated);
        assert!(walk.dom.node_count() <= 20_000);
        let candidates = tab.candidates().await.expect("candidates");
        assert!(candidates.truncated);
        drop(tab);
        fine_still().await;
    });
}

#[test]
fn a_tree_nested_deeper_than_any_stack_is_walked_to_the_cap() {
    run(async {
        let site = Site::page(
            "<button onclick='1'>a</button><script>let at = document.body;
             for (let n = 0; n < 50000; n++) { const d = document.createElement('div'); at.appendChild(d); at = d }</script>",
        )
        .await;
        let mut tab = tab(small()).await;
        match tab.navigate(&site.url("/")).await {
            Ok(_) => {
                let walk = tab.walk().await.expect("a walk");
                assert!(walk.truncated);
                assert!(tab.candidates().await.expect("candidates").truncated);
            }
            // Chromium's own layout may give up first.
            Err(error) => {
                assert!(matches!(error, TabError::Crashed | TabError::Hung { .. }), "{error}");
            }
        }
        drop(tab);
        fine_still().await;
    });
}

#[test]
fn a_page_that_closes_itself_cannot() {
    run(async {
        let site = Site::page("<p>still here</p><button onclick='window.close()'>a</button><script>window.close(); self.close()</script>").await;
        let (mut tab, _) = survive(&site, "/").await.expect("a page");
        match tab.fire(&Action::new(BUTTON, "click")).await {
            Ok(_) => assert!(text(&tab).await.starts_with("still here")),
            Err(error) => assert!(matches!(error, TabError::Closed), "{error}"),
        }
        drop(tab);
        fine_still().await;
    });
}

#[test]
fn history_spam_ends() {
    run(async {
        let site = Site::page(
            "<button onclick=\"for (let n = 0; n < 5000; n++) history.pushState({}, '', '/' + n)\">a</button>",
        )
        .await;
        let (mut tab, _) = at_with(&site, small()).await;
        match tab.fire(&Action::new(BUTTON, "click")).await {
            Ok(fired) => assert!(fired.happenings.navigations.len() <= 201),
            Err(error) => assert!(
                matches!(
                    error,
                    TabError::OverCap { cap: "changes of address", .. } | TabError::Hung { .. }
                ),
                "{error}"
            ),
        }
        drop(tab);
        fine_still().await;
    });
}

#[test]
fn a_storm_of_windows_ends() {
    run(async {
        let site = Site::page(
            "<button onclick=\"for (let n = 0; n < 500; n++) window.open('/popup' + n)\">a</button>",
        )
        .await;
        let (mut tab, _) = at_with(&site, small()).await;
        match tab.fire(&Action::new(BUTTON, "click")).await {
            Ok(fired) => {
                assert!(fired.happenings.popups.len() <= 20, "{}", fired.happenings.popups.len());
            }
            Err(error) => assert!(
                matches!(error, TabError::OverCap { .. } | TabError::Hung { .. }),
                "{error}"
            ),
        }
        drop(tab);
        fine_still().await;
        assert_eq!(site.lines(), ["GET /"]);
    });
}

#[test]
fn timers_messages_and_fetches_without_end_are_cut_by_the_clock() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/timers" => Response::html("<p>timers</p><script>(function f() { setTimeout(f, 0); setTimeout(f, 0) })()</script>"),
            "/messages" => Response::html(
                "<p>messages</p><script>const c = new MessageChannel(); c.port1.onmessage = () => c.port2.postMessage(1); c.port2.postMessage(1)</script>",
            ),
            "/microtasks" => Response::html("<p>microtasks</p><script>(function f() { Promise.resolve().then(f) })()</script>"),
            "/fetches" => Response::html("<p>fetches</p><script>(function f() { fetch('/x').then(f) })()</script>"),
            "/writes" => Response::html("<p>writes</p><script>setInterval(() => document.write('<p>more</p>'.repeat(1000)), 1)</script>"),
            "/stream" => Response::html("<p>stream</p><script>fetch('/endless').then(async (r) => { const s = r.body.getReader(); for (;;) await s.read() })</script>"),
            "/endless" => Response::new(200, "text/plain", "x").endless("y", Duration::from_millis(5)),
            _ => Response::new(200, "text/plain", "x"),
        })
        .await;
        for path in ["/timers", "/messages", "/microtasks", "/fetches", "/writes", "/stream"] {
            match survive(&site, path).await {
                Ok((tab, _)) => {
                    // A page that cannot stop may hang later too; that costs the tab.
                    if let Ok(walk) = tab.walk().await {
                        let shown = page::tree::visible_text(&walk.dom);
                        assert!(
                            shown.contains(&path[1..]) || shown.contains("more"),
                            "{path}: {shown}"
                        );
                    }
                }
                Err(error) => assert!(
                    matches!(error, TabError::Hung { .. } | TabError::OverCap { .. }),
                    "{path}: {error}"
                ),
            }
        }
    });
}

#[test]
fn a_page_that_spoils_its_own_globals_is_walked_all_the_same() {
    run(async {
        let site = Site::page(
            "<p>here</p><button onclick='1'>a</button><script>
             Array.prototype.push = Array.prototype.join = String.prototype.replace = JSON.stringify = Map.prototype.get =
               Object.keys = document.querySelectorAll = () => { throw new Error('no') };
             Object.defineProperty(window, 'location', { value: 1 }); </script>",
        )
        .await;
        let (mut tab, _) = survive(&site, "/").await.expect("a page");
        assert!(text(&tab).await.starts_with("here"));
        let fired = tab.fire(&Action::new(BUTTON, "click")).await.expect("fired");
        assert!(fired.found.is_some());
        // Candidates come from the page's own world: it may spoil them, for itself only.
        let _ = tab.candidates().await;
    });
}

#[test]
fn a_server_that_never_answers_and_one_that_never_ends_are_given_up() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/silent" => Response::html("late").after(Duration::from_secs(60)),
            "/dripping" => {
                Response::html("<p>begin</p>").endless("<i>drip</i>", Duration::from_millis(100))
            }
            _ => Response::html("<p>fine</p>"),
        })
        .await;
        let mut options = small();
        options.caps.load = Duration::from_secs(5);
        options.caps.settle = Duration::from_secs(1);
        let mut tab = tab(options).await;
        let error = tab.navigate(&site.url("/silent")).await.expect_err("no answer");
        assert!(matches!(error, TabError::Navigation { .. }), "{error}");
        let visit = tab.navigate(&site.url("/")).await.expect("the tab goes on");
        assert_eq!(visit.status, 200);
        let visit = tab.navigate(&site.url("/dripping")).await.expect("what has come");
        assert_eq!(visit.cut, Some("load"));
        assert!(text(&tab).await.starts_with("begin"));
    });
}
