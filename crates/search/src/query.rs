//! What is searched for.
//!
//! Words are all asked for; `"a phrase"`, `OR` or `|` between alternatives, `-word` or `NOT word` for what
//! must not be there, `word*` for a beginning, `( )` for groups. `topic:` and `title:` look there only;
//! `site:`, `label:`, `type:`, `from:` and `to:` are the same as the options of these names.

use page::block::Label;
use store::Millis;

use crate::error::SearchError;

/// Characters and terms of a query, and groups in groups.
const LONGEST: usize = 2_000;
const MOST_TERMS: usize = 64;
const DEEPEST: usize = 8;
/// Hits that can be asked for.
const MOST_HITS: usize = 10_000;

/// In which order hits come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The best first.
    #[default]
    Best,
    /// What began last first.
    Newest,
    /// What began first first.
    Oldest,
}

/// What is searched for, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// As a person types it.
    pub text: String,
    /// Only what stood at this time or later.
    pub from: Option<Millis>,
    /// Only what stood at this time or before.
    pub to: Option<Millis>,
    /// Only on this site.
    pub site: Option<String>,
    /// Only blocks that are for this.
    pub label: Option<Label>,
    /// Only on pages of this type.
    pub page_type: Option<String>,
    /// In which order.
    pub order: Order,
    /// Hits that are passed over.
    pub offset: usize,
    /// Hits at most.
    pub limit: usize,
}

impl Query {
    /// Everywhere, at any time; the best twenty.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            from: None,
            to: None,
            site: None,
            label: None,
            page_type: None,
            order: Order::Best,
            offset: 0,
            limit: 20,
        }
    }

    /// What the text says, its options taken out and laid over the others.
    pub(crate) fn parse(&self) -> Result<(Node, Self), SearchError> {
        let length = self.text.chars().count();
        if length > LONGEST {
            return Err(wrong(format!("it has {length} characters, {LONGEST} are the most")));
        }
        if self.offset.saturating_add(self.limit) > MOST_HITS {
            return Err(wrong(format!(
                "only the first {MOST_HITS} hits can be had; narrow it down"
            )));
        }
        let mut query = self.clone();
        let mut parser = Parser { rest: &self.text, terms: 0, query: &mut query };
        let node = parser.all(0)?;
        Ok((node, query))
    }
}

fn wrong(why: impl Into<String>) -> SearchError {
    SearchError::Query(why.into())
}

/// Which field a word is looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Anywhere,
    Topic,
    Title,
}

/// A part of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Words(Scope, String),
    Phrase(Scope, String),
    Prefix(Scope, String),
}

struct Parser<'a> {
    rest: &'a str,
    terms: usize,
    query: &'a mut Query,
}

impl<'a> Parser<'a> {
    /// Everything up to the end, or to the end of a group.
    fn all(&mut self, depth: usize) -> Result<Node, SearchError> {
        let mut all = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() || (depth > 0 && self.rest.starts_with(')')) {
                return Ok(Node::All(all));
            }
            if let Some(part) = self.alternatives(depth)? {
                all.push(part);
            }
        }
    }

    /// One part, or several with OR between them.
    fn alternatives(&mut self, depth: usize) -> Result<Option<Node>, SearchError> {
        let mut any: Vec<Node> = self.part(depth)?.into_iter().collect();
        while self.takes_word("OR") || self.takes("|") {
            any.extend(self.part(depth)?);
        }
        Ok(match any.len() {
            0 | 1 => any.pop(),
            _ => Some(Node::Any(any)),
        })
    }

    fn part(&mut self, depth: usize) -> Result<Option<Node>, SearchError> {
        self.rest = self.rest.trim_start();
        let is_not = self.takes_word("NOT") || self.takes_minus();
        let _ = self.takes_word("AND");
        self.rest = self.rest.trim_start();
        let part = match self.rest.chars().next() {
            None => None,
            Some('(') => {
                if depth >= DEEPEST {
                    return Err(wrong(format!("its groups are more than {DEEPEST} deep")));
                }
                self.rest = &self.rest[1..];
                let group = self.all(depth + 1)?;
                self.takes(")");
                Some(group).filter(|group| *group != Node::All(Vec::new()))
            }
            Some(')') => {
                self.rest = &self.rest[1..];
                None
            }
            Some(_) => self.term()?,
        };
        Ok(part.map(|part| if is_not { Node::Not(Box::new(part)) } else { part }))
    }

    /// A word or a phrase, or an option.
    fn term(&mut self) -> Result<Option<Node>, SearchError> {
        self.terms += 1;
        if self.terms > MOST_TERMS {
            return Err(wrong(format!("it has more than {MOST_TERMS} words")));
        }
        let mut scope = Scope::Anywhere;
        if let Some((name, after)) = self.rest.split_once(':') {
            match name {
                "topic" => scope = Scope::Topic,
                "title" => scope = Scope::Title,
                "site" | "label" | "type" | "from" | "to" => {
                    self.rest = after;
                    let value = self.value();
                    self.option(name, &value)?;
                    return Ok(None);
                }
                _ => {}
            }
            if scope != Scope::Anywhere {
                self.rest = after;
            }
        }
        if let Some(phrase) = self.quoted() {
            return Ok(Some(Node::Phrase(scope, phrase)));
        }
        let word = self.value();
        Ok(match word.strip_suffix('*') {
            Some(beginning) if beginning.chars().any(char::is_alphanumeric) => {
                Some(Node::Prefix(scope, beginning.to_owned()))
            }
            _ if word.chars().any(char::is_alphanumeric) => Some(Node::Words(scope, word)),
            _ => None,
        })
    }

    fn option(&mut self, name: &str, value: &str) -> Result<(), SearchError> {
        let moment = |end_of_day| {
            moment(value, end_of_day)
                .ok_or_else(|| wrong(format!("{value} is no time; write 2026-01-31")))
        };
        match name {
            "site" => self.query.site = Some(value.to_owned()),
            "type" => self.query.page_type = Some(value.to_owned()),
            "from" => self.query.from = Some(moment(false)?),
            "to" => self.query.to = Some(moment(true)?),
            _ => {
                let label = value.parse();
                self.query.label = Some(label.map_err(|_| wrong(format!("no label {value}")))?);
            }
        }
        Ok(())
    }

    /// What stands in quotes here, of whatever kind.
    fn quoted(&mut self) -> Option<String> {
        let open = self.rest.chars().next()?;
        let close = match open {
            '"' => '"',
            '“' | '„' | '”' => '”',
            '「' => '」',
            '『' => '』',
            '«' => '»',
            _ => return None,
        };
        let inside = &self.rest[open.len_utf8()..];
        let is_end = |c: char| c == close || (open == '„' && c == '“');
        let (phrase, after) = match inside.find(is_end) {
            Some(end) => {
                (&inside[..end], &inside[end + inside[end..].chars().next()?.len_utf8()..])
            }
            // A quote that is not closed goes to the end.
            None => (inside, ""),
        };
        self.rest = after;
        Some(phrase.to_owned())
    }

    /// Up to the next white space or bracket, or what stands in quotes.
    fn value(&mut self) -> String {
        if let Some(quoted) = self.quoted() {
            return quoted;
        }
        let is_end = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '|');
        let end = self.rest.find(is_end).unwrap_or(self.rest.len()).max(
            // Something is taken in any case.
            self.rest.chars().next().filter(|c| is_end(*c)).map_or(0, char::len_utf8),
        );
        let (value, after) = self.rest.split_at(end);
        self.rest = after;
        value.to_owned()
    }

    fn takes(&mut self, mark: &str) -> bool {
        match self.rest.trim_start().strip_prefix(mark) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    /// An operator that is a word of its own.
    fn takes_word(&mut self, word: &str) -> bool {
        match self.rest.trim_start().strip_prefix(word) {
            Some(after) if after.starts_with(char::is_whitespace) || after.starts_with('(') => {
                self.rest = after;
                true
            }
            _ => false,
        }
    }

    /// A minus in front of something.
    fn takes_minus(&mut self) -> bool {
        match self.rest.strip_prefix('-') {
            Some(after) if !after.is_empty() && !after.starts_with(char::is_whitespace) => {
                self.rest = after;
                true
            }
            _ => false,
        }
    }
}

/// A time, or a day: its beginning, or its end.
pub fn moment(text: &str, end_of_day: bool) -> Option<Millis> {
    let day = |text: &str| {
        let day = text.parse::<jiff::civil::Date>().ok()?;
        let time = if end_of_day { day.at(23, 59, 59, 999_000_000) } else { day.at(0, 0, 0, 0) };
        Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    };
    let instant = text.parse::<jiff::Timestamp>().ok().or_else(|| day(text))?;
    Some(Millis(instant.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Node {
        Query::new(text).parse().unwrap().0
    }

    fn words(text: &str) -> Node {
        Node::Words(Scope::Anywhere, text.into())
    }

    #[test]
    fn words_phrases_alternatives_and_what_must_not_be_there() {
        let phrase = Node::Phrase(Scope::Anywhere, "in the morning".into());
        let any = Node::Any(vec![words("harbour"), words("port")]);
        let not = Node::Not(Box::new(words("fire")));
        assert_eq!(
            parsed("harbour OR port \"in the morning\" -fire"),
            Node::All(vec![any.clone(), phrase, not.clone()])
        );
        assert_eq!(parsed("(harbour | port) NOT fire"), Node::All(vec![Node::All(vec![any]), not]));
    }

    #[test]
    fn a_hyphen_inside_a_word_excludes_nothing() {
        assert_eq!(parsed("well-known"), Node::All(vec![words("well-known")]));
        assert_eq!(parsed("a - b"), Node::All(vec![words("a"), words("b")]));
    }

    #[test]
    fn chinese_quotes_make_a_phrase() {
        let phrase = |text: &str| Node::All(vec![Node::Phrase(Scope::Anywhere, text.into())]);
        assert_eq!(parsed("“网页布局”"), phrase("网页布局"));
        assert_eq!(parsed("「网页布局」"), phrase("网页布局"));
    }

    #[test]
    fn options_in_the_text_are_options() {
        let (node, query) =
            Query::new("fire site:example.org label:main from:2026-01-01 to:2026-01-31 type:news")
                .parse()
                .unwrap();
        assert_eq!(node, Node::All(vec![words("fire")]));
        assert_eq!(query.site.as_deref(), Some("example.org"));
        assert_eq!((query.label, query.page_type.as_deref()), (Some(Label::Main), Some("news")));
        assert_eq!(query.from.unwrap().to_string(), "2026-01-01T00:00:00.000Z");
        assert_eq!(query.to.unwrap().to_string(), "2026-01-31T23:59:59.999Z");
        assert!(Query::new("label:nonsense a").parse().is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_asked_for(text in "[\\PC\"()|:*\\- ]{0,80}") {
            let _ = Query::new(text).parse();
        }
    }

    #[test]
    fn what_is_too_much_is_refused() {
        assert!(Query::new("a ".repeat(70)).parse().is_err());
        assert!(Query::new("(".repeat(50)).parse().is_err());
        assert!(Query::new("a".repeat(3000)).parse().is_err());
        assert!(Query { limit: 20_000, ..Query::new("a") }.parse().is_err());
    }
}
