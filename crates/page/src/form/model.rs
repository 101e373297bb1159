//! What a form is made of.

use std::fmt;

use url::Url;

use super::gate::gives_order;
use crate::tree::NodeId;

/// A form of a page, or controls that belong to none and act by script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// The `form` element; of controls without one, the element that holds them all.
    pub node: NodeId,
    /// Where that is.
    pub xpath: String,
    /// Its `id`, else its `name`.
    pub name: String,
    /// How it is sent.
    pub method: FormMethod,
    /// Where it is sent to, resolved; none if that is no address.
    pub action: Option<Url>,
    /// The address as written; none if the form names none.
    pub written_action: Option<String>,
    /// How it is encoded, if not as the parameters of an address.
    pub enctype: String,
    /// What sends it, in order.
    pub submitters: Vec<Submitter>,
    /// What it asks for, in order; radio buttons of one name are one input, and so are checkboxes.
    pub inputs: Vec<Input>,
    /// Its classes, role and label, as one text.
    pub described: String,
    /// Whether it, or what is around it, says that it is a search (`role=search`, `<search>`).
    pub is_search: bool,
    /// What it says beside its controls: headings, legends, notes. Cut to a few lines.
    pub text: String,
}

/// How a form is sent.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FormMethod {
    /// As the parameters of an address.
    Get,
    /// In the body of a request.
    Post,
    /// It closes a dialog and sends nothing.
    Dialog,
    /// There is no form element: only a script can send it.
    Script,
}

/// A button that sends a form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Submitter {
    /// The element.
    pub node: NodeId,
    /// Its name; empty if it sends nothing by itself.
    pub name: String,
    /// What it sends under its name.
    pub value: String,
    /// What it shows.
    pub label: String,
    /// Its names for programmers: `id` and classes.
    pub described: String,
    /// An address of its own, as written.
    pub action: Option<String>,
    /// A method of its own, as written.
    pub method: Option<String>,
}

/// One thing that a form asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The element; of several, the first.
    pub node: NodeId,
    /// Its name; of controls that have none and act by script, their `id`.
    pub name: String,
    /// Whether it has a name to be sent under.
    pub is_named: bool,
    /// What it is.
    pub kind: InputKind,
    /// Whether it says that it is for searching (`type=search`).
    pub is_search: bool,
    /// What people read beside it.
    pub label: String,
    /// The values to choose from, if it offers any.
    pub options: Vec<Choice>,
    /// What is sent if nobody touches it; more than one for a list, none for what is not ticked.
    pub default: Vec<String>,
    /// Whether it must not be empty.
    pub required: bool,
    /// The hint that an empty field shows.
    pub placeholder: String,
    /// The least value, as written.
    pub min: String,
    /// The greatest value, as written.
    pub max: String,
    /// `autocomplete`: what browsers may fill in by themselves.
    pub autocomplete: String,
    /// The regular expression that values must match.
    pub pattern: String,
    /// Whether it is switched off, so that nothing of it is sent.
    pub disabled: bool,
}

/// A value to choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// What is sent.
    pub value: String,
    /// What people read.
    pub text: String,
}

/// What an input is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum InputKind {
    /// One of a list.
    Select,
    /// Some of a list.
    Multi,
    /// One of some buttons.
    Radio,
    /// Boxes to tick, one or several of one name.
    Check,
    /// A line of words.
    Text,
    /// A number, typed or slid.
    Number,
    /// A day, a time, a month or a week.
    Date,
    /// Nothing that is shown.
    Hidden,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Tel,
    /// A secret.
    Password,
    /// A file.
    File,
    /// Several lines of words.
    Area,
    /// Anything else that a browser may draw, such as a colour.
    Other,
}

impl InputKind {
    /// Its name as users read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Multi => "multi",
            Self::Radio => "radio",
            Self::Check => "check",
            Self::Text => "text",
            Self::Number => "number",
            Self::Date => "date",
            Self::Hidden => "hidden",
            Self::Email => "email",
            Self::Tel => "tel",
            Self::Password => "password",
            Self::File => "file",
            Self::Area => "textarea",
            Self::Other => "other",
        }
    }

    /// Whether its values are listed in the page.
    pub fn is_listed(self) -> bool {
        matches!(self, Self::Select | Self::Multi | Self::Radio | Self::Check)
    }

    /// Whether its values have to be thought of.
    pub fn is_typed(self) -> bool {
        matches!(self, Self::Text | Self::Number | Self::Date)
    }
}

impl FormMethod {
    /// Its name as users read it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Dialog => "dialog",
            Self::Script => "script",
        }
    }
}

/// What makes the form on one page the same as on another: method, host and path, and the names of its
/// inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FormId(pub u64);

impl fmt::Display for FormId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:012x}", self.0 & 0xffff_ffff_ffff)
    }
}

impl Form {
    /// Names the form across pages. `None` if it sends to no address.
    ///
    /// A form without an address of its own sends to the page that it stands on, so that the same search
    /// stands on every page of results: it is known by its path, not by its parameters. What it carries along
    /// hidden differs from page to page, too, and counts only where it gives an order.
    pub fn id(&self) -> Option<FormId> {
        let action = self.action.as_ref()?;
        let is_open = |input: &&Input| input.kind != InputKind::Hidden;
        let mut names: Vec<&str> =
            self.inputs.iter().filter(is_open).map(|input| input.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let hidden = self.inputs.iter().filter(|input| input.kind == InputKind::Hidden);
        let mut orders: Vec<(&str, &[String])> = hidden
            .filter(|input| gives_order(&input.name))
            .map(|input| (input.name.as_str(), input.default.as_slice()))
            .collect();
        orders.sort_unstable();
        let place = (action.scheme(), action.host_str(), action.port(), action.path());
        let whole = format!("{} {place:?} {names:?} {orders:?}", self.method.name());
        Some(FormId(xxhash_rust::xxh3::xxh3_64(whole.as_bytes())))
    }

    /// The inputs that a visitor can change.
    pub fn open_inputs(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter().filter(|input| {
            !input.disabled && input.kind != InputKind::Hidden && !input.name.is_empty()
        })
    }

    /// An input by its name.
    pub fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|input| input.name == name)
    }

    /// How many submissions it takes to try every combination of what it lists, what is typed left out. As
    /// a floating number, since some forms have more than there are atoms.
    pub fn combinations(&self) -> f64 {
        self.open_inputs()
            .filter(|input| input.kind.is_listed())
            .map(|input| match input.kind {
                InputKind::Multi => 2f64.powi(input.options.len().min(1_000) as i32),
                InputKind::Check => 2f64.powi(input.options.len().min(1_000) as i32),
                _ => input.options.len().max(1) as f64,
            })
            .product()
    }
}
