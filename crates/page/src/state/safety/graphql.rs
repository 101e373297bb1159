//! Telling a GraphQL query from a mutation without parsing the whole language.

/// What the operations of a document do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Query,
    /// A mutation or a subscription, alone or among queries.
    Other,
    /// Not GraphQL.
    None,
}

/// Looks at the words outside of all brackets, strings and comments: only there do `query` and
/// `mutation` begin an operation. A selection without a word before it is a query.
pub(super) fn operation(document: &str) -> Operation {
    let mut found = Operation::None;
    let mut depth = 0usize;
    let mut keyword = "";
    let mut rest = document;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '#' => length = rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '"' => length = string_length(rest),
            '{' | '(' | '[' => {
                if depth == 0 && c == '{' {
                    match keyword {
                        "" | "query" if found != Operation::Other => found = Operation::Query,
                        "fragment" | "" | "query" => {}
                        _ => found = Operation::Other,
                    }
                    keyword = "";
                }
                depth += 1;
            }
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            _ if c.is_alphabetic() || c == '_' => {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                if depth == 0 && keyword.is_empty() {
                    keyword = rest.get(..length).unwrap_or_default();
                }
            }
            _ => {}
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

fn string_length(text: &str) -> usize {
    if let Some(block) = text.strip_prefix("\"\"\"") {
        return block.find("\"\"\"").map_or(text.len(), |at| at + 6);
    }
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' | '\n' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_told_from_everything_else() {
        for (document, wanted) in [
            ("{ posts { id } }", Operation::Query),
            ("query List($page: Int = 1) { posts(page: $page) { mutation } }", Operation::Query),
            ("# mutation { x }\nquery { a(text: \"mutation { x }\") }", Operation::Query),
            ("fragment F on Post { id } query { posts { ...F } }", Operation::Query),
            ("mutation { like(id: 5) }", Operation::Other),
            ("query A { a } mutation B { b }", Operation::Other),
            ("mutation B { b } query A { a }", Operation::Other),
            ("subscription { s }", Operation::Other),
            ("\"\"\"doc\"\"\" mutation M { m }", Operation::Other),
            ("just words", Operation::None),
            ("", Operation::None),
            ("\"unclosed { ", Operation::None),
        ] {
            assert_eq!(operation(document), wanted, "{document}");
        }
    }
}
