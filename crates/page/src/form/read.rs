//! Forms out of a tree.

use std::collections::HashMap;

use url::Url;

use super::label::{Labels, is_control, line, words};
use super::model::{Choice, Form, FormMethod, Input, InputKind, Submitter};
use crate::tree::names::known;
use crate::tree::text::is_space;
use crate::tree::{Dom, Kind, Node, NodeId, Paths, base_url};

/// Forms of a page, and controls of a form, that are looked at.
const MOST_FORMS: usize = 400;
const MOST_CONTROLS: usize = 2_000;
/// Values of an input that are kept.
const MOST_OPTIONS: usize = 5_000;
/// Longest value that is kept as one: what is longer is a state of the server, not a choice.
const LONGEST_VALUE: usize = 64 * 1024;
/// Bytes of what a form says beside its controls.
const LONGEST_TEXT: usize = 600;

/// The forms of a page in document order, and after them the groups of controls that belong to no form.
/// `page` is its address.
pub fn forms(dom: &Dom, page: &Url) -> Vec<Form> {
    let labels = Labels::of(dom);
    let paths = Paths::new(dom);
    let base = base_url(dom, page);
    let owners = Owners::of(dom);
    let mut found = Vec::new();
    for form in &owners.forms {
        let controls = owners.controls.get(&form.id()).map_or(&[][..], Vec::as_slice);
        let mut read = read(*form, controls, &labels, &paths);
        read.written_action =
            form.attribute("action").map(|to| to.trim_matches(is_space).to_owned());
        read.action = match read.written_action.as_deref() {
            None | Some("") => Some(page.clone()),
            Some(to) => base.join(to).ok(),
        };
        let method = form.attribute("method").unwrap_or_default().trim();
        read.method = match method {
            _ if method.eq_ignore_ascii_case("post") => FormMethod::Post,
            _ if method.eq_ignore_ascii_case("dialog") => FormMethod::Dialog,
            // Whatever else is written, browsers send it as GET.
            _ => FormMethod::Get,
        };
        found.push(read);
    }
    for (holder, controls) in owners.orphans(dom) {
        let mut read = read(holder, &controls, &labels, &paths);
        // The page around them says nothing about them.
        (read.text, read.name) = (String::new(), String::new());
        (read.described, read.is_search) = (String::new(), false);
        (read.method, read.action) = (FormMethod::Script, Some(page.clone()));
        if read.open_inputs().next().is_some() {
            found.push(read);
        }
    }
    found
}

/// Which control belongs to which form.
struct Owners<'a> {
    forms: Vec<Node<'a>>,
    controls: HashMap<NodeId, Vec<Node<'a>>>,
    orphans: Vec<Node<'a>>,
}

impl<'a> Owners<'a> {
    fn of(dom: &'a Dom) -> Self {
        let is_form = |node: &Node<'a>| node.is(known::FORM) && !in_template(*node);
        let forms: Vec<Node<'a>> = dom.elements().filter(is_form).take(MOST_FORMS).collect();
        let by_id: HashMap<&str, NodeId> = forms
            .iter()
            .rev()
            .filter_map(|form| Some((form.attribute_by(known::ID)?, form.id())))
            .collect();
        let mut controls: HashMap<NodeId, Vec<Node<'a>>> = HashMap::new();
        let mut orphans = Vec::new();
        // A form that begins between the rows of a table is put there empty by the parser, and owns what
        // follows it in the table all the same.
        let mut repaired: Option<Node<'a>> = None;
        for node in dom.elements() {
            if node.is(known::FORM) {
                let in_rows = node.parent().is_some_and(|parent| {
                    matches!(
                        parent.name_id(),
                        Some(known::TABLE | known::TBODY | known::THEAD | known::TFOOT | known::TR)
                    )
                });
                repaired = (in_rows && node.size() == 1).then_some(node);
                continue;
            }
            if !is_control(node) || in_template(node) {
                continue;
            }
            let named = node.attribute("form").map(|id| by_id.get(id).copied());
            let around = node.ancestors().find(|above| above.is(known::FORM)).map(Node::id);
            let after = repaired
                .filter(|form| form.parent().is_some_and(|parent| node.id() < parent.end()))
                .map(Node::id);
            match named.unwrap_or(around.or(after)) {
                Some(form) => {
                    let own = controls.entry(form).or_default();
                    if own.len() < MOST_CONTROLS {
                        own.push(node);
                    }
                }
                None if orphans.len() < MOST_CONTROLS => orphans.push(node),
                None => {}
            }
        }
        Self { forms, controls, orphans }
    }

    /// Controls without a form, by the part of the page that they stand in.
    fn orphans(&self, dom: &'a Dom) -> Vec<(Node<'a>, Vec<Node<'a>>)> {
        let mut groups: Vec<(Node<'a>, Vec<Node<'a>>)> = Vec::new();
        for control in &self.orphans {
            let is_part = |node: &Node<'a>| {
                matches!(
                    node.name_id(),
                    Some(
                        known::SECTION
                            | known::FIELDSET
                            | known::NAV
                            | known::MAIN
                            | known::ARTICLE
                            | known::ASIDE
                            | known::HEADER
                            | known::FOOTER
                            | known::SEARCH
                            | known::DIALOG
                            | known::BODY
                    )
                ) || node.kind() != Kind::Element
            };
            let part = control.ancestors().find(is_part).unwrap_or(dom.root());
            match groups.iter_mut().find(|(holder, _)| *holder == part) {
                Some((_, controls)) => controls.push(*control),
                None => groups.push((part, vec![*control])),
            }
        }
        groups.truncate(MOST_FORMS);
        groups
    }
}

fn in_template(node: Node<'_>) -> bool {
    node.ancestors().any(|above| above.is(known::TEMPLATE))
}

fn read<'a>(node: Node<'a>, controls: &[Node<'a>], labels: &Labels<'a>, paths: &Paths) -> Form {
    let attribute = |name: &str| node.attribute(name).unwrap_or_default().trim();
    let own_name = [attribute("id"), attribute("name")];
    let mut form = Form {
        node: node.id(),
        xpath: paths.of(node.id()).map(|path| path.to_string()).unwrap_or_default(),
        name: line(own_name.into_iter().find(|name| !name.is_empty()).unwrap_or_default()),
        method: FormMethod::Get,
        action: None,
        written_action: None,
        enctype: attribute("enctype").to_ascii_lowercase(),
        submitters: Vec::new(),
        inputs: Vec::new(),
        described: line(&format!(
            "{} {} {} {}",
            attribute("class"),
            attribute("role"),
            attribute("aria-label"),
            attribute("title")
        )),
        is_search: is_search(node),
        text: text_beside(node),
    };
    let mut groups: HashMap<(String, InputKind), usize> = HashMap::new();
    for control in controls {
        let Some(kind) = kind(*control) else {
            form.submitters.extend(submitter(*control));
            continue;
        };
        let input = input(*control, kind, labels);
        let grouped = matches!(kind, InputKind::Radio | InputKind::Check) && !input.name.is_empty();
        let known = grouped.then(|| groups.get(&(input.name.clone(), kind)).copied()).flatten();
        match known.and_then(|at| form.inputs.get_mut(at)) {
            Some(group) => {
                if group.options.len() < MOST_OPTIONS {
                    group.options.extend(input.options);
                    group.default.extend(input.default);
                }
                group.required |= input.required;
            }
            None => {
                if grouped {
                    groups.insert((input.name.clone(), kind), form.inputs.len());
                }
                form.inputs.push(input);
            }
        }
    }
    for input in &mut form.inputs {
        let is_group = matches!(input.kind, InputKind::Radio | InputKind::Check);
        if is_group && input.options.len() > 1 {
            let control = node.dom().node(input.node);
            input.label = labels.of_group(control);
        }
    }
    form
}

/// Whether an element, or what is around it, is for searching by HTML's and ARIA's own words.
fn is_search(node: Node<'_>) -> bool {
    let says = |node: Node<'_>| {
        let role = node.attribute("role").unwrap_or_default();
        node.is(known::SEARCH) || role.trim().eq_ignore_ascii_case("search")
    };
    says(node) || node.ancestors().take(3).any(says)
}

/// What stands in a form and is no control.
fn text_beside(node: Node<'_>) -> String {
    let mut text = String::new();
    let mut skip_to = node.id();
    for inner in node.descendants() {
        if inner.id() < skip_to {
            continue;
        }
        let is_left_out = matches!(
            inner.name_id(),
            Some(known::SELECT | known::TEXTAREA | known::BUTTON | known::SCRIPT | known::STYLE)
        );
        if is_left_out {
            skip_to = inner.end();
        } else if inner.kind() == Kind::Text {
            for word in inner.text().split_whitespace() {
                if text.len() + word.len() > LONGEST_TEXT {
                    return text;
                }
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(word);
            }
        }
    }
    text
}

/// What a control is; none if it is a button.
fn kind(control: Node<'_>) -> Option<InputKind> {
    match control.name_id() {
        Some(known::SELECT) if control.attribute("multiple").is_some() => Some(InputKind::Multi),
        Some(known::SELECT) => Some(InputKind::Select),
        Some(known::TEXTAREA) => Some(InputKind::Area),
        Some(known::INPUT) => {
            let written = control.attribute_by(known::TYPE).unwrap_or_default();
            Some(match written.trim().to_ascii_lowercase().as_str() {
                "submit" | "image" | "button" | "reset" => return None,
                "radio" => InputKind::Radio,
                "checkbox" => InputKind::Check,
                "number" | "range" => InputKind::Number,
                "date" | "datetime-local" | "datetime" | "time" | "month" | "week" => {
                    InputKind::Date
                }
                "hidden" => InputKind::Hidden,
                "email" => InputKind::Email,
                "tel" => InputKind::Tel,
                "password" => InputKind::Password,
                "file" => InputKind::File,
                "color" => InputKind::Other,
                // Whatever else is written, browsers show a line of text.
                _ => InputKind::Text,
            })
        }
        _ => None,
    }
}

/// A button that sends the form; none if it resets it. Buttons that only a script listens to count: what
/// they say tells what the form is for.
fn submitter(control: Node<'_>) -> Option<Submitter> {
    let attribute = |name: &str| control.attribute(name).unwrap_or_default().trim();
    let written = attribute("type").to_ascii_lowercase();
    if written == "reset" {
        return None;
    }
    let shown = match control.is(known::BUTTON) {
        true => words(control),
        false => line(attribute("value")),
    };
    let told = [&shown, attribute("aria-label"), attribute("title"), attribute("alt")];
    let sends = written != "button" && control.attribute("disabled").is_none();
    Some(Submitter {
        node: control.id(),
        name: if sends { attribute("name").to_owned() } else { String::new() },
        value: match written.as_str() {
            "image" => String::new(),
            _ => attribute("value").to_owned(),
        },
        label: line(told.into_iter().find(|text| !text.is_empty()).unwrap_or_default()),
        described: line(&format!("{} {}", attribute("id"), attribute("class"))),
        action: control.attribute("formaction").map(|to| to.trim_matches(is_space).to_owned()),
        method: control.attribute("formmethod").map(|to| to.trim().to_ascii_lowercase()),
    })
}

fn choice(option: Node<'_>) -> Choice {
    let text = words(option);
    let value = option.attribute_by(known::VALUE).map_or(text.clone(), str::to_owned);
    Choice { value, text }
}

fn input<'a>(control: Node<'a>, kind: InputKind, labels: &Labels<'a>) -> Input {
    let attribute = |name: &str| control.attribute(name).unwrap_or_default();
    let value = || attribute("value").get(..LONGEST_VALUE).unwrap_or(attribute("value")).to_owned();
    let name = match attribute("name") {
        "" => attribute("id"),
        name => name,
    };
    let (mut options, mut default) = (Vec::new(), Vec::new());
    match kind {
        InputKind::Select | InputKind::Multi => {
            let all = control.descendants().filter(|node| node.is(known::OPTION));
            let mut selected = Vec::new();
            for option in all.filter(|option| option.attribute("disabled").is_none()) {
                if options.len() == MOST_OPTIONS {
                    break;
                }
                let choice = choice(option);
                if option.attribute("selected").is_some() {
                    selected.push(choice.value.clone());
                }
                options.push(choice);
            }
            default = match (kind, selected.pop()) {
                (InputKind::Multi, last) => {
                    selected.extend(last);
                    selected
                }
                // Of several, the last is shown; without one, the first.
                (_, Some(last)) => vec![last],
                (_, None) => options.first().map(|first| first.value.clone()).into_iter().collect(),
            };
        }
        InputKind::Radio | InputKind::Check => {
            let value = control.attribute_by(known::VALUE).unwrap_or("on").to_owned();
            if control.attribute("checked").is_some() {
                default.push(value.clone());
            }
            options.push(Choice { value, text: labels.of_choice(control) });
        }
        InputKind::Area => {
            let text: String = control.children().map(|child| child.text()).collect();
            default.push(text.chars().take(LONGEST_VALUE).collect());
        }
        InputKind::File => {}
        _ => {
            default.push(value());
            let list = labels.list_of(control).into_iter().flat_map(Node::descendants);
            let proposed = list.filter(|node| node.is(known::OPTION)).take(MOST_OPTIONS);
            options.extend(proposed.map(choice));
        }
    }
    Input {
        node: control.id(),
        name: name.to_owned(),
        is_named: !attribute("name").is_empty(),
        kind,
        is_search: attribute("type").trim().eq_ignore_ascii_case("search"),
        label: labels.of_control(control),
        options,
        default,
        required: control.attribute("required").is_some()
            || attribute("aria-required").eq_ignore_ascii_case("true"),
        placeholder: line(attribute("placeholder")),
        min: line(attribute("min")),
        max: line(attribute("max")),
        autocomplete: line(attribute("autocomplete")),
        pattern: line(attribute("pattern")),
        disabled: control.attribute("disabled").is_some()
            || control
                .ancestors()
                .any(|above| above.is(known::FIELDSET) && above.attribute("disabled").is_some()),
    }
}
