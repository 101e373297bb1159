//! Does a piece of text give an order to write? One function for each kind of text.

use super::words::{LEXICON, is_dense, label_words, words};

/// Longest label, in characters and in words: what is longer is content that happens to be
/// clickable.
const MAX_LABEL: usize = 80;
const MAX_WORDS: usize = 5;
const MAX_DENSE: usize = 12;

/// Who shows the label: a link that only navigates is also judged by where it leads, so words that
/// are often names of things do not count against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bearer {
    Control,
    Link,
}

/// Is the label an order to show something, or a page number, or an arrow?
pub(super) fn reads(label: &str) -> bool {
    let all = label_words(label);
    match all.iter().find(|word| !LEXICON.filler.has(word)) {
        Some(first) => {
            LEXICON.read.has(first)
                || LEXICON.read.phrase_at(&all).is_some()
                || first.chars().any(is_dense)
                    && LEXICON.glyph.iter().any(|glyph| label.contains(glyph))
        }
        // "+1" is a vote, "1" is a page.
        None => {
            label.chars().any(|c| c.is_ascii_digit() || "›»‹«→←▶◀".contains(c))
                && !label.contains(['+', '-'])
        }
    }
}

/// The write verb of a label that a person reads: text, `aria-label`, `title`, `value`.
pub(super) fn verb_in_label(label: &str, bearer: Bearer) -> Option<String> {
    let label = label.trim();
    if label.is_empty() || label.chars().take(MAX_LABEL + 1).count() > MAX_LABEL {
        return None;
    }
    if label.chars().any(is_dense) {
        return verb_in_dense(label, bearer);
    }
    let all = label_words(label);
    let start = all.iter().position(|word| !LEXICON.filler.has(word))?;
    let order = all.get(start..)?;
    let count = order.len();
    let longest = match bearer {
        Bearer::Control => MAX_WORDS,
        Bearer::Link => 3,
    };
    if count > longest || LEXICON.read.phrase_at(order).is_some() {
        return None;
    }
    if let Some(phrase) = LEXICON.strong.phrase_at(order) {
        return Some(phrase.join(" "));
    }
    let foreign_phrase =
        (0..all.len()).filter_map(|place| LEXICON.foreign.phrase_at(all.get(place..)?)).next();
    if let Some(phrase) = foreign_phrase {
        return Some(phrase.join(" "));
    }
    let reads_first = order.first().is_some_and(|word| LEXICON.read.has(word));
    let reads_last = order.last().is_some_and(|word| LEXICON.read.has(word));
    for (place, word) in order.iter().enumerate() {
        let is_last = place + 1 == count;
        let phrase = LEXICON.strong.phrase_at(order.get(place..)?);
        if let Some(phrase) = phrase.filter(|_| !reads_first) {
            return Some(phrase.join(" "));
        }
        let counts = place == 0 || bearer == Bearer::Control && count <= 3;
        if LEXICON.strong.has(word) && !reads_first && counts {
            return Some(word.clone());
        }
        // Where the verb comes last, the first word is often "all".
        if LEXICON.foreign.has(word) && !reads_last && (!reads_first || is_last) && count <= 4 {
            return Some(word.clone());
        }
    }
    if bearer == Bearer::Link || count > 4 {
        return None;
    }
    if let Some(phrase) = LEXICON.weak.phrase_at(order) {
        return Some(phrase.join(" "));
    }
    let first = order.first()?;
    let orders_thing = LEXICON.noun.has(first)
        && match order.get(1) {
            Some(next) => LEXICON.object.has(next) || LEXICON.filler.has(next),
            // "Report 2020" is a report.
            None => !label.split_whitespace().any(is_year),
        };
    (LEXICON.weak.has(first) || orders_thing).then(|| first.clone())
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && (word.starts_with("19") || word.starts_with("20"))
        && word.parse::<u16>().is_ok()
}

/// The write verb of what a button says.
pub(crate) fn verb_in_control(label: &str) -> Option<String> {
    verb_in_label(label, Bearer::Control)
}

/// Scripts without spaces: a part of a label that is short enough to be no headline. A link is
/// believed to lead where it says, as in [`verb_in_label`].
fn verb_in_dense(label: &str, bearer: Bearer) -> Option<String> {
    let label: String = label.chars().filter(|c| !c.is_whitespace()).collect();
    let bare = label.trim_matches(|c: char| !c.is_alphabetic());
    if LEXICON.exact.contains(&bare) {
        return Some(bare.to_owned());
    }
    let length = label.chars().count();
    let (surely, maybe) = match bearer {
        Bearer::Control => (MAX_DENSE, MAX_DENSE * 2 / 3),
        Bearer::Link => (MAX_DENSE / 2, 0),
    };
    let contains = |word: &&&str| label.contains(**word);
    let reads = || LEXICON.glyph.iter().any(|glyph| label.contains(glyph));
    let sure = LEXICON.script.iter().find(contains);
    let found = sure.filter(|_| length <= surely).or_else(|| {
        let word = LEXICON.maybe.iter().find(contains)?;
        (length <= maybe && !reads()).then_some(word)
    });
    found.map(|word| (*word).to_owned())
}

/// The write verb of a name that a programmer gave: an id, a name, a class, a called function.
pub(super) fn verb_in_name(name: &str) -> Option<String> {
    let all = words(name);
    let order: Vec<String> = all.into_iter().filter(|word| !LEXICON.ui.has(word)).collect();
    let first = order.first()?;
    if LEXICON.read.has(first) {
        return None;
    }
    for place in 0..order.len() {
        if let Some(phrase) = LEXICON.strong.phrase_at(order.get(place..)?) {
            return Some(phrase.join(" "));
        }
    }
    let alone = order.len() == 1;
    let has_object = order.get(1).is_some_and(|next| LEXICON.object.has(next));
    if LEXICON.strong.has(first) && (alone || has_object) {
        return Some(first.clone());
    }
    if LEXICON.weak.has(first) && (alone || has_object) {
        return Some(first.clone());
    }
    if LEXICON.noun.has(first) && has_object && order.len() <= 3 {
        return Some(first.clone());
    }
    // `item-delete`, `user_logout`: the order at the end of a short name.
    let last = order.last()?;
    (order.len() <= 3 && LEXICON.strong.has(last)).then(|| last.clone())
}

/// Each class by itself, and each part of a BEM name (`comment__delete-button--small`).
pub(super) fn verb_in_classes(classes: &str) -> Option<String> {
    classes.split_whitespace().take(64).find_map(|class| {
        let verb = class
            .split("__")
            .map(|part| part.split("--").next().unwrap_or_default())
            .find_map(verb_in_name)?;
        // `search-form__submit` starts a search.
        let searches = verb == "submit" && words(class).iter().any(|w| LEXICON.evidence.has(w));
        (!searches).then_some(verb)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_arrows_and_orders_to_show_read() {
        for label in
            ["2", "»", "Next", "next post", "Load more", "下一页", "もっと見る", "다음", "Weiter"]
        {
            assert!(reads(label), "{label}");
        }
        for label in ["Like", "Delete", "", "赞", "★"] {
            assert!(!reads(label), "{label}");
        }
    }

    #[test]
    fn names_of_programmers_are_read_by_their_parts() {
        for name in [
            "deleteComment",
            "btn-delete",
            "delete_item",
            "js-like",
            "likeButton",
            "like-post",
            "postComment",
            "reportAbuse",
            "add-to-cart",
            "addToCartBtn",
            "user_logout",
            "doLogout",
            "onDeleteClick",
            "confirmDelete",
            "vote-up",
            "item-remove",
            "unfollow-btn",
            "sendMessage",
        ] {
            assert!(verb_in_name(name).is_some(), "{name}");
        }
        for name in [
            "post-123",
            "postList",
            "nextPost",
            "loadPosts",
            "showLikes",
            "like-count",
            "report",
            "reportTable",
            "commentForm",
            "comments",
            "payload",
            "display",
            "likelihood",
            "postpone",
            "goPage",
            "page-2",
            "order-1",
            "d-block",
            "blocklist",
            "follow-list",
            "sort-order",
            "share-price",
            "remove-padding",
            "recent-posts",
            "getReport",
            "deleted-items",
            "saved",
        ] {
            assert_eq!(verb_in_name(name), None, "{name}");
        }
    }

    #[test]
    fn classes_are_judged_one_by_one() {
        assert!(verb_in_classes("btn btn-primary comment__delete-button--small").is_some());
        assert!(verb_in_classes("Button_delete__x7Hs2").is_some());
        for classes in [
            "btn btn-block",
            "post post-card",
            "list-group order-2",
            "card__like-count",
            "search-form__submit",
        ] {
            assert_eq!(verb_in_classes(classes), None, "{classes}");
        }
    }
}
