//! What a perfect crawl of the portal finds on the day of its options, and what its front page is
//! made of on any day.

use jiff::civil::Date;

use super::edition::Column;
use super::{Portal, date_of, other};
use crate::{State, Truth};

impl Portal {
    pub(super) fn known_truth(&self) -> Truth {
        let date = date_of(self.clock.now());
        let mut states = vec![self.front_state()];
        for column in Column::ALL {
            for day in Self::days(column, date) {
                states.push(self.story_state(column, day, self.lang));
            }
        }
        states.push(self.story_state(Column::Article, date, other(self.lang)));
        let titles: Vec<_> = self.threads(date).into_iter().map(|thread| thread.title).collect();
        let titles: Vec<_> = titles.iter().map(String::as_str).collect();
        let forum = State::at("forums", format!("/forums/{date}.html"), self.forum_title(date));
        states.push(forum.showing(&titles));
        let standing = self.standing().into_iter();
        let standing = standing.filter(|(path, _)| path != "/search");
        states.extend(
            standing.map(|(path, name)| State::at("static", path, self.about(name)).unwanted()),
        );
        Truth {
            off_limits: vec!["/search".to_owned()],
            changes: vec!["subscribe".to_owned()],
            blocks: self.blocks(),
            ..Truth::new("portal", states)
        }
    }

    fn story_state(&self, column: Column, date: Date, lang: crate::Lang) -> State {
        let story = self.story(column, date, lang);
        let texts: Vec<&str> = story.paragraphs.iter().map(String::as_str).collect();
        // The first paragraph is on the front page, too.
        State::at(column.name(), story.path.clone(), texts.last().copied().unwrap_or_default())
            .showing(&texts)
    }

    /// The title of the page of a day's threads.
    pub(super) fn forum_title(&self, date: Date) -> String {
        format!("{}: {}", self.words.forums, self.day(date))
    }

    /// Pages that are only there: path and name.
    pub(super) fn standing(&self) -> Vec<(String, &'static str)> {
        let words = self.words;
        let groups: [(&str, &[&'static str]); 6] = [
            ("corner", &words.corner),
            ("tab", &words.tabs),
            ("way", &words.ways),
            ("job", &words.offers),
            ("maker", &words.makers),
            ("small", &words.small_print),
        ];
        let mut pages: Vec<_> = self.topics().collect();
        for (group, names) in groups {
            for (name, number) in names.iter().zip(1..) {
                let number: u32 = number;
                pages.push((format!("/pages/{group}{number}.html"), *name));
            }
        }
        pages.push(("/search".to_owned(), words.search));
        pages
    }

    /// What a page that is only there says.
    pub(super) fn about(&self, name: &str) -> String {
        let [before, after] = self.words.about;
        format!("{before}{name}{after}")
    }
}
