//! What the elements of a page say they are for.
//!
//! Strong: elements and roles that exist to say it (HTML's sectioning elements, WAI-ARIA landmarks,
//! schema.org types, `rel`). Weak: words of `class` and `id` that are in use all over the web.

use crate::tree::names::known;
use crate::tree::{Dom, Name, Node};
use std::sync::LazyLock;

/// What a part of a page can be for. One bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Use {
    Navigation,
    Header,
    Footer,
    Comments,
    Advert,
    Related,
    Tools,
    Form,
    Main,
    Aside,
    Media,
}

impl Use {
    pub(super) const ALL: [Self; 11] = [
        Self::Navigation,
        Self::Header,
        Self::Footer,
        Self::Comments,
        Self::Advert,
        Self::Related,
        Self::Tools,
        Self::Form,
        Self::Main,
        Self::Aside,
        Self::Media,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Navigation => "navigation",
            Self::Header => "header",
            Self::Footer => "footer",
            Self::Comments => "comments",
            Self::Advert => "advert",
            Self::Related => "related",
            Self::Tools => "tools",
            Self::Form => "form",
            Self::Main => "main",
            Self::Aside => "aside",
            Self::Media => "media",
        }
    }

    fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// What one element says, as bits of [`Use`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hint {
    strong: u16,
    weak: u16,
}

impl Hint {
    pub(super) fn is_empty(self) -> bool {
        self.strong | self.weak == 0
    }

    pub(super) fn is_strong(self, what: Use) -> bool {
        self.strong & what.bit() != 0
    }

    pub(super) fn is_weak(self, what: Use) -> bool {
        self.weak & what.bit() != 0
    }

    pub(super) fn says(self, what: Use) -> bool {
        self.is_strong(what) || self.is_weak(what)
    }
}

/// The hints of all elements of a page.
pub(super) struct Hints {
    of: Vec<Hint>,
}

impl Hints {
    pub(super) fn new(dom: &Dom) -> Self {
        let names = Names::of(dom);
        let mut of = vec![Hint::default(); dom.node_count()];
        let mut sectioned = 0;
        for node in dom.elements() {
            let hint = names.hint(node, node.id().0 < sectioned);
            if matches!(
                node.name_id(),
                Some(known::ARTICLE | known::SECTION | known::ASIDE | known::MAIN)
            ) {
                sectioned = sectioned.max(node.end().0);
            }
            if let Some(slot) = of.get_mut(node.id().at()) {
                *slot = hint;
            }
        }
        Self { of }
    }

    pub(super) fn of(&self, node: Node<'_>) -> Hint {
        self.of.get(node.id().at()).copied().unwrap_or_default()
    }
}

/// The attributes that say something, by their numbers in one tree.
struct Names {
    role: Option<Name>,
    item_type: Option<Name>,
    item_property: Option<Name>,
    ad_slots: [Option<Name>; 3],
}

impl Names {
    fn of(dom: &Dom) -> Self {
        Self {
            role: dom.name("role"),
            item_type: dom.name("itemtype"),
            item_property: dom.name("itemprop"),
            ad_slots: ["data-ad-client", "data-ad-slot", "data-google-query-id"]
                .map(|n| dom.name(n)),
        }
    }

    fn hint(&self, node: Node<'_>, is_sectioned: bool) -> Hint {
        let mut hint = Hint::default();
        let value = |name: Option<Name>| name.and_then(|name| node.attribute_by(name));
        if let Some(what) = by_element(node, is_sectioned) {
            hint.strong |= what.bit();
        }
        if let Some(what) = value(self.role).and_then(by_role) {
            hint.strong |= what.bit();
        }
        if let Some(what) = value(self.item_property).and_then(by_property) {
            hint.strong |= what.bit();
        }
        if let Some(kind) = value(self.item_type) {
            let said = by_words(kind.rsplit('/').next().unwrap_or_default());
            // An article's type is on a wrapper of all that belongs to it, comments included.
            hint.strong |= said & !Use::Main.bit();
            hint.weak |= said & Use::Main.bit();
        }
        if self.ad_slots.iter().any(|name| value(*name).is_some()) || is_ad_frame(node) {
            hint.strong |= Use::Advert.bit();
        }
        match node.name_id() {
            Some(known::ARTICLE) => hint.weak |= Use::Main.bit(),
            Some(known::FORM) => hint.weak |= Use::Form.bit(),
            _ => {}
        }
        if !matches!(node.name_id(), Some(known::BODY | known::HTML)) {
            for words in [known::CLASS, known::ID].map(|name| node.attribute_by(name)) {
                hint.weak |= words.map_or(0, by_words);
            }
        }
        settle(hint)
    }
}

/// Words that say two things at once: what is within an article is no article, and the header of an
/// article is none of the page.
fn settle(mut hint: Hint) -> Hint {
    let main = Use::Main.bit();
    if hint.weak & main != 0 && hint.strong & main == 0 {
        let edges = Use::Header.bit() | Use::Footer.bit();
        let others = Use::ALL.iter().fold(0, |all, what| all | what.bit()) & !main & !edges;
        if (hint.weak | hint.strong) & others != 0 {
            hint.weak &= !main;
        } else {
            hint.weak &= !edges;
        }
    }
    hint
}

/// HTML: `header` and `footer` are landmarks of the page unless they are inside sectioning content.
fn by_element(node: Node<'_>, is_sectioned: bool) -> Option<Use> {
    Some(match node.name_id()? {
        known::NAV => Use::Navigation,
        known::HEADER if !is_sectioned => Use::Header,
        known::FOOTER if !is_sectioned => Use::Footer,
        known::MAIN => Use::Main,
        known::ASIDE => Use::Aside,
        known::SEARCH => Use::Form,
        known::FIGURE => Use::Media,
        _ => return None,
    })
}

/// WAI-ARIA landmark roles.
fn by_role(role: &str) -> Option<Use> {
    Some(match role.trim() {
        "navigation" | "menu" | "menubar" | "tablist" | "directory" => Use::Navigation,
        "banner" => Use::Header,
        "contentinfo" => Use::Footer,
        "main" => Use::Main,
        "complementary" => Use::Aside,
        "search" | "form" => Use::Form,
        "dialog" | "alertdialog" | "toolbar" => Use::Tools,
        _ => return None,
    })
}

/// Properties of schema.org.
fn by_property(property: &str) -> Option<Use> {
    Some(match property.trim() {
        "articleBody" => Use::Main,
        "comment" => Use::Comments,
        "breadcrumb" => Use::Navigation,
        _ => return None,
    })
}

/// Hosts that serve nothing but adverts.
const AD_HOSTS: [&str; 4] =
    ["doubleclick.net", "googlesyndication.com", "googleadservices.com", "adnxs.com"];

/// Sizes of display adverts in pixels (IAB, "Display advertising guidelines", with those before it
/// that are still in use).
const AD_SIZES: [(u32, u32); 14] = [
    (300, 250),
    (336, 280),
    (728, 90),
    (970, 90),
    (970, 250),
    (160, 600),
    (120, 600),
    (300, 600),
    (468, 60),
    (320, 50),
    (320, 100),
    (234, 60),
    (250, 250),
    (300, 1050),
];

/// Whether a frame is one of an advert.
fn is_ad_frame(node: Node<'_>) -> bool {
    if !node.is(known::IFRAME) {
        return false;
    }
    let source = node.attribute_by(known::SRC).unwrap_or_default();
    let side = |name: &str| node.attribute(name).and_then(|side| side.parse::<u32>().ok());
    AD_HOSTS.iter().any(|host| source.contains(host))
        || side("width").zip(side("height")).is_some_and(|size| AD_SIZES.contains(&size))
}

/// The vocabulary, as packed words in order.
static VOCABULARY: LazyLock<Vec<(u128, u16)>> = LazyLock::new(|| {
    let lines = include_str!("vocabulary.txt").lines();
    let mut known = Vec::new();
    for (class, words) in lines.filter_map(|line| line.split_once(": ")) {
        let Some(what) = Use::ALL.iter().find(|what| what.name() == class) else {
            continue;
        };
        let packed = words.split(' ').filter_map(|word| pack(word.bytes()));
        known.extend(packed.map(|word| (word, what.bit())));
    }
    known.sort_unstable();
    known
});

/// What the words of a `class`, `id` or type say: cut at marks, digits and where lower case turns
/// into upper; also each name as a whole, as in `maincontent`.
fn by_words(names: &str) -> u16 {
    let mut found = 0;
    for name in names.split_ascii_whitespace().take(MOST_NAMES) {
        let bytes = name.as_bytes();
        let mut from = 0;
        for at in 0..=bytes.len() {
            let ends = match (at.checked_sub(1).and_then(|at| bytes.get(at)), bytes.get(at)) {
                (Some(before), Some(byte)) => {
                    !byte.is_ascii_alphabetic()
                        || before.is_ascii_lowercase() && byte.is_ascii_uppercase()
                }
                (None, Some(_)) => false,
                (_, None) => true,
            };
            if ends {
                found |= look_up(bytes.get(from..at).unwrap_or_default());
                from = at + usize::from(!bytes.get(at).is_some_and(u8::is_ascii_alphabetic));
            }
        }
    }
    found
}

/// Names of a `class` that are looked at.
const MOST_NAMES: usize = 16;

fn look_up(word: &[u8]) -> u16 {
    let Some(packed) = pack(word.iter().copied()) else {
        return 0;
    };
    let from = VOCABULARY.partition_point(|(known, _)| *known < packed);
    match VOCABULARY.get(from) {
        Some((known, bit)) if *known == packed => *bit,
        _ => 0,
    }
}

/// A word of two to sixteen letters as one number.
fn pack(word: impl ExactSizeIterator<Item = u8>) -> Option<u128> {
    if !(2..=size_of::<u128>()).contains(&word.len()) {
        return None;
    }
    Some(word.fold(0, |packed, byte| packed << 8 | u128::from(byte.to_ascii_lowercase())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_str;

    fn hint(html: &str) -> Hint {
        let dom = parse_str(html).dom;
        let body = dom.elements().find(|node| node.is(known::BODY)).unwrap();
        Hints::new(&dom).of(body.first_child().unwrap())
    }

    #[test]
    fn elements_and_roles_are_strong_and_words_weak() {
        assert!(hint("<nav>").is_strong(Use::Navigation));
        assert!(hint("<div role=contentinfo>").is_strong(Use::Footer));
        assert!(hint("<div itemprop=articleBody>").is_strong(Use::Main));
        assert!(hint("<div itemtype='https://schema.org/WPFooter'>").is_strong(Use::Footer));
        assert!(hint("<div class='x mainNav'>").is_weak(Use::Navigation));
        assert!(hint("<div id=google_ads_1>").is_weak(Use::Advert));
        assert!(hint("<iframe width=300 height=250>").is_strong(Use::Advert));
    }

    #[test]
    fn words_count_only_whole() {
        assert!(hint("<div class='shadow reading loads adapter'>").is_empty());
    }

    #[test]
    fn what_is_part_of_an_article_is_not_part_of_the_page() {
        let header = hint("<div class=article-header>");
        assert!(header.says(Use::Main) && !header.says(Use::Header));
        let comments = hint("<div class=article-comments>");
        assert!(comments.says(Use::Comments) && !comments.says(Use::Main));
    }

    #[test]
    fn every_class_of_the_vocabulary_is_known() {
        for line in include_str!("vocabulary.txt").lines().filter(|line| !line.starts_with('#')) {
            let (class, words) = line.split_once(": ").unwrap();
            for word in words.split(' ') {
                let found = look_up(word.as_bytes());
                let named = Use::ALL.iter().find(|what| what.bit() == found).unwrap();
                assert_eq!(named.name(), class, "{word}");
            }
        }
    }
}
