//! The graph of one site, for a page that draws it: every page in its place around the entry.

use std::f64::consts::TAU;

use serde::Serialize;
use store::{Catalog, PageNumber};

use super::drawing::fills;
use super::picture::Picture;
use super::{GraphOptions, is_event};
use crate::PublishError;

/// Pages of a view; a larger site is looked at by type or path.
const MOST_PAGES: usize = 6_000;
/// Lines of a view that are plain links. What events do is always drawn.
const MOST_LINKS: usize = 12_000;
/// Room between rings, and between pages of one ring.
const RING: f64 = 130.0;
const SPACE: f64 = 30.0;

/// A site's graph, laid out.
#[derive(Clone, Debug, Serialize)]
pub struct GraphView {
    /// The page types, with the colours of their pages on light and on dark paper.
    pub kinds: Vec<ViewKind>,
    /// The pages.
    pub pages: Vec<ViewPage>,
    /// What leads from one to another.
    pub lines: Vec<ViewLine>,
    /// Events that were refused.
    pub refused: usize,
    /// What a limit left out.
    pub cut: Option<String>,
}

/// A page type.
#[derive(Clone, Debug, Serialize)]
pub struct ViewKind {
    /// Its name.
    pub name: String,
    /// Its pages.
    pub count: usize,
    /// On light and on dark paper.
    pub fills: (String, String),
}

/// A page, in its place.
#[derive(Clone, Debug, Serialize)]
pub struct ViewPage {
    /// Its number.
    pub page: i64,
    /// Its title.
    pub title: String,
    /// Its key.
    pub key: String,
    /// Its place among the kinds.
    pub kind: usize,
    /// Whether only events reach it.
    pub events: bool,
    /// Where it is drawn.
    pub x: f64,
    /// Where it is drawn.
    pub y: f64,
    /// The line that the way from the entry ends with.
    pub via: Option<usize>,
}

/// All edges of one sort from one page to another: their places, whether events take them, how many, what the
/// first of them does.
#[derive(Clone, Debug, Serialize)]
pub struct ViewLine(pub usize, pub usize, pub bool, pub usize, pub String);

/// Lays out the graph of a site.
///
/// # Errors
/// When the catalog fails.
pub async fn view(
    catalog: &Catalog,
    site: &str,
    options: &GraphOptions,
) -> Result<GraphView, PublishError> {
    let picture = Picture::of_site(catalog, options, site, MOST_PAGES).await?;
    let counts = picture.kind_counts();
    let places = around(&picture);
    let kinds = picture.kinds.iter().zip(counts).enumerate();
    let kinds = kinds.map(|(at, (name, count))| ViewKind {
        name: name.clone(),
        count,
        fills: fills(at, name),
    });
    let ways: std::collections::HashSet<usize> =
        picture.spots.iter().filter_map(|spot| spot.via).collect();
    // The lines of ways and events first: links are what may be left out.
    let mut order: Vec<usize> = (0..picture.lines.len()).collect();
    order.sort_by_key(|at| !(ways.contains(at) || picture.lines[*at].is_event));
    let needed =
        order.iter().filter(|at| ways.contains(at) || picture.lines[**at].is_event).count();
    let kept = order.len().min(needed + MOST_LINKS);
    let mut cut = picture.cut.clone();
    if kept < order.len() {
        cut.get_or_insert_with(|| format!("{} plain links are not drawn", order.len() - kept));
    }
    order.truncate(kept);
    let mut number = vec![None; picture.lines.len()];
    for (at, line) in order.iter().enumerate() {
        number[*line] = Some(at);
    }
    let lines = order.iter().map(|at| {
        let line = &picture.lines[*at];
        ViewLine(line.from, line.to, line.is_event, line.count, line.label.clone())
    });
    let lines = lines.collect();
    let pages = picture.spots.iter().zip(places).map(|(spot, (x, y))| ViewPage {
        page: spot.page.0,
        title: spot.title.clone(),
        key: spot.key.clone(),
        kind: spot.kind,
        events: spot.only_events,
        x,
        y,
        via: spot.via.and_then(|line| number.get(line).copied().flatten()),
    });
    Ok(GraphView {
        pages: pages.collect(),
        lines,
        kinds: kinds.collect(),
        refused: picture.refused_count(),
        cut,
    })
}

/// Places on rings around the entry: each page beyond the one that leads to it, with as much room as what it
/// leads to needs.
fn around(picture: &Picture) -> Vec<(f64, f64)> {
    let count = picture.spots.len();
    let mut children = vec![Vec::new(); count];
    let mut roots = Vec::new();
    for (at, spot) in picture.spots.iter().enumerate() {
        match spot.via.and_then(|line| picture.lines.get(line)) {
            Some(line) => children[line.from].push(at),
            None => roots.push(at),
        }
    }
    // Children come after their parents, so that the leaves below each are summed from the end.
    let mut order = roots.clone();
    let mut depth = vec![0_usize; count];
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        next += 1;
        for child in children[at].clone() {
            depth[child] = depth[at] + 1;
            order.push(child);
        }
    }
    let mut leaves = vec![0_usize; count];
    for &at in order.iter().rev() {
        let below: usize = children[at].iter().map(|child| leaves[*child]).sum();
        leaves[at] = below.max(1);
    }
    let mut on_ring = vec![0_usize; depth.iter().max().map_or(1, |deepest| deepest + 1)];
    order.iter().for_each(|at| on_ring[depth[*at]] += 1);
    let mut radius = vec![0.0_f64; on_ring.len()];
    for ring in 0..on_ring.len() {
        let before = if ring == 0 { -RING } else { radius[ring - 1] };
        let needed = on_ring[ring] as f64 * SPACE / TAU;
        let is_centre = ring == 0 && on_ring[0] == 1;
        radius[ring] = if is_centre { 0.0 } else { (before + RING).max(needed) };
    }
    let all: usize = roots.iter().map(|root| leaves[*root]).sum::<usize>().max(1);
    let mut from = vec![0.0_f64; count];
    let mut begin = 0.0;
    for &root in &roots {
        from[root] = begin;
        begin += leaves[root] as f64;
    }
    let mut places = vec![(0.0, 0.0); count];
    for &at in &order {
        let middle = (from[at] + leaves[at] as f64 / 2.0) / all as f64 * TAU;
        let radius = radius[depth[at]];
        let round = |value: f64| (value * 10.0).round() / 10.0;
        places[at] = (round(radius * middle.cos()), round(radius * middle.sin()));
        let mut begin = from[at];
        for &child in &children[at] {
            from[child] = begin;
            begin += leaves[child] as f64;
        }
    }
    places
}

impl Picture {
    /// The graph of one site, of no more than so many pages.
    async fn of_site(
        catalog: &Catalog,
        options: &GraphOptions,
        site: &str,
        most: usize,
    ) -> Result<Self, PublishError> {
        let query = store::PageQuery { site: Some(site.to_owned()), ..store::PageQuery::default() };
        let (mut rows, mut after) = (Vec::new(), PageNumber(0));
        loop {
            let some = catalog.pages_like(query.clone(), after, 1_000).await?;
            let Some(last) = some.last() else { break };
            after = last.page;
            let captured = |row: &store::PageRow| row.condition == store::PageStatus::Captured;
            rows.extend(some.into_iter().filter(captured));
            if rows.len() > most {
                break;
            }
        }
        let is_cut = rows.len() > most;
        rows.truncate(most);
        let mut picture = Self::of_pages(&rows);
        if is_cut {
            picture.cut = Some(format!("only the first {most} pages are drawn"));
        }
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(picture) };
        let mut after = PageNumber(first.page.0 - 1);
        while after < last.page {
            let edges = super::edges(catalog, options, after).await?;
            let Some(end) = edges.last() else { break };
            after = end.from;
            let drawn = edges.iter().filter(|edge| !options.events_only || is_event(edge));
            picture.add_edges(drawn);
        }
        picture.end(&rows);
        Ok(picture)
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::{Line, Spot};
    use super::*;

    fn spot(page: i64, via: Option<usize>) -> Spot {
        Spot {
            page: PageNumber(page),
            key: String::new(),
            title: String::new(),
            last_step: String::new(),
            kind: 0,
            only_events: false,
            captured: true,
            layer: 0,
            via,
        }
    }

    #[test]
    fn the_entry_is_in_the_middle_and_no_two_pages_are_in_one_place() {
        let mut picture = Picture::default();
        picture.spots.push(spot(1, None));
        for page in 2..600_usize {
            let from = page / 4;
            picture.lines.push(Line {
                from,
                to: page - 1,
                is_event: false,
                count: 1,
                label: String::new(),
                xpath: String::new(),
            });
            picture.spots.push(spot(page as i64, Some(page - 2)));
        }
        let places = around(&picture);
        assert_eq!(places[0], (0.0, 0.0));
        let close = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).hypot(a.1 - b.1) < 5.0;
        for (at, one) in places.iter().enumerate() {
            let others = places[at + 1..].iter();
            assert!(!others.map(|other| (one, other)).any(close), "{at}");
        }
        let far = places.iter().map(|(x, y)| x.hypot(*y)).fold(0.0, f64::max);
        assert!(far < 20_000.0, "{far}");
    }
}
