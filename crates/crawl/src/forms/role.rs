//! What an input does to an answer.

use std::collections::BTreeMap;
use std::fmt;

use page::form::{Input, InputKind};

/// What an input does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It selects rows.
    Binding,
    /// It only orders or draws them, or does nothing at all.
    Presentation,
    /// It says how many rows a page has.
    PageSize,
    /// It selects nothing unless another input is bound.
    NeedsOther,
    /// Nothing could be told: every answer it was tried on was cut off.
    Unknown,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Binding => "binding",
            Self::Presentation => "presentation",
            Self::PageSize => "page-size",
            Self::NeedsOther => "needs-other",
            Self::Unknown => "unknown",
        })
    }
}

/// Words for "any" in lists.
const ANY: &[&str] = &[
    "",
    "any",
    "all",
    "-",
    "--",
    "*",
    "none",
    "don't care",
    "dont care",
    "alle",
    "beliebig",
    "tous",
    "toutes",
    "todos",
    "todas",
    "tutti",
    "alla",
    "wszystkie",
    "все",
    "любой",
    "全部",
    "不限",
    "所有",
    "すべて",
    "전체",
    "-1",
    "0",
];

/// The value that leaves an input open: what says "any", else what it has if nobody touches it.
pub(crate) fn wildcard(input: &Input) -> Option<String> {
    let says_any = |text: &str| {
        let text = text.trim().to_lowercase();
        let bare = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '*' && c != '-');
        ANY.contains(&text.as_str())
            || ANY.contains(&bare)
            || text.starts_with("any ")
            || text.starts_with("all ")
    };
    let default = input.default.first();
    match input.kind {
        InputKind::Check => None,
        _ if !input.kind.is_listed() => Some(String::new()),
        _ => {
            let of = |value: &str| input.options.iter().find(|option| option.value == value);
            let default_is_any = default
                .and_then(|value| of(value))
                .is_some_and(|option| says_any(&option.text) || option.value.is_empty());
            match default {
                Some(value) if default_is_any => Some(value.clone()),
                _ => {
                    let any = input.options.iter().find(|it| {
                        it.value.is_empty() || !it.text.is_empty() && says_any(&it.text)
                    });
                    any.map(|any| any.value.clone()).or_else(|| default.cloned())
                }
            }
        }
    }
}

/// The values of a list that select something, without the one that leaves it open.
pub(crate) fn choices(input: &Input) -> Vec<String> {
    let open = wildcard(input);
    let values = input.options.iter().map(|option| option.value.clone());
    values.filter(|value| Some(value) != open.as_ref()).collect()
}

/// Up to `most` values from all over a list.
pub(crate) fn spread(values: &[String], most: usize) -> Vec<String> {
    if values.len() <= most {
        return values.to_vec();
    }
    let step = values.len() as f64 / most as f64;
    (0..most).filter_map(|at| values.get((at as f64 * step) as usize).cloned()).collect()
}

/// Whether an input says that it is the number of rows of a page: a list of numbers, or a field, by its name.
pub(crate) fn may_be_page_size(input: &Input) -> bool {
    const WORDS: [&str; 9] =
        ["per", "size", "limit", "pagesize", "perpage", "rows", "count", "results", "num"];
    let named = format!("{} {}", input.name, input.label).to_lowercase();
    let says = named.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
        || ["pagesize", "page_size", "perpage", "per page", "a page"]
            .iter()
            .any(|it| named.contains(it));
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    match input.kind {
        InputKind::Select | InputKind::Radio => {
            input.options.len() > 1
                && input.options.iter().filter(|it| is_number(&it.value)).count() > 1
                && says
        }
        InputKind::Text | InputKind::Number => {
            says && input.default.first().is_some_and(|value| is_number(value))
        }
        _ => false,
    }
}

/// The largest of the numbers that an input lists.
pub(crate) fn largest(input: &Input) -> Option<String> {
    let numbers = input.options.iter().filter_map(|it| Some((it.value.parse::<u64>().ok()?, it)));
    numbers.max_by_key(|(number, _)| *number).map(|(_, it)| it.value.clone())
}

/// The columns of the answers that may say what an input asks for: by the words of its name and label.
pub(crate) fn columns_of(input: &Input, columns: &BTreeMap<String, usize>) -> Vec<String> {
    let words = |text: &str| -> Vec<String> {
        page_words(text).into_iter().filter(|word| !ENDS.contains(&word.as_str())).collect()
    };
    let own = [words(&input.name), words(&input.label)];
    let fits = |column: &str| {
        let column = words(column);
        !column.is_empty()
            && own.iter().filter(|own| !own.is_empty()).any(|own| {
                own.iter().all(|word| column.contains(word))
                    || column.iter().all(|word| own.contains(word))
            })
    };
    columns.keys().filter(|column| fits(column)).cloned().collect()
}

/// Words of a name that say which end of a range it is, or how it is compared.
const ENDS: &[&str] = &[
    "min", "max", "from", "to", "start", "end", "low", "high", "lower", "upper", "since", "until",
    "after", "before", "minimum", "maximum", "gte", "lte", "gt", "lt", "ge", "le", "exact",
    "exactly", "the", "a", "is", "von", "bis", "s",
];

/// Cuts a name or a label into lower-case words.
pub(crate) fn page_words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut before) = (Vec::new(), String::new(), ' ');
    for c in text.chars() {
        if (!c.is_alphanumeric() || before.is_lowercase() && c.is_uppercase()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::form::{Form, forms};

    fn form(html: &str) -> Form {
        let url = url::Url::parse("http://a.example/").unwrap();
        forms(&page::tree::parse_str(&format!("<form>{html}</form>")).dom, &url).remove(0)
    }

    #[test]
    fn the_value_that_leaves_a_list_open_is_told_by_its_words() {
        let any = |html: &str| wildcard(&form(html).inputs[0]);
        let of = |text: &str| Some(text.to_owned());
        assert_eq!(any("<select name=a><option value=Any>Any<option>AK</select>"), of("Any"));
        assert_eq!(
            any(
                "<select name=a><option>AK<option value=x selected>red<option value=-1>don't care</select>"
            ),
            of("-1")
        );
        assert_eq!(any("<select name=a><option>date<option>price</select>"), of("date"));
        let states = form("<select name=a><option value=''>-- all --<option>AK<option>AL</select>");
        assert_eq!(choices(&states.inputs[0]), ["AK", "AL"]);
    }

    #[test]
    fn page_sizes_and_columns_are_told_by_names() {
        let sizes =
            form("<label>Offers a page <select name=per><option>10<option>25</select></label>");
        assert!(may_be_page_size(&sizes.inputs[0]));
        assert_eq!(largest(&sizes.inputs[0]).as_deref(), Some("25"));
        let year = form("<select name=year><option>1999<option>2000</select>");
        assert!(!may_be_page_size(&year.inputs[0]));
        let columns = BTreeMap::from([("Major genre".to_owned(), 3), ("Year".to_owned(), 2)]);
        let column = |html: &str| columns_of(&form(html).inputs[0], &columns);
        assert_eq!(column("<input name=year_min>"), ["Year"]);
        assert_eq!(column("<input name=genre>"), ["Major genre"]);
        assert!(column("<input name=q>").is_empty());
    }
}
