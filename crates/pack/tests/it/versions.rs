//! Versions come back byte for byte, one by one or all together, and take little.

use pack::{Group, MAX_MEMBER, PackError, Packer, Settings, unpack, unpack_all};
use proptest::prelude::*;

/// A list page with `count` entries from number `from` on.
pub(crate) fn page(from: usize, count: usize) -> Vec<u8> {
    let entry = |number: usize| {
        let words = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!(
            "<li class=\"entry\"><a href=\"/posts/{number}\">Title {words:x}</a> by user {}</li>\n",
            words % 89
        )
    };
    let entries: String = (from..from + count).map(entry).collect();
    format!("<!DOCTYPE html><title>List</title><ul>\n{entries}</ul>").into_bytes()
}

pub(crate) fn group(settings: Settings, base: Option<&[u8]>, members: &[Vec<u8>]) -> Vec<u8> {
    let mut packer = Packer::new(settings, base);
    for member in members {
        assert!(packer.push(member).expect("members of a test are small"));
    }
    packer.finish()
}

fn check(group: &[u8], base: Option<&[u8]>, members: &[Vec<u8>]) {
    let read = Group::read(group).expect("a group that was just packed");
    assert_eq!(read.lengths(), members.iter().map(Vec::len).collect::<Vec<_>>());
    assert_eq!(read.base().map(|base| base.length), base.map(|base| base.len() as u64));
    assert_eq!(read.unpack_all(base).as_deref(), Ok(members));
    for (index, member) in members.iter().enumerate() {
        assert_eq!(unpack(group, base, index).as_ref(), Ok(member));
    }
}

#[test]
fn versions_of_a_page_take_a_fraction_of_what_they_take_alone() {
    let versions: Vec<Vec<u8>> = (0..64).map(|at| page(at, 200)).collect();
    let packed = group(Settings::default(), None, &versions);
    check(&packed, None, &versions);
    let alone = group(Settings::default(), None, &versions[..1]);
    assert!(packed.len() < 3 * alone.len(), "{} bytes, one alone {}", packed.len(), alone.len());
}

#[test]
fn a_base_spares_what_the_group_shares_with_it() {
    let versions: Vec<Vec<u8>> = (0..4).map(|at| page(at, 200)).collect();
    let next: Vec<Vec<u8>> = (4..8).map(|at| page(at, 200)).collect();
    let key = versions.last().map(Vec::as_slice);
    let with_base = group(Settings::default(), key, &next);
    check(&with_base, key, &next);
    let without = group(Settings::default(), None, &next);
    assert!(
        with_base.len() * 5 < without.len(),
        "{} bytes, without {}",
        with_base.len(),
        without.len()
    );
    // What is not shared with it is packed better for its words.
    let other = [page(1000, 200)];
    let unprimed = Settings { prime: 0, ..Settings::default() };
    assert!(group(Settings::default(), key, &other).len() < group(unprimed, key, &other).len());
}

#[test]
fn a_group_with_another_base_or_none_is_refused() {
    let (base, other) = (page(0, 50), page(1, 50));
    let packed = group(Settings::default(), Some(&base), &[page(2, 50)]);
    for wrong in [None, Some(&other[..]), Some(&base[1..])] {
        let error = unpack(&packed, wrong, 0).expect_err("the base is wrong");
        assert!(matches!(error, PackError::Base { needed, .. } if needed == base.len() as u64));
    }
}

#[test]
fn the_last_member_needs_only_the_beginning_of_a_group() {
    let versions: Vec<Vec<u8>> = (0..20).map(|at| page(at * 100, 100)).collect();
    let packed = group(Settings::default(), None, &versions);
    let beginning = &packed[..packed.len() / 4];
    assert_eq!(unpack(beginning, None, 19).as_ref(), Ok(&versions[19]));
    assert!(unpack(beginning, None, 18).is_err());
}

#[test]
fn a_full_group_refuses_a_member_and_is_as_if_it_had_not_seen_it() {
    let large = page(0, 2000);
    let settings = Settings { members: 4, new_bytes: large.len() / 2, ..Settings::default() };
    let mut packer = Packer::new(settings, None);
    assert_eq!(packer.push(&large), Ok(true), "the first is always taken");
    assert_eq!(packer.push(&page(5000, 100)), Ok(false), "too much new");
    assert_eq!(packer.push(&large), Ok(true), "nothing new");
    check(&packer.finish(), None, &[large.clone(), large.clone()]);

    let settings = Settings { members: 2, new_bytes: large.len() * 2, ..Settings::default() };
    let mut packer = Packer::new(settings, None);
    assert_eq!(packer.push(&large), Ok(true));
    assert_eq!(packer.push(&page(5000, 100)), Ok(true));
    assert_eq!(packer.push(&large), Ok(false), "too many");
    check(&packer.finish(), None, &[large, page(5000, 100)]);
}

#[test]
fn empty_and_absent_members_are_no_trouble() {
    check(&Packer::new(Settings::default(), None).finish(), None, &[]);
    let empty = [Vec::new(), page(0, 10), Vec::new()];
    check(&group(Settings::default(), None, &empty), None, &empty);
    check(&group(Settings::default(), Some(b""), &empty), Some(b""), &empty);
    assert_eq!(
        unpack_all(&group(Settings::default(), None, &empty), None).map(|all| all.len()),
        Ok(3)
    );
    let none = unpack(&group(Settings::default(), None, &empty), None, 3);
    assert_eq!(none, Err(PackError::NoMember { index: 3, members: 3 }));
}

#[test]
fn a_member_beyond_the_limit_is_an_error() {
    let error = Packer::new(Settings::default(), None).push(&vec![0; MAX_MEMBER + 1]);
    assert!(matches!(error, Err(PackError::TooLarge { what: "a member", .. })));
}

/// Pieces of which members are put together, so that they share chunks in other orders and at other places.
fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let html = (0..40usize, 1..12usize).prop_map(|(from, count)| page(from * 3, count));
    let text = "[ -~\n]{0,400}".prop_map(String::into_bytes);
    let bytes = proptest::collection::vec(any::<u8>(), 0..1500);
    let same = (any::<u8>(), 0..3000usize).prop_map(|(byte, count)| vec![byte; count]);
    proptest::collection::vec(prop_oneof![html, text, bytes, same], 1..8)
}

pub(crate) fn members() -> impl Strategy<Value = Vec<Vec<u8>>> {
    (pieces(), proptest::collection::vec(proptest::collection::vec(any::<usize>(), 0..12), 0..8))
        .prop_map(|(pieces, members)| {
            let whole = |member: Vec<usize>| {
                member.iter().flat_map(|at| &pieces[at % pieces.len()]).copied().collect()
            };
            members.into_iter().map(whole).collect()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_packed_comes_back(members in members(), prime in 0..5000usize, order in 0..70u8) {
        let settings = Settings { prime, orders: vec![order].leak(), ..Settings::default() };
        check(&group(settings, None, &members), None, &members);
        if let Some((base, members)) = members.split_first() {
            check(&group(settings, Some(base), members), Some(base), members);
        }
    }
}
