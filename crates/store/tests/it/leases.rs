//! A site is worked on by one process at a time.

use store::{StoreError, TaskKind};

use crate::{Place, SITE, next, visit};

const HOME: &str = "https://example.org/";
const OTHER: &str = "example.com";

async fn a_site_that_is_leased_is_nobody_elses_until_it_is_given_back(place: Place) {
    let (mine, yours) = (place.open(), place.open());
    mine.seed(SITE, &[HOME.into()]).await.unwrap();
    let refused = yours.seed(SITE, &[HOME.into()]).await.unwrap_err();
    assert!(matches!(&refused, StoreError::Leased { site, .. } if site == SITE), "{refused}");
    yours.seed(OTHER, &["https://example.com/".into()]).await.unwrap();
    assert!(matches!(mine.lease(OTHER).await, Err(StoreError::Leased { .. })));

    mine.release(SITE).await.unwrap();
    assert!(next(&yours).await.is_some());
    drop(yours);
    assert_eq!(next(&mine).await.unwrap().attempts, 1, "who goes away gives back what it held");
}

async fn who_was_taken_over_is_refused_from_then_on(place: Place) {
    let (late, new) = (place.open(), place.open());
    late.seed(SITE, &[HOME.into()]).await.unwrap();
    let task = next(&late).await.unwrap();
    // As if it had been stopped for longer than its lease holds.
    place.tamper("UPDATE site SET lease_until = 0");
    let taken = next(&new).await.expect("what the other one held is put back");
    assert_eq!((taken.page, taken.kind, taken.attempts), (task.page, TaskKind::Fetch, 1));
    new.commit_visit(visit(&taken, "home", &[])).await.unwrap();

    let refused = late.commit_visit(visit(&task, "from before", &[])).await.unwrap_err();
    assert!(matches!(&refused, StoreError::LeaseLost(site) if site == SITE), "{refused}");
    // Not even when nobody else has the site any more: what it believes of it is out of date.
    drop(new);
    assert!(matches!(late.explored(SITE, task.page).await, Err(StoreError::LeaseLost(_))));
    let versions = late.find(HOME).await.unwrap().unwrap().versions;
    assert_eq!(versions, 1, "nothing of the late visit is kept");
}

async fn a_lease_is_renewed_while_its_owner_is_there(place: Place) {
    let (mine, yours) = (place.open(), place.open());
    mine.seed(SITE, &[HOME.into()]).await.unwrap();
    place.tamper("UPDATE site SET lease_until = 0");
    mine.seed(SITE, &[HOME.into()]).await.unwrap();
    assert!(matches!(yours.lease(SITE).await, Err(StoreError::Leased { .. })), "a write renews it");
    place.tamper("UPDATE site SET lease_until = 0");
    tokio::time::sleep(std::time::Duration::from_secs(7)).await;
    assert!(matches!(yours.lease(SITE).await, Err(StoreError::Leased { .. })), "and so does time");
}

mod on_postgres {
    #[tokio::test]
    async fn a_site_that_is_leased_is_nobody_elses_until_it_is_given_back() {
        super::a_site_that_is_leased_is_nobody_elses_until_it_is_given_back(
            crate::Place::postgres(),
        )
        .await;
    }

    #[tokio::test]
    async fn who_was_taken_over_is_refused_from_then_on() {
        super::who_was_taken_over_is_refused_from_then_on(crate::Place::postgres()).await;
    }

    #[tokio::test]
    async fn a_lease_is_renewed_while_its_owner_is_there() {
        super::a_lease_is_renewed_while_its_owner_is_there(crate::Place::postgres()).await;
    }
}
