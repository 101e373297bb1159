//! The answers that the store keeps: which addresses have one that a page can show.

use std::collections::HashMap;

use store::{AnswerRow, BodyNumber, Catalog, Millis};
use url::Url;

use crate::PublishError;

/// Redirects that are followed from one address.
const MOST_HOPS: usize = 8;

/// What scripts fetched for themselves and programs are no assets of a mirror.
const FOR_SCRIPTS: [&str; 6] = ["script", "xhr", "fetch", "ping", "websocket", "eventsource"];

/// What is known of the latest answer to an address.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// As its headers say, with parameters.
    pub content_type: String,
    /// Bytes after decoding.
    pub size: u64,
    /// Names its bytes in the store.
    pub body: BodyNumber,
}

impl Answer {
    /// The media type in lower case.
    pub(crate) fn media_type(&self) -> String {
        let kind = self.content_type.split(';').next().unwrap_or_default();
        kind.trim().to_ascii_lowercase()
    }
}

enum Found {
    Whole(Answer),
    Elsewhere(String),
}

/// The latest answer to each address that has one.
#[derive(Default)]
pub(crate) struct Answers {
    by_address: HashMap<String, (Millis, Found)>,
}

impl Answers {
    /// Reads which addresses have an answer.
    pub(crate) async fn read(catalog: &Catalog) -> Result<Self, PublishError> {
        let mut answers = Self::default();
        let mut last = None;
        loop {
            let rows = catalog.answers(last.as_ref()).await?;
            rows.iter().for_each(|row| answers.add(row));
            last = rows.into_iter().next_back();
            if last.is_none() {
                return Ok(answers);
            }
        }
    }

    fn add(&mut self, row: &AnswerRow) {
        let Ok(url) = Url::parse(&row.url) else { return };
        if FOR_SCRIPTS.contains(&row.resource.as_str()) {
            return;
        }
        // Neither "not found" nor "not modified" takes the place of what was there before.
        let found = match (row.status, row.body, &row.location) {
            (300..=399, _, Some(to)) => {
                let Ok(to) = url.join(to) else { return };
                Found::Elsewhere(without_fragment(&to))
            }
            (200..=299, Some(body), _) => {
                let content_type = row.content_type.clone();
                Found::Whole(Answer { content_type, size: row.size, body })
            }
            _ => return,
        };
        let address = without_fragment(&url);
        if self.by_address.get(&address).is_none_or(|(time, _)| *time <= row.time) {
            self.by_address.insert(address, (row.time, found));
        }
    }

    /// The answer to an address, through redirects.
    pub(crate) fn find(&self, url: &Url) -> Option<&Answer> {
        let mut at = without_fragment(url);
        for _ in 0..MOST_HOPS {
            match self.by_address.get(&at)? {
                (_, Found::Whole(answer)) => return Some(answer),
                (_, Found::Elsewhere(to)) => at = to.clone(),
            }
        }
        None
    }
}

fn without_fragment(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    url.into()
}
