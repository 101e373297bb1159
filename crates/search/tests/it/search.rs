use search::{Order, Query};

use crate::shop::{Shop, at_length, day, page};

const URL: &str = "https://example.org/";
const CHINESE: &str = "根据网页布局的特点，本文提出了一种基于分块的网页存储方法。实验结果表明，该方法能够有效地减少存储空间，\
    同时保持了网页内容的完整性。北京大学的研究人员对一百个网站进行了为期三个月的跟踪。";

async fn shop() -> Shop {
    let shop = Shop::new();
    let storm =
        at_length("The storms passed over Netherby, and 3.5 metres of water stood in the café.");
    let tunnel = at_length("The harbour tunnel opens to well-known guests in the morning.");
    let cup = at_length("The cup final is played tonight.");
    shop.import(&[
        (URL, 0, page("News", &[("Harbour tunnel", &tunnel), ("Storm", &storm)])),
        (URL, 2, page("News", &[("Harbour tunnel", &tunnel), ("Cup final", &cup)])),
        ("https://example.org/zh", 1, page("网页研究", &[("网页存储", CHINESE)])),
        ("https://other.example/a", 1, page("Elsewhere", &[("Harbour tunnel", &tunnel)])),
    ])
    .await;
    shop
}

#[tokio::test]
async fn words_are_found_in_any_form_and_all_of_them_are_asked_for() {
    let shop = shop().await;
    for query in [
        "storm Netherby",
        "STORMS",
        "cafe",
        "\"3.5 metres\"",
        "\"harbour tunnel opens\"",
        "wellknown OR well-known",
        "nether*",
        "harbours -storm",
        "(storm | flood) metres",
    ] {
        assert!(shop.total(query).await > 0, "{query}");
    }
    for query in
        ["storm tunnel", "\"tunnel harbour\"", "storm -netherby", "volcano", "\"morning guests\""]
    {
        assert_eq!(shop.total(query).await, 0, "{query}");
    }
}

#[tokio::test]
async fn a_text_that_stands_in_many_places_is_found_once() {
    let shop = shop().await;
    let found = shop.search(Query::new("\"guests in the morning\"")).await;
    let sites: Vec<_> = found.hits.iter().map(|hit| hit.site.as_str()).collect();
    assert_eq!(found.total, 2, "once a site, whatever the number of versions: {sites:?}");
    assert_eq!(found.facets.sites.len(), 2);
    let footer = shop.search(Query::new("imprint site:example.org")).await;
    assert_eq!((footer.total, footer.hits[0].pages), (1, 2));
}

#[tokio::test]
async fn every_chinese_word_and_every_phrase_of_the_text_is_found() {
    let shop = shop().await;
    let index = shop.index().await;
    let runs: Vec<Vec<char>> = CHINESE
        .split(['，', '。', ' '])
        .map(|run| run.chars().collect())
        .filter(|run: &Vec<char>| !run.is_empty())
        .collect();
    let mut asked = 0;
    for run in &runs {
        for length in [2, 3, 5, 8] {
            for part in run.windows(length) {
                let text: String = part.iter().collect();
                for query in [text.clone(), format!("\"{text}\"")] {
                    let found = index.search(&shop.catalog, &Query::new(&query)).await.unwrap();
                    assert!(found.total > 0, "{query}");
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 300, "{asked}");
    assert_eq!(shop.total("\"布局网页\"").await, 0);
    assert!(shop.total("京").await > 0, "a single character");
}

#[tokio::test]
async fn lifetimes_are_told_and_can_be_asked_for() {
    let shop = shop().await;
    let storm = &shop.hits("netherby").await[0];
    assert_eq!((storm.first_seen, storm.last_seen, storm.is_there), (day(0), day(0), false));
    let tunnel = &shop.hits("tunnel guests site:example.org").await[0];
    assert_eq!((tunnel.first_seen, tunnel.last_seen, tunnel.is_there), (day(0), day(2), true));
    let at = |from, to| Query { from, to, ..Query::new("netherby OR \"cup final is played\"") };
    let count = async |from, to| shop.search(at(from, to)).await.total;
    assert_eq!(count(None, None).await, 2);
    assert_eq!(count(Some(day(2)), None).await, 1, "the storm was over");
    assert_eq!(count(None, Some(day(1))).await, 1, "the cup final was not told of yet");
    assert_eq!(count(Some(day(1)), Some(day(1))).await, 1, "the first version was current");
    assert_eq!(count(Some(day(-2)), Some(day(-1))).await, 0);
}

#[tokio::test]
async fn a_hit_says_where_it_stands_and_shows_why() {
    let shop = shop().await;
    let hit = &shop.hits("netherby water").await[0];
    assert_eq!((hit.key.as_str(), hit.version, hit.title.as_str()), (URL, 1, "News"));
    let rows = shop.catalog.blocks(hit.page, 1).await.unwrap();
    let row = rows.iter().find(|row| row.block.0 == hit.block).unwrap();
    assert_eq!((row.topic.as_str(), row.first), (hit.topic.as_str(), 1));
    let marked: Vec<&str> =
        hit.snippet.marks.iter().map(|at| &hit.snippet.text[at.clone()]).collect();
    assert!(marked.contains(&"Netherby") && marked.contains(&"water"), "{marked:?}");
}

#[tokio::test]
async fn what_a_block_is_about_counts_more_than_what_it_mentions() {
    let shop = Shop::new();
    let about = at_length("It opens today.");
    let mentions = at_length("Beside the lighthouse stands a bench.");
    shop.import(&[(URL, 0, page("News", &[("Bench", &mentions), ("Lighthouse", &about)]))]).await;
    let hits = shop.hits("lighthouse").await;
    assert!(hits[0].snippet.text.contains("opens today"), "{hits:?}");
    assert!(hits.iter().any(|hit| hit.snippet.text.contains("bench")));
}

#[tokio::test]
async fn facets_say_how_what_was_found_is_spread() {
    let shop = shop().await;
    let found = shop.search(Query { limit: 1, ..Query::new("tunnel OR storm OR 网页") }).await;
    assert_eq!(found.hits.len(), 1);
    let sum = |counts: &[search::FacetCount]| counts.iter().map(|count| count.count).sum::<u64>();
    assert_eq!(sum(&found.facets.sites), found.total);
    assert_eq!(found.facets.times.iter().map(|time| time.count).sum::<u64>(), found.total);
    assert!(found.facets.labels.iter().all(|label| label.count > 0));
    let label = &found.facets.labels[0];
    let of_label =
        shop.search(Query::new(format!("tunnel OR storm OR 网页 label:{}", label.value))).await;
    assert_eq!(of_label.total, label.count);
}

#[tokio::test]
async fn hits_can_be_had_by_time_and_in_parts() {
    let shop = shop().await;
    let query = Query { order: Order::Newest, ..Query::new("tunnel OR storm OR cup OR 网页") };
    let newest = shop.search(query.clone()).await.hits;
    assert!(newest.is_sorted_by_key(|hit| std::cmp::Reverse(hit.first_seen)));
    let oldest = shop.search(Query { order: Order::Oldest, ..query.clone() }).await.hits;
    assert!(oldest.is_sorted_by_key(|hit| hit.first_seen));
    let second = shop.search(Query { offset: 1, limit: 1, ..query }).await.hits;
    assert_eq!(second, newest[1..2]);
}
