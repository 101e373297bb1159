//! What a page can do: the scripts, handlers and frames that it has, and which of the names in its markup
//! these speak of.
//!
//! Pages of different types can do the same: the frame of a manual is one on all its pages, whatever stands
//! in it. What scripts make of such a page depends on what they find there, and they find it by a name: of an
//! element, a class, an id, an attribute. So two pages whose scripts are the same, and of whose names these
//! scripts know the same ones, are expected to do the same.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use page::tree::{Dom, Node};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Names of a page that are told apart. Of a page with more, not all is known.
const MOST_NAMES: usize = 4_096;
/// What a person uses can do something without any script that names it.
const CONTROLS: [&str; 8] =
    ["a", "button", "form", "input", "select", "textarea", "video", "audio"];

/// What a page can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acts {
    /// Names its scripts, handlers and frames, whatever their order; empty if it has none.
    pub name: Arc<str>,
    /// Its scripts and handlers.
    scripts: Vec<u64>,
    /// The addresses of scripts that it loads.
    loads: Vec<u64>,
    names: Vec<Name>,
    /// Words of the scripts that are part of it.
    words: HashSet<u64>,
    /// It has more names than are told apart.
    is_partial: bool,
}

/// A name in the markup, and how a script may write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Name {
    own: u64,
    spelled: [u64; 2],
    is_control: bool,
}

impl Acts {
    /// What a page at this address can do.
    ///
    /// ```
    /// use derive::Acts;
    /// use page::tree::parse_str;
    ///
    /// let of = |html: &str, at: &str| Acts::of(&parse_str(html).dom, &at.parse().unwrap()).name;
    /// let menu = of("<script src=../menu.js></script><p>One", "http://a.example/b/1");
    /// assert_eq!(menu, of("<h1>Two</h1><script src=/menu.js></script>", "http://a.example/2"));
    /// assert_ne!(menu, of("<script src=/pager.js></script>", "http://a.example/2"));
    /// assert_eq!(&*of("<p>Three", "http://a.example/3"), "");
    /// ```
    pub fn of(dom: &Dom, url: &Url) -> Self {
        let mut words = HashSet::new();
        let mut acts: BTreeSet<String> = scripts(dom, url).collect();
        let scripts = acts.iter().map(|script| xxh3_64(script.as_bytes())).collect();
        let loads = dom.elements().filter(is_executed).filter_map(|node| address(&node, url));
        let loads = loads.map(|address| xxh3_64(address.as_bytes())).collect();
        acts.extend(dom.elements().filter_map(|node| opens(&node)));
        if acts.is_empty() {
            return Self::default();
        }
        let mut names = HashSet::new();
        for node in dom.elements() {
            if is_executed(&node) {
                node.children().for_each(|child| words.extend(words_of(child.text())));
                continue;
            }
            names.insert(Name::of("", node.name(), CONTROLS.contains(&node.name())));
            for (name, value) in node.attributes() {
                match name {
                    "class" => {
                        let classes = value.split_ascii_whitespace();
                        names.extend(classes.map(|class| Name::of(".", class, false)));
                    }
                    "id" => drop(names.insert(Name::of("#", value, false))),
                    "name" | "role" => drop(names.insert(Name::of("=", value, false))),
                    _ if name.starts_with("on") => words.extend(words_of(value)),
                    _ => drop(names.insert(Name::of("@", name, false))),
                }
            }
        }
        let is_partial = names.len() > MOST_NAMES;
        let mut names: Vec<_> = names.into_iter().take(MOST_NAMES).collect();
        names.sort_unstable();
        let all: Vec<String> = acts.into_iter().collect();
        let name = format!("acts {:016x}", xxh3_64(all.join("\n").as_bytes())).into();
        Self { name, scripts, loads, names, words, is_partial }
    }

    /// Its scripts and handlers, as hashes.
    pub fn scripts(&self) -> &[u64] {
        &self.scripts
    }

    /// Whether all scripts that it loads are among these.
    pub(crate) fn loads_only(&self, read: &HashSet<u64>) -> bool {
        self.loads.iter().all(|script| read.contains(script))
    }

    /// The names in the page that its scripts may look for, as hashes: those among its own words and these,
    /// and what works without a script. `None` if not all names are known.
    pub(crate) fn hooks(&self, known: &HashSet<u64>) -> Option<BTreeSet<u64>> {
        let is_word = |word: &u64| known.contains(word) || self.words.contains(word);
        let is_hook = |name: &&Name| name.is_control || name.spelled.iter().any(is_word);
        let hooks = self.names.iter().filter(is_hook).map(|name| name.own);
        (!self.is_partial).then(|| hooks.collect())
    }
}

impl Name {
    /// Numbers at its end are made for one page, and a script puts them together.
    fn of(sort: &str, name: &str, is_control: bool) -> Self {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let stem = if stem.is_empty() { "#" } else { stem };
        let as_property = match (sort, name.strip_prefix("data-")) {
            ("@", Some(data)) => camel_case(data),
            _ => name.to_owned(),
        };
        let (own, spelled) = (word(&format!("{sort}{stem}")), [word(stem), word(&as_property)]);
        Self { own, spelled, is_control }
    }
}

/// `data-read-more` is `dataset.readMore`.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('-');
    let mut property = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        property.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        property.push_str(letters.as_str());
    }
    property
}

/// The words of a script: what may be a name in the markup, in one piece and without the hyphens.
pub(crate) fn words_of(script: &str) -> impl Iterator<Item = u64> + '_ {
    let is_between = |c: char| !(c.is_alphanumeric() || c == '_' || c == '-');
    script.split(is_between).filter(|word| !word.is_empty()).flat_map(|part| {
        let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let pieces = part.split('-').filter(move |piece| piece.len() < part.len());
        [part, stem].into_iter().chain(pieces).filter(|word| !word.is_empty()).map(word)
    })
}

fn word(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// What makes a page able to show more than its bytes do, besides scripts and handlers: frames, and what opens.
fn opens(node: &Node<'_>) -> Option<String> {
    const OPENERS: [&str; 8] =
        ["noscript", "iframe", "frame", "object", "embed", "details", "dialog", "template"];
    let is_one = OPENERS.contains(&node.name());
    is_one.then(|| node.name().to_owned())
}

/// The scripts of a page and its handlers in attributes: by address, or by their text.
pub fn scripts<'d>(dom: &'d Dom, url: &'d Url) -> impl Iterator<Item = String> + 'd {
    dom.elements().flat_map(move |node| {
        let own = is_executed(&node).then(|| {
            address(&node, url).unwrap_or_else(|| {
                let text: String = node.children().map(|child| child.text()).collect();
                format!("script {:016x}", xxh3_64(text.as_bytes()))
            })
        });
        let handlers = node.attributes().filter_map(|(name, code)| {
            let is_handler = name.starts_with("on") || is_call(code);
            is_handler.then(|| format!("{name} {}", calls(code)))
        });
        own.into_iter().chain(handlers)
    })
}

/// Where a script is loaded from.
fn address(node: &Node<'_>, url: &Url) -> Option<String> {
    let source = node.attribute("src")?;
    Some(url.join(source.trim()).map_or(source.to_owned(), String::from))
}

/// Whether an element is a script that a browser runs, and not data for one.
fn is_executed(node: &Node<'_>) -> bool {
    let is_code = |kind: &str| {
        let kind = kind.trim().to_ascii_lowercase();
        matches!(kind.as_str(), "" | "module") || kind.ends_with("script")
    };
    node.name() == "script"
        && node.attribute("type").is_none_or(is_code)
        && node.attribute("nomodule").is_none()
}

fn is_call(value: &str) -> bool {
    let scheme = value.trim_start().get(..11);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"))
}

/// What a handler in an attribute calls, without arguments: a pager is not the menu that every page has.
fn calls(code: &str) -> &str {
    let code = code.trim().trim_start_matches("return ").trim_start_matches("javascript:");
    let end = code.find(|c: char| !c.is_alphanumeric() && !"_$.".contains(c));
    code.get(..end.unwrap_or(code.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::parse_str;

    fn acts(html: &str) -> Acts {
        Acts::of(&parse_str(html).dom, &"http://a.example/".parse().unwrap())
    }

    fn known(script: &str) -> HashSet<u64> {
        words_of(script).collect()
    }

    #[test]
    fn a_page_differs_by_a_name_that_its_scripts_speak_of_and_by_no_other() {
        let page = |more: &str| acts(&format!("<script src=/a.js></script><p>{more}</p>"));
        let hooks = |more: &str, script: &str| page(more).hooks(&known(script)).unwrap();
        let script = "load(document.querySelector('#notes-' + n), dataset.readMore, '.fold-out')";
        let plain = hooks("", script);
        for more in
            ["<i id=notes-12></i>", "<i data-read-more=1></i>", "<i class=fold-out></i>", "<form>"]
        {
            assert_ne!(hooks(more, script), plain, "{more}");
        }
        for more in ["<i id=chapter-12></i>", "<i data-note=1></i>", "<b class=keyword>x</b>"] {
            assert_eq!(hooks(more, script), plain, "{more}");
        }
        assert_eq!(hooks("<i id=notes-1></i>", script), hooks("<i id=notes-2></i>", script));
    }

    #[test]
    fn what_a_script_in_the_page_speaks_of_counts_and_data_is_no_script() {
        let page = |id: &str| acts(&format!("<i id={id}></i><script>fill(notes)</script>"));
        let hooks = |id: &str| page(id).hooks(&HashSet::new()).unwrap();
        assert_ne!(hooks("notes"), hooks("other"));
        assert_eq!(&*acts("<script type=application/json>{}</script>").name, "");
        let handler = |call: &str| acts(&format!("<b onclick='{call}'>x</b>")).name;
        assert_eq!(handler("show(1)"), handler("show(2)"));
        assert_ne!(handler("show(1)"), handler("hide(1)"));
    }
}
