//! A model: what was learned of a site, in a file that a person can read and edit (seed 000's result
//! of training).

use std::collections::BTreeSet;

use page::types::Shape;
use serde::{Deserialize, Serialize};

use crate::learn::{Class, Knowledge, Label, Learned, Verdicts, call_of, place};
use derive::PageTypes;

/// What a person who opens the file is told first.
const HEAD: &str = "\
# A model of a site, written by 'bathys train' and used by 'bathys crawl --model FILE --want TYPE'.
#
# [[types]] are page types: a name, and how samples of it are built. Rename a type wherever it
# occurs; a shape can be copied whole, not changed. Types that no pattern names are there to be told
# from the others.
#
# [[patterns]] say what to fire on pages of a type. Delete those that are not to be fired, or add
# some: type, event, xpath ('[*]' for any number) and leads_to are enough.
#   event         click, change...; link for plain links
#   handler       who handles it, arguments left out; empty for whoever
#   label         what its elements say: number or words; empty for whatever
#   support       how many were fired
#   precision     the share of these that led to one of leads_to
#   new           how many of these led to what nothing had led to before: with 0 of at least 3, the
#                 pattern is redundant and is tried only when all else is done
#   context_free  an element leads to the same wherever it is found

";

/// Page types and the patterns that lead from one to the other.
///
/// ```
/// let text = r#"
/// version = 1
///
/// [[patterns]]
/// type = "comments"
/// event = "click"
/// xpath = "/html/body/div[3]/a[*]"
/// leads_to = ["comments"]
/// "#;
/// let model: crawl::Model = text.parse().unwrap();
/// assert_eq!(model.patterns[0].page_type, "comments");
/// assert_eq!(model.to_string().parse::<crawl::Model>().unwrap(), model);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The version of this form.
    pub version: u32,
    /// The page types that it knows.
    #[serde(default)]
    pub types: Vec<TypeModel>,
    /// What to fire on them.
    #[serde(default)]
    pub patterns: Vec<PatternModel>,
}

/// A page type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeModel {
    /// Its name.
    pub name: String,
    /// How samples of it are built.
    pub shapes: Vec<Shape>,
}

/// A class of events on the pages of a type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternModel {
    /// The page type that it is found on.
    #[serde(rename = "type")]
    pub page_type: String,
    /// `click`, `change`; `link` for plain links.
    pub event: String,
    /// Where its elements stand.
    pub xpath: String,
    /// Who handles it; empty for whoever.
    #[serde(default)]
    pub handler: String,
    /// What its elements say: `number` or `words`; empty for whatever.
    #[serde(default)]
    pub label: String,
    /// How many of its elements were fired.
    #[serde(default)]
    pub support: u32,
    /// The share of them that led to one of the types below.
    #[serde(default)]
    pub precision: f64,
    /// How many led to a page that nothing had led to before.
    #[serde(default)]
    pub new: u32,
    /// Where it leads.
    pub leads_to: Vec<String>,
    /// Whether an element leads to the same wherever it is found.
    #[serde(default)]
    pub context_free: bool,
}

/// Why a model cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("this is no model: {0}")]
pub struct ModelError(#[from] toml::de::Error);

impl std::str::FromStr for Model {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        Ok(toml::from_str(text)?)
    }
}

impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(HEAD)?;
        f.write_str(&toml::to_string_pretty(self).map_err(|_| std::fmt::Error)?)
    }
}

impl Model {
    /// What was learned about the ways to these types.
    pub(crate) fn of(
        page_types: &PageTypes,
        knowledge: &Knowledge,
        wanted: &BTreeSet<String>,
    ) -> Self {
        let (rows, _) = page_types.rows();
        let types = rows.into_iter().map(|row| TypeModel {
            name: row.name,
            shapes: row.samples.into_iter().map(|sample| sample.shape).collect(),
        });
        let patterns = knowledge
            .classes()
            .map(|(class, learned)| PatternModel::of(class, learned, |to| wanted.contains(to)))
            .filter(|pattern| !pattern.leads_to.is_empty());
        let mut model = Self { version: 1, types: types.collect(), patterns: patterns.collect() };
        model.types.sort_by(|a, b| a.name.cmp(&b.name));
        model.patterns.sort_by(|a, b| {
            (&a.page_type, b.new, &a.event, &a.xpath).cmp(&(
                &b.page_type,
                a.new,
                &b.event,
                &b.xpath,
            ))
        });
        model
    }

    /// Hands on what it says.
    pub(crate) fn teach(&self, page_types: &PageTypes, knowledge: &mut Knowledge) {
        for known in &self.types {
            page_types.define(&known.name, &known.shapes);
        }
        for pattern in &self.patterns {
            for (class, learned) in pattern.classes() {
                knowledge.remember(class, learned);
            }
        }
    }
}

impl PatternModel {
    /// What is known of a class, as far as it leads to certain types.
    pub(crate) fn of(class: &Class, learned: &Learned, counts: impl Fn(&str) -> bool) -> Self {
        let paths: Vec<page::tree::XPath> =
            learned.paths.iter().filter_map(|path| path.parse().ok()).collect();
        let patterns = page::tree::generalise(&paths);
        let widest = patterns.into_iter().max_by_key(|pattern| pattern.support);
        // A link is seen on many pages and followed once.
        let followed: u32 = learned.leads_to.values().sum();
        let fired = if class.event == "link" { followed } else { learned.fired };
        let leads_to = learned.leads_to.iter().filter(|(to, _)| counts(to));
        let led: u32 = leads_to.clone().map(|(_, times)| times).sum();
        Self {
            page_type: class.page_type.to_string(),
            event: class.event.clone(),
            xpath: widest.map_or_else(|| class.place.clone(), |pattern| pattern.path.to_string()),
            handler: call_of(&class.handler).to_owned(),
            label: if class.label == Label::Number { "number".into() } else { "words".into() },
            support: fired,
            precision: f64::from(led.min(fired)) / f64::from(fired.max(1)),
            new: learned.new,
            leads_to: leads_to.map(|(to, _)| to.clone()).collect(),
            context_free: learned.verdicts.context_free(),
        }
    }

    /// The classes that it speaks of: both sorts of labels, where it names none.
    fn classes(&self) -> Vec<(Class, Learned)> {
        let labels = match self.label.as_str() {
            "number" => vec![Label::Number],
            "words" => vec![Label::Words],
            _ => vec![Label::Number, Label::Words],
        };
        let learned = Learned {
            fired: self.support,
            effective: self.support.max(1),
            new: if self.support == 0 { 1 } else { self.new },
            leads_to: self.leads_to.iter().map(|to| (to.clone(), self.support.max(1))).collect(),
            verdicts: if self.context_free { Verdicts::believed() } else { Verdicts::default() },
            ..Learned::default()
        };
        let class = |label| Class {
            page_type: self.page_type.as_str().into(),
            event: self.event.clone(),
            place: place(&self.xpath),
            handler: self.handler.clone(),
            label,
        };
        labels.into_iter().map(|label| (class(label), learned.clone())).collect()
    }
}
