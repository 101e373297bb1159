//! The pattern of a URL: what is the same in all URLs that one template of a site makes.

use std::collections::BTreeSet;

use url::Url;

/// Bytes of a pattern at most; deeper and longer URLs end in `…`.
const MAX_SHAPE: usize = 256;
/// Names of a query that are told apart.
const MAX_NAMES: usize = 16;
/// A segment with more letters than a route has is a title.
const LONG_SEGMENT: usize = 32;
/// So is one of this many words.
const TITLE_WORDS: usize = 3;

/// The pattern of a URL, for budgets, reports and names: in the path, numbers, dates, hashes and
/// titles become `*`; of the query only the names stay, sorted; a fragment counts if it is a route.
///
/// ```
/// use page::state::url::shape;
/// use url::Url;
///
/// let of = |path: &str| shape(&Url::parse("http://a.example").unwrap().join(path).unwrap());
/// assert_eq!(of("/calendar?month=2009-05"), "/calendar?month=*");
/// assert_eq!(of("/thread/30001"), "/thread/*");
/// assert_eq!(of("/t/which-lamp-for-a-leaky-pump/72/2/"), "/t/*/*/*/");
/// assert_eq!(of("/viewtopic.php?p=2&id=7"), "/viewtopic.php?id=*&p=*");
/// assert_eq!(of("/about/terms"), "/about/terms");
/// ```
pub fn shape(url: &Url) -> String {
    let mut out = path_shape(url.path());
    push_query(&mut out, url.query().unwrap_or_default());
    if let Some(route) = url.fragment().filter(|route| route.starts_with(['/', '!'])) {
        let (path, query) = route.split_once('?').unwrap_or((route, ""));
        out.push('#');
        out.push_str(&path_shape(path));
        push_query(&mut out, query);
    }
    if out.len() > MAX_SHAPE {
        out.truncate(out.floor_char_boundary(MAX_SHAPE - '…'.len_utf8()));
        out.push('…');
    }
    out
}

fn path_shape(path: &str) -> String {
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

fn segment(segment: &str) -> String {
    // Parameters of a segment (`;jsessionid=…`) are a query that stands in the path.
    if let Some((segment, parameters)) = segment.split_once(';') {
        let names = parameters.split(';').take(MAX_NAMES).map(name_of);
        return names.fold(self::segment(segment), |shape, name| format!("{shape};{name}=*"));
    }
    let (stem, extension) = match segment.rsplit_once('.') {
        Some((stem, extension)) if is_extension(extension) => (stem, Some(extension)),
        _ => (segment, None),
    };
    let stem = generalised(stem);
    match extension {
        Some(extension) => format!("{stem}.{extension}"),
        None => stem,
    }
}

/// `html`, `php`, `asp`: short, and of letters.
fn is_extension(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// A route as it is, with `*` for its number (`page2` → `page*`, `b-1024` → `b-*`); `*` for an
/// identifier, a date, a title.
fn generalised(stem: &str) -> String {
    let words: Vec<&str> = stem.split(['-', '_', '.', '~', ',', '+', ':']).collect();
    let is_title = stem.contains('%') || stem.len() > LONG_SEGMENT || words.len() >= TITLE_WORDS;
    if is_version(stem) {
        return stem.to_owned();
    }
    if !stem.bytes().any(|byte| byte.is_ascii_digit()) {
        return if is_title { "*".to_owned() } else { stem.to_owned() };
    }
    let letters = stem.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = stem.split_at(letters);
    let number = rest.trim_start_matches(['-', '_', '.']);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && !is_title {
        let separator = &rest[..rest.len() - number.len()];
        format!("{word}{separator}*")
    } else {
        "*".to_owned()
    }
}

/// `v2` of an interface is a part of the route.
fn is_version(stem: &str) -> bool {
    matches!(stem.as_bytes(), [b'v' | b'V', digits @ ..]
        if (1..=2).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit))
}

fn push_query(out: &mut String, query: &str) {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let names: BTreeSet<String> = pairs.map(name_of).collect();
    for (at, name) in names.iter().take(MAX_NAMES).enumerate() {
        out.push(if at == 0 { '?' } else { '&' });
        out.push_str(name);
        out.push_str(if name == "*" { "" } else { "=*" });
    }
}

/// The name of a parameter. Without a value it may be one itself (`?143493-a-title`); numbers in
/// names count fields (`filter[3]`).
fn name_of(pair: &str) -> String {
    let (name, has_value) = match pair.split_once('=') {
        Some((name, _)) => (name, true),
        None => (pair, false),
    };
    if !has_value || name.len() > LONG_SEGMENT {
        return generalised(name);
    }
    let mut out = String::new();
    for character in name.replace("%5B", "[").replace("%5D", "]").chars() {
        match character {
            '0'..='9' if out.ends_with('*') => {}
            '0'..='9' => out.push('*'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> String {
        shape(&Url::parse("http://forum.example/").unwrap().join(path).unwrap())
    }

    #[test]
    fn what_a_template_fills_in_is_left_out() {
        for (url, expected) in [
            ("/", "/"),
            ("/2009/04/30/a-day-in-may", "/*/*/*/*"),
            ("/news/2009-04-30/", "/news/*/"),
            ("/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/u/*"),
            ("/watch/dQw4w9WgXcQ", "/watch/*"),
            ("/b-1001024024", "/b-*"),
            ("/page2", "/page*"),
            ("/threads/df-hilferuf.416785/", "/threads/*/"),
            ("/annonces/12735-latex-mode.html", "/annonces/*.html"),
            ("/post11011.html", "/post*.html"),
            ("/摄影-3/", "/*/"),
            ("/wiki/中文", "/wiki/*"),
        ] {
            assert_eq!(of(url), expected, "{url}");
        }
    }

    #[test]
    fn routes_stay_as_they_are() {
        for url in ["/about/terms", "/index.php", "/api/v2/items", "/top/views", "/user_list"] {
            assert_eq!(of(url), url);
        }
    }

    #[test]
    fn a_query_is_its_names_in_order() {
        for (url, expected) in [
            ("/s?z=1&a=2&a=3", "/s?a=*&z=*"),
            ("/s?filter%5B3%5D=x", "/s?filter[*]=*"),
            ("/showthread.php?143493-A-Generic-Title", "/showthread.php?*"),
            ("/s?list", "/s?list=*"),
            ("/s?", "/s"),
            ("/s;jsessionid=0A1B2C?p=1", "/s;jsessionid=*?p=*"),
        ] {
            assert_eq!(of(url), expected, "{url}");
        }
    }

    #[test]
    fn a_fragment_counts_if_it_is_a_route() {
        assert_eq!(of("/app#/people/17"), "/app#/people/*");
        assert_eq!(of("/app#!/people?sort=name"), "/app#!/people?sort=*");
        assert_eq!(of("/app#notes"), "/app");
    }

    #[test]
    fn it_is_short_whatever_the_url() {
        let deep = "/a".repeat(4_000);
        assert!(of(&deep).len() <= MAX_SHAPE && of(&deep).ends_with('…'));
        let wide = (0..4_000).map(|n| format!("n{}x=1&", "y".repeat(n % 30))).collect::<String>();
        assert!(of(&format!("/?{wide}")).len() <= MAX_SHAPE);
    }
}
