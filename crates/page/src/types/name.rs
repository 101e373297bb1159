//! What a type is called: a word out of the URLs of its pages.

/// Letters of a name at most.
const MAX_NAME: usize = 32;

/// Stems of files that say nothing about what the file answers.
const DISPATCHERS: [&str; 4] = ["index", "default", "main", "app"];

/// The share of pages whose URLs must have a word that is given as the name.
const GIVEN: f64 = 0.8;
/// The share below which it is no name for them any more.
const KEPT: f64 = 0.5;

/// Whether a name still fits pages at URLs of these [shapes](crate::state::url::shape), each with
/// its number of pages.
pub(super) fn fits(name: &str, urls: &[(&str, u64)]) -> bool {
    // Without its number; a name made of several words has none that is taken for one.
    let word = name.rsplit_once('-').filter(|(_, end)| end.parse::<u32>().is_ok());
    let word = word.map_or(name, |(word, _)| word);
    if word == NEUTRAL { from_urls(urls) == NEUTRAL } else { share(word, urls) >= KEPT }
}

/// A name for pages at URLs of these shapes, each with its number of pages: the last word of the
/// route that nearly all have in common.
pub(super) fn from_urls(urls: &[(&str, u64)]) -> String {
    let first = urls.iter().max_by_key(|(shape, pages)| (*pages, std::cmp::Reverse(*shape)));
    let words = first.map(|(shape, _)| words(shape)).unwrap_or_default();
    let found = words.into_iter().find(|word| share(word, urls) >= GIVEN);
    found.unwrap_or_else(|| NEUTRAL.to_owned())
}

/// What pages are called that have no word in common.
const NEUTRAL: &str = "page";

fn share(word: &str, urls: &[(&str, u64)]) -> f64 {
    let has = |shape: &str| words(shape).iter().any(|own| own == word);
    let with: u64 = urls.iter().filter(|(shape, _)| has(shape)).map(|(_, pages)| pages).sum();
    let all: u64 = urls.iter().map(|(_, pages)| pages).sum();
    with as f64 / all.max(1) as f64
}

/// The words of a shape, best first: of the route in the fragment, which tells pages of one address
/// apart, then of the path, each from its end, then the names of the query.
fn words(shape: &str) -> Vec<String> {
    let (address, route) = shape.split_once('#').unwrap_or((shape, ""));
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    if shape == "/" {
        return vec!["home".to_owned()];
    }
    let route = route.split('?').next().unwrap_or_default();
    let stem = |segment: &str| word(segment.split(['.', ';']).next().unwrap_or_default());
    let in_route = route.rsplit('/').filter_map(stem);
    let in_path = path.rsplit('/').filter_map(stem);
    let in_query =
        query.split('&').filter_map(|pair| word(pair.split('=').next().unwrap_or_default()));
    let mut words: Vec<String> = in_route.chain(in_path).chain(in_query).collect();
    // Behind a dispatcher, the query says what is asked for.
    words.sort_by_key(|word| DISPATCHERS.contains(&word.as_str()));
    words
}

/// A text as a word for the command line: lower case, no signs at its ends.
fn word(text: &str) -> Option<String> {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let word: String = text.chars().take(MAX_NAME).map(plain).collect();
    let word = word.trim_matches('-');
    word.contains(char::is_alphabetic).then(|| word.to_owned())
}

/// The name, or the name with the first number that makes it another than all that are taken.
pub(super) fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    (2u32..)
        .map(|number| format!("{name}-{number}"))
        .find(|name| !is_taken(name))
        .unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_last_word_of_the_route() {
        for (shape, name) in [
            ("/thread/*", "thread"),
            ("/viewtopic.php?id=*&p=*", "viewtopic"),
            ("/index.php?topic=*", "topic"),
            ("/index.php", "index"),
            ("/forum/*/topic/*/?page=*", "topic"),
            ("/b-*", "b"),
            ("/app#/people/*", "people"),
            ("/*/*/*/*", "page"),
            ("/*?id=*", "id"),
            ("/", "home"),
        ] {
            assert_eq!(from_urls(&[(shape, 1)]), name, "{shape}");
        }
    }

    #[test]
    fn a_name_is_what_nearly_all_urls_have_in_common() {
        assert_eq!(from_urls(&[("/u/northgate/*", 1), ("/u/oldsolder/*", 1)]), "u");
        assert_eq!(from_urls(&[("/tag/*", 75), ("/top/views", 4)]), "tag");
        assert_eq!(from_urls(&[("/local/", 1), ("/business/", 1)]), "page");
    }

    #[test]
    fn a_name_fits_until_most_urls_have_it_no_more() {
        assert!(fits("northgate", &[("/u/northgate/*", 1)]));
        assert!(!fits("northgate-2", &[("/u/northgate/*", 1), ("/u/a/*", 1), ("/u/b/*", 1)]));
        assert!(fits("page-7", &[("/local/", 1)]));
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        assert_eq!(free("thread", |_| false), "thread");
        assert_eq!(free("thread", |name| ["thread", "thread-2"].contains(&name)), "thread-3");
    }
}
