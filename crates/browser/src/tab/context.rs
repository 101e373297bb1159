//! A browser context: cookies and storage that belong together.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::error::TabError;
use super::protocol::Nothing;
use crate::cdp::Session;

/// Cookies and storage that several tabs share. It ends with its last holder.
#[derive(Clone)]
pub struct Context {
    shared: Arc<Holder>,
}

struct Holder {
    id: String,
    browser: Session,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    browser_context_id: String,
}

/// What a page may ask a user for. All of it is denied, so no prompt ever waits.
const PERMISSIONS: &[&str] = &[
    "geolocation",
    "notifications",
    "midi",
    "camera",
    "microphone",
    "clipboard-read",
    "clipboard-write",
    "persistent-storage",
    "idle-detection",
    "storage-access",
    "window-management",
    "local-fonts",
];

impl Context {
    pub(crate) async fn create(browser: &Session) -> Result<Context, TabError> {
        let created: Created =
            browser.call("Target.createBrowserContext", json!({ "disposeOnDetach": true })).await?;
        let id = created.browser_context_id;
        let deny = json!({ "behavior": "deny", "browserContextId": id, "eventsEnabled": true });
        browser.tell("Browser.setDownloadBehavior", deny);
        for name in PERMISSIONS {
            let setting = json!({
                "permission": { "name": name },
                "setting": "denied",
                "browserContextId": id,
            });
            browser.tell("Browser.setPermission", setting);
        }
        Ok(Context { shared: Arc::new(Holder { id, browser: browser.clone() }) })
    }

    pub(crate) fn id(&self) -> &str {
        &self.shared.id
    }

    /// Lets go of the context; waits for its end if nobody else holds it.
    pub(crate) async fn close(self) {
        if let Some(holder) = Arc::into_inner(self.shared) {
            let params = json!({ "browserContextId": holder.id });
            let ending = holder.browser.send::<Nothing>("Target.disposeBrowserContext", params);
            let _ = ending.within(Duration::from_secs(2)).wait().await;
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let params = json!({ "browserContextId": self.id });
        self.browser.tell("Target.disposeBrowserContext", params);
    }
}
