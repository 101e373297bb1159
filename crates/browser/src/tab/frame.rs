//! Where frames of other origins are.

use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::Tab;
use super::error::TabError;
use super::protocol::{Evaluated, RemoteObject};
use crate::cdp::decode;

/// Frames of other origins that are looked into.
const FRAMES: usize = 32;

/// Frames inside frames.
const DEPTH: usize = 8;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Owner {
    backend_node_id: i64,
}

#[derive(Deserialize)]
struct Resolved {
    object: RemoteObject,
}

impl Tab {
    /// The top frame, and those that the frame around them cannot see into.
    pub(super) fn foreign_frames(&self) -> (String, Vec<String>) {
        let state = self.shared.lock();
        let main = state.main_frame.clone();
        if state.frames.len() < 2 {
            return (main, Vec::new());
        }
        let origin = |id: &str| {
            // about:blank and srcdoc documents belong to their parent.
            let url = Url::parse(&state.frames.get(id)?.url).ok()?;
            url.has_host().then(|| url.origin())
        };
        let foreign = |id: &&String| {
            let parent = state.frames.get(*id).and_then(|frame| frame.parent.as_deref());
            match parent.map(|parent| (origin(id), origin(parent))) {
                Some((Some(own), Some(outer))) => own != outer,
                _ => false,
            }
        };
        let others = state.frames.keys().filter(foreign).take(FRAMES).cloned().collect();
        (main, others)
    }

    /// The path of a frame's document from the top: `/html/body/iframe[1]/document()`.
    pub(super) async fn frame_path(
        &self,
        frame: &str,
        depth: usize,
    ) -> Result<Option<String>, TabError> {
        let (main, parent, session, world) = {
            let state = self.shared.lock();
            let parent = state.frames.get(frame).and_then(|frame| frame.parent.clone());
            let outer = parent.as_ref().and_then(|parent| state.frames.get(parent));
            (
                state.main_frame.clone(),
                parent.clone(),
                outer.and_then(|outer| outer.session.clone()),
                outer.map(|outer| outer.own_world_id),
            )
        };
        let (Some(parent), Some(session), Some(world)) = (parent, session, world) else {
            return Ok(None);
        };
        if depth >= DEPTH {
            return Ok(None);
        }
        let session = self.connection.session(session);
        let own = async {
            let owner: Owner =
                session.call("DOM.getFrameOwner", json!({ "frameId": frame })).await?;
            let resolved: Resolved = session
                .call(
                    "DOM.resolveNode",
                    json!({ "backendNodeId": owner.backend_node_id, "executionContextId": world }),
                )
                .await?;
            Ok::<_, crate::cdp::CdpError>(resolved.object.object_id)
        };
        let Ok(Some(object)) = own.await else {
            return Ok(None);
        };
        let params = json!({
            "functionDeclaration": "function () { return bathys.pathOf(this); }",
            "objectId": object,
            "returnByValue": true,
        });
        let Ok(named) = session.call::<Evaluated>("Runtime.callFunctionOn", params).await else {
            return Ok(None);
        };
        session.tell("Runtime.releaseObject", json!({ "objectId": object }));
        let value = named.result.value.as_ref().map_or("null", |value| value.get());
        let Ok(Some(path)) = decode::<Option<String>>(value) else {
            return Ok(None);
        };
        let path = format!("{path}/document()");
        if parent == main {
            return Ok(Some(path));
        }
        let outer = Box::pin(self.frame_path(&parent, depth + 1)).await?;
        Ok(outer.map(|outer| outer + &path))
    }
}
