use store::{EventOutcome, PageNumber, PageStatus, VisitOutcome, Which};

use crate::{Place, SITE, arrival, capture, event, next, visit};

const HOME: &str = "https://example.org/";

async fn two_events_that_lead_to_one_state_lead_to_one_page(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let task = next(&catalog).await.unwrap();
    catalog.commit_visit(visit(&task, "page 1", &[])).await.unwrap();

    let first = catalog
        .commit_event(event(task.page, "/html/body/a[2]", arrival(HOME, "goPage(2)", "page 2")))
        .await
        .unwrap();
    let second = catalog
        .commit_event(event(task.page, "/html/body/a[9]", arrival(HOME, "next()", "page 2")))
        .await
        .unwrap();
    assert!(first.is_new && !second.is_new);
    assert_eq!(first.target, second.target);
    let by_alias = catalog.find(&format!("{HOME}#!bathys:click=next()")).await.unwrap().unwrap();
    assert_eq!(
        by_alias.key,
        format!("{HOME}#!bathys:click=goPage(2)"),
        "the first key stays primary"
    );
    assert_eq!(catalog.tried(task.page, "").await.unwrap().len(), 2);
}

async fn a_call_with_two_answers_makes_two_pages_under_two_keys(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let task = next(&catalog).await.unwrap();
    catalog.commit_visit(visit(&task, "home", &[])).await.unwrap();
    for (xpath, text) in [("/html/body/a[1]", "heads"), ("/html/body/a[2]", "tails")] {
        let outcome = arrival(HOME, "toss()", text);
        assert!(catalog.commit_event(event(task.page, xpath, outcome)).await.unwrap().is_new);
    }
    let keys: Vec<_> =
        catalog.pages(PageNumber(0)).await.unwrap().into_iter().map(|p| p.key).collect();
    assert_eq!(
        keys,
        [
            HOME.to_owned(),
            format!("{HOME}#!bathys:click=toss()"),
            format!("{HOME}#!bathys:click=toss()~2")
        ]
    );
}

async fn an_event_only_page_that_a_url_reaches_after_all_merges_into_it(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let home = next(&catalog).await.unwrap();
    catalog.commit_visit(visit(&home, "home", &["https://example.org/about"])).await.unwrap();
    let shown = catalog
        .commit_event(event(home.page, "/html/body/a[1]", arrival(HOME, "about()", "about")))
        .await
        .unwrap();
    // The event-only page's exploration comes first here, so the URL is claimed by its kind.
    let about = loop {
        let task = next(&catalog).await.unwrap();
        if task.path.is_empty() {
            break task;
        }
    };
    let committed = catalog.commit_visit(visit(&about, "about", &[])).await.unwrap();
    assert_eq!(committed.merged, shown.target);
    let found = catalog.find(&format!("{HOME}#!bathys:click=about()")).await.unwrap().unwrap();
    assert_eq!(found.key, "https://example.org/about");
    let by_number = catalog.find(&shown.target.unwrap().to_string()).await.unwrap().unwrap();
    assert_eq!(by_number.page, about.page);
    let edges = catalog.edges(PageNumber(0)).await.unwrap();
    assert!(edges.iter().any(|edge| edge.event == "click" && edge.to == Some(about.page)));
    let summary = catalog.summary(SITE).await.unwrap();
    assert_eq!((summary.pages[&PageStatus::Captured], summary.states), (2, 2));
    assert_eq!(summary.counters["merged"], 1);
}

async fn two_urls_with_one_state_stay_two_pages_and_are_explored_once(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into(), format!("{HOME}?ref=2")]).await.unwrap();
    let first = next(&catalog).await.unwrap();
    assert!(catalog.commit_visit(visit(&first, "home", &[])).await.unwrap().explore);
    let second = next(&catalog).await.unwrap();
    let committed = catalog.commit_visit(visit(&second, "home", &[])).await.unwrap();
    assert_eq!((committed.explore, committed.shares), (false, Some(first.page)));
    assert_eq!(catalog.stats().await.unwrap().pages, 2);
}

async fn an_unchanged_visit_adds_a_visit_and_a_changed_one_a_version(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    for (text, versions) in [("monday", 1), ("monday", 1), ("tuesday", 2)] {
        let task = loop {
            match next(&catalog).await {
                Some(task) => break task,
                None => assert_eq!(catalog.revisit(SITE).await.unwrap(), 1),
            }
        };
        let committed = catalog.commit_visit(visit(&task, text, &[])).await.unwrap();
        if committed.explore {
            catalog.explored(SITE, task.page).await.unwrap();
        }
        let page = catalog.find(HOME).await.unwrap().unwrap();
        assert_eq!(page.versions, versions);
    }
    let page = catalog.find(HOME).await.unwrap().unwrap().page;
    let latest = catalog.version(page, Which::Latest).await.unwrap().unwrap();
    assert_eq!(latest.snapshot.unwrap(), b"<p>tuesday</p>");
}

async fn another_round_fires_events_again_and_keeps_what_changed_behind_them(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    for (round, text) in ["news of day 1", "news of day 2", "news of day 2"].into_iter().enumerate()
    {
        let task = next(&catalog).await.unwrap();
        assert!(catalog.commit_visit(visit(&task, "home", &[])).await.unwrap().explore);
        assert!(catalog.tried(task.page, "").await.unwrap().is_empty(), "round {round}");
        let step = event(task.page, "/html/body/button[1]", arrival(HOME, "more()", text));
        catalog.commit_event(step).await.unwrap();
        assert_eq!(catalog.tried(task.page, "").await.unwrap().len(), 1);
        catalog.explored(SITE, task.page).await.unwrap();
        let behind = next(&catalog).await.expect("what is behind the event is explored again");
        catalog.explored(SITE, behind.page).await.unwrap();
        assert!(next(&catalog).await.is_none());
        let page = catalog.find(&format!("{HOME}#!bathys:click=more()")).await.unwrap().unwrap();
        assert_eq!(page.versions, [1, 2, 2][round]);
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert_eq!(catalog.revisit(SITE).await.unwrap(), 1);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(catalog.stats().await.unwrap().pages, 2);
}

async fn a_visit_that_fails_leaves_what_was_captured(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let task = next(&catalog).await.unwrap();
    catalog.commit_visit(visit(&task, "home", &[])).await.unwrap();
    catalog.explored(SITE, task.page).await.unwrap();
    catalog.revisit(SITE).await.unwrap();
    let task = next(&catalog).await.unwrap();
    let mut step = visit(&task, "", &[]);
    step.outcome = VisitOutcome::Failed { http_status: None, error: "no answer".into() };
    catalog.commit_visit(step).await.unwrap();
    let page = catalog.find(HOME).await.unwrap().unwrap();
    assert_eq!((page.condition, page.status), (PageStatus::Captured, Some(200)));
    assert_eq!(page.error.as_deref(), Some("no answer"));
}

async fn learning_that_a_clock_is_volatile_merges_the_states_it_had_parted(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let task = next(&catalog).await.unwrap();
    catalog.commit_visit(visit(&task, "home 10:01", &[])).await.unwrap();
    let tick = event(task.page, "/html/body/b[1]", arrival(HOME, "menu()", "home 10:02"));
    let ticked = catalog.commit_event(tick).await.unwrap().target.unwrap();
    let masked = capture("home").state;
    catalog
        .remask(
            SITE,
            HOME,
            vec!["/html/body/i[1]".into()],
            vec![(task.page, masked), (ticked, masked)],
        )
        .await
        .unwrap();
    assert_eq!(catalog.mask(SITE, HOME).await.unwrap(), ["/html/body/i[1]"]);
    assert_eq!(catalog.find(&ticked.to_string()).await.unwrap().unwrap().page, task.page);
    assert_eq!(catalog.stats().await.unwrap().pages, 1);
}

async fn redirects_and_refusals_are_kept_as_edges(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &["https://example.org/old".into()]).await.unwrap();
    let old = next(&catalog).await.unwrap();
    let mut step = visit(&old, "", &[]);
    step.outcome = VisitOutcome::Redirect { http_status: 301, to: Some(HOME.into()) };
    catalog.commit_visit(step).await.unwrap();
    let home = next(&catalog).await.unwrap();
    assert_eq!((home.url.as_str(), home.depth), (HOME, 0));
    catalog.commit_visit(visit(&home, "home", &[])).await.unwrap();
    let refused = EventOutcome::Refused("a write verb: delete".into());
    catalog.commit_event(event(home.page, "/html/body/button[1]", refused)).await.unwrap();
    let edges = catalog.edges(PageNumber(0)).await.unwrap();
    assert_eq!(edges[0].event, "redirect");
    assert_eq!(edges[0].to, Some(home.page));
    assert_eq!(edges[1].refused_because.as_deref(), Some("a write verb: delete"));
}

crate::on_both_engines![
    two_events_that_lead_to_one_state_lead_to_one_page,
    a_call_with_two_answers_makes_two_pages_under_two_keys,
    an_event_only_page_that_a_url_reaches_after_all_merges_into_it,
    two_urls_with_one_state_stay_two_pages_and_are_explored_once,
    an_unchanged_visit_adds_a_visit_and_a_changed_one_a_version,
    another_round_fires_events_again_and_keeps_what_changed_behind_them,
    a_visit_that_fails_leaves_what_was_captured,
    learning_that_a_clock_is_volatile_merges_the_states_it_had_parted,
    redirects_and_refusals_are_kept_as_edges,
];
