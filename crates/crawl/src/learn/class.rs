//! Which candidates are of one kind. What is learned is learned about classes, never about single
//! elements: a verdict then holds for members that were never fired.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use page::tree::Dom;
use store::PathStep;

/// A call in the markup without what the function of that name does.
pub(crate) fn call_of(handler: &str) -> &str {
    match handler.strip_suffix('}').and_then(|handler| handler.rsplit_once(" {")) {
        Some((call, _)) => call,
        None => handler,
    }
}

/// Between the parts of a class when it is written down. No part holds it.
const BETWEEN: char = '\u{1f}';

/// Letters beside the digits of a label that is a number all the same: "第2页", "[12]", "p. 3".
const LETTERS_OF_A_NUMBER: usize = 3;

/// A class of candidates: those of one page type with the same event, the same place but for the
/// numbers in its path, the same handler but for its arguments, and a label of the same sort.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Class {
    /// The page type of the state that offers it.
    pub(crate) page_type: Arc<str>,
    /// `click`, `change`; `link` for a plain link.
    pub(crate) event: String,
    /// The element's path without its numbers: `/html/body/div/ul/li/a`.
    pub(crate) place: String,
    /// Who handles it, without arguments: `goPage(#) {1f2e3d4c}` with the hash of what that function does,
    /// or the hash of a closure's text.
    pub(crate) handler: String,
    /// What its label is.
    pub(crate) label: Label,
}

/// What an element says about itself. Pagers put numbers and words ("next") side by side, with one
/// handler, and these two behave differently: a number means the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Label {
    Number,
    Words,
}

impl Class {
    /// The class of a step that a page of this type offers.
    pub(crate) fn of(page_type: &Arc<str>, step: &PathStep) -> Self {
        let event = step.event.split('=').next().unwrap_or_default();
        Self {
            event: event.to_owned(),
            handler: step.handler.replace(BETWEEN, ""),
            ..Self::of_link(page_type, &step.xpath, &step.text)
        }
    }

    /// The class of a plain link on a page of this type.
    pub(crate) fn of_link(page_type: &Arc<str>, xpath: &str, text: &str) -> Self {
        Self {
            page_type: page_type.clone(),
            event: "link".into(),
            place: place(xpath),
            handler: String::new(),
            label: label(text),
        }
    }

    /// All events of a document of this type.
    pub(crate) fn of_document(page_type: &Arc<str>) -> Self {
        Self { event: "explore".into(), ..Self::of_link(page_type, "", "") }
    }

    /// Whether a page has elements that may be members, by its markup alone: at the place, and no links where
    /// a member is none. What its frames have is not known.
    pub(crate) fn may_be_on(&self, page: &Dom) -> bool {
        let mut here = vec![page.root()];
        for name in self.place.split('/').skip(1) {
            if here.iter().any(|node| matches!(node.name(), "iframe" | "frame")) {
                return true;
            }
            let children = here.iter().flat_map(|node| node.children());
            here = children.filter(|child| child.is_element() && child.name() == name).collect();
        }
        match self.handler.as_str() {
            "implicit a" => {
                here.iter().any(|link| link.attribute("href").is_none_or(is_no_address))
            }
            _ => !here.is_empty(),
        }
    }

    /// The same class on pages of another type.
    pub(crate) fn on(&self, page_type: &Arc<str>) -> Self {
        Self { page_type: page_type.clone(), ..self.clone() }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { page_type, event, place, handler, label } = self;
        let label = if *label == Label::Number { "number" } else { "words" };
        let sep = BETWEEN;
        write!(f, "{page_type}{sep}{event}{sep}{place}{sep}{handler}{sep}{label}")
    }
}

/// A text that is no class written down.
#[derive(Debug, thiserror::Error)]
#[error("this is no class of events")]
pub(crate) struct NoClass;

impl FromStr for Class {
    type Err = NoClass;

    fn from_str(text: &str) -> Result<Self, NoClass> {
        let mut parts = text.split(BETWEEN);
        let mut part = || parts.next().ok_or(NoClass);
        Ok(Self {
            page_type: part()?.into(),
            event: part()?.into(),
            place: part()?.into(),
            handler: part()?.into(),
            label: if part()? == "number" { Label::Number } else { Label::Words },
        })
    }
}

/// A path without its numbers.
pub(crate) fn place(xpath: &str) -> String {
    let mut place = String::with_capacity(xpath.len());
    let mut inside = false;
    for letter in xpath.chars() {
        match letter {
            '[' => inside = true,
            ']' => inside = false,
            BETWEEN => {}
            _ if !inside => place.push(letter),
            _ => {}
        }
    }
    place
}

/// Whether a link with this address leads nowhere by itself.
fn is_no_address(href: &str) -> bool {
    let href = href.trim();
    let scheme = href.get(..11).unwrap_or_default();
    matches!(href, "" | "#") || scheme.eq_ignore_ascii_case("javascript:")
}

fn label(text: &str) -> Label {
    let is_number = text.chars().any(char::is_numeric)
        && text.chars().filter(|letter| letter.is_alphabetic()).count() <= LETTERS_OF_A_NUMBER;
    if is_number { Label::Number } else { Label::Words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_on_a_page_is_told_by_its_markup() {
        let html = b"<p>1<p>2<a href=/3>3</a><i>4</i><div><a href='#'>5</a></div><iframe></iframe>";
        let page = page::tree::parse(html, None).dom;
        let class = |place, handler: &str| Class {
            event: "click".into(),
            handler: handler.into(),
            ..Class::of_link(&"thread".into(), place, "")
        };
        for (place, handler, may_be) in [
            ("/html/body/p[2]/i[1]", "implicit i", true),
            ("/html/body/div[1]/i[1]", "implicit i", false),
            ("/html/body/p[2]/a[1]", "show(#)", true),
            ("/html/body/p[2]/a[1]", "implicit a", false),
            ("/html/body/div[1]/a[1]", "implicit a", true),
            ("/html/body/iframe[1]/html[1]/body[1]/b[1]", "implicit b", true),
        ] {
            assert_eq!(class(place, handler).may_be_on(&page), may_be, "{handler} at {place}");
        }
    }

    #[test]
    fn a_class_survives_being_written_down() {
        let class = Class::of_link(&"thread".into(), "/html/body/div[2]/a[1]", "[2]");
        assert_eq!(class.to_string().parse::<Class>().expect("a class"), class);
        assert_eq!(class.place, "/html/body/div/a");
        assert_eq!(class.label, Label::Number);
    }

    #[test]
    fn numbers_with_a_little_around_them_are_numbers() {
        for (text, expected) in [
            ("2", Label::Number),
            ("第2页", Label::Number),
            ("[12]", Label::Number),
            ("next", Label::Words),
            ("2 replies", Label::Words),
            ("", Label::Words),
        ] {
            assert_eq!(label(text), expected, "{text}");
        }
    }
}
