//! What pages keep on a visitor's machine, so that events leave no trace there.
//!
//! Every load begins with the cookies and the storage of a visitor who has only followed addresses: what
//! events changed of it is put back first. Databases of a page cannot be put back; those that an event
//! changed are removed, and the page makes them anew.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::Tab;
use super::error::TabError;
use super::evaluate::World;
use super::fire::Fired;
use super::happening::Navigation;
use super::protocol::Nothing;

/// A cookie as CDP tells it, as far as it is needed to set it again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cookie {
    name: String,
    value: String,
    domain: String,
    path: String,
    #[serde(default)]
    secure: bool,
    #[serde(default)]
    http_only: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same_site: Option<String>,
    /// Below zero until the browser ends.
    #[serde(default, skip_serializing_if = "is_negative")]
    expires: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    partition_key: Option<Value>,
}

fn is_negative(expires: &f64) -> bool {
    *expires < 0.0
}

impl Cookie {
    /// Which cookie it is.
    fn is(&self, other: &Self) -> bool {
        (&self.name, &self.domain, &self.path, &self.partition_key)
            == (&other.name, &other.domain, &other.path, &other.partition_key)
    }

    /// Whether it is there with the same value.
    fn is_among(&self, others: &[Self]) -> bool {
        others.iter().any(|other| other.is(self) && other.value == self.value)
    }
}

#[derive(Deserialize)]
struct Cookies {
    cookies: Vec<Cookie>,
}

impl Tab {
    /// Takes note of what the page keeps, before the first event can change it. The page's own storage is
    /// noted by the agent, with the event.
    pub(super) async fn remember_storage(&mut self) -> Result<(), TabError> {
        if self.cookies.is_none() {
            if let Some(origin) = self.origin() {
                self.page.tell("Storage.trackIndexedDBForOrigin", json!({ "origin": origin }));
            }
            self.cookies = Some(self.cookies_now().await?);
        }
        Ok(())
    }

    /// Puts back what events changed since the last load.
    pub(super) async fn put_storage_back(&mut self) -> Result<(), TabError> {
        let Some(before) = self.cookies.take() else { return Ok(()) };
        // A document that went away under an event has taken its storage along, or is about to be left.
        let _ = self.answer::<Value>("storage", World::Own, "bathys.putBack()").await;
        let now = self.cookies_now().await?;
        for cookie in now.iter().filter(|now| !before.iter().any(|old| old.is(now))) {
            let Cookie { name, domain, path, partition_key, .. } = cookie;
            let mut gone = json!({ "name": name, "domain": domain, "path": path });
            if let (Some(key), Some(gone)) = (partition_key, gone.as_object_mut()) {
                gone.insert("partitionKey".into(), key.clone());
            }
            self.page.send::<Nothing>("Network.deleteCookies", gone).wait().await?;
        }
        let changed: Vec<&Cookie> = before.iter().filter(|old| !old.is_among(&now)).collect();
        if !changed.is_empty() {
            let params = json!({ "cookies": changed, "browserContextId": self.context_id() });
            self.connection.browser().send::<Nothing>("Storage.setCookies", params).wait().await?;
        }
        if self.shared.change(|state| std::mem::take(&mut state.databases_changed))
            && let Some(origin) = self.origin()
        {
            let params = json!({ "origin": origin, "storageTypes": "indexeddb" });
            self.page.send::<Nothing>("Storage.clearDataForOrigin", params).wait().await?;
        }
        Ok(())
    }

    /// An event may keep something and have the page loaded again, to show it: a language, a currency. Then
    /// it is, with what was kept, and that is what came of the event.
    pub(super) async fn shown_again(&mut self, mut fired: Fired) -> Result<Fired, TabError> {
        let Ok(here) = Url::parse(&self.url()) else { return Ok(fired) };
        let is_here = |to: &Navigation| {
            let is_load = !to.same_document && to.method == "GET";
            is_load
                && Url::parse(&to.url)
                    .is_ok_and(|url| without_fragment(url) == without_fragment(here.clone()))
        };
        if !fired.happenings.navigations.iter().any(is_here) || !self.keeps_other().await? {
            return Ok(fired);
        }
        let kept: Value = self.answer("storage", World::Own, "bathys.kept()").await?;
        let choices = self.choices().await?;
        self.shared.change(|state| {
            // A document that another one leads to waits for its turn.
            state.document_requests = 1;
            state.recorder.choices = choices;
        });
        match self.go_to(&here).await {
            Ok(visit) => {
                let keep = format!("bathys.keep({kept})");
                self.answer::<Value>("storage", World::Own, &keep).await?;
                fired.happenings.navigations.retain(|to| !is_here(to));
                let _ = self.take_happenings();
                Ok(Fired {
                    settled: Some(visit.settled),
                    changed: true,
                    fingerprint: self.fingerprint().await?,
                    url_after: self.url(),
                    ..fired
                })
            }
            Err(TabError::Navigation { .. } | TabError::Unfollowed { .. }) => {
                fired.happenings.left_document = true;
                Ok(fired)
            }
            Err(error) => Err(error),
        }
    }

    async fn keeps_other(&self) -> Result<bool, TabError> {
        let has_changed: bool = self.answer("storage", World::Own, "bathys.keepsOther()").await?;
        Ok(has_changed || self.choices().await? != 0)
    }

    /// A number for the cookies that are other than before the first event; 0 if none is.
    async fn choices(&self) -> Result<u64, TabError> {
        let now = self.cookies_now().await?;
        let before = self.cookies.as_deref().unwrap_or_default();
        let mut new: Vec<_> = now.iter().filter(|now| !now.is_among(before)).collect();
        let is_gone = |old: &&Cookie| !now.iter().any(|now| now.is(old));
        let mut gone: Vec<_> = before.iter().filter(is_gone).collect();
        if new.is_empty() && gone.is_empty() {
            return Ok(0);
        }
        new.sort_unstable_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
        gone.sort_unstable_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
        let mut hasher = DefaultHasher::new();
        for (is_new, cookie) in
            new.iter().map(|cookie| (true, cookie)).chain(gone.iter().map(|cookie| (false, cookie)))
        {
            (is_new, &cookie.name, &cookie.value, &cookie.path).hash(&mut hasher);
        }
        Ok(hasher.finish().max(1))
    }

    async fn cookies_now(&self) -> Result<Vec<Cookie>, TabError> {
        let params = json!({ "browserContextId": self.context_id() });
        let all = self.connection.browser().send::<Cookies>("Storage.getCookies", params);
        Ok(all.within(self.options.caps.script).wait().await?.cookies)
    }

    fn context_id(&self) -> Option<&str> {
        self.context.as_ref().map(super::Context::id)
    }

    fn origin(&self) -> Option<String> {
        let origin = Url::parse(&self.url()).ok()?.origin();
        origin.is_tuple().then(|| origin.ascii_serialization())
    }
}

fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}
