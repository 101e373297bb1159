//! Cuts and looks, written down and read back.

use page::block::{BlockAt, Cut, Display, Look, Looks, Rect, partition};
use page::tree::{NodeId, parse_str};
use proptest::prelude::*;

use crate::tree_strategy::any_tree;

proptest! {
    #[test]
    fn a_cut_reads_back_from_its_bytes(dom in any_tree(), level in 0_u16..7, opened in any::<u64>()) {
        let tree = partition(&dom, None);
        for cut in [Cut::at_level(&tree, level), Cut::opening(&tree, |at| opened >> (at.0 % 64) & 1 == 1)] {
            let bytes = cut.to_bytes(&tree);
            prop_assert_eq!(Cut::from_bytes(&tree, &bytes), Some(cut));
            let longer = [bytes.as_slice(), &[0]].concat();
            prop_assert_eq!(Cut::from_bytes(&tree, &longer), None);
        }
    }

    #[test]
    fn any_bytes_as_a_cut_or_as_looks_do_no_harm(dom in any_tree(), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let tree = partition(&dom, None);
        if let Some(cut) = Cut::from_bytes(&tree, &bytes) {
            prop_assert_eq!(cut.to_bytes(&tree), bytes.clone());
        }
        let versioned = [&[1], bytes.as_slice()].concat();
        if let Some(looks) = Looks::from_bytes(&versioned) {
            prop_assert_eq!(Looks::from_bytes(&looks.to_bytes()), Some(looks.clone()));
            partition(&dom, Some(&looks));
        }
    }

    #[test]
    fn looks_read_back_from_their_bytes(looks in prop::collection::vec(any_look(), 0..30)) {
        let mut node = 0;
        let looks = looks.into_iter().map(|(step, look)| {
            node += step;
            (NodeId(node), look)
        });
        let looks = Looks::new(looks.collect());
        prop_assert_eq!(Looks::from_bytes(&looks.to_bytes()), Some(looks));
    }
}

fn any_look() -> impl Strategy<Value = (u32, Look)> {
    let display =
        prop::sample::select(vec![Display::None, Display::Block, Display::Cell, Display::Contents]);
    let rect = prop::array::uniform4(any::<i32>());
    (1_u32..100, display, rect, any::<u16>(), any::<u32>()).prop_map(
        |(step, display, rect, weight, colour)| {
            let [x, y, width, height] = rect;
            (
                step,
                Look {
                    display,
                    x,
                    y,
                    width,
                    height,
                    font_size: weight,
                    weight,
                    colour,
                    background: colour,
                },
            )
        },
    )
}

#[test]
fn the_looks_of_a_page_of_two_thousand_elements_take_less_than_ten_kilobytes() {
    // A list of cards in three columns: what a page of that size looks like.
    let of = (0..2000_i32).map(|at| {
        let (card, part) = (at / 5, at % 5);
        let look = Look {
            display: if part < 3 { Display::Block } else { Display::Inline },
            x: 20 + 400 * (card % 3) + 8 * part,
            y: 300 * (card / 3) + 60 * part,
            width: 380 - 16 * part,
            height: 280 / (part + 1),
            font_size: 140 + 10 * part as u16,
            weight: 400,
            colour: 0x22_22_22_ff,
            background: 0,
        };
        (NodeId(2 * at as u32 + 3), look)
    });
    let bytes = Looks::new(of.collect()).to_bytes();
    assert!(bytes.len() < 10_000, "{} bytes", bytes.len());
}

#[test]
fn the_box_of_a_block_is_around_all_that_it_shows() {
    let dom = parse_str("<div><p>one</p><p>two</p><p hidden>three</p></div>").dom;
    let looks = dom.elements().zip(0..).map(|(node, at)| {
        let display =
            if node.attribute("hidden").is_some() { Display::None } else { Display::Block };
        let is_small = node.name() == "p";
        let size = if is_small { 10 } else { 0 };
        (
            node.id(),
            Look { display, x: 7, y: 100 * at, width: size, height: size, ..Look::default() },
        )
    });
    let looks = Looks::new(looks.collect());
    let tree = partition(&dom, Some(&looks));
    let around = looks.box_of(&dom, tree.block(BlockAt::PAGE));
    assert_eq!(around, Some(Rect { x: 7, y: 400, width: 10, height: 110 }));
}

#[test]
fn a_node_is_found_in_its_block() {
    let dom =
        parse_str("<body><nav><a href=/>Home</a></nav><script>s()</script><main><p>One</main>").dom;
    let tree = partition(&dom, None);
    let cut = Cut::at_level(&tree, 1);
    let named =
        |name: &str| dom.elements().find(|node| node.name() == name).map(|node| node.id()).unwrap();
    assert_eq!(cut.containing(&tree, named("a")), Some(cut.blocks()[0]));
    assert_eq!(cut.containing(&tree, named("p")), Some(cut.blocks()[1]));
    assert_eq!(cut.containing(&tree, named("script")), None);
}
