//! A site in a real browser, driven along its own truth.

use std::collections::BTreeMap;

use testsite::{Options, SiteKind, State, Truth};

use crate::beside;

const FOLLOW_THE_TRUTH: &str = r#"
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
let frame;

// Every element of a document, with those in open shadow roots and in frames.
function* elements(root) {
  for (const element of root.querySelectorAll('*')) {
    yield element;
    if (element.shadowRoot) yield* elements(element.shadowRoot);
    let inner = null;
    try { inner = element.contentDocument; } catch {}
    if (inner) yield* elements(inner);
  }
}

function text(root) {
  let all = '';
  for (const node of root.childNodes) {
    if (node.nodeType === 3) all += node.data;
    if (node.nodeType !== 1 || /^(script|style|template|noscript)$/.test(node.localName)) continue;
    if (node.shadowRoot) all += text(node.shadowRoot);
    let inner = null;
    try { inner = node.contentDocument; } catch {}
    if (inner) all += text(inner);
    all += text(node);
  }
  return all;
}

function named(label) {
  const found = [];
  for (const element of elements(frame.contentDocument)) {
    const names = [element.getAttribute('aria-label'), element.getAttribute('alt')];
    if (!element.children.length) names.push(element.textContent.trim());
    if (names.includes(label)) found.push(element);
  }
  if (!found.length) throw new Error('nothing is called ' + label);
  // A page number is also the day of a calendar, which shows no hand.
  const hand = (element) => element.ownerDocument.defaultView.getComputedStyle(element).cursor === 'pointer';
  return found.find(hand) || found[0];
}

function fire(event, element) {
  if (event === 'click') return element.click();
  if (event === 'scroll') return element.scrollIntoView();
  if (element.localName === 'option') {
    element.selected = true;
    element = element.parentNode;
  }
  element.dispatchEvent(new Event(event, { bubbles: true }));
}

// A new frame for each walk: an old one has timers, history and handlers of its own. And a new visitor, who
// has chosen nothing yet.
async function open(url) {
  if (frame) frame.remove();
  localStorage.clear();
  for (const cookie of document.cookie.split('; ')) document.cookie = cookie.split('=')[0] + '=; path=/; max-age=0';
  frame = document.createElement('iframe');
  frame.width = 1100;
  frame.height = 1400;
  document.body.appendChild(frame);
  await new Promise((done) => { frame.onload = done; frame.src = url; });
  // jQuery and others begin a moment after the page has loaded.
  await pause(50);
}

async function shows(state) {
  for (let tries = 0; tries < 300; tries++) {
    const document = frame.contentDocument;
    if (document && document.documentElement && text(document).includes(state.marker)) return;
    await pause(10);
  }
  throw new Error('does not show ' + state.marker);
}

async function reach(state, states) {
  if (state.reach.by === 'url') {
    await open(state.url);
  } else {
    const from = states[state.reach.from];
    await (from ? reach(from, states) : open(state.reach.from));
    fire(state.reach.event, named(state.reach.on));
  }
  try {
    await shows(state);
  } catch (error) {
    // Whoever asks twice may get the other answer. What is scrolled to is told of when a frame is drawn,
    // and on a busy machine the page's clock runs far ahead of that.
    if (state.behaviour !== 'varies' && state.reach.event !== 'scroll') throw error;
    fire(state.reach.event, named(state.reach.on));
    await shows(state);
  }
}

async function drive() {
  const truth = await (await fetch('/__truth.json')).json();
  const states = Object.fromEntries(truth.states.map((state) => [state.id, state]));
  const seen = {};
  for (const state of truth.states) {
    try {
      await reach(state, states);
      const at = frame.contentWindow.location;
      const url = at.pathname + at.search + at.hash;
      seen[state.id] = url === state.url ? 'reached' : 'at ' + url;
    } catch (error) {
      seen[state.id] = String(error);
    }
  }
  return seen;
}
"#;

/// What came of it.
pub struct Run {
    /// What it was driven along.
    pub truth: Truth,
    seen: BTreeMap<String, String>,
    /// The kinds of all changes that the server suffered meanwhile.
    pub changes: Vec<String>,
}

impl Run {
    /// The states that were not reached, of those that matter, with what was seen instead.
    pub fn missed(&self, matters: impl Fn(&State) -> bool) -> Vec<(String, String)> {
        let states = self.truth.states.iter().filter(|state| matters(state));
        states
            .map(|state| {
                let seen = self.seen.get(&state.id).map_or("not tried", String::as_str);
                (state.id.clone(), seen.to_owned())
            })
            .filter(|(_, seen)| seen != "reached")
            .collect()
    }
}

/// Follows the truth of a site to every state.
pub async fn drive(kind: SiteKind, options: Options) -> Run {
    let (running, seen) = beside::drive(kind, options, FOLLOW_THE_TRUTH).await;
    let run = Run {
        truth: running.truth().clone(),
        seen,
        changes: running.log().into_iter().map(|change| change.kind).collect(),
    };
    running.stop().await;
    run
}
