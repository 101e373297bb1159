//! Addresses inside style sheets, found by a small tolerant tokenizer and replaced in place.
//!
//! It knows comments, strings, escapes, `url()`, `image-set()` and `@import`; all else is copied as
//! it stands, so that a sheet that only browsers understand stays what it is. A page's own way to
//! hide an address from it (an escaped `url`) makes it invisible to us and not to the browser: what
//! a mirror may load is settled by its Content-Security-Policy, not here.
//!
//! A button that became a link keeps the look of a button: where a selector names `button`, it names
//! such a link too, and where it names `a`, it does not mean one that the mirror made. Neither
//! changes the weight of the selector.

use url::Url;

use super::address::is_inline;

/// What an address in a sheet stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refers {
    /// Another sheet.
    Sheet,
    /// A picture, a font.
    File,
}

/// The sheet with every address replaced by what `local` gives, or by nothing that loads.
pub(crate) fn rewrite(
    css: &str,
    base: &Url,
    local: &mut dyn FnMut(&Url, Refers) -> Option<String>,
) -> String {
    let out = String::with_capacity(css.len());
    Rewriter { css, at: 0, out, base, local, selector_end: 0 }.run()
}

/// Names in selectors, and what they mean in a mirror. `:where` weighs nothing.
const MEANINGS: [(&str, &str); 3] = [
    ("button", ":is(button,a:where(.bathys-button))"),
    ("input", ":is(input,a:where(.bathys-input))"),
    ("a", "a:where(:not(.bathys-button,.bathys-input,.bathys-to,.bathys-also))"),
];

/// Functions of selectors whose arguments are no selectors.
const OPAQUE: [&str; 6] = [":lang", ":dir", "::part", ":state", "::highlight", ":nth-child"];

struct Rewriter<'a> {
    css: &'a str,
    at: usize,
    out: String,
    base: &'a Url,
    local: &'a mut dyn FnMut(&Url, Refers) -> Option<String>,
    /// Where the selector that is being read ends; what is behind it is none.
    selector_end: usize,
}

impl Rewriter<'_> {
    fn run(mut self) -> String {
        // How many brackets are open, and at which of them an image-set began.
        let (mut open, mut set) = (0usize, None);
        self.begin_statement();
        while let Some(next) = self.rest().chars().next() {
            match next {
                '/' if self.rest().starts_with("/*") => {
                    let end = self.rest().find("*/").map_or(self.rest().len(), |at| at + 2);
                    self.copy(end);
                }
                '"' | '\'' => {
                    let (value, length) = string(self.rest());
                    if set.is_some() {
                        self.at += length;
                        self.put(&value, Refers::File);
                    } else {
                        self.copy(length);
                    }
                }
                '@' if self.word("@import") => {
                    self.copy("@import".len());
                    self.import();
                }
                '@' if self.word("@namespace") => {
                    let end = self.rest().find(';').unwrap_or(self.rest().len());
                    self.copy(end);
                }
                '@' if self.word("@charset") => {
                    // What is written is UTF-8, whatever was read.
                    let end = self.rest().find(';').map_or(self.rest().len(), |at| at + 1);
                    self.at += end;
                }
                ':' if self.word(":defined") => {
                    // No script will ever define a custom element here, and it is no less ready.
                    self.out.push_str(":is(*)");
                    self.at += ":defined".len();
                }
                'u' | 'U' if self.begins("url(") => {
                    let (value, length) = address(&self.rest()["url(".len()..]);
                    self.at += "url(".len() + length;
                    self.put(&value, Refers::File);
                }
                '{' | '}' | ';' => {
                    self.copy(1);
                    if open == 0 {
                        self.begin_statement();
                    }
                }
                '[' if self.in_selector() => {
                    let end = self.rest().find(']').map_or(self.rest().len(), |at| at + 1);
                    self.copy(end);
                }
                '(' if self.in_selector() && OPAQUE.iter().any(|name| self.out.ends_with(name)) => {
                    let end = self.rest().find(')').unwrap_or(self.rest().len());
                    self.copy(end);
                    open += 1;
                }
                '(' => {
                    open += 1;
                    if set.is_none() && self.out.to_ascii_lowercase_ends_with("image-set") {
                        set = Some(open);
                    }
                    self.copy(1);
                }
                ')' => {
                    if set == Some(open) {
                        set = None;
                    }
                    open = open.saturating_sub(1);
                    self.copy(1);
                }
                '\\' => {
                    let escaped = self.rest().chars().nth(1).map_or(0, char::len_utf8);
                    self.copy(1 + escaped);
                }
                other if is_name(other) => {
                    let end = self.rest().find(|c| !is_name(c)).unwrap_or(self.rest().len());
                    let name = self.rest().get(..end).unwrap_or_default();
                    let is_whole = !self.out.ends_with(['.', '#', ':', '\\', '|', '@', '&'])
                        && !self
                            .css
                            .get(self.at + end..)
                            .unwrap_or_default()
                            .starts_with(['\\', '|']);
                    let meaning = MEANINGS.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
                    match meaning.filter(|_| is_whole && self.in_selector()) {
                        Some((_, meaning)) => {
                            self.out.push_str(meaning);
                            self.at += end;
                        }
                        None => self.copy(end),
                    }
                }
                other => self.copy(other.len_utf8()),
            }
        }
        self.out
    }

    fn in_selector(&self) -> bool {
        self.at < self.selector_end
    }

    /// Looks ahead: what comes before a `{` is a selector, unless it is an at-rule.
    fn begin_statement(&mut self) {
        let text = self.rest();
        if text.trim_start().starts_with(['@', '-']) {
            return;
        }
        let (mut at, mut depth) = (0, 0usize);
        while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = text.get(at..).unwrap_or_default();
            at += match character {
                '{' if depth == 0 => {
                    self.selector_end = self.at + at;
                    return;
                }
                ';' | '}' if depth == 0 => return,
                '"' | '\'' => string(rest).1.max(1),
                '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
                other => {
                    match other {
                        '(' | '[' => depth += 1,
                        ')' | ']' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    other.len_utf8()
                }
            };
        }
    }

    fn rest(&self) -> &str {
        self.css.get(self.at..).unwrap_or_default()
    }

    fn copy(&mut self, length: usize) {
        let to = (self.at + length).min(self.css.len());
        self.out.push_str(self.css.get(self.at..to).unwrap_or_default());
        self.at = to;
    }

    fn begins(&self, token: &str) -> bool {
        let start = self.rest().as_bytes().get(..token.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(token.as_bytes()))
    }

    fn word(&self, token: &str) -> bool {
        let after = self.rest().get(token.len()..).and_then(|after| after.chars().next());
        self.begins(token) && !after.is_some_and(is_name)
    }

    /// What follows `@import`: a string or `url()`, then conditions that are copied.
    fn import(&mut self) {
        loop {
            let space = self.rest().len() - self.rest().trim_start().len();
            self.copy(space);
            if !self.rest().starts_with("/*") {
                break;
            }
            let end = self.rest().find("*/").map_or(self.rest().len(), |at| at + 2);
            self.copy(end);
        }
        if self.rest().starts_with(['"', '\'']) {
            let (value, length) = string(self.rest());
            self.at += length;
            self.put(&value, Refers::Sheet);
        } else if self.begins("url(") {
            let (value, length) = address(&self.rest()["url(".len()..]);
            self.at += "url(".len() + length;
            self.put(&value, Refers::Sheet);
        }
    }

    /// Writes an address as a quoted `url()`.
    fn put(&mut self, value: &str, refers: Refers) {
        let value = value.trim();
        let local = match value {
            _ if value.starts_with('#') || is_inline(value) => Some(value.to_owned()),
            "" => None,
            _ => self.base.join(value).ok().and_then(|url| (self.local)(&url, refers)),
        };
        let nothing = match refers {
            Refers::Sheet => "data:text/css,",
            Refers::File => "data:,",
        };
        let shown = local.as_deref().unwrap_or(nothing);
        self.out.push_str("url(\"");
        for character in shown.chars() {
            match character {
                '"' | '\\' => self.out.extend(['\\', character]),
                // Neither a line end nor a tag may come of it.
                '\n' | '\r' | '\u{c}' => {}
                '<' => self.out.push_str("%3C"),
                other => self.out.push(other),
            }
        }
        self.out.push_str("\")");
    }
}

trait EndsWith {
    fn to_ascii_lowercase_ends_with(&self, end: &str) -> bool;
}

impl EndsWith for String {
    fn to_ascii_lowercase_ends_with(&self, end: &str) -> bool {
        let from = self.len().checked_sub(end.len());
        let tail = from.and_then(|from| self.as_bytes().get(from..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_') || !character.is_ascii()
}

/// The value of a quoted string, and how many bytes it takes. A line end ends a broken one.
fn string(text: &str) -> (String, usize) {
    let mut characters = text.char_indices();
    let Some((_, quote)) = characters.next() else { return (String::new(), 0) };
    let mut value = String::new();
    while let Some((at, character)) = characters.next() {
        match character {
            _ if character == quote => return (value, at + character.len_utf8()),
            '\n' => return (value, at),
            '\\' => escape(&mut characters, &mut value),
            other => value.push(other),
        }
    }
    (value, text.len())
}

/// The address behind `url(`, and how many bytes it takes with its closing bracket.
fn address(text: &str) -> (String, usize) {
    let space = text.len() - text.trim_start().len();
    let inner = text.get(space..).unwrap_or_default();
    if inner.starts_with(['"', '\'']) {
        let (value, length) = string(inner);
        let after = inner.get(length..).unwrap_or_default();
        let close = after.find(')').map_or(after.len(), |at| at + 1);
        return (value, space + length + close);
    }
    let mut value = String::new();
    let mut characters = inner.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            ')' => return (value, space + at + 1),
            '\\' => escape(&mut characters, &mut value),
            other => value.push(other),
        }
    }
    (value, text.len())
}

/// One escape behind its backslash: up to six hexadecimal digits, or a character as it stands.
fn escape(characters: &mut std::str::CharIndices<'_>, value: &mut String) {
    let rest = characters.as_str();
    let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    if digits > 0 {
        let code = u32::from_str_radix(rest.get(..digits).unwrap_or_default(), 16);
        value.push(code.ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
        let space = rest[digits..].starts_with([' ', '\t', '\n']);
        for _ in 0..digits + usize::from(space) {
            characters.next();
        }
    } else if let Some((_, character)) = characters.next()
        && character != '\n'
    {
        value.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rewritten(css: &str) -> String {
        let base = Url::parse("http://a.example/css/main.css").unwrap();
        rewrite(css, &base, &mut |url, refers| match url.path().contains("gone") {
            true => None,
            false => Some(format!("{refers:?}:{}", url.path())),
        })
    }

    #[test]
    fn addresses_are_found_however_they_are_written() {
        assert_eq!(rewritten("i{b:url(x.png)}"), "i{b:url(\"File:/css/x.png\")}");
        assert_eq!(rewritten("i{b:URL( '../x\\.png' ) c}"), "i{b:url(\"File:/x.png\") c}");
        assert_eq!(rewritten("@import 'b.css' print;"), "@import url(\"Sheet:/css/b.css\") print;");
        assert_eq!(rewritten("@IMPORT/**/url(b.css);"), "@IMPORT/**/url(\"Sheet:/css/b.css\");");
        assert_eq!(
            rewritten("i{b:-webkit-image-set('x.png' 1x, url(y.png) 2x) 'z'}"),
            "i{b:-webkit-image-set(url(\"File:/css/x.png\") 1x, url(\"File:/css/y.png\") 2x) 'z'}"
        );
    }

    #[test]
    fn what_is_no_address_stays() {
        for css in [
            "i{content:'url(x.png)'}",
            "/* url(x.png) */",
            "i{b:url(\"#g\")}",
            "@namespace svg url(http://www.w3.org/2000/svg);",
            "i{b:url(\"data:image/gif;base64,R0lG\")}",
            ".curl(x){}",
        ] {
            assert_eq!(rewritten(css), css);
        }
    }

    #[test]
    fn what_was_not_kept_loads_nothing() {
        assert_eq!(rewritten("i{b:url(gone.png)}"), "i{b:url(\"data:,\")}");
        assert_eq!(rewritten("@import 'gone.css';"), "@import url(\"data:text/css,\");");
    }

    #[test]
    fn an_element_that_no_script_defines_is_not_hidden_for_it() {
        assert_eq!(rewritten("x-a:not(:defined){}"), "x-a:not(:is(*)){}");
    }

    #[test]
    fn a_button_that_became_a_link_keeps_its_style_and_a_link_of_the_mirror_gets_none() {
        assert_eq!(
            rewritten("a.x>button:hover,.button #a{a:b}@media (a){a{button:a}}"),
            "a:where(:not(.bathys-button,.bathys-input,.bathys-to,.bathys-also)).x>\
             :is(button,a:where(.bathys-button)):hover,.button #a{a:b}\
             @media (a){a:where(:not(.bathys-button,.bathys-input,.bathys-to,.bathys-also)){button:a}}"
        );
        for css in ["i[a=button]:lang(a){}", "@keyframes a{from{a:b}}", "b{--a:a;c:a button}"] {
            assert_eq!(rewritten(css), css);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(css in ".{0,200}") {
            rewritten(&css);
        }

        #[test]
        fn any_mix_of_tokens_is_taken(parts in prop::collection::vec(prop::sample::select(
            vec!["url(", ")", "'", "\"", "\\", "@import ", "/*", "*/", "\n", "é", ";", "image-set(", "{", "}", "a", "["]), 0..30)
        ) {
            rewritten(&parts.concat());
        }
    }
}
