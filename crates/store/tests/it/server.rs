//! What a server of its own brings: connections that are lost, transactions in each other's way, TLS.

use std::sync::Arc;

use store::{CatalogWriter, Location, StoreError};

use crate::{Place, SITE};

const HOME: &str = "https://example.org/";

#[tokio::test]
async fn a_verb_whose_connection_was_cut_is_run_again_on_another() {
    let place = Place::postgres();
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    for round in 1..=3 {
        place.tamper(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
        assert_eq!(catalog.stats().await.unwrap().waiting, round, "readers come back");
        let url = format!("{HOME}{round}");
        assert_eq!(catalog.seed(SITE, &[url]).await.unwrap(), 1, "writers come back");
    }
}

/// Makes the server refuse so many new pages.
fn refuse(place: &Place, state: &str, times: u32) {
    place.tamper(&format!(
        "CREATE SEQUENCE public.tries;
         CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF nextval('public.tries') <= {times} THEN
                 RAISE EXCEPTION 'in the way' USING ERRCODE = '{state}';
             END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER refuse BEFORE INSERT ON page
             FOR EACH ROW EXECUTE FUNCTION public.refuse()"
    ));
}

#[tokio::test]
async fn a_verb_that_is_in_the_way_of_others_is_run_again_and_kept_once() {
    for state in ["40001", "40P01"] {
        let place = Place::postgres();
        let catalog = Arc::new(place.open());
        refuse(&place, state, 3);
        let seed = |n: u32| {
            let catalog = catalog.clone();
            async move { catalog.seed(SITE, &[format!("{HOME}{n}")]).await.unwrap() }
        };
        let verbs: Vec<_> = (0..10).map(|n| tokio::spawn(seed(n))).collect();
        for verb in verbs {
            assert_eq!(verb.await.unwrap(), 1);
        }
        assert_eq!(catalog.stats().await.unwrap().waiting, 10);
    }
}

#[tokio::test]
async fn what_stays_in_the_way_is_an_error_in_the_end() {
    let place = Place::postgres();
    let catalog = place.open();
    refuse(&place, "40001", 1000);
    let error = catalog.seed(SITE, &[HOME.into()]).await.unwrap_err();
    assert!(matches!(&error, StoreError::NotCommitted(why) if why.contains("in the way")));
    assert_eq!(catalog.stats().await.unwrap().waiting, 0);
}

#[tokio::test]
async fn a_connection_is_secured_as_the_address_says() {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let certificate = made.cert.pem();
    let server = testsite::Postgres::start_secured(&certificate, &made.signing_key.serialize_pem());
    let url = server.as_ref().unwrap().database().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root.crt");
    std::fs::write(&root, &certificate).unwrap();
    let open = |settings: &str| {
        let location: Location = format!("{url}?{settings}").parse().unwrap();
        CatalogWriter::open(location)
    };
    drop(open("sslmode=require").unwrap());
    drop(open("sslmode=disable").unwrap());
    drop(open(&format!("sslmode=verify-full&sslrootcert={}", root.display())).unwrap());
    let unknown = open("sslmode=verify-full").err().unwrap();
    assert!(matches!(unknown, StoreError::Connect { .. }), "{unknown}");
    let nonsense = open("sslmode=perhaps").err().unwrap();
    assert!(nonsense.to_string().contains("sslmode 'perhaps'"), "{nonsense}");

    let plain = Place::postgres();
    let Location::Postgres(url) = &plain.location else { unreachable!("a server") };
    let location: Location = format!("{url}?sslmode=require").parse().unwrap();
    let refused = CatalogWriter::open(location).err().unwrap();
    assert!(matches!(refused, StoreError::Connect { .. }), "{refused}");
}
