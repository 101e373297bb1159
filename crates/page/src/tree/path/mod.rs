//! Paths to elements: a small absolute XPath.
//!
//! `/html/body/div[2]/a[1]`: each step is an element name and the element's number among its
//! parent's element children of that name. `html`, `head` and `body` stand without a number when
//! it is 1; every other step that we make has one. `[*]` stands for any number, as in seed 000
//! §2.4, and so does no number at all. Attribute predicates narrow a step: `a[@class='next'][*]`.
//! `shadow-root()` steps into a shadow tree and `document()` into a frame.
//!
//! A name that is no plain word is written `*[name()='…']`, which means the same in XPath.

mod generalise;
mod locate;
mod query;

pub use generalise::{Pattern, generalise};
pub use locate::Paths;
pub use query::Query;

use std::fmt;
use std::str::FromStr;

/// A path, with exact or open numbers.
///
/// ```
/// use page::tree::{XPath, parse_str};
///
/// let dom = parse_str("<ul><li><a>1</a><li><a>2</a></ul>").dom;
/// let path: XPath = "/html/body/ul[1]/li[*]/a[1]".parse().unwrap();
/// let found = path.evaluate(&dom);
/// assert_eq!(found.len(), 2);
/// assert_eq!(XPath::of(dom.node(found[1])).unwrap().to_string(), "/html/body/ul[1]/li[2]/a[1]");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct XPath {
    /// The steps from the document down.
    pub steps: Vec<PathStep>,
}

/// One step of a path.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PathStep {
    /// To child elements.
    Element {
        /// Their name.
        name: Box<str>,
        /// Which of those with that name.
        index: Index,
        /// What their attributes must be.
        predicates: Vec<Predicate>,
    },
    /// Into the shadow tree of an element: `shadow-root()`.
    ShadowRoot,
    /// Into the document of a frame: `document()`.
    Document,
}

/// Which of several children with one name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Index {
    /// No number written: the first `html`, `head` or `body`; any of the others.
    Unsaid,
    /// The one with this number, from 1.
    At(u32),
    /// Any: `[*]`.
    Any,
}

/// What an attribute must be.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Predicate {
    /// The attribute.
    pub attribute: Box<str>,
    /// Its value; none if it only has to be there.
    pub value: Option<Box<str>>,
}

/// Why a text is no path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It does not begin at the document.
    #[error(
        "path {path:?} does not begin with '/': write it from the document, like /html/body/div[1]"
    )]
    Relative {
        /// The path.
        path: String,
    },
    /// A step cannot be read.
    #[error(
        "path {path:?}: cannot read {rest:?} at byte {at}; a step is name, name[2], name[*] or name[@attribute='value']"
    )]
    Step {
        /// The path.
        path: String,
        /// Where reading stopped.
        at: usize,
        /// What stands there.
        rest: String,
    },
    /// It is longer than any page is deep.
    #[error("path of {length} bytes is too long: at most {MAX_LENGTH}")]
    TooLong {
        /// Its bytes.
        length: usize,
    },
}

/// Bytes of a path that are read: 512 levels with room for predicates.
const MAX_LENGTH: usize = 64 << 10;

/// `html`, `head` and `body`, whose number is not written when it is 1.
fn is_single(name: &str) -> bool {
    matches!(name, "html" | "head" | "body")
}

impl PathStep {
    /// A step to elements of a name, without predicates.
    pub fn element(name: &str, index: Index) -> Self {
        let index = if index == Index::At(1) && is_single(name) { Index::Unsaid } else { index };
        PathStep::Element { name: name.into(), index, predicates: Vec::new() }
    }
}

impl fmt::Display for XPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return out.write_str("/");
        }
        self.steps.iter().try_for_each(|step| {
            out.write_str("/")?;
            step.fmt(out)
        })
    }
}

impl fmt::Debug for XPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "XPath({self})")
    }
}

impl fmt::Display for PathStep {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathStep::ShadowRoot => out.write_str("shadow-root()"),
            PathStep::Document => out.write_str("document()"),
            PathStep::Element { name, index, predicates } => {
                if name.chars().all(is_word) && !name.is_empty() {
                    out.write_str(name)?;
                } else {
                    write!(out, "*[name()={}]", Quoted(name))?;
                }
                for predicate in predicates {
                    match &predicate.value {
                        Some(value) => write!(out, "[@{}={}]", predicate.attribute, Quoted(value))?,
                        None => write!(out, "[@{}]", predicate.attribute)?,
                    }
                }
                match index {
                    Index::Unsaid => Ok(()),
                    Index::At(number) => write!(out, "[{number}]"),
                    Index::Any => out.write_str("[*]"),
                }
            }
        }
    }
}

/// A string of XPath: in apostrophes, or in quotation marks if it holds apostrophes; a quotation
/// mark inside these is doubled.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains('\'') {
            write!(out, "\"{}\"", self.0.replace('"', "\"\""))
        } else {
            write!(out, "'{}'", self.0)
        }
    }
}

/// Characters of a plain name. Not `@`, brackets, quotes: what could be taken for syntax.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')
}

impl FromStr for XPath {
    type Err = PathError;

    fn from_str(path: &str) -> Result<Self, PathError> {
        if path.len() > MAX_LENGTH {
            return Err(PathError::TooLong { length: path.len() });
        }
        if !path.starts_with('/') {
            return Err(PathError::Relative { path: path.to_owned() });
        }
        let mut reader = Reader { rest: path };
        let mut steps = Vec::new();
        while reader.eat("/") && !(steps.is_empty() && reader.rest.is_empty()) {
            let Some(step) = reader.step() else {
                return Err(reader.error(path));
            };
            steps.push(step);
        }
        if reader.rest.is_empty() { Ok(XPath { steps }) } else { Err(reader.error(path)) }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn error(&self, path: &str) -> PathError {
        let at = path.len() - self.rest.len();
        let rest = self.rest.chars().take(40).collect();
        PathError::Step { path: path.to_owned(), at, rest }
    }

    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn quoted(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        self.rest = &self.rest[1..];
        let mut text = String::new();
        loop {
            let (before, after) = self.rest.split_once(quote)?;
            text.push_str(before);
            self.rest = after;
            if !after.starts_with(quote) {
                return Some(text);
            }
            text.push(quote);
            self.rest = &after[1..];
        }
    }

    fn step(&mut self) -> Option<PathStep> {
        if self.eat("shadow-root()") {
            return Some(PathStep::ShadowRoot);
        }
        if self.eat("document()") {
            return Some(PathStep::Document);
        }
        let name = if self.eat("*[name()=") {
            let name = self.quoted()?;
            if !self.eat("]") {
                return None;
            }
            name
        } else {
            self.word()?.to_owned()
        };
        self.narrowed(&name)
    }

    /// A step to elements of a name, with the number and the predicates that follow.
    fn narrowed(&mut self, name: &str) -> Option<PathStep> {
        let mut index = Index::Unsaid;
        let mut predicates = Vec::new();
        while self.rest.starts_with('[') {
            let before = self.rest;
            self.eat("[");
            let known = if self.eat("@") {
                let attribute = self.attribute_name()?.into();
                let value = if self.eat("=") { Some(self.quoted()?.into()) } else { None };
                predicates.push(Predicate { attribute, value });
                true
            } else if index != Index::Unsaid {
                false
            } else if self.eat("*") {
                index = Index::Any;
                true
            } else {
                let number = self.word().and_then(|digits| digits.parse().ok());
                index = Index::At(number.filter(|number| *number > 0).unwrap_or(0));
                index != Index::At(0)
            };
            if !(known && self.eat("]")) {
                self.rest = before;
                return None;
            }
        }
        let mut step = PathStep::element(name, index);
        if let PathStep::Element { predicates: own, .. } = &mut step {
            *own = predicates;
        }
        Some(step)
    }

    /// Attribute names may hold almost anything (`@click`, `(change)`).
    fn attribute_name(&mut self) -> Option<&'a str> {
        let end = self.rest.find(['=', ']'])?;
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }
}
