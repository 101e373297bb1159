//! What is drawn: boxes and arrows in their places, of the pages themselves or of groups of them.

use std::collections::{BTreeMap, HashSet};

use page::tree::{XPath, generalise};
use serde::Serialize;

use super::layout::{Room, layout};
use super::picture::{NOT_CAPTURED, Picture};
use crate::text::clip;

/// Paths that are looked at for the pattern on one arrow.
const MOST_PATHS: usize = 500;

pub(super) const BOX: (f64, f64) = (170.0, 34.0);
/// Characters that a box has room for, in each of its lines.
pub(super) const LABEL: usize = 22;
const SMALL: usize = 28;
const ROOM: Room = Room { width: BOX.0, height: BOX.1, across: 200.0, down: 14.0 };

/// A page, or a group of pages.
#[derive(Serialize)]
pub(super) struct Item {
    pub x: f64,
    pub y: f64,
    pub kind: usize,
    pub label: String,
    pub small: String,
}

/// What leads from one to another.
pub(super) struct Arrow {
    pub from: usize,
    pub to: usize,
    pub event: bool,
    pub count: usize,
    pub label: String,
}

/// As a row of values: there may be a hundred thousand.
impl Serialize for Arrow {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let label = self.label.as_str();
        (self.from, self.to, u8::from(self.event), self.count, label).serialize(serializer)
    }
}

#[derive(Serialize)]
pub(super) struct Drawing {
    pub items: Vec<Item>,
    pub arrows: Vec<Arrow>,
    pub width: f64,
    pub height: f64,
}

impl Drawing {
    /// Every page.
    pub(super) fn of_pages(picture: &Picture) -> Self {
        let layers: Vec<_> = picture.spots.iter().map(|spot| spot.layer).collect();
        // Links between all pages pull everywhere: the ways decide the order.
        let ways: HashSet<_> = picture.spots.iter().filter_map(|spot| spot.via).collect();
        let pulls: Vec<_> = picture
            .lines
            .iter()
            .enumerate()
            .filter(|(at, line)| line.is_event || ways.contains(at))
            .map(|(_, line)| (line.from, line.to))
            .collect();
        let laid = layout(&layers, &pulls, ROOM);
        let items = picture.spots.iter().zip(&laid.at).map(|(spot, (x, y))| Item {
            x: *x,
            y: *y,
            kind: spot.kind,
            label: fitted(&spot.title, LABEL),
            small: match (spot.captured, spot.last_step.is_empty()) {
                (false, _) => format!("{} not captured", spot.page),
                (true, true) => spot.page.to_string(),
                (true, false) => fitted(&format!("{} {}", spot.page, spot.last_step), SMALL),
            },
        });
        let arrows = picture.lines.iter().map(|line| Arrow {
            from: line.from,
            to: line.to,
            event: line.is_event,
            count: line.count,
            label: if line.is_event { clip(&line.label, 30) } else { String::new() },
        });
        let (items, arrows) = (items.collect(), arrows.collect());
        Self { items, arrows, width: laid.width, height: laid.height }
    }

    /// Groups of pages, with the patterns that lead from one to another: seed 000's page types.
    pub(super) fn of_groups(picture: &Picture) -> (Self, Vec<usize>) {
        let (groups, of_spot) = picture.groups();
        let mut between: BTreeMap<(usize, usize, bool), (usize, Vec<usize>)> = BTreeMap::new();
        for (at, line) in picture.lines.iter().enumerate() {
            let ends = (of_spot[line.from], of_spot[line.to], line.is_event);
            let (count, lines) = between.entry(ends).or_default();
            *count += line.count;
            if lines.len() < MOST_PATHS {
                lines.push(at);
            }
        }
        let layers: Vec<_> = groups.iter().map(|group| group.layer).collect();
        let pulls: Vec<_> = between.keys().map(|(from, to, _)| (*from, *to)).collect();
        let laid = layout(&layers, &pulls, ROOM);
        let items = groups.iter().zip(&laid.at).map(|(group, (x, y))| Item {
            x: *x,
            y: *y,
            kind: group.kind,
            label: match group.count {
                1 => fitted(&group.sample, LABEL),
                count => fitted(&format!("{count} × {}", picture.kinds[group.kind]), LABEL),
            },
            small: if group.count == 1 { String::new() } else { fitted(&group.sample, SMALL) },
        });
        let arrows = between.into_iter().map(|((from, to, event), (count, lines))| Arrow {
            from,
            to,
            event,
            count,
            label: pattern(picture, &lines),
        });
        let (items, arrows) = (items.collect(), arrows.collect());
        (Self { items, arrows, width: laid.width, height: laid.height }, of_spot)
    }
}

/// The pattern that stands for most of some lines: an event and a generalised path.
fn pattern(picture: &Picture, lines: &[usize]) -> String {
    let lines = lines.iter().map(|at| &picture.lines[*at]);
    let event = lines.clone().next().and_then(|line| line.label.split([' ', '=']).next());
    let paths: Vec<XPath> = lines.filter_map(|line| line.xpath.parse().ok()).collect();
    let patterns = generalise(&paths);
    let most = patterns.iter().max_by_key(|pattern| pattern.support);
    let path = most.map(|pattern| tail(&pattern.path.to_string())).unwrap_or_default();
    let more = match patterns.len() {
        0 | 1 => String::new(),
        several => format!(" +{}", several - 1),
    };
    format!("{} {path}{more}", event.unwrap_or_default()).trim().to_owned()
}

/// Text cut to the width of a box. Chinese characters take two places.
pub(super) fn fitted(text: &str, places: usize) -> String {
    let width = |c: char| if (c as u32) >= 0x2e80 { 2 } else { 1 };
    let mut left = places;
    let fits = text.chars().take_while(|c| {
        let fits = left >= width(*c);
        left = left.saturating_sub(width(*c));
        fits
    });
    clip(text, fits.count().max(1))
}

/// The last steps of a path: they tell one pattern from another, and the first are the page's frame.
fn tail(path: &str) -> String {
    let steps: Vec<_> = path.split('/').filter(|step| !step.is_empty()).collect();
    match steps.len() {
        0..=3 => path.to_owned(),
        count => format!("…/{}", steps[count - 3..].join("/")),
    }
}

/// The fills of a kind, on light and on dark paper: hues as far apart as they can be, in three tones
/// when there are many. What was not captured is grey.
pub(super) fn fills(kind: usize, name: &str) -> (String, String) {
    if name == NOT_CAPTURED {
        return ("hsl(0 0% 88%)".into(), "hsl(0 0% 26%)".into());
    }
    // The golden angle; the first is a quiet blue.
    let hue = ((210.0 + kind as f64 * 137.508) % 360.0) as u32;
    let tone = kind / 7 % 3;
    (format!("hsl({hue} 60% {}%)", 90 - 10 * tone), format!("hsl({hue} 38% {}%)", 22 + 7 * tone))
}
