//! What is known of every node before a page is cut: two passes over the arena, down and up.

use super::super::looks::{Display, Look, Looks};
use crate::tree::names::known;
use crate::tree::{Dom, Kind, Name, Node};

/// What a node is for. The paper's three classes (layout, format, function) by tag, with what each
/// class meant in 2008 told apart where a page of today needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Shows nothing and takes no place: scripts, styles, comments, what is not displayed.
    Hidden,
    /// Takes place but shows nothing: a spacer.
    Blank,
    /// Text.
    Text,
    /// Format: part of a line.
    Inline,
    /// Function: a picture, video, canvas, frame or drawing.
    Media,
    /// Function: a control of a form.
    Control,
    /// `br`.
    Break,
    /// `hr`.
    Rule,
    /// `h1` to `h6`.
    Heading(u8),
    /// Layout: a box that others stand in.
    Layout,
}

/// What is known of a node and all below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    pub(super) class: Class,
    /// Whether a reader sees anything of it.
    pub(super) shows: bool,
    /// A box that shows something is below it.
    pub(super) holds_boxes: bool,
    /// A link: never cut, or its parts would lose where it leads.
    pub(super) is_link: bool,
    /// Lines end inside it.
    pub(super) holds_breaks: bool,
    /// A rule is the last in it.
    pub(super) ends_in_rule: bool,
    /// The rank of the heading that it begins with; 0 if it begins with something else.
    pub(super) title: u8,
    /// How much it shows.
    pub(super) sum: Sum,
    /// The text that stands in no box inside it, without links.
    loose: u32,
    inside: Inside,
}

/// How much of what a part of a page shows. Text is counted in widths: a letter is 1, an ideograph 2,
/// since a line holds half as many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Sum {
    pub(super) headings: u16,
    /// Of the headings: of the first rank.
    pub(super) headlines: u16,
    pub(super) media: u16,
    pub(super) controls: u16,
    /// Boxes with no other in them that hold no paragraph and are not made for text.
    pub(super) boxes: u16,
    pub(in super::super) link_count: u16,
    pub(in super::super) chars: u32,
    /// Of it: in links.
    pub(super) links: u32,
    /// Of it: bold, or a heading.
    pub(super) bold: u32,
    /// Of it: in headings.
    pub(super) titles: u32,
    /// Of it: running text, in boxes that hold no others.
    pub(super) prose: u32,
}

/// What most of a part of a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Matter {
    /// Running text.
    Text,
    /// Links: a menu, a list of headlines.
    Links,
    /// Controls of a form.
    Form,
    /// Several of these, or none.
    Mixed,
}

impl Sum {
    /// How much of the page it is.
    pub(super) fn weight(&self) -> u32 {
        let media = u32::from(self.media) * MEDIA_WEIGHT;
        self.chars.saturating_add(media + u32::from(self.controls) * CONTROL_WEIGHT)
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (sum, part) in [
            (&mut self.headings, other.headings),
            (&mut self.media, other.media),
            (&mut self.controls, other.controls),
            (&mut self.boxes, other.boxes),
            (&mut self.link_count, other.link_count),
            (&mut self.headlines, other.headlines),
        ] {
            *sum = sum.saturating_add(part);
        }
        for (sum, part) in [
            (&mut self.chars, other.chars),
            (&mut self.links, other.links),
            (&mut self.bold, other.bold),
            (&mut self.titles, other.titles),
            (&mut self.prose, other.prose),
        ] {
            *sum = sum.saturating_add(part);
        }
    }

    /// Many short links and little else.
    pub(super) fn is_menu(&self) -> bool {
        let links = u32::from(self.link_count);
        links >= 4
            && u64::from(self.links) * 5 >= u64::from(self.chars) * 4
            && self.prose <= self.chars / 20
            && self.links <= links * MENU_ENTRY
            && u32::from(self.media) * 2 <= links
            && self.chars <= MENU
    }

    /// What most of it is.
    pub(in super::super) fn matter(&self) -> Matter {
        let controls = u32::from(self.controls) * CONTROL_WEIGHT;
        match () {
            _ if self.prose > self.chars / 2
                && self.links <= self.chars / 3
                && u32::from(self.boxes.saturating_sub(4)) * BOX_OF_TEXT <= self.chars =>
            {
                Matter::Text
            }
            _ if self.controls > 1 && controls > self.chars / 3 => Matter::Form,
            _ if self.link_count >= 5 && self.links > self.chars / 2 => Matter::Links,
            _ => Matter::Mixed,
        }
    }

    /// Shows pictures or links around nothing, but nothing to read or to fill in.
    pub(super) fn is_mute(&self) -> bool {
        self.chars == 0 && self.controls == 0
    }

    /// Paragraphs and little else: no boxes with a purpose of their own, few links.
    pub(super) fn is_prose(&self) -> bool {
        self.prose > 0 && self.boxes == 0 && self.controls == 0 && self.links <= self.chars / 3
    }
}

/// What a node inherits from those around it.
#[derive(Clone, Copy, Debug, Default)]
struct Inside {
    hidden: bool,
    link: bool,
    bold: bool,
    /// In something that is never cut: a drawing, a button, a heading.
    whole: bool,
    /// In a menu that says that it is one.
    menu: bool,
}

/// A line of text, and with it what is no paragraph: about the width of a column.
pub(super) const LINE: u32 = 100;

/// What a picture or frame weighs against text, and what a control does: as much as they take of
/// a page, in letters.
const MEDIA_WEIGHT: u32 = 50;
const CONTROL_WEIGHT: u32 = 20;

/// The most that an entry of a menu takes on average; a headline takes more.
const MENU_ENTRY: u32 = 24;

/// The most that a menu takes with all that folds out of it.
const MENU: u32 = 5000;

/// Where boxes that are no paragraphs stand closer than this in a text, it is no article but a talk:
/// names, dates and answers.
const BOX_OF_TEXT: u32 = 250;

impl Fact {
    /// Whether it can be cut into what stands in it.
    pub(super) fn is_box(&self) -> bool {
        self.class == Class::Layout
    }

    /// Whether it stands in a menu that says that it is one.
    pub(super) fn is_in_menu(&self) -> bool {
        self.inside.menu
    }
}

/// The facts of a page, by the number of the node.
pub(super) fn facts(dom: &Dom, looks: Option<&Looks>) -> Vec<Fact> {
    let headline = Headline::new(dom);
    let large = looks.map(|looks| large_font(dom, looks));
    let mut facts: Vec<Fact> = Vec::with_capacity(dom.node_count());
    for node in dom.nodes() {
        let around = match node.parent() {
            Some(parent) => facts.get(parent.id().at()).map(|fact| fact.inside).unwrap_or_default(),
            None => Inside::default(),
        };
        let mut fact = own(node, around, looks);
        if fact.class == Class::Text {
            let font = |looks: &Looks| Some(looks.of(node.parent()?.id())?.font_size);
            let is_large =
                looks.and_then(font).zip(large).is_some_and(|(font, large)| font >= large);
            let is_headline = headline.is(node.text(), &fact);
            if is_headline {
                fact.title = 1;
                fact.sum.headings = 1;
                fact.sum.headlines = 1;
                fact.sum.titles = fact.sum.chars;
            }
            if is_headline || is_large {
                fact.sum.bold = fact.sum.chars;
            }
        }
        facts.push(fact);
    }
    for at in (1..facts.len()).rev() {
        let node = dom.node(crate::tree::NodeId(at as u32));
        let Some(parent) = node.parent() else { continue };
        let (before, after) = facts.split_at_mut(at);
        let (Some(fact), Some(around)) = (after.first_mut(), before.get_mut(parent.id().at()))
        else {
            continue;
        };
        settle(node, fact);
        gather(fact, around);
    }
    if let Some(root) = facts.first_mut() {
        settle(dom.root(), root);
    }
    facts
}

/// From which size on letters say that a line is a heading: a quarter more than most of the text has.
fn large_font(dom: &Dom, looks: &Looks) -> u16 {
    let mut counts = std::collections::BTreeMap::<u16, usize>::new();
    for text in dom.nodes().filter(|node| node.kind() == Kind::Text) {
        if let Some(look) = text.parent().and_then(|parent| looks.of(parent.id()))
            && look.has_size()
        {
            *counts.entry(look.font_size).or_default() += text.text().trim().len();
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count).map_or(160, |(size, _)| size);
    most.saturating_add(most / 4).max(1)
}

/// The title of the page, which a text repeats if it is the headline, whatever its markup.
struct Headline {
    title: String,
    width: u32,
}

impl Headline {
    fn new(dom: &Dom) -> Self {
        let title = crate::tree::title(dom);
        let width = width(&title);
        Self { title, width }
    }

    /// Most of the title, and not in a link: that is a way to the page, not the page.
    fn is(&self, text: &str, fact: &Fact) -> bool {
        let chars = fact.sum.chars;
        chars >= HEADLINE
            && chars <= self.width
            && chars * 3 >= self.width
            && fact.sum.links == 0
            && !fact.inside.whole
            && self.title.contains(text.trim())
    }
}

/// The least of a headline: less is the name of a site or section.
const HEADLINE: u32 = 12;

/// What a node is by itself.
fn own(node: Node<'_>, around: Inside, looks: Option<&Looks>) -> Fact {
    let mut fact = Fact {
        class: Class::Hidden,
        shows: false,
        holds_boxes: false,
        is_link: false,
        holds_breaks: false,
        ends_in_rule: false,
        title: 0,
        sum: Sum::default(),
        loose: 0,
        inside: around,
    };
    if around.hidden {
        return fact;
    }
    let look = looks.and_then(|looks| looks.of(node.id()));
    match node.kind() {
        Kind::Comment | Kind::Doctype => {}
        Kind::Document | Kind::ShadowRoot => fact.class = Class::Layout,
        Kind::Text => {
            let look = looks.and_then(|looks| looks.of(node.parent()?.id()));
            own_text(node, look, &mut fact);
        }
        Kind::Element => own_element(node, look, &mut fact),
    }
    if around.whole && matches!(fact.class, Class::Layout | Class::Heading(_) | Class::Rule) {
        fact.class = Class::Inline;
    }
    fact
}

/// A text, and how the element around it looks.
fn own_text(node: Node<'_>, look: Option<&Look>, fact: &mut Fact) {
    // The text of a frame is for browsers that know no frames.
    let is_fallback = node.parent().is_some_and(|parent| parent.is(known::IFRAME));
    if is_fallback || look.is_some_and(has_no_size) {
        return;
    }
    fact.class = Class::Text;
    let chars = width(node.text());
    fact.shows = chars > 0;
    fact.sum.chars = chars;
    if fact.inside.link {
        fact.sum.links = chars;
    }
    if fact.inside.bold {
        fact.sum.bold = chars;
    }
}

fn own_element(node: Node<'_>, look: Option<&Look>, fact: &mut Fact) {
    let Some(name) = node.name_id() else { return };
    if crate::tree::text::is_invisible(node) || is_unseen(node, name, look) {
        fact.inside.hidden = true;
        return;
    }
    fact.class = class(node, name, look);
    fact.inside.menu |= name == known::NAV || node.attribute("role") == Some("navigation");
    let has_no_size = look.is_some_and(has_no_size);
    match fact.class {
        Class::Media => {
            fact.inside.whole = true;
            if is_spacer(node, name, look) {
                fact.class = Class::Blank;
                fact.inside.hidden = true;
            } else {
                // An icon is no picture.
                fact.sum.media = u16::from(name != known::SVG);
                fact.shows = true;
                fact.holds_breaks = parts_text(name);
            }
        }
        Class::Control => {
            fact.inside.whole = true;
            fact.sum.controls = 1;
            fact.shows = !has_no_size;
        }
        Class::Heading(_) => {
            fact.inside.bold = true;
            fact.inside.whole = true;
        }
        _ => {}
    }
    if name == known::A && node.attribute_by(known::HREF).is_some() {
        fact.is_link = true;
        fact.inside.link = true;
        fact.shows |= !has_no_size;
    }
    fact.inside.bold |= match look {
        Some(look) => look.weight >= 600,
        None => is_bold(node, name),
    };
}

fn has_no_size(look: &Look) -> bool {
    look.display != Display::Contents && (look.width <= 0 || look.height <= 0)
}

/// Elements that show nothing, though what is in them might.
fn is_unseen(node: Node<'_>, name: Name, look: Option<&Look>) -> bool {
    let has_type = |wanted: &str| {
        node.attribute_by(known::TYPE).is_some_and(|is| is.eq_ignore_ascii_case(wanted))
    };
    look.is_some_and(|look| look.display == Display::None)
        || (name == known::INPUT && has_type("hidden"))
        || matches!(name, known::LINK | known::META | known::BASE | known::PARAM | known::SOURCE)
        || matches!(name, known::TRACK | known::AREA | known::COL | known::WBR)
}

fn class(node: Node<'_>, name: Name, look: Option<&Look>) -> Class {
    match name {
        known::BR => Class::Break,
        known::HR => Class::Rule,
        known::H1 => Class::Heading(1),
        known::H2 => Class::Heading(2),
        known::H3 => Class::Heading(3),
        known::H4 => Class::Heading(4),
        known::H5 => Class::Heading(5),
        known::H6 => Class::Heading(6),
        known::IFRAME | known::FRAME if node.frame_document().is_some() => Class::Layout,
        known::IMG | known::VIDEO | known::IFRAME | known::FRAME | known::EMBED => Class::Media,
        known::OBJECT | known::SVG | known::MATH | known::IMAGE => Class::Media,
        known::INPUT | known::BUTTON | known::SELECT | known::TEXTAREA => Class::Control,
        _ if matches!(node.name(), "canvas" | "audio" | "applet" | "meter" | "progress") => {
            Class::Media
        }
        _ if node.is_foreign() => Class::Inline,
        _ => match look.map(|look| look.display) {
            Some(Display::Inline | Display::InlineBlock | Display::Contents) => Class::Inline,
            Some(_) => Class::Layout,
            None if is_box_name(name) => Class::Layout,
            None => Class::Inline,
        },
    }
}

fn is_box_name(name: Name) -> bool {
    matches!(name, known::TD | known::TH) || crate::tree::text::breaks_line(name)
}

fn is_bold(node: Node<'_>, name: Name) -> bool {
    name == known::TH || matches!(node.name(), "b" | "strong" | "big")
}

/// Pictures that only take place, as pages before style sheets had them by the dozen.
fn is_spacer(node: Node<'_>, name: Name, look: Option<&Look>) -> bool {
    let is_thin = |size: i32| size <= 2;
    if let Some(look) = look {
        return is_thin(look.width) || is_thin(look.height);
    }
    let size = |attribute| {
        let value = node.attribute(attribute)?;
        value.trim().trim_end_matches("px").parse().ok()
    };
    name != known::SVG
        && (size("width").is_some_and(is_thin) || size("height").is_some_and(is_thin))
}

/// Whether a picture or frame parts text wherever it stands, not only on a line of its own.
pub(super) fn parts_text(name: Name) -> bool {
    !matches!(name, known::IMG | known::SVG | known::IMAGE | known::MATH)
}

/// How wide a text is: blanks are nothing, ideographs two.
fn width(text: &str) -> u32 {
    let width = |c: char| match c {
        c if c.is_ascii() => u32::from(!c.is_ascii_whitespace() && !c.is_ascii_control()),
        c if c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{ad}') => 0,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' => 2,
        '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}' => 2,
        _ => 1,
    };
    text.chars().map(width).fold(0, u32::saturating_add)
}

/// Decides what follows from all that is below a node.
fn settle(node: Node<'_>, fact: &mut Fact) {
    let sum = &mut fact.sum;
    match fact.class {
        // A link or a span around boxes is a box: rule 3 holds for format that formats.
        Class::Inline if fact.holds_boxes => fact.class = Class::Layout,
        // Only scripts can put something into these.
        Class::Break | Class::Rule if fact.shows => fact.class = Class::Layout,
        // The choices of a list box are not on the page.
        Class::Control => sum.chars = sum.chars.min(CONTROL_WEIGHT),
        Class::Heading(rank) if fact.shows => {
            sum.headings = 1;
            sum.headlines = u16::from(rank == 1);
            fact.title = rank;
            sum.titles = sum.chars;
        }
        _ => {}
    }
    if fact.is_link && sum.chars > 0 {
        sum.link_count = 1;
    }
    if fact.class == Class::Layout && fact.shows {
        if fact.loose > LINE {
            sum.prose = sum.prose.saturating_add(fact.loose);
        } else if !fact.holds_boxes && !node.name_id().is_some_and(is_for_text) {
            sum.boxes = 1;
        }
        if matches!(node.name_id(), Some(known::IFRAME | known::FRAME)) {
            sum.boxes = sum.boxes.saturating_add(1);
        }
    }
}

/// Boxes that running text is made of.
fn is_for_text(name: Name) -> bool {
    use known::*;
    [P, BLOCKQUOTE, PRE, FIGURE, FIGCAPTION, UL, OL, LI, DL, DT, DD, CENTER, ADDRESS]
        .contains(&name)
}

/// Adds a node to the one around it. Nodes come last to first.
fn gather(fact: &Fact, around: &mut Fact) {
    if matches!(fact.class, Class::Break | Class::Rule) || (fact.holds_breaks && !fact.is_box()) {
        around.holds_breaks = true;
    }
    around.ends_in_rule |= !around.shows && (fact.class == Class::Rule || fact.ends_in_rule);
    if fact.shows {
        around.loose = around.loose.saturating_add(match fact.class {
            Class::Text => fact.sum.chars.saturating_sub(fact.sum.links),
            Class::Inline => fact.loose,
            _ => 0,
        });
        around.shows = true;
        around.holds_boxes |=
            fact.is_box() || matches!(fact.class, Class::Heading(_)) || fact.holds_boxes;
        around.title = fact.title;
        around.sum.add(&fact.sum);
    }
}
