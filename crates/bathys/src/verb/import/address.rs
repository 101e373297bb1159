//! Where an imported file was, when the user does not say: what the file says, if that can be
//! believed.
//!
//! A canonical link names the page that a search engine should list, which need not be the page it
//! stands on: every page of a thread may name the first one. So it is believed only if no other file
//! of the import names the same.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path};

use url::Url;

/// What a file says about where it was.
struct Claim {
    /// What a browser wrote in front of the page when it saved it: where it was loaded from.
    saved_from: Option<Url>,
    /// Its canonical link, or else its Open Graph address.
    canonical: Option<Url>,
    /// Of its bytes: two files with the same are one page.
    hash: blake3::Hash,
}

/// The claims of all files of an import.
#[derive(Default)]
pub struct Claims {
    claims: Vec<Claim>,
}

/// Where a file was.
#[derive(PartialEq, Debug)]
pub enum Told {
    /// The file says so.
    Url(Url),
    /// It names a canonical address, but so do other files; its path decided.
    ByPath(Url),
    /// It does not say.
    Nothing,
}

impl Claims {
    /// Notes what the next file says.
    pub fn read(&mut self, body: &[u8]) {
        let dom = page::tree::parse(body, None).dom;
        let attribute = |name: &str, key: &str, value: &str, wanted: &str| {
            let has = |node: &page::tree::Node<'_>| {
                node.name() == name
                    && node
                        .attribute(key)
                        .is_some_and(|have| have.trim().eq_ignore_ascii_case(value))
            };
            let node = dom.elements().find(has)?;
            node.attribute(wanted).and_then(web_url)
        };
        let comments = dom.nodes().filter(|node| node.kind() == page::tree::Kind::Comment);
        let saved_from = comments
            .filter_map(|node| {
                let (_, rest) = node.text().split_once("saved from url=(")?;
                rest.split_once(')').and_then(|(_, url)| web_url(url))
            })
            .next();
        let canonical = attribute("link", "rel", "canonical", "href")
            .or_else(|| attribute("meta", "property", "og:url", "content"));
        self.claims.push(Claim { saved_from, canonical, hash: blake3::hash(body) });
    }

    /// Where each file was, in the order in which they were read.
    pub fn judge<'a>(&self, paths: impl Iterator<Item = &'a Path>) -> Vec<Told> {
        let mut naming: HashMap<&Url, HashSet<blake3::Hash>> = HashMap::new();
        for claim in &self.claims {
            if let Some(canonical) = &claim.canonical {
                naming.entry(canonical).or_default().insert(claim.hash);
            }
        }
        let is_shared = |url: &Url| naming.get(url).is_some_and(|files| files.len() > 1);
        let judged = self.claims.iter().zip(paths).map(|(claim, path)| {
            match (&claim.saved_from, &claim.canonical) {
                (Some(url), _) => Told::Url(url.clone()),
                (None, Some(url)) if is_shared(url) => Told::ByPath(by_path(path, url)),
                (None, Some(url)) => Told::Url(url.clone()),
                (None, None) => Told::Nothing,
            }
        });
        judged.collect()
    }
}

fn web_url(text: &str) -> Option<Url> {
    let url = Url::parse(text.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// Where a file was by its path: below a folder with the name of the host, as mirrors have it, else
/// beside the page that it names.
fn by_path(path: &Path, canonical: &Url) -> Url {
    let parts: Vec<_> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_string_lossy()),
            _ => None,
        })
        .collect();
    let host = canonical.host_str().unwrap_or_default();
    let below_host = parts.iter().position(|part| part.eq_ignore_ascii_case(host));
    let mut url = canonical.clone();
    url.set_fragment(None);
    url.set_query(None);
    match below_host {
        Some(at) => {
            // A mirror keeps the query in the name of the file.
            let rest = parts[at + 1..].join("/");
            let (path, query) = rest.split_once('?').map_or((&*rest, None), |(p, q)| (p, Some(q)));
            url.set_path(path);
            url.set_query(query);
        }
        None => {
            if let (Ok(mut segments), Some(name)) = (url.path_segments_mut(), parts.last()) {
                segments.pop().push(name);
            }
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(files: &[(&str, &str)]) -> Vec<Told> {
        let mut claims = Claims::default();
        files.iter().for_each(|(_, body)| claims.read(body.as_bytes()));
        claims.judge(files.iter().map(|(path, _)| Path::new(*path)))
    }

    fn url(text: &str) -> Told {
        Told::Url(text.parse().unwrap())
    }

    #[test]
    fn a_saved_page_tells_its_address() {
        let canonical = ("a", "<link rel=canonical href=https://example.org/a><p>x");
        let saved = ("b", "<!-- saved from url=(0022)https://example.org/b --><p>x");
        let graph = ("c", "<meta property=og:url content=https://example.org/c>");
        let script = ("d", "<link rel=canonical href='javascript:x'>");
        let expected = ["a", "b", "c"].map(|name| url(&format!("https://example.org/{name}")));
        assert_eq!(told(&[canonical, saved, graph])[..], expected);
        assert_eq!(told(&[script]), [Told::Nothing]);
    }

    #[test]
    fn a_canonical_that_different_files_name_is_believed_for_none_of_them() {
        let one = ("1.html", "<link rel=canonical href=https://example.org/t/7?a=1#b><p>one");
        let two = ("x/2.html", "<link rel=canonical href=https://example.org/t/7?a=1#b><p>two");
        let by_path = |text: &str| Told::ByPath(text.parse().unwrap());
        assert_eq!(
            told(&[one, two]),
            [by_path("https://example.org/t/1.html"), by_path("https://example.org/t/2.html")]
        );
        assert_eq!(told(&[one, one])[0], url("https://example.org/t/7?a=1#b"), "one page twice");
        let mirrored = ("/w/example.org/t/7", two.1);
        assert_eq!(told(&[one, mirrored])[1], by_path("https://example.org/t/7"));
    }
}
