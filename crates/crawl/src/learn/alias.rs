//! Addresses that show what other addresses show: a post's own address that leads to its thread, the
//! printed view that is the article again. Where one after the other of a shape turned out to be
//! such an alias, the next ones are held, except for ever rarer ones that are tried all the same; once one
//! of these shows something new, nothing is claimed of the others any more, and they are released.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::learn::trap::Trap;

/// Aliases of a shape in a row after which the next are left out.
const IN_A_ROW: u32 = 8;
/// Redirects of a shape, and nothing else, after which its addresses are asked without a browser.
const REDIRECTS: u32 = 3;
/// Shapes that are remembered.
const MOST_SHAPES: usize = 20_000;

/// What an address turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turned {
    /// A redirect to a page that is known.
    Redirect,
    /// A redirect to a page that nobody had heard of.
    Pointer,
    /// It shows what an address of another shape shows.
    Copy,
    /// It shows what another address of its own shape shows: an empty list is no alias of another.
    Sibling,
    /// A page of its own.
    Page,
}

/// What is known of the addresses of one shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Habit {
    visited: u64,
    /// Aliases since the last page that was none.
    in_a_row: u32,
    redirects: u32,
    /// Addresses that were left out since.
    skipped: u64,
    /// Addresses that were visited although a claim speaks for them, and claims that were wrong.
    #[serde(default)]
    pub(crate) audited: u32,
    #[serde(default)]
    pub(crate) wrong: u32,
}

impl Habit {
    /// How many in a row were aliases, if the others are believed to be.
    pub(crate) fn aliases(&self) -> Option<u32> {
        (self.in_a_row >= IN_A_ROW).then_some(self.in_a_row)
    }
}

/// The shapes of addresses of a crawl.
#[derive(Default)]
pub(crate) struct Aliases {
    shapes: HashMap<String, Habit>,
}

impl Aliases {
    /// Takes note of what an address of a shape turned out to be.
    pub(crate) fn turned(&mut self, shape: &str, turned: Turned) {
        let Some(habit) = self.habit(shape) else { return };
        habit.visited += 1;
        match turned {
            Turned::Redirect | Turned::Pointer => habit.redirects += 1,
            Turned::Copy | Turned::Sibling | Turned::Page => habit.redirects = 0,
        }
        match turned {
            Turned::Redirect | Turned::Copy => habit.in_a_row += 1,
            Turned::Sibling => {}
            Turned::Pointer | Turned::Page => {
                // All that was left out comes back, and is counted anew if it is left out again.
                habit.wrong += u32::from(habit.aliases().is_some());
                (habit.in_a_row, habit.skipped) = (0, 0);
            }
        }
    }

    /// What is known of a shape, to add to; nothing if too many are known.
    pub(crate) fn habit(&mut self, shape: &str) -> Option<&mut Habit> {
        if self.shapes.len() >= MOST_SHAPES && !self.shapes.contains_key(shape) {
            return None;
        }
        Some(self.shapes.entry(shape.to_owned()).or_default())
    }

    /// How many addresses of a shape were aliases in a row, if the others are believed to be.
    pub(crate) fn believed(&self, shape: &str) -> Option<u32> {
        self.shapes.get(shape)?.aliases()
    }

    /// Whether the next address of a shape is left out. The 4th, 8th, 16th… that would be is not.
    pub(crate) fn passes_over(&mut self, shape: &str) -> bool {
        let known = self.shapes.get_mut(shape);
        let Some(habit) = known.filter(|habit| habit.aliases().is_some()) else { return false };
        habit.skipped += 1;
        let is_due = habit.skipped >= 4 && habit.skipped.is_power_of_two();
        !is_due
    }

    /// Whether addresses of a shape only ever led elsewhere.
    pub(crate) fn redirects(&self, shape: &str) -> bool {
        self.shapes.get(shape).is_some_and(|habit| habit.redirects >= REDIRECTS)
    }

    /// The shapes of which addresses were left out, for the report.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = Trap> {
        let left_out = self.shapes.iter().filter(|(_, habit)| habit.skipped > 0);
        left_out.map(|(shape, habit)| Trap {
            what: shape.clone(),
            pages: habit.visited,
            because: format!("other addresses show the same; {} more left out", habit.skipped),
            is_limit: false,
        })
    }

    /// All that is known, to be written down.
    pub(crate) fn rows(&self) -> Vec<(String, Habit)> {
        self.shapes.iter().map(|(shape, habit)| (shape.clone(), habit.clone())).collect()
    }

    /// Takes over what was written down.
    pub(crate) fn remember(&mut self, shape: String, habit: Habit) {
        self.shapes.insert(shape, habit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POST: &str = "/topic/*/?post=*";

    fn after(turned: &[Turned]) -> Aliases {
        let mut aliases = Aliases::default();
        for turned in turned {
            aliases.turned(POST, *turned);
        }
        aliases
    }

    #[test]
    fn addresses_that_show_their_thread_again_are_visited_ever_more_rarely() {
        let mut aliases = after(&[Turned::Copy; 8]);
        let visited = (0..100).filter(|_| !aliases.passes_over(POST)).count();
        assert_eq!(visited, 5, "the 4th, 8th, 16th, 32nd and 64th");
        assert!(!aliases.passes_over("/topic/*/"));
        let told: Vec<_> = aliases.left_out().map(|trap| trap.to_string()).collect();
        assert_eq!(
            told,
            ["/topic/*/?post=*, 8 pages, other addresses show the same; 100 more left out"]
        );
    }

    #[test]
    fn one_that_shows_something_new_brings_them_back() {
        let mut aliases = after(&[Turned::Redirect; 9]);
        assert!(aliases.passes_over(POST));
        assert_eq!(aliases.believed(POST), Some(9));
        aliases.turned(POST, Turned::Page);
        assert!(!aliases.passes_over(POST));
        assert_eq!(aliases.believed(POST), None, "what is held is released");
        assert_eq!(aliases.left_out().count(), 0);
    }

    #[test]
    fn lists_that_are_all_empty_are_no_aliases() {
        let mut aliases = after(&[Turned::Sibling; 50]);
        assert!(!aliases.passes_over(POST));
    }

    #[test]
    fn a_redirect_to_something_new_is_no_alias_and_needs_no_browser() {
        let mut aliases = after(&[Turned::Pointer; 50]);
        assert!(!aliases.passes_over(POST));
        assert!(aliases.redirects(POST));
        aliases.turned(POST, Turned::Page);
        assert!(!aliases.redirects(POST));
    }
}
