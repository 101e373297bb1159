//! Any bytes as versions: they come back. Any bytes as a group: no panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pack::{Group, Packer, Settings, unpack, unpack_all};

fuzz_target!(|input: (Vec<Vec<u8>>, Option<&[u8]>, &[u8], Vec<(u16, u8)>)| {
    let (members, base, bytes, changes) = input;
    let _ = unpack_all(bytes, base);
    let mut packer = Packer::new(Settings { prime: 4096, ..Settings::default() }, base);
    let taken = members.iter().take_while(|member| packer.push(member) == Ok(true)).count();
    let mut group = packer.finish();
    assert_eq!(unpack_all(&group, base).as_deref(), Ok(&members[..taken]));
    for (index, member) in members[..taken].iter().enumerate() {
        assert_eq!(unpack(&group, base, index).as_ref(), Ok(member));
    }
    for (at, byte) in changes {
        let at = usize::from(at) % group.len();
        group[at] = byte;
    }
    if let Ok(read) = Group::read(&group) {
        let _ = read.unpack_all(base);
    }
});
