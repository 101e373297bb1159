//! What one pass over a page finds for the map: where it leads, and what it calls itself.

use std::collections::{HashMap, HashSet};

use url::Url;

use super::address::Address;
use crate::Source;
use page::state::url::normalise;
use page::tree::names::known;
use page::tree::text::{base_url, is_invisible};
use page::tree::{Dom, Kind, Node, Step, links, title, visible_text_of};

/// Links of a page that are looked at.
const MOST_LINKS: usize = 4_000;
/// Addresses of a site that are looked at.
const MOST_TARGETS: usize = 1_000_000;
/// Headings of a page that are looked at.
const MOST_HEADINGS: usize = 64;
/// Letters of a text that are kept.
const MOST_LETTERS: usize = 300;
/// Letters of a link that numbers a page, at most: `[ Page 12 ]`.
const NUMBER_LETTERS: usize = 14;

/// Words for the page that follows, in the largest languages of the web; a link that has one of
/// them still counts only if it leads to an address that differs in a number.
const NEXT: [&str; 26] = [
    "next",
    "nächste",
    "weiter",
    "suivant",
    "suivante",
    "siguiente",
    "próxima",
    "próximo",
    "seguinte",
    "successiva",
    "successivo",
    "avanti",
    "volgende",
    "następna",
    "dalej",
    "sonraki",
    "следующая",
    "далее",
    "вперед",
    "вперёд",
    "下一页",
    "下一頁",
    "次へ",
    "次のページ",
    "다음",
    "berikutnya",
];
/// Words of a text that says so, at most.
const NEXT_WORDS: usize = 4;
/// Signs for it.
const NEXT_SIGNS: [&str; 7] = ["»", "›", ">", "→", ">>", "❯", "≫"];

/// A page, looked at once.
#[derive(Clone, Debug)]
pub(super) struct Survey {
    pub(super) url: Url,
    pub(super) address: Address,
    /// That, as text.
    pub(super) key: String,
    /// The number of its type.
    pub(super) page_type: usize,
    pub(super) links: Vec<Way>,
    /// What the page says its own address is.
    pub(super) canonical: Vec<Url>,
    /// The title of its head, in each tree.
    pub(super) title: String,
    pub(super) headings: Vec<Heading>,
    /// Letters of its sentences that are no links.
    pub(super) prose: usize,
}

/// The addresses that the pages of a site lead to, each once: pages share most of theirs.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets {
    all: Vec<Target>,
    numbers: HashMap<Url, usize>,
}

/// An address that pages lead to.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) url: Url,
    pub(super) address: Address,
    /// That, as text.
    pub(super) key: String,
}

impl Targets {
    /// The number of an address; none if there is no room for more.
    fn number(&mut self, url: Url) -> Option<usize> {
        if let Some(number) = self.numbers.get(&url) {
            return Some(*number);
        }
        if self.all.len() >= MOST_TARGETS {
            return None;
        }
        let address = Address::of(&url);
        let key = address.to_string();
        self.numbers.insert(url.clone(), self.all.len());
        self.all.push(Target { url, address, key });
        Some(self.all.len() - 1)
    }

    pub(super) fn get(&self, number: usize) -> Option<&Target> {
        self.all.get(number)
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &Target> {
        self.all.iter()
    }
}

/// A link to another page of the site.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The number of its target.
    pub(super) to: usize,
    /// Whether it leads to a place on that page.
    pub(super) is_deep: bool,
    pub(super) text: String,
    pub(super) cue: Cue,
    /// What kind of element it is: its name and its classes, and those of its parent.
    pub(super) looks: String,
    /// Whether its fragment names an element of the page that it is on: it leads here, whatever its
    /// address, such as the address of a post that is answered with a page of its thread.
    pub(super) is_here: bool,
}

/// Whether a link pages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Cue {
    /// Its text is a number.
    Number(u64),
    /// It says that it leads to the next page, or the one before.
    Step,
    /// Neither.
    None,
}

/// A heading, or another place where a page may say its title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    /// What kind of element it is.
    pub(super) looks: String,
    pub(super) text: String,
}

impl Survey {
    pub(super) fn of(source: &Source<'_>, page_type: usize, targets: &mut Targets) -> Self {
        let address = Address::of(source.url);
        let mut survey = Survey {
            url: source.url.clone(),
            key: address.to_string(),
            address,
            page_type,
            links: Vec::new(),
            canonical: Vec::new(),
            title: String::new(),
            headings: Vec::new(),
            prose: 0,
        };
        let mut seen = HashSet::new();
        let mut before: Option<&Dom> = None;
        for dom in [source.rendered, source.raw].into_iter().flatten() {
            // One tree may stand for both: it has no other links the second time.
            if before.is_none_or(|before| !std::ptr::eq(before, dom)) {
                survey.read_body(dom, source.url, targets, &mut seen);
            }
            survey.read_head(dom, source.url, targets);
            before = Some(dom);
        }
        survey
    }

    fn read_body(
        &mut self,
        dom: &Dom,
        url: &Url,
        targets: &mut Targets,
        seen: &mut HashSet<(usize, String)>,
    ) {
        if self.title.is_empty() {
            self.title = short(&title(dom));
        }
        self.prose = self.prose.max(prose(dom));
        let ids: HashSet<&str> = dom.elements().flat_map(names).collect();
        for link in links(dom, url).into_iter().take(MOST_LINKS) {
            let (Some(to), Some(node)) = (link.url, dom.get(link.node)) else { continue };
            if to.host_str() != url.host_str() || !matches!(to.scheme(), "http" | "https") {
                continue;
            }
            // Other pages have a `#comments` as well: only a number names one element of a site.
            let is_here = to.fragment().is_some_and(|name| {
                name.contains(|c: char| c.is_ascii_digit()) && ids.contains(name)
            });
            let is_deep = to.fragment().is_some();
            let text = short(&folded(&link.text));
            if let Some(to) = targets.number(normalise(to))
                && seen.insert((to, text.clone()))
            {
                let cue = cue(node, &text);
                self.links.push(Way { to, is_deep, text, cue, looks: looks(node), is_here });
            }
        }
    }

    /// Reads what the page says of itself, and its headings.
    fn read_head(&mut self, dom: &Dom, url: &Url, targets: &mut Targets) {
        let base = base_url(dom, url);
        for node in dom.elements() {
            match node.name_id() {
                Some(known::LINK) => {
                    let Some(to) = node.attribute_by(known::HREF) else { continue };
                    let Ok(to) = base.join(to.trim()).map(normalise) else { continue };
                    match relation(node) {
                        Some(Relation::Step) => {
                            self.links.extend(targets.number(to).map(Way::step));
                        }
                        Some(Relation::Canonical) => self.canonical.push(to),
                        None => {}
                    }
                }
                Some(known::META) if is_property(node, "og:url") => {
                    let to = node.attribute_by(known::CONTENT).and_then(|to| base.join(to).ok());
                    self.canonical.extend(to.map(normalise));
                }
                Some(known::META) if is_property(node, "og:title") => {
                    let text = node.attribute_by(known::CONTENT).unwrap_or_default();
                    self.head(Heading { looks: "meta".to_owned(), text: short(&folded(text)) });
                }
                Some(known::H1 | known::H2 | known::H3 | known::H4) => {
                    let text = short(&folded(&visible_text_of(node)));
                    self.head(Heading { looks: looks(node), text });
                }
                _ => {}
            }
        }
    }

    fn head(&mut self, heading: Heading) {
        if self.headings.len() < MOST_HEADINGS
            && !heading.text.is_empty()
            && !self.headings.contains(&heading)
        {
            self.headings.push(heading);
        }
    }
}

impl Way {
    /// A link of the head to the next page, or the one before.
    fn step(to: usize) -> Self {
        let (text, looks) = (String::new(), String::new());
        Way { to, is_deep: false, text, cue: Cue::Step, looks, is_here: false }
    }
}

/// What fragments call an element.
fn names(node: Node<'_>) -> impl Iterator<Item = &str> {
    let anchor = node.attribute_by(known::NAME).filter(|_| node.is(known::A));
    node.attribute_by(known::ID).into_iter().chain(anchor)
}

/// Letters of a text; one that stands for a word counts as some.
pub(super) fn weight(text: &str) -> usize {
    const LETTERS_OF_A_WORD: usize = 4;
    let weigh = |c: char| if c < '\u{2e80}' { 1 } else { LETTERS_OF_A_WORD };
    text.split_whitespace().flat_map(str::chars).map(weigh).sum()
}

/// Letters in sentences outside links. A sentence is a text that is longer than labels are.
fn prose(dom: &Dom) -> usize {
    const LABEL: usize = 40;
    let mut letters = 0;
    let mut walk = dom.walk();
    while let Some(step) = walk.next() {
        let Step::Open(node) = step else { continue };
        if is_invisible(node) || node.is(known::A) {
            walk.skip_inside();
        } else if node.kind() == Kind::Text {
            let weight = weight(node.text());
            letters += if weight >= LABEL { weight } else { 0 };
        }
    }
    letters
}

enum Relation {
    Step,
    Canonical,
}

fn relation(node: Node<'_>) -> Option<Relation> {
    node.attribute_by(known::REL)?.split_ascii_whitespace().find_map(|word| {
        match word.to_ascii_lowercase().as_str() {
            "next" | "prev" | "previous" => Some(Relation::Step),
            "canonical" => Some(Relation::Canonical),
            _ => None,
        }
    })
}

fn is_property(node: Node<'_>, name: &str) -> bool {
    ["property", "name"].iter().any(|key| node.attribute(key) == Some(name))
}

fn cue(node: Node<'_>, text: &str) -> Cue {
    if let Some(number) = number(text) {
        return Cue::Number(number);
    }
    let said = [Some(text), node.attribute("title"), node.attribute("aria-label")];
    let says_next = |said: &str| {
        let said = said.trim();
        if said.split_whitespace().count() > NEXT_WORDS {
            return false;
        }
        let mut words = said.split(|c: char| !c.is_alphanumeric());
        NEXT_SIGNS.contains(&said) || words.any(|word| NEXT.contains(&word.to_lowercase().as_str()))
    };
    let is_step = matches!(relation(node), Some(Relation::Step));
    if is_step || said.into_iter().flatten().any(says_next) { Cue::Step } else { Cue::None }
}

/// The number that a link to a page shows, and little else: a word before it, or a sign after it
/// (`第2页`). `#3` is the number of a post, `3 days ago` is none.
fn number(text: &str) -> Option<u64> {
    if text.chars().count() > NUMBER_LETTERS || text.contains('#') {
        return None;
    }
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let (before, rest) = text.split_at(from);
    let to = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(to);
    let is_plain = |c: char| !c.is_alphanumeric();
    let is_announced = before.split(is_plain).filter(|word| !word.is_empty()).count() <= 1;
    let is_last = match after.trim_matches(is_plain) {
        "" => true,
        sign => sign.chars().all(|c| c >= '\u{2e80}') && sign.chars().count() == 1,
    };
    (is_announced && is_last).then(|| digits.parse().ok())?
}

/// What an element looks like to a style sheet, numbers left out.
fn looks(node: Node<'_>) -> String {
    let mut out = String::new();
    for node in node.parent().into_iter().chain([node]) {
        out.push('/');
        out.push_str(node.name());
        let classes = node.attribute_by(known::CLASS).unwrap_or_default();
        for class in classes.split_ascii_whitespace().take(4) {
            out.push('.');
            out.extend(class.chars().filter(|c| !c.is_ascii_digit()));
        }
    }
    out
}

/// On one line.
pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn short(text: &str) -> String {
    text.chars().take(MOST_LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::parse_str;

    fn survey(html: &str) -> Survey {
        let (dom, url) = (parse_str(html).dom, Url::parse("http://forum.example/t/1").unwrap());
        let source =
            Source { url: &url, page_type: None, captured: None, rendered: Some(&dom), raw: None };
        Survey::of(&source, 0, &mut Targets::default())
    }

    #[test]
    fn links_that_page_are_told_from_links_that_do_not() {
        for (html, cue) in [
            ("<a href=2>2</a>", Cue::Number(2)),
            ("<a href=2>[ Page 12 ]</a>", Cue::Number(12)),
            ("<a href=2 rel=next>on</a>", Cue::Step),
            ("<a href=2>»</a>", Cue::Step),
            ("<a href=2 title='Go to next page'><i></i></a>", Cue::Step),
            ("<a href=2>下一页</a>", Cue::Step),
            ("<link rel=next href=2>", Cue::Step),
            ("<a href=2>#2</a>", Cue::None),
            ("<a href=2>A context</a>", Cue::None),
            ("<a href=2>第2页</a>", Cue::Number(2)),
            ("<a href=2>2 months ago</a>", Cue::None),
            ("<a href=2>What should the next lamp of mine be?</a>", Cue::None),
            ("<a href=2>12 of 34</a>", Cue::None),
        ] {
            let cues: Vec<Cue> = survey(html).links.iter().map(|way| way.cue).collect();
            assert_eq!(cues, [cue], "{html}");
        }
    }

    #[test]
    fn links_to_other_sites_are_left_out() {
        assert!(
            survey("<a href=http://other.example/>2</a><a href=mailto:a@b.c>b</a>")
                .links
                .is_empty()
        );
    }

    #[test]
    fn a_page_may_say_its_own_address() {
        let found = survey("<link rel=canonical href=/t/1><meta property=og:url content=/t/2#p3>");
        let said: Vec<&str> = found.canonical.iter().map(Url::as_str).collect();
        assert_eq!(said, ["http://forum.example/t/1", "http://forum.example/t/2"]);
    }
}
