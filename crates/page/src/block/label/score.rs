//! What speaks for each label by itself, as a person would weigh it: part of the evidence.

use super::count::{Counts, TITLE};
use super::hint::Use;
use super::model::{Row, Weighed};
use super::region::is_list;
use super::{Label, Labeller};
use crate::block::line::{Lines, Rank, Sum};
use crate::tree::names::known;
use crate::tree::{Node, NodeId};
use std::ops::Range;

/// Elements inside a run that are looked at for being all of it.
const DEEPEST_CORE: usize = 12;

/// What speaks for a label that is named by convention comes to at least this.
const NAMED: f32 = 4.0;

/// What elements say, by [`Use`]: 2 for certain.
pub(super) type Said = [f32; Use::ALL.len()];

/// What is known about a run.
pub(super) struct Facts {
    pub(super) run: Range<u32>,
    pub(super) sum: Sum,
    pub(super) page: Sum,
    pub(super) before: Sum,
    /// Whether all it holds is hidden: what it would show counts then.
    pub(super) hidden: bool,
    /// Whether it is one element.
    pub(super) is_one: bool,
    /// What it and those inside that are all of it say.
    pub(super) own: Said,
    /// What its elements and those around it say, by [`Use`]: 2 for certain.
    pub(super) said: Said,
    /// The innermost element that holds all it shows.
    pub(super) core: Option<NodeId>,
    /// Lines that are titles of something elsewhere.
    pub(super) titles: u32,
    pub(super) lines: u32,
    /// Words of it in the main text of the page.
    pub(super) in_main: u32,
    /// Whether the page has a main text.
    pub(super) has_main: bool,
}

impl<'a> Labeller<'a> {
    /// Weighs the evidence for a run by itself.
    pub(super) fn weigh(&self, run: Range<u32>) -> Weighed {
        let facts = self.facts(run);
        let scores = self.scores(&facts);
        match self.settled(&facts, &scores) {
            Some(label) => Weighed::settled(label),
            None => {
                Weighed::of(&self.gather(&facts, &scores, false).values, self.can_be_main(&facts))
            }
        }
    }

    /// The label of a run that needs no weighing.
    pub(super) fn settled(&self, facts: &Facts, scores: &Row) -> Option<Label> {
        if facts.sum.is_empty() && facts.said(Use::Advert) < 1.0 {
            return Some(Label::Other);
        }
        if self.main.is_mostly_in(&facts.run) {
            return Some(Label::Main);
        }
        let best = Label::ALL
            .into_iter()
            .rev()
            .max_by(|a, b| scores[*a as usize].total_cmp(&scores[*b as usize]))?;
        // The weights are learned from blocks that show text; and what is named by convention, in
        // an element for it or in so many words, needs none.
        let is_named =
            matches!(best, Label::Advert | Label::Comments) && scores[best as usize] >= NAMED;
        (facts.sum.words == 0 || is_named).then_some(best)
    }

    /// Whether a run can be part of what the page is there to say: beside the main text only its
    /// headline is.
    fn can_be_main(&self, facts: &Facts) -> bool {
        let is_beside = facts.has_main && facts.in_main == 0;
        !is_beside || self.counts_of(facts).of(&facts.run).words(TITLE) > 0
    }

    /// What speaks for each label, in the order of [`Label::ALL`].
    pub(super) fn scores(&self, facts: &Facts) -> Row {
        Label::ALL.map(|label| match label {
            Label::Header => self.header(facts),
            Label::Navigation => facts.navigation(),
            Label::Main => facts.main(),
            Label::List => self.list(facts),
            Label::Comments => self.comments(facts),
            Label::Form => facts.form(),
            Label::Advert => self.advert(facts),
            Label::Media => facts.media(),
            Label::Footer => self.footer(facts),
            Label::Other => facts.other(),
        })
    }

    pub(super) fn facts(&self, run: Range<u32>) -> Facts {
        let shown = self.lines.sum(&run);
        let hidden = shown.is_empty();
        let lines = if hidden { self.whole() } else { &self.lines };
        let sum = if hidden { lines.sum(&run) } else { shown };
        let own = lines.of(&run);
        let first = lines.dom.node(NodeId(run.start));
        let (of_own, said, core) = self.said(&run, &sum, lines);
        Facts {
            page: self.lines.sum_of(lines.dom.root()),
            before: self.lines.sum(&(0..run.start)),
            hidden: hidden && !sum.is_empty(),
            is_one: first.is_element() && first.end().0 == run.end,
            own: of_own,
            said,
            core,
            titles: own.iter().filter(|line| line.is_title_link()).count() as u32,
            lines: own.len() as u32,
            in_main: self.main.words(&run),
            has_main: !self.main.is_empty(),
            sum,
            run,
        }
    }

    /// The lines that a run is read from.
    pub(super) fn lines_of(&self, facts: &Facts) -> &Lines<'a> {
        if facts.hidden { self.whole() } else { &self.lines }
    }

    fn whole(&self) -> &Lines<'a> {
        self.whole.get_or_init(|| self.lines.whole())
    }

    /// The counts that go with them.
    pub(super) fn counts_of(&self, facts: &Facts) -> &Counts {
        if !facts.hidden {
            return &self.counts;
        }
        self.whole_counts.get_or_init(|| Counts::new(self.whole(), &self.hints))
    }

    /// What the elements of a run say: the one that it is, those inside that are all of it, and those
    /// around it, each that says something counting less than the one before.
    fn said(&self, run: &Range<u32>, sum: &Sum, lines: &Lines<'_>) -> (Said, Said, Option<NodeId>) {
        let mut said: Said = [0.0; Use::ALL.len()];
        let dom = self.lines.dom;
        let page = self.lines.sum_of(dom.root());
        let first = dom.node(NodeId(run.start));
        let is_one = first.is_element() && first.end().0 >= run.end;
        let main = &self.main.nodes;
        let hear = |said: &mut Said, node: Node<'_>, weight: f32| -> bool {
            let hint = self.hints.of(node);
            // A class on a wrapper of most of the page names one of the things in it.
            let is_around = node.id().0 < run.start && node.end().0 >= run.end;
            let holds_main =
                !main.is_empty() && node.id().0 <= main.start && node.end().0 >= main.end;
            let is_wide =
                self.lines.sum_of(node).words * 10 > page.words * 6 || is_around && holds_main;
            let mut heard = false;
            for what in Use::ALL {
                // What an element is by its name, all in it is part of, however deep.
                let worth = match () {
                    () if hint.is_strong(what) => 2.0 * weight.max(0.9),
                    () if hint.is_weak(what) && !(is_wide && what != Use::Main) => weight,
                    () => continue,
                };
                heard = true;
                let slot = &mut said[what as usize];
                *slot = f32::max(*slot, worth);
            }
            heard
        };
        let mut core = is_one.then_some(first);
        if let Some(mut inner) = core {
            hear(&mut said, inner, 1.0);
            for _ in 0..DEEPEST_CORE {
                let holds_all = |child: &Node<'_>| {
                    let of_child = lines.sum_of(*child);
                    of_child.words * 10 >= sum.words * 9
                        && of_child.fields == sum.fields
                        && of_child.pictures == sum.pictures
                        && of_child.media == sum.media
                };
                let Some(child) = inner.children().filter(|c| c.is_element()).find(holds_all)
                else {
                    break;
                };
                hear(&mut said, child, 1.0);
                inner = child;
            }
            core = Some(inner);
        }
        let own = said;
        let mut weight = 0.95;
        for around in first.ancestors() {
            if hear(&mut said, around, weight) {
                weight *= 0.9;
            }
        }
        (own, said, core.map(Node::id))
    }

    /// How many children of an element are of one name and link somewhere.
    pub(super) fn alike(&self, of: Node<'_>) -> u32 {
        if let Some(known) = self.alike.borrow().get(&of.id().0) {
            return *known;
        }
        let mut names: Vec<(&str, u32)> = Vec::new();
        for child in of.children().filter(|child| child.is_element()) {
            let sum = self.lines.sum_of(child);
            if sum.links == 0 || sum.words < 3 {
                continue;
            }
            match names.iter().position(|(name, _)| *name == child.name()) {
                Some(at) => names[at].1 += 1,
                None if names.len() < 8 => names.push((child.name(), 1)),
                None => {}
            }
        }
        let most = names.iter().map(|(_, count)| *count).max().unwrap_or_default();
        self.alike.borrow_mut().insert(of.id().0, most);
        most
    }

    fn header(&self, facts: &Facts) -> f32 {
        let is_top = facts.before.words <= 30.max(facts.page.words / 20);
        // Parts of a page have headers too.
        let is_near_top = facts.before.words * 7 <= facts.page.words;
        let mut score = facts.said(Use::Header) * if is_near_top { 1.5 } else { 0.4 };
        if is_top && self.has_logo(facts) {
            score += 2.5;
        }
        if facts.sum.words > 120 || facts.sum.prose > 40 {
            score -= 2.0;
        }
        score
    }

    /// Whether a run has a picture or a heading that links to the front page.
    pub(super) fn has_logo(&self, facts: &Facts) -> bool {
        let dom = self.lines.dom;
        let nodes = facts.run.clone().filter_map(|id| dom.get(NodeId(id)));
        nodes.filter(|node| node.is(known::A)).take(3).any(|link| {
            let href = link.attribute_by(known::HREF).unwrap_or_default();
            let after = href.split_once("://").map_or(href, |(_, after)| after);
            let is_front = match after.split_once('/') {
                Some((_, path)) => path.is_empty() || path.starts_with("index."),
                None => href.contains("://"),
            };
            is_front && self.lines.sum_of(link).pictures > 0
        })
    }

    fn list(&self, facts: &Facts) -> f32 {
        let dom = self.lines.dom;
        let inside = facts.core.map_or(0, |core| self.alike(dom.node(core)));
        let first = dom.node(NodeId(facts.run.start));
        let around = first.ancestors().take(3).map(|node| self.alike(node)).max().unwrap_or(0);
        let mut score = 1.5 * facts.said(Use::Related) - 2.0 * facts.said(Use::Comments);
        if facts.titles >= 2 && facts.titles * 4 >= facts.lines {
            score += 2.0;
        }
        if inside >= 3 {
            score += 1.0;
        }
        if around >= 3 && facts.titles >= 1 {
            score += 1.5;
        }
        if is_list(&self.lines, &facts.run) {
            score += 1.0;
        }
        // One teaser, outside the text.
        if facts.titles >= 1 && facts.in_main == 0 && facts.sum.words <= 80 {
            score += 1.2;
        }
        if facts.has_main && facts.said(Use::Aside) > 0.0 && facts.titles >= 1 {
            score += 0.5;
        }
        score
    }

    fn advert(&self, facts: &Facts) -> f32 {
        let mut score = 2.7 * facts.said(Use::Advert);
        let first = self.lines_of(facts).of(&facts.run).first();
        let first = first.map_or("", |line| self.lines.dom.node(line.first).text());
        if facts.sum.words < 150 && is_ad_word(first) {
            score += 4.0;
        }
        if facts.sum.prose > 150 {
            score -= 2.0;
        }
        // A word of a class, on what looks like a list of the site's own.
        if facts.titles >= 2 && facts.said(Use::Advert) <= 1.0 {
            score -= 1.0;
        }
        score
    }

    fn comments(&self, facts: &Facts) -> f32 {
        let mut score = 2.6 * facts.said(Use::Comments);
        if facts.in_main * 2 > facts.sum.words {
            score -= 1.0;
        }
        let is_teaser = facts.titles >= 1 && facts.sum.prose < facts.titles * 50;
        if facts.sum.words < 10 || is_teaser {
            return score;
        }
        let opening = self.lines_of(facts).of(&facts.run).iter().take(3);
        let mut short = opening.filter(|line| line.tally.words <= 5 && !line.prose);
        match short.find(|line| names_comments(&self.lines.text(line))) {
            Some(line) if matches!(line.rank, Rank::Heading(_)) => score + 6.5,
            Some(_) => score + 2.5,
            None => score,
        }
    }

    fn footer(&self, facts: &Facts) -> f32 {
        let after = facts.page.words.saturating_sub(facts.before.words + facts.sum.words);
        let is_last = after <= 40.max(facts.page.words / 12);
        let is_near_end = is_last || after * 3 <= facts.page.words;
        let mut score = facts.said(Use::Footer) * if is_near_end { 2.2 } else { 0.4 };
        // The menus of a footer are part of it.
        if is_near_end && facts.said(Use::Footer) > 1.5 {
            score += 1.2;
        }
        if is_last && facts.sum.words < 300 && self.claims_rights(facts) {
            score += 3.0;
        } else if after <= 10 && facts.page.words > 200 && facts.sum.words >= 8 {
            score += if facts.titles == 0 && facts.link_share() > 0.5 { 2.2 } else { 0.0 };
        }
        if facts.in_main * 2 > facts.sum.words {
            score -= 2.0;
        }
        score
    }

    fn claims_rights(&self, facts: &Facts) -> bool {
        let nodes = facts.run.clone().filter_map(|id| self.lines.dom.get(NodeId(id)));
        let mut texts = nodes.map(Node::text).filter(|text| !text.is_empty());
        texts.any(|text| RIGHTS.iter().any(|word| text.contains(word)))
    }
}

/// How the owner of a page says so.
const RIGHTS: [&str; 12] = [
    "©",
    "(c)",
    "(C)",
    "Copyright",
    "copyright",
    "All rights reserved",
    "Alle Rechte",
    "Impressum",
    "版权所有",
    "备案",
    "ICP",
    "著作权",
];

/// How adverts have to be marked, by language. "Advertise" is the name of a page for those who pay.
const AD_WORDS: [&str; 20] = [
    "ad",
    "ads",
    "advertisement",
    "advertisements",
    "sponsored",
    "promoted",
    "anzeige",
    "anzeigen",
    "werbung",
    "publicité",
    "publicidad",
    "pubblicità",
    "reklama",
    "реклама",
    "advertentie",
    "annons",
    "广告",
    "廣告",
    "推广",
    "広告",
];

/// How the remarks of readers are headed, by language.
const COMMENT_WORDS: [&str; 16] = [
    "comment",
    "comments",
    "replies",
    "responses",
    "kommentar",
    "kommentare",
    "leserkommentare",
    "commentaires",
    "comentarios",
    "comentários",
    "commenti",
    "reacties",
    "评论",
    "跟贴",
    "网友评论",
    "留言",
];

fn names_comments(line: &str) -> bool {
    let lower = line.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphabetic());
    words.any(|word| {
        // No spaces part the words of Chinese: the name is the end of a short one.
        let is_dense = word.chars().next_back().is_some_and(crate::words::is_dense);
        let is_named = |known: &str| word == known || is_dense && word.ends_with(known);
        word.chars().count() <= 16 && COMMENT_WORDS.iter().any(|known| is_named(known))
    })
}

fn is_ad_word(text: &str) -> bool {
    if text.len() > 80 {
        return false;
    }
    let text = text.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    AD_WORDS.contains(&text.as_str())
        || text.starts_with("sponsored ")
        || text.starts_with("advertisement ")
        || text.starts_with("anzeige ")
}

impl Facts {
    fn said(&self, what: Use) -> f32 {
        self.said[what as usize]
    }

    fn link_share(&self) -> f32 {
        self.sum.linked as f32 / self.sum.words.max(1) as f32
    }

    fn navigation(&self) -> f32 {
        let mut score = 1.6 * self.said(Use::Navigation);
        let per_link = self.sum.linked as f32 / self.sum.links.max(1) as f32;
        let has_titles = self.titles * 3 >= self.lines.max(1);
        if self.sum.links >= 2 && self.link_share() > 0.6 && per_link <= 4.0 && !has_titles {
            score += 2.0;
        } else if self.sum.links >= 1 && self.link_share() > 0.8 && per_link <= 3.0 {
            score += 0.8;
        }
        if self.sum.prose * 2 > self.sum.words {
            score -= 2.0;
        }
        score
    }

    fn main(&self) -> f32 {
        let mut score = 0.5 * self.said(Use::Main);
        let share = self.in_main as f32 / self.sum.words.max(1) as f32;
        if self.in_main > 0 && share >= 0.5 {
            score += 2.5 * share;
            if self.sum.prose * 3 > self.sum.words {
                score += 2.0;
            }
        } else if self.sum.prose * 2 > self.sum.words {
            score += if self.has_main || self.sum.prose < 40 { 0.0 } else { 2.0 };
        } else if !self.has_main && self.sum.words >= 20 && self.link_share() < 0.2 {
            // Tables and the like, on a page that has no text: they are what it is there for.
            score += 1.5;
        }
        if self.link_share() > 0.5 {
            score -= 2.0;
        }
        // A box of its own inside the text, which says that it is something else.
        let asides = [Use::Tools, Use::Form, Use::Related, Use::Aside, Use::Footer, Use::Media];
        let aside = asides.iter().map(|what| self.said(*what)).fold(0.0, f32::max);
        if self.sum.prose < 100 {
            score -= 1.2 * aside;
        }
        if !self.has_main {
            let edges = [Use::Navigation, Use::Header, Use::Footer, Use::Advert, Use::Comments];
            score -= edges.iter().map(|what| self.said(*what)).fold(0.0, f32::max);
        }
        score
    }

    fn form(&self) -> f32 {
        let mut score = 0.7 * self.said(Use::Form);
        if let Some(per_field) = self.sum.words.checked_div(self.sum.fields) {
            score += match per_field {
                0..=15 => 3.2,
                16..=40 => 1.5,
                _ => 0.0,
            };
            if self.link_share() > 0.5 && self.sum.words > 8 {
                score -= 2.0;
            }
        } else if self.sum.controls > 0 && self.said(Use::Form) > 0.0 && self.sum.words <= 15 {
            score += 1.5;
        }
        score
    }

    fn media(&self) -> f32 {
        let shown = self.sum.pictures + self.sum.media;
        let said = self.said(Use::Media);
        if self.sum.fields > 0 || shown == 0 && said < 1.0 {
            return 0.0;
        }
        let is_teaser = self.titles > 0 || self.sum.links > 0 && self.link_share() > 0.5;
        let bare = match self.sum.words {
            0 => 2.6,
            1..=12 if !is_teaser => 2.0,
            13..=40 if !is_teaser => 1.4,
            _ => 0.0,
        };
        match self.sum.words {
            // A figure with its caption, or the caption by itself: more than that is a text in a box.
            0..=80 if !is_teaser => bare + 2.2 * said,
            _ => bare,
        }
    }

    fn other(&self) -> f32 {
        1.0 + 1.2 * self.said(Use::Tools)
    }
}
