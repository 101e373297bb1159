//! What followers are told.

use store::{Catalog, ChangeKind};

use crate::{Place, SITE, arrival, event, next, visit};

const HOME: &str = "https://example.org/";

async fn a_follower_is_told_each_change_once_and_in_order(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let home = next(&catalog).await.unwrap();
    catalog.commit_visit(visit(&home, "home", &[])).await.unwrap();
    let shown = event(home.page, "/html/body/a[2]", arrival(HOME, "more()", "more"));
    let more = catalog.commit_event(shown.clone()).await.unwrap().target.unwrap();
    catalog.commit_event(shown).await.unwrap();

    let reader = Catalog::open(&place.location).unwrap();
    let told = reader.changes(SITE, 0, 10).await.unwrap();
    let what: Vec<_> =
        told.iter().map(|change| (change.what, change.page, change.version)).collect();
    assert_eq!(
        what,
        [(ChangeKind::Version, home.page, Some(1)), (ChangeKind::Version, more, Some(1))]
    );
    assert_eq!(told.iter().map(|change| change.seq).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(reader.changes(SITE, 0, 1).await.unwrap(), told[..1]);
    assert_eq!(reader.changes(SITE, 2, 10).await.unwrap(), []);
}

crate::on_both_engines![a_follower_is_told_each_change_once_and_in_order];
