use store::{
    CatalogWriter, EventOutcome, LinkFound, Order, PageStatus, PutBack, TaskKind, VisitOutcome,
};

use crate::{Place, SITE, arrival, event, next, visit};

async fn work_nearest_to_the_start_comes_first_and_each_piece_once(place: Place) {
    let catalog = place.open();
    let start = "https://example.org/".to_owned();
    assert_eq!(catalog.seed(SITE, &[start.clone(), start.clone()]).await.unwrap(), 1);
    let task = next(&catalog).await.unwrap();
    assert!(next(&catalog).await.is_none(), "a claimed task is nobody else's");

    let committed = catalog
        .commit_visit(visit(
            &task,
            "home",
            &["https://example.org/a", "https://example.org/b", &start],
        ))
        .await
        .unwrap();
    assert!(committed.explore);
    let depths: Vec<_> = [next(&catalog).await, next(&catalog).await, next(&catalog).await]
        .into_iter()
        .map(|task| task.map(|task| (task.url, task.depth)))
        .collect();
    assert_eq!(
        depths,
        [
            Some(("https://example.org/a".to_owned(), 1)),
            Some(("https://example.org/b".to_owned(), 1)),
            None
        ]
    );
}

async fn a_failing_page_is_tried_again_and_then_given_up_with_its_reason(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &["https://example.org/".into()]).await.unwrap();
    for _ in 0..2 {
        let task = next(&catalog).await.expect("two tries");
        let failed = PutBack::Failed { tries: 2, wait_ms: 0, error: "no answer".into() };
        catalog.put_back(SITE, task.kind, vec![task.page], failed).await.unwrap();
    }
    assert!(next(&catalog).await.is_none());
    let page = catalog.find("https://example.org/").await.unwrap().unwrap();
    assert_eq!((page.condition, page.error.as_deref()), (PageStatus::Failed, Some("no answer")));
}

async fn a_new_crawler_takes_over_what_the_last_one_held(place: Place) {
    {
        let catalog = place.open();
        catalog.seed(SITE, &["https://example.org/".into()]).await.unwrap();
        let task = next(&catalog).await.unwrap();
        catalog.commit_visit(visit(&task, "home", &[])).await.unwrap();
        assert!(next(&catalog).await.is_none());
    }
    let catalog = place.open();
    let task = next(&catalog).await.unwrap();
    assert_eq!((task.kind, task.attempts), (TaskKind::Explore, 1));
    catalog.explored(SITE, task.page).await.unwrap();
    assert_eq!(catalog.stats().await.unwrap().waiting, 0);
}

fn link(url: &str, class: &str, rank: i64) -> LinkFound {
    LinkFound {
        url: url.into(),
        xpath: format!("/html/body/a[{rank}]"),
        text: String::new(),
        refused_because: None,
        class: Some(class.into()),
        rank,
    }
}

async fn work_can_be_taken_nearest_deepest_or_best_first(place: Place) {
    for (order, expected) in [
        (Order::Nearest, ["/a", "/b", "/c", "/a/1"]),
        (Order::Deepest, ["/a/1", "/c", "/b", "/a"]),
        (Order::Best, ["/b", "/a/1", "/c", "/a"]),
    ] {
        CatalogWriter::erase(&place.location).unwrap();
        let catalog = place.open();
        catalog.seed(SITE, &["https://example.org/".into()]).await.unwrap();
        let home = next(&catalog).await.unwrap();
        let mut step = visit(&home, "home", &[]);
        // The second link to /b promises more than its first, the second to /c less.
        step.links = vec![
            link("https://example.org/a", "nav", 1),
            link("https://example.org/b", "nav", 2),
            link("https://example.org/c", "nav", 3),
            link("https://example.org/b", "list", 9),
            link("https://example.org/c", "list", 0),
        ];
        catalog.commit_visit(step).await.unwrap();
        let mut deep = event(home.page, "/html/body/i[1]", EventOutcome::Same);
        deep.depth = 4;
        deep.rank = 5;
        deep.outcome = EventOutcome::Navigated("https://example.org/a/1".into());
        catalog.commit_event(deep).await.unwrap();
        let mut taken = Vec::new();
        for how_many in [1, 2, 9] {
            for task in catalog.claim(SITE, SITE, order, how_many).await.unwrap() {
                taken.push(task.url["https://example.org".len()..].to_owned());
            }
        }
        assert_eq!(taken, expected, "{order:?}");
    }
}

async fn a_page_remembers_the_class_that_first_led_to_it_through_redirects_too(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &["https://example.org/".into()]).await.unwrap();
    let home = next(&catalog).await.unwrap();
    assert_eq!(home.found_by, None);
    let mut step = visit(&home, "home", &[]);
    step.links = vec![link("https://example.org/a", "list", 0)];
    catalog.commit_visit(step).await.unwrap();
    let mut shown = event(home.page, "/html/body/i[1]", arrival(&home.url, "more()", "more"));
    shown.tried.class = Some("button.more".into());
    shown.links = vec![link("https://example.org/a", "nav", 0)];
    catalog.commit_event(shown).await.unwrap();
    let a = next(&catalog).await.unwrap();
    assert_eq!((a.url.as_str(), a.found_by.as_deref()), ("https://example.org/a", Some("list")));
    assert_eq!(next(&catalog).await.unwrap().found_by.as_deref(), Some("button.more"));
    let mut moved = visit(&a, "", &[]);
    moved.outcome =
        VisitOutcome::Redirect { http_status: 301, to: Some("https://example.org/b".into()) };
    catalog.commit_visit(moved).await.unwrap();
    assert_eq!(next(&catalog).await.unwrap().found_by.as_deref(), Some("list"));
}

async fn who_explores_a_document_keeps_the_states_it_finds(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &["https://example.org/".into()]).await.unwrap();
    let home = next(&catalog).await.unwrap();
    catalog.commit_visit(visit(&home, "home", &[])).await.unwrap();
    let show = |n: u32| {
        let outcome = arrival(&home.url, &format!("show({n})"), &format!("page {n}"));
        event(home.page, &format!("/html/body/a[{n}]"), outcome)
    };
    let mut held = show(1);
    held.goes_on = true;
    assert!(catalog.commit_event(held.clone()).await.unwrap().explore);
    assert!(!catalog.commit_event(held).await.unwrap().explore, "it is explored once");
    let mut unexplored = show(2);
    unexplored.explore = false;
    unexplored.goes_on = true;
    assert!(!catalog.commit_event(unexplored).await.unwrap().explore);
    assert!(next(&catalog).await.is_none());

    let waiting = catalog.commit_event(show(3)).await.unwrap();
    assert!(waiting.is_new && !waiting.explore);
    let elsewhere = arrival("https://example.org/app", "app()", "app");
    catalog.commit_event(event(home.page, "/html/body/i[1]", elsewhere)).await.unwrap();
    let tasks = catalog.claim_document(SITE, &home.url).await.unwrap();
    assert_eq!(tasks.iter().map(|task| Some(task.page)).collect::<Vec<_>>(), [waiting.target]);
    assert_eq!((tasks[0].kind, tasks[0].attempts), (TaskKind::Explore, 1));
    assert!(catalog.claim_document(SITE, &home.url).await.unwrap().is_empty());
    assert_eq!(next(&catalog).await.unwrap().url, "https://example.org/app");
}

async fn a_page_that_is_held_is_due_only_when_it_is_asked_for(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &["https://example.org/".into()]).await.unwrap();
    let home = next(&catalog).await.unwrap();
    let mut step = visit(&home, "home", &[]);
    step.explore = false;
    step.links = vec![link("https://example.org/day/1", "calendar", 1)];
    catalog.commit_visit(step).await.unwrap();
    let day = next(&catalog).await.unwrap();
    catalog.hold(SITE, day.page).await.unwrap();
    assert!(next(&catalog).await.is_none());
    let held = catalog.find("https://example.org/day/1").await.unwrap().unwrap();
    assert_eq!(held.condition, PageStatus::Held);
    assert_eq!(catalog.revisit(SITE).await.unwrap(), 1, "held pages are not due by themselves");
    let held = catalog.held(SITE).await.unwrap();
    assert_eq!(held, ["https://example.org/day/1"]);
    assert_eq!(catalog.release_held(SITE, held).await.unwrap(), 1);
    assert_eq!(catalog.summary(SITE).await.unwrap().waiting, 2);
}

async fn work_waits_host_by_host(place: Place) {
    let catalog = place.open();
    let urls = ["https://example.org/", "https://www.example.org:8443/a", "https://example.org/b"];
    catalog.seed(SITE, &urls.map(String::from)).await.unwrap();
    let hosts = catalog.waiting_hosts(SITE).await.unwrap();
    assert_eq!(hosts, ["example.org", "www.example.org:8443"]);
    let tasks = catalog.claim(SITE, &hosts[1], Order::Nearest, 5).await.unwrap();
    assert_eq!(tasks.iter().map(|task| task.url.as_str()).collect::<Vec<_>>(), [urls[1]]);
    assert_eq!(catalog.waiting_hosts(SITE).await.unwrap(), ["example.org"]);
    assert_eq!(catalog.waiting().await.unwrap().visits, 3, "what is in hand is still to be done");
}

async fn sites_of_one_crawl_lead_to_each_other(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &["https://example.org/".into()]).await.unwrap();
    catalog.seed("example.com", &["https://example.com/".into()]).await.unwrap();
    let home = next(&catalog).await.unwrap();
    let urls = ["https://www.example.com/a", "https://example.org/b", "https://example.com/"];
    catalog.commit_visit(visit(&home, "home", &urls)).await.unwrap();
    for (url, site) in urls.iter().zip(["example.com", SITE, "example.com"]) {
        assert_eq!(catalog.find(url).await.unwrap().unwrap().site, site, "{url}");
    }
    let hosts = catalog.waiting_hosts("example.com").await.unwrap();
    assert_eq!(hosts, ["example.com", "www.example.com"]);
    assert_eq!(catalog.waiting().await.unwrap().visits, 4, "none is there twice");
}

async fn a_store_of_another_format_is_refused_with_what_to_do(place: Place) {
    for (format, advice) in [("2", "crawl anew"), ("9", "use a newer bathys")] {
        CatalogWriter::erase(&place.location).unwrap();
        drop(place.open());
        place.tamper(&format!("UPDATE meta SET value = '{format}' WHERE name = 'format'"));
        let error = CatalogWriter::open(&place.location).err().unwrap().to_string();
        assert!(error.contains(advice), "{error}");
    }
}

crate::on_both_engines![
    work_nearest_to_the_start_comes_first_and_each_piece_once,
    a_failing_page_is_tried_again_and_then_given_up_with_its_reason,
    a_new_crawler_takes_over_what_the_last_one_held,
    work_can_be_taken_nearest_deepest_or_best_first,
    a_page_remembers_the_class_that_first_led_to_it_through_redirects_too,
    who_explores_a_document_keeps_the_states_it_finds,
    a_page_that_is_held_is_due_only_when_it_is_asked_for,
    work_waits_host_by_host,
    sites_of_one_crawl_lead_to_each_other,
    a_store_of_another_format_is_refused_with_what_to_do,
];
