//! Records as they were found, with all the text that is in them.

use page::record::{Record, Site, Source};
use page::tree::path::XPath;
use page::tree::{Dom, NodeId};

use super::bag::Bag;
use super::set::{Given, Page};

/// A record and the tokens of its whole text: what is around its fields, too.
pub struct Found {
    pub record: Record,
    pub bag: Bag,
}

/// What learning over some pages of a site finds on pages of it.
pub fn learned(from: &[&Page], pages: &[&Page], given: Given) -> Vec<Vec<Found>> {
    let from: Vec<Source<'_>> = from.iter().map(|page| page.source(given)).collect();
    let sources: Vec<Source<'_>> = pages.iter().map(|page| page.source(given)).collect();
    let records = Site::learn(&from).records(&sources);
    pages.iter().zip(records).map(|(page, records)| with_text(page, given, records)).collect()
}

/// Finds the text of records again by where they say that they are.
pub fn with_text(page: &Page, given: Given, records: Vec<Record>) -> Vec<Found> {
    // Which of two trees a record was read from it does not say: that in which it is found.
    let trees: Vec<_> = page.trees(given).map(|tree| Places::of(&tree.dom, &records)).collect();
    let found = records.into_iter().enumerate().map(|(at, record)| {
        let told = [&record.title, &record.author, &record.content_text];
        let told: Vec<&str> = told.into_iter().flatten().map(String::as_str).collect();
        let told = Bag::of(&told.join("\n"));
        let texts = trees.iter().map(|places| Bag::of(&places.text(at)));
        let bag = texts.max_by_key(|text| text.common(&told)).unwrap_or_default();
        Found { record, bag }
    });
    found.collect()
}

/// Where the records of a page are in one of its trees.
struct Places<'a> {
    dom: &'a Dom,
    /// The element of each record.
    starts: Vec<Option<NodeId>>,
    /// That and the elements of its fields, which may be in those beside it; none within another.
    parts: Vec<Vec<NodeId>>,
}

impl<'a> Places<'a> {
    fn of(dom: &'a Dom, records: &[Record]) -> Self {
        let locate = |path: &str| {
            let path: XPath = path.parse().ok()?;
            path.evaluate(dom).first().copied()
        };
        let parts = records.iter().map(|record| {
            let paths = std::iter::once(&record.xpath).chain(record.field_xpaths.values());
            let mut nodes: Vec<_> = paths.filter_map(|path| locate(path)).collect();
            nodes.sort_unstable();
            nodes.dedup();
            let mut end = NodeId(0);
            nodes.retain(|id| {
                let is_apart = *id >= end;
                if is_apart {
                    end = dom.node(*id).end();
                }
                is_apart
            });
            nodes
        });
        Self {
            dom,
            starts: records.iter().map(|record| locate(&record.xpath)).collect(),
            parts: parts.collect(),
        }
    }

    /// The text of a record, but for the records that are within it.
    fn text(&self, at: usize) -> String {
        let own = self.starts.get(at).copied().flatten();
        let mut text = String::new();
        for part in self.parts.get(at).into_iter().flatten() {
            let end = self.dom.node(*part).end();
            let mut id = *part;
            while id < end {
                let node = self.dom.node(id);
                let is_other = Some(id) != own && self.starts.contains(&Some(id));
                if is_other || matches!(node.name(), "script" | "style") {
                    id = node.end();
                    continue;
                }
                text.push_str(node.text());
                text.push('\n');
                for name in ["title", "alt", "content", "datetime"] {
                    text.push_str(node.attribute(name).unwrap_or_default());
                    text.push('\n');
                }
                id = NodeId(id.0 + 1);
            }
        }
        text
    }
}
