//! Finding a topic that a block shows.

use crate::block::line::{Line, Lines, Rank, Sum};
use crate::block::looks::Look;
use crate::tree::names::known;
use crate::tree::{Dom, Node, NodeId, title};
use std::ops::Range;

/// How much larger than the text around it a headline is, in tenths. Below it, the difference is
/// that between two faces of one size.
const LARGER: u32 = 11;

/// The headline of a block.
pub(super) enum Headline<'a> {
    One(&'a Line),
    /// Those of its parts, where it has none of its own.
    Several(Vec<&'a Line>),
    None,
}

/// The line that stands out as a headline: it has one of the marks of one, is no longer than a
/// headline, and comes early.
pub(super) fn headline<'a>(
    lines: &Lines<'_>,
    own: &'a [Line],
    sum: &Sum,
    most: usize,
) -> Headline<'a> {
    let body = Body::of(lines, own);
    let (mut before, mut lines_before) = (0, 0);
    let mut best: Vec<&Line> = Vec::new();
    let mut standing_of_best = None;
    for line in own {
        let words = line.tally.words;
        before += words;
        let is_of_none = !names_something(lines, line) || own.len() > 1 && is_control(lines, line);
        lines_before += usize::from(!is_of_none);
        // Behind a menu, or beside a field, it heads what comes after it.
        let is_of_part = sum.prose < TEXT
            && line.rank != Rank::Heading(1)
            && standing_of_best.is_none()
            && (lines_before > EARLY_LINES || names_field(lines, own, line));
        if words as usize > most * 3 || is_of_none || is_of_part {
            continue;
        }
        let Some(standing) = body.standing(lines, line, before - words) else {
            continue;
        };
        let reach = if line.rank == Rank::Heading(1) { sum.words * 2 / 5 } else { sum.words / 8 };
        match standing_of_best {
            Some(known) if standing == known => best.push(line),
            Some(known) if standing < known => {}
            _ if before - words <= EARLY.max(reach) => {
                standing_of_best = Some(standing);
                best = vec![line];
            }
            _ => {}
        }
    }
    match best.as_slice() {
        [] => Headline::None,
        [only] => Headline::One(only),
        // Parts of one rank: what is set apart before the first of them heads them all.
        [first, second, ..] => match own.iter().find(|line| !is_control(lines, line)) {
            Some(opening) if heads(lines, opening, first, second) => Headline::One(opening),
            _ if sum.prose * 2 > sum.words => Headline::One(first),
            _ => Headline::Several(best),
        },
    }
}

/// Lines before a headline, itself included: a path, a date, a word above it. More are a menu.
const EARLY_LINES: usize = 6;

/// Whether a line, no heading, stands behind a field of its block: it is the name of another one.
fn names_field(lines: &Lines<'_>, own: &[Line], line: &Line) -> bool {
    let from = own.first().map_or(line.first, |first| first.first);
    !matches!(line.rank, Rank::Heading(_)) && lines.sum(&(from.0..line.first.0)).fields > 0
}

/// Whether the first line of a block heads two others: they are in a box with it, and the first of
/// them is not alone with it, as with the word above its own headline.
fn heads(lines: &Lines<'_>, opening: &Line, first: &Line, second: &Line) -> bool {
    let mut around = lines.dom.node(opening.first).ancestors();
    let box_of_both = around.find(|node| node.end() > first.first);
    opening.first < first.first
        && box_of_both.is_some_and(|node| node.end() > second.first)
        && is_name(lines, opening)
}

/// Whether a line reads like the name of something: a few words, letters among them.
fn is_name(lines: &Lines<'_>, line: &Line) -> bool {
    if !(1..=12).contains(&line.tally.words) || line.tally.marks > 4 {
        return false;
    }
    let text = lines.text(line);
    // A name may tell after a colon what it is about, and trail off.
    let most = if text.contains([':', '：']) { 12 } else { 8 };
    let marks = line.tally.marks - if text.ends_with("...") { 3 } else { 0 };
    line.tally.words <= most
        && marks <= 1
        && text.chars().filter(|c| c.is_alphabetic()).count() >= 2
}

/// Words of sentences from which a block can be the text of the page.
const TEXT: u32 = 100;

/// Lines of a text among which the headline of the page is looked for.
const MOST_LINES: usize = 150;

/// The headline of the page in a block that holds its text: the line that most of the title of the
/// page is. The name of a section may stand out more.
pub(super) fn page_headline<'a>(lines: &Lines<'_>, own: &'a [Line], sum: &Sum) -> Option<&'a Line> {
    if sum.prose < TEXT {
        return None;
    }
    let title = title(lines.dom);
    let is_title = |line: &&Line| {
        let could_be = !line.prose && line.linked == 0 && line.tally.words >= 3;
        could_be && {
            let text = lines.text(line);
            text.len() * 5 >= title.len() * 2 && title.contains(&text)
        }
    };
    own.iter().take(MOST_LINES).find(is_title)
}

/// The heading of a list that no element marks as one: a short line, not all of it a link, before
/// at least three lines of links in a box with it.
pub(super) fn list_heading<'a>(lines: &Lines<'_>, own: &'a [Line]) -> Option<&'a Line> {
    let at = own.iter().take(3).position(|line| !is_control(lines, line))?;
    let (opening, after) = own.get(at..)?.split_first()?;
    let is_heading = opening.linked < opening.tally.words
        && is_name(lines, opening)
        && names_something(lines, opening);
    if !is_heading {
        return None;
    }
    let items: Vec<&Line> =
        after.iter().filter(|line| line.linked * 2 > line.tally.words).collect();
    let (first, second) = (items.first()?, items.get(1)?);
    let is_list = items.len() >= 3 && items.len() * 3 >= after.len();
    // Before the first of them there is at most a word more.
    let is_near = after.iter().take(3).any(|line| line.first == first.first);
    (is_list && is_near && heads(lines, opening, first, second)).then_some(opening)
}

/// What controls and marks of adverts say that are on pages of every kind, in several languages.
const CONTROLS: [&str; 72] = [
    "home",
    "advertisement",
    "sponsored",
    "anzeige",
    "werbung",
    "publicidad",
    "首页",
    "广告",
    "close",
    "search",
    "submit",
    "read more",
    "more",
    "menu",
    "subscribe",
    "subscribe now",
    "sign in",
    "sign up",
    "log in",
    "login",
    "log out",
    "register",
    "share",
    "share this",
    "print",
    "email",
    "next",
    "previous",
    "cancel",
    "ok",
    "send",
    "go",
    "save",
    "follow",
    "skip",
    "back",
    "toggle navigation",
    "open navigation menu",
    "open menu",
    "close menu",
    "skip to content",
    "skip to main content",
    "continue reading",
    "show more",
    "load more",
    "view all",
    "see all",
    "reply",
    "comment",
    "facebook",
    "twitter",
    "caption",
    "loading",
    "loading...",
    "schließen",
    "suchen",
    "anmelden",
    "mehr",
    "weiter",
    "teilen",
    "drucken",
    "关闭",
    "搜索",
    "登录",
    "注册",
    "取消",
    "关注",
    "分享",
    "更多",
    "提交",
    "确定",
    "回复",
];

/// Whether a line is what a reader presses.
pub(super) fn is_control(lines: &Lines<'_>, line: &Line) -> bool {
    if line.tally.words > 5 {
        return false;
    }
    let text = lines.text(line).to_lowercase();
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    let is_in_button = || {
        let mut around = lines.dom.node(line.first).ancestors().take(3);
        !matches!(line.rank, Rank::Heading(_)) && around.any(|node| node.is(known::BUTTON))
    };
    CONTROLS.contains(&text)
        || text.split_whitespace().all(|word| CONTROLS.contains(&word))
        || is_in_button()
}

/// The line that says what a form is for: the first that is more than the name of a field.
pub(super) fn form_line<'a>(lines: &Lines<'_>, own: &'a [Line], sum: &Sum) -> Option<&'a Line> {
    let is_form = sum.fields > 0 && sum.words < 60 && sum.linked * 2 <= sum.words;
    let says = |line: &&Line| {
        line.tally.words >= 3 && names_something(lines, line) && !is_control(lines, line)
    };
    own.iter().find(|line| is_form && says(line))
}

/// Whether a block is a form of which nothing but the names of its fields is to be read.
pub(super) fn is_bare_form(own: &[Line], sum: &Sum) -> bool {
    sum.fields > 0 && own.len() >= 2 && own.iter().all(|line| line.tally.words <= 2)
}

/// Words before a headline: a date, a path, a word above the line.
const EARLY: u32 = 20;

/// A headline has a letter in it; a price has none. And it is no name of a file, no date, no counter
/// ("Image 1 of 5") and no left-over of a script.
pub(super) fn names_something(lines: &Lines<'_>, line: &Line) -> bool {
    if line.tally.words == 0 || line.tally.characters < 2 {
        return false;
    }
    if line.tally.words > 12 {
        return true;
    }
    let text = lines.text(line);
    let is_file = [".jpg", ".jpeg", ".png", ".gif", ".webp"].iter().any(|end| text.ends_with(end));
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_date = digits >= 5 && digits * 2 >= letters;
    let mut parts = text
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, ',' | '.'))
        .filter(|part| !part.is_empty());
    let (numbers, words) = parts.by_ref().fold((0, 0), |(numbers, words), part| {
        match !part.contains(char::is_alphabetic) {
            true => (numbers + 1, words),
            false => (numbers, words + 1),
        }
    });
    let is_counter = numbers >= 2 && words <= 2;
    let is_code = ["/*", "//", "<!--", "{"].iter().any(|start| text.starts_with(start));
    letters > 0 && !is_file && !is_date && !is_counter && !is_code
}

/// How far a line stands out: by its size, then by what its element says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    size: u32,
    rank: u8,
}

/// What most of a block's text looks like.
struct Body {
    look: Option<Look>,
    lines: usize,
}

impl Body {
    fn of(lines: &Lines<'_>, own: &[Line]) -> Self {
        let mut sizes: Vec<(u32, Look)> = Vec::new();
        for line in own {
            let Some(look) = look(lines, line) else {
                continue;
            };
            let alike = |other: &Look| {
                (other.font_size, other.colour, other.weight)
                    == (look.font_size, look.colour, look.weight)
            };
            match sizes.iter().position(|(_, other)| alike(other)) {
                Some(at) => sizes[at].0 += line.tally.words,
                None if sizes.len() < 32 => sizes.push((line.tally.words, *look)),
                None => {}
            }
        }
        // Of equal ones the first.
        let most = sizes.iter().rev().max_by_key(|(words, _)| *words).map(|(_, look)| *look);
        Self { look: most, lines: own.len() }
    }

    /// How far a line with so many words before it stands out from the rest; none if it does not.
    fn standing(&self, lines: &Lines<'_>, line: &Line, before: u32) -> Option<Standing> {
        let rank = match line.rank {
            Rank::Heading(level) => 20 - level,
            Rank::Caption if before <= 3 => 5,
            Rank::Strong if before <= EARLY && !line.prose && self.lines > 1 => 3,
            _ => 0,
        };
        let Some((own, body)) = look(lines, line).zip(self.look.as_ref()) else {
            return (rank > 0).then_some(Standing { size: 0, rank });
        };
        let size = u32::from(own.font_size);
        let is_larger = size * 10 >= u32::from(body.font_size) * LARGER;
        let is_apart = before <= EARLY
            && !line.prose
            && (own.colour != body.colour || own.weight >= body.weight.saturating_add(200))
            && self.lines > 1;
        let rank = if rank == 0 && is_apart { 2 } else { rank };
        (rank > 0 || is_larger).then_some(Standing { size, rank })
    }
}

fn look<'a>(lines: &Lines<'a>, line: &Line) -> Option<&'a Look> {
    lines.looks?.of(line.holder)
}

/// Whether a block is a menu: short links, hardly anything else.
pub(super) fn is_menu(own: &[Line], sum: &Sum) -> bool {
    let lines = own.len().max(1) as u32;
    let titles = own.iter().filter(|line| line.is_title_link()).count() as u32;
    sum.links >= 2
        && sum.linked * 10 >= sum.words * 6
        && sum.words <= 4 * lines.max(sum.links)
        && titles * 4 < lines
}

/// Whether a block begins with a menu, whatever comes after it: one short link after another.
pub(super) fn opens_with_menu(lines: &Lines<'_>, own: &[Line]) -> bool {
    let is_entry = |line: &Line| {
        let is_short = line.linked * 2 > line.tally.words && line.tally.words <= 4;
        is_short || is_control(lines, line)
    };
    own.get(..EARLY_LINES).is_some_and(|opening| opening.iter().all(is_entry))
}

/// The opening of a block that has no mark of a headline: a link that is a line of its own, as a
/// teaser has; a short line set apart before sentences; or the name before what is no text at all.
pub(super) fn opening<'a>(
    lines: &Lines<'_>,
    own: &'a [Line],
    sum: &Sum,
    most: usize,
) -> Option<&'a Line> {
    let fits = |line: &&Line| line.tally.words >= 3 && line.tally.words as usize <= most * 2;
    // One long name among many short ones is not what they are about.
    let titles = own.iter().filter(|line| line.is_title_link()).count();
    let title = own
        .iter()
        .take(TEASER_LINES)
        .filter(|_| own.len() <= TEASER_LINES || titles * 4 >= own.len())
        .find(|line| fits(line) && line.is_title_link());
    let apart = || {
        let prose = own.iter().position(|line| line.prose)?;
        let is_apart = |line: &&Line| {
            let ends = |text: String| text.ends_with(['.', ',', '"', '”', '。', '，', ':', '：']);
            line.tally.marks <= 1
                && names_something(lines, line)
                && !is_control(lines, line)
                && !ends(lines.text(line))
        };
        own.get(..prose)?.iter().find(|line| fits(line) && is_apart(line))
    };
    let name = || {
        let is_text = sum.prose * 2 > sum.words || own.len() < 2;
        let is_it = |line: &&Line| is_name(lines, line) && names_something(lines, line);
        own.iter().find(|line| !is_text && is_it(line) && !is_control(lines, line))
    };
    title.or_else(apart).or_else(name)
}

/// Lines of one teaser at most: a word above the title, the title, a sentence, author, date, more.
const TEASER_LINES: usize = 8;

/// The line with the most words; of equal ones the first.
pub(super) fn longest(own: &[Line]) -> Option<&Line> {
    own.iter().rev().max_by_key(|line| line.tally.words)
}

fn said(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| text.chars().any(char::is_alphanumeric))
}

fn labelled(node: Node<'_>) -> Option<&str> {
    node.attribute("aria-label").and_then(said)
}

fn elements<'a>(dom: &'a Dom, run: &Range<u32>) -> impl Iterator<Item = Node<'a>> {
    run.clone().filter_map(|id| dom.get(NodeId(id))).filter(|node| node.is_element())
}

/// What a block is called by the `aria-label` of its outermost elements: a box with one box inside is
/// one thing, its label may be on either.
pub(super) fn label<'a>(dom: &'a Dom, run: &Range<u32>) -> Option<&'a str> {
    elements(dom, run).take(OUTERMOST).find_map(|node| {
        let holds_most = node.size() * 10 >= run.len() * 8;
        labelled(node).filter(|_| holds_most)
    })
}

/// What a block without a headline is called by attributes that exist for that: a field of a form
/// that has no text of its own, the `alt` of a picture, the `title` of a frame.
pub(super) fn name<'a>(
    lines: &Lines<'a>,
    own: &[Line],
    run: &Range<u32>,
    sum: &Sum,
) -> Option<&'a str> {
    let nodes = || elements(lines.dom, run);
    if sum.fields > 0 && !is_bare_form(own, sum) && sum.words < 40 && sum.linked * 2 <= sum.words {
        return nodes().find_map(form_name).and_then(said);
    }
    if sum.words == 0 {
        return nodes().find_map(|node| match node.name_id()? {
            known::IMG | known::AREA => node.attribute_by(known::ALT).and_then(said),
            known::IFRAME | known::VIDEO | known::OBJECT | known::EMBED | known::A => {
                node.attribute_by(known::TITLE).and_then(said).or_else(|| labelled(node))
            }
            known::INPUT => form_name(node).and_then(said),
            _ => labelled(node),
        });
    }
    None
}

/// Nodes at the beginning of a block among which its own label is looked for.
const OUTERMOST: usize = 8;

/// What a field or a button of a form says of the form.
fn form_name(node: Node<'_>) -> Option<&str> {
    let value = |name: &str| node.attribute(name).filter(|value| !value.trim().is_empty());
    match node.name_id()? {
        known::INPUT => match value("type") {
            Some("submit" | "button") => value("value"),
            Some("hidden") => None,
            _ => value("placeholder").or_else(|| value("aria-label")).or_else(|| value("title")),
        },
        known::TEXTAREA | known::SELECT => value("placeholder").or_else(|| value("aria-label")),
        known::FORM => value("aria-label"),
        _ => None,
    }
}
