//! What a page offers: the less usual candidates, how they are named, and what firing them does.

use browser::{Action, Candidate, PIXELS, Tab};
use page::tree::visible_text;

use crate::site::{Response, Site};
use crate::stage::{at, run, text};

async fn candidates(tab: &Tab) -> Vec<Candidate> {
    tab.candidates().await.expect("candidates").list
}

/// `event element value`, without the text that tells them apart no further.
fn short(candidates: &[Candidate]) -> Vec<String> {
    let name = |one: &Candidate| {
        let id = one.element_id.as_deref().unwrap_or(&one.tag);
        format!("{} {id} {}", one.event, one.value.as_deref().unwrap_or("")).trim_end().to_owned()
    };
    candidates.iter().map(name).collect()
}

#[test]
fn a_scroll_is_offered_only_where_somebody_waits_for_it() {
    run(async {
        let long = "<style>div{height:5000px}</style><div></div>";
        let pages = [
            ("/plain", String::new(), 0),
            ("/listens", "<script>addEventListener('scroll', () => {})</script>".into(), 1),
            ("/property", "<script>onscroll = () => {}</script>".into(), 1),
            ("/watches", "<i id=i></i><script>new IntersectionObserver(() => {}).observe(i)</script>".into(), 1),
            ("/watched", "<i id=i></i><script>o = new IntersectionObserver(() => {}); o.observe(i); o.disconnect()</script>".into(), 0),
            ("/box", "<p id=box style='height:50px;overflow:auto'><span style='display:block;height:500px'></span></p>
              <p id=flat></p><script>for (const p of [box, flat]) p.addEventListener('scroll', () => {})</script>".into(), 1),
        ];
        let served: Vec<(String, String)> =
            pages.iter().map(|(path, more, _)| ((*path).into(), format!("{long}{more}"))).collect();
        let site = Site::serve(move |request| {
            let page = served.iter().find(|(path, _)| *path == request.path);
            page.map_or_else(Response::missing, |(_, html)| Response::html(html.clone()))
        })
        .await;
        let mut tab = crate::stage::tab(browser::TabOptions::default()).await;
        for (path, _, expected) in pages {
            tab.navigate(&site.url(path)).await.expect("a page");
            let found = candidates(&tab).await;
            let scrolls = found.iter().filter(|one| one.event == "scroll").count();
            assert_eq!(scrolls, expected, "{path}: {found:?}");
        }
    });
}

#[test]
fn a_scroll_to_the_end_is_heard_once_and_in_a_box_too() {
    run(async {
        let site = Site::page(
            "<p id=p>0</p><ul id=u style='height:50px;overflow:auto'><li style='height:900px'></ul><b id=b>0</b>
             <div style='height:5000px'></div><script>
             addEventListener('scroll', () => { p.textContent++ });
             u.addEventListener('scroll', () => { b.textContent++ });</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        for candidate in candidates(&tab).await {
            assert_eq!(candidate.event, "scroll");
            assert!(tab.fire(&Action::from(&candidate)).await.expect("fired").changed);
        }
        let shown = text(&tab).await;
        assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), ["1", "1"]);
    });
}

#[test]
fn an_action_fills_in_its_controls_before_it_fires() {
    run(async {
        let site = Site::page(
            "<form id=f><input id=q><select id=s><option>en<option>zh</select>
             <input id=b type=checkbox><button>Go</button></form><p id=p></p>
             <script>heard = []; f.addEventListener('change', (e) => heard.push(e.target.id));
             f.onsubmit = (e) => { e.preventDefault();
               p.textContent = [q.value, s.value, b.checked, heard].join(' '); }</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let form = "/html/body/form[1]";
        let values = [("input[1]", "deep web"), ("select[1]", "zh"), ("input[2]", "true")];
        let values = values.map(|(control, value)| (format!("{form}/{control}"), value.to_owned()));
        let search = Action { values: values.into(), ..Action::new(form, "submit") };
        assert!(tab.fire(&search).await.expect("fired").changed);
        assert!(text(&tab).await.ends_with("deep web zh true q,s,b"), "{}", text(&tab).await);
    });
}

#[test]
fn controls_labels_and_roles_are_offered_with_what_can_be_chosen() {
    run(async {
        let site = Site::page(
            "<input id=r type=range min=1 max=9 value=9 oninput='p.textContent = value'>
             <input id=on type=radio name=n checked onchange='1'><input id=off type=radio name=n onchange='p.textContent = checked'>
             <input id=box type=checkbox onchange='p.textContent = checked'>
             <input id=css type=checkbox><label id=l for=css>menu</label>
             <details><summary id=s>more</summary>text</details>
             <span id=tab role=tab>tab</span><span id=opens aria-expanded=false>opens</span>
             <a id=plain href='/x' role=button>a link</a><p id=p>0</p>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let found = candidates(&tab).await;
        let names = short(&found);
        let expected = [
            "change r 1",
            "change off",
            "change box",
            "click l",
            "click s",
            "click tab",
            "click opens",
        ];
        assert_eq!(names, expected);
        for (name, shown) in [("change r 1", "1"), ("change off", "true"), ("change box", "true")] {
            let at = names.iter().position(|one| one == name).expect("it");
            tab.fire(&Action::from(&found[at])).await.expect("fired");
            assert!(text(&tab).await.ends_with(shown), "{name}: {}", text(&tab).await);
        }
        for name in ["click l", "click s"] {
            let at = names.iter().position(|one| one == name).expect("it");
            assert!(tab.fire(&Action::from(&found[at])).await.expect("fired").changed, "{name}");
        }
    });
}

#[test]
fn a_change_is_offered_only_where_a_control_is_and_the_class_says_which_event_an_element_is_for() {
    run(async {
        let site = Site::page(
            "<b id=b data-on=click>b</b><i id=i data-on='mouseover->menu#open'>i</i><u id=u data-on=now>u</u>
             <div id=d data-on=x><input id=box type=checkbox></div><my-field id=own data-on=x></my-field><script>
             const act = (event) => event.target.closest('[data-on]');
             for (const type of ['change', 'click']) document.addEventListener(type, act);</script>",
        )
        .await;
        let (tab, _) = at(&site).await;
        let found = candidates(&tab).await;
        let of = |event: &str| -> Vec<&str> {
            let of_event = found.iter().filter(|one| one.event == event);
            of_event.filter_map(|one| one.element_id.as_deref()).collect()
        };
        assert_eq!(of("change"), ["d", "own"]);
        assert_eq!(of("click"), ["b", "i", "u", "d", "own"]);
        let class = |id: &str| {
            let found = found.iter().find(|one| one.element_id.as_deref() == Some(id));
            found.map(|one| one.class.clone()).expect("a candidate")
        };
        assert!(class("b").ends_with(" for click"), "{}", class("b"));
        assert!(class("i").ends_with(" for mouseover"), "{}", class("i"));
        assert!(!class("u").contains(" for "), "{}", class("u"));
    });
}

#[test]
fn the_class_of_a_handler_is_the_same_whatever_it_acts_on_and_wherever_it_stands() {
    run(async {
        let page = |lines: &str| {
            format!(
                "<a onclick=\"goPage(2, 'x')\" href='javascript:void(0)'>2</a><a onclick=\"goPage(30, 'y')\">3</a>
                 <a onclick='other(2)'>o</a><div id=d><button class=row>a</button></div><i id=one></i><i id=two></i><u id=b></u>
                 <script>{lines}
                 function add(element, n) {{ element.addEventListener('click', () => go(n)); }}
                 add(one, 1); add(two, 2);
                 d.addEventListener('click', (event) => {{ if (event.target.closest('.row')) go(3); }});
                 b.addEventListener('click', go.bind(null, 1)); function go() {{}}</script>"
            )
        };
        let (first, second) = (page(""), page("\n\n// moved down\n"));
        let site = Site::serve(move |request| match request.path.as_str() {
            "/" => Response::html(first.clone()),
            "/second" => Response::html(second.clone()),
            _ => Response::missing(),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        let classes =
            |list: Vec<Candidate>| list.into_iter().map(|one| one.class).collect::<Vec<_>>();
        let here = classes(candidates(&tab).await);
        tab.navigate(&site.url("/second")).await.expect("the other page");
        assert_eq!(classes(candidates(&tab).await), here);
        assert_eq!(
            here[..3],
            ["goPage(#, #)", "goPage(#, #)", "other(#)"],
            "there are no such functions"
        );
        assert!(here[3].starts_with(".row ~"), "{here:?}");
        assert_eq!(here[4], here[5], "two closures of one function");
        assert_eq!(here[6], "~bound go@");
        let mut different = here.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), 5, "{here:?}");
    });
}

#[test]
fn the_function_that_has_a_name_on_a_page_belongs_to_the_class() {
    run(async {
        let page = |body: &str| {
            format!(
                "<a onclick='show()'>x</a><a onclick='site.pager.go(2)'>2</a><script>
                 function show() {{ {body} }}
                 class Pager {{ go(n) {{ {body} }} }}
                 var site = {{ pager: new Pager() }};</script>"
            )
        };
        let site = Site::serve(move |request| match request.path.as_str() {
            "/" => Response::html(page("load('/comments/1?page=' + 1);")),
            "/second" => Response::html(page("load('/comments/20?page=' + 20);")),
            "/third" => Response::html(page("open('/comments/1?page=' + 1);")),
            _ => Response::missing(),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        let mut classes = Vec::new();
        for path in ["/", "/second", "/third"] {
            tab.navigate(&site.url(path)).await.expect("the page");
            let list = candidates(&tab).await;
            classes.push(list.into_iter().map(|one| one.class).collect::<Vec<_>>());
        }
        assert!(classes[0][0].starts_with("show() {"), "{classes:?}");
        assert!(classes[0][1].starts_with("site.pager.go(#) {"), "{classes:?}");
        assert_eq!(classes[0], classes[1], "what it works on does not count");
        assert_ne!(classes[0][0], classes[2][0]);
        assert_ne!(classes[0][1], classes[2][1]);
    });
}

#[test]
fn a_handler_that_asks_for_a_user_says_so_and_gets_one_out_of_sight_too() {
    run(async {
        let site = Site::page(
            "<p id=p>0</p><div style='height:4000px'></div><button id=a>a</button><button id=b onclick='check(event)'>b</button>
             <button onclick='p.textContent = 1'>c</button><script>
             function check(event) { if (event.isTrusted) p.textContent = 'b'; }
             a.onclick = (event) => { if (event.isTrusted) p.textContent = 'a'; };</script>",
        )
        .await;
        let (mut tab, _) = at(&site).await;
        let found = candidates(&tab).await;
        let asks: Vec<bool> = found.iter().map(|one| one.wants_trust).collect();
        assert_eq!(asks, [true, true, false]);
        for (candidate, shown) in found.iter().zip(["a", "b"]) {
            let action = Action::from(candidate);
            assert!(!tab.fire(&action).await.expect("fired").changed);
            assert!(tab.fire(&action.trusted()).await.expect("fired").changed);
            assert!(text(&tab).await.starts_with(shown));
        }
    });
}

#[test]
fn a_canvas_says_what_it_shows_unless_it_may_not() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(
                "<canvas id=map width=300 height=200></canvas><canvas id=empty></canvas><canvas id=foreign></canvas>
                 <button onclick='draw(2)'>+</button><button onclick='draw(1)'>-</button>
                 <script>const c = map.getContext('2d');
                 function draw(zoom) { c.clearRect(0, 0, 300, 200); c.fillRect(10, 10, 40 * zoom, 40 * zoom); }
                 draw(1);
                 const i = new Image(); i.onload = () => foreign.getContext('2d').drawImage(i, 0, 0);
                 i.src = 'http://localhost:' + location.port + '/dot.svg';</script>",
            ),
            "/dot.svg" => Response::new(200, "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>"),
            _ => Response::missing(),
        })
        .await;
        let (mut tab, _) = at(&site).await;
        let pixels = async |tab: &Tab| {
            let walk = tab.walk().await.expect("a walk");
            let canvases = walk.dom.elements().filter(|node| node.name() == "canvas");
            canvases.map(|node| node.attribute(PIXELS).map(str::to_owned)).collect::<Vec<_>>()
        };
        let first = pixels(&tab).await;
        assert!(first[0].is_some() && first[1].is_none() && first[2].is_none(), "{first:?}");
        let before = tab.fingerprint().await.expect("a number");
        let closer = tab.fire(&Action::new("/html/body/button[1]", "click")).await.expect("fired");
        assert!(closer.changed);
        assert_ne!(pixels(&tab).await[0], first[0]);
        let back = tab.fire(&Action::new("/html/body/button[2]", "click")).await.expect("fired");
        assert_eq!((back.changed, back.fingerprint), (true, before));
        assert_eq!(pixels(&tab).await, first);
    });
}

#[test]
fn frames_say_what_their_links_are_relative_to() {
    run(async {
        let site = Site::serve(|request| match request.path.as_str() {
            "/" => Response::html(format!(
                "<base href='/top/'><iframe src='/near/page'></iframe>
                 <iframe src='http://localhost:{}/far/page'></iframe>",
                request.header("host").unwrap_or_default().rsplit(':').next().unwrap_or_default()
            )),
            "/near/page" => Response::html("<base href='/based/'><a href=x>x</a>"),
            "/far/page" => Response::html("<a href=x>x</a>"),
            _ => Response::missing(),
        })
        .await;
        let (tab, _) = at(&site).await;
        let walk = tab.walk().await.expect("a walk");
        assert_eq!(walk.base, site.url("/top/").as_str());
        let frames: Vec<_> = walk.frames.iter().map(|one| (&*one.url, &*one.base)).collect();
        let (near, based) = (site.url("/near/page"), site.url("/based/"));
        let far = site.other_name("/far/page");
        assert_eq!(frames, [(near.as_str(), based.as_str()), (far.as_str(), far.as_str())]);
        for frame in &walk.frames {
            let link = walk.dom.node(frame.node).descendants().find(|node| node.name() == "a");
            assert!(link.is_some_and(|link| link.attribute("href") == Some("x")));
        }
    });
}

#[test]
fn what_is_nested_too_deep_keeps_its_words() {
    run(async {
        let site = Site::page(
            "<p>shallow</p><script>let at = document.body; for (let i = 0; i < 900; i++) {
             const next = document.createElement('div'); at.append(next); at = next; }
             at.innerHTML = '<p>deep <b>words</b></p>'</script>",
        )
        .await;
        let (tab, _) = at(&site).await;
        let walk = tab.walk().await.expect("a walk");
        assert!(walk.truncated);
        assert!(visible_text(&walk.dom).contains("deep words"));
    });
}
