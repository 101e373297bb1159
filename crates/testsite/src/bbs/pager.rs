//! The pager of lists and threads: which pages can be turned to from which.

use std::collections::VecDeque;

use serde::Serialize;

use super::words::Words;
use crate::Reach;

/// How many page numbers are shown at once.
const WINDOW: usize = 8;

/// One button of a pager.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Step {
    pub label: String,
    pub page: usize,
    /// It is the page that is shown; nothing happens on it.
    pub here: bool,
}

/// The buttons on page `now` of `last`; none where there is one page.
pub(super) fn steps(now: usize, last: usize, words: &Words) -> Vec<Step> {
    if last < 2 {
        return Vec::new();
    }
    let step = |label: &str, page| Step { label: label.to_owned(), page, here: false };
    let first = now.saturating_sub(WINDOW / 2).min((last + 1).saturating_sub(WINDOW)).max(1);
    let mut steps = Vec::new();
    if now > 1 {
        steps.push(step(words.first, 1));
        steps.push(step(words.previous, now - 1));
    }
    for page in first..(first + WINDOW).min(last + 1) {
        steps.push(Step { here: page == now, ..step(&page.to_string(), page) });
    }
    if now < last {
        steps.push(step(words.next, now + 1));
        steps.push(step(words.last, last));
    }
    steps
}

/// A shortest way to each page but the first, in the order of pages. `name` makes the id of the
/// state that shows a page.
pub(super) fn ways(last: usize, words: &Words, name: impl Fn(usize) -> String) -> Vec<Reach> {
    let mut ways = vec![None; last.saturating_sub(1)];
    let mut queue = VecDeque::from([1]);
    while let Some(now) = queue.pop_front() {
        for step in steps(now, last, words) {
            let Some(way) = step.page.checked_sub(2).and_then(|at| ways.get_mut(at)) else {
                continue;
            };
            if way.is_none() {
                queue.push_back(step.page);
                *way = Some(Reach::Event {
                    from: name(now),
                    event: "click".to_owned(),
                    on: step.label,
                });
            }
        }
    }
    // Every page is reached by "next" at least, so none is dropped here.
    ways.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;
    use crate::Lang;

    #[test]
    fn every_page_has_a_way_and_the_last_page_is_one_click_away() {
        let words = words(Lang::English);
        for last in 1..40 {
            let ways = ways(last, words, |page| page.to_string());
            assert_eq!(ways.len(), last - 1);
            if let Some(Reach::Event { from, .. }) = ways.last() {
                assert_eq!(from, "1");
            }
        }
    }

    #[test]
    fn the_shown_page_is_marked_once_and_all_steps_stay_inside() {
        let words = words(Lang::Chinese);
        for last in 2..30 {
            for now in 1..=last {
                let steps = steps(now, last, words);
                assert_eq!(steps.iter().filter(|step| step.here).count(), 1);
                assert!(steps.iter().all(|step| (1..=last).contains(&step.page)));
            }
        }
    }
}
