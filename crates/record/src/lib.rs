//! Records: the tables of a site back out of its pages (seed 004, "Automatic structured data extraction
//! from Web forums", Guan & Ma 2010).
//!
//! The paper mines one page at a time. What is repeated on a page is many things, though, and a thread
//! with a single post repeats nothing; so a *wrapper* is learned over all pages of a type: where the
//! records are (a region), and which part of a record is which field. The paper's four rules are scores
//! that choose among regions and columns together.

mod content;
pub mod date;
mod field;
mod kin;
mod kind;
mod learn;
mod lesson;
mod listing;
mod map;
mod mined;
mod moment;
mod proof;
mod region;
mod row;
mod site;
mod stub;
mod table;
mod teacher;
mod wrapper;

pub use content::{Cleaner, Content, Post};
pub use field::{Assignment, Neighbours, Sample, Selector, assign};
pub use kind::{Field, Kind, View};
pub use lesson::tells_itself;
pub use map::{Chain, Chains, LinksTo, Role, SiteMap, SiteType};
pub use mined::RecordMethod;
pub use moment::{Moment, Precision};
pub use proof::{Agreement, Counting, of_post, prove};
pub use region::{Candidate, Region, Span, fdre, mdr, regions};
pub use row::{Proof, Record};
pub use site::Site;
pub use table::{
    Column, ColumnType, EVIDENCE, Table, elements as table_elements, evidence, tables,
};
pub use teacher::{Taught, Teacher, teach};
pub use wrapper::{Drift, Fit, Wrapper};

use url::Url;

use page::tree::Dom;

/// A page that records are taken from.
///
/// At least one of the two trees is there. Scripts may take away what the server sent, or add to it,
/// so that both are read where both are known.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Where it was.
    pub url: &'a Url,
    /// Its type, where the caller knows it; else types are made from the sources themselves.
    pub page_type: Option<&'a str>,
    /// When it was captured, in seconds of the Unix clock: relative dates count from here.
    pub captured: Option<i64>,
    /// What a browser made of it.
    pub rendered: Option<&'a Dom>,
    /// What the server sent.
    pub raw: Option<&'a Dom>,
}

impl<'a> Source<'a> {
    /// The tree to read where one of the two is meant: where only one is known, it stands for both.
    pub fn view(&self, view: View) -> Option<&'a Dom> {
        match view {
            View::Rendered => self.rendered.or(self.raw),
            View::Raw => self.raw.or(self.rendered),
        }
    }

    /// One of its trees, if it is known: each is learned from once.
    fn own_view(&self, view: View) -> Option<&'a Dom> {
        match view {
            View::Rendered => self.rendered,
            View::Raw => self.raw,
        }
    }
}
