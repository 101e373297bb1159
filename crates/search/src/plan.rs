//! How a query is looked up in the index.
//!
//! Every word or phrase is looked for in the text, the topic and the title of the page, the topic weighing
//! twice as much; but something of what is searched for has to stand in the block itself, or its topic: else
//! the menu of a page would be found by its title. Chinese without spaces is cut into words that are all
//! asked for, each as the pairs of its characters, so that it is found wherever a dictionary parts the text;
//! where it is a word of the text, too, it counts more.

use page::words::{is_dense, is_stop};
use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, DisjunctionMaxQuery, EmptyQuery, Occur, PhraseQuery, Query,
    RegexQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use crate::error::SearchError;
use crate::query::{Node, Scope};
use crate::schema::Fields;
use crate::snippet::Marker;
use crate::unit::{Placed, dense_words, phrase};

type Found = Box<dyn Query>;

/// What a match in the topic and in the title counts, where one in the text counts 1: a topic is what
/// the text is about in a few words, a title is shared by all blocks of its page.
const TOPIC: f32 = 2.0;
const TITLE: f32 = 1.2;
/// What the other fields add to the best one.
const OTHERS: f32 = 0.3;
/// Letters from which on a beginning may be longer than the stem that is indexed, and by how many.
const LONG_BEGINNING: usize = 6;
const ENDING: usize = 3;

/// A query, ready to be run.
pub(crate) struct Plan {
    pub(crate) query: Found,
    /// Finds in a text what was searched for.
    pub(crate) marker: Marker,
}

/// A word, a phrase or a beginning that is searched for.
struct Leaf {
    scope: Scope,
    text: String,
    tokens: Vec<Placed>,
    is_beginning: bool,
}

impl Leaf {
    fn new(scope: Scope, text: &str) -> Option<Self> {
        let mut tokens = phrase(text);
        // A character alone is indexed at the end of a run only.
        let is_single = |(_, term): &Placed| is_one_dense(term);
        if tokens.len() > 1 && tokens.last().is_some_and(is_single) {
            tokens.pop();
        }
        (!tokens.is_empty()).then(|| Self {
            scope,
            text: text.to_owned(),
            tokens,
            is_beginning: false,
        })
    }

    fn beginning(scope: Scope, text: &str) -> Option<Self> {
        let mut leaf = Self::new(scope, text)?;
        leaf.is_beginning = true;
        Some(leaf)
    }

    /// Whether it is written without spaces.
    fn is_dense(&self) -> bool {
        self.text.starts_with(is_dense)
    }
}

fn is_one_dense(term: &str) -> bool {
    term.starts_with(is_dense) && term.chars().nth(1).is_none()
}

pub(crate) struct Planner<'a> {
    fields: &'a Fields,
    marker: Marker,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(fields: &'a Fields) -> Self {
        Self { fields, marker: Marker::default() }
    }

    /// The plan of a whole query, on one site or on all.
    pub(crate) fn plan(mut self, node: &Node, site: Option<&str>) -> Result<Plan, SearchError> {
        let mut clauses = Vec::new();
        let mut any = Vec::new();
        self.clauses(node, &mut clauses, &mut any)?;
        let is_wanted = |(occur, _): &(Occur, Found)| *occur == Occur::Must;
        match clauses.iter().filter(|clause| is_wanted(clause)).count() {
            0 => clauses.push((Occur::Must, Box::new(AllQuery))),
            1 => {}
            _ if any.is_empty() => {}
            _ => clauses.push((Occur::Must, Box::new(BooleanQuery::union(any)))),
        }
        if let Some(near) = self.near(node) {
            clauses.push((Occur::Should, near));
        }
        clauses.extend(site.map(|site| (Occur::Must, self.on(site))));
        Ok(Plan { query: Box::new(BooleanQuery::new(clauses)), marker: self.marker })
    }

    /// Any of these words, for those who rank passages themselves.
    pub(crate) fn any_of(
        mut self,
        words: &[String],
        site: Option<&str>,
    ) -> Result<Plan, SearchError> {
        let mut any = Vec::new();
        for leaf in words.iter().filter_map(|word| Leaf::new(Scope::Anywhere, word)) {
            any.push(self.leaf(&leaf, true)?);
        }
        let mut clauses: Vec<(Occur, Found)> =
            vec![(Occur::Must, Box::new(BooleanQuery::union(any)))];
        clauses.extend(site.map(|site| (Occur::Must, self.on(site))));
        Ok(Plan { query: Box::new(BooleanQuery::new(clauses)), marker: self.marker })
    }

    /// What is of a site, whatever it says.
    fn on(&self, site: &str) -> Found {
        let term = Term::from_field_text(self.fields.site, site);
        let here = TermQuery::new(term, IndexRecordOption::Basic);
        Box::new(BoostQuery::new(Box::new(here), 0.0))
    }

    /// The clauses of a group. Into `any` goes what finds a part of it in the block itself.
    fn clauses(
        &mut self,
        node: &Node,
        clauses: &mut Vec<(Occur, Found)>,
        any: &mut Vec<Found>,
    ) -> Result<(), SearchError> {
        let parts = match node {
            Node::All(parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        };
        let is_only = parts.iter().filter(|part| !matches!(part, Node::Not(_))).count() == 1;
        let says = |part: &&Node| match part {
            Node::Words(_, word) => !is_stop(word),
            Node::Not(_) => false,
            _ => true,
        };
        let has_others = parts.iter().any(|part| says(&part));
        for part in parts {
            match part {
                Node::Not(inner) => clauses.push((Occur::MustNot, self.group(inner, false)?)),
                // Words that are in every text are asked for only where there is nothing else.
                Node::Words(..) if has_others && !says(&part) => {}
                Node::Words(scope, _) | Node::Phrase(scope, _) | Node::Prefix(scope, _) => {
                    let leaves = leaves(part);
                    let is_only = is_only && leaves.len() == 1;
                    for leaf in leaves {
                        let with_title = !is_only || *scope == Scope::Title;
                        clauses.push((Occur::Must, self.leaf(&leaf, with_title)?));
                        if is_only && *scope == Scope::Anywhere {
                            let title = self.in_field(&leaf, self.fields.title)?;
                            clauses.push((Occur::Should, Box::new(BoostQuery::new(title, TITLE))));
                        }
                        any.push(self.leaf(&leaf, *scope == Scope::Title)?);
                    }
                }
                group => {
                    clauses.push((Occur::Must, self.group(group, true)?));
                    any.push(self.group(group, false)?);
                }
            }
        }
        Ok(())
    }

    fn group(&mut self, node: &Node, with_title: bool) -> Result<Found, SearchError> {
        Ok(match node {
            Node::All(parts) => {
                let mut clauses = Vec::new();
                for part in parts {
                    clauses.push(match part {
                        Node::Not(inner) => (Occur::MustNot, self.group(inner, false)?),
                        part => (Occur::Must, self.group(part, with_title)?),
                    });
                }
                if !clauses.iter().any(|(occur, _)| *occur == Occur::Must) {
                    clauses.push((Occur::Must, Box::new(AllQuery)));
                }
                Box::new(BooleanQuery::new(clauses))
            }
            Node::Any(parts) => {
                let any: Result<Vec<_>, _> =
                    parts.iter().map(|part| self.group(part, with_title)).collect();
                Box::new(BooleanQuery::union(any?))
            }
            Node::Not(inner) => {
                let clauses = vec![
                    (Occur::Must, Box::new(AllQuery) as Found),
                    (Occur::MustNot, self.group(inner, false)?),
                ];
                Box::new(BooleanQuery::new(clauses))
            }
            leaf => {
                let all: Result<Vec<_>, _> = leaves(leaf)
                    .iter()
                    .map(|leaf| Ok((Occur::Must, self.leaf(leaf, with_title)?)))
                    .collect::<Result<Vec<_>, SearchError>>();
                let all = all?;
                match all.is_empty() {
                    true => Box::new(EmptyQuery),
                    false => Box::new(BooleanQuery::new(all)),
                }
            }
        })
    }

    /// Where a word or phrase is found, in whatever fields it is looked for in.
    fn leaf(&mut self, leaf: &Leaf, with_title: bool) -> Result<Found, SearchError> {
        let Fields { text, topic, title, words, .. } = *self.fields;
        self.marker.add(&leaf.text, leaf.is_beginning);
        let mut in_fields = Vec::new();
        if leaf.scope == Scope::Anywhere {
            in_fields.push(self.in_field(leaf, text)?);
        }
        if leaf.scope != Scope::Title {
            let found = self.in_field(leaf, topic)?;
            in_fields.push(Box::new(BoostQuery::new(found, TOPIC)) as Found);
        }
        if with_title && leaf.scope != Scope::Topic {
            let found = self.in_field(leaf, title)?;
            in_fields.push(Box::new(BoostQuery::new(found, TITLE)) as Found);
        }
        let best: Found = Box::new(DisjunctionMaxQuery::with_tie_breaker(in_fields, OTHERS));
        if leaf.scope != Scope::Anywhere || !leaf.is_dense() {
            return Ok(best);
        }
        let word = Term::from_field_text(words, &leaf.text);
        let word = TermQuery::new(word, IndexRecordOption::WithFreqs);
        Ok(Box::new(BooleanQuery::new(vec![(Occur::Must, best), (Occur::Should, Box::new(word))])))
    }

    fn in_field(&self, leaf: &Leaf, field: Field) -> Result<Found, SearchError> {
        if let [(_, term)] = leaf.tokens.as_slice() {
            return match (leaf.is_beginning, is_one_dense(term)) {
                (true, _) => begins(term, field),
                (false, true) => starts_with(&format!("{}.?", escaped(term)), field),
                (false, false) => Ok(self.term(term, field)),
            };
        }
        let terms = leaf.tokens.iter();
        let terms = terms.map(|(at, term)| (*at, Term::from_field_text(field, term)));
        Ok(Box::new(PhraseQuery::new_with_offset(terms.collect())))
    }

    fn term(&self, term: &str, field: Field) -> Found {
        let term = Term::from_field_text(field, term);
        Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
    }

    /// What was typed side by side counts more where it stands side by side.
    fn near(&self, node: &Node) -> Option<Found> {
        let Node::All(parts) = node else { return None };
        let word = |part: &Node| match part {
            Node::Words(Scope::Anywhere, word) => Some(word.clone()),
            _ => None,
        };
        let words: Vec<String> = parts.iter().map(word).collect::<Option<_>>()?;
        let leaf = Leaf::new(Scope::Anywhere, &words.join(" "))?;
        let is_phrase = (2..=8).contains(&leaf.tokens.len());
        let single: usize = parts.iter().map(|part| leaves(part).len()).sum();
        (is_phrase && single > 1).then(|| self.in_field(&leaf, self.fields.text).ok()).flatten()
    }
}

/// What of a part is looked for by itself.
fn leaves(node: &Node) -> Vec<Leaf> {
    match node {
        Node::Phrase(scope, text) => Leaf::new(*scope, text).into_iter().collect(),
        Node::Prefix(scope, text) => Leaf::beginning(*scope, text).into_iter().collect(),
        Node::Words(scope, text) => {
            pieces(text).iter().filter_map(|piece| Leaf::new(*scope, piece)).collect()
        }
        _ => Vec::new(),
    }
}

/// A word as it was typed, cut where scripts change, and Chinese into words.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    while from < text.len() {
        let dense = text[from..].starts_with(is_dense);
        let end =
            text[from..].find(|c: char| is_dense(c) != dense).map_or(text.len(), |at| from + at);
        let run = &text[from..end];
        from = end;
        let words = if dense { dense_words(run) } else { Vec::new() };
        match words.is_empty() {
            true if run.chars().any(char::is_alphanumeric) => pieces.push(run),
            true => {}
            false => pieces.extend(words),
        }
    }
    pieces
}

/// Words that begin so. What is indexed is their stems, which may be shorter than what was typed.
fn begins(term: &str, field: Field) -> Result<Found, SearchError> {
    let mut pattern = format!("{}.*", escaped(term));
    let letters: Vec<char> = term.chars().collect();
    if letters.len() >= LONG_BEGINNING {
        for less in 1..=ENDING {
            let stem: String = letters[..letters.len() - less].iter().collect();
            pattern.push_str(&format!("|{}", escaped(&stem)));
        }
    }
    starts_with(&pattern, field)
}

fn starts_with(pattern: &str, field: Field) -> Result<Found, SearchError> {
    Ok(Box::new(RegexQuery::from_pattern(pattern, field)?))
}

/// As a pattern that means these characters: terms hold letters, digits and apostrophes.
fn escaped(term: &str) -> String {
    term.chars().filter(|c| c.is_alphanumeric() || *c == '\'').collect()
}
