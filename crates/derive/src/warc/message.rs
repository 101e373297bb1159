//! HTTP messages in records: heads as they were sent and received, and bodies after decoding, which is what
//! the store keeps.

use browser::http::decoded;

/// The largest body that is taken: what a crawl would not fetch is not imported either.
const LARGEST_BODY: usize = 64 << 20;
/// What writers that keep decoded bodies call the headers that no longer hold.
const RENAMED: &str = "x-orig-";

/// A message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HttpMessage {
    /// `GET /a HTTP/1.1`, or `HTTP/1.1 200 OK`.
    pub(crate) first: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Why the body is not whole.
    pub(crate) truncated: Option<String>,
}

impl HttpMessage {
    /// Reads a message; `None` if it is none.
    pub(crate) fn read(block: &[u8]) -> Option<Self> {
        let end = head_end(block)?;
        let head = String::from_utf8_lossy(&block[..end.0]);
        let mut lines = head.split('\n').map(|line| line.trim_end_matches('\r'));
        let first = lines.next().filter(|first| first.contains("HTTP/"))?.to_owned();
        let mut headers = Vec::new();
        for line in lines {
            if let Some((name, value)) = line.split_once(':') {
                headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
        }
        Some(Self { first, headers, body: block[end.1..].to_vec(), truncated: None })
    }

    /// The first header of this name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The status of an answer.
    pub(crate) fn status(&self) -> Option<u16> {
        self.first.split_whitespace().nth(1)?.parse().ok()
    }

    /// The method of a request.
    pub(crate) fn method(&self) -> &str {
        self.first.split_whitespace().next().unwrap_or("GET")
    }

    /// Undoes transfer and content encodings. Some writers did that, and left the headers: bytes that are
    /// not what the headers say are taken as they are.
    pub(crate) fn decode(&mut self) {
        let is_chunked = self
            .header("transfer-encoding")
            .is_some_and(|how| how.to_ascii_lowercase().contains("chunked"));
        if is_chunked && let Some(body) = unchunked(&self.body) {
            self.body = body;
        }
        let encodings = self.header("content-encoding").unwrap_or_default().to_owned();
        let (body, cut) = decoded(&encodings, &self.body, LARGEST_BODY);
        match cut {
            Some(browser::http::Cut::Encoding(_)) => {}
            cut => {
                self.truncated = cut.map(|cut| cut.to_string());
                self.body = body;
            }
        }
        self.restore_names();
    }

    /// Gives headers back the names that they came under.
    fn restore_names(&mut self) {
        let is_renamed = |name: &str| {
            name.get(..RENAMED.len()).is_some_and(|start| start.eq_ignore_ascii_case(RENAMED))
        };
        let own: Vec<String> = self
            .headers
            .iter()
            .filter(|(name, _)| is_renamed(name))
            .map(|(name, _)| name[RENAMED.len()..].to_owned())
            .collect();
        self.headers.retain(|(name, _)| !own.iter().any(|own| own.eq_ignore_ascii_case(name)));
        for (name, _) in &mut self.headers {
            if is_renamed(name) {
                name.replace_range(..RENAMED.len(), "");
            }
        }
    }
}

/// Where the head ends, and where the body begins.
fn head_end(block: &[u8]) -> Option<(usize, usize)> {
    let crlf = block.windows(4).position(|end| end == b"\r\n\r\n").map(|at| (at, at + 4));
    let lf = block.windows(2).position(|end| end == b"\n\n").map(|at| (at, at + 2));
    match (crlf, lf) {
        (Some(crlf), Some(lf)) => Some(crlf.min(lf)),
        (crlf, lf) => crlf.or(lf),
    }
}

/// A body without its chunks; `None` if it has none.
fn unchunked(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut all = Vec::with_capacity(body.len());
    loop {
        let line = body.iter().position(|byte| *byte == b'\n')?;
        let size = std::str::from_utf8(&body[..line]).ok()?.split(';').next()?.trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        body = &body[line + 1..];
        if size == 0 {
            return Some(all);
        }
        all.extend_from_slice(body.get(..size)?);
        body = &body[size..];
        body = body.strip_prefix(b"\r\n").or_else(|| body.strip_prefix(b"\n"))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_and_encodings_are_undone_and_renamed_headers_get_their_names_back() {
        let mut message = HttpMessage::read(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        )
        .unwrap();
        message.decode();
        assert_eq!((message.status(), message.body.as_slice()), (Some(200), &b"abc"[..]));
        let mut message = HttpMessage::read(
            b"HTTP/1.1 200 OK\nX-Orig-Content-Encoding: br\nX-Orig-Content-Length: 9\nContent-Length: 3\n\nabc",
        )
        .unwrap();
        message.decode();
        assert_eq!(message.body, b"abc");
        let names: Vec<_> = message.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Content-Encoding", "Content-Length"]);
    }

    #[test]
    fn a_body_that_is_not_what_its_headers_say_is_taken_as_it_is() {
        let head =
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
        let mut message = HttpMessage::read(&[head.as_slice(), b"<p>plain"].concat()).unwrap();
        message.decode();
        assert_eq!(message.body, b"<p>plain");
        assert_eq!(HttpMessage::read(b"nothing of the kind"), None);
    }
}
