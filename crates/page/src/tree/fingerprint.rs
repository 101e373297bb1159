//! A structural fingerprint: which pages can be of one type, without comparing every two.
//!
//! The set of a page's tag paths (`html/body/div/ul/li`…), however often each occurs, sketched by
//! MinHash (Broder 1997): two sketches agree in a share of places that estimates the share of tag
//! paths that the two pages have in common (Jaccard). Texts, attributes and the length of lists
//! leave no trace, so a list of 10 and one of 100 are the same.
//!
//! Fingerprints are stored: what they are made of must not change without a new version.

use super::canonical::is_dropped;
use super::dom::{Dom, Kind};
use super::walk::Step;
use std::collections::HashSet;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Places of a sketch. The estimate has a standard error of at most 1 / (2 √64) = 0.06.
const PLACES: usize = 64;

/// Places that must all agree for two pages to meet in a bucket. 16 bands of 4 find pages with
/// similarity 0.8 in 99.98 % and those with 0.2 in 2.5 % of cases: 1 - (1 - s⁴)¹⁶.
const BAND: usize = 4;

/// The sketch of a page's structure: 256 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u32; PLACES]);

impl std::fmt::Debug for Fingerprint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Fingerprint({:08x}…)", self.0[0])
    }
}

impl Fingerprint {
    /// The fingerprint of a page.
    ///
    /// ```
    /// use page::tree::{Fingerprint, parse_str};
    ///
    /// let of = |html: &str| Fingerprint::of(&parse_str(html).dom);
    /// let (short, long) = (of("<ul><li>1</ul>"), of("<ul><li>7<li>8<li>9</ul>"));
    /// assert_eq!(short.similarity(&long), 1.0);
    /// assert!(short.similarity(&of("<table><tr><td><i>x</i>")) < 0.8);
    /// ```
    pub fn of(dom: &Dom) -> Self {
        let mut places = [u32::MAX; PLACES];
        for path in tag_paths(dom) {
            for (place, seed) in places.iter_mut().zip(1u64..) {
                // The upper half of a product with an odd number is a good hash of a hash.
                let product = path.wrapping_mul(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
                *place =
                    (*place).min(((product ^ (product >> 29)).wrapping_mul(path | 1) >> 32) as u32);
            }
        }
        Fingerprint(places)
    }

    /// The share of tag paths that two pages have in common, estimated: from 0 to 1.
    pub fn similarity(&self, other: &Fingerprint) -> f64 {
        let equal = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        equal as f64 / PLACES as f64
    }

    /// Keys under which to look for similar pages: those with a key in common are candidates.
    pub fn buckets(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.chunks_exact(BAND).zip(0u64..).map(|(band, number)| {
            let mut bytes = [0; 4 * BAND];
            for (slot, place) in bytes.chunks_exact_mut(4).zip(band) {
                slot.copy_from_slice(&place.to_le_bytes());
            }
            xxh3_64_with_seed(&bytes, number)
        })
    }

    /// As bytes, to be stored.
    pub fn to_bytes(&self) -> [u8; 4 * PLACES] {
        let mut bytes = [0; 4 * PLACES];
        for (slot, place) in bytes.chunks_exact_mut(4).zip(self.0) {
            slot.copy_from_slice(&place.to_le_bytes());
        }
        bytes
    }

    /// From stored bytes.
    pub fn from_bytes(bytes: &[u8; 4 * PLACES]) -> Self {
        let mut places = [0; PLACES];
        for (place, slot) in places.iter_mut().zip(bytes.chunks_exact(4)) {
            *place = slot.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        }
        Fingerprint(places)
    }
}

/// The hashes of the tag paths of a page.
fn tag_paths(dom: &Dom) -> HashSet<u64> {
    let mut paths = HashSet::new();
    let mut above = vec![0u64];
    let mut walk = dom.walk();
    while let Some(step) = walk.next() {
        let own =
            |name: &str| xxh3_64_with_seed(name.as_bytes(), above.last().copied().unwrap_or(0));
        match step {
            Step::Open(node) if is_dropped(node) => walk.skip_inside(),
            Step::Open(node) => match node.kind() {
                Kind::Element => {
                    let path = own(node.name());
                    paths.insert(path);
                    above.push(path);
                }
                Kind::Document | Kind::ShadowRoot => {
                    let path = above.last().map_or(0, |above| xxh3_64(&above.to_le_bytes()));
                    above.push(path);
                }
                _ => {}
            },
            Step::Close(node) => match node.kind() {
                Kind::Element | Kind::Document | Kind::ShadowRoot => drop(above.pop()),
                _ => {}
            },
        }
    }
    paths
}
