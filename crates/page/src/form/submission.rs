//! What filling a form in and sending it asks for.

use std::collections::BTreeMap;
use std::fmt;

use url::{Url, form_urlencoded};

use super::model::{Form, FormId, FormMethod, Input, InputKind};

/// Values of the inputs that are bound, by name; all others keep what they have if nobody touches them.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Assignment(pub BTreeMap<String, Vec<String>>);

/// A request that submits a form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Submission {
    /// Where to.
    pub url: Url,
    /// Of a POST, its body as `application/x-www-form-urlencoded`.
    pub body: Option<String>,
}

impl Assignment {
    /// Nothing bound: the default query.
    pub fn none() -> Self {
        Self::default()
    }

    /// The same with an input bound to one more value or to another one.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut all = self.0.clone();
        all.insert(name.to_owned(), vec![value.to_owned()]);
        Self(all)
    }

    /// What an input is bound to, if it is.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.first().map(String::as_str)
    }

    /// How many inputs are bound.
    pub fn dimension(&self) -> usize {
        self.0.len()
    }

    /// The words that were asked for: no sign of what was answered.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.0.values().flatten().map(String::as_str)
    }

    /// What names a submission of this form in the key of its page: `submit(form)?name=value&…`, sorted.
    pub fn instruction(&self, form: FormId) -> String {
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        for (name, values) in &self.0 {
            let mut values: Vec<&String> = values.iter().collect();
            values.sort();
            for value in values {
                pairs.append_pair(name, value);
            }
        }
        format!("submit({form})?{}", pairs.finish())
    }
}

impl fmt::Display for Assignment {
    /// As people read it: `make=Honda, colour=red`; nothing bound is `(default)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("(default)");
        }
        for (at, (name, values)) in self.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{name}={}", values.join("|"))?;
        }
        Ok(())
    }
}

impl Form {
    /// The request that a browser would send with these inputs bound and the first button pressed. `None` if the
    /// form is sent to no address of the web, or not by a request.
    ///
    /// ```
    /// use page::form::{Assignment, forms};
    ///
    /// let html = "<form action=/find><input type=hidden name=src value=hp><input name=kw>
    ///     <select name=st><option value=Any selected>Any<option>AK</select><input type=submit name=s value=go></form>";
    /// let page = url::Url::parse("http://jobs.example/?old=1").unwrap();
    /// let form = forms(&page::tree::parse_str(html).dom, &page).remove(0);
    /// let bound = Assignment::none().with("st", "AK");
    /// let sent = form.submission(&bound).unwrap();
    /// assert_eq!(sent.url.as_str(), "http://jobs.example/find?src=hp&kw=&st=AK&s=go");
    /// assert!(bound.instruction(form.id().unwrap()).ends_with(")?st=AK"));
    /// ```
    pub fn submission(&self, bound: &Assignment) -> Option<Submission> {
        let mut url = self.action.clone()?;
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        url.set_fragment(None);
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        for input in self.inputs.iter().filter(|input| input.is_sent()) {
            for value in self.values(input, bound) {
                pairs.append_pair(&input.name, value);
            }
        }
        if let Some(button) = self.submitters.first().filter(|button| !button.name.is_empty()) {
            pairs.append_pair(&button.name, &button.value);
        }
        match self.method {
            FormMethod::Get => {
                url.set_query(Some(&pairs.finish()));
                Some(Submission { url, body: None })
            }
            FormMethod::Post => Some(Submission { url, body: Some(pairs.finish()) }),
            FormMethod::Dialog | FormMethod::Script => None,
        }
    }

    fn values<'a>(&self, input: &'a Input, bound: &'a Assignment) -> &'a [String] {
        bound.0.get(&input.name).map_or(&input.default, |values| values)
    }
}

impl Input {
    /// Whether anything of it is sent.
    pub fn is_sent(&self) -> bool {
        self.is_named && !self.disabled && self.kind != InputKind::File
    }
}
