//! What was not answered, and why: a page for people, JSON for programs.

use std::sync::Arc;

use axum::Json;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::frame::Frame;
use super::screens::Problem;
use super::{App, LONGEST};
use crate::hint::hint;

/// Bytes of what is said about a request that could not be read.
const WORDS: usize = 4_096;

/// Why a request was not answered.
#[derive(Debug)]
pub enum Failure {
    /// There is no such thing.
    NotFound(String),
    /// It was asked for in a way that cannot be answered.
    BadRequest(String),
    /// Another host was meant.
    OtherHost,
    /// Another page sent it.
    OtherOrigin,
    /// The token was not shown.
    NoToken,
    /// Too many requests.
    TooMany,
    /// It took too long.
    TooLong,
    /// Something broke.
    Broken(anyhow::Error),
}

/// A failure, on its way to be told.
#[derive(Clone, Debug)]
struct Told {
    status: StatusCode,
    detail: String,
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Broken(error.into())
    }
}

impl Failure {
    fn told(self) -> Told {
        let (status, detail) = match self {
            Self::NotFound(what) => (StatusCode::NOT_FOUND, what),
            Self::BadRequest(what) => (StatusCode::BAD_REQUEST, what),
            Self::OtherHost => (
                StatusCode::MISDIRECTED_REQUEST,
                "this server answers on localhost only; ask it as http://localhost".into(),
            ),
            Self::OtherOrigin => {
                (StatusCode::FORBIDDEN, "the form was sent by another site".into())
            }
            Self::NoToken => (
                StatusCode::UNAUTHORIZED,
                "show the token, as in 'Authorization: Bearer TOKEN'".into(),
            ),
            Self::TooMany => (StatusCode::TOO_MANY_REQUESTS, "wait a second".into()),
            Self::TooLong => {
                (StatusCode::SERVICE_UNAVAILABLE, "it took too long; ask for less".into())
            }
            Self::Broken(error) => {
                let hint = hint(&error).map(|hint| format!("; {hint}")).unwrap_or_default();
                tracing::warn!(target: "serve", "{error:#}{hint}");
                let what = "the answer could not be made; the log of the program says why";
                (StatusCode::INTERNAL_SERVER_ERROR, what.into())
            }
        };
        Told { status, detail }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let told = self.told();
        let mut response = (told.status, told.detail.clone()).into_response();
        response.extensions_mut().insert(told);
        response
    }
}

/// What no route answers.
pub async fn nothing_here() -> Failure {
    Failure::NotFound("there is nothing at this address".into())
}

/// Tells failures in the form that whoever asked reads, and gives up what takes too long.
pub async fn tell(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_program = request.uri().path().starts_with("/api/");
    let frame = Frame::of(request.headers(), request.uri(), &app);
    let response = match tokio::time::timeout(LONGEST, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Failure::TooLong.into_response(),
    };
    let allow = response.headers().get(header::ALLOW).cloned();
    let Told { status, detail } = match response.extensions().get::<Told>().cloned() {
        Some(told) => told,
        // What was wrong with an address before anything of ours saw it.
        None if response.status().is_client_error() && is_plain(&response) => {
            let status = response.status();
            let words = to_bytes(response.into_body(), WORDS).await.unwrap_or_default();
            let words = String::from_utf8_lossy(&words).into_owned();
            let reason = status.canonical_reason().unwrap_or_default();
            Told { status, detail: if words.is_empty() { reason.to_owned() } else { words } }
        }
        None => return response,
    };
    let mut told = match is_program {
        true => (status, Json(json!({ "error": detail }))).into_response(),
        false => (status, Problem { status: status.as_u16(), detail, f: frame }).into_response(),
    };
    if let Some(allow) = allow {
        told.headers_mut().insert(header::ALLOW, allow);
    }
    told
}

fn is_plain(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"))
}
