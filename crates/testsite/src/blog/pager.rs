//! The pager above and below the comments: first, previous, a sliding window of numbers, next.

use std::collections::VecDeque;

use super::words::Words;

/// One entry of a pager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub label: String,
    pub page: usize,
    /// It is the page that is shown; nothing happens on it.
    pub here: bool,
}

/// The entries on page `now` of `last`, with up to `window` numbers; none where there is one page.
pub(super) fn steps(now: usize, last: usize, window: usize, words: &Words) -> Vec<Step> {
    if last < 2 {
        return Vec::new();
    }
    let step = |label: &str, page| Step { label: label.to_owned(), page, here: false };
    let low = now.saturating_sub(window / 2).min((last + 1).saturating_sub(window)).max(1);
    let mut steps = Vec::new();
    if now > 1 {
        steps.push(step(words.first, 1));
        steps.push(step(words.previous, now - 1));
    }
    for page in low..(low + window).min(last + 1) {
        steps.push(Step { here: page == now, ..step(&page.to_string(), page) });
    }
    if now < last {
        steps.push(step(words.next, now + 1));
    }
    steps
}

/// For each page after the first, the page on a shortest way from which it is turned to.
pub(super) fn nearest(last: usize, window: usize, words: &Words) -> Vec<(usize, String)> {
    let mut ways = vec![None; last.saturating_sub(1)];
    let mut queue = VecDeque::from([1]);
    while let Some(now) = queue.pop_front() {
        let mut steps = steps(now, last, window, words);
        // A number is a better name than "next".
        steps.sort_by_key(|step| step.label.parse::<usize>().is_err());
        for step in steps {
            let way = step.page.checked_sub(2).and_then(|at| ways.get_mut(at));
            if let Some(way @ None) = way {
                queue.push_back(step.page);
                *way = Some((now, step.label));
            }
        }
    }
    // "Next" alone leads to every page, so none is dropped here.
    ways.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;
    use crate::Lang;

    #[test]
    fn the_window_slides_and_there_is_no_shortcut_to_the_end() {
        let shown = |now| -> Vec<String> {
            let steps = steps(now, 20, 5, words(Lang::English));
            steps.into_iter().map(|step| step.label).collect()
        };
        assert_eq!(shown(1), ["1", "2", "3", "4", "5", "Next"]);
        assert_eq!(shown(9), ["First", "Previous", "7", "8", "9", "10", "11", "Next"]);
        assert_eq!(shown(20), ["First", "Previous", "16", "17", "18", "19", "20"]);
    }

    #[test]
    fn every_page_has_a_way_that_begins_at_the_first() {
        for last in 1..60 {
            let ways = nearest(last, 7, words(Lang::Chinese));
            assert_eq!(ways.len(), last - 1);
            for (index, (from, label)) in ways.iter().enumerate() {
                assert!(*from < index + 2);
                assert_eq!(*label, (index + 2).to_string());
            }
        }
    }
}
