//! `bathys bench papers`: the papers' own algorithms that a user can choose, beside ours.

use std::path::Path;

use crate::records::papers as records;
use crate::sheet::Sheet;
use crate::types;

pub async fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    types::run(sheet, data, quick).await?;
    sheet.table("Page types, as pairs of pages: by places (ours), by tree distance (seed 000)")?;
    records::run(sheet, data, quick)?;
    sheet.table("Records: learned over pages (ours), mined on each page (seed 004, and its peer)")
}
