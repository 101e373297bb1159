//! Random edits of random pages: no visible text that changed is missed.

use std::collections::HashMap;
use std::time::Duration;

use page::block::{BlockAt, Context, Cut, Matching, Past, compare, recut};
use page::tree::{Kind, Step, visible_text};
use proptest::prelude::*;

use super::compare::Version;

/// A part of a page.
#[derive(Clone, Debug)]
enum Part {
    Words(&'static str, Vec<u16>),
    Holds(&'static str, Vec<Part>),
}

impl Part {
    fn write(&self, html: &mut String) {
        match self {
            Part::Words(name, words) => {
                let words: Vec<_> = words.iter().map(|word| format!("w{word}")).collect();
                html.push_str(&format!("<{name}>{}</{name}>", words.join(" ")));
            }
            Part::Holds(name, parts) => {
                html.push_str(&format!("<{name}>"));
                parts.iter().for_each(|part| part.write(html));
                html.push_str(&format!("</{name}>"));
            }
        }
    }

    /// Edits the part that `path` leads to.
    fn edit(&mut self, path: &[u8], edit: &Edit) {
        match (self, path) {
            (Part::Holds(_, parts), [step, rest @ ..]) if !parts.is_empty() => {
                let at = usize::from(*step) % parts.len();
                match (rest, edit) {
                    ([], Edit::Insert(part)) => parts.insert(at, part.clone()),
                    ([], Edit::Remove) => drop(parts.remove(at)),
                    ([], Edit::Rotate) => parts.rotate_left(at),
                    ([], Edit::Wrap) => {
                        let inner = parts[at].clone();
                        parts[at] = Part::Holds("div", vec![inner]);
                    }
                    _ => parts[at].edit(rest, edit),
                }
            }
            (Part::Words(_, words), _) => match edit {
                Edit::Word(word) => {
                    let at = words.len() / 2;
                    words.insert(at, *word);
                }
                Edit::Remove => drop(words.pop()),
                _ => words.reverse(),
            },
            _ => {}
        }
    }
}

#[derive(Clone, Debug)]
enum Edit {
    Word(u16),
    Insert(Part),
    Remove,
    Rotate,
    Wrap,
}

fn any_part() -> impl Strategy<Value = Part> {
    let words = prop::collection::vec(0..60u16, 0..12);
    let name = prop::sample::select(vec!["p", "span", "b", "h2", "td", "li", "a", "div"]);
    let leaf = (name, words).prop_map(|(name, words)| Part::Words(name, words));
    leaf.prop_recursive(5, 60, 6, |inner| {
        let name =
            prop::sample::select(vec!["div", "section", "ul", "table", "tr", "div", "center"]);
        (name, prop::collection::vec(inner, 0..6))
            .prop_map(|(name, parts)| Part::Holds(name, parts))
    })
}

fn any_edit() -> impl Strategy<Value = (Vec<u8>, Edit)> {
    let edit = prop_oneof![
        4 => (0..60u16).prop_map(Edit::Word),
        2 => any_part().prop_map(Edit::Insert),
        2 => Just(Edit::Remove),
        1 => Just(Edit::Rotate),
        1 => Just(Edit::Wrap),
    ];
    (prop::collection::vec(any::<u8>(), 1..6), edit)
}

fn html(parts: &[Part]) -> String {
    let mut html = String::new();
    parts.iter().for_each(|part| part.write(&mut html));
    html
}

/// The visible texts of a page as a multiset.
fn texts(version: &Version) -> HashMap<String, usize> {
    let mut texts = HashMap::new();
    let mut walk = version.dom.walk();
    while let Some(step) = walk.next() {
        let Step::Open(node) = step else { continue };
        if node.name() == "head" {
            walk.skip_inside();
        } else if node.kind() == Kind::Text && !node.text().trim().is_empty() {
            *texts.entry(node.text().trim().to_owned()).or_default() += 1;
        }
    }
    texts
}

/// The texts that are more often in one page than in the other.
fn more_often(a: &HashMap<String, usize>, b: &HashMap<String, usize>) -> Vec<String> {
    let is_more = |(text, count): &(&String, &usize)| **count > b.get(*text).copied().unwrap_or(0);
    a.iter().filter(is_more).map(|(text, _)| text.clone()).collect()
}

/// Compares two versions and checks all that must hold of a comparison.
fn check(old: &Version, old_cut: &Cut, new: &Version, level: u16) -> Result<Cut, TestCaseError> {
    let matching = Matching::between(old.reading(), new.reading());
    let cut = matching.carry(old_cut, level);
    let context = Context::apart(Duration::from_secs(60));
    let found = compare((old.reading(), old_cut), (new.reading(), &cut), &matching, &context);

    let blocks: Vec<_> = found.fates.iter().map(|fate| fate.block).collect();
    prop_assert_eq!(&blocks[..], cut.blocks());
    let mut ends = cut.blocks().iter().map(|at| new.tree.block(*at));
    let mut last = ends.next().map(|block| block.end);
    for block in ends {
        prop_assert!(last.is_some_and(|end| end <= block.first), "blocks of a cut do not overlap");
        last = Some(block.end);
    }
    let mut from: Vec<BlockAt> =
        found.fates.iter().filter_map(|fate| fate.from).chain(found.removed.clone()).collect();
    from.sort_unstable();
    prop_assert_eq!(&from[..], old_cut.blocks(), "each old block continues once or is removed");

    let mut told: Vec<_> = found.removed.iter().map(|at| old.text(*at)).collect();
    for fate in
        found.fates.iter().filter(|fate| fate.is_added() || fate.kind.is_some() || fate.moved)
    {
        told.push(new.text(fate.block));
        told.extend(fate.from.map(|at| old.text(at)));
    }
    let (before, after) = (texts(old), texts(new));
    for text in [more_often(&after, &before), more_often(&before, &after)].concat() {
        prop_assert!(told.iter().any(|told| told.contains(&text)), "missed {text:?}");
    }
    // What is not told of stands in the same order as before.
    let quiet = found.fates.iter().filter(|fate| fate.kind.is_none() && !fate.moved);
    let (mut was, mut is) = (Vec::new(), Vec::new());
    for (from, fate) in quiet.filter_map(|fate| Some((fate.from?, fate))) {
        prop_assert!(
            was.last().is_none_or(|last| *last < from),
            "an unmoved block keeps its place"
        );
        was.push(from);
        is.push(fate.block);
    }
    for (from, block) in was.into_iter().zip(is) {
        prop_assert_eq!(old.text(from), new.text(block));
    }
    // And there is no text outside the blocks.
    let shown: String = cut.blocks().iter().map(|at| new.text(*at) + " ").collect();
    let words = |text: &str| text.split_whitespace().collect::<String>();
    prop_assert_eq!(words(&shown), words(&visible_text(&new.dom)));
    Ok(cut)
}

proptest! {
    #[test]
    fn no_visible_text_that_changed_is_missed(
        parts in prop::collection::vec(any_part(), 1..6),
        edits in prop::collection::vec(any_edit(), 1..6),
        level in 0..5u16,
    ) {
        let mut page = Part::Holds("div", parts);
        let old = Version::of(&html(std::slice::from_ref(&page)));
        for (path, edit) in &edits {
            page.edit(path, edit);
        }
        let new = Version::of(&html(&[page]));
        let cut = Cut::at_level(&old.tree, level);
        let carried = check(&old, &cut, &new, level)?;
        check(&new, &carried, &old, level)?;
    }

    #[test]
    fn a_cut_that_history_made_misses_nothing_either(
        parts in prop::collection::vec(any_part(), 1..6),
        edits in prop::collection::vec(any_edit(), 1..4),
        pasts in prop::collection::vec((0..30u32, prop::collection::vec(0..30u32, 0..4), 0..1000u16), 1..30),
    ) {
        let mut page = Part::Holds("div", parts);
        let old = Version::of(&html(std::slice::from_ref(&page)));
        for (path, edit) in &edits {
            page.edit(path, edit);
        }
        let new = Version::of(&html(&[page]));
        let mut cut = Cut::at_level(&old.tree, 2);
        for round in 0..3 {
            let past: Vec<_> = (0..cut.blocks().len())
                .map(|at| {
                    let (lived, changed, share) = pasts[(at + round) % pasts.len()].clone();
                    Past { lived, changed, share }
                })
                .collect();
            cut = recut(&old.tree, old.reading().contents, &cut, &past).unwrap_or(cut);
        }
        check(&old, &cut, &new, 2)?;
        let same = check(&old, &cut, &old, 2)?;
        prop_assert_eq!(same, cut);
    }
}
