#![doc = include_str!("../README.md")]
//!
//! # The format of a group
//!
//! Enough to write another reader. A *number* is LEB128: seven bits a byte, the lowest first, the high bit set
//! in all bytes but the last, at most 64 bits. A *folded* number is one of either sign: 0, -1, 1, -2, 2… are
//! written as 0, 1, 2, 3, 4…
//!
//! | field | bytes |
//! |---|---|
//! | format | one byte, 1 |
//! | members | a number, at most [`MAX_MEMBERS`] |
//! | length of each member | a number each, at most [`MAX_MEMBER`], together at most [`MAX_GROUP`] |
//! | length of the base, plus 1 | a number; 0 if the group has none, and then the next two are absent |
//! | checksum of the base | 8 bytes, XXH3-64 without seed, little-endian |
//! | length of the primer | a number |
//! | model of the steps | order, one byte, 2 to 64, and memory in mebibytes, one byte, 1 to 128; or one byte 0: the stream is not packed |
//! | length of the steps | a number, unpacked |
//! | length of the packed steps | a number |
//! | steps | that many bytes |
//! | model of what is new | as above |
//! | what is new | the rest |
//!
//! **Streams** are packed with PPMd variant H and the range coder of 7z (7-Zip's `Ppmd7`, `Ppmd7z_RangeEnc`),
//! without an end mark. What is new is packed as the continuation of the *primer*: a writer codes primer and
//! stream in one go and leaves out the bytes that had been put out when it had coded the primer; a reader
//! codes the primer, puts what that gave before the stream, and decodes primer and stream from both.
//!
//! **Order.** Members are packed in this order: the last one, which is the *key*, then the others from the
//! first on. To restore a member, a reader decodes what is new up to and including it.
//!
//! **Chunks.** The base is cut into chunks by rule, and they are numbered from 0. New chunks get the next
//! numbers as they come. Of a byte string, the first chunk ends at the first of these places; the others
//! follow in the same way:
//! 1. before a `<` that an ASCII letter follows, from 48 bytes on, but before the 384th;
//! 2. behind a line feed or a `}`, from 193 bytes on, up to 384;
//! 3. behind four bytes that, read as a little-endian number and multiplied by 0x9E3779B1 modulo 2^32,
//!    give less than 2^25, from 384 bytes on;
//! 4. at 1,024 bytes, or where the string ends.
//!
//! **Steps** begin with a number for each member, in the order of packing: how many new bytes it brings. Then
//! come the members, each as steps. A cursor, 0 when a member begins, points into the list of chunks of the
//! member before (of the base for the key). The upper two bits of the first byte of a step tell its kind, the
//! lower six a value; 62 means that a number follows which is to be added to 62.
//!
//! | kind | step |
//! |---|---|
//! | 0 | copy: value + 1 chunks of the member before, from the cursor on. 63: the member ends |
//! | 1 | new: the next value + 1 new chunks, cut by rule from the new bytes that are left of this member. 63: one new chunk, whose length follows as a number |
//! | 2 | refer: value + 1 chunks with numbers one after the other. A folded number follows: the first of them, less the number behind the last reference of the group (0 at first) |
//! | 3 | jump: the value, folded, is added to the cursor |
//!
//! All but a jump move the cursor on by as many chunks as they add. No member has more chunks than a 48th of its
//! length, plus one.
//!
//! **The primer** is made of those chunks of the base that the key does not have, in their order: of that
//! text, the last bytes, as many as the header says.

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
/// The most bytes of steps: at worst a step of six bytes for every chunk of 48.
const MAX_STEPS: usize = 256 << 20;
