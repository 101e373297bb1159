//! A page of the tests' own beside a site, run in a real browser. It shows the site in a frame and
//! drives it from there, so that the sites need no hook for tests.

use std::process::{Command, Stdio};
use std::sync::Arc;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use serde::de::DeserializeOwned;
use testsite::{Options, Running, Site, SiteKind, Truth, serve_site};

struct Beside {
    site: Arc<dyn Site>,
    page: String,
}

impl Site for Beside {
    fn truth(&self) -> Truth {
        self.site.truth()
    }

    fn robots(&self) -> String {
        self.site.robots()
    }

    fn router(self: Arc<Self>) -> Router {
        let page = self.page.clone();
        self.site.clone().router().route("/beside.html", get(async || Html(page)))
    }
}

/// Serves the site, runs the script beside it, and returns the result of its function `drive`.
///
/// # Panics
/// If there is no browser, or the function throws or returns something else.
pub async fn drive<T: DeserializeOwned>(
    kind: SiteKind,
    options: Options,
    script: &str,
) -> (Running, T) {
    let page = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><pre id=\"result\"></pre><script>{script}
drive().catch((error) => ({{ error: String(error) }})).then((result) => {{
  document.getElementById('result').textContent = JSON.stringify(result);
}});
</script>"
    );
    let site = Arc::new(Beside { site: kind.generate(&options), page });
    let running = serve_site(site, options).await.expect("a free port");
    let url = running.url_of("/beside.html");
    let dom = tokio::task::spawn_blocking(move || dump_dom(&url)).await.expect("the browser ends");
    let result = dom.split("id=\"result\">").nth(1).and_then(|rest| rest.split('<').next());
    let json = ["&lt;<", "&gt;>", "&nbsp;\u{a0}", "&amp;&"].iter().fold(
        result.expect("a result").to_owned(),
        |json, pair| {
            let (entity, character) = pair.split_at(pair.rfind(';').map_or(0, |at| at + 1));
            json.replace(entity, character)
        },
    );
    let value = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error} in {json}"));
    (running, value)
}

fn dump_dom(url: &str) -> String {
    let browser = ["chromium-headless-shell", "chromium"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok())
        .expect("chromium-headless-shell is installed (apt-get install chromium-headless-shell)");
    // A page that hangs fails its test, not the whole run.
    let output = Command::new("timeout")
        .args(["--kill-after=5", "150", browser])
        .args(["--no-sandbox", "--headless", "--virtual-time-budget=600000", "--dump-dom", url])
        .stderr(Stdio::null())
        .output()
        .expect("the browser runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
