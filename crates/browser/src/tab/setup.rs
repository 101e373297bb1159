//! What a new session is told before its document runs a single line.

use serde_json::json;

use super::agent;
use super::options::TabOptions;
use crate::cdp::Session;

/// A document: the page itself, or a frame in another process.
pub(super) fn document(session: &Session, options: &TabOptions, key: &str) {
    session.tell("Page.enable", json!({}));
    session.tell("Runtime.enable", json!({}));
    session.tell("Inspector.enable", json!({}));
    network(session, options);
    for (source, world) in [
        (agent::main_world(key, options.event_sockets), None),
        (agent::isolated_world(key), Some(agent::WORLD)),
    ] {
        let script = match world {
            None => json!({ "source": source, "runImmediately": true }),
            Some(name) => json!({ "source": source, "worldName": name, "runImmediately": true }),
        };
        session.tell("Page.addScriptToEvaluateOnNewDocument", script);
    }
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
    session.tell("Target.setAutoAttach", attach);
    session.tell("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
}

/// A worker: its requests are recorded and go through the gate, where Chromium lets them.
pub(super) fn worker(session: &Session, options: &TabOptions) {
    network(session, options);
}

fn network(session: &Session, options: &TabOptions) {
    let enable = json!({
        "maxTotalBufferSize": options.caps.bodies,
        "maxResourceBufferSize": options.caps.body,
        "maxPostDataSize": 64 << 10,
    });
    session.tell("Network.enable", enable);
    session.tell("Network.setBypassServiceWorker", json!({ "bypass": true }));
    session.tell("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] }));
    if options.user_agent.is_some() || options.accept_language.is_some() {
        let mut agent = json!({ "userAgent": options.user_agent.as_deref().unwrap_or("") });
        if let (Some(language), Some(object)) = (&options.accept_language, agent.as_object_mut()) {
            object.insert("acceptLanguage".into(), json!(language));
        }
        session.tell("Emulation.setUserAgentOverride", agent);
    }
}
