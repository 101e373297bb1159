//! The graph as people look at it: pages with a colour each, lines that stand for all edges between
//! two pages, and the way from the entry to each page.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::mem;

use store::{Catalog, EdgeRow, PageNumber, PageRow, PageStatus};

use super::{GraphOptions, Part, edges, is_event};
use crate::PublishError;
use crate::text::clip;

/// Pages that a picture shows; a larger graph is for programs.
const MOST_SPOTS: usize = 20_000;
/// Lines that a picture shows.
const MOST_LINES: usize = 200_000;
/// Steps from the entry beyond which groups are not told apart: a long chain is one group.
const DEEPEST_GROUP: usize = 8;
/// Refused edges that a picture lists.
const MOST_REFUSED: usize = 2_000;

/// The kind of pages that are known and were not visited, or gave nothing.
pub(super) const NOT_CAPTURED: &str = "not captured";

/// A page.
pub(super) struct Spot {
    pub page: PageNumber,
    pub key: String,
    pub title: String,
    /// The event that leads to it, for a state that only events reach.
    pub last_step: String,
    /// Its place in [`Picture::kinds`].
    pub kind: usize,
    pub only_events: bool,
    pub captured: bool,
    /// Steps from the entry.
    pub layer: usize,
    /// The last line of the way to it.
    pub via: Option<usize>,
}

/// All edges from one page to another that are of one sort.
pub(super) struct Line {
    pub from: usize,
    pub to: usize,
    pub is_event: bool,
    /// How many edges it stands for.
    pub count: usize,
    /// What the first of them does.
    pub label: String,
    /// Where the element of the first stands.
    pub xpath: String,
}

/// An event that was not fired, or not let through.
pub(super) struct Refused {
    /// The first page that has it.
    pub from: usize,
    /// How many pages have it.
    pub count: usize,
    pub label: String,
    pub because: String,
}

/// The graph.
#[derive(Default)]
pub(super) struct Picture {
    pub spots: Vec<Spot>,
    pub lines: Vec<Line>,
    pub refused: Vec<Refused>,
    /// Names of the page types, or of what stands for them.
    pub kinds: Vec<String>,
    /// The page whose way is highlighted.
    pub to: Option<usize>,
    /// What a limit left out.
    pub cut: Option<String>,
    refused_count: usize,
    refusals: HashMap<(String, String), usize>,
    /// The place of each page, and of the line between two.
    numbers: HashMap<PageNumber, usize>,
    of_ends: HashMap<(usize, usize, bool), usize>,
}

impl Picture {
    pub(super) async fn read(
        catalog: &Catalog,
        options: &GraphOptions,
    ) -> Result<Self, PublishError> {
        let part = Part::of(catalog, options.events_only).await?;
        let mut picture = Self::default();
        let (mut numbers, mut depths) = (HashMap::new(), Vec::new());
        let mut after = PageNumber(0);
        loop {
            let rows = catalog.pages(after).await?;
            let Some(last) = rows.last() else { break };
            after = last.page;
            for row in rows.iter().filter(|row| part.has_page(row)) {
                if picture.spots.len() >= MOST_SPOTS {
                    picture.cut = Some(format!("only the first {MOST_SPOTS} pages are shown"));
                    break;
                }
                numbers.insert(row.page, picture.spots.len());
                depths.push(usize::try_from(row.depth).unwrap_or(0));
                picture.add_spot(row);
            }
        }
        let mut lines = HashMap::new();
        after = PageNumber(0);
        loop {
            let rows = edges(catalog, options, after).await?;
            let Some(last) = rows.last() else { break };
            after = last.from;
            for edge in rows.iter().filter(|edge| part.has_edge(edge)) {
                picture.add_edge(edge, &numbers, &mut lines);
            }
        }
        picture.find_ways(&depths);
        if let Some(to) = options.to {
            let at = numbers.get(&to).copied();
            picture.to = Some(at.ok_or(PublishError::NotInGraph(to.0))?);
        }
        Ok(picture)
    }

    /// These pages, without what leads from one to another.
    pub(super) fn of_pages(rows: &[PageRow]) -> Self {
        let mut picture = Self::default();
        for (at, row) in rows.iter().enumerate() {
            picture.numbers.insert(row.page, at);
            picture.add_spot(row);
        }
        picture
    }

    /// Adds what leads from one to another.
    pub(super) fn add_edges<'a>(&mut self, edges: impl Iterator<Item = &'a EdgeRow>) {
        let (numbers, mut lines) = (mem::take(&mut self.numbers), mem::take(&mut self.of_ends));
        edges.for_each(|edge| self.add_edge(edge, &numbers, &mut lines));
        (self.numbers, self.of_ends) = (numbers, lines);
    }

    /// Finds the ways, once all is there.
    pub(super) fn end(&mut self, rows: &[PageRow]) {
        let depths: Vec<usize> =
            rows.iter().map(|row| usize::try_from(row.depth).unwrap_or(0)).collect();
        self.find_ways(&depths);
    }

    fn add_spot(&mut self, row: &PageRow) {
        let (only_events, captured) = (!row.path.is_empty(), row.condition == PageStatus::Captured);
        // Before types are learned, how a page is reached is the best that is known of it.
        let kind = match &row.page_type {
            Some(name) => clip(name, 40),
            None if !captured => NOT_CAPTURED.into(),
            None if only_events => "states that only events reach".into(),
            None => "pages".into(),
        };
        let kind = self.kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        self.spots.push(Spot {
            page: row.page,
            key: clip(&row.key, 400),
            title: clip(if row.title.is_empty() { &row.key } else { &row.title }, 120),
            last_step: row
                .path
                .last()
                .map(|step| step_label(&step.event, &step.text, &step.instruction))
                .unwrap_or_default(),
            kind,
            only_events,
            captured,
            layer: 0,
            via: None,
        });
    }

    fn add_edge(
        &mut self,
        edge: &EdgeRow,
        numbers: &HashMap<PageNumber, usize>,
        lines: &mut HashMap<(usize, usize, bool), usize>,
    ) {
        let Some(from) = numbers.get(&edge.from).copied() else { return };
        let label = step_label(&edge.event, &edge.text, &edge.instruction);
        if let Some(because) = &edge.refused_because {
            self.refuse(from, label, clip(because, 200));
            return;
        }
        let Some(to) = edge.to.and_then(|to| numbers.get(&to).copied()) else { return };
        let key = (from, to, is_event(edge));
        if let Some(line) = lines.get(&key).and_then(|at| self.lines.get_mut(*at)) {
            line.count += 1;
            return;
        }
        if self.lines.len() >= MOST_LINES {
            self.cut.get_or_insert_with(|| format!("only the first {MOST_LINES} lines are shown"));
            return;
        }
        lines.insert(key, self.lines.len());
        let (is_event, xpath) = (is_event(edge), clip(&edge.xpath, 300));
        self.lines.push(Line { from, to, is_event, count: 1, label, xpath });
    }

    /// Keeps a refusal; the same one on many pages is listed once.
    fn refuse(&mut self, from: usize, label: String, because: String) {
        self.refused_count += 1;
        let same = (label, because);
        if let Some(known) = self.refusals.get(&same).and_then(|at| self.refused.get_mut(*at)) {
            known.count += 1;
        } else if self.refused.len() < MOST_REFUSED {
            self.refusals.insert(same.clone(), self.refused.len());
            let (label, because) = same;
            self.refused.push(Refused { from, label, because, count: 1 });
        }
    }

    /// The shortest way to each page, breadth first from the pages that a crawl began with.
    fn find_ways(&mut self, depths: &[usize]) {
        let mut leaving = vec![Vec::new(); self.spots.len()];
        for (at, line) in self.lines.iter().enumerate() {
            leaving[line.from].push(at);
        }
        let mut layers = vec![None; self.spots.len()];
        let shallowest = depths.iter().min().copied().unwrap_or(0);
        let mut queue: VecDeque<usize> = VecDeque::new();
        for (spot, _) in depths.iter().enumerate().filter(|(_, depth)| **depth == shallowest) {
            layers[spot] = Some(0);
            queue.push_back(spot);
        }
        while let Some(spot) = queue.pop_front() {
            let next = layers[spot].unwrap_or(0) + 1;
            for &at in &leaving[spot] {
                let to = self.lines[at].to;
                if layers[to].is_none() {
                    layers[to] = Some(next);
                    self.spots[to].via = Some(at);
                    queue.push_back(to);
                }
            }
        }
        // What no known way reaches stands where the crawl met it.
        for ((spot, layer), depth) in self.spots.iter_mut().zip(layers).zip(depths) {
            spot.layer = layer.unwrap_or(*depth).min(64);
        }
    }

    /// The lines from the entry to a page.
    pub(super) fn way(&self, to: usize) -> Vec<usize> {
        let mut way = Vec::new();
        let mut at = to;
        while let Some(line) = self.spots.get(at).and_then(|spot| spot.via) {
            way.push(line);
            at = self.lines[line].from;
        }
        way.reverse();
        way
    }

    /// Refused edges in all, listed or not.
    pub(super) fn refused_count(&self) -> usize {
        self.refused_count
    }

    /// How many pages each kind has.
    pub(super) fn kind_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.kinds.len()];
        self.spots.iter().for_each(|spot| counts[spot.kind] += 1);
        counts
    }

    /// Pages of one kind in one layer, together: what a large graph is drawn as.
    pub(super) fn groups(&self) -> (Vec<Group>, Vec<usize>) {
        let mut numbers: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let place = |spot: &Spot| (spot.layer.min(DEEPEST_GROUP), spot.kind);
        for spot in &self.spots {
            numbers.entry(place(spot)).or_default();
        }
        let mut groups = Vec::new();
        for (at, ((layer, kind), number)) in numbers.iter_mut().enumerate() {
            *number = at;
            groups.push(Group { layer: *layer, kind: *kind, count: 0, sample: String::new() });
        }
        let mut of_spot = Vec::with_capacity(self.spots.len());
        for spot in &self.spots {
            let at = numbers.get(&place(spot)).copied().unwrap_or(0);
            let group = &mut groups[at];
            if group.count == 0 {
                group.sample.clone_from(&spot.title);
            }
            group.count += 1;
            of_spot.push(at);
        }
        (groups, of_spot)
    }
}

/// What a step does, in a few words.
fn step_label(event: &str, text: &str, instruction: &str) -> String {
    let said = if text.is_empty() { instruction } else { text };
    format!("{} {}", clip(event, 30), clip(said, 60)).trim_end().to_owned()
}

/// Pages of one kind at one distance from the entry.
pub(super) struct Group {
    pub layer: usize,
    pub kind: usize,
    pub count: usize,
    /// The title of one of them.
    pub sample: String,
}
