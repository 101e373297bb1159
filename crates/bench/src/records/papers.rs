//! Records by each method that a user can choose, on pages of which it is told what kind they are: the
//! papers' find the records of a page and not what they are, so that only ours are asked for the right
//! kind as well.

use std::path::Path;

use record::{Kind, RecordMethod, Source};
use testsite::{Forum, Options, SheetKind, Template};
use url::Url;

use super::bag::Bag;
use super::cost::cpu_ms;
use super::judge::{Part, words};
use super::score::{HELD, HELD_OF_LABELS, Matching, Tally};
use super::set::{Given, Page, Set, Tree};
use super::{PAPER_FDRE, PAPER_MDR, live, sets};
use crate::sheet::{Experiment, Sheet, rounded};

/// The methods, each with its name and what seed 004 says of it.
const METHODS: [(&str, RecordMethod, Option<f64>); 3] = [
    ("ours", RecordMethod::Learned, None),
    ("fdre", RecordMethod::Fdre, Some(PAPER_FDRE)),
    ("mdr", RecordMethod::Mdr, Some(PAPER_MDR)),
];
/// Templates of the bundled forum whose pages are whole as the server sends them, and whose records are
/// marked up in different ways.
const TEMPLATES: [Template; 6] = [
    Template::Table,
    Template::Cards,
    Template::Terms,
    Template::Pairs,
    Template::Chinese,
    Template::Bare,
];
/// Threads of the bundled forum.
const THREADS: u32 = 24;

pub fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    let templates = if quick { TEMPLATES.get(..1).unwrap_or_default() } else { &TEMPLATES };
    let bundled = templates.iter().map(|template| bundled(*template));
    let bundled = bundled.collect::<anyhow::Result<Vec<Set>>>()?;
    let given = if quick { Vec::new() } else { sets(data)? };
    for set in bundled.iter().chain(&given) {
        for (name, method, paper) in METHODS {
            let Mined { posts, lists, single, ms } = Mined::of(set, method);
            let mut row = Experiment::new(format!("papers/records/{}/{name}", set.name))
                .ours("posts_precision", rounded(posts.precision()))
                .ours("posts_recall", rounded(posts.recall()))
                .ours("posts_f1", rounded(posts.f1()));
            if lists.truth > 0 {
                row = row.ours("lists_f1", rounded(lists.f1()));
            }
            if single.of > 0 {
                row = row.ours("single", rounded(single.share()));
            }
            row = row.ours("ms", rounded(ms));
            sheet.put(paper.into_iter().fold(row, |row, f1| row.seed("f1", f1)))?;
        }
    }
    Ok(())
}

/// What a method found on the pages of a set.
pub struct Mined {
    pub posts: Tally,
    pub lists: Tally,
    single: Part,
    /// Milliseconds of CPU a page.
    ms: f64,
}

impl Mined {
    pub fn of(set: &Set, method: RecordMethod) -> Self {
        let given = if set.has(Given::Rendered) { Given::Rendered } else { Given::Raw };
        let held = if set.is_real() { HELD_OF_LABELS } else { HELD };
        let (mut posts, mut lists) = (Tally::default(), Tally::default());
        let (mut single, mut ms) = (Part::default(), 0.0);
        for pages in set.by_site().values() {
            let sources: Vec<Source<'_>> = pages.iter().map(|page| page.source(given)).collect();
            let begun = cpu_ms();
            let found = method.records(&sources);
            ms += cpu_ms() - begun;
            for (page, found) in pages.iter().zip(found) {
                let Some(kind) = page.kind else { continue };
                let truth = page.truth.iter().map(|truth| Bag::of(&words(truth, kind)));
                let truth: Vec<Bag> = truth.filter(|bag| !bag.is_empty()).collect();
                let is_asked = |of: Kind| method != RecordMethod::Learned || of == kind;
                let ours = found.iter().filter(|record| is_asked(record.kind));
                let ours: Vec<Bag> = ours.map(|record| Bag::of(&record.text)).collect();
                let tally = Matching::of(&truth, &ours, held).tally();
                match kind {
                    Kind::Post => posts += tally,
                    Kind::Thread | Kind::Item => lists += tally,
                }
                if kind == Kind::Post && truth.len() == 1 {
                    single.count(tally.ours == 1 && tally.right == 1);
                }
            }
        }
        Self { posts, lists, single, ms: ms / set.pages.len().max(1) as f64 }
    }
}

/// The bundled forum in a template, as its server sends it.
pub fn bundled(template: Template) -> anyhow::Result<Set> {
    let options = Options { template, size: THREADS, ..Options::default() };
    let (forum, now) = (Forum::generate(&options), options.clock.now());
    let tables = forum.tables(now);
    let base = Url::parse("http://forum.example/")?;
    let mut pages = Vec::new();
    for (sheet, number) in tables.pages.iter().zip(1..) {
        let (kind, truth) = match sheet.kind {
            SheetKind::List => {
                let rows = sheet.records.iter().filter_map(|id| tables.thread(*id));
                (Some(Kind::Thread), rows.map(live::of_thread).collect())
            }
            SheetKind::Thread => {
                let rows = sheet.records.iter().filter_map(|id| tables.post(*id));
                (Some(Kind::Post), rows.map(live::of_post).collect())
            }
            SheetKind::Index | SheetKind::User | SheetKind::Other => (None, Vec::new()),
        };
        let html = forum.page(&sheet.url, now).unwrap_or_default().into_bytes();
        let thread = sheet.thread.and_then(|id| tables.thread(id));
        pages.push(Page {
            file: format!("{}_{number}", sheet.kind.name()),
            url: base.join(&sheet.url)?,
            captured: Some(tables.captured),
            kind,
            truth,
            thread_title: thread.map(|thread| thread.title.clone()),
            shows: Some(tables.list_fields.clone()),
            site: None,
            rendered: None,
            raw: Some(Tree::new(html)),
        });
    }
    Ok(Set { name: format!("forum-{}", template.name()), pages })
}
