//! What an event did to a page: whether it is still the same state, a known one, a new one, or the
//! same with something revealed.

use browser::{Candidate, Happenings};
use page::state::safety::{ElementDescription, Refusal, RequestDescription, may_fire, may_send};
use page::state::url::normalise;
use page::state::{Acts, Content, instruction};
use page::tree::{Dom, Mask, Node, XPath, visible_text_of};
use store::{LinkFound, PathStep};
use url::Url;

use crate::site::SiteCrawl;
use crate::visit::capture::{Seen, short};

/// Longest text of an element that is only its label.
const LONGEST_LABEL: usize = 40;

/// What offers a way to other URLs.
pub(crate) struct Offering<'a> {
    pub(crate) document: &'a str,
    pub(crate) xpath: &'a str,
    pub(crate) text: &'a str,
}

impl SiteCrawl {
    /// The URLs that an event leads to besides changing the page, and why it led nowhere.
    pub(crate) fn ways(
        &self,
        offering: &Offering<'_>,
        happenings: &Happenings,
    ) -> (Vec<LinkFound>, Option<String>) {
        let mut ways: Vec<LinkFound> = Vec::new();
        let mut refused = happenings.refused.first().map(|refused| refused.reason.clone());
        let navigations =
            happenings.navigations.iter().map(|to| (to.url.as_str(), to.method.as_str()));
        let popups = happenings.popups.iter().map(|url| (url.as_str(), "GET"));
        let downloads = happenings.downloads.iter().map(|file| (file.url.as_str(), "GET"));
        for (url, method) in navigations.chain(popups).chain(downloads) {
            if method != "GET" {
                refused.get_or_insert_with(|| format!("it would {method} to {url}"));
                continue;
            }
            let Ok(url) = Url::parse(url).map(normalise) else {
                continue;
            };
            if let Err(reason) = self.scope.admits(&url) {
                refused.get_or_insert_with(|| format!("it leads to {url}: {reason}"));
            } else if let Err(refusal) = may_send(&RequestDescription {
                method: "GET",
                url: url.as_str(),
                ..RequestDescription::default()
            }) {
                refused.get_or_insert_with(|| format!("it leads to {url}: {refusal}"));
            } else if url.as_str() != offering.document {
                ways.push(LinkFound {
                    url: url.into(),
                    xpath: offering.xpath.to_owned(),
                    text: short(offering.text),
                    refused_because: None,
                    class: None,
                    rank: 0,
                });
            }
        }
        (ways, refused)
    }
}

/// Whether a state shows something new, as `is_new` says of what it shows. What a button says about
/// itself ("Hide" for "Show", "Like (4)" for "Like (3)") is no news; what unfolds inside an element is.
pub(crate) fn shows_news(
    seen: &Seen,
    mask: &Mask,
    fired: &str,
    is_new: impl Fn(&Content) -> bool,
) -> bool {
    if !is_new(&seen.content) {
        return false;
    }
    let Ok(path) = fired.parse::<XPath>() else {
        return true;
    };
    let is_label = |node: Node<'_>| {
        let holds_more = |below: Node<'_>| matches!(below.name(), "a" | "img");
        visible_text_of(node).chars().count() <= LONGEST_LABEL
            && !node.descendants().any(holds_more)
    };
    let found = path.evaluate(&seen.dom);
    if !found.iter().any(|id| seen.dom.get(*id).is_some_and(is_label)) {
        return true;
    }
    let mut mask = mask.clone();
    mask.regions.push(path);
    is_new(&Content::of(&seen.dom, &mask))
}

/// The gate for events: what the element says and is called must not order to change anything.
pub(crate) fn may_act(candidate: &Candidate, dom: &Dom) -> Result<(), Refusal> {
    let found = candidate.path.parse::<XPath>().map(|path| path.evaluate(dom));
    let node = found.ok().and_then(|nodes| dom.get(*nodes.first()?));
    let attribute = |name| node.and_then(|node| node.attribute(name)).unwrap_or_default();
    let data: Vec<_> = node
        .into_iter()
        .flat_map(|node| node.attributes())
        .filter(|(name, _)| name.starts_with("data-") || name.starts_with("hx-"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    may_fire(&ElementDescription {
        tag: &candidate.tag,
        text: &candidate.text,
        id: candidate.element_id.as_deref().unwrap_or_default(),
        name: attribute("name"),
        class: attribute("class"),
        aria_label: attribute("aria-label"),
        title: attribute("title"),
        value: candidate.value.as_deref().unwrap_or(attribute("value")),
        href: candidate.href.as_deref().unwrap_or_default(),
        handler: candidate.instruction.as_deref().unwrap_or_default(),
        data: &data,
    })
}

/// Whether the element itself says that it is not to be used now: the last page's "next".
pub(crate) fn is_switched_off(candidate: &Candidate, dom: &Dom) -> bool {
    let found = candidate.path.parse::<XPath>().map(|path| path.evaluate(dom));
    let Some(node) = found.ok().and_then(|nodes| dom.get(*nodes.first()?)) else { return false };
    let style = node.attribute("style").unwrap_or_default().replace(' ', "");
    node.attribute("hidden").is_some()
        || node.attribute("disabled").is_some()
        || node.attribute("aria-disabled") == Some("true")
        || style.contains("display:none")
}

/// The event with its value, as edges and keys name it: `click`, `change=3`.
pub(crate) fn described_event(candidate: &Candidate) -> String {
    match &candidate.value {
        Some(value) => format!("{}={}", candidate.event, short(value)),
        None => candidate.event.clone(),
    }
}

/// What a candidate does, as far as it can be named.
pub(crate) fn named(candidate: &Candidate) -> String {
    let data: Vec<_> = candidate
        .data
        .iter()
        .map(|(name, value)| (format!("data-{name}"), value.clone()))
        .collect();
    let script = candidate.href.as_deref().filter(|href| {
        href.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"))
    });
    instruction(&Acts {
        call: candidate.instruction.as_deref().or(script),
        text: &candidate.text,
        data: &data,
        id: candidate.element_id.as_deref(),
        xpath: &candidate.path,
    })
}

/// The step that firing a candidate is.
pub(crate) fn step_of(candidate: &Candidate) -> PathStep {
    PathStep {
        event: described_event(candidate),
        xpath: candidate.path.clone(),
        instruction: named(candidate),
        element_id: candidate.element_id.clone(),
        tag: Some(candidate.tag.clone()),
        text: candidate.text.clone(),
        handler: candidate.class.clone(),
        values: candidate.values(),
    }
}
