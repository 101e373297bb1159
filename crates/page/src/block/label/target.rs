//! Where the links of a page lead: to its own site or to another, straight or past a counter.

use crate::tree::names::known;
use crate::tree::{Dom, Node};
use std::collections::HashMap;

/// Links that are looked at for what the site is called, if the page does not say so.
const MOST_LINKS: usize = 2000;

/// Parts of addresses that are there to count who came from where.
const COUNTERS: [&str; 8] =
    ["utm_", "/click", "click?", "clickid", "adurl", "redirect", "affiliate", "?ref="];

/// The site of a page, to tell links that leave it.
pub(super) struct Targets {
    own: Option<String>,
}

impl Targets {
    /// By what the page says its address is, or else by where most of its links lead.
    pub(super) fn of(dom: &Dom) -> Self {
        let own = said(dom).and_then(site).or_else(|| most_linked(dom));
        Self { own: own.map(str::to_owned) }
    }

    /// Whether an address is of another site.
    pub(super) fn is_elsewhere(&self, href: &str) -> bool {
        site(href).is_some_and(|site| self.own.as_deref().is_some_and(|own| own != site))
    }
}

/// Whether an address has another one in it, or what counts the readers that a site sends.
pub(super) fn is_counted(href: &str) -> bool {
    href.rfind("http").is_some_and(|at| at > 0)
        || COUNTERS.iter().any(|counter| href.contains(counter))
}

/// The address that a page gives as its own.
fn said(dom: &Dom) -> Option<&str> {
    dom.elements().take_while(|node| !node.is(known::BODY)).find_map(|node| {
        match node.name_id()? {
            known::LINK if node.attribute_by(known::REL) == Some("canonical") => {
                node.attribute_by(known::HREF)
            }
            known::META if node.attribute("property") == Some("og:url") => {
                node.attribute_by(known::CONTENT)
            }
            _ => None,
        }
        .filter(|address| site(address).is_some())
    })
}

fn most_linked(dom: &Dom) -> Option<&str> {
    let links = dom.elements().filter(|node| node.is(known::A)).take(MOST_LINKS);
    let mut sites: HashMap<&str, u32> = HashMap::new();
    for site in links.filter_map(|link: Node<'_>| site(link.attribute_by(known::HREF)?)) {
        *sites.entry(site).or_default() += 1;
    }
    // Of equal ones the first by name, whatever the order of the table.
    sites.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0))).map(|(site, _)| site)
}

/// The registrable domain of an absolute address.
fn site(href: &str) -> Option<&str> {
    let href = href.trim_start();
    let rest = ["https://", "http://", "//"].iter().find_map(|start| href.strip_prefix(start))?;
    let end = rest.find(['/', '?', '#', ':']).unwrap_or(rest.len());
    let host = rest.get(..end)?;
    psl::domain_str(host).or(Some(host)).filter(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_str;

    #[test]
    fn a_link_leaves_the_site_that_the_page_says_or_that_most_links_lead_to() {
        let said = "<link rel=canonical href=https://www.harbour.example/a><body>\
            <a href=https://ships.example/1>1</a><a href=https://ships.example/2>2</a>";
        let targets = Targets::of(&parse_str(said).dom);
        assert!(!targets.is_elsewhere("//news.harbour.example/b"));
        assert!(targets.is_elsewhere("https://ships.example/1"));
        assert!(!targets.is_elsewhere("/b") && !targets.is_elsewhere("#top"));
        let linked = said.replace("canonical", "alternate");
        let targets = Targets::of(&parse_str(&linked).dom);
        assert!(targets.is_elsewhere("https://news.harbour.example/b"));
    }

    #[test]
    fn an_address_inside_an_address_is_counted() {
        assert!(is_counted("https://a.example/r?to=https%3A%2F%2Fb.example"));
        assert!(is_counted("/story?utm_source=box"));
        assert!(!is_counted("https://a.example/story"));
    }
}
