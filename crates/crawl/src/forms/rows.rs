//! The rows of a page of results: where they stand, what names them, what their columns say.
//!
//! Learned from one page with rows, and then read off all others of the form: a page with a single row, or
//! with none, does not tell by itself where rows would be. What names a row is the page that it leads to,
//! wherever rows have one: that stays the same however a page is laid out or sorted.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use page::state::url::shape;
use page::tree::names::known;
use page::tree::{Dom, Kind, Node, NodeId, base_url, visible_text_of};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// The elements that a row is told by: itself and so many around it.
const CHAIN: usize = 4;
/// Rows of a page, and columns of a row, that are read.
const MOST_ROWS: usize = 5_000;
const MOST_COLUMNS: usize = 40;
/// Longest text of a cell that is kept.
const LONGEST_CELL: usize = 200;
/// The share of rows that must have a link of their own for it to name them.
const LINKED: f64 = 0.9;
/// Rows from which more of them do not make a list more likely to be the answer.
const ENOUGH: usize = 8;

/// A row of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// What names it.
    pub key: u64,
    /// What its columns say, by their names.
    pub cells: Vec<(String, String)>,
}

/// Where the rows of a form's answers stand.
#[derive(Clone, Debug)]
pub(crate) struct RowReader {
    chain: Vec<String>,
    /// The pattern of the addresses that name rows, if they have one.
    link: Option<String>,
    /// Parameters that say what was asked for, not what a row is.
    without: BTreeSet<String>,
}

impl RowReader {
    /// Learns from a page of results where its rows are: the list, or the table, that says most. `without` are
    /// the names of the form's inputs.
    pub fn learn(dom: &Dom, url: &Url, without: BTreeSet<String>) -> Option<Self> {
        let texts = text_ends(dom);
        let length = |node: Node<'_>| {
            let of = |at: usize| texts.get(at).copied().unwrap_or_default();
            of(node.end().at()) - of(node.id().at())
        };
        let mut groups: BTreeMap<Vec<String>, Vec<Node<'_>>> = BTreeMap::new();
        for node in dom.elements().filter(|node| is_row_like(*node) && length(*node) > 2) {
            groups.entry(chain(node)).or_default().push(node);
        }
        let score = |nodes: &[Node<'_>]| {
            let said: usize = nodes.iter().map(|node| length(*node)).sum();
            said as f64 * nodes.len().min(ENOUGH) as f64 / ENOUGH as f64
        };
        let is_list = |nodes: &Vec<Node<'_>>| {
            let mut different: HashSet<String> = HashSet::new();
            different.extend(nodes.iter().take(200).map(|node| folded(*node)));
            let beside = nodes.windows(2).any(|pair| pair[0].parent() == pair[1].parent());
            beside && different.len() * 10 >= nodes.len().min(200) * 8
        };
        let tables: HashSet<NodeId> =
            record::tables(dom).iter().map(|table| table.element.id()).collect();
        let in_table = |nodes: &[Node<'_>]| {
            let table = nodes.first().and_then(|node| table_of(*node));
            table.is_some_and(|table| tables.contains(&table.id()))
        };
        let mut lists: Vec<(f64, Vec<String>, Vec<Node<'_>>)> = groups
            .into_iter()
            .filter(|(_, nodes)| nodes.len() >= 2 && is_list(nodes))
            .map(|(chain, nodes)| {
                // A table of data is one by what it is made of, not by how much it says.
                let weight = if in_table(&nodes) { 3.0 } else { 1.0 };
                (score(&nodes) * weight, chain, nodes)
            })
            .collect();
        lists.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (_, chain, rows) = lists.into_iter().next()?;
        let base = base_url(dom, url);
        let mut reader = Self { chain, link: None, without };
        reader.link = reader.naming_link(&rows, &base);
        Some(reader)
    }

    /// The pattern of the first address in a row that is another one in each.
    fn naming_link(&self, rows: &[Node<'_>], base: &Url) -> Option<String> {
        let first: Vec<String> =
            links(*rows.first()?, base).map(|url| self.shape_of(&url)).collect();
        let others = rows.get(1).map(|row| links(*row, base).map(|url| self.shape_of(&url)));
        let others: Vec<String> = others.into_iter().flatten().collect();
        first.into_iter().chain(others).find(|wanted| {
            let named: Vec<u64> =
                rows.iter().filter_map(|row| self.link_key(*row, base, wanted)).collect();
            let different: HashSet<u64> = named.iter().copied().collect();
            different.len() as f64 >= LINKED * rows.len() as f64
        })
    }

    fn link_key(&self, row: Node<'_>, base: &Url, wanted: &str) -> Option<u64> {
        let url = links(row, base).find(|url| self.shape_of(url) == wanted)?;
        Some(self.key_of(&url))
    }

    /// An address without what was asked for.
    fn key_of(&self, url: &Url) -> u64 {
        xxh3_64(format!("{}?{}", url.path(), self.unasked(url).join("&")).as_bytes())
    }

    /// The pattern of an address without what was asked for.
    fn shape_of(&self, url: &Url) -> String {
        let (mut own, unasked) = (url.clone(), self.unasked(url).join("&"));
        own.set_query(Some(unasked.as_str()).filter(|query| !query.is_empty()));
        shape(&own)
    }

    /// The parameters of an address that do not say what was asked for.
    fn unasked(&self, url: &Url) -> Vec<String> {
        let pairs = url.query_pairs().filter(|(name, _)| !self.without.contains(name.as_ref()));
        pairs.map(|(name, value)| format!("{name}={value}")).collect()
    }

    /// The rows of a page, each once.
    pub fn rows(&self, dom: &Dom, url: &Url) -> Vec<Row> {
        let base = base_url(dom, url);
        let (mut rows, mut seen) = (Vec::new(), HashSet::new());
        let mut heads: HashMap<NodeId, Vec<String>> = HashMap::new();
        for node in dom.elements().filter(|node| is_row_like(*node) && chain(*node) == self.chain) {
            if rows.len() == MOST_ROWS {
                break;
            }
            let named = self.link.as_ref().and_then(|link| {
                // The pattern of one answer may be narrower than that of all: `/oslo/*`, `/bergen/*`.
                let other = || links(node, &base).find(|to| to.path() != url.path());
                self.link_key(node, &base, link).or_else(|| Some(self.key_of(&other()?)))
            });
            let text = folded(node);
            let key = match named {
                Some(key) => key,
                // A row without a link, where others have one that names them, is a note, or the head of a group.
                None if self.link.is_some() || text.is_empty() => continue,
                None => xxh3_64(text.as_bytes()),
            };
            if seen.insert(key) {
                rows.push(Row { key, cells: cells(node, &mut heads) });
            }
        }
        if let (true, Some(link)) = (rows.is_empty(), &self.link) {
            // Laid out in another way: what leads to rows is still there.
            let others = dom.elements().filter(|node| node.is(known::A) && !is_beside(*node));
            let targets = others.filter_map(|node| target(node, &base));
            for url in targets.filter(|to| self.shape_of(to) == *link) {
                let key = self.key_of(&url);
                if rows.len() < MOST_ROWS && seen.insert(key) {
                    rows.push(Row { key, cells: Vec::new() });
                }
            }
        }
        rows
    }
}

/// For each node, how many bytes of text stand before it.
fn text_ends(dom: &Dom) -> Vec<usize> {
    let mut sum = 0;
    let mut ends: Vec<usize> = Vec::with_capacity(dom.node_count() + 1);
    for node in dom.nodes() {
        ends.push(sum);
        let hidden = node.parent().is_some_and(|it| it.is(known::SCRIPT) || it.is(known::STYLE));
        if node.kind() == Kind::Text && !hidden {
            sum += node.text().trim().len();
        }
    }
    ends.push(sum);
    ends
}

fn is_row_like(node: Node<'_>) -> bool {
    let may_be = matches!(
        node.name_id(),
        Some(
            known::TR
                | known::LI
                | known::DIV
                | known::ARTICLE
                | known::SECTION
                | known::DL
                | known::P
                | known::A
                | known::TBODY
        )
    );
    // The head of a table, and a cell that spans it, are no rows.
    let is_head = node.is(known::TR) && {
        let mut cells = node.children().filter(|cell| cell.is(known::TD));
        match (cells.next(), cells.next()) {
            (None, _) => true,
            (Some(one), None) => one.attribute("colspan").is_some(),
            _ => false,
        }
    };
    may_be && !is_head && !is_beside(node)
}

/// Whether it stands beside the answer: in a menu, a head, a foot, a form.
fn is_beside(node: Node<'_>) -> bool {
    node.ancestors().any(|above| {
        matches!(
            above.name_id(),
            Some(
                known::NAV
                    | known::HEADER
                    | known::FOOTER
                    | known::ASIDE
                    | known::FORM
                    | known::SELECT
                    | known::THEAD
                    | known::TEMPLATE
            )
        )
    })
}

/// How a row is told: by its name, and by name, id and classes of what is around it.
fn chain(node: Node<'_>) -> Vec<String> {
    let around = node.ancestors().take(CHAIN - 1).map(|above| {
        let of = |name: &str| above.attribute(name).unwrap_or_default().trim();
        format!("{}#{}.{}", above.name(), of("id"), of("class"))
    });
    std::iter::once(node.name().to_owned()).chain(around).collect()
}

fn table_of(node: Node<'_>) -> Option<Node<'_>> {
    node.ancestors().find(|above| above.is(known::TABLE))
}

fn links<'a>(row: Node<'a>, base: &'a Url) -> impl Iterator<Item = Url> + 'a {
    let own = std::iter::once(row).chain(row.descendants());
    own.filter(|node| node.is(known::A)).filter_map(|node| target(node, base))
}

fn target(node: Node<'_>, base: &Url) -> Option<Url> {
    let mut url = base.join(node.attribute_by(known::HREF)?.trim()).ok()?;
    url.set_fragment(None);
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// What a node says, in one line.
fn folded(node: Node<'_>) -> String {
    visible_text_of(node).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cells(row: Node<'_>, heads: &mut HashMap<NodeId, Vec<String>>) -> Vec<(String, String)> {
    let cut = |text: String| text.chars().take(LONGEST_CELL).collect::<String>();
    if row.is(known::TR) {
        let named = table_of(row).map(|table| {
            heads.entry(table.id()).or_insert_with(|| {
                let is_head = |node: &Node<'_>| {
                    node.is(known::TR) && node.children().any(|cell| cell.is(known::TH))
                };
                let head = table.descendants().find(is_head);
                let cells = head.into_iter().flat_map(Node::children);
                cells.filter(|cell| cell.is(known::TH) || cell.is(known::TD)).map(folded).collect()
            })
        });
        let named: &[String] = named.map_or(&[], |named| named.as_slice());
        let cells = row.children().filter(|cell| cell.is(known::TD) || cell.is(known::TH));
        let name = |at: usize| named.get(at).cloned().unwrap_or_else(|| format!("column {at}"));
        let cells = cells.take(MOST_COLUMNS).enumerate();
        return cells.map(|(at, cell)| (name(at), cut(folded(cell)))).collect();
    }
    let mut found: Vec<(String, String)> = Vec::new();
    for text in row.descendants().filter(|node| node.kind() == Kind::Text) {
        let said = text.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let Some(holder) = text.parent().filter(|_| !said.is_empty()) else { continue };
        if found.len() == MOST_COLUMNS {
            break;
        }
        let class = holder.attribute("class").and_then(|all| all.split_whitespace().next());
        let name = holder.attribute("itemprop").or(holder.attribute("data-label")).or(class);
        found.push((name.unwrap_or(holder.name()).to_owned(), cut(said)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::parse_str;

    fn url() -> Url {
        Url::parse("http://jobs.example/find?kw=a").unwrap()
    }

    fn page(rows: &str) -> Dom {
        parse_str(&format!(
            "<nav><ul><li>Home page<li>About the company</ul></nav><form><ul><li>a<li>b</ul></form>
             <main><table><thead><tr><th>Offer<th>City</tr></thead><tbody>{rows}</tbody></table></main>"
        ))
        .dom
    }

    fn row(id: u32, city: &str) -> String {
        format!("<tr><td><a href='/job/{id}?kw=x'>Cook {id}</a><td>{city}</tr>")
    }

    #[test]
    fn rows_are_named_by_where_they_lead_and_not_by_what_was_asked_for() {
        let without = BTreeSet::from(["kw".to_owned()]);
        let many: String = (1..9).map(|id| row(id, "Oslo")).collect();
        let dom = page(&many);
        let reader = RowReader::learn(&dom, &url(), without).unwrap();
        let all = reader.rows(&dom, &url());
        assert_eq!(all.len(), 8);
        assert_eq!(
            all[0].cells,
            [("Offer".to_owned(), "Cook 1".to_owned()), ("City".to_owned(), "Oslo".to_owned())]
        );

        let one = page(&row(3, "Bergen, now").replace("kw=x", "kw=y"));
        assert_eq!(reader.rows(&one, &url())[0].key, all[2].key);
        assert!(reader.rows(&page(""), &url()).is_empty());
        let note = page("<tr><td colspan=2>No search results for <a href=/help>Cook</a></tr>");
        assert!(reader.rows(&note, &url()).is_empty());

        let list = parse_str("<main><ul class=x><li><a href='/job/5'>Cook</a></ul></main>").dom;
        assert_eq!(reader.rows(&list, &url()), [Row { key: all[4].key, cells: Vec::new() }]);
    }

    #[test]
    fn a_list_of_boxes_has_rows_and_columns_by_class() {
        let items: String = (1..6)
            .map(|id| {
                format!("<div class=hit><b>Film number {id}</b> <i class=year>19{id}0</i></div>")
            })
            .collect();
        let dom = parse_str(&format!("<main><div id=hits>{items}</div></main>")).dom;
        let reader = RowReader::learn(&dom, &url(), BTreeSet::new()).unwrap();
        let rows = reader.rows(&dom, &url());
        assert_eq!(rows.len(), 5);
        assert_eq!(rows[1].cells[1], ("year".to_owned(), "1920".to_owned()));
    }
}
