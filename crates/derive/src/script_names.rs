//! What the scripts of a page are made of, so that pages which do the same can be told from pages that only
//! look alike.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use page::tree::Dom;

/// So much of a script is read, in characters.
const LONGEST_SCRIPT: usize = 100_000;

/// What the scripts of a page are made of: each by its address or by the names that it uses, whatever texts and
/// numbers it has. Pages of one template give the same, unless they do something else.
pub fn script_vocabularies(dom: &Dom) -> impl Iterator<Item = u64> + '_ {
    let scripts = dom.elements().filter(|node| node.name() == "script");
    let is_run = |kind: &str| kind.is_empty() || kind.contains("script") || kind == "module";
    let scripts = scripts.filter(move |node| is_run(node.attribute("type").unwrap_or_default()));
    scripts.map(|node| match node.attribute("src") {
        Some(address) => {
            let path = address.split(['?', '#']).next().unwrap_or_default();
            hash(&path.replace(|letter: char| letter.is_ascii_digit(), ""))
        }
        None => {
            let text: String = node.children().map(|child| child.text()).collect();
            let names: Vec<_> = names(&text).into_iter().collect();
            hash(&names.join(" "))
        }
    })
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The names in a script, without their digits. What stands between quotes is none.
fn names(script: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let (mut name, mut quote, mut is_escaped) = (String::new(), None, false);
    for letter in script.chars().take(LONGEST_SCRIPT) {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if letter == '\\' => is_escaped = true,
            // A text ends with its line, unless it is a template: a quote in a comment opens none.
            Some(open) if letter == open || (letter == '\n' && open != '`') => quote = None,
            Some(_) => {}
            None if letter.is_alphabetic() || matches!(letter, '_' | '$') => name.push(letter),
            None if letter.is_ascii_digit() && !name.is_empty() => {}
            None => {
                if !name.is_empty() {
                    names.insert(std::mem::take(&mut name));
                }
                quote = matches!(letter, '"' | '\'' | '`').then_some(letter);
            }
        }
    }
    names.insert(name);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> Vec<u64> {
        script_vocabularies(&page::tree::parse_str(html).dom).collect()
    }

    #[test]
    fn texts_and_numbers_of_a_script_do_not_count_and_what_it_calls_does() {
        let first = of("<script>go('one, \\'two', 1); // isn't\nshow4(2)</script>");
        assert_eq!(first, of("<script>go('three', 22); // isn't\nshow5(7)</script>"));
        assert_ne!(first, of("<script>go('one', 1); hide4(2)</script>"));
    }

    #[test]
    fn a_script_of_its_own_address_is_told_by_that_without_its_version() {
        let first = of("<script src='/a/app1.js?v=3'></script><script type=data>one</script>");
        assert_eq!(first, of("<script src='/a/app2.js'></script>"));
        assert_ne!(first, of("<script src='/b/app1.js'></script>"));
    }
}
