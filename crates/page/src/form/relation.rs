//! Inputs that belong together: the two ends of a range, and column, operator and value of a condition.

use super::model::{Form, Input, InputKind};
use crate::state::safety::words;

/// What belongs together in a form, by the names of the inputs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Relations {
    /// Lower and upper end of a range.
    pub ranges: Vec<(String, String)>,
    /// Column, operator and value of a condition.
    pub conditions: Vec<[String; 3]>,
}

/// Words for the lower and the upper end, pair by pair.
const ENDS: &[(&str, &str)] = &[
    ("min", "max"),
    ("from", "to"),
    ("start", "end"),
    ("low", "high"),
    ("lo", "hi"),
    ("lower", "upper"),
    ("since", "until"),
    ("after", "before"),
    ("minimum", "maximum"),
    ("begin", "end"),
    ("first", "last"),
    ("gte", "lte"),
    ("ge", "le"),
    ("gt", "lt"),
    ("von", "bis"),
    ("de", "a"),
    ("desde", "hasta"),
    ("od", "do"),
    ("от", "до"),
];
/// Words for the parts of a condition.
const COLUMN: &[&str] = &["column", "col", "field", "attribute", "attr", "property", "key"];
const OPERATOR: &[&str] = &["op", "operator", "operation", "comparison", "compare", "cond"];
const VALUE: &[&str] = &["value", "val", "arg", "operand", "term"];

/// Finds what belongs together, by names.
///
/// ```
/// use page::form::{forms, relations};
///
/// let dom = page::tree::parse_str("<form><input name=salaryMin><input name=salaryMax></form>").dom;
/// let form = forms(&dom, &url::Url::parse("http://a.example/").unwrap()).remove(0);
/// assert_eq!(relations(&form).ranges, [("salaryMin".to_owned(), "salaryMax".to_owned())]);
/// ```
pub fn relations(form: &Form) -> Relations {
    let mut found = Relations::default();
    let open: Vec<(&Input, Vec<String>)> =
        form.open_inputs().map(|input| (input, words(&input.name))).collect();
    let ranged = |input: &Input| input.kind.is_typed() || input.kind == InputKind::Select;
    for (lower, own) in open.iter().filter(|(input, _)| ranged(input)) {
        for (low, high) in ENDS {
            let Some(at) = own.iter().position(|word| word == low) else { continue };
            // Two letters alone are a name like others.
            if own.len() == 1 && low.chars().count() <= 2 {
                continue;
            }
            let mut wanted = own.clone();
            if let Some(word) = wanted.get_mut(at) {
                *word = (*high).to_owned();
            }
            let upper = open.iter().find(|(input, words)| {
                *words == wanted && ranged(input) && input.kind == lower.kind
            });
            if let Some((upper, _)) = upper {
                let pair = (lower.name.clone(), upper.name.clone());
                if !found.ranges.iter().any(|known| known.0 == pair.0 || known.1 == pair.1) {
                    found.ranges.push(pair);
                }
            }
        }
    }
    for (column, own) in open.iter().filter(|(input, _)| input.kind == InputKind::Select) {
        let Some(at) = own.iter().position(|word| COLUMN.contains(&word.as_str())) else {
            continue;
        };
        let other = |parts: &[&str], kinds: &dyn Fn(InputKind) -> bool| {
            open.iter().find(|(input, words)| {
                let is_part = words.get(at).is_some_and(|word| parts.contains(&word.as_str()));
                let same = words.len() == own.len()
                    && words.iter().zip(own).enumerate().all(|(n, (a, b))| n == at || a == b);
                is_part && same && kinds(input.kind) && digits(&input.name) == digits(&column.name)
            })
        };
        let operator = other(OPERATOR, &|kind| kind == InputKind::Select);
        let value = other(VALUE, &InputKind::is_typed);
        if let (Some((operator, _)), Some((value, _))) = (operator, value) {
            found.conditions.push([column.name.clone(), operator.name.clone(), value.name.clone()]);
        }
    }
    found
}

/// The numbers in a name: of several conditions, each has its own.
fn digits(name: &str) -> String {
    name.chars().filter(char::is_ascii_digit).collect()
}

impl Relations {
    /// Whether an input is a part of a condition.
    pub fn is_in_condition(&self, name: &str) -> bool {
        self.conditions.iter().flatten().any(|part| part == name)
    }

    /// The other end of the range that an input is an end of.
    pub fn other_end(&self, name: &str) -> Option<&str> {
        self.ranges.iter().find_map(|(low, high)| match name {
            _ if name == low => Some(high.as_str()),
            _ if name == high => Some(low.as_str()),
            _ => None,
        })
    }
}
