//! Packing: members in, a group out.

use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::chunk::{chunks, first_chunk};
use crate::group::{BaseMark, primer};
use crate::model::Model;
use crate::steps::StepWriter;
use crate::{FORMAT, MAX_GROUP, MAX_MEMBER, MAX_MEMBERS, MAX_NEW, PackError, Settings, varint};

/// How steps are modelled: a few kilobytes of numbers.
const STEPS_ORDER: u8 = 6;
/// The order is chosen by how well it packs so much of the new bytes.
const SAMPLE: usize = 1 << 19;

/// Takes members one after the other until the group is full.
pub struct Packer<'b> {
    settings: Settings,
    base: Option<&'b [u8]>,
    base_chunks: Vec<&'b [u8]>,
    /// What is new in the members so far.
    new: Vec<u8>,
    /// Where the chunks of `new` are. They are numbered after those of the base.
    new_chunks: Vec<Range<usize>>,
    by_hash: HashMap<u64, u32>,
    members: Vec<Vec<u32>>,
    lengths: Vec<usize>,
}

impl<'b> Packer<'b> {
    /// Begins a group. The members of a group with a base can only be restored with the same base. The
    /// base to choose is the last member of the group before: it is near in time, and takes the least work
    /// to restore. A base beyond [`MAX_MEMBER`] is not used.
    pub fn new(settings: Settings, base: Option<&'b [u8]>) -> Self {
        let base = base.filter(|base| base.len() <= MAX_MEMBER);
        let bytes = base.unwrap_or_default();
        let base_chunks: Vec<&[u8]> = chunks(bytes).map(|chunk| &bytes[chunk]).collect();
        let mut by_hash = HashMap::new();
        for (number, chunk) in base_chunks.iter().enumerate() {
            by_hash.entry(xxh3_64(chunk)).or_insert(number as u32);
        }
        let (new, new_chunks, members, lengths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { settings, base, base_chunks, new, new_chunks, by_hash, members, lengths }
    }

    /// How many members were taken.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether no member was taken yet.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Takes a member, or says no because the group is full: then it is the first of the next group. The
    /// first member is never refused.
    ///
    /// # Errors
    /// When the member is larger than [`MAX_MEMBER`].
    pub fn push(&mut self, member: &[u8]) -> Result<bool, PackError> {
        if member.len() > MAX_MEMBER {
            let (size, limit) = (member.len() as u64, MAX_MEMBER as u64);
            return Err(PackError::TooLarge { what: "a member", size, limit });
        }
        let all = self.lengths.iter().sum::<usize>() + member.len();
        if self.len() >= self.settings.members.clamp(1, MAX_MEMBERS) || all > MAX_GROUP {
            return Ok(false);
        }
        let (chunks_before, new_before) = (self.new_chunks.len(), self.new.len());
        let mut numbers = Vec::new();
        let mut added = Vec::new();
        for chunk in chunks(member) {
            let chunk = &member[chunk];
            let hash = xxh3_64(chunk);
            let found = self.by_hash.get(&hash).copied();
            let number = found.filter(|number| self.chunk(*number) == chunk).unwrap_or_else(|| {
                let number = (self.base_chunks.len() + self.new_chunks.len()) as u32;
                self.new_chunks.push(self.new.len()..self.new.len() + chunk.len());
                self.new.extend_from_slice(chunk);
                if found.is_none() {
                    self.by_hash.insert(hash, number);
                    added.push(hash);
                }
                number
            });
            numbers.push(number);
        }
        let has_new = self.new.len() > new_before;
        if has_new && !self.is_empty() && self.new.len() > self.settings.new_bytes.min(MAX_NEW) {
            self.new_chunks.truncate(chunks_before);
            self.new.truncate(new_before);
            for hash in added {
                self.by_hash.remove(&hash);
            }
            return Ok(false);
        }
        self.members.push(numbers);
        self.lengths.push(member.len());
        Ok(true)
    }

    fn chunk(&self, number: u32) -> &[u8] {
        let number = number as usize;
        match self.base_chunks.get(number) {
            Some(chunk) => chunk,
            None => &self.new[self.new_chunks[number - self.base_chunks.len()].clone()],
        }
    }

    /// The group, as it is stored.
    pub fn finish(mut self) -> Vec<u8> {
        // The last member is packed first: as the base of the next group it is needed most.
        let mut members = std::mem::take(&mut self.members);
        members.rotate_right(1.min(self.lengths.len()));
        let ordered = self.in_order(&mut members);
        let mut primer = members
            .first()
            .map_or_else(Vec::new, |key| primer(&self.base_chunks, key, self.settings.prime));
        if ordered.stream.is_empty() {
            primer.clear();
        }
        let mut steps = Vec::new();
        for new in &ordered.new_bytes {
            varint::write(&mut steps, *new as u64);
        }
        let mut writer = StepWriter::new(self.base_chunks.len() as u32);
        for member in members {
            writer.member(member, |number| ordered.sized.get(&number).copied());
        }
        steps.append(&mut writer.steps);

        let mut group = vec![FORMAT];
        varint::write(&mut group, self.lengths.len() as u64);
        for length in &self.lengths {
            varint::write(&mut group, *length as u64);
        }
        varint::write(&mut group, self.base.map_or(0, |base| base.len() as u64 + 1));
        if let Some(base) = self.base {
            group.extend(BaseMark::of(base).checksum.to_le_bytes());
            varint::write(&mut group, primer.len() as u64);
        }
        let packed = PackedStream::new(&[], &steps, STEPS_ORDER);
        packed.write_model(&mut group);
        varint::write(&mut group, steps.len() as u64);
        varint::write(&mut group, packed.bytes.len() as u64);
        group.extend(packed.bytes);
        let order = best_order(self.settings.orders, &primer, &ordered.stream);
        let packed = PackedStream::new(&primer, &ordered.stream, order);
        packed.write_model(&mut group);
        group.extend(packed.bytes);
        group
    }

    /// Numbers the new chunks as they come in these members, and puts their bytes into that order.
    fn in_order(&self, members: &mut [Vec<u32>]) -> Ordered {
        let base_chunks = self.base_chunks.len();
        let mut ordered =
            Ordered { stream: Vec::with_capacity(self.new.len()), ..Ordered::default() };
        let mut numbers = vec![None; self.new_chunks.len()];
        let mut next = base_chunks as u32;
        for member in members {
            let from = ordered.stream.len();
            let mut fresh = Vec::new();
            for number in member {
                let Some(at) = (*number as usize).checked_sub(base_chunks) else { continue };
                let old = *number;
                *number = *numbers[at].get_or_insert_with(|| {
                    let chunk = self.chunk(old);
                    fresh.push((next, ordered.stream.len(), chunk.len()));
                    ordered.stream.extend_from_slice(chunk);
                    next += 1;
                    next - 1
                });
            }
            // In the stream a chunk is followed by other bytes than in its member.
            for (number, start, length) in fresh {
                if first_chunk(&ordered.stream[start..]) != length {
                    ordered.sized.insert(number, length);
                }
            }
            ordered.new_bytes.push(ordered.stream.len() - from);
        }
        ordered
    }
}

/// The new bytes of a group in the order in which its members are packed.
#[derive(Default)]
struct Ordered {
    stream: Vec<u8>,
    /// How many each member brings.
    new_bytes: Vec<usize>,
    /// The lengths of chunks that are not cut so by rule.
    sized: HashMap<u32, usize>,
}

/// The order that packs a sample best.
fn best_order(orders: &[u8], primer: &[u8], stream: &[u8]) -> u8 {
    let [first, _, ..] = orders else { return orders.first().copied().unwrap_or(16) };
    let whole = primer.len() + stream.len() <= SAMPLE;
    let (known, sample) =
        if whole { (primer, stream) } else { (&[][..], &stream[..stream.len().min(SAMPLE)]) };
    let size = |order: u8| PackedStream::new(known, sample, order).bytes.len();
    orders.iter().copied().min_by_key(|order| size(*order)).unwrap_or(*first)
}

struct PackedStream {
    model: Option<Model>,
    bytes: Vec<u8>,
}

impl PackedStream {
    /// Packs a stream, unless that gains nothing.
    fn new(known: &[u8], bytes: &[u8], order: u8) -> Self {
        let model = Model::for_bytes(order, known.len() + bytes.len());
        match model.pack(known, bytes).filter(|packed| packed.len() < bytes.len()) {
            Some(packed) => Self { model: Some(model), bytes: packed },
            None => Self { model: None, bytes: bytes.to_vec() },
        }
    }

    fn write_model(&self, group: &mut Vec<u8>) {
        match self.model {
            Some(model) => group.extend(model.to_bytes()),
            None => group.push(0),
        }
    }
}
