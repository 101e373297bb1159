//! HTML, JSON and files as responses.

use std::fmt;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

/// Text that is escaped when it is written into HTML, inside elements and quoted attributes alike.
///
/// ```
/// assert_eq!(testsite::html::Text("a < 'b'").to_string(), "a &lt; &#39;b&#39;");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            let (plain, special) = rest.split_at(at);
            f.write_str(plain)?;
            f.write_str(match special.as_bytes().first() {
                Some(b'&') => "&amp;",
                Some(b'<') => "&lt;",
                Some(b'>') => "&gt;",
                Some(b'"') => "&quot;",
                _ => "&#39;",
            })?;
            rest = &special[1..];
        }
        f.write_str(rest)
    }
}

/// A page. It is not cached, like most pages of sites with comments.
pub fn page(html: String) -> Response {
    ([(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-cache")], html)
        .into_response()
}

/// A file that never changes: a style sheet, a script, a picture.
pub fn file(content_type: &'static str, bytes: &'static [u8]) -> Response {
    ([(CONTENT_TYPE, content_type), (CACHE_CONTROL, "public, max-age=86400")], bytes)
        .into_response()
}

/// A file that is written for this site and then never changes.
pub fn text_file(content_type: &'static str, text: String) -> Response {
    ([(CONTENT_TYPE, content_type), (CACHE_CONTROL, "public, max-age=86400")], text).into_response()
}

/// JSON that is safe inside a `<script>` element.
pub fn json_in_script(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c")
}
