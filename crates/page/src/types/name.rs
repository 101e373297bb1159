//! What a type is called: a word out of the URL of its first page.

/// Letters of a name at most.
const MAX_NAME: usize = 32;

/// Stems of files that say nothing about what the file answers.
const DISPATCHERS: [&str; 4] = ["index", "default", "main", "app"];

/// What pages are called whose URLs have no word.
const NEUTRAL: &str = "page";

/// A name for a type, by the [shape](crate::state::url::shape) of the URL of its first page. A name
/// stays, so it must fit pages that nobody has seen yet: of the last words of the route, the first
/// that is not on every other page of the site too (`is_common`). `/u/alice/*` is `u`, since `alice`
/// may be a user's name.
pub(super) fn from_url(shape: &str, is_common: impl Fn(&str) -> bool) -> String {
    if shape == "/" {
        return "home".to_owned();
    }
    let words = words(shape);
    let special = words.iter().find(|word| !is_common(word));
    special.or(words.last()).cloned().unwrap_or_else(|| NEUTRAL.to_owned())
}

/// Whether the route of a URL has a word.
pub(super) fn has_word(shape: &str, word: &str) -> bool {
    words(shape).iter().any(|own| own == word)
}

/// The last words of a route that stand side by side: of the one in the fragment, which tells pages
/// of one address apart, else of the path. Behind a dispatcher, the names of the query.
fn words(shape: &str) -> Vec<String> {
    let (address, route) = shape.split_once('#').unwrap_or((shape, ""));
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let in_route = last_words(route.split('?').next().unwrap_or_default());
    let in_path = last_words(path);
    let names =
        query.split('&').filter_map(|pair| word(pair.split('=').next().unwrap_or_default()));
    let mut in_query = names.collect::<Vec<_>>();
    let is_dispatcher =
        |words: &[String]| words.last().is_some_and(|word| DISPATCHERS.contains(&word.as_str()));
    match (in_route.is_empty(), in_path.is_empty() || is_dispatcher(&in_path)) {
        (false, _) => in_route,
        (true, true) if !in_query.is_empty() => {
            in_query.truncate(1);
            in_query
        }
        _ => in_path,
    }
}

fn last_words(path: &str) -> Vec<String> {
    let stem = |segment: &str| word(segment.split(['.', ';']).next().unwrap_or_default());
    let segments = path.rsplit('/').map(stem).skip_while(Option::is_none);
    let mut words: Vec<_> = segments.map_while(|word| word).collect();
    words.reverse();
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
    fn a_name_is_a_word_of_the_route() {
        for (shape, name) in [
            ("/thread/*", "thread"),
            ("/viewtopic.php?id=*&p=*", "viewtopic"),
            ("/index.php?topic=*", "topic"),
            ("/index.php", "index"),
            ("/forum/*/topic/*/?page=*", "topic"),
            ("/u/northgate/*/", "u"),
            ("/help/posting", "help"),
            ("/b-*", "b"),
            ("/app#/people/*", "people"),
            ("/*/*/*/*", "page"),
            ("/*?id=*", "id"),
            ("/", "home"),
        ] {
            assert_eq!(from_url(shape, |_| false), name, "{shape}");
        }
    }

    #[test]
    fn a_word_that_all_pages_have_is_no_name_if_there_is_another() {
        let is_common = |word: &str| word == "forum";
        assert_eq!(from_url("/forum/member/profile/*/", is_common), "member");
        assert_eq!(from_url("/forum/*/", is_common), "forum");
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        assert_eq!(free("thread", |_| false), "thread");
        assert_eq!(free("thread", |name| ["thread", "thread-2"].contains(&name)), "thread-3");
    }
}
