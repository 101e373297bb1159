//! What the pages of a site have in common, so that not each of them is kept with all of it.
//!
//! From the first megabyte that is kept of a site, zstd trains a dictionary: a blob like others, which
//! those that come after are packed against (`base`). Blobs outside of the catalog are not: each of
//! them is an object that can be read by itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zstd::dict::CDict;

use super::pack::LEVEL;
use super::{HasBytes, Packed, ZSTD, get_all, put};
use crate::error::StoreError;
use crate::tx::{Tx, params};

/// What zstd's own tools make: pages of 16 KB took 0.78 of the room with it, 0.81 with half of it.
const SIZE: usize = 112_640;
/// What it is trained from, and the most of one blob: ten times its size gave what forty times gave.
const SAMPLES: usize = 1 << 20;
const SAMPLE: usize = 32 << 10;

/// A site's dictionary, ready to pack with.
pub(crate) struct Dictionary {
    pub(super) number: i64,
    pub(super) prepared: CDict<'static>,
}

/// The dictionaries of the sites that a process writes to.
#[derive(Default)]
pub(crate) struct Dictionaries {
    sites: Mutex<HashMap<String, Progress>>,
}

enum Progress {
    Gathering(Vec<Vec<u8>>),
    /// Somebody trains it, or that failed.
    Away,
    Made(Arc<Dictionary>),
}

impl Dictionaries {
    /// What to pack with; `None` if nobody has looked for it in the catalog.
    pub(crate) fn of(&self, site: &str) -> Option<Option<Arc<Dictionary>>> {
        self.sites().get(site).map(|progress| match progress {
            Progress::Made(dictionary) => Some(dictionary.clone()),
            Progress::Gathering(_) | Progress::Away => None,
        })
    }

    /// Remembers what the catalog has, and gives it to pack with.
    pub(crate) fn set(&self, site: &str, kept: Option<(i64, Vec<u8>)>) -> Option<Arc<Dictionary>> {
        let made = kept.and_then(|(number, bytes)| {
            let prepared = CDict::try_create(&bytes, LEVEL)?;
            Some(Arc::new(Dictionary { number, prepared }))
        });
        let progress = made.clone().map_or(Progress::Gathering(Vec::new()), Progress::Made);
        self.sites().insert(site.to_owned(), progress);
        made
    }

    /// Takes samples of what was packed. Once there are enough, whoever gets them trains.
    pub(crate) fn gather(
        &self,
        site: &str,
        packed: &Packed,
        step: &impl HasBytes,
    ) -> Option<Vec<Vec<u8>>> {
        let mut sites = self.sites();
        let progress = sites.get_mut(site)?;
        let Progress::Gathering(samples) = progress else { return None };
        // What zstd cannot pack has nothing in common with anything.
        let new = packed.contents(step).filter(|(_, blob, _)| blob.codec == ZSTD);
        samples.extend(new.map(|(_, _, bytes)| bytes[..bytes.len().min(SAMPLE)].to_vec()));
        if samples.iter().map(Vec::len).sum::<usize>() < SAMPLES {
            return None;
        }
        let samples = std::mem::take(samples);
        *progress = Progress::Away;
        Some(samples)
    }

    fn sites(&self) -> MutexGuard<'_, HashMap<String, Progress>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What these have in common; `None` if that is too little to be of use.
pub(crate) fn train(samples: &[Vec<u8>]) -> Option<Vec<u8>> {
    zstd::dict::from_samples(samples, SIZE).ok()
}

/// Keeps a site's dictionary, and gives its number.
pub(crate) fn keep(tx: &mut Tx<'_>, site: &str, bytes: &[u8]) -> Result<i64, StoreError> {
    let number = put(tx, &Packed::default(), Some(bytes))?.ok_or(StoreError::NoCatalog)?;
    tx.execute(
        "INSERT INTO learned (site, what, name, value) VALUES ($1, 'dictionary', '', $2)
         ON CONFLICT (site, what, name) DO UPDATE SET value = excluded.value",
        params![site, number.to_string()],
    )?;
    Ok(number)
}

/// The dictionary that was kept for a site.
pub(crate) fn load(tx: &mut Tx<'_>, site: &str) -> Result<Option<(i64, Vec<u8>)>, StoreError> {
    let sql = "SELECT value FROM learned WHERE site = $1 AND what = 'dictionary'";
    let number = tx.value_optional::<String>(sql, params![site])?;
    let Some(number) = number.and_then(|number| number.parse().ok()) else { return Ok(None) };
    Ok(get_all(tx, &[number])?.remove(&number).map(|bytes| (number, bytes)))
}
