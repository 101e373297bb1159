//! What people read beside a control.

use std::collections::HashMap;

use crate::tree::names::known;
use crate::tree::{Dom, Kind, Node};

/// Longest label that is kept.
const LONGEST: usize = 120;
/// Nodes before a control in which its label is looked for.
const NEAR: usize = 12;

/// The `label` elements of a page, by the control that they name.
pub(super) struct Labels<'a> {
    by_id: HashMap<&'a str, Node<'a>>,
    named: HashMap<&'a str, Node<'a>>,
}

impl<'a> Labels<'a> {
    pub(super) fn of(dom: &'a Dom) -> Self {
        let mut labels = Self { by_id: HashMap::new(), named: HashMap::new() };
        for node in dom.elements() {
            if let Some(id) = node.attribute_by(known::ID) {
                labels.by_id.entry(id).or_insert(node);
            }
            if node.name() == "label"
                && let Some(id) = node.attribute("for")
            {
                labels.named.entry(id).or_insert(node);
            }
        }
        labels
    }

    /// What a control is called: by its label, by what it says to those who do not see it, by the cell or
    /// the words before it.
    pub(super) fn of_control(&self, control: Node<'a>) -> String {
        let said = [
            control.attribute_by(known::ID).and_then(|id| self.named.get(id)).map(|it| words(*it)),
            control.ancestors().find(|node| node.name() == "label").map(words),
            control.attribute("aria-label").map(line),
            control.attribute("aria-labelledby").map(|ids| {
                let parts =
                    ids.split_ascii_whitespace().take(4).filter_map(|id| self.by_id.get(id));
                line(&parts.map(|node| words(*node)).collect::<Vec<_>>().join(" "))
            }),
            cell_before(control).map(words),
            text_before(control),
            control.attribute_by(known::TITLE).map(line),
            control.attribute("placeholder").map(line),
        ];
        said.into_iter().flatten().find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// What a box or a radio button stands for: its label, or the words after it.
    pub(super) fn of_choice(&self, control: Node<'a>) -> String {
        let own = [
            control.attribute_by(known::ID).and_then(|id| self.named.get(id)).map(|it| words(*it)),
            control.ancestors().find(|node| node.name() == "label").map(words),
            control.attribute("aria-label").map(line),
            text_after(control),
        ];
        own.into_iter().flatten().find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// The values that a `datalist` proposes for a control.
    pub(super) fn list_of(&self, control: Node<'a>) -> Option<Node<'a>> {
        let list = self.by_id.get(control.attribute("list")?)?;
        (list.name() == "datalist").then_some(*list)
    }

    /// What a group of boxes or radio buttons is called.
    pub(super) fn of_group(&self, control: Node<'a>) -> String {
        let legend = control
            .ancestors()
            .find(|node| node.is(known::FIELDSET))
            .and_then(|set| set.children().find(|child| child.is(known::LEGEND)))
            .map(words);
        let said = [legend, cell_before(control).map(words)];
        said.into_iter().flatten().find(|text| !text.is_empty()).unwrap_or_default()
    }
}

/// What an element says, without the options of the controls inside, cut to what a label needs.
pub(super) fn words(node: Node<'_>) -> String {
    let mut text = String::new();
    let mut skip_to = node.id();
    for inner in node.descendants() {
        if inner.id() < skip_to {
            continue;
        }
        if text.len() > 4 * LONGEST {
            break;
        }
        let is_left_out = inner.is(known::SELECT)
            || inner.is(known::TEXTAREA)
            || inner.is(known::SCRIPT)
            || inner.is(known::STYLE);
        if is_left_out {
            skip_to = inner.end();
        } else if inner.kind() == Kind::Text {
            text.push_str(&line(inner.text()));
            text.push(' ');
        }
    }
    line(&text)
}

/// The cell to the left, in a form that is laid out as a table.
fn cell_before(control: Node<'_>) -> Option<Node<'_>> {
    let cell = control
        .ancestors()
        .take(4)
        .find(|node| node.is(known::TD) || node.is(known::TH) || node.is(known::DD))?;
    let parent = cell.parent()?;
    let before = parent.children().filter(|node| node.is_element());
    before.take_while(|node| *node != cell).last()
}

/// The words right before a control, up to the control before it.
fn text_before(control: Node<'_>) -> Option<String> {
    let first = control.id().at().saturating_sub(NEAR);
    let dom = control.dom();
    for at in (first..control.id().at()).rev() {
        let node = dom.get(crate::tree::NodeId(at as u32))?;
        if is_control(node) || node.is(known::FORM) || node.is(known::OPTION) {
            return None;
        }
        // The last value of a list before it is no label.
        let is_value =
            node.parent().is_some_and(|it| it.is(known::OPTION) || it.is(known::TEXTAREA));
        if node.kind() == Kind::Text && !is_value {
            let text = line(node.text());
            if text.chars().any(char::is_alphanumeric) {
                return Some(text);
            }
        }
    }
    None
}

/// The words right after a control, up to the next control.
fn text_after(control: Node<'_>) -> Option<String> {
    let dom = control.dom();
    for at in control.end().at()..control.end().at() + NEAR {
        let node = dom.get(crate::tree::NodeId(at as u32))?;
        if is_control(node) {
            return None;
        }
        if node.kind() == Kind::Text {
            let text = line(node.text());
            if !text.is_empty() {
                return Some(text);
            }
        }
    }
    None
}

pub(super) fn is_control(node: Node<'_>) -> bool {
    matches!(node.name_id(), Some(known::INPUT | known::SELECT | known::TEXTAREA | known::BUTTON))
}

/// One line, cut to what a label needs, without the marks around it.
pub(super) fn line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() > LONGEST {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(LONGEST));
    }
    if let Some((at, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(at);
    }
    line.trim_end_matches([':', '*', '：', ' ']).to_owned()
}
