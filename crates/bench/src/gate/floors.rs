//! The floors: one line a count in `floors.tsv`, and what became of them.
//!
//! A line has the name of the count, `at least` or `at most`, the limit and a note. The note may mark a
//! known failure (`known failure: why`), which is reported and fails nothing, or say that a count
//! depends on chance (`varies: why`), so that its limit is chosen by a person.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, bail, ensure};

use super::counts::{Bound, Counts};

const HEADER: &str = "count\tbound\tlimit\tnote";
const KNOWN_FAILURE: &str = "known failure: ";
const VARIES: &str = "varies: ";

/// The limit of one count.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// Which side the limit is on.
    pub bound: Bound,
    /// The limit itself.
    pub limit: i64,
    /// Nothing, a known failure, or why the count varies.
    note: String,
}

impl Floor {
    /// Why the limit does not hold today, where that is known.
    pub fn known_failure(&self) -> Option<&str> {
        self.note.strip_prefix(KNOWN_FAILURE)
    }

    fn varies(&self) -> bool {
        self.note.starts_with(VARIES)
    }
}

/// The limits of all counts, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Floors(BTreeMap<String, Floor>);

impl Floors {
    /// Reads the file's text.
    ///
    /// # Errors
    /// Names the line that is not one of a floor, is there twice, or is out of order.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut lines = (1..).zip(text.lines());
        let header = lines.next().map(|(_, line)| line);
        ensure!(header == Some(HEADER), "line 1 of the floors is not {HEADER:?}");
        let mut floors = BTreeMap::new();
        let mut last = String::new();
        for (number, line) in lines {
            let (name, floor) =
                parse_line(line).with_context(|| format!("line {number} of the floors"))?;
            ensure!(name > last, "line {number} of the floors: {name} comes after {last}");
            last.clone_from(&name);
            floors.insert(name, floor);
        }
        Ok(Self(floors))
    }

    /// As the file has it, sorted by name.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (name, Floor { bound, limit, note }) in &self.0 {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{name}\t{bound}\t{limit}\t{note}");
        }
        text
    }

    /// The same with every limit that a count is better than moved to that count, and a limit for
    /// every count that has none. Limits of counts that vary are a person's choice and stay.
    pub fn raised(mut self, counts: &Counts) -> Self {
        for (name, (bound, count)) in &counts.0 {
            let new = Floor { bound: *bound, limit: *count, note: String::new() };
            let floor = self.0.entry(name.clone()).or_insert(new);
            if floor.bound == *bound && !floor.varies() && bound.holds(*count, floor.limit) {
                floor.limit = *count;
            }
        }
        self
    }

    /// Compares counts with their limits. `is_asked` says whether the case of a count was to be
    /// measured; `failed` has the cases that ended with an error.
    pub fn compare(
        &self,
        counts: &Counts,
        is_asked: impl Fn(&str) -> bool,
        failed: &BTreeMap<String, String>,
    ) -> Verdict {
        let mut verdict = Verdict::default();
        for (name, (bound, count)) in &counts.0 {
            let Some(floor) = self.0.get(name) else {
                verdict.lost.push(format!("{name}: {count}, and the floors have no limit for it"));
                continue;
            };
            if floor.bound != *bound {
                let says =
                    format!("{name}: counted as {bound}, and the floors say {}", floor.bound);
                verdict.lost.push(says);
                continue;
            }
            let says = format!("{name}: {count}, {bound} {}", floor.limit);
            match (bound.holds(*count, floor.limit), floor.known_failure()) {
                (true, None) => {}
                (true, Some(_)) => {
                    verdict.holding.push(format!("{says}: holds now: remove the mark"));
                }
                (false, None) => verdict.lost.push(says),
                (false, Some(why)) => verdict.known.push(format!("{says} (known failure: {why})")),
            }
        }
        for (name, floor) in &self.0 {
            let case = case_of(name);
            if counts.0.contains_key(name) || !is_asked(case) || failed.contains_key(case) {
                continue;
            }
            let Floor { bound, limit, .. } = floor;
            verdict.lost.push(format!("{name}: not measured, {bound} {limit}"));
        }
        for (case, error) in failed {
            verdict.lost.push(format!("{case}: not measured: {error}"));
        }
        verdict
    }

    /// The limit of a count.
    pub fn get(&self, name: &str) -> Option<&Floor> {
        self.0.get(name)
    }
}

/// The case that a count belongs to.
pub fn case_of(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

fn parse_line(line: &str) -> anyhow::Result<(String, Floor)> {
    let [name, bound, limit, note] = line.split('\t').collect::<Vec<_>>()[..] else {
        bail!("it has not the four columns {HEADER:?}: {line:?}");
    };
    ensure!(name.contains(' '), "{name:?} is not a case, a space and a count");
    let is_note = note.is_empty()
        || [KNOWN_FAILURE, VARIES]
            .iter()
            .any(|mark| note.strip_prefix(mark).is_some_and(|why| !why.is_empty()));
    ensure!(is_note, "the note {note:?} begins neither with {KNOWN_FAILURE:?} nor {VARIES:?}");
    let bound = bound.parse().map_err(anyhow::Error::msg)?;
    let limit = limit.parse().with_context(|| format!("{limit:?} is not a number"))?;
    Ok((name.to_owned(), Floor { bound, limit, note: note.to_owned() }))
}

/// What became of the floors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Counts beyond their limits, not measured, or without a limit.
    pub lost: Vec<String>,
    /// Known failures that still fail.
    pub known: Vec<String>,
    /// Known failures that do not.
    pub holding: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "count\tbound\tlimit\tnote\n\
        blog events\tat most\t300\tvaries: which tab is first\n\
        blog found\tat least\t381\tknown failure: filters\n\
        blog twice\tat most\t0\t\n\
        maze found\tat least\t131\t\n";

    fn counted(case: &str, counts: &[(&str, Bound, i64)]) -> Counts {
        let named = |(what, bound, count): &(&str, Bound, i64)| {
            (format!("{case} {what}"), (*bound, *count))
        };
        Counts(counts.iter().map(named).collect())
    }

    fn blog(events: i64, found: i64, twice: i64) -> Counts {
        counted(
            "blog",
            &[
                ("events", Bound::AtMost, events),
                ("found", Bound::AtLeast, found),
                ("twice", Bound::AtMost, twice),
            ],
        )
    }

    fn verdict(counts: &Counts) -> Verdict {
        Floors::parse(FILE).unwrap().compare(counts, |case| case == "blog", &BTreeMap::new())
    }

    #[test]
    fn what_is_lost_is_named_with_its_limit_and_a_known_failure_fails_nothing() {
        let found = verdict(&blog(300, 54, 1));
        assert_eq!(found.lost, ["blog twice: 1, at most 0"]);
        assert_eq!(found.known, ["blog found: 54, at least 381 (known failure: filters)"]);
        assert!(found.holding.is_empty());
    }

    #[test]
    fn a_known_failure_that_holds_again_is_reported_and_does_not_fail() {
        let found = verdict(&blog(10, 381, 0));
        assert!(found.lost.is_empty() && found.known.is_empty());
        assert_eq!(found.holding, ["blog found: 381, at least 381: holds now: remove the mark"]);
    }

    #[test]
    fn a_count_that_was_not_measured_or_has_no_limit_fails_if_its_case_was_asked_for() {
        let mut counts = blog(1, 381, 0);
        counts.0.remove("blog twice");
        counts.0.insert("blog pages".into(), (Bound::AtLeast, 5));
        assert_eq!(
            verdict(&counts).lost,
            [
                "blog pages: 5, and the floors have no limit for it",
                "blog twice: not measured, at most 0"
            ]
        );
    }

    #[test]
    fn a_case_that_failed_is_named_once_with_its_error() {
        let failed = BTreeMap::from([("maze".to_owned(), "no browser".to_owned())]);
        let floors = Floors::parse(FILE).unwrap();
        let found = floors.compare(&blog(1, 381, 0), |_| true, &failed);
        assert_eq!(found.lost, ["maze: not measured: no browser"]);
    }

    #[test]
    fn a_count_that_changed_its_direction_fails() {
        let mut counts = blog(1, 381, 0);
        counts.0.insert("blog twice".into(), (Bound::AtLeast, 0));
        let says = "blog twice: counted as at least, and the floors say at most";
        assert_eq!(verdict(&counts).lost, [says]);
    }

    #[test]
    fn limits_only_get_stricter_when_they_are_raised() {
        let raise = |counts: &Counts| Floors::parse(FILE).unwrap().raised(counts).to_text();
        assert_eq!(raise(&blog(400, 54, 7)), FILE, "worse counts");
        let mut better = blog(1, 390, -1);
        better.0.insert("maze pages".into(), (Bound::AtLeast, 9));
        let text = raise(&better);
        assert!(text.contains("blog events\tat most\t300\t"), "what varies stays: {text}");
        assert!(text.contains("blog found\tat least\t390\tknown failure: filters"), "{text}");
        assert!(text.contains("blog twice\tat most\t-1\t\nmaze found"), "{text}");
        assert!(text.ends_with("maze found\tat least\t131\t\nmaze pages\tat least\t9\t\n"));
        assert!(Floors::parse(&text).is_ok());
    }

    #[test]
    fn a_line_that_is_no_floor_is_named() {
        let error = |line: &str| {
            let text = format!("{HEADER}\n{line}\n");
            format!("{:#}", Floors::parse(&text).unwrap_err())
        };
        assert!(error("blog found\tat least").starts_with("line 2 of the floors: it has not"));
        assert!(error("blog found\tabout\t3\t").contains("neither \"at least\" nor"));
        assert!(error("blog found\tat most\tx\t").contains("\"x\" is not a number"));
        assert!(error("blog found\tat most\t3\tsoon").contains("the note \"soon\""));
        assert!(error("blog\tat most\t3\t").contains("is not a case, a space and a count"));
        assert!(error("b x\tat most\t3\t\na x\tat most\t3\t").contains("a x comes after b x"));
        assert!(Floors::parse("nothing").is_err());
    }
}
