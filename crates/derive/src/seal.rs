//! Sealing: old versions move into the cold tier, in groups that are packed together.

use std::collections::VecDeque;

use pack::{Group, PackError, Packer, Settings};
use serde::Serialize;
use store::{CatalogWriter, NewGroup, Series, Unsealed};

use crate::{CpuPool, DeriveError};

/// What waits in memory to be packed: a group of pages that hardly change takes in dozens of megabytes.
const ROOM: i64 = 64 << 20;
/// Members of a group of small things, which are bounded by their bytes.
const SMALL_MEMBERS: usize = 1024;

/// What is sealed, and how hard it is tried.
#[derive(Clone, Copy, Debug, Default)]
pub struct SealSettings {
    /// The latest versions of pages, too.
    pub all: bool,
    /// The fewest bytes, whatever restoring takes.
    pub smallest: bool,
}

/// What was sealed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sealed {
    /// Groups that were made.
    pub groups: u64,
    /// Blobs that they hold.
    pub blobs: u64,
    /// What these took before.
    pub bytes_before: i64,
    /// What the groups take.
    pub bytes_after: i64,
}

impl Sealed {
    /// Adds what was sealed of something else.
    pub fn add(&mut self, other: Self) {
        self.groups += other.groups;
        self.blobs += other.blobs;
        self.bytes_before += other.bytes_before;
        self.bytes_after += other.bytes_after;
    }
}

/// Seals what there is to seal of a site. `go_on` is told how many pages are done of how many, and ends the
/// work by saying no: what was sealed until then stays so. The store is as large as before until it
/// is swept.
///
/// # Errors
/// When the store fails, or a version cannot be restored.
pub async fn seal(
    catalog: &CatalogWriter,
    site: &str,
    settings: SealSettings,
    mut go_on: impl FnMut(usize, usize) -> bool,
) -> Result<Sealed, DeriveError> {
    let pages = catalog.unsealed_pages(site, settings.all).await?;
    let group = if settings.smallest { Settings::smallest() } else { Settings::default() };
    let small = Settings { members: SMALL_MEMBERS, ..group };
    let pool = CpuPool::new();
    let mut texts = Sealing::new(catalog, site, &pool, group, true);
    let mut cuts = Sealing::new(catalog, site, &pool, small, false);
    for (done, page) in pages.iter().enumerate() {
        if !go_on(done, pages.len()) {
            break;
        }
        if texts.is_empty()
            && let Some(member) = catalog.last_sealed(site, *page).await?
        {
            texts.last = Some(member);
        }
        texts.take(catalog.unsealed(site, Series::Page(*page), settings.all).await?).await?;
        catalog.gather_old_blocks(site, *page).await?;
        cuts.take(catalog.unsealed(site, Series::Cuts(*page), settings.all).await?).await?;
    }
    let mut records = Sealing::new(catalog, site, &pool, small, false);
    if go_on(pages.len(), pages.len()) {
        catalog.gather_old_editions(site).await?;
        catalog.gather_old_changes(site).await?;
        records.take(catalog.unsealed(site, Series::Records, settings.all).await?).await?;
    }
    let mut sealed = Sealed::default();
    for sealing in [texts, cuts, records] {
        sealed.add(sealing.finish().await?);
    }
    Ok(sealed)
}

/// Groups of one kind in the making.
struct Sealing<'c> {
    catalog: &'c CatalogWriter,
    site: &'c str,
    pool: &'c CpuPool,
    settings: Settings,
    /// Whether it holds bodies and trees.
    is_text: bool,
    /// Restored, and waiting to be packed.
    waiting: VecDeque<(Unsealed, Vec<u8>)>,
    bytes: i64,
    /// A member of the group before.
    last: Option<i64>,
    sealed: Sealed,
}

impl<'c> Sealing<'c> {
    fn new(
        catalog: &'c CatalogWriter,
        site: &'c str,
        pool: &'c CpuPool,
        settings: Settings,
        is_text: bool,
    ) -> Self {
        let (waiting, sealed) = (VecDeque::new(), Sealed::default());
        Self { catalog, site, pool, settings, is_text, waiting, bytes: 0, last: None, sealed }
    }

    fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    async fn take(&mut self, blobs: Vec<Unsealed>) -> Result<(), DeriveError> {
        let mut rest = blobs.as_slice();
        while !rest.is_empty() {
            let (tried, restored) = self.catalog.restore(rest).await?;
            rest = &rest[tried..];
            for (blob, bytes) in restored {
                self.bytes += blob.raw_size;
                self.waiting.push_back((blob, bytes));
            }
            while self.waiting.len() >= self.settings.members || self.bytes >= ROOM {
                self.pack_group().await?;
            }
        }
        Ok(())
    }

    async fn finish(mut self) -> Result<Sealed, DeriveError> {
        while !self.waiting.is_empty() {
            self.pack_group().await?;
        }
        Ok(self.sealed)
    }

    /// Packs as many as one group takes of those that wait, and keeps it.
    async fn pack_group(&mut self) -> Result<(), DeriveError> {
        let key = match self.last {
            Some(member) => self.catalog.key_of(member).await?,
            None => None,
        };
        let (base, key) = key.unzip();
        let waiting: Vec<_> = self.waiting.drain(..).collect();
        let settings = self.settings;
        let packed = self.pool.run(move || (pack(settings, key.as_deref(), &waiting), waiting));
        let (packed, mut members) =
            packed.await.ok_or(DeriveError::Lost("a group was not packed"))?;
        let (bytes, taken) = packed.map_err(DeriveError::Pack)?;
        self.waiting.extend(members.drain(taken..));
        let raw_size: i64 = members.iter().map(|(blob, _)| blob.raw_size).sum();
        self.bytes -= raw_size;
        self.sealed.groups += 1;
        self.sealed.blobs += taken as u64;
        self.sealed.bytes_before += members.iter().map(|(blob, _)| blob.stored).sum::<i64>();
        self.sealed.bytes_after += bytes.len() as i64;
        let group = NewGroup {
            site: self.site.to_owned(),
            bytes,
            base,
            members: members.iter().map(|(blob, _)| blob.blob).collect(),
            raw_size: if self.is_text { raw_size } else { 0 },
        };
        self.last = Some(self.catalog.seal_group(group).await?);
        Ok(())
    }
}

/// Packs the first of these, as many as fit, and sees that they can be unpacked again.
fn pack(
    settings: Settings,
    base: Option<&[u8]>,
    waiting: &[(Unsealed, Vec<u8>)],
) -> Result<(Vec<u8>, usize), PackError> {
    let mut packer = Packer::new(settings, base);
    for (_, bytes) in waiting {
        if !packer.push(bytes)? {
            break;
        }
    }
    let taken = packer.len();
    let group = packer.finish();
    let unpacked = Group::read(&group)?.unpack_all(base)?;
    let is_same = unpacked.iter().eq(waiting[..taken].iter().map(|(_, bytes)| bytes));
    if is_same {
        Ok((group, taken))
    } else {
        Err(PackError::Damaged("a member is not what it was"))
    }
}
