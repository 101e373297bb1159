//! Topics: one line that says what a block is about (seed 003 §2.2).
//!
//! Found if the block shows one: in the largest font, set apart and early, in another colour, or in
//! an element that is meant for it. Else short text is trimmed, and from long text the phrase that
//! holds its frequent words is extracted. Same content on the same
//! page, same topic.
//!
//! Changed: the paper's algorithms 2 and 3 give a set of words without stop words, or of stems. A
//! topic is read by people, so ours is a piece of the text as it stands, stop words included; only
//! the others count against θ. Their loops count a repeated word against θ although it is left
//! out of the topic; ours do not.

mod extract;
mod find;
mod phrase;

use super::line::{Line, Lines};
use super::tree::{BlockAt, BlockTree};
use crate::tree::title;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What topics are held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TopicSettings {
    /// θ: most different words of a topic, stop words not counting. 12: nine of ten headlines of
    /// the pages we looked at have fewer, and with their stop words they fit in a line.
    pub most_words: usize,
    /// δ: fewest words of a text that is searched for frequent words; what is shorter is trimmed.
    /// 40: about two sentences. With fewer, hardly a word comes twice by being the topic.
    pub extract_from: usize,
    /// ε: how often a word must come, and once more, to count as frequent. 1: a word that comes
    /// twice in a few sentences, function words aside, is what they are about.
    pub frequency: usize,
}

impl Default for TopicSettings {
    fn default() -> Self {
        Self { most_words: 12, extract_from: 40, frequency: 1 }
    }
}

/// What a block is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Topic {
    /// In the words of the block; empty if it says nothing.
    pub text: String,
    /// How it was come by.
    pub how: How,
}

/// How a topic was come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// The block shows it as such.
    Found,
    /// The beginning of its text, or its first few names.
    Trimmed,
    /// The phrase that holds its frequent words.
    Extracted,
}

/// Lines of a block of which nothing but what opens it is shown.
const FEW: usize = 4;

/// Names blocks.
///
/// ```
/// use page::block::{How, Lines, Topics, partition};
///
/// let html = "<div><h2>Tides</h2><p>High water at noon.</p></div><div><p>Imprint</p></div>";
/// let dom = page::tree::parse_str(html).dom;
/// let tree = partition(&dom, None);
/// let lines = Lines::new(&dom, None);
/// let topics = Topics::default();
/// let first = tree.children(page::block::BlockAt::PAGE).next().unwrap();
/// let topic = topics.topic(&lines, &tree, first);
/// assert_eq!((topic.text.as_str(), topic.how), ("Tides", How::Found));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Topics {
    settings: TopicSettings,
}

impl Topics {
    /// Topics held to these settings.
    pub fn new(settings: TopicSettings) -> Self {
        Self { settings }
    }

    /// The topic of a block. That of the whole page is its title.
    pub fn topic(&self, lines: &Lines<'_>, tree: &BlockTree, at: BlockAt) -> Topic {
        if at == BlockAt::PAGE {
            let title = title(lines.dom);
            if !title.is_empty() {
                return self.found(&title);
            }
        }
        self.topic_of_run(lines, tree.block(at).nodes())
    }

    /// The topic of any run of nodes.
    pub fn topic_of_run(&self, lines: &Lines<'_>, run: Range<u32>) -> Topic {
        let own = lines.of(&run);
        let topic = self.topic_in(lines, run.clone());
        let is_bare = own.len() <= FEW && own.iter().all(|line| find::is_control(lines, line));
        if !topic.text.is_empty() && !is_bare {
            return topic;
        }
        // What is hidden until it is opened is called by what it will show.
        let whole = lines.whole();
        match whole.of(&run).len() > own.len() {
            true => self.topic_in(&whole, run),
            false => topic,
        }
    }

    fn topic_in(&self, lines: &Lines<'_>, run: Range<u32>) -> Topic {
        let own = lines.of(&run);
        let sum = lines.sum(&run);
        if let Some(line) = find::page_headline(lines, own, &sum) {
            return self.found(&lines.text(line));
        }
        match find::headline(lines, own, &sum, self.settings.most_words) {
            find::Headline::One(line) => return self.found(&lines.text(line)),
            find::Headline::Several(several) => return self.items(lines, several),
            find::Headline::None => {}
        }
        if let Some(name) = find::label(lines.dom, &run) {
            return self.found(name);
        }
        if let Some(line) = find::list_heading(lines, own) {
            return self.found(&lines.text(line));
        }
        if let Some(line) = find::form_line(lines, own, &sum) {
            return self.found(&lines.text(line));
        }
        if let Some(name) = find::name(lines, own, &run, &sum) {
            return self.found(name);
        }
        let is_menu = find::is_menu(own, &sum) || find::opens_with_menu(lines, own);
        if is_menu || find::is_bare_form(own, &sum) {
            return self.items(lines, own.iter().collect());
        }
        if let Some(line) = find::opening(lines, own, &sum, self.settings.most_words) {
            return self.found(&lines.text(line));
        }
        let trimmed = |line| self.trimmed(&lines.text(line));
        let Some(first) = own.iter().find(|line| line.prose).or_else(|| find::longest(own)) else {
            return Topic { text: String::new(), how: How::Trimmed };
        };
        if (sum.words as usize) < self.settings.extract_from {
            return trimmed(first);
        }
        match extract::phrase(lines, own, &self.settings) {
            Some(text) => Topic { text, how: How::Extracted },
            None => trimmed(first),
        }
    }

    /// A topic that the block shows: as it stands if it is short enough.
    fn found(&self, text: &str) -> Topic {
        let (text, cut) = phrase::trim(text, self.settings.most_words);
        Topic { text, how: if cut { How::Trimmed } else { How::Found } }
    }

    fn trimmed(&self, text: &str) -> Topic {
        Topic { text: phrase::trim(text, self.settings.most_words).0, how: How::Trimmed }
    }

    /// The first names of a menu or a list, as many as a topic has room for.
    fn items(&self, lines: &Lines<'_>, own: Vec<&Line>) -> Topic {
        let mut text = String::new();
        let mut words = 0;
        for line in own.into_iter().filter(|line| find::names_something(lines, line)) {
            words += line.tally.words as usize;
            if words > self.settings.most_words && !text.is_empty() {
                text.push_str(" …");
                break;
            }
            if !text.is_empty() {
                text.push_str(" · ");
            }
            lines.write(line, &mut text);
        }
        self.trimmed(&text)
    }
}
