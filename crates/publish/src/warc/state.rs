//! States that only events reach, as pages of their own: an address that a browser can ask for, and a
//! payload that stays as it was captured.

use page::tree::{Dom, DomBuilder, Kind, Node, Step, serialise};
use url::Url;

/// What stands in a key between the address of the document and the events.
const MARK: &str = "#!bathys:";
/// The parameter that names the state in its address.
const PARAMETER: &str = "bathys-state";
/// Characters of the events that are written out. The digest behind them tells states apart.
const READABLE: usize = 120;

/// Our serialisation of a tree is UTF-8, whatever the page says of itself.
const SNAPSHOT_TYPE: &str = "text/html; charset=utf-8";

/// What an archive holds of a look that no exchange brought, and its media type: a state as it was, or the bytes
/// that were imported.
pub(crate) fn resource_of(
    tree: Option<&Dom>,
    body: Option<Vec<u8>>,
    content_type: Option<&str>,
    is_state: bool,
) -> Option<(Vec<u8>, String)> {
    match (tree, body) {
        (Some(tree), _) if is_state => Some((still(tree), SNAPSHOT_TYPE.into())),
        (_, Some(body)) => Some((body, content_type.unwrap_or("text/html").to_owned())),
        (Some(tree), None) => Some((still(tree), SNAPSHOT_TYPE.into())),
        (None, None) => None,
    }
}

/// The address of a state in an archive: that of its document, with a parameter made of its key. A
/// fragment would not do, since no browser sends it; and as archives fold the case of addresses, six
/// digits of the key's BLAKE3 stand behind the readable part.
///
/// ```
/// let url = publish::warc::state_address("https://example.org/a?b=1#!bathys:click=goPage(2)").unwrap();
/// assert_eq!(url, "https://example.org/a?b=1&bathys-state=click%3DgoPage%282%29-67081d");
/// ```
pub fn state_address(key: &str) -> Option<String> {
    let (document, events) = key.split_once(MARK)?;
    let mut url = Url::parse(document).ok()?;
    url.set_fragment(None);
    let readable: String = events.chars().take(READABLE).collect();
    let hash = blake3::hash(events.as_bytes()).to_hex();
    url.query_pairs_mut().append_pair(PARAMETER, &format!("{readable}-{}", &hash[..6]));
    Some(url.into())
}

/// A state as HTML that no script of its own can undo: there is none in it.
fn still(dom: &Dom) -> Vec<u8> {
    let mut out = DomBuilder::new();
    let mut walk = dom.walk();
    while let Some(step) = walk.next() {
        match step {
            Step::Open(node) if node.is_element() && acts(node) => walk.skip_inside(),
            Step::Open(node) => open(&mut out, node),
            Step::Close(node) => match node.kind() {
                Kind::Document if node.parent().is_none() => {}
                Kind::Document | Kind::Element | Kind::ShadowRoot => out.close(),
                Kind::Doctype | Kind::Text | Kind::Comment => {}
            },
        }
    }
    serialise(&out.finish()).into_bytes()
}

/// Elements that do something by being there.
pub(crate) fn acts(node: Node<'_>) -> bool {
    let refreshes = || node.attribute("http-equiv").is_some_and(|what| is(what, "refresh"));
    is(node.name(), "script") || is(node.name(), "meta") && refreshes()
}

fn open(out: &mut DomBuilder, node: Node<'_>) {
    match node.kind() {
        Kind::Document if node.parent().is_none() => {}
        Kind::Document => _ = out.open_document(),
        Kind::Doctype => out.doctype(node.text()),
        Kind::Element => {
            let stays = |(name, value): &(&str, &str)| {
                !name.to_ascii_lowercase().starts_with("on")
                    && !is(name, "srcdoc")
                    && !is_script_address(value)
            };
            _ = out.open(node.name(), node.attributes().filter(stays).collect::<Vec<_>>());
        }
        Kind::Text => out.text(node.text()),
        Kind::Comment => out.comment(node.text()),
        Kind::ShadowRoot => _ = out.open_shadow_root(),
    }
}

/// As a browser reads an address: spaces in front and line ends within do not count.
pub(crate) fn is_script_address(value: &str) -> bool {
    let kept = value.chars().filter(|c| !c.is_control()).skip_while(|c| c.is_whitespace());
    let start: String = kept.take("javascript:".len()).collect();
    is(&start, "javascript:")
}

fn is(name: &str, plain: &str) -> bool {
    name.eq_ignore_ascii_case(plain)
}

#[cfg(test)]
mod tests {
    use page::tree::{parse_str, restore};

    use super::*;

    #[test]
    fn two_states_that_differ_in_case_have_addresses_that_differ_without() {
        let of = |events: &str| state_address(&format!("http://a.example/#!bathys:{events}"));
        let one = of("click=Go(1)").unwrap().to_lowercase();
        assert_ne!(one, of("click=go(1)").unwrap().to_lowercase());
        assert_eq!(state_address("http://a.example/"), None, "a page that its address reaches");
    }

    #[test]
    fn nothing_in_a_state_acts_and_everything_in_it_stays() {
        let page = "<meta http-equiv=Refresh content='0;url=/'><body onload=undo()><p id=a onclick=x()>kept\
                    <a href=' java\nscript:x()'>link</a><script>undo()</script><style>p{}</style>";
        let html = String::from_utf8(still(&parse_str(page).dom)).unwrap();
        for gone in ["undo", "onclick", "script", "efresh"] {
            assert!(!html.contains(gone), "{gone} in {html}");
        }
        assert!(html.contains("<p id=\"a\">kept<a>link</a><style>p{}</style>"), "{html}");
        assert!(restore(&html).is_ok());
    }
}
