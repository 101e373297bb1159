//! Who writes: members, guests, and those who have left.

use jiff::{SignedDuration, Timestamp};

use super::tongue::Tongue;
use crate::Random;

pub(super) struct User {
    pub id: u32,
    pub name: String,
    pub standing: Standing,
    pub joined: Timestamp,
    /// Posts, as the pane counts them: those on boards that are gone, too.
    pub count: usize,
    pub place: String,
    pub rank: &'static str,
    pub signature: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Member,
    /// Wrote without an account.
    Guest,
    /// Had an account once.
    Deleted,
}

impl User {
    /// Whether there is a page about them.
    pub(super) fn has_page(&self) -> bool {
        self.standing == Standing::Member
    }
}

/// The members of a forum, with two guests and one who has left. About half have a signature.
pub(super) fn users(tongue: Tongue, seed: u64, born: Timestamp) -> Vec<User> {
    let mut random = Random::of(seed, "forum users");
    let mut writer = tongue.writer(Random::of(seed, "forum signatures"));
    let ranks = tongue.ranks();
    tongue
        .names()
        .iter()
        .zip(1..)
        .map(|(name, number)| {
            let number: u32 = number;
            let standing = match number {
                14 | 15 => Standing::Guest,
                16 => Standing::Deleted,
                _ => Standing::Member,
            };
            let signed = standing == Standing::Member && number.is_multiple_of(2);
            User {
                id: number * 7 - 3,
                name: (*name).to_owned(),
                standing,
                joined: born - SignedDuration::from_hours(24 * random.between(800, 4_000) as i64),
                count: random.between(30, 4_800),
                place: writer.write("place"),
                rank: random.pick(ranks),
                signature: signed.then(|| {
                    ["product", "place", "closing"].map(|rule| writer.write(rule)).join(" · ")
                }),
            }
        })
        .collect()
}
