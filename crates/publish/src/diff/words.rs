//! Two texts, line by line and word by word.

use std::time::{Duration, Instant};

use serde::Serialize;
use similar::{ChangeTag, DiffOp, TextDiff, capture_diff_slices_deadline};

/// Time that the finest difference of two texts may take; a coarser one is given after that.
const PATIENCE: Duration = Duration::from_millis(200);

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Op {
    /// It is no more.
    #[serde(rename = "-")]
    Removed,
    /// It was not there.
    #[serde(rename = "+")]
    Added,
    /// It is in both.
    #[serde(rename = " ")]
    Kept,
}

/// A line of two texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// What became of it.
    pub op: Op,
    /// The line.
    pub text: String,
}

/// The lines of two texts, in order. Of those that are in both, the neighbours of what differs.
pub(super) fn edits(old: &str, new: &str) -> Vec<Edit> {
    // A last line without an end would differ from the same line elsewhere.
    let (old, new) = (format!("{old}\n"), format!("{new}\n"));
    let diff = TextDiff::configure().deadline(Instant::now() + PATIENCE).diff_lines(&old, &new);
    let groups = diff.grouped_ops(1);
    let changes = groups.iter().flatten().flat_map(|op| diff.iter_changes(op));
    let edit = |change: similar::Change<&str>| Edit {
        op: match change.tag() {
            ChangeTag::Delete => Op::Removed,
            ChangeTag::Insert => Op::Added,
            ChangeTag::Equal => Op::Kept,
        },
        text: change.value().trim_end_matches('\n').to_owned(),
    };
    changes.map(edit).collect()
}

/// A piece of a line, and whether the other line has it, too.
pub type Piece = (bool, String);

/// The words of two lines: the old line's, the new one's.
pub fn marked(old: &str, new: &str) -> (Vec<Piece>, Vec<Piece>) {
    let (old, new) = (pieces(old), pieces(new));
    let deadline = Some(Instant::now() + PATIENCE);
    let ops = capture_diff_slices_deadline(similar::Algorithm::Patience, &old, &new, deadline);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for op in ops {
        let same = matches!(op, DiffOp::Equal { .. });
        before.push((same, old[op.old_range()].concat()));
        after.push((same, new[op.new_range()].concat()));
    }
    // Two sentences about different things share a few words by chance.
    let all: usize = old.iter().chain(&new).map(|piece| piece.len()).sum();
    let shared: usize = before.iter().filter(|(same, _)| *same).map(|(_, text)| text.len()).sum();
    if 4 * shared < all {
        return (vec![(false, old.concat())], vec![(false, new.concat())]);
    }
    let said = |side: Vec<Piece>| side.into_iter().filter(|(_, text)| !text.is_empty()).collect();
    (said(before), said(after))
}

/// Words and what is between them; characters that are words of their own, as Chinese ones are.
fn pieces(line: &str) -> Vec<&str> {
    let is_own = |c: char| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}');
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut before: Option<char> = None;
    for (at, c) in line.char_indices() {
        let parts = before.is_some_and(|before| {
            is_own(before) || is_own(c) || before.is_alphanumeric() != c.is_alphanumeric()
        });
        if parts {
            pieces.push(&line[from..at]);
            from = at;
        }
        before = Some(c);
    }
    pieces.push(&line[from..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_price_is_one_word() {
        let (before, after) = marked("only 12 euro", "only 13 euro");
        let changed = |side: &[(bool, String)]| -> Vec<String> {
            side.iter().filter(|(same, _)| !same).map(|(_, text)| text.clone()).collect()
        };
        assert_eq!((changed(&before), changed(&after)), (vec!["12".into()], vec!["13".into()]));
    }

    #[test]
    fn lines_about_different_things_are_marked_whole() {
        let (before, _) = marked("The board said on Monday no", "At a market they spoke to us");
        assert_eq!(before, [(false, "The board said on Monday no".to_owned())]);
    }

    #[test]
    fn a_line_that_is_last_in_one_text_only_is_the_same_line() {
        let kept: Vec<Op> = edits("a\nb", "a\nb\nc").iter().map(|edit| edit.op).collect();
        assert_eq!(kept, [Op::Kept, Op::Added]);
    }

    #[test]
    fn chinese_is_compared_character_by_character() {
        let (before, after) = marked("昨天下雨", "今天下雨");
        assert_eq!(before.first(), Some(&(false, "昨".to_owned())));
        assert_eq!(after.first(), Some(&(false, "今".to_owned())));
    }

    #[test]
    fn lines_far_from_a_change_are_left_out() {
        let old: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let edits = edits(&old, &old.replace("line 50\n", "line fifty\n"));
        assert_eq!(edits.len(), 4);
        assert_eq!(edits[1], Edit { op: Op::Removed, text: "line 50".into() });
    }
}
