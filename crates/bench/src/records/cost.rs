//! What records take, and how that grows with a page.

use page::tree::{Dom, parse};
use record::{Kind, Site, Source};
use rustix::time::{ClockId, clock_gettime};

use super::set::{Given, Page, Set};
use crate::sheet::{Experiment, Sheet, rounded};

/// Milliseconds a page that are asked for, at the median.
const ASKED_MS: f64 = 20.0;
/// How much more than eight times the time a page of eight times the size may take.
const ASKED_GROWTH: f64 = 1.5;
const FACTORS: [usize; 4] = [1, 2, 4, 8];
/// The fastest of so many runs counts: the others found the caches cold.
const RUNS: usize = 5;

pub fn run(sheet: &mut Sheet, engines: &[Set], real: &[Set]) -> anyhow::Result<()> {
    let mut each = Vec::new();
    for set in engines {
        let pages: Vec<&Page> = set.pages.iter().collect();
        each.extend(std::iter::repeat_n(a_page(&pages, Given::Both), pages.len()));
    }
    for set in real {
        for (_, pages) in set.by_site() {
            each.extend(std::iter::repeat_n(a_page(&pages, Given::Raw), pages.len()));
        }
    }
    each.sort_by(f64::total_cmp);
    let median = each.get(each.len() / 2).copied().unwrap_or_default();
    let most = each.last().copied().unwrap_or_default();
    let row = Experiment::new("records/cost")
        .ours("pages", each.len())
        .ours("cpu_ms_median", rounded(median))
        .ours("cpu_ms_most", rounded(most))
        .ask(
            cfg!(debug_assertions) || median <= ASKED_MS,
            format!("{median:.1} ms of CPU a page, asked {ASKED_MS}"),
        );
    sheet.put(row)?;
    for set in engines {
        growth(sheet, set)?;
    }
    Ok(())
}

/// Milliseconds of CPU a page: learning over all pages of a site and reading them, shared among them.
fn a_page(pages: &[&Page], given: Given) -> f64 {
    let sources: Vec<Source<'_>> = pages.iter().map(|page| page.source(given)).collect();
    let begun = cpu_ms();
    let (_, records) = Site::learn_and_read(&sources);
    let taken = cpu_ms() - begun;
    drop(records);
    taken / pages.len().max(1) as f64
}

/// Milliseconds that this thread was running: by the clock, what else the machine does would count.
pub fn cpu_ms() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Reads the page of most posts, and pages that are it several times over.
fn growth(sheet: &mut Sheet, set: &Set) -> anyhow::Result<()> {
    let pages: Vec<&Page> = set.pages.iter().collect();
    let sources: Vec<Source<'_>> = pages.iter().map(|page| page.source(Given::Raw)).collect();
    let site = Site::learn(&sources);
    let posts = pages.iter().filter(|page| page.kind == Some(Kind::Post));
    let Some((page, tree)) = posts
        .filter_map(|page| Some((page, page.raw.as_ref()?)))
        .max_by_key(|(_, tree)| tree.html.len())
    else {
        return Ok(());
    };
    let mut row = Experiment::new(format!("records/growth/{}", set.name));
    let mut times = Vec::new();
    for (factor, name) in FACTORS.into_iter().zip(["cpu_ms", "cpu_ms_2x", "cpu_ms_4x", "cpu_ms_8x"])
    {
        let grown: Dom = parse(&repeated(&tree.html, factor), None).dom;
        let source = Source { raw: Some(&grown), ..page.source(Given::Raw) };
        let fastest = (0..RUNS)
            .map(|_| {
                let begun = cpu_ms();
                let records = site.records(&[source]);
                let taken = cpu_ms() - begun;
                drop(records);
                taken
            })
            .fold(f64::INFINITY, f64::min);
        times.push(fastest);
        row = row.ours(name, rounded(fastest));
    }
    let (first, last) = (times.first().copied(), times.last().copied());
    let growth = last.unwrap_or_default() / first.unwrap_or_default().max(1e-3);
    let row = row.ours("growth", rounded(growth)).ask(
        growth <= 8.0 * ASKED_GROWTH,
        format!("a page of 8 times the size takes {growth:.1} times as long"),
    );
    sheet.put(row)
}

/// A page with what is in its body several times over.
fn repeated(html: &[u8], factor: usize) -> Vec<u8> {
    let text = String::from_utf8_lossy(html);
    let body = text.find("<body").and_then(|at| Some(at + text.get(at..)?.find('>')? + 1));
    let end = text.rfind("</body>").unwrap_or(text.len());
    let (head, inside, rest) = match body.filter(|body| *body <= end) {
        Some(body) => (&text[..body], &text[body..end], &text[end..]),
        None => ("", text.as_ref(), ""),
    };
    [head, &inside.repeat(factor), rest].concat().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_repeated_within_its_body() {
        let page = b"<html><body class=a><p>x</body></html>";
        assert_eq!(repeated(page, 2), b"<html><body class=a><p>x<p>x</body></html>");
        assert_eq!(repeated(b"<p>x", 3), b"<p>x<p>x<p>x");
    }
}
