//! How the pages of a forum are written: a file for each template. A new one is a file with a [`Skin`],
//! and two lines here.

mod bare;
mod cards;
mod chinese;
mod german;
mod hydrated;
mod pairs;
mod shell;
mod stream;
mod table;
mod terms;
mod tree;

use super::skin::Skin;
use crate::options::named;

named! {
    /// How the pages of `forum` are written.
    #[derive(Default)]
    Template, "template", {
        /// Rows of a table, odd and even, with the author in a cell beside the post.
        #[default]
        Table = "table",
        /// A box for each thread and each post; the instant is in an attribute.
        Cards = "cards",
        /// Lists of terms and descriptions.
        Terms = "terms",
        /// Two rows a record, one above the other.
        Pairs = "pairs",
        /// Replies hang below what they answer, item in item.
        Tree = "tree",
        /// Chinese, with a large pane of who wrote it beside each post.
        Chinese = "chinese",
        /// Nothing is on the page but a script, which asks for data and builds everything.
        Shell = "shell",
        /// The server sends microdata; a script replaces it by markup without any.
        Hydrated = "hydrated",
        /// No class anywhere: text with line breaks between rules.
        Bare = "bare",
        /// Threads go on when they are scrolled, lists when a button is clicked.
        Stream = "stream",
        /// German, with relative dates.
        German = "german",
    }
}

impl Template {
    pub(super) fn skin(self) -> &'static dyn Skin {
        match self {
            Template::Table => &table::Table,
            Template::Cards => &cards::Cards,
            Template::Terms => &terms::Terms,
            Template::Pairs => &pairs::Pairs,
            Template::Tree => &tree::Tree,
            Template::Chinese => &chinese::Chinese,
            Template::Shell => &shell::Shell,
            Template::Hydrated => &hydrated::Hydrated,
            Template::Bare => &bare::Bare,
            Template::Stream => &stream::Stream,
            Template::German => &german::German,
        }
    }
}
