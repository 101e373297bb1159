//! Rooms of the maze that a walk along the truth does not show whole: what never ends, what only
//! looks like a change, and the way back.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use testsite::{Build, Options, SiteKind, serve};

use crate::beside;
use crate::client::Client;

const LOOK_CLOSELY: &str = r#"
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
let frame;

function everything(root) {
  return Array.from(root.querySelectorAll('*')).flatMap((element) =>
    element.shadowRoot ? [element, ...everything(element.shadowRoot)] : [element]);
}
const elements = () => everything(frame.contentDocument.querySelector('main'));
const text = () => elements().filter((element) => !element.children.length && !/^(style|script)$/.test(element.localName))
  .map((element) => element.textContent).join('|');
const named = (label) => elements().find((element) => !element.children.length && element.textContent.trim() === label);
const first = (name) => elements().find((element) => element.localName === name);

async function open(url) {
  if (frame) frame.remove();
  frame = document.createElement('iframe');
  frame.width = 1100;
  frame.height = 1400;
  document.body.appendChild(frame);
  await new Promise((done) => { frame.onload = done; frame.src = url; });
  await pause(100);
}

async function press(label) {
  named(label).click();
  await pause(400);
}

async function drive() {
  const seen = {};

  await open('/counter/');
  const rung = new Set();
  for (let i = 0; i < 5; i++) { await press('Ring'); rung.add(text()); }
  seen.counter = String(rung.size);

  await open('/gallery/');
  const texts = new Set(), slides = new Set();
  for (let i = 0; i < 5; i++) { texts.add(text()); slides.add(first('img').src); await press('Next'); }
  seen.gallery = texts.size + ' text, ' + slides.size + ' pictures';

  await open('/canvas/');
  const markup = new Set(), pixels = new Set();
  for (const label of ['+', 'North', 'West', '−']) {
    markup.add(first('canvas').outerHTML + text());
    pixels.add(first('canvas').toDataURL());
    await press(label);
  }
  seen.canvas = markup.size + ' markup, ' + pixels.size + ' drawings';

  await open('/scroll/');
  await pause(1000);
  seen.scroll = String((text().match(/Hedge/g) || []).length);

  await open('/route/');
  await press('Library');
  const there = frame.contentWindow.location.pathname;
  frame.contentWindow.history.back();
  await pause(600);
  seen.route = there + ' and back at ' + frame.contentWindow.location.pathname + ': ' + text().includes('carpet with arrows');

  await open('/modal/');
  const before = text();
  await press('Look at the egg');
  const over = text();
  await press('Close');
  seen.modal = (over !== before) + ' ' + (text() === before);

  await open('/accordion/');
  await press('First fold');
  await press('Third fold');
  await press('First fold');
  seen.accordion = text().includes('lavender') + ' ' + text().includes('a tune');

  await open('/more/');
  for (let i = 0; i < 3; i++) await press('Another cart');
  seen.more = String(named('Another cart'));

  await open('/ledger/');
  await press('By thing');
  const sorted = text();
  await press('By borrower');
  await press('By thing');
  const again = text() === sorted;
  await press('6');
  await press('8 rows');
  seen.ledger = again + ' ' + (text().includes('Wheelbarrow') && text().includes('Quilt')) + ' ' + text().includes('Anvil');

  await open('/panels/');
  for (const label of ['Sage', 'Mint', 'Sage']) await press(label);
  seen.panels = text().includes('forget names') + ' ' + text().includes('eaten its neighbours');
  await press('Sage');

  await open('/folders/');
  for (const label of ['Side pocket', 'Front pocket', 'Side pocket']) await press(label);
  seen.folders = String((text().match(/Out of the/g) || []).length);
  return seen;
}
"#;

#[tokio::test]
async fn every_build_counts_slides_draws_scrolls_and_goes_back_alike() {
    for build in Build::ALL {
        let options = Options { build: *build, ..Options::default() };
        let (site, seen): (_, BTreeMap<String, String>) =
            beside::drive(SiteKind::Maze, options, LOOK_CLOSELY).await;
        let expected = [
            ("accordion", "false true"),
            ("canvas", "1 markup, 4 drawings"),
            ("counter", "5"),
            ("folders", "2"),
            ("gallery", "1 text, 5 pictures"),
            ("ledger", "true true false"),
            ("modal", "true true"),
            ("more", "undefined"),
            ("panels", "false true"),
            ("route", "/route/library and back at /route/: true"),
            ("scroll", "6"),
        ];
        let seen: Vec<_> = seen.iter().map(|(name, what)| (name.as_str(), what.as_str())).collect();
        assert_eq!(seen, expected, "{build}");
        assert!(site.log().is_empty(), "{build}: {:?}", site.log());
        assert_eq!(site.requests().paths["/panels/text/1"], 1, "{build}: a drawer is fetched once");
        site.stop().await;
    }
}

#[tokio::test]
async fn traps_of_links_always_lead_to_another_address() {
    let site = serve(SiteKind::Maze, Options::default()).await.expect("a free port");
    let mut client = Client::connect(&site).await;
    for (room, label) in [
        ("/calendar/", "Month ›"),
        ("/calendar/", "« Year"),
        ("/shelf/", "Next board"),
        ("/ticket/", "Hall"),
    ] {
        let mut seen = HashSet::from([room.to_owned()]);
        let mut url = room.to_owned();
        for _ in 0..40 {
            let answer = client.get(&url).await;
            assert_eq!(answer.status, 200, "{url}");
            let before = answer.body.split(&format!("\">{label}</a>")).next().expect("a link");
            url = before.rsplit("href=\"").next().expect("an address").to_owned();
            assert!(url.starts_with(room) && seen.insert(url.clone()), "{url}");
        }
    }
    site.stop().await;
}

#[tokio::test]
async fn the_masks_differ_in_nothing_but_what_their_scripts_hide() {
    let site = serve(SiteKind::Maze, Options::default()).await.expect("a free port");
    let mut client = Client::connect(&site).await;
    let truth = site.truth();
    let hidden = truth.states.iter().filter(|state| state.marker.starts_with("Behind the mask"));
    let mut looks = HashSet::new();
    for (number, state) in (1..).zip(hidden) {
        assert_eq!(state.url, format!("/twins/{number}"));
        let page = client.get(&state.url).await.body;
        assert!(page.contains(&state.marker));
        looks.insert(page.replace(&state.marker, ""));
    }
    assert_eq!(looks.len(), 1);
    site.stop().await;
}

#[tokio::test]
async fn the_line_on_the_banner_is_another_with_each_page_unless_told_not_to() {
    let calm = Options { volatile: false, ..Options::default() };
    for (options, expected) in [(Options::default(), 3), (calm, 1)] {
        let site = serve(SiteKind::Maze, options).await.expect("a free port");
        let mut client = Client::connect(&site).await;
        let mut lines = HashSet::new();
        for path in ["/banner/", "/banner/loft", "/banner/vat", "/banner/", "/banner/"] {
            let page = client.get(path).await.body;
            let line = page.split("<h2>").nth(1).and_then(|rest| rest.split('<').next());
            lines.insert(line.expect("a headline").to_owned());
        }
        assert_eq!(lines.len(), expected, "{lines:?}");
        site.stop().await;
    }
}

#[test]
fn the_truth_names_the_behaviour_of_each_state_and_what_never_ends() {
    let truths: Vec<_> = Build::ALL
        .iter()
        .map(|build| {
            SiteKind::Maze.generate(&Options { build: *build, ..Options::default() }).truth()
        })
        .collect();
    assert!(truths.windows(2).all(|pair| pair[0] == pair[1]), "the builds share one truth");
    let truth = &truths[0];
    let rooms = truth.states.iter().filter(|state| state.kind != "index");
    assert!(rooms.clone().all(|state| !state.behaviour.is_empty()));
    let behaviours: BTreeSet<_> = rooms.map(|state| state.behaviour.as_str()).collect();
    assert_eq!(behaviours.len(), 49, "all but the forbidden room have states");
    let traps: Vec<_> = truth.traps.iter().map(|trap| trap.path.as_str()).collect();
    assert_eq!(traps, ["/gallery/", "/counter/", "/calendar/", "/ticket/", "/shelf/"]);
    assert!(truth.traps.iter().all(|trap| behaviours.contains(trap.behaviour.as_str())));
}
