//! Whether a change may be put down to an advert. A label is a guess, and a wrong guess must not hide
//! what a page says: so there has to be something in the block that adverts have.

use url::Url;

use super::content::Reading;
use super::tree::BlockAt;
use crate::state::url::Site;
use crate::tree::NodeId;

/// Whether a block shows what comes from elsewhere: in a frame, or behind links that all lead to other
/// sites than that of `page`.
pub fn comes_from_elsewhere(reading: Reading<'_>, at: BlockAt, page: &Url) -> bool {
    let own = Site::of(page);
    let mut links = 0;
    let nodes = reading.tree.block(at).nodes();
    for node in nodes.filter_map(|id| reading.dom.get(NodeId(id))) {
        match node.name() {
            "iframe" | "ins" => return true,
            "a" | "area" => {
                let target = node.attribute("href").and_then(|href| page.join(href.trim()).ok());
                if target.is_none_or(|target| Site::of(&target) == own) {
                    return false;
                }
                links += 1;
            }
            _ => {}
        }
    }
    links > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Parts;
    use crate::tree::{Mask, parse_str};

    fn elsewhere(html: &str) -> bool {
        let parts = Parts::of(parse_str(html).dom, None, &Mask::default());
        let page = Url::parse("https://news.example/a").unwrap();
        comes_from_elsewhere(parts.reading(), BlockAt::PAGE, &page)
    }

    #[test]
    fn what_a_site_says_itself_is_no_advert_whatever_it_is_called() {
        assert!(!elsewhere("<div class=promo>The town hall has burnt down</div>"));
        assert!(!elsewhere("<div class=ad><a href=/b>Boris wins</a></div>"));
        assert!(elsewhere("<div><a href=https://shop.example/x>Buy</a></div>"));
        assert!(elsewhere("<div><iframe src=https://ads.example/></iframe></div>"));
    }
}
