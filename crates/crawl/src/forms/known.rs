//! What is known of a form: kept under its name, so that one form on 500 pages is one form.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use store::{Catalog, PageNumber, StoreError};

/// What forms are learned under.
const FORMS: &str = "form";

/// A form of a site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownForm {
    /// Its name.
    pub form: String,
    /// The page that it was first found on.
    pub page: i64,
    /// That page's address.
    pub url: String,
    /// Where it stands there.
    pub xpath: String,
    /// How it is sent: get or post.
    pub method: String,
    /// Where to.
    pub action: String,
    /// What it asks for.
    pub inputs: Vec<KnownInput>,
    /// Why it is not submitted.
    pub refused_because: Vec<String>,
    /// Whether only the user's word is missing: a search that is sent by POST.
    #[serde(default)]
    pub needs_permit: bool,
    /// Whether it was gone through to the end.
    pub done: bool,
    /// In which round of visits that was: in the next one it is asked again.
    #[serde(default)]
    pub round: i64,
    /// What came of it, once it was submitted.
    #[serde(default)]
    pub outcome: Option<Outcome>,
}

/// An input of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownInput {
    /// Its name.
    pub name: String,
    /// What people read beside it.
    pub label: String,
    /// What it is.
    pub kind: String,
    /// What it does, as far as that was tried.
    pub role: Option<String>,
    /// What it lists.
    pub values: Vec<String>,
}

/// What came of submitting a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Submissions made.
    pub submissions: usize,
    /// Requests made, further pages of answers among them.
    pub requests: usize,
    /// Different rows of answers.
    pub records: usize,
    /// Rows of a page, at most.
    pub page_size: usize,
    /// How many rows the database is likely to have, at least and at most, and in between.
    pub estimate: Option<Estimate>,
    /// Roles of inputs, by name.
    pub roles: BTreeMap<String, String>,
    /// The templates that were tested.
    pub templates: Vec<TestedTemplate>,
    /// After how many requests there were how many records.
    pub curve: Vec<(usize, usize)>,
    /// Why it ended.
    pub ended: String,
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The share that was found, at least.
    pub low: f64,
    /// The share that was found, most likely.
    pub likely: f64,
    /// The share that was found, at most.
    pub high: f64,
}

/// A template (a set of inputs that are bound), as it was tested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestedTemplate {
    /// The inputs.
    pub inputs: Vec<String>,
    /// Submissions tried.
    pub submissions: usize,
    /// Different answers among them and the default one.
    pub distinct: usize,
    /// Submissions that there would be.
    pub all: f64,
    /// Whether it is worth more.
    pub informative: bool,
}

/// The forms of a site, by name.
///
/// # Errors
/// When the store fails.
pub async fn forms_of(catalog: &Catalog, site: &str) -> Result<Vec<KnownForm>, StoreError> {
    let rows = catalog.learned(site, FORMS).await?;
    Ok(rows.iter().filter_map(|(_, value)| serde_json::from_str(value).ok()).collect())
}

/// Writes a form down.
pub(crate) async fn keep(
    catalog: &store::CatalogWriter,
    site: &str,
    forms: &[KnownForm],
) -> Result<(), StoreError> {
    let row =
        |form: &KnownForm| (form.form.clone(), serde_json::to_string(form).unwrap_or_default());
    catalog.learn(site, FORMS, forms.iter().map(row).collect()).await
}

impl KnownForm {
    /// The page that it was first found on.
    pub fn page_number(&self) -> PageNumber {
        PageNumber(self.page)
    }
}
