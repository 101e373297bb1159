//! Page types, and whatever else the crawler learned.

use store::{PageNumber, VisitOutcome};

use crate::{Place, SITE, capture, next, visit};

async fn a_page_has_the_type_of_its_last_look_even_if_it_did_not_change(place: Place) {
    let catalog = place.open();
    let urls: Vec<_> = (1..=7).map(|n| format!("https://example.org/{n}")).collect();
    catalog.seed(SITE, &urls).await.unwrap();
    for page_type in [Some("t1"), Some("post"), None] {
        while let Some(task) = next(&catalog).await {
            let mut step = visit(&task, &task.url[20..], &["https://example.org/1"]);
            let mut look = capture(&task.url[20..]);
            look.page_type = page_type.map(str::to_owned);
            step.outcome = VisitOutcome::Captured(look);
            step.explore = false;
            catalog.commit_visit(step).await.unwrap();
        }
        catalog.revisit(SITE).await.unwrap();
    }
    let samples: Vec<_> = (1..=5).map(PageNumber).collect();
    assert_eq!(catalog.types(SITE).await.unwrap(), [("post".to_owned(), 7, samples)]);
    assert_eq!(catalog.summary(SITE).await.unwrap().page_types, 1);
    let links = catalog.links_between_types(SITE).await.unwrap();
    assert_eq!(links, [("post".to_owned(), "post".to_owned(), 7)]);

    assert_eq!(catalog.rename_type(SITE, "post", "article").await.unwrap(), 7);
    assert_eq!(catalog.rename_type("example.com", "article", "post").await.unwrap(), 0);
    let page = catalog.find("https://example.org/6").await.unwrap().unwrap();
    assert_eq!((page.page_type.as_deref(), page.versions), (Some("article"), 1));
}

async fn what_was_learned_is_there_in_the_next_run_until_it_is_forgotten(place: Place) {
    let row = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    {
        let catalog = place.open();
        let rows = vec![row("list", "{}"), row("post", r#"{"render":true}"#)];
        catalog.learn(SITE, "type", rows).await.unwrap();
        catalog.learn(SITE, "type", vec![row("list", r#"{"render":false}"#)]).await.unwrap();
        catalog.learn(SITE, "trap", vec![row("list", "40")]).await.unwrap();
        catalog.learn("example.com", "type", vec![row("home", "{}")]).await.unwrap();
    }
    let catalog = place.open();
    let types = [row("list", r#"{"render":false}"#), row("post", r#"{"render":true}"#)];
    assert_eq!(catalog.learned(SITE, "type").await.unwrap(), types);
    catalog.forget(SITE, "type", vec!["list".into(), "unknown".into()]).await.unwrap();
    assert_eq!(catalog.learned(SITE, "type").await.unwrap(), types[1..]);
    assert_eq!(catalog.learned(SITE, "trap").await.unwrap(), [row("list", "40")]);
}

crate::on_both_engines![
    a_page_has_the_type_of_its_last_look_even_if_it_did_not_change,
    what_was_learned_is_there_in_the_next_run_until_it_is_forgotten,
];
