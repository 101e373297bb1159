//! What on a page could be fired.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::Tab;
use super::error::TabError;
use super::evaluate::World;

/// An event that could be fired on an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Where the element is.
    pub path: String,
    /// `click`, `change`, `mouseover`…
    pub event: String,
    /// The element's name.
    pub tag: String,
    /// Its `id`, if it has one.
    pub element_id: Option<String>,
    /// What it says, at most 80 characters.
    pub text: String,
    /// Its `data-` attributes, without the prefix.
    pub data: BTreeMap<String, String>,
    /// Who handles the event.
    pub handler: Handler,
    /// A short name of which handler acts, without what it acts on: `goPage(#) {1f2e3d4c}` for a call in
    /// the markup, with the hash of what that function does, if there is one; the hash of a function's text
    /// for listeners, with its selector if it is delegated.
    /// The same at every load, and on other pages that are built from the same scripts.
    pub class: String,
    /// Whether the handler seems to ask for input of a user (`isTrusted`): if an event does nothing,
    /// [`Action::trusted`](super::Action::trusted) may.
    pub wants_trust: bool,
    /// The call in the markup, such as `goPage(2)`.
    pub instruction: Option<String>,
    /// Its `href`, if it has one.
    pub href: Option<String>,
    /// The value to choose, for `change` on a select.
    pub value: Option<String>,
    /// Whether a user could see it.
    pub visible: bool,
    /// 1: certain (a handler for clicks); 2: likely (other events, buttons); 3: by convention
    /// (roles, `#` links); 4: only the pointer says so.
    pub tier: u8,
}

/// Who handles an event, as far as it can be told. A page may lie about it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Handler {
    /// Text in the markup: an `on…` attribute or a `javascript:` address.
    Inline {
        /// The text.
        text: String,
    },
    /// A listener: where it was registered (`script#line:column`) and the hash of its text. The
    /// same at every load of the same page.
    Listener {
        /// The position.
        at: String,
    },
    /// A property of the element, such as `onclick`.
    Property {
        /// The hash of its text.
        at: String,
    },
    /// A handler on an ancestor that serves what this selector selects.
    Delegated {
        /// The selector.
        selector: String,
        /// The position of the handler.
        at: String,
    },
    /// A framework's handler.
    Framework {
        /// Which, and the hash of its text.
        at: String,
    },
    /// None seen; elements of this kind are for acting on.
    Implicit,
    /// None seen; the pointer turns into a hand.
    Pointer,
}

/// Everything that could be fired on a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// In document order, the frames after what surrounds them.
    pub list: Vec<Candidate>,
    /// True if a cap left some out.
    pub truncated: bool,
}

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    list: Vec<serde_json::Value>,
    #[serde(default)]
    truncated: bool,
}

#[derive(Deserialize)]
struct One {
    path: String,
    event: String,
    tag: String,
    id: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    data: BTreeMap<String, String>,
    handler: Handler,
    #[serde(default)]
    class: String,
    #[serde(default)]
    trust: bool,
    instruction: Option<String>,
    href: Option<String>,
    value: Option<String>,
    #[serde(default)]
    visible: bool,
    tier: u8,
}

impl Candidate {
    /// What is chosen or typed first when it is fired: the path of a control, and its value.
    pub fn values(&self) -> Vec<(String, String)> {
        self.value.iter().map(|value| (self.path.clone(), value.clone())).collect()
    }
}

impl From<One> for Candidate {
    fn from(one: One) -> Self {
        Candidate {
            path: one.path,
            event: one.event,
            tag: one.tag,
            element_id: one.id,
            text: one.text,
            data: one.data,
            handler: one.handler,
            class: one.class,
            wants_trust: one.trust,
            instruction: one.instruction,
            href: one.href,
            value: one.value,
            visible: one.visible,
            tier: one.tier,
        }
    }
}

impl Tab {
    /// What could be fired on the page as it is now. Links without a handler are not among it:
    /// they are in the tree.
    pub async fn candidates(&self) -> Result<Candidates, TabError> {
        let caps = &self.options.caps;
        let limits = json!({
            "elements": caps.nodes,
            "depth": 511,
            "candidates": caps.candidates,
            "options": 200,
            "frames": 8,
            "pointer": true,
        });
        let script = format!("JSON.stringify(window[{:?}].candidates({limits}))", &*self.key);
        let (main, others) = self.foreign_frames();
        let mut all = self.candidates_of(&main, &script, "").await?;
        for (frame, prefix) in self.places_of(others).await? {
            // A frame that goes away meanwhile takes its candidates with it.
            if let Ok(inner) = self.candidates_of(&frame, &script, &prefix).await {
                all.truncated |= inner.truncated;
                all.list.extend(inner.list);
            }
        }
        if all.list.len() > caps.candidates {
            all.list.truncate(caps.candidates);
            all.truncated = true;
        }
        Ok(all)
    }

    async fn candidates_of(
        &self,
        frame: &str,
        script: &str,
        prefix: &str,
    ) -> Result<Candidates, TabError> {
        let what = "candidates";
        let text: String =
            self.ask_frame(what, frame, World::Page, script)?.wait(&self.shared).await?;
        let found: Found = serde_json::from_str(&text)
            .map_err(|error| TabError::Agent { what, reason: error.to_string() })?;
        // The page's world answers: what does not have the right form is left out, not believed.
        let list = found.list.into_iter().filter_map(|one| serde_json::from_value::<One>(one).ok());
        let list = list.map(|one| {
            let mut candidate = Candidate::from(one);
            candidate.path.insert_str(0, prefix);
            candidate
        });
        Ok(Candidates { list: list.collect(), truncated: found.truncated })
    }

    /// The paths of frames of other origins; those whose place cannot be told are left out.
    async fn places_of(&self, frames: Vec<String>) -> Result<Vec<(String, String)>, TabError> {
        let mut places = Vec::new();
        for frame in frames {
            if let Some(path) = self.frame_path(&frame, 0).await? {
                places.push((frame, path));
            }
        }
        places.sort_by(|one, other| one.1.cmp(&other.1));
        Ok(places)
    }
}
