//! Of which chunks members are made: what the steps say, before any byte of the chunks is known.

use std::collections::HashMap;
use std::ops::Range;

use crate::chunk::{LEAST, first_chunk};
use crate::steps::Step;
use crate::{PackError, varint};

/// Of which chunks the members of a group are made, in the order in which they are packed.
pub(crate) struct Shape {
    /// The numbers of the chunks of each member: those of the base first, then the others as they come.
    pub(crate) members: Vec<Vec<u32>>,
    /// How many new bytes each member brings.
    pub(crate) new_bytes: Vec<usize>,
    /// Which new chunks each member brings.
    new_chunks: Vec<Range<u32>>,
    /// Chunks that are not cut by rule.
    sized: HashMap<u32, usize>,
}

impl Shape {
    /// Reads the steps of the first members, whose lengths are given, of `all` members.
    pub(crate) fn read(
        mut steps: &[u8],
        base_chunks: u32,
        lengths: &[usize],
        all: usize,
        most: usize,
    ) -> Result<Self, PackError> {
        let mut new_bytes = Vec::with_capacity(all);
        let mut room = most;
        for _ in 0..all {
            let new = varint::read(&mut steps)?;
            let within = usize::try_from(new).ok().filter(|new| *new <= room);
            let new = within.ok_or(PackError::TooLarge {
                what: "what is new",
                size: new,
                limit: most as u64,
            })?;
            room -= new;
            new_bytes.push(new);
        }
        new_bytes.truncate(lengths.len());
        let (members, new_chunks) = (Vec::new(), Vec::new());
        let mut shape = Self { members, new_bytes, new_chunks, sized: HashMap::new() };
        let first: Vec<u32> = (0..base_chunks).collect();
        let mut known = Known { next: base_chunks, referred: 0 };
        for length in lengths {
            let from = known.next;
            let previous = shape.members.last().unwrap_or(&first);
            let member =
                known.member(&mut steps, previous, length / LEAST + 1, &mut shape.sized)?;
            shape.members.push(member);
            shape.new_chunks.push(from..known.next);
        }
        Ok(shape)
    }

    /// Cuts what is new into chunks.
    pub(crate) fn cut(&self, new: &[u8]) -> Result<Vec<Range<usize>>, PackError> {
        const OTHERWISE: PackError =
            PackError::Damaged("what is new has other chunks than its members");
        let mut chunks = Vec::new();
        let mut at = 0;
        for (numbers, bytes) in self.new_chunks.iter().zip(&self.new_bytes) {
            let end = at + bytes;
            for number in numbers.clone() {
                let rest = new.get(at..end).ok_or(OTHERWISE)?;
                let length = self.sized.get(&number).copied().unwrap_or_else(|| first_chunk(rest));
                if length == 0 || length > rest.len() {
                    return Err(OTHERWISE);
                }
                chunks.push(at..at + length);
                at += length;
            }
            if at != end {
                return Err(OTHERWISE);
            }
        }
        Ok(chunks)
    }
}

/// What is known while steps are read.
struct Known {
    /// The number of the next new chunk.
    next: u32,
    /// Where the last reference ended.
    referred: u32,
}

impl Known {
    fn member(
        &mut self,
        steps: &mut &[u8],
        previous: &[u32],
        most: usize,
        sized: &mut HashMap<u32, usize>,
    ) -> Result<Vec<u32>, PackError> {
        const NOWHERE: PackError = PackError::Damaged("a step leads nowhere");
        let mut member: Vec<u32> = Vec::new();
        let mut cursor = 0usize;
        loop {
            let before = member.len();
            match Step::read(steps)? {
                Step::End => return Ok(member),
                Step::Jump(by) => {
                    let by = isize::try_from(by).map_err(|_| NOWHERE)?;
                    cursor = cursor.checked_add_signed(by).ok_or(NOWHERE)?;
                }
                Step::Copy(count) => {
                    let end = cursor.checked_add(count).ok_or(NOWHERE)?;
                    member.extend_from_slice(previous.get(cursor..end).ok_or(NOWHERE)?);
                }
                Step::New(count) => {
                    let count = u32::try_from(count).ok().filter(|count| *count as usize <= most);
                    let end = self.next.checked_add(count.ok_or(NOWHERE)?).ok_or(NOWHERE)?;
                    member.extend(self.next..end);
                    self.next = end;
                }
                Step::Sized(length) => {
                    sized.insert(self.next, length);
                    member.push(self.next);
                    self.next = self.next.checked_add(1).ok_or(NOWHERE)?;
                }
                Step::Refer(count, by) => {
                    let from = i64::from(self.referred).checked_add(by).ok_or(NOWHERE)?;
                    let from = u32::try_from(from).map_err(|_| NOWHERE)?;
                    let count = u32::try_from(count).map_err(|_| NOWHERE)?;
                    let end =
                        from.checked_add(count).filter(|end| *end <= self.next).ok_or(NOWHERE)?;
                    if count as usize > most {
                        return Err(NOWHERE);
                    }
                    member.extend(from..end);
                    self.referred = end;
                }
            }
            cursor = cursor.saturating_add(member.len() - before);
            if member.len() > most {
                return Err(PackError::Damaged("a member has more chunks than its length allows"));
            }
        }
    }
}
