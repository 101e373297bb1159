//! The evidence for a label: what is known about a run, as numbers of about one.
//!
//! Counts enter by their logarithm, amounts as shares. None names a site or what is made by one.

use super::count::{Made, WORDS, depth, opening};
use super::hint::Use;
use super::model::Row;
use super::score::Facts;
use super::{Label, Labeller};
use crate::tree::names::known;
use crate::tree::{Name, NodeId};

/// Numbers by name, in the order of the table of weights.
pub(super) struct Evidence {
    pub(super) values: Vec<f32>,
    /// Their names, if they were asked for.
    names: Option<Vec<String>>,
}

impl Evidence {
    fn put(&mut self, group: &str, name: &str, value: f32) {
        self.values.push(value);
        if let Some(names) = &mut self.names {
            names.push(format!("{group}.{name}"));
        }
    }

    fn when(&mut self, group: &str, name: &str, holds: bool) {
        self.put(group, name, f32::from(u8::from(holds)));
    }

    pub(super) fn named(self) -> Vec<(String, f32)> {
        self.names.unwrap_or_default().into_iter().zip(self.values).collect()
    }
}

/// A count as a number of about one.
fn log(count: u32) -> f32 {
    (count as f32).ln_1p() / 3.0
}

fn share(part: u32, all: u32) -> f32 {
    (part as f32 / all.max(1) as f32).min(1.0)
}

/// Elements by which a run can be told.
const ELEMENTS: [(&str, &[Name]); 13] = [
    ("item", &[known::LI, known::DD, known::DT]),
    ("list", &[known::UL, known::OL, known::DL, known::MENU]),
    ("table", &[known::TABLE, known::TBODY, known::TR, known::TD]),
    ("paragraph", &[known::P]),
    ("first", &[known::H1]),
    ("heading", &[known::H2, known::H3, known::H4, known::H5, known::H6]),
    ("link", &[known::A]),
    ("figure", &[known::IMG, known::FIGURE, known::VIDEO, known::IFRAME]),
    ("form", &[known::FORM, known::INPUT, known::FIELDSET]),
    ("section", &[known::SECTION]),
    ("article", &[known::ARTICLE]),
    ("header", &[known::HEADER]),
    ("footer", &[known::FOOTER]),
];

/// Elements that are asked for the pictures and links around a run.
const AROUND: usize = 3;

impl Labeller<'_> {
    pub(super) fn gather(&self, facts: &Facts, scores: &Row, named: bool) -> Evidence {
        let mut all = Evidence { values: Vec::with_capacity(240), names: named.then(Vec::new) };
        all.put("", "always", 1.0);
        self.amounts(facts, &mut all);
        self.place(facts, &mut all);
        self.structure(facts, &mut all);
        self.uses(facts, &mut all);
        self.said_words(facts, &mut all);
        for (label, score) in Label::ALL.into_iter().zip(scores) {
            all.put("score", label.name(), score / 3.0);
        }
        all
    }

    fn amounts(&self, facts: &Facts, all: &mut Evidence) {
        let sum = &facts.sum;
        for (name, count) in [
            ("words", sum.words),
            ("lines", facts.lines),
            ("links", sum.links),
            ("pictures", sum.pictures),
            ("media", sum.media),
            ("fields", sum.fields),
            ("controls", sum.controls),
            ("headings", sum.headings),
            ("titles", facts.titles),
            ("prose", sum.prose),
        ] {
            all.put("count", name, log(count));
        }
        for (name, most) in [("0", 0), ("3", 3), ("10", 10), ("40", 40), ("150", 150)] {
            all.when("words up to", name, sum.words <= most);
        }
        all.when("count", "no link", sum.links == 0);
        all.when("count", "one link", sum.links == 1);
        for (name, part, of) in [
            ("words of page", sum.words, facts.page.words),
            ("links", sum.linked, sum.words),
            ("prose", sum.prose, sum.words),
            ("stops", sum.stops * 2, sum.words),
            ("marks", sum.marks * 4, sum.words),
            ("titles", facts.titles, facts.lines),
            ("pictures per link", sum.pictures, sum.links),
            ("words per link", sum.linked, sum.links * 10),
            ("words per line", sum.words, facts.lines * 30),
            ("lines per picture", facts.lines, sum.pictures * 10),
            ("links of page", sum.links, facts.page.links),
            ("prose of page", sum.prose, facts.page.prose),
        ] {
            all.put("share", name, share(part, of));
        }
    }

    fn place(&self, facts: &Facts, all: &mut Evidence) {
        let (page, before) = (facts.page.words, facts.before.words);
        let after = page.saturating_sub(before + facts.sum.words);
        let nodes = self.lines.dom.node_count() as u32;
        all.put("place", "before", share(before, page));
        all.put("place", "after", share(after, page));
        all.put("place", "words before", log(before) / 2.0);
        all.put("place", "words after", log(after) / 2.0);
        all.when("place", "top", before <= 30.max(page / 20));
        all.when("place", "near top", before * 7 <= page);
        all.when("place", "end", after <= 40.max(page / 12));
        all.when("place", "near end", after * 3 <= page);
        all.when("place", "very end", after <= 10);
        all.put("place", "nodes before", share(facts.run.start, nodes));
        all.put("place", "depth", depth(&self.lines, facts.run.start) as f32 / 20.0);
        all.when("place", "hidden", facts.hidden);
        let main = &self.main.nodes;
        let has_main = facts.has_main;
        let mid = facts.run.start.midpoint(facts.run.end);
        all.when("main", "none", !has_main);
        all.put("main", "words", share(facts.in_main, facts.sum.words));
        all.when("main", "mostly", self.main.is_mostly_in(&facts.run));
        all.when("main", "inside", has_main && main.contains(&mid));
        all.when("main", "before", has_main && facts.run.end <= main.start);
        all.when("main", "after", has_main && facts.run.start >= main.end);
        let between = |from: u32, to: u32| self.lines.sum(&(from..to.max(from))).words;
        let gap = if !has_main || main.contains(&mid) {
            0
        } else if facts.run.end <= main.start {
            between(facts.run.end, main.start)
        } else {
            between(main.end, facts.run.start)
        };
        all.put("main", "gap", log(gap) / 2.0);
        all.put("main", "holds", share(self.main.words(&(0..nodes)), page));
    }

    fn structure(&self, facts: &Facts, all: &mut Evidence) {
        let dom = self.lines.dom;
        let first = dom.node(NodeId(facts.run.start));
        let one = facts.is_one.then(|| first.name_id()).flatten();
        for (name, names) in ELEMENTS {
            all.when("element", name, one.is_some_and(|one| names.contains(&one)));
        }
        all.when("element", "several", one.is_none());
        let inside = facts.core.map_or(0, |core| self.alike(dom.node(core)));
        all.put("alike", "inside", log(inside));
        let around = first.ancestors().take(AROUND).map(|node| self.alike(node)).max();
        all.put("alike", "around", log(around.unwrap_or_default()));
        let parent = first.parent().map(|parent| self.lines.sum_of(parent)).unwrap_or_default();
        all.put("parent", "words", share(facts.sum.words, parent.words));
        all.put("parent", "links", share(parent.linked, parent.words));
        all.put("parent", "prose", share(parent.prose, parent.words));
        let item = first.ancestors().take(5).any(|node| node.is(known::LI) || node.is(known::TD));
        all.when("parent", "item", item);
        let section = |name: Name| first.ancestors().any(|node| node.is(name));
        all.when("parent", "article", section(known::ARTICLE));
        all.when("parent", "form", section(known::FORM));
        all.when("parent", "paragraph", section(known::P));
        all.when("top", "logo", self.has_logo(facts));
        let count = self.counts_of(facts).of(&facts.run);
        for (what, name) in Made::ALL {
            all.put("made", name, log(count.made(what)));
        }
        let fields = count.made(Made::Text) + count.made(Made::Search) + count.made(Made::Email);
        all.when("made", "search only", count.made(Made::Search) == 1 && facts.sum.fields == 1);
        all.put("made", "fields per word", share(3 * fields, facts.sum.words + 1));
        all.put(
            "made",
            "buttons per word",
            share(2 * count.made(Made::Button), facts.sum.words + 1),
        );
        all.put("made", "items per line", share(count.made(Made::Item), facts.lines));
        let links = facts.sum.links.max(count.made(Made::Away));
        for (name, part) in [
            ("away", Made::Away),
            ("counted", Made::Counted),
            ("blank", Made::Blank),
            ("paid", Made::Paid),
            ("pictured", Made::Pictured),
            ("action", Made::Action),
        ] {
            all.put("links", name, share(count.made(part), links));
        }
        let pictures = count.made(Made::Picture).saturating_sub(count.made(Made::Icon));
        let bare = pictures.saturating_sub(count.made(Made::Pictured));
        all.put("picture", "bare", log(bare));
        all.put("picture", "per word", share(5 * pictures, facts.sum.words + 1));
        all.put("picture", "bare per word", share(5 * bare, facts.sum.words + 1));
        let players = count.made(Made::Player);
        all.put("player", "per word", share(10 * players, facts.sum.words + 1));
        all.put("frame", "per word", share(10 * count.made(Made::Frame), facts.sum.words + 1));
        all.put("script", "per word", share(5 * count.made(Made::Script), facts.sum.words + 1));
        let filled = fields + count.made(Made::Password) + count.made(Made::Area);
        all.put("filled", "of page", share(facts.sum.fields, facts.page.fields));
        all.when("filled", "any", filled > 0);
        all.when("filled", "login", count.made(Made::Password) > 0);
        // What calls itself an advert may be one of the site's own; what leads away seldom is.
        let shown = facts.sum.words + count.made(Made::Any);
        let called = share(count.cover(Use::Advert), shown);
        let away = share(count.made(Made::Away), links);
        all.put("called advert", "away", called * away);
        all.put("called advert", "at home", called * share(links - count.made(Made::Away), links));
        all.put("called advert", "titled", called * share(facts.titles, facts.lines));
        all.when("frame", "little else", count.made(Made::Frame) > 0 && facts.sum.words <= 10);
        all.put("made", "times per line", share(2 * count.made(Made::Time), facts.lines));
    }

    fn uses(&self, facts: &Facts, all: &mut Evidence) {
        let count = self.counts_of(facts).of(&facts.run);
        let shown = facts.sum.words + count.made(Made::Any);
        for what in Use::ALL {
            let name = what.name();
            all.put("own", name, facts.own[what as usize]);
            all.put("said", name, facts.said[what as usize]);
            all.put("cover", name, share(count.cover(what), shown));
        }
    }

    fn said_words(&self, facts: &Facts, all: &mut Evidence) {
        let counts = self.counts_of(facts);
        let count = counts.of(&facts.run);
        let lines = self.lines_of(facts).of(&facts.run);
        let opens = counts.of(&opening(lines));
        for (kind, name) in WORDS.into_iter().enumerate() {
            all.put("words", name, log(count.words(kind)));
            all.put("words share", name, share(2 * count.words(kind), facts.sum.words));
            all.when("opens with", name, opens.words(kind) > 0);
        }
    }
}
