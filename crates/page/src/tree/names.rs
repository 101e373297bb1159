//! Interned element and attribute names.
//!
//! The names that the code asks about have fixed numbers, the same in every tree, so that "is it a
//! script?" compares two integers. All others are numbered per tree in the order they are met.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// The number of an element or attribute name. Only those of [`known`] mean the same in two trees.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name(pub(crate) u32);

macro_rules! known_names {
    ($($constant:ident = $text:literal,)*) => {
        /// Names with the same number in every tree.
        #[allow(missing_docs)]
        pub mod known {
            use super::Name;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Order { $($constant,)* }
            $(pub const $constant: Name = Name(Order::$constant as u32);)*
        }
        const KNOWN: &[&str] = &[$($text,)*];
    };
}

known_names! {
    A = "a", ADDRESS = "address", ANNOTATION_XML = "annotation-xml", AREA = "area",
    ARTICLE = "article", ASIDE = "aside", BASE = "base", BLOCKQUOTE = "blockquote", BODY = "body",
    BR = "br", BUTTON = "button", CAPTION = "caption", CENTER = "center", CLASS = "class",
    COL = "col", CONTENT = "content", DD = "dd", DESC = "desc", DETAILS = "details",
    DIALOG = "dialog", DIR = "dir", DIV = "div", DL = "dl", DT = "dt", EMBED = "embed",
    ENCODING = "encoding", FIELDSET = "fieldset", FIGCAPTION = "figcaption", FIGURE = "figure",
    FOOTER = "footer", FOREIGN_OBJECT = "foreignObject", FORM = "form", FRAME = "frame",
    FRAMESET = "frameset", H1 = "h1", H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6",
    HEAD = "head", HEADER = "header", HGROUP = "hgroup", HIDDEN = "hidden", HR = "hr",
    HREF = "href", HTML = "html", ID = "id", IFRAME = "iframe", IMAGE = "image", IMG = "img",
    INPUT = "input", ALT = "alt", LEGEND = "legend", LI = "li", LINK = "link",
    LISTING = "listing", MAIN = "main", MATH = "math", MENU = "menu", META = "meta", MI = "mi",
    MN = "mn", MO = "mo", MS = "ms", MTEXT = "mtext", NAME = "name", NAV = "nav",
    NOEMBED = "noembed", NOFRAMES = "noframes", NONCE = "nonce", NOSCRIPT = "noscript",
    OBJECT = "object", OL = "ol", OPTGROUP = "optgroup", OPTION = "option", P = "p",
    PARAM = "param", PLAINTEXT = "plaintext", POSTER = "poster", PRE = "pre", REL = "rel",
    SCRIPT = "script", SEARCH = "search", SECTION = "section", SELECT = "select",
    SOURCE = "source", SRC = "src", SRCSET = "srcset", STYLE = "style", SUMMARY = "summary",
    SVG = "svg", TABLE = "table", TBODY = "tbody", TD = "td", TEMPLATE = "template",
    TEXTAREA = "textarea", TFOOT = "tfoot", TH = "th", THEAD = "thead", TITLE = "title",
    TR = "tr", TRACK = "track", TYPE = "type", UL = "ul", VALUE = "value", VIDEO = "video",
    WBR = "wbr", XLINK_HREF = "xlink:href", XMP = "xmp",
}

/// FNV-1a: quick for short words. Only for tables of our own, so that nobody can choose words that collide
/// in them.
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

static NUMBERS: LazyLock<HashMap<&'static str, u32, BuildHasherDefault<Fnv>>> =
    LazyLock::new(|| KNOWN.iter().copied().zip(0..).collect());

/// The names of one tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Names beyond the known ones, in order of number.
    own: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
}

impl Names {
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.get(text) {
            return name;
        }
        let number = (KNOWN.len() + self.own.len()) as u32;
        self.own.push(text.into());
        self.numbers.insert(text.into(), number);
        Name(number)
    }

    pub(crate) fn get(&self, text: &str) -> Option<Name> {
        let number = NUMBERS.get(text).or_else(|| self.numbers.get(text));
        number.copied().map(Name)
    }

    pub(crate) fn text(&self, name: Name) -> &str {
        let at = name.0 as usize;
        match KNOWN.get(at) {
            Some(text) => text,
            None => self.own.get(at - KNOWN.len()).map_or("", |text| text),
        }
    }
}
