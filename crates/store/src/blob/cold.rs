//! The cold tier: groups of blobs that are packed together ([`pack`]).
//!
//! A group is a blob like others, kept as it is; its base is a member of an earlier group. Its members have no
//! rows: their numbers are negative, and tell the group and the place in it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use pack::Group;

use super::{MOVED, PATCH, PLAIN, ZSTD, restore};
use crate::error::StoreError;
use crate::seal::Unsealed;
use crate::tx::{ToValue, Tx, params};

/// Places that a group may have.
pub(crate) const PLACES: i64 = 1 << 12;
/// The most keys that a group may rest on, and the most bytes of them. On six real series the cold tier took 0.83 of
/// one solid zstd stream with four keys, and 0.90 with two; each key of 400 KB takes 70 ms to decode.
const MOST_KEYS: usize = 3;
const MOST_KEY_BYTES: usize = 1_800_000;
/// Groups that rest on each other are decoded one after another: more than are ever made.
const MOST_GROUPS: usize = 16;
/// What may be remembered of groups that were decoded.
const ROOM: usize = 32 << 20;
/// The most of what is sealed though zstd could not make it smaller.
const SMALL: i64 = 4096;
/// Groups of which it is remembered that one member was asked for. If another one is, all are decoded.
const LATELY: usize = 16;

/// The number of a member.
pub(crate) fn member(group: i64, place: usize) -> i64 {
    -(group * PLACES + place as i64)
}

/// The number of the row that a blob's bytes are in.
pub(crate) fn row_of(number: i64) -> i64 {
    if number < 0 { -number / PLACES } else { number }
}

fn place_of(number: i64) -> usize {
    (-number % PLACES) as usize
}

/// The groups that were decoded last.
#[derive(Default)]
pub(crate) struct Groups {
    inner: Mutex<Decoded>,
}

#[derive(Default)]
struct Decoded {
    members: HashMap<i64, Arc<Vec<Vec<u8>>>>,
    /// In the order in which they were decoded.
    order: VecDeque<i64>,
    bytes: usize,
    lately: VecDeque<i64>,
}

impl Groups {
    fn get(&self, group: i64) -> Option<Arc<Vec<Vec<u8>>>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).members.get(&group).cloned()
    }

    /// Whether a member of it was asked for before.
    fn asked_again(&self, group: i64) -> bool {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.lately.contains(&group) {
            return true;
        }
        inner.lately.push_back(group);
        if inner.lately.len() > LATELY {
            inner.lately.pop_front();
        }
        false
    }

    fn remember(&self, group: i64, members: Arc<Vec<Vec<u8>>>) {
        let size = |members: &[Vec<u8>]| members.iter().map(Vec::len).sum::<usize>();
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.members.contains_key(&group) {
            return;
        }
        inner.bytes += size(&members);
        inner.members.insert(group, members);
        inner.order.push_back(group);
        while inner.bytes > ROOM
            && let Some(oldest) = inner.order.pop_front()
        {
            if let Some(gone) = inner.members.remove(&oldest) {
                inner.bytes -= size(&gone);
            }
        }
    }
}

/// The bytes of a member.
pub(super) fn get(tx: &mut Tx<'_>, number: i64) -> Result<Vec<u8>, StoreError> {
    get_within(tx, number, MOST_GROUPS)
}

fn get_within(tx: &mut Tx<'_>, number: i64, groups: usize) -> Result<Vec<u8>, StoreError> {
    let damaged = || StoreError::Damaged(number);
    let (row, place) = (row_of(number), place_of(number));
    let known = tx.groups.and_then(|known| known.get(row));
    if let Some(members) = known {
        return members.get(place).cloned().ok_or_else(damaged);
    }
    let base: Option<Option<i64>> =
        tx.value_optional("SELECT base FROM blob WHERE blob = $1", params![row])?;
    let base = base.ok_or_else(damaged)?;
    let packed = restore::group(tx, row)?;
    let base = match base {
        Some(_) if groups == 0 => return Err(damaged()),
        Some(base) => Some(get_within(tx, base, groups - 1)?),
        None => None,
    };
    let group = Group::read(&packed).map_err(|_| damaged())?;
    if let Some(known) = tx.groups.filter(|known| known.asked_again(row)) {
        let members = Arc::new(group.unpack_all(base.as_deref()).map_err(|_| damaged())?);
        known.remember(row, members.clone());
        return members.get(place).cloned().ok_or_else(damaged);
    }
    group.unpack(base.as_deref(), place).map_err(|_| damaged())
}

/// What to pack a group against that follows on this member: the key of its group, the member that is decoded
/// first. Where a group would rest on too much, the key of the first group that this one rests on.
pub(crate) fn key_of(tx: &mut Tx<'_>, number: i64) -> Result<i64, StoreError> {
    let mut chain = vec![last_member(tx, row_of(number))?];
    while let Some(base) = base_of(tx, row_of(chain[chain.len() - 1].0))? {
        chain.push(last_member(tx, row_of(base))?);
        if chain.len() > MOST_GROUPS {
            return Err(StoreError::Damaged(number));
        }
    }
    let bytes: usize = chain.iter().map(|(_, bytes)| bytes).sum();
    let is_short = chain.len() <= MOST_KEYS && bytes <= MOST_KEY_BYTES;
    Ok(if is_short { chain[0].0 } else { chain[chain.len() - 1].0 })
}

/// What a member of this group takes, if all take the same.
pub(crate) fn share_of_group(tx: &mut Tx<'_>, row: i64) -> Result<i64, StoreError> {
    let packed = restore::group(tx, row)?;
    let group = Group::read(&packed).map_err(|_| StoreError::Damaged(row))?;
    Ok((packed.len() / group.len().max(1)) as i64)
}

/// Sees that every member of a group can be unpacked.
pub(crate) fn check_group(tx: &mut Tx<'_>, row: i64) -> Result<(), StoreError> {
    let damaged = |_| StoreError::Damaged(row);
    let packed = restore::group(tx, row)?;
    let base = match base_of(tx, row)? {
        Some(base) => Some(get(tx, base)?),
        None => None,
    };
    Group::read(&packed).map_err(damaged)?.unpack_all(base.as_deref()).map_err(damaged)?;
    Ok(())
}

/// The last member of a group, and how many bytes it has.
fn last_member(tx: &mut Tx<'_>, row: i64) -> Result<(i64, usize), StoreError> {
    let packed = restore::group(tx, row)?;
    let group = Group::read(&packed).map_err(|_| StoreError::Damaged(row))?;
    let bytes = group.lengths().last().copied().unwrap_or_default();
    Ok((member(row, group.len().saturating_sub(1)), bytes))
}

fn base_of(tx: &mut Tx<'_>, row: i64) -> Result<Option<i64>, StoreError> {
    tx.value_optional::<Option<i64>>("SELECT base FROM blob WHERE blob = $1", params![row])
        .map(Option::flatten)
}

/// Leaves, of a blob that went into a group, a row that says so.
pub(crate) fn mark_moved(
    tx: &mut Tx<'_>,
    blob: i64,
    group: i64,
    place: usize,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE blob SET codec = $2, base = $3, data = $4, stored = NULL WHERE blob = $1",
        params![blob, MOVED, member(group, place), &[][..]],
    )?;
    Ok(())
}

/// Those of these blobs that are worth to be sealed: what zstd could make smaller, and what is so small that its
/// row takes more than its bytes.
pub(crate) fn unsealed_sizes(
    tx: &mut Tx<'_>,
    blobs: &[i64],
) -> Result<HashMap<i64, Unsealed>, StoreError> {
    let rows = tx.query_in(
        "SELECT blob, raw_size, coalesce(stored, length(data)) FROM blob
         WHERE blob IN ($list) AND (codec IN ($1, $2) OR (codec = $3 AND raw_size <= $4))",
        params![ZSTD, PATCH, PLAIN, SMALL],
        &blobs.iter().map(ToValue::to_value).collect::<Vec<_>>(),
    )?;
    let read = |row: &crate::tx::Row| {
        let (blob, raw_size, stored) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((blob, Unsealed { blob, raw_size, stored }))
    };
    rows.iter().map(read).collect()
}
