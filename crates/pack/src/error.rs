//! Why a group cannot be packed or unpacked.

/// Why a group cannot be packed or unpacked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The first byte names a format that this reader does not know.
    #[error("group has format {found}, this reader knows {known}")]
    Format {
        /// The format that the group says it has.
        found: u8,
        /// The format that this reader knows.
        known: u8,
    },
    /// The bytes are no group: cut off, damaged, or made by somebody else.
    #[error("group is damaged: {0}")]
    Damaged(&'static str),
    /// The group was packed against other bytes than those given, or against none.
    #[error(
        "group needs a base of {needed} bytes with another checksum than the {given} bytes given"
    )]
    Base {
        /// How long the base is that the group was packed against.
        needed: u64,
        /// How long the given base is; 0 if none was given.
        given: u64,
    },
    /// The group has fewer members.
    #[error("group has {members} members, there is no member {index}")]
    NoMember {
        /// The index asked for, from 0.
        index: usize,
        /// How many members there are.
        members: usize,
    },
    /// A member or the whole group is beyond what the format allows.
    #[error("{what} is {size}, above the limit of {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        size: u64,
        /// What the format allows.
        limit: u64,
    },
}
