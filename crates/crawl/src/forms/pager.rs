//! The page after a page of results: by a link, or by a button of a form that carries the query along.

use page::form::{Assignment, Form, Submission, forms, judge};
use page::state::url::normalise;
use page::tree::{Dom, links};
use url::Url;

use super::permits;

/// Words and signs of a link to the page after.
const NEXT: &[&str] = &[
    "next",
    "next page",
    "next »",
    "next >",
    "next >>",
    "older",
    "more",
    "more results",
    "show more",
    "load more",
    "weiter",
    "nächste",
    "nächste seite",
    "suivant",
    "suivante",
    "page suivante",
    "siguiente",
    "próxima",
    "seguinte",
    "successiva",
    "avanti",
    "volgende",
    "następna",
    "далее",
    "следующая",
    "вперёд",
    "nästa",
    "sonraki",
    "næste",
    "neste",
    "seuraava",
    "další",
    "下一页",
    "下一頁",
    "下页",
    "次へ",
    "次のページ",
    "다음",
    "다음 페이지",
    "»",
    "›",
    "›",
    ">",
    ">>",
    "→",
    "next→",
    "next ›",
    "next page »",
    "next page ›",
];

/// How to get to the next page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NextPage {
    /// By its address.
    Link(Url),
    /// By a button.
    Button(Box<Form>, Submission),
}

/// The page after page `number` of an answer, if it says that there is one.
pub(crate) fn next_page(dom: &Dom, url: &Url, number: usize, post: bool) -> Option<NextPage> {
    let wanted = (number + 1).to_string();
    let (mut told, mut counted) = (None, None);
    for link in links(dom, url) {
        let Some(to) = link.url.map(normalise) else { continue };
        let is_other = to.host() == url.host() && to.path() == url.path() && to != *url;
        if !is_other || to.query().is_none() {
            continue;
        }
        let node = dom.node(link.node);
        let rel = node.attribute("rel").unwrap_or_default();
        let said = [link.text.as_str(), node.attribute("aria-label").unwrap_or_default()];
        let says = |text: &str| NEXT.contains(&text.trim().to_lowercase().as_str());
        if rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("next"))
            || said.into_iter().any(says)
            || said.into_iter().any(starts_with_next)
        {
            told = told.or(Some(to));
        } else if link.text.trim() == wanted && differs_in_one(&to, url) {
            counted = counted.or(Some(to));
        }
    }
    let head = dom.elements().filter(|node| node.name() == "link").find(|node| {
        node.attribute("rel").is_some_and(|rel| rel.trim().eq_ignore_ascii_case("next"))
    });
    let head = head.and_then(|node| url.join(node.attribute("href")?.trim()).ok()).map(normalise);
    if let Some(to) = told.or(head).or(counted) {
        return Some(NextPage::Link(to));
    }
    by_button(dom, url, post)
}

fn starts_with_next(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    text.len() <= 24 && (text.starts_with("next ") || text.ends_with(" next"))
}

/// Whether two addresses differ in the value of one parameter, or by one that only the first has.
fn differs_in_one(to: &Url, from: &Url) -> bool {
    let pairs = |url: &Url| -> Vec<(String, String)> {
        url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    };
    let (to, from) = (pairs(to), pairs(from));
    let new: Vec<_> = to.iter().filter(|pair| !from.contains(pair)).collect();
    matches!(new.as_slice(), [(_, value)] if value.chars().all(|c| c.is_ascii_digit()))
}

fn by_button(dom: &Dom, url: &Url, post: bool) -> Option<NextPage> {
    forms(dom, url).into_iter().find_map(|mut form| {
        let is_next = |label: &str| {
            NEXT.contains(&label.trim().to_lowercase().as_str()) || starts_with_next(label)
        };
        let button = form.submitters.iter().position(|button| is_next(&button.label))?;
        // It carries the query along and asks nothing, so that only what it says speaks for it.
        let is_carried = form.open_inputs().next().is_none();
        let refusals = judge(&form, url);
        let is_permitted = refusals.iter().all(|refusal| {
            permits(refusal, post) || is_carried && *refusal == page::form::FormRefusal::NoPurpose
        });
        if !is_permitted {
            return None;
        }
        form.submitters.swap(0, button);
        let submission = form.submission(&Assignment::none())?;
        Some(NextPage::Button(Box::new(form), submission))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::parse_str;

    fn next(html: &str, number: usize) -> Option<NextPage> {
        let url = Url::parse("http://a.example/find?q=x&page=2").unwrap();
        next_page(&parse_str(html).dom, &url, number, true)
    }

    fn link(to: &str) -> Option<NextPage> {
        Some(NextPage::Link(Url::parse(to).unwrap()))
    }

    #[test]
    fn the_next_page_is_told_by_a_word_a_relation_or_the_number_after_this_one() {
        let third = link("http://a.example/find?q=x&page=3");
        for html in [
            "<a href='?q=x&page=1'>Previous</a><a href='?q=x&page=3'>Next</a>",
            "<a href='?q=x&page=3' rel=next>go on</a>",
            "<a href='?q=x&page=1'>1</a><b>2</b><a href='?q=x&page=3'>3</a><a href='?q=x&page=9'>9</a>",
            "<a href='?q=x&page=3'>下一页</a>",
            "<head><link rel=next href='?q=x&page=3'></head>",
        ] {
            assert_eq!(next(html, 2), third, "{html}");
        }
        for html in [
            "<a href='?q=x&page=1'>1</a>",
            "<a href=/other?page=3>3</a>",
            "<a href='?q=y&page=3'>3</a>",
        ] {
            assert_eq!(next(html, 2), None, "{html}");
        }
    }

    #[test]
    fn a_button_of_a_form_that_carries_the_query_along_leads_on() {
        let html = "<form action=/find method=post role=search><input type=hidden name=q value=x>
            <input type=hidden name=page value=3><button>Next</button></form>";
        let Some(NextPage::Button(_, sent)) = next(html, 2) else { panic!("no button") };
        assert_eq!(sent.body.as_deref(), Some("q=x&page=3"));
        let writes = html.replace("/find", "/item/delete");
        assert_eq!(next(&writes, 2), None);
    }
}
