//! A member as steps through the chunks of the member before it.

use std::collections::HashMap;

use crate::{PackError, varint};

/// What a step does: the upper two bits of its first byte. The lower six hold a number: how many chunks,
/// less one, or how far. 62 means that a number follows which is to be added to it.
const COPY: u8 = 0;
const NEW: u8 = 1;
const REFER: u8 = 2;
const JUMP: u8 = 3;
const LARGE: u64 = 62;
/// `NEW` with 63: one new chunk whose length follows.
const SIZED: u8 = NEW << 6 | 63;
/// `COPY` with 63: no step but the end of the member.
const END: u8 = COPY << 6 | 63;

/// A step of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// That many chunks of the member before, from the cursor on.
    Copy(usize),
    /// That many chunks that come for the first time, cut by rule.
    New(usize),
    /// One chunk that comes for the first time, of that length.
    Sized(usize),
    /// That many chunks, the first so far behind the end of the last such run.
    Refer(usize, i64),
    /// Moves the cursor by that many chunks.
    Jump(i64),
    /// The member is complete.
    End,
}

impl Step {
    pub(crate) fn read(steps: &mut &[u8]) -> Result<Self, PackError> {
        let [first, rest @ ..] = *steps else {
            return Err(PackError::Damaged("it ends within a member"));
        };
        *steps = rest;
        match *first {
            SIZED => return Ok(Self::Sized(count(varint::read(steps)?)?)),
            END => return Ok(Self::End),
            _ => {}
        }
        let mut number = u64::from(first & 63);
        if number == LARGE {
            number = varint::read(steps)?.saturating_add(LARGE);
        }
        Ok(match first >> 6 {
            COPY => Self::Copy(count(number.saturating_add(1))?),
            NEW => Self::New(count(number.saturating_add(1))?),
            REFER => {
                Self::Refer(count(number.saturating_add(1))?, varint::unfold(varint::read(steps)?))
            }
            _ => Self::Jump(varint::unfold(number)),
        })
    }

    fn write(self, steps: &mut Vec<u8>) {
        let (kind, number) = match self {
            Self::Copy(count) => (COPY, count as u64 - 1),
            Self::New(count) => (NEW, count as u64 - 1),
            Self::Refer(count, _) => (REFER, count as u64 - 1),
            Self::Jump(by) => (JUMP, varint::fold(by)),
            Self::End => return steps.push(END),
            Self::Sized(length) => {
                steps.push(SIZED);
                return varint::write(steps, length as u64);
            }
        };
        steps.push(kind << 6 | number.min(LARGE) as u8);
        if number >= LARGE {
            varint::write(steps, number - LARGE);
        }
        if let Self::Refer(_, by) = self {
            varint::write(steps, varint::fold(by));
        }
    }
}

/// No step is about more chunks than a `u32` can number.
fn count(number: u64) -> Result<usize, PackError> {
    u32::try_from(number)
        .map(|number| number as usize)
        .map_err(|_| PackError::Damaged("a step is too long"))
}

/// Writes the steps of members one after the other, each against the one before it.
pub(crate) struct StepWriter {
    pub(crate) steps: Vec<u8>,
    previous: Vec<u32>,
    /// Where each chunk is in the member before.
    places: HashMap<u32, Vec<u32>>,
    /// The number of the next new chunk.
    next: u32,
    /// Where the last reference ended.
    referred: u32,
}

impl StepWriter {
    /// The chunks of the base are numbered first, and are the member before the first.
    pub(crate) fn new(base_chunks: u32) -> Self {
        let (previous, places) = (Vec::new(), HashMap::new());
        let mut writer =
            Self { steps: Vec::new(), previous, places, next: base_chunks, referred: 0 };
        writer.follow((0..base_chunks).collect());
        writer
    }

    /// Writes a member. Chunks are numbered as they come; `sized` says of a new one whether the reader
    /// would cut it otherwise, and how long it is.
    pub(crate) fn member(&mut self, chunks: Vec<u32>, sized: impl Fn(u32) -> Option<usize>) {
        let (mut at, mut cursor) = (0, 0);
        while let Some(chunk) = chunks.get(at).copied() {
            let rest = &chunks[at..];
            let run = if chunk == self.next {
                self.new_run(rest, &sized)
            } else if self.previous.get(cursor) == Some(&chunk) {
                self.copy_run(rest, cursor)
            } else if let Some(place) = self.place(chunk, cursor) {
                Step::Jump(i64::from(place) - cursor as i64).write(&mut self.steps);
                cursor = place as usize;
                self.copy_run(rest, cursor)
            } else {
                self.refer_run(rest)
            };
            at += run;
            cursor += run;
        }
        Step::End.write(&mut self.steps);
        self.follow(chunks);
    }

    fn new_run(&mut self, rest: &[u32], sized: impl Fn(u32) -> Option<usize>) -> usize {
        let first = self.next;
        if let Some(length) = sized(first) {
            Step::Sized(length).write(&mut self.steps);
            self.next += 1;
            return 1;
        }
        let run =
            rest.iter().zip(first..).take_while(|(a, b)| **a == *b && sized(*b).is_none()).count();
        Step::New(run).write(&mut self.steps);
        self.next += run as u32;
        run
    }

    fn copy_run(&mut self, rest: &[u32], cursor: usize) -> usize {
        let run = rest.iter().zip(&self.previous[cursor..]).take_while(|(a, b)| a == b).count();
        Step::Copy(run).write(&mut self.steps);
        run
    }

    fn refer_run(&mut self, rest: &[u32]) -> usize {
        let known = |chunk: u32| chunk < self.next && !self.places.contains_key(&chunk);
        let run = rest.iter().zip(rest[0]..).take_while(|(a, b)| **a == *b && known(**a)).count();
        Step::Refer(run, i64::from(rest[0]) - i64::from(self.referred)).write(&mut self.steps);
        self.referred = rest[0] + run as u32;
        run
    }

    /// The place of a chunk in the member before that is nearest to the cursor.
    fn place(&self, chunk: u32, cursor: usize) -> Option<u32> {
        let places = self.places.get(&chunk)?;
        let after = places.partition_point(|place| (*place as usize) < cursor);
        let near = [after.checked_sub(1).and_then(|at| places.get(at)), places.get(after)];
        near.into_iter().flatten().copied().min_by_key(|place| (*place as usize).abs_diff(cursor))
    }

    fn follow(&mut self, member: Vec<u32>) {
        self.places.clear();
        for (at, chunk) in member.iter().enumerate() {
            self.places.entry(*chunk).or_default().push(at as u32);
        }
        self.previous = member;
    }
}
