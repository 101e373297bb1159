//! What names the elements of a region on every page of a type.

use std::fmt;

use serde::{Deserialize, Serialize};

use page::tree::names::known;
use page::tree::{Dom, Node, NodeId};

/// Tokens of an element that are looked at. More are a style sheet written into the markup.
const MOST_TOKENS: usize = 6;

/// Children of an element that are looked at for what it holds.
const MOST_NEAR: usize = 8;

/// The name of any element.
pub(super) const ANY: &str = "*";

/// Something that elements of one kind have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Token {
    /// A word of the `class` attribute.
    Class(String),
    /// What an `id` begins with, before a number: the mark of a row of a data base.
    Numbered(String),
    /// An attribute with a value.
    Attribute(String, String),
    /// No class that others share.
    Bare,
    /// No class, but a child or grandchild of this name and class: rows of a table are told apart by
    /// their cells.
    Holds(String, String),
}

/// Attributes that say what an element is.
const MEANINGFUL: [&str; 4] = ["role", "itemtype", "itemprop", "id"];

impl Token {
    /// The tokens of an element that other elements may share.
    pub(super) fn all(node: Node<'_>) -> Vec<Token> {
        let mut tokens = Vec::new();
        let classes = node.attribute_by(known::CLASS).unwrap_or_default();
        let shared = classes.split_ascii_whitespace().filter(|word| is_shared(word));
        tokens.extend(shared.take(MOST_TOKENS).map(|word| Token::Class(word.to_owned())));
        for name in MEANINGFUL {
            let Some(value) = node.attribute(name).map(str::trim) else { continue };
            if name == "id" && !is_shared(value) {
                tokens.extend(numbered(value).map(|prefix| Token::Numbered(prefix.to_owned())));
            } else if !value.is_empty() && value.len() <= 80 {
                tokens.push(Token::Attribute(name.to_owned(), value.to_owned()));
            }
        }
        tokens
    }

    /// What tells an element without a class from its siblings: what it holds. None for those that
    /// have a name of their own.
    pub(super) fn held(node: Node<'_>) -> Vec<Token> {
        let is_named = !Token::is_bare(node) || node.attribute_by(known::ID).is_some();
        if is_named || node.first_child().is_none() {
            return Vec::new();
        }
        let mut tokens: Vec<Token> = Vec::new();
        for inner in near(node) {
            let classes = inner.attribute_by(known::CLASS).unwrap_or_default();
            for word in classes.split_ascii_whitespace().filter(|word| is_shared(word)) {
                let token = Token::Holds(inner.name().to_owned(), word.to_owned());
                if !tokens.contains(&token) {
                    tokens.push(token);
                }
            }
            if tokens.len() >= MOST_TOKENS {
                break;
            }
        }
        tokens
    }

    /// Whether an element has no class that others share.
    pub(super) fn is_bare(node: Node<'_>) -> bool {
        let classes = node.attribute_by(known::CLASS).unwrap_or_default();
        !classes.split_ascii_whitespace().any(is_shared)
    }

    fn is_of(&self, node: Node<'_>) -> bool {
        match self {
            Token::Class(word) => node
                .attribute_by(known::CLASS)
                .is_some_and(|classes| classes.split_ascii_whitespace().any(|class| class == word)),
            Token::Numbered(prefix) => {
                node.attribute_by(known::ID).and_then(numbered) == Some(prefix.as_str())
            }
            Token::Attribute(name, value) => {
                node.attribute(name).map(str::trim) == Some(value.as_str())
            }
            Token::Bare => Token::is_bare(node),
            Token::Holds(name, word) => {
                let has = |inner: Node<'_>| {
                    let classes = inner.attribute_by(known::CLASS).unwrap_or_default();
                    inner.name() == name && classes.split_ascii_whitespace().any(|own| own == word)
                };
                Token::is_bare(node) && near(node).any(has)
            }
        }
    }
}

/// The first children and grandchildren of an element that are elements.
fn near<'a>(node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    elements(node).flat_map(|child| std::iter::once(child).chain(elements(child)))
}

fn elements<'a>(node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    let children = node.children().take(4 * MOST_NEAR);
    children.filter(|node| node.is_element()).take(MOST_NEAR)
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Class(word) => write!(out, ".{word}"),
            Token::Numbered(prefix) => write!(out, "[@id^='{prefix}']"),
            Token::Attribute(name, value) => write!(out, "[@{name}='{value}']"),
            Token::Bare => out.write_str("[not(@class)]"),
            Token::Holds(name, word) => write!(out, "[.//{name}.{word}]"),
        }
    }
}

/// A word that names a kind of element, not one element: no number of two or more figures in it.
pub(super) fn is_shared(word: &str) -> bool {
    let figures = |pair: &[u8]| pair.iter().all(u8::is_ascii_digit);
    !word.is_empty()
        && word.len() <= 64
        && !word.as_bytes().windows(2).any(figures)
        && !word.ends_with(|c: char| c.is_ascii_digit())
}

/// What an identifier begins with that ends in a number.
fn numbered(id: &str) -> Option<&str> {
    let prefix = id.trim().trim_end_matches(|c: char| c.is_ascii_digit());
    (prefix.len() < id.trim().len() && !prefix.is_empty() && is_shared(prefix)).then_some(prefix)
}

/// Names elements by where they are and what they have.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Selector {
    pub(super) reach: Reach,
    /// Names of elements, outermost first; the last is that of the element itself. `*` is any.
    pub(super) path: Vec<String>,
    pub(super) token: Option<Token>,
}

/// Where the path of a [`Selector`] begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Reach {
    /// At the document.
    Root,
    /// At the document, its last elements repeated any number of times, each inside the one before.
    Nested(Vec<String>),
    /// Below an element of this name and token.
    Below(String, Token),
    /// Anywhere.
    Anywhere,
}

impl Selector {
    /// The elements that it names, in document order.
    pub(super) fn find(&self, dom: &Dom) -> Vec<NodeId> {
        let Some(last) = self.path.last() else { return Vec::new() };
        let name = dom.name(last);
        if name.is_none() && last != ANY {
            return Vec::new();
        }
        let is_named = |node: &Node<'_>| name.is_none() || node.name_id() == name;
        dom.elements().filter(|node| is_named(node) && self.is_of(*node)).map(Node::id).collect()
    }

    fn is_of(&self, node: Node<'_>) -> bool {
        if self.token.as_ref().is_some_and(|token| !token.is_of(node)) {
            return false;
        }
        let mut at = node;
        if let Reach::Nested(cycle) = &self.reach {
            // Each turn of the cycle goes up by its length, until what is left is as long as the path.
            while !cycle.is_empty() && at.depth() > self.path.len() {
                for name in cycle.iter().rev() {
                    match at.parent().filter(|_| at.name() == name) {
                        Some(parent) => at = parent,
                        None => return false,
                    }
                }
            }
        }
        for (steps, name) in self.path.iter().rev().enumerate() {
            if steps > 0 {
                match at.parent() {
                    Some(parent) => at = parent,
                    None => return false,
                }
            }
            if name != ANY && at.name() != name {
                return false;
            }
        }
        let above = at.parent();
        match &self.reach {
            Reach::Anywhere => true,
            Reach::Root | Reach::Nested(_) => above.is_some_and(|above| above.parent().is_none()),
            Reach::Below(name, token) => {
                above.is_some_and(|above| above.name() == name && token.is_of(above))
            }
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reach {
            Reach::Root | Reach::Nested(_) => out.write_str("/")?,
            Reach::Below(name, token) => write!(out, "//{name}{token}/")?,
            Reach::Anywhere => out.write_str("//")?,
        }
        out.write_str(&self.path.join("/"))?;
        if let Reach::Nested(cycle) = &self.reach {
            write!(out, "(/{})*", cycle.join("/"))?;
        }
        self.token.iter().try_for_each(|token| write!(out, "{token}"))
    }
}
