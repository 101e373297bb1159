//! Requests of a page that failed for a reason that may pass: a server that is overloaded, a connection
//! that broke. What a page shows without their answers is not what it holds, so the load or the event is
//! tried again. What fails every time is what the page is like.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use browser::{Exchange, Source};
use url::{Position, Url};

use crate::machine::TRIES;
use crate::machine::response_cache::kind;
use crate::site::SiteCrawl;
use crate::visit::LATER;

/// Kinds of requests that are remembered.
const MOST_KINDS: usize = 1_000;
/// Parts of a page that make what it shows. Pictures and styles are missed by nobody who reads it.
const SHOWN: [&str; 4] = ["Document", "Script", "XHR", "Fetch"];
/// How Chromium says that a connection broke or could not be made, and how our proxy does.
const BROKEN: [&str; 4] = ["ERR_CONNECTION_", "ERR_EMPTY_RESPONSE", "ERR_TIMED_OUT", "failed:"];

/// How often requests of each kind failed in a row: by method and URL without its numbers, or by server where
/// none could be reached.
#[derive(Default)]
pub(crate) struct Outages(Mutex<HashMap<String, u32>>);

impl Outages {
    /// The first of these requests that failed and might not if it were made again. One that goes unanswered
    /// time after time is not waited for any more.
    fn passing<'e>(&self, exchanges: &'e [Exchange]) -> Option<&'e Exchange> {
        let mut in_a_row = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut passing = None;
        for exchange in exchanges.iter().filter(|it| is_asked_for(it)) {
            let (host, kind) = (host_of(&exchange.url), kind(&exchange.method, &exchange.url));
            let is_unreached = exchange.status == 0;
            if !has_failed(exchange) {
                if !is_unreached {
                    in_a_row.remove(&host);
                    in_a_row.remove(&kind);
                }
                continue;
            }
            let kind = if is_unreached { host } else { kind };
            if in_a_row.len() >= MOST_KINDS && !in_a_row.contains_key(&kind) {
                continue;
            }
            let failed = in_a_row.entry(kind).or_default();
            *failed += 1;
            if *failed <= TRIES {
                passing.get_or_insert(exchange);
            }
        }
        passing
    }
}

impl SiteCrawl {
    /// Which of these requests the site may answer later, for a person. Its host is left alone for as long as
    /// it asked for.
    pub(crate) fn unanswered(&self, exchanges: &[Exchange]) -> Option<String> {
        let exchange = self.outages.passing(exchanges)?;
        let Exchange { url, status, failure, response_headers, .. } = exchange;
        self.heard(url, *status, response_headers);
        Some(match failure {
            Some(failure) if *status == 0 => format!("{url} failed: {failure}"),
            _ => format!("{url} answered {status}"),
        })
    }
}

/// Whether the page itself asked the site for a part of what it shows.
fn is_asked_for(exchange: &Exchange) -> bool {
    exchange.source == Source::Network
        && !exchange.late
        && !exchange.top_frame_document
        && SHOWN.contains(&exchange.resource_type.as_str())
}

fn has_failed(exchange: &Exchange) -> bool {
    let is_broken = |failure: &String| BROKEN.iter().any(|how| failure.contains(how));
    LATER.contains(&exchange.status)
        || (exchange.status == 0 && exchange.failure.as_ref().is_some_and(is_broken))
}

fn host_of(url: &str) -> String {
    let url = Url::parse(url).ok();
    url.map(|url| url[Position::BeforeHost..Position::AfterPort].to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(url: &str, status: u16) -> Exchange {
        let resource_type = "Fetch".into();
        Exchange {
            url: url.into(),
            method: "GET".into(),
            status,
            resource_type,
            ..Exchange::default()
        }
    }

    #[test]
    fn what_fails_once_is_tried_again_and_what_always_fails_is_not() {
        let outages = Outages::default();
        let failed = [answer("http://s/part/1", 503)];
        for _ in 0..TRIES {
            assert!(outages.passing(&failed).is_some());
        }
        assert!(outages.passing(&failed).is_none(), "it is like this");
        assert!(outages.passing(&[answer("http://s/part/2", 200)]).is_none());
        assert!(outages.passing(&failed).is_some(), "it answered again meanwhile");
        assert!(outages.passing(&[answer("http://s/none", 404)]).is_none(), "an answer");
    }

    #[test]
    fn a_server_that_is_never_reached_is_given_up_whatever_is_asked_of_it() {
        let outages = Outages::default();
        let unreached = |nth: u32| {
            let failure = Some("net::ERR_CONNECTION_REFUSED".into());
            let name = char::from_u32(u32::from(b'a') + nth).unwrap_or_default();
            [Exchange { failure, ..answer(&format!("http://s/{name}.js"), 0) }]
        };
        let passing = (0..20).filter(|nth| outages.passing(&unreached(*nth)).is_some());
        assert_eq!(passing.count(), TRIES as usize);
    }
}
