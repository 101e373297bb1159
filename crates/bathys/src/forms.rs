//! A form as users see it, from a file or from a store.

use std::io::{self, Write};

use page::form::{Form, FormRefusal, Input, judge};
use serde::Serialize;
use url::Url;

/// A line of `forms` and `dom forms`.
#[derive(Serialize)]
pub struct FormLine {
    /// What names the form across pages; none if it is sent to no address.
    form: Option<String>,
    /// The page that it was found on: its file, or its key.
    page: String,
    xpath: String,
    action: Option<String>,
    method: &'static str,
    safe: bool,
    refused_because: Vec<String>,
    inputs: Vec<InputLine>,
    submit: Vec<String>,
    /// How many submissions would try every combination of what is listed.
    combinations: f64,
}

#[derive(Serialize)]
struct InputLine {
    name: String,
    label: String,
    kind: &'static str,
    role: Option<String>,
    required: bool,
    default: Vec<String>,
    values: Vec<String>,
}

impl FormLine {
    /// A form of a page at this address.
    pub fn new(form: &Form, page: String, url: &Url, post_search: bool) -> Self {
        let refusals = judge(form, url);
        let is_refused = |refusal: &&FormRefusal| {
            !(post_search && matches!(refusal, FormRefusal::PostNeedsPermit))
        };
        let refused_because: Vec<String> = refusals.iter().filter(is_refused).map(reason).collect();
        Self {
            form: form.id().map(|id| id.to_string()),
            page,
            xpath: form.xpath.clone(),
            action: form.action.as_ref().map(Url::to_string),
            method: form.method.name(),
            safe: refused_because.is_empty(),
            refused_because,
            inputs: form.inputs.iter().map(InputLine::of).collect(),
            submit: form.submitters.iter().map(|button| button.label.clone()).collect(),
            combinations: form.combinations(),
        }
    }

    /// For the eye.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let action = self.action.as_deref().unwrap_or("-");
        let name = self.form.as_deref().unwrap_or("-");
        writeln!(out, "{name}  {} {action}", self.method.to_uppercase())?;
        match self.safe {
            true => writeln!(out, "  may be submitted")?,
            false => writeln!(out, "  refused: {}", self.refused_because.join("; "))?,
        }
        for input in &self.inputs {
            let InputLine { name, label, kind, values, .. } = input;
            let values = match (values.as_slice(), input.default.first()) {
                ([], Some(default)) if !default.is_empty() => format!("  [{default}]"),
                ([], _) => String::new(),
                (values, _) => {
                    let shown: Vec<&str> = values.iter().take(6).map(String::as_str).collect();
                    let more = if values.len() > 6 { " …" } else { "" };
                    format!("  {} values: {}{more}", values.len(), shown.join(" | "))
                }
            };
            let role = input.role.as_ref().map(|role| format!("  {role}")).unwrap_or_default();
            writeln!(out, "  {kind:<9} {name:<20} {label}{role}{values}")?;
        }
        Ok(())
    }
}

impl InputLine {
    fn of(input: &Input) -> Self {
        Self {
            name: input.name.clone(),
            label: input.label.clone(),
            kind: input.kind.name(),
            role: None,
            required: input.required,
            default: input.default.clone(),
            values: input.options.iter().map(|choice| choice.value.clone()).collect(),
        }
    }
}

/// Why a form is not submitted, with the flag that would allow it.
fn reason(refusal: &FormRefusal) -> String {
    match refusal {
        FormRefusal::PostNeedsPermit => format!("{refusal} (--allow-post-search would allow it)"),
        _ => refusal.to_string(),
    }
}
