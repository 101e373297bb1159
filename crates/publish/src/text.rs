//! Text from the web, made harmless for where it goes.

/// Text or a double-quoted value of HTML or XML: the specials escaped, characters that XML 1.0
/// forbids dropped.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    escape_into(&mut escaped, text);
    escaped
}

/// The same, behind what is there.
pub(crate) fn escape_into(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(character),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            other => out.push(other),
        }
    }
}

/// The first `width` characters of one line of text, with an ellipsis where it was cut.
pub(crate) fn clip(text: &str, width: usize) -> String {
    let mut line = String::new();
    for (count, word) in text.split_whitespace().enumerate() {
        if count > 0 {
            line.push(' ');
        }
        line.extend(word.chars().filter(|c| !c.is_control()).take(width + 1));
        if line.chars().count() > width {
            break;
        }
    }
    if let Some((at, _)) = line.char_indices().nth(width) {
        line.truncate(at);
        line.pop();
        line.push('…');
    }
    line
}

/// JSON that may stand inside `<script type="application/json">`: nothing in it can end the element
/// or begin a comment.
pub(crate) fn json_in_script(value: &impl serde::Serialize) -> String {
    // A value of our own plain structs always serialises.
    let json = serde_json::to_string(value).unwrap_or_else(|_| "null".into());
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_page_says_becomes_markup() {
        assert_eq!(
            escape("<a b=\"c\" d='e'>&\u{0}"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;"
        );
        assert!(!json_in_script(&"</script><!--").contains('<'));
    }

    #[test]
    fn a_clipped_line_never_splits_a_character() {
        assert_eq!(clip("你好世界", 3), "你好…");
        assert_eq!(clip("  a \n b ", 10), "a b");
        assert_eq!(clip(&"x".repeat(1_000_000), 4), "xxx…");
    }
}
