use store::{
    Cause, HistoriesOf, Millis, NewExchange, PageNumber, PageStatus, TaskKind, Validators, Via,
    VisitOutcome, WireFacts,
};

use crate::{Place, SITE, arrival, capture, event, next, visit};

const HOME: &str = "https://example.org/";

/// An answer to a plain request for a page, with these headers.
fn answer(status: u16, time: Millis, headers: &[(&str, &str)]) -> NewExchange {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    NewExchange {
        time,
        cause: Cause::Load,
        resource: "document".into(),
        method: "GET".into(),
        url: HOME.into(),
        request_headers: Vec::new(),
        request_body: None,
        status: Some(status),
        response_headers: headers.iter().map(owned).collect(),
        response_body: None,
        wire: WireFacts::default(),
    }
}

async fn a_document_that_is_due_again_is_in_hand_and_its_states_are_found_anew(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let task = next(&catalog).await.unwrap();
    catalog.commit_visit(visit(&task, "page 1", &[])).await.unwrap();
    let state = event(task.page, "/html/body/a[2]", arrival(HOME, "goPage(2)", "page 2"));
    let state = catalog.commit_event(state).await.unwrap().target.unwrap();
    std::thread::sleep(std::time::Duration::from_millis(5));

    let again = catalog.revisit_page(SITE, task.page).await.unwrap().expect("it is free");
    assert_eq!((again.page, again.kind), (task.page, TaskKind::Fetch));
    assert!(again.state.is_some(), "it is known what it showed");
    assert!(catalog.revisit_page(SITE, task.page).await.unwrap().is_none(), "it is in hand");
    assert!(catalog.tried(task.page, "").await.unwrap().is_empty(), "nothing was tried since");
    catalog.commit_visit(visit(&again, "page 1", &[])).await.unwrap();
    let changed = event(task.page, "/html/body/a[2]", arrival(HOME, "goPage(2)", "page 2, later"));
    assert_eq!(catalog.commit_event(changed).await.unwrap().target, Some(state));

    let all = catalog.histories(SITE, HistoriesOf::Site, 10).await.unwrap();
    let versions = |page: PageNumber| {
        let history = all.iter().find(|history| history.page == page).expect("a page");
        assert_eq!(history.url, HOME);
        let visits = history.visits.iter();
        (history.is_state, visits.map(|visit| visit.version.unwrap()).collect::<Vec<_>>())
    };
    assert_eq!(versions(task.page), (false, vec![1, 1]));
    assert_eq!(versions(state), (true, vec![1, 2]));
    let latest = catalog.histories(SITE, HistoriesOf::Document(HOME.into()), 1).await.unwrap();
    assert!(latest.iter().all(|history| history.visits.len() == 1), "only as many as asked for");
}

async fn a_state_that_was_not_found_again_has_a_visit_without_a_version(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let task = next(&catalog).await.unwrap();
    catalog.commit_visit(visit(&task, "page 1", &["https://example.org/new"])).await.unwrap();
    let state = event(task.page, "/html/body/a[2]", arrival(HOME, "goPage(2)", "page 2"));
    let state = catalog.commit_event(state).await.unwrap().target.unwrap();
    let later = Millis::now().plus(60_000);
    catalog.not_found_again(SITE, vec![state], later).await.unwrap();
    catalog.not_found_again(SITE, vec![state], later).await.unwrap();
    let of = HistoriesOf::Document(HOME.into());
    let all = catalog.histories(SITE, of, 10).await.unwrap();
    let history = all.iter().find(|history| history.page == state).unwrap();
    let versions: Vec<_> = history.visits.iter().map(|visit| visit.version).collect();
    assert_eq!(versions, [Some(1), None]);
    let waiting = catalog.histories(SITE, HistoriesOf::Waiting, 10).await.unwrap();
    let found = waiting.iter().filter(|page| page.condition == PageStatus::Queued);
    assert_eq!(
        found.map(|page| page.url.as_str()).collect::<Vec<_>>(),
        ["https://example.org/new"]
    );
}

async fn an_answer_that_still_holds_is_a_visit_to_the_version_before(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let task = next(&catalog).await.unwrap();
    let mut first = visit(&task, "page 1", &[]);
    let mut plain = capture("page 1");
    plain.via = Via::Http;
    first.outcome = VisitOutcome::Captured(plain);
    first.exchanges =
        vec![answer(200, first.time, &[("ETag", "\"one\""), ("Content-Type", "text/html")])];
    catalog.commit_visit(first).await.unwrap();
    let known = catalog.validators(SITE, task.page).await.unwrap();
    let etag = Validators { etag: Some("\"one\"".into()), last_modified: None };
    assert_eq!(known, Some(etag.clone()));
    std::thread::sleep(std::time::Duration::from_millis(5));

    let again = catalog.revisit_page(SITE, task.page).await.unwrap().unwrap();
    let mut second = visit(&again, "", &[]);
    second.outcome = VisitOutcome::NotModified;
    second.exchanges = vec![answer(304, second.time, &[("ETag", "\"one\"")])];
    catalog.commit_visit(second).await.unwrap();
    let all = catalog.histories(SITE, HistoriesOf::Site, 10).await.unwrap();
    let visits: Vec<_> = all[0].visits.iter().map(|it| (it.status, it.version)).collect();
    assert_eq!(visits, [(Some(200), Some(1)), (Some(304), Some(1))]);
    assert_eq!(all[0].condition, PageStatus::Captured);
    assert_eq!(catalog.versions(task.page).await.unwrap().len(), 1);
    assert_eq!(catalog.validators(SITE, task.page).await.unwrap(), Some(etag));
}

async fn what_a_browser_made_of_an_answer_has_no_validators(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let task = next(&catalog).await.unwrap();
    let mut rendered = visit(&task, "page 1", &[]);
    rendered.exchanges = vec![answer(200, rendered.time, &[("ETag", "\"one\"")])];
    catalog.commit_visit(rendered).await.unwrap();
    assert_eq!(catalog.validators(SITE, task.page).await.unwrap(), None);
}

crate::on_both_engines!(
    a_document_that_is_due_again_is_in_hand_and_its_states_are_found_anew,
    a_state_that_was_not_found_again_has_a_visit_without_a_version,
    an_answer_that_still_holds_is_a_visit_to_the_version_before,
    what_a_browser_made_of_an_answer_has_no_validators,
);
