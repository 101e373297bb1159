//! Whether an event changed anything, and how states are known again.

use browser::{Action, Fired, Tab};

use crate::site::{Response, Site};
use crate::stage::{at, run, text};

async fn click(tab: &mut Tab, path: &str) -> Fired {
    let fired = tab.fire(&Action::new(path, "click")).await.expect("an event");
    assert!(fired.found.is_some(), "nothing at {path}");
    fired
}

#[test]
fn a_state_that_comes_back_has_the_number_that_it_had() {
    run(async {
        let site = Site::page(
            "<p id=p>one</p><button onclick=\"p.textContent = 'one'\">1</button>
             <button onclick=\"p.textContent = 'two'\">2</button><button>none</button>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let first = tab.fingerprint().await.expect("a number");
        let nothing = click(&mut tab, "/html/body/button[3]").await;
        assert_eq!((nothing.changed, nothing.fingerprint), (false, first));
        let second = click(&mut tab, "/html/body/button[2]").await;
        assert!(second.changed && second.fingerprint != first);
        let back = click(&mut tab, "/html/body/button[1]").await;
        assert_eq!((back.changed, back.fingerprint), (true, first));
        let lost = tab.fire(&Action::new("/html/body/nav[1]", "click")).await.expect("an answer");
        assert_eq!((lost.found, lost.fingerprint), (None, first));
    });
}

#[test]
fn changes_that_no_observer_hears_of_are_seen() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<input id=i><input id=c type=checkbox><div id=host></div><iframe src='/one'></iframe>
                 <section id=s><b>old</b></section><canvas id=v width=40 height=40></canvas>
                 <button onclick=\"i.value += 'x'\">value</button>
                 <button onclick=\"c.checked = !c.checked\">check</button>
                 <button onclick=\"host.attachShadow({mode:'closed'}).innerHTML = '<i>in</i>'\">root</button>
                 <button onclick=\"frames[0].document.body.append('more')\">frame</button>
                 <button onclick=\"frames[0].location = '/two'\">other frame</button>
                 <button onclick=\"kept = s.firstChild; kept.remove()\">out</button>
                 <button onclick=\"kept.textContent = 'new'\">aside</button>
                 <button onclick=\"s.append(kept)\">in</button>
                 <button onclick=\"v.getContext('2d').fillRect(5, 5, 9, 9)\">paint</button>",
            ),
            "/one" | "/two" => Response::html(request.path.clone()),
            _ => Response::missing(),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        let mut seen = vec![tab.fingerprint().await.expect("a number")];
        for button in [1, 2, 3, 4, 5, 6] {
            let fired = click(&mut tab, &format!("/html/body/button[{button}]")).await;
            assert!(fired.changed, "button {button}");
            seen.push(fired.fingerprint);
        }
        // Changed while it was in no document, and put back: not what was there before.
        assert!(!click(&mut tab, "/html/body/button[7]").await.changed);
        seen.push(click(&mut tab, "/html/body/button[8]").await.fingerprint);
        seen.push(click(&mut tab, "/html/body/button[9]").await.fingerprint);
        assert!(!click(&mut tab, "/html/body/button[9]").await.changed, "painted over the same");
        let mut different = seen.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), seen.len(), "{seen:?}");
    });
}

#[test]
fn a_router_that_takes_a_navigation_over_is_let() {
    run(async {
        let site = Site::page(
            "<p id=p>home</p><a href='/about'>about</a><a href='/other'>other</a>
             <button onclick=\"location.href = '/script'\">go</button><script>
             navigation.addEventListener('navigate', (event) => {
               if (!event.destination.url.endsWith('/about')) return;
               event.intercept({ async handler() { p.textContent = 'about us'; } });
             });</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let routed = click(&mut tab, "/html/body/a[1]").await;
        assert!(routed.changed && text(&tab).await.starts_with("about us"));
        assert_eq!(routed.url_after, site.url("/about").as_str());
        assert!(routed.happenings.navigations.iter().all(|to| to.same_document));
        for (path, to) in [("/html/body/a[2]", "/other"), ("/html/body/button[1]", "/script")] {
            let left = click(&mut tab, path).await;
            let caught: Vec<_> = left.happenings.navigations.iter().map(|to| &*to.url).collect();
            assert_eq!((left.changed, caught), (false, vec![site.url(to).as_str()]));
        }
        assert_eq!(site.lines(), ["GET /"]);
    });
}

#[test]
fn a_refresh_of_the_markup_is_told_once_and_never_made() {
    run(async {
        let site = Site::page(
            "<meta http-equiv=Refresh content='5; URL=\"/later\"'><p id=p>0</p>
             <button onclick='setTimeout(() => p.textContent++, 1900)'>wait</button>
             <a href='/later'>now</a>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let told = tab.take_happenings().navigations;
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0].url, site.url("/later").as_str());
        for _ in 0..5 {
            let fired = click(&mut tab, "/html/body/button[1]").await;
            assert_eq!((fired.changed, fired.happenings.navigations), (true, vec![]));
        }
        let own = click(&mut tab, "/html/body/a[1]").await;
        assert_eq!(own.happenings.navigations.len(), 1, "the link leads there all the same");
        assert_eq!(site.lines(), ["GET /"]);
    });
}

#[test]
fn a_step_back_stays_inside_the_document_or_is_not_made() {
    run(async {
        let site = Site::page(
            "<p id=p>list</p><button onclick=\"history.pushState('item', '', '/item'); show('item')\">a</button>
             <a href='#part'>b</a><script>
             function show(what) { p.textContent = what }
             addEventListener('popstate', (event) => setTimeout(show, 50, event.state || 'list'));</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let list = tab.fingerprint().await.expect("a number");
        let nowhere = tab.back().await.expect("an answer");
        assert_eq!((nowhere.found, nowhere.changed, nowhere.fingerprint), (None, false, list));
        let item = click(&mut tab, "/html/body/button[1]").await;
        assert_eq!(item.url_after, site.url("/item").as_str());
        click(&mut tab, "/html/body/a[1]").await;
        for (fingerprint, path) in [(item.fingerprint, "/item"), (list, "/")] {
            let back = tab.back().await.expect("a step back");
            assert!(back.found.is_some());
            assert_eq!(
                (back.fingerprint, &*back.url_after),
                (fingerprint, site.url(path).as_str())
            );
        }
        assert_eq!(tab.back().await.expect("an answer").found, None);
        assert_eq!(site.lines(), ["GET /"]);
    });
}
