#![doc = include_str!("../README.md")]

mod chunk;
mod error;
mod group;
mod model;
mod packer;
mod settings;
mod shape;
mod steps;
mod varint;

pub use error::PackError;
pub use group::{BaseMark, Group, unpack, unpack_all};
pub use packer::Packer;
pub use settings::Settings;

/// The format of groups that this crate writes, and the only one so far.
pub const FORMAT: u8 = 1;
/// The most members of a group.
pub const MAX_MEMBERS: usize = 4096;
/// The most bytes of a member or a base.
pub const MAX_MEMBER: usize = 128 << 20;
/// The most bytes of all members of a group.
pub const MAX_GROUP: usize = 1 << 30;
/// The most new bytes of a group.
pub const MAX_NEW: usize = 256 << 20;
/// The most bytes of steps.
const MAX_STEPS: usize = 64 << 20;
