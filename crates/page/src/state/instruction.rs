//! What an event does, as a name (seed 001's page instruction), and the page keys made of them.

/// What marks the part of a key that events, not a URL, reach.
const KEY_MARK: &str = "#!bathys:";

/// Longest piece of text or data that goes into a name.
const LONGEST: usize = 60;

/// The element and handler that an instruction is named after.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acts<'a> {
    /// The handler's text, if it is written in the page: `goPage(2)`, `javascript:show('x')`.
    pub call: Option<&'a str>,
    /// The element's own text.
    pub text: &'a str,
    /// The element's `data-*` attributes.
    pub data: &'a [(String, String)],
    /// The element's `id`.
    pub id: Option<&'a str>,
    /// Where the element stands.
    pub xpath: &'a str,
}

/// Names what the event does: by the call if there is one, for a closure by the element's text and
/// data attributes, by its id or place if it has none of these. Never by a source position, which
/// the next build of the site would move.
///
/// ```
/// use page::state::{Acts, instruction};
///
/// let call = Acts { call: Some("javascript: goPage( 2 ); return false;"), ..Acts::default() };
/// assert_eq!(instruction(&call), "goPage( 2 )");
/// let data = [("data-page".to_owned(), "2".to_owned())];
/// let closure = Acts { text: " Next\npage ", data: &data, ..Acts::default() };
/// assert_eq!(instruction(&closure), "text(Next page)[data-page=2]");
/// ```
pub fn instruction(acts: &Acts<'_>) -> String {
    if let Some(call) = acts.call.map(bare_call).filter(|call| !call.is_empty()) {
        return call;
    }
    let mut name = String::new();
    let text = folded(acts.text);
    if !text.is_empty() {
        name = format!("text({text})");
    }
    let mut data: Vec<_> = acts.data.iter().collect();
    data.sort();
    for (key, value) in data {
        name.push_str(&format!("[{}={}]", folded(key), folded(value)));
    }
    match acts.id {
        _ if !name.is_empty() => name,
        Some(id) if !id.is_empty() => format!("id({})", folded(id)),
        _ => acts.xpath.to_owned(),
    }
}

/// The key of a state that only events reach: its document's URL and the instructions on the way.
///
/// ```
/// let steps = [("click", "goPage(2)"), ("click", "text(Reply)")];
/// let key = page::state::event_key("https://example.org/a", steps);
/// assert_eq!(key, "https://example.org/a#!bathys:click=goPage(2)/click=text(Reply)");
/// ```
pub fn event_key<'a>(url: &str, steps: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let steps: Vec<_> =
        steps.into_iter().map(|(event, instruction)| format!("{event}={instruction}")).collect();
    // The URL's own fragment, if it is a route, stays readable before the mark.
    format!("{url}{KEY_MARK}{}", steps.join("/"))
}

/// A handler's text without what every such handler has around the call.
fn bare_call(call: &str) -> String {
    let mut call = folded_to(call, 400);
    if call.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:")) {
        call = call[11..].trim_start().to_owned();
    }
    loop {
        let mut shorter = call.trim_end_matches([';', ' ']);
        for tail in ["return false", "return true", "void(0)", "void 0"] {
            shorter = shorter.strip_suffix(tail).unwrap_or(shorter);
        }
        let shorter = shorter.strip_prefix("return ").unwrap_or(shorter).trim();
        if shorter.len() == call.len() {
            return call;
        }
        call = shorter.to_owned();
    }
}

fn folded(text: &str) -> String {
    folded_to(text, LONGEST)
}

/// One line, at most `most` characters.
fn folded_to(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 4 * most {
            break;
        }
    }
    if let Some((at, _)) = line.char_indices().nth(most) {
        line.truncate(at);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_javascript_url_names_nothing_and_the_text_does() {
        for call in ["javascript:void(0)", "javascript:;", "JavaScript:void(0);", "return false;"] {
            let acts = Acts { call: Some(call), text: "下一页", ..Acts::default() };
            assert_eq!(instruction(&acts), "text(下一页)", "{call}");
        }
    }

    #[test]
    fn an_element_without_words_is_named_by_its_id_or_place() {
        let xpath = "/html/body/div[2]/i[1]";
        assert_eq!(instruction(&Acts { id: Some("more"), xpath, ..Acts::default() }), "id(more)");
        assert_eq!(instruction(&Acts { xpath, ..Acts::default() }), xpath);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let text = "评".repeat(500);
        let name = instruction(&Acts { text: &text, ..Acts::default() });
        assert_eq!(name.chars().count(), LONGEST + 6);
    }
}
