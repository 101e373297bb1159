//! The gate before an event: what an element says about itself.

use std::sync::LazyLock;

use url::Url;

use super::Refusal;
use super::label::{Bearer, reads, verb_in_classes, verb_in_label, verb_in_name};
use super::request::verb_in_url;
use super::words::{LEXICON, words};

/// Longest handler that is looked at; inline handlers are calls, not programs.
const MAX_HANDLER: usize = 2000;

/// What is known about an element before it is fired. Everything may be empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct ElementDescription<'a> {
    /// Name of the element: `a`, `button`.
    pub tag: &'a str,
    /// Its visible text.
    pub text: &'a str,
    /// `id`.
    pub id: &'a str,
    /// `name`.
    pub name: &'a str,
    /// `class`.
    pub class: &'a str,
    /// `aria-label`.
    pub aria_label: &'a str,
    /// `title`.
    pub title: &'a str,
    /// `value` of a button or an input.
    pub value: &'a str,
    /// `href`, or `formaction` of a button, as written.
    pub href: &'a str,
    /// Text of the inline handler, if it has one.
    pub handler: &'a str,
    /// `data-*` attributes, and others that say what a click sends (`hx-post`).
    pub data: &'a [(String, String)],
}

/// May an event be fired on this element (or its link be followed)?
///
/// ```
/// use page::state::safety::{ElementDescription, may_fire};
///
/// let button = |text| ElementDescription { tag: "button", text, ..Default::default() };
/// assert!(may_fire(&button("Next post")).is_ok());
/// let refusal = may_fire(&button("Delete post")).unwrap_err();
/// assert_eq!(refusal.reason(), "its text 'Delete post' contains the write verb 'delete'");
/// ```
pub fn may_fire(element: &ElementDescription<'_>) -> Result<(), Refusal> {
    let script = element.href.trim_start();
    let script_url = script
        .get(..11)
        .filter(|scheme| scheme.eq_ignore_ascii_case("javascript:"))
        .and_then(|_| script.get(11..));
    let leads = script_url.is_none() && !matches!(script.chars().next(), None | Some('#'));
    let bearer = if leads && element.handler.is_empty() && element.tag.eq_ignore_ascii_case("a") {
        Bearer::Link
    } else {
        Bearer::Control
    };
    let labels = [
        ("text", element.text),
        ("aria-label", element.aria_label),
        ("title", element.title),
        ("value", element.value),
    ];
    for (field, label) in labels {
        refuse(field, label, verb_in_label(label, bearer))?;
    }
    // A link that only leads somewhere does nothing that a label could excuse.
    let reading = bearer == Bearer::Control && labels.iter().any(|(_, label)| reads(label));
    for handler in [element.handler, script_url.unwrap_or_default()] {
        refuse("handler", handler, verb_in_handler(handler, reading))?;
    }
    if leads && let Some(address) = address(element.href) {
        let vouched = bearer == Bearer::Link
            && is_section(&address)
            && labels.iter().any(|(_, label)| names(label));
        if !vouched {
            refuse("link", element.href, verb_in_url(&address))?;
        }
    }
    for (key, value) in element.data.iter().take(64) {
        refuse(key, value, verb_in_data(key, value))?;
    }
    // A label that orders to show outweighs a name that may be about something else.
    if !reading && bearer == Bearer::Control {
        refuse("id", element.id, verb_in_name(element.id))?;
        refuse("name", element.name, verb_in_name(element.name))?;
        refuse("class", element.class, verb_in_classes(element.class))?;
    }
    Ok(())
}

fn refuse(field: &str, text: &str, verb: Option<String>) -> Result<(), Refusal> {
    let Some(verb) = verb else {
        return Ok(());
    };
    let mut shown: String = text.trim().chars().take(60).collect();
    if shown.len() < text.trim().len() {
        shown.push('…');
    }
    Err(Refusal::new(format!("its {field} '{shown}' contains the write verb '{verb}'")))
}

/// Is the address the front of a section (`/vote/`)? It says nothing about what would be changed, so
/// a label without an order may vouch for it.
fn is_section(address: &Url) -> bool {
    let mut segments = address.path_segments().into_iter().flatten().filter(|s| !s.is_empty());
    segments.nth(1).is_none() && address.path().ends_with('/') && address.query().is_none()
}

/// Does the label say anything in words?
fn names(label: &str) -> bool {
    label.chars().filter(|c| c.is_alphabetic()).count() >= 2
}

fn verb_in_link(href: &str) -> Option<String> {
    verb_in_url(&address(href)?)
}

/// Where a link leads on a site of no name, if it does not name one.
fn address(href: &str) -> Option<Url> {
    static BASE: LazyLock<Option<Url>> = LazyLock::new(|| Url::parse("http://site.invalid/").ok());
    BASE.as_ref()?.join(href).ok()
}

fn verb_in_data(key: &str, value: &str) -> Option<String> {
    let key = key.strip_prefix("data-").unwrap_or(key);
    match key {
        "confirm" => return Some("confirm".to_owned()),
        "method" | "http-method" if !value.eq_ignore_ascii_case("get") => {
            let method = value.to_ascii_lowercase();
            return matches!(method.as_str(), "post" | "put" | "patch" | "delete")
                .then_some(method);
        }
        "hx-delete" | "hx-put" | "hx-patch" => return Some(key.to_owned()),
        "href" | "url" | "link" | "hx-get" | "hx-post" => return verb_in_link(value),
        _ => {}
    }
    let says_what = words(key).iter().any(|word| LEXICON.key.has(word));
    says_what.then(|| verb_in_name(value)).flatten()
}

/// The write verb of an inline handler: in the functions that it calls, in a string that names what
/// to do, or in an address that it goes to.
fn verb_in_handler(handler: &str, reading: bool) -> Option<String> {
    let end = handler.char_indices().nth(MAX_HANDLER).map_or(handler.len(), |(at, _)| at);
    let handler = handler.get(..end)?;
    for (name, is_method) in calls(handler) {
        let flat = name.to_ascii_lowercase();
        if flat == "confirm" {
            return Some("confirm".to_owned());
        }
        if is_method && LEXICON.api.has(flat.trim_start_matches('_')) {
            continue;
        }
        // Pagers of old sites submit a form; what it sends is judged when it is sent.
        if !(reading && is_transport(name))
            && let Some(verb) = verb_in_name(name)
        {
            return Some(verb);
        }
    }
    // What `sortBy('vote')` is given is not what it does.
    let shows = calls(handler).any(|(name, _)| LEXICON.read.has(&first_word(name)));
    strings(handler).find_map(|text| {
        // `ga('send', ...)` counts a click.
        if is_transport(text) {
            return None;
        }
        if text.contains('/') || text.contains('?') {
            verb_in_link(text)
        } else if words(text).len() <= 2 && !reading && !shows {
            verb_in_name(text)
        } else {
            words(text).first().filter(|word| LEXICON.strong.has(word)).cloned()
        }
    })
}

/// Does the name only say that something is sent?
fn is_transport(name: &str) -> bool {
    matches!(first_word(name).as_str(), "submit" | "send" | "post")
}

/// The first word of a name that is not about controls.
fn first_word(name: &str) -> String {
    let mut all = words(name).into_iter();
    all.find(|word| !LEXICON.ui.has(word)).unwrap_or_default()
}

/// Names before an opening bracket, and whether they are methods of something.
fn calls(code: &str) -> impl Iterator<Item = (&str, bool)> {
    code.match_indices('(').filter_map(|(at, _)| {
        let before = code.get(..at)?.trim_end();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let start = before.rfind(|c| !is_part(c)).map_or(0, |found| {
            found + before.get(found..).and_then(|s| s.chars().next()).map_or(1, char::len_utf8)
        });
        let name = before.get(start..)?;
        let is_method = before.get(..start)?.ends_with('.');
        (!name.is_empty()).then_some((name, is_method))
    })
}

/// The string literals of a handler, without escapes: enough for names and addresses.
fn strings(code: &str) -> impl Iterator<Item = &str> {
    let mut rest = code;
    std::iter::from_fn(move || {
        let open = rest.find(['\'', '"', '`'])?;
        let quote = rest.get(open..)?.chars().next()?;
        let inside = rest.get(open + 1..)?;
        let close = inside.find(quote)?;
        rest = inside.get(close + 1..)?;
        inside.get(..close)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_in_words_vouches_for_the_front_of_a_section_and_for_nothing_more() {
        let link = |text, href| ElementDescription { tag: "a", text, href, ..Default::default() };
        assert!(may_fire(&link("The ballot box", "/vote/")).is_ok());
        assert!(may_fire(&link("", "/vote/")).is_err());
        assert!(may_fire(&link("Log out", "/logout/")).is_err());
        assert!(may_fire(&link("The ballot box", "/vote/?id=3")).is_err());
        assert!(may_fire(&link("Third note", "/notes/3/delete")).is_err());
    }

    fn control(text: &str) -> ElementDescription<'_> {
        ElementDescription { tag: "button", text, ..Default::default() }
    }

    fn handled(handler: &'static str, text: &'static str) -> bool {
        may_fire(&ElementDescription { tag: "a", text, href: "#", handler, ..Default::default() })
            .is_ok()
    }

    fn link(text: &'static str, href: &'static str) -> bool {
        may_fire(&ElementDescription { tag: "a", text, href, ..Default::default() }).is_ok()
    }

    /// Labels of one kind from `labels.txt`.
    fn labels(kind: &str) -> Vec<&'static str> {
        include_str!("labels.txt")
            .lines()
            .filter_map(|line| line.strip_prefix(kind)?.split_once(": "))
            .flat_map(|(_, labels)| labels.split(" | "))
            .collect()
    }

    #[test]
    fn orders_to_write_are_not_fired_in_any_language() {
        let orders = labels("order ");
        assert!(orders.len() > 150, "{} labels", orders.len());
        for text in orders {
            assert!(may_fire(&control(text)).is_err(), "{text} would be fired");
        }
    }

    #[test]
    fn orders_to_show_are_fired_in_any_language() {
        let shows = labels("show ");
        assert!(shows.len() > 100, "{} labels", shows.len());
        for text in shows {
            let fired = may_fire(&control(text));
            assert!(fired.is_ok(), "{text}: {fired:?}");
        }
    }

    #[test]
    fn handlers_are_judged_by_what_they_call() {
        for (handler, text) in [
            ("deleteItem(5)", "x"),
            ("doDelete()", ""),
            ("vote(2)", "2"),
            ("rate(this, 5); like(5)", "5"),
            ("addToCart(31)", "+"),
            ("doAction('delete', 5)", "x"),
            ("run('like')", "+1"),
            ("return confirm('Are you sure?')", "x"),
            ("location.href='/logout'", "Bye"),
            ("window.open('/item/5/delete')", "x"),
            ("$.removeItem.deletePost(4)", "x"),
            ("toggleLike(3)", "♥"),
            ("shop.addToCart(1)", "+"),
            ("logout()", "Next"),
        ] {
            assert!(!handled(handler, text), "{handler} would be fired");
        }
        for (handler, text) in [
            ("goPage(2)", "2"),
            ("showPage(3);return false;", "3"),
            ("loadPosts(2)", "more"),
            ("nextPost()", ">"),
            ("this.classList.remove('open')", "x"),
            ("$(this).removeClass('a')", "x"),
            ("document.f.page.value=2;document.f.submit()", "2"),
            ("submitForm('page', 3)", "Next"),
            ("javascript:__doPostBack('grid','Page$2')", "2"),
            ("getReport('2020')", "2020"),
            ("location.href='/post/12'", "Read"),
            ("sortBy('likes')", "Likes"),
            ("", "Next"),
            ("expandReply(3)", "…"),
            ("el.remove()", "x"),
            ("toggleMenu('posts')", "Menu"),
            ("ga('send', 'event', 'byline', 'click')", "Author"),
        ] {
            assert!(handled(handler, text), "{handler} would not be fired");
        }
    }

    #[test]
    fn a_link_is_judged_by_where_it_leads_and_by_strong_words_only() {
        for (text, href) in [
            ("Delete", "/x?id=5"),
            ("Bye", "/logout"),
            ("x", "/wp-login.php?action=logout"),
            ("Buy", "?add-to-cart=99"),
            ("+1", "/posts/5/like"),
            ("x", "javascript:deleteItem(5)"),
            ("Log out", "/s/end"),
            ("删除", "/x?id=1"),
        ] {
            assert!(!link(text, href), "{text} {href} would be followed");
        }
        for (text, href) in [
            ("Report", "/annual/report"),
            ("Post", "/post/12"),
            ("Follow the money", "/news/1"),
            ("Save the whales", "/news/save-the-whales"),
            ("How to delete a file", "/how-to-delete-a-file"),
            ("Books", "/book/"),
            ("Next", "/?page=2"),
            ("Share", "/share-price"),
            ("2", "?order=asc&page=2"),
            ("x", "mailto:a@b.example"),
            ("Likes", "/user/5/likes"),
            ("Pay gap widens", "/pay-gap"),
            ("某专家独家分享十年投资教训", "/blog/1"),
            ("免费注册", "/reg"),
            ("TrashZone", "/users/TrashZone"),
            ("Sign up", "/newsletter"),
            ("Leave a comment", "/post/12#respond"),
            ("多地发布高温预警", "/19/0908"),
        ] {
            assert!(link(text, href), "{text} {href} would not be followed");
        }
    }

    #[test]
    fn labels_that_only_machines_read_and_attributes_count_too() {
        let icon =
            |aria_label| ElementDescription { tag: "span", aria_label, ..Default::default() };
        assert!(may_fire(&icon("Like this post")).is_err());
        assert!(may_fire(&icon("Next slide")).is_ok());
        let named = |id, class| ElementDescription { tag: "div", id, class, ..Default::default() };
        assert!(may_fire(&named("deleteComment", "")).is_err());
        assert!(may_fire(&named("", "btn btn-like")).is_err());
        assert!(may_fire(&named("post-12", "post btn-block")).is_ok());
        for (key, value, fires) in [
            ("data-method", "delete", false),
            ("data-method", "get", true),
            ("data-confirm", "Sure?", false),
            ("data-action", "like", false),
            ("data-action", "load-more", true),
            ("hx-delete", "/x", false),
            ("hx-get", "/list?page=2", true),
            ("data-url", "/cart/add-to-cart", false),
            ("data-id", "delete", true),
        ] {
            let data = [(key.to_owned(), value.to_owned())];
            let element =
                ElementDescription { tag: "a", text: "…", data: &data, ..Default::default() };
            assert_eq!(may_fire(&element).is_ok(), fires, "{key}={value}");
        }
    }

    #[test]
    fn a_label_that_reads_outweighs_a_name() {
        let pager = ElementDescription {
            tag: "a",
            text: "Next",
            id: "save-position",
            class: "follow",
            ..Default::default()
        };
        assert!(may_fire(&pager).is_ok());
    }

    #[test]
    fn hostile_descriptions_end() {
        let long = "deleteé('\"`(".repeat(50_000);
        let element = ElementDescription {
            tag: "a",
            text: &long,
            id: &long,
            class: &long,
            href: &long,
            handler: &long,
            title: &long,
            ..Default::default()
        };
        let _ = may_fire(&element);
    }
}
