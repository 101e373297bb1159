//! Rows of lists that are none: what a thread leaves behind where it was.

use std::collections::HashSet;

use url::Url;

use super::wrapper::{Found, Wrapper};
use super::{Field, Kind};

/// The share of rows that say what is usual.
const USUAL: f64 = 0.8;

/// Takes away what a thread leaves behind where it was: a row that leads to it and does not say when
/// anything was written, while another row does.
pub(super) fn without_stubs(pages: &mut [Vec<Found>], leads: &[Option<&Wrapper>]) {
    let mut whole: HashSet<Url> = HashSet::new();
    let mut stubs: Vec<(usize, usize, Url)> = Vec::new();
    for (page, (found, lead)) in pages.iter().zip(leads).enumerate() {
        let Some(lead) = lead.filter(|lead| lead.kind() == Kind::Thread) else { continue };
        let times = [Field::Time, Field::LastTime].into_iter();
        let usual: Vec<Field> = times.filter(|field| is_usual(lead, *field)).collect();
        for (at, record) in found.iter().map(|found| &found.record).enumerate() {
            let Some(mut to) = record.permalink.clone() else { continue };
            to.set_fragment(None);
            let said = usual.iter().filter(|field| record.field_xpaths.contains_key(field)).count();
            if said == usual.len() {
                whole.insert(to);
            } else if said == 0 {
                stubs.push((page, at, to));
            }
        }
    }
    for (page, at, _) in stubs.iter().rev().filter(|(.., to)| whole.contains(to)) {
        if let Some(found) = pages.get_mut(*page).filter(|found| *at < found.len()) {
            found.remove(*at);
        }
    }
}

fn is_usual(wrapper: &Wrapper, field: Field) -> bool {
    let filled = wrapper.fit.filled.get(&field).copied().unwrap_or(0);
    filled as f64 >= USUAL * wrapper.fit.records as f64
}
