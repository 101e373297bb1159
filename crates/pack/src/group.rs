//! Unpacking: a group in, members out.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::chunk::first_chunk;
use crate::model::Model;
use crate::ops::Step;
use crate::{FORMAT, MAX_MEMBER, MAX_MEMBERS, MAX_NEW, PackError, varint};

/// The steps are a text of a few kilobytes.
const STEPS: Model = Model { order: 4, memory: 1 };
/// The most bytes of steps: a step makes at least one chunk and takes at most 20 bytes.
const MAX_STEPS: usize = 64 << 20;

pub(crate) struct Header<'a> {
    pub(crate) base: Option<&'a [u8]>,
    pub(crate) lengths: &'a [u64],
    pub(crate) model: Model,
}

impl Header<'_> {
    pub(crate) fn write(&self, steps: &[u8], stream: &[u8]) -> Vec<u8> {
        let mut out = vec![FORMAT, self.model.order, self.model.memory];
        varint::write(&mut out, self.lengths.len() as u64);
        for length in self.lengths {
            varint::write(&mut out, *length);
        }
        varint::write(&mut out, self.base.map_or(0, |base| base.len() as u64 + 1));
        if let Some(base) = self.base {
            out.extend(xxh3_64(base).to_le_bytes());
        }
        let packed = STEPS.pack(steps);
        varint::write(&mut out, steps.len() as u64);
        varint::write(&mut out, packed.len() as u64);
        if std::env::var_os("PACK_DEBUG").is_some() {
            eprintln!("steps {} -> {}; new {}", steps.len(), packed.len(), stream.len());
        }
        out.extend(packed);
        out.extend(self.model.pack(stream));
        out
    }
}

/// A group whose header was read.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    lengths: Vec<usize>,
    base: Option<BaseMark>,
    model: Model,
    steps_length: usize,
    steps: &'a [u8],
    stream: &'a [u8],
}

/// Which bytes a group was packed against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaseMark {
    /// How long the base is.
    pub length: u64,
    /// The XXH3-64 of the base.
    pub checksum: u64,
}

impl<'a> Group<'a> {
    /// Reads the header of a group. Nothing is decoded.
    pub fn read(bytes: &'a [u8]) -> Result<Self, PackError> {
        let [format, rest @ ..] = bytes else { return Err(PackError::Damaged("it is empty")) };
        if *format != FORMAT {
            return Err(PackError::Format { found: *format, known: FORMAT });
        }
        let [order, memory, rest @ ..] = rest else {
            return Err(PackError::Damaged("it ends within its header"));
        };
        let mut rest = rest;
        let members = within("the number of members", varint::read(&mut rest)?, MAX_MEMBERS)?;
        let mut lengths = Vec::with_capacity(members);
        for _ in 0..members {
            lengths.push(within("a member", varint::read(&mut rest)?, MAX_MEMBER)?);
        }
        let base = match varint::read(&mut rest)? {
            0 => None,
            length => {
                let Some((checksum, after)) = rest.split_first_chunk() else {
                    return Err(PackError::Damaged("it ends within its header"));
                };
                rest = after;
                Some(BaseMark { length: length - 1, checksum: u64::from_le_bytes(*checksum) })
            }
        };
        let steps_length = within("the steps", varint::read(&mut rest)?, MAX_STEPS)?;
        let packed = varint::read(&mut rest)?;
        if packed > rest.len() as u64 {
            return Err(PackError::Damaged("it ends within its steps"));
        }
        let (steps, stream) = rest.split_at(packed as usize);
        Ok(Self {
            lengths,
            base,
            model: Model { order: *order, memory: *memory },
            steps_length,
            steps,
            stream,
        })
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// How long each member is.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Which base the group needs, if any.
    pub fn base(&self) -> Option<BaseMark> {
        self.base
    }

    /// Restores one member. `base` is ignored where the group has none.
    pub fn unpack(&self, base: Option<&[u8]>, index: usize) -> Result<Vec<u8>, PackError> {
        if index >= self.len() {
            return Err(PackError::NoMember { index, members: self.len() });
        }
        let mut last = None;
        self.decode((index + 1) % self.len() + 1, base, |_, at, member| {
            if at == index {
                last = Some(member())
            }
        })?;
        last.ok_or(PackError::Damaged("a member is missing"))
    }

    /// Restores all members.
    pub fn unpack_all(&self, base: Option<&[u8]>) -> Result<Vec<Vec<u8>>, PackError> {
        let mut members = vec![Vec::new(); self.len()];
        self.decode(self.len(), base, |_, at, member| members[at] = member())?;
        Ok(members)
    }

    /// Goes through the first `count` members in the order in which they were packed: the last one first.
    fn decode(
        &self,
        count: usize,
        base: Option<&[u8]>,
        mut take: impl FnMut(&Self, usize, &dyn Fn() -> Vec<u8>),
    ) -> Result<(), PackError> {
        let base = match self.base {
            None => &[][..],
            Some(mark) => {
                let given = base.unwrap_or_default();
                if given.len() as u64 != mark.length || xxh3_64(given) != mark.checksum {
                    return Err(PackError::Base { needed: mark.length, given: given.len() as u64 });
                }
                given
            }
        };
        let steps = STEPS.unpack(self.steps, self.steps_length)?;
        let mut steps = &steps[..];
        let mut news = Vec::with_capacity(self.len());
        let mut needed = 0u64;
        for at in 0..self.len() {
            let new = varint::read(&mut steps)?;
            news.push(new);
            if at < count {
                needed = needed.saturating_add(new)
            }
        }
        let new = self.model.unpack(self.stream, within("what is new", needed, MAX_NEW)?)?;
        let mut chunks: Vec<Chunk> = Vec::new();
        let mut at = 0;
        while at < base.len() {
            let length = first_chunk(&base[at..]);
            chunks.push(Chunk { new: false, span: at..at + length });
            at += length;
        }
        let mut previous: Vec<u32> = (0..chunks.len() as u32).collect();
        let (mut at_new, mut referred) = (0usize, 0i64);
        for at in 0..count {
            let index = (at + self.len() - 1) % self.len();
            let length = self.lengths[index];
            let end_new = at_new + news[at] as usize;
            let mut member: Vec<u32> = Vec::new();
            let (mut done, mut cursor) = (0, 0usize);
            while done < length {
                let (from, count) = match Step::read(&mut steps)? {
                    Step::Jump(by) => {
                        cursor = usize::try_from(cursor as i64 + by)
                            .map_err(|_| PackError::Damaged("jump"))?;
                        continue;
                    }
                    Step::Copy(count) => {
                        let run = cursor
                            .checked_add(count)
                            .and_then(|end| previous.get(cursor..end))
                            .ok_or(PackError::Damaged("copy"))?;
                        cursor += count;
                        for id in run {
                            done += chunks[*id as usize].span.len();
                        }
                        if done > length {
                            return Err(PackError::Damaged("long"));
                        }
                        member.extend_from_slice(run);
                        continue;
                    }
                    Step::New(count) => {
                        let first = chunks.len();
                        for _ in 0..count {
                            let rest = new
                                .get(at_new..end_new.min(at_new + (length - done)))
                                .unwrap_or_default();
                            let size = first_chunk(rest);
                            if size == 0 {
                                return Err(PackError::Damaged("new"));
                            }
                            chunks.push(Chunk { new: true, span: at_new..at_new + size });
                            at_new += size;
                            done += size;
                        }
                        cursor += count;
                        member.extend(first as u32..chunks.len() as u32);
                        continue;
                    }
                    Step::Refer(count, by) => {
                        let from = referred.checked_add(by).ok_or(PackError::Damaged("refer"))?;
                        referred = from.saturating_add(count as i64);
                        cursor = cursor.saturating_add(count);
                        (usize::try_from(from).map_err(|_| PackError::Damaged("refer"))?, count)
                    }
                };
                let run = from
                    .checked_add(count)
                    .and_then(|end| chunks.get(from..end))
                    .ok_or(PackError::Damaged("refer"))?;
                for chunk in run {
                    done += chunk.span.len();
                }
                if done > length {
                    return Err(PackError::Damaged("long"));
                }
                member.extend(from as u32..(from + count) as u32);
            }
            take(self, index, &|| {
                let mut out = Vec::with_capacity(length);
                for id in &member {
                    let chunk = &chunks[*id as usize];
                    out.extend_from_slice(if chunk.new {
                        &new[chunk.span.clone()]
                    } else {
                        &base[chunk.span.clone()]
                    });
                }
                out
            });
            previous = member;
        }
        Ok(())
    }
}

struct Chunk {
    new: bool,
    span: Range<usize>,
}

fn within(what: &'static str, size: u64, limit: usize) -> Result<usize, PackError> {
    usize::try_from(size).ok().filter(|size| *size <= limit).ok_or(PackError::TooLarge {
        what,
        size,
        limit: limit as u64,
    })
}

/// Restores one member of a group, decoding no more of it than that takes.
pub fn unpack(group: &[u8], base: Option<&[u8]>, index: usize) -> Result<Vec<u8>, PackError> {
    Group::read(group)?.unpack(base, index)
}

/// Restores all members of a group.
pub fn unpack_all(group: &[u8], base: Option<&[u8]>) -> Result<Vec<Vec<u8>>, PackError> {
    Group::read(group)?.unpack_all(base)
}
