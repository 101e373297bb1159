//! Answers out of history: the passages of blocks that hold what a question names, with when they stood.
//!
//! Extractive: every answer is a piece of a block as it was captured. A passage is as good as what it
//! holds of the question's words, each by how rare it is; what only the topic or the title of its page says
//! counts less. A short block that fits, such as a heading or the author of a post, is read with what follows it on its
//! page. A passage that holds less than [`ENOUGH`] is no answer, and where there is none, nothing
//! is answered.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use page::block::Label;
use page::words::is_dense;
use serde::Serialize;
use store::{BlockRow, Catalog, Millis, PageNumber, StoreError, Which};
use tantivy::{Searcher, Term};

use crate::collect::{Filter, Matches};
use crate::error::SearchError;
use crate::index::{Index, Inner};
use crate::occurrence::Occurrence;
use crate::page_life::PageLife;
use crate::page_types::PageTypes;
use crate::plan::Planner;
use crate::query::Order;
use crate::question::{Asked, Span, date_in};
use crate::search::{Candidate, on_thread, page_of, run};
use crate::snippet::Marker;
use crate::unit::{cut, phrase, term_of, units};
use crate::version::blocks_of;

/// Texts that are looked through for passages.
const CANDIDATES: usize = 80;
/// Bytes of a text that are looked through.
const LOOKED_AT: usize = 128 << 10;
/// Bytes of a passage: as much as is read at a glance. It is made at least so long where its text goes on.
const LONGEST: usize = 800;
const SHORTEST: usize = 480;
/// What a passage has to hold of the question, by weight. Of questions about the bundled sites and of
/// such about what is on none, `bathys bench search` counts what is answered on either side of it.
const ENOUGH: f64 = 0.62;
/// What a word counts that only the topic or the title says: beside a passage that holds most of the others, and
/// beside one that does not.
const AROUND: f64 = 0.9;
const AROUND_LITTLE: f64 = 0.5;
/// Bytes of a block that is read with what follows it, what it has to hold of the question, and how many such
/// blocks are.
const LEAD: usize = 400;
const LEAD_HOLDS: f64 = 0.3;
const MOST_LEADS: usize = 12;
/// What the label of its block takes from a passage that is no text, and what a number is worth where one is
/// asked for.
const NO_TEXT: f64 = 0.9;
const NUMBER: f64 = 0.05;
/// Bytes of a piece in which a date is looked for.
const DATED: usize = 160;

/// A question, and where to look for answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// As a person asks it.
    pub text: String,
    /// Only what stood at this time or later.
    pub from: Option<Millis>,
    /// Only what stood at this time or before.
    pub to: Option<Millis>,
    /// Only on this site.
    pub site: Option<String>,
    /// Answers at most.
    pub limit: usize,
}

impl Question {
    /// Everywhere, at any time; three answers.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), from: None, to: None, site: None, limit: 3 }
    }
}

/// A passage that answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The passage, as the block has it.
    pub text: String,
    /// Bytes of it that the question names.
    #[serde(serialize_with = "crate::snippet::as_pairs")]
    pub marks: Vec<Range<usize>>,
    /// The key of its page.
    pub key: String,
    /// The address of its document.
    pub url: String,
    /// Its site.
    pub site: String,
    /// Its page.
    pub page: PageNumber,
    /// The title that its page had.
    pub title: String,
    /// The block, by its number within the page.
    pub block: i64,
    /// The version of the page that it began with.
    pub version: i64,
    /// What the block is about.
    pub topic: String,
    /// What it is for.
    pub label: Label,
    /// When it was first seen there.
    pub first_seen: Millis,
    /// When it was last seen there.
    pub last_seen: Millis,
    /// Whether the latest version of the page shows it.
    pub is_there: bool,
    /// How much of the question it holds, from 0 to 1.
    pub score: f64,
}

/// What there is to say to a question. No answers mean: not found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answers {
    /// The best first.
    pub answers: Vec<Answer>,
    /// How long it took.
    pub elapsed_ms: f64,
}

/// A word of the question.
struct Word {
    /// As indexed; a run without spaces as it stands.
    term: String,
    is_dense: bool,
    weight: f64,
}

/// A piece of a text with what it holds.
struct Piece {
    at: Range<usize>,
    /// Bits of the words that stand in it.
    words: u32,
    /// Whether it tells a date of the span that is asked for.
    is_dated: bool,
}

/// A passage that may answer.
struct Passage {
    candidate: usize,
    occurrence: Occurrence,
    at: Range<usize>,
    score: f64,
}

impl Index {
    /// Answers a question with passages of what was captured, or with none.
    ///
    /// # Errors
    /// When the question is too long, or the index or the store fails.
    pub async fn ask(
        &self,
        catalog: &Catalog,
        question: &Question,
    ) -> Result<Answers, SearchError> {
        let begun = Instant::now();
        if question.text.chars().count() > 1000 {
            return Err(SearchError::Query("the question is longer than 1000 characters".into()));
        }
        let asked = Asked::of(&question.text);
        let (inner, question) = (self.inner.clone(), question.clone());
        let work = {
            let (inner, asked) = (inner.clone(), asked.clone());
            let question = question.clone();
            move || candidates(&inner, &asked, &question)
        };
        let Candidates { mut texts, leads, words, marker } = on_thread(work).await?;
        for lead in leads {
            texts.extend(with_what_follows(catalog, &lead).await?);
        }
        let (limit, asked) = (question.limit, asked.clone());
        let (passages, texts) = on_thread(move || {
            let passages = best_passages(&texts, &words, &asked, limit);
            Ok((passages, texts))
        })
        .await?;
        let mut answers = Vec::new();
        for passage in passages {
            let candidate = &texts[passage.candidate];
            let of = &passage.occurrence;
            let Some((row, last_seen)) = page_of(catalog, of).await? else { continue };
            let text = candidate.text[passage.at].trim().to_owned();
            answers.push(Answer {
                marks: marker.marks(&text),
                text,
                key: row.key,
                url: row.url,
                site: candidate.site.clone(),
                page: row.page,
                title: of.title.clone(),
                block: of.block,
                version: of.first_version,
                topic: of.topic.clone(),
                label: of.label,
                first_seen: of.first_seen,
                last_seen,
                is_there: of.last_seen.is_none(),
                score: passage.score,
            });
        }
        Ok(Answers { answers, elapsed_ms: begun.elapsed().as_secs_f64() * 1000.0 })
    }
}

/// What may hold an answer.
#[derive(Default)]
struct Candidates {
    texts: Vec<Candidate>,
    /// Short ones, which may be about what follows them.
    leads: Vec<Candidate>,
    words: Vec<Word>,
    marker: Marker,
}

fn candidates(
    inner: &Inner,
    asked: &Asked,
    question: &Question,
) -> Result<Candidates, SearchError> {
    let mut all = Candidates { words: weigh(inner, &asked.words)?, ..Candidates::default() };
    if all.words.is_empty() {
        return Ok(all);
    }
    // What stood at the time that is asked about, and what may tell of it later.
    let times = [asked.when.map(|when| (Some(when.from), Some(when.to))), Some((None, None))];
    for (from, to) in times.into_iter().flatten() {
        let filter = Filter {
            from: from.max(question.from),
            to: to.map_or(question.to, |to| Some(question.to.map_or(to, |limit| limit.min(to)))),
            label: None,
            page_type: None,
            types: PageTypes::default().into(),
        };
        let plan = Planner::new(&inner.fields).any_of(&asked.words, question.site.as_deref())?;
        let matches = Matches { filter, order: Order::Best, most: CANDIDATES };
        let (_, found, marker) = run(inner, plan, &matches, 0)?;
        all.marker = marker;
        for candidate in found {
            let is_known = |known: &Candidate| {
                known.text == candidate.text
                    && known.site == candidate.site
                    && known.occurrences == candidate.occurrences
            };
            if !all.texts.iter().any(is_known) {
                all.texts.push(candidate);
            }
        }
    }
    let mut leads: Vec<(f64, Candidate)> = Vec::new();
    for candidate in all.texts.iter().filter(|candidate| candidate.text.len() <= LEAD) {
        // One that stands in many places, as an author does, is read in each of the best.
        for occurrence in candidate.occurrences.iter().take(MOST_LEADS) {
            let lead = Candidate { occurrences: vec![occurrence.clone()], ..candidate.clone() };
            let held = Held::of(
                &all.words,
                words_in(&lead.text, &all.words),
                around(occurrence, &all.words),
            );
            if held.share() >= LEAD_HOLDS {
                leads.push((held.share(), lead));
            }
        }
    }
    leads.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    leads.truncate(MOST_LEADS);
    all.leads = leads.into_iter().map(|(_, lead)| lead).collect();
    Ok(all)
}

/// A short block with what follows it on its page, in the version that it began with; `None` if nothing does.
async fn with_what_follows(
    catalog: &Catalog,
    lead: &Candidate,
) -> Result<Option<Candidate>, SearchError> {
    let Some(of) = lead.occurrences.first().cloned() else { return Ok(None) };
    let version = match catalog.version(of.page, Which::Number(of.first_version)).await {
        Ok(Some(version)) => version,
        Ok(None) | Err(StoreError::Damaged(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let lineage = of.lineage;
    let next = on_thread(move || {
        let Some((title, blocks)) = blocks_of(&version, |_| true) else { return Ok(None) };
        let mut after = blocks.into_iter().skip_while(|(of, _)| *of != lineage).skip(1);
        Ok(after.next().map(|(of, text)| (title, of, text)))
    })
    .await?;
    let Some((title, lineage, text)) = next else { return Ok(None) };
    let rows = catalog.blocks(of.page, of.first_version).await?;
    let is_it = |row: &&BlockRow| row.lineage.0 == lineage && row.is_in(of.first_version);
    let Some(row) = rows.iter().find(is_it) else { return Ok(None) };
    let life = PageLife::load(catalog, &lead.site, of.page).await?;
    let mut both = life.occurrence(row, &title);
    // Together they stood while both did.
    both.first_seen = both.first_seen.max(of.first_seen);
    both.first_version = both.first_version.max(of.first_version);
    let sooner = |one: Option<Millis>, other: Option<Millis>| match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    both.last_seen = sooner(both.last_seen, of.last_seen);
    both.gone_seen = sooner(both.gone_seen, of.gone_seen);
    Ok(Some(Candidate {
        site: lead.site.clone(),
        text: format!("{}\n{text}", lead.text),
        score: lead.score,
        occurrences: vec![both],
        lead: lead.text.len(),
    }))
}

/// The best passages of all texts.
fn best_passages(texts: &[Candidate], words: &[Word], asked: &Asked, limit: usize) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    for (nth, candidate) in texts.iter().enumerate() {
        passages.extend(best_passage(nth, candidate, words, asked));
    }
    // Of equal ones those that say more, and then the better match of the whole text: they are in that order.
    passages.sort_by(|one, other| {
        let is_short = |passage: &Passage| texts[passage.candidate].lead == 0;
        other.score.total_cmp(&one.score).then(is_short(one).cmp(&is_short(other)))
    });
    let mut told: Vec<&str> = Vec::new();
    passages.retain(|passage| {
        let text = texts[passage.candidate].text[passage.at.clone()].trim();
        // A passage that is a part of a better one says nothing more.
        let is_new = told.len() < limit && !told.iter().any(|known| known.contains(text));
        if is_new {
            told.push(text);
        }
        is_new
    });
    passages
}

/// How much of a question is held: by a passage, and by the topic and the title around it.
struct Held {
    passage: f64,
    around: f64,
    total: f64,
}

impl Held {
    fn of(words: &[Word], passage: u32, around: u32) -> Self {
        let weight = |bits: u32| -> f64 {
            let is_in = |nth: usize| bits >> nth & 1 == 1;
            words
                .iter()
                .enumerate()
                .filter(|(nth, _)| is_in(*nth))
                .map(|(_, word)| word.weight)
                .sum()
        };
        let total = words.iter().map(|word| word.weight).sum();
        Self { passage: weight(passage), around: weight(around & !passage), total }
    }

    /// The share of the question, from 0 to 1.
    fn share(&self) -> f64 {
        // What is around a passage says what it is about only if it is about the rest.
        let rest = self.total - self.around;
        let counts =
            if self.passage * 2.0 >= rest && self.passage > 0.0 { AROUND } else { AROUND_LITTLE };
        (self.passage + counts * self.around) / self.total
    }
}

/// Bits of the words that the topic of a block and the title of its page say.
fn around(of: &Occurrence, words: &[Word]) -> u32 {
    words_in(&format!("{}\n{}", of.topic, of.title), words)
}

/// The words of a question with their weights: how rare they are. One that is in no text weighs most, so that
/// a question about what nobody wrote of is not answered by what is beside it.
fn weigh(inner: &Inner, words: &[String]) -> Result<Vec<Word>, SearchError> {
    let searcher = inner.reader.searcher();
    let all = searcher.num_docs() as f64;
    let mut weighed = Vec::new();
    for word in words.iter().take(u32::BITS as usize) {
        let dense = word.starts_with(is_dense);
        let term = if dense { word.clone() } else { term_of(word) };
        let count = texts_with(inner, &searcher, word)? as f64;
        let weight = (1.0 + (all - count + 0.5).max(0.5) / (count + 0.5)).ln();
        weighed.push(Word { term, is_dense: dense, weight });
    }
    Ok(weighed)
}

/// In how many texts a word stands, at most.
fn texts_with(inner: &Inner, searcher: &Searcher, word: &str) -> Result<u64, SearchError> {
    let mut least = u64::MAX;
    for (_, term) in phrase(word) {
        let term = Term::from_field_text(inner.fields.text, &term);
        least = least.min(searcher.doc_freq(&term)?);
    }
    Ok(if least == u64::MAX { 0 } else { least })
}

/// The best passage of a text, if it answers.
fn best_passage(
    nth: usize,
    candidate: &Candidate,
    words: &[Word],
    asked: &Asked,
) -> Option<Passage> {
    let text = cut(&candidate.text, LOOKED_AT);
    let stood = |when: &Span| {
        let of = candidate.occurrences.iter().filter(|of| of.stood(Some(when.from), Some(when.to)));
        // The one that began last before the end of the span says what was new in it.
        of.max_by_key(|of| of.first_seen)
    };
    let at_that_time = asked.when.as_ref().and_then(stood);
    let occurrence = at_that_time.or_else(|| candidate.best())?;
    let pieces = pieces_of(text, words, asked.when.filter(|_| at_that_time.is_none()), occurrence);
    let around = around(occurrence, words);
    let mut best: Option<(f64, Range<usize>)> = None;
    for (from, first) in pieces.iter().enumerate() {
        let (mut bits, mut is_dated) = (0, at_that_time.is_some() || asked.when.is_none());
        for piece in &pieces[from..] {
            if piece.at.end - first.at.start > LONGEST && piece.at.start > first.at.start {
                break;
            }
            bits |= piece.words;
            is_dated |= piece.is_dated;
            // What only repeats a heading is no answer out of what follows it.
            let is_lead = candidate.lead > 0 && first.at.start >= candidate.lead;
            if bits == 0 || !is_dated || is_lead {
                continue;
            }
            let mut score = Held::of(words, bits, around).share();
            let passage = &text[first.at.start..piece.at.end];
            if asked.wants_number && passage.bytes().any(|byte| byte.is_ascii_digit()) {
                score += NUMBER;
            }
            // Of two that hold as much, the shorter; by so little that nothing else is outweighed.
            let score = score - passage.len() as f64 * 1e-6;
            if best.as_ref().is_none_or(|(known, _)| score > *known) {
                best = Some((score, first.at.start..piece.at.end));
            }
        }
    }
    let (score, at) = best?;
    let is_text = matches!(
        occurrence.label,
        Label::Main | Label::List | Label::Comments | Label::Other | Label::Header | Label::Media
    );
    let score = if is_text { score } else { score * NO_TEXT };
    (score >= ENOUGH).then(|| Passage {
        candidate: nth,
        occurrence: occurrence.clone(),
        at: lengthened(at, &pieces, candidate.lead),
        score: (score * 1000.0).round().min(1000.0) / 1000.0,
    })
}

/// A short passage with what follows it: at least as much as is read at a glance, of what a heading stands
/// above, too.
fn lengthened(at: Range<usize>, pieces: &[Piece], lead: usize) -> Range<usize> {
    let from = if at.end <= lead { lead } else { at.start };
    let mut to = at.end;
    for piece in pieces.iter().filter(|piece| piece.at.start >= at.end) {
        if to >= from + SHORTEST || (to > lead && piece.at.end > from + LONGEST) {
            break;
        }
        to = piece.at.end;
    }
    at.start..to
}

/// The sentences and lines of a text, with what they hold.
fn pieces_of(
    text: &str,
    words: &[Word],
    when: Option<Span>,
    occurrence: &Occurrence,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let end = at + c.len_utf8();
        let next = rest.peek().map(|(_, next)| *next);
        let ends = match c {
            '\n' | '。' | '！' | '？' | '…' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => {
                next.is_none()
                    || (end - from > LONGEST && c.is_whitespace())
                    || end - from > 2 * LONGEST
            }
        };
        if !ends {
            continue;
        }
        let piece = &text[from..end];
        if !piece.trim().is_empty() {
            let date = when.and_then(|when| {
                let (_, told) = date_in(cut(piece, DATED), Some(occurrence.first_seen))?;
                Some(told.from <= when.to && told.to >= when.from)
            });
            pieces.push(Piece {
                at: from..end,
                words: words_in(piece, words),
                is_dated: date.unwrap_or(false),
            });
        }
        from = end;
    }
    pieces
}

/// Bits of the words that stand in a text.
fn words_in(text: &str, words: &[Word]) -> u32 {
    let by_term: HashMap<&str, usize> = words
        .iter()
        .enumerate()
        .filter(|(_, word)| !word.is_dense)
        .map(|(nth, word)| (word.term.as_str(), nth))
        .collect();
    let mut bits = 0;
    if !by_term.is_empty() {
        for unit in units(text).filter(|unit| !unit.is_dense) {
            if let Some(nth) = by_term.get(term_of(unit.text).as_str()) {
                bits |= 1 << nth;
            }
        }
    }
    for (nth, word) in words.iter().enumerate().filter(|(_, word)| word.is_dense) {
        bits |= u32::from(text.contains(&word.term)) << nth;
    }
    bits
}
