//! Going back to a page when the site is not what it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use crawl::{Crawl, GotoError, Settings, goto};
use store::{Catalog, CatalogWriter, PageNumber, PageRow};

use crate::own::serve;

/// Two ways to one text: a long and slow one, which is found first, and a short one, which may be closed.
fn rooms(is_short_open: bool) -> String {
    let short = if is_short_open { "<button onclick='vault()'>Straight</button>" } else { "" };
    format!(
        "<body><button onclick='hall()'>Hall</button>{short}<script>
        function hall() {{ for (let i = 0, n = 0; i < 3e8; i++) n += i % 7;
          document.body.innerHTML = '<p>A hall with a stair</p><button onclick=\"vault()\">Stair</button>'; }}
        function vault() {{ document.body.innerHTML = '<p>What the vault holds</p>'; }}
        </script>"
    )
}

async fn crawled(url: &str, directory: &std::path::Path) -> PageRow {
    let catalog = Arc::new(CatalogWriter::open(directory).unwrap());
    let settings = Settings::new(vec![url.parse().unwrap()]);
    Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap();
    let pages = catalog.pages(PageNumber(0)).await.unwrap();
    assert_eq!(pages.len(), 3, "entry, hall and vault: {pages:?}");
    pages.into_iter().max_by_key(|page| page.path.len()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cheapest_way_is_taken_and_the_first_known_one_where_it_is_closed() {
    let is_open = Arc::new(AtomicBool::new(true));
    let is_short_open = is_open.clone();
    let url = serve(move |_| rooms(is_short_open.load(SeqCst))).await;
    let dir = tempfile::tempdir().unwrap();
    let vault = crawled(&url, dir.path()).await;
    assert_eq!(vault.path.len(), 2, "{vault:?}");
    let there = async || {
        let catalog = Arc::new(CatalogWriter::refusing(Catalog::open(dir.path()).unwrap()));
        goto(&vault, Settings::new(Vec::new()), catalog, false).await
    };

    let reached = there().await.unwrap();
    let taken = |reached: &crawl::Destination| reached.attempts.last().unwrap().path.clone();
    assert_eq!(taken(&reached)[0].text, "Straight", "{:?}", reached.attempts);
    assert!(reached.html.contains("What the vault holds"));

    is_open.store(false, SeqCst);
    let reached = there().await.unwrap();
    assert_eq!(reached.attempts.len(), 2);
    let said = reached.attempts[0].found_instead.as_deref().unwrap();
    assert_eq!(said, "nothing to click 'Straight' at /html/body/button[2] any more");
    assert_eq!(taken(&reached).len(), 2);
    assert!(reached.html.contains("What the vault holds"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_is_taken_again_with_the_values_that_went_with_it() {
    let url = serve(|_| {
        let (first, second) = ("a".repeat(300), "b".repeat(300));
        format!(
            "<body><select id=s><option>none<option value='{first}'>A<option value='{second}'>B</select>
             <p id=p></p><script>s.addEventListener('change', () => {{
               p.textContent = s.selectedIndex ? 'Room ' + s.value.length + s.value[0] : ''; }})</script>"
        )
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let room = crawled(&url, dir.path()).await;
    let (control, value) = &room.path[0].values[0];
    assert_eq!((control, value.len()), (&room.path[0].xpath, 300));
    let catalog = Arc::new(CatalogWriter::refusing(Catalog::open(dir.path()).unwrap()));
    let reached = goto(&room, Settings::new(Vec::new()), catalog, false).await.unwrap();
    assert!(reached.html.contains("Room 300"), "{}", reached.html);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_there_instead_is_said() {
    let is_other = Arc::new(AtomicBool::new(false));
    let other = is_other.clone();
    let url = serve(move |_| match other.load(SeqCst) {
        true => rooms(true).replace("What the vault holds", "An empty vault"),
        false => rooms(true),
    });
    let url = url.await;
    let dir = tempfile::tempdir().unwrap();
    let vault = crawled(&url, dir.path()).await;
    is_other.store(true, SeqCst);
    let catalog = Arc::new(CatalogWriter::refusing(Catalog::open(dir.path()).unwrap()));
    let missed = goto(&vault, Settings::new(Vec::new()), catalog, false).await.unwrap_err();
    let GotoError::Missed { attempts, .. } = &missed else { panic!("{missed}") };
    assert_eq!(attempts.len(), 2, "both ways are tried");
    let said = missed.to_string();
    assert!(said.contains("'An empty vault'") && said.contains("'What the vault holds'"), "{said}");
}
