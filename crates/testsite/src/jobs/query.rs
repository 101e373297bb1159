//! What a search selects.

use std::collections::HashMap;

use super::{Jobs, Offer, Search};

/// Rows of a page, unless a visitor asks for another number.
pub(super) const PAGE: usize = 10;
/// Rows that are shown where there is no pager.
pub(super) const CAP: usize = 20;

/// The offers that a search found, and which of them a page shows.
pub(super) struct Selection<'a> {
    pub(super) all: usize,
    pub(super) shown: Vec<&'a Offer>,
    pub(super) page: usize,
    pub(super) pages: usize,
}

impl Jobs {
    pub(super) fn select(&self, fields: &HashMap<String, String>) -> Selection<'_> {
        let field = |name: &str| fields.get(name).map(|text| text.trim()).unwrap_or_default();
        let number = |name: &str| field(name).parse::<u32>().ok();
        let words = field("kw").to_lowercase();
        let (state, category) = (field("st"), field("cat"));
        let (contract, shift) = (field("contract"), field("shift"));
        let (least, most) = (number("salary_min"), number("salary_max"));
        let mut found: Vec<&Offer> = self
            .offers
            .iter()
            .filter(|offer| {
                let text = format!("{} {}", offer.title, offer.company).to_lowercase();
                words.split_whitespace().all(|word| text.split_whitespace().any(|own| own == word))
                    && (state.is_empty() || state == "Any" || offer.state == state)
                    && (category.is_empty() || offer.category == category)
                    && (contract.is_empty() || offer.contract == contract)
                    // Which shift is only asked of those with a contract.
                    && (shift.is_empty() || !contract.is_empty() && offer.shift == shift)
                    && least.is_none_or(|least| offer.salary >= least)
                    && most.is_none_or(|most| offer.salary <= most)
            })
            .collect();
        match field("sort") {
            "salary" => found.sort_by_key(|offer| (offer.salary, &offer.id)),
            "title" => found.sort_by_key(|offer| (&offer.title, &offer.id)),
            _ => found.sort_by_key(|offer| (offer.posted, &offer.id)),
        }
        let all = found.len();
        if self.search == Search::Capped {
            found.truncate(CAP);
            return Selection { all, shown: found, page: 1, pages: 1 };
        }
        let size = match field("per") {
            "25" => 25,
            _ => PAGE,
        };
        let pages = all.div_ceil(size).max(1);
        let page = number("page").map_or(1, |page| page as usize).clamp(1, pages);
        let shown = found.into_iter().skip((page - 1) * size).take(size).collect();
        Selection { all, shown, page, pages }
    }
}
