//! The gate for forms: default deny, with all reasons.
//!
//! Decided from markup alone, before anything is sent. A form passes if it is sent by GET, has something to
//! choose or to type or says that it searches, and shows no sign of anything else: no field for a secret, a
//! file, an address or a text to keep, no verb that writes on its button, in its address, its names or its
//! heading, no parameter whose value orders a write. POST needs, besides, evidence that it reads, and the
//! user's word ([`FormRefusal::PostNeedsPermit`]).

use std::fmt;

use url::Url;

use super::lexicon::{LEXICON, WordList};
use super::model::{Form, FormMethod, Input, InputKind, Submitter};
use crate::state::safety::{verb_in_address, verb_in_control, verb_in_order, words};
use crate::state::url::Site;

/// Why a form is not submitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormRefusal {
    /// A field asks for something that no crawler gives.
    Field(HardField, String),
    /// A word says that it writes.
    Verb(Place, String),
    /// It is sent to no address that can be asked: `javascript:`, `mailto:`, nonsense.
    NoAddress(String),
    /// It closes a dialog.
    Dialog,
    /// Nothing says what it is for: no field that a visitor sees, or only boxes beside hidden values.
    NoPurpose,
    /// It is sent by POST, and nothing says that it only reads.
    PostWithoutEvidence,
    /// It is sent by POST and looks like a search. Whoever runs the crawl may allow these.
    PostNeedsPermit,
    /// It is sent to another site.
    OtherSite(String),
    /// It has no `form` element, so that only its script knows what it does.
    ByScript,
}

/// What a field asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HardField {
    /// A password, a captcha, a card.
    Secret,
    /// A file to upload.
    File,
    /// A text of several lines.
    LongText,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// Who somebody is, or something to keep.
    Personal,
}

/// Where a word was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// On a button.
    Button,
    /// In the address that it is sent to.
    Address,
    /// In a name: of the form, of its button, of its classes.
    Name,
    /// In what it says beside its fields.
    Text,
    /// In a hidden value.
    Value,
}

impl fmt::Display for FormRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field, name) => {
                let asks = match field {
                    HardField::Secret => "asks for a secret",
                    HardField::File => "takes a file",
                    HardField::LongText => "takes a long text",
                    HardField::Email => "asks for an e-mail address",
                    HardField::Phone => "asks for a telephone number",
                    HardField::Personal => "asks for something about a person, or to be kept",
                };
                write!(f, "its field '{name}' {asks}")
            }
            Self::Verb(place, verb) => {
                let place = match place {
                    Place::Button => "its button",
                    Place::Address => "its address",
                    Place::Name => "its name",
                    Place::Text => "its text",
                    Place::Value => "a hidden value",
                };
                write!(f, "{place} contains the write verb '{verb}'")
            }
            Self::NoAddress(to) => write!(f, "it is sent to '{to}', which is no address"),
            Self::Dialog => f.write_str("it only closes a dialog"),
            Self::NoPurpose => f.write_str("nothing says what it is for"),
            Self::PostWithoutEvidence => {
                f.write_str("it is sent by POST and shows no sign of being a search")
            }
            Self::PostNeedsPermit => f.write_str("it is a search that is sent by POST"),
            Self::OtherSite(site) => write!(f, "it is sent to another site, {site}"),
            Self::ByScript => f.write_str("it has no form element: only its script can send it"),
        }
    }
}

impl FormRefusal {
    /// Whether it says that a submission may change something. The others say that one is not ours to make,
    /// or not possible.
    pub fn is_unsafe(&self) -> bool {
        !matches!(self, Self::PostNeedsPermit | Self::OtherSite(_) | Self::ByScript)
    }
}

/// Longest text beside the fields whose verbs speak for the form; a longer one is an article around it.
const SHORT_TEXT: usize = 300;

/// Judges a form on a page. An empty list lets it pass.
pub fn judge(form: &Form, page: &Url) -> Vec<FormRefusal> {
    let mut refusals = Vec::new();
    if form.method == FormMethod::Dialog {
        refusals.push(FormRefusal::Dialog);
    }
    let addresses = addresses(form, page);
    if let Some(to) = addresses.unusable {
        refusals.push(FormRefusal::NoAddress(to));
    }
    for input in &form.inputs {
        // Who searches for people names them.
        let field = hard_field(input).filter(|it| *it != HardField::Personal || !reads(form));
        refusals.extend(field.map(|field| {
            let named = if input.name.is_empty() { &input.label } else { &input.name };
            FormRefusal::Field(field, named.clone())
        }));
    }
    let searches = reads(form) || form.open_inputs().any(asks);
    for submitter in &form.submitters {
        let verb = verb_of(submitter).or_else(|| act_of(submitter).filter(|_| !searches));
        refusals.extend(verb.map(|verb| FormRefusal::Verb(Place::Button, verb)));
    }
    for to in &addresses.usable {
        let verb = verb_in_address(to).or_else(|| write_in_path(to));
        // The page that a form without an address is sent to is named by what it shows.
        if to.path() != page.path() {
            refusals.extend(verb.map(|verb| FormRefusal::Verb(Place::Address, verb)));
        } else {
            let order = to.query_pairs().find_map(|(key, value)| order_in(&key, &value, searches));
            refusals.extend(order.map(|verb| FormRefusal::Verb(Place::Value, verb)));
        }
    }
    for input in form.inputs.iter().filter(|input| input.kind == InputKind::Hidden) {
        let order = input.default.iter().find_map(|value| order_in(&input.name, value, searches));
        refusals.extend(order.map(|verb| FormRefusal::Verb(Place::Value, verb)));
    }
    let names =
        LEXICON.write.in_name(&form.name).or_else(|| LEXICON.write.in_name(&form.described));
    if let Some(verb) = names.filter(|_| !searches) {
        refusals.push(FormRefusal::Verb(Place::Name, verb));
    }
    if !searches && form.text.len() <= SHORT_TEXT {
        let said = LEXICON.write.in_label(&form.text).or_else(|| LEXICON.mail.in_label(&form.text));
        refusals.extend(said.map(|verb| FormRefusal::Verb(Place::Text, verb)));
    }
    let offers = form.open_inputs().any(|input| {
        let chooses = matches!(input.kind, InputKind::Select | InputKind::Multi | InputKind::Radio);
        chooses && input.options.len() > 1 || input.kind.is_typed()
    });
    let has_filters = form.open_inputs().any(|input| input.kind == InputKind::Check);
    if !offers && !searches && !has_filters {
        refusals.push(FormRefusal::NoPurpose);
    }
    if form.method == FormMethod::Post || form.submitters.iter().any(posts) {
        refusals.push(match reads(form) {
            true => FormRefusal::PostNeedsPermit,
            false => FormRefusal::PostWithoutEvidence,
        });
    }
    if form.method == FormMethod::Script {
        refusals.push(FormRefusal::ByScript);
    }
    let home = Site::of(page);
    for to in &addresses.usable {
        let site = Site::of(to);
        if site != home {
            let site = site.map(|site| site.to_string()).unwrap_or_default();
            refusals.push(FormRefusal::OtherSite(site));
        }
    }
    let mut unique: Vec<FormRefusal> = Vec::with_capacity(refusals.len());
    for refusal in refusals {
        if !unique.contains(&refusal) {
            unique.push(refusal);
        }
    }
    unique
}

fn posts(submitter: &Submitter) -> bool {
    submitter.method.as_deref() == Some("post")
}

struct Addresses {
    usable: Vec<Url>,
    unusable: Option<String>,
}

/// Where a form may be sent: by itself, and by each of its buttons.
fn addresses(form: &Form, page: &Url) -> Addresses {
    let mut found = Addresses { usable: Vec::new(), unusable: None };
    let written = form.written_action.clone().unwrap_or_default();
    let base = form.action.as_ref().unwrap_or(page);
    let of_buttons = form.submitters.iter().filter_map(|submitter| {
        let to = submitter.action.as_ref().filter(|to| !to.is_empty())?;
        Some((to.clone(), base.join(to).ok()))
    });
    for (written, to) in std::iter::once((written, form.action.clone())).chain(of_buttons) {
        match to {
            Some(to) if matches!(to.scheme(), "http" | "https") => found.usable.push(to),
            // A page out of a file has no address itself; its forms are judged all the same.
            _ => found.unusable = Some(written.chars().take(80).collect()),
        }
    }
    found
}

/// Whether there is evidence that a form only reads: it says that it searches, by HTML's own means, on its
/// button, in its address, or in its names. What one of its fields says does not speak for the whole of it.
pub fn reads(form: &Form) -> bool {
    let search = &LEXICON.search;
    let named =
        || search.in_name(&form.name).is_some() || search.in_name(&form.described).is_some();
    let on_button = || {
        form.submitters.iter().any(|button| {
            search.in_label(&button.label).is_some() || search.in_name(&button.described).is_some()
        })
    };
    let in_address = || {
        let path = form.action.as_ref().filter(|_| form.written_action.is_some()).map(Url::path);
        path.is_some_and(|path| path.split('/').any(|segment| in_short_name(search, segment)))
    };
    form.is_search || named() || on_button() || in_address()
}

/// Whether a field says that it is for searching.
fn asks(input: &Input) -> bool {
    let search = &LEXICON.search;
    input.kind.is_typed()
        && (input.is_search
            || in_short_name(search, &input.name)
            || search.in_label(&input.placeholder).is_some()
            || search.in_label(&input.label).is_some()
            || input.default.iter().any(|value| search.in_label(value).is_some()))
}

/// Names of more words hold a title.
fn in_short_name(list: &WordList, name: &str) -> bool {
    name.len() <= 40 && list.in_name(name).is_some()
}

/// A verb that writes in a path; the one on the button of a search is its own.
fn write_in_path(to: &Url) -> Option<String> {
    let segments = to.path_segments().into_iter().flatten().filter(|segment| segment.len() <= 40);
    segments.filter_map(|segment| LEXICON.write.in_name(segment)).next()
}

/// Whether the value of a parameter of this name says what is done.
pub(super) fn gives_order(name: &str) -> bool {
    name.len() <= 20 && words(name).last().is_some_and(|word| LEXICON.order.has(word))
}

/// The order that a parameter gives, if its name says that it gives one.
fn order_in(name: &str, value: &str, searches: bool) -> Option<String> {
    let parts = words(name);
    let orders = gives_order(name);
    // `post_type=post` is what a search looks for.
    let says_kind = match parts.as_slice() {
        [one] => LEXICON.kind.has(one) && !searches,
        _ => false,
    };
    if value.len() > 60 || !(orders || says_kind) {
        return None;
    }
    if LEXICON.search.in_name(value).is_some() {
        return None;
    }
    LEXICON.write.in_name(value).or_else(|| verb_in_order(value))
}

fn verb_of(submitter: &Submitter) -> Option<String> {
    let label = submitter.label.as_str();
    if LEXICON.search.in_label(label).is_some() || label.chars().count() > 80 {
        return None;
    }
    let said = LEXICON.write.in_label(label).or_else(|| LEXICON.mail.in_label(label));
    said.filter(|verb| !LEXICON.neutral.has(verb)).or_else(|| {
        let own = LEXICON.search.in_name(&submitter.described);
        let named = LEXICON.write.in_name(&submitter.described);
        let named = named.or_else(|| LEXICON.write.in_name(&submitter.name));
        named.filter(|verb| own.is_none() && !LEXICON.neutral.has(verb))
    })
}

/// What a button does, by words that a search says as well.
fn act_of(submitter: &Submitter) -> Option<String> {
    let label = submitter.label.as_str();
    let act = LEXICON.act.in_label(label).filter(|_| label.split_whitespace().count() <= 4);
    let verb = act.or_else(|| verb_in_control(label))?;
    (!LEXICON.neutral.has(&verb)).then_some(verb)
}

/// What of a field no crawler gives.
fn hard_field(input: &Input) -> Option<HardField> {
    match input.kind {
        InputKind::Password => return Some(HardField::Secret),
        InputKind::File => return Some(HardField::File),
        InputKind::Area => return Some(HardField::LongText),
        InputKind::Email => return Some(HardField::Email),
        InputKind::Tel => return Some(HardField::Phone),
        _ => {}
    }
    let name = input.name.as_str();
    let is_captcha = |name: &str| LEXICON.secret.in_name(name).is_some();
    if input.kind == InputKind::Hidden {
        // A token that a script fills in once somebody was found to be human.
        let name = name.to_ascii_lowercase();
        let is_token = name.contains("captcha") || name.contains("turnstile");
        return is_token.then_some(HardField::Secret);
    }
    if is_captcha(name) || is_captcha(&input.label) {
        return Some(HardField::Secret);
    }
    let fills = input.autocomplete.to_ascii_lowercase();
    for word in fills.split_ascii_whitespace() {
        match word {
            "email" => return Some(HardField::Email),
            "tel" | "tel-national" | "tel-local" => return Some(HardField::Phone),
            _ if word.starts_with("cc-")
                || word.ends_with("password")
                || word == "one-time-code" =>
            {
                return Some(HardField::Secret);
            }
            "name" | "given-name" | "family-name" | "username" | "street-address"
            | "address-line1" => return Some(HardField::Personal),
            _ => {}
        }
    }
    if input.kind != InputKind::Text {
        return None;
    }
    let texts = [input.label.as_str(), input.placeholder.as_str()];
    let values = input.default.iter().map(String::as_str);
    let said = |list: &WordList| {
        list.in_name(name).is_some()
            || texts.into_iter().chain(values.clone()).any(|text| list.in_label(text).is_some())
    };
    let asks = asks(input);
    if said(&LEXICON.mail) && !asks {
        return Some(HardField::Email);
    }
    let is_personal = LEXICON.person.in_name(name).is_some()
        || texts.into_iter().any(|text| LEXICON.person.in_label(text).is_some());
    (is_personal && !asks).then_some(HardField::Personal)
}
