//! What a store has kept of that which pages ask for.

use std::collections::HashMap;
use std::sync::Arc;

use browser::{BoxFuture, Recorded};
use store::{AnswerRow, BodyNumber, Catalog, Millis, StoreError};
use url::Url;

use super::gate::{Answers, without_fragment};

/// Redirects that are followed from one address.
const MOST_HOPS: usize = 8;

/// The answers of a store, as of a time.
pub struct Stored {
    catalog: Arc<Catalog>,
    by_address: HashMap<String, (Millis, Found)>,
}

enum Found {
    Whole { content_type: String, body: BodyNumber },
    Elsewhere(Url),
}

impl Stored {
    /// Reads which addresses have an answer. Of several the last before this time counts, or else
    /// the first after it.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn at(catalog: Arc<Catalog>, time: Millis) -> Result<Self, StoreError> {
        let mut by_address = HashMap::new();
        let mut last = None;
        loop {
            let rows = catalog.answers(last.as_ref()).await?;
            rows.iter().for_each(|row| add(&mut by_address, row, time));
            last = rows.into_iter().next_back();
            if last.is_none() {
                return Ok(Self { catalog, by_address });
            }
        }
    }

    async fn find(&self, url: &Url) -> Option<Recorded> {
        let mut at = url;
        for _ in 0..MOST_HOPS {
            match &self.by_address.get(at.as_str())?.1 {
                Found::Elsewhere(to) => at = to,
                Found::Whole { content_type, body } => {
                    let headers = vec![
                        ("content-type".to_owned(), content_type.clone()),
                        // What was let in when the page was captured is let in now.
                        ("access-control-allow-origin".to_owned(), "*".to_owned()),
                    ];
                    // Damaged bytes are missing bytes: one picture of the page, not the page.
                    let body = self.catalog.body(*body).await.ok().flatten()?;
                    return Some(Recorded { status: 200, headers, body });
                }
            }
        }
        None
    }
}

impl Answers for Stored {
    fn answer<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<Recorded>> {
        Box::pin(self.find(url))
    }
}

fn add(by_address: &mut HashMap<String, (Millis, Found)>, row: &AnswerRow, time: Millis) {
    let Ok(url) = Url::parse(&row.url) else { return };
    // Neither "not found" nor "not modified" takes the place of what was there before.
    let found = match (row.status, row.body, &row.location) {
        (300..=399, _, Some(to)) => {
            let Ok(to) = url.join(to) else { return };
            Found::Elsewhere(without_fragment(to))
        }
        (200..=299, Some(body), _) => Found::Whole { content_type: row.content_type.clone(), body },
        _ => return,
    };
    let address = without_fragment(url).into();
    if by_address.get(&address).is_none_or(|(known, _)| is_nearer(row.time, *known, time)) {
        by_address.insert(address, (row.time, found));
    }
}

/// Whether an answer of one time says more about a page of `time` than that of another: before it
/// the later, after it the earlier.
fn is_nearer(one: Millis, other: Millis, time: Millis) -> bool {
    let rank = |at: Millis| if at <= time { (1, at.0) } else { (0, -at.0) };
    rank(one) >= rank(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answer_before_a_version_counts_and_else_the_first_after_it() {
        let nearest = |times: &[i64]| {
            let nearer =
                |a: i64, b| if is_nearer(Millis(b), Millis(a), Millis(10)) { b } else { a };
            times.iter().copied().reduce(nearer)
        };
        assert_eq!(nearest(&[3, 9, 5, 11]), Some(9));
        assert_eq!(nearest(&[11, 10, 3]), Some(10));
        assert_eq!(nearest(&[30, 12, 20]), Some(12));
    }
}
