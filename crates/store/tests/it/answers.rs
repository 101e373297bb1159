use store::{AnswerRow, Catalog, CatalogWriter, Cause, Millis, NewExchange, StoreError};

use crate::{Place, SITE, next, visit};

const HOME: &str = "https://example.org/";

fn exchange(method: &str, url: &str, status: Option<u16>, body: Option<&[u8]>) -> NewExchange {
    NewExchange {
        time: Millis::now(),
        cause: Cause::Load,
        resource: "image".into(),
        method: method.into(),
        url: url.into(),
        request_headers: Vec::new(),
        request_body: None,
        status,
        response_headers: vec![("Content-Type".into(), "image/png".into())],
        response_body: body.map(<[u8]>::to_vec),
        wire: store::WireFacts::default(),
    }
}

async fn keep(catalog: &CatalogWriter, exchanges: Vec<NewExchange>) {
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let mut step = visit(&next(catalog).await.unwrap(), "home", &[]);
    step.exchanges = exchanges;
    catalog.commit_visit(step).await.unwrap();
}

async fn all(catalog: &Catalog) -> Vec<AnswerRow> {
    let mut answers: Vec<AnswerRow> = Vec::new();
    loop {
        let more = catalog.answers(answers.last()).await.unwrap();
        if more.is_empty() {
            return answers;
        }
        answers.extend(more);
    }
}

async fn what_was_got_is_listed_with_its_type_its_size_and_where_it_leads(place: Place) {
    let catalog = place.open();
    let mut moved = exchange("GET", "https://example.org/old", Some(301), None);
    moved.response_headers.push(("LOCATION".into(), "/new".into()));
    let asked = vec![
        exchange("GET", "https://example.org/new", Some(200), Some(b"a picture")),
        moved,
        exchange("POST", "https://example.org/sent", Some(200), Some(b"thanks")),
        exchange("GET", "https://example.org/silent", None, None),
    ];
    keep(&catalog, asked).await;
    let answers = all(&catalog).await;
    let urls: Vec<_> = answers.iter().map(|row| row.url.as_str()).collect();
    assert_eq!(urls, ["https://example.org/new", "https://example.org/old"]);
    assert_eq!((answers[0].content_type.as_str(), answers[0].size), ("image/png", 9));
    assert_eq!((answers[1].status, answers[1].location.as_deref()), (301, Some("/new")));
    assert!(answers[1].body.is_none());
    let bytes = catalog.body(answers[0].body.unwrap()).await.unwrap().unwrap();
    assert_eq!(bytes, b"a picture");
}

async fn more_answers_than_one_question_gives_are_each_given_once(place: Place) {
    let catalog = place.open();
    let urls: Vec<_> = (0..2500).map(|i| format!("https://example.org/{i}.png")).collect();
    keep(&catalog, urls.iter().map(|url| exchange("GET", url, Some(204), None)).collect()).await;
    assert!(catalog.answers(None).await.unwrap().len() < urls.len());
    let found: Vec<_> = all(&catalog).await.into_iter().map(|row| row.url).collect();
    assert_eq!(found, urls);
}

async fn damaged_bytes_are_an_error_and_bytes_that_are_not_there_are_none(place: Place) {
    let catalog = place.open();
    let pictures = [&b"damaged"[..], b"gone"];
    let asked = pictures.map(|body| exchange("GET", "https://example.org/", Some(200), Some(body)));
    keep(&catalog, asked.into()).await;
    place.tamper(
        "UPDATE blob SET data = (SELECT data FROM blob WHERE raw_size = 4) WHERE raw_size = 7;
         DELETE FROM blob WHERE raw_size = 4",
    );
    let answers = all(&catalog).await;
    let damaged = catalog.body(answers[0].body.unwrap()).await;
    assert!(matches!(damaged, Err(StoreError::Damaged(_))), "{damaged:?}");
    assert!(catalog.body(answers[1].body.unwrap()).await.unwrap().is_none());
}

crate::on_both_engines![
    what_was_got_is_listed_with_its_type_its_size_and_where_it_leads,
    more_answers_than_one_question_gives_are_each_given_once,
    damaged_bytes_are_an_error_and_bytes_that_are_not_there_are_none,
];
