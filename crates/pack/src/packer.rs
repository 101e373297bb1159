//! Packing: members in, a group out.

use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::chunk::first_chunk;
use crate::group::Header;
use crate::model::Model;
use crate::{MAX_MEMBER, MAX_MEMBERS, MAX_NEW, PackError, Settings, ops};

/// Takes members one after the other until the group is full.
pub struct Packer<'b> {
    settings: Settings,
    base: Option<&'b [u8]>,
    base_chunks: u32,
    /// What is new in the members so far.
    new: Vec<u8>,
    /// Where chunks are: those of the base in it, the others in `new`.
    chunks: Vec<Range<usize>>,
    by_hash: HashMap<u64, u32>,
    members: Vec<Vec<u32>>,
    lengths: Vec<u64>,
}

impl<'b> Packer<'b> {
    /// Begins a group. The members of a group with a base can only be restored with the same base; the
    /// base to choose is the last member of the group before.
    pub fn new(settings: Settings, base: Option<&'b [u8]>) -> Self {
        let mut packer = Self {
            settings,
            base: base.filter(|base| base.len() <= MAX_MEMBER),
            base_chunks: 0,
            new: Vec::new(),
            chunks: Vec::new(),
            by_hash: HashMap::new(),
            members: Vec::new(),
            lengths: Vec::new(),
        };
        let base = packer.base.unwrap_or_default();
        let mut at = 0;
        while at < base.len() {
            let end = at + first_chunk(&base[at..]);
            packer.by_hash.entry(xxh3_64(&base[at..end])).or_insert(packer.chunks.len() as u32);
            packer.chunks.push(at..end);
            at = end;
        }
        packer.base_chunks = packer.chunks.len() as u32;
        packer
    }

    /// How many members were taken.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether no member was taken yet.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Takes a member, or refuses it because the group is full: then it is the first of the next group.
    /// The first member is never refused.
    pub fn push(&mut self, member: &[u8]) -> Result<bool, PackError> {
        if member.len() > MAX_MEMBER {
            return Err(PackError::TooLarge {
                what: "a member",
                size: member.len() as u64,
                limit: MAX_MEMBER as u64,
            });
        }
        if self.len() >= self.settings.members.clamp(1, MAX_MEMBERS) {
            return Ok(false);
        }
        let (chunks, new) = (self.chunks.len(), self.new.len());
        let mut ids = Vec::with_capacity(member.len() / 100 + 1);
        let mut added = Vec::new();
        let mut rest = member;
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(first_chunk(rest));
            rest = after;
            let hash = xxh3_64(chunk);
            let id = match self.by_hash.get(&hash) {
                Some(id) if self.chunk(*id) == chunk => *id,
                known => {
                    if known.is_none() {
                        self.by_hash.insert(hash, self.chunks.len() as u32);
                        added.push(hash);
                    }
                    self.new.extend_from_slice(chunk);
                    self.chunks.push(self.new.len() - chunk.len()..self.new.len());
                    self.chunks.len() as u32 - 1
                }
            };
            ids.push(id);
        }
        if !self.is_empty() && self.new.len() > self.settings.new_bytes.min(MAX_NEW) {
            self.chunks.truncate(chunks);
            self.new.truncate(new);
            for hash in added {
                self.by_hash.remove(&hash);
            }
            return Ok(false);
        }
        self.members.push(ids);
        self.lengths.push(member.len() as u64);
        Ok(true)
    }

    fn chunk(&self, id: u32) -> &[u8] {
        let from = if id < self.base_chunks { self.base.unwrap_or_default() } else { &self.new };
        &from[self.chunks[id as usize].clone()]
    }

    /// The group, as it is stored.
    pub fn finish(self) -> Vec<u8> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.rotate_right(1);
        let mut numbers = vec![u32::MAX; self.chunks.len()];
        for (id, number) in numbers.iter_mut().enumerate().take(self.base_chunks as usize) {
            *number = id as u32;
        }
        let mut next = self.base_chunks;
        let mut writer = ops::Writer::new(self.base_chunks);
        let mut stream = Vec::with_capacity(self.new.len());
        let mut news = Vec::with_capacity(self.len());
        for at in order {
            let before = stream.len();
            let mut member = Vec::with_capacity(self.members[at].len());
            for id in &self.members[at] {
                let number = &mut numbers[*id as usize];
                if *number == u32::MAX {
                    *number = next;
                    next += 1;
                    stream.extend_from_slice(self.chunk(*id));
                }
                member.push(*number);
            }
            news.push((stream.len() - before) as u64);
            writer.member(member);
        }
        let model = Model { order: self.settings.order.clamp(2, 64), memory: memory(stream.len()) };
        let mut ops = Vec::new();
        for new in news {
            crate::varint::write(&mut ops, new);
        }
        ops.append(&mut writer.ops);
        Header { base: self.base, lengths: &self.lengths, model }.write(&ops, &stream)
    }
}

/// The mebibytes that the model gets for a stream: enough for it never to begin anew.
fn memory(stream: usize) -> u8 {
    (stream.saturating_mul(24) >> 20).next_power_of_two().clamp(1, 128) as u8
}
