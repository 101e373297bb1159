//! Many paths into few patterns: seed 000 §2.4.
//!
//! Paths that go through the same element names become one pattern; a number that is not the same
//! in all of them becomes `*`. Paths with different names never merge.

use super::{Index, PathStep, XPath, is_single};
use std::collections::HashMap;

/// A generalised path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// The path, with `[*]` where the numbers differ.
    pub path: XPath,
    /// How many of the given paths it stands for.
    pub support: usize,
}

/// Generalises paths. Patterns come in the order in which their first path came.
///
/// ```
/// use page::tree::generalise;
///
/// let paths = ["/html/body/div[4]/li[1]/a[1]", "/html/body/div[4]/li[2]/a[1]", "/html/body/p[1]"];
/// let paths: Vec<_> = paths.iter().map(|path| path.parse().unwrap()).collect();
/// let patterns = generalise(&paths);
/// assert_eq!(patterns[0].path.to_string(), "/html/body/div[4]/li[*]/a[1]");
/// assert_eq!((patterns[0].support, patterns.len()), (2, 2));
/// ```
pub fn generalise(paths: &[XPath]) -> Vec<Pattern> {
    let mut patterns: Vec<Pattern> = Vec::new();
    let mut by_shape = HashMap::new();
    for path in paths {
        match by_shape.get(&shape(path)) {
            None => {
                by_shape.insert(shape(path), patterns.len());
                patterns.push(Pattern { path: path.clone(), support: 1 });
            }
            Some(&at) => {
                let pattern: &mut Pattern = &mut patterns[at];
                pattern.support += 1;
                for (own, other) in pattern.path.steps.iter_mut().zip(&path.steps) {
                    widen(own, other);
                }
            }
        }
    }
    patterns
}

/// A path without its numbers. Predicates belong to it: a step that asks for more is another step.
fn shape(path: &XPath) -> Vec<PathStep> {
    let mut steps = path.steps.clone();
    for step in &mut steps {
        if let PathStep::Element { index, .. } = step {
            *index = Index::Unsaid;
        }
    }
    steps
}

fn widen(own: &mut PathStep, other: &PathStep) {
    if let (PathStep::Element { name, index, .. }, PathStep::Element { index: other, .. }) =
        (own, other)
    {
        // No number and a number: the wider of the two, which for `body` and its like is neither.
        *index = match (*index, *other) {
            (a, b) if a == b => a,
            (Index::Unsaid, _) | (_, Index::Unsaid) if !is_single(name) => Index::Unsaid,
            _ => Index::Any,
        };
    }
}
