//! The type of each source.
//!
//! A site of many pages is sorted by [`page::types`], which knows what all types have in common. Of
//! a few pages nobody can know that; there, pages at addresses that look alike are of one type unless
//! their structure says otherwise.

use std::collections::HashMap;

use crate::Source;
use page::state::url::shape;
use page::types::{Shape, Types};

/// With more sources than this, what all types have in common is known.
const FEW: usize = 12;
/// The share of places that pages of one type have in common, frame included, at addresses that look
/// alike and at others. Two threads of one forum have 0.64 and more, a list and a thread 0.47 and
/// less (24 public forums and three engines).
const ALIKE: [f64; 2] = [0.55, 0.75];

/// The names of the types, and the type of each source.
pub(super) fn types(sources: &[Source<'_>]) -> (Vec<String>, Vec<usize>) {
    // Where the type is known, nobody asks for the shape.
    let shape_of = |source: &Source<'_>| {
        let dom = source.rendered.or(source.raw).filter(|_| source.page_type.is_none());
        dom.map(Shape::of).unwrap_or_default()
    };
    let shapes: Vec<Shape> = sources.iter().map(shape_of).collect();
    let placed = || sources.iter().zip(&shapes).filter(|(source, _)| source.page_type.is_none());
    let mut types = Types::new();
    for (source, shape) in placed() {
        types.place(shape, source.url);
    }
    let name = |(source, shape): (&Source<'_>, &Shape)| match source.page_type {
        Some(name) => name.to_owned(),
        None => {
            let of = types.like_at(shape, source.url).and_then(|id| types.get(id));
            of.map_or_else(String::new, |of| of.name().to_owned())
        }
    };
    let mut names: Vec<String> = sources.iter().zip(&shapes).map(name).collect();
    if placed().count() <= FEW {
        join_alike(sources, &shapes, &mut names);
    }
    number(names)
}

/// Gives pages that are alike the name of the first of them.
fn join_alike(sources: &[Source<'_>], shapes: &[Shape], names: &mut [String]) {
    let few = sources.iter().zip(shapes).enumerate();
    let few = few.filter(|(_, (source, _))| source.page_type.is_none());
    let few: Vec<(usize, String, Vec<u8>)> =
        few.map(|(at, (source, of))| (at, shape(source.url), of.to_bytes())).collect();
    for (later, (at, pattern, places)) in few.iter().enumerate() {
        for (earlier, other_pattern, other_places) in few.iter().take(later) {
            let least = ALIKE[usize::from(!look_alike(pattern, other_pattern))];
            let (Some(kept), Some(gone)) = (names.get(*earlier), names.get(*at)) else { continue };
            if kept == gone || in_common(places, other_places) < least {
                continue;
            }
            let (kept, gone) = (kept.clone(), gone.clone());
            for name in names.iter_mut().filter(|name| **name == gone) {
                name.clone_from(&kept);
            }
        }
    }
}

/// Whether one template may answer to two patterns of addresses: what is open in one may be anything
/// in the other.
fn look_alike(a: &str, b: &str) -> bool {
    let parts = |pattern: &str| -> (Vec<String>, Vec<String>) {
        let (path, query) = pattern.split_once('?').unwrap_or((pattern, ""));
        let of = |text: &str, by: char| text.split(by).map(str::to_owned).collect();
        (of(path.trim_end_matches('/'), '/'), of(query, '&'))
    };
    let ((a_path, a_query), (b_path, b_query)) = (parts(a), parts(b));
    let adds =
        |a: &[String], b: &[String]| a.iter().all(|name| name.is_empty() || b.contains(name));
    let fits = |(a, b): (&String, &String)| a == b || a.contains('*') || b.contains('*');
    a_path.len() == b_path.len()
        && a_path.iter().zip(&b_path).all(fits)
        && (adds(&a_query, &b_query) || adds(&b_query, &a_query))
}

/// The share of places that two shapes have in common. As bytes, a shape is its version and then four
/// sorted bytes a place.
fn in_common(a: &[u8], b: &[u8]) -> f64 {
    let places = |bytes: &[u8]| -> Vec<[u8; 4]> {
        bytes.get(1..).unwrap_or_default().as_chunks().0.to_vec()
    };
    let (a, b) = (places(a), places(b));
    let common = a.iter().filter(|place| b.binary_search(place).is_ok()).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

/// Numbers for names, in the order of their first sources.
fn number(of_source: Vec<String>) -> (Vec<String>, Vec<usize>) {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::new();
    let mut numbered = Vec::with_capacity(of_source.len());
    for name in of_source {
        let next = names.len();
        let number = *numbers.entry(name.clone()).or_insert(next);
        if number == next {
            names.push(name);
        }
        numbered.push(number);
    }
    (names, numbered)
}
