//! Records as they were found, with the tokens of all that they show.

use record::{Record, Site, Source};

use super::bag::Bag;
use super::set::{Given, Page};

/// A record and the tokens of its whole text: what is around its fields, too.
pub struct Found {
    pub record: Record,
    pub bag: Bag,
}

impl From<Record> for Found {
    fn from(record: Record) -> Self {
        Self { bag: Bag::of(&record.text), record }
    }
}

/// What learning over some pages of a site finds on pages of it.
pub fn learned(from: &[&Page], pages: &[&Page], given: Given) -> Vec<Vec<Found>> {
    let from: Vec<Source<'_>> = from.iter().map(|page| page.source(given)).collect();
    let sources: Vec<Source<'_>> = pages.iter().map(|page| page.source(given)).collect();
    let found = |records: Vec<Record>| records.into_iter().map(Found::from).collect();
    Site::learn(&from).records(&sources).into_iter().map(found).collect()
}

/// What learning over all pages of a site finds on them, as a user has it.
pub fn read(pages: &[&Page], given: Given) -> Vec<Vec<Found>> {
    let sources: Vec<Source<'_>> = pages.iter().map(|page| page.source(given)).collect();
    let found = |records: Vec<Record>| records.into_iter().map(Found::from).collect();
    Site::learn_and_read(&sources).1.into_iter().map(found).collect()
}
