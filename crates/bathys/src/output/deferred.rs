//! What a crawl left out on purpose, in words.

use crawl::{Beliefs, Doubt};

use super::{clip, thousands};

/// What was left out on purpose, and what may be missed because of it, in one line; nothing if nothing was.
pub fn deferred(beliefs: &Beliefs) -> Option<String> {
    let events = format!(
        "{} events in {} documents",
        thousands(beliefs.deferred),
        thousands(beliefs.deferred_documents)
    );
    let of = |count: i64, what: &str| (count > 0).then(|| what.replace("N", &thousands(count)));
    let parts = [
        (beliefs.deferred > 0).then_some(events),
        of(beliefs.unrendered, "the browser for N pages"),
        of(beliefs.unexplored, "all events of N documents"),
        of(beliefs.unvisited, "N addresses"),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return None;
    }
    Some(format!(
        "deferred {}; {} audited, {} wrong; {:.1} states expected to be missed, at most {} (95 %)",
        parts.join(", "),
        thousands(beliefs.audited),
        thousands(beliefs.contradicted),
        beliefs.missed_expected,
        thousands(beliefs.missed_at_most)
    ))
}

/// One claim: what it deferred, why, and what that rests on.
pub fn claim(claim: &Doubt) -> String {
    let step = match (claim.event.as_str(), claim.place.as_str()) {
        ("", "") => String::new(),
        ("", shape) => format!(" {}", clip(shape, 60)),
        (event, place) => format!(" {event} at {}", clip(place, 60)),
    };
    format!(
        "{} in {} documents:{step}: {} (held in {} documents; {:.3} expected to be missed)",
        thousands(claim.deferred),
        thousands(claim.documents),
        claim.claim,
        thousands(i64::from(claim.held)),
        claim.missed_expected
    )
}
