//! Any bytes as a page: its blocks lie within each other and overlap nowhere.

#![no_main]

use libfuzzer_sys::fuzz_target;
use page::block::{BlockAt, BlockTree, Cut, Display, Look, Looks, partition};
use page::tree::{Dom, parse};

fuzz_target!(|input: (&[u8], &[u8], Vec<[i16; 4]>)| {
    let (page, stored, boxes) = input;
    let dom = parse(page, None).dom;
    check(&dom, &partition(&dom, None));
    let looks = looks(&dom, &boxes);
    check(&dom, &partition(&dom, Some(&looks)));
    assert_eq!(Looks::from_bytes(&looks.to_bytes()), Some(looks));
    if let Some(looks) = Looks::from_bytes(stored) {
        check(&dom, &partition(&dom, Some(&looks)));
    }
    let tree = partition(&dom, None);
    if let Some(cut) = Cut::from_bytes(&tree, stored) {
        assert_eq!(cut.to_bytes(&tree), stored);
    }
});

/// Looks that a browser would not give: any box, any display.
fn looks(dom: &Dom, boxes: &[[i16; 4]]) -> Looks {
    let displays = [Display::None, Display::Inline, Display::Block, Display::Flex, Display::Contents];
    let mut boxes = boxes.iter().cycle();
    let look = |[x, y, width, height]: [i16; 4]| Look {
        display: displays[usize::from(x.unsigned_abs()) % displays.len()],
        x: x.into(),
        y: y.into(),
        width: width.into(),
        height: height.into(),
        font_size: y.unsigned_abs(),
        weight: height.unsigned_abs(),
        ..Look::default()
    };
    let of = dom.elements().filter_map(|node| Some((node.id(), look(*boxes.next()?))));
    Looks::new(of.collect())
}

fn check(dom: &Dom, tree: &BlockTree) {
    for at in (0..tree.blocks().len() as u32).map(BlockAt) {
        let block = tree.block(at);
        let mut from = block.first;
        for child in tree.children(at).map(|child| tree.block(child)) {
            assert!(child.first >= from && child.end <= block.end && child.level > block.level);
            from = child.end;
        }
        let parent = dom.node(block.first).parent();
        let mut node = block.first;
        while node < block.end {
            assert!(dom.node(node).parent() == parent);
            node = dom.node(node).end();
        }
        assert_eq!(node, block.end);
    }
    for level in [1, 3, u16::MAX] {
        let cut = Cut::at_level(tree, level);
        assert_eq!(Cut::from_bytes(tree, &cut.to_bytes(tree)).as_ref(), Some(&cut));
    }
}
