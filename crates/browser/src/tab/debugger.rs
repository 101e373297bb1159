//! Listeners as the debugger sees them: a check of the hooks, which a page can spoil.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::json;

use super::Tab;
use super::candidate::{Candidate, Candidates, Handler};
use super::error::TabError;
use super::protocol::{Evaluated, RemoteObject};
use crate::cdp::decode;

/// Elements that are looked at: each costs a message.
const ELEMENTS: usize = 1_000;

/// Events worth firing. The rest (load, resize, unload…) happen by themselves.
const EVENTS: &[&str] = &[
    "click",
    "dblclick",
    "contextmenu",
    "mousedown",
    "mouseup",
    "mouseover",
    "mouseenter",
    "pointerdown",
    "pointerup",
    "touchstart",
    "touchend",
    "change",
    "input",
    "focus",
    "keydown",
];

#[derive(Deserialize)]
struct Listened {
    #[serde(default)]
    listeners: Vec<Listener>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Listener {
    r#type: String,
    backend_node_id: i64,
    line_number: i64,
    column_number: i64,
}

#[derive(Deserialize)]
struct Resolved {
    object: RemoteObject,
}

impl Tab {
    /// The candidates, and those listeners of the top document that only the debugger knows of.
    /// Takes some milliseconds more: once a page type is enough.
    pub async fn all_candidates(&self) -> Result<Candidates, TabError> {
        let mut all = self.candidates().await?;
        for (path, listeners) in self.debugger_listeners().await? {
            for listener in listeners {
                let known = |one: &Candidate| one.path == path && one.event == listener.r#type;
                if all.list.iter().any(known) {
                    continue;
                }
                all.list.push(candidate(&path, &listener));
            }
        }
        Ok(all)
    }

    /// Listeners by the path of their element.
    async fn debugger_listeners(&self) -> Result<Vec<(String, Vec<Listener>)>, TabError> {
        let (world, world_id) = {
            let state = self.shared.lock();
            let frame = state.frames.get(&state.main_frame);
            match frame.and_then(|frame| Some((frame.own_world.clone()?, frame.own_world_id))) {
                Some(worlds) => worlds,
                None => return Ok(Vec::new()),
            }
        };
        let params =
            json!({ "expression": "document", "uniqueContextId": world, "objectGroup": GROUP });
        let document: Evaluated = self.page.call("Runtime.evaluate", params).await?;
        let Some(object) = document.result.object_id else {
            return Ok(Vec::new());
        };
        let params = json!({ "objectId": object, "depth": -1, "pierce": true });
        let found: Listened = self.page.call("DOMDebugger.getEventListeners", params).await?;
        let mut by_node: HashMap<i64, Vec<Listener>> = HashMap::new();
        for listener in found.listeners {
            if EVENTS.contains(&listener.r#type.as_str()) {
                by_node.entry(listener.backend_node_id).or_default().push(listener);
            }
        }
        let mut nodes: Vec<(i64, Vec<Listener>)> = by_node.into_iter().collect();
        nodes.sort_by_key(|(node, _)| *node);
        nodes.truncate(ELEMENTS);
        let resolving: Vec<_> = nodes
            .iter()
            .map(|(node, _)| {
                let params = json!({
                    "backendNodeId": node, "executionContextId": world_id, "objectGroup": GROUP,
                });
                self.page.send::<Resolved>("DOM.resolveNode", params)
            })
            .collect();
        let mut objects = Vec::new();
        let mut listeners = Vec::new();
        for (reply, (_, own)) in resolving.into_iter().zip(nodes) {
            // What cannot be resolved is in a frame, where the hooks have their own list.
            if let Ok(Resolved { object: RemoteObject { object_id: Some(id), .. } }) =
                reply.wait().await
            {
                objects.push(json!({ "objectId": id }));
                listeners.push(own);
            }
        }
        let params = json!({
            "functionDeclaration": "function (...elements) { return bathys.pathsOf(...elements); }",
            "uniqueContextId": world,
            "arguments": objects,
            "returnByValue": true,
        });
        let named: Evaluated = self.page.call("Runtime.callFunctionOn", params).await?;
        self.page.tell("Runtime.releaseObjectGroup", json!({ "objectGroup": GROUP }));
        let value = named.result.value.as_ref().map_or("[]", |value| value.get());
        let paths: Vec<String> = decode(value).unwrap_or_default();
        let placed = paths.into_iter().zip(listeners).filter(|(path, _)| !path.is_empty());
        Ok(placed.collect())
    }
}

const GROUP: &str = "bathys-listeners";

fn candidate(path: &str, listener: &Listener) -> Candidate {
    let last = path.rsplit('/').next().unwrap_or_default();
    let tag = last.split('[').next().unwrap_or_default();
    let at = format!("#{}:{}", listener.line_number, listener.column_number);
    Candidate {
        path: path.to_owned(),
        event: listener.r#type.clone(),
        tag: tag.to_owned(),
        element_id: None,
        text: String::new(),
        data: std::collections::BTreeMap::new(),
        class: at.clone(),
        handler: Handler::Listener { at },
        wants_trust: false,
        instruction: None,
        href: None,
        value: None,
        visible: true,
        tier: if listener.r#type == "click" { 1 } else { 2 },
    }
}
