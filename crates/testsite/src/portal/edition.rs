//! What the portal says on a day. A day's texts follow from the seed and the date, so that every day
//! there ever was can be asked for again.

use jiff::civil::Date;

use super::Portal;
use crate::text::Writer;
use crate::{Lang, Random};

/// A text of its own page, which the front page announces.
pub(super) struct Story {
    pub path: String,
    pub date: Date,
    pub title: String,
    pub author: String,
    /// The first is the summary on the front page.
    pub paragraphs: Vec<String>,
}

/// A thread of a forum.
pub(super) struct Thread {
    pub title: String,
    pub starter: String,
    pub replies: usize,
    /// Hours and minutes.
    pub time: (usize, usize),
}

/// What is written by the day: its folder, and the rule that its titles follow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    News,
    Weblog,
    Article,
}

impl Column {
    pub(super) const ALL: [Self; 3] = [Self::News, Self::Weblog, Self::Article];

    /// The folder of its pages, and the kind of their states.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::News => "news",
            Self::Weblog => "weblogs",
            Self::Article => "articles",
        }
    }

    /// How many days of it the front page shows.
    pub(super) fn days(self) -> usize {
        if self == Self::Article { 1 } else { 3 }
    }

    fn rule(self) -> &'static str {
        match self {
            Self::News => "headline-local",
            Self::Weblog => "thread",
            Self::Article => "headline-science",
        }
    }
}

impl Portal {
    /// What a column says on a day, in a language.
    pub(super) fn story(&self, column: Column, date: Date, lang: Lang) -> Story {
        let name = column.name();
        let mut writer = Writer::new(lang, Random::of(self.seed, &format!("portal {name} {date}")));
        let tongue = if lang == self.lang { "" } else { super::other_name(lang) };
        Story {
            path: format!("/{name}/{date}{tongue}.html"),
            date,
            title: writer.write(column.rule()),
            author: writer.write("person"),
            paragraphs: [2, 5, 4].map(|sentences| writer.paragraph(sentences)).to_vec(),
        }
    }

    /// The threads that were busy on a day.
    pub(super) fn threads(&self, date: Date) -> Vec<Thread> {
        let source = Random::of(self.seed, &format!("portal forums {date}"));
        let mut writer = Writer::new(self.lang, source);
        let thread = |_| Thread {
            title: writer.write("thread"),
            starter: writer.write("nick"),
            replies: writer.random.between(2, 60),
            time: (writer.random.between(0, 23), writer.random.between(0, 59)),
        };
        (0..5).map(thread).collect()
    }

    /// What was heard on a day, who said it, and when they meet next.
    pub(super) fn heard(&self, date: Date) -> (String, String, Date) {
        let source = Random::of(self.seed, &format!("portal heard {date}"));
        let mut writer = Writer::new(self.lang, source);
        let ahead = writer.random.between(3, 9);
        let next = date.series(jiff::Span::new().days(1)).nth(ahead).unwrap_or(date);
        (writer.write("comment"), writer.write("person"), next)
    }

    /// The days whose stories the front page shows, the latest first.
    pub(super) fn days(column: Column, date: Date) -> impl Iterator<Item = Date> {
        date.series(jiff::Span::new().days(-1)).take(column.days())
    }
}
