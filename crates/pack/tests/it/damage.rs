//! Damaged groups, and groups made to do harm: an error or other bytes, never a panic, never more memory than
//! the limits say.

use pack::{FORMAT, Group, PackError, Settings, unpack, unpack_all};
use proptest::prelude::*;

use crate::versions::{group, members, page};

#[test]
fn another_format_is_named() {
    let mut packed = group(Settings::default(), None, &[page(0, 5)]);
    packed[0] = 9;
    assert_eq!(unpack(&packed, None, 0), Err(PackError::Format { found: 9, known: FORMAT }));
}

#[test]
fn a_group_that_declares_too_much_is_refused_before_anything_is_decoded() {
    let huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
    for prefix in [&[FORMAT][..], &[FORMAT, 1], &[FORMAT, 0]] {
        let declared = [prefix, &huge, &[0; 32]].concat();
        assert!(matches!(Group::read(&declared), Err(PackError::TooLarge { .. })), "{prefix:?}");
    }
    // 16 members of 127 MB each: every one is allowed, all together are not.
    let many = [&[FORMAT, 16][..], &[0x80, 0x80, 0x80, 0x3f].repeat(16), &[0; 32]].concat();
    assert!(matches!(Group::read(&many), Err(PackError::TooLarge { what: "a group", .. })));
}

#[test]
fn steps_that_repeat_themselves_end_at_the_length_of_the_member() {
    // One member of one byte; its steps: no new bytes, then a reference to 2^30 chunks that are not there.
    let steps = [0, 2 << 6 | 62, 0xff, 0xff, 0xff, 0xff, 0x03, 0];
    let packed =
        [&[FORMAT, 1, 1, 0, 0, steps.len() as u8, steps.len() as u8][..], &steps, &[0]].concat();
    assert_eq!(unpack(&packed, None, 0), Err(PackError::Damaged("a step leads nowhere")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_change_of_a_group_makes_it_panic(
        members in members(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        with_base in any::<bool>(),
    ) {
        let base = page(3, 20);
        let base = with_base.then_some(&base[..]);
        let mut packed = group(Settings::default(), base, &members);
        for (at, byte) in changes {
            let at = at.index(packed.len());
            packed[at] = byte;
        }
        let _ = unpack_all(&packed, base);
        packed.truncate(cut.index(packed.len()) + 1);
        for index in 0..members.len() {
            let _ = unpack(&packed, base, index);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), model in any::<[u8; 2]>()) {
        let _ = unpack_all(&[&[FORMAT][..], &bytes].concat(), Some(b"<p>base"));
        // A stream that is nothing but what somebody wants the model to see.
        let steps = [0x80, 0x40, 62 | 1 << 6, 60, 63];
        let length = [0x80, 0x40];
        let header = [&[FORMAT, 1][..], &length, &[0, 0, 5, 5], &steps, &[model[0] % 66, model[1] % 4]].concat();
        let _ = unpack_all(&[&header[..], &[0], &bytes].concat(), None);
    }
}
