//! Unpacking: a group in, members out.

use xxhash_rust::xxh3::xxh3_64;

use crate::chunk::chunks;
use crate::model::Model;
use crate::shape::Shape;
use crate::{FORMAT, MAX_GROUP, MAX_MEMBER, MAX_MEMBERS, MAX_NEW, MAX_STEPS, PackError, varint};

/// A group whose header was read.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    lengths: Vec<usize>,
    base: Option<BaseMark>,
    /// How many bytes of the base the model learned from.
    primed: usize,
    steps_model: Option<Model>,
    steps_length: usize,
    steps: &'a [u8],
    model: Option<Model>,
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

impl BaseMark {
    pub(crate) fn of(base: &[u8]) -> Self {
        Self { length: base.len() as u64, checksum: xxh3_64(base) }
    }
}

/// Restores one member of a group, decoding no more of it than that takes.
///
/// # Errors
/// When the group is damaged or needs another base, or there is no such member.
pub fn unpack(group: &[u8], base: Option<&[u8]>, index: usize) -> Result<Vec<u8>, PackError> {
    Group::read(group)?.unpack(base, index)
}

/// Restores all members of a group.
///
/// # Errors
/// When the group is damaged or needs another base.
pub fn unpack_all(group: &[u8], base: Option<&[u8]>) -> Result<Vec<Vec<u8>>, PackError> {
    Group::read(group)?.unpack_all(base)
}

impl<'a> Group<'a> {
    /// Reads the header of a group. Nothing is decoded.
    ///
    /// # Errors
    /// When it is no group, or declares more than the format allows.
    pub fn read(bytes: &'a [u8]) -> Result<Self, PackError> {
        let mut rest = bytes;
        let [format] = take(&mut rest)?;
        if format != FORMAT {
            return Err(PackError::Format { found: format, known: FORMAT });
        }
        let members = number(&mut rest, "the number of members", MAX_MEMBERS)?;
        let mut lengths = Vec::with_capacity(members);
        let mut all = 0;
        for _ in 0..members {
            let length = number(&mut rest, "a member", MAX_MEMBER)?;
            all += length;
            lengths.push(length);
        }
        if all > MAX_GROUP {
            return Err(PackError::TooLarge {
                what: "a group",
                size: all as u64,
                limit: MAX_GROUP as u64,
            });
        }
        let (mut base, mut primed) = (None, 0);
        if let Some(length) = number(&mut rest, "the base", MAX_MEMBER + 1)?.checked_sub(1) {
            base = Some(BaseMark {
                length: length as u64,
                checksum: u64::from_le_bytes(take(&mut rest)?),
            });
            primed = number(&mut rest, "what is learned from", length)?;
        }
        let steps_model = model(&mut rest)?;
        let steps_length = number(&mut rest, "the steps", MAX_STEPS)?;
        let packed = number(&mut rest, "the packed steps", bytes.len())?;
        let (steps, mut rest) = rest.split_at_checked(packed).ok_or(ENDS)?;
        let model = model(&mut rest)?;
        Ok(Self { lengths, base, primed, steps_model, steps_length, steps, model, stream: rest })
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

    /// Restores one member. The last one takes the least work. `base` is ignored where the group has none.
    ///
    /// # Errors
    /// When the group is damaged or needs another base, or there is no such member.
    pub fn unpack(&self, base: Option<&[u8]>, index: usize) -> Result<Vec<u8>, PackError> {
        let members = self.len();
        if index >= members {
            return Err(PackError::NoMember { index, members });
        }
        let place = (index + 1) % members;
        let decoded = self.decode(base, place + 1)?;
        decoded.member(place, self.lengths[index])
    }

    /// Restores all members.
    ///
    /// # Errors
    /// When the group is damaged or needs another base.
    pub fn unpack_all(&self, base: Option<&[u8]>) -> Result<Vec<Vec<u8>>, PackError> {
        let members = self.len();
        let decoded = self.decode(base, members)?;
        let lengths = self.lengths.iter().enumerate();
        lengths.map(|(index, length)| decoded.member((index + 1) % members, *length)).collect()
    }

    /// Decodes what the first members take, in the order in which they were packed: the last one first.
    fn decode<'b>(&self, base: Option<&'b [u8]>, count: usize) -> Result<Decoded<'b>, PackError> {
        let base = match self.base {
            None => &[][..],
            Some(mark) => {
                base.filter(|base| BaseMark::of(base) == mark).ok_or(PackError::Base {
                    needed: mark.length,
                    given: base.map_or(0, |base| base.len() as u64),
                })?
            }
        };
        let base_chunks: Vec<&[u8]> = chunks(base).map(|chunk| &base[chunk]).collect();
        let steps = unpack_stream(self.steps_model, &[], self.steps, self.steps_length)?;
        let last = self.lengths.split_last();
        let lengths: Vec<usize> = last
            .into_iter()
            .flat_map(|(last, rest)| std::iter::once(last).chain(rest))
            .copied()
            .collect();
        let shape =
            Shape::read(&steps, base_chunks.len() as u32, &lengths[..count], self.len(), MAX_NEW)?;
        let known = match shape.members.first() {
            Some(key) if self.primed > 0 => primer(&base_chunks, key, self.primed),
            _ => Vec::new(),
        };
        let new = unpack_stream(self.model, &known, self.stream, shape.new_bytes.iter().sum())?;
        Ok(Decoded { base_chunks, new_chunks: shape.cut(&new)?, shape, new })
    }
}

/// The text that the model learns from before it comes to a group's own: the last `length` bytes of those
/// chunks of the base that the key does not have. These are what new chunks took the place of.
pub(crate) fn primer(base_chunks: &[&[u8]], key: &[u32], length: usize) -> Vec<u8> {
    let mut is_kept = vec![false; base_chunks.len()];
    for chunk in key {
        if let Some(kept) = is_kept.get_mut(*chunk as usize) {
            *kept = true;
        }
    }
    let gone = base_chunks.iter().zip(is_kept).filter(|(_, kept)| !kept);
    let mut text: Vec<u8> = gone.flat_map(|(chunk, _)| *chunk).copied().collect();
    text.drain(..text.len().saturating_sub(length));
    text
}

/// The chunks of a group, as far as they were needed.
struct Decoded<'b> {
    base_chunks: Vec<&'b [u8]>,
    new: Vec<u8>,
    new_chunks: Vec<std::ops::Range<usize>>,
    shape: Shape,
}

impl Decoded<'_> {
    fn chunk(&self, number: u32) -> Option<&[u8]> {
        let number = number as usize;
        match self.base_chunks.get(number) {
            Some(chunk) => Some(chunk),
            None => self.new.get(self.new_chunks.get(number - self.base_chunks.len())?.clone()),
        }
    }

    fn member(&self, place: usize, length: usize) -> Result<Vec<u8>, PackError> {
        const OTHER: PackError = PackError::Damaged("a member is not as long as it should be");
        let numbers = self.shape.members.get(place).ok_or(OTHER)?;
        let chunks: Option<Vec<&[u8]>> = numbers.iter().map(|number| self.chunk(*number)).collect();
        let chunks = chunks.ok_or(OTHER)?;
        if chunks.iter().map(|chunk| chunk.len()).sum::<usize>() != length {
            return Err(OTHER);
        }
        Ok(chunks.concat())
    }
}

const ENDS: PackError = PackError::Damaged("it ends within its header");

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], PackError> {
    let (first, after) = rest.split_first_chunk().ok_or(ENDS)?;
    *rest = after;
    Ok(*first)
}

fn number(rest: &mut &[u8], what: &'static str, limit: usize) -> Result<usize, PackError> {
    let size = varint::read(rest)?;
    let within = usize::try_from(size).ok().filter(|size| *size <= limit);
    within.ok_or(PackError::TooLarge { what, size, limit: limit as u64 })
}

/// How a stream is packed; none if it is not.
fn model(rest: &mut &[u8]) -> Result<Option<Model>, PackError> {
    let [order] = take(rest)?;
    if order == 0 {
        return Ok(None);
    }
    let [memory] = take(rest)?;
    Model::new(order, memory).map(Some).ok_or(PackError::Damaged("there is no such model"))
}

fn unpack_stream(
    model: Option<Model>,
    known: &[u8],
    packed: &[u8],
    length: usize,
) -> Result<Vec<u8>, PackError> {
    match model {
        Some(model) => model.unpack(known, packed, length),
        None => packed
            .get(..length)
            .map(<[u8]>::to_vec)
            .ok_or(PackError::Damaged("a stream ends too early")),
    }
}
