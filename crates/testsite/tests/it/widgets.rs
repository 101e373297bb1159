//! The widgets around the comments of `news`, each of them used: they work, and lead nowhere.

use std::collections::BTreeSet;

use serde::Deserialize;
use testsite::{Build, Lang, Options, SiteKind};

use crate::beside;

/// Moves over and clicks everything on a page of comments that neither navigates nor pages.
const USE_EVERYTHING: &str = r#"
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function drive() {
  const truth = await (await fetch('/__truth.json')).json();
  // More texts than comments: one of them has a quote, which can be folded.
  const state = truth.states.find((state) => state.reach.by === 'url' && state.shows && state.shows.length > 10);
  const frame = document.body.appendChild(document.createElement('iframe'));
  await new Promise((done) => { frame.onload = done; frame.src = state.url; });
  const page = frame.contentDocument;
  while (!page.querySelector('.pager b')) await pause(10);

  const errors = [];
  frame.contentWindow.addEventListener('error', (event) => errors.push(event.message));
  const texts = () => {
    const found = new Set();
    const walk = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (walk.currentNode.data.trim()) found.add(walk.currentNode.data.trim());
    return found;
  };
  const before = texts();
  const fresh = new Set();
  const others = page.querySelectorAll(':is(a, button, .tab, .nav-more, [class|=js]):not(.pager *)').length;

  // Sorting comes last: it may make the other elements anew.
  const rank = (element) => element.closest('.sort') ? 1 : 0;
  const usable = Array.from(page.body.querySelectorAll('*'))
    .filter((element) => !element.closest('.pager, form, a[href^="/"], a[href^="http"]') && !element.querySelector('.pager'))
    .sort((a, b) => rank(a) - rank(b));
  const opened = { rebox: 0, login: 0, share: 0, menu: 0, tab: 0, size: 0, folded: 0, sorted: 0 };
  const visible = (selector) => Array.from(page.querySelectorAll(selector)).some((node) => node.offsetParent || node.offsetHeight);
  const first = page.querySelector('.reply').id;
  for (const element of usable) {
    if (!element.isConnected) continue;
    for (const type of ['mouseover', 'click', 'mouseout']) {
      element.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true }));
      await pause(5);
      opened.rebox |= visible('.rebox');
      opened.login |= visible('#login-box');
      opened.share |= visible('.share .drop');
      opened.menu |= visible('.nav-more .drop');
      opened.tab |= page.querySelectorAll('ol.rank')[2].offsetHeight > 0;
      opened.size |= page.getElementById('text').style.fontSize === '18px';
      opened.folded |= !!page.querySelector('.quote.closed');
      opened.sorted |= page.querySelector('.reply').id !== first;
    }
    await pause(30);
    texts().forEach((text) => { if (!before.has(text)) fresh.add(text); });
  }
  await pause(2000);
  return {
    errors, others, opened: Object.keys(opened).filter((name) => opened[name]), fresh: Array.from(fresh),
    url: frame.contentWindow.location.pathname === state.url, toast: page.getElementById('toast').textContent,
  };
}
"#;

#[derive(Debug, Deserialize)]
struct Outcome {
    errors: Vec<String>,
    others: usize,
    opened: BTreeSet<String>,
    fresh: Vec<String>,
    url: bool,
    toast: String,
}

async fn widgets_work_and_lead_nowhere(build: Build) {
    let options = Options { build, lang: Lang::English, ..Options::default() };
    let (site, outcome): (_, Outcome) =
        beside::drive(SiteKind::News, options, USE_EVERYTHING).await;
    assert!(outcome.errors.is_empty(), "{build}: {:?}", outcome.errors);
    assert!(outcome.others >= 60, "{build}: {} other links and widgets", outcome.others);
    assert!(outcome.url && outcome.toast.is_empty(), "{build}: {outcome:?}");
    let all = ["folded", "login", "menu", "rebox", "share", "size", "sorted", "tab"];
    assert!(outcome.opened.iter().eq(all), "{build}: only {:?}", outcome.opened);

    let known =
        ["Show", "Link copied", "Thank you. Your comment will be checked before it appears."];
    for text in &outcome.fresh {
        let count = text.parse::<u32>().is_ok();
        assert!(count || known.contains(&text.as_str()), "{build}: {text} is new");
    }
    let kinds: BTreeSet<_> = site.log().into_iter().map(|change| change.kind).collect();
    assert!(kinds.iter().eq(["like", "reply", "report"]), "{build}: {kinds:?}");
    site.stop().await;
}

macro_rules! in_each_build {
    ($($name:ident: $build:ident,)+) => {
        $(
            #[tokio::test]
            async fn $name() {
                widgets_work_and_lead_nowhere(Build::$build).await;
            }
        )+
    };
}

in_each_build! {
    widgets_with_inline_handlers_work_and_lead_nowhere: Inline,
    widgets_with_closures_work_and_lead_nowhere: Closures,
    widgets_with_jquery_work_and_lead_nowhere: Jquery,
    widgets_with_react_work_and_lead_nowhere: React,
    widgets_with_vue_work_and_lead_nowhere: Vue,
    widgets_with_lit_work_and_lead_nowhere: Lit,
}
