use search::{TopicLine, TopicQuery, Trend};

use crate::shop::{Shop, at_length, day, page};

const URL: &str = "https://example.org/";

#[tokio::test]
async fn topics_are_told_by_what_became_of_them() {
    let shop = Shop::new();
    let (steady, gone) = (at_length("The lighthouse stays."), at_length("A ferry sank."));
    let fresh = at_length("An election was called.");
    let price = |n: i64| at_length(&format!("Bread is {n} crowns at the market."));
    let old = |n| page("N", &[("Lighthouse", &steady), ("Ferry", &gone), ("Market", &price(n))]);
    let new =
        |n| page("N", &[("Lighthouse", &steady), ("Market", &price(n)), ("Election", &fresh)]);
    shop.import(&[(URL, 0, old(1)), (URL, 7, new(2)), (URL, 8, new(3)), (URL, 9, new(4))]).await;
    let index = shop.index().await;
    let query = TopicQuery { since: Some(day(5)), limit: 100, ..TopicQuery::default() };
    let told = index.topics(&shop.catalog, &query).await.unwrap();
    assert_eq!(told.since, day(5));
    let of = |name: &str| -> &TopicLine {
        let named = |line: &&TopicLine| line.topic.to_lowercase().contains(name);
        told.topics.iter().find(named).unwrap_or_else(|| panic!("{name}: {:#?}", told.topics))
    };
    assert_eq!((of("election").trend, of("election").first_seen), (Trend::New, day(7)));
    assert_eq!((of("lighthouse").trend, of("lighthouse").is_there), (Trend::Steady, true));
    let market = of("market");
    assert_eq!((market.trend, market.changes, market.key.as_str()), (Trend::Rising, 3, URL));
    let ferry = of("ferry");
    assert_eq!((ferry.is_there, ferry.last_seen), (false, day(0)));
    let gone = TopicQuery { since: Some(day(-1)), trend: Some(Trend::Gone), ..query };
    let gone = index.topics(&shop.catalog, &gone).await.unwrap();
    assert!(gone.topics.iter().any(|line| line.topic.to_lowercase().contains("ferry")));
    assert!(gone.topics.iter().all(|line| !line.is_there));
}
