//! A member as steps through the chunks of the member before it.

use std::collections::HashMap;

use crate::{PackError, varint};

/// The kind of a step: the upper two bits of its first byte. The lower six hold how many chunks, less one;
/// 63 means that a number follows, to be added.
const COPY: u8 = 0;
const NEW: u8 = 1;
const REFER: u8 = 2;
const JUMP: u8 = 3;
const LARGE: u64 = 63;

/// Writes members one after the other, each against the one before it.
pub(crate) struct Writer {
    pub(crate) ops: Vec<u8>,
    previous: Vec<u32>,
    /// The places of each chunk in the member before.
    places: HashMap<u32, Vec<u32>>,
    /// The number that the next new chunk gets.
    next: u32,
    /// Where the last reference ended.
    referred: u32,
}

impl Writer {
    pub(crate) fn new(base_chunks: u32) -> Self {
        let mut writer = Self {
            ops: Vec::new(),
            previous: Vec::new(),
            places: HashMap::new(),
            next: base_chunks,
            referred: 0,
        };
        writer.follow((0..base_chunks).collect());
        writer
    }

    fn follow(&mut self, member: Vec<u32>) {
        self.places.clear();
        for (at, chunk) in member.iter().enumerate() {
            self.places.entry(*chunk).or_default().push(at as u32);
        }
        self.previous = member;
    }

    pub(crate) fn member(&mut self, chunks: Vec<u32>) {
        let mut cursor = 0usize;
        let mut at = 0;
        while at < chunks.len() {
            let chunk = chunks[at];
            let rest = &chunks[at..];
            if chunk == self.next {
                let run = rest.iter().zip(self.next..).take_while(|(a, b)| **a == *b).count();
                self.op(NEW, run);
                self.next += run as u32;
                at += run;
                cursor += run;
                continue;
            }
            if self.previous.get(cursor) != Some(&chunk) {
                let place = self.places.get(&chunk).and_then(|places| nearest(places, cursor));
                let Some(place) = place else {
                    let run = rest
                        .iter()
                        .zip(chunk..)
                        .take_while(|(a, b)| {
                            **a == *b && **a < self.next && !self.places.contains_key(a)
                        })
                        .count();
                    self.op(REFER, run);
                    varint::write(
                        &mut self.ops,
                        varint::fold(i64::from(chunk) - i64::from(self.referred)),
                    );
                    self.referred = chunk + run as u32;
                    at += run;
                    cursor += run;
                    continue;
                };
                let by = varint::fold(place as i64 - cursor as i64);
                self.op(JUMP, by as usize);
                cursor = place;
            }
            let run = rest.iter().zip(&self.previous[cursor..]).take_while(|(a, b)| a == b).count();
            self.op(COPY, run);
            at += run;
            cursor += run;
        }
        self.follow(chunks);
    }

    fn op(&mut self, kind: u8, count: usize) {
        let less = count as u64 - 1;
        self.ops.push(kind << 6 | less.min(LARGE) as u8);
        if less >= LARGE {
            varint::write(&mut self.ops, less - LARGE);
        }
    }
}

/// The place nearest to `to`.
fn nearest(places: &[u32], to: usize) -> Option<usize> {
    let after = places.partition_point(|place| (*place as usize) < to);
    let near = [
        after.checked_sub(1).map(|at| places[at] as usize),
        places.get(after).map(|at| *at as usize),
    ];
    near.into_iter().flatten().min_by_key(|place| place.abs_diff(to))
}

/// A step of a member.
pub(crate) enum Step {
    /// That many chunks of the member before, from the cursor on.
    Copy(usize),
    /// That many chunks that were not there before.
    New(usize),
    /// That many chunks from that number on.
    Refer(usize, i64),
    /// Moves the cursor.
    Jump(i64),
}

impl Step {
    pub(crate) fn read(ops: &mut &[u8]) -> Result<Self, PackError> {
        let [first, rest @ ..] = *ops else {
            return Err(PackError::Damaged("it ends within a member"));
        };
        *ops = rest;
        let mut less = u64::from(first & 63);
        if less == LARGE {
            less = varint::read(ops)?.saturating_add(LARGE);
        }
        let count = less.saturating_add(1);
        let chunks =
            usize::try_from(count).map_err(|_| PackError::Damaged("a step is too long"))?;
        Ok(match first >> 6 {
            COPY => Self::Copy(chunks),
            NEW => Self::New(chunks),
            REFER => Self::Refer(chunks, varint::unfold(varint::read(ops)?)),
            _ => Self::Jump(varint::unfold(count)),
        })
    }
}
