//! Digests as archives write them: SHA-1 in base32, which is what replay tools find revisited
//! payloads by.

use std::fmt;

use data_encoding::BASE32;
use sha1::{Digest, Sha1};

/// The SHA-1 of a payload or a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PayloadDigest(pub [u8; 20]);

impl PayloadDigest {
    /// The digest of these bytes, one part after the other.
    ///
    /// ```
    /// let digest = publish::warc::PayloadDigest::of(&[b"", b"abc"]);
    /// assert_eq!(digest.to_string(), "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
    /// ```
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha1::new();
        parts.iter().for_each(|part| hash.update(part));
        Self(hash.finalize().into())
    }

    /// Whether it is the digest of no bytes at all.
    pub(crate) fn is_of_nothing(self) -> bool {
        self == Self::of(&[])
    }
}

impl fmt::Display for PayloadDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha1:{}", BASE32.encode_display(&self.0))
    }
}
