//! Which language a text is in.

use super::is_dense;
use serde::{Deserialize, Serialize};

/// A language that is told from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Language {
    Ar,
    De,
    En,
    Es,
    Fr,
    Hi,
    It,
    Ja,
    Ko,
    Nl,
    Pt,
    Ru,
    Sv,
    Tr,
    Vi,
    Zh,
}

/// Characters that are looked at. More change nothing: the decision stands after a few sentences.
const LOOKED_AT: usize = 2000;

/// Letters below which a guess would be worth nothing.
const FEWEST_LETTERS: usize = 20;

/// The language of a text; none if it is too short to tell.
///
/// Han and Kana are told by the script alone, so that ten Chinese characters are enough; the rest is
/// told by its character triples.
///
/// ```
/// use page::words::{Language, language};
///
/// assert_eq!(language("Der Hafen war an diesem Morgen noch still."), Some(Language::De));
/// assert_eq!(language("网页布局是网页的一个重要的内部结构"), Some(Language::Zh));
/// assert_eq!(language("OK"), None);
/// ```
pub fn language(text: &str) -> Option<Language> {
    let (mut letters, mut dense, mut kana, mut end) = (0, 0, 0, 0);
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphabetic()).take(LOOKED_AT) {
        letters += 1;
        dense += usize::from(is_dense(c));
        kana += usize::from(matches!(c, '\u{3040}'..='\u{30ff}'));
        end = at + c.len_utf8();
    }
    // A Chinese text may name products and people in Latin letters: a third is enough.
    if dense >= 4 && dense * 3 >= letters {
        return Some(if kana * 10 >= dense { Language::Ja } else { Language::Zh });
    }
    if letters < FEWEST_LETTERS {
        return None;
    }
    use whichlang::Lang;
    Some(match whichlang::detect_language(&text[..end]) {
        Lang::Ara => Language::Ar,
        Lang::Cmn => Language::Zh,
        Lang::Deu => Language::De,
        Lang::Eng => Language::En,
        Lang::Fra => Language::Fr,
        Lang::Hin => Language::Hi,
        Lang::Ita => Language::It,
        Lang::Jpn => Language::Ja,
        Lang::Kor => Language::Ko,
        Lang::Nld => Language::Nl,
        Lang::Por => Language::Pt,
        Lang::Rus => Language::Ru,
        Lang::Spa => Language::Es,
        Lang::Swe => Language::Sv,
        Lang::Tur => Language::Tr,
        Lang::Vie => Language::Vi,
    })
}

impl Language {
    /// Its code in HTML (BCP 47): `en`, `de`, `zh`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Ar => "ar",
            Self::De => "de",
            Self::En => "en",
            Self::Es => "es",
            Self::Fr => "fr",
            Self::Hi => "hi",
            Self::It => "it",
            Self::Ja => "ja",
            Self::Ko => "ko",
            Self::Nl => "nl",
            Self::Pt => "pt",
            Self::Ru => "ru",
            Self::Sv => "sv",
            Self::Tr => "tr",
            Self::Vi => "vi",
            Self::Zh => "zh",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chinese_text_with_latin_names_is_chinese() {
        assert_eq!(language("苹果公司发布了新款 iPhone 和 MacBook Pro"), Some(Language::Zh));
    }

    #[test]
    fn kana_make_a_text_japanese() {
        assert_eq!(language("これは日本語の文章です"), Some(Language::Ja));
    }

    #[test]
    fn english_and_french_are_told_apart() {
        assert_eq!(language("The ship left the harbour at dawn"), Some(Language::En));
        assert_eq!(language("Le bateau quitte le port à l'aube"), Some(Language::Fr));
    }

    #[test]
    fn numbers_have_no_language() {
        assert_eq!(language("2024-01-01 12:00 3.14159 100,000,000"), None);
    }
}
