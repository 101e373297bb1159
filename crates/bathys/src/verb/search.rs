//! `bathys search`: what pages say, and what they said.

use std::io::Write;
use std::ops::Range;

use search::{Hit, Order, Query, SearchError, SearchResult, moment};
use store::Millis;

use super::index;
use crate::cli::{OrderFlag, SearchFlags};
use crate::output::{Usage, clip, json_line, stdout, thousands};
use crate::say;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &SearchFlags) -> anyhow::Result<()> {
    let query = query(flags)?;
    let catalog = settings.open()?;
    let (index, _) = index::open(&catalog, &flags.place).await?;
    let found = index.search(&catalog, &query).await.map_err(wrong_query)?;
    let mut out = stdout();
    if settings.json {
        json_line(&mut out, &found)?;
        return Ok(out.flush()?);
    }
    for hit in &found.hits {
        write_hit(&mut out, hit)?;
    }
    out.flush()?;
    say!("{}", summary(&found));
    Ok(())
}

fn query(flags: &SearchFlags) -> anyhow::Result<Query> {
    let label = flags.label.as_deref().map(|name| {
        name.parse().map_err(|_| Usage(format!("--label {name}: there is no such label; try main")))
    });
    Ok(Query {
        from: time("--from", flags.from.as_deref(), false)?,
        to: time("--to", flags.to.as_deref(), true)?,
        site: flags.site.clone(),
        label: label.transpose()?,
        page_type: flags.page_type.clone(),
        order: match flags.order {
            OrderFlag::Best => Order::Best,
            OrderFlag::Newest => Order::Newest,
            OrderFlag::Oldest => Order::Oldest,
        },
        offset: flags.offset,
        limit: flags.limit,
        ..Query::new(typed(&flags.query))
    })
}

/// A query that makes no sense is a mistake in the call.
pub fn wrong_query(error: SearchError) -> anyhow::Error {
    match error {
        SearchError::Query(_) => {
            Usage(format!("{error}; 'bathys search --help' has examples")).into()
        }
        error => error.into(),
    }
}

/// The words of a query as the shell parted them: what has a space in it was quoted as a whole, and is
/// not taken for a phrase by that.
pub fn typed(words: &[String]) -> String {
    words.join(" ")
}

/// A time that a flag gives, or a day: its beginning, or its end.
pub fn time(flag: &str, text: Option<&str>, end_of_day: bool) -> anyhow::Result<Option<Millis>> {
    let Some(text) = text else { return Ok(None) };
    let time = moment(text, end_of_day).ok_or_else(|| {
        Usage(format!("{flag} {text} is no time; write 2026-01-31 or 2026-01-31T10:00:00Z"))
    })?;
    Ok(Some(time))
}

fn write_hit(out: &mut impl Write, hit: &Hit) -> anyhow::Result<()> {
    writeln!(
        out,
        "{}  {}",
        life(hit.first_seen, hit.last_seen, hit.is_there),
        clip(&hit.key, 100)
    )?;
    let elsewhere = match hit.pages {
        0 | 1 => String::new(),
        pages => format!("  on {} pages", thousands(pages as i64)),
    };
    let topic = clip(&hit.topic, 60);
    writeln!(out, "    page {} block {}  {}: {topic}{elsewhere}", hit.page, hit.block, hit.label)?;
    writeln!(out, "    {}\n", marked(&hit.snippet.text, &hit.snippet.marks))?;
    Ok(())
}

/// From when to when something was seen.
pub fn life(first: Millis, last: Millis, is_there: bool) -> String {
    let day = |time: Millis| time.to_string().get(..10).unwrap_or_default().to_owned();
    match (is_there, day(first) == day(last)) {
        (true, _) => format!("{} – still there {}", day(first), day(last)),
        (false, true) => day(first),
        (false, false) => format!("{} – {}", day(first), day(last)),
    }
}

/// What was searched for, set apart as in plain text.
pub fn marked(text: &str, marks: &[Range<usize>]) -> String {
    let mut shown = String::with_capacity(text.len() + 8);
    let mut from = 0;
    for mark in marks {
        shown.push_str(&text[from..mark.start]);
        shown.push('[');
        shown.push_str(&text[mark.clone()]);
        shown.push(']');
        from = mark.end;
    }
    shown + &text[from..]
}

fn summary(found: &SearchResult) -> String {
    let sites = found.facets.sites.iter().take(5);
    let sites: Vec<String> =
        sites.map(|site| format!("{} {}", thousands(site.count as i64), site.value)).collect();
    let spread = if found.facets.sites.len() > 1 {
        format!(": {}", sites.join(", "))
    } else {
        String::new()
    };
    format!("{} texts{spread} ({:.1} ms)", thousands(found.total as i64), found.elapsed_ms)
}
