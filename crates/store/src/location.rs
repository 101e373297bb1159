//! Where a store lies.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::StoreError;

/// Where a store lies: in a directory of its own, or in a database that many machines share.
///
/// ```
/// use store::Location;
///
/// let shared: Location = "postgres://ann:secret@db.example.org/crawls".parse().unwrap();
/// assert_eq!(shared.to_string(), "postgres://ann@db.example.org/crawls");
/// assert_eq!("data".parse::<Location>().unwrap(), Location::Directory("data".into()));
/// assert!("mysql://localhost/crawls".parse::<Location>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A directory with a file of SQLite. One process writes to it.
    Directory(PathBuf),
    /// The URL of a PostgreSQL database.
    Postgres(String),
}

impl FromStr for Location {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        match text.split_once("://") {
            None => Ok(Self::Directory(text.into())),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(text.to_owned())),
            Some(_) => Err(StoreError::Address {
                text: without_password(text),
                why: "it is neither a directory nor the URL of a PostgreSQL database".into(),
            }),
        }
    }
}

/// A path that is no text can only be a directory.
impl TryFrom<PathBuf> for Location {
    type Error = StoreError;

    fn try_from(path: PathBuf) -> Result<Self, StoreError> {
        path.to_str().map_or_else(|| Ok(path.as_path().into()), str::parse)
    }
}

/// As it was given, without a password.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => path.display().fmt(f),
            Self::Postgres(url) => without_password(url).fmt(f),
        }
    }
}

/// Likewise: what is logged holds no password.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Self::Directory(path.to_owned())
    }
}

impl From<&PathBuf> for Location {
    fn from(path: &PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<&Location> for Location {
    fn from(location: &Location) -> Self {
        location.clone()
    }
}

/// A URL as it may be shown.
pub(crate) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority);
    let shown = match authority.rsplit_once('@') {
        Some((user, host)) => format!("{}@{host}", user.split(':').next().unwrap_or_default()),
        None => authority.to_owned(),
    };
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let query: Vec<_> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !pair.starts_with("password="))
        .collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{scheme}://{shown}{path}{mark}{}", query.join("&"))
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn no_password_is_ever_shown() {
        for (url, shown) in [
            ("postgres://ann:s3@cret@host:1/db", "postgres://ann@host:1/db"),
            ("postgres://host/db?user=ann&password=secret", "postgres://host/db?user=ann"),
            ("postgres://host", "postgres://host"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
