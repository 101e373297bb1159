//! Entity tags: an answer that a program has already is not sent again.

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

/// Answers up to this size are tagged. Streams are not: their end is not known.
const MOST: usize = 16 << 20;

/// Tags an answer by its digest, and leaves it out if whoever asks has it.
pub async fn tag(request: Request, next: Next) -> Response {
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let response = next.run(request).await;
    let size = response.body().size_hint().exact();
    if response.status() != StatusCode::OK || size.is_none_or(|size| size > MOST as u64) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, MOST).await else {
        return Response::new(Body::empty());
    };
    let digest = blake3::hash(&bytes).to_hex();
    let tag = format!("\"{}\"", digest.get(..32).unwrap_or_default());
    let is_known = known.is_some_and(|known| has(&known, &tag));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        head.headers.insert(header::ETAG, tag);
    }
    if is_known {
        head.status = StatusCode::NOT_MODIFIED;
        head.headers.remove(header::CONTENT_TYPE);
        return Response::from_parts(head, Body::empty());
    }
    Response::from_parts(head, Body::from(bytes))
}

/// Whether a tag is one of those in a header.
fn has(known: &HeaderValue, tag: &str) -> bool {
    let Ok(known) = known.to_str() else { return false };
    known.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_among_others() {
        let known = HeaderValue::from_static("\"a\", W/\"b\"");
        assert!(has(&known, "\"a\"") && has(&known, "\"b\"") && !has(&known, "\"c\""));
        assert!(has(&HeaderValue::from_static("*"), "\"c\""));
    }
}
