//! Reading a snapshot back: the exact inverse of [`serialise`](super::serialise).
//!
//! Not an HTML parser. It reads the one form that the serialiser writes, so nothing is repaired
//! and nothing moves; anything else is a damaged snapshot and an error.

use super::builder::DomBuilder;
use super::dom::Dom;
use super::names::{Name, known};
use super::parse::parse;
use super::serialise::{
    CHILDREN, DOCUMENT, ESCAPED, HEADER, OWN, RESERVED, SHADOW_MODE, eats_newline_name,
    is_raw_name, is_void_name, script_end,
};
use std::borrow::Cow;

/// Why a text is no snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// It does not begin as a snapshot of a format that this version reads.
    #[error("not a snapshot: it does not begin with {HEADER:?}; parse it as HTML instead")]
    NotASnapshot,
    /// It is damaged.
    #[error(
        "damaged snapshot: {what} at byte {at}; run 'bathys verify' to find what else is damaged"
    )]
    Damaged {
        /// What is wrong.
        what: &'static str,
        /// Where, counted inside the frame that it is in.
        at: usize,
    },
}

/// The tree of a snapshot.
///
/// ```
/// use page::tree::{parse_str, restore, serialise};
///
/// let dom = parse_str("<a>1<table><a>2</table>").dom;
/// assert_eq!(restore(&serialise(&dom)).unwrap(), dom);
/// assert!(restore("<p>any page</p>").is_err());
/// ```
pub fn restore(snapshot: &str) -> Result<Dom, RestoreError> {
    let content = snapshot.strip_prefix(HEADER).ok_or(RestoreError::NotASnapshot)?;
    let mut builder = DomBuilder::new();
    builder.reserve(content.len());
    let mut reader = Reader { text: content, at: 0, builder: &mut builder, open: Vec::new() };
    reader.content(0)?;
    Ok(builder.finish())
}

/// The tree of a kept page: of its snapshot, or of a plain body under its Content-Type header.
/// `None` for what has no tree: a picture, a PDF, JSON, a damaged snapshot.
///
/// ```
/// use page::tree::{reread, visible_text};
///
/// let dom = reread(None, Some(b"<p>\xc4\xe3"), Some("text/html; charset=gbk")).unwrap();
/// assert_eq!(visible_text(&dom), "你");
/// assert!(reread(None, Some(b"%PDF-1.7"), Some("application/pdf")).is_none());
/// ```
pub fn reread(
    snapshot: Option<&[u8]>,
    body: Option<&[u8]>,
    content_type: Option<&str>,
) -> Option<Dom> {
    if let Some(snapshot) = snapshot {
        return restore(&String::from_utf8_lossy(snapshot)).ok();
    }
    let body = body.filter(|_| is_page(content_type.unwrap_or_default()))?;
    Some(parse(body, content_type).dom)
}

/// Whether a media type, with or without parameters, is that of something with a tree. None at all
/// is what servers of old pages send.
pub fn is_page(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    ["", "text/html", "application/xhtml+xml"]
        .iter()
        .any(|page| media_type.eq_ignore_ascii_case(page))
}

struct Reader<'t, 'b> {
    text: &'t str,
    at: usize,
    builder: &'b mut DomBuilder,
    /// Names of the open elements, as written.
    open: Vec<&'t str>,
}

impl<'t> Reader<'t, '_> {
    fn damaged<T>(&self, what: &'static str) -> Result<T, RestoreError> {
        Err(RestoreError::Damaged { what, at: self.at })
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// What comes before `end`; moves behind it.
    fn until(&mut self, end: &str, what: &'static str) -> Result<&'t str, RestoreError> {
        match self.rest().split_once(end) {
            Some((before, _)) => {
                self.at += before.len() + end.len();
                Ok(before)
            }
            None => self.damaged(what),
        }
    }

    /// Everything up to the end of the text, which must close what it opens.
    fn content(&mut self, frames: usize) -> Result<(), RestoreError> {
        while self.at < self.text.len() {
            if self.eat("<!--") {
                let text = self.until("-->", "a comment without an end")?;
                match text.strip_prefix(ESCAPED) {
                    Some(escaped) => {
                        let escaped = escaped.strip_prefix(' ').unwrap_or(escaped);
                        let text = self.unescape(escaped)?;
                        self.builder.comment(&text);
                    }
                    None => self.builder.comment(text),
                }
            } else if self.eat("<!DOCTYPE ") {
                let text = self.until(">", "a doctype without an end")?;
                self.builder.doctype(text);
            } else if self.eat("</") {
                let name = self.until(">", "an end tag without an end")?;
                if self.open.pop() != Some(name) {
                    return self.damaged("an end tag that matches no start tag");
                }
                self.builder.close();
            } else if self.eat("<") {
                self.element(frames)?;
            } else {
                let end = memchr::memchr(b'<', self.rest().as_bytes()).unwrap_or(self.rest().len());
                let text = self.unescape(&self.rest()[..end])?;
                self.builder.text(&text);
                self.at += end;
            }
        }
        if self.open.is_empty() { Ok(()) } else { self.damaged("an element without an end tag") }
    }

    fn element(&mut self, frames: usize) -> Result<(), RestoreError> {
        let written = self.name("a start tag without an end")?;
        let mut attributes = Vec::new();
        let (mut escaped, mut document, mut children, mut shadow) = (false, false, false, false);
        while !self.eat(">") {
            if !self.eat(" ") {
                return self.damaged("a start tag without an end");
            }
            let name = self.name("an attribute without a value")?;
            if !self.eat("=\"") {
                return self.damaged("an attribute without a value");
            }
            let value = self.until("\"", "an attribute without an end")?;
            match name {
                ESCAPED => escaped = true,
                DOCUMENT => document = true,
                CHILDREN => children = true,
                SHADOW_MODE if written == "template" => shadow = true,
                _ => attributes.push((own(name), self.unescape(value)?)),
            }
        }
        self.open.push(written);
        if written == DOCUMENT {
            self.builder.open_document();
            return Ok(());
        }
        if shadow {
            self.builder.open_shadow_root();
            return Ok(());
        }
        self.builder.open(own(written), attributes.iter().map(|(name, value)| (*name, &**value)));
        let html_name = self.builder.html_name(own(written));
        let is = |property: fn(Name) -> bool| html_name.is_some_and(property);
        if document {
            self.frame(frames)?;
        } else if is(is_raw_name) && !escaped {
            let end = match html_name {
                Some(known::SCRIPT) => script_end(self.rest()),
                _ => self.rest().find(&format!("</{written}>")),
            };
            let Some(end) = end else {
                return self.damaged("raw text without an end");
            };
            self.builder.text(&self.rest()[..end]);
            self.at += end;
        } else if is(is_void_name) && !children {
            self.open.pop();
            self.builder.close();
        } else if is(eats_newline_name) {
            self.eat("\n");
        }
        Ok(())
    }

    /// The content of a frame: markup that is escaped once more.
    fn frame(&mut self, frames: usize) -> Result<(), RestoreError> {
        // The serialiser writes no more levels than a builder takes.
        if frames >= 16 {
            return self.damaged("frames nested too deep");
        }
        let end = memchr::memchr(b'<', self.rest().as_bytes()).unwrap_or(self.rest().len());
        let inside = self.unescape(&self.rest()[..end])?;
        self.at += end;
        let mut reader = Reader { text: &inside, at: 0, builder: self.builder, open: Vec::new() };
        reader.content(frames + 1)
    }

    fn name(&mut self, what: &'static str) -> Result<&'t str, RestoreError> {
        let end = self.rest().find([' ', '>', '=']);
        match end {
            Some(end) if end > 0 => {
                let name = &self.rest()[..end];
                self.at += end;
                Ok(name)
            }
            _ => self.damaged(what),
        }
    }

    fn unescape(&self, text: &'t str) -> Result<Cow<'t, str>, RestoreError> {
        if memchr::memchr(b'&', text.as_bytes()).is_none() {
            return Ok(text.into());
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, reference)) = rest.split_once('&') {
            out.push_str(before);
            let known = [
                ("amp;", '&'),
                ("lt;", '<'),
                ("gt;", '>'),
                ("quot;", '"'),
                ("#13;", '\r'),
                ("#45;", '-'),
            ];
            let found =
                known.iter().find_map(|(name, c)| Some((*c, reference.strip_prefix(name)?)));
            let Some((c, after)) = found else {
                return self.damaged("an unknown reference");
            };
            out.push(c);
            rest = after;
        }
        out.push_str(rest);
        Ok(out.into())
    }
}

/// A name as the page has it.
fn own(written: &str) -> &str {
    // Only what we wrote begins with the marker; a page's own `bathys:` names come behind it.
    match written.strip_prefix(OWN) {
        Some(name) if name.starts_with(RESERVED) || name == SHADOW_MODE => name,
        _ => written,
    }
}
