use store::{EventTried, NewSubmission, PageNumber, PageStatus, TaskKind};

use crate::{Place, SITE, next, visit};

const HOME: &str = "https://example.org/";

fn submission(page: PageNumber, value: &str) -> NewSubmission {
    let instruction = format!("submit(f)?st={value}");
    NewSubmission {
        site: SITE.into(),
        page,
        depth: 0,
        tried: EventTried {
            event: format!("submit=st={value}"),
            xpath: "/html/body/form[1]".into(),
            element_id: None,
            text: String::new(),
            instruction: instruction.clone(),
            class: None,
            values: Vec::new(),
        },
        url: format!("https://example.org/find?st={value}"),
        key: format!("{HOME}#!bathys:{instruction}"),
    }
}

async fn the_forms_of_a_page_are_work_once_and_come_before_visits(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into(), "https://example.org/a".into()]).await.unwrap();
    let home = next(&catalog).await.unwrap();
    let mut step = visit(&home, "home", &[]);
    step.explore = false;
    catalog.commit_visit(step).await.unwrap();
    assert!(catalog.queue_submissions(SITE, home.page, 0).await.unwrap());
    assert!(!catalog.queue_submissions(SITE, home.page, 0).await.unwrap());
    assert_eq!(catalog.summary(SITE).await.unwrap().waiting, 2);
    let task = next(&catalog).await.unwrap();
    assert_eq!((task.kind, task.page), (TaskKind::Submit, home.page));
    // Whoever held it ended early.
    assert_eq!(catalog.put_all_back(SITE).await.unwrap(), 1);
    assert_eq!(next(&catalog).await.unwrap().kind, TaskKind::Submit);
    catalog.submitted(SITE, home.page).await.unwrap();
    assert_eq!(next(&catalog).await.unwrap().url, "https://example.org/a");
    assert!(next(&catalog).await.is_none());
}

async fn a_submission_is_an_edge_to_the_page_of_its_address(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let home = next(&catalog).await.unwrap();
    let mut step = visit(&home, "home", &["https://example.org/find?st=AL"]);
    step.explore = false;
    catalog.commit_visit(step).await.unwrap();

    let (page, task) = catalog.submit(submission(home.page, "AK")).await.unwrap();
    let task = task.expect("it was never visited");
    assert_eq!((task.page, task.depth, task.kind), (page, 1, TaskKind::Fetch));
    let mut step = visit(&task, "Alaska", &[]);
    step.explore = false;
    catalog.commit_visit(step).await.unwrap();
    let (again, task) = catalog.submit(submission(home.page, "AK")).await.unwrap();
    assert!(again == page && task.is_none(), "it is visited once");
    let (linked, task) = catalog.submit(submission(home.page, "AL")).await.unwrap();
    assert!(linked != page && task.is_some(), "a link had led there, and nobody had gone");

    let named = catalog.find("https://example.org/#!bathys:submit(f)?st=AK").await.unwrap();
    let named = named.expect("the key is a name of the page");
    assert_eq!((named.page, named.condition), (page, PageStatus::Captured));
    assert_eq!(named.key, "https://example.org/find?st=AK");
    let edges = catalog.edges(PageNumber(0)).await.unwrap();
    let submitted: Vec<_> = edges.iter().filter(|edge| edge.event.starts_with("submit=")).collect();
    assert_eq!(submitted.len(), 2);
    assert!(submitted.iter().all(|edge| !edge.fickle), "each is an event of its own");
    let leads_to =
        |page| submitted.iter().any(|edge| edge.from == home.page && edge.to == Some(page));
    assert!(leads_to(page) && leads_to(linked), "{submitted:?}");
}

crate::on_both_engines![
    the_forms_of_a_page_are_work_once_and_come_before_visits,
    a_submission_is_an_edge_to_the_page_of_its_address,
];
