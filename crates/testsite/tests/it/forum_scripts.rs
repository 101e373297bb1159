//! The templates of the forum whose posts are there only after scripts have run, in a real browser.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use testsite::{Options, SheetKind, SiteKind, Template};

use crate::{beside, driven, forum};

/// Opens every list and thread, makes it grow to its end, and returns the text, the number of
/// items of microdata and the classes of each.
const READ_EVERYTHING: &str = r#"
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function drive() {
  const { tables, states } = await (await fetch('/__truth.json')).json();
  const read = {};
  for (const page of tables.pages) {
    if (page.kind !== 'list' && page.kind !== 'thread') continue;
    const last = states.filter((state) => state.url === page.url).pop();
    const frame = document.createElement('iframe');
    frame.width = 1000;
    frame.height = 900;
    document.body.append(frame);
    await new Promise((done) => { frame.onload = done; frame.src = page.url; });
    const inside = frame.contentDocument;
    for (let tries = 0; tries < 1000; tries++) {
      const drawn = !inside.querySelector('[itemprop]');
      if (drawn && inside.body.innerText.includes(last.marker)) break;
      const more = inside.getElementById('haul');
      const end = inside.getElementById('reef');
      if (more) more.click();
      if (end) end.scrollIntoView();
      await pause(20);
    }
    const items = inside.querySelectorAll('[itemprop], [itemscope]').length;
    const names = Array.from(inside.querySelectorAll('[class]')).flatMap((element) => [...element.classList]);
    read[page.url] = { text: inside.body.innerText, items, names };
    frame.remove();
  }
  return read;
}
"#;

/// What a page is after its scripts have run.
#[derive(Deserialize)]
struct Seen {
    text: String,
    items: usize,
    names: BTreeSet<String>,
}

fn small(template: Template) -> Options {
    Options { template, size: 20, ..Options::default() }
}

#[tokio::test]
async fn scripts_build_every_record_of_the_tables_and_change_nothing() {
    for template in [Template::Shell, Template::Hydrated, Template::Stream] {
        let (site, read): (_, BTreeMap<String, Seen>) =
            beside::drive(SiteKind::Forum, small(template), READ_EVERYTHING).await;
        let tables = site.truth().tables.clone().expect("tables");
        let others = Template::ALL.iter().filter(|other| **other != template);
        let of_others: BTreeSet<_> = others.flat_map(|other| forum::names(*other)).collect();
        let mut records = 0;
        for page in &tables.pages {
            let Some(Seen { text, items, names }) = read.get(&page.url) else { continue };
            let shared: Vec<_> = names.intersection(&of_others).collect();
            assert!(shared.is_empty(), "{template} {}: {shared:?}", page.url);
            assert_eq!(*items, 0, "{template} {}: no microdata is left", page.url);
            // What is shown of a text is without its indentation.
            let has = |line: &str| {
                assert!(text.contains(line.trim()), "{template} {}: {line}\nin {text}", page.url);
            };
            for id in &page.records {
                records += 1;
                match page.kind {
                    SheetKind::List => {
                        let row = tables.thread(*id).expect("a thread");
                        has(&row.title);
                        has(&row.author);
                        has(&row.last_time.text);
                    }
                    _ => {
                        let post = tables.post(*id).expect("a post");
                        has(&post.author);
                        has(&post.time.text);
                        has(&post.signature);
                        post.content.lines().for_each(has);
                    }
                }
            }
        }
        assert_eq!(records, tables.threads.len() + tables.posts.len(), "{template}");
        assert!(site.log().is_empty(), "{template}");
        site.stop().await;
    }
}

#[tokio::test]
async fn every_state_of_a_template_with_scripts_is_reached_as_its_truth_says() {
    for template in [Template::Shell, Template::Stream] {
        let run = driven::drive(SiteKind::Forum, small(template)).await;
        assert_eq!(run.missed(|_| true), [], "{template}");
        assert!(run.changes.is_empty(), "{template}");
    }
}
