//! The cases of the gate: which there are, and what each of them is a count of.

use std::path::Path;

use anyhow::Context as _;
use crawl::{Filters, Render};
use testsite::{Build, Search, SiteKind, Template};

use super::counts::CaseCounts;
use super::{
    bbs, blog, forms, forum, kill, list, maze, news, papers, portal, revisit, rooms, same, search,
    series, serve, types, volumes,
};
use crate::kill::Moments;
use crate::same::{SUBJECTS, Subject};
use crate::types::{SitePages, sites};

/// One experiment with a truth.
pub struct Case {
    /// Its name, without a space.
    pub name: String,
    /// How long it takes on two idle cores, for the progress line only.
    pub seconds: u32,
    experiment: Experiment,
}

enum Experiment {
    Questions,
    ChineseRecall,
    News(Build),
    Blog { articles: u32, filters: Filters },
    PlainBlog,
    Bbs,
    Maze(Build),
    Rooms(Build),
    Same(&'static Subject),
    Portal { build: Build, render: Render },
    Forum(Template),
    Types(SitePages),
    Papers,
    List(Render),
    Kill(Moments),
    KillArchive,
    Volumes(SiteKind),
    Series(series::Made),
    RealSeries(&'static str),
    RevisitedSeries,
    RevisitedStates(SiteKind),
    Serve,
    FormsGate,
    Forms(Search),
}

const ALL: Filters = Filters { instruction: true, pattern: true, request: true };
/// The articles of seed 001's first set, and how many are enough where a filter is off.
const FIRST_SET: u32 = 50;
const FEW: u32 = 20;

/// All cases, in the order in which they run.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: String, seconds, experiment| {
        cases.push(Case { name, seconds, experiment });
    };
    // A room of the maze is a kind of its own, whatever its pages look like.
    for pages in sites().into_iter().filter(|pages| pages.kind != SiteKind::Maze) {
        add(format!("types/{}", pages.name), 4, Experiment::Types(pages));
    }
    add("forms-gate".to_owned(), 10, Experiment::FormsGate);
    for (search, _) in crate::forms::BUILDS {
        add(format!("forms/{search}"), 5, Experiment::Forms(search));
    }
    add("papers".to_owned(), 5, Experiment::Papers);
    add("search/questions".to_owned(), 15, Experiment::Questions);
    add("search/chinese".to_owned(), 5, Experiment::ChineseRecall);
    for made in [series::Made::Portal, series::Made::Forum] {
        add(format!("series/{}", made.name()), 1, Experiment::Series(made));
    }
    for name in ["bjjs", "cdr"] {
        add(format!("series/{name}"), 5, Experiment::RealSeries(name));
    }
    for (layout, build) in [("tables", Build::Inline), ("boxes", Build::React)] {
        for (way, render) in [("plain", Render::Never), ("rendered", Render::Always)] {
            add(format!("portal/{layout}/{way}"), 3, Experiment::Portal { build, render });
        }
    }
    for build in [Build::Inline, Build::React] {
        add(format!("seed000/{build}"), 25, Experiment::News(build));
    }
    for (name, articles, filters) in [
        ("S1", FIRST_SET, ALL),
        ("no-instruction-filter", FIRST_SET, Filters { instruction: false, ..ALL }),
        ("no-pattern-filter", FEW, Filters { pattern: false, ..ALL }),
        ("no-request-filter", FEW, Filters { request: false, ..ALL }),
    ] {
        add(format!("seed001/{name}"), 30, Experiment::Blog { articles, filters });
    }
    add("blog/plain".to_owned(), 3, Experiment::PlainBlog);
    add(SiteKind::Bbs.to_string(), 40, Experiment::Bbs);
    for (way, render) in
        [("never", Render::Never), ("auto", Render::Auto), ("always", Render::Always)]
    {
        add(format!("list/{way}"), 15, Experiment::List(render));
    }
    for template in [Template::Table, Template::Cards, Template::Tree, Template::Chinese] {
        add(format!("forum/{}", template.name()), 20, Experiment::Forum(template));
    }
    for build in [Build::Inline, Build::React] {
        add(format!("maze/{build}"), 60, Experiment::Maze(build));
    }
    for build in [Build::Inline, Build::Jquery] {
        add(format!("rooms/{build}"), 40, Experiment::Rooms(build));
    }
    for subject in SUBJECTS.iter().take(same::SUBJECTS) {
        add(format!("same/{}", subject.name), 45, Experiment::Same(subject));
    }
    add("revisit/series".to_owned(), 15, Experiment::RevisitedSeries);
    for kind in [SiteKind::News, SiteKind::Bbs] {
        add(format!("revisit/{kind}"), 25, Experiment::RevisitedStates(kind));
    }
    add("serve".to_owned(), 5, Experiment::Serve);
    for (round, moments) in (1..).zip(kill::ROUNDS) {
        add(format!("kill/{round}"), 90, Experiment::Kill(moments));
    }
    add("kill/archive".to_owned(), 20, Experiment::KillArchive);
    for kind in [SiteKind::News, SiteKind::Portal] {
        add(format!("volumes/{kind}"), 15, Experiment::Volumes(kind));
    }
    cases
}

/// The names of all cases.
pub fn case_names() -> Vec<String> {
    all().into_iter().map(|case| case.name).collect()
}

impl Case {
    /// Whether it counts on data beside the checkout.
    pub fn needs_data(&self) -> bool {
        matches!(
            self.experiment,
            Experiment::RealSeries(_) | Experiment::RevisitedSeries | Experiment::FormsGate
        )
    }

    /// Runs it.
    ///
    /// # Errors
    /// When it cannot come to its counts.
    pub async fn count(&self, data: Option<&Path>) -> anyhow::Result<CaseCounts> {
        match &self.experiment {
            Experiment::News(build) => news::count(*build).await,
            Experiment::Blog { articles, filters } => blog::count(*articles, *filters).await,
            Experiment::PlainBlog => blog::count_plain(FIRST_SET).await,
            Experiment::Bbs => bbs::count().await,
            Experiment::Maze(build) => maze::count(*build).await,
            Experiment::Rooms(build) => rooms::count(*build).await,
            Experiment::Same(subject) => same::count(subject).await,
            Experiment::Portal { build, render } => portal::count(*build, *render).await,
            Experiment::Forum(template) => forum::count(*template).await,
            Experiment::Types(pages) => types::count(pages).await,
            Experiment::Papers => papers::count(),
            Experiment::Questions => search::count_questions().await,
            Experiment::ChineseRecall => search::count_chinese().await,
            Experiment::List(render) => list::count(*render).await,
            Experiment::Kill(moments) => kill::count(moments).await,
            Experiment::KillArchive => kill::count_archive().await,
            Experiment::Volumes(kind) => volumes::count(*kind).await,
            Experiment::Series(made) => series::count(*made).await,
            Experiment::RealSeries(name) => {
                series::count_real(data.context("there is no data")?, name).await
            }
            Experiment::RevisitedSeries => {
                revisit::count_series(data.context("there is no data")?).await
            }
            Experiment::Forms(search) => forms::count(*search).await,
            Experiment::FormsGate => forms::count_gate(data.context("there is no data")?),
            Experiment::RevisitedStates(kind) => revisit::count_states(*kind).await,
            Experiment::Serve => serve::count().await,
        }
    }
}
