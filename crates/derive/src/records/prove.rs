//! Proofs between pages that are not read together: the row of a thread, which an earlier batch kept,
//! against the thread.

use record::{Counting, Kind, Record, SiteMap, of_post, prove};

use url::Url;

use super::follow::{Known, name_of_thread, written};
use super::{Read, Stage};
use crate::DeriveError;

/// A thread all of whose pages were read together.
pub(super) struct Thread {
    /// Where it begins.
    url: Url,
    /// Its posts in order: the number of the page, and of the record on it.
    posts: Vec<(usize, usize)>,
}

/// The threads that are whole, and that no list among these pages has proved.
pub(super) fn threads(map: &SiteMap, records: &[Vec<Record>]) -> Vec<Thread> {
    let whole = map.chains().iter().filter(|chain| chain.complete);
    let whole = whole.filter_map(|chain| {
        let on = |page: &usize| {
            let page = *page;
            let records = records.get(page).into_iter().flatten().enumerate();
            records.filter(|(_, of)| of.kind == Kind::Post).map(move |(at, of)| ((page, at), of))
        };
        let mut seen = std::collections::HashSet::new();
        let posts: Vec<_> = chain.pages.iter().flat_map(on).collect();
        let is_proved = posts.iter().any(|(_, post)| !post.proofs.is_empty());
        // A post that opens every page of its thread is one post.
        let once =
            posts.into_iter().filter(|(_, of)| of.id.as_ref().is_none_or(|id| seen.insert(id)));
        let posts: Vec<_> = once.map(|(at, _)| at).collect();
        (!is_proved && !posts.is_empty()).then(|| Thread { url: chain.url.clone(), posts })
    });
    whole.collect()
}

impl Stage<'_> {
    /// Holds threads against the rows that are known of them.
    pub(super) async fn prove(
        &self,
        pages: &mut [Read],
        threads: &[Thread],
    ) -> Result<(), DeriveError> {
        let kind = Kind::Thread.name();
        let names = threads.iter().map(|of| (kind.to_owned(), name_of_thread(&of.url))).collect();
        let rows = self.catalog.records_named(&self.site, names).await?;
        let mut proved = Vec::new();
        for (thread, row) in threads.iter().zip(rows) {
            let Some(row) = row.as_ref().and_then(Known::of) else { continue };
            let (number, row) = (row.number(), row.into_record());
            let at = |(page, at): &(usize, usize)| pages.get(*page)?.records.get(*at);
            let posts: Vec<&Record> = thread.posts.iter().filter_map(at).collect();
            let found = prove(&row, &posts, Counting::Replies);
            if found != row.proofs {
                proved.push((number, written(&found)));
            }
            for (nth, (page, at)) in thread.posts.iter().enumerate() {
                let post = pages.get_mut(*page).and_then(|page| page.records.get_mut(*at));
                if let Some(post) = post {
                    post.proofs = of_post(&found, nth, thread.posts.len());
                }
            }
        }
        self.catalog.prove_records(&self.site, proved).await?;
        Ok(())
    }
}
