//! What an address in a page may be in a mirror.

/// Longest address that is looked at; what is longer is data.
const LONGEST: usize = 8 * 1024;

/// Whether an address holds its own picture, font or sound, and nothing that could be a page.
pub(crate) fn is_inline(address: &str) -> bool {
    let Some(kind) = strip_scheme(address, "data:") else {
        return false;
    };
    let kind = kind.trim_start();
    [
        "image/",
        "font/",
        "audio/",
        "video/",
        "application/font",
        "application/x-font",
        "text/css",
        ",",
        "application/octet-stream",
    ]
    .iter()
    .any(|known| strip_scheme(kind, known).is_some())
}

/// Whether it is a script, or anything else that is no address of another page.
pub(crate) fn is_script(address: &str) -> bool {
    // Browsers drop these characters before they look at the scheme.
    let plain: String =
        address.chars().filter(|c| !c.is_ascii_control() && *c != ' ').take(16).collect();
    ["javascript:", "vbscript:", "livescript:"]
        .iter()
        .any(|scheme| strip_scheme(&plain, scheme).is_some())
}

/// An address without what HTML allows around it; none if it is too long to be one.
pub(crate) fn trimmed(address: &str) -> Option<&str> {
    let trimmed = address.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_ascii_control());
    (!trimmed.is_empty() && trimmed.len() <= LONGEST).then_some(trimmed)
}

fn strip_scheme<'a>(text: &'a str, scheme: &str) -> Option<&'a str> {
    let start = text.as_bytes().get(..scheme.len())?;
    start.eq_ignore_ascii_case(scheme.as_bytes()).then(|| text.get(scheme.len()..))?
}

/// The candidates of a `srcset`: address and descriptor.
///
/// An address ends at white space, so it may hold commas; a comma at its end is the separator.
pub(crate) fn candidates(srcset: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = srcset;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() || found.len() >= 64 {
            return found;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (address, after) = rest.split_at(end);
        if let Some(alone) = address.strip_suffix(',') {
            found.push((alone.trim_end_matches(','), ""));
            rest = after;
            continue;
        }
        let end = after.find(',').unwrap_or(after.len());
        let (descriptor, after) = after.split_at(end);
        found.push((address, descriptor.trim()));
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_pictures_and_the_like_may_be_inside_an_address() {
        assert!(is_inline("data:image/png;base64,AA=="));
        assert!(is_inline("DATA:,"));
        assert!(!is_inline("data:text/html,<script>"));
        assert!(!is_inline("datum.png"));
    }

    #[test]
    fn a_script_is_seen_through_its_disguise() {
        assert!(is_script(" java\tscript:alert(1)"));
        assert!(is_script("JavaScript:void 0"));
        assert!(!is_script("/javascript:x"));
    }

    #[test]
    fn a_srcset_is_parted_as_browsers_do() {
        assert_eq!(candidates("a.png 1x, b,c.png 2x"), [("a.png", "1x"), ("b,c.png", "2x")]);
        assert_eq!(candidates(" a.png, b.png 100w 5h"), [("a.png", ""), ("b.png", "100w 5h")]);
        assert_eq!(candidates(",,"), []);
    }

    proptest! {
        #[test]
        fn any_srcset_is_taken(text in "[a, .1x\\n\u{e9}]{0,80}") {
            candidates(&text);
        }
    }
}
