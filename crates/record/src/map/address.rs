//! The address of a page in the form that is compared, and the numbers in it that may count pages.

use url::Url;
use xxhash_rust::xxh3::Xxh3;

use page::state::url::shape;

/// Numbers of an address that are looked at.
const MOST_SLOTS: usize = 16;
/// Digits of a page number or an offset at most.
const MOST_DIGITS: usize = 9;
/// Hexadecimal digits of a parameter that names a visit and not a page.
const SESSION_DIGITS: usize = 32;

/// The address of a page, taken apart: without a fragment that names a place on the page, without
/// a last slash, its parameters in order and without those that name a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    host: String,
    segments: Vec<String>,
    /// Name (with its `=`, if there is one) and value.
    pairs: Vec<(String, String)>,
    /// A fragment that names a page.
    route: String,
    /// The pattern of the path.
    path: String,
}

/// A number in an address, and what the address is without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// Where in addresses of this pattern it is.
    pub(super) place: u64,
    pub(super) value: u64,
    /// The address with the number left open.
    pub(super) open: String,
    /// The address without it, and without the word before it that only announces it.
    pub(super) without: Vec<String>,
}

impl Address {
    pub(super) fn of(url: &Url) -> Self {
        let host = match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        let segments = url.path().split('/').map(without_session).filter(|part| !part.is_empty());
        let query = url.query().unwrap_or_default();
        let pairs = query.split(['&', ';']).filter(|pair| !pair.is_empty());
        // What is left empty says nothing.
        let says = |(name, value): &(String, String)| !value.is_empty() && !is_session(name, value);
        let mut pairs: Vec<_> = pairs.map(pair).filter(says).collect();
        pairs.sort();
        pairs.dedup();
        let route = url.fragment().filter(|route| route.starts_with(['/', '!']));
        let mut pattern = shape(url);
        pattern.truncate(pattern.find(['?', '#']).unwrap_or(pattern.len()));
        Address {
            host: host.trim_start_matches("www.").to_owned(),
            segments: segments.map(str::to_owned).collect(),
            pairs,
            route: route.unwrap_or_default().to_owned(),
            path: pattern,
        }
    }

    /// The numbers that may count pages.
    pub(super) fn slots(&self) -> Vec<Slot> {
        let in_path = self.segments.iter().enumerate();
        let in_path = in_path.flat_map(|(at, segment)| {
            runs(segment).into_iter().enumerate().map(move |(run, digits)| (at, run, digits))
        });
        let path: Vec<_> = in_path.take(MOST_SLOTS).collect();
        let in_query = self.pairs.iter().enumerate();
        let in_query = in_query.flat_map(|(at, (_, value))| {
            runs(value).into_iter().enumerate().map(move |(run, digits)| (at, run, digits))
        });
        let query: Vec<_> = in_query.take(MOST_SLOTS).collect();
        let path = path.into_iter().filter_map(|(at, run, digits)| self.in_path(at, run, digits));
        let query =
            query.into_iter().filter_map(|(at, run, digits)| self.in_query(at, run, digits));
        path.chain(query).collect()
    }

    /// The address without one parameter that may say how the page is shown and not which it is:
    /// words, such as what to highlight or where one came from. A number names something.
    pub(super) fn plainer(&self) -> impl Iterator<Item = Address> {
        let is_word = |value: &str| value.contains(|c: char| c.is_ascii_alphabetic());
        let words = self.pairs.iter().enumerate().filter(move |(_, (_, value))| is_word(value));
        let most = if self.pairs.len() > 1 { MOST_SLOTS } else { 0 };
        words.take(most).map(|(at, _)| {
            let mut plainer = self.clone();
            plainer.pairs.remove(at);
            plainer
        })
    }

    fn in_path(&self, at: usize, run: usize, digits: Run) -> Option<Slot> {
        let segment = self.segments.get(at)?;
        let cut = Cut::of(segment, digits)?;
        let with = |segment: Option<String>| {
            let mut address = self.clone();
            match segment {
                Some(segment) => *address.segments.get_mut(at)? = segment,
                None => drop(address.segments.remove(at)),
            }
            Some(address)
        };
        let mut without = Vec::new();
        if cut.is_whole {
            let mut shorter = with(None)?;
            without.push(shorter.to_string());
            // `/page/2`: the word before goes, too.
            if let Some(before) = at.checked_sub(1)
                && self.segments.get(before).is_some_and(|word| is_word(word))
            {
                shorter.segments.remove(before);
                without.push(shorter.to_string());
            }
        } else {
            for text in &cut.without {
                without.push(with(Some(text.clone()))?.to_string());
            }
        }
        let place =
            self.place(&[b"path", &at.to_le_bytes(), &run.to_le_bytes(), cut.pattern.as_bytes()]);
        Some(Slot { place, value: cut.value, open: with(Some(cut.open))?.to_string(), without })
    }

    fn in_query(&self, at: usize, run: usize, digits: Run) -> Option<Slot> {
        let (name, value) = self.pairs.get(at)?;
        let cut = Cut::of(value, digits)?;
        let mut without = Vec::new();
        for text in &cut.without {
            let mut shorter = self.clone();
            match cut.is_whole {
                true => drop(shorter.pairs.remove(at)),
                false => shorter.pairs.get_mut(at)?.1.clone_from(text),
            }
            without.push(shorter.to_string());
        }
        without.dedup();
        let mut open = self.clone();
        open.pairs.get_mut(at)?.1 = cut.open;
        let place =
            self.place(&[b"query", name.as_bytes(), &run.to_le_bytes(), cut.pattern.as_bytes()]);
        Some(Slot { place, value: cut.value, open: open.to_string(), without })
    }

    fn place(&self, parts: &[&[u8]]) -> u64 {
        let mut hash = Xxh3::new();
        for part in [self.host.as_bytes(), self.path.as_bytes()].iter().chain(parts) {
            hash.update(&part.len().to_le_bytes());
            hash.update(part);
        }
        hash.digest()
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.host)?;
        for segment in &self.segments {
            write!(out, "/{segment}")?;
        }
        for (at, (name, value)) in self.pairs.iter().enumerate() {
            write!(out, "{}{name}{value}", if at == 0 { '?' } else { '&' })?;
        }
        if !self.route.is_empty() {
            write!(out, "#{}", self.route)?;
        }
        Ok(())
    }
}

/// Name with its `=`, and value; what has no `=` is a value (`?143493-a-title`).
fn pair(pair: &str) -> (String, String) {
    match pair.find('=') {
        Some(at) => (pair[..=at].to_owned(), pair[at + 1..].to_owned()),
        None => (String::new(), pair.to_owned()),
    }
}

fn is_session(name: &str, value: &str) -> bool {
    let is_hash =
        value.len() == SESSION_DIGITS && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash || is_session_name(name)
}

fn is_session_name(name: &str) -> bool {
    let name = name.trim_end_matches('=').to_ascii_lowercase();
    name.ends_with("sessid") || name.ends_with("sessionid")
}

/// `t;jsessionid=0A1B` is `t`.
fn without_session(segment: &str) -> &str {
    match segment.split_once(';') {
        Some((before, rest)) if rest.split('=').next().is_some_and(is_session_name) => before,
        _ => segment,
    }
}

fn is_word(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Where digits begin and end.
type Run = (usize, usize);

fn runs(text: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, _) in text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => runs.push((at, at + 1)),
        }
    }
    runs.truncate(MOST_SLOTS);
    runs
}

/// A segment or a value, cut at a number.
struct Cut {
    value: u64,
    /// Nothing but the number, or the number and a word that announces it (`page-2`).
    is_whole: bool,
    /// All numbers left open.
    pattern: String,
    open: String,
    /// Without the number, and without the word before it.
    without: Vec<String>,
}

impl Cut {
    fn of(text: &str, (from, to): Run) -> Option<Cut> {
        let (before, digits, after) = (text.get(..from)?, text.get(from..to)?, text.get(to..)?);
        // The octets of an escape are no number.
        let is_escaped = before.ends_with('%')
            || before.get(before.len().saturating_sub(2)..).is_some_and(|two| two.starts_with('%'));
        if digits.len() > MOST_DIGITS || is_escaped {
            return None;
        }
        let separator = |c: char| matches!(c, '-' | '_' | '.' | ',' | '~' | ':' | '/');
        let word = before.trim_end_matches(separator);
        let mut without = vec![format!("{word}{after}")];
        // `a-title/page2`, `a-title-page-2.html`
        if let Some((shorter, last)) = word.rsplit_once(separator)
            && is_word(last)
        {
            without.push(format!("{shorter}{after}"));
        }
        Some(Cut {
            value: digits.parse().ok()?,
            is_whole: after.is_empty() && (word.is_empty() || is_word(word)),
            pattern: open_all(text),
            open: format!("{before}\0{after}"),
            without,
        })
    }
}

fn open_all(text: &str) -> String {
    let mut out = String::new();
    let mut last = 0;
    for (from, to) in runs(text) {
        out.push_str(text.get(last..from).unwrap_or_default());
        out.push('*');
        last = to;
    }
    out.push_str(text.get(last..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Address {
        Address::of(&Url::parse("http://forum.example/").unwrap().join(path).unwrap())
    }

    #[test]
    fn one_page_has_one_address_however_it_is_linked() {
        for (one, other) in [
            ("/t?b=2&a=1", "/t?a=1;b=2"),
            ("/t/1/#p17", "/t/1"),
            ("/t?id=1&sid=0123456789abcdef0123456789abcdef", "/t?id=1"),
            ("/t?id=1&PHPSESSID=q1w2e3r4t5", "/t?id=1"),
            ("/t;jsessionid=0A1B?id=1", "/t?id=1"),
            ("/t?id=1&extra=", "/t?id=1"),
            ("http://www.forum.example/t", "/t"),
        ] {
            assert_eq!(of(one).to_string(), of(other).to_string(), "{one}");
        }
        assert_ne!(of("/#/t/1").to_string(), of("/#/t/2").to_string());
    }

    #[test]
    fn a_page_number_can_be_taken_out_of_every_form_of_address() {
        for (page, first) in [
            ("/showthread.php?tid=1&page=2", "/showthread.php?tid=1"),
            ("/index.php?topic=12.20", "/index.php?topic=12"),
            ("/viewtopic.php?f=2&t=5&start=20", "/viewtopic.php?f=2&t=5"),
            ("/topic/12/a-slug?page=2", "/topic/12/a-slug"),
            ("/d/12-slug/20", "/d/12-slug"),
            ("/t/slug/12/page/2/", "/t/slug/12/"),
            ("/t/slug.12/page-2", "/t/slug.12/"),
            ("/t/1/p2", "/t/1/"),
            ("/some-title-t12-15.html", "/some-title-t12.html"),
            ("/showthread.php?12-a-title/page2", "/showthread.php?12-a-title"),
            ("/a-title-page-2.html", "/a-title.html"),
        ] {
            let first = of(first).to_string();
            let slots = of(page).slots();
            assert!(slots.iter().any(|slot| slot.without.contains(&first)), "{page}: {slots:?}");
        }
    }

    #[test]
    fn pages_differ_in_one_open_number() {
        for (one, other) in [
            ("/thread-12-2-1.html", "/thread-12-1-1.html"),
            ("/index.php?topic=12.0", "/index.php?topic=12.20"),
        ] {
            let (one, other) = (of(one).slots(), of(other).slots());
            let common =
                one.iter().filter(|a| other.iter().any(|b| a.open == b.open && a.place == b.place));
            assert_eq!(common.count(), 1);
        }
    }

    #[test]
    fn octets_of_an_escape_are_no_numbers() {
        assert_eq!(of("/t/摄影").slots(), []);
        assert_eq!(of("/t/摄影-3").slots().len(), 1);
    }
}
