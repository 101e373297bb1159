//! One browser for all tests: it outlives the runtime of any single test.

use std::future::Future;
use std::sync::LazyLock;

use browser::{Browser, LaunchOptions, Tab, TabOptions, Visit};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

use crate::site::Site;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));
static BROWSER: OnceCell<Browser> = OnceCell::const_new();

/// Runs a test on the runtime that the shared browser lives in.
pub fn run<T: Send + 'static>(test: impl Future<Output = T> + Send + 'static) -> T {
    RUNTIME.block_on(async {
        match tokio::spawn(test).await {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    })
}

/// The shared browser.
pub async fn browser() -> &'static Browser {
    BROWSER
        .get_or_init(|| async {
            // Another Chromium can be put to the same tests by naming it.
            let executable = std::env::var_os("BATHYS_TEST_CHROMIUM").map(Into::into);
            Browser::launch(LaunchOptions { executable, ..LaunchOptions::default() })
                .await
                .unwrap_or_else(|error| panic!("{error}"))
        })
        .await
}

/// A tab of the shared browser.
pub async fn tab(options: TabOptions) -> Tab {
    browser().await.tab(options).await.expect("a tab")
}

/// A tab at the first page of a site.
pub async fn at(site: &Site) -> (Tab, Visit) {
    at_with(site, TabOptions::default()).await
}

/// The same with options.
pub async fn at_with(site: &Site, options: TabOptions) -> (Tab, Visit) {
    let mut tab = tab(options).await;
    let visit = tab.navigate(&site.url("/")).await.expect("the page");
    (tab, visit)
}

/// The text of the page as it is now.
pub async fn text(tab: &Tab) -> String {
    page::tree::visible_text(&tab.walk().await.expect("a walk").dom)
}
