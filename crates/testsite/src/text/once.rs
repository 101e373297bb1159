//! Texts and numbers that a site has only once.

use std::collections::HashSet;

/// Sees to it that nothing is said twice on the site, since texts are what states are told by.
#[derive(Default)]
pub(crate) struct Once {
    said: HashSet<String>,
    numbers: u32,
}

impl Once {
    /// What `write` writes, as soon as it is new.
    pub(crate) fn write(&mut self, mut write: impl FnMut() -> String) -> String {
        let mut text = write();
        for _ in 0..20 {
            if !self.said.contains(&text) {
                break;
            }
            text = write();
        }
        // A large site runs out of short texts; people then say the same and more.
        while self.said.contains(&text) {
            text = format!("{text} {}", write());
        }
        self.said.insert(text.clone());
        text
    }

    /// A number that nothing else on the site has.
    pub(crate) fn number(&mut self) -> u32 {
        self.numbers += 1;
        70_310_000 + self.numbers * 7
    }
}
