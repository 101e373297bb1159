//! Sorts more lines than fit into memory: parts are sorted, put into temporary files and merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

/// Bytes of lines that are held in memory.
const ROOM: usize = 32 << 20;

/// Lines that are being collected, each with its line end.
pub(super) struct LineSorter {
    lines: Vec<String>,
    size: usize,
    room: usize,
    parts: Vec<File>,
}

impl Default for LineSorter {
    fn default() -> Self {
        Self { lines: Vec::new(), size: 0, room: ROOM, parts: Vec::new() }
    }
}

impl LineSorter {
    pub(super) fn add(&mut self, line: String) -> io::Result<()> {
        self.size += line.len();
        self.lines.push(line);
        if self.size > self.room {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        self.lines.sort_unstable();
        let mut part = BufWriter::new(tempfile::tempfile()?);
        for line in self.lines.drain(..) {
            part.write_all(line.as_bytes())?;
        }
        let mut part = part.into_inner().map_err(io::IntoInnerError::into_error)?;
        part.rewind()?;
        self.parts.push(part);
        self.size = 0;
        Ok(())
    }

    /// Calls `each` with the lines in order, with lines that are there twice once.
    pub(super) fn for_each(
        mut self,
        mut each: impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        self.lines.sort_unstable();
        let mut last = String::new();
        let mut tell = |line: String| -> io::Result<()> {
            if line != last {
                each(&line)?;
                last = line;
            }
            Ok(())
        };
        if self.parts.is_empty() {
            return self.lines.into_iter().try_for_each(tell);
        }
        self.spill()?;
        let mut parts: Vec<_> = self.parts.into_iter().map(BufReader::new).collect();
        let mut heap = BinaryHeap::new();
        for (at, part) in parts.iter_mut().enumerate() {
            heap.extend(next_line(part)?.map(|line| Reverse((line, at))));
        }
        while let Some(Reverse((line, at))) = heap.pop() {
            tell(line)?;
            if let Some(part) = parts.get_mut(at) {
                heap.extend(next_line(part)?.map(|line| Reverse((line, at))));
            }
        }
        Ok(())
    }
}

fn next_line(part: &mut BufReader<File>) -> io::Result<Option<String>> {
    let mut line = String::new();
    Ok((part.read_line(&mut line)? > 0).then_some(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_room_come_back_in_order_and_once() {
        let mut sorter = LineSorter { room: 100, ..LineSorter::default() };
        let line = |number: usize| format!("{:03}\n", number * 7919 % 500);
        (0..1000).for_each(|number| sorter.add(line(number)).unwrap());
        assert!(sorter.parts.len() > 10);
        let mut found = Vec::new();
        sorter
            .for_each(|line| {
                found.push(line.to_owned());
                Ok(())
            })
            .unwrap();
        assert_eq!(found, (0..500).map(|number| format!("{number:03}\n")).collect::<Vec<_>>());
    }
}
