//! The task that answers a tab's events, whether or not its owner is waiting for anything.
//!
//! It never waits for an answer itself: what takes time (the gate, a body) runs in tasks of its
//! own, so the queue of events always drains.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::json;
use tokio::task::JoinSet;

use super::exchange::{Content, Ended};
use super::gate::{Cause, Recorded, RequestSeen, Verdict};
use super::happening::{Dialog, Download, LONGEST_LIST, Navigation, Refused};
use super::options::{Caps, TabOptions};
use super::protocol::*;
use super::state::{End, Shared};
use super::{agent, setup};
use crate::cdp::{Connection, Event, Events, Session};

pub(super) struct Driver {
    pub connection: Connection,
    pub page: Session,
    pub shared: Arc<Shared>,
    pub options: TabOptions,
    /// The name of the hooks in the page's world.
    pub key: Arc<str>,
    pub tasks: JoinSet<()>,
}

impl Driver {
    /// Runs until the tab or the browser is gone.
    pub async fn run(mut self, mut events: Events) {
        loop {
            tokio::select! {
                event = events.next() => match event {
                    Some(event) => self.take(&event),
                    None => break,
                },
                () = self.connection.closed() => break,
                // Finished tasks are let go as they end.
                Some(_) = self.tasks.join_next() => {}
            }
        }
        self.shared.end(End::Closed);
    }

    fn caps(&self) -> &Caps {
        &self.options.caps
    }

    fn take(&mut self, event: &Event) {
        if let Err(error) = self.dispatch(event) {
            tracing::warn!(%error, "event of the browser left aside");
        }
    }

    fn dispatch(&mut self, event: &Event) -> Result<(), crate::cdp::CdpError> {
        if event.method == "Target.detachedFromTarget" {
            self.detached(&event.read()?);
            return Ok(());
        }
        let Some(id) = &event.session else {
            return Ok(());
        };
        match event.method.as_str() {
            "Fetch.requestPaused" => {
                self.paused(self.connection.session(id.clone()), event.read()?);
            }
            "Network.requestWillBeSent" => {
                let sent: RequestWillBeSent = event.read()?;
                self.shared.change(|state| {
                    let top = sent.r#type == "Document" && sent.frame_id == state.main_frame;
                    let cause = state.cause;
                    state.recorder.sent(sent, cause, top);
                });
            }
            "Network.requestWillBeSentExtraInfo" => {
                let info = event.read()?;
                self.shared.change(|state| state.recorder.sent_headers(info));
            }
            "Network.responseReceivedExtraInfo" => {
                let info = event.read()?;
                self.shared.change(|state| state.recorder.received_headers(info));
            }
            "Network.requestServedFromCache" => {
                let served: LoadingEnded = event.read()?;
                self.shared.change(|state| state.recorder.cached(&served.request_id));
            }
            "Network.responseReceived" => {
                let received = event.read()?;
                self.shared.change(|state| state.recorder.received(&received));
            }
            "Network.dataReceived" => self.data(id, &event.read()?),
            "Network.loadingFinished" | "Network.loadingFailed" => self.ended(id, event.read()?),
            "Network.webSocketCreated" => {
                let socket: WebSocketEvent = event.read()?;
                self.shared.change(|state| {
                    state.recorder.socket_opened(&socket.request_id);
                    // A refused one was told with the address that it should have had.
                    if socket.url != agent::NOWHERE {
                        push(&mut state.happenings.sockets, clipped(socket.url));
                    }
                });
            }
            "Network.webSocketClosed" => {
                let socket: WebSocketEvent = event.read()?;
                self.shared.change(|state| state.recorder.forget(&socket.request_id));
            }
            "Storage.indexedDBContentUpdated" | "Storage.indexedDBListUpdated" => {
                self.shared.change(|state| state.databases_changed |= state.cause == Cause::Event);
            }
            "Runtime.executionContextCreated" => {
                let created: ContextCreated = event.read()?;
                self.context_created(id, created.context);
            }
            "Runtime.executionContextDestroyed" => {
                let destroyed: ContextDestroyed = event.read()?;
                let gone = Some(destroyed.execution_context_unique_id);
                self.shared.change(|state| {
                    for frame in state.frames.values_mut() {
                        if frame.page_world == gone {
                            frame.page_world = None;
                        }
                        if frame.own_world == gone {
                            frame.own_world = None;
                        }
                    }
                });
            }
            "Runtime.executionContextsCleared" => self.shared.change(|state| {
                let here =
                    state.frames.values_mut().filter(|frame| frame.session.as_ref() == Some(id));
                for frame in here {
                    (frame.page_world, frame.own_world) = (None, None);
                }
            }),
            "Emulation.virtualTimeBudgetExpired" => {
                self.shared.change(|state| *state.expired.entry(id.clone()).or_default() += 1);
            }
            "Inspector.targetCrashed" if self.is_page(id) => self.shared.end(End::Crashed),
            "Target.attachedToTarget" => self.attached(event.read()?),
            method if method.starts_with("Page.") => self.page_event(id, event)?,
            _ => {}
        }
        Ok(())
    }

    /// A frame of another process or a worker has ended, or the page itself.
    fn detached(&self, detached: &DetachedFromTarget) {
        if self.page.id().is_some_and(|id| **id == *detached.session_id) {
            self.shared.end(End::Closed);
            return;
        }
        self.shared.change(|state| {
            state.documents.retain(|id| **id != *detached.session_id);
            state.frames.retain(|_, frame| frame.session.as_deref() != Some(&*detached.session_id));
        });
    }

    fn is_page(&self, session: &Arc<str>) -> bool {
        self.page.id() == Some(session)
    }

    fn page_event(&mut self, id: &Arc<str>, event: &Event) -> Result<(), crate::cdp::CdpError> {
        let page = self.is_page(id);
        match event.method.as_str() {
            "Page.javascriptDialogOpening" => {
                let dialog: DialogOpening = event.read()?;
                self.dialog(&self.connection.session(id.clone()), dialog);
            }
            "Page.windowOpen" => {
                let opened: WindowOpen = event.read()?;
                let cap = self.caps().popups;
                let count = self.shared.change(|state| {
                    push(&mut state.happenings.popups, clipped(opened.url));
                    state.happenings.popups.len()
                });
                if count > cap {
                    self.shared.end(End::OverCap("windows opened", cap as u64));
                }
            }
            "Page.downloadWillBegin" => {
                let begun: FrameEvent = event.read()?;
                let download = Download {
                    url: clipped(begun.url),
                    file_name: clipped(begun.suggested_filename),
                };
                self.shared.change(|state| {
                    state.announced = false;
                    push(&mut state.happenings.downloads, download);
                });
            }
            "Page.frameNavigated" => {
                let navigated: FrameNavigated = event.read()?;
                self.frame_navigated(id, navigated.frame);
            }
            "Page.navigatedWithinDocument" => self.moved_within(event.read()?),
            "Page.frameRequestedNavigation" => {
                let asked: FrameEvent = event.read()?;
                self.shared.change(|state| {
                    let here = asked.disposition.is_empty() || asked.disposition == "currentTab";
                    if here && asked.frame_id == state.main_frame && asked.url.starts_with("http") {
                        state.announced = true;
                    }
                });
            }
            "Page.frameStoppedLoading" => {
                let stopped: FrameEvent = event.read()?;
                self.shared.change(|state| {
                    if stopped.frame_id == state.main_frame {
                        state.announced = false;
                    }
                });
            }
            "Page.frameDetached" => {
                let detached: FrameEvent = event.read()?;
                self.shared.change(|state| {
                    let ours =
                        |frame: &super::state::FrameState| frame.session.as_ref() == Some(id);
                    // A frame that moves to another process detaches here and lives on there.
                    if state.frames.get(&detached.frame_id).is_some_and(ours) {
                        state.frames.remove(&detached.frame_id);
                    }
                });
            }
            "Page.loadEventFired" if page => self.shared.change(|state| state.loads += 1),
            _ => {}
        }
        Ok(())
    }

    fn frame_navigated(&self, id: &Arc<str>, frame: Frame) {
        self.shared.change(|state| {
            if frame.id == state.main_frame {
                state.commits += 1;
                state.announced = false;
                if state.guarded {
                    // Not through the network (a blob, about:blank): nothing could hold it back.
                    let left = Navigation {
                        url: clipped(frame.url.clone()),
                        method: "GET".into(),
                        body: None,
                        same_document: false,
                    };
                    push(&mut state.happenings.navigations, left);
                    state.happenings.left_document = true;
                }
            }
            let known = state.frames.entry(frame.id).or_default();
            known.session = Some(id.clone());
            known.parent = frame.parent_id;
            known.url = frame.url;
        });
    }

    fn moved_within(&self, moved: FrameEvent) {
        let cap = self.caps().history;
        let count = self.shared.change(|state| {
            if let Some(frame) = state.frames.get_mut(&moved.frame_id) {
                frame.url.clone_from(&moved.url);
            }
            if moved.frame_id != state.main_frame {
                return 0;
            }
            state.moves += 1;
            let navigation = Navigation {
                url: clipped(moved.url),
                method: "GET".into(),
                body: None,
                same_document: true,
            };
            push(&mut state.happenings.navigations, navigation);
            state.happenings.navigations.len()
        });
        if count > cap {
            self.shared.end(End::OverCap("changes of address", cap as u64));
        }
    }

    fn dialog(&self, session: &Session, dialog: DialogOpening) {
        let cap = self.caps().dialogs;
        let leave_or_fine = matches!(dialog.r#type.as_str(), "alert" | "beforeunload");
        let count = self.shared.change(|state| {
            let seen = Dialog { kind: dialog.r#type, message: clipped(dialog.message) };
            push(&mut state.happenings.dialogs, seen);
            state.happenings.dialogs.len()
        });
        if count > cap {
            self.shared.end(End::OverCap("dialogs", cap as u64));
        }
        session.tell("Page.handleJavaScriptDialog", json!({ "accept": leave_or_fine }));
    }

    fn context_created(&self, id: &Arc<str>, context: Context) {
        self.shared.change(|state| {
            let frame = state.frames.entry(context.aux_data.frame_id).or_default();
            frame.session = Some(id.clone());
            if context.aux_data.is_default {
                frame.page_world = Some(context.unique_id);
            } else if context.name == agent::WORLD {
                frame.own_world = Some(context.unique_id);
                frame.own_world_id = context.id;
            }
        });
    }

    /// A frame of another process, or a worker, begins; it waits until it is set up.
    fn attached(&self, attached: AttachedToTarget) {
        let id: Arc<str> = attached.session_id.into();
        let session = self.connection.session(id.clone());
        match attached.target_info.r#type.as_str() {
            "iframe" => {
                self.shared.change(|state| state.documents.push(id));
                setup::document(&session, &self.options, &self.key);
                // It joins in the middle of a settle: it gets what a load would get.
                let policy = json!({ "policy": "pauseIfNetworkFetchesPending", "budget": 500 });
                session.tell("Emulation.setVirtualTimePolicy", policy);
                session.tell("Runtime.runIfWaitingForDebugger", json!({}));
            }
            _ => {
                setup::worker(&session, &self.options);
                session.tell("Runtime.runIfWaitingForDebugger", json!({}));
            }
        }
    }

    fn paused(&mut self, session: Session, event: RequestPaused) {
        let top_id = self.is_page(session.id().unwrap_or(&Arc::from("")));
        let caps = *self.caps();
        let network = event.network_id.clone().unwrap_or_default();
        // Chromium calls everything that scripts ask for by this name.
        let stream =
            event.request.headers.get("Accept").is_some_and(|kind| kind == "text/event-stream");
        let kind = if stream { "EventSource".into() } else { event.resource_type.clone() };
        let (seen, answer, hop) = self.shared.change(|state| {
            let hop = state.recorder.paused(&network);
            let top =
                top_id && event.resource_type == "Document" && event.frame_id == state.main_frame;
            let onward = top && !state.guarded && state.document_requests > 0;
            let seen = RequestSeen {
                url: event.request.url + &event.request.url_fragment,
                method: event.request.method,
                headers: event.request.headers,
                post_data: event.request.post_data,
                resource_type: kind,
                cause: state.cause,
                top_frame_document: top,
                redirected: event.redirected_request_id.is_some(),
                onward,
                choices: state.recorder.choices,
            };
            state.requests += 1;
            let mut answer = None;
            if top {
                state.announced = false;
                state.document_requests += 1;
                if state.guarded {
                    answer = Some(Answer::Caught);
                    push(&mut state.happenings.navigations, caught(&seen));
                } else if state.document_requests > caps.redirects + 1 {
                    state.cut = Some("redirects");
                    answer = Some(Answer::Failed);
                }
            }
            if answer.is_none() && state.requests > caps.requests {
                answer = Some(Answer::Failed);
                refuse(state, &seen, format!("more than {} requests", caps.requests));
            }
            (seen, answer, hop)
        });
        match (answer, self.options.gate.clone()) {
            (Some(Answer::Caught), _) => {
                // 204 leaves the page where it is; the record shall not show what was never sent.
                if let Some(network) = event.network_id {
                    self.shared.change(|state| state.recorder.drop_request(&network));
                }
                stay(&session, &event.request_id);
            }
            (Some(Answer::Failed), _) => fail(&session, &event.request_id),
            (None, None) => {
                self.shared.change(|state| state.recorder.leaves(&network, hop));
                session.tell("Fetch.continueRequest", json!({ "requestId": event.request_id }));
            }
            (None, Some(gate)) => {
                let shared = self.shared.clone();
                let id = session.id().cloned().unwrap_or_default();
                shared.change(|state| {
                    state.at_gate.insert(event.request_id.clone(), id);
                    if seen.onward {
                        state.held.begin();
                    }
                });
                self.tasks.spawn(async move {
                    let mut verdict = gate.decide(&seen).await;
                    shared.change(|state| {
                        state.at_gate.remove(&event.request_id);
                        if !seen.onward {
                            return;
                        }
                        state.held.end();
                        // The load may have come to its end meanwhile: nobody expects it any more.
                        if state.guarded && !matches!(verdict, Verdict::Fail { .. }) {
                            verdict = Verdict::Fail { reason: "the page is loaded".into() };
                        }
                        if let Verdict::Fail { reason } = &verdict {
                            state.recorder.unsent(&network, hop);
                            state.stayed = true;
                            push(&mut state.happenings.navigations, caught(&seen));
                            if seen.redirected {
                                state.unfollowed = Some((seen.url.clone(), reason.clone()));
                            }
                        }
                    });
                    match verdict {
                        Verdict::Continue => {
                            shared.change(|state| state.recorder.leaves(&network, hop));
                            let params = json!({ "requestId": event.request_id });
                            session.tell("Fetch.continueRequest", params);
                        }
                        Verdict::Fail { .. } if seen.onward => stay(&session, &event.request_id),
                        Verdict::Fail { reason } => {
                            shared.change(|state| refuse(state, &seen, reason));
                            fail(&session, &event.request_id);
                        }
                        Verdict::Fulfil(recorded) => {
                            shared.change(|state| state.recorder.fulfilled(&network, hop));
                            fulfil(&session, &event.request_id, &recorded);
                        }
                    }
                });
            }
        }
    }

    fn data(&self, id: &Arc<str>, event: &DataReceived) {
        let size = self.shared.change(|state| state.recorder.data(event));
        let cap = self.caps().body;
        if size > cap.saturating_mul(2) {
            self.shared.end(End::OverCap("bytes of a body", cap));
        } else if size > cap {
            self.shared.change(|state| state.cut = Some("body"));
            self.connection.session(id.clone()).tell("Page.stopLoading", json!({}));
        }
    }

    fn ended(&mut self, id: &Arc<str>, event: LoadingEnded) {
        let caps = *self.caps();
        let ask = self.shared.change(|state| state.recorder.ended(&event, caps.body, caps.bodies));
        if !matches!(ask, Ended::Ask) {
            return;
        }
        if self.options.without_bodies {
            self.shared.change(|state| state.recorder.body(&event.request_id, Content::Missing));
            return;
        }
        let session = self.connection.session(id.clone());
        let shared = self.shared.clone();
        self.tasks.spawn(async move {
            let params = json!({ "requestId": event.request_id });
            let reply = session.send::<ResponseBody>("Network.getResponseBody", params);
            let body = match reply.within(Duration::from_secs(10)).wait().await {
                Ok(body) if body.base64_encoded => match BASE64.decode(body.body) {
                    Ok(bytes) => Content::Bytes(bytes),
                    Err(_) => Content::Missing,
                },
                Ok(body) => Content::Text(body.body),
                Err(_) => Content::Missing,
            };
            shared.change(|state| state.recorder.body(&event.request_id, body));
        });
    }
}

enum Answer {
    Caught,
    Failed,
}

fn refuse(state: &mut super::state::State, seen: &RequestSeen, reason: String) {
    let refused = Refused {
        url: clipped(seen.url.clone()),
        method: seen.method.clone(),
        body: seen.post_data.clone(),
        cause: seen.cause,
        reason,
    };
    push(&mut state.happenings.refused, refused);
}

/// A document that the page wanted instead of itself.
fn caught(seen: &RequestSeen) -> Navigation {
    Navigation {
        url: clipped(seen.url.clone()),
        method: seen.method.clone(),
        body: seen.post_data.clone(),
        same_document: false,
    }
}

/// Answers a request for a document so that the page stays where it is.
fn stay(session: &Session, request: &str) {
    let params = json!({ "requestId": request, "responseCode": 204 });
    session.tell("Fetch.fulfillRequest", params);
}

pub(super) fn fail(session: &Session, request: &str) {
    let params = json!({ "requestId": request, "errorReason": "BlockedByClient" });
    session.tell("Fetch.failRequest", params);
}

fn fulfil(session: &Session, request: &str, recorded: &Recorded) {
    // The body is decoded: what the server said about its encoding and length no longer holds. Its
    // cookies were set when it was recorded.
    let stale = ["content-encoding", "content-length", "transfer-encoding", "set-cookie"];
    let headers: Vec<_> = recorded
        .headers
        .iter()
        .filter(|(name, _)| !stale.iter().any(|stale| name.eq_ignore_ascii_case(stale)))
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    let params = json!({
        "requestId": request,
        "responseCode": recorded.status,
        "responseHeaders": headers,
        "body": BASE64.encode(&recorded.body),
    });
    session.tell("Fetch.fulfillRequest", params);
}

/// Lists of happenings end somewhere, whatever a page does.
fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() < LONGEST_LIST {
        list.push(item);
    }
}

/// Addresses and messages of a page end somewhere too.
fn clipped(mut text: String) -> String {
    const LONGEST: usize = 16 << 10;
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
    }
    text
}
