//! How an element can become a link without the HTML parser breaking it.

use std::collections::HashSet;

use page::tree::{Kind, Node, NodeId};

/// The way in which an element with a known target is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// It leads nowhere.
    Plain,
    /// A link already.
    Anchor,
    /// Its content goes into a link.
    Inside,
    /// It goes into a link.
    Around,
    /// A button with content.
    Button,
    /// A button whose label is an attribute.
    Label,
    /// A list of options.
    Select,
    /// A row or part of a table: its cells are links.
    Row,
    /// The page as a whole.
    Page,
    /// A control or a list: the link stands behind it.
    Beside,
}

/// How an element would become a link.
pub(super) fn shape(node: Node<'_>) -> Shape {
    if node.is_foreign() {
        return if node.name() == "a" { Shape::Anchor } else { Shape::Around };
    }
    match node.name() {
        "a" | "area" => Shape::Anchor,
        "button" => Shape::Button,
        "select" => Shape::Select,
        "html" | "body" | "head" | "frameset" | "option" | "optgroup" => Shape::Page,
        "tr" | "tbody" | "thead" | "tfoot" | "colgroup" | "col" => Shape::Row,
        "img" | "svg" | "canvas" | "picture" => Shape::Around,
        "input" => match node.attribute("type").unwrap_or_default().to_ascii_lowercase().as_str() {
            "button" | "submit" | "reset" | "image" => Shape::Label,
            _ => Shape::Beside,
        },
        "table" | "ul" | "ol" | "menu" | "dl" | "textarea" | "video" | "audio" | "object"
        | "map" | "datalist" | "form" | "fieldset" | "details" | "dialog" | "progress"
        | "meter" => Shape::Beside,
        _ if is_void(node) => Shape::Beside,
        _ => Shape::Inside,
    }
}

/// Whether an element has no end tag.
pub(super) fn is_void(node: Node<'_>) -> bool {
    !node.is_foreign()
        && matches!(
            node.name(),
            "area"
                | "base"
                | "br"
                | "col"
                | "embed"
                | "frame"
                | "hr"
                | "img"
                | "input"
                | "link"
                | "meta"
                | "param"
                | "source"
                | "track"
                | "wbr"
        )
}

/// Whether a part of a table must be written as a plain element: it stands where HTML allows none,
/// or in a table that holds what HTML would move out of it.
pub(super) fn is_loose(node: Node<'_>, loose: &mut HashSet<NodeId>) -> bool {
    let parent = node.parent();
    let parent_is = |names: &[&str]| parent.is_some_and(|parent| names.contains(&parent.name()));
    let is_loose = match node.name() {
        "table" => holds_strangers(node),
        "tr" => !parent_is(&["table", "tbody", "thead", "tfoot"]),
        "td" | "th" => !parent_is(&["tr"]),
        "tbody" | "thead" | "tfoot" | "caption" | "colgroup" => !parent_is(&["table"]),
        _ => return false,
    };
    let is_loose = is_loose || parent.is_some_and(|parent| loose.contains(&parent.id()));
    // A table in a cell is whole again.
    let is_loose = is_loose && (node.name() != "table" || holds_strangers(node));
    if is_loose {
        loose.insert(node.id());
    }
    is_loose
}

/// Whether a table holds, outside its cells, what the parser would put before it.
fn holds_strangers(table: Node<'_>) -> bool {
    let is_stranger = |child: Node<'_>, parts: &[&str]| match child.kind() {
        Kind::Text => !child.text().trim().is_empty(),
        Kind::Element => {
            !parts.contains(&child.name())
                && !matches!(child.name(), "script" | "template" | "style")
        }
        _ => false,
    };
    table.children().any(|part| {
        is_stranger(part, &["caption", "colgroup", "thead", "tbody", "tfoot", "tr"])
            || (matches!(part.name(), "thead" | "tbody" | "tfoot")
                && part.children().any(|row| {
                    is_stranger(row, &["tr"])
                        || row.children().any(|cell| is_stranger(cell, &["td", "th"]))
                }))
            || (part.name() == "tr" && part.children().any(|cell| is_stranger(cell, &["td", "th"])))
    })
}

/// The style that makes a plain element look like the part of a table that it was.
pub(super) fn display(name: &str) -> &'static str {
    match name {
        "table" => "display:table;",
        "tr" => "display:table-row;",
        "td" | "th" => "display:table-cell;",
        "tbody" | "thead" | "tfoot" => "display:table-row-group;",
        "caption" => "display:table-caption;",
        "colgroup" => "display:none;",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::DomBuilder;

    #[test]
    fn a_cell_outside_a_row_is_written_as_a_plain_element() {
        let mut builder = DomBuilder::new();
        for name in ["html", "body", "div", "td"] {
            builder.open(name, []);
        }
        let dom = builder.finish();
        let cell = dom.elements().last().unwrap();
        assert!(is_loose(cell, &mut HashSet::new()));
    }

    #[test]
    fn a_table_with_text_between_its_rows_is_taken_apart_and_one_inside_it_is_not() {
        let mut builder = DomBuilder::new();
        for name in ["html", "body", "table", "tbody"] {
            builder.open(name, []);
        }
        builder.text("between");
        for name in ["tr", "td", "table", "tbody", "tr", "td"] {
            builder.open(name, []);
        }
        let dom = builder.finish();
        let mut loose = HashSet::new();
        let parts: Vec<bool> =
            dom.elements().skip(2).map(|node| is_loose(node, &mut loose)).collect();
        assert_eq!(parts, [true, true, true, true, false, false, false, false]);
    }
}
