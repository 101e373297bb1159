//! The scripts of a page that hold data.

use serde_json::Value as Json;

use crate::tree::{Dom, Kind};

/// The most bytes of scripts that are read as data.
pub(super) const MOST_BYTES: usize = 8 << 20;

/// The most values that are looked for in a script that is a program.
const ASSIGNMENTS: usize = 16;

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

/// The values that a program gives to variables: `window.state = {...}`, `x = JSON.parse("...")`.
pub(super) fn assigned(source: &str) -> Vec<Json> {
    let mut found = Vec::new();
    let mut from = 0;
    for _ in 0..ASSIGNMENTS {
        let Some(at) = source.get(from..).and_then(|rest| rest.find('=')).map(|at| from + at + 1)
        else {
            break;
        };
        from = at;
        let Some(rest) = source.get(at..).map(str::trim_start) else { break };
        let quoted = rest.strip_prefix("JSON.parse(");
        if quoted.is_none() && !rest.starts_with(['{', '[']) {
            continue;
        }
        let mut values =
            serde_json::Deserializer::from_str(quoted.unwrap_or(rest)).into_iter::<Json>();
        if let Some(Ok(value)) = values.next() {
            // What is within a value is no assignment.
            let offset = source.len() - quoted.unwrap_or(rest).len() + values.byte_offset();
            from = offset.max(at);
            match value {
                Json::String(text) if quoted.is_some() => found.extend(parse(&text)),
                value @ (Json::Array(_) | Json::Object(_)) => found.push(value),
                _ => {}
            }
        }
    }
    found
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
        let found = assigned(
            "var a=1; window.__S__ = {\"x\": [1, 2], \"y\": \"a=b\"}; let q = JSON.parse(\"{\\\"z\\\":3}\"); f({a: 1})",
        );
        assert_eq!(serde_json::to_string(&found).unwrap(), r#"[{"x":[1,2],"y":"a=b"},{"z":3}]"#);
    }

    #[test]
    fn deep_and_broken_values_are_left_alone() {
        assert_eq!(parse(&"[".repeat(100_000)), None);
        assert!(assigned(&"a={".repeat(50_000)).is_empty());
    }
}
