//! Any bytes as an archive: reading ends, and never panics.

#![no_main]

use std::io::Cursor;

use derive::warc::WarcReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut reader) = WarcReader::new(Cursor::new(bytes)) else { return };
    let mut places = Vec::new();
    while let Ok(Some(read)) = reader.next_record() {
        let offset = match &read {
            Ok(record) => record.place.offset,
            Err(bad) => bad.offset,
        };
        assert!(offset <= bytes.len() as u64);
        places.extend(read.ok().map(|record| (record.place, record.block)));
    }
    // What was read once is found again.
    for (place, block) in places.iter().rev().take(10) {
        let again = reader.record_at(*place).ok().flatten();
        assert_eq!(again.map(|record| record.block).as_ref(), Some(block));
    }
});
