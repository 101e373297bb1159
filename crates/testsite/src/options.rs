//! What a caller may choose about a site.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::{Search, Template};

/// How a site is generated and served. The same options give the same site, byte for byte.
///
/// ```
/// use testsite::{Build, Lang, Options};
/// let options = Options { build: Build::React, lang: Lang::Chinese, size: 5, ..Options::default() };
/// assert_eq!(options.seed, Options::default().seed);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// How long the server thinks before it answers any request.
    pub latency: Duration,
    /// How long the site's scripts wait (`setTimeout`) before they act on an event.
    pub timers: Duration,
    /// How large the site is, in the unit of each site (`news`: articles with comments;
    /// `blog`: articles; `forum`: threads; `jobs`: offers).
    /// 0 stands for the size that the site is described with.
    pub size: u32,
    /// From which everything on the site is generated.
    pub seed: u64,
    /// The time that pages show, until somebody sets it.
    pub clock: Clock,
    /// The technique that the site's scripts are written with.
    pub build: Build,
    /// The language of the site.
    pub lang: Lang,
    /// Whether pages carry parts that differ with each request: times, generated ids, rotating
    /// adverts, tokens. They follow from the seed and the number of the request to that path, so
    /// that a run can still be repeated.
    pub volatile: bool,
    /// How many pages of low value a site with such pages has at most, in all (`bbs`: members,
    /// tags, calendar days, print views). 0 stands for the number that the site is described with.
    pub chaff: u32,
    /// How the pages of a list or of a thread follow each other (`bbs`).
    pub paging: Paging,
    /// How the pages are written (`forum`).
    pub template: Template,
    /// How the database is asked (`jobs`).
    pub search: Search,
    /// Days that have passed since the time of the clock (`news`: readers have commented; `bbs`: members
    /// have answered, a thread came, and ends of threads were taken away). Days that the clock passes
    /// while a site is served are added.
    pub age: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            port: 0,
            latency: Duration::ZERO,
            timers: Duration::from_millis(100),
            size: 0,
            seed: 1,
            clock: Clock::default(),
            build: Build::default(),
            lang: Lang::default(),
            volatile: true,
            chaff: 0,
            paging: Paging::default(),
            template: Template::default(),
            search: Search::default(),
            age: 0,
        }
    }
}

impl Options {
    /// [`timers`](Options::timers) in milliseconds, as scripts want it.
    pub fn timers_ms(&self) -> u128 {
        self.timers.as_millis()
    }

    /// The chosen size, or `described` where none was chosen, and never above `most`.
    pub fn size_or(&self, described: u32, most: u32) -> u32 {
        match self.size {
            0 => described,
            size => size.min(most),
        }
    }
}

/// The time that the server believes it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// It is always this time: pages are the same whenever they are asked for.
    Fixed(Timestamp),
    /// The time of the machine.
    Real,
}

impl Clock {
    /// The present time by this clock.
    pub fn now(&self) -> Timestamp {
        match self {
            Clock::Fixed(at) => *at,
            Clock::Real => Timestamp::now(),
        }
    }

    /// A day later than it is by this clock, and from then on always that.
    pub fn tomorrow(&self) -> Clock {
        let later = self.now().checked_add(SignedDuration::from_hours(24));
        Clock::Fixed(later.unwrap_or(Timestamp::MAX))
    }
}

impl Default for Clock {
    /// 1 May 2009, 08:30 UTC.
    fn default() -> Self {
        Clock::Fixed(Timestamp::constant(1_241_166_600, 0))
    }
}

/// A name that is none of those which may be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {what} is called '{given}'; choose one of {known}")]
pub struct UnknownName {
    what: &'static str,
    given: String,
    known: String,
}

/// A plain enum whose values have a name on the command line.
macro_rules! named {
    ($(#[$meta:meta])* $type:ident, $what:literal, {
        $($(#[$doc:meta])* $variant:ident = $name:literal,)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $type {
            $($(#[$doc])* $variant,)+
        }

        impl $type {
            /// All of them, in the order in which they are documented.
            pub const ALL: &'static [$type] = &[$($type::$variant,)+];

            /// The name that [`FromStr`](std::str::FromStr) reads.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            fn from_str(given: &str) -> Result<Self, $crate::UnknownName> {
                $type::ALL
                    .iter()
                    .copied()
                    .find(|value| value.name() == given)
                    .ok_or_else(|| $crate::UnknownName::new($what, given, [$($name,)+].as_slice()))
            }
        }
    };
}
pub(crate) use named;

impl UnknownName {
    pub(crate) fn new(what: &'static str, given: &str, known: &[&str]) -> Self {
        UnknownName { what, given: given.chars().take(64).collect(), known: known.join(", ") }
    }
}

named! {
    /// The technique that a site's scripts are written with. The truth does not depend on it.
    #[derive(Default)]
    Build, "build", {
        /// Handlers in attributes: `onclick="goPage(2)"`.
        #[default]
        Inline = "inline",
        /// Closures given to `addEventListener`.
        Closures = "closures",
        /// jQuery, with delegated handlers.
        Jquery = "jquery",
        /// React, with its synthetic events on the root.
        React = "react",
        /// Vue, with compiled templates.
        Vue = "vue",
        /// lit, with custom elements.
        Lit = "lit",
    }
}

named! {
    /// How the pages of a list follow each other. Unlike the build, it is part of the truth.
    #[derive(Default)]
    Paging, "paging", {
        /// A script loads the next page into this one; the URL stays.
        #[default]
        Script = "script",
        /// Each page has a URL, and the pager is made of links.
        Links = "links",
        /// The same, and there is no script on the site: whatever is named has a link.
        Plain = "plain",
    }
}

named! {
    /// The language of a site.
    #[derive(Default)]
    Lang, "language", {
        /// English.
        #[default]
        English = "en",
        /// Simplified Chinese.
        Chinese = "zh",
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clock::Fixed(at) => at.fmt(f),
            Clock::Real => f.write_str("real"),
        }
    }
}

impl FromStr for Clock {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        if given == "real" {
            return Ok(Clock::Real);
        }
        given.parse().map(Clock::Fixed).map_err(|_| {
            UnknownName::new("clock", given, &["real", "a time such as 2009-05-01T08:30:00Z"])
        })
    }
}
