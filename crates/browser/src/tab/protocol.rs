//! The parts of CDP's events and results that are used. Every field may be missing: Chromium
//! renames them now and then, and a page must not be lost to that.

use std::collections::BTreeMap;

use serde::Deserialize;

pub(super) type HeaderMap = BTreeMap<String, String>;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Request {
    pub url: String,
    pub url_fragment: String,
    pub method: String,
    pub headers: HeaderMap,
    pub post_data: Option<String>,
    pub has_post_data: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Response {
    pub url: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub mime_type: String,
    pub charset: String,
    pub protocol: String,
    #[serde(rename = "remoteIPAddress")]
    pub remote_address: Option<String>,
    pub remote_port: u16,
    pub from_disk_cache: bool,
    pub from_prefetch_cache: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RequestPaused {
    pub request_id: String,
    pub request: Request,
    pub frame_id: String,
    pub resource_type: String,
    pub response_status_code: Option<u16>,
    pub response_error_reason: Option<String>,
    pub redirected_request_id: Option<String>,
    pub network_id: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RequestWillBeSent {
    pub request_id: String,
    pub loader_id: String,
    pub request: Request,
    pub redirect_response: Option<Response>,
    pub r#type: String,
    pub frame_id: String,
}

/// `requestWillBeSentExtraInfo` and `responseReceivedExtraInfo`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ExtraInfo {
    pub request_id: String,
    pub headers: HeaderMap,
    pub status_code: Option<u16>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ResponseReceived {
    pub request_id: String,
    pub r#type: String,
    pub response: Response,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DataReceived {
    pub request_id: String,
    pub data_length: u64,
}

/// `loadingFinished`, `loadingFailed` and `requestServedFromCache`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct LoadingEnded {
    pub request_id: String,
    pub error_text: Option<String>,
    pub blocked_reason: Option<String>,
}

/// `webSocketCreated` and `webSocketClosed`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WebSocketEvent {
    pub request_id: String,
    pub url: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ResponseBody {
    pub body: String,
    pub base64_encoded: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AttachedToTarget {
    pub session_id: String,
    pub target_info: TargetInfo,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TargetInfo {
    pub target_id: String,
    pub r#type: String,
    pub url: String,
    pub opener_id: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DetachedFromTarget {
    pub session_id: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ContextCreated {
    pub context: Context,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Context {
    pub id: i64,
    pub name: String,
    pub unique_id: String,
    pub aux_data: ContextData,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ContextData {
    pub is_default: bool,
    pub frame_id: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ContextDestroyed {
    pub execution_context_unique_id: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FrameNavigated {
    pub frame: Frame,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Frame {
    pub id: String,
    pub parent_id: Option<String>,
    pub loader_id: String,
    pub url: String,
    pub unreachable_url: Option<String>,
}

/// `frameDetached`, `frameStoppedLoading`, `frameRequestedNavigation`, `navigatedWithinDocument`,
/// `downloadWillBegin`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FrameEvent {
    pub frame_id: String,
    pub url: String,
    pub reason: String,
    pub disposition: String,
    pub suggested_filename: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DialogOpening {
    pub r#type: String,
    pub message: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WindowOpen {
    pub url: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Navigated {
    pub loader_id: Option<String>,
    pub error_text: Option<String>,
    pub is_download: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Evaluated {
    pub result: RemoteObject,
    pub exception_details: Option<ExceptionDetails>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RemoteObject {
    pub value: Option<Box<serde_json::value::RawValue>>,
    pub object_id: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ExceptionDetails {
    pub text: String,
    pub exception: Option<ExceptionObject>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ExceptionObject {
    pub description: Option<String>,
}

/// A result that nobody looks at.
#[derive(Deserialize, Default)]
pub(super) struct Nothing {}
