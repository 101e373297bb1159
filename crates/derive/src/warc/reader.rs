//! Reads the records of a WARC file, compressed by the record, as a whole, or not at all.
//!
//! A damaged record is told with its place, and reading goes on behind it: at the next gzip member, or at
//! the next line that begins a record.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::GzDecoder;
use sha1::{Digest, Sha1};

use super::header::{LONGEST_HEADER, WarcHeader};

/// The largest block that is read: what is larger is no page, and would not fit into memory beside others.
const LARGEST_BLOCK: u64 = 256 << 20;
/// Bytes that are looked through at once for the next record.
const SEARCHED: usize = 1 << 16;
/// Bytes that are made room for before they are there: a header may say anything.
const RESERVED: u64 = 1 << 20;
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];
const FIRST: &[u8] = b"WARC/";

/// Where a record lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WarcPlace {
    /// The byte of the file at which it, or the gzip member that holds it, begins.
    pub offset: u64,
    /// Records before it in that member.
    pub before: u32,
}

/// A record that was read.
#[derive(Clone, Debug)]
pub struct ReadRecord {
    /// Where it lies.
    pub place: WarcPlace,
    /// Its named fields.
    pub header: WarcHeader,
    /// Its block.
    pub block: Vec<u8>,
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// It cannot be unpacked.
    #[error("has a broken gzip member")]
    Gzip,
    /// It does not begin as records do.
    #[error("has no WARC header")]
    Header,
    /// It says no length.
    #[error("says no length")]
    Length,
    /// The file ends in the middle of it.
    #[error("is cut off")]
    CutOff,
    /// It is not what was written.
    #[error("does not match its digest")]
    Digest,
    /// It is too large to be read.
    #[error("is larger than {} MB", LARGEST_BLOCK >> 20)]
    TooLarge,
}

/// A record that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// What is wrong with it.
    pub fault: RecordFault,
    /// The byte of the file at which it begins.
    pub offset: u64,
}

/// Reads the records of a file one after the other.
///
/// ```
/// use derive::warc::WarcReader;
///
/// let file = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n";
/// let mut reader = WarcReader::new(std::io::Cursor::new(file)).unwrap();
/// let record = reader.next_record().unwrap().unwrap().unwrap();
/// assert_eq!(record.block, b"hello");
/// assert!(reader.next_record().unwrap().is_none());
/// ```
pub struct WarcReader<R: Read + Seek> {
    /// `None` only while the file changes hands.
    stream: Option<Stream<R>>,
    /// Where the open member, or the next record of a plain file, begins.
    at: u64,
    before: u32,
    checks: bool,
}

enum Stream<R: Read> {
    Plain(BufReader<R>),
    Packed(BufReader<Box<GzDecoder<BufReader<R>>>>),
}

impl<R: Read + Seek> WarcReader<R> {
    /// Reads a file from where it stands.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn new(mut file: R) -> io::Result<Self> {
        let at = file.stream_position()?;
        let stream = Some(Stream::Plain(BufReader::with_capacity(SEARCHED, file)));
        Ok(Self { stream, at, before: 0, checks: true })
    }

    /// Whether blocks are compared with their digests, which they are unless it is switched off.
    pub fn checking_digests(self, checks: bool) -> Self {
        Self { checks, ..self }
    }

    /// The next record, or what is wrong with it; `None` at the end.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn next_record(&mut self) -> io::Result<Option<Result<ReadRecord, BadRecord>>> {
        if !self.begin()? {
            return Ok(None);
        }
        let place = WarcPlace { offset: self.at, before: self.before };
        let read = match &mut self.stream {
            Some(Stream::Plain(plain)) => read_record(plain, false),
            Some(Stream::Packed(packed)) => read_record(packed, true),
            None => return Ok(None),
        };
        match read {
            Ok((header, block, size)) => {
                // The checksum of a member is behind its last record.
                if let Some(Stream::Packed(packed)) = &mut self.stream {
                    self.before += 1;
                    if skip_empty_lines(packed).is_err() {
                        self.find_next(place.offset)?;
                        let fault = RecordFault::Gzip;
                        return Ok(Some(Err(BadRecord { fault, offset: place.offset })));
                    }
                } else {
                    self.at += size;
                }
                let is_whole = !self.checks || is_as_written(&header, &block);
                let bad = BadRecord { fault: RecordFault::Digest, offset: place.offset };
                Ok(Some(if is_whole { Ok(ReadRecord { place, header, block }) } else { Err(bad) }))
            }
            Err(Fault::Device(error)) => Err(error),
            Err(Fault::Record(fault)) => {
                self.find_next(place.offset)?;
                Ok(Some(Err(BadRecord { fault, offset: place.offset })))
            }
        }
    }

    /// The record at a place that was read before.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn record_at(&mut self, place: WarcPlace) -> io::Result<Option<ReadRecord>> {
        let is_ahead = self.at == place.offset && self.before <= place.before;
        let is_packed = matches!(self.stream, Some(Stream::Packed(_)));
        if !(is_ahead && is_packed) {
            self.seek(place.offset)?;
        }
        while let Some(read) = self.next_record()? {
            match read {
                Ok(record) if record.place == place => return Ok(Some(record)),
                Ok(record) if record.place < place => {}
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Makes ready for the next record; false at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            match self.stream.take() {
                None => return Ok(false),
                Some(Stream::Packed(mut packed)) => match skip_empty_lines(&mut packed) {
                    // What is wrong with the member is told when it is read.
                    Ok((_, false)) | Err(_) => {
                        self.stream = Some(Stream::Packed(packed));
                        return Ok(true);
                    }
                    Ok((_, true)) => {
                        let mut file = packed.into_inner().into_inner();
                        self.at = file.stream_position()?;
                        self.before = 0;
                        self.stream = Some(Stream::Plain(file));
                    }
                },
                Some(Stream::Plain(mut plain)) => {
                    let (skipped, is_end) = skip_empty_lines(&mut plain)?;
                    self.at += skipped;
                    if is_end {
                        self.stream = Some(Stream::Plain(plain));
                        return Ok(false);
                    }
                    // No record begins so, and there may be one byte left in the buffer.
                    let is_packed = plain.fill_buf()?.starts_with(&GZIP[..1]);
                    self.stream = Some(match is_packed {
                        true => {
                            self.before = 0;
                            let member = Box::new(GzDecoder::new(plain));
                            Stream::Packed(BufReader::with_capacity(SEARCHED, member))
                        }
                        false => Stream::Plain(plain),
                    });
                    return Ok(true);
                }
            }
        }
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        let mut file = match self.stream.take() {
            Some(Stream::Plain(plain)) => plain,
            Some(Stream::Packed(packed)) => packed.into_inner().into_inner(),
            None => return Ok(()),
        };
        file.seek(SeekFrom::Start(offset))?;
        (self.at, self.before) = (offset, 0);
        self.stream = Some(Stream::Plain(file));
        Ok(())
    }

    /// Goes to the next place behind `offset` at which a record or a member begins.
    fn find_next(&mut self, offset: u64) -> io::Result<()> {
        let mut from = offset + 1;
        loop {
            self.seek(from)?;
            let Some(Stream::Plain(file)) = &mut self.stream else { return Ok(()) };
            let mut window = Vec::with_capacity(SEARCHED);
            file.take(SEARCHED as u64).read_to_end(&mut window)?;
            let starts = |at: &usize| {
                let rest = &window[*at..];
                rest.starts_with(&GZIP) || rest.starts_with(FIRST)
            };
            let is_last = window.len() < SEARCHED;
            for at in (0..window.len()).filter(starts) {
                let at = from + at as u64;
                if self.is_record(at)? {
                    return self.seek(at);
                }
            }
            if is_last {
                self.seek(from + window.len() as u64)?;
                return Ok(());
            }
            // A beginning may lie across two windows.
            from += (SEARCHED - FIRST.len()) as u64;
        }
    }

    /// Whether a record, or a member with one, begins here.
    fn is_record(&mut self, at: u64) -> io::Result<bool> {
        self.seek(at)?;
        let Some(Stream::Plain(file)) = &mut self.stream else { return Ok(false) };
        let mut start = [0; FIRST.len()];
        let read = match file.fill_buf()?.starts_with(&GZIP) {
            true => GzDecoder::new(file).read_exact(&mut start),
            false => file.read_exact(&mut start),
        };
        Ok(read.is_ok() && start == FIRST)
    }
}

enum Fault {
    Record(RecordFault),
    Device(io::Error),
}

/// Reads header and block, and says how many bytes they take.
fn read_record(
    from: &mut impl BufRead,
    is_packed: bool,
) -> Result<(WarcHeader, Vec<u8>, u64), Fault> {
    let told = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof if !is_packed => Fault::Record(RecordFault::CutOff),
        // What flate2 says of bytes that it cannot unpack.
        io::ErrorKind::InvalidInput
        | io::ErrorKind::InvalidData
        | io::ErrorKind::UnexpectedEof
        | io::ErrorKind::Other => Fault::Record(RecordFault::Gzip),
        _ => Fault::Device(error),
    };
    let mut text = Vec::new();
    loop {
        let before = text.len();
        let room = (LONGEST_HEADER - before) as u64;
        from.by_ref().take(room).read_until(b'\n', &mut text).map_err(told)?;
        if before == 0 && !text.starts_with(FIRST) || text.len() >= LONGEST_HEADER {
            return Err(Fault::Record(RecordFault::Header));
        }
        match &text[before..] {
            [] => return Err(Fault::Record(RecordFault::CutOff)),
            b"\n" | b"\r\n" => break,
            _ => {}
        }
    }
    let header = WarcHeader::read(&text).ok_or(Fault::Record(RecordFault::Header))?;
    let length = header.length().ok_or(Fault::Record(RecordFault::Length))?;
    if length > LARGEST_BLOCK {
        return Err(Fault::Record(RecordFault::TooLarge));
    }
    let mut block = Vec::with_capacity(length.min(RESERVED) as usize);
    from.by_ref().take(length).read_to_end(&mut block).map_err(told)?;
    if (block.len() as u64) < length {
        return Err(Fault::Record(RecordFault::CutOff));
    }
    let size = text.len() as u64 + length;
    Ok((header, block, size))
}

/// Skips line ends, and says how many bytes they were and whether the stream ends behind them.
fn skip_empty_lines(from: &mut impl BufRead) -> io::Result<(u64, bool)> {
    let mut skipped = 0;
    loop {
        let bytes = from.fill_buf()?;
        if bytes.is_empty() {
            return Ok((skipped, true));
        }
        let ends = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let is_all = ends == bytes.len();
        from.consume(ends);
        skipped += ends as u64;
        if !is_all {
            return Ok((skipped, false));
        }
    }
}

/// Whether a block has the SHA-1 that its header says. Other digests are not checked.
fn is_as_written(header: &WarcHeader, block: &[u8]) -> bool {
    let Some(told) = header.get("WARC-Block-Digest").and_then(|told| told.strip_prefix("sha1:"))
    else {
        return true;
    };
    let digest = Sha1::digest(block);
    let base32 = data_encoding::BASE32.encode(&digest);
    told.eq_ignore_ascii_case(&base32)
        || told.eq_ignore_ascii_case(&data_encoding::HEXLOWER.encode(&digest))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn record(number: usize) -> Vec<u8> {
        let block = format!("record {number} {}", "and on ".repeat(number * 20));
        let digest = data_encoding::BASE32.encode(&Sha1::digest(block.as_bytes()));
        let length = block.len();
        format!(
            "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Block-Digest: sha1:{digest}\r\n\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
        .into_bytes()
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    /// Five records: plain, packed one by one, packed as a whole.
    fn files() -> [Vec<u8>; 3] {
        let records: Vec<_> = (0..5).map(record).collect();
        let by_record = records.iter().flat_map(|record| packed(record)).collect();
        [records.concat(), by_record, packed(&records.concat())]
    }

    fn read_all(bytes: &[u8]) -> Vec<Result<ReadRecord, BadRecord>> {
        let mut reader = WarcReader::new(Cursor::new(bytes)).unwrap();
        std::iter::from_fn(|| reader.next_record().unwrap()).collect()
    }

    #[test]
    fn records_are_read_in_order_and_again_from_their_places() {
        for file in files() {
            let read: Vec<_> = read_all(&file).into_iter().map(Result::unwrap).collect();
            assert_eq!(read.len(), 5);
            let mut reader = WarcReader::new(Cursor::new(&file)).unwrap();
            while reader.next_record().unwrap().is_some() {}
            for record in read.iter().rev().chain(&read) {
                let again = reader.record_at(record.place).unwrap().unwrap();
                assert_eq!(again.block, record.block);
            }
        }
    }

    #[test]
    fn a_member_may_begin_at_the_last_byte_that_was_read() {
        let [_, file, _] = files();
        for before in SEARCHED - 3..=SEARCHED + 1 {
            let shifted = [vec![b'\n'; before], file.clone()].concat();
            let read = read_all(&shifted);
            assert!(read.len() == 5 && read.iter().all(Result::is_ok), "{before} bytes before");
        }
    }

    #[test]
    fn a_damaged_member_is_told_with_its_place_and_the_rest_is_read() {
        let [_, file, _] = files();
        let whole = read_all(&file);
        let places: Vec<_> = whole.into_iter().map(|record| record.unwrap().place.offset).collect();
        let (begin, end) = (places[3] as usize, places[4] as usize);
        // What is packed, the checksum, the magic.
        for damaged in [begin + 20..end - 9, end - 6..end - 5, begin..begin + 1] {
            let mut file = file.clone();
            file[damaged].iter_mut().for_each(|byte| *byte ^= 0x55);
            let read = read_all(&file);
            let good: Vec<_> = read.iter().map(Result::is_ok).collect();
            assert_eq!(good, [true, true, true, false, true]);
            assert_eq!(read[3].as_ref().unwrap_err().offset, places[3]);
        }
    }

    #[test]
    fn a_changed_block_does_not_match_its_digest() {
        let [mut file, ..] = files();
        let at = file.windows(8).position(|word| word == b"record 2").unwrap();
        file[at] = b'R';
        let faults: Vec<_> = read_all(&file).into_iter().filter_map(Result::err).collect();
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].fault, RecordFault::Digest);
    }

    #[test]
    fn a_length_beyond_all_measure_takes_no_room() {
        let file = b"WARC/1.1\r\nContent-Length: 18446744073709551615\r\n\r\nx";
        assert_eq!(read_all(file)[0].as_ref().unwrap_err().fault, RecordFault::TooLarge);
        let file = b"WARC/1.1\r\nContent-Length: 200000000\r\n\r\nx";
        assert_eq!(read_all(file)[0].as_ref().unwrap_err().fault, RecordFault::CutOff);
    }

    proptest! {
        #[test]
        fn reading_any_bytes_ends(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            read_all(&bytes);
            read_all(&[b"WARC/1.0\r\n", bytes.as_slice()].concat());
            read_all(&[&GZIP, bytes.as_slice()].concat());
        }

        #[test]
        fn whatever_is_done_to_a_file_the_records_before_it_are_read(
            which in 0..3_usize,
            at in any::<proptest::sample::Index>(),
            change in proptest::collection::vec(any::<u8>(), 0..20),
            cut in any::<bool>(),
        ) {
            let mut file = files()[which].clone();
            let whole = read_all(&file);
            let at = at.index(file.len());
            let end = (at + change.len()).min(file.len());
            file.splice(at..end, change);
            if cut {
                file.truncate(at);
            }
            let read = read_all(&file);
            let before = whole.iter().zip(&whole[1..]).filter(|(_, next)| {
                which < 2 && next.as_ref().is_ok_and(|next| next.place.offset <= at as u64)
            });
            for ((one, _), again) in before.zip(&read) {
                let (one, again) = (one.as_ref().unwrap(), again.as_ref().unwrap());
                prop_assert_eq!(&one.block, &again.block);
            }
        }
    }
}
