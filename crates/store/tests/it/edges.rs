//! What an event answered, and which answer stays.

use std::time::Duration;

use store::{
    Catalog, CatalogWriter, EdgeOutcome, EdgeRow, EventOutcome, EventStep, LinkFound, PageNumber,
    PathStep, StoreError, TaskKind,
};

use crate::{Place, SITE, arrival, capture, event, next, visit};

const HOME: &str = "https://example.org/";
const BUTTON: &str = "/html/body/button[1]";

async fn home(catalog: &CatalogWriter) -> PageNumber {
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    visit_home(catalog).await
}

async fn visit_home(catalog: &CatalogWriter) -> PageNumber {
    let task = next(catalog).await.unwrap();
    catalog.commit_visit(visit(&task, "home", &[])).await.unwrap();
    task.page
}

/// Ends the round and begins the next with a visit to the start page.
async fn another_round(catalog: &CatalogWriter) {
    while let Some(task) = next(catalog).await {
        catalog.explored(SITE, task.page).await.unwrap();
    }
    catalog.explored(SITE, PageNumber(1)).await.unwrap();
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(catalog.revisit(SITE).await.unwrap(), 1);
    std::thread::sleep(Duration::from_millis(5));
    visit_home(catalog).await;
}

async fn commit(catalog: &CatalogWriter, step: EventStep) -> Option<PageNumber> {
    catalog.commit_event(step).await.unwrap().target
}

async fn all(catalog: &Catalog) -> Vec<EdgeRow> {
    catalog.edges(PageNumber(0)).await.unwrap()
}

async fn outcomes(catalog: &Catalog) -> Vec<(EdgeOutcome, Option<PageNumber>)> {
    all(catalog).await.into_iter().map(|edge| (edge.outcome, edge.to)).collect()
}

async fn an_event_that_answers_twice_in_a_round_is_fickle_and_keeps_both_answers(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let heads = commit(&catalog, event(home, BUTTON, arrival(HOME, "toss()", "heads"))).await;
    commit(&catalog, event(home, BUTTON, arrival(HOME, "toss()", "heads"))).await;
    assert!(all(&catalog).await.iter().all(|edge| !edge.fickle), "one answer given twice");

    let tails = commit(&catalog, event(home, BUTTON, arrival(HOME, "toss()", "tails"))).await;
    let edges = all(&catalog).await;
    assert_eq!(edges.iter().map(|edge| edge.to).collect::<Vec<_>>(), [heads, tails]);
    assert!(edges.iter().all(|edge| edge.fickle));

    another_round(&catalog).await;
    commit(&catalog, event(home, BUTTON, arrival(HOME, "toss()", "tails"))).await;
    let edges = all(&catalog).await;
    assert_eq!(edges.iter().map(|edge| edge.to).collect::<Vec<_>>(), [heads, tails]);
    assert!(edges.iter().all(|edge| edge.fickle), "what was fickle once is not trusted again");
}

async fn an_event_that_sometimes_does_nothing_is_fickle_too(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    commit(&catalog, event(home, BUTTON, EventOutcome::Same)).await;
    let shown = commit(&catalog, event(home, BUTTON, arrival(HOME, "toss()", "heads"))).await;
    assert_eq!(outcomes(&catalog).await, [(EdgeOutcome::Same, None), (EdgeOutcome::Page, shown)]);
    assert!(all(&catalog).await.iter().all(|edge| edge.fickle));
}

async fn another_answer_in_another_round_takes_the_place_of_the_first(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    commit(&catalog, event(home, BUTTON, EventOutcome::Navigated(format!("{HOME}1")))).await;
    let first = next(&catalog).await.unwrap();
    catalog.commit_visit(visit(&first, "first", &[])).await.unwrap();
    catalog.explored(SITE, first.page).await.unwrap();
    catalog.explored(SITE, home).await.unwrap();
    std::thread::sleep(Duration::from_millis(5));
    catalog.revisit(SITE).await.unwrap();
    let second =
        commit(&catalog, event(home, BUTTON, EventOutcome::Navigated(format!("{HOME}2")))).await;
    assert_eq!(outcomes(&catalog).await, [(EdgeOutcome::Link, second)]);
    assert!(!all(&catalog).await[0].fickle);
}

async fn two_answers_that_turn_out_one_page_are_one_answer_and_not_fickle(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let early = commit(&catalog, event(home, BUTTON, arrival(HOME, "menu()", "menu 10:01"))).await;
    let late = commit(&catalog, event(home, BUTTON, arrival(HOME, "menu()", "menu 10:02"))).await;
    let (early, late) = (early.unwrap(), late.unwrap());
    // The same event of each: after the merge they are one event of one page.
    let inner = "/html/body/i[1]";
    commit(&catalog, event(early, inner, EventOutcome::Skipped("a clock".into()))).await;
    commit(&catalog, event(late, inner, EventOutcome::Same)).await;

    let masked = capture("menu").state;
    let identities = vec![(early, masked), (late, masked)];
    catalog.remask(SITE, HOME, vec!["/html/body/b[1]".into()], identities).await.unwrap();
    let edges = all(&catalog).await;
    let kept: Vec<_> = edges.iter().map(|e| (e.from, e.outcome, e.to, e.fickle)).collect();
    assert_eq!(
        kept,
        [(home, EdgeOutcome::Page, Some(early), false), (early, EdgeOutcome::Same, None, false)]
    );
}

async fn an_event_that_only_moved_a_clock_changes_nothing_once_the_clock_is_masked(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let ticked = commit(&catalog, event(home, BUTTON, arrival(HOME, "tick()", "home 2"))).await;
    commit(&catalog, event(home, BUTTON, arrival(HOME, "tick()", "home 3"))).await;
    commit(&catalog, event(ticked.unwrap(), BUTTON, EventOutcome::Same)).await;
    assert!(all(&catalog).await.iter().any(|edge| edge.fickle));
    let masked = capture("home").state;
    let identities = [2, 3].map(|page| (PageNumber(page), masked)).to_vec();
    catalog.remask(SITE, HOME, vec!["/html/body/b[1]".into()], identities).await.unwrap();
    assert_eq!(outcomes(&catalog).await, [(EdgeOutcome::Same, None)]);
    assert!(!all(&catalog).await[0].fickle);

    let again = commit(&catalog, event(home, BUTTON, arrival(HOME, "tick()", "home"))).await;
    assert_eq!(again, Some(home));
    assert!(all(&catalog).await.iter().all(|edge| !edge.fickle));
}

async fn one_event_with_another_answer_on_each_of_two_pages_that_merge_is_fickle(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let mut pages = Vec::new();
    for (n, text, behind) in [(1, "menu 10:01", "heads"), (2, "menu 10:02", "tails")] {
        let outcome = arrival(HOME, &format!("menu({n})"), text);
        let menu = event(home, &format!("/html/body/a[{n}]"), outcome);
        let page = commit(&catalog, menu).await.unwrap();
        commit(&catalog, event(page, BUTTON, arrival(HOME, "toss()", behind))).await;
        pages.push((page, capture("menu").state));
    }
    catalog.remask(SITE, HOME, Vec::new(), pages.clone()).await.unwrap();
    let edges = all(&catalog).await;
    let tosses: Vec<_> = edges.iter().filter(|edge| edge.xpath == BUTTON).collect();
    assert_eq!(tosses.len(), 2);
    assert!(tosses.iter().all(|edge| edge.from == pages[0].0 && edge.fickle));
    assert!(edges.iter().filter(|edge| edge.from == home).all(|edge| !edge.fickle));
}

async fn what_was_not_fired_says_why_and_gives_way_to_an_answer_but_never_replaces_one(
    place: Place,
) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let skipped = || EventOutcome::Skipped("an ad, by pattern 7".into());
    commit(&catalog, event(home, BUTTON, skipped())).await;
    let edge = all(&catalog).await.remove(0);
    assert_eq!((edge.outcome, edge.refused_because), (EdgeOutcome::Skipped, None));
    assert_eq!(edge.note.as_deref(), Some("an ad, by pattern 7"));

    let shown = commit(&catalog, event(home, BUTTON, arrival(HOME, "more()", "more"))).await;
    for outcome in [skipped(), EventOutcome::Known(home), EventOutcome::Lost] {
        commit(&catalog, event(home, BUTTON, outcome)).await;
        assert_eq!(outcomes(&catalog).await, [(EdgeOutcome::Page, shown)]);
    }
    another_round(&catalog).await;
    commit(&catalog, event(home, BUTTON, skipped())).await;
    assert_eq!(outcomes(&catalog).await, [(EdgeOutcome::Skipped, None)]);
}

async fn what_was_not_fired_counts_as_tried_in_its_round_only(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let steps = vec![
        event(home, "/html/body/a[1]", arrival(HOME, "goPage(2)", "page 2")),
        event(home, "/html/body/a[2]", EventOutcome::Skipped("an ad".into())),
        event(home, "/html/body/a[3]", EventOutcome::Known(PageNumber(2))),
    ];
    let committed = catalog.commit_events(steps).await.unwrap();
    let targets: Vec<_> = committed.iter().map(|step| step.target).collect();
    assert_eq!(targets, [Some(PageNumber(2)), None, Some(PageNumber(2))]);
    assert_eq!(catalog.tried(home, "").await.unwrap().len(), 3);
    let summary = catalog.summary(SITE).await.unwrap();
    assert_eq!(
        (
            summary.edges[&EdgeOutcome::Known],
            summary.edges[&EdgeOutcome::Skipped],
            summary.edges[&EdgeOutcome::Page]
        ),
        (1, 1, 1)
    );
    another_round(&catalog).await;
    assert!(catalog.tried(home, "").await.unwrap().is_empty());
}

async fn what_was_deferred_is_due_again_once_it_is_released(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let deferred = |page, xpath: &str, class: &str| {
        let mut step = event(page, xpath, EventOutcome::Skipped("it never did anything".into()));
        step.tried.class = Some(class.to_owned());
        step
    };
    let two = commit(&catalog, event(home, BUTTON, arrival(HOME, "go(2)", "page 2"))).await;
    let two = two.unwrap();
    let steps = vec![
        deferred(home, "/html/body/a[1]", "menu"),
        deferred(home, "/html/body/a[2]", "menu"),
        deferred(two, "/html/body/a[1]", "menu"),
        deferred(two, "/html/body/a[3]", "footer"),
    ];
    catalog.commit_events(steps).await.unwrap();
    for page in [home, two] {
        catalog.explored(SITE, page).await.unwrap();
    }
    let believed = catalog.deferred(SITE).await.unwrap();
    let told: Vec<_> =
        believed.iter().map(|it| (it.class.as_str(), it.steps, it.documents)).collect();
    assert_eq!(told, [("footer", 1, 1), ("menu", 3, 1)]);
    assert_eq!(catalog.deferring_documents(SITE).await.unwrap(), 1);
    let menu = &believed[1];
    assert_eq!(catalog.documents_of(SITE, menu).await.unwrap(), [HOME]);

    let elsewhere = Some(vec!["https://example.org/other".to_owned()]);
    assert_eq!(catalog.release_deferred(SITE, menu, elsewhere).await.unwrap(), 0);
    let here = Some(vec![HOME.to_owned()]);
    assert_eq!(catalog.release_deferred(SITE, menu, here).await.unwrap(), 2, "both states");
    assert_eq!(catalog.tried(home, "").await.unwrap().len(), 1, "the button alone");
    assert_eq!(catalog.tried(two, "").await.unwrap().len(), 1, "the footer stays deferred");
    let due = [next(&catalog).await.unwrap(), next(&catalog).await.unwrap()];
    assert!(due.iter().all(|task| task.kind == TaskKind::Explore), "{due:?}");
    another_round(&catalog).await;
    assert!(catalog.deferred(SITE).await.unwrap().is_empty(), "another round begins anew");
}

async fn several_events_are_kept_together_or_not_at_all(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let steps = vec![
        event(home, "/html/body/a[1]", EventOutcome::Same),
        event(home, "/html/body/a[2]", EventOutcome::Known(PageNumber(99))),
    ];
    let error = catalog.commit_events(steps).await.unwrap_err();
    assert!(matches!(error, StoreError::NoPage(PageNumber(99))), "{error}");
    assert!(all(&catalog).await.is_empty());
}

async fn an_address_of_a_commit_that_failed_is_new_the_next_time(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let leads = || event(home, "/html/body/a[1]", EventOutcome::Navigated(format!("{HOME}new")));
    let fails = event(home, "/html/body/a[2]", EventOutcome::Known(PageNumber(99)));
    catalog.commit_events(vec![leads(), fails]).await.unwrap_err();
    let target = commit(&catalog, leads()).await;
    let task = next(&catalog).await.unwrap();
    assert_eq!((task.url, Some(task.page)), (format!("{HOME}new"), target));
}

async fn a_known_target_that_merged_meanwhile_is_the_page_it_merged_into(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let gone = commit(&catalog, event(home, BUTTON, arrival(HOME, "menu()", "home 2"))).await;
    let same = capture("home").state;
    catalog.remask(SITE, HOME, Vec::new(), vec![(gone.unwrap(), same)]).await.unwrap();
    let known = EventOutcome::Known(gone.unwrap());
    assert_eq!(commit(&catalog, event(home, "/html/body/a[1]", known)).await, Some(home));
}

async fn an_event_on_a_page_that_merged_meanwhile_is_one_of_the_page_it_merged_into(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let gone = commit(&catalog, event(home, BUTTON, arrival(HOME, "menu()", "home 2"))).await;
    let same = capture("home").state;
    catalog.remask(SITE, HOME, Vec::new(), vec![(gone.unwrap(), same)]).await.unwrap();
    let leads = EventOutcome::Navigated(format!("{HOME}new"));
    commit(&catalog, event(gone.unwrap(), "/html/body/a[1]", leads)).await;
    assert!(all(&catalog).await.iter().all(|edge| edge.from == home), "{:?}", all(&catalog).await);
}

async fn the_cost_of_an_edge_follows_the_last_measurements(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    for (cost_ms, kept) in
        [(None, None), (Some(100), Some(100)), (Some(500), Some(200)), (None, Some(200))]
    {
        let mut step = event(home, BUTTON, arrival(HOME, "more()", "more"));
        step.cost_ms = cost_ms;
        commit(&catalog, step).await;
        assert_eq!(all(&catalog).await[0].cost_ms, kept);
    }
}

async fn two_links_at_one_place_are_two_edges_and_not_fickle(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    for url in ["https://example.org/a", "https://example.org/b"] {
        let mut step = event(home, BUTTON, EventOutcome::Reveal);
        step.links = vec![LinkFound {
            url: url.into(),
            xpath: "/html/body/ul[1]/li[1]/a[1]".into(),
            text: String::new(),
            refused_because: None,
            class: None,
            rank: 0,
        }];
        commit(&catalog, step).await;
    }
    let edges = all(&catalog).await;
    let links: Vec<_> = edges.iter().filter(|edge| edge.event == "link").collect();
    assert_eq!(links.len(), 2);
    assert!(links.iter().all(|edge| !edge.fickle));
}

async fn what_changed_behind_an_event_is_a_version_of_the_page_it_led_to_before(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let first = commit(&catalog, event(home, BUTTON, arrival(HOME, "show(101)", "day 1"))).await;
    let other = commit(&catalog, event(home, "/html/body/a[1]", arrival(HOME, "a()", "a"))).await;
    another_round(&catalog).await;
    // The call has another argument now, so its key is new; the element is the same.
    let again = catalog
        .commit_event(event(home, BUTTON, arrival(HOME, "show(102)", "day 2")))
        .await
        .unwrap();
    assert_eq!((again.target, again.is_new), (first, true));
    let page = catalog.find(&format!("{HOME}#!bathys:click=show(102)")).await.unwrap().unwrap();
    assert_eq!((Some(page.page), page.versions), (first, 2));
    assert_eq!(page.path[0].instruction, "show(102)", "the way is that of this round");
    assert_eq!(page.key, format!("{HOME}#!bathys:click=show(101)"));

    // Seen in this round already: another unknown state behind the same event is another page.
    let third = commit(&catalog, event(home, BUTTON, arrival(HOME, "show(103)", "day 3"))).await;
    assert!(third != first && third != other);
}

async fn a_shorter_way_to_a_state_replaces_a_longer_one_and_gives_it_another_key(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let step = |call: &str| PathStep {
        event: "click".into(),
        xpath: "/html/body/a[1]".into(),
        instruction: call.into(),
        element_id: None,
        tag: Some("a".into()),
        text: String::new(),
        handler: String::new(),
        values: Vec::new(),
    };
    let EventOutcome::Arrived(mut far) = arrival(HOME, "next();next()", "page 3") else {
        unreachable!("an arrival")
    };
    far.path = vec![step("next()"), step("next()")];
    let page = commit(&catalog, event(home, BUTTON, EventOutcome::Arrived(far))).await.unwrap();

    let key = |call: &str| format!("{HOME}#!bathys:click={call}");
    let long = vec![step("a()"), step("b()"), step("c()")];
    assert!(!catalog.shorten(SITE, page, long, key("a();b();c()")).await.unwrap());
    let short = vec![step("goPage(3)")];
    assert!(catalog.shorten(SITE, page, short.clone(), key("goPage(3)")).await.unwrap());
    for call in ["next();next()", "a();b();c()", "goPage(3)"] {
        let row = catalog.find(&key(call)).await.unwrap().unwrap();
        assert_eq!((row.page, &row.path), (page, &short));
        assert_eq!(row.key, key("next();next()"), "the first key stays primary");
    }
    assert!(!catalog.shorten(SITE, home, Vec::new(), key("home()")).await.unwrap());
    let walk = vec![step("next()"), step("next()")];
    catalog.reroute(SITE, page, walk.clone()).await.unwrap();
    catalog.reroute(SITE, home, walk.clone()).await.unwrap();
    let path =
        async |page: PageNumber| catalog.find(&page.to_string()).await.unwrap().unwrap().path;
    assert_eq!(path(page).await, walk, "the short way led elsewhere");
    assert_eq!(path(home).await, [], "a page that its URL reaches has none");
    let missing = catalog.shorten(SITE, PageNumber(99), short, key("x()")).await;
    assert!(matches!(missing, Err(StoreError::NoPage(PageNumber(99)))));
}

async fn the_graph_of_a_document_holds_the_ways_between_its_states_and_no_others(place: Place) {
    let catalog = place.open();
    let home = home(&catalog).await;
    let two =
        commit(&catalog, event(home, BUTTON, arrival(HOME, "go(2)", "page 2"))).await.unwrap();
    let elsewhere = arrival("https://example.org/app", "app()", "app");
    commit(&catalog, event(home, "/html/body/a[1]", elsewhere)).await;
    let about = EventOutcome::Navigated("https://example.org/about".into());
    commit(&catalog, event(home, "/html/body/a[2]", about)).await;
    commit(&catalog, event(home, "/html/body/a[3]", EventOutcome::Same)).await;
    commit(&catalog, event(two, "/html/body/a[1]", EventOutcome::Known(home))).await;
    let graph = catalog.graph_of_document(SITE, HOME).await.unwrap();
    let ways: Vec<_> = graph.iter().map(|e| (e.from, e.to.unwrap(), e.outcome)).collect();
    assert_eq!(ways, [(home, two, EdgeOutcome::Page), (two, home, EdgeOutcome::Known)]);
}

crate::on_both_engines![
    an_event_that_answers_twice_in_a_round_is_fickle_and_keeps_both_answers,
    an_event_that_sometimes_does_nothing_is_fickle_too,
    another_answer_in_another_round_takes_the_place_of_the_first,
    two_answers_that_turn_out_one_page_are_one_answer_and_not_fickle,
    an_event_that_only_moved_a_clock_changes_nothing_once_the_clock_is_masked,
    one_event_with_another_answer_on_each_of_two_pages_that_merge_is_fickle,
    what_was_not_fired_says_why_and_gives_way_to_an_answer_but_never_replaces_one,
    what_was_not_fired_counts_as_tried_in_its_round_only,
    what_was_deferred_is_due_again_once_it_is_released,
    several_events_are_kept_together_or_not_at_all,
    an_address_of_a_commit_that_failed_is_new_the_next_time,
    a_known_target_that_merged_meanwhile_is_the_page_it_merged_into,
    an_event_on_a_page_that_merged_meanwhile_is_one_of_the_page_it_merged_into,
    the_cost_of_an_edge_follows_the_last_measurements,
    two_links_at_one_place_are_two_edges_and_not_fickle,
    what_changed_behind_an_event_is_a_version_of_the_page_it_led_to_before,
    a_shorter_way_to_a_state_replaces_a_longer_one_and_gives_it_another_key,
    the_graph_of_a_document_holds_the_ways_between_its_states_and_no_others,
];
