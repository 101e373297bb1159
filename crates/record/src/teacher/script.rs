//! The scripts of a page that hold data.

use serde_json::Value as Json;

use page::tree::{Dom, Kind};

/// The most bytes of scripts that are read as data.
pub(super) const MOST_BYTES: usize = 8 << 20;

/// The most values that are looked for in a script that is a program.
const TRIES: usize = 64;

/// The scripts of a page: their type and their text.
pub(super) fn scripts(dom: &Dom) -> impl Iterator<Item = (String, &str)> {
    dom.elements().filter(|node| node.name() == "script").filter_map(|script| {
        let kind = script.attribute("type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let text = script.children().find(|child| child.kind() == Kind::Text)?.text();
        Some((kind, text))
    })
}

/// The value that a script is, or that it begins with. Sites write line ends into strings, and wrap all in
/// what once hid it from old browsers.
pub(super) fn parse(source: &str) -> Option<Json> {
    let start = source.find(['{', '['])?;
    // "<![CDATA[" has brackets of its own.
    let start = match source.find("CDATA[") {
        Some(at) if at <= start + 1 => at + "CDATA[".len(),
        _ => start,
    };
    let source: String =
        source.get(start..)?.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    serde_json::Deserializer::from_str(&source).into_iter::<Json>().next()?.ok()
}

/// The values that a program gives to variables and functions: `window.state = {...}`, `start({...})`,
/// `x = JSON.parse("...")`.
pub(super) fn given(source: &str) -> Vec<Json> {
    let mut found = Vec::new();
    let (mut tries, mut end) = (TRIES, 0);
    for at in memchr::memchr2_iter(b'=', b'(', source.as_bytes()) {
        // What is within a value is part of it.
        let Some(rest) = source.get(at + 1..).filter(|_| at >= end).map(str::trim_start) else {
            continue;
        };
        let quoted = rest.strip_prefix("JSON.parse(");
        if quoted.is_none() && !may_be_data(rest) {
            continue;
        }
        let Some(left) = tries.checked_sub(1) else { break };
        tries = left;
        let rest = quoted.unwrap_or(rest);
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Json>();
        if let Some(Ok(value)) = values.next() {
            end = source.len() - rest.len() + values.byte_offset();
            match value {
                Json::String(text) if quoted.is_some() => found.extend(parse(&text)),
                value @ (Json::Array(_) | Json::Object(_)) => found.push(value),
                _ => {}
            }
        }
    }
    found
}

/// Whether a text begins as a list or an object does that is data, not part of a program.
fn may_be_data(text: &str) -> bool {
    let Some(inside) = text.strip_prefix(['{', '[']) else { return false };
    inside.trim_start().starts_with(['"', '{', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_in_programs_and_behind_old_wrappings() {
        assert_eq!(
            parse("//<![CDATA[\n{\"a\": \"x\ny\"}\n//]]>").map(|json| json.to_string()).as_deref(),
            Some("{\"a\":\"x y\"}")
        );
        assert_eq!(parse("<!-- [1] -->").map(|json| json.to_string()).as_deref(), Some("[1]"));
        let found = given(
            "var a=1; window.__S__ = {\"x\": [1, 2], \"y\": \"a=b\"}; let q = JSON.parse(\"{\\\"z\\\":3}\"); f({a: 1}); start([{\"b\": 4}])",
        );
        assert_eq!(
            serde_json::to_string(&found).unwrap(),
            r#"[{"x":[1,2],"y":"a=b"},{"z":3},[{"b":4}]]"#
        );
    }

    #[test]
    fn deep_and_broken_values_are_left_alone() {
        assert_eq!(parse(&"[".repeat(100_000)), None);
        assert!(given(&"a={".repeat(50_000)).is_empty());
    }
}
