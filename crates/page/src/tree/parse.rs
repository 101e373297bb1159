//! HTML in, arena out: html5ever with scripting on, behind a guard that bounds its work.
//!
//! The tree builder scans its stack of open elements for almost every tag, so its work is
//! quadratic in depth (1 MB of nested `<div>` takes minutes). The guard between tokenizer and
//! tree builder keeps that stack, together with the list of active formatting elements, below a
//! cap: tags beyond it are left out, their text stays.

use super::builder::{DomBuilder, Limits};
use super::charset::{self, Source};
use super::dom::Dom;
use super::serialise::HEADER;
use super::sink::{Linked, Ref, Sink};
use super::tag::TagScan;
use encoding_rs::Encoding;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, TokenizerResult};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use typed_arena::Arena;

/// What parsing gives.
#[derive(Debug)]
pub struct Parsed {
    /// The tree.
    pub dom: Dom,
    /// The encoding that the bytes were read in.
    pub encoding: &'static Encoding,
    /// What told the encoding.
    pub source: Source,
    /// Whether some bytes were no text in that encoding, and became U+FFFD.
    pub malformed: bool,
}

/// Parses a page as received. `content_type` is the HTTP header of that name.
///
/// Any bytes give a tree; [`Dom::truncated`] says if a limit cut it.
///
/// ```
/// let page = page::tree::parse(b"\xc4\xe3\xba\xc3", Some("text/html; charset=gbk"));
/// assert_eq!(page::tree::visible_text(&page.dom), "你好");
/// ```
pub fn parse(bytes: &[u8], content_type: Option<&str>) -> Parsed {
    parse_within(bytes, content_type, Limits::default())
}

/// [`parse`] with other limits.
pub fn parse_within(bytes: &[u8], content_type: Option<&str>, limits: Limits) -> Parsed {
    let kept = &bytes[..bytes.len().min(limits.bytes)];
    let decoded = charset::decode(kept, content_type);
    let mut parsed = parse_text(&decoded.text, kept.len() < bytes.len(), limits);
    (parsed.encoding, parsed.source) = (decoded.encoding, decoded.source);
    parsed.malformed = decoded.malformed;
    parsed
}

/// Parses text that is decoded already.
pub fn parse_str(html: &str) -> Parsed {
    let limits = Limits::default();
    let kept = &html[..html.floor_char_boundary(limits.bytes)];
    parse_text(kept, kept.len() < html.len(), limits)
}

fn parse_text(html: &str, cut: bool, limits: Limits) -> Parsed {
    // A snapshot read as HTML is the page, not the page and a comment.
    let html = html.strip_prefix(HEADER).unwrap_or(html);
    let arena = Arena::with_capacity(html.len() / 32 + 16);
    let guard = Guard::new(Sink::new(&arena, limits), limits.depth);
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
    feed(&tokenizer, html);
    tokenizer.end();

    let guard = &tokenizer.sink;
    let mut builder = DomBuilder::with_limits(limits);
    builder.reserve(html.len());
    if cut || guard.cut.get() {
        builder.mark_truncated();
    }
    guard.builder.sink.copy_into(&mut builder);
    Parsed {
        dom: builder.finish(),
        encoding: encoding_rs::UTF_8,
        source: Source::Given,
        malformed: false,
    }
}

/// Feeds the tokenizer from one `<` to the next, and takes the attributes beyond the limit out of
/// tags before it sees them: it compares each attribute with all before it, so that one tag of
/// 1 MB would take minutes.
///
/// Every tag begins at a `<`, so at each of them either a new token begins or the pending one goes
/// on, and the count of tokens tells which. Hence [`TagScan`] knows where to start, and only tags
/// that are long already are worth it.
fn feed(tokenizer: &Tokenizer<Guard<'_>>, html: &str) {
    let input = BufferQueue::default();
    let whole = StrTendril::from_slice(html);
    let push = |from: usize, to: usize| {
        input.push_back(whole.subtendril(from as u32, (to - from) as u32));
        // It pauses for scripts to run and for `<meta charset>`; neither matters here.
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    };
    let guard = &tokenizer.sink;
    let bytes = html.as_bytes();
    let mut scan = TagScan::new(0);
    let (mut at, mut last, mut seen) = (0, 0, (0, 0));
    while at < bytes.len() && !guard.builder.sink.is_full() {
        let next =
            memchr::memchr(b'<', &bytes[at + 1..]).map_or(bytes.len(), |found| at + 1 + found);
        let now = (guard.markup.get(), guard.characters.get());
        if now != seen {
            // `<<p`: the characters were the first `<`, and the tag at the second is pending.
            let only_characters = now.0 == seen.0;
            let pending = only_characters && last > 0 && bytes[last - 1] == b'<';
            scan = TagScan::new(if pending { last } else { at });
            seen = now;
        }
        let may_be_tag = next - scan.from > LONG_TAG && guard.reads_tag(&bytes[scan.from..]);
        last = at;
        match scan.surplus(bytes, if may_be_tag { next } else { 0 }) {
            Some(surplus) => {
                guard.cut.set(true);
                // What was fed before the tag counted as long cannot be taken back.
                push(at, surplus.max(at));
                at = scan.end(bytes).max(at);
            }
            None => {
                push(at, next);
                at = next;
            }
        }
    }
    if at < bytes.len() {
        guard.cut.set(true);
    }
}

/// Tags up to this many bytes are not worth a scan: they cannot hold many attributes.
const LONG_TAG: usize = 4096;

/// Stands between tokenizer and tree builder and bounds what the latter holds open.
struct Guard<'a> {
    builder: TreeBuilder<Ref<'a>, Sink<'a>>,
    depth: usize,
    /// What the tree builder held open when last counted, and the elements made until then. It
    /// opens nothing that it did not make, so the sum of what it held and what it made since is
    /// an upper bound, and counting is needed only when that bound reaches the cap.
    held: Cell<usize>,
    made: Cell<usize>,
    /// Start tags left out whose end tags must be left out too.
    unmatched: RefCell<HashMap<LocalName, usize>>,
    /// The element whose raw text is being read, which only its own end tag ends.
    raw: RefCell<Option<LocalName>>,
    /// Tags, comments and doctypes seen.
    markup: Cell<usize>,
    /// Runs of characters seen.
    characters: Cell<usize>,
    cut: Cell<bool>,
}

impl<'a> Guard<'a> {
    fn new(sink: Sink<'a>, depth: usize) -> Self {
        Guard {
            builder: TreeBuilder::new(sink, TreeBuilderOpts::default()),
            depth,
            held: Cell::new(0),
            made: Cell::new(0),
            unmatched: RefCell::default(),
            raw: RefCell::default(),
            markup: Cell::new(0),
            characters: Cell::new(0),
            cut: Cell::new(false),
        }
    }

    /// Whether the tree builder holds as much open as it may.
    fn is_deep(&self) -> bool {
        let made = self.builder.sink.elements_made();
        if self.held.get() + (made - self.made.get()) < self.depth {
            return false;
        }
        let count = Count::default();
        self.builder.trace_handles(&count);
        self.held.set(count.0.take());
        self.made.set(made);
        self.held.get() >= self.depth
    }

    /// Whether what begins here can be a tag for the tokenizer.
    fn reads_tag(&self, bytes: &[u8]) -> bool {
        match &*self.raw.borrow() {
            None => true,
            Some(name) => {
                let end_tag = bytes.strip_prefix(b"</").unwrap_or_default();
                let own = end_tag.get(..name.len()).unwrap_or_default();
                own.eq_ignore_ascii_case(name.as_bytes())
            }
        }
    }

    /// Whether this tag may pass.
    fn admits(&self, tag: &Tag) -> bool {
        match tag.kind {
            TagKind::StartTag => {
                if opens_little(&tag.name) || !self.is_deep() {
                    return true;
                }
                self.cut.set(true);
                if !tag.self_closing {
                    *self.unmatched.borrow_mut().entry(tag.name.clone()).or_default() += 1;
                }
                false
            }
            TagKind::EndTag => match self.unmatched.borrow_mut().get_mut(&tag.name) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            },
        }
    }
}

impl<'a> TokenSink for Guard<'a> {
    type Handle = Ref<'a>;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Ref<'a>> {
        let counter = match token {
            Token::CharacterTokens(_) | Token::NullCharacterToken => &self.characters,
            _ => &self.markup,
        };
        if !matches!(token, Token::ParseError(_)) {
            counter.set(counter.get() + 1);
        }
        let admitted = match &token {
            Token::EOFToken => true,
            _ if self.builder.sink.is_full() => {
                self.cut.set(true);
                false
            }
            Token::TagToken(tag) => self.admits(tag),
            _ => true,
        };
        if !admitted {
            return TokenSinkResult::Continue;
        }
        let name = match &token {
            Token::TagToken(tag) => Some(tag.name.clone()),
            _ => None,
        };
        let result = self.builder.process_token(token, line);
        if name.is_some() {
            let is_raw = matches!(result, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext);
            *self.raw.borrow_mut() = name.filter(|_| is_raw);
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Elements that hold no others: they never nest, and those with text tell the tokenizer how to
/// read on, so they pass at any depth.
fn opens_little(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
            | "script"
            | "style"
            | "textarea"
            | "title"
            | "xmp"
            | "iframe"
            | "noembed"
            | "noframes"
            | "noscript"
            | "plaintext"
    )
}

/// Counts what the tree builder holds: open elements and active formatting elements.
#[derive(Default)]
struct Count<'a>(Cell<usize>, std::marker::PhantomData<&'a Linked<'a>>);

impl<'a> Tracer for Count<'a> {
    type Handle = Ref<'a>;

    fn trace_handle(&self, _node: &Ref<'a>) {
        self.0.set(self.0.get() + 1);
    }
}
