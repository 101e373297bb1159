//! Pages as records are read from them: the trees of kept versions.

use page::tree::{Dom, reread};
use record::Source;
use store::{Catalog, Millis, PageNumber, VersionRow, Which};
use url::Url;

use crate::CpuPool;
use crate::DeriveError;
use crate::trees::ParsedVersion;

/// A page version that is meant.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) page: PageNumber,
    pub(super) version: i64,
    pub(super) url: Url,
    pub(super) page_type: Option<String>,
}

/// A page version, taken apart.
pub(super) struct Loaded {
    pub(super) wanted: Wanted,
    pub(super) time: Millis,
    /// What a browser made of it. Of a page that none was needed for, what the server sent.
    shown: Option<Dom>,
    /// What the server sent, where that is something else.
    sent: Option<Dom>,
}

impl Loaded {
    fn of(wanted: Wanted, version: &VersionRow) -> Self {
        let content_type = version.content_type.as_deref();
        let (snapshot, body) = (version.snapshot.as_deref(), version.body.as_deref());
        let sent = body.filter(|_| snapshot.is_some());
        Self {
            time: version.time,
            shown: reread(snapshot, body, content_type),
            sent: sent.and_then(|body| reread(None, Some(body), content_type)),
            wanted,
        }
    }

    /// A version that was parsed already.
    pub(super) fn parsed(wanted: Wanted, version: ParsedVersion) -> Self {
        Self { wanted, time: version.time, shown: Some(version.dom), sent: None }
    }

    /// What records are taken from.
    pub(super) fn source(&self) -> Source<'_> {
        Source {
            url: &self.wanted.url,
            page_type: self.wanted.page_type.as_deref(),
            captured: Some(self.time.0.div_euclid(1000)),
            rendered: self.shown.as_ref(),
            raw: self.sent.as_ref(),
        }
    }
}

/// Loads page versions. What is not there or has no tree is left out.
pub(super) async fn load(
    catalog: &Catalog,
    pure: &CpuPool,
    wanted: impl IntoIterator<Item = Wanted>,
) -> Result<Vec<Loaded>, DeriveError> {
    let mut all = Vec::new();
    for wanted in wanted {
        let Some(version) = catalog.version(wanted.page, Which::Number(wanted.version)).await?
        else {
            continue;
        };
        all.extend(pure.run(move || Loaded::of(wanted, &version)).await);
    }
    Ok(all)
}
