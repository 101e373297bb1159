//! What differs between two states, and whether it is more than the time of day.
//!
//! DESIGN §1: a state is new when it shows text, links or pictures that its origin did not hold.
//! This says which, for `--explain`; and it holds two states equal when nothing differs but readings
//! of a clock that agree with each other and with the time between the two looks. A page number, a
//! counter, a price, a date is never a reading, so that no two states are merged by mistake; clocks
//! of other kinds are for [`learn_mask`](super::learn_mask).

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use super::content::{Item, ItemKind, items};
use super::reading::{Read, Reading, passed, read};
use crate::tree::{Dom, Kind, Mask, Node, XPath};

/// Items of each sort that are named; more are only counted.
const MOST_NAMED: usize = 20;
/// Characters of an item that are shown.
const SHOWN: usize = 60;
/// What a page may take to load between the clock's reading and ours, either way.
const SLACK_SECONDS: i64 = 5;

/// How two states differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    verdict: Verdict,
    /// Shown in the second state and not in the first.
    added: Vec<Shown>,
    /// Shown in the first state and not in the second.
    removed: Vec<Shown>,
    /// Where the readings of a clock are that differ.
    readings: Vec<String>,
    counts: [usize; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Same,
    OnlyClocks,
    /// The same things, but not as often or in another order.
    OtherOrder,
    Different,
}

/// Something that a state shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What it is: `text`, `link` or `picture`.
    pub what: &'static str,
    /// Its text or URL, cut to a length that a line holds.
    pub value: String,
    /// Where it stands.
    pub path: String,
}

impl Difference {
    /// Compares two looks at states, the second of which was at most `apart` after the first (or
    /// before it), outside what the mask names.
    ///
    /// ```
    /// use std::time::Duration;
    /// use page::state::Difference;
    /// use page::tree::{Mask, parse_str};
    ///
    /// let at = |time: &str, text: &str| parse_str(&format!("<h1>News</h1><p>{text}</p><p>{time}</p>")).dom;
    /// let minute = Duration::from_secs(60);
    /// let explain = |a, b| Difference::between(&a, &b, &Mask::default(), minute);
    ///
    /// let later = explain(at("12:03:55", "one"), at("12:04:20", "one"));
    /// assert!(later.is_equal());
    /// assert_eq!(later.to_string(), "equal: only the clock at /html/body/p[2] differs");
    ///
    /// let other = explain(at("12:03:55", "one"), at("12:04:20", "two"));
    /// assert!(!other.is_equal());
    /// assert_eq!(
    ///     other.to_string(),
    ///     "different: 2 texts that the first did not hold, first 'two'; 2 texts gone, first 'one'"
    /// );
    /// ```
    pub fn between(first: &Dom, second: &Dom, mask: &Mask, apart: Duration) -> Self {
        let (a, b) = (items(first, mask), items(second, mask));
        let differing: Vec<_> = a.iter().zip(&b).filter(|(x, y)| x.key() != y.key()).collect();
        let same_length = a.len() == b.len();
        if same_length && differing.is_empty() {
            return Difference::of(Verdict::Same);
        }
        let is_clock =
            |(a, b): &(&Item, &Item)| a.kind == ItemKind::Text && b.kind == ItemKind::Text;
        if same_length
            && differing.iter().all(is_clock)
            && let Some(readings) = only_clocks([first, second], &a, &differing, apart)
        {
            return Difference { readings, ..Difference::of(Verdict::OnlyClocks) };
        }
        let (added, count_added) = missing(second, &b, &a);
        let (removed, count_removed) = missing(first, &a, &b);
        let verdict = match count_added + count_removed {
            0 => Verdict::OtherOrder,
            _ => Verdict::Different,
        };
        Difference {
            added,
            removed,
            counts: [count_added, count_removed],
            ..Difference::of(verdict)
        }
    }

    fn of(verdict: Verdict) -> Self {
        let (added, removed, readings) = (Vec::new(), Vec::new(), Vec::new());
        Difference { verdict, added, removed, readings, counts: [0; 2] }
    }

    /// Whether they are to be held one state: the same, or the same but for the time.
    pub fn is_equal(&self) -> bool {
        matches!(self.verdict, Verdict::Same | Verdict::OnlyClocks)
    }

    /// Whether nothing at all differs.
    pub fn is_none(&self) -> bool {
        self.verdict == Verdict::Same
    }

    /// What the second shows that the first did not hold; at most 20 of these.
    pub fn added(&self) -> &[Shown] {
        &self.added
    }

    /// What the first showed that the second does not hold; at most 20 of these.
    pub fn removed(&self) -> &[Shown] {
        &self.removed
    }

    /// Where the readings of a clock are that differ.
    pub fn readings(&self) -> &[String] {
        &self.readings
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.verdict, self.readings.as_slice()) {
            (Verdict::Same, _) => out.write_str("equal: nothing differs"),
            (Verdict::OnlyClocks, [path]) => write!(out, "equal: only the clock at {path} differs"),
            (Verdict::OnlyClocks, paths) => {
                let first = paths.first().map_or("", String::as_str);
                write!(out, "equal: only {} clocks differ, first at {first}", paths.len())
            }
            (Verdict::OtherOrder, _) => out.write_str(
                "different: the same texts, links and pictures in another order or number",
            ),
            (Verdict::Different, _) => {
                let [added, removed] = self.counts;
                out.write_str("different: ")?;
                if let Some(first) = self.added.first() {
                    let what = plural(&self.added, added);
                    write!(
                        out,
                        "{added} {what} that the first did not hold, first '{}'",
                        first.value
                    )?;
                }
                if let Some(first) = self.removed.first() {
                    let gap = if added > 0 { "; " } else { "" };
                    write!(
                        out,
                        "{gap}{removed} {} gone, first '{}'",
                        plural(&self.removed, removed),
                        first.value
                    )?;
                }
                Ok(())
            }
        }
    }
}

fn plural(shown: &[Shown], count: usize) -> String {
    let ending = if count == 1 { "" } else { "s" };
    match shown {
        [first, rest @ ..] if rest.iter().all(|other| other.what == first.what) => {
            format!("{}{ending}", first.what)
        }
        _ => format!("thing{ending}"),
    }
}

/// The items of one state that the other does not hold: the first few, and how many.
fn missing(dom: &Dom, from: &[Item], other: &[Item]) -> (Vec<Shown>, usize) {
    let held: HashSet<_> = other.iter().map(Item::key).collect();
    let mut seen = HashSet::new();
    let mut shown = Vec::new();
    for item in from {
        if !held.contains(&item.key()) && seen.insert(item.key()) && shown.len() < MOST_NAMED {
            let mut value: String = item.value.chars().take(SHOWN).collect();
            if value.len() < item.value.len() {
                value.push('…');
            }
            shown.push(Shown { what: item.kind.name(), value, path: path_of(dom.node(item.node)) });
        }
    }
    (shown, seen.len())
}

/// The path of an element, or of the element that a text is in.
fn path_of(node: Node<'_>) -> String {
    let element = if node.kind() == Kind::Text { node.parent() } else { Some(node) };
    element.and_then(XPath::of).map(|path| path.to_string()).unwrap_or_default()
}

/// Where the readings are, if all that differs are readings of clocks that agree.
fn only_clocks(
    [first, second]: [&Dom; 2],
    all: &[Item],
    differing: &[(&Item, &Item)],
    apart: Duration,
) -> Option<Vec<String>> {
    let most = i64::try_from(apart.as_secs()).unwrap_or(i64::MAX).saturating_add(SLACK_SECONDS);
    let (mut least, mut longest) = (-most, most);
    let mut clocks = Vec::new();
    let mut paths = Vec::new();
    for (a, b) in differing {
        let (x, y) = (first.node(a.node), second.node(b.node));
        let (before, after) = (read_at(&a.value, x)?, read_at(&b.value, y)?);
        let path = path_of(x);
        if before.rest != after.rest
            || before.readings.len() != after.readings.len()
            || path != path_of(y)
        {
            return None;
        }
        for (one, other) in before.readings.iter().zip(&after.readings) {
            if one != other && is_too_coarse(*one, most) {
                return None;
            }
            let (from, to) = passed(*one, *other)?;
            (least, longest) = (least.max(from), longest.min(to));
            if let Reading::Clock { seconds, .. } = one {
                clocks.push(*seconds);
            }
        }
        paths.push(path);
    }
    // What says "ago" and stayed bounds the time as well.
    let changed: HashSet<_> = differing.iter().map(|(item, _)| item.node).collect();
    let stayed = |item: &&Item| item.kind == ItemKind::Text && !changed.contains(&item.node);
    for item in all.iter().filter(stayed) {
        let read = read_at(&item.value, first.node(item.node));
        for reading in read.into_iter().flat_map(|read| read.readings) {
            if let (Reading::Ago { .. }, Some((from, to))) = (reading, passed(reading, reading)) {
                (least, longest) = (least.max(from), longest.min(to));
            }
        }
    }
    // Clocks of one look show one time; rows of a log do not.
    let (earliest, latest) = (clocks.iter().min(), clocks.iter().max());
    let shows_one_time =
        earliest.zip(latest).is_none_or(|(earliest, latest)| latest - earliest <= 60);
    paths.dedup();
    (least <= longest && shows_one_time).then_some(paths)
}

/// "5 days ago" seldom becomes "6 days ago" between two looks that are a minute apart; two posts of
/// a day each say just that.
fn is_too_coarse(reading: Reading, most: i64) -> bool {
    matches!(reading, Reading::Ago { unit, .. } if unit > 60 && unit > most.saturating_mul(6))
}

/// Reads the text of a node.
pub(crate) fn read_at(text: &str, node: Node<'_>) -> Option<Read> {
    // In a row, an item or a post, a bare time says when something happened.
    let is_record = |node: Node<'_>| {
        matches!(
            node.name(),
            "tr" | "td"
                | "th"
                | "li"
                | "dd"
                | "dt"
                | "article"
                | "blockquote"
                | "time"
                | "a"
                | "option"
                | "h1"
                | "h2"
                | "h3"
        )
    };
    read(text, !node.ancestors().any(is_record))
}
