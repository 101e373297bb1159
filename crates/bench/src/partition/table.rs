//! A table of what people said: a line a row, cells parted by tabs, the first line their names.

use std::path::Path;

use anyhow::{Context as _, ensure};

pub(super) struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
        let mut lines = text.lines().enumerate();
        let (_, head) = lines.next().context("it is empty; its first line names the columns")?;
        let columns = cells(head);
        let mut rows = Vec::new();
        for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let row = cells(line);
            let (have, need) = (row.len(), columns.len());
            ensure!(have == need, "line {} has {have} cells and not {need}", number + 1);
            rows.push(row);
        }
        Ok(Self { columns, rows })
    }

    pub(super) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        Self::parse(&text).with_context(|| format!("{} is no table", file.display()))
    }

    pub(super) fn write(&self, file: &Path) -> anyhow::Result<()> {
        let lines = std::iter::once(&self.columns).chain(&self.rows);
        let text: String = lines.map(|line| line.join("\t") + "\n").collect();
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
    }

    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }

    pub(super) fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Writes into the empty cells of a column what is found for their rows; says how many.
    pub(super) fn fill(
        &mut self,
        column: usize,
        mut find: impl FnMut(&[String]) -> anyhow::Result<Option<String>>,
    ) -> anyhow::Result<usize> {
        let mut filled = 0;
        for row in &mut self.rows {
            if row.get(column).is_some_and(String::is_empty)
                && let Some(found) = find(row)?
                && let Some(cell) = row.get_mut(column)
            {
                *cell = found;
                filled += 1;
            }
        }
        Ok(filled)
    }
}

/// A short digest of what was judged.
pub(super) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_empty_cells_are_filled() {
        let mut table = Table::parse("name\tcut\na\t\nb\told\n").unwrap();
        assert_eq!(table.fill(1, |row| Ok(Some(format!("new {}", row[0])))).unwrap(), 1);
        assert_eq!(table.rows(), [["a", "new a"], ["b", "old"]]);
    }

    #[test]
    fn a_line_with_a_cell_too_few_is_named() {
        let error = Table::parse("name\tcut\na\n").err().unwrap().to_string();
        assert_eq!(error, "line 2 has 1 cells and not 2");
        assert!(Table::parse("").is_err());
    }
}
