//! Records of two layouts: the first post of a thread may be an article above a list of comments, with
//! nothing of theirs but that it has an author, a time and a text.

use super::{Assignment, Neighbours, Sample, learn};
use crate::region::Span;
use crate::{Field, Kind};

/// Records of another layout that are enough to learn from.
const ENOUGH: usize = 3;
/// The share of records of the other layout whose names lead to where all do.
const NAMED: f64 = 0.9;
/// What the fields of the other layout are worth at least, compared with those of the first.
const AS_SURE: f64 = 0.5;

/// The ways to read posts, where the best of them finds no content in some: those are learned by
/// themselves, and so are the others without them.
pub(super) fn apart(
    samples: &[Sample<'_>],
    around: &Neighbours,
    best: &Assignment,
) -> Option<Vec<Assignment>> {
    if best.kind != Kind::Post || !best.fields.contains_key(&Field::Content) {
        return None;
    }
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for sample in samples {
        let of = |spans| Sample { spans, ..sample.clone() };
        let is_own = |span: &_| !best.content(sample.dom, span).is_empty();
        let (read, unread) = sample.spans.iter().cloned().partition(is_own);
        own.push(of(read));
        others.push(of(unread));
    }
    let count = |samples: &[Sample<'_>]| samples.iter().map(|sample| sample.spans.len()).sum();
    let (read, unread): (usize, usize) = (count(&own), count(&others));
    if unread < ENOUGH || read < ENOUGH {
        return None;
    }
    let is_whole = |other: &Assignment| {
        let has = |field: Field| other.fields.contains_key(&field);
        let is_written = has(Field::Author) || has(Field::Time);
        other.kind == Kind::Post && has(Field::Content) && is_written
    };
    let mut other = learn(&others, around, |_| true).into_iter().find(is_whole)?;
    if let Some(names) = best.fields.get(&Field::Author)
        && let Some(first) = names.first().filter(|first| first.is_leading())
    {
        let share = |is: &dyn Fn(&Sample<'_>, &Span) -> bool| {
            let of =
                |sample: &Sample<'_>| sample.spans.iter().filter(|span| is(sample, span)).count();
            others.iter().map(of).sum::<usize>() as f64 / unread as f64
        };
        // Whose page a name leads to is known from all records: what leads elsewhere is a board, or a tag.
        if share(&|sample, span| other.leads_as(first, sample, span)) < NAMED
            && share(&|sample, span| best.finds(Field::Author, sample, span)) >= NAMED
        {
            other.fields.insert(Field::Author, names.clone());
        }
    }
    let mut found = learn(&own, around, |_| true);
    found.retain(|own| own.kind != Kind::Post || other.score >= AS_SURE * own.score);
    for own in found.iter_mut().filter(|own| own.kind == Kind::Post) {
        let sum = own.score * read as f64 + other.score * unread as f64;
        own.score = sum / (read + unread) as f64;
        own.other = Some(Box::new(other.clone()));
    }
    found.first().is_some_and(|first| first.other.is_some()).then_some(found)
}

#[cfg(test)]
mod tests {
    use url::Url;

    use crate::{Kind, Site, Source};
    use page::tree::parse_str;

    const NAMES: [&str; 4] = ["ann", "bob", "cy", "dora"];

    fn prose(n: usize) -> String {
        let nouns = ["kettle", "lamp", "hinge", "valve", "router", "tent", "drill"];
        let (one, other) = (nouns[n % 7], nouns[(n / 7 + 3) % 7]);
        format!("The {one} that I bought in the spring hums {n} times a day, unlike the {other}.")
    }

    fn thread(at: usize, comments: usize) -> String {
        let comment = |nth: usize| {
            let n = at * 17 + nth;
            let who = NAMES[n % 4];
            format!(
                "<li id=c{n}><b><a href=/u/{who}>{who}</a></b> <u>2026-03-{:02} 12:{:02}</u>\
                 <div>{}</div></li>",
                nth + 2,
                n % 60,
                prose(n)
            )
        };
        let comments: String = (1..=comments).map(comment).collect();
        let who = NAMES[at % 3];
        format!(
            "<h1>Question {at}</h1><article class=entry><div class=prose><p>{}</p><p>{}</p></div>\
             <footer class=meta>by <a href=/u/{who}>{who}</a>, <time>2026-03-01 09:{:02}</time></footer>\
             </article><ol>{comments}</ol>",
            prose(at * 17),
            prose(at * 17 + 400),
            at + 10
        )
    }

    #[test]
    fn the_first_post_is_read_though_it_is_laid_out_like_no_answer() {
        let counts = [4, 0, 6, 3, 0, 5, 2];
        let url = |at: usize| Url::parse(&format!("http://forum.example/thread/{at}")).unwrap();
        let pages: Vec<_> = (0..)
            .zip(counts)
            .map(|(at, count)| (url(at), parse_str(&thread(at, count)).dom))
            .collect();
        let sources: Vec<Source<'_>> = pages
            .iter()
            .map(|(url, dom)| Source {
                url,
                page_type: Some("thread"),
                captured: None,
                rendered: Some(dom),
                raw: None,
            })
            .collect();
        let (_, found) = Site::learn_and_read(&sources);
        for ((at, count), records) in (0..).zip(counts).zip(&found) {
            assert_eq!(records.len(), count + 1, "of page {at}");
            let first = &records[0];
            assert_eq!(first.kind, Kind::Post);
            assert_eq!(first.author.as_deref(), Some(NAMES[at % 3]));
            assert_eq!(first.time_text.as_deref(), Some(&*format!("2026-03-01 09:{:02}", at + 10)));
            let content = format!("{}\n{}", prose(at * 17), prose(at * 17 + 400));
            assert_eq!(first.content_text.as_deref(), Some(&*content));
        }
    }
}
