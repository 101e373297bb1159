//! `bathys bench partition`: how well pages are cut into blocks and how well blocks are named, by the
//! truth of a bundled site, by what people said of real pages, and by what it costs.

mod article;
pub mod corpus;
mod cost;
mod grades;
mod import;
mod labels;
pub mod portal;
mod table;

use std::path::Path;

use anyhow::bail;

use super::sheet::Sheet;
pub(crate) use corpus::Corpus;
use table::Table;

pub use import::import_pages;

pub async fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    let corpus = Corpus::open(data)?;
    portal::run(sheet, quick).await?;
    grades::run(sheet, &corpus)?;
    labels::run(sheet, &corpus)?;
    article::run(sheet, &corpus)?;
    cost::run(sheet, &corpus, quick)?;
    import::run(sheet, &corpus, quick).await
}

/// Completes a table of what people said with what they said it of, where it does not say so: what
/// stands there is what was judged, and stays.
pub fn fill(data: Option<&Path>, file: &Path) -> anyhow::Result<()> {
    let corpus = Corpus::open(data)?;
    let mut table = Table::read(file)?;
    let filled = match table.columns() {
        columns if columns == grades::COLUMNS => grades::fill(&mut table, &corpus)?,
        columns if columns == labels::COLUMNS => labels::fill(&mut table, &corpus)?,
        _ => bail!(
            "{} is no table of grades or labels; begin it with the line {:?} or {:?}",
            file.display(),
            grades::COLUMNS.join("\t"),
            labels::COLUMNS.join("\t")
        ),
    };
    table.write(file)?;
    eprintln!("  filled {filled} of {} rows", table.rows().len());
    Ok(())
}

/// Says that a part is not measured, and why.
fn skip(part: &str, why: &str) {
    eprintln!("  {part} skipped: {why}");
}
