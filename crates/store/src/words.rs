//! Words that columns, JSON and people share: enums with one text form each.

use serde::{Serialize, Serializer};

use crate::error::StoreError;
use crate::tx::{FromValue, ToValue, Value};

macro_rules! words {
    ($($(#[$about:meta])* $name:ident ($what:literal) {
        $($(#[$of:meta])* $word:ident = $text:literal,)*
    })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$of])* $word,)*
        }

        impl $name {
            /// As it is written down.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)*
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = StoreError;

            fn from_str(text: &str) -> Result<Self, StoreError> {
                match text {
                    $($text => Ok(Self::$word),)*
                    _ => Err(StoreError::Unreadable { what: $what, value: text.to_owned() }),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'a> ToValue<'a> for &$name {
            fn to_value(self) -> Value<'a> {
                Value::Text(self.as_str().into())
            }
        }

        impl FromValue for $name {
            fn from_value(value: &Value<'_>) -> Option<Self> {
                match value {
                    Value::Text(text) => text.parse().ok(),
                    _ => None,
                }
            }
        }
    )*};
}

words! {
    /// What became of a page.
    PageStatus ("page status") {
        /// It waits for its first visit.
        Queued = "queued",
        /// There is a version of it.
        Captured = "captured",
        /// Its URL leads elsewhere.
        Redirect = "redirect",
        /// Its visit gave nothing to keep.
        Failed = "failed",
        /// It turned out to equal another page.
        Merged = "merged",
        /// It is known, and not to be visited.
        Held = "held",
    }

    /// How a page was got.
    Via ("via") {
        /// A plain request.
        Http = "http",
        /// A tab, by URL or by events.
        Browser = "browser",
        /// A form submission.
        Form = "form",
    }

    /// What is known of an edge.
    EdgeOutcome ("outcome") {
        /// It leads to a URL.
        Link = "link",
        /// It led to a state.
        Page = "page",
        /// Nothing changed.
        Same = "same",
        /// Something changed, but nothing is shown that the origin did not hold.
        Reveal = "reveal",
        /// It was not fired, or its request was not let through.
        Refused = "refused",
        /// The element was not there any more, or the tab was lost over it.
        Lost = "lost",
        /// It was not fired: an equal instruction was.
        Known = "known",
        /// It was not fired: what it belongs to is not worth it.
        Skipped = "skipped",
    }

    /// What made a request.
    Cause ("cause") {
        /// Loading a page.
        Load = "load",
        /// An event on it.
        Event = "event",
    }

    /// Why a block began.
    Began ("began") {
        /// There was nothing that it continues.
        Added = "added",
        /// The page was cut in another way.
        Recut = "recut",
        /// Its text changed.
        Text = "text",
        /// A link of it changed.
        Link = "link",
        /// A picture of it changed.
        Image = "image",
        /// Its looks changed.
        Format = "format",
        /// A script of it changed.
        Script = "script",
        /// It is an advert, and changed.
        Advert = "advert",
        /// What changed differs at every look.
        Volatile = "volatile",
    }

    /// Why a block ended.
    Ended ("ended") {
        /// Its lineage goes on with another content.
        Changed = "changed",
        /// It is not there any more.
        Removed = "removed",
        /// The page was cut in another way.
        Recut = "recut",
    }

    /// What a change is of.
    ChangeKind ("change") {
        /// There is a new version of a page.
        Version = "version",
        /// It was cut into blocks.
        Blocks = "blocks",
        /// What is known of its records changed.
        Records = "records",
        /// The page turned out to equal another.
        Merged = "merged",
    }

    /// What is to be done about a page.
    TaskKind ("kind of job") {
        /// Visit the URL.
        Fetch = "fetch",
        /// Fire the events of the state.
        Explore = "explore",
        /// Submit the forms of the page.
        Submit = "submit",
    }
}
