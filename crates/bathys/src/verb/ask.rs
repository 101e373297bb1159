//! `bathys ask`: passages of what was captured that answer a question.

use std::io::Write;

use search::{Answer, Question};

use super::index;
use super::search::{life, marked, time, typed, wrong_query};
use crate::cli::AskFlags;
use crate::output::{clip, json_line, stdout};
use crate::say;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &AskFlags) -> anyhow::Result<()> {
    let question = Question {
        from: time("--from", flags.from.as_deref(), false)?,
        to: time("--to", flags.to.as_deref(), true)?,
        site: flags.site.clone(),
        limit: flags.limit,
        ..Question::new(typed(&flags.question))
    };
    let catalog = settings.open()?;
    let (index, _) = index::open(&catalog, &flags.place).await?;
    let found = index.ask(&catalog, &question).await.map_err(wrong_query)?;
    let mut out = stdout();
    if settings.json {
        json_line(&mut out, &found)?;
        return Ok(out.flush()?);
    }
    for answer in &found.answers {
        write_answer(&mut out, answer)?;
    }
    if found.answers.is_empty() {
        writeln!(out, "not found")?;
        say!("no passage holds enough of the question; 'bathys search' finds single words");
    }
    Ok(out.flush()?)
}

fn write_answer(out: &mut impl Write, answer: &Answer) -> anyhow::Result<()> {
    let life = life(answer.first_seen, answer.last_seen, answer.is_there);
    writeln!(out, "{life}  {}", clip(&answer.key, 100))?;
    let topic = clip(&answer.topic, 60);
    writeln!(out, "    page {} block {}  {}: {topic}", answer.page, answer.block, answer.label)?;
    for line in marked(&answer.text, &answer.marks).lines() {
        writeln!(out, "    {line}")?;
    }
    Ok(writeln!(out)?)
}
