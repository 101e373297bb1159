//! Which documents are being explored. A document is one worker's at a time: two of them would not know what
//! the other one found in it, and keep what both come to in two ways.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::Task;

use crate::site::SiteCrawl;

/// The documents that are open, each with the states of it that were handed out to others meanwhile.
pub(crate) type OpenDocuments = Mutex<HashMap<String, Vec<Task>>>;

/// A document that is being explored, until it is dropped.
pub(crate) struct OpenDocument {
    crawl: Arc<SiteCrawl>,
    url: String,
}

impl OpenDocument {
    /// Opens the document of a state. If another worker has it open, the state is left to that one. Should that
    /// end without it, the state stays in hand until nobody has any work, and is put back then.
    pub(crate) fn of(crawl: &Arc<SiteCrawl>, task: Task) -> Option<Self> {
        let mut open = open_documents(crawl);
        match open.get_mut(&task.url) {
            Some(left) => {
                left.push(task);
                None
            }
            None => {
                open.insert(task.url.clone(), Vec::new());
                Some(Self { crawl: crawl.clone(), url: task.url })
            }
        }
    }

    /// The states of it that were left to this worker since the last call.
    pub(crate) fn take_left(&self) -> Vec<Task> {
        open_documents(&self.crawl).get_mut(&self.url).map(std::mem::take).unwrap_or_default()
    }
}

impl Drop for OpenDocument {
    fn drop(&mut self) {
        open_documents(&self.crawl).remove(&self.url);
    }
}

fn open_documents(crawl: &SiteCrawl) -> MutexGuard<'_, HashMap<String, Vec<Task>>> {
    crawl.open_documents.lock().unwrap_or_else(PoisonError::into_inner)
}
