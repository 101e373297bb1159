//! Text that looks as if people had written it: a small grammar for each language.
//!
//! A rule is a name and its alternatives; `{name}` inside an alternative is replaced by an
//! alternative of that rule, and so on.

mod chinese;
mod english;
mod german;
mod once;

pub(crate) use self::once::Once;
use crate::{Lang, Random};

/// A rule: its name and its alternatives.
type Rule = (&'static str, &'static [&'static str]);

/// How deep rules may nest; the deepest of ours is 4.
const DEPTH: usize = 8;

/// Writes text in one language.
///
/// ```
/// use testsite::{Lang, Random, text::Writer};
/// let mut writer = Writer::new(Lang::English, Random::new(1));
/// assert_ne!(writer.write("headline"), writer.write("headline"));
/// ```
#[derive(Debug, Clone)]
pub struct Writer {
    rules: &'static [Rule],
    lang: Lang,
    /// The source of its choices.
    pub random: Random,
}

impl Writer {
    /// A writer in this language.
    pub fn new(lang: Lang, random: Random) -> Self {
        let rules = match lang {
            Lang::English => english::RULES,
            Lang::Chinese => chinese::RULES,
        };
        Writer { rules, lang, random }
    }

    /// A writer in German, of what a forum needs: `post`, `reply`, `comment`, `closing`, `place`,
    /// `thread`, `product` and `advert`.
    pub(crate) fn german(random: Random) -> Self {
        // Spaces are as in English.
        Writer { rules: german::RULES, lang: Lang::English, random }
    }

    /// A text by the rule of this name: `headline` (or `headline-local`, `-business`, `-sports`,
    /// `-science`, `-culture`), `sentence`, `comment`, `post`, `reply`,
    /// `person`, `nick`, `place`, `topic`, `board`, `thread`, `product`, `advert`. A name without a
    /// rule gives nothing.
    pub fn write(&mut self, rule: &str) -> String {
        let mut text = String::new();
        self.expand(rule, DEPTH, &mut text);
        // English alternatives begin in lower case where they can stand inside a sentence.
        match text.chars().next() {
            Some(first) if first.is_ascii_lowercase() && rule != "nick" => {
                text.replace_range(..1, &first.to_ascii_uppercase().to_string());
                text
            }
            _ => text,
        }
    }

    /// So many sentences, as one paragraph.
    pub fn paragraph(&mut self, sentences: usize) -> String {
        let space = if self.lang == Lang::Chinese { "" } else { " " };
        let written: Vec<String> = (0..sentences).map(|_| self.write("sentence")).collect();
        written.join(space)
    }

    fn expand(&mut self, name: &str, depth: usize, into: &mut String) {
        let Some((_, alternatives)) = self.rules.iter().find(|(rule, _)| *rule == name) else {
            return;
        };
        if depth == 0 || alternatives.is_empty() {
            return;
        }
        let mut rest = self.random.pick(alternatives);
        while let Some((plain, slot)) = rest.split_once('{') {
            into.push_str(plain);
            let Some((inner, after)) = slot.split_once('}') else {
                return;
            };
            if inner == "#" {
                let number = self.random.between(2, 98);
                into.push_str(&number.to_string());
            } else {
                self.expand(inner, depth - 1, into);
            }
            rest = after;
        }
        into.push_str(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_of_all_languages_has_a_rule_and_two_have_the_same_public_rules() {
        for rules in [english::RULES, chinese::RULES, german::RULES] {
            for (name, alternatives) in rules {
                for alternative in *alternatives {
                    for slot in alternative.split('{').skip(1) {
                        let inner = slot.split('}').next().unwrap();
                        let known = inner == "#" || rules.iter().any(|(rule, _)| *rule == inner);
                        assert!(known, "{{{inner}}} in {name}: {alternative}");
                    }
                }
            }
        }
        let names = |rules: &[Rule]| rules.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        for public in [
            "headline",
            "headline-local",
            "headline-business",
            "headline-sports",
            "headline-science",
            "headline-culture",
            "sentence",
            "comment",
            "post",
            "reply",
            "person",
            "nick",
            "place",
            "topic",
            "board",
            "thread",
            "product",
            "advert",
        ] {
            assert!(names(english::RULES).contains(&public), "{public}");
            assert!(names(chinese::RULES).contains(&public), "{public}");
        }
    }

    #[test]
    fn a_thousand_comments_hardly_repeat_and_leave_no_slot_open() {
        for lang in Lang::ALL {
            let mut writer = Writer::new(*lang, Random::new(3));
            let comments: std::collections::HashSet<_> =
                (0..1000).map(|_| writer.write("comment")).collect();
            assert!(comments.len() > 990, "{lang}: {}", comments.len());
            assert!(comments.iter().all(|text| !text.contains(['{', '}']) && text.len() > 10));
        }
    }
}
