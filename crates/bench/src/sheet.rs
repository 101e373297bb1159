//! The sheet that figures are written on: a line of JSON an experiment, or a table for the eye, and
//! at the end what was asked for and missed.

use std::fmt::Display;
use std::io::{self, Write};

use anyhow::bail;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use indicatif::HumanCount;

/// Named figures, in the order in which they are to be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures(Vec<(&'static str, Value)>);

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Figures {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

/// What one experiment gave, beside what the paper says.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Experiment {
    name: String,
    ours: Figures,
    seed: Figures,
    /// How many times better than the paper, or than what it is compared with.
    ratio: Option<f64>,
    /// What was asked for and missed.
    missed: Vec<String>,
}

impl Experiment {
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ours: Figures::default(),
            seed: Figures::default(),
            ratio: None,
            missed: Vec::new(),
        }
    }

    /// Adds a figure of ours.
    pub fn ours(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.ours.0.push((name, value.into()));
        self
    }

    /// Adds a figure of the paper's.
    pub fn seed(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.seed.0.push((name, value.into()));
        self
    }

    /// Says how many times better it is: `theirs` over `ours`.
    pub fn better(mut self, theirs: f64, ours: f64) -> Self {
        self.ratio = (ours > 0.0).then(|| rounded(theirs / ours));
        self
    }

    /// Asks for something. What does not hold is a figure missed.
    pub fn ask(mut self, holds: bool, what: impl Display) -> Self {
        if !holds {
            self.missed.push(what.to_string());
        }
        self
    }
}

/// Where the experiments of a run are put.
pub struct Sheet {
    json: bool,
    rows: Vec<Experiment>,
    missed: Vec<String>,
}

impl Sheet {
    pub fn new(json: bool) -> Self {
        Self { json, rows: Vec::new(), missed: Vec::new() }
    }

    /// Puts an experiment down. As JSON it is written at once: some take long.
    pub fn put(&mut self, experiment: Experiment) -> anyhow::Result<()> {
        for missed in &experiment.missed {
            eprintln!("  missed: {}: {missed}", experiment.name);
            self.missed.push(format!("{}: {missed}", experiment.name));
        }
        match self.json {
            true => writeln!(io::stdout(), "{}", serde_json::to_string(&experiment)?)?,
            false => self.rows.push(experiment),
        }
        Ok(())
    }

    /// Ends a table: what was put down since the last one is drawn.
    pub fn table(&mut self, title: &str) -> anyhow::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if !rows.is_empty() {
            writeln!(io::stdout(), "{title}\n{}", drawn(&rows))?;
        }
        Ok(())
    }

    /// Fails if a figure was missed, and says which.
    pub fn finish(self) -> anyhow::Result<()> {
        if !self.missed.is_empty() {
            bail!("{} figures missed: {}", self.missed.len(), self.missed.join("; "));
        }
        Ok(())
    }
}

/// A table: a row an experiment, a column a figure, those of the paper last.
fn drawn(rows: &[Experiment]) -> String {
    let ours = names(rows.iter().map(|row| &row.ours));
    let seed = names(rows.iter().map(|row| &row.seed));
    let has_ratio = rows.iter().any(|row| row.ratio.is_some());
    let mut lines = vec![vec![String::new()]];
    if let Some(head) = lines.first_mut() {
        head.extend(ours.iter().map(|name| name.replace('_', " ")));
        head.extend(seed.iter().map(|name| format!("seed: {}", name.replace('_', " "))));
        head.extend(has_ratio.then(|| "ratio".to_owned()));
    }
    for row in rows {
        let mut line = vec![row.name.clone()];
        line.extend(ours.iter().map(|name| row.ours.get(name).map_or(String::new(), shown)));
        line.extend(seed.iter().map(|name| row.seed.get(name).map_or(String::new(), shown)));
        line.extend(row.ratio.map(|ratio| format!("{ratio:.1}×")));
        lines.push(line);
    }
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in &lines {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            match column {
                0 => text.push_str(&format!("{cell:<width$}")),
                _ => text.push_str(&format!("  {cell:>width$}")),
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// All names, in the order in which they first come.
fn names<'a>(figures: impl Iterator<Item = &'a Figures>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for (name, _) in figures.flat_map(|figures| &figures.0) {
        if !names.contains(name) {
            names.push(*name);
        }
    }
    names
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        _ => match (value.as_i64(), value.as_f64()) {
            (Some(whole), _) => HumanCount(whole.unsigned_abs()).to_string(),
            (None, Some(number)) if number.abs() < 1.0 => format!("{number:.3}"),
            (None, Some(number)) => format!("{number:.2}"),
            (None, None) => value.to_string(),
        },
    }
}

/// To four digits after the point: more is noise.
pub fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_figures_in_their_order_and_what_was_missed() {
        let experiment = Experiment::new("seed000/news1/inline")
            .ours("pages", 7)
            .ours("events", 8)
            .seed("events", 78)
            .better(78.0, 8.0)
            .ask(true, "recall")
            .ask(false, "8 events for 7 pages");
        assert_eq!(
            serde_json::to_string(&experiment).unwrap(),
            r#"{"name":"seed000/news1/inline","ours":{"pages":7,"events":8},"seed":{"events":78},"ratio":9.75,"missed":["8 events for 7 pages"]}"#
        );
    }

    #[test]
    fn a_table_has_a_column_for_every_figure_of_any_row() {
        let rows = [
            Experiment::new("a").ours("pages", 1234).seed("events", 78).better(3.0, 2.0),
            Experiment::new("longer").ours("seconds_per_page", 0.0471),
        ];
        insta::assert_snapshot!(drawn(&rows), @r"
                pages  seconds per page  seed: events  ratio
        a       1,234                              78   1.5×
        longer                    0.047
        ");
    }

    #[test]
    fn what_was_missed_is_said_in_the_end() {
        let mut sheet = Sheet::new(false);
        sheet.put(Experiment::new("a").ask(false, "too slow")).unwrap();
        assert_eq!(sheet.finish().unwrap_err().to_string(), "1 figures missed: a: too slow");
        assert!(Sheet::new(false).finish().is_ok());
    }
}
