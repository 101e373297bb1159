//! What was answered is on disk, whatever kills the process.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use store::Location;

use crate::{Place, SITE, next, visit};

const ROLE: &str = "BATHYS_STORE_TO_CRASH_ON";

/// The victim: commits visits and says each one aloud once it was answered, until it is killed.
#[test]
fn victim() {
    let Ok(place) = std::env::var(ROLE) else { return };
    let place = Place { location: place.parse().unwrap(), _directory: None };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let catalog = place.open();
        // The last victim holds the site until its lease ends.
        while let Err(error) = catalog.lease(SITE).await {
            assert!(matches!(error, store::StoreError::Leased { .. }), "{error}");
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        catalog.seed(SITE, &["https://example.org/0".into()]).await.unwrap();
        loop {
            let task = next(&catalog).await.unwrap();
            if !task.path.is_empty() || task.state.is_some() {
                catalog.explored(SITE, task.page).await.unwrap();
                continue;
            }
            let number: u64 = task.url.rsplit('/').next().unwrap().parse().unwrap();
            let link = format!("https://example.org/{}", number + 1);
            catalog.commit_visit(visit(&task, &format!("page {number}"), &[&link])).await.unwrap();
            println!("kept {number}");
        }
    });
}

async fn every_step_that_was_answered_survives_kill_9(place: Place) {
    let location = match &place.location {
        Location::Directory(path) => path.clone().into_os_string(),
        Location::Postgres(url) => url.into(),
    };
    let mut last = None;
    for steps in [3, 17, 40] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["crash::victim", "--exact", "--nocapture"])
            .env(ROLE, &location)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        last = said
            .lines()
            .filter_map(|line| line.unwrap().strip_prefix("kept ")?.parse::<u64>().ok())
            .take(steps)
            .last()
            .or(last);
        child.kill().unwrap();
        child.wait().unwrap();

        let catalog = place.open();
        for number in 0..=last.unwrap() {
            let page = catalog.find(&format!("https://example.org/{number}")).await.unwrap();
            let page = page.unwrap();
            let version = catalog.version(page.page, store::Which::Latest).await.unwrap().unwrap();
            assert_eq!(version.snapshot.unwrap(), format!("<p>page {number}</p>").into_bytes());
            assert_eq!(page.versions, 1, "page {number} was kept twice");
        }
    }
    assert!(last.unwrap() >= 50);
}

crate::on_both_engines![every_step_that_was_answered_survives_kill_9];
