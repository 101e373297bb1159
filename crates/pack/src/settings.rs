//! How versions are packed: what a group may hold, and how hard to try.

/// How versions are packed. A reader needs none of it: what it has to know is in the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The most members of a group.
    pub members: usize,
    /// The most new bytes of a group: what is neither in its base nor twice in it. It bounds the time to
    /// restore a member. A group has at least one member, however large.
    pub new_bytes: usize,
    /// The orders of the model to try, each 2 to 64: how many bytes of context. The best is kept.
    pub orders: &'static [u8],
    /// How much of the base the model learns from before the group's own bytes.
    pub prime: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { members: 64, new_bytes: 3 << 19, orders: ORDERS, prime: 1 << 20 }
    }
}

impl Settings {
    /// The fewest bytes, whatever restoring takes.
    pub fn smallest() -> Self {
        Self { members: 1024, new_bytes: 64 << 20, orders: ORDERS, prime: 1 << 20 }
    }
}

/// Prose that changes wants 6, templates with little in them 48, most pages something between.
const ORDERS: &[u8] = &[6, 16, 24, 48];
