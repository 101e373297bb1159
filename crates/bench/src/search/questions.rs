//! Questions that are made of the truth of bundled sites, each with the passage that answers it; and questions about
//! what is on none of them.

use std::collections::HashMap;
use std::time::Instant;

use anyhow::Context as _;
use browser::http::{AddressRule, Client, ClientOptions, Request};
use derive::{CutSettings, Found, Import};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use page::words::{is_dense, is_stop, segment};
use search::{Answer, Index, Question};
use store::{Catalog, Millis};
use testsite::{Forum, Lang, Options, SiteKind, Template};
use url::Url;

use super::percentile;
use crate::trial::Trial;

/// Days of the portal, and questions about a site.
const DAYS: usize = 12;
const QUESTIONS: usize = 25;
/// Threads of the forum.
const THREADS: u32 = 20;
/// Characters of what was written that an answer has to hold.
const HELD: usize = 24;

/// What became of the questions about a site.
#[derive(Debug, Default)]
pub struct Tally {
    pub asked: usize,
    /// The right passage is among the first three.
    pub right: usize,
    /// It is the first.
    pub first: usize,
    /// Questions about what the site does not say.
    pub about_nothing: usize,
    /// Those that were answered.
    pub wrongly_answered: usize,
    pub median_ms: f64,
}

impl Tally {
    /// Both together; of the times the longer.
    pub fn add(&mut self, other: &Self) {
        self.asked += other.asked;
        self.right += other.right;
        self.first += other.first;
        self.about_nothing += other.about_nothing;
        self.wrongly_answered += other.wrongly_answered;
        self.median_ms = self.median_ms.max(other.median_ms);
    }
}

/// A question with what its answer holds.
struct Asked {
    question: String,
    /// `None` if there is no answer.
    held: Option<String>,
}

/// Everything that is asked, by site.
pub async fn all() -> anyhow::Result<Vec<(&'static str, Tally)>> {
    Ok(vec![
        ("portal", portal(Lang::English).await?),
        ("portal_chinese", portal(Lang::Chinese).await?),
        ("forum", forum(Template::Terms).await?),
        ("forum_chinese", forum(Template::Chinese).await?),
    ])
}

/// The news of each day, asked for by three words of a sentence and the day.
pub async fn portal(lang: Lang) -> anyhow::Result<Tally> {
    let options = Options { lang, ..Options::default() };
    let site = testsite::serve(SiteKind::Portal, options.clone()).await?;
    let base = Url::parse(&site.url())?;
    let rule = AddressRule::public_only().allow_named("127.0.0.1", site.addr().port());
    let client = Client::new(ClientOptions::new("bathys-bench", rule))?;
    let (mut captures, mut told) = (Vec::new(), Vec::new());
    for _ in 0..DAYS {
        let clock = site.clock();
        let truth = SiteKind::Portal.generate(&Options { clock, ..options.clone() }).truth();
        let date = clock.now().to_zoned(TimeZone::UTC).date();
        let of_today =
            |url: &str| url.contains(&date.to_string()) && url.ends_with(&format!("{date}.html"));
        let mut addresses = vec!["/".to_owned()];
        for state in truth.states.iter().filter(|state| of_today(&state.url)) {
            addresses.push(state.url.clone());
            if matches!(state.kind.as_str(), "news" | "weblogs") {
                told.extend(state.shows.iter().map(|text| (text.clone(), date)));
            }
        }
        for address in addresses {
            let url = base.join(&address)?;
            let answer = client.fetch(&Request::get(url.clone())).await?;
            let time = Millis(clock.now().as_millisecond());
            captures.push(Found { url, time, body: answer.body.to_vec() });
        }
        site.set_clock(clock.tomorrow());
    }
    site.stop().await;
    let mut counts: HashMap<String, usize> = HashMap::new();
    for word in told.iter().flat_map(|(text, _)| segment(text)) {
        *counts.entry(word.text.to_lowercase()).or_default() += 1;
    }
    let asked = told.iter().filter_map(|(text, date)| about_a_sentence(text, *date, lang, &counts));
    ask_all(captures, chosen(asked.collect()), about_nothing(lang)).await
}

/// A question about the longest sentence of a text, by its rarest words.
fn about_a_sentence(
    text: &str,
    date: jiff::civil::Date,
    lang: Lang,
    counts: &HashMap<String, usize>,
) -> Option<Asked> {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？');
    let sentence = text.split_inclusive(ends).map(str::trim).max_by_key(|part| part.len())?;
    let mut words: Vec<&str> = Vec::new();
    for word in segment(sentence) {
        let least = if word.text.starts_with(is_dense) { 2 } else { 5 };
        let is_said = word.text.chars().count() >= least && !is_stop(word.text);
        if is_said && !words.contains(&word.text) {
            words.push(word.text);
        }
    }
    words.sort_by_key(|word| counts.get(&word.to_lowercase()).copied().unwrap_or_default());
    let [first, second, third, ..] = words.as_slice() else { return None };
    let question = match lang {
        Lang::English => format!(
            "What was said about {first}, {second} and {third} on {}?",
            date.strftime("%B %-d, %Y")
        ),
        Lang::Chinese => format!(
            "{}年{}月{}日关于{first}、{second}和{third}说了什么？",
            date.year(),
            date.month(),
            date.day()
        ),
    };
    Some(Asked { question, held: Some(plain(sentence)) })
}

/// Posts of a forum, asked for by their author, the title of their thread and the day.
pub async fn forum(template: Template) -> anyhow::Result<Tally> {
    let options = Options { template, size: THREADS, ..Options::default() };
    let (forum, now) = (Forum::generate(&options), options.clock.now());
    let base = Url::parse("http://forum.example/")?;
    let tables = forum.tables(now);
    let mut captures = Vec::new();
    for page in &tables.pages {
        let html = forum.page(&page.url, now);
        let html = html.with_context(|| format!("the forum has no {}", page.url))?;
        let time = Millis(now.as_millisecond());
        captures.push(Found { url: base.join(&page.url)?, time, body: html.into_bytes() });
    }
    let lang = if template == Template::Chinese { Lang::Chinese } else { Lang::English };
    let mut asked = Vec::new();
    for post in &tables.posts {
        let Some(thread) = tables.thread(post.thread) else { continue };
        let line = post.content.lines().map(str::trim).find(|line| line.chars().count() >= HELD);
        let Some(line) = line else { continue };
        // Two posts of one author in one thread on one day are one question with two answers.
        let is_same = |other: &&testsite::PostRow| {
            other.thread == post.thread && other.author == post.author && other.id != post.id
        };
        if tables.posts.iter().any(|other| is_same(&other)) {
            continue;
        }
        let time = Timestamp::from_second(post.time.unix)?.to_zoned(TimeZone::UTC);
        let (author, title) = (&post.author, &thread.title);
        let question = match lang {
            Lang::English => {
                format!("What did {author} write in “{title}” on {}?", time.strftime("%-d %B %Y"))
            }
            Lang::Chinese => format!(
                "{author}在{}年{}月{}日的“{title}”里写了什么？",
                time.year(),
                time.month(),
                time.day()
            ),
        };
        asked.push(Asked { question, held: Some(plain(line)) });
    }
    ask_all(captures, chosen(asked), about_nothing(lang)).await
}

/// What no bundled site says anything about.
fn about_nothing(lang: Lang) -> Vec<Asked> {
    let questions: &[&str] = match lang {
        Lang::English => &[
            "Who discovered penicillin?",
            "What is the melting point of tungsten?",
            "What did the astronauts find inside the crater on Mars?",
            "How many electrons does a carbon atom have?",
            "Which volcano erupted in Iceland in 2010?",
            "What did Napoleon say before the battle of Waterloo?",
            "Who composed the Brandenburg concertos?",
            "What was said about quantum chromodynamics on May 3, 2024?",
        ],
        Lang::Chinese => &[
            "青霉素是谁发现的？",
            "钨的熔点是多少？",
            "宇航员在火星陨石坑里发现了什么？",
            "碳原子有几个电子？",
            "拿破仑在滑铁卢战役之前说了什么？",
            "谁创作了勃兰登堡协奏曲？",
        ],
    };
    let asked = questions.iter();
    asked.map(|question| Asked { question: (*question).to_owned(), held: None }).collect()
}

/// As many questions as are asked, from all over a site.
fn chosen(asked: Vec<Asked>) -> Vec<Asked> {
    let step = (asked.len() / QUESTIONS).max(1);
    asked.into_iter().step_by(step).take(QUESTIONS).collect()
}

/// The beginning of what an answer has to hold, however white space is written.
fn plain(text: &str) -> String {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    bare.chars().take(HELD).collect()
}

fn holds(answer: &Answer, held: &str) -> bool {
    answer.text.chars().filter(|c| !c.is_whitespace()).collect::<String>().contains(held)
}

async fn ask_all(
    captures: Vec<Found>,
    asked: Vec<Asked>,
    nothing: Vec<Asked>,
) -> anyhow::Result<Tally> {
    let trial = Trial::new()?;
    let mut import = Import::begin(trial.catalog.clone(), CutSettings::default(), "{}").await?;
    for capture in captures {
        import.add(capture).await?;
    }
    import.finish().await?;
    let index = Index::open(&Index::place(trial.catalog.location(), None)?)?;
    index.update(&trial.catalog, |_| ()).await?;
    let mut tally = Tally::default();
    let mut times = Vec::new();
    for asked in asked.iter().chain(&nothing) {
        let begun = Instant::now();
        let answers = answers(&index, &trial.catalog, &asked.question).await?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        let Some(held) = &asked.held else {
            tally.about_nothing += 1;
            tally.wrongly_answered += usize::from(!answers.is_empty());
            if let Some(answer) = answers.first() {
                eprintln!("  answered all the same: {} – {}", asked.question, answer.score);
            }
            continue;
        };
        tally.asked += 1;
        let place = answers.iter().position(|answer| holds(answer, held));
        tally.right += usize::from(place.is_some());
        tally.first += usize::from(place == Some(0));
        if place.is_none() {
            let scores: Vec<f64> = answers.iter().map(|answer| answer.score).collect();
            eprintln!("  not answered: {} – {scores:?}", asked.question);
        }
    }
    tally.median_ms = percentile(&mut times, 0.5);
    Ok(tally)
}

async fn answers(index: &Index, catalog: &Catalog, question: &str) -> anyhow::Result<Vec<Answer>> {
    Ok(index.ask(catalog, &Question::new(question)).await?.answers)
}
