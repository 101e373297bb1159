//! What the server does, for those who watch it: a line of the log for each request, and counts for
//! Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::App;
use super::failure::Failure;

/// Upper bounds of the histogram of answer times, in seconds.
const BOUNDS: [f64; 8] = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Counts of what was answered since the start.
#[derive(Default)]
pub struct Metrics {
    routes: Mutex<BTreeMap<String, Route>>,
}

#[derive(Default)]
struct Route {
    by_status: BTreeMap<u16, u64>,
    buckets: [u64; BOUNDS.len()],
    count: u64,
    seconds: f64,
}

impl Metrics {
    fn add(&self, route: &str, status: u16, took: Duration) {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        // Routes are few: what was asked for beside them has one name.
        let of = routes.entry(route.to_owned()).or_default();
        *of.by_status.entry(status).or_default() += 1;
        let seconds = took.as_secs_f64();
        for (bucket, bound) in of.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
        of.count += 1;
        of.seconds += seconds;
    }

    fn write(&self, out: &mut String) {
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        out.push_str("# HELP bathys_http_requests_total Requests that were answered.\n");
        out.push_str("# TYPE bathys_http_requests_total counter\n");
        for (route, of) in routes.iter() {
            for (status, count) in &of.by_status {
                let _ = writeln!(
                    out,
                    "bathys_http_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"
                );
            }
        }
        out.push_str("# HELP bathys_http_request_seconds Time until an answer began.\n");
        out.push_str("# TYPE bathys_http_request_seconds histogram\n");
        let name = "bathys_http_request_seconds";
        for (route, of) in routes.iter() {
            for (count, bound) in of.buckets.iter().zip(BOUNDS) {
                let _ = writeln!(out, "{name}_bucket{{route=\"{route}\",le=\"{bound}\"}} {count}");
            }
            let (count, seconds) = (of.count, of.seconds);
            let _ = writeln!(out, "{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}");
            let _ = writeln!(out, "{name}_sum{{route=\"{route}\"}} {seconds}");
            let _ = writeln!(out, "{name}_count{{route=\"{route}\"}} {count}");
        }
    }
}

/// Counts and logs every request: by its route, since an address may hold what somebody searched for.
pub async fn observe(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = route.unwrap_or_else(|| "other".into());
    let (method, begun) = (request.method().clone(), Instant::now());
    let response = next.run(request).await;
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    app.metrics.add(&route, status, took);
    let ms = took.as_micros() as f64 / 1e3;
    tracing::info!(target: "serve", %method, route, status, ms, "answered");
    response
}

/// Where it can be asked how the server is.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/healthz", get(health)).route("/metrics", get(metrics))
}

async fn health(State(app): State<Arc<App>>) -> Result<&'static str, Failure> {
    app.catalog.sites().await?;
    Ok("ok\n")
}

async fn metrics(State(app): State<Arc<App>>) -> Result<Response, Failure> {
    let mut out = String::new();
    app.metrics.write(&mut out);
    let stats = app.overviews.store(&app.catalog).await?;
    for (name, what, value) in [
        ("pages", "Captured pages.", stats.pages),
        ("states", "Different states.", stats.states),
        ("versions", "Versions of all pages.", stats.versions),
        ("records", "Extracted records.", stats.records),
        ("waiting", "Visits and explorations that wait.", stats.waiting),
        ("stored_bytes", "The store on disk.", stats.bytes_stored),
        ("raw_bytes", "What it holds, as it restores.", stats.bytes_raw),
    ] {
        let _ = write!(
            out,
            "# HELP bathys_store_{name} {what}\n# TYPE bathys_store_{name} gauge\nbathys_store_{name} {value}\n"
        );
    }
    Ok(([("content-type", "text/plain; version=0.0.4; charset=utf-8")], out).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_counts_what_took_no_longer_than_its_bound() {
        let metrics = Metrics::default();
        metrics.add("/", 200, Duration::from_millis(30));
        metrics.add("/", 404, Duration::from_secs(9));
        let mut out = String::new();
        metrics.write(&mut out);
        for line in [
            "bathys_http_requests_total{route=\"/\",status=\"404\"} 1",
            "bathys_http_request_seconds_bucket{route=\"/\",le=\"0.02\"} 0",
            "bathys_http_request_seconds_bucket{route=\"/\",le=\"0.05\"} 1",
            "bathys_http_request_seconds_bucket{route=\"/\",le=\"+Inf\"} 2",
        ] {
            assert!(out.lines().any(|have| have == line), "{line} in {out}");
        }
    }
}
