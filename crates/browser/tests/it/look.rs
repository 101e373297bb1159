//! The walk, the list of candidates, and finding elements again.

use browser::{Action, Candidate, Detail, FoundBy, Handler, Walk};
use page::block::{Display, Look};

use crate::site::{Response, Site};
use crate::stage::{at, run, text};

async fn candidates(html: &'static str) -> Vec<Candidate> {
    let site = Site::page(html).await;
    let (tab, _) = at(&site).await;
    tab.candidates().await.expect("candidates").list
}

/// `path event` of each.
fn named(candidates: &[Candidate]) -> Vec<String> {
    candidates.iter().map(|one| format!("{} {}", one.path, one.event)).collect()
}

#[test]
fn a_walk_is_what_the_parser_makes_of_the_same_markup() {
    run(async {
        const HTML: &str = "<!doctype html><html lang=en><head><title>x &amp; y</title></head><body>\
            <!-- note --><ul class='a b'><li>1<li>2 <b>bold</b></ul><svg viewBox='0 0 1 1'><linearGradient id=g /></svg>\
            <template><p>inert</p></template><noscript><p>off</p></noscript><pre>\n\n two</pre></body></html>";
        let site = Site::page(HTML).await;
        let (tab, _) = at(&site).await;
        let walk = tab.walk().await.expect("a walk");
        let parsed = page::tree::parse(HTML.as_bytes(), Some("text/html; charset=utf-8"));
        assert_eq!(page::tree::serialise(&walk.dom), page::tree::serialise(&parsed.dom));
        assert_eq!(walk.title, "x & y");
        assert!(!walk.truncated);
    });
}

#[test]
fn shadow_roots_open_and_closed_and_frames_are_part_of_the_walk() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<x-open></x-open><x-closed></x-closed><iframe src='/inner'></iframe><p id=p></p><script>
                 document.querySelector('x-open').attachShadow({ mode: 'open' }).innerHTML = '<b>in open</b>';
                 const root = document.querySelector('x-closed').attachShadow({ mode: 'closed' });
                 root.innerHTML = '<i>in closed</i>';
                 p.textContent = document.querySelector('x-closed').shadowRoot + ' ' + root.mode;
                 </script>",
            ),
            _ => Response::html("<u>in frame</u>"),
        })
        .await;
        let (tab, _) = at(&site).await;
        let dom = tab.walk().await.expect("a walk").dom;
        for path in [
            "/html/body/x-open[1]/shadow-root()/b[1]",
            "/html/body/x-closed[1]/shadow-root()/i[1]",
            "/html/body/iframe[1]/document()/html/body/u[1]",
        ] {
            let path: page::tree::XPath = path.parse().expect("a path");
            assert_eq!(path.evaluate(&dom).len(), 1, "{path}");
        }
        let html = page::tree::serialise(&dom);
        assert!(
            html.contains("<p id=\"p\">null closed</p>"),
            "the page sees what it asked for: {html}"
        );
    });
}

#[test]
fn frames_of_another_site_are_walked_listed_and_fired_in() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/inner" => Response::html(
                "<p id=p>0</p><button onclick=\"setTimeout(() => { p.textContent = 'fired' }, 200)\">go</button>",
            ),
            _ => {
                let port = request.header("host").unwrap_or_default();
                let port = port.rsplit(':').next().unwrap_or_default().to_owned();
                Response::html(format!("<h1>t</h1><iframe src='http://localhost:{port}/inner'></iframe>"))
            }
        })
        .await;
        let (mut tab, _) = at(&site).await;
        assert!(text(&tab).await.contains("0\ngo"));
        let list = tab.candidates().await.expect("candidates").list;
        assert_eq!(named(&list), ["/html/body/iframe[1]/document()/html/body/button[1] click"]);
        let fired = tab.fire(&Action::from(&list[0])).await.expect("fired");
        assert!(fired.found.is_some() && fired.changed, "{fired:?}");
        assert!(text(&tab).await.contains("fired"));
    });
}

#[test]
fn half_a_surrogate_pair_does_not_fail_a_page() {
    run(async {
        let site = Site::page("<p id=p></p><script>p.textContent = 'a\\ud800b'; p.title = '\\udc00'; document.title = '\\ud83d'</script>").await;
        let (tab, _) = at(&site).await;
        let walk = tab.walk().await.expect("a walk");
        assert_eq!(page::tree::visible_text(&walk.dom), "a\u{fffd}b");
        assert_eq!(walk.title, "\u{fffd}");
    });
}

/// How the first element of a name looks.
fn look_of(walk: &Walk, name: &str) -> Option<Look> {
    let node = walk.dom.elements().find(|node| node.name() == name).expect("the element");
    walk.looks.as_ref().expect("looks").of(node.id()).copied()
}

#[test]
fn boxes_say_where_elements_are_and_how_they_look() {
    run(async {
        let site = Site::page(
            "<!doctype html><style>body{margin:0}div{margin-left:20px;width:100px;height:50px;font-size:12.5px;font-weight:bold;color:rgb(1,2,3);background:oklch(1 0 0)}
             span{display:none}i{display:inline-flex;background:#0000}td{color:rgba(255,0,0,.5)}u{display:contents}</style>
             <div>x</div><span>hidden <b>inside</b></span><p><a>link</a><i>box</i></p><table><tr><td>cell</table>
             <ul style='display:grid'><li>one</ul><u>no box</u><svg><path d='M0 0'/></svg>",
        )
        .await;
        let (tab, _) = at(&site).await;
        let walk = tab.walk_with(Detail::Boxes).await.expect("a walk");
        let look = |name: &str| look_of(&walk, name).expect("a look");
        let div = Look {
            display: Display::Block,
            x: 20,
            y: 0,
            width: 100,
            height: 50,
            font_size: 125,
            weight: 700,
            colour: 0x0102_03ff,
            background: 0xffff_ffff,
        };
        assert_eq!(look("div"), div);
        for (name, display) in [
            ("head", Display::None),
            ("style", Display::None),
            ("span", Display::None),
            ("b", Display::None),
            ("a", Display::Inline),
            ("i", Display::InlineBlock),
            ("table", Display::Table),
            ("tbody", Display::Row),
            ("tr", Display::Row),
            ("td", Display::Cell),
            ("ul", Display::Flex),
            ("li", Display::Block),
            ("u", Display::Contents),
        ] {
            assert_eq!(look(name).display, display, "{name}");
        }
        assert_eq!((look("i").background, look("td").colour), (0, 0xff00_0080));
        assert!(look("svg").width > 0 && look_of(&walk, "path").is_none());
        assert!(tab.walk().await.expect("a walk").looks.is_none());
    });
}

#[test]
fn what_is_in_frames_is_placed_in_the_top_document() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/inner" => Response::html("<!doctype html><body style='margin:0'><div style='margin:7px 0 0 5px;width:60px;height:10px'>in</div>"),
            _ => {
                let port = request.header("host").unwrap_or_default();
                let port = port.rsplit(':').next().unwrap_or_default().to_owned();
                let frame = |host: &str| format!("<iframe src='{host}/inner' style='display:block;margin:0 0 0 30px;border:3px solid;padding:2px;width:200px;height:100px'></iframe>");
                let foreign = frame(&format!("http://localhost:{port}"));
                Response::html(format!("<!doctype html><body style='margin:0'>{}{foreign}", frame("")))
            }
        })
        .await;
        let (tab, _) = at(&site).await;
        let walk = tab.walk_with(Detail::Boxes).await.expect("a walk");
        let looks = walk.looks.as_ref().expect("looks");
        let divs = walk.dom.elements().filter(|node| node.name() == "div");
        let places: Vec<_> = divs
            .filter_map(|div| looks.of(div.id()))
            .map(|look| (look.x, look.y, look.width))
            .collect();
        // Margin, border and padding of the frame, then the margin inside; the second is below the
        // first, which is 100 and twice 5 high.
        assert_eq!(places, [(40, 12, 60), (40, 122, 60)]);
    });
}

#[test]
fn handlers_are_found_wherever_they_are() {
    run(async {
        let list = candidates(
            "<a onclick='goPage(2)' href='#'>inline</a><a href='javascript:show(3)'>javascript</a>
             <div id=listener data-page=7>l</div><div id=property>p</div><select onchange='f(this.value)'><option value=1>1<option value=2>2</select>
             <span role=button>role</span><details><summary>s</summary></details><div onmouseover='m()'>over</div>
             <a href='/plain'>plain link</a><i style='cursor:pointer'>hand</i><em>nothing</em>
             <script>listener.addEventListener('click', () => {}); property.onclick = () => 1;</script>",
        )
        .await;
        assert_eq!(
            named(&list),
            [
                "/html/body/a[1] click",
                "/html/body/a[2] click",
                "/html/body/div[1] click",
                "/html/body/div[2] click",
                "/html/body/select[1] change",
                "/html/body/span[1] click",
                "/html/body/details[1]/summary[1] click",
                "/html/body/div[3] mouseover",
                "/html/body/i[1] click",
            ]
        );
        assert_eq!(list[0].instruction.as_deref(), Some("goPage(2)"));
        assert_eq!(list[1].instruction.as_deref(), Some("show(3)"));
        assert_eq!(list[2].data.get("page").map(String::as_str), Some("7"));
        assert_eq!(list[2].element_id.as_deref(), Some("listener"));
        assert!(
            matches!(&list[2].handler, Handler::Listener { at } if at.contains("#")),
            "{:?}",
            list[2]
        );
        assert!(matches!(&list[3].handler, Handler::Property { .. }));
        assert_eq!(list[4].value.as_deref(), Some("2"), "the value that is not chosen yet");
        assert!(matches!(&list[8].handler, Handler::Pointer));
        assert_eq!(list[8].tier, 4);
    });
}

#[test]
fn the_position_of_a_listener_is_the_same_at_every_load() {
    run(async {
        const HTML: &str = "<b id=a>1</b><b id=c>2</b><script>
            a.addEventListener('click', () => { document.title = 1 });
            c.addEventListener('click', () => { document.title = 2 });</script>";
        let site = Site::page(HTML).await;
        let (mut tab, _) = at(&site).await;
        let first = tab.candidates().await.expect("candidates").list;
        tab.navigate(&site.url("/")).await.expect("again");
        let second = tab.candidates().await.expect("candidates").list;
        assert_eq!(first, second);
        assert_ne!(first[0].handler, first[1].handler);
    });
}

#[test]
fn a_handler_that_names_its_selector_serves_what_it_selects() {
    run(async {
        let list = candidates(
            "<ul id=u><li class=page>1</li><li class=page>2</li><li>no</li></ul><script>
             u.addEventListener('click', (e) => { const li = e.target.closest('.page'); if (li) document.title = 1 });
             </script>",
        )
        .await;
        assert_eq!(named(&list), ["/html/body/ul[1]/li[1] click", "/html/body/ul[1]/li[2] click"]);
        assert!(
            matches!(&list[0].handler, Handler::Delegated { selector, .. } if selector == ".page")
        );
    });
}

fn vendored(path: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../testsite/assets/vendor/");
    std::fs::read(format!("{folder}{path}")).unwrap_or_else(|error| panic!("{path}: {error}"))
}

async fn with_library(library: &'static str, html: &'static str) -> (Site, Vec<Candidate>, String) {
    let site = Site::serve(move |request| match request.path.as_str() {
        "/" => Response::html(html),
        "/library.js" => Response::new(200, "text/javascript", vendored(library)),
        _ => Response::missing(),
    })
    .await;
    let (mut tab, _) = at(&site).await;
    let list = tab.candidates().await.expect("candidates").list;
    if let Some(first) = list.first() {
        tab.fire(&Action::from(first)).await.expect("fired");
    }
    let shown = text(&tab).await;
    (site, list, shown)
}

#[test]
fn jquery_says_which_elements_its_delegated_handlers_serve() {
    run(async {
        for hidden in ["", "jQuery.noConflict(true);"] {
            let html: &'static str = Box::leak(
                format!(
                    "<p id=p></p><div id=d><b class=go data-n=1>one</b><b class=go data-n=2>two</b><b>no</b></div>
                     <script src=/library.js></script><script>
                     jQuery('#d').on('click', '.go', function () {{ document.getElementById('p').textContent = this.dataset.n }});
                     {hidden}</script>"
                )
                .into_boxed_str(),
            );
            let (_site, list, shown) = with_library(JQUERY, html).await;
            assert_eq!(
                named(&list),
                ["/html/body/div[1]/b[1] click", "/html/body/div[1]/b[2] click"]
            );
            assert!(
                matches!(&list[0].handler, Handler::Delegated { selector, .. } if selector == ".go")
            );
            assert!(shown.starts_with('1'), "{shown}");
        }
    });
}

const JQUERY: &str = "jquery/jquery.min.js";

#[test]
fn react_handlers_are_found_on_the_elements_that_show_them() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<div id=root></div><script src=/react.js></script><script src=/react-dom.js></script><script>
                 const e = React.createElement;
                 function App() {
                   const [n, set] = React.useState(0);
                   return e('div', null, e('p', null, 'page ' + n),
                     [1, 2].map((k) => e('span', { key: k, onClick: () => setTimeout(() => set(k), 100) }, 'go ' + k)),
                     e('select', { onChange: (v) => set(v.target.value), value: n }, [0, 7].map((k) => e('option', { key: k, value: k }, k))),
                     e('i', { onMouseEnter: () => set(9) }, 'over'));
                 }
                 ReactDOM.createRoot(document.getElementById('root')).render(e(App));</script>",
            ),
            "/react.js" => Response::new(200, "text/javascript", vendored("react/react.production.min.js")),
            "/react-dom.js" => {
                Response::new(200, "text/javascript", vendored("react-dom/react-dom.production.min.js"))
            }
            _ => Response::missing(),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        let list = tab.candidates().await.expect("candidates").list;
        let root = "/html/body/div[1]/div[1]";
        assert_eq!(
            named(&list),
            [
                format!("{root}/span[1] click"),
                format!("{root}/span[2] click"),
                format!("{root}/select[1] change"),
                format!("{root}/i[1] mouseover"),
            ]
        );
        assert!(matches!(&list[0].handler, Handler::Framework { at } if at.starts_with("react~")));
        for (index, shown) in [(0, "page 1"), (1, "page 2"), (2, "page 7"), (3, "page 9")] {
            tab.fire(&Action::from(&list[index])).await.expect("fired");
            assert!(text(&tab).await.starts_with(shown), "{}", text(&tab).await);
        }
    });
}

#[test]
fn vue_handlers_are_told_apart_by_what_they_call() {
    run(async {
        let (_site, list, shown) = with_library(
            "vue/vue.global.prod.js",
            "<div id=app></div><script src=/library.js></script><script>
             const { h, ref } = Vue;
             Vue.createApp({ setup() { const n = ref(0); return () => h('div', [h('p', 'page ' + n.value),
               h('b', { onClick: () => { n.value = 1 } }, 'a'), h('b', { onClick: () => { n.value = 22 } }, 'b')]) } }).mount('#app');
             </script>",
        )
        .await;
        assert_eq!(list.len(), 2, "{list:?}");
        assert_ne!(list[0].handler, list[1].handler);
        assert!(shown.starts_with("page 1"), "{shown}");
    });
}

#[test]
fn candidates_in_shadow_roots_and_frames_are_fired_where_they_are() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<p id=p></p><x-app></x-app><iframe src='/inner'></iframe><script>
                 const root = document.querySelector('x-app').attachShadow({ mode: 'closed' });
                 root.innerHTML = '<div><button>in shadow</button></div>';
                 root.querySelector('button').addEventListener('click', () => { p.textContent += 'shadow ' });
                 </script>",
            ),
            _ => Response::html("<button onclick=\"parent.p.textContent += 'frame '\">in frame</button>"),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        let list = tab.candidates().await.expect("candidates").list;
        assert_eq!(
            named(&list),
            [
                "/html/body/x-app[1]/shadow-root()/div[1]/button[1] click",
                "/html/body/iframe[1]/document()/html/body/button[1] click",
            ]
        );
        let dom = tab.walk().await.expect("a walk").dom;
        for candidate in &list {
            let path: page::tree::XPath = candidate.path.parse().expect("a path");
            assert_eq!(path.evaluate(&dom).len(), 1, "{path}: the tree agrees on the place");
            assert!(tab.fire(&Action::from(candidate)).await.expect("fired").changed);
        }
        assert!(text(&tab).await.starts_with("shadow frame"));
    });
}

#[test]
fn every_path_that_the_page_makes_is_the_path_that_the_tree_makes() {
    run(async {
        let site = Site::page(
            "<!doctype html><body><div><p onclick=1>a</p>text<p onclick=1>b</p></div><svg><a onclick=1><g onclick=1></g></a></svg>
             <table><tr><td onclick=1>c</td></tr></table><foo:bar onclick=1>d</foo:bar><x-y onclick=1>e</x-y></body>",
        )
        .await;
        let (tab, _) = at(&site).await;
        let list = tab.candidates().await.expect("candidates").list;
        let dom = tab.walk().await.expect("a walk").dom;
        let by_tree: Vec<String> = dom
            .elements()
            .filter(|node| node.attribute("onclick").is_some())
            .filter_map(|node| page::tree::XPath::of(node).map(|path| path.to_string()))
            .collect();
        let by_page: Vec<String> = list.iter().map(|one| one.path.clone()).collect();
        assert_eq!(by_page, by_tree);
        assert_eq!(by_page.len(), 7);
    });
}

#[test]
fn an_element_is_found_again_by_id_then_path_then_text() {
    run(async {
        let site = Site::page(
            "<ul><li id=one onclick=\"p.textContent='one'\">1st</li><li onclick=\"p.textContent='two'\">2nd</li></ul><p id=p></p>
             <button onclick=\"document.querySelector('ul').prepend(Object.assign(document.createElement('li'), {textContent: 'new'}))\">grow</button>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let list = tab.candidates().await.expect("candidates").list;
        let (one, two) = (Action::from(&list[0]), Action::from(&list[1]));
        assert_eq!(tab.fire(&one).await.expect("fired").found, Some(FoundBy::Id));
        assert_eq!(tab.fire(&two).await.expect("fired").found, Some(FoundBy::Path));
        tab.fire(&Action::new("/html/body/button[1]", "click")).await.expect("grown");
        assert_eq!(tab.fire(&one).await.expect("fired").found, Some(FoundBy::Id));
        assert_eq!(tab.fire(&two).await.expect("fired").found, Some(FoundBy::Text));
        assert!(text(&tab).await.contains("two"));
        let gone = tab.fire(&Action::new("/html/body/ol[1]", "click")).await.expect("looked for");
        assert_eq!((gone.found, gone.changed), (None, false));
    });
}

#[test]
fn trusted_input_is_trusted() {
    run(async {
        let site = Site::page(
            "<!doctype html><div style='height:3000px'></div><p id=p></p><button id=b>go</button><script>
             b.addEventListener('click', (e) => { p.textContent += 'click ' + e.isTrusted + ' ' });
             b.addEventListener('mouseover', (e) => { p.textContent += 'over ' + e.isTrusted + ' ' });</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let click = Action::new("/html/body/button[1]", "click");
        tab.fire(&click).await.expect("fired");
        tab.fire(&click.clone().trusted()).await.expect("fired");
        let over = Action::new("/html/body/button[1]", "mouseover").trusted();
        tab.fire(&over).await.expect("fired");
        let shown = text(&tab).await;
        assert!(shown.contains("click false"), "{shown}");
        assert!(shown.contains("click true"), "{shown}");
        assert!(shown.contains("over true"), "{shown}");
    });
}

#[test]
fn a_path_is_replayed_after_a_reload() {
    run(async {
        let site = Site::page(
            "<p id=p>0</p><button id=b onclick='go()'>go</button><script>let n = 0;
             function go() { setTimeout(() => { p.textContent = ++n; if (n === 3) b.remove() }, 300) }</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let path = vec![Action::new("/html/body/button[1]", "click"); 3];
        tab.replay(&path).await.expect("replayed");
        assert!(text(&tab).await.starts_with('3'));
        tab.navigate(&site.url("/")).await.expect("again");
        let all = vec![path[0].clone(); 5];
        let fired = tab.replay(&all).await.expect("replayed");
        assert_eq!(fired.len(), 4, "ends where the element is gone");
        assert_eq!(fired[3].found, None);
        assert!(text(&tab).await.starts_with('3'));
    });
}

#[test]
fn a_screenshot_is_a_picture_of_the_window_or_of_the_whole_page() {
    run(async {
        let site = Site::page(
            "<!doctype html><body style='margin:0;background:rgb(255,0,0)'><div style='height:2500px'></div>",
        )
        .await;
        let (tab, _) = at(&site).await;
        let size = |png: &[u8]| {
            assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
            let number =
                |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("4 bytes"));
            (number(16), number(20))
        };
        let window = tab.screenshot(false).await.expect("a picture");
        assert_eq!(size(&window), (1280, 900));
        let whole = tab.screenshot(true).await.expect("a picture");
        assert_eq!(size(&whole), (1280, 2500));
    });
}

#[test]
fn the_debugger_sees_listeners_that_a_page_hides_from_the_hooks() {
    run(async {
        let site = Site::page(
            "<div><b id=b>x</b></div><script>
             b.addEventListener('click', () => { document.title = 'clicked' });
             WeakMap.prototype.get = () => undefined;</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        assert_eq!(tab.candidates().await.expect("candidates").list, []);
        let list = tab.all_candidates().await.expect("candidates").list;
        assert_eq!(named(&list), ["/html/body/div[1]/b[1] click"]);
        tab.fire(&Action::from(&list[0])).await.expect("fired");
        assert_eq!(tab.walk().await.expect("a walk").title, "clicked");
    });
}

#[test]
fn frames_in_other_processes_settle_and_are_walked_listed_and_fired_in() {
    run(async {
        // The shell gives frames processes of their own only without frames on demand; under a
        // plain name it is driven like full Chromium.
        let plain = std::env::temp_dir().join(format!("bathys-plain-{}", std::process::id()));
        let shell = browser::process::find(None).expect("chromium").path;
        std::os::unix::fs::symlink(shell, &plain).expect("a link");
        let options = browser::LaunchOptions {
            executable: Some(plain.clone()),
            switches: vec!["--site-per-process".into()],
            ..browser::LaunchOptions::default()
        };
        let browser = browser::Browser::launch(options).await.expect("a browser");
        std::fs::remove_file(&plain).expect("swept");
        let site = Site::serve(|request| match request.path.as_str() {
            "/inner" => Response::html(
                "<p id=p>0</p><button onclick=\"setTimeout(() => { p.textContent = 'fired' }, 900)\">go</button>
                 <script>setTimeout(() => { p.textContent = 'settled' }, 300)</script>",
            ),
            _ => {
                let host = request.header("host").unwrap_or_default();
                let port = host.rsplit(':').next().unwrap_or_default();
                Response::html(format!("<h1>t</h1><iframe src='http://localhost:{port}/inner'></iframe>"))
            }
        })
        .await;
        let mut tab = browser.tab(browser::TabOptions::default()).await.expect("a tab");
        tab.navigate(&site.url("/")).await.expect("a page");
        assert!(text(&tab).await.contains("settled"), "{}", text(&tab).await);
        let list = tab.candidates().await.expect("candidates").list;
        assert_eq!(named(&list), ["/html/body/iframe[1]/document()/html/body/button[1] click"]);
        let fired = tab.fire(&Action::from(&list[0])).await.expect("fired");
        assert!(fired.found.is_some() && fired.changed, "{fired:?}");
        assert!(text(&tab).await.contains("fired"));
        let exchanges = tab.take_exchanges().await.expect("exchanges");
        assert!(exchanges.iter().any(|exchange| exchange.url.ends_with("/inner")));
        browser.close().await;
    });
}

#[test]
fn a_form_whose_fields_have_the_names_of_its_own_parts_is_walked_all_the_same() {
    run(async {
        let html = "<body><form id=f action=/x><input name=attributes><input name=getAttributeNames>\
                    <input name=getAttribute></form><p>after</p></body>";
        let site = Site::page(html).await;
        let (tab, _) = at(&site).await;
        let walk = tab.walk().await.expect("a walk");
        let form = walk.dom.elements().find(|node| node.name() == "form").expect("the form");
        assert_eq!(form.attribute("action"), Some("/x"));
        assert!(page::tree::visible_text(&walk.dom).contains("after"));
        tab.candidates().await.expect("candidates");
        tab.fingerprint().await.expect("a number");
    });
}

#[test]
fn an_expression_runs_where_the_page_cannot_see_it() {
    run(async {
        let site = Site::page("<ul><li>1<li id=two>2</ul><script>secret = 1</script>").await;
        let (tab, _) = at(&site).await;
        let seen: (String, String) = tab
            .evaluate("[typeof secret, bathys.find('/html/body/ul[1]/li[2]').id]")
            .await
            .expect("an answer");
        assert_eq!(seen, ("undefined".to_owned(), "two".to_owned()));
        let thrown = tab.evaluate::<u32>("nobody.knows").await.expect_err("no such name");
        assert!(thrown.to_string().contains("nobody is not defined"), "{thrown}");
    });
}
