//! The bundled forum in templates of different nature: posts, threads and their fields that came back.

use testsite::Template;

use super::counts::CaseCounts;
use crate::records::live::judged;

/// Threads of the forum.
const THREADS: u32 = 24;

pub async fn count(template: Template) -> anyhow::Result<CaseCounts> {
    let (judged, report) = judged(template, THREADS).await?;
    let mut counts = CaseCounts::default();
    counts.at_least("posts", judged.posts.right);
    counts.at_most("posts_wrong", judged.posts.ours - judged.posts.right);
    counts.at_least("lists", judged.lists.right);
    counts.at_most("lists_wrong", judged.lists.ours - judged.lists.right);
    counts.at_least("all_four_fields", judged.four.right);
    for (field, part) in &judged.fields {
        counts.at_least(*field, part.right);
    }
    counts.at_least("reply_to", judged.replies.right);
    counts.at_most("cut_off", i64::from(report.stopped.is_some()));
    Ok(counts)
}
