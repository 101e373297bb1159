//! The comments of `news` in a real browser: what the truth says can be clicked is clicked.

use std::collections::BTreeMap;

use testsite::{Build, Lang, Options, SiteKind};

use crate::beside;

/// Follows the truth to every page of comments and writes down what is shown there; then tries the
/// jump box, "next" and "previous", and presses "agree".
const PAGE_THROUGH: &str = r#"
const frame = document.body.appendChild(document.createElement('iframe'));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const shown = () => Array.from(frame.contentDocument.querySelectorAll('.say, .quote p'), (node) => node.textContent);

async function settled(before) {
  for (let tries = 0; tries < 400; tries++) {
    await pause(10);
    const now = shown();
    if (now.length && now.join() !== before) return now;
  }
  throw new Error('nothing changed after ' + before);
}

function byText(text) {
  const found = Array.from(frame.contentDocument.querySelectorAll('.pager *'))
    .filter((node) => !node.children.length && node.localName !== 'b' && node.textContent.trim() === text);
  if (found.length !== 1) throw new Error(found.length + ' elements show ' + text);
  return found[0];
}

async function open(url) {
  await new Promise((done) => { frame.onload = done; frame.src = url; });
  return settled('');
}

async function drive() {
  const truth = await (await fetch('/__truth.json')).json();
  const states = Object.fromEntries(truth.states.map((state) => [state.id, state]));
  const reach = async (state) => {
    if (state.reach.by === 'url') return open(state.url);
    const before = await reach(states[state.reach.from]);
    byText(state.reach.on).click();
    return settled(before.join());
  };
  const seen = {};
  for (const state of truth.states.filter((state) => state.kind === 'comments')) {
    seen[state.id] = await reach(state);
    if (frame.contentWindow.location.pathname !== state.url) throw new Error('the URL changed');
  }
  const last = truth.states.findLast((state) => state.kind === 'comments');
  let now = await open(last.url);
  const field = frame.contentDocument.querySelector('.jump input');
  // Past the property that React puts on its own inputs, as typing does.
  const value = Object.getOwnPropertyDescriptor(frame.contentWindow.HTMLInputElement.prototype, 'value');
  value.set.call(field, '5');
  field.dispatchEvent(new Event('input', { bubbles: true }));
  frame.contentDocument.querySelector('.jump button, .jump input[type=button]').click();
  now = seen['jump to 5'] = await settled(now.join());
  byText(NEXT).click();
  now = seen['next after 5'] = await settled(now.join());
  byText(PREVIOUS).click();
  seen['previous before 6'] = await settled(now.join());

  frame.contentDocument.querySelector('.ops > *').click();
  await pause(500);
  return seen;
}
"#;

async fn every_page_of_comments_is_reached_as_the_truth_says(build: Build, lang: Lang) {
    let options = Options { build, lang, ..Options::default() };
    let (next, previous) = match lang {
        Lang::English => ("Next", "Previous"),
        Lang::Chinese => ("下一页", "上一页"),
    };
    let words = format!("const NEXT = '{next}', PREVIOUS = '{previous}';");
    let (running, mut seen): (_, BTreeMap<String, Vec<String>>) =
        beside::drive(SiteKind::News, options, &(words + PAGE_THROUGH)).await;

    let states = running.truth().states.iter().filter(|state| state.kind == "comments");
    let mut expected = BTreeMap::new();
    for state in states {
        let mut texts = state.shows.clone();
        texts.sort_unstable();
        expected.insert(state.id.clone(), texts);
    }
    let mut states = running.truth().states.iter();
    let last = &states.rfind(|state| state.kind == "comments").expect("comments").url;
    for (step, page) in [("jump to 5", 5), ("next after 5", 6), ("previous before 6", 5)] {
        let texts = expected[&format!("{last} page {page}")].clone();
        expected.insert(step.to_owned(), texts);
    }
    seen.values_mut().for_each(|texts| texts.sort_unstable());
    assert_eq!(seen, expected, "{build}");
    let kinds: Vec<_> = running.log().into_iter().map(|change| change.kind).collect();
    assert_eq!(kinds, ["like"], "{build}: paging changes nothing, and agreeing does");
    running.stop().await;
}

macro_rules! in_each_build {
    ($($name:ident: $build:ident $lang:ident,)+) => {
        $(
            #[tokio::test]
            async fn $name() {
                every_page_of_comments_is_reached_as_the_truth_says(Build::$build, Lang::$lang).await;
            }
        )+
    };
}

in_each_build! {
    inline_handlers_page_the_comments: Inline English,
    closures_page_the_comments: Closures Chinese,
    jquery_pages_the_comments: Jquery English,
    react_pages_the_comments: React Chinese,
    vue_pages_the_comments: Vue English,
    lit_pages_the_comments: Lit English,
}
