//! A form as users see it, from a file or from a store.

use std::io::{self, Write};

use crawl::forms::{Analysis, KnownForm, KnownInput, TestedTemplate};
use page::form::{Form, FormRefusal, Input, Relations, judge, relations};
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
    /// What a crawl would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<String>,
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
        let related = relations(form);
        Self {
            form: form.id().map(|id| id.to_string()),
            page,
            xpath: form.xpath.clone(),
            action: form.action.as_ref().map(Url::to_string),
            method: form.method.name(),
            safe: refused_because.is_empty(),
            refused_because,
            inputs: form.inputs.iter().map(|input| InputLine::of(input, &related)).collect(),
            submit: form.submitters.iter().map(|button| button.label.clone()).collect(),
            combinations: form.combinations(),
            plan: None,
        }
    }

    /// The same, with what a crawl would do with it.
    pub fn planned(mut self, budget: usize, pagers: bool) -> Self {
        let pages = if pagers { ", and the pages after it," } else { "" };
        self.plan = Some(match self.safe {
            true => format!(
                "the default query{pages} first; only if rows are missing, up to 6 probes an input, and then \
                 queries that split what is cut off; {budget} requests at most"
            ),
            false => "nothing is submitted".to_owned(),
        });
        self
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
        if let Some(plan) = &self.plan {
            writeln!(out, "  {} combinations of what it lists", self.combinations)?;
            writeln!(out, "  plan: {plan}")?;
        }
        Ok(())
    }
}

/// A form of a store, as the contract says it.
#[derive(Serialize)]
pub struct KeptForm {
    form: String,
    site: String,
    page: i64,
    url: String,
    action: String,
    method: String,
    safe: bool,
    inputs: Vec<KeptInput>,
    templates: Vec<TestedTemplate>,
    submissions: usize,
    requests: usize,
    records: usize,
    page_size: usize,
    coverage_estimate: Option<[f64; 3]>,
    /// After how many requests there were how many records.
    curve: Vec<(usize, usize)>,
    ended: Option<String>,
    refused_because: Vec<String>,
}

#[derive(Serialize)]
struct KeptInput {
    name: String,
    label: String,
    kind: String,
    role: Option<String>,
    values: Vec<String>,
}

impl KeptForm {
    /// A form of a site.
    pub fn new(site: &str, known: KnownForm) -> Self {
        let outcome = known.outcome.unwrap_or_default();
        let hint = |reason: String| match known.needs_permit {
            true => format!("{reason} (--allow-post-search would allow it)"),
            false => reason,
        };
        Self {
            form: known.form,
            site: site.to_owned(),
            page: known.page,
            url: known.url,
            action: known.action,
            method: known.method,
            safe: known.refused_because.is_empty(),
            inputs: known
                .inputs
                .into_iter()
                .map(|input| KeptInput {
                    name: input.name,
                    label: input.label,
                    kind: input.kind,
                    role: input.role,
                    values: input.values,
                })
                .collect(),
            templates: outcome.templates,
            submissions: outcome.submissions,
            requests: outcome.requests,
            records: outcome.records,
            page_size: outcome.page_size,
            coverage_estimate: outcome.estimate.map(|it| [it.low, it.likely, it.high]),
            curve: outcome.curve,
            ended: Some(outcome.ended).filter(|ended| !ended.is_empty()),
            refused_because: known.refused_because.into_iter().map(hint).collect(),
        }
    }

    /// A form that was tried without a store.
    pub fn analysed(analysis: Analysis) -> Self {
        let Analysis { form, url, refused_because, outcome, .. } = analysis;
        let role = |input: &Input| outcome.as_ref()?.roles.get(&input.name).cloned();
        let inputs = form.inputs.iter().map(|input| KnownInput {
            name: input.name.clone(),
            label: input.label.clone(),
            kind: input.kind.name().to_owned(),
            role: role(input),
            values: input.options.iter().map(|choice| choice.value.clone()).collect(),
        });
        let known = KnownForm {
            form: form.id().map(|id| id.to_string()).unwrap_or_default(),
            page: 0,
            xpath: form.xpath.clone(),
            method: form.method.name().to_owned(),
            action: form.action.as_ref().map(Url::to_string).unwrap_or_default(),
            inputs: inputs.collect(),
            needs_permit: judge(&form, &url) == [FormRefusal::PostNeedsPermit],
            url: url.to_string(),
            refused_because,
            done: true,
            round: 0,
            outcome,
        };
        Self::new(url.host_str().unwrap_or_default(), known)
    }

    /// For the eye.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}  {} {}", self.form, self.method.to_uppercase(), self.action)?;
        writeln!(out, "  on page {} {}", self.page, self.url)?;
        if !self.safe {
            return writeln!(out, "  refused: {}", self.refused_because.join("; "));
        }
        for input in &self.inputs {
            let role = input.role.as_deref().unwrap_or("-");
            writeln!(out, "  {:<9} {:<20} {role:<12} {}", input.kind, input.name, input.label)?;
        }
        writeln!(
            out,
            "  {} records in {} submissions, {} requests",
            self.records, self.submissions, self.requests
        )?;
        if let Some([low, likely, high]) = self.coverage_estimate {
            let percent = |share: f64| (100.0 * share).round();
            writeln!(
                out,
                "  estimated {} % of all ({} to {} %)",
                percent(likely),
                percent(low),
                percent(high)
            )?;
        }
        for template in &self.templates {
            let TestedTemplate { inputs, submissions, distinct, informative, .. } = template;
            let says = if *informative { "informative" } else { "-" };
            let inputs = inputs.join(" + ");
            writeln!(
                out,
                "  template  {inputs:<40} {distinct:>3} of {submissions:>3} differ  {says}"
            )?;
        }
        if let Some(ended) = &self.ended {
            writeln!(out, "  ended: {ended}")?;
        }
        Ok(())
    }
}

impl InputLine {
    fn of(input: &Input, related: &Relations) -> Self {
        let role = match input.name.as_str() {
            name if related.other_end(name).is_some() => Some("range".to_owned()),
            name if related.is_in_condition(name) => Some("condition".to_owned()),
            _ => None,
        };
        Self {
            name: input.name.clone(),
            label: input.label.clone(),
            kind: input.kind.name(),
            role,
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
