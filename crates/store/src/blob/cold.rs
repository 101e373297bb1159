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
const PLACES: i64 = 1 << 12;
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

/// The key of the group that this member is in, the member that is decoded first; if that rests on `most` keys
/// already, the key of the first group that it rests on.
pub(crate) fn key_of(tx: &mut Tx<'_>, number: i64, most: usize) -> Result<i64, StoreError> {
    let key = last_member(tx, row_of(number))?;
    let (mut first, mut keys) = (key, 1);
    while let Some(base) = base_of(tx, row_of(first))? {
        (first, keys) = (base, keys + 1);
        if keys > MOST_GROUPS {
            return Err(StoreError::Damaged(number));
        }
    }
    Ok(if keys < most { key } else { first })
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

fn last_member(tx: &mut Tx<'_>, row: i64) -> Result<i64, StoreError> {
    let packed = restore::group(tx, row)?;
    let group = Group::read(&packed).map_err(|_| StoreError::Damaged(row))?;
    Ok(member(row, group.len().saturating_sub(1)))
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
